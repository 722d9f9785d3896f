// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/table.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL void written_cubes::find(const layer::surface& cube,
                                     std::vector<std::size_t>& layers) const {
  const auto& all = of_buffer[static_cast<std::size_t>(cube.at.buffer)];
  const plan::detail::region sought(buffers, cube);
  for (auto w = all.rbegin(); w != all.rend(); ++w) {
    if (!plan::detail::region(buffers, w->cube).meets(sought)) continue;
    if (std::ranges::find(layers, w->layer) == layers.end()) layers.push_back(w->layer);
    if (w->cube == cube) return;
  }
}

NVDLAC_IMPL std::string_view network_part(std::string_view name, const layer_names& known) {
  for (auto end = name.size(); end != name.npos && end != 0; end = name.rfind('/', end - 1))
    if (const auto part = name.substr(0, end);
        known.contains(part) || known.contains(without_picture(part)))
      return part;
  return name;
}

}  // namespace detail

NVDLAC_IMPL data_flow data_flow_of(const plan::program_data& p, const layer_names& known) {
  data_flow flow;
  std::map<std::string, std::size_t, std::less<>> boxes;
  detail::written_cubes written{p.buffers};
  std::vector<std::size_t> life_of(p.buffers.size(), p.buffers.size());
  std::size_t stage = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto layer = flow.layers.size();
      auto& node = flow.layers.emplace_back();
      node.stage = stage;
      const auto part = detail::network_part(op.layer.name, known);
      node.layer = known.contains(part) ? part : detail::without_picture(part);
      if (layer > 0 && flow.layers[layer - 1].stage == stage) {
        node.box = flow.layers[layer - 1].box;
      } else {
        const auto [box, is_new] = boxes.emplace(part, boxes.size());
        if (is_new) flow.boxes.emplace_back(part);
        node.box = box->second;
      }
      const auto touch = [&](const layer::surface& s) {
        const auto b = static_cast<std::size_t>(s.at.buffer);
        if (p.buffers[b].memory != plan::memory::features) return;
        if (life_of[b] == p.buffers.size()) {
          life_of[b] = flow.features.size();
          flow.features.push_back({b, layer, layer});
        }
        flow.features[life_of[b]].last = layer;
      };
      layer::for_each_read(op.layer.what, [&](const layer::surface& s) {
        touch(s);
        written.find(s, node.layers);
        for (std::size_t i = 0; i < p.inputs.size(); ++i)
          if (p.inputs[i].surface.at.buffer == s.at.buffer &&
              std::ranges::find(node.inputs, i) == node.inputs.end())
            node.inputs.push_back(i);
      });
      layer::for_each_write(op.layer.what, [&](const layer::surface& s) {
        touch(s);
        written.add(layer, s);
      });
      std::ranges::sort(node.layers);
      if (!layer::gives_on_the_fly(op.layer.what)) ++stage;
    }
  for (const auto& o : p.outputs) {
    auto& writers = flow.outputs.emplace_back();
    written.find(o.surface, writers);
    std::ranges::sort(writers);
  }
  return flow;
}

NVDLAC_IMPL std::string data_flow_graph(const plan::program_data& p, const data_flow& flow,
                                        const std::vector<layer_row>& rows) {
  struct box {
    std::vector<std::string> units{};
    std::set<std::size_t> stages{}, inputs{}, boxes{};
    net::shape output{};
  };
  constexpr std::size_t longest_name = 48;  // those of TFLite may be lists of several
  std::vector<box> boxes(flow.boxes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& node = flow.layers[i];
    auto& b = boxes[node.box];
    if (std::ranges::find(b.units, rows[i].unit) == b.units.end()) b.units.push_back(rows[i].unit);
    b.stages.insert(node.stage);
    b.inputs.insert(node.inputs.begin(), node.inputs.end());
    for (const auto l : node.layers)
      if (flow.layers[l].box != node.box) b.boxes.insert(flow.layers[l].box);
    b.output = rows[i].output;
  }

  std::string out =
      "digraph program {\n"
      "  bgcolor=transparent; nodesep=0.2; ranksep=0.3;\n"
      "  node [shape=box style=\"rounded,filled\" fillcolor=\"#eeeeee\" fontname=Helvetica"
      " fontsize=11 height=0.3 margin=\"0.1,0.04\"];\n"
      "  edge [fontname=Helvetica fontsize=9 arrowsize=0.6];\n";
  const auto node = [&](const std::string& id, std::string_view kind, const std::string& label) {
    out += text("  ", id, " [id=", id, " class=\"", kind, "\" label=\"", label, "\"];\n");
  };
  const auto edge = [&](std::size_t from, const std::string& to) {
    out += text("  box", from, " -> ", to);
    if (boxes[from].stages.size() == 1) out += text(" [label=\"", boxes[from].output, "\"]");
    out += ";\n";
  };
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    node(text("input", i), "input",
         text(escape::dot(p.inputs[i].name), "\\n", p.inputs[i].shape));
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto& b = boxes[i];
    std::string units;
    for (const auto& u : b.units) units += (units.empty() ? "" : " + ") + u;
    if (b.stages.size() > 1) units += text(", ", b.stages.size(), " parts");
    node(text("box", i), escape::word(b.units.front()),
         text(escape::dot(shortened(flow.boxes[i], longest_name)), "\\n", escape::dot(units)));
    for (const auto from : b.inputs) out += text("  input", from, " -> box", i, ";\n");
    for (const auto from : b.boxes) edge(from, text("box", i));
  }
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    node(text("output", i), "output",
         text(escape::dot(p.outputs[i].name), "\\n", p.outputs[i].shape));
    std::set<std::size_t> writers;
    for (const auto l : flow.outputs[i]) writers.insert(flow.layers[l].box);
    for (const auto from : writers) edge(from, text("output", i));
  }
  return out + "}\n";
}

}  // namespace nvdlac::report
