// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two groups of D_ registers of every unit: which of them is written, and its start.
#include <type_traits>

#include <nvdlac/base/label.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/engine.hpp>

namespace nvdlac::emit {

// Every engine has two groups of D_ registers that it works through in turn. A core and its read
// DMA take turns on their own, because not every layer uses the read DMA.
struct groups {
  unsigned core = 0, rdma = 0;
};

namespace detail {

template <class Set, fixed_string... Units>
constexpr void point(const Set& set, layer::register_blocks<Units...>, unsigned group) {
  (set(in_unit<Units, ".S_POINTER">, "PRODUCER"_is(group)), ...);
}
template <class Set, fixed_string... Units>
constexpr void start(const Set& set, layer::register_blocks<Units...>) {
  (set(in_unit<Units, ".D_OP_ENABLE">, 1), ...);
}

// The D_ registers of the layer's engine are now those of these groups.
template <layer::on_engine Layer, class Set>
constexpr void point(const Set& set, groups g) {
  using engine = layer::engine<Layer>;
  point(set, engine::cores, g.core);
  if constexpr (requires { engine::reader; })
    point(set, layer::register_blocks<engine::reader>{}, g.rdma);
}

}  // namespace detail

// Starts the layer in the groups that it was programmed into. What takes its result on the fly must
// have been started before.
template <hw::hardware Hw, layer::on_engine Layer, class Bus>
constexpr void enable(const Layer& l, groups g, Bus&& b) {
  using engine = layer::engine<Layer>;
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<Layer>(set, g);
  const auto start_reader = [&] {
    if constexpr (requires { engine::reader; })
      if (engine::uses_reader(l)) detail::start(set, layer::register_blocks<engine::reader>{});
  };
  // CDMA is started behind the units that take what it brings.
  constexpr bool behind = requires { engine::ready; };
  if constexpr (behind) set.wait_for(named<engine::ready>{});
  if constexpr (!behind) start_reader();
  detail::start(set, engine::cores);
  if constexpr (behind) start_reader();
}

}  // namespace nvdlac::emit
