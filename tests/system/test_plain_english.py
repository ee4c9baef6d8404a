"""Comments, strings and pages use the terms of docs/contributing.md ("Language")."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Regular expressions of whole words, in upper or lower case. docs/contributing.md has the terms to use instead.
BANNED = (
    r"(?<!data )flow(?![- ]control)",
    r"leans? on",
    r"whoever",
    r"somebody",
    r"nobody",
    r"anew",
    r"patience",
    r"is (?-i:none)",  # `is None` is Python.
    r"rivals?",
    r"verbs?",
    r"steer(?:s|ed|ing)?",
    r"goodbyes?",
    r"thinning",
    r"has gone",
    r"left out",
    r"who asks",
    r"lets? go of",
    r"as ever",
)
WORDS = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.I)

#: Strings are among the alternatives of comments, because they may contain `//`.
CSHARP = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\"{3,}.*?\"{3,}|(?:\$@|@\$|@)"(?:[^"]|"")*"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S
)
SCRIPT = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/", re.S)
#: A row of the table of terms.
GLOSSARY = re.compile(r"^\| .* \| .* \|$", re.M)
#: String tokens; since Python 3.12 the parts of f-strings are tokens of their own.
PYTHON = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}

Texts = Iterator[tuple[int, str]]


class Kind(NamedTuple):
    """A kind of files: their names, those to skip, and a function that returns line and text of each part to check."""

    names: tuple[str, ...]
    skipped: tuple[str, ...]
    texts: Callable[[str], Texts]


def csharp(source: str) -> Texts:
    return matches(CSHARP, source)


def script(source: str) -> Texts:
    return matches(SCRIPT, source)


def python(source: str) -> Texts:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in PYTHON:
            yield token.start[0], token.string


def page(source: str) -> Texts:
    yield 1, GLOSSARY.sub("", source)


def matches(pattern: re.Pattern[str], source: str) -> Texts:
    for match in pattern.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, match[0]


KINDS = {
    "C#": Kind(("*.cs",), ("*.g.cs", "*/Generated/*", "*/obj/*"), csharp),
    "Python": Kind(("*.py",), ("*_pb2.py", "*/sc2_flat/*", f"*/{Path(__file__).name}"), python),
    "JavaScript": Kind(("Abathur.Sync/Dashboard/Page/**/*.js",), (), script),
    "protobuf": Kind(("protos/abathur/*.proto",), (), script),
    "Markdown": Kind(("README.md", "CHANGELOG.md", "docs/*.md", "libraries/*/README.md"), (), page),
}


def tracked() -> list[str]:
    """Files of the repository, or all files of a source distribution."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
    names = (path.relative_to(ROOT).as_posix() for path in ROOT.glob("**/*.*") if path.is_file())
    return [name for name in names if not name.startswith(".")]


def files(kind: Kind) -> list[str]:
    named = (name for name in tracked() if any(fnmatch(name, pattern) for pattern in kind.names))
    return [name for name in named if not any(fnmatch(name, pattern) for pattern in kind.skipped)]


def found(kind: Kind, name: str) -> Iterator[str]:
    for line, text in kind.texts((ROOT / name).read_text(encoding="utf-8-sig")):
        for match in WORDS.finditer(text):
            start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            whole = text[start : end if end >= 0 else None].strip()
            yield f"{name}:{line + text.count(chr(10), 0, match.start())}: {whole}"


def without_commands(source: str) -> str:
    """Commands are copied whole: a line's continuation is written differently in each shell."""
    return re.sub(r"^```console\n.*?^```", lambda block: "\n" * block[0].count("\n"), source, flags=re.M | re.S)


def seen_lines(source: str) -> list[str]:
    """Lines without commands, and without the comments that name where a figure is from."""
    return re.sub(r"<!-- \d{4}-\d\d-\d\d-.+? -->", "", without_commands(source)).split("\n")


def test_lines_have_at_most_140_columns() -> None:
    """`.editorconfig` says so, but no formatter of C#, JavaScript and Markdown breaks lines. Python's is Ruff."""
    kind = Kind(("*.cs", "*.csproj", "*.props", "*.js", "*.css", "*.proto", "*.md"), ("*.g.cs", "*/vendor/*"), page)
    too_long = [
        f"{name}:{number}: {len(line)}"
        for name in files(kind)
        for number, line in enumerate(seen_lines((ROOT / name).read_text(encoding="utf-8-sig")), 1)
        # Rows of tables cannot be broken, and links would not work.
        if len(line) > 140 and not line.lstrip(" >-").startswith("|") and not re.match(r"^\s*\S*\S+\]\(\S+\)\S*$", line)
    ]
    assert not too_long, "\n".join(["", *too_long])


@pytest.mark.parametrize("language", KINDS)
def test_uses_plain_terms(language: str) -> None:
    kind = KINDS[language]
    names = files(kind)
    if not names:
        pytest.skip("not in this distribution")
    lines = dict.fromkeys(line for name in names for line in found(kind, name))
    assert not lines, "\n".join(["", *lines])


@pytest.mark.parametrize(
    ("texts", "source", "expected"),
    [
        (csharp, 'var a = "b"; // anew\nvar c = $"it {d} has gone"; // flow-control', [1, 2]),
        (csharp, 'var a = "http://x"; var nobody = \'"\'; /* left\n out */ var b = """\n\n  left out\n""";', [4]),
        (script, "const nobody = 1; // Whoever\nconst a = 'http://leans on'; /** a\n * rival */", [1, 3]),
        (python, 'nobody = None  # data flow\nx = """a\n\nverbs""" if nobody is None else "patience"', [4, 4]),
        (page, "The task is None.\n| left out | anew |\n\nsteering", [4]),
    ],
)
def test_finds_terms_in_texts_only(texts: Callable[[str], Texts], source: str, expected: list[int]) -> None:
    lines = [
        line + text.count("\n", 0, match.start()) for line, text in texts(source) for match in WORDS.finditer(text)
    ]
    assert lines == expected
