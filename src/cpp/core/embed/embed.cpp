#include "drr/embed.hpp"

#include "core/embed/embedder.hpp"
#include "core/runtime/thread_pool.hpp"
#include "drr/errors.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace drr {

namespace {

using AlignedVector = Eigen::Map<const Eigen::VectorXd, Eigen::AlignedMax>;
constexpr Index tiles_per_task = 32; // some 1500 rows: enough work to make handing out a task cheap

// Calls function(tile range, filled tile) for all rows, on all threads.
template <class Function>
void for_each_tile(const Embedder& embedder, Index n_rows, const Execution& execution, Function&& function) {
  constexpr Index rows_per_task = tiles_per_task * Embedder::rows_per_tile;
  ThreadPool pool(execution);
  std::vector<EmbeddedTile> tiles(pool.n_threads());
  for (EmbeddedTile& tile : tiles)
    tile = embedder.make_tile();
  const Work work = Work::exponentials(n_rows * (1 + embedder.wave_stride()));
  pool.run((n_rows + rows_per_task - 1) / rows_per_task, work, [&](Index task, int worker) {
    const Index end = std::min(n_rows, (task + 1) * rows_per_task);
    for (Index begin = task * rows_per_task; begin < end; begin += Embedder::rows_per_tile) {
      const RowRange rows{begin, std::min(end, begin + Embedder::rows_per_tile)};
      embedder.fill(rows, tiles[worker]);
      function(rows, tiles[worker]);
    }
  });
}

template <class Scalar>
void scaled_copy(const double* from, Index n, double factor, Scalar* to) {
  for (Index k = 0; k < n; ++k)
    to[k] = static_cast<Scalar>(factor * from[k]);
}

template <class Scalar>
void write_row(const FeatureMap& map, const Embedder& embedder, Index i, const double* z, const double* waves,
               const DenseOutput<Scalar>& output) {
  Scalar* linear = output.data + i * output.row_stride;
  Scalar* one_hot = linear + map.n_linear();
  scaled_copy(z, map.n_linear(), map.linear_factor, linear);
  std::fill_n(one_hot, map.n_levels(), Scalar(0));
  embedder.for_each_level(i, [&](Index level) { one_hot[level] = static_cast<Scalar>(map.one_hot_factor); });
  scaled_copy(waves, map.n_waves(), map.fourier_factor, one_hot + map.n_levels());
}

template <class Scalar, class Ordinal>
void write_row(const FeatureMap& map, const Embedder& embedder, Index i, const double* z, const double* waves,
               const CsrOutput<Scalar, Ordinal>& output) {
  Index n_entries = map.n_linear() + map.n_waves();
  embedder.for_each_level(i, [&](Index) { ++n_entries; });
  if (static_cast<Index>(output.offsets[i + 1]) - static_cast<Index>(output.offsets[i]) != n_entries)
    throw InvalidInput("offsets allot row " + std::to_string(i) + " other than its " +
                       std::to_string(n_entries) + " entries");
  Scalar* values = output.values + output.offsets[i];
  Ordinal* columns = output.columns + output.offsets[i];

  const auto write_run = [&](const double* from, Index n, double factor, Index first_column) {
    scaled_copy(from, n, factor, values);
    for (Index k = 0; k < n; ++k)
      columns[k] = static_cast<Ordinal>(first_column + k);
    values += n;
    columns += n;
  };
  write_run(z, map.n_linear(), map.linear_factor, 0);
  embedder.for_each_level(i, [&](Index level) {
    *values++ = static_cast<Scalar>(map.one_hot_factor);
    *columns++ = static_cast<Ordinal>(map.n_linear() + level);
  });
  write_run(waves, map.n_waves(), map.fourier_factor, map.n_linear() + map.n_levels());
}

// A part of θ times its block's factor, padded with zeros to the stride of the tile.
Eigen::VectorXd padded(std::span<const double> theta, double factor, Index stride) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(stride);
  std::transform(theta.begin(), theta.end(), result.data(), [=](double value) { return factor * value; });
  return result;
}

} // namespace

void embed(const FeatureMap& map, const RawRows& rows, const EmbedOutput& output,
           const Execution& execution) {
  const Embedder embedder(map, rows);
  std::visit(
      [&](const auto& out) {
        for_each_tile(embedder, rows.n_rows, execution, [&](RowRange range, const EmbeddedTile& tile) {
          for (Index row = 0; row < range.size(); ++row)
            write_row(map, embedder, range.begin + row, tile.z.data() + row * embedder.z_stride(),
                      tile.waves.data() + row * embedder.wave_stride(), out);
        });
      },
      output);
}

void embed_scores(const FeatureMap& map, const RawRows& rows, std::span<const double> theta,
                  std::span<double> scores, const Execution& execution) {
  const Embedder embedder(map, rows);
  const auto n_linear = static_cast<std::size_t>(map.n_linear()),
             n_levels = static_cast<std::size_t>(map.n_levels());
  const Eigen::VectorXd linear = padded(theta.first(n_linear), map.linear_factor, embedder.z_stride());
  const Eigen::VectorXd fourier =
      padded(theta.subspan(n_linear + n_levels), map.fourier_factor, embedder.wave_stride());
  const double* one_hot = theta.data() + n_linear;

  for_each_tile(embedder, rows.n_rows, execution, [&](RowRange range, const EmbeddedTile& tile) {
    for (Index row = 0; row < range.size(); ++row) {
      double levels = 0;
      embedder.for_each_level(range.begin + row, [&](Index level) { levels += one_hot[level]; });
      scores[range.begin + row] =
          map.one_hot_factor * levels +
          AlignedVector(tile.z.data() + row * embedder.z_stride(), linear.size()).dot(linear) +
          AlignedVector(tile.waves.data() + row * embedder.wave_stride(), fourier.size()).dot(fourier);
    }
  });
}

} // namespace drr
