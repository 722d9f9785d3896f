// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of a layer of any kind.
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/cdp.hpp>
#include <nvdlac/emit/convolution.hpp>
#include <nvdlac/emit/fetch.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/pdp.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/emit/rubik.hpp>
#include <nvdlac/emit/sdp.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

// Once before the first layer: all interrupts on, CDMA's arbiter as the firmware sets it, and
// MCIF's for layers that start early.
template <hw::hardware Hw, class Bus>
constexpr void initialize(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("GLB.S_INTR_MASK"_reg);
  set("CDMA.S_ARBITER"_reg, "ARB_WEIGHT"_is(15), "ARB_WMB"_is(3));
  set("MCIF.CFG_RD_WEIGHT_1"_reg, "RD_WEIGHT_SDP_B"_is(1), "RD_WEIGHT_SDP_N"_is(1),
      "RD_WEIGHT_SDP_E"_is(1), "RD_WEIGHT_CDMA_DAT"_is(layer::data_turns));
}

// Programs the hardware layer; a value that does not fit its register field, or an engine that the
// configuration does not have, is an `error` that names the layer. Layers of the host are not
// programmed. `brings`: what CDMA brings for a
// convolution, unless it is all of it.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::layer& l, const addresses auto& where, groups g, Bus&& b,
                       const fetch* brings = nullptr) {
  try {
    nvdlac::visit([&]<class Layer>(const Layer& what) {
      if constexpr (std::is_same_v<Layer, layer::convolution>) {
        if (brings != nullptr) return program<Hw>(what, where, g, b, *brings);
      }
      if constexpr (layer::on_engine<Layer>) {
        if constexpr (layer::has_engine<Layer>(Hw::spec)) program<Hw>(what, where, g, b);
        else throw error(text("the configuration has no ", layer::engine<Layer>::name));
      }
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
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>)
      if constexpr (layer::has_engine<Layer>(Hw::spec)) enable<Hw>(what, g, b);
  }, l);
}

}  // namespace nvdlac::emit
