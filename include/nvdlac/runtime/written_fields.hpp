// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/any_bus.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// Fields of registers by their names, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT".
using register_fields = std::map<std::string, std::uint32_t>;

namespace detail {

// A bus that keeps what is written, but for addresses, the entries of tables, and the choice of a
// register group.
struct kept_registers {
  hw::register_map map;
  register_fields fields{};

  void write(std::uint32_t address, std::uint32_t value) {
    const auto* r = hw::find(map, address);
    if (r == nullptr || r->name == "S_POINTER" || r->name.find("ADDR_") != r->name.npos ||
        r->name.starts_with("S_LUT_ACCESS"))
      return;
    for (const auto& f : r->fields)
      fields[r->fields.size() == 1 ? text(r->unit, '.', r->name)
                                   : text(r->unit, '.', r->name, '.', f.name)] = f.extract(value);
  }
};

}  // namespace detail

// Returns what a layer of the task writes to the fields of registers, but for addresses and the
// entries of tables; nothing for a layer of the host.
template <hw::hardware Hw>
register_fields written_fields(const loaded_task& task, std::size_t layer) {
  const auto& l = task.layers.at(layer);
  detail::kept_registers kept{.map = Hw::spec.map};
  emit::program<Hw>(l, task, emit::groups{}, emit::any_bus(kept));
  if (const auto lut = layer::lut_of(l.what); lut >= 0)
    emit::program_lut<Hw>(l.what, task.luts.at(static_cast<std::size_t>(lut)),
                          emit::any_bus(kept));
  return kept.fields;
}

}  // namespace nvdlac::runtime
