// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/host_stub.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL host_stub_writer::host_stub_writer(const plan::program_data& p, bytes atom,
                                               std::string stem)
    : atom_(atom),
      stem_(std::move(stem)),
      header_(header_of(stem_)),
      prefix_(identifier(stem_)) {
  for (const auto& b : p.inputs) describe("Input", b);
  for (const auto& b : p.outputs) describe("Output", b);
  for (std::size_t t = 0; t < p.tasks.size(); ++t)
    for (const auto& op : p.tasks[t].operations)
      if (const auto* c = std::get_if<layer::host_call>(&op.layer.what))
        add(t, op.layer.name, *c, p.calls.at(static_cast<std::size_t>(c->call)));
}

NVDLAC_IMPL std::vector<file> host_stub_writer::take() const {
  const std::string guard = prefix_ + "_h";  // names_ holds it
  const std::string header = text(
      "/* What the host computes for this network, between the tasks of NVDLA.\n",
      bindings_.str(), " */\n#ifndef ",
      guard, "\n#define ", guard, "\n\n#include <stdint.h>\n\n",
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", declarations_.str(),
      "/* Computes a task of the loadable; `buffers` are the addresses of its inputs and, last,\n"
      " * of its output. Returns 0, or -1 if the task is none of the above. */\nint ",
      prefix_, "_run(unsigned task, void *const buffers[]);\n\n",
      "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  const std::string source = text(
      "#include \"", header_, "\"\n\n#include <math.h>\n#include <stddef.h>\n\n",
      definitions_.str(), "int ", prefix_,
      "_run(unsigned task, void *const buffers[]) {\n  switch (task) {\n", cases_.str(),
      "    default: (void)buffers; return -1;\n  }\n}\n");
  return {{header_, {header.begin(), header.end()}},
          {stem_ + ".c", {source.begin(), source.end()}}};
}

NVDLAC_IMPL bool host_stub_writer::is_taken(const std::string& s) {
  if (std::ranges::none_of(s, [](char c) { return c >= 'a' && c <= 'z'; })) return true;
  static constexpr std::string_view types[]{"int",   "uint",      "size",  "ssize",  "ptrdiff",
                                            "wchar", "max_align", "float", "double", "nullptr"};
  if (s.ends_with("_t"))
    return std::ranges::any_of(types, [&](std::string_view t) { return s.starts_with(t); });
  return s.starts_with("lgamma") && s.ends_with("_r");
}

NVDLAC_IMPL std::string host_stub_writer::function_for(std::string_view layer, std::size_t inputs) {
  auto wish = identifier(layer);
  if (is_taken(prefix_ + "_" + wish)) wish += "_layer";
  for (int i = 1;; ++i) {
    const auto name = i == 1 ? wish : text(wish, '_', i);
    std::vector<std::string> all{name, name + "_put", name + "_clear"};
    for (std::size_t in = 0; in < inputs; ++in) all.push_back(text(name, "_in", in));
    if (std::ranges::any_of(all, [&](const auto& n) { return names_.contains(n); })) continue;
    names_.insert(all.begin(), all.end());
    return prefix_ + "_" + name;
  }
}

NVDLAC_IMPL void host_stub_writer::describe(const char* kind, const plan::binding& b) {
  bindings_ << " * " << kind << " '" << escape::comment(b.name) << "':\n";
  for (const auto& line : layer::placement_lines(b, b.pixels.has_value(), atom_))
    bindings_ << " *   " << escape::comment(line) << '\n';
  for (const auto& line : layer::step_lines(b.scale, b.gain)) bindings_ << " *   " << line << '\n';
}

NVDLAC_IMPL std::string host_stub_writer::described(const layer::surface& s, double scale) const {
  std::string result = text(s.shape, ' ', hw::name_of(s.precision));
  return real(s) ? result + ", bits of real numbers" : text(result, ", real = ", scale, " * it");
}

NVDLAC_IMPL std::string host_stub_writer::place(const layer::surface& s) const {
  const auto lanes = layer::lanes_of(atom_, s.precision);
  const auto size = hw::element_bytes(s.precision);
  return text("(size_t)c / ", lanes, " * ", s.surface_stride / size, " + (size_t)y * ",
              s.line_stride / size, " + (size_t)x * ", lanes, " + (size_t)c % ", lanes);
}

// The lines of a composed function of x, "v1 = 1 * x + 2"; the last one is its value.
inline std::vector<std::string> formula_of(const net::activation& f) {
  using kind = net::function_part::part_kind;
  const auto value = [](int number) { return number == 0 ? std::string("x") : text("v", number); };
  std::vector<std::string> lines;
  for (const auto& p : f.parts) {
    const auto v = value(p.first), w = value(p.second);
    std::string is;
    switch (p.kind) {
      case kind::function:
        is = text(net::name_of(p.function), '(', v, "), alpha = ", p.alpha, ", beta = ", p.beta,
                  ", gamma = ", p.gamma);
        break;
      case kind::line: is = text(p.alpha, " * ", v, " + ", p.beta); break;
      case kind::bounded: is = text("min(max(", v, ", ", p.alpha, "), ", p.beta, ')'); break;
      case kind::bent: is = text(v, ", or below 0 ", p.alpha, " * ", v); break;
      case kind::sum: is = text(p.alpha, " * ", v, " + ", p.beta, " * ", w); break;
      case kind::product: is = text(v, " * ", w); break;
      case kind::maximum: is = text("max(", v, ", ", w, ')'); break;
      case kind::minimum: is = text("min(", v, ", ", w, ')'); break;
    }
    lines.push_back(text("v", lines.size() + 1, " = ", is));
  }
  return lines;
}

