// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of both maps by address and by the name UNIT.REGISTER.FIELD.
//   while compiling: address<map, "CDMA.D_BANK">, field_of<map, "CDMA.D_BANK.DATA_BANK">,
//                    value_of<map, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM">
//   while running:   registers(map), find(map, address), find(map, "CDMA.D_BANK"), describe(...)
#include <algorithm>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/registers_full.hpp>
#include <nvdlac/hw/registers_small.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// All registers of a map in the order of their addresses.
constexpr std::span<const reg> registers(register_map map) {
  if (map == register_map::small) return detail::registers_small;
  return detail::registers_full;
}

// The units of a map in the order of their addresses.
constexpr std::span<const unit> units(register_map map) {
  if (map == register_map::small) return detail::units_small;
  return detail::units_full;
}

namespace detail {

// Shorter for the compiler than operator== of string_view, which it calls often.
constexpr bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = a.size(); i-- > 0;)  // the ends of the names differ most
    if (a[i] != b[i]) return false;
  return true;
}

// Cuts the part before the next dot off the path.
constexpr std::string_view next_part(std::string_view& path) {
  const auto part = path.substr(0, path.find('.'));
  path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
  return part;
}

constexpr const reg* find_part(register_map map, std::string_view& path) {
  const auto unit_name = next_part(path);
  const auto name = next_part(path);
  for (const auto& u : units(map)) {
    if (!same(u.name, unit_name)) continue;
    const auto* const first = registers(map).data() + u.first;
    for (const auto* r = first; r != first + u.count; ++r)
      if (same(r->name, name)) return r;
  }
  return nullptr;
}

}  // namespace detail

// The register UNIT.REGISTER, or null.
constexpr const reg* find(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  return path.empty() ? r : nullptr;
}

// The register at an address in bytes from the base of NVDLA, or null.
constexpr const reg* find(register_map map, std::uint32_t address) {
  const auto all = registers(map);
  const auto r = std::lower_bound(
      all.begin(), all.end(), address,
      [](const reg& one, std::uint32_t wanted) { return one.address < wanted; });
  return r != all.end() && r->address == address ? &*r : nullptr;
}

constexpr const field* find_field(const reg& r, std::string_view name) {
  for (const auto& f : r.fields)
    if (detail::same(f.name, name)) return &f;
  return nullptr;
}

// A field with its register, null where there is none of the name.
struct located_field {
  const reg* in = nullptr;
  const field* what = nullptr;
};

// The field UNIT.REGISTER.FIELD. UNIT.REGISTER names the field of a register with one.
constexpr located_field locate_field(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  if (r == nullptr) return {};
  if (path.empty()) return {r, r->fields.size() == 1 ? r->fields.data() : nullptr};
  return {r, find_field(*r, path)};
}
constexpr const field* find_field(register_map map, std::string_view path) {
  return locate_field(map, path).what;
}

constexpr const enumerator* find_value(const field& f, std::string_view name) {
  for (const auto& v : f.values)
    if (detail::same(v.name, name)) return &v;
  return nullptr;
}

// Found once for each name.
template <register_map Map, fixed_string Path>
inline constexpr located_field located = locate_field(Map, Path.view());

namespace detail {

template <register_map Map, fixed_string Path>
inline constexpr const reg* register_called = find(Map, Path.view());
template <register_map Map, fixed_string Path, fixed_string Name>
inline constexpr const enumerator* value_called =
    find_value(*located<Map, Path>.what, Name.view());

}  // namespace detail

// Requirements on a name; a compile error tells which of these it does not meet.
template <register_map Map, fixed_string Path>
concept unit_dot_register = detail::register_called<Map, Path> != nullptr;
template <register_map Map, fixed_string Path>
concept unit_dot_register_dot_field = located<Map, Path>.what != nullptr;
template <register_map Map, fixed_string Path, fixed_string Name>
concept value_of_the_field = detail::value_called<Map, Path, Name> != nullptr;

// The address of UNIT.REGISTER in bytes from the base of NVDLA. A wrong name does not compile.
template <register_map Map, fixed_string Path>
  requires unit_dot_register<Map, Path>
inline constexpr std::uint32_t address = detail::register_called<Map, Path>->address;

// The register UNIT.REGISTER.
template <register_map Map, fixed_string Path>
  requires unit_dot_register<Map, Path>
inline constexpr const reg& register_of = *detail::register_called<Map, Path>;

// The field UNIT.REGISTER.FIELD, or UNIT.REGISTER if the register has one field.
template <register_map Map, fixed_string Path>
  requires unit_dot_register_dot_field<Map, Path>
inline constexpr const field& field_of = *located<Map, Path>.what;

// The enumerated value of that name of a field, counted from bit 0 of the field.
template <register_map Map, fixed_string Path, fixed_string Name>
  requires unit_dot_register_dot_field<Map, Path> && value_of_the_field<Map, Path, Name>
inline constexpr std::uint32_t value_of = detail::value_called<Map, Path, Name>->value;

// "CDMA.D_BANK DATA_BANK=1 WEIGHT_BANK=1", with the names of enumerated values; hexadecimal from
// 10 on. An address without a register: "0x1234".
std::string describe(register_map map, std::uint32_t address, std::uint32_t value);

}  // namespace nvdlac::hw

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/hw/registers.ipp>
#endif
