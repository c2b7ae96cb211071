"""The raking problem as an exponential-cone programme for Clarabel: an independent solver of the same optimum."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from tools.attack.certificates import Reference


def smallest_divergence(reference: Reference, delta: float) -> float:
    """min KL(w‖d) subject to ‖Aᵀw‖ ≤ δ and Σw = 1, in nats; NaN where Clarabel does not solve it.

    wᵢ log(wᵢ/dᵢ) ≤ uᵢ is (−uᵢ, wᵢ, dᵢ) in the exponential cone {(x, y, z): y·exp(x/y) ≤ z}.
    """
    import clarabel

    present = np.flatnonzero(reference.present)
    unit = np.longdouble(reference.largest or 1.0)
    shifted = np.asarray(reference.shifted[present] / unit, dtype=np.float64)
    base = np.asarray(reference.base_weights[present], dtype=np.float64)
    n, n_columns = shifted.shape
    # Variables (w, u). Clarabel takes Gx + s = h with s in the cones, in this order: Σw = 1, the ball, the n cones.
    ball = scipy.sparse.csc_array(np.hstack([shifted.T, np.zeros((n_columns, n))]))
    radius = scipy.sparse.csc_array((1, 2 * n))
    simplex = scipy.sparse.csc_array(np.r_[np.ones(n), np.zeros(n)][None, :])
    cone_rows = np.r_[3 * np.arange(n), 3 * np.arange(n) + 1]
    cone_columns = np.r_[n + np.arange(n), np.arange(n)]
    cones = scipy.sparse.csc_array(
        (np.r_[np.ones(n), -np.ones(n)], (cone_rows, cone_columns)), shape=(3 * n, 2 * n)
    )
    offsets = np.zeros(3 * n)
    offsets[2::3] = base
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solution = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix((2 * n, 2 * n)),
        np.r_[np.zeros(n), np.ones(n)],
        scipy.sparse.csc_matrix(scipy.sparse.vstack([simplex, radius, -ball, cones])),
        np.r_[1.0, delta / float(unit), np.zeros(n_columns), offsets],
        [
            clarabel.ZeroConeT(1),
            clarabel.SecondOrderConeT(n_columns + 1),
            *[clarabel.ExponentialConeT()] * n,
        ],
        settings,
    ).solve()
    return float(solution.obj_val) if str(solution.status) == "Solved" else float("nan")
