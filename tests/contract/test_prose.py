"""Prose keeps the rules of CONTRIBUTING.md: pages wrapped, plain words, a tour that leads to files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.wrap_markdown import pages, wrap

ROOT = Path(__file__).parents[2]
EXEMPT = {ROOT / "CONTRIBUTING.md"}  # its style section shows words to avoid
# A program writes the pages of the study.
PAGES = [path for path in pages() if not path.name.startswith("study")]
SOURCES = sorted((ROOT / "src" / "drr").rglob("*.py"))
ARCHAIC = re.compile(
    r"\b(mend(s|ed|ing)?|foret(ell|old)\w*|suffices?|anew|whoever|nobody|strangers|dear|nil|refuse(s|d)?)\b",
    re.IGNORECASE,
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_wrapped_at_100_columns(page):
    text = page.read_text()
    assert wrap(text) == text, f"run: python tools/wrap_markdown.py {name_of(page)}"


def test_wrapping_leaves_code_tables_and_spans_alone():
    code = "```text\n" + "x " * 80 + "\n```"
    table = "| " + "cell | " * 30
    span = "word " * 18 + "`a code span of several words` end"
    wrapped = wrap("\n\n".join([code, table, span, "- " + "word " * 30]))
    assert code in wrapped
    assert table in wrapped
    assert "`a code span of several words`" in wrapped
    assert wrapped.splitlines()[-1].startswith("  word")


@pytest.mark.parametrize("path", [path for path in [*PAGES, *SOURCES] if path not in EXEMPT], ids=name_of)
def test_everyday_words_are_used(path):
    lines = enumerate(path.read_text().splitlines(), 1)
    found = [f"{number}: {line.strip()}" for number, line in lines if ARCHAIC.search(line)]
    assert not found, "\n".join(found)


def test_the_tour_leads_to_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    tour = text[text.index("## The tour") : text.index("## Style")]
    named = re.findall(r"`(src/[^`]+)`", tour)
    assert len(named) >= 8
    assert [name for name in named if not (ROOT / name).exists()] == []
