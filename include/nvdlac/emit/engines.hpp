// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is common to all engines: layers of any kind, interrupts, and whose turn it is.
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
    std::visit([&](const auto& what) {
      if constexpr (!layer::computed_on_host<std::decay_t<decltype(what)>>)
        program<Hw>(what, where, g, b);
    }, l.what);
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.layer.empty()) p.layer = l.name;
    throw error(std::move(problems));
  }
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::any& l, groups g, Bus&& b) {
  std::visit([&](const auto& what) {
    if constexpr (!layer::computed_on_host<std::decay_t<decltype(what)>>)
      enable<Hw>(what, g, b);
  }, l);
}

constexpr bool needs_rdma(const layer::any& l) {
  if (const auto* s = std::get_if<layer::sdp>(&l)) return needs_rdma(*s);
  if (const auto* p = std::get_if<layer::pdp>(&l)) return needs_rdma(*p);
  if (const auto* n = std::get_if<layer::cdp>(&l)) return needs_rdma(*n);
  return false;
}

// The S_INTR_STATUS bits that say that the layer in a group is done; the numbers are the same in
// both maps. A convolution is done when CACC is.
constexpr std::uint32_t done_bits(const layer::any& l, groups g) {
  constexpr auto map = hw::register_map::small;
  constexpr auto first = [](const hw::field& f) { return static_cast<unsigned>(f.lsb); };
  if (std::holds_alternative<layer::sdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.SDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::pdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.PDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::cdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.CDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::rubik>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::convolution>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.CACC_DONE_STATUS0">) + g.core);
  return 0;
}

// Hands out register groups in the order in which the hardware works through them.
class group_turns {
 public:
  constexpr groups next(const layer::any& l) {
    auto& turn = turns_[l.index()];
    const groups g = turn;
    turn.core ^= 1u;
    if (needs_rdma(l)) turn.rdma ^= 1u;
    return g;
  }

  // The groups of the next layer of this kind.
  template <class Layer>
  constexpr groups of() const {
    return turns_[layer::any(Layer{}).index()];
  }

 private:
  groups turns_[std::variant_size_v<layer::any>]{};
};

}  // namespace nvdlac::emit
