#include "core/embed/standardised_rows.hpp"
#include "core/linalg/row_gram.hpp"
#include "core/linalg/selection.hpp"
#include "core/linalg/vectors.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace drr {

namespace {

// Up to so many columns the distances themselves cost no more than what would be found
// out from products.
constexpr Index few_columns = 128;
// The share of the pairs from which on more exact products are worth their time.
constexpr double many_left = 0.05;
constexpr Index rows_per_task = 16;

// The error of twice a product of rows, relative to the product of their norms: up to 512 products
// are added at a time, every one of them rounded. Doubled, to leave nothing to argue about.
double relative_error(GramPrecision precision) {
  constexpr double roundings = 2 * 2 * 520;
  return roundings * (precision == GramPrecision::single_precision ? 0x1p-24 : 0x1p-53);
}

struct Pair {
  Index i, j;
};

class PairDistances {
public:
  PairDistances(const StandardisedRows& rows, ThreadPool& pool)
      : rows_(rows), pool_(pool), n_(rows.n_rows()), n_pairs_(n_ * (n_ - 1) / 2), first_((n_pairs_ - 1) / 2),
        last_(n_pairs_ / 2) {}

  double median() {
    if (n_pairs_ == 0)
      return 0.0;
    if (rows_.n_cols() <= few_columns)
      return middle_of(all(), first_, last_);
    measure_norms();
    Candidates left = candidates(GramPrecision::single_precision);
    if (static_cast<double>(left.pairs.size()) > many_left * static_cast<double>(n_pairs_))
      left = candidates(GramPrecision::double_precision);
    return middle_of(exactly(left.pairs), first_ - left.n_nearer, last_ - left.n_nearer);
  }

private:
  // Pairs that may be in the middle, and how many others are surely nearer than it.
  struct Candidates {
    std::vector<Pair> pairs;
    Index n_nearer = 0;
  };

  static double middle_of(std::vector<double> distances, Index first, Index last) {
    if (std::any_of(distances.begin(), distances.end(), [](double d) { return std::isnan(d); }))
      return unset; // differences that overflow
    const auto [low, high] = select(distances, first, last);
    return low + (high - low) / 2;
  }

  // Pairs (i, j) with j < i stand one after the other, row by row.
  static Index place_of(Index i) { return i * (i - 1) / 2; }

  // Several pairs (i, j), (i, j + 1), … at a time from the transposed rows.
  std::vector<double> all() const {
    constexpr int n_packets = 4, width = n_packets * packet_size;
    const Index p = rows_.n_cols(), stride = n_ + width; // reads may go beyond the last row
    std::vector<double> transposed(p * stride, 0.0), row(p), distances(n_pairs_ + width);
    for (Index i = 0; i < n_; ++i) {
      rows_.copy_columns(i, {0, p}, row.data());
      for (Index k = 0; k < p; ++k)
        transposed[k * stride + i] = row[k];
    }
    // In order, because the last pairs of a row are written over by the first of the next.
    for (Index i = 1; i < n_; ++i) {
      if (i % rows_per_task == 0)
        pool_.poll();
      for (Index j = 0; j < i; j += width) {
        Packet sums[n_packets];
        for (int lane = 0; lane < n_packets; ++lane)
          sums[lane] = broadcast(0.0);
        for (Index k = 0; k < p; ++k) {
          const double* column = transposed.data() + k * stride;
          const Packet own = broadcast(column[i]);
          for (int lane = 0; lane < n_packets; ++lane) {
            const Packet difference = subtract(load(column + j + lane * packet_size), own);
            sums[lane] = multiply_add(difference, difference, sums[lane]);
          }
        }
        for (int lane = 0; lane < n_packets; ++lane)
          store(distances.data() + place_of(i) + j + lane * packet_size, sums[lane]);
      }
    }
    distances.resize(n_pairs_);
    return distances;
  }

  void measure_norms() {
    norms_.resize(n_);
    ThreadBuffers rooms(pool_.n_threads(), rows_.n_cols());
    pool_.run(n_, Work::reading(n_ * rows_.n_cols()),
              [&](Index i, int worker) { norms_[i] = std::sqrt(rows_.squared_norm(i, rooms[worker])); });
  }

  // Every distance lies between two bounds. The middle one is neither below the middle one of the
  // lower bounds nor above that of the upper bounds.
  Candidates candidates(GramPrecision precision) {
    SquareMatrix products(n_, n_);
    row_gram(
        n_, rows_.n_cols(),
        [&](Index i, RowRange columns, double* out) { rows_.copy_columns(i, columns, out); }, pool_,
        precision, products);
    std::vector<double> lower(n_pairs_), upper(n_pairs_);
    const double error = relative_error(precision);
    for (Index i = 1; i < n_; ++i)
      for (Index j = 0; j < i; ++j) {
        const double distance = norms_[i] * norms_[i] + norms_[j] * norms_[j] - 2 * products(i, j);
        const double bound = error * (norms_[i] * norms_[j]) + 0x1p-48 * distance;
        lower[place_of(i) + j] = distance - bound;
        upper[place_of(i) + j] = distance + bound;
      }
    Candidates result;
    std::vector<double> numbers = lower;
    const double lowest = select(numbers, first_, first_).first;
    numbers = upper;
    const double highest = select(numbers, last_, last_).first;
    for (Index i = 1; i < n_; ++i)
      for (Index j = 0; j < i; ++j) {
        const Index place = place_of(i) + j;
        if (upper[place] < lowest)
          ++result.n_nearer;
        else if (!(lower[place] > highest))
          result.pairs.push_back({i, j});
      }
    return result;
  }

  std::vector<double> exactly(const std::vector<Pair>& pairs) {
    const Index p = rows_.n_cols(), n_tasks = (std::ssize(pairs) + rows_per_task - 1) / rows_per_task;
    std::vector<double> distances(pairs.size());
    ThreadBuffers rooms(pool_.n_threads(), 2 * p);
    pool_.run(n_tasks, Work::reading(2 * std::ssize(pairs) * p), [&](Index task, int worker) {
      double *one = rooms[worker], *other = one + p;
      const Index end = std::min(std::ssize(pairs), (task + 1) * rows_per_task);
      for (Index at = task * rows_per_task; at < end; ++at) {
        rows_.copy_columns(pairs[at].i, {0, p}, one);
        rows_.copy_columns(pairs[at].j, {0, p}, other);
        for (Index k = 0; k < p; ++k)
          one[k] -= other[k];
        distances[at] = dot_of(one, one, p);
      }
    });
    return distances;
  }

  const StandardisedRows& rows_;
  ThreadPool& pool_;
  Index n_, n_pairs_, first_, last_; // the places in the middle
  std::vector<double> norms_;
};

} // namespace

double median_distance(const FeatureView& rows, const Standardisation& standardisation,
                       const Execution& execution) {
  const StandardisedRows standardised(rows, standardisation);
  ThreadPool pool(execution);
  return PairDistances(standardised, pool).median();
}

} // namespace drr
