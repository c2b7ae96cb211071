"""The sixteen tables that the paper inherits from the study of raking and relabelling, from its authors' repository.

A file is called ``[Kind] name.csv`` with the kind Cate (all columns are categorical), Conti (none is) or Mixed (those
that hold text are). Rows may begin with their number; the label is the last column, and its rarer value is class 1.
"""

from __future__ import annotations

import io
import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.datasets.kind import Dataset

LISTING = "https://api.github.com/repos/SHstat/Relabeling_Raking/contents/data"
INHERITED = (
    "abalone",
    "boundary",
    "cam",
    "car-good",
    "compustat",
    "flare-f",
    "glass4",
    "hypo",
    "led",
    "mammography",
    "oil",
    "phoss",
    "sick",
    "vowel0",
    "winequality",
    "yeast",
)

_FILE = re.compile(r"\[(?P<kind>Cate|Conti|Mixed)\] (?P<stem>.+)\.csv")

Opener = Callable[[str], Any]


def fetch_inherited(name: str, opener: Opener = urllib.request.urlopen) -> Dataset:
    """Find the file of a data set in the listing of the repository, and read it."""
    with opener(LISTING) as answer:
        listing = json.loads(answer.read())
    for entry in listing:
        match = _FILE.fullmatch(entry["name"])
        if match and is_called(match["stem"], name):
            with opener(entry["download_url"]) as answer:
                return read_inherited(answer.read().decode("utf-8-sig"), match["kind"], name)
    raise ValueError(
        f"{LISTING} lists no file for {name}; it has {', '.join(each['name'] for each in listing)}"
    )


def is_called(stem: str, name: str) -> bool:
    """Whether a file is that of a data set; some names go on with the classes that were kept, as yeast-2vs8."""
    rest = stem.lower().removeprefix(name)
    return stem.lower().startswith(name) and not (rest[:1].isalpha() or rest.startswith("_"))


def read_inherited(text: str, kind: str, name: str) -> Dataset:
    """Parse one of the files."""
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False, dtype=str)
    if frame.columns[0].startswith("Unnamed"):
        frame = frame.iloc[:, 1:]
    labels = frame.pop(frame.columns[-1]).str.strip()
    counts = labels.value_counts()
    if len(counts) != 2:
        raise ValueError(f"{name}: the last column must hold two labels, got {counts.index.tolist()}")
    y = (labels == counts.idxmin()).to_numpy().astype(np.int64)
    numbers = frame.apply(pd.to_numeric, errors="coerce")
    if kind == "Cate":
        categorical = list(frame.columns)
    else:
        categorical = [column for column in frame.columns if numbers[column].isna().any()]
    if kind == "Conti" and categorical:
        raise ValueError(f"{name}: columns of numbers hold text: {categorical}")
    numeric = [column for column in frame.columns if column not in categorical]
    frame[numeric] = numbers[numeric].astype(np.float64)
    return Dataset(name, frame, y, tuple(categorical))
