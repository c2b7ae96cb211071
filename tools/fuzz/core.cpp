// The Python-free core under a coverage-guided fuzzer: bytes become views, index arrays, weights
// and options, and every operation must serve or refuse them. What is served is judged from
// outside, in long double; a wrong answer ends the process as a crash would, and libFuzzer keeps
// the bytes. tools/fuzz.sh builds and runs it.
#include "drr/dual.hpp"
#include "drr/embed.hpp"
#include "drr/errors.hpp"
#include "drr/floor.hpp"
#include "drr/floor_blocks.hpp"
#include "drr/tilt.hpp"
#include "drr/tilt_blocks.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fuzzer/FuzzedDataProvider.h>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

namespace {

using drr::Index;
using Long = long double;
constexpr double infinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* claim) {
  if (!holds) {
    std::fprintf(stderr, "not true: %s\n", claim);
    std::abort();
  }
}

// Mostly small numbers that meet and cancel, sometimes any double at all.
double draw_number(FuzzedDataProvider& bytes) {
  const auto kind = bytes.ConsumeIntegral<std::uint8_t>();
  if (kind < 200)
    return (kind - 100) / 16.0;
  if (kind < 225)
    return std::ldexp(1.0 + kind / 256.0, bytes.ConsumeIntegralInRange<int>(-1074, 1023));
  if (kind < 250)
    return -std::ldexp(1.0, bytes.ConsumeIntegralInRange<int>(-60, 60));
  std::uint64_t pattern = bytes.ConsumeIntegral<std::uint64_t>();
  double number;
  std::memcpy(&number, &pattern, sizeof number);
  return number;
}

// Exactly as long as promised, on the heap of its own, so that one step beyond the end is seen.
template <class Scalar>
struct Numbers {
  std::unique_ptr<Scalar[]> memory;
  std::size_t size;

  Numbers(FuzzedDataProvider& bytes, std::size_t length) : memory(new Scalar[length]), size(length) {
    for (std::size_t i = 0; i < length; ++i)
      memory[i] = static_cast<Scalar>(draw_number(bytes));
  }
  operator std::span<const Scalar>() const { return {memory.get(), size}; }
};

// Φ, with the memory that it views.
struct Features {
  drr::FeatureView view;
  std::vector<std::shared_ptr<void>> memory;
  Index n_rows, n_cols;

  template <class T>
  T* keep(std::size_t length) {
    T* data = new T[length]();
    memory.emplace_back(data, [](void* each) { delete[] static_cast<T*>(each); });
    return data;
  }
};

template <class Scalar>
void draw_dense(FuzzedDataProvider& bytes, Features& features) {
  const Index stride = features.n_cols + bytes.ConsumeIntegralInRange<int>(0, 2);
  auto* data = features.keep<Scalar>((features.n_rows - 1) * stride + features.n_cols);
  for (Index i = 0; i < features.n_rows; ++i)
    for (Index j = 0; j < features.n_cols; ++j)
      data[i * stride + j] = static_cast<Scalar>(draw_number(bytes));
  const bool repeated = bytes.ConsumeIntegralInRange<int>(0, 15) == 0;
  features.view = drr::DenseView<Scalar>{data, features.n_rows, features.n_cols, repeated ? 0 : stride};
}

// Offsets and columns are most often right, and sometimes anything.
template <class Scalar, class Ordinal>
void draw_csr(FuzzedDataProvider& bytes, Features& features) {
  auto* offsets = features.keep<Ordinal>(features.n_rows + 1);
  for (Index i = 0; i < features.n_rows; ++i)
    offsets[i + 1] = offsets[i] + bytes.ConsumeIntegralInRange<int>(0, static_cast<int>(features.n_cols));
  const Index n_stored = offsets[features.n_rows];
  auto* columns = features.keep<Ordinal>(n_stored);
  auto* values = features.keep<Scalar>(n_stored);
  for (Index at = 0; at < n_stored; ++at) {
    columns[at] = bytes.ConsumeIntegralInRange<int>(0, static_cast<int>(features.n_cols) - 1);
    values[at] = static_cast<Scalar>(draw_number(bytes));
  }
  if (bytes.ConsumeBool())
    offsets[bytes.ConsumeIntegralInRange<Index>(0, features.n_rows)] = bytes.ConsumeIntegral<Ordinal>();
  if (n_stored > 0 && bytes.ConsumeIntegralInRange<int>(0, 3) == 0)
    columns[bytes.ConsumeIntegralInRange<Index>(0, n_stored - 1)] = bytes.ConsumeIntegral<Ordinal>();
  features.view =
      drr::CsrView<Scalar, Ordinal>{values, columns, offsets, features.n_rows, features.n_cols, n_stored};
}

