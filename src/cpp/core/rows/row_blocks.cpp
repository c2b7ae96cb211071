#include "core/rows/row_blocks.hpp"

#include "core/rows/csr_rows.hpp"
#include "core/rows/dense_rows.hpp"
#include "drr/errors.hpp"

#include <algorithm>
#include <vector>

namespace drr {

namespace {

// Half of a common first-level data cache: the other half holds θ, the shift, the sum and what
// is being fetched.
constexpr double tile_bytes = 16 * 1024;
constexpr Index min_tile_rows = 4;   // rows are handled four or eight at a time
constexpr Index max_tile_rows = 256; // bounds the buffers of a tile for narrow rows
constexpr Index max_chunks = 64;     // enough for any sensible number of threads; bounds the partial sums
// Writing and adding the chunks' sums must cost little beside reading their rows.
constexpr Index min_rows_per_chunk = 32;

} // namespace

RowBlocks::RowBlocks(Index n_rows, Index n_cols, const double* shift, double bytes_per_row)
    : n_rows_(n_rows), n_cols_(n_cols), shift_(shift) {
  const auto fitting = static_cast<Index>(tile_bytes / std::max(1.0, bytes_per_row));
  rows_per_tile_ = std::clamp(fitting / min_tile_rows * min_tile_rows, min_tile_rows, max_tile_rows);
}

void RowBlocks::copy_columns(RowRange rows, RowRange columns, double* out) const {
  std::vector<double> row(n_cols_);
  for (Index i = rows.begin; i < rows.end; ++i, out += columns.size()) {
    copy({i, i + 1}, nullptr, row.data());
    std::copy(row.begin() + columns.begin, row.begin() + columns.end, out);
  }
}

namespace {

template <class Scalar>
std::unique_ptr<RowBlocks> rows_of(const DenseView<Scalar>& view, const double* shift) {
  return std::make_unique<DenseRows<Scalar>>(view, shift);
}

template <class Scalar, class Ordinal>
std::unique_ptr<RowBlocks> rows_of(const CsrView<Scalar, Ordinal>& view, const double* shift) {
  return std::make_unique<CsrRows<Scalar, Ordinal>>(view, shift);
}

} // namespace

std::unique_ptr<RowBlocks> make_row_blocks(const FeatureView& features, const double* shift) {
  return std::visit([shift](const auto& view) { return rows_of(view, shift); }, features);
}

void throw_nonfinite(const RowBlocks& rows, const char* otherwise) {
  const std::string position = rows.find_nonfinite();
  throw InvalidInput(position.empty() ? otherwise
                                      : "features contains NaN or infinity at " + position +
                                            "; impute or drop such rows before raking");
}

Chunks::Chunks(const RowBlocks& rows) : n_rows_(rows.n_rows()), rows_per_tile_(rows.rows_per_tile()) {
  const Index n_tiles = (n_rows_ + rows_per_tile_ - 1) / rows_per_tile_;
  const Index tiles_per_chunk = std::max((min_rows_per_chunk + rows_per_tile_ - 1) / rows_per_tile_,
                                         (n_tiles + max_chunks - 1) / max_chunks);
  rows_per_chunk_ = tiles_per_chunk * rows_per_tile_;
  count_ = (n_rows_ + rows_per_chunk_ - 1) / rows_per_chunk_;
}

RowRange Chunks::operator[](Index chunk) const {
  return {chunk * rows_per_chunk_, std::min(n_rows_, (chunk + 1) * rows_per_chunk_)};
}

} // namespace drr
