// SPDX-License-Identifier: Apache-2.0
#pragma once
// Register writes by name: every value goes through the register table of the product's map, so a
// wrong name does not compile and a value that is too wide for its field is an error.
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/label.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

// Where a cube is for the DMA engines of NVDLA.
struct dma_address {
  std::uint64_t address = 0;  // bytes
  bool dram = true;           // the registers' RAM_TYPE: primary memory, or the secondary (CVSRAM)

  constexpr bool operator==(const dma_address&) const = default;
};

// Turns a layer's locations into addresses.
template <class T>
concept addresses = requires(const T& where, const layer::location& at) {
  { where(at) } -> std::convertible_to<dma_address>;
};

// Takes register writes: the simulator, a trace, source text. `poll(address, mask, value)` is
// called, if it is there, where the hardware has to be waited for.
template <class T>
concept bus =
    requires(T& b, std::uint32_t address, std::uint32_t value) { b.write(address, value); };

template <fixed_string Name, class T>
struct setting {
  T value;
};

template <fixed_string Name>
struct named {
  template <std::integral T>
  constexpr setting<Name, std::int64_t> operator()(T value) const {
    return {static_cast<std::int64_t>(value)};
  }
  // Addresses, strides and sizes: the maps drop a different number of their low bits.
  constexpr setting<Name, bytes> operator()(bytes value) const { return {value}; }
};

// The value of a precision field.
constexpr int code(hw::precision p) { return static_cast<int>(p); }

inline namespace literals {

template <fixed_string Name>
consteval named<Name> operator""_reg() { return {}; }
template <fixed_string Name>
consteval named<Name> operator""_is() { return {}; }

}  // namespace literals

namespace detail {

template <fixed_string Unit, fixed_string Name>
consteval auto name_in() {
  char all[sizeof(Unit.text) + sizeof(Name.text) - 1]{};
  for (std::size_t i = 0; i + 1 < sizeof(Unit.text); ++i) all[i] = Unit.text[i];
  for (std::size_t i = 0; i < sizeof(Name.text); ++i)
    all[sizeof(Unit.text) - 1 + i] = Name.text[i];
  return fixed_string(all);
}

// A register of a unit, by the part of its name behind the unit's.
template <fixed_string Unit, fixed_string Name>
inline constexpr named<name_in<Unit, Name>()> in_unit{};

template <hw::register_map Map, fixed_string Register, fixed_string Field>
consteval const hw::field& field_in() {
  constexpr const hw::field* f = hw::find_field(hw::register_of<Map, Register>, Field.view());
  static_assert(f != nullptr, "nvdlac: the register has no field of this name");
  return *f;
}

constexpr std::uint32_t insert(const hw::field& f, std::int64_t v) { return f.insert(v); }
constexpr std::uint32_t insert(const hw::field& f, bytes v) { return f.insert_bytes(v.n); }

}  // namespace detail

// set("CDMA.D_BANK"_reg, "DATA_BANK"_is(3), "WEIGHT_BANK"_is(1)): one write. Fields that are not
// named are 0. A register with one field takes the value alone.
template <hw::register_map Map, bus Bus>
class register_writer {
 public:
  explicit constexpr register_writer(Bus& b) : bus_(b) {}

  template <fixed_string Register, fixed_string... Fields, class... Ts>
  constexpr void operator()(named<Register>, setting<Fields, Ts>... settings) const {
    constexpr const hw::reg& r = hw::register_of<Map, Register>;
    std::uint32_t word = 0;
    ((word |= detail::insert(detail::field_in<Map, Register, Fields>(), settings.value)), ...);
    bus_.write(r.address, word);
  }
  template <fixed_string Register, std::integral T>
  constexpr void operator()(named<Register>, T value) const {
    bus_.write(hw::address<Map, Register>,
               hw::field_of<Map, Register>.insert(static_cast<std::int64_t>(value)));
  }
  template <fixed_string Register>
  constexpr void operator()(named<Register>, bytes value) const {
    bus_.write(hw::address<Map, Register>, hw::field_of<Map, Register>.insert_bytes(value.n));
  }

  // Both halves of the address of a place. A bus that is to be told where addresses stand has
  // `relocates(place)`, and gets those places by `address_high` and `address_low`: what of them
  // counts from a base that is no part of the program. Memory lies within 4 GiB, so that the high
  // half is the base's.
  template <fixed_string High, fixed_string Low>
  constexpr void address(named<High> high, named<Low> low, const dma_address& at) const {
    if constexpr (requires { bus_.relocates(at); })
      if (bus_.relocates(at)) {
        bus_.address_high(hw::address<Map, High>, 0);
        bus_.address_low(hw::address<Map, Low>, static_cast<std::uint32_t>(at.address));
        return;
      }
    (*this)(high, at.address >> 32);
    (*this)(low, bytes{at.address & 0xffffffffu});
  }

  // Waits until the single-bit field is 1, on a bus that can.
  template <fixed_string Register>
  constexpr void wait_for(named<Register>) const {
    constexpr auto mask = hw::field_of<Map, Register>.mask();
    if constexpr (requires { bus_.poll(mask, mask, mask); })
      bus_.poll(hw::address<Map, Register>, mask, mask);
  }

 private:
  Bus& bus_;
};

}  // namespace nvdlac::emit
