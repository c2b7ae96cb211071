#include "drr/dual_judge.hpp"

#include "bindings/certificates.hpp"
#include "bindings/operations.hpp"

namespace drr::bindings {

namespace {

DualSums sums_of(const py::object& theta, const py::object& mean, double log_partition, double square_sum,
                 double largest_score, double largest_absolute) {
  if (!py::isinstance<py::array>(theta))
    throw py::type_error("theta must be a numpy vector");
  const Index length = py::reinterpret_borrow<py::array>(theta).size();
  return {view_vector(theta, length, "theta"),
          view_vector(mean, length, "mean"),
          log_partition,
          square_sum,
          largest_score,
          largest_absolute};
}

py::dict certify_arrays(const py::object& theta, const py::object& mean, double log_partition,
                        double square_sum, double largest_score, double largest_absolute,
                        const py::object& target, double tolerance, const py::object& floor_weights,
                        const py::object& floor_log_weights, const py::object& floor_mean) {
  const DualSums sums = sums_of(theta, mean, log_partition, square_sum, largest_score, largest_absolute);
  const auto n_cols = std::ssize(sums.theta);
  const auto goal = view_vector(target, n_cols, "target");
  if (floor_weights.is_none())
    return certificate_values(certify_sums(sums, goal, tolerance, nullptr));
  const auto n_support = py::reinterpret_borrow<py::array>(floor_weights).size();
  const FloorMixture floor{view_vector(floor_weights, n_support, "floor_weights"),
                           view_vector(floor_log_weights, n_support, "floor_log_weights"),
                           view_vector(floor_mean, n_cols, "floor_mean")};
  return certificate_values(certify_sums(sums, goal, tolerance, &floor));
}

} // namespace

void bind_dual_judge(py::module_& module) {
  const auto with_sums = [](auto method) {
    return [method](DualJudge& judge, const py::object& theta, const py::object& mean, double log_partition,
                    double square_sum, double largest_score, double largest_absolute) {
      return (judge.*
              method)(sums_of(theta, mean, log_partition, square_sum, largest_score, largest_absolute));
    };
  };
  const auto named = [](auto& definition, const char* name, auto function, const char* doc) {
    definition.def(name, function, py::arg("theta"), py::arg("mean"), py::arg("log_partition"),
                   py::arg("square_sum"), py::arg("largest_score"), py::arg("largest_absolute"), doc);
  };
  module.def("certify_sums", &certify_arrays, py::arg("theta"), py::arg("mean"), py::arg("log_partition"),
             py::arg("square_sum"), py::arg("largest_score"), py::arg("largest_absolute"), py::arg("target"),
             py::arg("tolerance"), py::arg("floor_weights") = py::none(),
             py::arg("floor_log_weights") = py::none(), py::arg("floor_mean") = py::none(),
             "The certificate of a point from its sums, as a dict.");
  py::class_<DualJudge> judge(module, "DualJudge", py::module_local(),
                              "Judges the points of one minimisation by their sums.");
  judge.def(py::init<double, double>(), py::arg("tolerance"), py::arg("base_discrepancy"));
  named(judge, "is_minimum", with_sums(&DualJudge::is_minimum), "Whether a point is the solution.");
  named(judge, "proof_of_infeasibility", with_sums(&DualJudge::proof_of_infeasibility),
        "A lower bound of the floor above the tolerance, or NaN.");
  named(judge, "stalled", with_sums(&DualJudge::stalled),
        "Look at the next point; True once there is no progress any more.");
  judge.def("is_best", &DualJudge::is_best, "Whether the point looked at last is the best so far.");
  judge.def(
      "status_of_stall",
      [](const DualJudge& self, const py::object& theta, const py::object& mean, double log_partition,
         double square_sum, double largest_score, double largest_absolute, const py::object& scales) {
        const DualSums sums =
            sums_of(theta, mean, log_partition, square_sum, largest_score, largest_absolute);
        const auto sizes = view_vector(scales, std::ssize(sums.theta), "scales");
        return py::str(name_of(self.status_of_stall(sums, sizes)).data());
      },
      py::arg("theta"), py::arg("mean"), py::arg("log_partition"), py::arg("square_sum"),
      py::arg("largest_score"), py::arg("largest_absolute"), py::arg("scales"),
      "How a stalled solve ended, given its best point and the sizes of the columns' numbers.");
  judge.def_property_readonly("gradient_goal", &DualJudge::gradient_goal);
}

} // namespace drr::bindings
