"""What a model remembers of the table it was fitted on: the target, the labels, and what each column holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from drr.cli._errors import CommandError, listed

Kind = Literal["number", "category", "boolean"]

# The level of categories that are missing, named as the feature map would name it.
MISSING = "<missing>"

# A text column with more levels than this, most of them of single rows, identifies rows rather than describing them.
_MOST_LEVELS = 100
_OTHER = "other"


@dataclass(frozen=True)
class Schema:
    """The columns of a training table, by their roles."""

    target: str
    positive: Any
    negative: Any
    """the other label; "other" where there are several"""
    kinds: dict[str, Kind]
    """of the columns that describe a row, in order"""
    ids: tuple[str, ...] = ()
    scores: str | None = None
    """the column with the scores of a base classifier that is not at hand"""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> Schema:
        """Read what `to_json` wrote into a model file."""
        try:
            return cls(**(content | {"ids": tuple(content["ids"])}))
        except (TypeError, KeyError):
            raise CommandError(
                "the model file does not say which columns it was fitted on; fit it with `drr fit`"
            ) from None

    @property
    def text_columns(self) -> list[str]:
        """The columns to be read as text, whatever they look like."""
        return [name for name, kind in self.kinds.items() if kind != "number"]

    def needed(self) -> list[str]:
        """The columns without which no row can be scored."""
        return [*self.kinds, *([self.scores] if self.scores else [])]

    def features(self, frame: Any, first_row: int = 0) -> Any:
        """The descriptive columns of a frame: numbers as float64, all else as text, in the order of the fit."""
        import pandas

        columns = {
            name: as_numbers(frame[name], first_row) if kind == "number" else as_text(frame[name], kind)
            for name, kind in self.kinds.items()
        }
        return pandas.DataFrame(columns)

    def labels(self, column: Any) -> NDArray[Any]:
        """The target as the two labels of the model; other labels than the rare one are the other one."""
        refuse_missing_labels(column)
        is_rare = np.array([same_label(label, self.positive) for label in column.unique()])
        return np.asarray(np.where(column.isin(column.unique()[is_rare]), self.positive, self.negative))


def find_kinds(frame: Any, categorical: Sequence[str]) -> dict[str, Kind]:
    """What each column holds, from its dtype and the user's list."""
    kinds: dict[str, Kind] = {}
    for name in frame.columns:
        column = frame[name]
        kind = column.dtype.kind
        if name in categorical:
            kinds[name] = "category"
        elif kind == "b":
            kinds[name] = "boolean"
        elif kind in "iuf" or str(column.dtype).startswith("decimal"):
            kinds[name] = "number"
        elif kind in "OU" and not str(column.dtype).startswith(("list", "struct", "map", "binary")):
            _refuse_identifier(column)
            kinds[name] = "category"
        else:
            raise CommandError(
                f"column {name!r} holds {column.dtype}, neither numbers nor categories; leave it out with --drop {name}"
                f" or take its values as categories with --categorical {name}"
            )
    return kinds


def choose_labels(column: Any, positive: str | None) -> tuple[Any, Any]:
    """The rare label and the other one, from the target column and what the user named."""
    refuse_missing_labels(column)
    counts = column.value_counts()
    labels = [_as_label(label) for label in counts.index]
    if len(labels) < 2:
        raise CommandError(
            f"column {column.name!r} holds {labels[0]!r} in every row; the target needs rows of two classes"
        )
    if positive is None:
        if len(labels) > 2:
            raise CommandError(
                f"column {column.name!r} has {len(labels)} different values, {listed(labels, 4)}; name the rare class "
                "with --positive, or another column with --target"
            )
        rare = labels[-1] if counts.iloc[0] != counts.iloc[-1] else max(labels)
    else:
        rare = next((label for label in labels if same_label(label, positive)), None)
        if rare is None:
            raise CommandError(
                f"--positive {positive} is not in column {column.name!r}, which holds {listed(labels, 8)}"
            )
    others = [label for label in labels if label != rare]
    if len(others) == 1 and type(rare) is type(others[0]) and isinstance(rare, bool | int | str):
        return rare, others[0]
    if len(others) == 1:
        return str(rare), str(others[0])
    return str(rare), _OTHER if str(rare) != _OTHER else f"not {_OTHER}"


def same_label(label: Any, named: Any) -> bool:
    """Whether a value of the target is the label that a user or a model file names: 1, 1.0 and "1" are the same."""
    if str(label) == str(named):
        return True
    try:
        return float(label) == float(named)
    except (TypeError, ValueError):
        return False


def refuse_missing_labels(column: Any) -> None:
    """Raise where a row has no label."""
    missing = column.isna().to_numpy()
    if missing.any():
        raise CommandError(
            f"column {column.name!r} has no label in {int(missing.sum())} rows, first in row "
            f"{int(np.argmax(missing)) + 1}; drop these rows"
        )


def as_numbers(column: Any, first_row: int) -> NDArray[np.float64]:
    """A column as float64, with missing values as NaN; text that is no number is refused by row."""
    import pandas

    if column.dtype.kind in "OU" and not str(column.dtype).startswith("decimal"):
        numbers = pandas.to_numeric(column, errors="coerce")
        bad = (numbers.isna() & column.notna()).to_numpy()
        if bad.any():
            row = int(np.argmax(bad))
            raise CommandError(
                f"column {column.name!r} held numbers when the model was fitted, but row {first_row + row + 1} holds "
                f"{column.iloc[row]!r}; correct the value, or leave the cell empty"
            )
        column = numbers
    values = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise CommandError(
            f"column {column.name!r} is infinite in row {first_row + row + 1}; leave the cell empty or correct it"
        )
    return values


def as_text(column: Any, kind: Kind) -> Any:
    """A column as text, with a level of its own for missing values; true and TRUE are the same."""
    present = column.notna().to_numpy()
    text = column.astype(object).where(present, MISSING).astype(str)
    return (text.str.lower() if kind == "boolean" else text).astype(object).to_numpy()


def _as_label(label: Any) -> Any:
    """Plain Python values; whole numbers in floating point count as whole."""
    value = label.item() if hasattr(label, "item") else label
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_identifier(column: Any) -> None:
    n_levels = column.nunique()
    if n_levels > _MOST_LEVELS and n_levels > column.count() / 2:
        example = column.dropna().iloc[0]
        raise CommandError(
            f"column {column.name!r} has {n_levels} different texts in {len(column)} rows ({str(example)[:30]!r}, …), "
            f"as names or dates would; keep it beside the scores with --id {column.name}, leave it out with --drop "
            f"{column.name}, or insist with --categorical {column.name}"
        )
