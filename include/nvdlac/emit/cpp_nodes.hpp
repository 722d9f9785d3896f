// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of an integer network as C++ source, and the arrays that they refer to.
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
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
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/graph.hpp>

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
