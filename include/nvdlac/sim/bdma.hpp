// SPDX-License-Identifier: Apache-2.0
#pragma once
// BDMA, which copies lines between memories.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// One operation of BDMA: lines of `line` bytes, `lines` of them a surface, `surfaces` times.
struct bdma_operation {
  struct side {
    sim::memory* ram = nullptr;
    std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  };
  side source{}, destination{};
  std::uint64_t line = 0, lines = 0, surfaces = 0;

  std::uint64_t bytes() const { return line * lines * surfaces; }

  // From the first to the last byte that a side touches; at most 2^57.
  std::uint64_t extent(const side& s) const {
    return (surfaces - 1) * s.surface_stride + (lines - 1) * s.line_stride + line;
  }
};

// Line after line. The lines of the source may overlap, or be one and the same.
void copy(const bdma_operation& o, std::vector<std::uint8_t>& buffer);

// BDMA: a queue of operations and two groups. Writing CFG_OP queues what the other registers say,
// CFG_LAUNCH0 or 1 copies all that is queued and raises the interrupt of that group.
template <hw::hardware Hw>
class bdma_pipeline {
 public:
  // A write to one of BDMA's registers whose value is already stored. Throws nvdlac::error.
  void write(device_state<Hw>& s, const hw::reg& r, std::uint32_t value) {
    if ((value & 1) == 0) return;
    if (r.address == hw::address<map, "BDMA.CFG_OP">) push(s);
    else if (r.address == hw::address<map, "BDMA.CFG_LAUNCH0">) launch(s, 0, "BDMA.CFG_LAUNCH0");
    else if (r.address == hw::address<map, "BDMA.CFG_LAUNCH1">) launch(s, 1, "BDMA.CFG_LAUNCH1");
  }

  // A launch that found nothing queued leaves its group busy for ever.
  std::uint32_t status() const {
    std::uint32_t v = slots - static_cast<std::uint32_t>(queue_.size());
    if (queue_.empty()) v |= hw::field_of<map, "BDMA.STATUS.IDLE">.mask();
    for (int group = 0; group < 2; ++group)
      if (busy_[static_cast<std::size_t>(group)])
        v |= hw::field_of<map, "BDMA.STATUS.GRP0_BUSY">.mask() << group;
    return v;
  }

  void reset() {
    queue_.clear();
    busy_ = {};
  }

  static constexpr std::uint32_t slots = 20;

 private:
  static constexpr auto map = Hw::spec.map;

  void push(device_state<Hw>& s) {
    require(queue_.size() < slots, "BDMA.CFG_OP", "all ", slots, " slots are taken");
    auto next = decode(s);
    require(queue_.empty() || queue_.front().destination.ram == next.destination.ram,
            "BDMA.CFG_CMD.DST_RAM_TYPE", "what one launch copies goes to one memory");
    queue_.push_back(std::move(next));
  }

  static bdma_operation decode(device_state<Hw>& s) {
    const group_view<map> g(s.registers, 0);
    bdma_operation o{
        .source = {&s.memories.select(g.template on<"BDMA.CFG_CMD.SRC_RAM_TYPE">(),
                                      "BDMA.CFG_CMD.SRC_RAM_TYPE"),
                   g.template address<"BDMA.CFG_SRC_ADDR_HIGH", "BDMA.CFG_SRC_ADDR_LOW">(),
                   g.template bytes<"BDMA.CFG_SRC_LINE">(),
                   g.template bytes<"BDMA.CFG_SRC_SURF">()},
        .destination = {&s.memories.select(g.template on<"BDMA.CFG_CMD.DST_RAM_TYPE">(),
                                           "BDMA.CFG_CMD.DST_RAM_TYPE"),
                        g.template address<"BDMA.CFG_DST_ADDR_HIGH", "BDMA.CFG_DST_ADDR_LOW">(),
                        g.template bytes<"BDMA.CFG_DST_LINE">(),
                        g.template bytes<"BDMA.CFG_DST_SURF">()},
        .line = std::uint64_t{g.template count<"BDMA.CFG_LINE.SIZE">()} * unit_bytes,
        .lines = g.template count<"BDMA.CFG_LINE_REPEAT.NUMBER">(),
        .surfaces = g.template count<"BDMA.CFG_SURF_REPEAT.NUMBER">()};
    require(o.lines * o.surfaces <= s.memories.settings.elements / o.line, "BDMA.CFG_LINE_REPEAT",
            o.surfaces, " surfaces of ", o.lines, " lines of ", o.line,
            " bytes are beyond what the simulator is set to copy (sim::settings)");
    require(o.source.ram->contains(o.source.base, o.extent(o.source)), "BDMA.CFG_SRC_ADDR_LOW",
            "the source is beyond the address width of the configuration");
    require(o.destination.ram->contains(o.destination.base, o.extent(o.destination)),
            "BDMA.CFG_DST_ADDR_LOW",
            "the destination is beyond the address width of the configuration");
    require(o.lines == 1 || o.destination.line_stride >= o.line, "BDMA.CFG_DST_LINE",
            "the line stride ", o.destination.line_stride, " is less than a line of ", o.line,
            " bytes");
    require(o.surfaces == 1 || o.destination.surface_stride >= o.line, "BDMA.CFG_DST_SURF",
            "the surface stride ", o.destination.surface_stride, " is less than a line of ",
            o.line, " bytes");
    return o;
  }

  void launch(device_state<Hw>& s, int group, std::string_view where) {
    if (!s.memories.rules.holds(!queue_.empty(), where,
                                "no operation is queued: the interrupt never comes")) {
      busy_[static_cast<std::size_t>(group)] = true;
      return;
    }
    const auto operations = std::exchange(queue_, {});  // gone, whatever comes of them
    s.layer = {.units = "BDMA"};
    for (const auto& o : operations) {
      copy(o, line_);
      s.count_read(client::bdma, o.source.ram, o.bytes());
      s.count_write(client::bdma, o.destination.ram, o.bytes());
      s.layer.in = s.layer.out = {.width = static_cast<std::uint32_t>(o.line),
                                  .height = static_cast<std::uint32_t>(o.lines),
                                  .channels = static_cast<std::uint32_t>(o.surfaces)};
    }
    s.end_layer();
    if (s.flight) s.flight->copied(group, s.memories.take_accesses(), s.memories.timing);
    s.template done<"GLB.S_INTR_STATUS.BDMA_DONE_STATUS0">(group);
  }

  static constexpr std::uint64_t unit_bytes = 32;  // of CFG_LINE.SIZE

  std::vector<bdma_operation> queue_;
  std::array<bool, 2> busy_{};
  std::vector<std::uint8_t> line_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/bdma.ipp>
#endif
