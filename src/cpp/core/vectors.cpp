#include "core/vectors.hpp"

namespace drr {

namespace {
// Eigen's exp clamps its argument near −709, so −∞ would not give 0. exp(−708) ≈ 3.31e-308 is the smallest
// normal number; whatever does not exceed it by a little is counted as zero.
constexpr double smallest_exponent = -708.0;
constexpr double smallest_exponential = 3.4e-308;

Packet exponential(Packet difference) {
  using namespace Eigen::internal;
  return pexp(pmax(difference, broadcast(smallest_exponent)));
}
} // namespace

void exponentials(const double* scores, Index n, double largest, double* e) {
  const Packet top = broadcast(largest);
  Index i = 0;
  for (; i + packet_size <= n; i += packet_size)
    store(e + i, exponential(subtract(load(scores + i), top)));
  if (i < n) {
    std::array<double, packet_size> last{};
    std::copy(scores + i, scores + n, last.begin());
    store(last.data(), exponential(subtract(load(last.data()), top)));
    std::copy(last.begin(), last.begin() + (n - i), e + i);
  }
  for (i = 0; i < n; ++i)
    e[i] = e[i] > smallest_exponential ? e[i] : 0.0;
}

} // namespace drr
