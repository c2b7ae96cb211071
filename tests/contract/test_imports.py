"""Stages import only what comes before them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import drr

# In the order of the flow; a module may import only modules of an earlier line.
LAYERS = [
    {"_cpu", "_core", "_ranking", "_classes", "_display", "_sampler_tags", "_seeds", "_sparse"},
    {"_files", "_tree_checks", "_watched_file"},
    {"_npy_source", "_parquet_source"},
    {"_csr_source"},
    {"sources"},
    {"exceptions", "results"},
    {"_convergence", "_dispatch", "_progress", "_threads"},
    {"_validation"},
    {"_numbers", "_score_validation", "_solve_arguments"},
    {"_columns"},
    {"_answers", "_nonfinite"},
    {"_requests"},
    {"passes"},
    {"_block_reading", "_checkpoint", "_dask", "_pass_model"},
    {"_pass_floor", "_runner"},
    {"_raw_rows"},
    {"_pass_dual"},
    {"_categorical", "_embedding"},
    {"_embedded_source", "_raw_survey"},
    {"_pass_columns"},
    {"features"},
    {"_table_source"},
    {"_lbfgs", "_tables"},
    {"_embedded_rows"},
    {"_source_raking"},
    {"raking"},
    {"_ess_target", "diagnostics"},
    {"_source_fit"},
    {"moment_balance", "score", "weight_concentration"},
    {"_bootstrap", "cut_rules", "theory"},
    {"fusion", "gain"},
    {"calibration", "fusion_curve", "fusion_weight"},
    {"decision"},
    {"rescoring"},
    {"_base_score", "multiclass"},
    {"_holdout", "_models", "_routing"},
    {"classifier", "resampling"},
    {"_trusted_types", "export"},
    {"persistence"},
    {"__init__"},
    {"report"},
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
    assert {source.stem for source in SOURCES} >= {"__init__", "raking", "results"}
