// SPDX-License-Identifier: Apache-2.0
#pragma once
// An integer network as a C++ header: the network that nvdlac::program<Hw, network> compiles.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/cpp_nodes.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::emit {

// The packed weights of one configuration, in a file beside the header.
struct cpp_image {
  std::string hardware;    // "nv_small"
  std::string file;        // "digits.nv_small.weights.bin"
  std::uint64_t size = 0;  // bytes
};

struct cpp_options {
  std::string name_space = "network";  // is_namespace
  std::string source{};                // of what file the network is
  bool constants = false;              // the weights too, instead of their sizes
  std::vector<cpp_image> images{};
  std::string preprocessing{};         // how pixels become values, for a comment; empty: not known
};

// The name of an image as an object with C linkage: "digits_nv_small_weights".
inline std::string image_symbol(std::string_view name_space, std::string_view hardware) {
  return identifier(text(name_space, '_', hardware, "_weights"));
}

namespace detail {

// The text around the nodes.
class cpp_frame {
 public:
  explicit cpp_frame(const cpp_options& how) : how_(how) {}

  std::string head() const {
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
                   "#include <string_view>\n\n#include <nvdlac/lower/runs_on.hpp>\n"
                   "#include <nvdlac/quantised/operators.hpp>\n"
                   "#include <nvdlac/net/network.hpp>\n\nnamespace ", space, " {\n\n"
                   "namespace quantised = nvdlac::quantised;\nusing nvdlac::net::node;\n"
                   "using nvdlac::net::only_size;\nusing nvdlac::net::square;\n\n");
  }
  std::string images() const {
    if (how_.images.empty()) return "";
    std::string s = "// The packed weights, in the layout of program<Hw, model>::weight_layout.\n";
    for (const auto& i : how_.images)
      if (i.size != 0)
        s += text("extern \"C\" const std::uint8_t ", image_symbol(how_.name_space, i.hardware),
                  '[', i.size, "];  // ", escape::comment(i.file), '\n');
    return s + '\n';
  }

  // The inputs and outputs as the file has them; a program's `cube::offset` tells where each
  // element is.
  static std::string tensors(const quantised::graph& g) {
    std::string s;
    const auto describe = [&](const char* kind, quantised::graph::id n) {
      for (const auto& t : g[n].in_file)
        s += text("// ", kind, " \"", escape::comment(g[n].name), "\" is ",
                  escape::comment(layer::placement_text(t, g[n].shape)), ".\n");
    };
    for (const auto n : net::input_nodes(g)) describe("Input", n);
    for (const auto n : g.outputs()) describe("Output", n);
    return s;
  }

 private:
  std::string image_help(const cpp_image& i) const {
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
  const cpp_options& how_;
};

}  // namespace detail

// The text of a header that defines `name_space`::model, a net::network of integer operators that
// says the same as the graph. Constants are arrays; weights, and the values of constant tensors,
// are only sizes unless `constants` is set.
inline std::string write_cpp(const quantised::graph& g, const cpp_options& how = {}) {
  if (!is_namespace(how.name_space))
    throw error(text("'", how.name_space, "' is not the name of a C++ namespace"));
  const detail::cpp_nodes body(g, how.constants);
  const detail::cpp_frame frame(how);
  return text(frame.head(), body.arrays, frame.tensors(g),
              "inline constexpr nvdlac::net::network model{\n", body.nodes, "};\n\n",
              frame.images(), "}  // namespace ", how.name_space, '\n');
}

}  // namespace nvdlac::emit
