// The point of smallest norm over a working set, by both methods, judged by its optimality
// conditions.
#include "core/floor/min_norm_point.hpp"
#include "problem.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>

using namespace drr;
using namespace drr::testing;

namespace {

struct Hull {
  Index n, K;
  std::vector<double> a, shift;
  std::unique_ptr<RowBlocks> rows;
  WorkingSet set;
  ThreadPool pool{Execution{1, nullptr}};
  MinNormPoint point;

  Hull(Index n_rows, Index n_cols, std::vector<double> dense)
      : n(n_rows), K(n_cols), a(std::move(dense)), shift(K, 0.0),
        rows(make_row_blocks(DenseView<double>{a.data(), n, K, K}, shift.data())), set(*rows, 1.0),
        point(set, pool) {
    std::vector<Index> all(n);
    std::iota(all.begin(), all.end(), Index{0});
    set.add(all);
    point.start(0);
  }

  // w ≥ 0, Σw = 1, x = Aᵀw, and no row lies below the plane through x across x: then x is
  // the nearest point.
  void check(double tolerance) const {
    const Eigen::VectorXd& w = point.weights();
    const Eigen::Map<const Eigen::MatrixXd> columns(a.data(), K, n);
    REQUIRE(w.size() == n);
    CHECK(w.minCoeff() >= 0);
    CHECK(w.sum() == doctest::Approx(1).epsilon(1e-13));
    CHECK(std::ssize(point.corral()) == (w.array() > 0).count());
    const double longest = columns.colwise().norm().maxCoeff();
    const Eigen::VectorXd& x = point.x();
    CHECK((columns * w - x).norm() <= 1e-14 * longest);
    CHECK(std::abs((columns * w).norm() - point.norm()) <= 1e-14 * longest);
    const double violation = x.squaredNorm() - (columns.transpose() * x).minCoeff();
    CHECK(violation <= tolerance * x.squaredNorm() + 1e-14 * longest * x.norm());
  }
};

// A cloud of normals at a distance from the origin along the first axis, of which some rows lie on
// the near face.
std::vector<double> cloud(Index n, Index K, double distance, unsigned seed) {
  auto dense = normals(n * K, seed);
  for (Index i = 0; i < n; ++i)
    dense[i * K] = distance + (i % 3 == 0 ? 0.0 : std::abs(dense[i * K]));
  return dense;
}

} // namespace

TEST_CASE("nearest point of a hull: optimal by both methods") {
  struct Shape {
    Index n, K;
  };
  for (const auto [n, K] : {Shape{1, 4}, Shape{2, 4}, Shape{3, 1}, Shape{40, 6}, Shape{61, 3}, Shape{30, 50}})
    for (double distance : {3.0, 1.0, 0.1, 1e-3, 1e-6}) // the last is below what the Gram matrix resolves
      for (unsigned seed = 70; seed < 76; ++seed) {
        CAPTURE(n);
        CAPTURE(K);
        CAPTURE(distance);
        CAPTURE(seed);
        Hull wolfe(n, K, cloud(n, K, distance, seed)), squares(n, K, cloud(n, K, distance, seed));
        wolfe.point.improve(1e-11, 0);
        wolfe.check(1e-10);
        squares.point.improve_by_least_squares(1e-11);
        squares.check(1e-10);
        CHECK(squares.point.norm() == doctest::Approx(wolfe.point.norm()).epsilon(1e-9));
      }
}

TEST_CASE("nearest point of a hull: a small cloud far away, whose rows are nearly parallel") {
  for (double size : {1e-2, 1e-3, 1e-4, 1e-5})
    for (unsigned seed = 80; seed < 84; ++seed) {
      CAPTURE(size);
      CAPTURE(seed);
      const Index n = 40, K = 8;
      auto dense = cloud(n, K, 0.0, seed);
      for (Index i = 0; i < n * K; ++i)
        dense[i] = size * dense[i] + (i % K == 0 ? 1.0 : 0.0);
      Hull wolfe(n, K, dense), squares(n, K, dense);
      wolfe.point.improve(1e-11, 0);
      wolfe.check(1e-11);
      squares.point.improve_by_least_squares(1e-11);
      squares.check(1e-11);
    }
}

TEST_CASE("nearest point of a hull: rows on a grid, where weights vanish to the last bit") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Index K = 2 + seed % 3, n = 3 + seed % 11;
    auto dense = normals(n * K, 100 + seed);
    for (Index i = 0; i < n * K; ++i)
      dense[i] = i % K == 0 ? 1 + std::round(std::abs(2 * dense[i])) : std::round(1.3 * dense[i]);
    Hull wolfe(n, K, dense), squares(n, K, dense);
    wolfe.point.improve(1e-11, 0);
    wolfe.check(1e-11);
    squares.point.improve_by_least_squares(1e-11);
    squares.check(1e-11);
  }
}

TEST_CASE("nearest point of a hull: a face of equal rows, where every weight is as good as any other") {
  for (Index copies : {1, 2, 7}) {
    std::vector<double> corners;
    for (Index copy = 0; copy < copies; ++copy)
      corners.insert(corners.end(), {1, 1, 0, 1, -1, 0, 1, 0, 1, 1, 0, -1}); // a square at distance one
    Hull wolfe(4 * copies, 3, corners), squares(4 * copies, 3, corners);
    wolfe.point.improve(1e-11, 0);
    wolfe.check(1e-11);
    squares.point.improve_by_least_squares(1e-11);
    squares.check(1e-11);
    CHECK(wolfe.point.norm() == doctest::Approx(1).epsilon(1e-13));
    CHECK(squares.point.norm() == doctest::Approx(1).epsilon(1e-13));
  }
}

TEST_CASE("nearest point of a hull: rows without weight make room, and what is left is still optimal") {
  Hull hull(60, 4, cloud(60, 4, 1.0, 77));
  hull.point.improve(1e-11, 0);
  const double norm = hull.point.norm();
  const Index corral = std::ssize(hull.point.corral());
  hull.point.purge(5);
  CHECK(hull.set.size() == corral + 5);
  CHECK(hull.point.weights().size() == corral + 5);
  CHECK(hull.point.weights().sum() == doctest::Approx(1).epsilon(1e-13));
  Eigen::VectorXd x;
  hull.set.combine(hull.point.weights(), x);
  CHECK(x.norm() == doctest::Approx(norm).epsilon(1e-13));
  hull.point.improve(1e-11, 0);
  CHECK(hull.point.norm() == doctest::Approx(norm).epsilon(1e-12));
}
