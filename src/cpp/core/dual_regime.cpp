#include "core/dual_regime.hpp"

#include <cassert>

namespace drr {

DualMethod cheapest_method(const DualModel& model, const DualPoint& point) {
  const auto n = static_cast<double>(model.n_rows()), K = static_cast<double>(model.n_cols());
  const double ess = 1.0 / point.weights.squaredNorm();
  if (K > n)
    return DualMethod::wide;
  if (K <= 64)
    return DualMethod::newton;
  if (K <= 600 && n > 8 * K)
    return DualMethod::pcg_sampled;
  if (K > 300 && ess < K)
    return DualMethod::pcg_woodbury;
  return DualMethod::newton;
}

std::unique_ptr<InnerSolve> make_inner_solve(DualModel& model, DualMethod method) {
  switch (method) {
  case DualMethod::newton:
    return std::make_unique<FullNewton>(model);
  case DualMethod::pcg_sampled:
    return std::make_unique<ConjugateGradients>(model, make_sampled_preconditioner(model));
  case DualMethod::pcg_woodbury:
    return std::make_unique<ConjugateGradients>(model, make_woodbury_preconditioner(model));
  case DualMethod::automatic:
  case DualMethod::wide:
  case DualMethod::paper:
    break;
  }
  assert(false);
  return nullptr;
}

} // namespace drr
