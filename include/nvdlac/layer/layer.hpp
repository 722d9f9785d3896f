// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layer of any kind.
#include <array>
#include <type_traits>
#include <variant>

#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::layer {

// Every kind of layer that there is: the one list. A new engine joins it with its layer, and says
// what it is in `engine`.
using kinds = type_list<convolution, sdp, pdp, cdp, rubik, host_softmax, host_call>;

template <class... Kinds>
std::variant<Kinds...> one_of(type_list<Kinds...>);

// A hardware layer: one programming of one engine (or one computation of the host). A convolution
// is always followed by the SDP layer that takes its result.
using any = decltype(one_of(kinds{}));

struct layer {
  label name;  // of the network's layer it computes, with a suffix when that is split
  any what;
};

namespace detail {

template <class Layer>
constexpr engine_number number_of_kind() {
  if constexpr (on_engine<Layer>) return engine<Layer>::number;
  else return engine_number::none;
}

// By the index of the kind.
template <class... Kinds>
constexpr std::array<const char*, sizeof...(Kinds)> names_of(type_list<Kinds...>) {
  return {engine<Kinds>::name...};
}
template <class... Kinds>
constexpr std::array<engine_number, sizeof...(Kinds)> numbers_of(type_list<Kinds...>) {
  return {number_of_kind<Kinds>()...};
}
inline constexpr auto names = names_of(kinds{});
inline constexpr auto numbers = numbers_of(kinds{});

}  // namespace detail

constexpr engine_number engine_of(const any& what) { return detail::numbers[what.index()]; }
constexpr const char* name_of_engine(const any& what) { return detail::names[what.index()]; }
// The lookup table of the program that the layer needs, or -1.
constexpr std::int16_t lut_of(const any& what) {
  return nvdlac::visit([](const auto& l) {
    if constexpr (requires { l.lut; }) return l.lut;
    else return std::int16_t{-1};
  }, what);
}
constexpr bool on_host(const any& what) { return engine_of(what) == engine_number::none; }

// visit(cube, access) for every cube that the layer names, in memory or on the fly.
template <class Any, class Visit>
constexpr void for_each_cube(Any& what, Visit visit) {
  nvdlac::visit([&]<class Layer>(Layer& l) {
    engine<std::remove_const_t<Layer>>::cubes(l, visit);
  }, what);
}

// visit(cube) for every cube in memory that the layer reads.
template <class Visit>
constexpr void for_each_read(const any& what, Visit visit) {
  for_each_cube(what, [&](const surface& cube, access a) {
    if (a == access::read && !cube.at.on_the_fly()) visit(cube);
  });
}

// visit(cube) for the cube in memory that the layer writes, if any.
template <class Visit>
constexpr void for_each_write(const any& what, Visit visit) {
  for_each_cube(what, [&](const surface& cube, access a) {
    if (a == access::write && !cube.at.on_the_fly()) visit(cube);
  });
}

// Whether the layer takes its input from another engine, not from memory.
constexpr bool takes_on_the_fly(const any& what) {
  return nvdlac::visit([]<class Layer>(const Layer& l) {
    if constexpr (requires { engine<Layer>::source; }) return l.input.at.on_the_fly();
    else return false;
  }, what);
}

// Whether the next layer takes its result: it leaves nothing in memory.
constexpr bool gives_on_the_fly(const any& what) {
  bool writes = false;
  for_each_write(what, [&](const surface&) { writes = true; });
  return !writes;
}

}  // namespace nvdlac::layer
