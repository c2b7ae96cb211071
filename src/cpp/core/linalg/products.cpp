#include "core/linalg/products.hpp"

namespace drr {

void add_outer_products(Columns<double> c, double factor, ConstColumns<double> a, ConstColumns<double> b) {
  c.noalias() += factor * a * b.transpose();
}

template <class Scalar>
void add_inner_products(Columns<Scalar> c, Scalar factor, ConstColumns<Scalar> a, ConstColumns<Scalar> b) {
  c.noalias() += factor * a.transpose() * b;
}
template void add_inner_products(Columns<double>, double, ConstColumns<double>, ConstColumns<double>);
template void add_inner_products(Columns<float>, float, ConstColumns<float>, ConstColumns<float>);

void add_square(Columns<double> c, double factor, ConstColumns<double> a) {
  c.selfadjointView<Eigen::Lower>().rankUpdate(a, factor);
}

} // namespace drr
