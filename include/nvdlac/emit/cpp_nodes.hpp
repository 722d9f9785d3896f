// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of an integer network as C++ source, and the arrays that they refer to.
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/graph.hpp>
#include <nvdlac/net/square.hpp>
#include <nvdlac/type_name.hpp>

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

  cpp_nodes(const net::integer::graph& g, bool all_constants) : all_constants_(all_constants) {
    for (const auto n : g.order()) {
      layer_ = identifier(g[n].name);
      words_ = {"node{" + literal(g[n].name) + ","};
      g.visit(n, [&]<class Op>(const Op& op) {
        words_.push_back(text("integer::", type_name<Op>(), '{'));
        members(op);
        words_.back() += '}';
      });
      for (const auto i : g.inputs(n)) {
        words_.back() += ',';
        words_.push_back(literal(g[i].name));
      }
      words_.back() += '}';
      if (g[n].scale != 1) words_.back() += ".scaled(" + number(g[n].scale) + ")";
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
  void members(const net::integer::input& op) {
    member("shape", shape(op.shape));
    if (!op.pixels) return;
    std::string mean;
    for (const auto m : op.pixels->mean) mean += (mean.empty() ? "" : ", ") + std::to_string(m);
    member("pixels", "integer::pixels{{" + mean + "}, " + converter_of(op.pixels->cvt) + "}");
  }
  void members(const net::integer::constant& op) {
    member("shape", shape(op.shape));
    constants("values", op.values, all_constants_);
    constants("wide_values", op.wide_values, all_constants_);
  }
  void members(const net::integer::convolution& op) {
    member("kernels", std::to_string(op.kernels));
    window(op.window);
    if (op.groups != 1) member("groups", std::to_string(op.groups));
    constants("weights", op.weights, all_constants_);
    constants("wide_weights", op.wide_weights, all_constants_);
    constants("bias", op.bias);
    count("bias_shift", op.bias_shift);
    constants("multiplier", op.multiplier);
    count("shift", op.shift);
    count("truncate", op.truncate);
    if (op.pad != 0) member("pad", std::to_string(op.pad));
    flag("relu", op.relu);
    constants("slope", op.slope);
    count("slope_shift", op.slope_shift);
    bounds(op.low, op.high);
    if (op.out_offset != 0) member("out_offset", std::to_string(op.out_offset));
    count("out_shift", op.out_shift);
  }
  void members(const net::integer::clip& op) {
    if (op.multiplier != 1) member("multiplier", std::to_string(op.multiplier));
    count("shift", op.shift);
    bounds(op.low, op.high);
  }
  void members(const net::integer::lookup& op) {
    constants("values", op.values);
    tables(op);
  }
  void members(const net::integer::lrn& op) {
    if (op.local_size != 5) member("local_size", std::to_string(op.local_size));
    converter_member("in", op.in);
    converter_member("out", op.out);
    tables(op);
  }
  void members(const net::integer::prelu& op) {
    if (op.multiplier != 1) member("multiplier", std::to_string(op.multiplier));
    constants("slope", op.slope);
    count("shift", op.shift);
    converter_member(op.out);
  }
  void members(const net::integer::pool& op) {
    if (op.kind != net::pool_kind::maximum)
      member("kind", text("nvdlac::net::pool_kind::", net::name_of(op.kind)));
    window(op.window);
    flag("ceil", op.ceil);
    flag("count_include_pad", op.count_include_pad);
    if (op.pad != 0) member("pad", std::to_string(op.pad));
  }
  void members(const net::integer::average& op) {
    window(op.window);
    if (op.weight != 1) member("weight", std::to_string(op.weight));
    if (op.bias != 0) member("bias", std::to_string(op.bias));
    count("bias_shift", op.bias_shift);
    if (op.multiplier != 1) member("multiplier", std::to_string(op.multiplier));
    count("shift", op.shift);
    if (op.pad != 0) member("pad", std::to_string(op.pad));
  }
  void members(const net::integer::scale& op) {
    constants("multiplier", op.multiplier);
    constants("addend", op.addend);
    count("addend_shift", op.addend_shift);
    flag("relu", op.relu);
    converter_member(op.out);
  }
  void members(const net::integer::add& op) {
    if (op.multiplier != 1) member("multiplier", std::to_string(op.multiplier));
    count("operand_shift", op.operand_shift);
    flag("relu", op.relu);
    converter_member(op.out);
  }
  void members(const net::integer::multiply& op) {
    flag("relu", op.relu);
    converter_member(op.out);
  }
  void members(const net::integer::extremum& op) {
    if (op.kind == net::extremum_kind::minimum)
      member("kind", "nvdlac::net::extremum_kind::minimum");
    if (op.multiplier != 1) member("multiplier", std::to_string(op.multiplier));
    count("operand_shift", op.operand_shift);
    flag("relu", op.relu);
    converter_member(op.out);
  }
  void members(const net::integer::concat& op) {
    constants("multiplier", op.multiplier);
    count("shift", op.shift);
    constants("zeros", op.zeros);
    if (op.zero != 0) member("zero", std::to_string(op.zero));
  }
  void members(const net::integer::reshape& op) { member("target", shape(op.target)); }
  void members(const net::integer::softmax&) {}
  void members(const net::integer::on_host& op) {
    throw error(problem{.layer = layer_,
                        .reason = text("the host computes '", op.call.layer,
                                       "', which is known at run time only"),
                        .remedy = "compile the network to a loadable"});
  }
  void members(const net::integer::move& op) {
    member("target", shape(op.target));
    constants("boxes", op.boxes);
    if (op.fill != 0) member("fill", std::to_string(op.fill));
  }
  void members(const net::integer::convert& op) {
    if (op.to == hw::precision::int8) member("to", "nvdlac::hw::precision::int8");
    if (op.to == hw::precision::int16) member("to", "nvdlac::hw::precision::int16");
    converter_member(op.out);
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
  void tables(const auto& op) {
    if (op.table != arithmetic::lut_settings{}) member("table", settings_of(op.table));
    constants("le", op.le);
    constants("lo", op.lo);
  }
  void count(std::string_view name, std::uint8_t n) {
    if (n != 0) member(name, std::to_string(n));
  }
  void bounds(std::int16_t low, std::int16_t high) {
    if (low != net::integer::no_low) member("low", std::to_string(low));
    if (high != net::integer::no_high) member("high", std::to_string(high));
  }
  void flag(std::string_view name, bool set) {
    if (set) member(name, "true");
  }
  void converter_member(const converter& c) { converter_member("out", c); }
  void converter_member(std::string_view name, const converter& c) {
    if (c != converter{}) member(name, converter_of(c));
  }
  static std::string settings_of(const arithmetic::lut_settings& s) {
    const auto truth = [](bool b) { return b ? "true" : "false"; };
    const auto domain = [](const arithmetic::lut_domain& d) {
      const auto slope = [](const arithmetic::lut_slope& l) {
        return text('{', l.scale, ", ", l.shift, '}');
      };
      return text('{', d.start, ", ", d.end, ", ", d.select, ", ", slope(d.underflow), ", ",
                  slope(d.overflow), '}');
    };
    return text('{', truth(s.exponential), ", ", s.offset, ", ", truth(s.underflow_lo), ", ",
                truth(s.overflow_lo), ", ", truth(s.hybrid_lo), ", ", domain(s.le), ", ",
                domain(s.lo), '}');
  }
  static std::string converter_of(const converter& c) {
    return text('{', c.offset, ", ", c.scale, ", ", int{c.shift}, '}');
  }
  static std::string shape(net::shape s) { return text('{', s.c, ", ", s.h, ", ", s.w, '}'); }
  void window(const net::window& w) {
    if (w == net::window{}) return;
    std::string all;
    const net::square same{w.kernel_h, w.stride_h, w.pad_top, w.dilation_h};
    const bool is_square = w == net::window(same);
    const auto one = [&](const char* name, std::int32_t value, std::int32_t usual) {
      if (value != usual) all += text(all.empty() ? "." : ", .", name, " = ", value);
    };
    if (is_square) {
      one("kernel", same.kernel, 1);
      one("stride", same.stride, 1);
      one("pad", same.pad, 0);
      one("dilation", same.dilation, 1);
      return member("window", "square{" + all + "}");
    }
    one("kernel_h", w.kernel_h, 1);
    one("kernel_w", w.kernel_w, 1);
    one("stride_h", w.stride_h, 1);
    one("stride_w", w.stride_w, 1);
    one("pad_top", w.pad_top, 0);
    one("pad_left", w.pad_left, 0);
    one("pad_bottom", w.pad_bottom, 0);
    one("pad_right", w.pad_right, 0);
    one("dilation_h", w.dilation_h, 1);
    one("dilation_w", w.dilation_w, 1);
    member("window", "{" + all + "}");
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
    const auto place = [](net::place p) { return text('{', p.c, ", ", p.y, ", ", p.x, '}'); };
    std::string loops;
    for (const auto& l : b.loops)
      if (l != net::box_loop{})
        loops += text(loops.empty() ? "{" : ", {", l.count, ", ", place(l.to), ", ", place(l.from),
                      '}');
    return text("nvdlac::net::box{", b.input, ", ", place(b.to), ", ", place(b.from), ", {{", loops,
                "}}}");
  }
  template <std::integral T>
  static std::string number(T x) { return std::to_string(int{x}); }

  // An array of its own, or nothing but its size.
  template <class T>
  void constants(std::string_view name, const net::integer::constants<T>& values,
                 bool shown = true) {
    if (values.empty()) return;
    if (!shown || !values.known())
      return member(name, text("integer::only_size{", values.size(), '}'));
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
