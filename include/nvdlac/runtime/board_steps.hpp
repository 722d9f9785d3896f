// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
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
  board_planner(const trace& t, hw::register_map map) : trace_(t), map_(map) {
    out_.config = t.config;
    for (const auto& i : t.info) out_.network += (out_.network.empty() ? "" : ", ") + i;
    out_.status = hw::find(map, "GLB.S_INTR_STATUS")->address;
    for (const auto& c : t.commands) add(c);
    if (!high_.empty())
      throw error(text("the register ", name_of(high_.begin()->first), " gets half an address"));
    out_.memory = align_up(out_.memory, emit::address_space::page);
  }
  board_steps take() && { return std::move(out_); }

 private:
  static constexpr std::uint64_t first = emit::address_space::first;

  [[noreturn]] void refuse(const trace_command& c, std::string_view reason) const {
    throw error(problem{.file = trace_.name, .line = c.line, .reason = std::string(reason)});
  }

  std::string name_of(std::uint32_t address) const {
    const auto* r = hw::find(map_, address);
    return r == nullptr ? hex(address) : text(r->unit, '.', r->name);
  }
  static std::string hex(std::uint64_t v) { return text("0x", std::hex, v); }

  // The other half of an address, if this register is one: X_LOW of X_HIGH, and X_HIGH of X_LOW.
  const hw::reg* partner(std::uint32_t address, std::string_view half,
                         std::string_view other) const {
    auto name = name_of(address);
    const auto at = name.find(half);
    if (at == name.npos || name.find("ADDR") == name.npos) return nullptr;
    return hw::find(map_, name.replace(at, half.size(), other));
  }

  std::uint32_t offset_of(const trace_command& c, std::uint64_t size) {
    if (c.cvsram || c.address < first || c.address + size > first + 0xffffffffu)
      refuse(c, "a board's memory is one region of less than 4 GiB");
    out_.memory = std::max(out_.memory, c.address - first + size);
    return static_cast<std::uint32_t>(c.address - first);
  }

  std::size_t file_of(const trace_command& c) {
    const auto [known, is_new] = numbers_.try_emplace(c.file, out_.files.size());
    if (is_new) out_.files.push_back({c.file, trace_.files.at(c.file)});
    return known->second;
  }

  void write(const trace_command& c, board_step s) {
    if (const auto* low = partner(s.reg, "_HIGH", "_LOW"); low != nullptr) {
      if (c.value != 0) refuse(c, "an address beyond 4 GiB");
      told_.insert(s.reg);
      if (high_.erase(s.reg) != 0) return;  // written with the low half
    }
    const auto* high = partner(s.reg, "_LOW", "_HIGH");
    if (high != nullptr && c.value >= emit::address_space::cvsram && c.value < first)
      refuse(c, "an address in CVSRAM, of which a board's place is not known");
    if (high != nullptr && c.value >= first) {
      s.what = board_step::kind::address;
      s.high = high->address;
      s.value = c.value - static_cast<std::uint32_t>(first);
      if (!told_.contains(high->address)) high_.emplace(high->address, c.line);
    }
    out_.steps.push_back(std::move(s));
  }

  void add(const trace_command& c) {
    board_step s{.reg = static_cast<std::uint32_t>(c.address), .mask = c.mask, .value = c.value,
                 .remark = remark_of(trace_, c)};
    switch (c.what) {
      using enum trace_command::kind;
      case reg_write:
        s.meaning = hw::describe(map_, s.reg, c.value);
        return write(c, std::move(s));
      case reg_poll:
        s.what = board_step::kind::poll;
        s.meaning = hw::describe(map_, s.reg, c.value);
        break;
      case wait_done:
        s.what = board_step::kind::wait_done;
        s.reg = out_.status;
        break;
      case mem_load:
        if (c.offset != 0 || c.size != trace_.files.at(c.file).size())
          refuse(c, "a part of a file");
        s.what = board_step::kind::load;
        break;
      case mem_check: s.what = board_step::kind::check; break;
      case mem_fill:
      case reg_read:
      case wait_irq:
      case mem_crc:
      case mem_dump: refuse(c, "a program for a board has no such command");
    }
    if (c.what == trace_command::kind::mem_load || c.what == trace_command::kind::mem_check) {
      s.reg = 0;
      s.value = offset_of(c, c.size);
      s.file = file_of(c);
    }
    out_.steps.push_back(std::move(s));
  }

  const trace& trace_;
  hw::register_map map_;
  board_steps out_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::uint32_t, std::size_t> high_;  // halves that are yet to come, with their lines
  std::set<std::uint32_t> told_;  // halves that are 0; they are not told again with each low one
};

}  // namespace detail

// A trace of `emit::trace` for a board; the map is that of its configuration. A trace with memory
// elsewhere or other commands is an `error` with file and line.
inline board_steps steps_for_board(const trace& t, hw::register_map map) {
  return detail::board_planner(t, map).take();
}

}  // namespace nvdlac::runtime
