"""``drr demo``, also ``python -m drr``: a small demonstration on generated data."""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

import drr
from drr.cli._terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    """Fit on half of the rows, and compare on the other half."""
    X, y = make_classification(
        4000, 12, n_informative=6, weights=[0.97], class_sep=0.7, flip_y=0.01, random_state=20240725
    )
    fit, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=20240725)

    started = time.perf_counter()
    forest = RandomForestClassifier(random_state=0)
    with terminal.stage("fitting a forest and its dual"):
        classifier = drr.DRRClassifier(forest, random_state=0).fit(X[fit], y[fit])
    elapsed = time.perf_counter() - started

    dual_started = time.perf_counter()
    drr.RakingDual(random_state=0).fit(X[fit], y[fit])
    dual_elapsed = time.perf_counter() - dual_started

    scores = {
        "base": classifier.base_score(X[test]),
        "dual": classifier.dual_score(X[test]),
        "fused": classifier.fused_score(X[test]),
    }
    precisions = {name: float(average_precision_score(y[test], score)) for name, score in scores.items()}
    gain = drr.gain_interval(y[test], scores["base"], scores["fused"], random_state=0)
    if not options.json:
        drr.show_config()
    lines = [
        "",
        f"{len(fit)} training rows, {int(y[fit].sum())} of the rare class; a random forest as the base",
        f"fitted in {elapsed:.2f} s; a dual alone takes {dual_elapsed:.3f} s",
        "",
        str(classifier.dual_.diagnostics_),
        "",
        f"average precision on {len(test)} other rows ({int(y[test].sum())} rare)",
        *(f"  {name:<6} {precision:.3f}" for name, precision in precisions.items()),
        f"  gain   {gain.gain:+.3f}, {gain.interval_text}",
    ]
    terminal.result(
        "\n".join(lines),
        {"average_precision": precisions, "gain": gain.gain, "gain_interval": [gain.low, gain.high]},
    )
