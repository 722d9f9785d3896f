// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hardware layers as rows of a table: for reports and for `nvdlac inspect`.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/layer/traffic.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::report {

struct layer_row {
  std::size_t task = 0, index = 0;  // the operation's place in the program
  std::string name;
  std::string unit;                 // CONV, SDP, PDP, CDP, RUBIK or host
  net::shape input{}, output{};
  std::string detail;               // kernel, stride, banks ..
  std::uint64_t macs = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // of memory, as layer::traffic counts them
};

namespace detail {

inline std::string describe(net::window w) {
  std::string s = text(w.kernel_h, 'x', w.kernel_w);
  if (w.stride_h != 1 || w.stride_w != 1) s += text(" /", w.stride_h, ',', w.stride_w);
  if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
    s += text(" pad ", w.pad_top, ',', w.pad_left, ',', w.pad_bottom, ',', w.pad_right);
  if (w.dilation_h != 1 || w.dilation_w != 1)
    s += text(" dilation ", w.dilation_h, ',', w.dilation_w);
  return s;
}

inline void fill(layer_row& row, const layer::convolution& l) {
  row.unit = "CONV";
  row.input = l.input.shape;
  row.output = l.output;
  row.macs = l.elements_per_kernel() * l.output.size();
  row.detail = text(describe(l.window), l.is_pixel() ? " pixels" : "",
                    l.kernel_lines > 1 ? text(", ", int{l.kernel_lines}, " lines at a time") : "",
                    ", banks ", int{l.data_banks}, '+', int{l.weight_banks});
}
inline void fill(layer_row& row, const layer::sdp& l) {
  row.unit = "SDP";
  row.input = l.input.shape;
  row.output = l.output.shape;
  const auto unit = [&](std::string_view name, const layer::sdp_unit& u) {
    if (!u.enabled()) return;
    row.detail += text(row.detail.empty() ? "" : ", ", name, u.alu ? " alu" : "",
                       u.mul ? " mul" : "", u.relu ? " relu" : "");
  };
  unit("X1", l.x1);
  unit("X2", l.x2);
}
inline void fill(layer_row& row, const layer::pdp& l) {
  row.unit = "PDP";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = text(net::name_of(l.kind), ' ', describe(l.window));
}
inline void fill(layer_row& row, const layer::cdp& l) {
  row.unit = "CDP";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = text("normalises over ", l.local_size, " channels");
}
inline void fill(layer_row& row, const layer::rubik& l) {
  row.unit = "RUBIK";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = text("lines of ", l.stride_y, ", columns of ", l.stride_x, " take turns");
}
inline void fill(layer_row& row, const layer::host_softmax& l) {
  row.unit = "host";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = "softmax";
}
inline void fill(layer_row& row, const layer::host_call& l) {
  row.unit = "host";
  row.input = l.inputs()[0].shape;
  row.output = l.output.shape;
  row.detail = "a layer by name";
}

}  // namespace detail

// Without the bytes, which depend on the hardware.
inline layer_row row_of(const layer::layer& l) {
  layer_row row;
  row.name = l.name;
  std::visit([&](const auto& what) { detail::fill(row, what); }, l.what);
  return row;
}

inline std::vector<layer_row> rows_of(const std::vector<plan::task>& tasks, bytes atom) {
  std::vector<layer_row> rows;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (std::size_t i = 0; i < tasks[t].operations.size(); ++i) {
      const auto& layer = tasks[t].operations[i].layer;
      const auto moved = layer::traffic_of(layer.what, atom);
      auto row = row_of(layer);
      row.bytes_read = moved.read;
      row.bytes_written = moved.written;
      row.task = t;
      row.index = i;
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace nvdlac::report
