#include "core/linalg/vectors.hpp"

namespace drr {

namespace {
// Eigen's exp clamps its argument near −709, so −∞ would not give 0. exp(−708) ≈ 3.31e-308 is the
// smallest normal number; whatever does not exceed it by a little is counted as zero.
constexpr double min_exponent = -708.0;
constexpr double min_exponential = 3.4e-308;

Packet flushed(Packet e) {
  using namespace Eigen::internal;
  return pand(e, pcmp_lt(broadcast(min_exponential), e));
}

Packet exponential(Packet difference) {
  using namespace Eigen::internal;
  return flushed(pexp(pmax(difference, broadcast(min_exponent))));
}

// Calls function(packet) for n numbers and stores what it returns; the last packet is padded, so
// that no element is treated otherwise than its neighbours.
template <class Function>
void transform(const double* from, Index n, double* to, Function&& function) {
  Index i = 0;
  for (; i + packet_size <= n; i += packet_size)
    store(to + i, function(load(from + i)));
  if (i < n) {
    std::array<double, packet_size> last{};
    std::copy(from + i, from + n, last.begin());
    store(last.data(), function(load(last.data())));
    std::copy(last.begin(), last.begin() + (n - i), to + i);
  }
}
} // namespace

double exponentials(const double* scores, Index n, double largest, double* e) {
  const Packet top = broadcast(largest);
  transform(scores, n, e, [&](Packet score) { return exponential(subtract(score, top)); });
  return sum_of(e, n);
}

void rescale_exponentials(double* e, Index n, double factor, double divisor) {
  const Packet factors = broadcast(factor), divisors = broadcast(divisor);
  transform(e, n, e, [&](Packet p) { return divide(flushed(multiply(p, factors)), divisors); });
}

} // namespace drr
