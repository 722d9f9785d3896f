// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hardware layers as rows of a table: for reports and for `nvdlac inspect`.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::report {

struct layer_row {
  std::size_t task = 0, index = 0;  // the operation's place in the program
  std::string name;
  std::string unit;                 // the engine that computes it
  net::shape input{}, output{};
  std::string detail;               // kernel, stride, banks ..
  std::uint64_t macs = 0;
  cost::layer_cycles on_hardware{};  // its cycles and bytes, as the model predicts them
};

namespace detail {

std::string describe(net::window w);

std::string describe(const layer::convolution& l);
std::string describe(const layer::sdp& l);
std::string describe(const layer::pdp& l);
std::string describe(const layer::cdp& l);
std::string describe(const layer::rubik& l);
inline std::string describe(const layer::host_softmax&) { return "softmax"; }
inline std::string describe(const layer::host_call&) { return "a layer by name"; }

inline net::shape input_of(const layer::host_call& l) { return l.inputs()[0].shape; }
inline net::shape input_of(const auto& l) { return l.input.shape; }
inline net::shape output_of(const layer::convolution& l) { return l.output; }
inline net::shape output_of(const auto& l) { return l.output.shape; }

}  // namespace detail

// Without the cycles, which depend on the hardware.
layer_row row_of(const layer::layer& l);

// The cycles are those of the same tasks.
std::vector<layer_row> rows_of(const std::vector<plan::task>& tasks,
                               const std::vector<cost::layer_cycles>& cycles);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/layer_rows.ipp>
#endif
