#include "drr/tilt_blocks.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

namespace drr::bindings {

namespace {

py::tuple sample_arrays(const BlockSample& sample) {
  return py::make_tuple(sample.limit, array_of(sample.rows), array_of(sample.keys), array_of(sample.scores));
}

py::tuple draw_arrays(const py::object& scores, Index n_rows, std::uint64_t block, double limit, Index most) {
  const auto view = view_vector(scores, n_rows, "scores");
  return sample_arrays(run_without_lock([&] { return sample_block(view, n_rows, {block, limit, most}); }));
}

py::tuple block_tilt_arrays(const py::object& features, const py::object& shift,
                            const py::object& log_base_weights, const py::object& theta, std::uint64_t block,
                            double limit, Index most, int n_threads) {
  const HeldFeatures view = view_features(features);
  const TiltInput input{view, view_vector(shift, n_cols(view), "shift"),
                        view_vector(log_base_weights, n_rows(view), "log_base_weights"),
                        view_vector(theta, n_cols(view), "theta")};
  PythonMonitor monitor;
  const BlockTilt tilt =
      run_without_lock([&] { return tilt_block(input, {block, limit, most}, {n_threads, &monitor}); });
  return py::make_tuple(tilt.reference, tilt.sum, tilt.log_square_sum, tilt.largest_score,
                        tilt.largest_absolute, array_of(tilt.mean), sample_arrays(tilt.sample));
}

} // namespace

void bind_tilt_blocks(py::module_& module) {
  module.def("sample_block", &draw_arrays, py::arg("scores"), py::arg("n_rows"), py::arg("block"),
             py::arg("limit"), py::arg("most"),
             "(limit, rows, keys, scores) of a weighted sample of the rows of a block.");
  module.def("tilt_block", &block_tilt_arrays, py::arg("features"), py::arg("shift"),
             py::arg("log_base_weights"), py::arg("theta"), py::arg("block") = 0, py::arg("limit") = 0.0,
             py::arg("most") = 0, py::arg("n_threads") = 1,
             "(reference, sum, log_square_sum, largest_score, largest_absolute, mean, sample) of a tilted "
             "block.");
}

} // namespace drr::bindings
