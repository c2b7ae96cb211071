"""Options with a small language of their own.

The meaning of a value is imported when one is given: a mistyped option is reported without loading the package.
"""

from __future__ import annotations

import argparse
from typing import Any

from drr._native.ranking import CUT_METRICS

THRESHOLD_HELP = (
    f"{', '.join(CUT_METRICS)}; recall=0.9, precision=0.5, fpr=0.01; top=100 or top=0.01 (rows, or their share); "
    "cost=1,20 (of a false alarm, of a miss); probability (one half); or the cut itself as a number"
)


def threshold(text: str) -> Any:
    """Parse the cut, or how to choose it."""
    name, equals, value = text.partition("=")
    if not equals and text in CUT_METRICS:
        return text
    if text == "probability":
        return None
    number = _number(text)
    if number is not None:
        return number
    mistake = argparse.ArgumentTypeError(f"{text!r} is not a rule; use {THRESHOLD_HELP}")
    if name not in ("cost", "top", "recall", "precision", "fpr"):
        raise mistake
    from drr.decision.rules import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK

    try:
        if name == "cost":
            false_positive, false_negative = map(float, value.split(","))
            return CostMatrix(false_positive=false_positive, false_negative=false_negative)
        if name == "top":
            return TopK(int(value) if value.isdecimal() else float(value))
        rules = {"recall": RecallAtLeast, "precision": PrecisionAtLeast, "fpr": FalsePositiveRateAtMost}
        return rules[name](float(value))
    except ValueError:
        raise mistake from None


BASES = ("rf", "hist", "logistic", "xgboost", "lightgbm", "catboost")


def base(text: str) -> str:
    """Check the name of a base, or the place of a function that makes one."""
    if text not in BASES and ":" not in text:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not known; use {', '.join(BASES)} or module:factory for a classifier of your own"
        )
    return text


def weight(text: str) -> float | str:
    """Parse the weight of the dual, or how to choose it."""
    number = _number(text)
    if number is not None and 0 <= number < float("inf"):
        return number
    if text == "auto":  # the default, which argparse parses for every command line
        return text
    from drr.fusion.weight import METHODS

    if text not in METHODS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of at least 0 nor one of {', '.join(METHODS)}"
        )
    return text


def holdout(text: str) -> float | int | str:
    """Parse a share of the rows, a number of folds, or auto."""
    if text == "auto":
        return text
    number = _number(text)
    if number is not None and 0 < number < 1:
        return number
    if text.isdecimal() and int(text) >= 2:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither auto nor a share between 0 and 1 nor a number of folds, 2 or more"
    )


def share(text: str) -> float:
    """Parse η, in (0, 1]."""
    number = _number(text)
    if number is None or not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1")
    return number


def count(text: str) -> int:
    """Parse a whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def positive(text: str) -> float:
    """Parse a number above 0."""
    number = _number(text)
    if number is None or not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
