"""Names of columns, labels and levels in what is printed: a file may put anything into them."""

from __future__ import annotations

import unicodedata

# Control characters, invisible ones that reorder text, line and paragraph separators, and halves of characters.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str, keep: str = "") -> str:
    """Return the text with every character escaped that a terminal would obey or not show, but those in `keep`."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character in keep or unicodedata.category(character) not in _HIDDEN
        else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    number = ord(character)
    return (
        f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
    )
