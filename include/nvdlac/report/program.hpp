// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is said of a program: its layers, how long they take, and all of it as text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

// Hardware layers as rows of a table: for reports and for `nvdlac inspect`.

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

inline std::string describe(net::window w) {
  std::string s = text(w.kernel_h, 'x', w.kernel_w);
  if (w.stride_h != 1 || w.stride_w != 1) s += text(" /", w.stride_h, ',', w.stride_w);
  if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
    s += text(" pad ", w.pad_top, ',', w.pad_left, ',', w.pad_bottom, ',', w.pad_right);
  if (w.dilation_h != 1 || w.dilation_w != 1)
    s += text(" dilation ", w.dilation_h, ',', w.dilation_w);
  return s;
}

inline std::string describe(const layer::convolution& l) {
  const auto* const read_as = !l.is_pixel() ? "" : l.pixels_signed ? " in image mode" : " pixels";
  return text(describe(l.window), read_as,
              l.kernel_lines > 1 ? text(", ", int{l.kernel_lines}, " lines at a time") : "",
              ", banks ", int{l.data_banks}, '+', int{l.weight_banks},
              l.winograd ? ", Winograd" : "",
              l.input.pictures > 1 ? text(", ", l.input.pictures, " pictures") : "");
}
inline std::string describe(const layer::sdp& l) {
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
inline std::string describe(const layer::pdp& l) {
  return text(net::name_of(l.kind), ' ', describe(l.window),
              l.input.at.on_the_fly() ? ", on the fly" : "");
}
inline std::string describe(const layer::cdp& l) {
  return text("normalises over ", l.local_size, " channels");
}
inline std::string describe(const layer::rubik& l) {
  return text("lines of ", l.stride_y, ", columns of ", l.stride_x, " take turns");
}
inline std::string describe(const layer::host_softmax&) { return "softmax"; }
inline std::string describe(const layer::host_call&) { return "a layer by name"; }

inline net::shape input_of(const layer::host_call& l) { return l.inputs()[0].shape; }
inline net::shape input_of(const auto& l) { return l.input.shape; }
inline net::shape output_of(const layer::convolution& l) { return l.output; }
inline net::shape output_of(const auto& l) { return l.output.shape; }

}  // namespace detail

