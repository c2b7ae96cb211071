"""``drr check``: does a dual add anything to a quick forest, on rows that neither saw?"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from sklearn.metrics import average_precision_score

from drr.classifier import DRRClassifier
from drr.cli._bases import make_base
from drr.cli._errors import CommandError
from drr.cli._terminal import Terminal
from drr.cli._training import Training, make_dual, read_training
from drr.cli._words import explain_terms
from drr.fusion.bootstrap import MIN_RARE
from drr.fusion.gain import GainInterval


@dataclass(frozen=True)
class Comparison:
    """How well a forest, a dual and both together rank rows that they did not see."""

    dual_average_precision: float
    gain: GainInterval
    """of both over the forest"""
    share: float
    """of the rare class: the average precision of chance"""

    @property
    def verdict(self) -> str:
        """What the interval of the gain allows to say, and no more."""
        if self.gain.is_gain:
            return (
                "Signal: the dual knows something that the forest does not. Together they rank the rare class better; "
                "drr fit makes this model, also around other classifiers (--base)."
            )
        if self.gain.is_loss:
            return "No signal: with the dual the forest ranks the rare class worse; leave the dual out."
        return (
            "No signal that these rows can show: the interval of the gain holds zero. The dual may still help a weaker "
            "classifier, or with more rare rows; drr fit measures it."
        )


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Fit a forest and duals, and compare them on rows that they did not see."""
    training = read_training(options.table, options, terminal)
    n_rare = int(training.is_rare.sum())
    if n_rare < MIN_RARE:
        raise CommandError(
            f"class {training.schema.positive!r} has {n_rare} rows, and {MIN_RARE} are needed to look for signal; "
            "give more rows, or name another class with --positive"
        )
    with terminal.stage(f"fitting on {len(training.y):,} rows"):
        model = fit_quickly(training, options)
    with terminal.stage("measuring the gain"):
        comparison = compare(model)
    gain, diagnostics = comparison.gain, model.dual_.diagnostics_
    text = f"""\
{len(training.y):,} rows, {n_rare:,} of class {training.schema.positive!r} ({comparison.share:.2%}); \
{len(training.schema.kinds)} columns
{diagnostics}
{explain_terms(diagnostics)}
average precision on rows that the models did not see (chance: {comparison.share:.3f})
  forest            {gain.base_average_precision:.3f}
  dual alone        {comparison.dual_average_precision:.3f}
  forest and dual   {gain.fused_average_precision:.3f}
  gain             {gain.gain:+.3f}  ({gain.interval_text})

{comparison.verdict}"""
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
        "base_average_precision": gain.base_average_precision,
        "dual_average_precision": comparison.dual_average_precision,
        "fused_average_precision": gain.fused_average_precision,
        "gain": gain.gain,
        "gain_interval": [gain.low, gain.high],
        "weight": model.fusion_weight_,
        "verdict": comparison.verdict,
    }
    terminal.result(text, values)


def fit_quickly(training: Training, options: argparse.Namespace) -> DRRClassifier:
    """Fit a forest, whose trees score the rows that they did not see, and duals of folds."""
    model = DRRClassifier(
        make_base("rf", training.schema.kinds, options.seed, None),
        dual=make_dual(options, training.X),
        pos_label=training.schema.positive,
        random_state=options.seed,
    )
    return model.fit(training.X, training.y)


def compare(model: DRRClassifier) -> Comparison:
    """Compare base, dual and fused score on the held-out rows of a fit."""
    held_out = model.rescorings_[0].held_out
    precision = average_precision_score(held_out.positive, held_out.dual)
    assert isinstance(model.gain_, GainInterval)  # two classes
    return Comparison(float(precision), model.gain_, held_out.rare_share)
