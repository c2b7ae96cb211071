"""The code on the pages and in the README runs, in the order of the page, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if "generated" not in path.parts and re.search(r"^```(python|pycon)$", path.read_text(), re.MULTILINE)
)
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


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
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile("\n" * line + code, str(page), "exec"), namespace)
    assert runner.summarize(verbose=False).failed == 0
