"""Run the comparison, or publish what there is of it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.bases import __doc__ as description
from benchmarks.bases.cells import measure
from benchmarks.bases.learners import LEARNERS
from benchmarks.bases.publish import publish
from benchmarks.bases.store import Store
from benchmarks.study.datasets import is_gene_task, load_dataset
from benchmarks.tabular import Table, data_directory, load_table

# From the quickest to the slowest, so that a run that is stopped has the most tables.
DATA_SETS = (
    *("glass4", "yeast", "led", "libras_move", "spectrometer", "winequality", "arrhythmia", "oil", "vowel0"),
    *("flare-f", "car-good", "hypo", "abalone", "us_crime", "abalone_19", "yeast_ml8", "boundary", "scene"),
    *("sick", "mammography", "isolet"),
)
# Rare cell types and tissues, of which the first three are hardest for a dual with random features.
GENE_TASKS = ("Baron_H1:epsilon", "Baron_H1:gamma", "Baron_H1:macrophage", "TCGA_LUAD_COAD_READ:READ")
GENE_LEARNERS = ("random forest", "logistic regression", "extra trees")
RESULTS = Path(__file__).parent / "results"


def run(arguments: argparse.Namespace) -> None:
    """All learners on all tables, half by half; what is there already is left alone."""
    store = Store(arguments.out)
    for trial in arguments.halves:
        for name in arguments.sets:
            table = load(name)
            _, train, test = list(table.outer_splits(trial + 1))[trial]
            for learner in arguments.learners:
                if arms := store.missing(name, trial, learner):
                    rows = list(measure(table, trial, train, test, learner, arms))
                    store.append(rows)
                    values = "  ".join(
                        f"{row['arm']} {row['ap']:.4f} ({row['seconds']:.2f} s)" for row in rows
                    )
                    print(f"{trial} {name:<14} {learner:<22} {values}", flush=True)


def load(name: str) -> Table:
    """Read a table, or a gene task by its matrix and label."""
    if not is_gene_task(name):
        return load_table(name, data_directory())
    task = load_dataset(name, data_directory())
    return Table(name, task.X, task.y, [])


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bases", description=description.splitlines()[0]
    )
    commands = parser.add_subparsers(required=True)
    for function, text in ((run, "fit and measure"), (publish, "write tables and picture")):
        command = commands.add_parser(function.__name__, help=text)
        command.add_argument("--out", type=Path, default=RESULTS, help="the folder of the results")
        command.set_defaults(function=function)
        if function is run:
            command.add_argument("--halves", type=int, nargs="*", default=range(5), metavar="HALF")
            command.add_argument("--sets", nargs="*", default=DATA_SETS)
            command.add_argument("--learners", nargs="*", default=list(LEARNERS))
            command.add_argument(
                "--genes", action="store_true", help="gene tasks instead, with three learners"
            )
    arguments = parser.parse_args()
    if getattr(arguments, "genes", False):
        arguments.sets, arguments.learners = GENE_TASKS, GENE_LEARNERS
    arguments.function(arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
