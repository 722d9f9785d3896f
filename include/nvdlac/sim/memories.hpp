// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/cube.hpp>

namespace nvdlac::sim {

// The two memories of a device as the RAM_TYPE fields select them: 1 DRAM, 0 CVSRAM.
template <hw::hardware Hw>
struct memories {
  sim::memory dram, cvsram;
  sim::settings settings;
  tolerance rules;

  explicit memories(const sim::settings& s)
      : dram("dram", Hw::spec.address_bits, s.memory),
        cvsram("cvsram", Hw::spec.address_bits, s.memory),
        settings(s),
        rules(s.lenient) {}

  memory& select(bool mc, std::string_view where) {
    require(mc || Hw::spec.has_sram(), where,
            "RAM_TYPE 0 selects the secondary memory, which this configuration does not have");
    return mc ? dram : cvsram;
  }
};

}  // namespace nvdlac::sim
