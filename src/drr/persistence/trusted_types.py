"""What a model file may name: a list of types and functions, one by one, of which none does more than hold or compute.

A name in a file is never enough to have something imported, and being of drr or of scikit-learn is not enough either.
Whatever is listed can also be called, by a file that was written to do so, with arguments of its choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sklearn import metrics, model_selection

from drr.calibration import IsotonicCalibration, SigmoidCalibration
from drr.classifier import DRRClassifier
from drr.composition.coded_labels import CodedLabels
from drr.composition.models import Models
from drr.composition.rescoring import HeldOutScores, Rescoring
from drr.composition.second_score import AveragedDual
from drr.composition.table_forest import TableForest
from drr.decision.rules import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK
from drr.features.embedding import Embedding
from drr.features.feature_map import RakingFeatureMap
from drr.features.levels import Levels
from drr.features.preparation import TablePreparation
from drr.features.table_encoder import TableEncoder
from drr.fusion.gain import GainInterval
from drr.fusion.separation import Interval, Separation
from drr.fusion.standardisation import Standardisation
from drr.persistence.table_classifier import TableClassifier
from drr.raking.diagnostics import DualDiagnostics, MomentGap, Moments
from drr.raking.estimator import RakingDual
from drr.raking.results import Dual, Floor, Raking
from drr.resampling import RakingResampler

# The types of drr's own models.
_OWN = (
    *(CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK),
    *(AveragedDual, DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler),
    *(Dual, DualDiagnostics, Floor, MomentGap, Moments, Raking),
    *(CodedLabels, Embedding, Levels, Models, TableClassifier, TableEncoder, TableForest, TablePreparation),
    *(GainInterval, HeldOutScores, Interval, Rescoring, Separation, Standardisation),
    *(IsotonicCalibration, SigmoidCalibration),
)
# What `holdout` can be, or the `cv` of a search as the base.
_SPLITTERS = (
    model_selection.GroupKFold,
    model_selection.GroupShuffleSplit,
    model_selection.KFold,
    model_selection.LeaveOneGroupOut,
    model_selection.LeaveOneOut,
    model_selection.LeavePGroupsOut,
    model_selection.LeavePOut,
    model_selection.PredefinedSplit,
    model_selection.RepeatedKFold,
    model_selection.RepeatedStratifiedKFold,
    model_selection.ShuffleSplit,
    model_selection.StratifiedGroupKFold,
    model_selection.StratifiedKFold,
    model_selection.StratifiedShuffleSplit,
    model_selection.TimeSeriesSplit,
)
# What `threshold` can be, itself or within a scorer, or the `scoring` of a search as the base.
_METRICS = (
    metrics.accuracy_score,
    metrics.average_precision_score,
    metrics.balanced_accuracy_score,
    metrics.brier_score_loss,
    metrics.cohen_kappa_score,
    metrics.f1_score,
    metrics.fbeta_score,
    metrics.jaccard_score,
    metrics.log_loss,
    metrics.matthews_corrcoef,
    metrics.precision_score,
    metrics.recall_score,
    metrics.roc_auc_score,
)
# Parts of scikit-learn's estimators and scorers that skops leaves to the reader to trust.
_PARTS = frozenset(
    {
        "collections.OrderedDict",  # of LightGBM
        "functools.partial",
        "numpy.dtype",
        "sklearn.compose._column_transformer._RemainderColsList",  # of scikit-learn 1.6
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.metrics._scorer._Scorer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils.validation.check_array",
    }
)
TRUSTED_TYPES = _PARTS | {
    f"{each.__module__}.{each.__qualname__}" for each in (*_OWN, *_SPLITTERS, *_METRICS)
}


def untrusted(names: Sequence[str], trusted: Sequence[str] = ()) -> list[str]:
    """Return the names that are not trusted: neither in the list nor in `trusted`, nor is their package."""
    return [
        name
        for name in names
        if name not in TRUSTED_TYPES
        and not any(name == each or name.startswith(f"{each}.") for each in trusted)
    ]
