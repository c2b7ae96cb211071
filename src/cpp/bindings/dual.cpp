#include "drr/dual.hpp"

#include "bindings/certificates.hpp"
#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

#include <map>

namespace drr::bindings {

namespace {

DualMethod dual_method_of(const std::string& name) {
  static const std::map<std::string, DualMethod> methods{{"auto", DualMethod::automatic},
                                                         {"newton", DualMethod::newton},
                                                         {"auto:newton", DualMethod::newton},
                                                         {"auto:pcg-sampled", DualMethod::pcg_sampled},
                                                         {"auto:pcg-woodbury", DualMethod::pcg_woodbury},
                                                         {"auto:wide", DualMethod::wide},
                                                         {"paper", DualMethod::paper}};
  const auto found = methods.find(name);
  if (found == methods.end())
    throw py::value_error("unknown method '" + name + "'");
  return found->second;
}

// What a dual is written into.
struct DualArrays {
  py::array_t<double> theta, weights, mean, base_mean;

  DualArrays(const FeatureView& view)
      : theta(new_vector(n_cols(view))), weights(new_vector(n_rows(view))), mean(new_vector(n_cols(view))),
        base_mean(new_vector(n_cols(view))) {}
  DualOutput output() { return {span_of(theta), span_of(weights), span_of(mean), span_of(base_mean)}; }
};

py::dict dual_values(const DualResult& result, const DualArrays& arrays) {
  py::dict values = certificate_values(static_cast<const DualCertificate&>(result));
  values["theta"] = arrays.theta;
  values["weights"] = arrays.weights;
  values["mean"] = arrays.mean;
  values["floor_lower_bound"] = result.floor_lower_bound;
  values["n_iter"] = result.n_iter;
  values["method"] = result.method;
  values["status"] = py::str(name_of(result.status).data());
  return values;
}

// The arguments that both operations have; the views are of the caller's arrays.
struct DualArguments {
  py::object target;
  double tolerance;
  py::object log_base_weights, floor_support, floor_support_weights;
  double base_discrepancy;

  DualInput input(const FeatureView& view) const {
    if (target.is_none())
      throw py::type_error("target must be a numpy vector");
    DualInput input{view, view_vector(target, n_cols(view), "target"),
                    view_vector(log_base_weights, n_rows(view), "log_base_weights"), tolerance};
    input.floor_support = view_indices(floor_support, "floor.support");
    input.floor_support_weights =
        view_vector(floor_support_weights, std::ssize(input.floor_support), "floor.support_weights");
    input.base_discrepancy = base_discrepancy;
    return input;
  }
};

py::dict solve_dual_arrays(const py::object& features, const py::object& target, double tolerance,
                           const py::object& log_base_weights, const py::object& floor_support,
                           const py::object& floor_support_weights, double floor_lower_bound,
                           const py::object& start_direction, const std::string& method, int max_iter,
                           int n_threads, const py::object& callback, double base_discrepancy) {
  const HeldFeatures view = view_features(features);
  DualInput input =
      DualArguments{target,          tolerance, log_base_weights, floor_support, floor_support_weights,
                    base_discrepancy}
          .input(view);
  input.floor_lower_bound = floor_lower_bound;
  input.start_direction = view_vector(start_direction, n_cols(view), "start_direction");
  DualArrays arrays(view);
  const DualOutput output = arrays.output();
  const DualOptions options{dual_method_of(method), max_iter};
  PythonMonitor monitor(callback);
  const DualResult result =
      run_without_lock([&] { return solve_dual(input, options, output, {n_threads, &monitor}); });
  py::dict values = dual_values(result, arrays);
  values["base_mean"] = arrays.base_mean;
  return values;
}

py::dict certify_dual_arrays(const py::object& features, const py::object& target, double tolerance,
                             const py::array_t<double>& theta, const py::object& log_base_weights,
                             const py::object& floor_support, const py::object& floor_support_weights,
                             int n_threads, double base_discrepancy) {
  const HeldFeatures view = view_features(features);
  const DualInput input =
      DualArguments{target,          tolerance, log_base_weights, floor_support, floor_support_weights,
                    base_discrepancy}
          .input(view);
  const auto given = view_vector(theta, n_cols(view), "theta");
  DualArrays arrays(view);
  std::copy(given.begin(), given.end(), arrays.theta.mutable_data());
  const DualOutput output = arrays.output();
  PythonMonitor monitor;
  const DualResult result =
      run_without_lock([&] { return certify_dual(input, output, {n_threads, &monitor}); });
  return dual_values(result, arrays);
}

} // namespace

void bind_dual(py::module_& module) {
  module.def("solve_dual", &solve_dual_arrays, py::arg("features"), py::arg("target"), py::arg("tolerance"),
             py::arg("log_base_weights") = py::none(), py::arg("floor_support") = py::none(),
             py::arg("floor_support_weights") = py::none(), py::arg("floor_lower_bound") = unset,
             py::arg("start_direction") = py::none(), py::arg("method") = "auto", py::arg("max_iter") = 0,
             py::arg("n_threads") = 1, py::arg("callback") = py::none(), py::arg("base_discrepancy") = unset,
             "The raking dual and its certificate, as a dict.");
  module.def("certify_dual", &certify_dual_arrays, py::arg("features"), py::arg("target"),
             py::arg("tolerance"), py::arg("theta"), py::arg("log_base_weights") = py::none(),
             py::arg("floor_support") = py::none(), py::arg("floor_support_weights") = py::none(),
             py::arg("n_threads") = 1, py::arg("base_discrepancy") = unset,
             "Weights and certificate of a given theta, as a dict.");
}

} // namespace drr::bindings
