"""Compiles source that is made from the descriptors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def define(title: str, lines: Iterable[str], **names: object) -> dict[str, Any]:
    """Compile functions.

    Args:
        title: What stands in place of the file in tracebacks and profiles.
        lines: Lines of their source.
        names: What they use.

    Returns:
        The functions by name.
    """
    namespace = dict(names)
    exec(compile("\n".join(lines), f"<{title}>", "exec"), namespace)
    return namespace
