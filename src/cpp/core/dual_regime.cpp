#include "core/dual_regime.hpp"

namespace drr {

namespace {

DualMethod cheapest(const DualModel& model, const DualPoint& point) {
  const auto n = static_cast<double>(model.n_rows()), K = static_cast<double>(model.n_cols());
  const double ess = 1.0 / point.weights.squaredNorm();
  if (K <= 64)
    return DualMethod::newton;
  if (K <= 600 && n > 8 * K)
    return DualMethod::pcg_sampled;
  if (K > 300 && ess < K)
    return DualMethod::pcg_woodbury;
  return DualMethod::newton;
}

} // namespace

std::unique_ptr<InnerSolve> make_inner_solve(DualModel& model, const DualPoint& point, DualMethod method) {
  switch (method == DualMethod::automatic ? cheapest(model, point) : method) {
  case DualMethod::pcg_sampled:
    return std::make_unique<ConjugateGradients>(model, make_sampled_preconditioner(model));
  case DualMethod::pcg_woodbury:
    return std::make_unique<ConjugateGradients>(model, make_woodbury_preconditioner(model));
  default:
    return std::make_unique<FullNewton>(model);
  }
}

} // namespace drr
