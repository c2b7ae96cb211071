#include "core/floor/nonnegative_least_squares.hpp"

#include "core/floor/passive_rows.hpp"
#include "core/runtime/constants.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace drr {

namespace {

// Moves the weights towards the solution until one reaches zero; such rows become active again.
// True if the solution itself was reached.
bool step_towards(PassiveRows& passive, Eigen::VectorXd& v) {
  double length = 1;
  for (Index k = 0; k < passive.size(); ++k)
    if (const double goal = passive.solution[k], from = v[passive.slots()[k]]; goal <= 0)
      length = std::min(length, from / (from - goal));
  bool reached = true;
  for (Index k = passive.size() - 1; k >= 0; --k) {
    const Index slot = passive.slots()[k];
    const double goal = passive.solution[k];
    v[slot] += length * (goal - v[slot]);
    if ((goal <= 0 && v[slot] <= epsilon) || !(v[slot] > 0)) {
      v[slot] = 0;
      passive.remove(k);
      reached = false;
    }
  }
  return reached;
}

} // namespace

void nonnegative_least_squares(const WorkingSet& set, double tolerance, ThreadPool& pool,
                               Eigen::VectorXd& weights, Eigen::VectorXd& x) {
  const double largest_norm = std::sqrt(1 + set.gram().diagonal().maxCoeff());
  const Eigen::VectorXd given = weights;
  PassiveRows passive(set);
  for (Index slot = 0; slot < set.size(); ++slot)
    if (weights[slot] > 0 && !passive.append(slot))
      weights[slot] = 0; // the others can carry it as well

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
    for (Index slot : passive.slots())
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
      const double before = passive.residual.squaredNorm();
      if (!passive.append(best))
        continue;
      passive.solve();
      entered = passive.solution[passive.size() - 1] > 0 && passive.residual.squaredNorm() < before;
      if (!entered) {
        passive.remove(passive.size() - 1);
        passive.solve();
      }
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
