// What proves a dual: its figures, from the point alone, and the rules that judge them.
#pragma once

#include "core/dual/dual_model.hpp"
#include "drr/dual.hpp"

namespace drr {

// When an iterate counts as the solution. All rules are relative: scaling the features changes nothing.
struct ConvergenceRule {
  double gradient_goal; // 1e-9·δ, or 1e-9·γ where δ = 0

  ConvergenceRule(double tolerance, double base_discrepancy)
      : gradient_goal(1e-9 * (tolerance > 0 ? tolerance : base_discrepancy)) {}
  // |θᵀg| ≤ max(1e-11, 64·eps·maxᵢ|aᵢᵀθ|) nats, and ‖g‖ within its goal
  bool accepts(DualModel& model, const DualPoint& point) const;
};

// −maxᵢ aᵢᵀθ/‖θ‖: by weak duality no weights bring ‖Aᵀw‖ below it. NaN unless it proves that δ cannot be
// reached.
double proof_of_infeasibility(DualModel& model, const DualPoint& point);

// The figures of a freshly evaluated point. Where ‖Aᵀw‖ exceeds δ by rounding, the gap is that of w mixed
// with the floor's weights until feasible, if those are known: rigorous, because the mixture is a feasible
// point of the primal.
DualResult certificate_of(DualModel& model, const DualInput& input, const DualPoint& point);

} // namespace drr
