"""Writes Abathur.Sync/NOTICES.txt: the parts of other authors in the daemon, and the terms of their licences.

    python notices.py [FILE]

reads what NuGet has resolved for the daemon (`artifacts/obj/Abathur.Sync`, after a build), and the packages themselves.
Terms that a package has as a file are in the folder `licenses` beside the daemon under the name that the table gives.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_ASSETS = _ROOT / "artifacts" / "obj" / "Abathur.Sync" / "project.assets.json"
NOTICES = _ROOT / "Abathur.Sync" / "NOTICES.txt"
#: Where the terms are: the files that the daemon's project copies, or below.
_TERMS = {"Apache-2.0": "Apache.Arrow.txt", "MIT": "below", "BSD-3-Clause": "below"}


def text(assets: Path = _ASSETS) -> str:
    """The notices.

    Raises:
        KeyError: a package has a licence that this does not know.
    """
    resolved = json.loads(assets.read_text(encoding="utf-8"))
    folder = Path(next(iter(resolved["packageFolders"])))
    packages = [
        _package(name, each, folder) for name, each in resolved["libraries"].items() if each["type"] == "package"
    ]
    rows = sorted(
        f"{name}\n  {version}, {licence}: {_TERMS[licence]}\n  {owner}\n" for name, version, licence, owner in packages
    )
    mit = (_ROOT / "LICENSE").read_text(encoding="utf-8")
    mit = mit[mit.index("Permission") :].strip()
    zstd = folder / resolved["libraries"][_of("ZstdNet", resolved)]["path"] / "LICENSE"
    bsd = zstd.read_text(encoding="utf-8-sig").replace("\r", "")
    bsd = bsd[bsd.index("Redistribution and use") :].strip()
    return (
        "Parts of other authors in the daemon (made by python_agent/packaging/notices.py)\n\n"
        "The .NET runtime and ASP.NET Core: MIT, licenses/dotnet. libzstd: BSD-3-Clause, licenses/libzstd.txt. The\n"
        "messages of the game's protocol: MIT, licenses/s2clientprotocol.txt.\n\n"
        + "\n".join(rows)
        + f"\nMIT\n\n{mit}\n\nBSD-3-Clause\n\n{bsd}\n"
    )


def _of(name: str, resolved: dict[str, Any]) -> str:
    return next(each for each in resolved["libraries"] if each.startswith(f"{name}/"))


def _package(name: str, library: dict[str, Any], folder: Path) -> tuple[str, str, str, str]:
    """Name, version, licence, owner."""
    nuspec = next((folder / library["path"]).glob("*.nuspec")).read_text(encoding="utf-8-sig")
    licence, owner = (re.search(pattern, nuspec) for pattern in (r"<license [^>]*>(.*?)<", r"<copyright>(.*?)<"))
    identity, _, version = name.partition("/")
    return identity, version, licence[1] if licence else "", owner[1].strip() if owner else ""


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else NOTICES).write_text(text(), encoding="utf-8", newline="\n")
