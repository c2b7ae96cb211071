"""The stubs of the compiled modules name the same members with the same parameters as the modules."""

from __future__ import annotations

import ast
import inspect
import re
from importlib.resources import files
from types import ModuleType

import numpy as np
import pytest

from drr._native import _cpu, core
from drr._native import draws as draws_module
from drr._native import ranking as ranking_module

MODULES = {"_core": core, "_cpu": _cpu, "draws": draws_module, "ranking": ranking_module}


def stub_members(body: list[ast.stmt]) -> dict:
    """Name -> parameters of a function, members of a class, or None for an attribute."""
    members = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            members[node.name] = stub_members(node.body)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            is_property = any(
                isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list
            )
            parameters = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            members[node.name] = None if is_property else parameters
        elif isinstance(node, ast.AnnAssign):
            members[node.target.id] = None
    return members


def members_of(holder: object) -> dict:
    return {
        name: members_of(member)
        if inspect.isclass(member)
        else parameters_of(member)
        if callable(member)
        else None
        for name, member in vars(holder).items()
        if not name.startswith("_") and not isinstance(member, ModuleType)
    }


def parameters_of(function: object) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        # pybind11 writes "name(first: type, second: type = default) -> type" as the first line of the docstring.
        found = re.findall(r"[(,] (\w+): |\((\w+): ", function.__doc__.splitlines()[0])
        return [first or second for first, second in found]


@pytest.mark.parametrize("name", MODULES)
def test_members(name):
    stub = ast.parse(files("drr._native").joinpath(f"{name}.pyi").read_text())
    assert stub_members(stub.body) == members_of(MODULES[name])


def test_the_constructor_that_has_no_signature():
    ranking = ranking_module.Ranking(score=np.array([0.1, 0.7]), positive=np.array([False, True]))
    assert ranking.n_rows == 2
