"""The stub _core.pyi and the compiled module name the same members with the same parameters."""

from __future__ import annotations

import ast
import re
from importlib.resources import files

from drr._dispatch import core

STUB = ast.parse(files("drr").joinpath("_core.pyi").read_text())


def stub_functions():
    return {
        node.name: [argument.arg for argument in node.args.args + node.args.kwonlyargs]
        for node in STUB.body
        if isinstance(node, ast.FunctionDef)
    }


def module_functions():
    functions = {
        name: member for name, member in vars(core).items() if callable(member) and not name.startswith("_")
    }
    # pybind11 writes "name(first: type, second: type = default) -> type" as the first line of the docstring.
    signatures = {name: member.__doc__.splitlines()[0] for name, member in functions.items()}
    return {name: re.findall(r"[(,] (\w+): |\((\w+): ", line) for name, line in signatures.items()}


def test_functions():
    expected = {
        name: [first or second for first, second in found] for name, found in module_functions().items()
    }
    assert stub_functions() == expected


def test_attributes():
    stub = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    module = {
        name for name, member in vars(core).items() if not callable(member) and not name.startswith("_")
    }
    assert stub == module
