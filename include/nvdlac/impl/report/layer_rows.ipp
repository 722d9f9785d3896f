// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/layer_rows.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL std::string describe(net::window w) {
  std::string s = text(w.kernel_h, 'x', w.kernel_w);
  if (w.stride_h != 1 || w.stride_w != 1) s += text(" /", w.stride_h, ',', w.stride_w);
  if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
    s += text(" pad ", w.pad_top, ',', w.pad_left, ',', w.pad_bottom, ',', w.pad_right);
  if (w.dilation_h != 1 || w.dilation_w != 1)
    s += text(" dilation ", w.dilation_h, ',', w.dilation_w);
  return s;
}

NVDLAC_IMPL std::string describe(const layer::convolution& l) {
  const bool bytes = l.input_precision() == hw::precision::int8;
  const auto* const read_as =
      !l.is_pixel() ? "" : bytes && !l.pixels_signed ? " pixels" : " in image mode";
  return text(describe(l.window), read_as,
              l.kernel_lines > 1 ? text(", ", int{l.kernel_lines}, " lines at a time") : "",
              ", banks ", int{l.data_banks}, '+', int{l.weight_banks},
              l.winograd ? ", Winograd" : "",
              l.input.pictures > 1 ? text(", ", count_of(l.input.pictures, "picture")) : "");
}

NVDLAC_IMPL std::string describe(const layer::sdp& l) {
  std::string s;
  const auto unit = [&](std::string_view name, const layer::sdp_unit& u) {
    if (!u.enabled()) return;
    s += text(s.empty() ? "" : ", ", name, u.alu ? " alu" : "", u.mul ? " mul" : "",
              u.relu ? " relu" : "");
  };
  unit("X1", l.x1);
  unit("X2", l.x2);
  return s;
}

NVDLAC_IMPL std::string describe(const layer::pdp& l) {
  return text(net::name_of(l.kind), ' ', describe(l.window),
              l.input.at.on_the_fly() ? ", on the fly" : "");
}

NVDLAC_IMPL std::string describe(const layer::cdp& l) {
  return text("normalises over ", l.local_size, " channels");
}

NVDLAC_IMPL std::string describe(const layer::rubik& l) {
  return text("lines of ", l.stride_y, ", columns of ", l.stride_x, " take turns");
}

}  // namespace detail

NVDLAC_IMPL layer_row row_of(const layer::layer& l) {
  layer_row row;
  row.name = l.name;
  row.unit = layer::name_of_engine(l.what);
  nvdlac::visit([&](const auto& what) {
    row.input = detail::input_of(what);
    row.output = detail::output_of(what);
    row.detail = detail::describe(what);
    if constexpr (requires { what.elements_per_kernel(); }) {
      const auto taps = what.elements_per_kernel();  // of a transformed kernel 16 stand for 9
      row.macs = (what.winograd ? taps / 16 * 9 : taps) * row.output.size() *
                 static_cast<std::uint64_t>(what.input.pictures);
    }
  }, l.what);
  return row;
}

NVDLAC_IMPL std::vector<layer_row> rows_of(const std::vector<plan::task>& tasks,
                                           const std::vector<cost::layer_cycles>& cycles) {
  std::vector<layer_row> rows;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (std::size_t i = 0; i < tasks[t].operations.size(); ++i) {
      auto row = row_of(tasks[t].operations[i].layer);
      row.on_hardware = cycles[rows.size()];
      row.task = t;
      row.index = i;
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace nvdlac::report
