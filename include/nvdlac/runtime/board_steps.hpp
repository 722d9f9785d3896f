// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/trace.hpp>

namespace nvdlac::runtime {

// A trace for a board, whose memory lies where its system wants: addresses in registers and of
// files count from the start of that memory.

struct board_step {
  enum class kind : std::uint8_t {
    write,      // value to a register
    address,    // memory's address + value, to a register (bits 0-31) and to `high` (bits 32-63)
    poll,       // until the bits of mask are those of value
    wait_done,  // until all bits of mask were seen in GLB.S_INTR_STATUS, which are then cleared
    load,       // a file to memory at value
    check       // memory at value must be the file
  };
  kind what{};
  std::uint32_t reg = 0, high = 0;  // bytes from the base of NVDLA
  std::uint32_t mask = 0, value = 0;
  std::size_t file = 0;  // of board_steps::files
  std::string remark{}, meaning{};
};

struct board_steps {
  struct file {
    std::string name;
    std::vector<std::uint8_t> bytes{};
  };
  std::string config, network;
  std::uint32_t status = 0;      // the address of GLB.S_INTR_STATUS
  std::uint64_t memory = 0;      // bytes that the program needs, from a page on
  std::vector<board_step> steps{};
  std::vector<file> files{};     // each once, in the order of their first use
};

namespace detail {

class board_planner {
 public:
  board_planner(const trace& t, hw::register_map map);
  board_steps take() && { return std::move(out_); }

 private:
  static constexpr std::uint64_t first = emit::address_space::first;

  [[noreturn]] void refuse(const trace_command& c, std::string_view reason) const {
    throw error(problem{.file = trace_.name, .line = c.line, .reason = std::string(reason)});
  }

  std::string name_of(std::uint32_t address) const;
  static std::string hex(std::uint64_t v) { return text("0x", std::hex, v); }

  // The other half of an address, if this register is one: X_LOW of X_HIGH, and X_HIGH of X_LOW.
  const hw::reg* partner(std::uint32_t address, std::string_view half,
                         std::string_view other) const {
    auto name = name_of(address);
    const auto at = name.find(half);
    if (at == name.npos || name.find("ADDR") == name.npos) return nullptr;
    return hw::find(map_, name.replace(at, half.size(), other));
  }

  std::uint32_t offset_of(const trace_command& c, std::uint64_t size);

  std::size_t file_of(const trace_command& c);

  void write(const trace_command& c, board_step s);

  void add(const trace_command& c);

  const trace& trace_;
  hw::register_map map_;
  board_steps out_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::uint32_t, std::size_t> high_;  // halves that are yet to come, with their lines
  std::set<std::uint32_t> zero_halves_;  // which are not written again with each low one
};

}  // namespace detail

// A trace of `emit::trace` for a board; the map is that of its configuration. A trace with memory
// elsewhere or other commands is an `error` with file and line.
board_steps steps_for_board(const trace& t, hw::register_map map);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/board_steps.ipp>
#endif
