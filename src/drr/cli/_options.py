"""Options that several commands share."""

from __future__ import annotations

import argparse

from drr.cli import _rules
from drr.cli._tables import Table


def add_common(parser: argparse.ArgumentParser) -> None:
    """How a command speaks."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    group.add_argument("--quiet", action="store_true", help="no progress and no notes")
    group.add_argument("--traceback", action="store_true", help="show where an error came from")


def add_format(parser: argparse.ArgumentParser) -> None:
    """How a CSV file is read."""
    group = parser.add_argument_group("format of CSV files")
    group.add_argument("--separator", metavar="S", help="between columns (default: a comma; a tab for .tsv)")
    group.add_argument("--encoding", default="utf-8", metavar="E", help="of the text (default: %(default)s)")


def add_trust(parser: argparse.ArgumentParser) -> None:
    """What a model file may build beyond types of drr and scikit-learn."""
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="NAME",
        help="a type or package the model may use (repeatable)",
    )


def add_roles(parser: argparse.ArgumentParser) -> None:
    """What the columns of a training table are."""
    group = parser.add_argument_group("columns")
    group.add_argument("--target", required=True, metavar="COLUMN", help="the column with the classes")
    group.add_argument("--positive", metavar="LABEL", help="the rare class (default: the rarer of two)")
    group.add_argument(
        "--categorical",
        action="append",
        default=[],
        metavar="COLUMN",
        help="numbers that are codes (repeatable)",
    )
    group.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="leave a column out (repeatable)"
    )
    group.add_argument(
        "--id",
        action="append",
        default=[],
        metavar="COLUMN",
        help="kept beside the scores, not used (repeatable)",
    )


def add_dual(parser: argparse.ArgumentParser) -> None:
    """The moments and the tolerance of the raking."""
    group = parser.add_argument_group("dual")
    group.add_argument(
        "--features",
        type=_rules.count,
        default=128,
        metavar="D",
        help="random features (default: %(default)s)",
    )
    group.add_argument(
        "--eta",
        type=_rules.share,
        default=0.05,
        metavar="η",
        help="how far from the floor the tolerance lies (default: %(default)s)",
    )
    group.add_argument("--seed", type=_rules.count, default=0, metavar="N", help="default: %(default)s")


def open_table(path: str, options: argparse.Namespace) -> Table:
    """The table at `path`, in the format that the options say."""
    return Table(path, separator=options.separator, encoding=options.encoding)
