"""The data: how many rows, and what the columns hold in either class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.report._evaluation import Evaluation
from drr.report._html import Section, paragraph, percent, table

_MAX_COLUMNS = 60


def section(evaluation: Evaluation) -> Section:
    """Return one line per column."""
    X, rare = evaluation.X, evaluation.labels
    n_columns = X.shape[1]
    text = (
        f"{len(rare):,} rows, {int(rare.sum()):,} of class {evaluation.rare_label} ({percent(float(rare.mean()), 2)}), "
        f"{n_columns:,} columns."
    )
    if not hasattr(X, "iloc"):
        return Section("data", "Data", paragraph(text))
    if n_columns > _MAX_COLUMNS:
        text += f" The first {_MAX_COLUMNS} columns are shown."
    rows = [_described(X.iloc[:, j], rare) for j in range(min(n_columns, _MAX_COLUMNS))]
    body = paragraph(text) + table(
        ["column", "holds", "missing", "rare class", "others"],
        rows,
        caption="Numbers: mean ± standard deviation; categories: the rare class's most frequent level, and its share",
        text_columns=2,
    )
    return Section("data", "Data", body)


def _described(column: Any, rare: NDArray[np.bool_]) -> list[str]:
    missing = column.isna().to_numpy() | (column == "<missing>").fillna(False).to_numpy(dtype=bool)
    row = [str(column.name), "numbers", percent(float(missing.mean()))]
    if column.dtype.kind in "iuf":
        for members in (rare, ~rare):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)[members & ~missing]
            row.append(f"{values.mean():.4g} ± {values.std():.3g}" if len(values) else "–")
        return row
    counts = column[rare].value_counts()
    row[1] = f"{column.nunique()} levels"
    if len(counts) == 0:
        return [*row, "–", "–"]
    level = counts.index[0]
    return [
        *row,
        *(f"{level}: {percent(float((column[members] == level).mean()))}" for members in (rare, ~rare)),
    ]
