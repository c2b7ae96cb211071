#include "core/floor/row_selection.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

namespace drr {

namespace {

// The rows below the threshold that are not in the working set, ascending.
std::vector<Index> rows_below(std::span<double> scores, const WorkingSet& set, double threshold) {
  for (Index slot = 0; slot < set.size(); ++slot)
    scores[set.id(slot)] = std::numeric_limits<double>::infinity();
  std::vector<Index> rows;
  for (Index i = 0; i < std::ssize(scores); ++i)
    if (scores[i] < threshold)
      rows.push_back(i);
  return rows;
}

// Of rows, those of lowest score, lowest first.
void keep_lowest(std::vector<Index>& rows, std::span<const double> scores, Index most) {
  const auto lower = [&](Index a, Index b) { // none is NaN: NaN is below no threshold
    return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
  };
  if (std::ssize(rows) > most) {
    std::nth_element(rows.begin(), rows.begin() + most, rows.end(), lower);
    rows.resize(most);
  }
  std::sort(rows.begin(), rows.end(), lower);
}

// All rows below the threshold if they are few, else the lowest and an even share of the others, lowest first.
std::vector<Index> candidates(std::span<double> scores, const WorkingSet& set, double threshold) {
  constexpr Index n_lowest = 512, n_others = 512;
  const std::vector<Index> rows = rows_below(scores, set, threshold);
  std::vector<Index> lowest = rows;
  if (std::ssize(rows) <= n_lowest + n_others) {
    keep_lowest(lowest, scores, std::ssize(rows));
    return lowest;
  }
  keep_lowest(lowest, scores, n_lowest);
  const double highest = scores[lowest.back()];
  std::vector<Index> chosen = lowest;
  for (Index k = 0; k < n_others; ++k)
    if (const Index row = rows[k * std::ssize(rows) / n_others]; scores[row] > highest)
      chosen.push_back(row);
  keep_lowest(chosen, scores, std::ssize(chosen));
  return chosen;
}

} // namespace

std::vector<Index> select_lowest(std::span<double> scores, const WorkingSet& set, double threshold,
                                 Index most) {
  std::vector<Index> rows = rows_below(scores, set, threshold);
  keep_lowest(rows, scores, most);
  return rows;
}

std::vector<Index> select_spread(std::span<double> scores, const WorkingSet& set, double threshold,
                                 std::span<const Index> slots) {
  const std::vector<Index> rows = candidates(scores, set, threshold);
  constexpr Index block = 64; // rows; their copies stay in the cache
  constexpr Index wanted = 32;
  const Index s = std::ssize(slots), K = set.n_cols(), of_each = (wanted + s - 1) / s;
  Eigen::MatrixXd centres(K, s), copies(K, block), nearness(s, block);
  for (Index k = 0; k < s; ++k)
    centres.col(k) = set.row(slots[k]);
  // −‖a − c‖²/2 but for ‖a‖², which is the same for all centres
  const Eigen::VectorXd half_squares = 0.5 * centres.colwise().squaredNorm().transpose();
  std::vector<Index> taken(s, 0);
  std::vector<Index> selected;
  for (Index begin = 0; begin < std::ssize(rows); begin += block) {
    const Index n = std::min(block, std::ssize(rows) - begin);
    for (Index i = 0; i < n; ++i)
      set.copy(rows[begin + i], copies.col(i).data());
    nearness.leftCols(n).noalias() = centres.transpose() * copies.leftCols(n);
    nearness.leftCols(n).colwise() -= half_squares;
    for (Index i = 0; i < n; ++i) {
      Index nearest = 0;
      for (Index k = 1; k < s; ++k)
        if (nearness(k, i) > nearness(nearest, i))
          nearest = k;
      if (taken[nearest]++ < of_each)
        selected.push_back(rows[begin + i]);
    }
  }
  return selected;
}

} // namespace drr
