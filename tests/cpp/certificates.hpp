// Certificates recomputed from what a solver returned, in plain loops over dense rows: none of the
// core's kernels is used, so a mistake in them cannot hide here.
#pragma once

#include "drr/dual.hpp"
#include "drr/floor.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

namespace drr::testing {

// The shifted rows aᵢ = φᵢ − target, widened.
struct PlainRows {
  Index n, K;
  std::vector<double> a;

  template <class Scalar>
  PlainRows(const std::vector<Scalar>& features, const std::vector<double>& target)
      : n(static_cast<Index>(features.size() / target.size())), K(static_cast<Index>(target.size())),
        a(features.begin(), features.end()) {
    for (Index i = 0; i < n * K; ++i)
      a[i] -= target[i % K];
  }
  double product(Index i, const std::vector<double>& v) const {
    long double sum = 0;
    for (Index k = 0; k < K; ++k)
      sum += static_cast<long double>(a[i * K + k]) * v[k];
    return static_cast<double>(sum);
  }
  std::vector<double> weighted_sum(const std::vector<double>& weights) const {
    std::vector<long double> sum(K, 0);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < K; ++k)
        sum[k] += static_cast<long double>(weights[i]) * a[i * K + k];
    return {sum.begin(), sum.end()};
  }
};

inline double norm_of(const std::vector<double>& v) {
  long double sum = 0;
  for (double value : v)
    sum += static_cast<long double>(value) * value;
  return static_cast<double>(std::sqrt(sum));
}

inline double dot_of(const std::vector<double>& u, const std::vector<double>& v) {
  long double sum = 0;
  for (std::size_t k = 0; k < u.size(); ++k)
    sum += static_cast<long double>(u[k]) * v[k];
  return static_cast<double>(sum);
}

// max(0, minᵢ aᵢᵀx/‖x‖) ≤ φ ≤ ‖x‖ with x = Aᵀw: both bounds must be those that were returned. `gap`
// is what the method's `converged` promises, relative to the value.
inline void check_floor(const Floor& floor, const PlainRows& rows, double gap = 1e-10) {
  std::vector<double> weights(rows.n, 0.0);
  double total = 0;
  for (std::size_t k = 0; k < floor.support.size(); ++k) {
    CHECK(floor.support_weights[k] > 0);
    CHECK((k == 0 || floor.support[k] > floor.support[k - 1]));
    weights[floor.support[k]] = floor.support_weights[k];
    total += floor.support_weights[k];
  }
  CHECK(total == doctest::Approx(1).epsilon(1e-12));
  const std::vector<double> x = rows.weighted_sum(weights);
  double lowest = std::numeric_limits<double>::infinity(), longest = 0;
  for (Index i = 0; i < rows.n; ++i) {
    lowest = std::min(lowest, rows.product(i, x));
    longest = std::max(longest, norm_of({rows.a.begin() + i * rows.K, rows.a.begin() + (i + 1) * rows.K}));
  }
  const double round_off = 1e-13 * longest;
  CHECK(std::abs(norm_of(x) - floor.value) <= round_off);
  if (floor.value > 1e3 * round_off)
    CHECK(std::abs(std::max(0.0, lowest / norm_of(x)) - floor.lower_bound) <= 10 * round_off);
  CHECK(floor.lower_bound <= floor.value);
  if (floor.status == Status::converged)
    CHECK((floor.value - floor.lower_bound <= gap * floor.value ||
           floor.value <= 1e-10 * floor.base_discrepancy));
}

// wᵢ ∝ dᵢ exp(aᵢᵀθ), its mean, gradient, gap, divergence and effective size must be those
// that were returned.
inline void check_dual(const DualResult& result, const PlainRows& rows, const std::vector<double>& theta,
                       const std::vector<double>& weights, const std::vector<double>& log_base_weights,
                       double tolerance) {
  std::vector<double> expected(rows.n);
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < rows.n; ++i) {
    expected[i] = rows.product(i, theta) + (log_base_weights.empty() ? 0.0 : log_base_weights[i]);
    largest = std::max(largest, expected[i]);
  }
  long double total = 0, squares = 0;
  for (double& value : expected)
    total += value = std::exp(value - largest);
  for (Index i = 0; i < rows.n; ++i) {
    expected[i] /= static_cast<double>(total);
    squares += static_cast<long double>(expected[i]) * expected[i];
    CHECK(weights[i] == doctest::Approx(expected[i]).epsilon(1e-10));
  }
  std::vector<double> gradient = rows.weighted_sum(expected);
  CHECK(norm_of(gradient) == doctest::Approx(result.discrepancy).epsilon(1e-10));
  const double length = norm_of(theta);
  for (Index k = 0; k < rows.K; ++k)
    gradient[k] += tolerance / length * theta[k];
  CHECK(norm_of(gradient) <= 1e-9 * tolerance);
  CHECK(std::abs(dot_of(theta, gradient)) <= 1e-10);
  CHECK(std::abs(result.gap) <= 1e-10);
  CHECK(result.gradient_norm <= 1e-9 * tolerance);
  CHECK(static_cast<double>(1 / squares) == doctest::Approx(result.ess).epsilon(1e-10));
}

} // namespace drr::testing
