"""A training table by its roles: rows, labels and what to remember of them."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.cli._errors import CommandError, require
from drr.cli._options import open_table
from drr.cli._schema import Schema, as_numbers, choose_labels, find_kinds
from drr.cli._terminal import Terminal
from drr.features.feature_map import RakingFeatureMap
from drr.raking.estimator import RakingDual


@dataclass(frozen=True, eq=False)
class Training:
    """What `fit` and `check` work on."""

    schema: Schema
    X: Any
    y: NDArray[Any]
    base_score: NDArray[np.float64] | None
    """scores of a base classifier that is not at hand"""

    @property
    def is_rare(self) -> NDArray[np.bool_]:
        return np.asarray(self.y == self.schema.positive)


def read_training(
    path: str, options: argparse.Namespace, terminal: Terminal, scores: str | None = None
) -> Training:
    """Read a table and sort its columns by their roles."""
    table = open_table(path, options)
    table.require_columns([options.target], "--target")
    for option, names in (
        ("--categorical", options.categorical),
        ("--drop", options.drop),
        ("--id", options.id),
    ):
        table.require_columns(names, option)
    if scores is not None:
        table.require_columns([scores], "--scores")
    aside = {options.target, scores, *options.drop, *options.id}
    if scores == options.target:
        raise CommandError(
            f"--scores {scores} is the target itself; name the column with the scores of a classifier"
        )
    described = [name for name in table.columns if name not in aside]
    if not described:
        raise CommandError(f"{path} has no column left to describe the rows; drop fewer columns")

    columns = [*described, options.target, *([scores] if scores else [])]
    frame = table.read(columns, options.categorical, terminal)
    kinds = find_kinds(frame[described], options.categorical)
    positive, negative = choose_labels(frame[options.target], options.positive)
    schema = Schema(options.target, positive, negative, kinds, tuple(options.id), scores)
    if not table.is_parquet and any(kind == "boolean" for kind in kinds.values()):
        # Truth values are to be the text that a later chunk of rows will be read as.
        frame = table.read(columns, schema.text_columns, terminal)
    _note_identifiers(frame, schema, terminal)
    base_score = None if scores is None else _scores(frame[scores])
    return Training(schema, schema.features(frame), schema.labels(frame[options.target]), base_score)


def make_dual(options: argparse.Namespace) -> RakingDual:
    """The dual that the options describe; missing numbers are at the mean, beside an indicator."""
    feature_map = RakingFeatureMap(options.features, random_state=options.seed)
    return RakingDual(feature_map, eta=options.eta, random_state=options.seed)


def fingerprint(X: Any, y: NDArray[Any]) -> str:
    """The same for the same rows in any order: tells whether a table is the one that a model was fitted on."""
    pandas = require("pandas")
    rows = pandas.util.hash_pandas_object(X.assign(**{"": y.astype(str)}), index=False).to_numpy()
    return hashlib.sha256(np.sort(rows).tobytes()).hexdigest()


def _scores(column: Any) -> NDArray[np.float64]:
    values = as_numbers(column, 0)
    missing = np.isnan(values)
    if missing.any():
        raise CommandError(
            f"column {column.name!r} has no score in row {int(np.argmax(missing)) + 1}; every row needs one"
        )
    return values


def _note_identifiers(frame: Any, schema: Schema, terminal: Terminal) -> None:
    for name, kind in schema.kinds.items():
        if kind == "number" and frame[name].dtype.kind in "iu" and frame[name].is_unique and len(frame) > 20:
            terminal.note(
                f"column {name!r} holds a different whole number in every row; if it only names the rows, give --id "
                f"{name}"
            )
