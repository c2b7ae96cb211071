"""One trial on one data set, with everything that methods share computed once."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.study.base_scores import BaseScores
from benchmarks.study.datasets import Dataset
from benchmarks.study.encoding import Encoder, Layout, Matrix
from benchmarks.study.learners import Learner
from benchmarks.study.metrics import Scores
from benchmarks.study.protocol import split_rows, trial_seed
from benchmarks.tabular import MASTER_SEED
from drr import Dual, RakingDual, RakingFeatureMap, choose_tolerance, solve_dual
from drr.fusion import Standardisation, standardise

DEPLOYED_ETA = 0.05


@dataclass(frozen=True, eq=False)
class Subset:
    """Some rows: as they are, and encoded for the learners."""

    rows: pd.DataFrame
    X: Matrix
    y: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Scores on the threshold and on the test rows."""

    threshold: Scores
    test: Scores
    seconds: float

    @cached_property
    def scale(self) -> Standardisation:
        """The marginal standardisation, from the threshold rows."""
        return standardise(self.threshold)

    def standardised(self) -> tuple[Scores, Scores]:
        """Both standardised by the threshold rows' mean and deviation."""
        return self.scale.transform(self.threshold), self.scale.transform(self.test)


@dataclass(frozen=True, eq=False)
class DualPrediction:
    """The score of a raking dual, with the solve behind it."""

    scores: Prediction
    dual: Dual
    figures: dict[str, Any]