Features draw_features(FuzzedDataProvider& bytes, Index n_rows, Index n_cols) {
  Features features{{}, {}, n_rows, n_cols};
  switch (bytes.ConsumeIntegralInRange<int>(0, 7)) {
  case 0:
    draw_dense<float>(bytes, features);
    break;
  case 1:
    draw_csr<double, std::int32_t>(bytes, features);
    break;
  case 2:
    draw_csr<double, std::int64_t>(bytes, features);
    break;
  case 3:
    draw_csr<float, std::int32_t>(bytes, features);
    break;
  case 4:
    draw_csr<float, std::int64_t>(bytes, features);
    break;
  default:
    draw_dense<double>(bytes, features);
  }
  return features;
}

Features draw_features(FuzzedDataProvider& bytes) {
  const Index n_rows = bytes.ConsumeIntegralInRange<int>(1, 40);
  return draw_features(bytes, n_rows, bytes.ConsumeIntegralInRange<int>(1, 12));
}

// Rows shifted by the target, in long double. Only views that `validate` has accepted may be read.
std::vector<Long> shifted_rows(const Features& features, std::span<const double> target) {
  std::vector<Long> rows(features.n_rows * features.n_cols, 0);
  const auto read = [&]<class View>(const View& view) {
    for (Index i = 0; i < features.n_rows; ++i)
      if constexpr (requires { view.row_stride; }) {
        for (Index j = 0; j < features.n_cols; ++j)
          rows[i * features.n_cols + j] = view.row(i)[j];
      } else {
        for (Index at = view.offsets[i]; at < view.offsets[i + 1]; ++at)
          rows[i * features.n_cols + view.columns[at]] += view.values[at];
      }
  };
  std::visit(read, features.view);
  for (std::size_t at = 0; at < rows.size(); ++at)
    rows[at] -= target[at % features.n_cols];
  return rows;
}

Long norm_of(const std::vector<Long>& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), Long(0)));
}

// What rounding may do to a sum of rows, as a distance; parts of subnormal numbers may vanish.
Long slack_of(const Features& features, std::span<const double> target, const std::vector<Long>& rows) {
  Long largest = 0;
  for (const Long number : rows)
    largest = std::max(largest, std::abs(number));
  for (const double number : target)
    largest = std::max(largest, std::abs(Long(number)));
  return std::numeric_limits<double>::min() +
         256 * std::numeric_limits<double>::epsilon() * largest * std::sqrt(Long(features.n_cols));
}

// d ≥ 0 that sum to one with logarithms to match, as the package hands them over; or none.
struct BaseWeights {
  std::vector<double> shares, logarithms;

  BaseWeights(FuzzedDataProvider& bytes, Index n_rows) {
    if (!bytes.ConsumeBool())
      return;
    double largest = 0;
    for (Index i = 0; i < n_rows; ++i) {
      const double number = std::abs(draw_number(bytes));
      shares.push_back(std::isfinite(number) ? number : 0);
      largest = std::max(largest, shares.back());
    }
    double sum = 0;
    for (double& share : shares)
      sum += largest > 0 ? share /= largest : 0;
    for (double& share : shares) {
      if (sum > 0)
        share /= sum;
      if (share < std::numeric_limits<double>::min())
        share = 0;
      logarithms.push_back(share > 0 ? std::log(share) : -infinity);
    }
  }
};

void check_weights(std::span<const double> weights, const BaseWeights& base) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require(std::isfinite(weights[i]) && weights[i] >= 0, "weights are finite and not negative");
    require(base.shares.empty() || base.shares[i] > 0 || weights[i] == 0, "absent rows have no weight");
    sum += weights[i];
  }
  require(std::abs(sum - 1) < 1e-12, "weights sum to one");
}

