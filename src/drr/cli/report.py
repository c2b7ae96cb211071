"""``drr report``: everything about a model and labelled rows on one page of HTML."""

from __future__ import annotations

import argparse
from pathlib import Path

from drr.cli._errors import CommandError
from drr.cli._model import open_model
from drr.cli._options import open_table
from drr.cli._terminal import Terminal
from drr.cli._training import fingerprint, labelled
from drr.cli._writers import check_output
from drr.features.preparation import as_numbers
from drr.report import write_report

_HTML_SUFFIXES = (".html", ".htm")


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
    text = [*schema.text_columns, schema.target]
    frame = table.read([*schema.needed(), schema.target], text, terminal)
    frame = labelled(frame, schema.target, terminal, drops=options.drop_unlabelled)
    X, y = schema.preparation.prepare(frame), schema.labels(frame[schema.target])
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
            base_score=None if schema.scores is None else as_numbers(frame[schema.scores]),
            held_out=held_out,
            title=options.title,
            details=details,
        )
    terminal.result(
        f"report written: {options.output}",
        {"output": options.output, "n_rows": len(y), "held_out_rows_of_the_fit": held_out},
    )
