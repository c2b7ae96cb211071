// Raw rows to embedded rows, a tile at a time: what `embed` writes out and `embed_scores`
// multiplies by θ.
#pragma once

#include "core/embed/fourier_block.hpp"
#include "core/rows/row_blocks.hpp"
#include "drr/embed.hpp"

#include <Eigen/Core>
#include <memory>

namespace drr {

// The dense parts of a tile of rows. Rows are aligned and padded: with zeros in z, with whatever
// in the waves.
struct EmbeddedTile {
  Eigen::VectorXd centred; // rows × p: x − mean
  Eigen::VectorXd z;       // rows × z stride
  Eigen::VectorXd waves;   // rows × wave stride: cos(zᵀW + b)
};

class Embedder {
public:
  // A multiple of the group of rows that FourierBlock takes; z and the waves of a tile fit
  // the second-level cache.
  static constexpr Index rows_per_tile = 8 * FourierBlock::rows_per_group;

  Embedder(const FeatureMap& map, const RawRows& rows);

  Index z_stride() const { return z_stride_; }
  Index wave_stride() const { return fourier_.stride(); }

  EmbeddedTile make_tile() const;
  // Fills z and waves of the tile; at most rows_per_tile rows.
  void fill(RowRange rows, EmbeddedTile& tile) const;

  // Calls function(column) with the one-hot column of every level that row i has, counted within
  // the one-hot block.
  template <class Function>
  void for_each_level(Index i, Function&& function) const {
    const std::int32_t* codes = raw_.codes.data() + i * map_.n_variables();
    for (Index v = 0; v < map_.n_variables(); ++v)
      if (codes[v] >= 0 && codes[v] < map_.level_offsets[v + 1] - map_.level_offsets[v])
        function(static_cast<Index>(map_.level_offsets[v] + codes[v]));
  }

private:
  void standardise(RowRange rows, EmbeddedTile& tile) const;

  FeatureMap map_;
  RawRows raw_;
  Index n_numeric_, z_stride_;
  Eigen::VectorXd inverse_scale_;
  std::unique_ptr<RowBlocks> numeric_; // shifted by the mean; null if there is no numeric column
  FourierBlock fourier_;
};

} // namespace drr
