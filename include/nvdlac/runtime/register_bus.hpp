// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of a device as programs write them, and what they tell of its state.
#include <chrono>
#include <cstdint>
#include <string>

#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/device.hpp>

namespace nvdlac::runtime {

// A bus of emit/registers.hpp, which waits where the hardware has to be waited for.
class register_bus : public register_port {
 public:
  explicit register_bus(register_port device,
                        std::chrono::milliseconds patience = default_patience)
      : register_port(device), patience_(patience) {}

  // Until the bits of mask are those of value; an `error` if they are not in time.
  void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value) const;

 private:
  std::chrono::milliseconds patience_;
};

// The units that are running or pending, by S_STATUS: "CDMA CSC", empty if none is.
std::string busy_units(const hw::spec& hw, const register_port& device);

// Where the register groups of the units stand, by S_POINTER. Units of an engine that stand at
// different ones are an `error`: only a reset brings them together.
emit::ping_pong_groups groups_of(const hw::spec& hw, const register_port& device);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/register_bus.ipp>
#endif
