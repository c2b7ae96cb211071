#include "core/floor/corral_factor.hpp"
#include "problem.hpp"

#include <doctest/doctest.h>
#include <numeric>

using namespace drr;
using namespace drr::testing;

namespace {

// Rows b, and which of them the factor should hold, in order.
struct Corral {
  Eigen::MatrixXd rows;
  std::vector<Index> held;
  CorralFactor factor;

  explicit Corral(Index size) : rows(size, size + 3) {
    const auto numbers = normals(rows.size(), 50);
    std::copy(numbers.begin(), numbers.end(), rows.data());
  }
  // Rows first … first + count − 1, as one batch.
  void append(Index first, Index count) {
    const Eigen::MatrixXd batch = rows.middleRows(first, count);
    Eigen::MatrixXd cross = rows(held, Eigen::all) * batch.transpose(), square = batch * batch.transpose();
    REQUIRE(factor.append(cross, square).size() == static_cast<std::size_t>(count));
    held.resize(held.size() + count);
    std::iota(held.end() - count, held.end(), first);
  }
  void remove(Index position) {
    factor.remove(position);
    held.erase(held.begin() + position);
  }
  // M (M⁻¹ v) = v for the Gram matrix M of the rows that are held.
  void check() {
    REQUIRE(factor.size() == std::ssize(held));
    const Eigen::MatrixXd b = rows(held, Eigen::all);
    const auto numbers = normals(std::ssize(held), 51);
    const Eigen::Map<const Eigen::VectorXd> v(numbers.data(), std::ssize(held));
    Eigen::VectorXd solved = v;
    factor.solve(solved);
    CHECK((b * (b.transpose() * solved) - v).norm() <= 1e-9 * v.norm());
  }
};

} // namespace

TEST_CASE("corral factor: rows join in batches and leave from anywhere") {
  for (Index size : {1, 2, 9, 64, 128}) { // 64 and 128 fill the storage to its edge
    Corral corral(size);
    corral.append(0, size / 2);
    corral.append(size / 2, size - size / 2);
    corral.check();
    for (Index round = 0; corral.factor.size() > 0; ++round) {
      const Index last = corral.factor.size() - 1;
      corral.remove(round % 3 == 0 ? last : round % 3 == 1 ? 0 : last / 2);
      if (corral.factor.size() > 0)
        corral.check();
    }
    corral.append(0, size); // into storage that held other rows before
    corral.check();
  }
}

TEST_CASE("corral factor: a full storage, any one row leaving") {
  for (Index position = 0; position < 64; ++position) {
    Corral corral(64);
    corral.append(0, 64);
    corral.remove(position);
    corral.check();
  }
}

TEST_CASE("corral factor: rows in the span of those before are left out of a batch, and found by assign") {
  Corral corral(6);
  corral.rows.row(2) = corral.rows.row(0) - 2 * corral.rows.row(1);
  corral.rows.row(5) = corral.rows.row(3) + corral.rows.row(2);
  Eigen::MatrixXd none(0, 6), square = corral.rows * corral.rows.transpose();
  CHECK(corral.factor.append(none, square) == std::vector<Index>{0, 1, 3, 4});
  corral.held = {0, 1, 3, 4};
  corral.check();
  Eigen::MatrixXd columns = corral.rows.transpose();
  CHECK(CorralFactor().assign(columns, 1e-12) == std::vector<Index>{2, 5});
}
