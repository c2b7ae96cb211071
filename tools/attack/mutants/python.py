"""Mutants of the stages: a module with one operator of its syntax tree changed."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass
from pathlib import Path

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


def _changes(tree: ast.AST) -> list[tuple[ast.AST, str, object]]:
    """(node, attribute, new value) of every operator inside a function; texts put together are left alone."""
    inside = {
        node: None
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    found = []
    for node in inside:
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OPERATORS:
            if not (isinstance(node, ast.BinOp) and (_is_text(node.left) or _is_text(node.right))):
                found.append((node, "op", OPERATORS[type(node.op)]()))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
            found.append((node, "ops", [OPERATORS[type(node.ops[0])](), *node.ops[1:]]))
    return found


def sample(package: Path, modules: list[str], seed: int, most: int) -> list[Site]:
    """Operators of these modules, each with the same chance."""
    sites = [
        Site(module, number)
        for module in modules
        for number in range(len(_changes(ast.parse((package / f"{module}.py").read_text()))))
    ]
    return random.Random(seed).sample(sites, min(most, len(sites)))


def mutate(package: Path, site: Site) -> tuple[int, str, str, str]:
    """The line, the expression before and after, and the whole module with the change."""
    tree = ast.parse((package / f"{site.module}.py").read_text())
    node, attribute, new = _changes(tree)[site.number]
    before = ast.unparse(node)
    setattr(node, attribute, new)
    return node.lineno, before, ast.unparse(node), ast.unparse(tree)
