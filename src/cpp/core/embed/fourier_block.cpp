#include "core/embed/fourier_block.hpp"

#include "core/embed/cosine.hpp"

#include <algorithm>

namespace drr {

namespace {

constexpr Index panel_width = 2 * packet_size;
// A panel of this many inputs (at most 32 KiB) stays in the first-level cache while all rows of the
// tile pass it.
constexpr Index inputs_per_block = 256;
constexpr Index group = FourierBlock::rows_per_group;

// sums += z · panel over `n_inputs` inputs; each sum grows in the order of the inputs.
inline void add_products(const double* z, Index z_stride, const double* panel, Index n_inputs, double* out,
                         Index out_stride) {
  Packet sums[group][2];
  for (Index row = 0; row < group; ++row) {
    sums[row][0] = load(out + row * out_stride);
    sums[row][1] = load(out + row * out_stride + packet_size);
  }
  for (Index k = 0; k < n_inputs; ++k, panel += panel_width) {
    const Packet left = load(panel), right = load(panel + packet_size);
    for (Index row = 0; row < group; ++row) {
      const Packet input = broadcast(z[row * z_stride + k]);
      sums[row][0] = multiply_add(input, left, sums[row][0]);
      sums[row][1] = multiply_add(input, right, sums[row][1]);
    }
  }
  for (Index row = 0; row < group; ++row) {
    store(out + row * out_stride, sums[row][0]);
    store(out + row * out_stride + packet_size, sums[row][1]);
  }
}

} // namespace

FourierBlock::FourierBlock(std::span<const double> weights, std::span<const double> phases, Index n_inputs)
    : n_inputs_(n_inputs), n_waves_(static_cast<Index>(phases.size())),
      stride_((n_waves_ + panel_width - 1) / panel_width * panel_width),
      panels_(Eigen::VectorXd::Zero(n_inputs * stride_)), phases_(Eigen::VectorXd::Zero(stride_)) {
  std::copy(phases.begin(), phases.end(), phases_.data());
  for (Index k = 0; k < n_inputs_; ++k)
    for (Index d = 0; d < n_waves_; ++d)
      panels_[(d / panel_width * n_inputs_ + k) * panel_width + d % panel_width] = weights[k * n_waves_ + d];
}

void FourierBlock::operator()(const double* z, Index z_stride, Index n_rows, double* out) const {
  project(z, z_stride, n_rows, out);
  cosines(out, n_rows * stride_);
}

void FourierBlock::project(const double* z, Index z_stride, Index n_rows, double* out) const {
  for (Index row = 0; row < n_rows; ++row)
    std::copy_n(phases_.data(), stride_, out + row * stride_);
  for (Index begin = 0; begin < n_inputs_; begin += inputs_per_block) {
    const Index count = std::min(inputs_per_block, n_inputs_ - begin);
    for (Index d = 0; d < stride_; d += panel_width) {
      const double* panel = panels_.data() + (d * n_inputs_ + begin * panel_width);
      for (Index row = 0; row < n_rows; row += group)
        add_products(z + row * z_stride + begin, z_stride, panel, count, out + row * stride_ + d, stride_);
    }
  }
}

} // namespace drr
