// The inner solve of an outer Newton iteration: a direction p with ∇²f p ≈ −g, and its scores.
#pragma once

#include "core/dual/dual_model.hpp"

#include <string_view>

namespace drr {

class InnerSolve {
public:
  virtual ~InnerSolve() = default;
  virtual std::string_view name() const = 0;
  // `gradient_goal` is the norm at which the outer iteration will be content: nothing need be
  // solved beyond it.
  virtual void solve(const DualPoint& point, double gradient_goal, Direction& direction) = 0;
};

} // namespace drr
