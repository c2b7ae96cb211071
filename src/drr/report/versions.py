"""Versions of everything that made the model and the report."""

from __future__ import annotations

import importlib.metadata
import platform

from drr._native import __version__
from drr.report._evaluation import Evaluation
from drr.report._html import Section, table


def section(evaluation: Evaluation) -> Section:
    """List two columns: the versions of the model file, and those of this report."""
    now = {"drr": __version__, "python": platform.python_version()}
    now |= {package: importlib.metadata.version(package) for package in ("numpy", "scipy", "scikit-learn")}
    saved: dict[str, str] = evaluation.details.get("versions", {})
    rows = [[name, saved.get(name, "–"), now.get(name, "–")] for name in {**now, **saved}]
    body = table(["", "model file", "this report"], rows, caption="Versions", text_columns=3)
    return Section("versions", "Versions", body)
