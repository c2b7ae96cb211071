#include "certificates.hpp"
#include "core/floor/corral_factor.hpp"
#include "core/floor/floor_passes.hpp"
#include "drr/errors.hpp"
#include "problem.hpp"

#include <algorithm>

using namespace drr;
using namespace drr::testing;

namespace {

template <class Scalar>
FeatureView view_of(const std::vector<Scalar>& features, Index K) {
  return DenseView<Scalar>{features.data(), static_cast<Index>(features.size()) / K, K, K};
}

Floor floor_of(const FeatureView& view, const std::vector<double>& target,
               FloorMethod method = FloorMethod::min_norm_point, int n_threads = 1) {
  return find_floor({view, target, {}}, {method, 0}, {n_threads, nullptr});
}

// A target outside the hull of most clouds of standard normals.
std::vector<double> far_target(Index K) {
  return std::vector<double>(static_cast<std::size_t>(K), 1.5);
}

} // namespace

TEST_CASE("floor: two unit vectors have a closed form") {
  const std::vector<double> features{1, 0, 0, 1}, target{0, 0};
  for (FloorMethod method : {FloorMethod::min_norm_point, FloorMethod::pairwise_frank_wolfe}) {
    const Floor floor = floor_of(view_of(features, 2), target, method);
    CHECK(floor.value == doctest::Approx(std::sqrt(0.5)).epsilon(1e-14));
    CHECK(floor.support_weights[0] == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(is_success(floor.status));
  }
}

TEST_CASE("floor: the certificate holds in both precisions, dense and sparse, tall and wide") {
  struct Shape {
    Index n, K;
  };
  for (const auto [n, K] : {Shape{400, 12}, Shape{300, 80}, Shape{40, 150}}) {
    auto dense = normals(n * K, 21);
    const auto target = far_target(K);
    const Floor wide = floor_of(view_of(dense, K), target);
    CHECK(wide.status == Status::converged);
    check_floor(wide, PlainRows(dense, target));
    check_floor(floor_of(view_of(dense, K), target, FloorMethod::pairwise_frank_wolfe),
                PlainRows(dense, target), 1e-8);

    const std::vector<float> narrow(dense.begin(), dense.end());
    const Floor single = floor_of(view_of(narrow, K), target);
    CHECK(single.status == Status::converged);
    check_floor(single, PlainRows(narrow, target));
    CHECK(single.value == doctest::Approx(wide.value).epsilon(1e-6));

    const Sparse sparse(dense, n, K, 0.8);
    for (double& value : dense)
      value = std::abs(value) > 0.8 ? value : 0.0;
    const Floor gathered = floor_of(sparse.view(), target);
    CHECK(gathered.status == Status::converged);
    check_floor(gathered, PlainRows(dense, target));
    CHECK(gathered.value == doctest::Approx(floor_of(view_of(dense, K), target).value).epsilon(1e-12));
  }
}

TEST_CASE("floor: the survey of the rows that are present") {
  const Index n = 301, K = 7;
  const auto dense = normals(n * K, 25);
  const std::vector<double> shift(K, 0.5);
  std::vector<double> base_weights(n), mean(K, 0.0), norms;
  for (Index i = 0; i < n; ++i)
    base_weights[i] = i % 3 == 0 ? 0.0 : 1.0 / 200;
  for (Index i = 0; i < n; ++i) {
    double norm = 0;
    for (Index k = 0; k < K; ++k) {
      const double a = dense[i * K + k] - shift[k];
      mean[k] += base_weights[i] * a;
      norm += a * a;
    }
    if (base_weights[i] > 0)
      norms.push_back(std::sqrt(norm));
  }
  std::sort(norms.begin(), norms.end());
  const auto rows = make_row_blocks(view_of(dense, K), shift.data());
  ThreadPool pool({1, nullptr});
  const RowSurvey survey = FloorPasses(*rows, base_weights, pool).survey();
  CHECK(survey.smallest_norm == doctest::Approx(norms.front()).epsilon(1e-13));
  CHECK(survey.median_norm == doctest::Approx(norms[norms.size() / 2]).epsilon(1e-13));
  CHECK(survey.largest_norm == doctest::Approx(norms.back()).epsilon(1e-13));
  for (Index k = 0; k < K; ++k)
    CHECK(survey.mean[k] == doctest::Approx(mean[k]).epsilon(1e-12));
}

TEST_CASE("floor: a batch without rows leaves the factor as it is") {
  CorralFactor factor;
  Eigen::MatrixXd before(0, 2), square = 4.0 * Eigen::MatrixXd::Identity(2, 2), none(2, 0), nothing(0, 0);
  CHECK(factor.append(before, square).size() == 2);
  CHECK(factor.append(none, nothing).empty());
  CHECK(factor.size() == 2);
  Eigen::VectorXd v = Eigen::VectorXd::Constant(2, 8.0);
  factor.solve(v);
  CHECK(v == Eigen::VectorXd::Constant(2, 2.0));
}

TEST_CASE("floor: hard cases") {
  const Index n = 120, K = 10;
  const auto dense = normals(n * K, 22);

  SUBCASE("target inside the hull") {
    std::vector<double> target(K, 0.0);
    for (Index i = 0; i < n * K; ++i)
      target[i % K] += dense[i] / static_cast<double>(n) * (1 + 0.3 * ((i / K) % 2));
    for (double& value : target)
      value /= 1.15;
    const Floor floor = floor_of(view_of(dense, K), target);
    CHECK(floor.status == Status::converged);
    CHECK(floor.value <= 1e-10 * floor.base_discrepancy);
    check_floor(floor, PlainRows(dense, target));
  }
  SUBCASE("target on a vertex") {
    const Index at = std::max_element(dense.begin(), dense.end()) - dense.begin();
    const std::vector<double> target(dense.begin() + at / K * K, dense.begin() + (at / K + 1) * K);
    const Floor floor = floor_of(view_of(dense, K), target);
    CHECK(floor.value <= 1e-10 * floor.base_discrepancy);
    check_floor(floor, PlainRows(dense, target));
  }
  SUBCASE("one row") {
    const std::vector<double> one(dense.begin(), dense.begin() + K);
    const Floor floor = floor_of(view_of(one, K), far_target(K));
    CHECK(floor.value == doctest::Approx(floor.lower_bound).epsilon(1e-14));
    check_floor(floor, PlainRows(one, far_target(K)));
  }
  SUBCASE("every row twice") {
    std::vector<double> twice(dense);
    twice.insert(twice.end(), dense.begin(), dense.end());
    const Floor floor = floor_of(view_of(twice, K), far_target(K));
    CHECK(floor.status == Status::converged);
    check_floor(floor, PlainRows(twice, far_target(K)));
    CHECK(floor.value == doctest::Approx(floor_of(view_of(dense, K), far_target(K)).value).epsilon(1e-12));
  }
  SUBCASE("rank three in ten columns") {
    std::vector<double> flat(n * K, 0.0);
    for (Index i = 0; i < n * K; ++i)
      for (Index f = 0; f < 3; ++f)
        flat[i] += dense[i / K * K + f] * dense[f * K + i % K];
    const Floor floor = floor_of(view_of(flat, K), far_target(K));
    CHECK(floor.status == Status::converged);
    check_floor(floor, PlainRows(flat, far_target(K)));
  }
  SUBCASE("rows without weight are absent") {
    const std::vector<double> target(dense.begin(), dense.begin() + K); // the first row itself
    std::vector<double> base_weights(n, 1.0 / (n - 1));
    base_weights[0] = 0;
    const Floor floor = find_floor({view_of(dense, K), target, base_weights}, {}, {});
    CHECK(std::find(floor.support.begin(), floor.support.end(), 0) == floor.support.end());
    const std::vector<double> present(dense.begin() + K, dense.end());
    CHECK(floor.value == doctest::Approx(floor_of(view_of(present, K), target).value).epsilon(1e-12));
  }
  SUBCASE("a feature that is not a number is refused") {
    std::vector<double> broken(dense);
    broken[37] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(floor_of(view_of(broken, K), far_target(K)), InvalidInput);
  }
}

TEST_CASE("floor: the same bits on any number of threads") {
  const Index n = 30000, K = 40;
  const auto dense = normals(n * K, 23);
  const Floor one = floor_of(view_of(dense, K), far_target(K));
  for (int n_threads : {2, 4}) {
    const Floor more = floor_of(view_of(dense, K), far_target(K), FloorMethod::min_norm_point, n_threads);
    CHECK(more.value == one.value);
    CHECK(more.lower_bound == one.lower_bound);
    CHECK(more.support_weights == one.support_weights);
    CHECK(more.residual == one.residual);
  }
}
