// The matrix kernels of the dual against plain products.
#include "core/linalg/cholesky.hpp"
#include "core/linalg/weighted_gram.hpp"
#include "problem.hpp"

#include <doctest/doctest.h>

using namespace drr;
using namespace drr::testing;

namespace {

Eigen::MatrixXd matrix_of_normals(Index rows, Index cols, unsigned seed) {
  const auto numbers = normals(rows * cols, seed);
  return Eigen::Map<const Eigen::MatrixXd>(numbers.data(), rows, cols);
}

} // namespace

TEST_CASE("Cholesky: L Lᵀ is the matrix, for any number of blocks") {
  ThreadPool pool({1, nullptr});
  for (Index n : {1, 5, 95, 96, 97, 192, 193, 300, 500}) {
    const Eigen::MatrixXd half = matrix_of_normals(n, n + 20, 60);
    const Eigen::MatrixXd matrix = half * half.transpose();
    Eigen::MatrixXd factor = matrix;
    REQUIRE(cholesky(factor, pool));
    const Eigen::MatrixXd lower = factor.triangularView<Eigen::Lower>();
    CHECK((lower * lower.transpose() - matrix).norm() <= 1e-13 * matrix.norm());
  }
}

TEST_CASE("Cholesky: a pivot that is not positive is told, in whichever block it is") {
  ThreadPool pool({1, nullptr});
  for (Index at : {0, 3, 99, 250}) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(300, 300);
    for (double pivot : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Eigen::MatrixXd broken = matrix;
      broken(at, at) = pivot;
      CHECK_FALSE(cholesky(broken, pool));
    }
  }
}

TEST_CASE("scaled Cholesky: solves where rows and columns differ by many orders of magnitude") {
  ThreadPool pool({1, nullptr});
  for (Index n : {3, 300}) {
    const Eigen::MatrixXd half = matrix_of_normals(n, 2 * n, 61);
    Eigen::VectorXd scale(n);
    for (Index k = 0; k < n; ++k)
      scale[k] = std::exp2(k % 60 - 30);
    const Eigen::MatrixXd plain = half * half.transpose() / static_cast<double>(n);
    Eigen::MatrixXd matrix = scale.asDiagonal() * plain * scale.asDiagonal();
    const Eigen::VectorXd expected = matrix_of_normals(n, 1, 62);
    Eigen::VectorXd x = scale.asDiagonal() * (plain * expected);
    ScaledCholesky factor(pool);
    factor.factorise(matrix);
    factor.solve_in_place(x);
    CHECK((scale.asDiagonal() * x - expected).norm() <= 1e-10 * expected.norm());
  }
}

TEST_CASE("weighted Gram matrix: the sum of scaled outer products, of all rows or of some") {
  ThreadPool pool({1, nullptr});
  for (Index K : {1, 30, 96, 97, 260})
    for (Index n : {1, 63, 64, 1008, 2048, 2500}) { // multiples of a tile, and not
      const auto dense = normals(n * K, 63), shift = normals(K, 64), scale = normals(n, 65);
      const auto rows = make_row_blocks(DenseView<double>{dense.data(), n, K, K}, shift.data());
      Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(dense.data(), K, n).colwise() -
                          Eigen::Map<const Eigen::VectorXd>(shift.data(), K); // a row per column
      std::vector<Index> selection;
      for (Index i = n - 1; i >= 0; i -= 3)
        selection.push_back(i);
      const Index m = std::ssize(selection);
      const Eigen::Map<const Eigen::VectorXd> s(scale.data(), n);
      const auto check = [&](const ScaledRows& source, const Eigen::MatrixXd& scaled) {
        Eigen::MatrixXd lower = Eigen::MatrixXd::Constant(K, K, 7.0); // what was there is overwritten
        WeightedGram(K, pool)(source, lower);
        const Eigen::MatrixXd difference = lower - scaled * scaled.transpose();
        CHECK(difference.triangularView<Eigen::Lower>().toDenseMatrix().norm() <=
              1e-13 * scaled.squaredNorm());
      };
      check({*rows, scale.data(), nullptr, n}, a * s.asDiagonal());
      check({*rows, scale.data(), selection.data(), m}, a(Eigen::all, selection) * s.head(m).asDiagonal());
    }
}