NVDLAC_IMPL void host_stub_writer::add(std::size_t task, std::string_view layer,
                                       const layer::host_call& l, const net::host_call& c) {
  const auto name = function_for(layer, l.inputs().size());
  std::string signature = text("void ", name, "(");
  declarations_ << "/* Task " << task << ", layer '" << escape::comment(layer)
                << "': " << escape::comment(c.layer);
  if (c.layer == net::name_of(net::function::composed)) {
    for (const auto& line : formula_of(host::operator_of<net::activation>(c.parameters)))
      declarations_ << "\n *   " << line;
  } else {
    for (const auto& p : c.parameters) {
      if (p.values.size() > most_values) continue;
      declarations_ << "\n *   " << escape::comment(p.name) << " =";
      for (const double v : p.values) declarations_ << ' ' << v;
    }
  }
  for (std::size_t i = 0; i < l.inputs().size(); ++i) {
    const auto& s = l.inputs()[i];
    declarations_ << "\n *   in" << i << ": " << described(s, l.input_scales[i]);
    signature += text("const ", type_of(s.precision), " *in", i, ", ");
    get(text(name, "_in", i), s, l.input_scales[i]);
  }
  put(name + "_put", l.output, l.output_scale);
  const auto cleared = clear(name + "_clear", l.output);
  signature += text(type_of(l.output.precision), " *out)");
  declarations_ << "\n *   out: " << described(l.output, l.output_scale) << "\n */\n"
                << signature << ";\n\n";
  definitions_ << signature << " {\n  /* Fill in: read with " << name
               << "_in0(in0, c, y, x), write with " << name << "_put(out, c, y, x, value). */\n";
  cases_ << "    case " << task << ": ";
  if (cleared) cases_ << name << "_clear(buffers[" << l.inputs().size() << "]); ";
  cases_ << name << '(';
  for (std::size_t i = 0; i < l.inputs().size(); ++i) {
    definitions_ << "  (void)in" << i << ";\n";
    cases_ << "buffers[" << i << "], ";
  }
  definitions_ << "  (void)out;\n}\n\n";
  cases_ << "buffers[" << l.inputs().size() << "]); return 0;\n";
}

NVDLAC_IMPL void host_stub_writer::get(const std::string& name, const layer::surface& s,
                                       double scale) {
  const auto* type = type_of(s.precision);
  definitions_ << "static inline " << (real(s) ? "uint16_t " : "double ") << name << "(const "
               << type << " *from, int c, int y, int x) {\n  return ";
  if (!real(s)) definitions_ << text_of(scale) << " * ";
  definitions_ << "from[" << place(s) << "];\n}\n";
}

NVDLAC_IMPL void host_stub_writer::put(const std::string& name, const layer::surface& s,
                                       double scale) {
  const auto* type = type_of(s.precision);
  const int top = s.precision == hw::precision::int8 ? 127 : 32767;
  definitions_ << "static inline void " << name << '(' << type << " *to, int c, int y, int x, "
               << (real(s) ? "uint16_t" : "double") << " value) {\n";
  if (!real(s))
    definitions_ << "  const double nearest = round(value / " << text_of(scale)
                 << ");\n  to[" << place(s) << "] =\n      (" << type << ")(nearest > " << top
                 << " ? " << top << " : nearest < -" << top << " ? -" << top << " : nearest);\n";
  else definitions_ << "  to[" << place(s) << "] = value;\n";
  definitions_ << "}\n";
}

NVDLAC_IMPL bool host_stub_writer::clear(const std::string& name, const layer::surface& s) {
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom_, s.precision));
  if (s.shape.c % lanes == 0) return false;
  const auto end = (s.shape.c + lanes - 1) / lanes * lanes;
  definitions_ << "/* Zeros in the lanes behind the last channel, which NVDLA may read. */\n"
               << "static inline void " << name << '(' << type_of(s.precision) << " *to) {\n"
               << "  int c, y, x;\n  for (c = " << s.shape.c << "; c < " << end
               << "; ++c)\n    for (y = 0; y < " << s.shape.h << "; ++y)\n      for (x = 0; x < "
               << s.shape.w << "; ++x) to[" << place(s) << "] = 0;\n}\n";
  return true;
}

NVDLAC_IMPL std::string host_stub_writer::text_of(double v) {
  text_stream out;
  out.precision(17);
  out << v;
  return out.str();
}

}  // namespace detail

NVDLAC_IMPL std::vector<file> host_stub(const plan::program_data& p, bytes atom, std::string stem) {
  return detail::host_stub_writer(p, atom, std::move(stem)).take();
}

}  // namespace nvdlac::emit
