"""What capping the draw of R&R at a multiple of the effective sample size does, at D = 0 under two learners.

The anchor draws ⌊n₀/4⌋ rows, not the comparator's ⌊n/4⌋, as in the paper. Every arm is drawn several times.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.methods.raking_resampler import resample
from benchmarks.study.metrics import Outcome, rank
from benchmarks.study.problem import Problem

CAPS = {"cap none": None, "cap 0.5": 0.5, "cap 1": 1.0, "cap 2": 2.0}
N_REDRAWS = 3


@register
class CapDiagnostic(Method):
    name = "R&R-caps"
    learners = ("SVM", "RF")
    settings = {"caps": tuple(CAPS), "redraws": N_REDRAWS, "mode": "replace"}  # noqa: RUF012

    def arms(self) -> tuple[str, ...]:
        return tuple(f"R&R(D=0,{name})" for name in CAPS)

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        dual, _ = problem.raking(0)
        anchor = int(np.sum(problem.fit.y == 0)) // 4
        for name, cap in CAPS.items():
            m = anchor if cap is None else max(2, min(anchor, int(cap * dual.ess_)))
            scores, precisions, donors = [], [], []
            for redraw in range(N_REDRAWS):
                seed = problem.seed + 1000 * redraw
                # m relabelled rows and as many bootstrapped ones, against 2m of the majority
                drawn = resample(problem, 0, n_draws=2 * m, random_state=seed)
                scores.append(problem.train(learner, problem.fit.X[drawn.rows], drawn.y))
                precisions.append(rank(scores[-1].test, problem.test.y)[0])
                donors.append(drawn.n_distinct_donors)
            extra = {
                "n_draws": m,
                "is_binding": m < anchor,
                "ap_mean": float(np.mean(precisions)),
                "ap_variance": float(np.var(precisions, ddof=1)),
                "n_distinct_donors": float(np.mean(donors)),
            }
            first = scores[0]
            yield Outcome(f"R&R(D=0,{name})", first.threshold, first.test, is_full=False, extra=extra)
