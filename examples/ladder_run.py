"""Starts a ladder bot behind the proxy: the ladder starts this program in place of the bot, with its arguments.

For AI Arena's local play: keep the bot's `run.py` under another name, say `bot_run.py`, and put this file in its place.
What the bot's match looked like is in `match-PORT.mcap` afterwards; agents may watch it meanwhile (ABATHUR_AGENT).

Environment:
    ABATHUR_SYNC: The daemon's command line. Default: `abathur`.
    ABATHUR_BOT: The bot's own program. Default: `python bot_run.py` beside this file.
    ABATHUR_AGENT: An agent to run beside the bot; none by default.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path


def words(variable: str, default: list[str]) -> list[str]:
    """A command line, or a path, from the environment, split into words."""
    text = os.environ.get(variable)
    if not text:
        return default
    if Path(text).exists():
        return [text]
    # Quotation marks hold a word together; a backslash is part of it, as in Windows paths.
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.escape = lexer.commenters = ""
    return list(lexer)


def main() -> int:
    """Start the proxy, then the bot on the proxy's port; end with the bot's exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--GamePort", type=int, required=True)
    parser.add_argument("--LadderServer", default="127.0.0.1")
    ladder, rest = parser.parse_known_args()
    daemon = words("ABATHUR_SYNC", ["abathur"])
    game = f"{ladder.LadderServer}:{ladder.GamePort}"
    recording = f"match-{ladder.GamePort}.mcap"
    options = ["--once", "--listen", "0", "--sc2", game, "-o", recording, "--force"]
    options += ["--grpc-port", "0", "--socket-port", "0"]
    if agent := os.environ.get("ABATHUR_AGENT"):
        options += ["--agent", agent]
    # The proxy ends when this program does, however that ends.
    proxy = subprocess.Popen(
        [*daemon, "proxy", *options, "--stop-with-parent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with proxy:
        assert proxy.stdout is not None
        ready = dict(item.split("=", 1) for item in proxy.stdout.readline().split()[1:])
        if "sc2api" not in ready:
            # It has said why.
            return 1
        port = ready["sc2api"].rpartition(":")[2]
        bot = words("ABATHUR_BOT", [sys.executable, str(Path(__file__).with_name("bot_run.py"))])
        done = subprocess.run([*bot, "--LadderServer", "127.0.0.1", "--GamePort", port, *rest], check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
