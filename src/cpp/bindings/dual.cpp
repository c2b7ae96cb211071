#include "drr/dual.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

#include <map>

namespace drr::bindings {

namespace {

DualMethod dual_method_of(const std::string& name) {
  static const std::map<std::string, DualMethod> methods{{"auto", DualMethod::automatic},
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

py::dict figures_of(const DualResult& result, const DualArrays& arrays) {
  py::dict figures;
  figures["theta"] = arrays.theta;
  figures["weights"] = arrays.weights;
  figures["mean"] = arrays.mean;
  figures["log_partition"] = result.log_partition;
  figures["discrepancy"] = result.discrepancy;
  figures["gap"] = result.gap;
  figures["gradient_norm"] = result.gradient_norm;
  figures["kl"] = result.kl;
  figures["ess"] = result.ess;
  figures["floor_lower_bound"] = result.floor_lower_bound;
  figures["n_iter"] = result.n_iter;
  figures["method"] = result.method;
  figures["status"] = py::str(name_of(result.status).data());
  return figures;
}

DualInput input_of(const FeatureView& view, const py::object& target, double tolerance,
                   const py::object& log_base_weights, const py::object& floor_weights,
                   const py::object& floor_residual, double floor_lower_bound, double base_discrepancy) {
  if (target.is_none())
    throw py::type_error("target must be a numpy vector");
  return {view,
          view_vector(target, n_cols(view), "target"),
          view_vector(log_base_weights, n_rows(view), "log_base_weights"),
          tolerance,
          view_vector(floor_weights, n_rows(view), "floor.weights"),
          view_vector(floor_residual, n_cols(view), "floor.residual"),
          floor_lower_bound,
          base_discrepancy};
}

py::dict solve_dual_arrays(const py::object& features, const py::object& target, double tolerance,
                           const py::object& log_base_weights, const py::object& floor_weights,
                           const py::object& floor_residual, double floor_lower_bound,
                           const std::string& method, int max_iter, int n_threads, const py::object& callback,
                           double base_discrepancy) {
  const HeldFeatures view = view_features(features);
  const DualInput input = input_of(view, target, tolerance, log_base_weights, floor_weights, floor_residual,
                                   floor_lower_bound, base_discrepancy);
  DualArrays arrays(view);
  const DualOutput output = arrays.output();
  const DualOptions options{dual_method_of(method), max_iter};
  PythonMonitor monitor(callback);
  const DualResult result =
      run_without_lock([&] { return solve_dual(input, options, output, {n_threads, &monitor}); });
  py::dict figures = figures_of(result, arrays);
  figures["base_mean"] = arrays.base_mean;
  return figures;
}

py::dict certify_dual_arrays(const py::object& features, const py::object& target, double tolerance,
                             const py::array_t<double>& theta, const py::object& log_base_weights,
                             const py::object& floor_weights, int n_threads) {
  const HeldFeatures view = view_features(features);
  const DualInput input =
      input_of(view, target, tolerance, log_base_weights, floor_weights, py::none(), unset, unset);
  const auto given = view_vector(theta, n_cols(view), "theta");
  DualArrays arrays(view);
  std::copy(given.begin(), given.end(), arrays.theta.mutable_data());
  const DualOutput output = arrays.output();
  PythonMonitor monitor;
  const DualResult result =
      run_without_lock([&] { return certify_dual(input, output, {n_threads, &monitor}); });
  return figures_of(result, arrays);
}

} // namespace

void bind_dual(py::module_& module) {
  module.def("solve_dual", &solve_dual_arrays, py::arg("features"), py::arg("target"), py::arg("tolerance"),
             py::arg("log_base_weights") = py::none(), py::arg("floor_weights") = py::none(),
             py::arg("floor_residual") = py::none(), py::arg("floor_lower_bound") = unset,
             py::arg("method") = "auto", py::arg("max_iter") = 0, py::arg("n_threads") = 1,
             py::arg("callback") = py::none(), py::arg("base_discrepancy") = unset,
             "The raking dual and its certificate, as a dict.");
  module.def("certify_dual", &certify_dual_arrays, py::arg("features"), py::arg("target"),
             py::arg("tolerance"), py::arg("theta"), py::arg("log_base_weights") = py::none(),
             py::arg("floor_weights") = py::none(), py::arg("n_threads") = 1,
             "Weights and certificate of a given theta, as a dict.");
}

} // namespace drr::bindings
