#include "core/dual/woodbury_preconditioner.hpp"

#include "core/linalg/cholesky.hpp"
#include "core/linalg/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace drr {

namespace {

constexpr Index min_heavy_rows = 96, max_heavy_rows = 384;
constexpr Index max_copied_numbers = 32 * 1024 * 1024; // in the copy of the heavy rows
constexpr Index columns_between_polls = 4096;

// The effective number of rows holds most of the weight; beyond that more rows cost more
// than they save.
Index heavy_rows(const DualPoint& point, Index n_cols) {
  const double ess = 1.0 / point.weights.squaredNorm();
  const Index most = std::min(
      {max_heavy_rows, std::max<Index>(16, max_copied_numbers / n_cols), Index{point.weights.size()}});
  if (!(ess < static_cast<double>(most))) // also if all weights underflow, and it is no number of rows
    return most;
  return std::max(static_cast<Index>(ess), std::min(min_heavy_rows, most));
}

// P = κI + BᵀB with B the heaviest rows, √wᵢ(aᵢ − m)ᵀ, and κ the curvature of the norm plus that of
// the light rows, taken to be alike in all directions. P⁻¹ = (I − Bᵀ(κI + BBᵀ)⁻¹B)/κ needs a factor
// of the size of B's rows only.
class WoodburyPreconditioner final : public Preconditioner {
public:
  explicit WoodburyPreconditioner(DualModel& model)
      : model_(model), gram_cholesky_(model.pool()), order_(model.n_rows()) {}
  std::string_view name() const override { return "pcg-woodbury"; }

  void prepare(const DualPoint& point) override {
    const Index n_heavy = heavy_rows(point, model_.n_cols());
    std::iota(order_.begin(), order_.end(), Index{0});
    std::nth_element(order_.begin(), order_.begin() + (n_heavy - 1), order_.end(),
                     highest_first(point.weights));
    std::sort(order_.begin(), order_.begin() + n_heavy); // the order of memory

    heavy_.resize(model_.n_cols(), n_heavy);
    double heavy_weight = 0;
    for (Index at = 0; at < n_heavy; ++at) {
      const Index i = order_[at];
      const double root = std::sqrt(point.weights[i]);
      heavy_weight += point.weights[i];
      model_.centred_rows().copy({i, i + 1}, &root, heavy_.col(at).data());
    }
    // The light rows are taken to vary as the heavy ones do; κ > 0 even if δ = 0 and no
    // row is light.
    const double mean_square =
        heavy_.squaredNorm() / (std::max(heavy_weight, 1e-300) * static_cast<double>(heavy_.rows()));
    const double light_weight = std::max(0.0, 1.0 - heavy_weight);
    kappa_ = model_.norm_curvature(point) + std::max(light_weight, 1e-8) * mean_square;

    gram_.resize(n_heavy, n_heavy);
    gram_.setZero();
    for (Index first = 0; first < heavy_.rows(); first += columns_between_polls) {
      const Index size = std::min(columns_between_polls, heavy_.rows() - first);
      gram_.selfadjointView<Eigen::Lower>().rankUpdate(heavy_.middleRows(first, size).transpose());
      model_.pool().poll();
    }
    gram_.diagonal().array() += kappa_;
    gram_cholesky_.factorise(gram_);
  }

  void apply(const Eigen::VectorXd& r, Eigen::VectorXd& z) const override {
    inner_.noalias() = heavy_.transpose() * r;
    gram_cholesky_.solve_in_place(inner_);
    z = r;
    z.noalias() -= heavy_ * inner_;
    z /= kappa_;
  }

private:
  DualModel& model_;
  ScaledCholesky gram_cholesky_;
  std::vector<Index> order_;
  Eigen::MatrixXd heavy_, gram_;
  mutable Eigen::VectorXd inner_;
  double kappa_ = 0;
};

} // namespace

std::unique_ptr<Preconditioner> make_woodbury_preconditioner(DualModel& model) {
  return std::make_unique<WoodburyPreconditioner>(model);
}

} // namespace drr
