#include "drr/floor.hpp"

#include "core/floor/min_norm_point_floor.hpp"
#include "core/floor/pairwise_frank_wolfe_floor.hpp"
#include "drr/floor_blocks.hpp"

#include <cmath>

namespace drr {

namespace {
// Both are far beyond what either method needs on well-posed rows; the second is the published one.
constexpr Index max_passes = 1000;
constexpr Index max_frank_wolfe_steps = 20000;
} // namespace

Floor find_floor(const FloorInput& input, const FloorOptions& options, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.target.data());
  ThreadPool pool(execution);
  FloorPasses passes(*rows, input.base_weights, pool);
  const RowSurvey survey = passes.survey();
  check_distances(survey.largest_norm, survey.largest_coordinate);

  Floor floor;
  switch (options.method) {
  case FloorMethod::min_norm_point:
    floor = min_norm_point_floor(passes, survey, options.max_iter > 0 ? options.max_iter : max_passes);
    break;
  case FloorMethod::pairwise_frank_wolfe:
    floor = pairwise_frank_wolfe_floor(passes, survey,
                                       options.max_iter > 0 ? options.max_iter : max_frank_wolfe_steps);
    break;
  }
  floor.n_passes = passes.count();
  floor.base_mean = survey.mean; // of the shifted rows
  for (std::size_t k = 0; k < floor.base_mean.size(); ++k)
    floor.base_mean[k] += input.target[k];
  return floor;
}

} // namespace drr
