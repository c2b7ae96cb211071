"""Raking: arrays in, frozen results out.

Φ is the n0×K matrix of majority rows (`features`), d their base weights.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from drr._dispatch import core
from drr._threads import resolve_n_threads
from drr._validation import check_base_weights, check_features, check_vector, log_base_weights
from drr.results import Tilt


def tilt(
    features: object, theta: ArrayLike, *, base_weights: ArrayLike | None = None, n_threads: int | None = None
) -> Tilt:
    """Reweight the rows of `features` by an exponential tilt in the direction `theta`.

    The weights wᵢ = dᵢ exp(φᵢᵀθ − Λ(θ)) with Λ(θ) = log Σᵢ dᵢ exp(φᵢᵀθ) are found in one pass over the rows, with no
    temporary of their size, and without overflow for scores of any magnitude.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns)
        float64 or float32; read in place where its rows are contiguous.
    theta : array of shape (n_columns,)
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.

    Returns
    -------
    Tilt

    Examples
    --------
    >>> import numpy as np, drr
    >>> tilted = drr.tilt(np.array([[0.0], [1.0]]), [np.log(3.0)])
    >>> tilted.weights.round(6).tolist(), tilted.mean.round(6).tolist()
    ([0.25, 0.75], [0.75])
    """
    rows = check_features(features)
    direction = check_vector(theta, rows.shape[1], "theta", "column of features")
    log_d = log_base_weights(check_base_weights(base_weights, rows.shape[0]))
    return Tilt(*core.tilt(rows, direction, log_d, n_threads=resolve_n_threads(n_threads)))
