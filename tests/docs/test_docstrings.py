"""Every public name has an example in its docstring, and every example says what happens."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import drr

MODULES = [
    importlib.import_module(info.name)
    for info in pkgutil.walk_packages(drr.__path__, "drr.")
    if not info.name.startswith("drr._native._core") and info.name != "drr.__main__"
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples_of(module: ModuleType) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


@pytest.mark.parametrize("module", [m for m in MODULES if examples_of(m)], ids=lambda module: module.__name__)
def test_the_examples_of_a_module_print_what_they_say(module):
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in examples_of(module):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def described_names() -> list[str]:
    """Classes and functions of the package, apart from those that only name a type."""
    return [name for name in drr.__all__ if callable(getattr(drr, name))]


@pytest.mark.parametrize("name", described_names())
def test_a_public_name_has_an_example(name):
    documentation = inspect.getdoc(getattr(drr, name)) or ""
    assert ">>> " in documentation, f"drr.{name} has no example in its docstring"
