"""Null tables: labels that have nothing to do with the rows. How often does a verdict of the package claim a gain?

python -m tools.attack null --draws 200
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import drr

# The intervals have a level of 95 %, so that 2.5 % are nominal on each side; more than this is a failure. The bound
# of the measured rate allows for four standard errors of the draws.
LARGEST_RATE = 0.05
N_RARE = (10, 12, 15, 20, 30, 50)
N_ROWS = 600

Rates = dict[str, float]


def noise_rates(n_rare: int, ties: bool, n_draws: int) -> Rates:
    """Rates of `gain_interval` for a score of noise with more noise added."""
    rng = np.random.default_rng(n_rare)
    y = np.arange(N_ROWS) < n_rare
    verdicts = []
    for _ in range(n_draws):
        base = rng.poisson(1.0, size=N_ROWS) / 1.0 if ties else rng.normal(size=N_ROWS)
        fused = base + rng.normal(size=N_ROWS)
        gain = drr.gain_interval(y, base, fused, n_resamples=999, random_state=0)
        verdicts.append((gain.is_gain, gain.is_loss))
    above, below = np.mean(verdicts, axis=0)
    return {"gain": above, "loss": below}


def classifier_rates(make_base: Callable[[], object], n_rare: int, n_draws: int) -> Rates:
    """Rates of every verdict on a fitted classifier; ``drr check`` prints that on the gain around a forest."""
    rng = np.random.default_rng(n_rare)
    verdicts = []
    for draw in range(n_draws):
        X, y = pd.DataFrame(rng.normal(size=(N_ROWS, 6))), np.arange(N_ROWS) < n_rare
        X.columns = [f"c{k}" for k in range(6)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = drr.DRRClassifier(make_base(), random_state=draw).fit(X, y)
            change = model.separation_.change_interval
        verdicts.append((model.gain_.is_gain, model.gain_.is_loss, change.low > 0))
    names = ("gain", "loss", "separation")
    return dict(zip(names, np.mean(verdicts, axis=0).tolist(), strict=True))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.attack null", description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200, help="tables per setting")
    parser.add_argument("--only", help="the setting of this name")
    options = parser.parse_args(arguments)
    n_draws = options.draws
    allowed = LARGEST_RATE + 4 * np.sqrt(LARGEST_RATE * (1 - LARGEST_RATE) / n_draws)
    settings: dict[str, Callable[[int], Rates]] = {
        "noise": lambda n: noise_rates(n, False, 5 * n_draws),
        "noise with ties": lambda n: noise_rates(n, True, 5 * n_draws),
        "forest": lambda n: classifier_rates(lambda: RandomForestClassifier(50, random_state=0), n, n_draws),
        "logistic regression": lambda n: classifier_rates(LogisticRegression, n, n_draws),
    }
    n_failures = 0
    if options.only is not None:
        settings = {options.only: settings[options.only]}
    for name, measure in settings.items():
        for n_rare in N_RARE:
            rates = measure(n_rare)
            failed = [each for each, rate in rates.items() if rate > allowed]
            n_failures += len(failed)
            shown = "  ".join(f"{each} {rate:.1%}" for each, rate in rates.items())
            print(
                f"{name:<20} {n_rare:>3} rare rows  {shown}{'  FAILED: ' + ', '.join(failed) if failed else ''}"
            )
            sys.stdout.flush()
    return 1 if n_failures else 0
