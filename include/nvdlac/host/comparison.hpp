// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comparisons of elements, and choices by them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

enum class relation : std::uint8_t { equal, greater, greater_or_equal, less, less_or_equal };

// The relation of b to a that holds where this one of a to b does.
constexpr relation turned(relation r) {
  using enum relation;
  constexpr std::array all{equal, less, less_or_equal, greater, greater_or_equal};
  return all[static_cast<std::size_t>(r)];
}

// 1 where an element of the first input has the relation to that of the second, or to a number, and
// 0 elsewhere.
struct compare {
  static constexpr net::arity inputs{1, 2};
  static constexpr std::string_view description = "a comparison of each element";

  host::relation relation = host::relation::equal;
  float number = 0;  // without a second input
  static constexpr void fields(auto&& field) {
    field("relation", &compare::relation);
    field("number", &compare::number);
  }

  net::shape infer(std::span<const net::shape> in) const;
  constexpr std::int64_t counts_to(std::span<const net::shape>) const { return 1; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<compare>);

// 1 where an element is the largest of the window around it, and 0 elsewhere: the comparison of a
// tensor with its pooling, whose integers might have another scale.
struct peak {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view description = "a search for the largest of neighbours";

  net::window window{};
  static constexpr void fields(auto&& field) { field("window", &peak::window); }

  net::shape infer(std::span<const net::shape> in) const;
  constexpr std::int64_t counts_to(std::span<const net::shape>) const { return 1; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<peak>);

// The elements of the first input where the last one is not 0, those of the second elsewhere; of
// two inputs a number is the other. All have one shape.
struct where {
  static constexpr net::arity inputs{2, 3};
  static constexpr std::string_view description = "a choice of elements by what is computed";

  float number = 0;        // with two inputs
  bool of_number = false;  // where the condition is not 0; else elsewhere
  static constexpr void fields(auto&& field) {
    field("number", &where::number);
    field("of_number", &where::of_number);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<where>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/comparison.ipp>
#endif
