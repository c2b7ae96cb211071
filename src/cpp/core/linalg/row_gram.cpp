#include "core/linalg/row_gram.hpp"

#include "core/linalg/products.hpp"
#include "core/runtime/thread_buffers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace drr {

namespace {

// Columns copied at a time: enough for the products to run at full speed, few enough for the
// third-level cache. Within them products are summed in the precision of the copy, across
// them in double.
constexpr Index slab_columns = 512;

// A product with a stored entry takes as long as with this many numbers of dense rows.
constexpr Index dense_per_stored = 20;

// Edges of at most four strips of rows with nearly equal shares of a lower triangle of size n, at
// multiples of what the kernels of the products handle at a time. More strips would balance more
// threads, but every strip packs the rows above it anew.
std::vector<Index> equal_strips(Index n) {
  constexpr int max_strips = 4;
  constexpr Index kernel_rows = 24;
  std::vector<Index> edges{0};
  for (int p = 1; p <= max_strips; ++p) {
    const auto edge =
        static_cast<Index>(static_cast<double>(n) * std::sqrt(static_cast<double>(p) / max_strips));
    const Index rounded = p == max_strips ? n : edge / kernel_rows * kernel_rows;
    if (rounded > edges.back())
      edges.push_back(rounded);
  }
  return edges;
}

// Slab by slab. Each row of a slab is divided by its largest number, so that single precision
// neither overflows nor loses a small row beside a large one.
template <class Scalar>
class DenseRowGram {
public:
  DenseRowGram(Index n_rows, Index n_cols, const CopyColumns& copy_columns, ThreadPool& pool)
      : n_cols_(n_cols), copy_columns_(copy_columns), pool_(pool), strips_(equal_strips(n_rows)),
        slab_(n_rows, std::min(slab_columns, n_cols)), extents_(n_rows),
        row_buffers_(pool.n_threads(), slab_.cols()), products_(pool.n_threads()) {
    Index largest = 0;
    for (std::size_t strip = 0; strip + 1 < strips_.size(); ++strip)
      largest = std::max(largest, (strips_[strip + 1] - strips_[strip]) * strips_[strip + 1]);
    for (Eigen::VectorX<Scalar>& product : products_)
      product.resize(largest);
  }

  void operator()(SquareMatrix& lower) {
    const Index n = slab_.rows(), K = n_cols_;
    lower.setZero();
    for (Index left = 0; left < K; left += slab_columns) {
      const RowRange columns{left, std::min(K, left + slab_columns)};
      pool_.run(n, Work::reading(n * columns.size()), [&](Index i, int worker) { copy(i, columns, worker); });
      const double multiply_adds = 0.5 * static_cast<double>(n * n) * static_cast<double>(columns.size());
      pool_.run(static_cast<Index>(strips_.size()) - 1, Work::multiplying(multiply_adds),
                [&](Index strip, int worker) { add_strip(strip, columns.size(), worker, lower); });
    }
  }

private:
  using Slab = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void copy(Index i, RowRange columns, int worker) {
    Eigen::Map<Eigen::ArrayXd> row(row_buffers_[worker], columns.size());
    copy_columns_(i, columns, row.data());
    const double extent = row.abs().maxCoeff();
    extents_[i] = extent > 1e-300 ? extent : 1.0; // whose reciprocal is finite
    slab_.row(i).head(columns.size()) = (row * (1.0 / extents_[i])).matrix().template cast<Scalar>();
  }

  void add_strip(Index strip, Index width, int worker, SquareMatrix& lower) {
    const Index top = strips_[strip], bottom = strips_[strip + 1], height = bottom - top;
    const auto part = slab_.leftCols(width);
    const auto here = part.middleRows(top, height);
    Eigen::Map<Slab> product(products_[worker].data(), height, bottom);
    product.setZero();
    add_inner_products<Scalar>(product.leftCols(top).transpose(), 1, part.topRows(top).transpose(),
                               here.transpose());
    auto corner = product.rightCols(height);
    corner.template selfadjointView<Eigen::Lower>().rankUpdate(here);
    for (Index i = top; i < bottom; ++i)
      for (Index j = 0; j <= i; ++j)
        lower(i, j) += extents_[i] * extents_[j] * static_cast<double>(product(i - top, j));
  }

  Index n_cols_;
  const CopyColumns& copy_columns_;
  ThreadPool& pool_;
  std::vector<Index> strips_;
  Slab slab_;
  std::vector<double> extents_; // of the rows of the slab
  ThreadBuffers row_buffers_;
  std::vector<Eigen::VectorX<Scalar>> products_; // one per thread
};

void sparse_row_gram(const RowBlocks& rows, ThreadPool& pool, SquareMatrix& lower) {
  // One dense row at a time, gathered against the stored entries of the others.
  std::vector<Eigen::VectorXd> row(pool.n_threads(), Eigen::VectorXd(rows.n_cols()));
  const Work work = Work::reading(rows.n_rows() * (rows.n_cols() + rows.n_numbers() / 2));
  pool.run(rows.n_rows(), work, [&](Index i, int worker) {
    rows.copy({i, i + 1}, nullptr, row[worker].data());
    rows.scores({0, i + 1}, row[worker].data(), lower.row(i).data());
  });
}

} // namespace

void row_gram(Index n_rows, Index n_cols, const CopyColumns& copy_columns, ThreadPool& pool,
              GramPrecision precision, SquareMatrix& lower) {
  if (precision == GramPrecision::single_precision)
    DenseRowGram<float>(n_rows, n_cols, copy_columns, pool)(lower);
  else
    DenseRowGram<double>(n_rows, n_cols, copy_columns, pool)(lower);
}

void row_gram(const RowBlocks& rows, ThreadPool& pool, GramPrecision precision, SquareMatrix& lower) {
  const auto copy_columns = [&](Index i, RowRange columns, double* out) {
    rows.copy_columns({i, i + 1}, columns, out);
  };
  if (rows.is_sparse() && rows.n_numbers() <= rows.n_rows() * rows.n_cols() / dense_per_stored)
    sparse_row_gram(rows, pool, lower);
  else
    row_gram(rows.n_rows(), rows.n_cols(), copy_columns, pool, precision, lower);
}

} // namespace drr
