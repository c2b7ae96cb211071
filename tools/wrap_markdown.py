"""Wrap the prose of Markdown pages at 100 columns: ``python tools/wrap_markdown.py [--check] [FILE ...]``.

Code, tables, headings, formulas and directives stay as they are, and so do code spans, formulas and links within a
line, which are never broken.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDTH = 100

# Spans whose spaces must not become line breaks: code, formulas, targets of links.
_UNBREAKABLE = re.compile(r"`[^`]+`|\$[^$]+\$|\]\([^)]+\)")
_ITEM = re.compile(r"(\s*)([-*] |\d+\. |: )")
# What stays a separate line: headings, tables, directives and their options, comments, front matter, footnotes.
_ALONE = re.compile(r"\s*(#|\||:(?! )|<|---|%|\[!\[|\[\^?[\w-]+\]:|\(\w+\)=|!\[)")
_FENCE = re.compile(r"\s*(`{3,}|\${2})")


def wrap(text: str) -> str:
    """Return a page with its paragraphs wrapped."""
    return "\n".join(_wrapped_lines(text.split("\n")))


def _wrapped_lines(lines: list[str]) -> Iterator[str]:
    paragraph: list[str] = []
    fence = ""
    for number, line in enumerate(lines):
        opening = _FENCE.match(line)
        is_plain = not fence and not opening and not (number == 0 and line == "---")
        if is_plain and line.strip() and not _ALONE.match(line) and not line.startswith("    "):
            if paragraph and _ITEM.match(line):
                yield from _fill(paragraph)
                paragraph = []
            paragraph.append(line)
            continue
        if is_plain and paragraph and line.startswith("    ") and line.strip():
            paragraph.append(line)  # the continuation of a list item
            continue
        yield from _fill(paragraph)
        paragraph = []
        yield line
        if fence and line.strip() == fence:
            fence = ""
        elif not fence and opening and not (opening[1] == "$$" and line.strip()[2:].endswith("$$")):
            fence = opening[1]
    yield from _fill(paragraph)


def _fill(paragraph: list[str]) -> Iterator[str]:
    """Wrap one paragraph or list item, keeping its indentation."""
    if not paragraph:
        return
    item = _ITEM.match(paragraph[0])
    first = item[0] if item else re.match(r"\s*", paragraph[0])[0]  # type: ignore[index]
    rest = " " * len(first)
    words = " ".join([paragraph[0][len(first) :].strip(), *(line.strip() for line in paragraph[1:])])
    glued = _UNBREAKABLE.sub(lambda span: span[0].replace(" ", "\0"), words)
    for line in textwrap.wrap(
        glued,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ):
        yield line.replace("\0", " ")


def pages() -> list[Path]:
    """List the Markdown files of the repository, apart from those that the build generates."""
    found = [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in found if "generated" not in path.parts)


def main() -> int:
    """Wrap the files, or with ``--check`` name those that would change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if a page would change"
    )
    options = parser.parse_args()
    changed = []
    for path in options.files or pages():
        text = path.read_text()
        if wrap(text) != text:
            changed.append(path)
            if not options.check:
                path.write_text(wrap(text))
    for path in changed:
        print(f"{'not wrapped' if options.check else 'wrapped'}: {path}")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
