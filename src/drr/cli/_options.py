"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

from drr.cli import _rules
from drr.cli._tables import Table
from drr.cli._terminal import Terminal


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of what a command prints."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    group.add_argument("--quiet", action="store_true", help="no progress and no notes")
    group.add_argument("--traceback", action="store_true", help="show where an error came from")


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add the options of how a CSV file is read."""
    group = parser.add_argument_group("format of CSV files")
    group.add_argument(
        "--separator",
        metavar="S",
        help="between columns (default: found from the first lines; a tab for .tsv)",
    )
    group.add_argument(
        "--decimal", choices=(".", ","), help="before decimals (default: found from the first lines)"
    )
    group.add_argument("--encoding", default="utf-8", metavar="E", help="of the text (default: %(default)s)")


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Add the option for types that a model file may build, other than those of drr and scikit-learn."""
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="NAME",
        help="a type or package the model may use (repeatable)",
    )


def add_roles(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what the columns of a training table are."""
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
        "--numeric",
        action="append",
        default=[],
        metavar="COLUMN",
        help="numbers, whatever else it holds: texts count as missing (repeatable)",
    )
    group.add_argument(
        "--date",
        action="append",
        default=[],
        metavar="COLUMN",
        help="dates such as 2024-12-31, to be turned into a number of days (repeatable)",
    )
    group.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="leave a column out (repeatable, or several with commas between them)",
    )
    add_drop_unlabelled(group)
    group.add_argument(
        "--id",
        action="append",
        default=[],
        metavar="COLUMN",
        help="copied to the scores, not used (repeatable)",
    )


def add_drop_unlabelled(parser: Any) -> None:
    """Add the option for rows without a label."""
    parser.add_argument(
        "--drop-unlabelled", action="store_true", help="leave out rows without a label (default: an error)"
    )


def add_dual(parser: argparse.ArgumentParser) -> None:
    """Add the options of the moments and the tolerance of the raking."""
    group = parser.add_argument_group("dual")
    group.add_argument(
        "--features",
        type=_rules.count,
        metavar="D",
        help="random features (default: 128; none with more than 5000 columns or two per row)",
    )
    group.add_argument(
        "--eta",
        type=_rules.share,
        default=0.05,
        metavar="η",
        help="how far from the floor the tolerance is (default: %(default)s)",
    )
    group.add_argument("--seed", type=_rules.count, default=0, metavar="N", help="default: %(default)s")


def open_table(path: str, options: argparse.Namespace) -> Table:
    """Return the table at `path`, in the format that the options say."""
    return Table(path, separator=options.separator, encoding=options.encoding, decimal=options.decimal)


def note_dialect(table: Table, terminal: Terminal) -> None:
    """Say how a text file was taken to be written, if it is not the usual way."""
    if getattr(table.format, "is_guessed", False):
        separator, decimal = table.format.separator, table.format.decimal  # type: ignore[attr-defined]
        terminal.note(
            f"{table.path.name} is read with columns separated by {separator!r} and decimals after {decimal!r}; "
            "--separator and --decimal say otherwise"
        )
