"""Mutants of the stages: a module with one operator of its syntax tree changed."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from tools.attack.mutants.draw import in_random_order

OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Site:
    module: str
    number: int
    """among the operators of the module"""


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _changes(tree: ast.AST) -> list[tuple[str, ast.AST, str, object]]:
    """(function, node, attribute, new value) of every operator inside a function; texts put together are left alone."""
    inside = {
        node: function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    found = []
    for node, function in inside.items():
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OPERATORS:
            if not (isinstance(node, ast.BinOp) and (_is_text(node.left) or _is_text(node.right))):
                found.append((function, node, "op", OPERATORS[type(node.op)]()))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
            found.append((function, node, "ops", [OPERATORS[type(node.ops[0])](), *node.ops[1:]]))
    return found


def sample(package: Path, modules: list[str], seed: int, most: int) -> list[Site]:
    """Operators of these modules, each with the same chance."""
    texts = {
        Site(module, number): f"{module}|{function}|{ast.unparse(node)}|{attribute}"
        for module in modules
        for number, (function, node, attribute, _) in enumerate(
            _changes(ast.parse((package / f"{module}.py").read_text()))
        )
    }
    return in_random_order(texts, texts.__getitem__, seed)[:most]


@dataclass(frozen=True)
class Change:
    function: str
    line: int
    before: str
    after: str
    source: str
    """of the whole module"""


def mutate(package: Path, site: Site) -> Change:
    tree = ast.parse((package / f"{site.module}.py").read_text())
    function, node, attribute, new = _changes(tree)[site.number]
    before = ast.unparse(node)
    setattr(node, attribute, new)
    return Change(function, node.lineno, before, ast.unparse(node), ast.unparse(tree))
