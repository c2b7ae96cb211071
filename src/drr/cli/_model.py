"""A model file together with what it remembers of its training table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drr.classifier import DRRClassifier
from drr.cli._errors import CommandError, require
from drr.cli._schema import Schema
from drr.cli._terminal import Terminal
from drr.exceptions import ModelFileError
from drr.persistence.model_files import ModelNote, load, read_note
from drr.persistence.table_classifier import TableClassifier


@dataclass(frozen=True, eq=False)
class Model:
    """What `score` and `report` work with."""

    classifier: DRRClassifier
    """for rows that the schema has prepared"""
    schema: Schema
    note: ModelNote


def open_model(path: str, trusted: Sequence[str], terminal: Terminal) -> Model:
    """Load a model file that `drr fit` wrote."""
    require("skops")
    if not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "does not exist"
        raise CommandError(f"{path} {what}; make a model with `drr fit TRAIN --target COLUMN -o {path}`")
    with terminal.stage(f"loading {path}"):
        note = read_note(path)
        schema = Schema.from_json(note.about.get("schema"))
        try:
            classifier = load(path, trusted=trusted)
        except ModelFileError as error:
            raise CommandError(str(error).replace("in `trusted`", "with --trust")) from error
    if not isinstance(classifier, TableClassifier) or len(classifier.rescorings_) != 1:
        raise CommandError(f"{path} was not made by `drr fit`; make a model with it")
    return Model(classifier.unprepared(), schema, note)
