"""Stages import only what comes before them, and rows in memory load nothing that reads files or clusters."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import drr

# In the order of the flow; a package or module may import only what stands on an earlier line.
LAYERS = [
    {"_files", "_native", "exceptions"},
    {"_checks"},
    {"theory", "features"},
    {"raking"},
    {"streaming", "fusion"},
    {"calibration", "decision"},
    {"composition"},
    {"classifier", "resampling", "plotting"},
    {"persistence", "export"},
    {"__init__", "report"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {module: level for level, layer in enumerate(LAYERS) for module in layer}
PACKAGE = Path(drr.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))


def imported_modules(source: Path) -> set[str]:
    """The drr modules that are imported when the module itself is (not those inside functions)."""
    found = set()
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module == "drr":
            found |= {alias.name for alias in node.names if alias.name in LAYER_OF}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("drr."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {"__init__" for alias in node.names if alias.name == "drr"}
    return found


def stage_of(source: Path) -> str:
    """The module that a file is, or the package that it is in."""
    return source.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(source):
    stage = stage_of(source)
    assert stage in LAYER_OF, f"{source.name} has no place in the flow; add it to LAYERS"
    for module in imported_modules(source) - ({stage} if source.parent != PACKAGE else set()):
        assert LAYER_OF[module] < LAYER_OF[stage], f"{stage} imports {module}, which comes later"


def test_every_module_was_looked_at():
    assert {source.stem for source in SOURCES} >= {"__init__", "functions", "results", "problem"}


def test_the_top_floor_stays_small():
    assert len(list(PACKAGE.glob("*.py"))) <= 16
    assert len(LAYERS) <= 12


@pytest.mark.parametrize("stage", ["features", "raking", "fusion", "classifier"])
def test_rows_in_memory_load_nothing_of_streaming(stage):
    code = f"import sys, drr.{stage}; print(*[name for name in sys.modules if name.startswith('drr.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"drr.{stage}" in loaded.split()
    for word in ("streaming", "source", "dask", "checkpoint", "parquet"):
        assert word not in loaded


def private_names_defined_in(tree: ast.Module) -> set[str]:
    """Methods, and attributes that a class of the module sets on itself."""
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    attributes = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls")
    }
    return methods | attributes


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_private_attribute_of_another_module_is_used(source):
    tree = ast.parse(source.read_text())
    known = private_names_defined_in(tree) | {
        "_asdict",
        "_replace",
        "_fields",
    }  # public names of named tuples
    known |= {"_init_callback_context"}  # scikit-learn documents it for estimators with callbacks
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            assert node.attr in known, (
                f"{source.name}:{node.lineno} reaches into another module by {node.attr}"
            )


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_files_and_functions_stay_small(source):
    text = source.read_text()
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            length = node.end_lineno - body[0].lineno + 1 if body else 0
            assert length <= 60, f"{node.name} has {length} lines"
