"""``drr score``: score the rows of a table, chunk by chunk, in their order."""

from __future__ import annotations

import argparse
from typing import Any

from drr._checks.messages import listed
from drr.cli._errors import CommandError, OptionError, require
from drr.cli._model import Model, open_model
from drr.cli._options import note_dialect, open_table
from drr.cli._tables import Table
from drr.cli._terminal import Terminal
from drr.cli._writers import OUTPUT_SUFFIXES, check_output, table_writer
from drr.features.preparation import as_numbers

SCORE_COLUMNS = ("score", "probability", "prediction", "base_score", "dual_score")


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Read, score and write chunk after chunk."""
    if options.output is None and options.json:
        raise OptionError(
            "--json and scores cannot both go to the output; name a file for the scores with -o"
        )
    if options.output is not None:
        check_output(options.output, OUTPUT_SUFFIXES)
    model = open_model(options.model, options.trust, terminal)
    table = open_table(options.table, options)
    note_dialect(table, terminal)
    table.require_columns(model.schema.needed(), "of the model")
    kept = _kept(options, model, table)
    n_rows, n_predicted = 0, 0
    unseen = _known_levels(model)
    with table_writer(options.output) as write:
        columns = list(dict.fromkeys([*kept, *model.schema.needed()]))
        text = [name for name in columns if name in kept or name in model.schema.text_columns]
        for frame in table.chunks(columns, text, terminal):
            scored = score(model, table, frame, kept, n_rows, unseen)
            write(scored)
            n_rows += len(scored)
            n_predicted += int((scored["prediction"] == model.schema.positive).sum())
        if n_rows == 0:
            raise CommandError(f"{table.path} has a header but no rows; give a file with rows")
    absent = [name for name in model.schema.ids if name not in table.columns and options.id is None]
    if absent:
        terminal.note(
            f"{table.path.name} has no column {listed(absent)}, which `drr fit` was to keep beside the scores"
        )
    for name in unseen:
        terminal.note(f"no value of column {name!r} was seen at the fit; check how it is written")
    if options.output is not None:
        share = n_predicted / n_rows
        terminal.result(
            f"{n_rows:,} rows scored, {n_predicted:,} ({share:.2%}) predicted {model.schema.positive!r}: "
            f"{options.output}",
            {"output": options.output, "n_rows": n_rows, "n_predicted": n_predicted},
        )


def _known_levels(model: Model) -> dict[str, set[str]]:
    """Return the levels at the fit of each category."""
    feature_map = model.classifier.dual_.feature_map_
    names = [name for name, kind in model.schema.kinds.items() if kind in ("category", "boolean")]
    return {name: set(levels) for name, levels in zip(names, feature_map.categories_, strict=True)}


def score(
    model: Model, table: Table, frame: Any, kept: list[str], first_row: int, unseen: dict[str, set[str]]
) -> Any:
    """Return the kept columns of a frame and its scores; take from `unseen` columns with a level of the fit."""
    pandas = require("pandas")
    classifier, schema = model.classifier, model.schema
    cells = frame
    if table.format.is_text:  # copied numbers were read as they are written
        numbers = [name for name in schema.needed() if name in kept and name not in schema.text_columns]
        cells = frame.assign(**{name: table.format.as_numbers(frame[name]) for name in numbers})  # type: ignore[attr-defined]
    X = schema.preparation.prepare(cells, first_row)
    for name in [name for name, levels in unseen.items() if not levels.isdisjoint(X[name].unique())]:
        del unseen[name]
    given = None if schema.scores is None else as_numbers(cells[schema.scores], first_row)
    found = classifier.scores(X, base_score=given)
    values = {
        "score": found.fused,
        "probability": found.probability,
        "prediction": [
            schema.positive if rare else schema.negative for rare in found.label == classifier.pos_label_
        ],
        "base_score": found.base,
        "dual_score": found.dual,
    }
    scores = pandas.DataFrame({name: value for name, value in values.items() if value is not None})
    return pandas.concat([frame[kept].reset_index(drop=True), scores], axis=1)


def _kept(options: argparse.Namespace, model: Model, table: Table) -> list[str]:
    """Return the columns to copy."""
    if options.keep_all:
        kept = list(table.columns)
    elif options.id is not None:
        kept = table.split_names(options.id, "--id")
    else:
        kept = [name for name in model.schema.ids if name in table.columns]
    clash = [name for name in kept if name in SCORE_COLUMNS]
    if clash:
        raise CommandError(
            f"column {clash[0]!r} of {table.path} has the name of a column of scores; rename it"
        )
    return kept
