#include "certificates.hpp"
#include "drr/errors.hpp"
#include "problem.hpp"

using namespace drr;
using namespace drr::testing;

namespace {

constexpr DualMethod all_methods[] = {DualMethod::automatic, DualMethod::newton, DualMethod::pcg_sampled,
                                      DualMethod::pcg_woodbury, DualMethod::wide};

struct Solved {
  std::vector<double> theta, weights;
  DualResult result;
};

Solved solve(const FeatureView& view, const std::vector<double>& target, double tolerance,
             DualMethod method = DualMethod::automatic, const std::vector<double>& log_base_weights = {},
             int n_threads = 1) {
  Solved solved;
  const Index n = std::visit([](const auto& rows) { return rows.n_rows; }, view);
  solved.theta.resize(target.size());
  solved.weights.resize(static_cast<std::size_t>(n));
  DualInput input{view, target, log_base_weights, tolerance};
  solved.result = solve_dual(input, {method, 0}, {solved.theta, solved.weights}, {n_threads, nullptr});
  return solved;
}

// Half-way between the base mean's distance and the floor: feasible, and far from trivial.
double middle_tolerance(const FeatureView& view, const std::vector<double>& target) {
  const Floor floor = find_floor({view, target, {}}, {}, {});
  return 0.9 * floor.value + 0.1 * floor.base_discrepancy;
}

} // namespace

TEST_CASE("dual: two rows have a closed form") {
  // Rows 0 and 1, target 1, tolerance ¼: the mean must rise to ¾, so θ = log 3.
  const std::vector<double> features{0, 1}, target{1};
  for (DualMethod method : all_methods) {
    const Solved solved = solve(DenseView<double>{features.data(), 2, 1, 1}, target, 0.25, method);
    CHECK(solved.theta[0] == doctest::Approx(std::log(3.0)).epsilon(1e-10));
    CHECK(solved.weights[1] == doctest::Approx(0.75).epsilon(1e-11));
    CHECK(is_success(solved.result.status));
  }
}

TEST_CASE("dual: the certificate holds for every inner solve, in both precisions, dense and sparse") {
  struct Shape {
    Index n, K;
  };
  for (const auto [n, K] : {Shape{500, 15}, Shape{400, 90}, Shape{60, 130}}) {
    auto dense = normals(n * K, 31);
    const std::vector<double> target(static_cast<std::size_t>(K), 0.4);
    const DenseView<double> view{dense.data(), n, K, K};
    const double tolerance = middle_tolerance(view, target);
    const PlainRows rows(dense, target);
    const Solved reference = solve(view, target, tolerance, DualMethod::newton);
    for (DualMethod method : all_methods) {
      const Solved solved = solve(view, target, tolerance, method);
      CHECK(solved.result.status == Status::converged);
      check_dual(solved.result, rows, solved.theta, solved.weights, {}, tolerance);
      for (Index k = 0; k < K; ++k)
        CHECK(std::abs(solved.theta[k] - reference.theta[k]) <= 1e-8 * norm_of(reference.theta));
    }

    const std::vector<float> narrow(dense.begin(), dense.end());
    const Solved single = solve(DenseView<float>{narrow.data(), n, K, K}, target, tolerance);
    CHECK(single.result.status == Status::converged);
    check_dual(single.result, PlainRows(narrow, target), single.theta, single.weights, {}, tolerance);

    const Sparse sparse(dense, n, K, 0.5);
    for (double& value : dense)
      value = std::abs(value) > 0.5 ? value : 0.0;
    const double sparse_tolerance = middle_tolerance(sparse.view(), target);
    const Solved gathered = solve(sparse.view(), target, sparse_tolerance);
    CHECK(gathered.result.status == Status::converged);
    check_dual(gathered.result, PlainRows(dense, target), gathered.theta, gathered.weights, {},
               sparse_tolerance);
  }
}

