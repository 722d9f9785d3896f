// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of an integer network as C++ source, and the arrays that they refer to.
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
  filled_lines(std::string& to, std::size_t first, std::size_t next);
  void add(std::string_view word);

 private:
  std::string& to_;
  std::size_t next_, column_ = 0;
  bool empty_ = true;
};

// With `all_constants` the weights are arrays, too, and not only their sizes.
class cpp_nodes {
 public:
  std::string arrays{}, nodes{};

  cpp_nodes(const quantised::graph& g, bool all_constants);

 private:
  // The members that differ from what they are without being told.
  template <class Op>
  void members(const Op& op) {
    const Op usual{};
    visit_fields(op, [&](const auto& field, const auto& value) {
      if (value != usual.*field.member) write(field, value);
    });
  }
  void members(const quantised::on_host& op);

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

  void member(std::string_view name, const std::string& value);
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
  static std::string number(double x);
  static std::string number(std::optional<std::int16_t> x) {
    return x ? std::to_string(*x) : "std::nullopt";
  }
  static std::string number(const net::box& b);
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/cpp_nodes.ipp>
#endif
