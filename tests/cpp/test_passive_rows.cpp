// The updated QR factor of non-negative least squares against a factor made anew.
#include "core/floor/passive_rows.hpp"
#include "problem.hpp"

#include <Eigen/QR>
#include <doctest/doctest.h>
#include <numeric>

using namespace drr;
using namespace drr::testing;

namespace {

struct Passive {
  Index n, K;
  std::vector<double> a, shift;
  std::unique_ptr<RowBlocks> rows;
  WorkingSet set;
  PassiveRows passive;

  Passive(Index n_rows, Index n_cols, std::vector<double> dense)
      : n(n_rows), K(n_cols), a(std::move(dense)), shift(K, 0.0),
        rows(make_row_blocks(DenseView<double>{a.data(), n, K, K}, shift.data())), set(*rows, 1.0),
        passive(set) {
    std::vector<Index> all(n);
    std::iota(all.begin(), all.end(), Index{0});
    set.add(all);
  }

  // min ‖Bᵀv − e₁‖ by a pivoted QR of the rows b = (1, a) themselves
  void check(double tolerance) {
    passive.solve();
    Eigen::MatrixXd columns(K + 1, passive.size());
    for (Index k = 0; k < passive.size(); ++k)
      columns.col(k) << 1, Eigen::Map<const Eigen::VectorXd>(a.data() + passive.slots()[k] * K, K);
    const Eigen::VectorXd first = Eigen::VectorXd::Unit(K + 1, 0);
    const Eigen::VectorXd expected = columns.colPivHouseholderQr().solve(first);
    CHECK((passive.solution - expected).norm() <= tolerance * (1 + expected.norm()));
    CHECK((passive.residual - (first - columns * expected)).norm() <= tolerance);
    CHECK((columns.transpose() * passive.residual).norm() <=
          1e-13 * columns.norm() * passive.residual.norm() + 1e-16 * columns.norm());
  }
};

} // namespace

TEST_CASE("passive rows: the solution after any entering and leaving is that of a new factor") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Index K = 3 + seed, n = 2 * K;
    Passive problem(n, K, normals(n * K, 300 + seed));
    Index next = 0;
    for (int step = 0; step < 60; ++step) {
      const Index size = problem.passive.size();
      if (next == n && size == 0)
        break;
      const bool leaves = size > 0 && (next == n || size > K - 1 || (step + seed) % 3 == 0);
      if (leaves)
        problem.passive.remove((7 * step + seed) % size);
      else
        CHECK(problem.passive.append(next++));
      if (problem.passive.size() > 0)
        problem.check(1e-10);
    }
  }
}

TEST_CASE("passive rows: a row in the span of the others is refused, one beside it is not") {
  const Index K = 6;
  auto dense = normals(5 * K, 340);
  for (Index k = 0; k < K; ++k) {
    dense[3 * K + k] = 0.25 * dense[k] + 0.75 * dense[K + k];
    dense[4 * K + k] = dense[2 * K + k] + (k == 0 ? 1e-9 : 0);
  }
  Passive problem(5, K, dense);
  for (Index slot : {0, 1, 2})
    CHECK(problem.passive.append(slot));
  CHECK_FALSE(problem.passive.append(3));
  CHECK(problem.passive.append(4));
  CHECK(problem.passive.size() == 4);
  problem.passive.remove(2);
  problem.check(1e-10);
}
