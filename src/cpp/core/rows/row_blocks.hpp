// What an algorithm may ask of the shifted rows aᵢ = φᵢ − shift, a range at a time. Algorithms know
// no storage format: dense or sparse, single or double precision are behind this interface, and
// every sum is accumulated in double.
#pragma once

#include "drr/views.hpp"

#include <memory>
#include <span>
#include <string>

namespace drr {

struct RowRange {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
};

// Whether a pass looks at each range once, or twice in a row (scores, then a sum weighted by them).
// It steers only which part of the following range is fetched meanwhile.
enum class CacheUse { only, first, second };

class RowBlocks {
public:
  virtual ~RowBlocks() = default;

  Index n_rows() const { return n_rows_; }
  Index n_cols() const { return n_cols_; }
  const double* shift() const { return shift_; }
  // The numbers that a pass reads.
  virtual Index n_numbers() const { return n_rows_ * n_cols_; }
  // Products with single rows are then much cheaper than dense copies of them.
  virtual bool is_sparse() const { return false; }

  // scores[i − begin] = aᵢᵀθ
  virtual void scores(RowRange rows, const double* theta, double* scores,
                      CacheUse use = CacheUse::only) const = 0;
  // sum += Σᵢ weights[i − begin] · aᵢ
  virtual void add_weighted(RowRange rows, const double* weights, double* sum,
                            CacheUse use = CacheUse::only) const = 0;
  // out[(i − begin)·K …] = aᵢ, dense and in double, times scale[i − begin] if scale is given
  virtual void copy(RowRange rows, const double* scale, double* out) const = 0;
  // The same of some columns only: out[(i − begin)·width …] = (aᵢ)ₖ for k in columns
  virtual void copy_columns(RowRange rows, RowRange columns, double* out) const;
  // norms[i − begin] = ‖aᵢ‖²
  virtual void squared_norms(RowRange rows, double* norms) const = 0;
  // The position of the first NaN or infinity as "row R, column C", empty if there is none.
  // Slow; for messages.
  virtual std::string find_nonfinite() const = 0;

  // Rows to handle at a time so that a second look at them is served by the first-level cache.
  Index rows_per_tile() const { return rows_per_tile_; }

protected:
  RowBlocks(Index n_rows, Index n_cols, const double* shift, double bytes_per_row);

  Index n_rows_, n_cols_;
  const double* shift_;

private:
  Index rows_per_tile_;
};

// `shift` (length K) must outlive the result; the view's arrays as well.
std::unique_ptr<RowBlocks> make_row_blocks(const FeatureView& features, const double* shift);

// Throws InvalidInput because products with the rows are not finite: names the first NaN or
// infinity among them, or says `otherwise`.
[[noreturn]] void throw_nonfinite(const RowBlocks& rows, const char* otherwise);

inline constexpr auto no_row_present =
    "base_weights are zero on every row; at least one majority row needs a positive weight";

// A fixed division of the rows into at most 64 chunks of whole tiles. It depends on the shape
// alone, never on the number of threads: sums formed per chunk and added in chunk order have the
// same bits on any machine.
class Chunks {
public:
  explicit Chunks(const RowBlocks& rows);

  Index count() const { return count_; }
  RowRange operator[](Index chunk) const;

  // Calls function(range) for the tiles of a chunk, in order.
  template <class Function>
  void for_each_tile(Index chunk, Function&& function) const {
    const RowRange rows = (*this)[chunk];
    for (Index begin = rows.begin; begin < rows.end; begin += rows_per_tile_)
      function(RowRange{begin, begin + rows_per_tile_ < rows.end ? begin + rows_per_tile_ : rows.end});
  }

private:
  Index n_rows_, rows_per_tile_, rows_per_chunk_, count_;
};

} // namespace drr
