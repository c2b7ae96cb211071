"""Store scores, or compare what can be made of them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.bases.__main__ import DATA_SETS
from benchmarks.laboratory import __doc__ as description


def store(arguments: argparse.Namespace) -> None:
    """Fit bases and second scores on every half that is not stored yet."""
    from benchmarks.laboratory.scores import store_bases, store_seconds

    for half in arguments.halves:
        for name in arguments.sets:
            store_bases(arguments.out, name, half)
            store_seconds(arguments.out, name, half)
            print(half, name, flush=True)


def compare(arguments: argparse.Namespace) -> None:
    """Print the gains of every rule and of every second score."""
    from benchmarks.laboratory.compare import print_tables

    print_tables(arguments.out, arguments.sets, arguments.halves)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.laboratory", description=description.splitlines()[0]
    )
    commands = parser.add_subparsers(required=True)
    for function in (store, compare):
        command = commands.add_parser(function.__name__, help=function.__doc__)
        command.add_argument("--out", type=Path, required=True, help="the folder of the stored scores")
        command.add_argument("--halves", type=int, nargs="*", default=range(6))
        command.add_argument("--sets", nargs="*", default=DATA_SETS)
        command.set_defaults(function=function)
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
