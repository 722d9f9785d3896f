// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an NVDLA has to prove before it is trusted: that its registers are those of the configuration,
// and that each of its units computes what the simulator does.
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/device.hpp>

namespace nvdlac::verification {

// A network of few layers in integers, of which `units` do the work.
struct unit_test {
  std::string units{};
  quantised::graph network{};
};

// Networks for all units that the configuration has, in int8, the same ones each time.
std::vector<unit_test> unit_tests_of(const hw::spec& hw);

// Compares the words that describe an NVDLA (CFGROM, where the register map has it) with the
// configuration or with the public RTL's, and writes two patterns to the registers of layers and reads
// them back. All engines are idle, and their registers as after power-on afterwards. What is wrong names
// the register.
std::vector<problem> check_registers(const hw::spec& hw, const runtime::register_port& device);

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/self_test.ipp>
#endif
