#include "drr/dual.hpp"

#include "core/dual/dual_certificate.hpp"
#include "core/dual/dual_minimiser.hpp"
#include "core/dual/dual_regime.hpp"
#include "core/dual/dual_start.hpp"
#include "core/dual/paper_newton.hpp"
#include "core/dual/wide_dual.hpp"
#include "core/runtime/constants.hpp"
#include "drr/errors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace drr {

namespace {

// Newton needs about five; the weight of a row far beyond the others falls by a factor of e in each.
constexpr int default_max_iter = 500, paper_max_iter = 200;

void validate(const DualInput& input) {
  validate(input.features);
  if (!(std::isfinite(input.tolerance) && input.tolerance >= 0))
    throw InvalidInput("tolerance must be finite and not negative, got " + std::to_string(input.tolerance));
}

DualProblem problem_of(const DualInput& input) {
  return {input.features, input.target, input.log_base_weights, input.tolerance};
}

// The published algorithm does not look for a proof that there is no minimum; the point where it ended may be
// one.
Minimisation judged(DualModel& model, const DualPoint& point, const Minimisation& end) {
  const double bound = end.status == Status::converged ? unset : proof_of_infeasibility(model, point);
  return std::isnan(bound) ? end : Minimisation{Status::infeasible, end.n_iter, bound};
}

// The steps multiply distances by distances; beyond these, the products lose their digits or overflow.
void refuse_extreme_scale(double distance) {
  if (!(distance >= 1e-140 && distance <= 1e150))
    throw InvalidInput("the base mean is " + std::to_string(std::log10(distance)) +
                       " orders of magnitude from the target, beyond what squares in double precision can "
                       "hold; rescale features and target alike");
}

// Φᵀw: the point knows Aᵀw.
void write_mean(const DualPoint& point, const DualInput& input, std::span<double> mean) {
  for (std::size_t k = 0; k < mean.size(); ++k)
    mean[k] = point.mean[k] + input.target[k];
}

DualResult finish(DualModel& model, const DualInput& input, const DualPoint& point, const DualOutput& output,
                  const Minimisation& end, std::string_view method) {
  DualResult result = certificate_of(model, input, point);
  result.status = end.status;
  result.n_iter = end.n_iter;
  result.floor_lower_bound = end.floor_lower_bound;
  result.method = method;
  std::copy_n(point.theta.data(), point.theta.size(), output.theta.data());
  std::copy_n(point.weights.data(), point.weights.size(), output.weights.data());
  write_mean(point, input, output.mean);
  return result;
}

} // namespace

DualResult solve_dual(const DualInput& input, const DualOptions& options, const DualOutput& output,
                      const Execution& execution) {
  validate(input);
  ThreadPool pool(execution);
  DualModel model(problem_of(input), pool);

  // 1. The base weights may already do: then θ = 0 exactly.
  DualPoint point = base_point(model);
  write_mean(point, input, output.base_mean);
  const double base_discrepancy =
      std::isnan(input.base_discrepancy) ? point.mean.stableNorm() : input.base_discrepancy;
  if (base_discrepancy <= input.tolerance)
    return finish(model, input, point, output, {Status::zero_dual}, "zero");
  refuse_extreme_scale(base_discrepancy);

  // 2. A tolerance below the floor has no solution, and the dual no minimum.
  if (input.floor_lower_bound > input.tolerance)
    return finish(model, input, point, output, {Status::infeasible, 0, input.floor_lower_bound}, "floor");

  // 3. The published algorithm starts from zero.
  if (options.method == DualMethod::paper) {
    const Minimisation end =
        minimise_by_paper(model, point, options.max_iter > 0 ? options.max_iter : paper_max_iter);
    return finish(model, input, point, output, judged(model, point, end), "paper-newton");
  }

  // 4. Ours starts in the plane of the base mean and the floor's residual, and takes the cheapest inner
  // solve.
  const ConvergenceRule rule(input.tolerance, base_discrepancy);
  const int max_iter = options.max_iter > 0 ? options.max_iter : default_max_iter;
  const DualMethod method = options.method == DualMethod::automatic ? cheapest_method(model) : options.method;
  if (method == DualMethod::wide) {
    const Minimisation end =
        minimise_in_row_span(model, problem_of(input), point, input.floor_residual, rule, max_iter);
    return finish(model, input, point, output, end, "wide");
  }
  move_to_start(model, point, input.floor_residual);
  const auto inner = make_inner_solve(model, method);
  Minimisation end = minimise(model, point, *inner, rule, max_iter);
  // Where the tolerance is the base discrepancy to the last digits, rounding hides every way down from zero.
  if (end.status == Status::round_off && point.norm == 0 &&
      base_discrepancy - input.tolerance <= rule.gradient_goal)
    return finish(model, input, point, output, {Status::zero_dual, end.n_iter}, "zero");
  return finish(model, input, point, output, end, inner->name());
}

DualResult certify_dual(const DualInput& input, const DualOutput& output, const Execution& execution) {
  validate(input);
  ThreadPool pool(execution);
  DualModel model(problem_of(input), pool);
  double base_discrepancy = unset;
  if (input.tolerance == 0)
    base_discrepancy = base_point(model).mean.norm();
  DualPoint point;
  point.theta = Eigen::Map<const Eigen::VectorXd>(output.theta.data(), model.n_cols());
  model.evaluate_afresh(point);
  Minimisation end;
  if (point.norm == 0)
    end.status = point.mean.norm() <= input.tolerance ? Status::zero_dual : Status::iteration_limit;
  else if (ConvergenceRule(input.tolerance, base_discrepancy).accepts(model, point))
    end.status = Status::converged;
  else
    end = judged(model, point, end);
  return finish(model, input, point, output, end, end.status == Status::zero_dual ? "zero" : "certificate");
}

} // namespace drr
