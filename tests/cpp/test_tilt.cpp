#include "core/linalg/vectors.hpp"
#include "drr/errors.hpp"
#include "drr/tilt.hpp"
#include "guarded.hpp"
#include "problem.hpp"

#include <cmath>
#include <doctest/doctest.h>

using namespace drr;
using namespace drr::testing;

TEST_CASE("exponentials: accurate, zero for minus infinity, and independent of the address") {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  std::vector<double> scores{0.0,     -1.0,   -700.0, -707.9, -708.1, -800.0, minus_infinity,
                             -1e-300, -30.25, -3.5,   0.0};
  std::vector<double> e(scores.size());
  exponentials(scores.data(), static_cast<Index>(scores.size()), 0.0, e.data());
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > -708)
      CHECK(std::abs(e[i] / std::exp(scores[i]) - 1) < 4e-16);
    else
      CHECK(e[i] == 0.0);

  for (Index n = 0; n < 20; ++n) {
    Guarded<double> some(n, 2.5);
    exponentials(some.data(), n, 3.0, some.data());
    CHECK(some.is_intact());
  }

  const auto values = normals(64, 3);
  std::vector<double> room(80), first(64);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::copy(values.begin(), values.end(), room.begin() + static_cast<std::ptrdiff_t>(offset));
    exponentials(room.data() + offset, 61, 0.5, room.data() + offset); // in place
    if (offset == 0)
      std::copy_n(room.begin(), 61, first.begin());
    for (std::size_t i = 0; i < 61; ++i)
      CHECK(room[offset + i] == first[i]);
  }
}

TEST_CASE("two rows have a closed form") {
  const std::vector<double> features{0.0, 1.0}, theta{std::log(3.0)};
  std::vector<double> weights(2), mean(1);
  const double log_partition =
      tilt({DenseView<double>{features.data(), 2, 1, 1}, {}, {}, theta}, {weights, mean}, {});
  CHECK(log_partition == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(weights[1] == doctest::Approx(0.75).epsilon(1e-15));
  CHECK(mean[0] == doctest::Approx(0.75).epsilon(1e-15));
}

TEST_CASE("the shift keeps the digits that a common offset would cost") {
  // Rows 1e9 + small: subtracting the offset from the finished product would leave 7 digits.
  const Index n = 200, K = 3;
  const auto small = normals(n * K, 8);
  const std::vector<double> theta{0.3, -0.2, 0.4};
  std::vector<double> offset_rows(small), shift(K, 1e9), exact(small.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    offset_rows[i] += 1e9;
    exact[i] = offset_rows[i] - 1e9; // what survives in the rows themselves
  }
  std::vector<double> weights(n), mean(K), expected_weights(n), expected_mean(K);
  tilt({DenseView<double>{offset_rows.data(), n, K, K}, shift, {}, theta}, {weights, mean}, {});
  tilt({DenseView<double>{exact.data(), n, K, K}, {}, {}, theta}, {expected_weights, expected_mean}, {});
  for (Index i = 0; i < n; ++i)
    CHECK(weights[i] == doctest::Approx(expected_weights[i]).epsilon(1e-14));
}

TEST_CASE("rows without weight, and nothing but such rows") {
  const auto features = normals(30, 9);
  const std::vector<double> theta{1.0, -1.0, 0.5};
  std::vector<double> log_weights(10, -std::numeric_limits<double>::infinity());
  std::vector<double> weights(10), mean(3);
  const TiltInput input{DenseView<double>{features.data(), 10, 3, 3}, {}, log_weights, theta};
  CHECK_THROWS_AS(tilt(input, {weights, mean}, {}), InvalidInput);
  log_weights[4] = 0.0;
  tilt(input, {weights, mean}, {});
  CHECK(weights[4] == 1.0);
  CHECK(mean[1] == features[13]);
}
