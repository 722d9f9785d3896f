// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/operation_meter.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL void operation_meter::measure(observer f) {
  measured_ = std::move(f);
  groups_.clear();
  written_.clear();
  units_.clear();
  running_ = 0;
}

NVDLAC_IMPL void operation_meter::note(std::uint32_t address, std::uint32_t value) {
  const auto* const r = hw::find(map_, address);
  if (r == nullptr) return;
  if (r->name == "S_POINTER") groups_[r->unit] = value & 1;
  if (!r->name.starts_with("D_") || r->name == "D_OP_ENABLE") return;
  const unit_group at{r->unit, groups_[r->unit]};
  if (std::ranges::find(written_, at) == written_.end()) written_.push_back(at);
}

NVDLAC_IMPL const hw::reg* operation_meter::counting_of(std::string_view unit) const {
  return hw::find(map_, text(unit, ".D_PERF_ENABLE"));
}

NVDLAC_IMPL void operation_meter::programmed(std::size_t operation) {
  if (!measured_) return;
  std::erase_if(written_, [&](const unit_group& u) { return counting_of(u.first) == nullptr; });
  for (const auto& [unit, group] : written_) {
    const auto& r = *counting_of(unit);
    register_bus::write(r.address, r.write_mask);
  }
  units_[operation] = std::exchange(written_, {});
}

NVDLAC_IMPL void operation_meter::started() {
  if (measured_ && running_++ == 0) from_ = clock::now();
}

// Whoever starts or programs an operation chooses the groups of its units anew.
NVDLAC_IMPL void operation_meter::ended(std::size_t operation) {
  if (!measured_) return;
  --running_;
  const auto now = clock::now();
  measured_operation m{.operation = operation,
                       .seconds = std::chrono::duration<double>(now - from_).count()};
  for (const auto& [unit, group] : units_[operation]) {
    register_bus::write(hw::find(map_, text(unit, ".S_POINTER"))->address, group);
    for (const auto& r : hw::registers(map_))
      if (r.unit == unit && r.name.starts_with("D_PERF_") && r.access == hw::access::r)
        m.counters.push_back({text(unit, '.', r.name), read(r.address)});
    register_bus::write(counting_of(unit)->address, 0);
  }
  units_.erase(operation);
  measured_(std::move(m));
  from_ = clock::now();  // what reading them took is nobody's
}

}  // namespace nvdlac::runtime
