"""Write the tables of docs/evidence/strong_bases.md, its picture, and the table of the README."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.bases import summary
from benchmarks.bases.store import CELLS, read
from benchmarks.study.datasets import is_gene_task

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "strong_bases.md"
PICTURE = ROOT / "docs" / "_static" / "strong_bases.svg"
RESULTS = Path(__file__).parent / "results"
README = ROOT / "README.md"


def publish(arguments: argparse.Namespace) -> None:
    """Fill the page from the cells of a folder, and keep these beside the program."""
    all_cells = read(arguments.out)
    is_gene = all_cells["dataset"].map(is_gene_task)
    cells, genes = all_cells[~is_gene], all_cells[is_gene]
    RESULTS.mkdir(exist_ok=True)
    if arguments.out.resolve() != RESULTS:
        shutil.copyfile(arguments.out / CELLS, RESULTS / CELLS)
    blocks = {
        "coverage": _coverage(cells),
        "gains": as_markdown(summary.gains(cells)),
        "unseen": as_markdown(summary.gains(summary.unseen(cells))),
        "genes": as_markdown(summary.arms_by_data_set(genes)),
        "paper": as_markdown(summary.gains(cells, "paper")),
        "forest": as_markdown(summary.against_forest(cells)),
        "measures": as_markdown(summary.other_measures(cells)),
        "data sets": _differences(cells),
    }
    fill(PAGE, blocks)
    fill(README, {"strong learners": _short_table(cells)})
    draw_ranks(cells)
    print(*(path.relative_to(ROOT) for path in (PAGE, README, PICTURE)))


def fill(page: Path, blocks: dict[str, str]) -> None:
    """Put tables between the comments that name their places."""
    text = page.read_text(encoding="utf-8")
    for name, block in blocks.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        if text.count(begin) != 1 or end not in text:
            raise SystemExit(f"{page.name} has no place for the block {name!r}")
        text = text[: text.index(begin) + len(begin)] + block + "\n" + text[text.index(end) :]
    page.write_text(text, encoding="utf-8")


def _short_table(cells: pd.DataFrame) -> str:
    """Every learner alone and by default, on all halves; in bold if the interval of the gain is above zero."""
    rows = [
        {
            "learner": row["learner"],
            "alone": row["alone"],
            "with the dual": f"**{row['default']:.3f}**"
            if row["interval"].startswith("+")
            else row["default"],
            "gain, 95 % interval": row["interval"],
            "better / worse on": row["wins/losses"].replace("/", " / "),
        }
        for row in summary.gains(cells).to_dict("records")
    ]
    return "\n" + as_markdown(pd.DataFrame(rows)) + "\n"


def as_markdown(frame: pd.DataFrame) -> str:
    """Return a table with three digits, p-values with two."""
    lines = ["| " + " | ".join(frame.columns) + " |", "|" + "---|" * len(frame.columns)]
    for row in frame.to_dict("records"):
        lines.append("| " + " | ".join(_text(str(name), value) for name, value in row.items()) + " |")
    return "\n".join(lines)


def _text(column: str, value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if np.isnan(value):
        return "–"
    if column == "Holm p":
        return f"{value:.2g}"
    if "cost" in column:
        return f"{value:.2f}"
    return f"{value:+.3f}" if column in ("gain", "median gain", "difference") else f"{value:.3f}"


def _coverage(cells: pd.DataFrame) -> str:
    counts = (
        cells[cells["arm"] == "alone"]
        .groupby(["learner", "dataset"])["trial"]
        .nunique()
        .unstack(fill_value=0)
    )
    lines = [
        f"- {learner}: {int((row > 0).sum())} tables, {int(row.sum())} halves "
        f"({int(row[row > 0].min())} to {int(row.max())} per table)"
        for learner, row in counts.iterrows()
    ]
    return "\n".join(lines)


def _differences(cells: pd.DataFrame) -> str:
    """Default minus alone by data set and learner."""
    values = summary.by_data_set(cells)
    learners = [
        name for name in values.columns.get_level_values(0).unique() if (name, "default") in values.columns
    ]
    frame = pd.DataFrame({name: values[name]["default"] - values[name]["alone"] for name in learners})
    lines = ["| table | " + " | ".join(learners) + " |", "|---|" + "---|" * len(learners)]
    for name, row in frame.iterrows():
        cells_of_row = ("–" if np.isnan(value) else f"{value:+.3f}" for value in row)
        lines.append(f"| {name} | " + " | ".join(cells_of_row) + " |")
    return "\n".join(lines)


def draw_ranks(cells: pd.DataFrame) -> None:
    """Draw the average ranks, with a bar over what a Nemenyi test does not tell from the best."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "drr"
    from matplotlib import pyplot

    ranks, critical, n_tables = summary.average_ranks(cells)
    names = sorted(ranks, key=lambda name: ranks[name])
    figure, axes = pyplot.subplots(figsize=(7.2, 0.28 * len(names) + 1.0), layout="constrained")
    places = np.arange(len(names))
    ours = [name.endswith("+ dual") for name in names]
    axes.scatter(
        [ranks[name] for name in names], places, c=["#1f6f8b" if is_ours else "#8a8a8a" for is_ours in ours]
    )
    best = ranks[names[0]]
    axes.plot([best, best + critical], [-1, -1], color="black", lw=2)
    axes.text(best + critical, -1, f"  critical difference {critical:.2f}", va="center", fontsize=8)
    axes.set_yticks(places, names, fontsize=8)
    axes.set_ylim(len(names) - 0.4, -1.8)
    axes.set_xlabel(f"average rank on average precision over {n_tables} tables (1 is best)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURE, metadata={"Date": None})
    pyplot.close(figure)
