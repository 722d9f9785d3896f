// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void memory::read(std::uint64_t address, std::span<std::uint8_t> to) const {
  check(address, to.size());
  if (records_) [[unlikely]] reads_.add(address, to.size());
  each_page(address, to.size(), [&](std::uint64_t page, std::size_t at, std::size_t from,
                                    std::size_t n) {
    if (const auto* p = find(page)) std::memcpy(to.data() + from, p + at, n);
    else std::memset(to.data() + from, unwritten_, n);
  });
}

NVDLAC_IMPL const std::uint8_t* memory::view(std::uint64_t address, std::uint64_t size) const {
  check(address, size);
  if (records_) [[unlikely]] reads_.add(address, size);
  if (address % page_size + size > page_size) return nullptr;
  const auto* p = find(address / page_size);
  return p == nullptr ? nullptr : p + address % page_size;
}

NVDLAC_IMPL void memory::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  check(address, from.size());
  if (records_) [[unlikely]] writes_.add(address, from.size());
  each_page(address, from.size(), [&](std::uint64_t page, std::size_t at, std::size_t begin,
                                      std::size_t n) {
    std::memcpy(get(page) + at, from.data() + begin, n);
  });
}

NVDLAC_IMPL void memory::fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte) {
  check(address, size);
  each_page(address, size, [&](std::uint64_t page, std::size_t at, std::uint64_t,
                               std::size_t n) {
    if (byte != unwritten_ || find(page) != nullptr) std::memset(get(page) + at, byte, n);
  });
}

NVDLAC_IMPL void memory::attach(std::uint64_t address, std::span<std::uint8_t> bytes) {
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

NVDLAC_IMPL std::uint8_t* memory::get(std::uint64_t number) {
  auto& p = pages_[number];
  if (p.bytes == nullptr) {
    if ((pages_.size() - attached_) * page_size > capacity_) {
      pages_.erase(number);
      throw error(problem{.reason = text(name_, ": the program writes to more than ", capacity_,
                                         " bytes of memory (--limit memory, in C++ "
                                         "budget::memory)")});
    }
    p.own = std::make_unique<std::uint8_t[]>(page_size);
    if (unwritten_ != 0) std::memset(p.own.get(), unwritten_, page_size);
    p.bytes = p.own.get();
  }
  return p.bytes;
}

NVDLAC_IMPL void cube::check(std::string_view where, std::uint64_t alignment) const {
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

NVDLAC_IMPL void cube::check_no_overlap(std::string_view where) const {
  require(height == 1 || line_stride >= line_bytes(), where, "the line stride ", line_stride,
          " is less than a line of ", line_bytes(), " bytes");
  require(surfaces == 1 || surface_stride >= line_bytes(), where, "the surface stride ",
          surface_stride, " is less than a line of ", line_bytes(), " bytes");
}

NVDLAC_IMPL void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->read(at, to.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->read(at + y * c.line_stride, to.subspan(y * line, line));
}

NVDLAC_IMPL void write_surface(const cube& c, std::uint64_t surface,
                               std::span<const std::uint8_t> from) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->write(at, from.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->write(at + y * c.line_stride, from.subspan(y * line, line));
}

}  // namespace nvdlac::sim
