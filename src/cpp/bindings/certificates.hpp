// Certificates as Python sees them.
#pragma once

#include "bindings/numpy_views.hpp"
#include "drr/dual_judge.hpp"

namespace drr::bindings {

inline py::dict certificate_values(const DualCertificate& certificate) {
  py::dict values;
  values["log_partition"] = certificate.log_partition;
  values["discrepancy"] = certificate.discrepancy;
  values["gap"] = certificate.gap;
  values["gradient_norm"] = certificate.gradient_norm;
  values["kl"] = certificate.kl;
  values["ess"] = certificate.ess;
  return values;
}

} // namespace drr::bindings
