// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/comparison.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/meaning.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL bool is_of_integers(std::string_view type) {
  for (const std::string_view part :
       {"QLinear", "uantizeLinear", "MatMulInteger", "ConvInteger", "QGemm"})
    if (type.find(part) != type.npos) return true;
  return false;
}

NVDLAC_IMPL bool gives_values_of_input(std::string_view type) {
  static const std::set<std::string_view> all = {
      "Concat",  "DepthToSpace", "Flatten", "Gather",       "GlobalMaxPool", "Identity",
      "GatherElements", "GatherND",
      "MaxPool", "Reshape",      "Slice",   "SpaceToDepth", "Split",         "Squeeze",
      "Dropout", "Transpose",    "Unsqueeze",    "com.microsoft:NhwcMaxPool"};
  return all.contains(type);
}

namespace detail {

// How many inputs hold what the outputs are made of: the others tell a type, or places.
inline std::size_t inputs_of_values(const node& n, const std::vector<value>& in) {
  const bool first = n.type() == "CastLike" || n.type().starts_with("Gather") || n.type() == "TopK";
  return std::min<std::size_t>(first ? 1 : in.size(), in.size());
}

}  // namespace detail

NVDLAC_IMPL bool keeps_type(const node& n, const std::vector<value>& in, const grid& g) {
  const auto to = n.type().starts_with("Cast") ? target_type(n, in) : 0;
  return to != 0 && to != 9 && !is_real_type(to) &&
         range_of_type(to) == std::pair(g.least, g.most);
}

NVDLAC_IMPL std::shared_ptr<const grid> integers_of(const node& n, const std::vector<value>& in) {
  if (is_of_integers(n.type())) return nullptr;
  std::shared_ptr<const grid> found;
  bool real = false;
  for (std::size_t i = 0; i < detail::inputs_of_values(n, in); ++i)
    if (const auto* x = std::get_if<computed>(&in[i])) {
      if (!x->integers) real = true;
      else if (found && *found != *x->integers)
        throw error("its inputs hold integers of different scales");
      else found = x->integers;
    }
  const auto keeps = [&] {
    return gives_values_of_input(n.type()) || n.type() == "Clip" || keeps_type(n, in, *found);
  };
  if (found && (real || !keeps()))
    throw error(problem{.reason = "it computes with the integers of a quantised tensor",
                        .remedy = "DequantizeLinear before it gives real numbers"});
  return found;
}

NVDLAC_IMPL std::shared_ptr<const std::string> awaited_of(const node& n,
                                                          const std::vector<value>& in) {
  std::shared_ptr<const std::string> found;
  std::size_t tensors = 0, awaiting = 0;
  bool multiplied = false;
  for (std::size_t i = 0; i < detail::inputs_of_values(n, in); ++i)
    if (const auto* x = std::get_if<computed>(&in[i])) {
      ++tensors;
      if (!x->awaits || (found && found != x->awaits)) continue;
      found = x->awaits;
      ++awaiting;
    }
  if (!found) return nullptr;
  for (const auto& v : in)
    if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v))
      multiplied = multiplied || (*a)->scale_of == found;
  const bool alone = awaiting == tensors && (n.type() != "Mul" || tensors == 1);
  const auto& type = n.type();
  if (alone && type == "Mul") return multiplied ? nullptr : found;
  if (alone &&
      (type.starts_with("Cast") || type.ends_with("Integer") || gives_values_of_input(type)))
    return found;
  throw error(problem{.reason = "it computes with the integers of a DynamicQuantizeLinear before "
                                "they are multiplied by its scale '" + *found + "'",
                      .remedy = "multiply what ConvInteger and MatMulInteger give by it first"});
}

NVDLAC_IMPL void mark_scales(const node& n, const std::vector<value>& in, std::vector<value>& out) {
  static const std::set<std::string_view> keep = {"Cast", "CastLike", "Expand", "Identity", "Mul",
                                                  "Reshape", "Squeeze", "Unsqueeze"};
  std::shared_ptr<const std::string> found;
  for (const auto& v : in)
    if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v); a && (*a)->scale_of) {
      if (found) return;  // a product of two
      found = (*a)->scale_of;
    }
  for (auto& v : out)
    if (auto* a = std::get_if<std::shared_ptr<const array>>(&v);
        a != nullptr && (found || (*a)->scale_of) && n.type() != "DynamicQuantizeLinear") {
      auto copy = std::make_shared<array>(**a);
      copy->scale_of = keep.contains(n.type()) ? found : nullptr;
      *a = std::move(copy);
    }
}

