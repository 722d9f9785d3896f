// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/in_flight.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// A sparse memory. Bytes that were never written read 0. An access beyond `address_bits`, or more
// written pages than `capacity` bytes, is an `error`.
class memory {
 public:
  explicit memory(std::string_view name = "memory", std::uint32_t address_bits = 64,
                  std::uint64_t capacity = settings{}.memory)
      : name_(name),
        last_(address_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << address_bits) - 1),
        capacity_(capacity) {}

  void read(std::uint64_t address, std::span<std::uint8_t> to) const {
    check(address, to.size());
    if (records_) [[unlikely]] reads_.add(address, to.size());
    each_page(address, to.size(), [&](std::uint64_t page, std::size_t at, std::size_t from,
                                      std::size_t n) {
      if (const auto* p = find(page)) std::memcpy(to.data() + from, p + at, n);
      else std::memset(to.data() + from, 0, n);
    });
  }

  // The bytes where they are, until the next write, if they lie together; otherwise null.
  const std::uint8_t* view(std::uint64_t address, std::uint64_t size) const {
    check(address, size);
    if (records_) [[unlikely]] reads_.add(address, size);
    if (address % page_size + size > page_size) return nullptr;
    const auto* p = find(address / page_size);
    return p == nullptr ? nullptr : p + address % page_size;
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> from) {
    check(address, from.size());
    if (records_) [[unlikely]] writes_.add(address, from.size());
    each_page(address, from.size(), [&](std::uint64_t page, std::size_t at, std::size_t begin,
                                        std::size_t n) {
      std::memcpy(get(page) + at, from.data() + begin, n);
    });
  }

  void fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte) {
    check(address, size);
    each_page(address, size, [&](std::uint64_t page, std::size_t at, std::uint64_t,
                                 std::size_t n) {
      if (byte != 0 || find(page) != nullptr) std::memset(get(page) + at, byte, n);
    });
  }

  // From now on these bytes of the caller's are the memory from there on, such as what others map
  // too; they outlive this object, and count to no capacity. Address and size are multiples of a
  // page's size. What was written there before is gone.
  void attach(std::uint64_t address, std::span<std::uint8_t> bytes) {
    check(address, bytes.size());
    if (address % page_size != 0 || bytes.size() % page_size != 0)
      throw error(problem{.reason = text(name_, ": ", bytes.size(), " bytes at ", address,
                                         " are no pages of ", page_size)});
    for (std::size_t at = 0; at < bytes.size(); at += page_size) {
      const auto p = (address + at) / page_size;
      if (const auto old = pages_.find(p); old != pages_.end() && !old->second.own) --attached_;
      pages_.insert_or_assign(p, storage{.bytes = bytes.data() + at});
      ++attached_;
    }
  }

  // The region [address, address + size) exists in this memory.
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return size == 0 || (address <= last_ && size - 1 <= last_ - address);
  }

  // From now on what is read and written is recorded, or no longer.
  void record(bool on) { records_ = on; }
  // What was recorded since the last call.
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

  std::uint8_t* get(std::uint64_t number) {
    auto& p = pages_[number];
    if (p.bytes == nullptr) {
      if ((pages_.size() - attached_) * page_size > capacity_) {
        pages_.erase(number);
        throw error(problem{.reason = text(name_, ": the program writes to more than ", capacity_,
                                           " bytes of memory (sim::settings::memory, "
                                           "--limit memory)")});
      }
      p.own = std::make_unique<std::uint8_t[]>(page_size);
      p.bytes = p.own.get();
    }
    return p.bytes;
  }

  std::string name_;
  std::uint64_t last_, capacity_;
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
  void check(std::string_view where, std::uint64_t alignment) const {
    require(base % alignment == 0, where, "the address 0x", std::hex, base,
            " is not a multiple of the memory atom");
    require(height == 1 || line_stride % alignment == 0, where, "the line stride ", line_stride,
            " is not a multiple of the memory atom");
    require(surfaces == 1 || surface_stride % alignment == 0, where, "the surface stride ",
            surface_stride, " is not a multiple of the memory atom");
    const auto size =
        (surfaces - 1) * surface_stride + (height - 1) * line_stride + line_bytes();
    require(ram->contains(base, size), where, "the cube of ", size, " bytes at 0x", std::hex, base,
            " is beyond the address width of the configuration");
  }
  void check_no_overlap(std::string_view where) const {
    require(height == 1 || line_stride >= line_bytes(), where, "the line stride ", line_stride,
            " is less than a line of ", line_bytes(), " bytes");
    require(surfaces == 1 || surface_stride >= line_bytes(), where, "the surface stride ",
            surface_stride, " is less than a line of ", line_bytes(), " bytes");
  }
};

// One surface of a cube, its lines joined.
inline void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->read(at, to.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->read(at + y * c.line_stride, to.subspan(y * line, line));
}

// The surface where it is in memory, until the next write there, if it lies together; otherwise
// null.
inline const std::uint8_t* view_surface(const cube& c, std::uint64_t surface) {
  if (c.line_stride != c.line_bytes() && c.height != 1) return nullptr;
  return c.ram->view(c.base + surface * c.surface_stride, c.surface_bytes());
}

inline void write_surface(const cube& c, std::uint64_t surface,
                          std::span<const std::uint8_t> from) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->write(at, from.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->write(at + y * c.line_stride, from.subspan(y * line, line));
}

// The two memories of a device as the RAM_TYPE fields select them: 1 DRAM, 0 CVSRAM.
template <hw::hardware Hw>
struct memories {
  sim::memory dram, cvsram;
  sim::settings settings;
  tolerance rules, timing;  // of the hardware; of what is right with some latencies only

  explicit memories(const sim::settings& s)
      : dram("dram", Hw::spec.address_bits, s.memory),
        cvsram("cvsram", Hw::spec.address_bits, s.memory),
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
