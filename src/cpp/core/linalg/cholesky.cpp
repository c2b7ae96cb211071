#include "core/linalg/cholesky.hpp"

#include "core/linalg/products.hpp"
#include "drr/errors.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace drr {

namespace {
constexpr Eigen::Index block =
    96; // wide enough for the products to dominate, small enough for a prompt Ctrl-C
}

bool cholesky(Eigen::Ref<Eigen::MatrixXd> lower, ThreadPool& pool) {
  const Eigen::Index n = lower.rows();
  for (Eigen::Index left = 0; left < n; left += block) {
    const Eigen::Index width = std::min(block, n - left), right = left + width, below = n - right;
    auto corner = lower.block(left, left, width, width);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(corner);
    if (factor.info() != Eigen::Success || !(corner.diagonal().minCoeff() > 0))
      return false;
    const Index n_strips = (below + block - 1) / block;
    const auto strip_of = [&](Index strip) { return std::min(block, below - strip * block); };
    auto column = lower.block(right, left, below, width);
    const double below_numbers = static_cast<double>(below * width);
    pool.run(n_strips, Work::multiplying(0.5 * below_numbers * width), [&](Index strip, int) {
      auto part = column.middleRows(strip * block, strip_of(strip));
      corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(part);
    });
    pool.run(n_strips, Work::multiplying(0.5 * below_numbers * below), [&](Index strip, int) {
      const Eigen::Index first = strip * block, size = strip_of(strip), rest = below - first - size;
      const auto here = column.middleRows(first, size);
      add_square(lower.block(right + first, right + first, size, size), -1.0, here);
      if (rest > 0)
        add_outer_products(lower.block(right + first + size, right + first, rest, size), -1.0,
                           column.bottomRows(rest), here);
    });
  }
  return true;
}

void ScaledCholesky::factorise(Eigen::MatrixXd& matrix) {
  const Eigen::Index n = matrix.rows();
  factor_ = &matrix;
  scale_ = matrix.diagonal().unaryExpr([](double h) { return h > 0 ? 1.0 / std::sqrt(h) : 1.0; });
  // The scaled matrix waits above the diagonal while an attempt overwrites what is below.
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j + 1; i < n; ++i)
      matrix(j, i) = matrix(i, j) * scale_[i] * scale_[j];
  const double unit_round_off = std::numeric_limits<double>::epsilon() * static_cast<double>(n);
  for (double ridge = 4 * unit_round_off;; ridge *= 100) {
    if (!(ridge < 1e3))
      throw InvalidInput("the squares of the features overflow double precision; rescale the features");
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    matrix.diagonal().setConstant(1.0 + ridge);
    if (cholesky(matrix, pool_))
      return;
  }
}

void ScaledCholesky::solve_in_place(Eigen::VectorXd& x) const {
  x.array() *= scale_.array();
  factor_->triangularView<Eigen::Lower>().solveInPlace(x);
  factor_->triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  x.array() *= scale_.array();
}

} // namespace drr
