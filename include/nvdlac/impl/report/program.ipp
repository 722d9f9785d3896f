// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/report/table.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::string summary(const plan::program_data& program, std::string_view configuration,
                                const prediction& in_loadable, std::size_t loadable_bytes,
                                const prediction* in_trace) {
  const auto rows = rows_of(program.tasks, in_loadable.estimate.layers);
  std::uint64_t macs = 0;
  for (const auto& r : rows) macs += r.macs;
  const auto& c = program.cvsram;
  auto all = text(
      escape::line(program.network), " for ", configuration, ": ",
      grouped(rows.size(), "hardware layer"), " in ", grouped(program.tasks.size(), "task"), ", ",
      grouped(macs, "MAC"), "; weights ", grouped(program.weights_size, "byte"), ", features ",
      grouped(program.features_size, "byte"), " (lower bound ", grouped(program.features_bound),
      ')', c.limit == 0 ? "" : text(", CVSRAM ", grouped(c.size), " of ", grouped(c.limit, "byte")),
      ", loadable ", grouped(loadable_bytes, "byte"), '\n', summary(in_loadable), '\n');
  if (in_trace != nullptr &&
      in_trace->estimate.totals.cycles != in_loadable.estimate.totals.cycles)
    all += text("that is the loadable; the trace, which can bring weights ahead of their layers, "
                "takes ", grouped(in_trace->estimate.totals.cycles, "cycle"), '\n');
  if (program.transposed)
    all += "lines and columns of all tensors are exchanged in memory, of the input too, which is "
           "faster (to leave them: --without transpose_maps)\n";
  return all;
}

NVDLAC_IMPL std::string layer_table(const std::vector<layer_row>& rows, std::size_t most) {
  table t({{.title = "task", .leads = true}, {.title = "layer", .shortens = true, .leads = true},
           {"unit"}, {"input"}, {"output"}, {"MACs", true}, {"read", true},
           {"written", true}, {"start", true}, {"behind", true}, {"cycles", true},
           {"at least", true}, {"limited by"},
           {"waits", true}, {"in"}, {.title = "what", .wraps = true}});
  for (const auto& row : rows) {
    const auto& c = row.on_hardware;
    t.add({text(row.task, '.', row.index), row.name, row.unit, text(row.input), text(row.output),
           grouped(row.macs), grouped(c.moved.read()), grouped(c.moved.written), grouped(c.start),
           grouped(c.behind()), grouped(c.own()), grouped(c.bound),
           std::string(cost::name_of(c.limited_by)), grouped(c.waiting()),
           std::string(cost::name_of(c.waits_in())), row.detail});
  }
  return t.print(most);
}

NVDLAC_IMPL std::string_view to_string(plan::event e) {
  return e == plan::event::completed    ? "completed"
         : e == plan::event::programmed ? "programmed"
                                        : "enabled";
}

NVDLAC_IMPL std::string dependency_list(const std::vector<plan::task>& tasks) {
  std::string out;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto& ops = tasks[t].operations;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      out += text(t, '.', i, ' ', ops[i].layer.name, ": waits for ", int{ops[i].dependency_count});
      const auto add = [&](const plan::link& l) {
        if (l.operation >= 0) out += text("; ", to_string(l.event), " -> ", t, '.', l.operation);
      };
      for (const auto& c : ops[i].consumers) add(c);
      add(ops[i].fused_parent);
      out += '\n';
    }
  }
  return out;
}

NVDLAC_IMPL std::string dependency_graph(const std::vector<plan::task>& tasks) {
  std::string out = "digraph program {\n  node [shape=box];\n";
  const auto id = [](std::size_t task, std::size_t op) { return text("t", task, "_", op); };
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto& ops = tasks[t].operations;
    out += text("  subgraph cluster_", t, " {\n    label=\"task ", t,
                tasks[t].host ? " (host)" : "", "\";\n");
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto row = row_of(ops[i].layer);
      out += text("    ", id(t, i), " [label=\"", row.unit, "\\n", escape::dot(row.name), "\\n",
                  row.input, " -> ", row.output, "\"];\n");
    }
    out += "  }\n";
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto edge = [&](const plan::link& l, std::size_t from, std::size_t to) {
        const char* style = l.event == plan::event::completed ? "" : " [style=dashed]";
        out += text("  ", id(t, from), " -> ", id(t, to), style, ";\n");
      };
      for (const auto& c : ops[i].consumers)
        if (c.operation >= 0) edge(c, i, static_cast<std::size_t>(c.operation));
      if (ops[i].fused_parent.operation >= 0)
        edge(ops[i].fused_parent, i, static_cast<std::size_t>(ops[i].fused_parent.operation));
    }
    if (t > 0 && !ops.empty() && !tasks[t - 1].operations.empty())
      out += text("  ", id(t - 1, tasks[t - 1].operations.size() - 1), " -> ", id(t, 0), ";\n");
  }
  return out + "}\n";
}

}  // namespace nvdlac::report
