#include "core/dual/dual_regime.hpp"

#include "core/dual/conjugate_gradients.hpp"
#include "core/dual/full_newton.hpp"
#include "core/dual/sampled_preconditioner.hpp"
#include "core/dual/woodbury_preconditioner.hpp"

#include <cassert>

namespace drr {

namespace {
// Measured on one core in units of one weighted Gram matrix of all rows (python -m
// benchmarks.speed): a Newton iteration costs 1.2 and there are 4 to 7; a pass costs 0.03 to 0.17
// and conjugate gradients make 16 to 50.
constexpr Index narrow = 64;     // the Hessian costs no more than two passes
constexpr Index few_rows = 1024; // their Gram matrix costs no more than the passes it saves
constexpr Index max_hessian_columns =
    3000; // columns; K² doubles are then 72 MB, and its factor a second's work
// A sample of 12K rows costs less than a Gram matrix of all rows from here on, and there are steps
// to repay it.
constexpr Index rows_per_column = 16;
constexpr double max_exact_work = 2e10; // products of a Gram matrix that take about a second
} // namespace

DualMethod cheapest_method(const DualModel& model) {
  const Index n = model.n_rows(), K = model.n_cols();
  if (K <= narrow)
    return DualMethod::newton;
  if (K > n && n <= few_rows)
    return DualMethod::wide;
  if (K <= max_hessian_columns && n > rows_per_column * K)
    return DualMethod::pcg_sampled;
  return DualMethod::pcg_woodbury;
}

std::unique_ptr<InnerSolve> make_inner_solve(DualModel& model, DualMethod method) {
  switch (method) {
  case DualMethod::newton:
    return std::make_unique<FullNewton>(model);
  case DualMethod::pcg_sampled:
    return std::make_unique<ConjugateGradients>(model, make_sampled_preconditioner);
  case DualMethod::pcg_woodbury:
    return std::make_unique<ConjugateGradients>(
        model, make_woodbury_preconditioner,
        model.n_cols() <= max_hessian_columns ? make_sampled_preconditioner : nullptr);
  case DualMethod::automatic:
  case DualMethod::wide:
  case DualMethod::paper:
    break;
  }
  assert(false);
  return nullptr;
}

std::unique_ptr<InnerSolve> make_exact_inner_solve(DualModel& model) {
  const double columns = static_cast<double>(model.n_cols());
  const double work = columns * columns * (static_cast<double>(model.n_rows()) + columns);
  return work <= max_exact_work ? make_inner_solve(model, DualMethod::newton) : nullptr;
}

} // namespace drr