TEST_CASE("dual: unequal base weights, and rows without weight") {
  const Index n = 200, K = 8;
  const auto dense = normals(n * K, 32), noise = normals(n, 33);
  const std::vector<double> target(K, 0.5);
  std::vector<double> log_weights(n);
  double total = 0;
  for (Index i = 0; i < n; ++i)
    total += i % 7 == 0 ? 0.0 : std::exp(noise[i]);
  for (Index i = 0; i < n; ++i)
    log_weights[i] = i % 7 == 0 ? -std::numeric_limits<double>::infinity() : noise[i] - std::log(total);
  const Solved solved =
      solve(DenseView<double>{dense.data(), n, K, K}, target, 0.6, DualMethod::automatic, log_weights);
  CHECK(solved.result.status == Status::converged);
  check_dual(solved.result, PlainRows(dense, target), solved.theta, solved.weights, log_weights, 0.6);
  for (Index i = 0; i < n; i += 7)
    CHECK(solved.weights[i] == 0.0);
}

TEST_CASE("dual: how a solve may end") {
  const Index n = 150, K = 6;
  const auto dense = normals(n * K, 34);
  const std::vector<double> target(K, 2.5);
  const DenseView<double> view{dense.data(), n, K, K};
  const Floor floor = find_floor({view, target, {}}, {}, {});
  CHECK(floor.value > 0.5);

  SUBCASE("the base weights do") {
    const Solved solved = solve(view, target, floor.base_discrepancy * 1.0001);
    CHECK(solved.result.status == Status::zero_dual);
    CHECK(norm_of(solved.theta) == 0.0);
    CHECK(solved.weights[3] == doctest::Approx(1.0 / n).epsilon(1e-14));
  }
  SUBCASE("no weights do, and the bound proves it") {
    for (DualMethod method : all_methods) {
      const double tolerance = 0.9 * floor.value;
      const Solved solved = solve(view, target, tolerance, method);
      CHECK(solved.result.status == Status::infeasible);
      CHECK(solved.result.floor_lower_bound > tolerance);
      CHECK(solved.result.floor_lower_bound <= floor.value * (1 + 1e-12));
    }
  }
  SUBCASE("a limit on the iterations") {
    DualInput input{view, target, {}, 1.02 * floor.value};
    std::vector<double> theta(K), weights(n);
    const DualResult result = solve_dual(input, {DualMethod::newton, 1}, {theta, weights}, {});
    CHECK(result.status == Status::iteration_limit);
    CHECK(result.n_iter == 1);
  }
  SUBCASE("a feature that is infinite is refused") {
    auto broken = dense;
    broken[11] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(solve(DenseView<double>{broken.data(), n, K, K}, target, floor.value), InvalidInput);
  }
}

TEST_CASE("dual: scores so large that on the way every weight underflows") {
  const std::vector<double> features{-5.6e-17, 2.7e141, 6.2e69, 2e12}, target{-2.1875, 0};
  const std::vector<double> log_base_weights{0, std::log(1e-69)};
  for (DualMethod method : all_methods) {
    const Solved solved =
        solve(DenseView<double>{features.data(), 2, 2, 2}, target, 2.625, method, log_base_weights);
    CHECK(solved.result.status != Status::converged); // the floor is 6e69
    if (solved.result.status != Status::infeasible)
      CHECK(solved.weights[0] + solved.weights[1] == doctest::Approx(1.0).epsilon(1e-12));
  }
}

TEST_CASE("dual: the same bits on any number of threads") {
  struct Shape {
    Index n, K;
  };
  for (const auto [n, K] : {Shape{20000, 100}, Shape{300, 4000}}) {
    const auto dense = normals(n * K, 35);
    const std::vector<double> target(static_cast<std::size_t>(K), 0.3);
    const DenseView<double> view{dense.data(), n, K, K};
    const double tolerance = middle_tolerance(view, target);
    const Solved one = solve(view, target, tolerance);
    CHECK(one.result.status == Status::converged);
    for (int n_threads : {2, 4}) {
      const Solved more = solve(view, target, tolerance, DualMethod::automatic, {}, n_threads);
      CHECK(more.theta == one.theta);
      CHECK(more.weights == one.weights);
    }
  }
}
