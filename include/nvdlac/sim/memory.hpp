// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>

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
    each_page(address, to.size(), [&](std::uint64_t page, std::size_t at, std::size_t from,
                                      std::size_t n) {
      if (const auto* p = find(page)) std::memcpy(to.data() + from, p + at, n);
      else std::memset(to.data() + from, 0, n);
    });
  }

  // The bytes where they are, until the next write, if they lie together; otherwise null.
  const std::uint8_t* view(std::uint64_t address, std::uint64_t size) const {
    check(address, size);
    if (address % page_size + size > page_size) return nullptr;
    const auto* p = find(address / page_size);
    return p == nullptr ? nullptr : p + address % page_size;
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> from) {
    check(address, from.size());
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

  // The region [address, address + size) exists in this memory.
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return size == 0 || (address <= last_ && size - 1 <= last_ - address);
  }

  std::uint64_t pages_in_use() const { return pages_.size(); }

  static constexpr std::uint64_t page_size = std::uint64_t{1} << 18;

 private:
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
      f((address + done) / page_size, static_cast<std::size_t>(at), done,
        static_cast<std::size_t>(n));
      done += n;
    }
  }

  const std::uint8_t* find(std::uint64_t page) const {
    const auto p = pages_.find(page);
    return p == pages_.end() ? nullptr : p->second.get();
  }

  std::uint8_t* get(std::uint64_t page) {
    auto& p = pages_[page];
    if (!p) {
      if (pages_.size() * page_size > capacity_) {
        pages_.erase(page);
        throw error(problem{.reason = text(name_, ": the program writes to more than ", capacity_,
                                           " bytes of memory (sim::settings::memory, "
                                           "--limit memory)")});
      }
      p = std::make_unique<std::uint8_t[]>(page_size);
    }
    return p.get();
  }

  std::string name_;
  std::uint64_t last_, capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::uint8_t[]>> pages_;
};

}  // namespace nvdlac::sim
