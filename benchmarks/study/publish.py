"""From results to files: compressed results, tables, figures, and the pages that show them."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from functools import lru_cache
from pathlib import Path

import pandas as pd

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.results import Results
from benchmarks.study.store import CELLS, CONFIGURATION, HEADER, read_results
from benchmarks.study.tables import TABLES

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCS = HERE.parents[1] / "docs"
PAGES = ("study.md", "study_tables.md")
PICTURES = Path("_static") / "study"
NOTHING = "*No results yet.*"
SIDE_FILES = ("reliability.csv", "pps_audit.csv")

_BLOCK = re.compile(r"<!-- (?P<what>table|figure|status)(?P<options>[^\n]*?) -->\n.*?<!-- end -->", re.DOTALL)


def write_tables(results: Results, out: Path) -> list[str]:
    """Write every table that the results allow; returns the names of those that could not be made."""
    out.mkdir(parents=True, exist_ok=True)
    left_out = []
    for name in TABLES:
        frame = make_table(results, name)
        if frame.empty:
            left_out.append(name)
        else:
            frame.to_csv(out / f"{name}.csv", index=False, float_format="%.6g")
    return left_out


@lru_cache(maxsize=256)
def make_table(results: Results, name: str) -> pd.DataFrame:
    """One table, made once for all files that show it; empty if the results do not suffice for it."""
    try:
        return TABLES[name](results)
    except (KeyError, ValueError, IndexError) as error:  # too few methods or data sets for this table so far
        print(f"{name}: left out, {type(error).__name__}: {error}")
        return pd.DataFrame()


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


def publish(folder: Path, results: Path = RESULTS, docs: Path = DOCS) -> None:
    """Everything that is committed: compressed results, tables, figures, and the tables of the pages."""
    from benchmarks.study.figures import write_figures

    for path in compress(folder, results):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    for name in SIDE_FILES:
        if folder != results and (folder / name).exists():
            shutil.copy(folder / name, results / name)
    found = Results.read(results)
    left_out = write_tables(found, results / "tables") + write_figures(found, results / "figures")
    pictures = docs / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    for path in (results / "figures").glob("*.png"):
        path.replace(pictures / path.name)
    if left_out:
        print(f"no results yet for: {', '.join(left_out)}")
    for name in PAGES:
        if not (docs / name).exists():
            shutil.copy(DOCS / name, docs / name)
        fill_page(found, docs / name, pictures)


def fill_page(results: Results, page: Path, pictures: Path) -> None:
    """Put the current tables between marks like ``<!-- table NAME; digits=3; columns=a|b -->`` and ``<!-- end -->``."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_BLOCK.sub(lambda match: _block(results, match, page, pictures), text), encoding="utf-8")


def _block(results: Results, match: re.Match[str], page: Path, pictures: Path) -> str:
    name, *settings = [part.strip() for part in match["options"].split(";")]
    if match["what"] == "status":
        body = _status(results)
    elif match["what"] == "figure":
        is_there = (pictures / f"{name}.png").exists()
        body = f"![{settings[0]}]({pictures.relative_to(page.parent)}/{name}.png)" if is_there else NOTHING
    else:
        options = dict(setting.split("=", 1) for setting in settings)
        frame = make_table(results, name)
        if frame.empty:
            body = options.get("empty", NOTHING)
        else:
            columns = options.get("columns")
            shown = frame[[name.strip() for name in columns.split("|")]] if columns else frame
            body = as_markdown(shown, int(options.get("digits", 3)))
    opening = match[0].split("\n", 1)[0]
    return f"{opening}\n{body}\n<!-- end -->"


def _status(results: Results) -> str:
    """What the committed results hold, counted."""
    cells, failed = len(results.cells), len(results.failed)
    configuration = json.loads((results.folder or RESULTS).joinpath(CONFIGURATION).read_text())
    versions = ", ".join(f"{name} {number}" for name, number in configuration["versions"].items())
    seed = configuration["protocol"]["master_seed"]
    return f"{cells} cells, and {failed} more that failed. Master seed {seed}; {versions}."
