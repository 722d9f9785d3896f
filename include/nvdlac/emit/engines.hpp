// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is common to all engines: layers of any kind, interrupts, and whose turn it is.
#include <array>
#include <cstdint>
#include <type_traits>

#include <nvdlac/emit/cdp.hpp>
#include <nvdlac/emit/convolution.hpp>
#include <nvdlac/emit/pdp.hpp>
#include <nvdlac/emit/rubik.hpp>
#include <nvdlac/emit/sdp.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

// Once before the first layer: all interrupts on, CDMA's arbiter as the firmware sets it.
template <hw::hardware Hw, class Bus>
constexpr void initialize(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("GLB.S_INTR_MASK"_reg);
  set("CDMA.S_ARBITER"_reg, "ARB_WEIGHT"_is(15), "ARB_WMB"_is(3));
}

// Programs the hardware layer; a value that does not fit its register field is an `error` that
// names the layer. Layers of the host are not programmed.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::layer& l, const addresses auto& where, groups g, Bus&& b) {
  try {
    layer::dispatch(l.what, [&]<class Layer>(const Layer& what) {
      if constexpr (layer::on_engine<Layer>) program<Hw>(what, where, g, b);
    });
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.layer.empty()) p.layer = l.name;
    throw error(std::move(problems));
  }
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::any& l, groups g, Bus&& b) {
  layer::dispatch(l, [&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) enable<Hw>(what, g, b);
  });
}

// Whether the layer uses its engine's read DMA; if not, the group of that stays where it is.
constexpr bool uses_reader(const layer::any& l) {
  return layer::dispatch(l, []<class Layer>(const Layer& what) {
    if constexpr (requires { layer::engine<Layer>::reader; })
      return layer::engine<Layer>::uses_reader(what);
    else return false;
  });
}

namespace detail {

// The bit of group 0; the numbers are the same in both maps.
template <class Layer>
constexpr std::uint32_t first_done_bit() {
  if constexpr (layer::on_engine<Layer>)
    return hw::field_of<hw::register_map::small, layer::engine<Layer>::done>.mask();
  else return 0;
}
template <class... Layers>
constexpr std::array<std::uint32_t, sizeof...(Layers)> first_done_bits_of(type_list<Layers...>) {
  return {first_done_bit<Layers>()...};
}
inline constexpr auto first_done_bits = first_done_bits_of(layer::kinds{});

}  // namespace detail

// The S_INTR_STATUS bits that say that the layer in a group is done; of the host there are none.
constexpr std::uint32_t done_bits(const layer::any& l, groups g) {
  return detail::first_done_bits[l.index()] << g.core;
}

// Hands out register groups in the order in which the hardware works through them.
class group_turns {
 public:
  constexpr groups next(const layer::any& l) {
    auto& turn = turns_[layer::index(layer::engine_of(l))];
    const groups g = turn;
    turn.core ^= 1u;
    if (uses_reader(l)) turn.rdma ^= 1u;
    return g;
  }

  // The groups of the next layer of this kind.
  template <layer::on_engine Layer>
  constexpr groups of() const {
    return turns_[layer::index(layer::engine<Layer>::number)];
  }

 private:
  groups turns_[layer::engines + 1]{};  // the last: the host's, which nobody asks for
};

}  // namespace nvdlac::emit
