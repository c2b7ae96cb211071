"""Entropy balancing against published values, and against the tests of another package."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import types
import unittest
import unittest.mock
import warnings
from pathlib import Path

import numpy as np
import pandas.testing
import pytest

import drr

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "balance.md"


@pytest.fixture(scope="module")
def lalonde():
    """Moments and earnings of the controls and of the treated, by the code of the page."""
    pytest.importorskip("causaldata", reason="needs the data of the causaldata package")
    code = next(
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
        if "def lalonde" in block
    )
    namespace: dict = {}
    exec(code, namespace)
    return namespace["lalonde"]()


@pytest.mark.parametrize(
    ("how", "effect", "ess"),
    [
        ({"tolerance": 1e-5}, 1571.248, 103.351),  # published
        ({"tolerance": 0.0}, 1571.368, 103.348),
        ({"eta": 0}, 1571.368, 103.348),
    ],
)
def test_the_effect_of_the_programme_in_lalondes_data(lalonde, how, effect, ess):
    controls, treated, earnings, earnings_of_treated = lalonde
    assert controls.shape == (15992, 52)
    assert treated.shape == (185, 52)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dual = drr.rake(controls, treated.mean(axis=0), **how).dual
    assert round(earnings_of_treated.mean() - dual.weights @ earnings, 3) == effect
    assert round(dual.ess, 3) == ess
    assert f"{effect} | {ess}" in PAGE.read_text()


def test_the_randomised_trial_of_lalondes_data(lalonde):
    from causaldata import nsw_mixtape

    trial = nsw_mixtape.load_pandas().data.astype({"re78": float})
    means = trial.groupby("treat")["re78"].mean()
    assert lalonde[3].mean() == means[1]
    assert f"| {means[1] - means[0]:.3f} |" in PAGE.read_text()


def test_standardised_columns_and_columns_as_they_are_balance_alike(lalonde):
    controls, treated, *_ = lalonde
    mean, scale = treated.mean(axis=0), controls.std(axis=0)
    plain = drr.rake(controls, mean, tolerance=0.0).dual.weights
    scaled = drr.rake((controls - mean) / scale, np.zeros(52), tolerance=0.0).dual.weights
    np.testing.assert_allclose(plain, scaled, rtol=0, atol=1e-9 * scaled.max())
    for weights in (plain, scaled):
        assert np.abs((weights @ controls - mean) / scale).max() < 1e-9


def test_a_tolerance_for_each_moment():
    rng = np.random.default_rng(0)
    rows, target, tolerances = rng.normal(size=(500, 4)), np.full(4, 0.6), np.array([1e-4, 0.01, 0.1, 0.1])
    dual = drr.rake(rows / tolerances, target / tolerances, tolerance=1.0).dual
    differences = np.abs(dual.weights @ rows - target)
    assert (differences <= tolerances * (1 + 1e-9)).all()
    assert np.linalg.norm(differences / tolerances) == pytest.approx(1.0, rel=1e-8)


def foreign_tests():
    """The test module of empirical_calibration; it imports what current pandas and Python keep elsewhere."""
    package = pytest.importorskip("empirical_calibration", reason="needs the empirical_calibration package")
    pytest.importorskip("absl.testing", reason="the tests of empirical_calibration need absl-py")
    spec = importlib.util.find_spec("empirical_calibration.core_test")
    if spec is None:
        pytest.skip("this release of empirical_calibration comes without its tests")
    elsewhere = {"mock": unittest.mock, "pandas.util.testing": pandas.testing}
    with pytest.MonkeyPatch.context() as patch:
        for name, module in elsewhere.items():
            patch.setitem(sys.modules, name, module)
        patch.setattr("pandas.util.testing", pandas.testing, raising=False)
        tests = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tests)
    return package, tests


def test_the_tests_of_empirical_calibration_pass_with_our_solver(monkeypatch):
    """Those on the entropy without bounds on the weights, which are all that there is here.

    A test that names no distance is one of them; bounds that exclude equal weights are refused, as there.
    """
    package, tests = foreign_tests()
    signature = inspect.signature(package.calibrate)
    of_quadratic, of_entropy = package.Objective.QUADRATIC, package.Objective.ENTROPY
    solved = []

    def calibrate(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.arguments.setdefault("objective", of_entropy)
        given.apply_defaults()
        values = types.SimpleNamespace(**given.arguments)
        if not values.min_weight <= 1 / len(values.covariates) <= values.max_weight:
            raise ValueError("bounds that exclude equal weights")
        if values.objective is of_quadratic:
            raise unittest.SkipTest("the quadratic distance")
        if (values.min_weight, values.max_weight) != (0.0, 1.0):
            raise unittest.SkipTest("bounds on the weights")
        target = np.average(values.target_covariates, axis=0, weights=values.target_weights)
        rows = np.asarray(values.covariates, dtype=float)
        if values.autoscale:
            low, width = rows.min(axis=0), np.ptp(rows, axis=0)
            rows, target = (rows - low) / width, (target - low) / width
        try:
            dual = drr.solve_dual(rows, target, values.l2_norm, base_weights=values.baseline_weights)
        except drr.InfeasibleToleranceError:
            return np.full(len(rows), 1 / len(rows)), False
        solved.append(dual)
        return dual.weights, dual.status.is_success

    monkeypatch.setattr(package.core, "calibrate", calibrate)
    monkeypatch.setattr(package, "calibrate", calibrate)
    search = package.core.maybe_exact_calibrate
    defaults = tuple(of_entropy if each is of_quadratic else each for each in search.__defaults__)
    monkeypatch.setattr(search, "__defaults__", defaults)
    monkeypatch.setattr(sys.modules["__main__"], "ec", package, raising=False)  # where its mocks look for it
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(tests).run(result)
    assert not result.failures + result.errors, "\n".join(text for _, text in result.failures + result.errors)
    reasons = [reason for _, reason in result.skipped]
    assert set(reasons) == {"the quadratic distance", "bounds on the weights"}
    assert result.testsRun - len(reasons) >= 18
    assert len(solved) >= 12
