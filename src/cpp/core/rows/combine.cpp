#include "drr/combine.hpp"

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

#include <algorithm>
#include <vector>

namespace drr {

void combine(const FeatureView& features, std::span<const double> coefficients, std::span<double> sum,
             const Execution& execution) {
  validate(features);
  const std::vector<double> origin(sum.size(), 0.0);
  const auto rows = make_row_blocks(features, origin.data());
  const Chunks chunks(*rows);
  ThreadPool pool(execution);
  ChunkSums sums(chunks.count(), pool.n_threads(), rows->n_cols());
  pool.run(chunks.count(), Work::reading(rows->n_numbers()), [&](Index chunk, int worker) {
    sums.form(chunk, worker, [&](double* part) {
      chunks.for_each_tile(
          chunk, [&](RowRange tile) { rows->add_weighted(tile, coefficients.data() + tile.begin, part); });
    });
  });
  std::fill(sum.begin(), sum.end(), 0.0);
  for (Index chunk = 0; chunk < chunks.count(); ++chunk)
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += sums[chunk][k];
}

} // namespace drr
