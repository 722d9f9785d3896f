// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two groups of registers of every unit, which work in ping-pong, and the interrupts that end
// a layer in one.
#include <array>
#include <cstdint>
#include <utility>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

// Whether the layer uses its engine's read DMA; if not, the group of that stays where it is.
constexpr bool uses_reader(const layer::any& l) {
  return nvdlac::visit([]<class Layer>(const Layer& what) {
    if constexpr (requires { layer::engine<Layer>::reader; })
      return layer::engine<Layer>::uses_reader(what);
    else return false;
  }, l);
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
class ping_pong_groups {
 public:
  constexpr groups next(const layer::any& l) {
    auto& group = next_[layer::index(layer::engine_of(l))];
    const groups g = group;
    group.core ^= 1u;
    if (uses_reader(l)) group.rdma ^= 1u;
    return g;
  }

  // The group of CDMA for an operation that it does alone.
  constexpr unsigned next_fetch() {
    auto& group = next_[layer::index(layer::engine<layer::convolution>::number)].rdma;
    return std::exchange(group, group ^ 1u);
  }

  // The next layer of this kind takes these.
  template <layer::on_engine Layer>
  constexpr void set(groups g) {
    next_[layer::index(layer::engine<Layer>::number)] = g;
  }
  // The groups of the next layer of this kind.
  template <layer::on_engine Layer>
  constexpr groups of() const {
    return next_[layer::index(layer::engine<Layer>::number)];
  }

 private:
  groups next_[layer::engines + 1]{};  // the last: the host's, which nobody asks for
};

}  // namespace nvdlac::emit
