#include "core/dual/plane_search.hpp"
#include "problem.hpp"

#include <doctest/doctest.h>

using namespace drr;
using namespace drr::testing;

namespace {

// f(α, β) = log Σ dᵢ exp(αxᵢ + βyᵢ) + δ√(atᵀ P at), spelled out.
double objective(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& d,
                 const Eigen::Matrix2d& products, double tolerance, Eigen::Vector2d at) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += d[i] * std::exp(at[0] * x[i] + at[1] * y[i]);
  return std::log(sum) + tolerance * std::sqrt(at.dot(products * at));
}

} // namespace

TEST_CASE("plane search: value, gradient and Hessian are those of f") {
  const Index n = 3000; // several tiles
  auto x = normals(n, 41);
  const auto y = normals(n, 42), noise = normals(n, 43);
  for (double& value : x)
    value -= 2; // steeper than the kink of the norm at zero
  Eigen::Matrix2d products;
  products << 2.0, 0.3, 0.3, 1.5;
  const double tolerance = 0.7;
  for (bool weighted : {false, true}) {
    std::vector<double> d(n, 1.0 / n), log_d;
    if (weighted) {
      double total = 0;
      for (double value : noise)
        total += std::exp(value);
      for (Index i = 0; i < n; ++i) {
        log_d.push_back(noise[i] - std::log(total));
        d[i] = std::exp(log_d[i]);
      }
    }
    ThreadPool pool({1, nullptr});
    PlaneSearch search(n, log_d, tolerance, pool);
    const Plane plane{x.data(), y.data(), products};
    const auto f = [&](double a, double b) { return objective(x, y, d, products, tolerance, {a, b}); };
    const double a = 0.6, b = -0.4, h = 1e-4;
    const PlaneValue value = search.evaluate(plane, {a, b}, {0.1, -0.2});
    CHECK(value.objective == doctest::Approx(f(a, b)).epsilon(1e-13));
    CHECK(value.gradient[0] == doctest::Approx((f(a + h, b) - f(a - h, b)) / (2 * h)).epsilon(1e-6));
    CHECK(value.gradient[1] == doctest::Approx((f(a, b + h) - f(a, b - h)) / (2 * h)).epsilon(1e-6));
    CHECK(value.hessian(0, 0) ==
          doctest::Approx((f(a + h, b) - 2 * f(a, b) + f(a - h, b)) / (h * h)).epsilon(1e-5));
    CHECK(value.hessian(1, 1) ==
          doctest::Approx((f(a, b + h) - 2 * f(a, b) + f(a, b - h)) / (h * h)).epsilon(1e-5));
    const double mixed = f(a + h, b + h) - f(a + h, b - h) - f(a - h, b + h) + f(a - h, b - h);
    CHECK(value.hessian(0, 1) == doctest::Approx(mixed / (4 * h * h)).epsilon(1e-5));

    // The minimum, from a far start: no neighbour is lower, and the gradient is round-off.
    const PlaneValue lowest = search.minimise(plane, {3.0, 2.0}, {1.0, 0.0}, {0, 0});
    CHECK(lowest.gradient.norm() < 1e-9);
    CHECK(lowest.objective <= f(1.0, 0.0));
    for (const auto& [p, q] : {std::pair{1e-3, 0.0}, {-1e-3, 0.0}, {0.0, 1e-3}, {0.0, -1e-3}})
      CHECK(lowest.objective < f(lowest.at[0] + p, lowest.at[1] + q));
  }
}
