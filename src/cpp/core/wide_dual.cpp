#include "core/wide_dual.hpp"

#include "core/dual_regime.hpp"
#include "core/row_span.hpp"

namespace drr {

Minimisation minimise_in_row_span(DualModel& model, const DualProblem& problem, DualPoint& point,
                                  std::span<const double> floor_residual, const ConvergenceRule& rule,
                                  int max_iter) {
  // 1. The same problem in coordinates of the span. Its target is the origin, because the factor's rows are
  // shifted.
  const RowSpan span(model.rows(), model.pool());
  const std::vector<double> origin(span.rank(), 0.0);
  std::vector<double> log_base_weights;
  for (std::size_t j = 0; j < problem.log_base_weights.size(); ++j)
    log_base_weights.push_back(problem.log_base_weights[span.order()[j]]);
  DualModel narrow({span.factor(), origin, log_base_weights, problem.tolerance}, model.pool());

  // 2. Minimised there. The floor's residual is a combination of the rows, so it has coordinates as well.
  Eigen::VectorXd narrow_residual;
  if (!floor_residual.empty()) {
    Direction residual{Eigen::Map<const Eigen::VectorXd>(floor_residual.data(), model.n_cols()), {}};
    model.compute_scores(residual);
    narrow_residual = span.coordinates(residual.scores);
  }
  DualPoint inside = base_point(narrow);
  move_to_start(narrow, inside, {narrow_residual.data(), static_cast<std::size_t>(narrow_residual.size())});
  const auto inner = make_inner_solve(narrow, cheapest_method(narrow));
  Minimisation end = minimise(narrow, inside, *inner, rule, max_iter);
  if (end.status == Status::infeasible)
    return end;

  // 3. Taken back, and judged in the original coordinates. The Gram matrix squares the condition of the rows;
  // what that cost is made good by steps with the rows themselves.
  point.theta = span.direction(inside.theta);
  model.evaluate_afresh(point);
  const auto finishing = make_inner_solve(model, DualMethod::pcg_woodbury);
  const Minimisation finish = minimise(model, point, *finishing, rule, max_iter);
  return {finish.status, end.n_iter + finish.n_iter, finish.floor_lower_bound};
}

} // namespace drr