class Problem:
    """The fit, threshold and test rows of one trial; the test rows are scored and nothing else."""

    def __init__(self, dataset: Dataset, trial: int, kept: BaseScores | None = None) -> None:
        self.dataset, self.trial, self._kept = dataset, trial, kept
        self.seed = trial_seed(trial)
        split = split_rows(dataset, trial)
        self._encoder = Encoder(dataset.numeric, dataset.categorical).fit(dataset.X.iloc[split.fit])
        self.fit, self.threshold, self.test = (
            self._subset(part) for part in (split.fit, split.threshold, split.test)
        )
        self._bases: dict[str, Prediction] = {}
        self._maps: dict[tuple[int, int], RakingFeatureMap] = {}
        self._rakings: dict[tuple[int, int, str], tuple[RakingDual, float]] = {}
        self._duals: dict[tuple[int, float, int, str], DualPrediction] = {}
        self.shared: dict[Any, Any] = {}
        """For methods with several arms or learners: what one of them computed for the others"""

    def _subset(self, part: NDArray[np.intp]) -> Subset:
        rows = self.dataset.X.iloc[part]
        return Subset(rows, self._encoder.transform(rows), self.dataset.y[part])

    @property
    def layout(self) -> Layout:
        """The columns of the encoded rows."""
        return self._encoder.layout

    def train(
        self, learner: Learner, X: Matrix, y: NDArray[Any], class_weight: str | None = None
    ) -> Prediction:
        """Fit a learner on these rows, resampled or not, and score the threshold and test rows."""
        return self.predict(learner.make(self.layout, len(y), self.seed, class_weight), X, y)

    def predict(self, model: Any, X: Matrix, y: NDArray[Any]) -> Prediction:
        """Fit any classifier with probabilities and score the threshold and test rows."""
        begin = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - begin
        column = int(np.flatnonzero(model.classes_ == 1)[0])
        return Prediction(
            model.predict_proba(self.threshold.X)[:, column],
            model.predict_proba(self.test.X)[:, column],
            seconds,
        )

    def base(self, learner: Learner) -> Prediction:
        """The learner on the fit rows as they are: probabilities at the original prior."""
        if learner.name not in self._bases:
            self._bases[learner.name] = self._kept_base(learner) or self._new_base(learner)
        return self._bases[learner.name]

    def _kept_base(self, learner: Learner) -> Prediction | None:
        kept = self._kept.read(self.dataset.name, self.trial, learner.name) if self._kept else None
        return Prediction(*kept) if kept else None

    def _new_base(self, learner: Learner) -> Prediction:
        base = self.train(learner, self.fit.X, self.fit.y)
        if self._kept:
            scores = base.threshold, base.test, base.seconds
            self._kept.write(self.dataset.name, self.trial, learner.name, scores)
        return base

    def _new_map(self, n_random: int, draw: int) -> RakingFeatureMap:
        return RakingFeatureMap(
            n_random,
            categorical_features=list(self.dataset.categorical) or None,
            random_state=MASTER_SEED + draw,
            sparse_output=False,
        )

    def feature_map(self, n_random: int, draw: int = 0) -> RakingFeatureMap:
        """The raking features of the fit rows, with D random ones; without numbers there is no such block."""
        key = (n_random, draw) if self.dataset.numeric else (0, 0)
        if key not in self._maps:
            self._maps[key] = self._new_map(*key).fit(self.fit.rows)
        return self._maps[key]

    def raking(self, n_random: int, draw: int = 0, method: str = "paper") -> tuple[RakingDual, float]:
        """The dual at the deployed tolerance, and its seconds: one solve per fit subset."""
        key = (n_random, draw, method) if self.dataset.numeric else (0, 0, method)
        if key not in self._rakings:
            begin = time.perf_counter()
            dual = RakingDual(
                self._new_map(*key[:2]), eta=DEPLOYED_ETA, method=method, pos_label=1, n_threads=1
            )
            dual.fit(self.fit.rows, self.fit.y)
            self._rakings[key] = dual, time.perf_counter() - begin
        return self._rakings[key]

    def dual(
        self, n_random: int, eta: float = DEPLOYED_ETA, draw: int = 0, method: str = "paper"
    ) -> DualPrediction:
        """The dual score at any tolerance; the floor is found once for all of them."""
        key = (n_random, eta, draw, method) if self.dataset.numeric else (0, eta, 0, method)
        if key not in self._duals:
            raking, seconds = self.raking(n_random, draw, method)
            feature_map, floor = raking.feature_map_, raking.floor_
            dual, tolerance = raking.raking_.dual, raking.tolerance_
            if eta != DEPLOYED_ETA:
                features = feature_map.transform(self.fit.rows)
                majority, minority = features[self.fit.y == 0], features[self.fit.y == 1]
                tolerance = choose_tolerance(floor, floor.base_discrepancy, eta=eta)
                begin = time.perf_counter()
                dual = solve_dual(
                    majority, minority.mean(axis=0), tolerance, floor=floor, method=method, n_threads=1
                )
                seconds = time.perf_counter() - begin
            figures = {
                "floor": floor.value,
                "gamma": floor.base_discrepancy,
                "tolerance": tolerance,
                "ess": dual.ess,
                "ess_share": dual.ess / len(dual.weights),
                "n_majority": len(dual.weights),
                "floor_iterations": floor.n_iter,
                "dual_iterations": dual.n_iter,
                "floor_status": floor.status.name,
                "dual_status": dual.status.name,
                "dual_seconds": seconds,
                "is_zero": not dual.theta.any(),
            }
            scores = Prediction(
                feature_map.project(self.threshold.rows, dual.theta) - dual.log_partition,
                feature_map.project(self.test.rows, dual.theta) - dual.log_partition,
                seconds,
            )
            self._duals[key] = DualPrediction(scores, dual, figures)
        return self._duals[key]

    def features(self, feature_map: RakingFeatureMap) -> tuple[Matrix, Matrix, Matrix]:
        """The embedded fit, threshold and test rows."""
        fit, threshold, test = (
            feature_map.transform(part.rows) for part in (self.fit, self.threshold, self.test)
        )
        return fit, threshold, test


def digest(arrays: tuple[Matrix, ...]) -> str:
    """A hash of arrays, to show that two methods saw the same ones."""
    state = hashlib.sha256()
    for array in arrays:
        state.update(np.ascontiguousarray(array))
    return state.hexdigest()[:16]
