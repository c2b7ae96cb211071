"""Gains of rules and of second scores over the base on all rows, from stored scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from benchmarks.laboratory.scores import BASES, N_FOLDS
from drr.fusion.weight import WEIGHT_GRID, _resampled_precisions, choose_fusion_weight

Array = NDArray[np.float64]
Rule = Callable[[Array, Array, NDArray[np.bool_]], float]

HARM = 0.01
ANGLES = np.arctan(WEIGHT_GRID)
DEFAULT = ("raw 128 draw 0 eta 0.05",)
SECONDS: dict[str, tuple[str, ...]] = {
    "one dual, the default": DEFAULT,
    "no random features": ("raw 0 draw 0 eta 0.05",),
    "256 random features": ("raw 256 draw 0 eta 0.05",),
    "512 random features": ("raw 512 draw 0 eta 0.05",),
    "η = 0.2": ("raw 128 draw 0 eta 0.2",),
    "256 random features, η = 0.2": ("raw 256 draw 0 eta 0.2",),
    "mean of two draws": tuple(f"raw 128 draw {draw} eta 0.05" for draw in (0, 1)),
    "mean of three draws": tuple(f"raw 128 draw {draw} eta 0.05" for draw in (0, 1, 2)),
    "columns as normal ranks": ("ranks 128 draw 0 eta 0.05",),
    "mean of raw and ranked columns": (*DEFAULT, "ranks 128 draw 0 eta 0.05"),
    "logistic regression on the same map": ("raw regression",),
    "mean of dual and regression": (*DEFAULT, "raw regression"),
    "mean of raw, ranked and regression": (*DEFAULT, "ranks 128 draw 0 eta 0.05", "raw regression"),
}


def bounds_of_angle(base: Array, dual: Array, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the mean of the best angles arctan w of resamples, and the smallest within one standard error."""
    precisions = _resampled_precisions(base, dual, positive, None)
    best = float(ANGLES[np.argmax(precisions >= precisions.max(axis=0) - 1e-12, axis=0)].mean())
    shortfall = precisions[np.argmax(precisions.mean(axis=1))] - precisions
    is_close = shortfall.mean(axis=1) <= shortfall.std(axis=1) + 1e-12
    return best, float(ANGLES[np.argmax(is_close)])


def between(share: float) -> Rule:
    """Go from the smallest weight within one standard error some of the way to the mean of the best."""

    def rule(base: Array, dual: Array, positive: NDArray[np.bool_]) -> float:
        best, cautious = bounds_of_angle(base, dual, positive)
        return float(np.tan(share * best + (1 - share) * cautious))

    return rule


def shrunk(strength: float) -> Rule:
    """Multiply the angle of "auto" by z²/(z² + strength), with z the gain over its standard error."""

    def rule(base: Array, dual: Array, positive: NDArray[np.bool_]) -> float:
        angle = np.arctan(choose_fusion_weight(base, dual, positive))
        precisions = _resampled_precisions(base, dual, positive, None)
        gain = (precisions - precisions[0])[np.argmin(np.abs(ANGLES - angle))]
        evidence = (max(gain.mean(), 0) / (gain.std() + 1e-12)) ** 2
        return float(np.tan(angle * evidence / (evidence + strength)))

    return rule


def fisher(base: Array, dual: Array, positive: NDArray[np.bool_]) -> float:
    """Return the ratio of the coefficients of a linear discriminant with the majority's covariance."""
    scores = np.stack([base, dual], axis=1)
    covariance = np.cov(scores[~positive].T) + 0.1 * np.eye(2)
    difference = scores[positive].mean(axis=0) - scores[~positive].mean(axis=0)
    first, second = np.maximum(np.linalg.solve(covariance, difference), 1e-9)
    return float(second / first)


RULES: dict[str, Rule] = {
    "½": lambda *_: 0.5,
    "1": lambda *_: 1.0,
    "mean of the best weights": between(1.0),
    "three quarters of the way to it": between(0.75),
    'halfway: `"auto"`': choose_fusion_weight,
    "a quarter of the way": between(0.25),
    "the smallest within one standard error": between(0.0),
    '`"auto"`, shrunk by the evidence, ¼': shrunk(0.25),
    '`"auto"`, shrunk by the evidence, 1': shrunk(1.0),
    "linear discriminant of the two scores": fisher,
}


def print_tables(folder: Path, names: Sequence[str], halves: Sequence[int]) -> None:
    """Print what every rule does with one dual, and what the default rule does with every second score."""
    print(f"| rule of the weight | {' | '.join(BASES)} |\n|---|{'---|' * len(BASES)}")
    for label, rule in RULES.items():
        print(_row(label, folder, names, halves, DEFAULT, rule), flush=True)
    print(f"\n| second score | {' | '.join(BASES)} |\n|---|{'---|' * len(BASES)}")
    for label, keys in SECONDS.items():
        print(_row(label, folder, names, halves, keys, choose_fusion_weight), flush=True)


def _row(
    label: str, folder: Path, names: Sequence[str], halves: Sequence[int], keys: tuple[str, ...], rule: Rule
) -> str:
    """Mean gain over the tables, and in brackets how many of them lose more than `HARM`."""
    entries = [label]
    for learner in BASES:
        gains = [
            np.mean(each)
            for name in names
            if (each := list(_gains(folder, name, learner, halves, keys, rule)))
        ]
        entries.append(f"{np.mean(gains):+.4f} ({np.sum(np.array(gains) < -HARM)})" if gains else "–")
    return f"| {' | '.join(entries)} |"


def _gains(
    folder: Path, name: str, learner: str, halves: Sequence[int], keys: tuple[str, ...], rule: Rule
) -> Iterator[float]:
    for half in halves:
        base_path, second_path = (
            folder / "bases" / f"{name}-{half}-{learner}.npz",
            folder / "seconds" / f"{name}-{half}.npz",
        )
        if base_path.exists() and second_path.exists():
            base, seconds = _read(base_path), _read(second_path)
            fused = _fuse(base, seconds, keys, rule)
            positive = base["y_test"] == 1
            yield average_precision_score(positive, fused) - average_precision_score(positive, base["test"])


def _fuse(base: dict[str, Array], seconds: dict[str, Array], keys: tuple[str, ...], rule: Rule) -> Array:
    """Return the fused score of the test half, its weight chosen on held-out scores."""
    fold = seconds["fold"]
    parts = [_standardise(seconds[f"held:{key}"], seconds[f"test:{key}"], fold) for key in keys]
    held, test = (np.mean([part[k] for part in parts], axis=0) for k in (0, 1))
    held, test = _standardise(held, test, fold)
    base_held, base_test = _standardise(base["held"], base["test"], base["fold"])
    is_known = np.isfinite(base["held"])  # rows that are in every bag have no held-out score
    weight = rule(base_held[is_known], held[is_known], (base["y"] == 1)[is_known])
    return base_test + weight * test


def _standardise(held: Array, test: Array, fold: Array) -> tuple[Array, Array]:
    """Standardise held-out scores fold by fold, and test scores by the pooled scale."""
    result, variances = np.zeros(len(held)), []
    for number in range(N_FOLDS):
        rows = (fold == number) & np.isfinite(held)
        scale = held[rows].std() if rows.any() else 0.0
        if scale > 1e-12:
            result[rows] = (held[rows] - held[rows].mean()) / scale
            variances.append(scale**2)
    return result, test / np.sqrt(np.mean(variances)) if variances else np.zeros(len(test))


@cache
def _read(path: Path) -> dict[str, Array]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}
