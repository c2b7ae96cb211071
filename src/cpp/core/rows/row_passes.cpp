#include "core/rows/row_passes.hpp"

#include <Eigen/Core>

namespace drr {

namespace {
using Wide = Eigen::Map<Eigen::ArrayXd>;
using ConstWide = Eigen::Map<const Eigen::ArrayXd>;
} // namespace

RowPasses::RowPasses(const RowBlocks& rows, ThreadPool& pool)
    : rows_(rows), pool_(pool), chunks_(rows), sums_(chunks_.count(), pool.n_threads(), rows.n_cols()),
      tile_buffers_(pool.n_threads(), rows.rows_per_tile()) {}

void RowPasses::scores(const double* v, double* scores) {
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int) {
    chunks_.for_each_tile(chunk, [&](RowRange tile) { rows_.scores(tile, v, scores + tile.begin); });
  });
}

void RowPasses::weighted_sum(const double* u, double* sum) {
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int worker) {
    sums_.form(chunk, worker, [&](double* chunk_sum) {
      chunks_.for_each_tile(chunk,
                            [&](RowRange tile) { rows_.add_weighted(tile, u + tile.begin, chunk_sum); });
    });
  });
  add_partials(sum);
}

void RowPasses::product(const double* v, const double* weights, double* scores, double* sum) {
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int worker) {
    double* weighted = tile_buffers_[worker];
    sums_.form(chunk, worker, [&](double* chunk_sum) {
      chunks_.for_each_tile(chunk, [&](RowRange tile) {
        rows_.scores(tile, v, scores + tile.begin, CacheUse::first);
        Wide(weighted, tile.size()) =
            ConstWide(scores + tile.begin, tile.size()) * ConstWide(weights + tile.begin, tile.size());
        rows_.add_weighted(tile, weighted, chunk_sum, CacheUse::second);
      });
    });
  });
  add_partials(sum);
}

void RowPasses::weighted_squares(const double* u, double* sum) {
  const Index width = rows_.n_cols();
  ThreadBuffers copies(pool_.n_threads(), rows_.rows_per_tile() * width);
  pool_.run(chunks_.count(), Work::reading(rows_.n_rows() * width), [&](Index chunk, int worker) {
    sums_.form(chunk, worker, [&](double* chunk_sum) {
      chunks_.for_each_tile(chunk, [&](RowRange tile) {
        rows_.copy(tile, nullptr, copies[worker]);
        for (Index i = 0; i < tile.size(); ++i)
          Wide(chunk_sum, width) += u[tile.begin + i] * ConstWide(copies[worker] + i * width, width).square();
      });
    });
  });
  add_partials(sum);
}

void RowPasses::add_partials(double* sum) {
  Wide total(sum, rows_.n_cols());
  total.setZero();
  for (Index chunk = 0; chunk < chunks_.count(); ++chunk)
    total += ConstWide(sums_[chunk], rows_.n_cols());
}

} // namespace drr
