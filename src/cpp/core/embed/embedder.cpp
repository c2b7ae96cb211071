#include "core/embed/embedder.hpp"

#include <cmath>

namespace drr {

namespace {
constexpr Index alignment = 8; // doubles: whole packets of every instruction set
} // namespace

Embedder::Embedder(const FeatureMap& map, const RawRows& rows)
    : map_(map), raw_(rows), n_numeric_(map.n_linear() - static_cast<Index>(map.indicated.size())),
      z_stride_((map.n_linear() + alignment - 1) / alignment * alignment),
      inverse_scale_(Eigen::Map<const Eigen::ArrayXd>(map.scale.data(), map.n_linear()).inverse()),
      fourier_(map.weights, map.phases, map.n_linear()) {
  if (rows.numeric) {
    validate(*rows.numeric);
    numeric_ = make_row_blocks(*rows.numeric, map_.mean.data());
  }
}

EmbeddedTile Embedder::make_tile() const {
  return {Eigen::VectorXd::Zero(rows_per_tile * n_numeric_), Eigen::VectorXd::Zero(rows_per_tile * z_stride_),
          Eigen::VectorXd::Zero(rows_per_tile * wave_stride())};
}

void Embedder::fill(RowRange rows, EmbeddedTile& tile) const {
  if (!numeric_)
    return;
  standardise(rows, tile);
  if (fourier_.n_waves() > 0) {
    // The last tile is filled up with rows of an earlier one: finite, and never read.
    constexpr Index group = FourierBlock::rows_per_group;
    const Index n_rows = (rows.size() + group - 1) / group * group;
    fourier_(tile.z.data(), z_stride_, n_rows, tile.waves.data());
  }
}

void Embedder::standardise(RowRange rows, EmbeddedTile& tile) const {
  numeric_->copy(rows, nullptr, tile.centred.data());
  const auto n_indicators = static_cast<Index>(map_.indicated.size());
  for (Index row = 0; row < rows.size(); ++row) {
    const double* centred = tile.centred.data() + row * n_numeric_;
    double* z = tile.z.data() + row * z_stride_;
    for (Index j = 0; j < n_numeric_; ++j)
      z[j] = centred[j] == centred[j] ? centred[j] * inverse_scale_[j] : 0.0;
    for (Index t = 0; t < n_indicators; ++t) {
      const double is_missing = std::isnan(centred[map_.indicated[t]]) ? 1.0 : 0.0;
      z[n_numeric_ + t] = (is_missing - map_.mean[n_numeric_ + t]) * inverse_scale_[n_numeric_ + t];
    }
  }
}

} // namespace drr
