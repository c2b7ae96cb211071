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
from benchmarks.tabular import data_directory, load_table

# From the quickest to the slowest, so that a run that is stopped has the most tables.
DATA_SETS = (
    *("glass4", "yeast", "led", "libras_move", "spectrometer", "winequality", "arrhythmia", "oil", "vowel0"),
    *("flare-f", "car-good", "hypo", "abalone", "us_crime", "abalone_19", "yeast_ml8", "boundary", "scene"),
    *("sick", "mammography", "isolet"),
)
RESULTS = Path(__file__).parent / "results"


def run(arguments: argparse.Namespace) -> None:
    """All learners on all tables, trial by trial; what is there already is left alone."""
    store = Store(arguments.out)
    for trial in range(arguments.trials):
        for name in arguments.sets:
            table = load_table(name, data_directory())
            _, train, test = list(table.outer_splits(trial + 1))[trial]
            for learner in arguments.learners:
                if not store.has(name, trial, learner):
                    rows = list(measure(table, trial, train, test, learner))
                    store.append(rows)
                    values = "  ".join(
                        f"{row['arm']} {row['ap']:.4f} ({row['seconds']:.2f} s)" for row in rows
                    )
                    print(f"{trial} {name:<14} {learner:<22} {values}", flush=True)


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
            command.add_argument("--trials", type=int, default=5)
            command.add_argument("--sets", nargs="*", default=DATA_SETS)
            command.add_argument("--learners", nargs="*", default=list(LEARNERS))
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
