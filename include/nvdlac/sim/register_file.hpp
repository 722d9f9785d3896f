// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words behind the register bus: one for each register, two for those of the double-buffered
// groups (D_...).
#include <array>
#include <vector>

#include <nvdlac/hw/registers.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

template <hw::register_map Map>
class register_file {
 public:
  register_file() {
    for (auto& group : words_) group.resize(size);
    for (const auto& r : hw::registers(Map))
      for (auto& group : words_) group[r.address / 4] = r.reset();
  }

  static const hw::reg& at(std::uint32_t address) {
    const auto* r = hw::find(Map, address);
    require(r != nullptr, "register bus", "no register at the address 0x", std::hex, address);
    return *r;
  }

  std::uint32_t word(int group, std::uint32_t address) const {
    return words_[static_cast<std::size_t>(group)][address / 4];
  }
  void set(int group, std::uint32_t address, std::uint32_t value) {
    words_[static_cast<std::size_t>(group)][address / 4] = value;
  }

 private:
  static constexpr std::size_t size = hw::registers(Map).back().address / 4 + 1;
  std::array<std::vector<std::uint32_t>, 2> words_;
};

// The fields of one group: `u<"CDMA.D_BANK.DATA_BANK">()`.
template <hw::register_map Map>
class group_view {
 public:
  group_view(const register_file<Map>& registers, int group)
      : registers_(&registers), group_(group) {}

  template <fixed_string Path>
  std::uint32_t u() const {
    return hw::field_of<Map, Path>.extract(word<Path>());
  }
  template <fixed_string Path>
  std::int32_t i() const {
    return hw::field_of<Map, Path>.extract_signed(word<Path>());
  }
  template <fixed_string Path>
  bool on() const {
    return u<Path>() != 0;
  }
  // Sizes are stored minus one.
  template <fixed_string Path>
  std::uint32_t count() const {
    return u<Path>() + 1;
  }
  template <fixed_string Path>
  std::uint32_t bytes() const {
    return hw::field_of<Map, Path>.extract_bytes(word<Path>());
  }
  template <fixed_string High, fixed_string Low>
  std::uint64_t address() const {
    return std::uint64_t{u<High>()} << 32 | bytes<Low>();
  }

 private:
  template <fixed_string Path>
  static consteval std::uint32_t address_of() {
    auto path = Path.view();
    return hw::detail::find_part(Map, path)->address;
  }
  template <fixed_string Path>
  std::uint32_t word() const {
    return registers_->word(group_, address_of<Path>());
  }

  const register_file<Map>* registers_;
  int group_;
};

}  // namespace nvdlac::sim
