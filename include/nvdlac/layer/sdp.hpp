// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of SDP.
#include <cstdint>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/lut.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::layer {

enum class sdp_alu : std::uint8_t { maximum = 0, minimum = 1, sum = 2 };
enum class sdp_mode : std::uint8_t { per_layer = 0, per_kernel = 1, per_point = 2 };

// X1 or X2 of SDP: y = round_shift(alu(x, operand << alu_shift) * multiplier, mul_shift), then
// ReLU. With `prelu` the multiplier and its shift are for negative numbers only. In fp16 the
// operands are fp16, and nothing is shifted.
struct sdp_unit {
  bool alu = false, mul = false, relu = false, prelu = false;
  sdp_alu algorithm = sdp_alu::sum;
  sdp_mode mode = sdp_mode::per_layer;
  std::uint8_t alu_shift = 0, mul_shift = 0;
  std::int16_t alu_operand = 0, mul_operand = 1;  // per layer
  // Per kernel: [alu][mul] or [alu,mul] interleaved for each channel; per point: a feature cube of
  // the alu operand. Elements of `operand_bytes`.
  std::uint8_t operand_bytes = 2;
  layer::surface operands{};

  constexpr bool enabled() const { return alu || mul || relu; }
  // Whether its operands are in memory.
  constexpr bool reads_memory() const { return (alu || mul) && mode != sdp_mode::per_layer; }
  constexpr bool operator==(const sdp_unit&) const = default;
};

// One pass of SDP. The source is CACC when input.at is on the fly;
// the result goes to PDP when output.at is. Pictures share the operands.
struct sdp {
  layer::surface input{};
  sdp_unit x1{}, x2{};
  converter out{};
  layer::surface output{};
  std::int16_t lut = -1;  // index into program::luts that Y looks X2's result up in; -1: none
  bool winograd = false;  // behind a convolution in that mode

  // In what SDP computes: int8 of int16 is made on the way in, and anything of int8 on the way out.
  constexpr hw::precision inside() const {
    const bool narrows = input.precision == hw::precision::int16 &&
                         output.precision == hw::precision::int8;
    return narrows ? hw::precision::int8 : input.precision;
  }
  constexpr bool operator==(const sdp&) const = default;
};

template <>
struct engine<sdp> {
  static constexpr const char* name = "SDP";
  static constexpr auto number = engine_number::sdp;
  static constexpr auto source = engine_number::convolution;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.SDP_DONE_STATUS0"};
  static constexpr register_blocks<"SDP"> cores{};
  static constexpr fixed_string reader{"SDP_RDMA"};
  static constexpr bool uses_reader(const sdp& l) {
    return !l.input.at.on_the_fly() || l.x1.reads_memory() || l.x2.reads_memory();
  }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
    if (l.x1.reads_memory()) visit(l.x1.operands, access::read);
    if (l.x2.reads_memory()) visit(l.x2.operands, access::read);
  }
};

}  // namespace nvdlac::layer
