"""Raking in passes: the same answers as in memory, few passes, and merges in any grouping."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import drr
from drr import RakingFeatureMap
from drr.streaming import dual as pass_dual
from drr.streaming import floor as pass_floor
from drr.streaming.block import Block
from drr.streaming.passes import Price, Survey, TiltAnswer, TiltSums, merge_passes
from drr.streaming.queries.norms import MeasureNorms

ETA = 0.05


def problem(n_rows=12_000, n_columns=12, shift=0.6, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, n_columns))
    rows[:, ::2] = np.exp(0.5 * rows[:, ::2])
    target = rows.mean(axis=0) + shift * rng.standard_normal(n_columns)
    return rows.astype(dtype), target


@pytest.fixture
def small_samples(monkeypatch):
    """Samples far smaller than the rows, as they are for rows that do not fit in memory."""
    for module in (pass_floor, pass_dual):
        monkeypatch.setattr(module, "rows_to_sample", lambda n_columns: 60 * n_columns)
    monkeypatch.setattr(pass_floor, "rows_to_price", lambda n_columns: 128)


def assert_same(passes, memory):
    assert passes.floor.status is memory.floor.status
    assert passes.floor.value == pytest.approx(
        memory.floor.value, rel=1e-9, abs=1e-9 * memory.base_discrepancy
    )
    assert passes.base_discrepancy == pytest.approx(memory.base_discrepancy, rel=1e-12)
    assert passes.dual.status is memory.dual.status
    scale = np.linalg.norm(memory.dual.theta)
    np.testing.assert_allclose(passes.dual.theta, memory.dual.theta, rtol=0, atol=1e-9 * scale)
    for name in ("log_partition", "discrepancy", "kl", "ess"):
        assert getattr(passes.dual, name) == pytest.approx(getattr(memory.dual, name), rel=1e-8), name
    assert abs(passes.dual.gap) < 1e-10


CASES = {
    "outside the hull": {"shift": 2.0},
    "inside the hull": {"shift": 0.15},
    "single precision": {"shift": 0.6, "dtype": np.float32},
    "more columns": {"n_rows": 8_000, "n_columns": 60, "shift": 0.2},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.usefixtures("small_samples")
def test_the_same_as_in_memory_in_few_passes(case):
    rows, target = problem(**case)
    passes = []
    raking = drr.rake(
        drr.open_rows(np.array_split(rows, 9)),
        target,
        eta=ETA,
        callback=lambda figures: passes.append(figures),
    )
    assert_same(raking, drr.rake(rows, target, eta=ETA))
    assert raking.floor.n_passes <= 12
    assert passes[-1]["passes"] - raking.floor.n_passes <= 35


@pytest.mark.usefixtures("small_samples")
def test_base_weights_and_absent_rows():
    rows, target = problem(shift=0.8)
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=len(rows)) * (rng.random(len(rows)) < 0.7)
    weights[:2000] = 0  # the first block has no row present
    blocks = drr.open_rows([rows[:2000], rows[2000:7000], rows[7000:]])
    raking = drr.rake(blocks, target, base_weights=7 * weights)
    memory = drr.rake(rows, target, base_weights=weights)
    assert_same(raking, memory)
    assert (weights[raking.floor.support] > 0).all()


def test_base_weights_of_another_length():
    rows, target = problem(n_rows=100)
    for n in (99, 101):
        with pytest.raises(ValueError, match=f"base_weights has {n} entries"):
            drr.rake(drr.open_rows([rows]), target, base_weights=np.ones(n))


@pytest.mark.usefixtures("small_samples")
def test_sparse_rows():
    rng = np.random.default_rng(2)
    rows = scipy.sparse.csr_array(rng.random((6000, 30)) * (rng.random((6000, 30)) < 0.2))
    target = np.asarray(rows.mean(axis=0)).ravel() + 0.05 * rng.standard_normal(30)
    blocks = drr.open_rows([rows[:2500], rows[2500:]])
    assert_same(drr.rake(blocks, target), drr.rake(rows, target))


def test_floor_and_dual_apart():
    rows, target = problem()
    source = drr.open_rows(np.array_split(rows, 4))
    floor = drr.find_floor(source, target)
    memory = drr.find_floor(rows, target)
    np.testing.assert_array_equal(floor.support, memory.support)
    np.testing.assert_allclose(floor.support_weights, memory.support_weights, atol=1e-8)
    tolerance = drr.choose_tolerance(floor, floor.base_discrepancy)
    dual = drr.solve_dual(source, target, tolerance, floor=floor)
    expected = drr.solve_dual(rows, target, tolerance)
    np.testing.assert_allclose(dual.theta, expected.theta, rtol=0, atol=1e-9 * np.linalg.norm(expected.theta))


def test_weights_of_rows_follow_from_theta():
    rows, target = problem()
    dual = drr.rake(drr.open_rows([rows[:5000], rows[5000:]]), target).dual
    assert dual.weights is None
    weights = np.exp(rows @ dual.theta - dual.log_partition) / len(rows)
    np.testing.assert_allclose(weights, drr.rake(rows, target).dual.weights, rtol=1e-7)
    assert weights.sum() == pytest.approx(1)


def test_zero_dual():
    rows, _ = problem()
    target = rows.mean(axis=0)
    dual = drr.solve_dual(drr.open_rows([rows]), target, 0.1)
    assert dual.status is drr.Status.ZERO_DUAL
    assert not dual.theta.any()


@pytest.mark.parametrize("with_floor", [True, False])
@pytest.mark.usefixtures("small_samples")
def test_infeasible_tolerance(with_floor):
    rows, target = problem(shift=2.0)
    source = drr.open_rows(np.array_split(rows, 3))
    floor = drr.find_floor(source, target)
    with pytest.raises(drr.InfeasibleToleranceError) as error:
        drr.solve_dual(source, target, 0.7 * floor.value, floor=floor if with_floor else None)
    assert 0.7 * floor.value < error.value.lower_bound <= floor.value * (1 + 1e-9)


def test_a_floor_of_another_problem_proves_nothing():
    rows, target = problem()
    source = drr.open_rows(np.array_split(rows, 3))
    own, foreign = drr.find_floor(source, target), drr.find_floor(source, target + 5)
    tolerance = (own.value + own.base_discrepancy) / 2
    assert tolerance < foreign.lower_bound
    with pytest.raises(ValueError, match="floor belongs to other features, another target") as error:
        drr.solve_dual(source, target, tolerance, floor=foreign)
    assert not isinstance(error.value, drr.InfeasibleToleranceError)
    with pytest.raises(
        ValueError, match="floor was found for 12000 rows and 12 columns, but features has 4000"
    ):
        drr.solve_dual(drr.open_rows([rows[:4000]]), target, 0.1, floor=foreign)


@pytest.mark.parametrize("whole_block", [False, True])
def test_a_floor_on_absent_rows_is_refused(whole_block):
    rows, target = problem(shift=2.0)
    floor = drr.find_floor(rows, target)
    weights = np.ones(len(rows))
    weights[floor.support] = 0
    source = drr.open_rows([rows[:6000], rows[6000:]])
    if whole_block:
        weights[6000:] = 0
    with pytest.raises(ValueError, match="floor belongs to other base_weights"):
        drr.solve_dual(source, target, 0.1, floor=floor, base_weights=weights)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"floor": 3}, TypeError, "floor must be None or the Floor"),
        ({"start": 3}, TypeError, "start must be None or a Dual"),
        ({"method": ["auto"]}, ValueError, "method must be 'auto', 'newton' or 'paper'"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    rows, target = problem()
    with pytest.raises(error, match=message):
        drr.solve_dual(drr.open_rows([rows]), target, 0.1, **change)


def test_a_start_of_other_columns_is_refused():
    rows, target = problem()
    start = drr.solve_dual(rows[:, :5], target[:5], 0.2)
    for features in (rows, drr.open_rows([rows])):
        with pytest.raises(ValueError, match="start has 5 columns, but features has 12"):
            drr.solve_dual(features, target, 0.2, start=start)


def test_iteration_limit_warns():
    from sklearn.exceptions import ConvergenceWarning

    rows, target = problem()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        drr.solve_dual(drr.open_rows([rows]), target, 0.2, max_iter=1)


def test_what_needs_memory_is_refused():
    rows, target = problem(n_rows=50)
    with pytest.raises(ValueError, match="method='paper' needs all rows in memory"):
        drr.rake(drr.open_rows([rows]), target, method="paper")
    with pytest.raises(ValueError, match="checkpoint is for rows that are read in passes"):
        drr.rake(rows, target, checkpoint="somewhere")


def requests(target):
    n = len(target)
    direction = np.linspace(-1, 1, n)
    return [
        Survey(target, 50),
        Price(target, direction, np.inf, 40),
        TiltSums(target, 0.1 * direction),
        TiltSums(target, 0.1 * direction, 50, 0.0),
    ]


def figures(answer):
    flat = {}
    for name, value in vars(answer).items():
        if hasattr(value, "picked"):
            flat[f"{name} ids"], flat[f"{name} limit"] = value.picked.ids, value.limit
        elif hasattr(value, "ids"):
            flat[f"{name} ids"] = value.ids
        elif value is not None and not isinstance(value, dict):
            flat[name] = value
    return flat


@pytest.mark.parametrize("which", range(4), ids=["survey", "price", "tilt", "tilt with sample"])
def test_merging_is_associative(which):
    rows, target = problem(n_rows=900, n_columns=4)
    request = requests(target)[which]
    answers = [request(block, number) for number, block in enumerate(np.array_split(rows, 6))]
    in_order = merge_passes(answers)
    in_groups = merge_passes(
        [merge_passes(answers[:2]), merge_passes([answers[2], merge_passes(answers[3:])])]
    )
    expected = figures(in_order)
    for name, value in figures(in_groups).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-12, err_msg=name)


def test_tilt_of_blocks_against_numpy():
    rows, target = problem(n_rows=500, n_columns=3)
    theta = np.array([0.3, -0.2, 0.5])
    answer = merge_passes(
        TiltSums(target, theta)(block, k) for k, block in enumerate(np.array_split(rows, 5))
    )
    scores = (rows - target) @ theta
    weights = np.exp(scores)
    assert answer.log_sum == pytest.approx(np.log(weights.sum()), rel=1e-13)
    assert answer.log_square_sum == pytest.approx(np.log((weights**2).sum()), rel=1e-13)
    assert answer.largest_score == pytest.approx(scores.max(), rel=1e-13)
    assert answer.largest_absolute == pytest.approx(np.abs(scores).max(), rel=1e-13)
    np.testing.assert_allclose(answer.mean, weights @ (rows - target) / weights.sum(), rtol=1e-11)


def test_prices_are_the_lowest_scores():
    rows, target = problem(n_rows=500, n_columns=3)
    x = np.array([1.0, 2.0, -1.0])
    scores = (rows - target) @ x
    answer = merge_passes(
        Price(target, x, 0.5, 30)(block, k) for k, block in enumerate(np.array_split(rows, 5))
    )
    lowest = np.sort(scores)[:30]
    np.testing.assert_allclose(np.sort(answer.picked.scores), lowest, rtol=1e-12)
    np.testing.assert_allclose((answer.picked.rows - target) @ x, answer.picked.scores, rtol=1e-12)
    assert answer.lowest == pytest.approx(scores.min())


def test_sample_estimates_are_unbiased():
    """Horvitz–Thompson: the mean over samples of Σ wᵢ/pᵢ is Σ wᵢ."""
    rows, target = problem(n_rows=400, n_columns=3)
    theta = np.array([0.8, -0.4, 0.6])
    scores = (rows - target) @ theta
    estimates = []
    for seed in range(300):  # the number of a block is the seed of its draws
        sample = TiltSums(target, theta, 60, np.inf)(rows, seed).sample
        assert len(sample.picked) == 60
        log_p = np.minimum(0.0, sample.picked.scores + sample.limit)
        estimates.append(np.exp(sample.picked.scores - log_p).sum())
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - np.exp(scores).sum()) < 4 * error


def test_own_map_reduce_is_a_source_of_passes():
    rows, target = problem()

    class Engine:
        n_columns = rows.shape[1]

        def run_pass(self, request):
            return merge_passes(request(block, k) for k, block in enumerate(np.array_split(rows, 5)))

    assert_same(drr.rake(Engine(), target), drr.rake(rows, target))


def test_vectors_that_lie_anywhere():
    """A message from another machine need not be aligned."""
    rows, target = problem(n_rows=200, n_columns=3)
    buffer = np.zeros(8 * 3 + 1, dtype=np.uint8)
    astray = buffer[1:].view(np.float64)
    astray[:] = target
    assert not astray.flags.aligned
    for request, expected in zip(requests(astray), requests(target), strict=True):
        for name, value in figures(request(rows, 0)).items():
            np.testing.assert_array_equal(value, figures(expected(rows, 0))[name])
    scale, none = np.ones(3), np.zeros(0, np.int32)
    norms = [
        MeasureNorms(RakingFeatureMap(4), [0, 1, 2], each, scale, none, {}).answer(Block(rows, 0)).largest
        for each in (astray, target)
    ]
    assert norms[0] == norms[1] == pytest.approx(np.linalg.norm(rows - target, axis=1).max())


def test_a_step_improves_if_the_objective_falls_or_else_if_it_stays_and_the_gradient_falls():
    """Scores are one number, so that mean, θ and Λ can be chosen freely: f = Λ + δ|θ|, g = mean + δ."""

    def point(objective, gradient):
        answer = TiltAnswer(1, 0.0, 1.0, 0.0, 0.0, 0.0, np.array([gradient - 0.5]), None)
        return pass_dual.Point(np.array([2.0]), answer, objective - 1.0, 0.5)

    here = point(3.0, 0.25)
    assert (here.objective, here.gradient_norm) == (3.0, 0.25)
    assert point(2.9, 0.75).improves_on(here)
    assert point(3.0, 0.125).improves_on(here)
    assert not point(3.0, 0.25).improves_on(here)
    assert not point(3.0, 0.5).improves_on(here)
    assert not point(3.1, 0.125).improves_on(here)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_single_row_far_beyond_all_others(seed):
    """It holds nearly all curvature, so that no sample may miss it; blocks reach the certificate of the array."""
    rows = np.random.default_rng(seed).normal(size=(40_000, 6))
    rows[17] *= 1e100
    target = np.full(6, 0.3)
    in_memory, from_blocks = (drr.rake(each, target) for each in (rows, drr.open_rows(rows)))
    for raking in (in_memory, from_blocks):
        assert raking.floor.status is raking.dual.status is drr.Status.CONVERGED
        assert raking.dual.gradient_norm <= 1e-9 * raking.tolerance
        assert abs(raking.dual.gap) <= 1e-11
    assert from_blocks.tolerance == pytest.approx(in_memory.tolerance, rel=1e-9)
    np.testing.assert_allclose(from_blocks.dual.theta, in_memory.dual.theta, rtol=1e-7)
    assert from_blocks.dual.kl == pytest.approx(in_memory.dual.kl, rel=1e-7)


def test_outliers_are_the_farthest_rows_and_none_where_rows_are_alike():
    rows, target = problem(n_rows=400, n_columns=3)
    request = Survey(target, 50)
    assert not len(request(rows, 0).outliers)
    rows[7:27] *= 1e3 * np.arange(1, 21)[:, None]
    answer = merge_passes(request(block, k) for k, block in enumerate(np.array_split(rows, 2)))
    norms = np.linalg.norm(rows - target, axis=1)
    expected = np.sort(np.argsort(norms)[-16:])
    np.testing.assert_array_equal(answer.outliers.ids[:, 1], expected)
    np.testing.assert_allclose(-answer.outliers.keys, norms[expected])
