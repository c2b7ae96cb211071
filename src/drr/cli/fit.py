"""``drr fit``: fit a base classifier and its dual on a table, and save the model."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from drr.classifier import DRRClassifier
from drr.cli._bases import make_base
from drr.cli._errors import CommandError, require
from drr.cli._terminal import Terminal
from drr.cli._training import Training, fingerprint, make_dual, read_training
from drr.cli._words import Flagged, explain_terms
from drr.cli._writers import check_output
from drr.fusion.gain import GainInterval
from drr.persistence.model_files import save
from drr.persistence.table_classifier import TableClassifier

MODEL_SUFFIXES = (".skops",)

_N_DONORS = 20


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Read, fit, save, and say what the held-out rows show."""
    require("skops")
    check_output(options.output, MODEL_SUFFIXES)
    training = read_training(options.table, options, terminal, options.scores)
    _check_enough_rows(training)
    with terminal.stage(f"fitting on {len(training.y):,} rows"):
        model = fit(training, options)
    with terminal.stage("measuring the gain"):
        gain: GainInterval = model.gain_  # type: ignore[assignment]  # of two classes
    about = {
        "schema": training.schema.to_json(),
        "base": "scores" if options.scores else options.base,
        "table": options.table,
        "fingerprint": fingerprint(training.X, training.y),
        "n_rows": len(training.y),
        "n_rare": int(training.is_rare.sum()),
        "donors": top_donors(model, training),
    }
    with terminal.stage("saving"):
        save(TableClassifier.of(model, training.schema.preparation), options.output, about=about)
    diagnostics, rescoring = model.dual_.diagnostics_, model.rescorings_[0]
    n_rare = about["n_rare"]
    flagged = Flagged.at_cut(rescoring.held_out_fused, rescoring.held_out.positive, model.threshold_)
    for note in _doubts(gain, n_rare / len(training.y), training.schema.positive):
        terminal.note(note)
    text = f"""\
{len(training.y):,} rows, {n_rare:,} of class {training.schema.positive!r} ({n_rare / len(training.y):.2%}); \
{len(training.schema.kinds)} columns
average precision on {len(rescoring.held_out.positive):,} held-out rows ({model.holdout_})
  base    {gain.base_average_precision:.3f}
  fused   {gain.fused_average_precision:.3f}
  gain   {gain.gain:+.3f}  ({gain.interval_text})
{diagnostics}
{explain_terms(diagnostics)}
cut               {model.threshold_:.4g} (fused score), weight of the dual {model.fusion_weight_:.3g}
flagged           {flagged.text}
saved             {options.output}"""
    values = {
        "model": options.output,
        "n_rows": len(training.y),
        "n_rare": n_rare,
        "positive": training.schema.positive,
        "base_average_precision": gain.base_average_precision,
        "fused_average_precision": gain.fused_average_precision,
        "gain": gain.gain,
        "gain_interval": [gain.low, gain.high] if gain.has_interval else None,
        "weight": model.fusion_weight_,
        "holdout": model.holdout_,
        "cut": model.threshold_,
        "n_flagged": flagged.n_flagged,
        "precision": flagged.precision,
        "recall": flagged.recall,
        "floor": diagnostics.floor,
        "floor_lower_bound": diagnostics.floor_lower_bound,
        "ess": diagnostics.ess,
        "dual_is_zero": diagnostics.is_zero,
    }
    terminal.result(text, values)


def _doubts(gain: GainInterval, rare_share: float, positive: Any) -> Iterator[str]:
    """Yield what speaks against using the model as it is."""
    if gain.has_interval and gain.is_loss:
        yield (
            f"adding the dual lowers the average precision on held-out rows ({gain.interval_text}); lower its weight "
            "with --weight, or leave it out with --weight 0"
        )
    if rare_share > 0.5:
        yield (
            f"class {positive!r} has {rare_share:.0%} of the rows and is not the rare one; name the other with "
            "--positive"
        )


def fit(training: Training, options: argparse.Namespace) -> DRRClassifier:
    """Fit the classifier."""
    params: dict[str, Any] = {
        "dual": make_dual(options, training.X),
        "fusion_weight": options.weight,
        "holdout": options.holdout,
        "calibration": options.calibration,
        "threshold": options.threshold,
        "pos_label": training.schema.positive,
        "random_state": options.seed,
        "n_jobs": options.jobs,
    }
    if training.base_score is not None:
        return DRRClassifier.from_scores(training.base_score, training.X, training.y, **params)
    base = make_base(options.base, training.schema.kinds, options.seed, options.jobs)
    return DRRClassifier(base, **params).fit(training.X, training.y)


def top_donors(model: DRRClassifier, training: Training) -> list[tuple[int, float]]:
    """Return the majority rows with the largest raked weights: their numbers in the table, from 1, and weights."""
    fitted = model.fitted_rows_
    heaviest = np.argsort(-model.dual_.weights_, kind="stable")[:_N_DONORS]
    rows = fitted[model.dual_.majority_[heaviest]]
    return [
        (int(row) + 1, float(weight))
        for row, weight in zip(rows, model.dual_.weights_[heaviest], strict=True)
    ]


def _check_enough_rows(training: Training) -> None:
    n_rare, n_other = int(training.is_rare.sum()), int((~training.is_rare).sum())
    if min(n_rare, n_other) < 2:
        raise CommandError(
            f"class {training.schema.positive!r} has {n_rare} rows and the rest {n_other}; at least 2 of each are "
            "needed, and some dozens to learn anything: give more rows, or name another class with --positive"
        )
