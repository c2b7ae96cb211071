"""DRRClassifier: the stages composed, and the scikit-learn contract. It does no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping

from drr._checks.labels import Labels, read_labels
from drr._checks.messages import listed
from drr._checks.scores import check_sample_weight, check_score_columns
from drr._checks.seeds import draw_seed, seed_nested
from drr._checks.tables import check_table
from drr._native.fit_callbacks import CallbackSupportMixin, fit_task
from drr.composition.base_score import check_has_score, is_fitted
from drr.composition.fitted_scores import FittedScores
from drr.composition.fitting import can_score_out_of_bag, fit_composition
from drr.composition.holdout import check_weights_held_out, hold_out_all, is_splitter, plan_holdout
from drr.composition.lazy_scores import gather_if_lazy
from drr.composition.models import Recipe, check_finite_rows, check_same_class
from drr.composition.multiclass import class_rules
from drr.composition.rescoring import check_settings
from drr.composition.routing import accept_sample_weight, route_fit_params
from drr.composition.second_score import prepare_dual
from drr.composition.table_forest import TableForest
from drr.decision.cuts import Rule
from drr.features.feature_map import RakingFeatureMap
from drr.features.table_encoder import categorical_names
from drr.raking.estimator import RakingDual
from drr.theory import DEPLOYED_WEIGHT

# Random features of the paper's dual.
N_RANDOM_FEATURES = 128


class DRRClassifier(FittedScores, ClassifierMixin, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    r"""Density-ratio rescoring: a classifier trained as it is, with a raking dual added to its score.

    The base classifier and the dual are fitted at the original prior, with nothing resampled or reweighted. The fused
    score is :math:`s(x) = z(f(x)) + w\,z(g(x))`, where f is the score of the base for the rare class, g that of the
    dual, and z standardises by the mean and the standard deviation on held-out rows. A calibration and a cut are
    learned there as well.

    With three classes or more, each class is set against the rest: one dual, one calibration and one cut per class, all
    on one feature map and one base.

    Parameters
    ----------
    estimator : classifier, default=None
        The base; None is a `RandomForestClassifier`, which encodes the categories of a data frame. Its score is the
        probability of the rare class, or the decision function if it has no probabilities. A fitted one,
        frozen or not, is used as it is. Cloning, as in a grid search, loses the fit unless
        it is in a `sklearn.frozen.FrozenEstimator`.
    dual : RakingDual, other estimator or list of estimators, default=None
        None is ``RakingDual(limit_direction=True, random_state=random_state)``. A fitted one is used as it is, and can
        be shared. In its place any estimator with ``fit`` and ``log_density_ratio`` or ``decision_function`` can give
        the second score, and a list of them the mean of theirs: see `AveragedDual`, which `dual_` then is.
        ``set_params(dual__eta=0.1)`` and ``dual__feature_map__missing`` or ``dual__feature_map__n_random_features``
        work, and can be searched over, with None as well.
    fusion_weight : float or {"auto", "closed_form", "average_precision"}, default="auto"
        w, or how to choose it on held-out scores; see `choose_fusion_weight`.
    holdout : "auto", float, int, splitter or (fit_indices, held_out_indices), default="auto"
        "auto" fits the final base and dual on all rows and learns everything after their scores from rows that the
        models did not see. A forest or another bootstrap ensemble of at least 50 members, also as the last step of a
        pipeline, is fitted once and scores the rows out of the bag, with duals of five folds; any other base is
        cross-fitted in five folds, which takes six fits. Of rows that are read in passes, 0.3 are held out once, and
        the models are then fitted on all. A number of folds or a cross-validation splitter cross-fits with those.
        The map of a `RakingDual` is fitted on all rows once and serves all folds: it learns nothing from labels.
        With two classes and more than 131 072 majority rows of equal weight, the duals of folds are solved on 65 536 of
        these: the heaviest under the dual of all rows, and as many that stand for the others. All rows are scored.
        A fraction holds out so many rows, stratified, or a pair the rows that it names; the models then never see them.
        If both models are fitted already, all rows count as held out, or those that a pair names.
    calibration : {"sigmoid", "isotonic", "platt"} or None, default="sigmoid"
        The map from the fused score to probabilities: a sigmoid that never falls, a step function, or Platt's sigmoid
        by maximum likelihood, whose slope may be negative. None: no `predict_proba`.
    threshold : float, str, rule, callable, dict or None, default="balanced_accuracy"
        The cut of the fused score, or how to choose it: "balanced_accuracy", "f1", "mcc", "g_mean", the name of a
        scorer of labels, a metric or scorer that knows the rare class as 1 and the other as 0, or a rule such as
        `RecallAtLeast`, `PrecisionAtLeast`, `FalsePositiveRateAtMost`, `TopK` and `CostMatrix`. None cuts at a
        probability of one half. With three classes or more the most probable is predicted, or with a dict of labels to
        any of the above, the one farthest above its cut; without a calibration each class is cut by the rule.
    pos_label : label, default=None
        The rare class; None is the rarer one.
    random_state : int, RandomState instance or None, default=None
        Seed of the split, and of the base, the dual and its feature map unless they have seeds of their own.
    n_jobs : int, optional
        Folds fitted at a time, and jobs of the default base.

    Attributes
    ----------
    classes_ : array
    pos_label_ : label
        The rare class; None with three classes or more.
    estimator_ : classifier
        The fitted base.
    dual_ : RakingDual
    fusion_weight_ : float
    holdout_ : str
        Which rows were held out, in words: "out of bag", "5 folds", "0.3 of the rows" and so on.
    calibrator_ : SigmoidCalibration, IsotonicCalibration or None
    threshold_ : float
        The cut of the fused score.
    separation_ : Separation
        Whether the dual helps, by two moments of the held-out scores, with bootstrap intervals. Computed on first use,
        which warns if `gain_` says that the dual does harm.
    gain_ : GainInterval
        The gain in average precision on the held-out rows, with its bootstrap interval. A weight that was chosen on
        these rows is chosen again in five folds: no row judges a weight that it helped to choose.
    fitted_rows_ : array of int
        The rows of X on which `estimator_` and `dual_` were fitted.
    rescorings_ : list of Rescoring
        Everything after the scores, of the rare class or of each class.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names.

    Notes
    -----
    With three classes or more, `dual_`, `fusion_weight_`, `calibrator_`, `threshold_`, `separation_` and `gain_` are
    lists with one entry per class.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import DRRClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) < 40
    >>> X = rng.normal(size=(600, 4)) + y[:, None]
    >>> classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> classifier.predict_proba(X).shape, classifier.holdout_
    ((600, 2), '5 folds')
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        dual: Any = None,
        fusion_weight: float | str = "auto",
        holdout: Any = "auto",
        calibration: str | None = "sigmoid",
        threshold: Rule | Mapping[Any, Rule] | None = "balanced_accuracy",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.dual = dual
        self.fusion_weight = fusion_weight
        self.holdout = holdout
        self.calibration = calibration
        self.threshold = threshold
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs

    # The weights go on to the base and the dual, whose own requests count: there is nothing to request here.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012  # read by scikit-learn, never changed

    def set_params(self, **params: Any) -> DRRClassifier:
        """Set parameters, also those of a dual and of a feature map that were left to their defaults."""
        if self.dual is None and "dual" not in params and any(name.startswith("dual__") for name in params):
            self.dual = RakingDual(limit_direction=True)
        return super().set_params(**params)  # type: ignore[no-any-return]

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> DRRClassifier:
        """Fit base and dual, score held-out rows, and learn from these how to fuse, calibrate and cut.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns), source of blocks or Dask collection
            Rows that are read in passes need a base that is fitted already.
        y : array of shape (n_rows,)
            Two classes or more. For Dask frames also a series, or the name of a column.
        sample_weight : array of shape (n_rows,), optional
            Without metadata routing the weights go to the base, the dual and every later stage; with it to whichever
            of base and dual requests them, and the later stages use the weights that the dual gets.
        **fit_params : dict
            Without metadata routing: ``groups`` goes to the splitter, all else to the base. With it: to whatever
            requests them.

        Returns
        -------
        DRRClassifier
            The estimator itself.
        """
        seed = draw_seed(self.random_state)
        base, dual = self._base(seed), self._dual(seed)
        check_has_score(base)
        X, y, sample_weight = gather_if_lazy(X, y, sample_weight)
        X = check_table(self, X, reset=True)
        if self.estimator is None and categorical_names(X):
            base = accept_sample_weight(TableForest(random_state=seed, n_jobs=self.n_jobs))
        labels = read_labels(X, y, type(self).__name__)
        routed = route_fit_params(self, base, {"sample_weight": sample_weight, **fit_params})
        recipe = Recipe(base, dual, X, labels, self._rare(labels), routed.base, routed.dual)
        return self._fit(recipe, seed, routed.splitter)

    @classmethod
    def paper(
        cls, estimator: Any = None, *, n_random_features: int = N_RANDOM_FEATURES, **params: Any
    ) -> DRRClassifier:
        """Make a classifier with the published setting: Algorithm 2 of the paper.

        Base and dual are fitted on 70 % of the rows; the scores of the other 30 %, stratified, standardise, calibrate
        by an unconstrained Platt map and tune the cut. The weight is one half, the dual solved by the published
        algorithm with its constants.

        Parameters
        ----------
        estimator : classifier, default=None
        n_random_features : int, default=128
            D, the random features of the dual; the paper uses 0 and 128.
        **params : dict
            Other parameters of the classifier; those named above can be given as well.

        Returns
        -------
        DRRClassifier
            Not fitted.

        Examples
        --------
        >>> from drr import DRRClassifier
        >>> classifier = DRRClassifier.paper(random_state=0)
        >>> classifier.holdout, classifier.fusion_weight, classifier.dual.method
        (0.3, 0.5, 'paper')
        """
        settings: dict[str, Any] = {
            "dual": RakingDual(RakingFeatureMap(n_random_features), method="paper"),
            "fusion_weight": DEPLOYED_WEIGHT,
            "holdout": 0.3,
            "calibration": "platt",
        }
        return cls(estimator, **(settings | params))

    @classmethod
    def from_scores(
        cls,
        base_score: ArrayLike,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> DRRClassifier:
        """Rescore a column of base scores, without the model that gave them.

        Parameters
        ----------
        base_score : array of shape (n_rows,), or (n_rows, n_classes) with three classes or more
            Scores of the rare class (or of each class, in sorted order) for rows on which their model was not fitted.
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
            What the dual sees of the rows.
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
        **params : dict
            Parameters of the classifier other than `estimator`.

        Returns
        -------
        DRRClassifier
            Fitted. Its methods need the base scores of new rows in ``base_score``.

        Examples
        --------
        >>> import numpy as np
        >>> from drr import DRRClassifier
        >>> rng = np.random.default_rng(0)
        >>> y = np.arange(600) < 40
        >>> X = rng.normal(size=(600, 4)) + y[:, None]
        >>> rescored = DRRClassifier.from_scores(X[:, 0], X, y, random_state=0)
        >>> rescored.fused_score(X[:3], base_score=X[:3, 0]).shape
        (3,)
        """
        if params.get("estimator") is not None:
            raise TypeError("from_scores takes no estimator: the scores replace it")
        classifier = cls(**params)
        X, y, sample_weight = gather_if_lazy(X, y, sample_weight)
        X = check_table(classifier, X, reset=True)
        labels = read_labels(X, y, cls.__name__)
        rare = classifier._rare(labels)
        scores = check_score_columns(base_score, len(labels.codes), len(rare))
        seed = draw_seed(classifier.random_state)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        recipe = Recipe(None, classifier._dual(seed), X, labels, rare, {}, weights, scores)
        return classifier._fit(recipe, seed, {})

    def _fit(self, recipe: Recipe, seed: int, split_params: dict[str, Any]) -> DRRClassifier:
        """Run algorithm 1: split, fit, score what was held out, learn from the scores."""
        self._forget()
        labels = recipe.labels
        weights = recipe.weights
        for index in recipe.rare:
            check_sample_weight(weights, labels.codes == index)
        rules = class_rules(
            self.threshold, recipe.rare_labels.tolist(), calibrated=self.calibration is not None
        )
        for rule in rules:
            check_settings(self.fusion_weight, self.calibration, rule, weighted=weights is not None)
        check_same_class(recipe)

        if recipe.is_fitted:
            plan = hold_out_all(self.holdout, len(labels.codes))
        else:
            check_finite_rows(recipe)
            plan = plan_holdout(
                self.holdout, recipe.X, labels, seed, split_params, out_of_bag=can_score_out_of_bag(recipe)
            )
        check_weights_held_out(plan, weights)
        with fit_task(self, plan.n_steps, recipe.X, labels.classes[labels.codes]):
            fitted = fit_composition(
                recipe,
                plan,
                fusion_weight=self.fusion_weight,
                calibration=self.calibration,
                rules=rules,
                n_jobs=self.n_jobs,
            )
            self._models, self.rescorings_, self.classes_ = fitted.models, fitted.rescorings, labels.classes
            self._seed, self.holdout_ = seed, plan.description
            self.fitted_rows_ = plan.fitted_rows(len(labels.codes))
            self._is_cross_fitted = plan.is_cross_fitted
            self.pos_label_ = recipe.rare_labels[0] if len(recipe.rare) == 1 else None
        return self

    def _forget(self) -> None:
        """Drop an earlier fit and what was computed on its first use: an interrupted one leaves no mixture."""
        for name in ("gain_", "separation_", "pos_label_"):
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        return "pos_label_" in self.__dict__  # the last of a fit

    def _base(self, seed: int) -> Any:
        if self.estimator is not None:
            unseeded = hasattr(self.estimator, "get_params") and not is_fitted(self.estimator)
            return seed_nested(self.estimator, seed) if unseeded else self.estimator
        return accept_sample_weight(RandomForestClassifier(random_state=seed, n_jobs=self.n_jobs))

    def _dual(self, seed: int) -> Any:
        if self.dual is None:
            return accept_sample_weight(RakingDual(limit_direction=True, random_state=seed))
        return prepare_dual(self.dual, seed)

    def _rare(self, labels: Labels) -> tuple[int, ...]:
        if len(labels.classes) == 2:
            return (labels.rare_index(self.pos_label),)
        if self.pos_label is not None:
            raise ValueError(
                f"pos_label={self.pos_label!r} is for two classes, but y has {len(labels.classes)}: "
                f"{listed(labels.classes)}; "
                "each of them is scored against the rest"
            )
        return tuple(range(len(labels.classes)))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata given to `fit` are passed on: to the base, the dual and the splitter."""
        on_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__)
        router.add(estimator=self._base(0), method_mapping=on_fit)
        router.add(dual=self._dual(0), method_mapping=on_fit)
        if is_splitter(self.holdout):
            router.add(
                splitter=self.holdout, method_mapping=MethodMapping().add(caller="fit", callee="split")
            )
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(RandomForestClassifier() if self.estimator is None else self.estimator).input_tags
        is_ready = isinstance(self.dual, RakingDual)  # no seed changes the tags
        dual = get_tags(self.dual if is_ready else self._dual(0)).input_tags
        tags.input_tags.sparse = base.sparse and dual.sparse
        tags.input_tags.allow_nan = base.allow_nan and dual.allow_nan
        tags.input_tags.categorical = base.categorical and dual.categorical
        tags.input_tags.string = base.string and dual.string
        return tags
