// The standardised rows z of raw ones, made when they are asked for.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "drr/standardise.hpp"

#include <memory>
#include <vector>

namespace drr {

class StandardisedRows {
public:
  StandardisedRows(const FeatureView& raw, const Standardisation& standardisation);

  Index n_rows() const { return raw_->n_rows(); }
  Index n_cols() const { return static_cast<Index>(inverse_scale_.size()); }

  // out[k − columns.begin] = zₖ of row i
  void copy_columns(Index i, RowRange columns, double* out) const;
  // ‖zᵢ‖²; `room` has space for a row.
  double squared_norm(Index i, double* room) const;

private:
  Standardisation standardisation_;
  Index n_numeric_;
  std::vector<double> inverse_scale_;
  std::unique_ptr<RowBlocks> raw_; // shifted by the mean
};

} // namespace drr
