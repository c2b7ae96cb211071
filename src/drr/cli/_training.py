"""A training table by its roles: rows, labels and what to remember of them."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.messages import listed
from drr.cli._bases import MAX_LEVELS
from drr.cli._columns import Roles, is_ambiguous, read_kinds
from drr.cli._errors import CommandError, OptionError, require
from drr.cli._labels import check_labelled, choose_labels, is_missing, label_texts
from drr.cli._options import note_dialect, open_table
from drr.cli._schema import Schema
from drr.cli._tables import Table
from drr.cli._terminal import Terminal
from drr.features.feature_map import RakingFeatureMap
from drr.features.preparation import as_numbers
from drr.raking.estimator import RakingDual
from drr.raking.fitting import is_wide

# How the first column is named if it has no name: pandas writes the index of a frame like that.
_INDEX = "Unnamed: 0"


@dataclass(frozen=True, eq=False)
class Training:
    """What `fit` and `check` work on."""

    schema: Schema
    X: Any
    y: NDArray[Any]
    base_score: NDArray[np.float64] | None
    """scores of a base classifier that is not available"""

    @property
    def is_rare(self) -> NDArray[np.bool_]:
        """Which rows are of the rare class."""
        return np.asarray(self.y == self.schema.positive)


@dataclass(frozen=True)
class _Columns:
    """The columns of a table that the options name, and those that are left to describe the rows."""

    described: list[str]
    ids: list[str]
    roles: Roles


def read_training(
    path: str, options: argparse.Namespace, terminal: Terminal, scores: str | None = None
) -> Training:
    """Read a table and sort its columns by their roles."""
    table = open_table(path, options)
    note_dialect(table, terminal)
    columns = _sort_columns(table, options, terminal, scores)
    target = options.target
    names = [*columns.described, target, *([scores] if scores else [])]
    as_text = [*columns.roles.categorical, *columns.roles.dates, target]
    frame = table.read(names, as_text, terminal)
    frame = labelled(frame, target, terminal, drops=options.drop_unlabelled)
    texts = label_texts(frame[target])
    check_labelled(texts, target)
    positive, negative, is_text = choose_labels(texts, target, options.positive)

    described = frame[columns.described]
    ambiguous = [name for name, column in described.items() if table.format.is_text and is_ambiguous(column)]
    # Read again as text: leading zeros distinguish codes from numbers, and booleans can be written in several ways.
    as_written = described[[]]
    if ambiguous:
        as_written = table.read([*ambiguous, target], [*ambiguous, target], terminal)
        as_written = labelled(as_written, target, terminal, drops=options.drop_unlabelled)
    preparation, notes = read_kinds(described, columns.roles, as_written)
    schema = Schema(target, positive, negative, preparation, tuple(columns.ids), scores, is_text)
    spelled = [name for name in schema.text_columns if name in as_written.columns]
    frame = frame.assign(**{name: as_written[name].to_numpy() for name in spelled})
    for note in [*notes, *_identifiers(frame, schema)]:
        terminal.note(note)
    X = preparation.prepare(frame)
    base_score = None if scores is None else _scores(frame[scores])
    return Training(schema, X, schema.labels(frame[target]), base_score)


def make_dual(options: argparse.Namespace, X: Any) -> RakingDual:
    """Return the dual that the options describe, for these rows."""
    n_random_features = options.features
    if n_random_features is None:
        n_random_features = 0 if is_wide(X) else RakingFeatureMap().n_random_features
    feature_map = RakingFeatureMap(n_random_features, max_categories=MAX_LEVELS, random_state=options.seed)
    return RakingDual(feature_map, eta=options.eta, limit_direction=True, random_state=options.seed)


def fingerprint(X: Any, y: NDArray[Any]) -> str:
    """Return the same for the same rows in any order: it tells whether a table is the one of a fit."""
    pandas = require("pandas")
    rows = pandas.util.hash_pandas_object(X.assign(**{"": y.astype(str)}), index=False).to_numpy()
    return hashlib.sha256(np.sort(rows).tobytes()).hexdigest()


def _sort_columns(
    table: Table, options: argparse.Namespace, terminal: Terminal, scores: str | None
) -> _Columns:
    table.require_columns([options.target], "--target")
    if scores is not None:
        table.require_columns([scores], "--scores")
    if scores == options.target:
        raise OptionError(
            f"--scores {scores} is the target itself; name the column with the scores of a classifier"
        )
    dropped, ids = table.split_names(options.drop, "--drop"), table.split_names(options.id, "--id")
    roles = Roles(
        table.split_names(options.categorical, "--categorical"),
        table.split_names(options.numeric, "--numeric"),
        table.split_names(options.date, "--date"),
    )
    aside = {options.target, scores, *dropped, *ids}
    named = {*aside, *roles.categorical, *roles.numeric, *roles.dates}
    if table.columns[0] == _INDEX and _INDEX not in named:
        aside.add(_INDEX)
        terminal.note(
            f"the first column of {table.path.name} has no name and is left out as the number of the row; to use it, "
            "name it in the first line"
        )
    unnamed = [name for name in getattr(table.format, "set_aside", []) if name not in named]
    if unnamed:
        aside |= set(unnamed)
        terminal.note(
            f"{listed(unnamed)} of {table.path.name} annotate the cells and are left out; to use one, name it with "
            "--numeric or --categorical"
        )
    described = [name for name in table.columns if name not in aside]
    if not described:
        raise CommandError(f"{table.path} has no column left to describe the rows; drop fewer columns")
    return _Columns(described, ids, roles)


def labelled(frame: Any, target: str, terminal: Terminal, *, drops: bool) -> Any:
    """Return the rows with a label, if the user wants the others left out."""
    if not drops:
        return frame
    present = ~is_missing(label_texts(frame[target]))
    n_missing = int((~present).sum())
    if n_missing == len(frame):
        raise CommandError(f"column {target!r} has no label in any row; give labelled rows")
    if n_missing:
        terminal.note(f"{n_missing} rows without a label in column {target!r} are left out")
    return frame[present].reset_index(drop=True)


def _scores(column: Any) -> NDArray[np.float64]:
    values = as_numbers(column)
    missing = np.isnan(values)
    if missing.any():
        raise CommandError(
            f"column {column.name!r} has no score in row {int(np.argmax(missing)) + 1}; every row needs one"
        )
    return values


def _identifiers(frame: Any, schema: Schema) -> list[str]:
    return [
        f"column {name!r} holds a different whole number in every row; if it only names the rows, give --id "
        f"{quote(name)}"
        for name, kind in schema.kinds.items()
        if kind == "number" and frame[name].dtype.kind in "iu" and frame[name].is_unique and len(frame) > 20
    ]
