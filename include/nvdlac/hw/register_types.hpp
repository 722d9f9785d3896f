// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/base/label.hpp>

namespace nvdlac::hw {

enum class access : std::uint8_t { r, w, rw };

// A named value of a field: SUM = 2.
struct enumerator {
  std::string_view name;
  std::uint32_t value = 0;
};

// Types whose names stand in the compile errors.
struct value_does_not_fit_the_field {};
struct bytes_are_not_aligned_for_the_field {};

namespace detail {

[[noreturn]] void throw_does_not_fit(std::string_view field, int bits, long long value);
[[noreturn]] void throw_not_aligned(std::string_view field, int lsb, unsigned long long value);

}  // namespace detail

// A field of a 32-bit register. The reset value counts from bit 0 of the field.
struct field {
  std::string_view name;
  std::uint8_t msb = 0, lsb = 0;
  std::uint32_t reset = 0;
  std::span<const enumerator> values = {};

  constexpr int width() const { return msb - lsb + 1; }
  // The greatest unsigned value that fits.
  constexpr std::uint32_t max() const { return 0xffffffffu >> (32 - width()); }
  constexpr std::uint32_t mask() const { return max() << lsb; }

  // The value at its place in the register word, the other bits 0. Negative values are stored as
  // two's complement. A value that does not fit is an `error`; while compiling, a compile error.
  constexpr std::uint32_t insert(std::int64_t value) const {
    const auto top = std::int64_t{0xffffffffu >> (31 - msb + lsb)};  // max()
    if (value > top || value < -(top / 2) - 1) {
      refuse<value_does_not_fit_the_field>(name.data());
      detail::throw_does_not_fit(name, width(), value);
    }
    return static_cast<std::uint32_t>(value & top) << lsb;
  }
  constexpr std::uint32_t extract(std::uint32_t word) const { return (word >> lsb) & max(); }
  constexpr std::int32_t extract_signed(std::uint32_t word) const {
    return static_cast<std::int32_t>(word << (31 - msb)) >> (32 - width());
  }

  // Addresses, strides and sizes in bytes: the maps drop a different number of low bits, but the
  // register word holds the bytes in both. The bytes must be a multiple of 1 << lsb.
  constexpr std::uint32_t insert_bytes(std::uint64_t bytes) const {
    if (bytes > (mask() | ((1u << lsb) - 1))) {
      refuse<value_does_not_fit_the_field>(name.data());
      detail::throw_does_not_fit(name, msb + 1, static_cast<long long>(bytes));
    }
    const auto word = static_cast<std::uint32_t>(bytes);
    if ((word & mask()) != word) {
      refuse<bytes_are_not_aligned_for_the_field>(name.data());
      detail::throw_not_aligned(name, lsb, bytes);
    }
    return word;
  }
  constexpr std::uint32_t extract_bytes(std::uint32_t word) const { return word & mask(); }
};

struct reg {
  std::string_view unit, name;
  std::uint32_t address = 0;  // bytes from the base of NVDLA
  hw::access access = hw::access::rw;
  std::uint32_t write_mask = 0;  // the bits that software can write
  std::span<const field> fields;

  constexpr std::uint32_t reset() const {
    std::uint32_t word = 0;
    for (const auto& f : fields) word |= f.reset << f.lsb;
    return word;
  }
};

// The registers of one unit: `count` of them from `first` on.
struct unit {
  std::string_view name;
  std::uint32_t first = 0, count = 0;
};

}  // namespace nvdlac::hw

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/hw/register_types.ipp>
#endif
