// SPDX-License-Identifier: Apache-2.0
#pragma once
// One layer of SDP as the registers of SDP and SDP_RDMA ask for it.
#include <cstddef>
#include <cstdint>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/sdp/arithmetic.hpp>

namespace nvdlac::sim {

// Operands that SDP_RDMA fetches for one sub-unit: alu, mul, or pairs of both.
struct sdp_operands {
  bool alu = false, mul = false, per_element = false;
  std::uint32_t bytes = 1;  // of one operand
  cube source{};            // its unit: lanes * operands * bytes
};

// Operands in registers are 16 bits: an integer, or fp16.
struct sdp_x {
  bool bypass = true, alu_bypass = true, mul_bypass = true, relu = false, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int alu_shift = 0, mul_shift = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  sdp_operands operands{};
};

// Operands in registers are 32 bits: an integer, or fp32.
struct sdp_y {
  bool bypass = true, alu_bypass = true, mul_bypass = true, prelu = false, lut = false;
  bool alu_from_memory = false, mul_from_memory = false;
  bool alu_convert = false, mul_convert = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int truncate = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  converter alu_converter{}, mul_converter{};
  sdp_operands operands{};

  // Compares with the operand: the layer has a status as its result, and no other output.
  bool compares() const { return !bypass && !alu_bypass && algorithm == alu_algorithm::equal; }
};

struct sdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, batches = 1;
  // The precisions of the input in memory, of the surfaces inside, which CACC and the operands
  // share, and of the output.
  hw::precision in = hw::precision::int8, proc = hw::precision::int8, out = hw::precision::int8;
  bool flying = false, to_pdp = false, winograd = false, nan_to_zero = false;
  bool reads_memory = false;  // needs SDP_RDMA
  cube source{}, destination{};
  std::uint64_t batch_stride = 0;  // of the output
  sdp_x x1{}, x2{};
  sdp_y y{};
  converter output{};
  lut_settings lut{};
  bool count_lut = false;  // PERF_LUT_EN

  // Surfaces of memory that one surface inside comes from, or becomes.
  std::size_t sources() const { return hw::element_bytes(in) / hw::element_bytes(proc); }
  std::size_t results() const {
    return proc == hw::precision::int8 ? hw::element_bytes(out) : 1;
  }
};

// The events of one layer, as the hardware counts them: with the lanes beyond the last channel.
struct sdp_counts {
  std::uint64_t saturated = 0;  // beyond the 17 bits of the output converter, or the largest fp16
  std::uint64_t nan_in = 0, infinite_in = 0, nan_out = 0;
  bool unequal = false;
  lut_counts lut{};
  constexpr bool operator==(const sdp_counts&) const = default;
};

}  // namespace nvdlac::sim
