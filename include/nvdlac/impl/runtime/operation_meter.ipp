// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/operation_meter.hpp>

namespace nvdlac::runtime {

namespace detail {

// A counter of a part of a unit, and the field that is 1 where a layer does without that part. The
// counter then keeps what it had of a layer before: it is cleared when its part begins
// (NV_NVDLA_SDP_rdma.v, mrdma_op_en and its siblings; NV_NVDLA_SDP_RDMA_ig.v, rdma_stall_cnt_clr),
// or by a clock that stands (NV_NVDLA_SDP_core.v, ecore_slcg_en).
struct counter_of_part {
  std::string_view counter, left_out;
};
inline constexpr std::array counters_of_parts{
    counter_of_part{"SDP_RDMA.D_PERF_MRDMA_READ_STALL", "SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE"},
    counter_of_part{"SDP_RDMA.D_PERF_BRDMA_READ_STALL", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE"},
    counter_of_part{"SDP_RDMA.D_PERF_NRDMA_READ_STALL", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE"},
    counter_of_part{"SDP_RDMA.D_PERF_ERDMA_READ_STALL", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE"},
    counter_of_part{"SDP.D_PERF_LUT_UFLOW", "SDP.D_DP_EW_CFG.EW_BYPASS"},
    counter_of_part{"SDP.D_PERF_LUT_OFLOW", "SDP.D_DP_EW_CFG.EW_BYPASS"},
    counter_of_part{"SDP.D_PERF_LUT_HYBRID", "SDP.D_DP_EW_CFG.EW_BYPASS"},
    counter_of_part{"SDP.D_PERF_LUT_LE_HIT", "SDP.D_DP_EW_CFG.EW_BYPASS"},
    counter_of_part{"SDP.D_PERF_LUT_LO_HIT", "SDP.D_DP_EW_CFG.EW_BYPASS"}};

// Counters that go on from layer to layer: they would be cleared by a request that is taken, in a
// cycle in which one waits (cnt_clr and cnt_cen of NV_NVDLA_CDP_RDMA_ig.v, NV_NVDLA_CDP_wdma.v,
// NV_NVDLA_PDP_RDMA_ig.v, NV_NVDLA_PDP_wdma.v).
inline constexpr std::array<std::string_view, 4> counters_that_go_on{
    "CDP_RDMA.D_PERF_READ_STALL", "CDP.D_PERF_WRITE_STALL", "PDP_RDMA.D_PERF_READ_STALL",
    "PDP.D_PERF_WRITE_STALL"};

}  // namespace detail

// Where counters that go on stand tells the group of the unit's last layer: the greater of both.
NVDLAC_IMPL void operation_meter::measure(observer f) {
  measured_ = std::move(f);
  counted_.clear();
  for (const auto name : detail::counters_that_go_on) {
    const auto* const r = hw::find(map_, name);
    if (!measured_ || r == nullptr) continue;
    for (const std::uint32_t group : {0u, 1u}) {
      register_bus::write(hw::find(map_, text(r->unit, ".S_POINTER"))->address, group);
      counted_[name] = std::max(counted_[name], read(r->address));
    }
  }
  groups_.clear();
  written_.clear();
  units_.clear();
  starts_.clear();
  ended_ = {};
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

NVDLAC_IMPL void operation_meter::started(std::size_t operation) {
  if (measured_) starts_[operation] = clock::now();
}

NVDLAC_IMPL void operation_meter::interrupted() {
  if (measured_) interrupted_ = clock::now();
}

NVDLAC_IMPL std::vector<measured_operation::counter> operation_meter::counters_of(
    const unit_group& of) {
  const auto& [unit, group] = of;
  register_bus::write(hw::find(map_, text(unit, ".S_POINTER"))->address, group);
  std::vector<measured_operation::counter> all;
  for (const auto& r : hw::registers(map_)) {
    if (r.unit != unit || !r.name.starts_with("D_PERF_") || r.access != hw::access::r) continue;
    measured_operation::counter c{text(unit, '.', r.name), read(r.address)};
    const auto part = std::ranges::find(detail::counters_of_parts, c.name,
                                        &detail::counter_of_part::counter);
    if (part != detail::counters_of_parts.end()) {
      const auto path = part->left_out;
      const auto* const holder = hw::find(map_, path.substr(0, path.rfind('.')));
      if ((read(holder->address) & hw::find_field(map_, path)->mask()) != 0) continue;
    }
    const auto before = counted_.find(c.name);
    if (before != counted_.end()) c.value -= std::exchange(before->second, c.value);
    all.push_back(std::move(c));
  }
  return all;
}

// Whoever starts or programs an operation chooses the groups of its units anew.
NVDLAC_IMPL void operation_meter::ended(std::size_t operation) {
  if (!measured_) return;
  const auto from = std::max(ended_, starts_[operation]);
  measured_operation m{.operation = operation,
                       .seconds = std::chrono::duration<double>(interrupted_ - from).count()};
  for (const auto& of : units_[operation]) {
    std::ranges::move(counters_of(of), std::back_inserter(m.counters));
    register_bus::write(counting_of(of.first)->address, 0);
  }
  units_.erase(operation);
  starts_.erase(operation);
  ended_ = interrupted_;
  measured_(std::move(m));
}

}  // namespace nvdlac::runtime
