// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

NVDLAC_IMPL std::string describe(register_map map, std::uint32_t address, std::uint32_t value) {
  const auto hex = [](std::uint32_t v) {
    text_stream out;
    out << (v < 10 ? "" : "0x") << std::hex << v;
    return out.str();
  };
  const auto* r = find(map, address);
  if (r == nullptr) return text("0x", std::hex, address);
  std::string s = text(r->unit, '.', r->name);
  for (const auto& f : r->fields) {
    const auto v = f.extract(value);
    std::string named = hex(v);
    for (const auto& known : f.values)
      if (known.value == v) named = known.name;
    s += text(' ', f.name, '=', named);
  }
  return s;
}

}  // namespace nvdlac::hw
