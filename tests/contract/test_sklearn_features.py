"""scikit-learn's own checks, none expected to fail."""

import numpy as np
import pytest
import sklearn
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
    if sklearn.__version__.startswith("1.6.") and check.func.__name__ == "check_positive_only_tag_during_fit":
        pytest.skip(
            "this check of scikit-learn 1.6 subtracts a mean from integers in place, which NumPy refuses"
        )
    check(estimator)
