// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::int64_t to_integer(double v) {
  if (!(v > -9.2e18 && v < 9.2e18)) throw error(text(v, " is no 64-bit integer"));
  return static_cast<std::int64_t>(v);
}

NVDLAC_IMPL const std::map<std::string_view, double (*)(double)>& unary_functions() {
  static const std::map<std::string_view, double (*)(double)> all = {
      {"Abs", [](double x) { return std::fabs(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Neg", [](double x) { return -x; }},
      {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
  };
  return all;
}

NVDLAC_IMPL const std::map<std::string_view, binary_function>& binary_functions() {
  static const std::map<std::string_view, binary_function> all = {
      {"Add", {[](double a, double b) { return a + b; }}},
      {"And", {[](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, true}},
      {"Div", {[](double a, double b) { return a / b; }}},
      {"Equal", {[](double a, double b) { return a == b ? 1.0 : 0.0; }, true}},
      {"Greater", {[](double a, double b) { return a > b ? 1.0 : 0.0; }, true}},
      {"GreaterOrEqual", {[](double a, double b) { return a >= b ? 1.0 : 0.0; }, true}},
      {"Less", {[](double a, double b) { return a < b ? 1.0 : 0.0; }, true}},
      {"LessOrEqual", {[](double a, double b) { return a <= b ? 1.0 : 0.0; }, true}},
      {"Max", {[](double a, double b) { return a > b ? a : b; }}},
      {"Min", {[](double a, double b) { return a < b ? a : b; }}},
      {"Mod", {[](double a, double b) { return a - b * std::floor(a / b); }}},
      {"Mul", {[](double a, double b) { return a * b; }}},
      {"Or", {[](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, true}},
      {"Pow", {[](double a, double b) { return std::pow(a, b); }}},
      {"Sub", {[](double a, double b) { return a - b; }}},
  };
  return all;
}

NVDLAC_IMPL std::int64_t integer_result(std::string_view type, const binary_function& f,
                                        std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  bool over = false;
  if (type == "Add") over = __builtin_add_overflow(a, b, &r);
  else if (type == "Sub") over = __builtin_sub_overflow(a, b, &r);
  else if (type == "Mul") over = __builtin_mul_overflow(a, b, &r);
  else if (type == "Div" || type == "Mod" || type == "Fmod") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min()))
      throw error("it divides integers by 0");
    const std::int64_t rest = a % b;
    const bool floors = type == "Mod" && rest != 0 && (rest < 0) != (b < 0);
    r = type == "Div" ? a / b : floors ? rest + b : rest;
  } else if (type == "Max") r = a > b ? a : b;
  else if (type == "Min") r = a < b ? a : b;
  else if (type == "Equal") r = a == b;
  else if (type == "Less") r = a < b;
  else if (type == "Greater") r = a > b;
  else if (type == "GreaterOrEqual") r = a >= b;
  else if (type == "LessOrEqual") r = a <= b;
  else r = to_integer(f.of_reals(static_cast<double>(a), static_cast<double>(b)));
  if (over) throw error("its integers overflow");
  return r;
}

NVDLAC_IMPL void require_in_type(const array& a) {
  const auto [least, most] = range_of_type(a.stored);
  for (const auto v : a.integers)
    if (v < least || v > most)
      throw error(text("its integers overflow: ", v, " is no ", element_type(a.stored)));
}

NVDLAC_IMPL array fold_unary(std::string_view type, array a) {
  const auto f = unary_functions().at(type);
  for (auto& v : a.reals) v = static_cast<float>(f(static_cast<double>(v)));
  for (auto& v : a.integers) v = to_integer(f(static_cast<double>(v)));
  require_in_type(a);
  return a;
}

NVDLAC_IMPL array fold_binary(std::string_view type, const array& a, const array& b,
                              const element_ceiling& most) {
  static const binary_function of_dividend = {[](double x, double y) { return std::fmod(x, y); }};
  const auto& f = type == "Fmod" ? of_dividend : binary_functions().at(type);
  if (a.real != b.real && type != "Pow") throw error("its inputs are of different types");
  array out{.shape = broadcast(a.shape, b.shape), .real = a.real && !f.truth};
  const auto spread = [&](const dims& shape) {
    return shape == out.shape ? element_map{} : *expand(shape, out.shape, most).from;
  };
  const element_map x = spread(a.shape), y = spread(b.shape);
  const auto n = static_cast<std::size_t>(count(out.shape, most));
  if (out.real) out.reals.resize(n);
  else out.integers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t ia = x.empty() ? i : static_cast<std::size_t>(x[i]);
    const std::size_t ib = y.empty() ? i : static_cast<std::size_t>(y[i]);
    if (!a.real && !b.real)
      out.integers[i] = integer_result(type, f, a.integers[ia], b.integers[ib]);
    else if (out.real) out.reals[i] = static_cast<float>(f.of_reals(a.number(ia), b.number(ib)));
    else out.integers[i] = to_integer(f.of_reals(a.number(ia), b.number(ib)));
  }
  if (!out.real && (a.stored == b.stored || type == "Pow")) out.stored = f.truth ? 9 : a.stored;
  require_in_type(out);
  return out;
}

NVDLAC_IMPL array fold_concat(const std::vector<array>& parts, std::int64_t axis,
                              const element_ceiling& most) {
  const dims& first = parts.at(0).shape;
  const auto at = static_cast<std::size_t>(checked_axis(axis, first.size()));
  array out{.shape = first, .real = parts[0].real};
  out.shape[at] = 0;
  for (const auto& p : parts) {
    if (p.shape.size() != first.size() || p.real != out.real) throw error("its inputs do not fit");
    for (std::size_t i = 0; i < first.size(); ++i)
      if (i != at && p.shape[i] != first[i]) throw error("its inputs do not fit");
    out.shape[at] += p.shape[at];
  }
  (void)count(out.shape, most);
  std::size_t outer = 1;
  for (std::size_t i = 0; i < at; ++i) outer *= static_cast<std::size_t>(first[i]);
  for (std::size_t o = 0; o < outer; ++o)
    for (const auto& p : parts) {
      const auto chunk = static_cast<std::ptrdiff_t>(p.size() / outer),
                 start = static_cast<std::ptrdiff_t>(o) * chunk;
      if (out.real)
        out.reals.insert(out.reals.end(), p.reals.begin() + start, p.reals.begin() + start + chunk);
      else
        out.integers.insert(out.integers.end(), p.integers.begin() + start,
                            p.integers.begin() + start + chunk);
    }
  return out;
}

NVDLAC_IMPL std::int64_t wrapped(std::int64_t v, std::int64_t type) {
  const auto [least, most] = range_of_type(type);
  if (v >= least && v <= most) return v;
  if (type == 13) throw error(text("it converts ", v, " to UINT64"));
  const auto all = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  const auto low = static_cast<std::uint64_t>(v) & all;
  return static_cast<std::int64_t>(low) -
         (low > static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(all) + 1 : 0);
}

NVDLAC_IMPL std::int64_t truncated(double v, std::int64_t type) {
  const auto [least, most] = range_of_type(type);
  const auto n = to_integer(v);
  if (n < least || n > most)
    throw error(text("it converts ", v, " to ", element_type(type), ", which does not hold it"));
  return n;
}

NVDLAC_IMPL array fold_cast(array a, std::int64_t type) {
  const bool real = is_real_type(type);
  if (!real && (type < 2 || type > 13 || type == 8) && !is_of_4_bits(type))
    throw error("it converts to " + element_type(type) + ", which is not supported");
  a.stored = type;
  if (real != a.real) {
    if (real)
      for (const auto v : a.integers) a.reals.push_back(static_cast<float>(v));
    else
      for (const auto v : a.reals)
        a.integers.push_back(type == 9 ? (v != 0.0F ? 1 : 0)
                                       : truncated(static_cast<double>(v), type));
    (real ? a.integers.clear() : a.reals.clear());
    a.real = real;
  } else {
    for (auto& v : a.integers) v = type == 9 ? (v != 0 ? 1 : 0) : wrapped(v, type);
  }
  return a;
}

}  // namespace nvdlac::import::onnx_format
