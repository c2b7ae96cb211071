"""The code on the pages and in the README runs, in the order of the page, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import warnings
from pathlib import Path

import pytest

from drr.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if "generated" not in path.parts and re.search(r"^```(python|pycon)$", path.read_text(), re.MULTILINE)
)
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\s*^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?%?")


def check_output(printed, shown):
    """Compare words exactly and numbers to a few percent; a line that ends in … goes on."""
    lines = shown.splitlines()
    assert len(printed.splitlines()) == len(lines), f"prints\n{printed}\nbut the page shows\n{shown}"
    for line, expected in zip(printed.splitlines(), lines, strict=True):
        words, expected_words = line.split(), expected.split()
        if expected_words[-1] == "…":
            expected_words.pop()
            words = words[: len(expected_words)]
        assert len(words) == len(expected_words), f"prints {line!r}, but the page shows {expected!r}"
        for word, expected_word in zip(words, expected_words, strict=True):
            number, expected_number = (NUMBER.match(each.strip("(,)")) for each in (word, expected_word))
            if number and expected_number:
                values = [float(each.group().rstrip("%")) for each in (number, expected_number)]
                assert values[0] == pytest.approx(values[1], rel=0.05, abs=0.005), (line, expected)
            else:
                assert word == expected_word, (line, expected)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pages may write files
    text = page.read_text()
    namespace: dict[str, object] = {"__name__": page.stem}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    parser = doctest.DocTestParser()
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        line = text[: block.start()].count("\n") + 1
        if language == "pycon":
            test = parser.get_doctest(code, namespace, page.name, str(page), line)
            runner.run(test, clear_globs=False)
            namespace = test.globs
        else:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile("\n" * line + code, str(page), "exec"), namespace)
            if shown := OUTPUT.match(text, block.end()):
                check_output(printed.getvalue(), shown.group(1))
    assert runner.summarize(verbose=False).failed == 0


def test_the_demonstration_ends_as_the_page_says(capsys):
    text = (ROOT / "docs" / "start" / "five_minutes.md").read_text()
    shown = OUTPUT.search(text, text.index("It ends with")).group(1)
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out.splitlines()
    check_output("\n".join(printed[-len(shown.splitlines()) :]), shown)
