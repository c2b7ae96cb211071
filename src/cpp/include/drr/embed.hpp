// The feature map φ of the raking dual, straight from the raw columns into the caller's arrays.
//
//   φ(x) = ( α·z | β·one-hot(levels) | κ·cos(zᵀW + b) ),   zⱼ = (xⱼ − meanⱼ)/scaleⱼ
//
// Rows go through a tile that fits the cache, so the memory beyond the output does not grow with
// their number. A row's features are the same to the last bit whichever rows surround it, and for
// any number of threads.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace drr {

// A fitted map: p numeric columns, q indicators of missing values among them, c categorical
// variables, D waves.
struct FeatureMap {
  std::span<const double> mean;            // length p + q, the indicators last
  std::span<const double> scale;           // length p + q
  std::span<const std::int32_t> indicated; // length q: the numeric column that each indicator watches
  std::span<const std::int32_t>
      level_offsets;               // length c + 1: variable v owns one-hot columns [v] … [v + 1] − 1
  std::span<const double> weights; // W, (p + q)×D, row-major
  std::span<const double> phases;  // b, length D
  double linear_factor = 1;        // α
  double one_hot_factor = 1;       // β
  double fourier_factor = 1;       // κ

  Index n_linear() const { return static_cast<Index>(mean.size()); }
  Index n_variables() const { return static_cast<Index>(level_offsets.size()) - 1; }
  Index n_levels() const { return level_offsets.back(); }
  Index n_waves() const { return static_cast<Index>(phases.size()); }
  Index n_features() const { return n_linear() + n_levels() + n_waves(); }
};

// The rows to embed. A NaN in `numeric` stands for a missing value: its z is zero, the mean's.
struct RawRows {
  Index n_rows = 0;
  std::optional<FeatureView> numeric;  // n_rows × p; absent if p = 0
  std::span<const std::int32_t> codes; // n_rows × c; a code outside its variable's levels sets no indicator
};

template <class Scalar>
struct DenseOutput {
  Scalar* data = nullptr;
  Index row_stride = 0;
};

// `offsets` is given and allots every row its linear, Fourier and set one-hot columns; the
// rest is written.
template <class Scalar, class Ordinal>
struct CsrOutput {
  Scalar* values = nullptr;
  Ordinal* columns = nullptr;
  const Ordinal* offsets = nullptr;
};

using EmbedOutput = std::variant<DenseOutput<double>, DenseOutput<float>, CsrOutput<double, std::int32_t>,
                                 CsrOutput<double, std::int64_t>, CsrOutput<float, std::int32_t>,
                                 CsrOutput<float, std::int64_t>>;

// Writes Φ. Throws InvalidInput if a sparse input is broken or the offsets of a CSR output do not
// fit the rows.
void embed(const FeatureMap& map, const RawRows& rows, const EmbedOutput& output, const Execution& execution);

// scores[i] = φ(xᵢ)ᵀθ without forming Φ; `theta` has length n_features().
void embed_scores(const FeatureMap& map, const RawRows& rows, std::span<const double> theta,
                  std::span<double> scores, const Execution& execution);

} // namespace drr
