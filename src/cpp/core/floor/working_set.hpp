// A few rows, copied dense and in double from wherever they are stored, with their Gram matrix.
#pragma once

#include "core/rows/row_blocks.hpp"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace drr {

class WorkingSet {
public:
  // The rows are divided by `unit`, a power of two of the order of their norms: no square
  // under- or overflows.
  WorkingSet(const RowBlocks& rows, double unit) : source_(rows), scale_(1 / unit), K_(rows.n_cols()) {}

  Index size() const { return static_cast<Index>(ids_.size()); }
  Index n_cols() const { return K_; }
  Index id(Index slot) const { return ids_[slot]; } // its number among all rows

  // Appends rows by their numbers, and their inner products with all others.
  void add(std::span<const Index> ids);
  // Keeps the slots given in ascending order; slot keep[k] becomes slot k.
  void keep(std::span<const Index> keep);

  // aᵢᵀaⱼ / unit², size × size
  auto gram() const { return gram_.topLeftCorner(size(), size()); }
  auto row(Index slot) const { return rows().row(slot).transpose(); }

  // Σ weights[slot]·a / unit, and the inner products with a vector: from the rows, not through
  // the Gram matrix.
  void combine(const Eigen::VectorXd& weights, Eigen::VectorXd& sum) const {
    sum.noalias() = rows().transpose() * weights;
  }
  void scores(const Eigen::VectorXd& x, Eigen::VectorXd& scores) const { scores.noalias() = rows() * x; }
  // Any row among all, in the units of the set.
  void copy(Index id, double* out) const { source_.copy({id, id + 1}, &scale_, out); }

private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<const RowMajor> rows() const { return {data_.data(), size(), K_}; }

  const RowBlocks& source_;
  double scale_;
  Index K_;
  std::vector<Index> ids_;
  std::vector<double> data_; // size × K
  Eigen::MatrixXd gram_;     // its capacity grows by doubling
};

} // namespace drr
