// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/einsum.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/moving.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// The indices of an equation such as "bij,bjk->bik".
struct equation {
  std::string a{}, b{}, out{};

  static equation of(std::string text) {
    std::erase(text, ' ');
    const auto comma = text.find(','), arrow = text.find("->");
    const bool whole = comma != text.npos && arrow != text.npos && comma < arrow;
    equation e;
    if (whole) e = {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1),
                    text.substr(arrow + 2)};
    const auto are_letters = [](std::string s) {
      std::ranges::sort(s);
      return std::ranges::all_of(s, [](char l) {
               return (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z');
             }) && std::ranges::adjacent_find(s) == s.end();
    };
    bool right = whole && are_letters(e.a) && are_letters(e.b) && are_letters(e.out);
    for (const char l : e.a + e.b)
      right = right && (has(l, e.out) || (has(l, e.a) && has(l, e.b)));
    for (const char l : e.out) right = right && (has(l, e.a) || has(l, e.b));
    if (!right)
      throw error(problem{.reason = "its equation is '" + text + "'",
                          .remedy = "what a MatMul between movements computes is supported, as "
                                    "'bij,bjk->bik'"});
    return e;
  }
  static bool has(char l, const std::string& in) { return in.find(l) != in.npos; }
  // The indices of `from` that are in `with`, or not, and in `also`, or not.
  static std::string among(const std::string& from, const std::string& with, bool is,
                           const std::string& also, bool is_too) {
    std::string s;
    for (const char l : from)
      if (has(l, with) == is && has(l, also) == is_too) s += l;
    return s;
  }
};

inline value moved_value(const context& c, const value& v, const movement& m) {
  const std::vector<value> in{v};
  return move_input({c.n, in, c.net, c.batch, c.ceiling}, m, 0);
}
// A tensor whose dimensions have these letters, in another order and joined by groups.
inline value rearranged(const context& c, const value& v, const std::string& letters,
                        const std::vector<std::string>& groups,
                        const std::map<char, std::int64_t>& sizes) {
  dims order, joined;
  for (const auto& g : groups) {
    std::int64_t n = 1;
    for (const char l : g) {
      order.push_back(static_cast<std::int64_t>(letters.find(l)));
      n = net::product({n, sizes.at(l)});
    }
    joined.push_back(n);
  }
  const auto turned = moved_value(c, v, transpose(shape_of(v), order, c.ceiling));
  return moved_value(c, turned, {joined});
}

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_einsum(const context& c) {
  c.require_inputs(2, 2);
  const auto e = detail::equation::of(c.n.string("equation", ""));
  std::map<char, std::int64_t> sizes;
  for (const auto& [letters, v] : {std::pair{&e.a, &c.in[0]}, std::pair{&e.b, &c.in[1]}}) {
    const dims& shape = shape_of(*v);
    bool fits = shape.size() == letters->size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i)
      fits = sizes.emplace((*letters)[i], shape[i]).first->second == shape[i];
    if (!fits)
      throw error(text("its inputs ", to_text(shape_of(c.in[0])), " and ",
                       to_text(shape_of(c.in[1])), " do not fit its equation"));
  }
  using detail::equation;
  const auto many = equation::among(e.a, e.b, true, e.out, true),
             run = equation::among(e.a, e.b, true, e.out, false),
             rows = equation::among(e.a, e.b, false, e.out, true),
             columns = equation::among(e.b, e.a, false, e.out, true);
  const bool single = many.empty();
  std::vector<std::string> left{rows, run}, right{run, columns};
  if (!single)
    for (auto* side : {&left, &right}) side->insert(side->begin(), many);
  const std::vector<value> in{detail::rearranged(c, c.in[0], e.a, left, sizes),
                              detail::rearranged(c, c.in[1], e.b, right, sizes)};
  const auto y = on_mat_mul({c.n, in, c.net, c.batch, c.ceiling}).at(0);
  const std::string given = many + rows + columns;
  dims apart, order;
  for (const char l : given) apart.push_back(sizes.at(l));
  for (const char l : e.out) order.push_back(static_cast<std::int64_t>(given.find(l)));
  return {detail::moved_value(c, detail::moved_value(c, y, {apart}),
                              transpose(apart, order, c.ceiling))};
}

}  // namespace nvdlac::import::onnx_format
