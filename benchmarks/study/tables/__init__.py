"""Tables: a function of the results each, found by its name, and written as a CSV file of that name.

`@table` registers one. A column called ``paper`` or ``… paper`` holds what the paper prints.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from benchmarks.study.results import Results

TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {}


def table(function: Callable[[Results], pd.DataFrame]) -> Callable[[Results], pd.DataFrame]:
    """Register a table under the name of its function."""
    TABLES[function.__name__] = function
    return function


from benchmarks.study.tables import (  # noqa: E402 - each registers its tables
    ablation,
    comparisons,
    diagnostics,
    genes,
    headline,
    panel,
    resampler,
    same_map,
    sensitivity,
    text,
)

__all__ = [
    "TABLES",
    "ablation",
    "comparisons",
    "diagnostics",
    "genes",
    "headline",
    "panel",
    "resampler",
    "same_map",
    "sensitivity",
    "table",
    "text",
]
