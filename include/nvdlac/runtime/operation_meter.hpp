// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/register_bus.hpp>

namespace nvdlac::runtime {

// A bus of which a scheduler tells what becomes of its operations, and which then takes their times
// and the counters of their units, if anybody wants them.
class operation_meter : public register_bus {
 public:
  using observer = std::function<void(measured_operation)>;

  operation_meter(hw::register_map map, register_port device, std::chrono::milliseconds patience)
      : register_bus(device, patience), map_(map) {}

  // Calls f with each operation that has ended, but for its task; an empty function ends that.
  void measure(observer f);

  void write(std::uint32_t address, std::uint32_t value) {
    register_bus::write(address, value);
    if (measured_) note(address, value);
  }

  // The registers of an operation have been written since the last one's; its units shall count.
  void programmed(std::size_t operation);
  void started(std::size_t operation);
  // Operations have ended that an interrupt tells of, all of them now.
  void interrupted();
  void ended(std::size_t operation);

 private:
  using clock = std::chrono::steady_clock;
  // A unit and the group of its registers.
  using unit_group = std::pair<std::string_view, std::uint32_t>;

  void note(std::uint32_t address, std::uint32_t value);
  const hw::reg* counting_of(std::string_view unit) const;
  std::vector<measured_operation::counter> counters_of(const unit_group& of);

  hw::register_map map_;
  observer measured_{};
  std::map<std::string_view, std::uint32_t> groups_{};  // of each unit, the one that is written
  std::vector<unit_group> written_{};                   // since the last operation was programmed
  std::map<std::size_t, std::vector<unit_group>> units_{};  // of operations that have not ended
  std::map<std::size_t, clock::time_point> starts_{};       // likewise
  std::map<std::string_view, std::uint32_t> counted_{};     // of each counter that goes on, before
  clock::time_point interrupted_{}, ended_{};  // the last interrupt, and that before it
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/operation_meter.ipp>
#endif
