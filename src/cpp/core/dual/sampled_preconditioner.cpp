#include "core/dual/sampled_preconditioner.hpp"

#include "core/dual/hessian_factor.hpp"
#include "core/linalg/splitmix64.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace drr {

namespace {

// Each row's own uniform number in [0, 1).
double uniform_of(Index row) {
  return static_cast<double>(splitmix64(static_cast<std::uint64_t>(row) * golden_ratio) >> 11) * 0x1.0p-53;
}

// τ with Σ min(1, τwᵢ) = size: rows heavier than 1/τ are certain, the others drawn in proportion
// to their weight.
double inclusion_rate(const Eigen::VectorXd& weights, double size) {
  double rate = size;
  for (int round = 0; round < 20; ++round) {
    double certain = 0, rest = 0;
    for (const double w : weights)
      if (rate * w >= 1)
        certain += 1;
      else
        rest += w;
    if (!(rest > 0) || certain >= size)
      break;
    const double next = (size - certain) / rest;
    if (next <= rate * (1 + 1e-3))
      break;
    rate = next;
  }
  return rate;
}

// The Hessian of a sample of rows, drawn with probability ∝ w and weighted by w over that
// probability: unbiased, and with s = 12K rows within (1 ± √(K/s))² of the whole, so that conjugate
// gradients gain half a digit per step.
class SampledPreconditioner final : public Preconditioner {
public:
  explicit SampledPreconditioner(DualModel& model) : model_(model), factor_(model) {}
  std::string_view name() const override { return "pcg-sampled"; }

  void prepare(const DualPoint& point) override {
    constexpr double rows_per_column = 12;
    const double rate = inclusion_rate(point.weights, rows_per_column * static_cast<double>(model_.n_cols()));
    selection_.clear();
    scale_.clear();
    for (Index i = 0; i < model_.n_rows(); ++i) {
      const double probability = std::min(1.0, rate * point.weights[i]);
      if (uniform_of(i) < probability) {
        selection_.push_back(i);
        scale_.push_back(std::sqrt(point.weights[i] / probability));
      }
    }
    factor_.compute(
        point,
        {model_.centred_rows(), scale_.data(), selection_.data(), static_cast<Index>(selection_.size())},
        norm_curvature(model_, point));
  }

  void apply(const Eigen::VectorXd& r, Eigen::VectorXd& z) const override {
    z = r;
    factor_.solve_in_place(z);
  }

private:
  DualModel& model_;
  HessianFactor factor_;
  std::vector<Index> selection_;
  std::vector<double> scale_;
};

} // namespace

std::unique_ptr<Preconditioner> make_sampled_preconditioner(DualModel& model) {
  return std::make_unique<SampledPreconditioner>(model);
}

} // namespace drr
