// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/strided_part.hpp>
#include <nvdlac/quantised/operators.hpp>
#include <nvdlac/report/conversions.hpp>

namespace nvdlac::report {

namespace detail {

// Why channels that begin with an atom of what move n reads are not read there
// (lower/allocation.hpp).
NVDLAC_IMPL std::string_view why_no_view(const quantised::graph& g, quantised::graph::id n) {
  const auto from = g.inputs(n)[0];
  if (g[n].output) return "it is an output, whose memory the network's user gives";
  for (const auto reader : g.consumers(n)) {
    if (g.get_if<quantised::on_host>(reader) != nullptr)
      return "the host reads it, which takes a cube of its own";
    if (g.get_if<quantised::reshape>(reader) != nullptr)
      return "it is read under another shape, of which it is the whole cube";
    if (g.get_if<quantised::concat>(reader) != nullptr)
      return "it becomes a part of another cube, the one of a concat";
    if (g.get_if<quantised::convert>(reader) != nullptr)
      return "it is read for another precision, which takes an even number of surfaces";
  }
  if (g.get_if<quantised::input>(from) != nullptr)
    return "it is a part of an input that stands as pixels";
  if (g.get_if<quantised::reshape>(from) != nullptr)
    return "what it reads is the cube of another tensor under another shape";
  return "what it reads is not in memory";
}

// The input of concat n that this hardware layer copies; nothing, if it does something else.
NVDLAC_IMPL std::optional<std::size_t> copied_input(const quantised::graph& g,
                                                    quantised::graph::id n,
                                                    std::string_view layer) {
  for (std::size_t i = 0; i < g.inputs(n).size(); ++i) {
    const std::string name = text("/input", i);
    if (layer == name || layer.starts_with(name + "/")) return i;
  }
  return std::nullopt;
}

}  // namespace detail

NVDLAC_IMPL std::string_view why_moved(const quantised::graph& g, quantised::graph::id n,
                                       std::int32_t lanes) {
  const auto& op = *g.get_if<quantised::move>(n);
  const std::span boxes(op.boxes.data(), op.boxes.size());
  std::vector<net::shape> in;
  for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
  if (boxes.size() == 1 && in.size() == 1 &&
      lower::part_taken(boxes[0], in[0], op.target, lanes))
    return detail::why_no_view(g, n);
  if (net::first_channel_taken(op.target, boxes, in))
    return "its first channel stands inside an atom of what it reads";
  bool permutes = false, repeats = false, channels = false, fills = false;
  for (const net::box& b : boxes) {
    permutes = permutes || net::permutes_channels(b);
    fills = fills || b.input == net::box::filled;
    channels = channels || b.to.c != b.from.c;
    for (const net::box_loop& l : b.loops) {
      if (l.count == 1 || b.input == net::box::filled) continue;
      repeats = repeats || l.from == net::position{};
      channels = channels || (l.to.c != 0 && l.to.c != l.from.c);
    }
  }
  if (permutes) return "channels become lines or columns, or these channels";
  if (in.size() > 1) return "several tensors become lines, columns or channels of one";
  if (repeats) return "elements are repeated";
  if (channels) return "channels change their places within atoms";
  if (fills) return "padding stands around what it reads";
  return "lines and columns change their places";
}

NVDLAC_IMPL std::string_view why_gathered(const quantised::graph& g, quantised::graph::id n,
                                          std::int32_t lanes, std::optional<std::size_t> copied) {
  const auto inputs = g.inputs(n);
  const bool is_aligned = std::all_of(inputs.begin(), inputs.end() - 1,
                                      [&](auto i) { return g[i].shape.c % lanes == 0; });
  if (!is_aligned) return "an input ends inside an atom, in which the next one begins";
  auto from = inputs[copied.value_or(0)];
  while (g.get_if<quantised::reshape>(from) != nullptr) from = g.inputs(from)[0];
  if (g.get_if<quantised::input>(from) != nullptr)
    return "an input is the network's, whose memory its user gives";
  if (g.get_if<quantised::constant>(from) != nullptr) return "an input is a constant";
  if (g[from].output) return "an input is an output as well, whose memory the network's user gives";
  return "an input stands elsewhere already, where another layer wants it";
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
    conversion c{.layer = g[n].name, .to = g[n].shape};
    for (const auto i : g.inputs(n)) c.from.push_back({g[i].name, g[i].shape});
    std::optional<std::size_t> copied;
    for (const auto* r : found->second) {
      if (const auto* concat = g.get_if<quantised::concat>(n)) {
        const std::string_view name = r->name;
        const auto part = name.substr(std::min(name.size(), g[n].name.size()));
        const auto slash = std::min(part.size(), part.find('/'));  // behind the picture of a batch
        const auto input = detail::copied_input(g, n, part.substr(slash));
        if (input && concat->multiplier[*input]) continue;  // it changes the scale, not the order
        if (!copied) copied = input;
      }
      ++c.layers;
      c.cycles += r->on_hardware.own();
    }
    if (c.layers == 0) continue;
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom, g.precision(n)));
    c.why = move != nullptr ? why_moved(g, n, lanes) : why_gathered(g, n, lanes, copied);
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace nvdlac::report