// Without the cycles, which depend on the hardware.
inline layer_row row_of(const layer::layer& l) {
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

// The cycles are those of the same tasks.
inline std::vector<layer_row> rows_of(const std::vector<plan::task>& tasks,
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

// A program's layers, memory and dependencies as text and as Graphviz.

// In lines of at most `most` letters; 0: of any length.
inline std::string layer_table(const std::vector<layer_row>& rows, std::size_t most = 0) {
  table t({{.title = "task", .leads = true}, {.title = "layer", .shortens = true, .leads = true},
           {"unit"}, {"input"}, {"output"}, {"MACs", true}, {"read", true},
           {"written", true}, {"start", true}, {"cycles", true}, {"at least", true}, {"limited by"},
           {"waits", true}, {"in"}, {.title = "what", .wraps = true}});
  for (const auto& row : rows) {
    const auto& c = row.on_hardware;
    t.add({text(row.task, '.', row.index), row.name, row.unit, text(row.input), text(row.output),
           text(row.macs), text(c.moved.read()), text(c.moved.written), text(c.start),
           text(c.cycles()), text(c.bound), std::string(cost::name_of(c.limited_by)),
           text(c.waiting()), std::string(cost::name_of(c.waits_in())), row.detail});
  }
  return t.print(most);
}

inline std::string_view to_string(plan::event e) {
  return e == plan::event::completed    ? "completed"
         : e == plan::event::programmed ? "programmed"
                                        : "enabled";
}

// An operation on each line, with those that wait for it and for which event.
inline std::string dependency_list(const std::vector<plan::task>& tasks) {
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

// One node for each operation, one cluster for each task; edges carry the event they wait for.
inline std::string dependency_graph(const std::vector<plan::task>& tasks) {
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

// The predicted cycles of a program for reading.

// What cycles depend on besides program and configuration.
struct conditions {
  cost::memory memory{};
  cost::host host{};
  double megahertz = 1000;  // of NVDLA's clock
};

struct prediction {
  conditions given{};
  cost::estimate estimate{};
  bool extrapolated = false;  // the model was not compared with the RTL of all that it uses
};

inline prediction predict(const std::vector<plan::task>& tasks, const hw::spec& s,
                          const conditions& c) {
  prediction p{c, cost::cycles(tasks, s, c.memory, c.host), !cost::was_measured(s)};
  for (const auto& l : p.estimate.layers)  // far from the RTL with CVSRAM, docs/performance.md
    if (l.moved.read(true) != 0 || l.moved.written_to(true) != 0) p.extrapolated = true;
  return p;
}

// "130456 cycles, 7665 runs a second at 1000 MHz; MACs at work 34 % of the time, most cycles limited
// by the memory; 475704 bytes read, 22110 written"
inline std::string summary(const prediction& p) {
  const auto& t = p.estimate.totals;
  const auto runs = t.runs_per_second(p.given.megahertz);
  std::string s = text(t.cycles, " cycles predicted", p.extrapolated ? " (extrapolated)" : "", ": ",
                       std::round(runs * 10) / 10, " runs a second at ", p.given.megahertz,
                       " MHz; MACs at work ", std::round(t.utilisation() * 100), " % of the time");
  if (t.limited_by != cost::limit::none)
    s += text(", most cycles limited by ", cost::name_of(t.limited_by));
  return s + text("; ", t.read, " bytes read, ", t.written, " written");
}

// In JSON; cycles are counted from the start of the program.
template <class Json>
Json to_json(const cost::layer_cycles& c) {
  return {{"start", c.start}, {"first_mac", c.loaded}, {"last_mac", c.computed}, {"done", c.done},
          {"with_macs", c.mac_cycles}, {"at_least", c.bound},
          {"limited_by", cost::name_of(c.limited_by)}, {"waiting", c.waiting()},
          {"waits_in", cost::name_of(c.waits_in())}};
}

template <class Json>
Json to_json(const prediction& p) {
  const auto& t = p.estimate.totals;
  Json memory{{"width", p.given.memory.width}, {"latency", p.given.memory.read_latency},
              {"write_latency", p.given.memory.write_latency},
              {"outstanding", p.given.memory.outstanding}};
  if (const auto& c = p.given.memory.cvsram; c.bytes != 0)
    memory["cvsram"] = {{"bytes", c.bytes}, {"width", c.width}, {"latency", c.read_latency},
                        {"write_latency", c.write_latency}, {"outstanding", c.outstanding}};
  return {{"cycles", t.cycles}, {"clock_megahertz", p.given.megahertz},
          {"runs_per_second", t.runs_per_second(p.given.megahertz)},
          {"utilisation", t.utilisation()}, {"limited_by", cost::name_of(t.limited_by)},
          {"extrapolated", p.extrapolated},
          {"memory", std::move(memory)},
          {"host", {{"access", p.given.host.access}, {"interrupt", p.given.host.interrupt}}}};
}

// What a loadable holds, for reading.

// The tasks of a loaded program in the form of the planner.
inline std::vector<plan::task> tasks_of(const runtime::loaded_program& from) {
  const auto link_of = [](const emit::firmware::consumer& c) {
    return plan::link{c.index, static_cast<plan::event>(c.event)};
  };
  std::vector<plan::task> tasks;
  for (const auto& t : from.tasks) {
    auto& to = tasks.emplace_back();
    to.host = t.host;
    for (std::size_t i = 0; i < t.layers.size(); ++i) {
      auto& op = to.operations.emplace_back();
      op.layer = t.layers[i];
      if (i >= t.dependencies.size()) continue;  // host layers have none
      const auto& d = t.dependencies[i];
      for (std::size_t e = 0; e < plan::engines; ++e) op.consumers[e] = link_of(d.consumers[e]);
      op.fused_parent = link_of(d.fused_parent);
      op.dependency_count = d.dependency_count;
    }
  }
  return tasks;
}

// A row for each memory that the runtime makes, in lines of at most `most` letters; 0: of any
// length.
inline std::string memory_table(const emit::loadable_image& image, std::size_t most = 0) {
  namespace code = emit::loadable_code;
  table t({{"memory", true}, {"bytes", true}, {"role"}, {"domain"},
           {.title = "contents", .wraps = true}});
  for (std::size_t i = 0; i < image.memories.size(); ++i) {
    const auto& m = image.memories[i];
    const char* role = (m.flags & code::input) != 0    ? "input"
                       : (m.flags & code::output) != 0 ? "output"
                       : (m.flags & code::set) != 0    ? "constant"
                                                       : "scratch";
    std::string contents;
    for (const auto& c : m.contents) contents += text(contents.empty() ? "" : ", ", c);
    if (m.bindable() && m.tensor_desc_id < image.tensors.size())
      contents = std::string(image.tensors[m.tensor_desc_id].name);
    t.add({text(i), text(m.size), role, m.domain == 0 ? "system" : "SRAM", contents});
  }
  return t.print(most);
}

// Where its elements lie in memory, and a line for each tensor of the user's file.
inline std::string describe_places(const runtime::binding& b, bytes atom) {
  std::string s;
  for (const auto& line : layer::placement_lines(b, b.picture, atom))
    s += text("       in ", s.empty() ? "memory " : "the file ", line, '\n');
  return s;
}

// "data 1x28x28: pixels, mean 0, scale 0.00390625, order rgb"
inline std::string describe(const runtime::binding& b) {
  std::string s = text(b.name, ' ', b.shape, ": ",
                       b.picture ? "pixels" : hw::name_of(b.surface.precision));
  if (!b.picture) s += text(" of scale ", b.scale);
  return b.preprocessing ? s + ", " + net::describe(*b.preprocessing) : s;
}

}  // namespace nvdlac::report
