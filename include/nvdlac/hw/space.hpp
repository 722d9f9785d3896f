// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranges of a configuration as types: all legal combinations, each a configuration of its own.
//   using mine = hw::space<nv_small, hw::axis<&hw::spec::cbuf_banks, 16, 32>,
//                                    hw::axis<&hw::spec::dram, dram64, dram128>>;
//   for_each(mine::configurations{}, ..)    // hw::variant<nv_small, ..>, ..
// Boost.Hana makes the product of the axes and leaves out what is illegal: with lists of types both
// would be recursions over packs of packs. Lists elsewhere only grow and are walked, which a fold
// does in a twelfth of Hana's time (docs/design.md).
#include <cstddef>
#include <type_traits>

#include <boost/hana/at.hpp>
#include <boost/hana/bool.hpp>
#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/filter.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/validate.hpp>

namespace nvdlac::hw {

// A member of spec and a value of it.
template <auto Member, auto Value>
struct setting {
  static constexpr void apply(hw::spec& to) { to.*Member = Value; }
};

// The values that a member takes.
template <auto Member, auto... Values>
struct axis {
  static constexpr auto settings = boost::hana::tuple<setting<Member, Values>...>{};
};

// A configuration with some members set anew.
template <hardware From, class... Settings>
struct variant {
  static constexpr hw::spec spec = [] {
    auto s = From::spec;
    (Settings::apply(s), ...);
    return s;
  }();
};

// The product of the axes, the last one running first, without what breaks a rule.
template <hardware From, class... Axes>
class space {
  static constexpr auto variant_of = [](auto... settings) {
    return variant<From, decltype(settings)...>{};
  };
  static constexpr auto is_legal = [](auto settings) {
    using made = decltype(boost::hana::unpack(settings, variant_of));
    return boost::hana::bool_c<broken_rule(made::spec) == nullptr>;
  };
  static constexpr auto all = boost::hana::transform(
      boost::hana::filter(
          boost::hana::cartesian_product(boost::hana::make_tuple(Axes::settings...)), is_legal),
      [](auto settings) { return boost::hana::unpack(settings, variant_of); });
  static constexpr auto listed = [](auto... each) { return type_list<decltype(each)...>{}; };

 public:
  using configurations = decltype(boost::hana::unpack(all, listed));
  static_assert(configurations::size != 0, "nvdlac: no combination of the axes is legal");

  // The configuration of that number.
  template <std::size_t N>
  using at = std::remove_cvref_t<decltype(boost::hana::at_c<N>(all))>;
};

}  // namespace nvdlac::hw
