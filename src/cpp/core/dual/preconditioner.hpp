// What conjugate gradients ask of a preconditioner.
#pragma once

#include "core/dual/dual_model.hpp"

#include <memory>
#include <string_view>

namespace drr {

// An approximation of ∇²f that is cheap to invert.
class Preconditioner {
public:
  virtual ~Preconditioner() = default;
  virtual std::string_view name() const = 0;
  virtual void prepare(const DualPoint& point) = 0;
  // z = P⁻¹ r
  virtual void apply(const Eigen::VectorXd& r, Eigen::VectorXd& z) const = 0;
};

using MakePreconditioner = std::unique_ptr<Preconditioner> (*)(DualModel&);

} // namespace drr
