"""``drr report``: everything about a model and labelled rows on one page of HTML."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from drr.cli import _rules
from drr.cli._errors import CommandError
from drr.cli._model import open_model
from drr.cli._options import add_common, add_format, add_trust, open_table
from drr.cli._schema import as_numbers
from drr.cli._terminal import Terminal
from drr.cli._training import fingerprint
from drr.cli._writers import check_output
from drr.report import write_report

_HTML_SUFFIXES = (".html", ".htm")


def add_parser(commands: Any) -> None:
    """Describe the command."""
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
        "table", metavar="DATA", help="a table with the target: .csv, .csv.gz, .tsv or .parquet"
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
    add_trust(parser)
    add_format(parser)
    add_common(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Read, score, draw, write."""
    check_output(options.output, _HTML_SUFFIXES)
    model = open_model(options.model, options.trust, terminal)
    schema = model.schema
    table = open_table(options.table, options)
    if schema.target not in table.columns:
        raise CommandError(
            f"{options.table} has no column {schema.target!r}, the target of the model; a report needs labelled rows "
            "(`drr score` does not)"
        )
    table.require_columns(schema.needed(), "of the model")
    frame = table.read([*schema.needed(), schema.target], schema.text_columns, terminal)
    X, y = schema.features(frame), schema.labels(frame[schema.target])
    about = model.note.about
    held_out = fingerprint(X, y) == about.get("fingerprint")
    if held_out:
        terminal.note(
            f"{options.table} is the table the model was fitted on; the report shows the rows that were held out"
        )
    details = {
        "subtitle": f"Model {Path(options.model).name}, base {about.get('base', 'unknown')}, fitted "
        f"{model.note.created[:10]}. Data {table.path.name}.",
        "rows_per_day": options.rows_per_day,
        "donors": about.get("donors", []),
        "versions": model.note.versions,
    }
    with terminal.stage("drawing"):
        write_report(
            options.output,
            model.classifier,
            X,
            y,
            base_score=None if schema.scores is None else as_numbers(frame[schema.scores], 0),
            held_out=held_out,
            title=options.title,
            details=details,
        )
    terminal.result(
        f"report written: {options.output}",
        {"output": options.output, "n_rows": len(y), "held_out_rows_of_the_fit": held_out},
    )