std::vector<Long> mean_of(const std::vector<Long>& rows, std::span<const double> weights, Index n_cols) {
  std::vector<Long> mean(n_cols, 0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (Index j = 0; j < n_cols; ++j)
      mean[j] += weights[i] * rows[i * n_cols + j];
  return mean;
}

drr::Execution draw_execution(FuzzedDataProvider& bytes) {
  // One thread as a rule: starting more costs as much as a hundred small problems.
  return {bytes.ConsumeIntegralInRange<int>(0, 31) == 0 ? 2 : 1, nullptr};
}

// With SHOW in the environment, a problem in numbers, to be kept as a test.
void show(const char* name, std::span<const double> numbers) {
  if (std::getenv("SHOW") == nullptr)
    return;
  std::fprintf(stderr, "%s = [", name);
  for (const double number : numbers)
    std::fprintf(stderr, "%.17g, ", number);
  std::fprintf(stderr, "]\n");
}

void attack_raking(FuzzedDataProvider& bytes) {
  const Features features = draw_features(bytes);
  const Numbers<double> target(bytes, features.n_cols);
  for (const double number : std::span<const double>(target))
    if (!std::isfinite(number)) // the package refuses it before the core is asked
      return;
  const BaseWeights base(bytes, features.n_rows);
  const drr::Execution execution = draw_execution(bytes);
  const bool published = bytes.ConsumeIntegralInRange<int>(0, 7) == 0;

  const std::vector<Long> unshifted =
      (validate(features.view), shifted_rows(features, std::vector<double>(features.n_cols, 0.0)));
  show("shape", {{double(features.n_rows), double(features.n_cols), double(features.view.index())}});
  show("features", std::vector<double>(unshifted.begin(), unshifted.end()));
  show("target", target);
  show("base_weights", base.shares);
  const drr::FloorOptions how{published ? drr::FloorMethod::pairwise_frank_wolfe
                                        : drr::FloorMethod::min_norm_point,
                              bytes.ConsumeIntegralInRange<int>(0, 300)};
  const drr::Floor floor = find_floor({features.view, target, base.shares}, how, execution);
  const std::vector<Long> rows = shifted_rows(features, target);
  const Long slack = slack_of(features, target, rows);
  std::vector<double> floor_weights(features.n_rows, 0.0);
  for (std::size_t at = 0; at < floor.support.size(); ++at)
    floor_weights.at(floor.support[at]) = floor.support_weights[at];
  check_weights(floor_weights, base);
  const std::vector<Long> residual = mean_of(rows, floor_weights, features.n_cols);
  require(std::abs(norm_of(residual) - floor.value) <= slack,
          "the value of the floor is that of its weights");
  require(floor.lower_bound >= 0 && floor.lower_bound <= floor.value, "the bounds are in order");

  drr::DualInput input{features.view, target, base.logarithms};
  input.tolerance = floor.value + std::abs(draw_number(bytes)) * floor.base_discrepancy;
  if (bytes.ConsumeIntegralInRange<int>(0, 3) == 0)
    input.tolerance = draw_number(bytes);
  if (bytes.ConsumeBool()) {
    input.floor_support = floor.support;
    input.floor_support_weights = floor.support_weights;
    input.start_direction = floor.residual; // of the wrong sign, which may cost time only
    input.floor_lower_bound = floor.lower_bound;
  }
  Numbers<double> theta(bytes, features.n_cols), weights(bytes, features.n_rows);
  const drr::DualOutput output{{theta.memory.get(), theta.size}, {weights.memory.get(), weights.size}};
  const drr::DualOptions options{
      bytes.PickValueInArray({drr::DualMethod::automatic, drr::DualMethod::newton,
                              drr::DualMethod::pcg_sampled, drr::DualMethod::wide,
                              drr::DualMethod::pcg_woodbury, drr::DualMethod::paper}),
      bytes.ConsumeIntegralInRange<int>(0, 60)};
  show("method, max_iter, tolerance, floor",
       {{double(options.method), double(options.max_iter), input.tolerance, floor.value, floor.lower_bound,
         floor.base_discrepancy}});
  show("floor weights given", input.floor_support_weights);
  const drr::DualResult dual = solve_dual(input, options, output, execution);
  show("status, floor_lower_bound, gap, discrepancy",
       {{double(dual.status), dual.floor_lower_bound, dual.gap, dual.discrepancy}});
  require(dual.status != drr::Status::infeasible || dual.floor_lower_bound <= floor.value + slack,
          "what is proved infeasible lies below the floor");
  if (dual.status == drr::Status::infeasible)
    return;
  check_weights(weights, base);
  require(!std::isnan(dual.gap) && !std::isnan(dual.kl), "the certificate is a number");
  const std::vector<Long> mean = mean_of(rows, weights, features.n_cols);
  require(std::abs(norm_of(mean) - dual.discrepancy) <= slack, "the discrepancy is that of the weights");
  if (dual.status == drr::Status::converged && options.method != drr::DualMethod::paper) {
    const Long goal = input.tolerance > 0 ? input.tolerance : floor.base_discrepancy;
    require(norm_of(mean) <= input.tolerance + 2e-9L * goal + slack, "converged lies within the tolerance");
  }
}

void attack_tilt(FuzzedDataProvider& bytes) {
  const Features features = draw_features(bytes);
  const Numbers<double> theta(bytes, features.n_cols), shift(bytes, features.n_cols);
  const BaseWeights base(bytes, features.n_rows);
  Numbers<double> weights(bytes, features.n_rows), mean(bytes, features.n_cols);
  const drr::Execution execution = draw_execution(bytes);
  const auto shifted = bytes.ConsumeBool() ? std::span<const double>(shift) : std::span<const double>();
  tilt({features.view, shifted, base.logarithms, theta},
       {{weights.memory.get(), weights.size}, {mean.memory.get(), mean.size}}, execution);
  check_weights(weights, base);
}

void attack_blocks(FuzzedDataProvider& bytes) {
  const Features features = draw_features(bytes);
  const Numbers<double> target(bytes, features.n_cols), theta(bytes, features.n_cols);
  const BaseWeights base(bytes, features.n_rows);
  const drr::Execution execution = draw_execution(bytes);
  const drr::FloorInput input{features.view, target, base.shares};
  const drr::SampleRequest request{bytes.ConsumeIntegral<std::uint64_t>(), draw_number(bytes),
                                   bytes.ConsumeIntegralInRange<int>(0, 50)};
  const int which = bytes.ConsumeIntegralInRange<int>(0, 2);
  if (which == 0)
    survey_block(input, execution);
  else if (which == 1)
    require(std::ssize(price_block(input, theta, draw_number(bytes), request.most, execution).rows) <=
                request.most,
            "no more rows than asked for");
  else
    require(std::ssize(tilt_block({features.view, target, base.logarithms, theta}, request, execution)
                           .sample.rows) <= std::max<Index>(request.most, 0),
            "no larger a sample than asked for");
}

// The binding checks that the arrays of a map fit each other; codes and numbers may be anything.
void attack_embedding(FuzzedDataProvider& bytes) {
  const int n_numeric = bytes.ConsumeIntegralInRange<int>(0, 4),
            n_rows = bytes.ConsumeIntegralInRange<int>(0, 20);
  std::vector<std::int32_t> indicated, offsets{0}, codes;
  for (int q = n_numeric > 0 ? bytes.ConsumeIntegralInRange<int>(0, 2) : 0; q > 0; --q)
    indicated.push_back(bytes.ConsumeIntegralInRange<int>(0, n_numeric - 1));
  for (int v = bytes.ConsumeIntegralInRange<int>(0, 3); v > 0; --v)
    offsets.push_back(offsets.back() + bytes.ConsumeIntegralInRange<int>(0, 5));
  const std::size_t n_linear = n_numeric + indicated.size(),
                    n_waves = bytes.ConsumeIntegralInRange<int>(0, 20);
  const Numbers<double> mean(bytes, n_linear), scale(bytes, n_linear), waves(bytes, n_linear * n_waves),
      phases(bytes, n_waves);
  const drr::FeatureMap map{mean, scale, indicated, offsets, waves, phases, draw_number(bytes), 1, 1};
  for (Index at = 0; at < n_rows * map.n_variables(); ++at)
    codes.push_back(bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<int>(0, 4)
                                        : bytes.ConsumeIntegral<std::int32_t>());
  drr::RawRows rows{n_rows, std::nullopt, codes};
  Features features{{}, {}, n_rows, n_numeric};
  if (n_numeric > 0 && n_rows > 0) {
    features = draw_features(bytes, n_rows, n_numeric);
    rows.numeric = features.view;
  } else if (n_numeric > 0) {
    return; // the binding refuses empty arrays
  }
  const drr::Execution execution = draw_execution(bytes);
  const Index n_features = map.n_features();
  const int which = bytes.ConsumeIntegralInRange<int>(0, 3);
  if (which == 0) {
    const Numbers<double> theta(bytes, n_features);
    std::vector<double> scores(n_rows);
    embed_scores(map, rows, theta, scores, execution);
  } else if (which == 1) {
    std::vector<double> out(n_rows * n_features);
    embed(map, rows, drr::DenseOutput<double>{out.data(), n_features}, execution);
  } else if (which == 2) {
    std::vector<float> out(n_rows * (n_features + 1));
    embed(map, rows, drr::DenseOutput<float>{out.data(), n_features + 1}, execution);
  } else { // the binding checks the first and the last offset, nothing between
    std::vector<std::int64_t> starts{0};
    for (int i = 0; i < n_rows; ++i)
      starts.push_back(starts.back() + bytes.ConsumeIntegralInRange<Index>(0, n_features));
    if (n_rows > 1 && bytes.ConsumeBool())
      starts[bytes.ConsumeIntegralInRange<int>(1, n_rows - 1)] = bytes.ConsumeIntegral<std::int64_t>();
    std::vector<double> values(starts.back());
    std::vector<std::int64_t> columns(starts.back());
    embed(map, rows, drr::CsrOutput<double, std::int64_t>{values.data(), columns.data(), starts.data()},
          execution);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  try {
    switch (bytes.ConsumeIntegralInRange<int>(0, 5)) {
    case 0:
      attack_tilt(bytes);
      break;
    case 1:
      attack_blocks(bytes);
      break;
    case 2:
      attack_embedding(bytes);
      break;
    default:
      attack_raking(bytes);
    }
  } catch (const drr::InvalidInput&) { // refused with an explanation, as promised
  }
  return 0;
}
