"""scikit-learn's own checks, none expected to fail."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

import drr


@parametrize_with_checks(
    [
        drr.RakingFeatureMap(),
        drr.RakingFeatureMap(n_random_features=0),
        drr.RakingFeatureMap(missing="impute"),
        drr.RakingFeatureMap(dtype=np.float32),
        drr.RakingFeatureMap(sparse_output=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
