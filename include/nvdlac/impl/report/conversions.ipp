// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/report/conversions.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::string_view why_moved(const quantised::move& op, std::span<const net::shape> in,
                                       std::int32_t lanes) {
  const std::span boxes(op.boxes.data(), op.boxes.size());
  if (const auto first = net::first_channel_taken(op.target, boxes, in))
    return *first % lanes == 0 ? "whoever reads it, or the network's user, needs a cube of its own"
                               : "its first channel stands inside an atom of what it reads";
  bool turns = false, repeats = false, channels = false, fills = false;
  for (const net::box& b : boxes) {
    fills = fills || b.input == net::box::filled;
    channels = channels || b.to.c != b.from.c;
    for (const net::box_loop& l : b.loops) {
      if (l.count == 1 || b.input == net::box::filled) continue;
      repeats = repeats || l.from == net::place{};
      const bool to_channel = l.to.c != 0, from_channel = l.from.c != 0;
      turns = turns || (l.from != net::place{} && to_channel != from_channel);
      channels = channels || (to_channel && l.to.c != l.from.c);
    }
  }
  if (turns) return "channels become lines or columns, or these channels";
  if (in.size() > 1) return "several tensors become lines, columns or channels of one";
  if (repeats) return "elements are repeated";
  if (channels) return "channels change their places within atoms";
  if (fills) return "padding stands around what it reads";
  return "lines and columns change their places";
}

NVDLAC_IMPL std::string_view why_gathered(std::span<const net::shape> in, std::int32_t lanes) {
  const bool is_aligned =
      std::all_of(in.begin(), in.end() - 1, [&](net::shape s) { return s.c % lanes == 0; });
  return is_aligned ? "an input has another scale, another place as well, or is the network's"
                    : "an input ends inside an atom, in which the next one begins";
}

NVDLAC_IMPL std::vector<conversion> conversions_of(const quantised::graph& g,
                                                   const std::vector<layer_row>& rows,
                                                   const data_flow& flow, bytes atom) {
  std::map<std::string_view, std::vector<const layer_row*>> rows_of_layer;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows_of_layer[detail::without_picture(flow.layers.at(i).layer)].push_back(&rows[i]);
  std::vector<conversion> all;
  for (const auto n : g.order()) {
    const auto* move = g.get_if<quantised::move>(n);
    if (move == nullptr && g.get_if<quantised::concat>(n) == nullptr) continue;
    const auto found = rows_of_layer.find(g[n].name);
    if (found == rows_of_layer.end()) continue;
    conversion c{.layer = g[n].name, .to = g[n].shape, .layers = found->second.size()};
    std::vector<net::shape> shapes;
    for (const auto i : g.inputs(n)) {
      c.from.push_back({g[i].name, g[i].shape});
      shapes.push_back(g[i].shape);
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
    for (const auto* r : found->second)
      times.emplace_back(r->on_hardware.start, r->on_hardware.done);
    std::ranges::sort(times);
    std::uint64_t end = 0;
    for (const auto& [start, done] : times) {
      if (done > end) c.cycles += done - std::max(start, end);
      end = std::max(end, done);
    }
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom, g.precision(n)));
    c.why = move != nullptr ? why_moved(*move, shapes, lanes) : why_gathered(shapes, lanes);
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace nvdlac::report
