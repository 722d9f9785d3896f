// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/name_groups.hpp>
#include <nvdlac/report/short_names.hpp>

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

// Whether these are the names of layers that are computed as one, "conv1+conv2".
NVDLAC_IMPL bool names_siblings(std::string_view names, const layer_names& known) {
  while (true) {
    const auto end = names.find('+');
    if (!known.contains(names.substr(0, end))) return false;
    if (end == names.npos) return true;
    names.remove_prefix(end + 1);
  }
}

NVDLAC_IMPL std::string_view network_part(std::string_view name, const layer_names& known) {
  for (auto end = name.size(); end != name.npos && end != 0; end = name.rfind('/', end - 1)) {
    const auto part = name.substr(0, end);
    if (known.contains(part) || known.contains(without_picture(part)) ||
        names_siblings(without_picture(part), known))
      return part;
  }
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
  flow.groups = groups_of(flow.boxes);
  return flow;
}

namespace detail {

// A data flow in Graphviz's language, with the groups of a level, if there is one, as boxes.
class flow_graph {
 public:
  flow_graph(const plan::program_data& p, const data_flow& flow,
             const std::vector<layer_row>& rows, std::size_t level)
      : program_(p), flow_(flow), level_(level),
        ids_(level == name_groups::none ? "" : text("fold", level, '_')) {
    std::map<std::size_t, std::size_t> of_group;
    for (std::size_t box = 0; box < flow.boxes.size(); ++box) {
      const auto group = folded(flow.groups.of[box]);
      const bool is_new =
          group == name_groups::none || of_group.emplace(group, nodes_.size()).second;
      node_of_.push_back(is_new ? nodes_.size() : of_group[group]);
      if (!is_new) continue;
      nodes_.push_back({.first_box = box, .group = group,
                        .frame = group == name_groups::none ? flow.groups.of[box]
                                                            : flow.groups.groups[group].parent});
    }
    for (std::size_t i = 0; i < rows.size(); ++i) add(flow.layers[i], rows[i]);
    std::vector<std::string> outside;
    for (const auto& n : nodes_)
      if (n.frame == name_groups::none) outside.push_back(name_of(n));
    const auto shorter = shortened(outside, longest_name);
    for (std::size_t i = 0; i < outside.size(); ++i) shorter_[outside[i]] = shorter[i];
  }

