// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cost of a program for the simulator, before any of it runs: a few lines of a trace or some
// descriptors of a loadable can ask for hours.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <nvdlac/emit/any_bus.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/trace.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::runtime {

// A register bus that executes nothing: it adds up the multiplications, comparisons and copies of
// the layers that are enabled. What the device would refuse counts as well.
template <hw::hardware Hw>
class workload {
 public:
  void write(std::uint32_t address, std::uint32_t value) {
    const auto* r = hw::find(map, address);
    if (r == nullptr) return;
    value &= r->write_mask;
    const auto u = sim::find_unit(r->unit);
    auto& group = u ? producers_[static_cast<std::size_t>(*u)] : none_;
    if (u && r->name == "S_POINTER") group = static_cast<int>(value & 1);
    else if (u && r->name == "D_OP_ENABLE" && (value & 1) != 0) add(*u, {registers_, group});
    else registers_.set(r->name.starts_with("D_") ? group : 0, address, value);
    if constexpr (Hw::spec.bdma)
      if (address == hw::address<map, "BDMA.CFG_OP"> && (value & 1) != 0) copy({registers_, 0});
  }

  void add(std::uint64_t operations) { add({operations}); }
  // Adds what the host computes, which costs at least its tensors.
  void add(const layer::any& host_layer) {
    layer::for_each_read(host_layer, [&](const auto& s) { add({s.size}); });
    layer::for_each_write(host_layer, [&](const auto& s) { add({s.size}); });
  }

  // The greatest number stands for all beyond it as well.
  std::uint64_t operations() const { return operations_; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  using view = sim::group_view<map>;

  void add(std::initializer_list<std::uint64_t> factors) {
    std::uint64_t product = 1;
    for (const auto f : factors) product = f > most / product ? most : product * f;
    operations_ = product > most - operations_ ? most : operations_ + product;
  }

  void add(sim::unit u, const view& g) {
    if (u == sim::unit::csc)
      add({g.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">(),
           g.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">(),
           g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">(),
           g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">(),
           g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">(),
           g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(),
           g.template count<"CSC.D_BATCH_NUMBER.BATCHES">()});
    else if (u == sim::unit::sdp)
      add({g.template count<"SDP.D_DATA_CUBE_WIDTH.WIDTH">(),
           g.template count<"SDP.D_DATA_CUBE_HEIGHT.HEIGHT">(),
           g.template count<"SDP.D_DATA_CUBE_CHANNEL.CHANNEL">(),
           g.template count<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">()});
    else if (u == sim::unit::pdp)
      add({g.template count<"PDP.D_DATA_CUBE_OUT_WIDTH">(),
           g.template count<"PDP.D_DATA_CUBE_OUT_HEIGHT">(),
           g.template count<"PDP.D_DATA_CUBE_OUT_CHANNEL">(),
           g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">(),
           g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT">()});
    if constexpr (Hw::spec.has_cdp())
      if (u == sim::unit::cdp_rdma)
        add({g.template count<"CDP_RDMA.D_DATA_CUBE_WIDTH">(),
             g.template count<"CDP_RDMA.D_DATA_CUBE_HEIGHT">(),
             g.template count<"CDP_RDMA.D_DATA_CUBE_CHANNEL">(), most_neighbours});
    if constexpr (Hw::spec.rubik)
      if (u == sim::unit::rubik) move(g);
  }

  void move(const view& g) {
    const bool contract = !g.template on<"RBK.D_MISC_CFG.RUBIK_MODE">();
    add({g.template count<"RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH">(),
         g.template count<"RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT">(),
         g.template count<"RBK.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">(),
         contract ? g.template count<"RBK.D_DECONV_STRIDE.DECONV_X_STRIDE">() : 1,
         contract ? g.template count<"RBK.D_DECONV_STRIDE.DECONV_Y_STRIDE">() : 1});
  }

  void copy(const view& g) {
    add({g.template count<"BDMA.CFG_LINE.SIZE">(), bytes_per_unit,
         g.template count<"BDMA.CFG_LINE_REPEAT.NUMBER">(),
         g.template count<"BDMA.CFG_SURF_REPEAT.NUMBER">()});
  }

  static constexpr std::uint64_t most_neighbours = 9;  // of CDP's sums
  static constexpr std::uint64_t bytes_per_unit = 32;  // of CFG_LINE.SIZE

  sim::register_file<map> registers_;
  std::array<int, sim::unit_names.size()> producers_{};
  int none_ = 0;
  std::uint64_t operations_ = 0;
};

template <hw::hardware Hw>
std::uint64_t operations_of(const trace& t) {
  workload<Hw> all;
  for (const auto& c : t.commands)
    if (c.what == trace_command::kind::reg_write)
      all.write(static_cast<std::uint32_t>(c.address), c.value);
  return all.operations();
}

// The operations of one run, with those that the host's calls take beside their tensors. One that
// does not fit the registers is an `error` that names it.
template <hw::hardware Hw>
std::uint64_t operations_of(const loaded_program& p, std::uint64_t of_host) {
  workload<Hw> all;
  all.add(of_host);
  for (const auto& task : p.tasks)
    for (const auto& l : task.layers) {
      if (task.host) {
        all.add(l.what);
        continue;
      }
      emit::program<Hw>(l, task, {}, emit::any_bus(all));
      emit::enable<Hw>(l.what, {}, emit::any_bus(all));
    }
  return all.operations();
}

}  // namespace nvdlac::runtime
