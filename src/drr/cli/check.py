"""``drr check``: before any classifier is trained, do the rows hold signal that a dual can add?"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from drr import theory
from drr._native.ranking import Ranking
from drr.cli._errors import CommandError
from drr.cli._terminal import Terminal
from drr.cli._training import Training, make_dual, read_training
from drr.cli._words import explain_terms
from drr.fusion.bootstrap import interval_tails, merge_rows, resample_totals
from drr.fusion.standardisation import standardise
from drr.raking.estimator import RakingDual

_N_FOLDS = 5
_N_RESAMPLES = 999
_LEVEL = 0.95
# Duals of five folds share most of their rows: their scores vary together more than resampled rows do. Measured on
# tables without signal: without this factor up to 17 % of them seemed to have some.
_FOLD_WIDENING = 1.5

# Bases for which the effect is predicted: their area under the ROC curve, and their correlation with the dual within
# the classes. Neither is known before a base is trained.
_BASE_AREAS = (0.8, 0.9, 0.95, 0.99)
_CORRELATIONS = (0.3, 0.6, 0.9)


@dataclass(frozen=True)
class Signal:
    """How well the dual alone ranks rows that it did not see."""

    auc: float
    auc_low: float
    auc_high: float
    average_precision: float
    share: float
    """of the rare class: the average precision of chance"""

    @property
    def deflection(self) -> float:
        """The separation, in standard deviations, of two normal classes with this area under the ROC curve.

        The distance of the class means themselves would be larger if the scores have long tails, and predict more
        than the ranking can hold.
        """
        return deflection_of(self.auc)

    @property
    def verdict(self) -> str:
        if self.auc_low <= 0.5:
            return "No signal: on rows it did not see, the dual alone ranks no better than chance."
        if self.deflection < 1.0:
            return "Little signal: the dual alone separates the classes by less than one standard deviation."
        return (
            "Signal: the dual alone separates the classes by more than one standard deviation. Whether it adds to a "
            "classifier depends on what that one knows already: drr fit measures it."
        )


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Fit a dual on all rows for its diagnostics, and one per fold for its signal."""
    training = read_training(options.table, options, terminal)
    n_rare = int(training.is_rare.sum())
    if n_rare < 2 * _N_FOLDS:
        raise CommandError(
            f"class {training.schema.positive!r} has {n_rare} rows, and {2 * _N_FOLDS} are needed to look for signal; "
            "give more rows, or name another class with --positive"
        )
    with terminal.stage("fitting a dual"):
        dual = make_dual(options).set_params(pos_label=training.schema.positive).fit(training.X, training.y)
    signal = find_signal(training, dual, options.seed, terminal)
    effects = expected_effects(signal)
    diagnostics = dual.diagnostics_
    lines = [
        f"{len(training.y):,} rows, {n_rare:,} of class {training.schema.positive!r} ({signal.share:.2%}); "
        f"{len(training.schema.kinds)} columns",
        str(diagnostics),
        explain_terms(diagnostics),
        f"dual alone        ROC AUC {signal.auc:.3f} ({_LEVEL:.0%} interval {signal.auc_low:.3f} to "
        f"{signal.auc_high:.3f}), average precision {signal.average_precision:.3f} (chance: {signal.share:.3f})",
        "",
        "expected effect on the average precision of a base classifier if scores were normal (weight 0.5)",
        "  base ROC AUC    " + "".join(f"correlation {rho:<7}" for rho in _CORRELATIONS),
        *(_effect_line(area, effects) for area in _BASE_AREAS),
        "",
        signal.verdict,
    ]
    values = {
        "n_rows": len(training.y),
        "n_rare": n_rare,
        "positive": training.schema.positive,
        "floor": diagnostics.floor,
        "floor_lower_bound": diagnostics.floor_lower_bound,
        "base_discrepancy": diagnostics.base_discrepancy,
        "tolerance": diagnostics.tolerance,
        "ess": diagnostics.ess,
        "ess_share": diagnostics.ess_share,
        "dual_is_zero": diagnostics.is_zero,
        "absent_levels": list(diagnostics.absent_levels),
        "worst_moments": [gap._asdict() for gap in diagnostics.worst_moments],
        "dual_auc": signal.auc,
        "dual_auc_interval": [signal.auc_low, signal.auc_high],
        "dual_average_precision": signal.average_precision,
        "dual_deflection": signal.deflection,
        "expected_effects": effects,
        "verdict": signal.verdict,
    }
    terminal.result("\n".join(lines), values)


def find_signal(training: Training, dual: RakingDual, seed: int, terminal: Terminal) -> Signal:
    """Score every row by a dual that did not see it."""
    positive = training.is_rare
    score = np.empty(len(positive))
    splitter = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=seed)
    with terminal.bar("folds", _N_FOLDS, "fold") as bar:
        for number, (fit, held_out) in enumerate(splitter.split(positive, positive), start=1):
            each = clone(dual).fit(training.X.iloc[fit], training.y[fit])
            ratio = each.log_density_ratio(training.X.iloc[held_out])
            score[held_out] = standardise(ratio).transform(ratio)
            bar.reach(number)
    low, high = _auc_interval(score, positive, seed)
    ranking, ones = Ranking(score, positive), np.ones((1, len(score)))
    return Signal(
        float(ranking.roc_auc(ones)[0]),
        low,
        high,
        float(ranking.average_precision(ones)[0]),
        float(positive.mean()),
    )


def expected_effects(signal: Signal) -> list[dict[str, float]]:
    """Predict what adding half of the dual changes for bases of several strengths, if all scores are normal."""
    effects = []
    for area in _BASE_AREAS:
        d1 = deflection_of(area)
        for rho in _CORRELATIONS:
            weight = theory.effective_weight(theory.DEPLOYED_WEIGHT, d1, signal.deflection, signal.share)
            fused = theory.fusion_deflection(d1, signal.deflection, rho, weight)
            effects.append(
                {
                    "base_auc": area,
                    "correlation": rho,
                    "base_average_precision": float(theory.binormal_auprc(d1, signal.share)),
                    "fused_average_precision": float(theory.binormal_auprc(fused, signal.share)),
                }
            )
    return effects


def deflection_of(area: float) -> float:
    """Return the inverse of `drr.theory.binormal_auc`."""
    return float(np.sqrt(2.0) * ndtri(np.clip(area, 1e-9, 1 - 1e-9)))


def _auc_interval(score: NDArray[np.float64], positive: NDArray[np.bool_], seed: int) -> tuple[float, float]:
    cells = merge_rows(score, positive)
    ranking = Ranking(cells.score, cells.positive)
    resamples = resample_totals([cells.cell_of_row], positive, _N_RESAMPLES, np.random.default_rng(seed))
    areas = [ranking.roc_auc(counts) for (counts,) in resamples]
    low, high = np.quantile(np.concatenate(areas), interval_tails(_LEVEL, int(positive.sum())))
    area = float(ranking.roc_auc(np.bincount(cells.cell_of_row))[0])
    low, high = area - _FOLD_WIDENING * (area - low), area + _FOLD_WIDENING * (high - area)
    return max(float(low), 0.0), min(float(high), 1.0)


def _effect_line(area: float, effects: list[dict[str, float]]) -> str:
    cells = [
        f"{each['base_average_precision']:.3f} → {each['fused_average_precision']:.3f}"
        for each in effects
        if each["base_auc"] == area
    ]
    return f"  {area:<16.2f}" + "".join(f"{cell:<19}" for cell in cells)