  std::string print() {
    out_ =
        "digraph program {\n"
        "  bgcolor=transparent; nodesep=0.2; ranksep=0.3;\n"
        "  graph [fontname=Helvetica fontsize=9 labeljust=l];\n"
        "  node [shape=box style=\"rounded,filled\" fillcolor=\"#eeeeee\" fontname=Helvetica"
        " fontsize=11 height=0.3 margin=\"0.1,0.04\"];\n"
        "  edge [fontname=Helvetica fontsize=9 arrowsize=0.6];\n";
    const auto& p = program_;
    for (std::size_t i = 0; i < p.inputs.size(); ++i)
      print_node(text("input", i), "input",
                 text(escape::dot(p.inputs[i].name), "\\n", p.inputs[i].shape));
    print_within(name_groups::none);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const auto from : nodes_[i].inputs)
        out_ += text("  ", ids_, "input", from, " -> ", id_of(i), ";\n");
      for (const auto from : nodes_[i].nodes) print_edge(from, id_of(i));
    }
    for (std::size_t i = 0; i < p.outputs.size(); ++i) {
      print_node(text("output", i), "output",
                 text(escape::dot(p.outputs[i].name), "\\n", p.outputs[i].shape));
      std::set<std::size_t> writers;
      for (const auto l : flow_.outputs[i]) writers.insert(node_of_[flow_.layers[l].box]);
      for (const auto from : writers) print_edge(from, text(ids_, "output", i));
    }
    return out_ + "}\n";
  }

 private:
  struct node {
    std::size_t first_box = 0, group = 0, frame = 0;
    std::vector<std::string> units{};
    std::set<std::size_t> stages{}, boxes{}, inputs{}, nodes{};  // the last two: that it reads
    net::shape output{};
    std::uint64_t cycles = 0;
  };
  static constexpr std::size_t longest_name = 48;  // those of TFLite may be lists of several

  std::size_t folded(std::size_t group) const {
    return level_ == name_groups::none ? level_ : flow_.groups.at_level(group, level_);
  }
  void add(const data_flow::node& from, const layer_row& row) {
    const auto at = node_of_[from.box];
    auto& n = nodes_[at];
    if (std::ranges::find(n.units, row.unit) == n.units.end()) n.units.push_back(row.unit);
    n.stages.insert(from.stage);
    n.boxes.insert(from.box);
    n.inputs.insert(from.inputs.begin(), from.inputs.end());
    for (const auto l : from.layers)
      if (const auto other = node_of_[flow_.layers[l].box]; other != at) n.nodes.insert(other);
    n.output = row.output;
    n.cycles += row.on_hardware.own();
    cycles_ += row.on_hardware.own();
  }
  std::string name_of(const node& n) const {
    return n.group == name_groups::none ? flow_.boxes[n.first_box]
                                        : flow_.groups.groups[n.group].name;
  }
  std::string label_of(const node& n) const {
    const auto name = name_of(n);
    auto label = escape::dot(n.frame == name_groups::none
                                 ? shorter_.find(name)->second
                                 : shortened(flow_.groups.within(n.frame, name), longest_name)) +
                 "\\n";
    if (n.group != name_groups::none) {
      const auto tenths = cycles_ == 0 ? 0 : (1000 * n.cycles + cycles_ / 2) / cycles_;
      return label + text(count_of(n.boxes.size(), "layer"), ", ", tenths / 10, '.', tenths % 10,
                          " % of the cycles");
    }
    for (const auto& u : n.units)
      label += text(&u == n.units.data() ? "" : " + ", escape::dot(u));
    return n.stages.size() == 1 ? label : label + text(", ", count_of(n.stages.size(), "part"));
  }
  std::string id_of(std::size_t n) const {
    return nodes_[n].group == name_groups::none ? text(ids_, "box", nodes_[n].first_box)
                                                : text(ids_, "group", nodes_[n].group);
  }
  void print_node(const std::string& id, std::string_view kind, const std::string& label) {
    const auto full = id.starts_with(ids_) ? id : ids_ + id;
    out_ += text("  ", full, " [id=", full, " class=\"", kind, "\" label=\"", label, "\"];\n");
  }
  void print_edge(std::size_t from, const std::string& to) {
    out_ += text("  ", id_of(from), " -> ", to);
    if (nodes_[from].stages.size() == 1) out_ += text(" [label=\"", nodes_[from].output, "\"]");
    out_ += ";\n";
  }
  // The nodes of this frame, and the frames in it.
  void print_within(std::size_t frame) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].frame == frame)
        print_node(id_of(i), nodes_[i].group == name_groups::none
                                 ? escape::word(nodes_[i].units.front()) : "group",
                   label_of(nodes_[i]));
    const auto& groups = flow_.groups.groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].parent != frame || (level_ != name_groups::none && groups[g].level >= level_))
        continue;
      out_ += text("  subgraph cluster_", g, " {\n  id=", ids_, "group", g,
                   "; class=frame; style=rounded; margin=6; label=\"",
                   escape::dot(shortened(flow_.groups.within(frame, groups[g].name),
                                         longest_name)), "\";\n");
      print_within(g);
      out_ += "  }\n";
    }
  }

  const plan::program_data& program_;
  const data_flow& flow_;
  std::size_t level_;
  std::string ids_;  // what all begin with
  std::vector<node> nodes_{};
  std::vector<std::size_t> node_of_{};  // of each box
  std::uint64_t cycles_ = 0;
  std::map<std::string, std::string, std::less<>> shorter_{};
  std::string out_{};
};

}  // namespace detail

NVDLAC_IMPL std::string data_flow_graph(const plan::program_data& p, const data_flow& flow,
                                        const std::vector<layer_row>& rows) {
  return detail::flow_graph(p, flow, rows, name_groups::none).print();
}

NVDLAC_IMPL std::string folded_data_flow_graph(const plan::program_data& p, const data_flow& flow,
                                               const std::vector<layer_row>& rows,
                                               std::size_t level) {
  return detail::flow_graph(p, flow, rows, level).print();
}

}  // namespace nvdlac::report
