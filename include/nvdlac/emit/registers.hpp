// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

// Register writes by name: every value goes through the register table of the product's map, so a
// wrong name does not compile and a value that is too wide for its field is an error.

// Where a cube is for the DMA engines of NVDLA.
struct place {
  std::uint64_t address = 0;  // bytes
  bool dram = true;           // the registers' RAM_TYPE: primary memory, or the secondary (CVSRAM)

  constexpr bool operator==(const place&) const = default;
};

// Turns a layer's locations into addresses.
template <class T>
concept addresses = requires(const T& where, const layer::location& at) {
  { where(at) } -> std::convertible_to<place>;
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
  constexpr const hw::field* f = [] {
    for (const auto& candidate : hw::register_of<Map, Register>.fields)
      if (hw::detail::same(candidate.name, Field.view())) return &candidate;
    return static_cast<const hw::field*>(nullptr);
  }();
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

  // Both halves of a 64-bit address.
  template <fixed_string High, fixed_string Low>
  constexpr void address(named<High> high, named<Low> low, std::uint64_t value) const {
    (*this)(high, value >> 32);
    (*this)(low, bytes{value & 0xffffffffu});
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

// The two groups of D_ registers of every unit: which of them is written, and its start.

// Every engine has two groups of D_ registers that it works through in turn. A core and its read
// DMA take turns on their own, because not every layer uses the read DMA.
struct groups {
  unsigned core = 0, rdma = 0;
};

namespace detail {

template <class Set, fixed_string... Units>
constexpr void point(const Set& set, layer::register_blocks<Units...>, unsigned group) {
  (set(in_unit<Units, ".S_POINTER">, "PRODUCER"_is(group)), ...);
}
template <class Set, fixed_string... Units>
constexpr void start(const Set& set, layer::register_blocks<Units...>) {
  (set(in_unit<Units, ".D_OP_ENABLE">, 1), ...);
}

// The D_ registers of the layer's engine are now those of these groups.
template <layer::on_engine Layer, class Set>
constexpr void point(const Set& set, groups g) {
  using engine = layer::engine<Layer>;
  point(set, engine::cores, g.core);
  if constexpr (requires { engine::reader; })
    point(set, layer::register_blocks<engine::reader>{}, g.rdma);
}

}  // namespace detail

// Starts the layer in the groups that it was programmed into. What takes its result on the fly must
// have been started before.
template <hw::hardware Hw, layer::on_engine Layer, class Bus>
constexpr void enable(const Layer& l, groups g, Bus&& b) {
  using engine = layer::engine<Layer>;
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<Layer>(set, g);
  const auto start_reader = [&] {
    if constexpr (requires { engine::reader; })
      if (engine::uses_reader(l)) detail::start(set, layer::register_blocks<engine::reader>{});
  };
  // CDMA is started behind the units that take what it brings.
  constexpr bool behind = requires { engine::ready; };
  if constexpr (behind) set.wait_for(named<engine::ready>{});
  if constexpr (!behind) start_reader();
  detail::start(set, engine::cores);
  if constexpr (behind) start_reader();
}

namespace detail {

// Passes on the writes that change a register. What is written to a group of a unit's registers
// stays there, also while the unit computes, and most of it is the same in the next layer.
template <class Bus>
class register_changes {
 public:
  explicit constexpr register_changes(Bus& b)
      : bus_(b), known_(units * groups_of_a_unit * words, unknown), producers_(units, 0) {}

  constexpr void write(std::uint32_t address, std::uint32_t value) {
    const auto unit = address / unit_bytes, word = address % unit_bytes / 4;
    if (unit >= units || word >= words) return bus_.write(address, value);
    const bool is_pointer = word == pointer;
    const auto group = is_pointer ? 0 : producers_[unit];
    auto& known = known_[(unit * groups_of_a_unit + group) * words + word];
    if (known == value) return;
    known = value;
    if (is_pointer) producers_[unit] = value & 1u;
    bus_.write(address, value);
  }

  // For the start of a layer: its D_OP_ENABLE are written each time, as the hardware clears them.
  // Polls are of what no write changes.
  class start {
   public:
    explicit constexpr start(register_changes& to) : to_(to) {}
    constexpr void write(std::uint32_t address, std::uint32_t value) {
      if (address % unit_bytes / 4 == pointer) to_.write(address, value);
      else to_.bus_.write(address, value);
    }
    constexpr void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value)
      requires requires(Bus& b) { b.poll(address, mask, value); }
    {
      to_.bus_.poll(address, mask, value);
    }

   private:
    register_changes& to_;
  };

 private:
  static constexpr std::uint32_t unit_bytes = 0x1000, units = 32, words = 64, groups_of_a_unit = 2,
                                 pointer = 1;  // S_POINTER, as a word of the unit
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};  // no value of a register

  Bus& bus_;
  std::vector<std::uint64_t> known_;      // by unit, group and word
  std::vector<std::uint32_t> producers_;  // by unit: the group that is written
};

}  // namespace detail

}  // namespace nvdlac::emit
