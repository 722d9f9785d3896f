// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hardware layers as a device has run them, beside what is predicted of them.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/quantised/input.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::cli {

struct measured_layer {
  report::layer_row row{};
  double seconds = 0;  // of its own
  std::vector<runtime::measured_operation::counter> counters{};
};

// Runs so many times. The time of a layer is the median, what its units count is of the last run.
std::vector<measured_layer> measure_layers(runtime::any_session& on,
                                           const std::vector<quantised::feed>& feeds,
                                           const std::vector<report::layer_row>& rows,
                                           std::size_t runs);

// Cycles are those of a clock of so many MHz.
std::string to_table(const std::vector<measured_layer>& all, double megahertz);
report::json to_json(const std::vector<measured_layer>& all, double megahertz);

}  // namespace nvdlac::cli
