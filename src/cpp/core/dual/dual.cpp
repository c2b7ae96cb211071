#include "drr/dual.hpp"

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
#include <vector>

namespace drr {

namespace {

// Newton needs about five; the weight of a row far beyond the others falls by a factor of
// e in each.
constexpr int default_max_iter = 500, paper_max_iter = 200;

void validate(const DualInput& input) {
  validate(input.features);
  if (!(std::isfinite(input.tolerance) && input.tolerance >= 0))
    throw InvalidInput("tolerance must be finite and not negative, got " + std::to_string(input.tolerance));
  if (input.floor_support.size() != input.floor_support_weights.size())
    throw InvalidInput("the floor has " + std::to_string(input.floor_support.size()) + " rows and " +
                       std::to_string(input.floor_support_weights.size()) + " weights of them");
}

DualProblem problem_of(const DualInput& input) {
  return {input.features, input.target, input.log_base_weights, input.tolerance};
}

// The published algorithm does not look for a proof that there is no minimum; the point where it
// ended may be one.
Minimisation with_proof(DualModel& model, const DualPoint& point, const DualJudge& judge,
                        const Minimisation& end) {
  if (end.status == Status::converged)
    return end;
  const double bound = proof_of_infeasibility(model, point, model.sums(point), judge);
  return std::isnan(bound) ? end : Minimisation{Status::infeasible, end.n_iter, bound};
}

// The steps multiply distances by distances; beyond these, the products lose their
// digits or overflow.
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

// The floor as a certificate needs it at a point: log wᵢ of the rows that carry it, and their mean.
class FloorAtPoint {
public:
  FloorAtPoint(const DualModel& model, const DualInput& input, const DualPoint& point)
      : mean_(model.n_cols(), 0.0) {
    const double uniform = std::log(static_cast<double>(model.n_rows()));
    for (std::size_t k = 0; k < input.floor_support.size(); ++k) {
      const Index row = input.floor_support[k]; // read once: the caller's array may change
      const double weight = input.floor_support_weights[k];
      if (row < 0 || row >= model.n_rows())
        throw InvalidInput("the floor has weight on row " + std::to_string(row) + " of " +
                           std::to_string(model.n_rows()) + " rows");
      model.rows().add_weighted({row, row + 1}, &weight, mean_.data());
      const double log_d = input.log_base_weights.empty() ? -uniform : input.log_base_weights[row];
      weights_.push_back(weight);
      log_weights_.push_back(log_d + point.scores[row] - point.log_partition);
    }
  }
  FloorMixture mixture() const { return {weights_, log_weights_, mean_}; }

private:
  std::vector<double> weights_, log_weights_, mean_;
};

DualResult finish(DualModel& model, const DualInput& input, const DualPoint& point, const DualOutput& output,
                  const Minimisation& end, std::string_view method) {
  DualSums sums = model.sums(point);
  sums.square_sum = point.weights.squaredNorm();
  DualResult result;
  if (!input.floor_support.empty() && point.mean.stableNorm() > input.tolerance) {
    const FloorAtPoint floor(model, input, point);
    const FloorMixture mixture = floor.mixture();
    static_cast<DualCertificate&>(result) = certify_sums(sums, input.target, input.tolerance, &mixture);
  } else {
    static_cast<DualCertificate&>(result) = certify_sums(sums, input.target, input.tolerance, nullptr);
  }
  result.status = end.status;
  result.n_iter = end.n_iter;
  result.floor_lower_bound = end.floor_lower_bound;
  result.method = end.status == Status::zero_dual ? "zero" : method;
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
  const DualJudge judge(input.tolerance, base_discrepancy);
  if (options.method == DualMethod::paper) {
    const Minimisation end =
        minimise_by_paper(model, point, options.max_iter > 0 ? options.max_iter : paper_max_iter);
    return finish(model, input, point, output, with_proof(model, point, judge, end), "paper-newton");
  }

  // 4. The fast method starts in the plane of the base mean and a known direction, and takes the
  // cheapest inner solve.
  const int max_iter = options.max_iter > 0 ? options.max_iter : default_max_iter;
  const DualMethod method = options.method == DualMethod::automatic ? cheapest_method(model) : options.method;
  if (method == DualMethod::wide) {
    const Minimisation end =
        minimise_in_row_span(model, problem_of(input), point, input.start_direction, judge, max_iter);
    return finish(model, input, point, output, end, "wide");
  }
  move_to_start(model, point, input.start_direction);
  const auto inner = make_inner_solve(model, method);
  const Minimisation end = minimise(model, point, *inner, judge, max_iter);
  return finish(model, input, point, output, end, inner->name());
}

DualResult certify_dual(const DualInput& input, const DualOutput& output, const Execution& execution) {
  validate(input);
  ThreadPool pool(execution);
  DualModel model(problem_of(input), pool);
  DualPoint point;
  point.theta = Eigen::Map<const Eigen::VectorXd>(output.theta.data(), model.n_cols());
  model.evaluate_afresh(point);
  double base_discrepancy = input.base_discrepancy;
  if (std::isnan(base_discrepancy) && (point.norm == 0 || input.tolerance == 0))
    base_discrepancy = (point.norm == 0 ? point : base_point(model)).mean.stableNorm();
  const DualJudge judge(input.tolerance, base_discrepancy);
  Minimisation end;
  if (point.norm == 0)
    end.status = base_discrepancy <= input.tolerance ? Status::zero_dual : Status::iteration_limit;
  else if (judge.is_minimum(model.sums(point)))
    end.status = Status::converged;
  else
    end = with_proof(model, point, judge, end);
  return finish(model, input, point, output, end, "certificate");
}

} // namespace drr