namespace detail {

NVDLAC_IMPL std::optional<on_whole> kind_on_whole(const node& n) {
  using enum on_whole;
  static const std::map<std::string_view, on_whole> all = {
      {"Abs", exact}, {"Add", exact}, {"Clip", keeps}, {"CumSum", exact}, {"Div", cuts},
      {"Expand", keeps},
      {"Gemm", exact}, {"MatMul", exact}, {"Max", keeps}, {"Mean", cuts}, {"Min", keeps},
      {"Mul", exact}, {"Neg", exact}, {"PRelu", exact}, {"Pad", keeps}, {"Pow", cuts},
      {"ReduceL1", exact}, {"ReduceL2", cuts}, {"ReduceLogSum", cuts}, {"ReduceLogSumExp", cuts},
      {"ReduceMax", keeps}, {"ReduceMean", cuts}, {"ReduceMin", keeps}, {"ReduceProd", exact},
      {"ReduceSum", exact}, {"ReduceSumSquare", exact}, {"Relu", keeps}, {"Resize", cuts},
      {"Sign", exact}, {"Sqrt", cuts}, {"Sub", exact}, {"Sum", exact}, {"Tile", keeps},
      {"TopK", keeps},
      {"Upsample", cuts}, {"Where", keeps}};
  if (gives_values_of_input(n.type())) return keeps;
  const auto found = all.find(n.type());
  if (found == all.end()) return std::nullopt;
  const bool resizes = n.type() == "Resize" || n.type() == "Upsample";
  return resizes && n.string("mode", "nearest") == "nearest" ? keeps : found->second;
}

NVDLAC_IMPL ends ends::of(const value& v) {
  if (const auto* x = std::get_if<computed>(&v))
    return !x->whole ? ends{}
                     : ends{static_cast<double>(x->whole->least),
                            static_cast<double>(x->whole->most), true};
  const auto* a = std::get_if<std::shared_ptr<const array>>(&v);
  if (a == nullptr || (*a)->real || (*a)->size() == 0) return {};
  const auto [low, high] = std::ranges::minmax((*a)->integers);
  return {static_cast<double>(low), static_cast<double>(high), true};
}

NVDLAC_IMPL whole_numbers exact_result(const node& n, const std::vector<value>& in,
                                       const whole_numbers& w) {
  const auto [least, most] = range_of_type(w.type);
  const ends a = ends::of(in[0]), b = in.size() == 2 ? ends::of(in[1]) : ends{};
  const bool both = a.known && b.known;
  ends r;
  const auto& type = n.type();
  if (type == "Sign") r = {-1, 1, true};
  else if (type == "Neg") r = {-a.high, -a.low, a.known};
  else if (type == "Abs") r = {0, std::max(std::fabs(a.low), std::fabs(a.high)), a.known};
  else if (type == "Add") r = {a.low + b.low, a.high + b.high, both};
  else if (type == "Sub") r = {a.low - b.high, a.high - b.low, both};
  else if (type == "Mul") {
    const std::array products{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    r = {std::ranges::min(products), std::ranges::max(products), both};
  }
  if (r.known && r.low >= static_cast<double>(least) && r.high <= static_cast<double>(most) &&
      std::fabs(r.low) < 9e15 && std::fabs(r.high) < 9e15)
    return {w.type, static_cast<std::int64_t>(r.low), static_cast<std::int64_t>(r.high)};
  if (most < std::int64_t{1} << 30)
    throw error(problem{.reason = "it computes with whole numbers of type " +
                                  element_type(w.type) + ", in which results wrap around",
                        .remedy = "convert them before it: Cast to FLOAT"});
  return {w.type, least, most};
}

NVDLAC_IMPL whole_numbers cut_result(const node& n, const std::vector<value>& in,
                                     const whole_numbers& w) {
  const auto of_each = [](const value& v, auto holds) {
    const auto* a = std::get_if<std::shared_ptr<const array>>(&v);
    for (std::size_t i = 0; a != nullptr && i < (*a)->size(); ++i)
      if (!holds((*a)->number(i))) return false;
    return a != nullptr;
  };
  const auto divides_by_one = [](double v) { return v == 1 || v == -1; };
  const auto is_power = [](double v) { return v >= 1 && v == std::floor(v); };
  if (n.type() == "Div" && in.size() == 2 && of_each(in[1], divides_by_one)) return w;
  if (n.type() == "Pow" && in.size() == 2 && of_each(in[1], is_power))
    return exact_result(n, in, w);
  throw error(problem{.reason = text("it computes with whole numbers of type ",
                                     element_type(w.type), ", of which ", n.type(),
                                     " in ONNX drops what is behind the point; NVDLA would keep "
                                     "it"),
                      .remedy = "if real numbers are meant, convert them before it: Cast to "
                                "FLOAT"});
}

}  // namespace detail

NVDLAC_IMPL std::optional<whole_numbers> whole_of(const node& n, const std::vector<value>& in) {
  const auto& type = n.type();
  const auto of_type = [](std::int64_t t) {
    const auto [least, most] = range_of_type(t);
    return whole_numbers{t, least, most};
  };
  const auto awaits = [](const value& v) {
    const auto* x = std::get_if<computed>(&v);
    return x != nullptr && x->awaits != nullptr;
  };
  if (type == "ConvInteger" || type == "MatMulInteger")
    return std::ranges::any_of(in, awaits) ? std::nullopt : std::optional(of_type(6));
  if (relation_of(type) || type == "And" || type == "Or" || type == "Not")
    return whole_numbers{9, 0, 1};
  if ((type == "ArgMax" || type == "ArgMin") && !in.empty() &&
      std::holds_alternative<computed>(in[0])) {
    const dims& shape = shape_of(in[0]);
    const auto axis = checked_axis(n.integer("axis", 0), shape.size());
    return whole_numbers{7, 0, shape[static_cast<std::size_t>(axis)] - 1};
  }
  if (type == "NonMaxSuppression" && in.size() >= 2) {
    const auto most = std::max(count(shape_of(in[0])), count(shape_of(in[1])));
    return whole_numbers{7, -1, most, true};
  }
  if (is_of_integers(type)) return std::nullopt;
  std::optional<whole_numbers> found;
  for (std::size_t i = type == "Where" ? 1 : 0; i < detail::inputs_of_values(n, in); ++i)
    if (const auto* x = std::get_if<computed>(&in[i])) {
      if (!x->whole) return std::nullopt;
      found = found ? whole_numbers{found->type, std::min(found->least, x->whole->least),
                                    std::max(found->most, x->whole->most),
                                    found->absent || x->whole->absent}
                    : *x->whole;
    }
  if (!found) return std::nullopt;
  if (type.starts_with("Cast")) {
    const auto to = target_type(n, in);
    if (is_real_type(to)) return std::nullopt;
    const auto [least, most] = to == 9 ? std::pair<std::int64_t, std::int64_t>(0, 1)
                                       : range_of_type(to);
    if (found->least < least || found->most > most)
      throw error(problem{.reason = text("its whole numbers from ", found->least, " to ",
                                         found->most, " are not all ", element_type(to)),
                          .remedy = "convert them to a type that holds them, or to FLOAT"});
    return whole_numbers{to, found->least, found->most, found->absent};
  }
  if (type == "Pow" && !std::holds_alternative<computed>(in[0])) {
    const auto* base = std::get_if<std::shared_ptr<const array>>(&in[0]);
    if (base == nullptr || (*base)->real) return std::nullopt;  // real powers of whole numbers
  }
  const auto kind = detail::kind_on_whole(n);
  if (!kind) return std::nullopt;
  switch (*kind) {
    case on_whole::exact: return detail::exact_result(n, in, *found);
    case on_whole::cuts: return detail::cut_result(n, in, *found);
    case on_whole::keeps: break;
  }
  if (!gives_values_of_input(type)) {  // but those of constants, too, or 0
    for (const auto& v : in)
      if (const auto e = detail::ends::of(v); e.known && !std::holds_alternative<computed>(v)) {
        found->least = std::min(found->least, to_integer(e.low));
        found->most = std::max(found->most, to_integer(e.high));
      }
    found->least = std::min<std::int64_t>(found->least, 0);
    found->most = std::max<std::int64_t>(found->most, 0);
  }
  return found;
}

NVDLAC_IMPL void meaning::give(const node& n, const std::vector<value>& in,
                               std::vector<value>& out) const {
  for (std::size_t i = 0; i < out.size(); ++i)
    if (auto* y = std::get_if<computed>(&out[i])) {
      if (integers) y->integers = integers;
      if (awaits) y->awaits = awaits;
      y->whole = i == 1 ? second : whole;
    }
  mark_scales(n, in, out);
}

NVDLAC_IMPL meaning meaning_of(const node& n, const std::vector<value>& in) {
  meaning m{integers_of(n, in), awaited_of(n, in), whole_of(n, in)};
  m.second = m.whole;
  if (n.type() == "TopK" && !in.empty() && std::holds_alternative<computed>(in[0]))
    m.second = whole_numbers{7, 0, count(shape_of(in[0])) - 1};
  return m;
}

}  // namespace nvdlac::import::onnx_format
