// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/in_flight.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// A sparse memory. Bytes that were never written read `unwritten`. An access beyond
// `address_bits`, or more written pages than `capacity` bytes, is an `error`.
class memory {
 public:
  explicit memory(std::string_view name = "memory", std::uint32_t address_bits = 64,
                  std::uint64_t capacity = settings{}.memory, std::uint8_t unwritten = 0)
      : name_(name),
        last_(address_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << address_bits) - 1),
        capacity_(capacity),
        unwritten_(unwritten) {}

  void read(std::uint64_t address, std::span<std::uint8_t> to) const;

  // The bytes where they are, until the next write, if they lie together; otherwise null.
  const std::uint8_t* view(std::uint64_t address, std::uint64_t size) const;

  void write(std::uint64_t address, std::span<const std::uint8_t> from);

  void fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte);

  // From now on these bytes of the caller's are the memory from there on, such as what others map
  // too; they outlive this object, and count to no capacity. Address and size are multiples of a
  // page's size. What was written there before is gone.
  void attach(std::uint64_t address, std::span<std::uint8_t> bytes);

  // The region [address, address + size) exists in this memory.
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return size == 0 || (address <= last_ && size - 1 <= last_ - address);
  }

  // From now on what is read and written is recorded, or no longer.
  void record(bool on) { records_ = on; }
  // Returns, and forgets, what was recorded since the last call.
  footprint take_reads() { return taken(reads_); }
  footprint take_writes() { return taken(writes_); }

  std::uint64_t pages_in_use() const { return pages_.size(); }

  static constexpr std::uint64_t page_size = std::uint64_t{1} << 18;

 private:
  struct storage {
    std::unique_ptr<std::uint8_t[]> own{};  // none where the bytes are the caller's
    std::uint8_t* bytes = nullptr;
  };

  static footprint taken(footprint& recorded) {
    recorded.close();
    return std::exchange(recorded, {});
  }
  void check(std::uint64_t address, std::uint64_t size) const {
    if (!contains(address, size))
      throw error(problem{.reason = text(name_, ": the address 0x", std::hex, address, " + 0x",
                                         size, " is beyond the last one, 0x", last_)});
  }

  template <class F>
  static void each_page(std::uint64_t address, std::uint64_t size, F&& f) {
    for (std::uint64_t done = 0; done < size;) {
      const auto at = (address + done) % page_size;
      const auto n = std::min(page_size - at, size - done);
      f((address + done) / page_size, static_cast<std::size_t>(at), static_cast<std::size_t>(done),
        static_cast<std::size_t>(n));
      done += n;
    }
  }

  const std::uint8_t* find(std::uint64_t page) const {
    const auto p = pages_.find(page);
    return p == pages_.end() ? nullptr : p->second.bytes;
  }

  std::uint8_t* get(std::uint64_t number);

  std::string name_;
  std::uint64_t last_, capacity_;
  std::uint8_t unwritten_;
  bool records_ = false;
  mutable footprint reads_{};
  footprint writes_{};
  std::unordered_map<std::uint64_t, storage> pages_;
  std::size_t attached_ = 0;  // of the pages, those whose bytes are the caller's
};

// A feature cube in memory: surfaces of lines of atoms. `unit` is the bytes of one pixel of one
// surface: the memory atom, or more for the operands of SDP.
struct cube {
  sim::memory* ram = nullptr;
  std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  std::uint64_t unit = 0, width = 0, height = 0, surfaces = 0;

  std::uint64_t line_bytes() const { return width * unit; }
  std::uint64_t surface_bytes() const { return line_bytes() * height; }

  // All addresses exist; addresses and strides are multiples of `alignment`.
  void check(std::string_view where, std::uint64_t alignment) const;
  void check_no_overlap(std::string_view where) const;
};

// One surface of a cube, its lines joined.
void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to);

// The surface where it is in memory, until the next write there, if it lies together; otherwise
// null.
inline const std::uint8_t* view_surface(const cube& c, std::uint64_t surface) {
  if (c.line_stride != c.line_bytes() && c.height != 1) return nullptr;
  return c.ram->view(c.base + surface * c.surface_stride, c.surface_bytes());
}

void write_surface(const cube& c, std::uint64_t surface, std::span<const std::uint8_t> from);

// The two memories of a device as the RAM_TYPE fields select them: 1 DRAM, 0 CVSRAM.
template <hw::hardware Hw>
struct memories {
  sim::memory dram, cvsram;
  sim::settings settings;
  tolerance rules, timing;  // of the hardware; of what is right with some latencies only

  explicit memories(const sim::settings& s)
      : dram("dram", Hw::spec.address_bits, s.memory, s.unwritten),
        cvsram("cvsram", Hw::spec.address_bits, s.memory, s.unwritten),
        settings(s),
        rules(s.lenient),
        timing(s.lenient || s.timing == sim::timing::warn) {}

  bool any_timing() const { return settings.timing != sim::timing::one; }
  void record(bool on) {
    dram.record(on);
    cvsram.record(on);
  }
  accesses take_accesses() {
    return {.reads = {dram.take_reads(), cvsram.take_reads()},
            .writes = {dram.take_writes(), cvsram.take_writes()}};
  }

  memory& select(bool mc, std::string_view where) {
    require(mc || Hw::spec.has_sram(), where,
            "RAM_TYPE 0 selects the secondary memory, which this configuration does not have");
    return mc ? dram : cvsram;
  }
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/memory.ipp>
#endif
