#include "drr/tilt.hpp"

#include "core/tilt/tilt_pass.hpp"

#include <cmath>

namespace drr {

double tilt(const TiltInput& input, const TiltOutput& output, const Execution& execution) {
  validate(input.features);
  const std::vector<double> no_shift(input.shift.empty() ? input.theta.size() : 0, 0.0);
  const auto rows =
      make_row_blocks(input.features, input.shift.empty() ? no_shift.data() : input.shift.data());
  ThreadPool pool(execution);
  TiltPass pass(*rows, pool);

  const LogSum sum = pass.weights_and_mean(input.theta, input.log_base_weights, output.weights, output.mean);

  // Empty log_base_weights stand for log(1/n0) on every row: a constant that changes neither the
  // weights nor the mean.
  const double uniform = input.log_base_weights.empty() ? std::log(static_cast<double>(rows->n_rows())) : 0.0;
  return sum.value() - uniform;
}

} // namespace drr
