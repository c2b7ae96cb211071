"""From results to files: compressed results, tables, figures, and the page that shows them."""

from __future__ import annotations

import gzip
import shutil
import traceback
from pathlib import Path

import pandas as pd

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.results import Results
from benchmarks.study.store import CELLS, CONFIGURATION, HEADER, read_results
from benchmarks.study.tables import TABLES

N_ROWS_PER_FILE = 100_000


def write_tables(results: Results, out: Path) -> list[str]:
    """Write every table that the results allow; returns the names of those that could not be made."""
    out.mkdir(parents=True, exist_ok=True)
    left_out = []
    for name, make in TABLES.items():
        try:
            frame = make(results)
        except (KeyError, ValueError, IndexError) as error:  # too few methods for this table so far
            print(f"{name}: left out, {type(error).__name__}: {error}")
            traceback.print_exc(limit=-2)
            left_out.append(name)
            continue
        if frame.empty:
            left_out.append(name)
        else:
            frame.to_csv(out / f"{name}.csv", index=False, float_format="%.6g")
    return left_out


def compress(folder: Path, out: Path) -> list[Path]:
    """Write the results of a run as ``tabular.csv.gz`` and ``genes.csv.gz``, with their configuration."""
    out.mkdir(parents=True, exist_ok=True)
    rows = read_results(folder)[list(HEADER)]
    rows = rows.sort_values(["dataset", "trial", "learner", "method"], kind="stable")
    is_gene = rows["dataset"].map(is_gene_task)
    written = []
    for name, part in (("tabular", rows[~is_gene]), ("genes", rows[is_gene])):
        if part.empty:
            continue
        path = out / f"{name}.csv.gz"
        text = part.to_csv(index=False, float_format="%.7g")
        with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=9) as file:
            file.write(text.encode())
        written.append(path)
    if (folder / CONFIGURATION).exists() and folder != out:
        shutil.copy(folder / CONFIGURATION, out / CONFIGURATION)
    return written


def restore(folder: Path, out: Path) -> int:
    """Unpack compressed results into a folder that `run` can continue; returns the number of cells."""
    out.mkdir(parents=True, exist_ok=True)
    if (out / CELLS).exists():
        raise ValueError(f"{out} has results already")
    rows = read_results(folder)[list(HEADER)]
    rows.to_csv(out / CELLS, index=False, float_format="%.7g")
    shutil.copy(folder / CONFIGURATION, out / CONFIGURATION)
    return len(rows)


def as_markdown(frame: pd.DataFrame, digits: int = 3) -> str:
    """A table for a page; missing values are dashes."""

    def shown(value: object) -> str:
        if isinstance(value, float):
            if value != value:
                return "–"
            if value and abs(value) < 10**-digits / 2:
                return f"{value:.1e}"
            return f"{value:.{digits}f}" if value != int(value) or abs(value) < 10 else f"{value:g}"
        return "–" if value is None else str(value).replace("|", "\\|")

    lines = ["| " + " | ".join(map(str, frame.columns)) + " |", "|" + "---|" * len(frame.columns)]
    lines += [
        "| " + " | ".join(shown(value) for value in row) + " |" for row in frame.itertuples(index=False)
    ]
    return "\n".join(lines)
