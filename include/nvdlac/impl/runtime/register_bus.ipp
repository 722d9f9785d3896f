// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/units.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/runtime/register_bus.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL void register_bus::poll(std::uint32_t address, std::uint32_t mask,
                                    std::uint32_t value) const {
  const auto end = std::chrono::steady_clock::now() + patience_;
  while (((read(address) ^ value) & mask) != 0)
    if (std::chrono::steady_clock::now() > end)
      throw error(text("the register at 0x", std::hex, address, " is not 0x", value,
                       " in the bits 0x", mask, " within ", std::dec, patience_.count(), " ms"));
}

namespace detail {

// A register of a unit with two register groups.
NVDLAC_IMPL std::uint32_t read_of(const hw::spec& hw, const register_port& device,
                                  std::string_view unit, std::string_view name) {
  return device.read(hw::find(hw.map, text(unit, '.', name))->address);
}

}  // namespace detail

NVDLAC_IMPL std::string busy_units(const hw::spec& hw, const register_port& device) {
  std::string busy;
  for (const auto unit : hw::ping_pong_units)
    if (hw::has_unit(hw, unit) && detail::read_of(hw, device, unit, "S_STATUS") != 0)
      busy += (busy.empty() ? "" : " ") + std::string(unit);
  return busy;
}

NVDLAC_IMPL emit::ping_pong_groups groups_of(const hw::spec& hw, const register_port& device) {
  emit::ping_pong_groups all;
  const auto consumer = [&](std::string_view unit) {
    return hw::has_unit(hw, unit) ? detail::read_of(hw, device, unit, "S_POINTER") >> 16 & 1u : 0u;
  };
  for_each(layer::kinds{}, [&]<class Layer>(std::type_identity<Layer>) {
    if constexpr (layer::on_engine<Layer>) {
      using engine = layer::engine<Layer>;
      emit::groups at;
      [&]<fixed_string First, fixed_string... Units>(layer::register_blocks<First, Units...>) {
        at.core = consumer(First.text);
        for (const auto unit : std::initializer_list<std::string_view>{Units.text...})
          if (consumer(unit) != at.core)
            throw error(problem{.reason = text(First.text, " and ", unit,
                                               " stand at different register groups"),
                                .remedy = "reset NVDLA: a program was stopped while it worked"});
      }(engine::cores);
      if constexpr (requires { engine::reader; })
        at.rdma = consumer(engine::reader.text);
      all.set<Layer>(at);
    }
  });
  return all;
}

}  // namespace nvdlac::runtime
