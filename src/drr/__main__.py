"""``python -m drr``: a small demonstration on generated data."""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

import drr


def main() -> None:
    """Fit a random forest and its rescored version on half of the rows, and compare them on the other half."""
    drr.show_config()
    X, y = make_classification(
        4000, 12, n_informative=6, weights=[0.97], class_sep=0.7, flip_y=0.01, random_state=20240725
    )
    fit, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=20240725)

    started = time.perf_counter()
    forest = RandomForestClassifier(random_state=0)
    classifier = drr.DRRClassifier(forest, random_state=0).fit(X[fit], y[fit])
    elapsed = time.perf_counter() - started

    dual_started = time.perf_counter()
    drr.RakingDual(random_state=0).fit(X[fit], y[fit])
    dual_elapsed = time.perf_counter() - dual_started

    print(f"\n{len(fit)} training rows, {int(y[fit].sum())} of the rare class; a random forest as the base")
    print(f"fitted in {elapsed:.2f} s; a dual alone takes {dual_elapsed:.3f} s\n")
    print(classifier.dual_.diagnostics_)
    print(f"\naverage precision on {len(test)} other rows ({int(y[test].sum())} rare)")
    scores = {
        "base": classifier.base_score(X[test]),
        "dual": classifier.dual_score(X[test]),
        "fused": classifier.fused_score(X[test]),
    }
    for name, score in scores.items():
        print(f"  {name:<6} {average_precision_score(y[test], score):.3f}")
    gain = drr.gain_interval(y[test], scores["base"], scores["fused"], random_state=0)
    print(f"  gain   {gain.gain:+.3f}, {gain.level:.0%} interval {gain.low:+.3f} to {gain.high:+.3f}")


if __name__ == "__main__":
    main()
