"""Every hard case of the floor, by name."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler

from drr import Floor, Status, find_floor

EPS = np.finfo(float).eps


def check_certificate(floor: Floor, features: np.ndarray, target: np.ndarray) -> None:
    """Both bounds again, from the arrays alone."""
    shifted = np.asarray(features, dtype=float) - target
    largest = np.linalg.norm(shifted, axis=1).max()
    mean = floor.weights @ shifted
    assert (floor.weights >= 0).all()
    assert floor.weights.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(floor.residual, mean, atol=256 * EPS * largest)
    assert floor.value == pytest.approx(np.linalg.norm(mean), rel=1e-9, abs=256 * EPS * largest)
    norm = np.linalg.norm(floor.residual)
    again = max(0.0, (shifted @ floor.residual).min() / norm) if norm > 0 else 0.0
    assert floor.lower_bound == pytest.approx(again, rel=1e-9, abs=256 * EPS * largest)
    assert floor.lower_bound <= floor.value


def assert_outside(floor: Floor, features: np.ndarray, target: np.ndarray) -> None:
    check_certificate(floor, features, target)
    assert floor.status is Status.CONVERGED
    assert floor.value > 0
    assert floor.gap <= 1e-10 * floor.value
    assert floor.n_passes <= 40


def assert_inside(floor: Floor, features: np.ndarray, target: np.ndarray) -> None:
    check_certificate(floor, features, target)
    assert floor.status is Status.CONVERGED
    assert floor.value <= 1e-10 * floor.base_discrepancy
    assert floor.n_passes <= 40


@pytest.fixture
def cloud() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 10))


FAR = np.full(10, 2.0)


def test_target_in_the_interior(cloud: np.ndarray) -> None:
    target = 0.1 * cloud[:3].sum(axis=0)
    assert_inside(find_floor(cloud, target), cloud, target)


def test_target_on_a_vertex(cloud: np.ndarray) -> None:
    vertex = int(np.argmax(cloud @ FAR))
    floor = find_floor(cloud, cloud[vertex])
    assert_inside(floor, cloud, cloud[vertex])
    assert floor.support.tolist() == [vertex]
    assert floor.value == 0


def test_target_on_a_face(cloud: np.ndarray) -> None:
    nearest = find_floor(cloud, FAR)
    on_face = nearest.weights @ cloud
    assert_inside(find_floor(cloud, on_face), cloud, on_face)


@pytest.mark.parametrize("copies", [2, 5])
def test_every_row_duplicated(cloud: np.ndarray, copies: int) -> None:
    repeated = np.tile(cloud, (copies, 1))
    floor = find_floor(repeated, FAR)
    assert_outside(floor, repeated, FAR)
    assert floor.value == pytest.approx(find_floor(cloud, FAR).value, rel=1e-13)


@pytest.mark.parametrize("noise", [1e-5, 1e-9, 1e-13])
def test_nearly_duplicated_rows(cloud: np.ndarray, noise: float) -> None:
    repeated = np.vstack([cloud, cloud + noise * np.random.default_rng(1).normal(size=cloud.shape)])
    assert_outside(find_floor(repeated, FAR), repeated, FAR)


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_constant_columns(cloud: np.ndarray, offset: float) -> None:
    features = np.hstack([cloud, np.full((300, 3), 7.0)])
    target = np.concatenate([FAR, [7.0, 7.0 + offset, 7.0]])
    floor = find_floor(features, target)
    assert_outside(floor, features, target)
    assert floor.value == pytest.approx(np.hypot(find_floor(cloud, FAR).value, offset), rel=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_full_factorial_one_hot(sparse: bool) -> None:
    levels = np.array(list(itertools.product(range(2), range(3), range(4))))
    blocks = [np.eye(n)[levels[:, k]] for k, n in enumerate((2, 3, 4))]
    features = np.tile(np.hstack(blocks) / np.sqrt(3), (20, 1))
    matrix = scipy.sparse.csr_array(features) if sparse else features
    inside = 0.9 * features.mean(axis=0) + 0.1 * features[3]
    assert_inside(find_floor(matrix, inside), features, inside)
    edge = 0.5 * features[0] + 0.5 * features[1]
    assert_inside(find_floor(matrix, edge), features, edge)
    outside = features.mean(axis=0) + 0.5
    floor = find_floor(matrix, outside)
    assert_outside(floor, features, outside)
    assert floor.value == pytest.approx(1.5, rel=1e-13)  # 0.5 in nine columns, along which the rows are level


def test_one_row() -> None:
    row, target = np.array([[3.0, 4.0]]), np.zeros(2)
    floor = find_floor(row, target)
    assert_outside(floor, row, target)
    assert floor.value == floor.lower_bound == 5.0
    assert find_floor(row, row[0]).value == 0


@pytest.mark.parametrize(
    ("target", "value", "weights"),
    [
        ([1.0, 1.0], 1.0, [0.5, 0.5]),
        ([0.5, 0.0], 0.0, [0.75, 0.25]),
        ([5.0, 4.0], 5.0, [0.0, 1.0]),
    ],
)
def test_two_rows(target: list[float], value: float, weights: list[float]) -> None:
    floor = find_floor([[0.0, 0.0], [2.0, 0.0]], target)
    assert floor.value == pytest.approx(value, abs=1e-15)
    np.testing.assert_allclose(floor.weights, weights, atol=1e-15)
    assert floor.status is Status.CONVERGED


def test_two_equal_rows() -> None:
    assert find_floor([[1.0, 0.0], [1.0, 0.0]], [0.0, 0.0]).value == 1.0


def test_target_of_one_minority_row(cloud: np.ndarray) -> None:
    minority_row = np.random.default_rng(3).normal(1.0, 1.5, size=10)
    floor = find_floor(cloud, minority_row)
    check_certificate(floor, cloud, minority_row)
    assert floor.status is Status.CONVERGED


def test_rank_6_in_200_columns() -> None:
    rng = np.random.default_rng(4)
    basis = rng.normal(size=(6, 200))
    coordinates = rng.normal(size=(500, 6))
    features = coordinates @ basis
    inside = 0.2 * features[:4].sum(axis=0)
    assert_inside(find_floor(features, inside), features, inside)
    for target in (np.full(6, 2.0) @ basis, np.full(6, 2.0) @ basis + 0.3, inside + 0.3):
        assert_outside(find_floor(features, target), features, target)


@pytest.mark.parametrize("discrepancy", [1e-9, 1e-12])
def test_tiny_discrepancy_beside_large_features_is_reported_as_round_off(discrepancy: float) -> None:
    rows = np.random.default_rng(5).normal(size=(400, 8))
    target = rows.mean(axis=0) + discrepancy / np.sqrt(8)
    with pytest.warns(ConvergenceWarning, match="double precision"):
        floor = find_floor(rows, target)
    check_certificate(floor, rows, target)
    assert floor.status is Status.ROUND_OFF
    assert floor.value <= 64 * EPS * np.linalg.norm(rows - target, axis=1).max()


@pytest.mark.parametrize("seed", range(4))
def test_column_scales_from_1e_minus_6_to_1e3(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scales = rng.permutation(np.logspace(-6, 3, 30))
    features = rng.normal(size=(500, 30)) * scales
    everywhere = 3 * scales
    assert_outside(find_floor(features, everywhere), features, everywhere)
    middle = np.zeros(30)
    column = np.argsort(scales)[15]
    middle[column] = 5 * scales[column]
    assert_outside(find_floor(features, middle), features, middle)


def test_column_scales_in_200_columns() -> None:
    rng = np.random.default_rng(6)
    scales = rng.permutation(np.logspace(-6, 3, 200))
    features = rng.normal(size=(1500, 200)) * scales
    assert_outside(find_floor(features, 0.3 * scales), features, 0.3 * scales)


@pytest.mark.parametrize("factor", [1e6, 1e-6])
def test_one_row_of_another_magnitude(cloud: np.ndarray, factor: float) -> None:
    cloud[7] *= factor
    assert_outside(find_floor(cloud, FAR), cloud, FAR)


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_common_offset(cloud: np.ndarray, offset: float) -> None:
    assert_outside(find_floor(cloud + offset, FAR + offset), cloud + offset, FAR + offset)


def test_very_far_target(cloud: np.ndarray) -> None:
    assert_outside(find_floor(cloud, 1e8 * FAR), cloud, 1e8 * FAR)


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(7)
    features = rng.normal(size=(60, 900)) / 30
    target = rng.normal(size=900) / 60
    assert_outside(find_floor(features, target), features, target)
    inside = rng.dirichlet(np.ones(60)) @ features
    assert_inside(find_floor(features, inside), features, inside)


@pytest.mark.parametrize("shift", [1e-3, 1.0])
def test_points_on_a_sphere(shift: float) -> None:
    rows = np.random.default_rng(8).normal(size=(3000, 20))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    target = np.zeros(20)
    target[0] = shift
    (assert_outside if shift == 1.0 else assert_inside)(find_floor(rows, target), rows, target)


def test_nonuniform_base_weights_change_only_the_discrepancy(cloud: np.ndarray) -> None:
    plain = find_floor(cloud, FAR)
    weighted = find_floor(cloud, FAR, base_weights=np.random.default_rng(9).exponential(size=300))
    np.testing.assert_array_equal(weighted.support, plain.support)
    np.testing.assert_allclose(weighted.support_weights, plain.support_weights, rtol=1e-12)


def test_more_than_two_to_the_31_elements() -> None:
    # One row stands for a million through a zero stride: the positions are large, the memory is not.
    n_rows, n_columns = 2_200_000, 1000
    row = np.random.default_rng(10).normal(size=(1, n_columns)).astype(np.float32)
    features = np.lib.stride_tricks.as_strided(row, (n_rows, n_columns), (0, 4))
    assert n_rows * n_columns > 2**31
    floor = find_floor(features, np.zeros(n_columns), max_iter=1)
    assert floor.value == pytest.approx(np.linalg.norm(row.astype(float)), rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_random_features_of_a_single_column(seed: int) -> None:
    """128 waves of one variable: rows of numerical rank about 15, so nearly every row depends on a few others."""
    generator = np.random.default_rng(seed)
    column = generator.normal(size=(int(generator.integers(100, 1500)), 1))
    rare = np.arange(len(column)) < 15
    column[rare] += generator.uniform(0, 2)
    z = (column - column.mean()) / column.std()
    waves = RBFSampler(
        gamma=0.5 / np.median(pdist(z[:1000], "sqeuclidean")), n_components=128, random_state=0
    )
    embedded = np.hstack([z / np.abs(z).max(), waves.fit_transform(z)]) / np.sqrt(2)
    rows, target = embedded[~rare], embedded[rare].mean(axis=0)
    with warnings.catch_warnings():
        # A floor of 1e-8 times the rows' size cannot be bracketed to ten of its own digits.
        warnings.simplefilter("ignore", ConvergenceWarning)
        floor = find_floor(rows, target)
    check_certificate(floor, rows, target)
    assert floor.status is Status.CONVERGED or floor.gap <= 16 * EPS  # the rows are of size one


@pytest.mark.parametrize("distance", [2.0**-52, 1e-12, 1e-9])
def test_sparse_rows_that_equal_the_target_to_the_last_digits(distance):
    """Their squared distances, formed from ‖φ‖² and ‖μ₁‖², cancel to nothing; their mean does not."""
    rows = scipy.sparse.csr_array(np.array([[1 - distance]]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        floor = find_floor(rows, [1.0])
    assert floor.lower_bound <= 1 - rows.toarray()[0, 0] + 2.0**-52
    np.testing.assert_allclose(floor.value, distance, atol=2.0**-52)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("distance", [5e-324, 1e-300, 1e-170])
def test_rows_whose_squares_and_mean_vanish_raise_an_error(distance: float, sparse: bool) -> None:
    rows = np.array([[distance, 0.0], [-distance, 0.0], [0.0, distance], [0.0, -distance]])
    with pytest.raises(ValueError, match="nearer than 1e-140 to the target"):
        find_floor(scipy.sparse.csr_array(rows) if sparse else rows, np.zeros(2))


def test_rows_that_equal_the_target_have_a_floor_of_zero() -> None:
    floor = find_floor(np.full((3, 2), 0.1), np.full(2, 0.1))
    assert floor.value == 0
    assert floor.status.is_success
