// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that may still run when a program goes on, whatever the latencies of memories and
// host are. The simulator executes a layer at once; on hardware the program knows nothing of it
// before it has seen its interrupt. What must not be done until then is refused:
//  - to read what an earlier layer may not have written yet, to write what it may still read;
//  - to write the registers of a group, or a table, that a layer may still work with;
//  - to enable CDMA before the CBUF is known to be flushed, which it does by itself after a reset.
// In order without any wait are the writes of one unit, and what a unit writes behind what the
// units before it in the same layer read.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include <nvdlac/sim/footprint.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The parts of DRAM and of CVSRAM that were touched.
struct accesses {
  std::array<footprint, 2> reads{}, writes{};
};

class in_flight {
 public:
  using consumers = std::array<int, unit_names.size()>;  // the group whose turn it is, of each unit

  // The done bits of GLB.S_INTR_STATUS, those of group 0; that of group 1 is the bit above.
  struct done_bits {
    std::uint32_t cdma_data = 0, cdma_weights = 0, cacc = 0, sdp = 0, pdp = 0, cdp = 0, rubik = 0,
                  bdma = 0;
  };
  template <hw::register_map Map>
  static constexpr done_bits done_bits_of() {
    const auto of = [](std::string_view path) { return hw::find_field(Map, path)->mask(); };
    return {of("GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0"),
            of("GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0"),
            of("GLB.S_INTR_STATUS.CACC_DONE_STATUS0"), of("GLB.S_INTR_STATUS.SDP_DONE_STATUS0"),
            of("GLB.S_INTR_STATUS.PDP_DONE_STATUS0"), of("GLB.S_INTR_STATUS.CDP_DONE_STATUS0"),
            of("GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0"), of("GLB.S_INTR_STATUS.BDMA_DONE_STATUS0")};
  }

  explicit in_flight(const done_bits& bits) : bits_(bits) {}

  // Actions of the program.

  // The program enables a group: the unit can rely on what is known by then.
  void enable(unit u, int group, std::string_view where, tolerance&);
  // It has seen the CBUF flushed.
  void observe_flush() { flushed_ = true; }
  // It writes a register of a group, or a lookup table, of which the unit may take nothing while a
  // layer of either group is enabled.
  void configure(unit u, int group, std::string_view where, tolerance&) const;
  void write_table(unit u, std::string_view where, tolerance&) const;
  // It has seen these interrupts, each of the oldest layer that raises it and was not seen.
  void observe(std::uint32_t interrupts);
  // The interrupt of the oldest layer among those of a status, which a program may see alone.
  std::uint32_t oldest_of(std::uint32_t interrupts) const;
  // It has seen the group of the unit idle, which says nothing of writes on their way.
  void observe_idle(unit u, int group);
  // It reads or writes the memory itself: 0 DRAM, 1 CVSRAM.
  void host_reads(std::size_t memory, std::uint64_t address, std::uint64_t size, tolerance&) const;
  void host_writes(std::size_t memory, std::uint64_t address, std::uint64_t size,
                   tolerance&) const;

  // A layer, in the order of execution; 0 is none. Each operation of CDMA is one of its own.
  using number = std::uint64_t;

  // Actions of the device.

  // CDMA has read the data and weights of an operation.
  number fetched(int group, accesses, tolerance&);
  // A layer of the units whose turn changed was executed: a convolution of what CDMA had brought
  // with that operation and those before it.
  void executed(const consumers& before, const consumers& now, number fetch, accesses, tolerance&);
  void copied(int group, accesses, tolerance&);  // by BDMA

 private:
  static constexpr std::size_t bdma = unit_names.size(), engines = bdma + 1, none = engines;
  using numbers = std::array<number, engines>;  // the last layer of each engine

  struct layer {
    number at = 0;
    std::array<bool, engines> units{};  // those that it has to pass before it has ended
    std::size_t reader = none, writer = none;
    number fetch = 0;  // the last operation of CDMA that it needs, or that it is
    accesses memory{};
  };

  struct fetch_record {
    number at = 0;
    bool idle = false;  // it brings nothing: data and weights are reused
    numbers begun{};    // what was done before it began
  };
  struct enabled_group {
    bool waits = false;  // its layer has not begun
    numbers done{};      // when it was enabled
  };

  static constexpr std::size_t index(unit u) { return static_cast<std::size_t>(u); }
  static std::string_view name_of(std::size_t engine);
  static void join(numbers& a, const numbers& b);
  static number as_seen_by(std::size_t engine, const layer&);

  layer* find(number);
  const numbers& begin(std::size_t unit, int group);
  bool may_matter(const layer&) const;
  void raise(std::uint32_t interrupt, number);
  void complete(std::size_t engine, number);
  void complete(const layer&, std::uint32_t bit);
  void complete_fetch(number);
  bool may_use(const layer&, std::size_t engine, const numbers& done) const;
  void check(const layer&, const numbers& reading, const numbers& writing, tolerance&) const;
  void require_free(std::size_t engine, int group, number user, std::string_view where,
                    tolerance&) const;

  template <class T>
  using of_groups = std::array<std::array<T, 2>, unit_names.size()>;

  done_bits bits_;
  bool flushed_ = false;
  number last_ = 0;
  std::deque<layer> layers_{};  // of whose end the program may not know when another one begins
  std::deque<fetch_record> fetches_{};           // from that of the last convolution on
  std::array<std::deque<number>, 32> raised_{};  // of each interrupt, by layers that were not seen
  numbers done_{};                               // what each engine has certainly done
  std::array<numbers, unit_names.size()> begun_{};  // what was done before its last layer began
  of_groups<enabled_group> enabled_{};
  of_groups<number> users_{}, idle_{};  // its last layer; the last behind which it was free
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/in_flight.ipp>
#endif
