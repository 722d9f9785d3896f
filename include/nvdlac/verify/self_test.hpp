// SPDX-License-Identifier: Apache-2.0
#pragma once
// The proofs that an NVDLA has to give before it is trusted: that its registers are those of the
// configuration, and that each of its units computes what the simulator does.
#include <random>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::verification {

// A network of few layers, of which `units` do the work.
struct unit_test {
  std::string units{};
  quantised::graph network{};
  bool in_cvsram = false;  // what it hands on stands in the secondary memory
};

// With which its program is compiled for the configuration.
compile_options options_of(const unit_test& test, const hw::spec& hw);

// Networks for all units, precisions and memories that the configuration has, the same ones each
// time; but for BDMA, which no program of nvdlac uses.
std::vector<unit_test> unit_tests_of(const hw::spec& hw);

// Values for the inputs of such a network, of their precisions. Those of fp16 are from 1/8 to 8.
std::vector<quantised::feed> any_values(const std::vector<runtime::binding>& inputs,
                                        std::mt19937& random);

// Compares the words that describe an NVDLA (CFGROM, where the register map has it) with the
// configuration or with the public RTL's, and writes two patterns to the registers of layers and
// reads them back. All engines are idle, and their registers as after power-on afterwards. What is
// wrong names the register.
std::vector<problem> check_registers(const hw::spec& hw, const runtime::register_port& device);

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/self_test.ipp>
#endif
