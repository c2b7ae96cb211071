// What a feature map learns from the numeric columns: their moments, then the norms and distances
// of the standardised rows
//
//   zⱼ = (xⱼ − meanⱼ)/scaleⱼ,   zero if xⱼ is missing,
//
// followed by the standardised indicators of missing values. Nothing here ever holds
// the standardised rows.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <cstdint>
#include <span>

namespace drr {

// Of the observed values of each column so far; to begin with 0, 0, 0, +∞ and −∞.
struct ColumnMoments {
  std::span<double> count;
  std::span<double> mean;
  std::span<double> square; // Σ(x − mean)²
  std::span<double> lowest;
  std::span<double> highest;
};

// Adds rows, NaN being a missing value. What a sparse matrix does not store is zero.
void add_moments(const FeatureView& rows, const ColumnMoments& moments, const Execution& execution);

struct Standardisation {
  std::span<const double> mean;            // length p + q, the indicators last
  std::span<const double> scale;           // length p + q
  std::span<const std::int32_t> indicated; // length q: the column that each indicator watches
};

// maxᵢ ‖zᵢ‖
double largest_norm(const FeatureView& rows, const Standardisation& standardisation,
                    const Execution& execution);

// The median of ‖zᵢ − zⱼ‖² over all pairs of rows, 0 if there is none. Most pairs need only be
// known to lie on one side of it: products in single precision tell which, and the few others
// are computed exactly.
double median_distance(const FeatureView& rows, const Standardisation& standardisation,
                       const Execution& execution);

} // namespace drr
