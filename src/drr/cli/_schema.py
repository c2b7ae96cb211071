"""What a model remembers of the table it was fitted on: the target, the labels, and what each column holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.cli._errors import CommandError
from drr.cli._labels import check_labelled, is_label, label_texts
from drr.features.preparation import Kind, TablePreparation


@dataclass(frozen=True)
class Schema:
    """The columns of a training table, by their roles."""

    target: str
    positive: Any
    negative: Any
    """the other label; "other" if there are several"""
    preparation: TablePreparation
    ids: tuple[str, ...] = ()
    scores: str | None = None
    """the column with the scores of a base classifier that is not available"""
    text_labels: bool = False
    """labels are compared as text and not by their value"""

    def to_json(self) -> dict[str, Any]:
        """Return what a model file holds of it."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> Schema:
        """Read what `to_json` wrote into a model file."""
        try:
            return cls(**content | {"ids": tuple(content["ids"]), "preparation": _preparation(content)})
        except (TypeError, KeyError, AttributeError):
            raise CommandError(
                "the model file does not say which columns it was fitted on; fit it with `drr fit`"
            ) from None

    @property
    def kinds(self) -> dict[str, Kind]:
        """What the columns that describe a row hold, in their order."""
        return self.preparation.kinds

    @property
    def text_columns(self) -> list[str]:
        """The columns to be read as text, whatever they look like."""
        return [name for name, kind in self.kinds.items() if kind != "number"]

    def needed(self) -> list[str]:
        """Return the columns without which no row can be scored."""
        return [*self.kinds, *([self.scores] if self.scores else [])]

    def labels(self, column: Any) -> NDArray[Any]:
        """Return the target as the two labels of the model; other labels than the rare one are the other one."""
        texts = label_texts(column)
        check_labelled(texts, self.target)
        is_rare = is_label(texts, self.positive, is_text=self.text_labels)
        return np.asarray(np.where(is_rare, self.positive, self.negative))


def _preparation(content: dict[str, Any]) -> TablePreparation:
    return TablePreparation(**content["preparation"])
