#include "core/rows/row_blocks.hpp"
#include "drr/errors.hpp"
#include "guarded.hpp"
#include "problem.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace drr;
using namespace drr::testing;

namespace {

// Every operation of RowBlocks, spelled out on dense doubles.
void check_against_plain_loops(const RowBlocks& rows, const std::vector<double>& dense,
                               const Guarded<double>& shift) {
  const Index n = rows.n_rows(), K = rows.n_cols();
  const RowRange range{n / 5, n}, columns{K / 3, K - K / 4};
  const Guarded<double> theta(normals(K, 5)), weights(normals(range.size(), 6));
  Guarded<double> scores(range.size(), 0), sum(K, 0.5), norms(range.size(), 0), copied(range.size() * K, 0),
      some(range.size() * columns.size(), 0);
  rows.scores(range, theta.data(), scores.data());
  rows.add_weighted(range, weights.data(), sum.data());
  rows.squared_norms(range, norms.data());
  rows.copy(range, weights.data(), copied.data());
  rows.copy_columns(range, columns, some.data());
  for (const Guarded<double>* output : {&scores, &sum, &norms, &copied, &some})
    CHECK(output->is_intact());

  std::vector<double> expected_sum(K, 0.5);
  for (Index i = range.begin; i < range.end; ++i) {
    double score = 0, norm = 0;
    const Index j = i - range.begin;
    for (Index k = 0; k < K; ++k) {
      const double a = dense[i * K + k] - shift[k];
      score += a * theta[k];
      norm += a * a;
      expected_sum[k] += weights[j] * a;
      CHECK(copied[j * K + k] == doctest::Approx(weights[j] * a).epsilon(1e-13));
      if (columns.begin <= k && k < columns.end)
        CHECK(some[j * columns.size() + k - columns.begin] == doctest::Approx(a).epsilon(1e-13));
    }
    CHECK(scores[j] == doctest::Approx(score).epsilon(1e-12));
    CHECK(norms[j] == doctest::Approx(norm).epsilon(1e-12));
  }
  for (Index k = 0; k < K; ++k)
    CHECK(sum[k] == doctest::Approx(expected_sum[k]).epsilon(1e-12));
}

} // namespace

TEST_CASE("dense rows, double and float, contiguous and strided") {
  const Index n = 53;
  for (Index K : {1, 2, 5, 8, 17, 33}) {
    const auto dense = normals(n * K, 1);
    const Guarded<double> rows(dense), shift(normals(K, 2));
    check_against_plain_loops(*make_row_blocks(DenseView<double>{rows.data(), n, K, K}, shift.data()), dense,
                              shift);

    const Guarded<float> narrow(dense);
    const std::vector<double> widened(narrow.data(), narrow.data() + n * K);
    check_against_plain_loops(*make_row_blocks(DenseView<float>{narrow.data(), n, K, K}, shift.data()),
                              widened, shift);

    std::vector<double> padded(n * (K + 3), std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < n; ++i)
      std::copy_n(dense.begin() + i * K, K, padded.begin() + i * (K + 3));
    check_against_plain_loops(*make_row_blocks(DenseView<double>{padded.data(), n, K, K + 3}, shift.data()),
                              dense, shift);
  }
}

TEST_CASE("sparse rows") {
  const Index n = 41, K = 19;
  auto dense = normals(n * K, 3);
  const Guarded<double> shift(normals(K, 4));
  const Sparse sparse(dense, n, K, 0.7);
  for (double& value : dense)
    value = std::abs(value) > 0.7 ? value : 0.0;
  check_against_plain_loops(*make_row_blocks(sparse.view(), shift.data()), dense, shift);
}

TEST_CASE("broken sparse indices are refused before a kernel follows them") {
  const auto dense = normals(12, 7);
  const Sparse good(dense, 3, 4, 0.0);
  CHECK_NOTHROW(validate(good.view()));
  auto bad = good;
  bad.columns[5] = 4;
  CHECK_THROWS_AS(validate(bad.view()), InvalidInput);
  bad = good;
  bad.columns[0] = -1;
  CHECK_THROWS_AS(validate(bad.view()), InvalidInput);
  bad = good;
  bad.offsets[1] = 99;
  CHECK_THROWS_AS(validate(bad.view()), InvalidInput);
}

TEST_CASE("sparse rows that are part of a larger array: offsets after the last are not theirs") {
  const auto dense = normals(12, 7);
  Sparse part(dense, 3, 4, 0.0);
  part.offsets.push_back(0); // the offsets of other rows
  CHECK_NOTHROW(validate(part.view()));
}

TEST_CASE("chunks cover every row once, in order, in whole tiles") {
  for (Index n : {1, 3, 64, 65, 1000, 100000})
    for (Index K : {1, 20, 500, 5000}) {
      const std::vector<double> shift(K, 0.0);
      const auto rows = make_row_blocks(DenseView<double>{nullptr, n, K, K}, shift.data());
      const Chunks chunks(*rows);
      CHECK(chunks.count() <= 64);
      Index expected = 0;
      for (Index chunk = 0; chunk < chunks.count(); ++chunk)
        chunks.for_each_tile(chunk, [&](RowRange tile) {
          CHECK(tile.begin == expected);
          CHECK(tile.size() > 0);
          CHECK(tile.size() <= rows->rows_per_tile());
          expected = tile.end;
        });
      CHECK(expected == n);
    }
}
