// Small seeded problems for the tests.
#pragma once

#include "drr/views.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace drr::testing {

inline std::vector<double> normals(Index n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& value : values)
    value = normal(generator);
  return values;
}

// A sparse copy of a dense array, without the elements below `threshold` in magnitude.
struct Sparse {
  std::vector<double> values;
  std::vector<std::int32_t> columns, offsets{0};
  Index n_rows, n_cols;

  Sparse(const std::vector<double>& dense, Index rows, Index cols, double threshold)
      : n_rows(rows), n_cols(cols) {
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < cols; ++k)
        if (std::abs(dense[i * cols + k]) > threshold) {
          values.push_back(dense[i * cols + k]);
          columns.push_back(static_cast<std::int32_t>(k));
        }
      offsets.push_back(static_cast<std::int32_t>(values.size()));
    }
  }
  CsrView<double, std::int32_t> view() const {
    return {values.data(), columns.data(), offsets.data(), n_rows, n_cols, static_cast<Index>(values.size())};
  }
};

} // namespace drr::testing
