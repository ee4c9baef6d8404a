"""Text from elsewhere, as a terminal or a log may show it."""

from __future__ import annotations

import unicodedata

#: Control characters, those that change the direction of text or are not seen, halves of pairs, and ends of lines.
_ESCAPED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printable(text: str) -> str:
    r"""A text in one line, with an escape such as ``\x1b`` for each character that would act on a terminal.

    Everything that others have named or said goes through this where it is printed: names of maps, matches, agents
    and players, and errors of daemons and servers.
    """
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in _ESCAPED else character
        for character in text
    )
