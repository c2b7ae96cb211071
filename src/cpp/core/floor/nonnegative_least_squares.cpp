#include "core/floor/nonnegative_least_squares.hpp"

#include "core/runtime/constants.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace drr {

namespace {

// Relative to the largest pivot; rows beyond it are counted as dependent on the others and get no
// weight. Such a row may undercut the scores of the others by as much, so this is also how near
// the two bounds can come, in units of the rows' size: no more than rounding may be given away. A
// pivot that is itself rounding does no harm: a row enters only if it shortens the residual,
// which is measured.
constexpr double min_pivot = 4 * epsilon;

// The least-squares solution over the passive rows, and its residual e₁ − Bᵀv.
class PassiveRows {
public:
  explicit PassiveRows(const WorkingSet& set) : set_(set) {}

  std::vector<Index> slots; // the rows that may carry weight

  void solve() {
    const Index height = set_.n_cols() + 1, width = std::ssize(slots);
    residual.setZero(height);
    residual[0] = 1;
    solution.resize(width);
    if (width == 0) // all rows lost their weight in a step
      return;
    Eigen::MatrixXd columns(height, width);
    for (Index k = 0; k < width; ++k) {
      columns(0, k) = 1;
      columns.col(k).tail(height - 1) = set_.row(slots[k]);
    }
    qr_.setThreshold(min_pivot);
    qr_.compute(columns);
    solution = qr_.solve(residual);
    // What is left of e₁ outside the span; the second round removes the rounding of the first.
    for (int round = 0; round < 2; ++round) {
      residual.applyOnTheLeft(qr_.householderQ().adjoint());
      residual.head(qr_.rank()).setZero();
      residual.applyOnTheLeft(qr_.householderQ());
    }
  }

  Eigen::VectorXd solution; // per passive row; zero for dependent ones
  Eigen::VectorXd residual;

private:
  const WorkingSet& set_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
};

// Moves the weights towards the solution until one reaches zero; such rows become active again.
// True if the solution itself was reached.
bool step_towards(PassiveRows& passive, Eigen::VectorXd& v) {
  double length = 1;
  for (std::size_t k = 0; k < passive.slots.size(); ++k)
    if (const double goal = passive.solution[k], from = v[passive.slots[k]]; goal <= 0)
      length = std::min(length, from / (from - goal));
  std::vector<Index> remaining;
  for (std::size_t k = 0; k < passive.slots.size(); ++k) {
    const Index slot = passive.slots[k];
    const double goal = passive.solution[k];
    v[slot] += length * (goal - v[slot]);
    if ((goal <= 0 && v[slot] <= epsilon) || !(v[slot] > 0))
      v[slot] = 0;
    else
      remaining.push_back(slot);
  }
  const bool reached = remaining.size() == passive.slots.size();
  passive.slots = std::move(remaining);
  return reached;
}

} // namespace

void nonnegative_least_squares(const WorkingSet& set, double tolerance, ThreadPool& pool,
                               Eigen::VectorXd& weights, Eigen::VectorXd& x) {
  const double largest_norm = std::sqrt(1 + set.gram().diagonal().maxCoeff());
  const Eigen::VectorXd given = weights;
  PassiveRows passive(set);
  for (Index slot = 0; slot < set.size(); ++slot)
    if (weights[slot] > 0)
      passive.slots.push_back(slot);

  std::vector<char> refused(set.size(), 0);
  Eigen::VectorXd scores;
  for (Index round = 0; round < 3 * set.size() + 100; ++round) {
    pool.poll();
    // 1. The best feasible weights on the passive rows.
    passive.solve();
    while (!step_towards(passive, weights))
      passive.solve();

    // 2. The row that shortens the residual most becomes passive, if it then wants
    // a positive weight.
    set.scores(passive.residual.tail(set.n_cols()), scores);
    scores.array() += passive.residual[0];
    const double slack = std::max(tolerance * passive.residual.squaredNorm(),
                                  8 * epsilon * largest_norm * passive.residual.norm());
    for (Index slot : passive.slots)
      refused[slot] = 0;
    bool entered = false;
    while (!entered) {
      Index best = -1;
      for (Index slot = 0; slot < set.size(); ++slot)
        if (weights[slot] == 0 && !refused[slot] && scores[slot] > slack &&
            (best < 0 || scores[slot] > scores[best]))
          best = slot;
      if (best < 0)
        break;
      refused[best] = 1; // comes once, until the residual has changed for the better
      PassiveRows wider(set);
      wider.slots = passive.slots;
      wider.slots.push_back(best);
      wider.solve();
      entered = wider.solution[wider.solution.size() - 1] > 0 &&
                wider.residual.squaredNorm() < passive.residual.squaredNorm();
      if (entered)
        passive.slots = std::move(wider.slots);
    }
    if (!entered)
      break;
  }
  const double total = weights.sum();
  if (!(total > 0)) { // no row could enter again: what was given is still the best
    weights = given;
    return;
  }
  weights /= total;
  x = passive.residual.tail(set.n_cols()) / -total;
}

} // namespace drr
