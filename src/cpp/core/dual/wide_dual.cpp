#include "core/dual/wide_dual.hpp"

#include "core/dual/dual_regime.hpp"
#include "core/dual/dual_start.hpp"
#include "core/linalg/row_span.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace drr {

namespace {

// The factor of the rows has seven digits, so inside the span nothing is gained by going further
// than this times the goal.
constexpr double rough = 100;
constexpr int max_corrections = 4; // each gains several digits, or the span is a poor one

// The same problem in coordinates of the span. Its target is the origin, because the factor's
// rows are shifted.
class NarrowDual {
public:
  NarrowDual(DualModel& model, const DualProblem& problem)
      : wide_(model), span_(model.rows(), model.pool()), origin_(span_.rank(), 0.0),
        log_base_weights_(in_order(problem.log_base_weights)),
        narrow_({span_.factor(), origin_, log_base_weights_, problem.tolerance}, model.pool()),
        inner_(make_inner_solve(narrow_, cheapest_method(narrow_))) {}

  Minimisation minimise(std::span<const double> start_direction, const DualJudge& judge, int max_iter) {
    Eigen::VectorXd start;
    if (!start_direction.empty()) // a combination of the rows, so it has coordinates as well
      start = coordinates(Eigen::Map<const Eigen::VectorXd>(start_direction.data(), wide_.n_cols()));
    point_ = base_point(narrow_);
    move_to_start(narrow_, point_, {start.data(), static_cast<std::size_t>(start.size())});
    return drr::minimise(narrow_, point_, *inner_, judge.content_with(rough), max_iter);
  }

  Eigen::VectorXd theta() const { return span_.direction(point_.theta); }

  // The Newton direction inside the span for the gradient that the rows themselves have at a point.
  Eigen::VectorXd newton_step(const DualPoint& at, double gradient_goal) {
    point_.theta = span_.coordinates(at.scores);
    narrow_.evaluate_afresh(point_);
    point_.gradient = coordinates(at.gradient);
    Direction inside;
    inner_->solve(point_, gradient_goal, inside);
    return span_.direction(inside.step);
  }

private:
  std::vector<double> in_order(std::span<const double> of_rows) const {
    std::vector<double> ordered;
    for (std::size_t j = 0; j < of_rows.size(); ++j)
      ordered.push_back(of_rows[span_.order()[j]]);
    return ordered;
  }

  Eigen::VectorXd coordinates(Eigen::VectorXd vector) {
    Direction of_rows{std::move(vector), {}};
    wide_.compute_scores(of_rows);
    return span_.coordinates(of_rows.scores);
  }

  DualModel& wide_;
  RowSpan span_;
  std::vector<double> origin_, log_base_weights_;
  DualModel narrow_;
  std::unique_ptr<InnerSolve> inner_;
  DualPoint point_;
};

// Steps in the original coordinates with directions from inside the span.
class Correction final : public InnerSolve {
public:
  Correction(DualModel& model, NarrowDual& narrow) : model_(model), narrow_(narrow) {}
  std::string_view name() const override { return "wide"; }
  void solve(const DualPoint& point, double gradient_goal, Direction& direction) override {
    direction.step = narrow_.newton_step(point, gradient_goal);
    model_.compute_scores(direction);
  }

private:
  DualModel& model_;
  NarrowDual& narrow_;
};

} // namespace

Minimisation minimise_in_row_span(DualModel& model, const DualProblem& problem, DualPoint& point,
                                  std::span<const double> start_direction, const DualJudge& judge,
                                  int max_iter) {
  // 1. Minimised inside the span.
  NarrowDual narrow(model, problem);
  const Minimisation inside = narrow.minimise(start_direction, judge, max_iter);

  // 2. Taken back, and corrected by what the rows themselves say; they also decide whether what
  // proves a tolerance infeasible inside the span does so outside.
  point.theta = narrow.theta();
  model.evaluate_afresh(point);
  Correction correction(model, narrow);
  int left = max_iter - inside.n_iter;
  const Minimisation corrected = minimise(model, point, correction, judge, std::min(max_corrections, left));
  left -= corrected.n_iter;
  if (corrected.status == Status::converged || corrected.status == Status::infeasible)
    return {corrected.status, max_iter - left, corrected.floor_lower_bound};

  // 3. What of a gradient lies outside a span that rounding has narrowed is left to steps that
  // know no span.
  const auto finishing = make_inner_solve(model, DualMethod::pcg_woodbury);
  const Minimisation finish = minimise(model, point, *finishing, judge, left);
  return {finish.status, max_iter - left + finish.n_iter, finish.floor_lower_bound};
}

} // namespace drr
