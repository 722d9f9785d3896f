// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/board_steps.hpp>
#include <nvdlac/runtime/trace.hpp>

namespace nvdlac::runtime {

namespace detail {

NVDLAC_IMPL board_planner::board_planner(const trace& t, hw::register_map map)
    : trace_(t), map_(map) {
  out_.config = t.config;
  for (const auto& i : t.info) out_.network += (out_.network.empty() ? "" : ", ") + i;
  out_.status = hw::find(map, "GLB.S_INTR_STATUS")->address;
  for (const auto& c : t.commands) add(c);
  if (!high_.empty())
    throw error(text("the register ", name_of(high_.begin()->first), " gets half an address"));
  out_.memory = align_up(out_.memory, emit::address_space::page);
}

NVDLAC_IMPL std::string board_planner::name_of(std::uint32_t address) const {
  const auto* r = hw::find(map_, address);
  return r == nullptr ? hex(address) : text(r->unit, '.', r->name);
}

NVDLAC_IMPL std::uint32_t board_planner::offset_of(const trace_command& c, std::uint64_t size) {
  if (c.cvsram || c.address < first || c.address + size > first + 0xffffffffu)
    refuse(c, "a board's memory is one region of less than 4 GiB");
  out_.memory = std::max(out_.memory, c.address - first + size);
  return static_cast<std::uint32_t>(c.address - first);
}

NVDLAC_IMPL std::size_t board_planner::file_of(const trace_command& c) {
  const auto [known, is_new] = numbers_.try_emplace(c.file, out_.files.size());
  if (is_new) out_.files.push_back({c.file, trace_.files.at(c.file)});
  return known->second;
}

NVDLAC_IMPL void board_planner::write(const trace_command& c, board_step s) {
  if (const auto* low = partner(s.reg, "_HIGH", "_LOW"); low != nullptr) {
    if (c.value != 0) refuse(c, "an address beyond 4 GiB");
    zero_halves_.insert(s.reg);
    if (high_.erase(s.reg) != 0) return;  // written with the low half
  }
  const auto* high = partner(s.reg, "_LOW", "_HIGH");
  if (high != nullptr && c.value >= emit::address_space::cvsram && c.value < first)
    refuse(c, "an address in CVSRAM, of which a board's place is not known");
  if (high != nullptr && c.value >= first) {
    s.what = board_step::kind::address;
    s.high = high->address;
    s.value = c.value - static_cast<std::uint32_t>(first);
    if (!zero_halves_.contains(high->address)) high_.emplace(high->address, c.line);
  }
  out_.steps.push_back(std::move(s));
}

NVDLAC_IMPL void board_planner::add(const trace_command& c) {
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

}  // namespace detail

NVDLAC_IMPL board_steps steps_for_board(const trace& t, hw::register_map map) {
  return detail::board_planner(t, map).take();
}

}  // namespace nvdlac::runtime
