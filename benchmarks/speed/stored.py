"""Results between runs: one CSV, in which a problem that is run again takes the place of its former rows."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks.speed.contest import Row


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    convert: dict[str, Any] = {"int": int, "float": float, "str": str}
    with open(path, newline="") as file:
        return [
            Row(**{field.name: convert[str(field.type)](record[field.name]) for field in fields(Row)})
            for record in csv.DictReader(file)
        ]


def replace(rows: list[Row], found: list[Row], order: list[str]) -> list[Row]:
    """`found` in the place of what there was of its problems, sorted by problem."""
    again = {row.problem for row in found}
    kept = [row for row in rows if row.problem not in again]
    return sorted(kept + found, key=lambda row: order.index(row.problem))


def write(records: Sequence[Any], path: Path) -> None:
    if not records:
        return
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(records[0])])
        writer.writeheader()
        writer.writerows({k: _short(v) for k, v in asdict(record).items()} for record in records)


def _short(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
