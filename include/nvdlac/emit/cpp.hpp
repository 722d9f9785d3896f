// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/graph.hpp>

// The nodes of an integer network as C++ source, and the arrays that they refer to.

namespace nvdlac::emit::detail {

// Words on lines of at most 100 letters, as far as they are short enough.
class filled_lines {
 public:
  filled_lines(std::string& to, std::size_t first, std::size_t next) : to_(to), next_(next) {
    to_.append(first, ' ');
    column_ = first;
  }
  void add(std::string_view word) {
    if (!empty_ && column_ + 1 + word.size() > 100) {
      (to_ += '\n').append(next_, ' ');
      column_ = next_;
    } else if (!empty_) {
      to_ += ' ';
      ++column_;
    }
    to_ += word;
    column_ += word.size();
    empty_ = false;
  }

 private:
  std::string& to_;
  std::size_t next_, column_ = 0;
  bool empty_ = true;
};

// With `all_constants` the weights are arrays, too, and not only their sizes.
class cpp_nodes {
 public:
  std::string arrays{}, nodes{};

  cpp_nodes(const quantised::graph& g, bool all_constants) : all_constants_(all_constants) {
    for (const auto n : g.order()) {
      layer_ = identifier(g[n].name);
      words_ = {"node{" + literal(g[n].name) + ","};
      g.visit(n, [&]<class Op>(const Op& op) {
        words_.push_back(text("quantised::", type_name<Op>(), '{'));
        members(op);
        words_.back() += '}';
      });
      for (const auto i : g.inputs(n)) {
        words_.back() += ',';
        words_.push_back(literal(g[i].name));
      }
      words_.back() += '}';
      if (g[n].scale != 1 || g[n].zero != 0)
        words_.back() += ".scaled(" + number(g[n].scale) +
                         (g[n].zero != 0 ? text(", ", g[n].zero) : "") + ")";
      if (g[n].precision == hw::precision::int16)
        words_.back() += ".in(nvdlac::hw::precision::int16)";
      if (g[n].precision == hw::precision::fp16)
        words_.back() += ".in(nvdlac::hw::precision::fp16)";
      if (g[n].output && !g.consumers(n).empty()) words_.back() += ".read_outside()";
      words_.back() += ',';
      filled_lines lines(nodes, 4, 8);
      for (const auto& w : words_) lines.add(w);
      nodes += '\n';
    }
  }

 private:
  // The members that differ from what they are without being told.
  template <class Op>
  void members(const Op& op) {
    const Op usual{};
    visit_fields(op, [&](const auto& field, const auto& value) {
      if (value != usual.*field.member) write(field, value);
    });
  }
  void members(const quantised::on_host& op) {
    throw error(problem{.layer = layer_,
                        .reason = text("the host computes '", op.call.layer,
                                       "', which is known at run time only"),
                        .remedy = "compile the network to a loadable"});
  }

  template <class T>
  void write(const auto& field, const net::constants<T>& values) {
    constants(field.name, values, all_constants_ || field.where == storage::here);
  }
  void write(const auto& field, const net::window& w) {
    const net::square same{w.kernel_h, w.stride_h, w.pad_top, w.dilation_h};
    member(field.name, w == net::window(same) ? "square" + designated(same) : designated(w));
  }
  void write(const auto& field, const std::optional<quantised::pixels>& p) {
    member(field.name, "quantised::pixels" + in_braces(*p));
  }
  template <class T>
  void write(const auto& field, const T& value) {
    if constexpr (std::is_same_v<T, hw::precision>)
      member(field.name, text("nvdlac::hw::precision::", name_of(value)));
    else if constexpr (std::is_enum_v<T>)
      member(field.name, text("nvdlac::net::", type_name<T>(), "::", name_of(value)));
    else member(field.name, in_braces(value));
  }

  void member(std::string_view name, const std::string& value) {
    const std::string field = text('.', name, " = ", value);
    if (words_.back().back() == '{') {
      words_.back() += field;
    } else {
      words_.back() += ',';
      words_.push_back(field);
    }
  }
  // "{.kernel = 3, .pad = 1}": the members that differ from what they are without being told.
  template <class T>
  static std::string designated(const T& value) {
    std::string all;
    const T usual{};
    visit_fields(value, [&](const auto& field, const auto& member) {
      if (member != usual.*field.member)
        all += text(all.empty() ? "." : ", .", field.name, " = ", in_braces(member));
    });
    return '{' + all + '}';
  }

  // As few digits as give the same number again.
  static std::string number(double x) {
    std::array<char, 32> letters{};
    const auto end = std::to_chars(letters.data(), letters.data() + letters.size(), x).ptr;
    std::string s(letters.data(), end);
    if (s.find_first_of(".e") == s.npos) s += ".0";
    return s;
  }
  static std::string number(std::optional<std::int16_t> x) {
    return x ? std::to_string(*x) : "std::nullopt";
  }
  static std::string number(const net::box& b) {
    std::string loops;
    for (const auto& l : b.loops)
      if (l != net::box_loop{}) loops += (loops.empty() ? "" : ", ") + in_braces(l);
    return text("nvdlac::net::box{", b.input, ", ", in_braces(b.to), ", ", in_braces(b.from),
                ", {{", loops, "}}}");
  }
  template <std::integral T>
  static std::string number(T x) { return std::to_string(int{x}); }

  // An array of its own, or nothing but its size.
  template <class T>
  void constants(std::string_view name, const net::constants<T>& values, bool shown) {
    if (!shown || !values.known())
      return member(name, text("only_size{", values.size(), '}'));
    const auto array = array_names_(text(layer_, '_', name));
    constexpr const char* type = std::is_same_v<T, std::int8_t>    ? "std::int8_t"
                                 : std::is_same_v<T, std::int16_t> ? "std::int16_t"
                                 : std::is_same_v<T, net::box>     ? "nvdlac::net::box"
                                                                   : "std::optional<std::int16_t>";
    arrays += text("inline constexpr std::array<", type, ", ", values.size(), "> ", array, "{\n");
    filled_lines lines(arrays, 4, 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      lines.add(number(values[i]) + (i + 1 == values.size() ? "};" : ","));
    arrays += "\n\n";
    member(name, array);
  }

  bool all_constants_;
  unique_names array_names_{};
  std::string layer_{};
  std::vector<std::string> words_{};  // of the node that is written
};

}  // namespace nvdlac::emit::detail

// An integer network as a C++ header: the network that nvdlac::program<Hw, network> compiles.

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

// What stands around the nodes.
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

  // What inputs and outputs are in the file; a program's `cube::offset` tells where each element
  // is.
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
