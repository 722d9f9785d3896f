// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loaded_data_flow.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL void written_bytes::write(std::uint64_t begin, std::uint64_t end, std::size_t writer) {
  split(begin);
  split(end);
  runs_.erase(runs_.lower_bound(begin), runs_.lower_bound(end));
  if (begin < end) runs_[begin] = {end, writer};
}

NVDLAC_IMPL void written_bytes::read(std::uint64_t begin, std::uint64_t end,
                                     std::set<std::size_t>& writers) const {
  auto at = runs_.upper_bound(begin);
  if (at != runs_.begin() && std::prev(at)->second.end > begin) --at;
  for (; at != runs_.end() && at->first < end; ++at) writers.insert(at->second.writer);
}

NVDLAC_IMPL void written_bytes::split(std::uint64_t at) {
  auto next = runs_.lower_bound(at);
  if (next == runs_.begin()) return;
  auto& before = std::prev(next)->second;
  if (before.end <= at) return;
  runs_.emplace_hint(next, at, before);
  before.end = at;
}

}  // namespace detail

NVDLAC_IMPL std::vector<flow_stage> flow_stages(const runtime::loaded_program& p, bytes atom) {
  std::vector<flow_stage> stages;
  detail::written_bytes written;
  for (const auto& b : p.inputs) {
    written.write(b.address, b.address + b.size, stages.size());
    stages.push_back({.name = b.name});
  }
  for (std::size_t t = 0; t < p.tasks.size(); ++t) {
    const auto& task = p.tasks[t];
    for (std::size_t i = 0; i < task.layers.size(); ++i) {
      flow_stage s{.task = t, .first = i, .last = i};
      while (layer::gives_on_the_fly(task.layers[s.last].what) && s.last + 1 < task.layers.size())
        ++s.last;
      for (i = s.first; i <= s.last; ++i)
        layer::for_each_read(task.layers[i].what, [&](const layer::surface& cube) {
          detail::each_run(cube, task(cube.at).address, atom, [&](auto begin, auto end) {
            written.read(begin, end, s.from);
          });
        });
      i = s.last;
      layer::for_each_write(task.layers[i].what, [&](const layer::surface& cube) {
        detail::each_run(cube, task(cube.at).address, atom, [&](auto begin, auto end) {
          written.write(begin, end, stages.size());
        });
      });
      stages.push_back(std::move(s));
    }
  }
  for (const auto& b : p.outputs) {
    stages.push_back({.name = b.name});
    written.read(b.address, b.address + b.size, stages.back().from);
  }
  return stages;
}

NVDLAC_IMPL std::string data_flow_graph(const runtime::loaded_program& p, bytes atom) {
  std::string out = "digraph program {\n  node [shape=box];\n";
  const auto stages = flow_stages(p, atom);
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const auto& s = stages[n];
    if (!s.name.empty()) {
      out += text("  n", n, " [shape=ellipse, label=\"", escape::dot(s.name), "\"];\n");
    } else {
      const auto& layers = p.tasks[s.task].layers;
      const auto first = row_of(layers[s.first]), last = row_of(layers[s.last]);
      std::string units = first.unit;
      for (auto i = s.first + 1; i <= s.last; ++i) units += " + " + row_of(layers[i]).unit;
      out += text("  n", n, " [label=\"", escape::dot(first.name), "\\n", units, "\\n", first.input,
                  " -> ", last.output, "\"];\n");
    }
    for (const auto from : s.from) out += text("  n", from, " -> n", n, ";\n");
  }
  return out + "}\n";
}

}  // namespace nvdlac::report
