// Products of matrices that are stored by columns. Eigen compiles every product it sees anew, which
// takes about a second each; these are compiled once. A matrix stored by rows is given transposed.
#pragma once

#include <Eigen/Core>

namespace drr {

template <class Scalar>
using Columns = Eigen::Ref<Eigen::MatrixX<Scalar>>;
template <class Scalar>
using ConstColumns = Eigen::Ref<const Eigen::MatrixX<Scalar>>;

// c += factor · a bᵀ
void add_outer_products(Columns<double> c, double factor, ConstColumns<double> a, ConstColumns<double> b);

// c += factor · aᵀ b, for double and float
template <class Scalar>
void add_inner_products(Columns<Scalar> c, Scalar factor, ConstColumns<Scalar> a, ConstColumns<Scalar> b);

// The lower triangle of c += factor · a aᵀ
void add_square(Columns<double> c, double factor, ConstColumns<double> a);

} // namespace drr
