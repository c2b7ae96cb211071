"""The commands and their options: only what reads a command line, which makes help appear at once."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

from drr._checks.names import printable
from drr._native import __version__
from drr.cli import _rules
from drr.cli._errors import ExitCode
from drr.cli._options import add_common, add_drop_unlabelled, add_dual, add_format, add_roles, add_trust
from drr.cli._streams import say

_EPILOG = """\
exit codes: 0 done; 1 a problem with the data, the model or a file; 2 a problem with the options;
3 an unexpected error (please report it); 130 interrupted. `drr COMMAND --help` explains a command."""


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, with the command that shows help."""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, or the reason of an exit; argparse would hide that the output is full."""
        if file is sys.stdout:
            print(message, end="", file=file, flush=True)
        else:
            say(message.rstrip("\n"), lines=True)

    def error(self, message: str) -> NoReturn:
        if re.match(r"unrecognized arguments: [^-]", message):
            message += "; name several columns in one option with commas between them, --drop a,b"
        self.exit(ExitCode.USAGE, f"{self.prog}: {printable(message)}; see `{self.prog} --help`\n")


def make_parser() -> argparse.ArgumentParser:
    """Return the commands and their options; `command` is the name of the module that runs one."""
    parser = _Parser(
        prog="drr",
        description="Density-ratio rescoring: better ranking of a rare class from any classifier.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"drr {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for add in (_add_check, _add_fit, _add_score, _add_report, _add_demo):
        add(commands)
    return parser


def _add_check(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="does a dual add anything to a quick forest?",
        description="Fit a forest and duals, and compare how they rank rows that they did not see, alone and together. "
        "Nothing is saved.",
        epilog="example: drr check train.csv --target fraud",
    )
    parser.add_argument("table", metavar="TRAIN", help="a table: .csv, .parquet, .xlsx, .h5ad, …")
    add_roles(parser)
    add_dual(parser)
    add_format(parser)
    add_common(parser)
    parser.set_defaults(command="check")


def _add_fit(commands: Any) -> None:
    parser = commands.add_parser(
        "fit",
        help="fit a base classifier and its dual, and save the model",
        description="Fit a base classifier and its dual on a table with a rare class, and save the model.",
        epilog="example: drr fit train.csv --target fraud -o model.skops",
    )
    parser.add_argument("table", metavar="TRAIN", help="a table: .csv, .parquet, .xlsx, .h5ad, …")
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="the model file, .skops")
    add_roles(parser)
    group = parser.add_argument_group("base")
    group = group.add_mutually_exclusive_group()
    group.add_argument(
        "--base",
        type=_rules.base,
        default="rf",
        metavar="NAME",
        help="rf (a random forest, the default), hist (boosted trees), logistic, xgboost, lightgbm or catboost (if "
        "installed), or module:factory for a classifier of your own",
    )
    group.add_argument(
        "--scores",
        metavar="COLUMN",
        help="rescore this column of scores, of a classifier that did not see the rows",
    )
    add_dual(parser)
    group = parser.add_argument_group("fusion")
    group.add_argument(
        "--weight",
        type=_rules.weight,
        default="auto",
        metavar="W",
        help="of the dual in the sum: a number or auto (default: %(default)s)",
    )
    group.add_argument(
        "--holdout",
        type=_rules.holdout,
        default="auto",
        metavar="H",
        help="how weight, calibration and cut are learned: auto (out of bag for forests, otherwise five folds), the "
        "share of the rows to hold out, or a number of folds (default: %(default)s)",
    )
    group.add_argument(
        "--calibration",
        choices=("sigmoid", "isotonic"),
        default="sigmoid",
        help="from score to probability (default: %(default)s)",
    )
    group.add_argument(
        "--threshold",
        type=_rules.threshold,
        default="balanced_accuracy",
        metavar="RULE",
        help=f"where to cut (default: %(default)s): {_rules.THRESHOLD_HELP}",
    )
    group.add_argument(
        "--jobs", type=int, metavar="N", help="of the forest and of the folds; -1 for all processors"
    )
    add_format(parser)
    add_common(parser)
    parser.set_defaults(command="fit")


def _add_score(commands: Any) -> None:
    parser = commands.add_parser(
        "score",
        help="score the rows of a table with a saved model",
        description="Score the rows of a table with a saved model, in their order, holding a part of them at a time.",
        epilog="columns written: the id columns, then score (fused), probability (of the rare class), prediction, "
        "base_score and dual_score. The target column, if there is one, is ignored.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file of `drr fit`")
    parser.add_argument("table", metavar="DATA", help="a table: .csv, .parquet, .xlsx, .h5ad, …")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="scores: .csv, .csv.gz, .tsv or .parquet (default: CSV to the output)",
    )
    parser.add_argument(
        "--id", action="append", metavar="COLUMN", help="columns to copy (default: those given to `drr fit`)"
    )
    parser.add_argument("--keep-all", action="store_true", help="copy all columns of DATA")
    add_trust(parser)
    add_format(parser)
    add_common(parser)
    parser.set_defaults(command="score")


def _add_report(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="write one page of HTML about a model and labelled rows",
        description="Write one page of HTML about a saved model and labelled rows: curves, gain, cuts, probabilities, "
        "moments, weights. The rows should not be those of the fit; if they are exactly those, the page shows the "
        "ones that were held out.",
        epilog="example: drr report model.skops test.csv -o report.html",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file of `drr fit`")
    parser.add_argument(
        "table", metavar="DATA", help="a table with the target: .csv, .parquet, .xlsx, .h5ad, …"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the page, .html")
    parser.add_argument(
        "--title", default="Density-ratio rescoring", metavar="TEXT", help="default: %(default)s"
    )
    parser.add_argument(
        "--rows-per-day",
        type=_rules.positive,
        metavar="N",
        help="rows to score per day, for the budget of alerts",
    )
    add_drop_unlabelled(parser)
    add_trust(parser)
    add_format(parser)
    add_common(parser)
    parser.set_defaults(command="report")


def _add_demo(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="show what drr does on generated data",
        description="Fit a random forest and its rescored version on half of generated rows, and compare them on the "
        "other half.",
    )
    add_common(parser)
    parser.set_defaults(command="demo")
