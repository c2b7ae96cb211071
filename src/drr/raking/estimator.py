"""RakingDual: the raking dual as an estimator, whose score is the estimated log density ratio of the rare class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.validation import check_is_fitted

from drr._checks.arrays import check_base_weights, check_features
from drr._checks.labels import read_labels
from drr._checks.rows import reads_in_passes
from drr._checks.seeds import seed_nested
from drr._checks.tables import check_fitted, check_table, take_rows
from drr._native.fit_callbacks import CallbackSupportMixin, fit_task
from drr._native.threads import resolve_n_threads
from drr.features.feature_map import RakingFeatureMap
from drr.features.sparse_rows import scaled_rows
from drr.raking.diagnostics import direction_of
from drr.raking.explanation import ColumnExplanation
from drr.raking.fitting import conclude, embed_all, fit_map, rake_dual, split_classes
from drr.raking.problem import mean_of_rows, open_problem
from drr.raking.repeated_rows import Repetition
from drr.raking.results import Floor
from drr.raking.shared_rows import SharedRows


class RakingDual(ColumnExplanation, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    r"""Reweight the majority towards the rare class, and score rows by the direction in which the weights grow.

    With :math:`\phi` the feature map, :math:`\mu_1` the mean of the embedded rare rows and :math:`d` the base weights
    of the majority, raking finds the weights :math:`w` nearest to :math:`d` whose mean is within a tolerance of
    :math:`\mu_1`. They are an exponential tilt, :math:`w_i \propto d_i \exp(\theta^\top \phi(x_i))`, and
    :math:`\theta^\top \phi(x)` estimates the log density ratio of the two classes up to a constant.

    Parameters
    ----------
    feature_map : transformer, default=None
        Embeds rows; fitted on the rows of both classes. None is ``RakingFeatureMap(random_state=random_state)``, whose
        features have single precision if the majority would have more than 64 MB of them in double: that changes
        the scores in the seventh digit. If there are more than twice as many columns as rows, or more than 5000, as in
        expression matrices, it has no random features: the columns can describe any difference of the classes, and
        random waves of that many columns are noise. A `sklearn.frozen.FrozenEstimator` is used as it is.
    eta : float, default=0.05
        η in [0, 1]: the tolerance is at this share of the way from the feasibility floor to the distance of the means
        before raking, and at least 5 % above the floor.
    min_ess : float, optional
        Choose η instead, from 0.0001 on: the smallest that leaves at least this many effective majority rows (1 or
        more), or this share of them (below 1).
    method : {"auto", "paper"}, default="auto"
        "auto" is fast and certified; "paper" is the published algorithm with its constants.
    pos_label : label, default=None
        The rare class; all other rows are the majority. None is the rarer of two classes.
    limit_direction : bool, default=False
        What a dual of zero scores by: nothing, or the limit of its direction. As the tolerance rises to the distance of
        the means, θ/‖θ‖ tends to the difference of the means μ₁ − μ₀; only the direction matters once scores are
        standardised. `theta_` stays zero. The default dual of `DRRClassifier` has it on, the paper's off.
    random_state : int, RandomState instance or None, default=None
        Seed of the feature map, unless it has its own.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    feature_storage : "auto", None or path of a directory, default="auto"
        Only for rows that are read in passes: whether their features are embedded once into a temporary file there.
        "auto" does so in the system's directory if the disk has the space and reading is measured to be faster than
        embedding; None embeds again in every pass, and so does "auto" with a checkpoint. The features are the same
        numbers either way.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes; see `rake`.

    Attributes
    ----------
    theta_ : array of shape (n_features_out,)
        The dual θ.
    direction_ : array of shape (n_features_out,)
        What rows are scored by: θ, or for a dual of zero with `limit_direction` the difference of the means.
    weights_ : array of shape (n_majority,)
        The raked weights of the majority rows, in their order, summing to one. None if the rows were read in passes.
    majority_ : array of shape (n_majority,)
        Which rows these are. None if the rows were read in passes.
    raking_ : Raking
        Floor, tolerance and dual with their certificates.
    floor_ : Floor
    tolerance_ : float
    eta_ : float
        The η that was used.
    ess_ : float
        Effective number of majority rows under `weights_`.
    moments_ : Moments
        The means of the features before and after; `moment_table` shows them by name.
    diagnostics_ : DualDiagnostics
    feature_map_ : transformer
    classes_ : array
    pos_label_ : label
        The rare class.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import RakingDual
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) < 20
    >>> X = rng.normal(size=(400, 3)) + y[:, None]
    >>> dual = RakingDual(random_state=0).fit(X, y)
    >>> score = dual.score_samples(X)
    >>> bool(score[y].mean() > score[~y].mean()), dual.diagnostics_.is_zero
    (True, False)
    """

    limit_direction = False  # of duals that were saved before there was the choice

    def __init__(
        self,
        feature_map: Any = None,
        *,
        eta: float = 0.05,
        min_ess: float | None = None,
        method: str = "auto",
        pos_label: Any = None,
        limit_direction: bool = False,
        random_state: Any = None,
        n_threads: int | None = None,
        feature_storage: Any = "auto",
        checkpoint: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.eta = eta
        self.min_ess = min_ess
        self.method = method
        self.pos_label = pos_label
        self.limit_direction = limit_direction
        self.random_state = random_state
        self.n_threads = n_threads
        self.feature_storage = feature_storage
        self.checkpoint = checkpoint

    def set_params(self, **params: Any) -> RakingDual:
        """Set parameters, also those of a feature map that was left to its default."""
        if self.feature_map is None and any(name.startswith("feature_map__") for name in params):
            self.feature_map = RakingFeatureMap()
        return super().set_params(**params)  # type: ignore[no-any-return]

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> RakingDual:
        """Embed the rows, rake the majority to the mean of the rare class.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns), source of blocks or Dask collection
            A path, a source of `drr.open_rows` or a Dask collection is read in passes and never held in memory; the
            default feature map then has features of single precision. `weights_` and `majority_` are None.
        y : array of shape (n_rows,)
            Two classes, or more with `pos_label`. For Parquet files and Dask frames also the name of a column.
        sample_weight : array of shape (n_rows,), optional
            The base weights d of the majority, and the weights of the mean of the rare class. A row of weight zero is
            absent. The feature map does not take part.

        Returns
        -------
        RakingDual
            The estimator itself.
        """
        self.__dict__.pop("diagnostics_", None)  # interrupted from here on, the estimator is not fitted
        with fit_task(self, None, X, y):
            if reads_in_passes(X):
                return self._fit_in_passes(X, y, sample_weight)

            # 1. The two classes and their weights.
            X = check_table(self, X, reset=True)
            labels = read_labels(X, y, type(self).__name__)
            positive, row_weights = split_classes(self, labels, sample_weight)
            minority, majority = np.flatnonzero(positive), np.flatnonzero(~positive)

            # 2. The features of the majority, the mean that they are to reach, and its raking.
            self.feature_map_ = fit_map(self, X, y, len(majority))
            target = self._rake_sparse(X, positive, majority, row_weights)
            if target is None:
                is_ours = isinstance(self.feature_map_, RakingFeatureMap)
                with config_context(assume_finite=is_ours):  # its fit has read every number
                    features, _, repetition = embed_all(self, take_rows(X, majority))
                    rare_features = self.embed(take_rows(X, minority))
                target = self._mean(rare_features, _part(row_weights, minority))
                self._rake_rows(features, repetition, target, _part(row_weights, majority))

            # 3. What raking did to the moments.
            conclude(self, target)
            return self

    def _rake_rows(
        self,
        features: Any,
        repetition: Repetition | None,
        target: NDArray[np.float64],
        base_weights: NDArray[np.float64] | None,
    ) -> None:
        """Rake the rows of the majority, equal ones together."""
        if repetition is None:
            problem = open_problem(features, target, base_weights, n_threads=self.n_threads)
            self.raking_, self.eta_ = rake_dual(self, problem, base_weights)
            return
        problem = open_problem(features, target, repetition.total(base_weights), n_threads=self.n_threads)
        raking, self.eta_ = rake_dual(self, problem, None)
        self.raking_ = repetition.expand(raking, check_base_weights(base_weights, len(repetition.which)))

    def _rake_sparse(
        self,
        X: Any,
        positive: NDArray[np.bool_],
        majority: NDArray[np.intp],
        row_weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64] | None:
        """Rake sparse rows that stay sparse, not copied by class, and return the target; None if they cannot."""
        found = scaled_rows(self.feature_map_, X)
        if found is None:
            return None
        features, offset = found
        weights = np.ones(len(positive)) if row_weights is None else row_weights
        rows = SharedRows(features, weights, resolve_n_threads(self.n_threads), offset)
        problem, base_weights = rows.problem(positive)
        raking, self.eta_ = rake_dual(self, problem, base_weights)
        self.raking_ = rows.of_majority(raking, majority)
        return rows.centred(problem.target)

    def _fit_in_passes(self, X: Any, y: Any, sample_weight: Any) -> RakingDual:
        """Fit on rows that are never held together."""
        from drr.streaming.fit import fit_in_passes

        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if self.min_ess is not None:
            raise ValueError(
                "min_ess solves many duals and is for rows in memory; for rows read in passes choose eta"
            )
        feature_map = RakingFeatureMap(random_state=self.random_state, dtype=np.float32)
        if self.feature_map is not None:
            feature_map = seed_nested(self.feature_map, self.random_state)
        fit = fit_in_passes(
            X,
            y,
            sample_weight,
            feature_map=feature_map,
            pos_label=self.pos_label,
            feature_storage=self.feature_storage,
            eta=self.eta,
            method=self.method,
            n_threads=self.n_threads,
            checkpoint=self.checkpoint,
        )
        self.feature_map_, self.n_features_in_ = fit.feature_map, fit.feature_map.n_features_in_
        if hasattr(fit.feature_map, "feature_names_in_"):
            self.feature_names_in_ = fit.feature_map.feature_names_in_
        self.classes_, self.pos_label_, self.majority_ = fit.classes, fit.pos_label, None
        self.raking_, self.eta_ = fit.raking, float(self.eta)
        conclude(self, fit.target)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "diagnostics_" in self.__dict__  # the last of a fit

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return θᵀφ(x) of each row: higher means more like the rare class.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,)
        """
        check_fitted(self)
        if reads_in_passes(X):
            return self.feature_map_.project(X, self.direction_)  # type: ignore[no-any-return]
        X = check_table(self, X, reset=False)
        if hasattr(self.feature_map_, "project"):  # the same without Φ
            return np.asarray(self.feature_map_.project(X, self.direction_))
        return np.asarray(self.embed(X) @ self.direction_)

    def log_density_ratio(self, X: Any) -> NDArray[np.float64]:
        """Return θᵀφ(x) − Λ(θ): the score with the constant that makes the tilted majority a distribution.

        Duals fitted on different rows differ in the offset of their scores; these share it.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,)
        """
        return self.score_samples(X) - self.raking_.dual.log_partition

    def moment_table(self) -> Any:
        """Return every moment of the rare class, and of the majority before and after raking, as a frame.

        Returns
        -------
        pandas.DataFrame
            One row per feature, with the columns rare, majority, raked, gap_before, gap_after and theta.
        """
        check_is_fitted(self)
        return self.moments_.table(self.theta_)

    @property
    def theta_(self) -> NDArray[np.float64]:
        return self.raking_.dual.theta

    @property
    def direction_(self) -> NDArray[np.float64]:
        return direction_of(self.raking_, self.moments_.target, limit_direction=self.diagnostics_.is_limit)

    @property
    def weights_(self) -> NDArray[np.float64] | None:
        return self.raking_.dual.weights

    @property
    def floor_(self) -> Floor:
        return self.raking_.floor

    @property
    def tolerance_(self) -> float:
        return self.raking_.tolerance

    @property
    def ess_(self) -> float:
        return self.raking_.dual.ess

    def require_weights(self, purpose: str) -> NDArray[np.float64]:
        """Return `weights_`, or raise an error that names what needs them and what to do without."""
        weights = self.weights_
        if weights is None:
            raise ValueError(
                f"{purpose} needs the raked weight of every majority row, but this dual read its rows in passes and "
                "keeps none (weights_ is None). Fit the dual on rows in memory, or on a sample of them; or compute the "
                "weights of majority rows as numpy.exp(dual.log_density_ratio(rows)), times their base weights"
            )
        return weights

    def _feature_map(self) -> Any:
        if self.feature_map is None:
            return RakingFeatureMap(random_state=self.random_state)
        return self.feature_map

    def embed(self, X: Any) -> Any:
        """Transform rows by the fitted feature map, always to an array or a CSR matrix.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)

        Returns
        -------
        array or CSR matrix of shape (n_rows, n_features_out)
        """
        with config_context(transform_output="default"):  # a frame would be converted back at once
            return self.feature_map_.transform(X)

    def _mean(self, features: Any, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the weighted mean of rows in the feature map."""
        rows = check_features(features, "the transformed rows")
        return mean_of_rows(rows, weights, resolve_n_threads(self.n_threads))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.input_tags = get_tags(self._feature_map()).input_tags
        return tags


def _part(weights: NDArray[np.float64] | None, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]
