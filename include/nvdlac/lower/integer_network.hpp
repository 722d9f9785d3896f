// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/quantised/input.hpp>

namespace nvdlac::lower {

// What lowering asks of a network: quantised::graph at run time, and net::network of integer
// operators while compiling. `order()` gives producers first; `visit(n, f)` calls f(operator of n).
template <class T>
concept integer_network = requires(const T& g, std::size_t n) {
  { g.size() } -> std::convertible_to<std::size_t>;
  { g.order()[n] } -> std::convertible_to<std::size_t>;
  { g.inputs(n)[0] } -> std::convertible_to<std::size_t>;
  { g.consumers(n)[0] } -> std::convertible_to<std::size_t>;
  { g.label_of(n) } -> std::convertible_to<std::string_view>;
  { g.shape(n) } -> std::same_as<net::shape>;
  { g.scale(n) } -> std::same_as<double>;
  { g.precision(n) } -> std::same_as<hw::precision>;
  { g.is_output(n) } -> std::same_as<bool>;
  { g.template get_if<quantised::input>(n) } -> std::same_as<const quantised::input*>;
  g.visit(n, [](const auto&) {});
};

}  // namespace nvdlac::lower
