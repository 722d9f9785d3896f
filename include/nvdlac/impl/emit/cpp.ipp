// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/cpp_nodes.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL std::string image_symbol(std::string_view name_space, std::string_view hardware) {
  return identifier(text(name_space, '_', hardware, "_weights"));
}

namespace detail {

NVDLAC_IMPL std::string cpp_frame::head() const {
  const auto& space = how_.name_space;
  std::string s = text(
      "// ", how_.source.empty() ? "A network" : escape::comment(how_.source),
      " in the integers of NVDLA, as `nvdlac import` writes it. Its program for a product Hw:\n"
      "//\n//   #include <nvdlac/program.hpp>\n"
      "//   static_assert(nvdlac::runs_on<Hw, ", space, "::model>());\n"
      "//   using my_program = nvdlac::program<Hw, ", space, "::model>;\n");
  if (!how_.preprocessing.empty())
    s += "//\n// Pixels become values by " + escape::comment(how_.preprocessing) + ".\n";
  if (!how_.images.empty()) s += image_help(how_.images[0]);
  return text(s, "#pragma once\n#include <array>\n#include <cstdint>\n#include <optional>\n"
                 "#include <string_view>\n\n#include <nvdlac/base/version.hpp>\n"
                 "#include <nvdlac/lower/runs_in_integers.hpp>\n"
                 "#include <nvdlac/quantised/operators.hpp>\n"
                 "#include <nvdlac/net/network.hpp>\n\n"
                 "static_assert(nvdlac::version == \"", version, "\",\n"
                 "              \"nvdlac: `nvdlac import` of ", version,
                 " wrote this header, whose \"\n"
                 "              \"weights these headers may pack otherwise: write it anew\");\n\n"
                 "namespace ", space, " {\n\n"
                 "namespace quantised = nvdlac::quantised;\nusing nvdlac::net::node;\n"
                 "using nvdlac::net::only_size;\nusing nvdlac::net::square;\n\n");
}

NVDLAC_IMPL std::string cpp_frame::images() const {
  if (how_.images.empty()) return "";
  std::string s = "// The packed weights, in the layout of program<Hw, model>::weight_layout.\n";
  for (const auto& i : how_.images)
    if (i.size != 0)
      s += text("extern \"C\" const std::uint8_t ", image_symbol(how_.name_space, i.hardware),
                '[', i.size, "];  // ", escape::comment(i.file), '\n');
  return s + '\n';
}

NVDLAC_IMPL std::string cpp_frame::tensors(const quantised::graph& g) {
  std::string s;
  const auto describe = [&](const char* kind, quantised::graph::id n) {
    for (const auto& t : g[n].in_file)
      s += text("// ", kind, " \"", escape::comment(g[n].name), "\" is ",
                escape::comment(layer::placement_text(t, g[n].shape)), ".\n");
    for (const auto& line : layer::step_lines(g[n].scale, g[n].gain))
      s += text("// ", kind, " \"", escape::comment(g[n].name), "\", ", line, ".\n");
  };
  for (const auto n : net::input_nodes(g)) describe("Input", n);
  for (const auto n : g.outputs()) describe("Output", n);
  return s;
}

NVDLAC_IMPL std::string cpp_frame::image_help(const cpp_image& i) const {
  const auto symbol = image_symbol(how_.name_space, i.hardware);
  std::string raw = "_binary_";
  for (const char c : i.file) raw += is_letter(c) || is_digit(c) ? c : '_';
  return text(
      "//\n// The packed weights belong to my_program::weights.address. In assembler:\n//\n"
      "//   .section .rodata\n//   .balign 64\n//   .global ", symbol, "\n//   ", symbol,
      ": .incbin ", "\"", escape::comment(i.file), "\"", "\n//\n// or as an object:\n//\n"
      "//   ld -r -b binary -z noexecstack -o weights.o ", escape::comment(i.file),
      "\n//   objcopy --redefine-sym ", raw, "_start=", symbol,
      " weights.o\n");
}

}  // namespace detail

NVDLAC_IMPL std::string write_cpp(const quantised::graph& g, const cpp_options& how) {
  if (!is_namespace(how.name_space))
    throw error(text("'", how.name_space, "' is not the name of a C++ namespace"));
  if (is_taken_globally(how.name_space))
    throw error(
        text("'", how.name_space, "' cannot be a namespace: headers of C declare the name"));
  const detail::cpp_nodes body(g, how.constants);
  const detail::cpp_frame frame(how);
  return text(frame.head(), body.arrays, frame.tensors(g),
              "inline constexpr nvdlac::net::network model{\n", body.nodes, "};\n\n",
              frame.images(), "}  // namespace ", how.name_space, '\n');
}

}  // namespace nvdlac::emit
