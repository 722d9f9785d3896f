// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/sdp/arithmetic.hpp>
#include <nvdlac/sim/sdp/layer.hpp>
#include <nvdlac/sim/sdp/stage.hpp>

namespace nvdlac::sim {

// The fp16 side of SDP on whole blocks, for those that hold only zeros and normal numbers: on them
// the hardware computes as IEEE 754 has it, but for the sign of a sum of 0. Each function says
// whether the block was such a one; if not, its result is of no use.
using sdp_integers = std::array<std::int32_t, sdp_block>;

bool quick_widen(sdp_integers& halves);

bool quick_narrow(const std::int32_t* v, sdp_integers& halves);

bool quick_add(const sdp_integers& a, const sdp_integers& b, sdp_integers& to);

bool quick_mul(const sdp_integers& a, const sdp_integers& b, bool prelu, sdp_integers& to);

// SDP's integers on whole blocks where 32 bits are proven to hold every sum and product; the
// caller knows the largest magnitudes.

// The largest magnitude of a block's numbers, and of those of 32 bits.
using sdp_magnitude = std::int64_t;
inline constexpr sdp_magnitude sdp_any_magnitude = sdp_magnitude{1} << 31;
constexpr sdp_magnitude sdp_magnitude_of(std::int32_t x) { return x < 0 ? -sdp_magnitude{x} : x; }

// A product divided by 2^shift, half away from zero.
struct sdp_rounding {
  int shift = 0;
  std::int32_t half = 0, below_zero = 0;

  constexpr explicit sdp_rounding(int s)
      : shift(s), half(s == 0 ? 0 : std::int32_t{1} << (s - 1)), below_zero(s == 0 ? 0 : -1) {}
  [[gnu::always_inline]] constexpr std::int32_t operator()(std::int32_t x) const {
    return (x + half + (x >> 31 & below_zero)) >> shift;
  }
  // Whether 32 bits hold what comes between.
  static constexpr bool holds(sdp_magnitude x, int shift) {
    return shift < 31 && x + (shift == 0 ? 0 : sdp_magnitude{1} << (shift - 1)) <= INT32_MAX;
  }
  static constexpr sdp_magnitude of_result(sdp_magnitude x, int shift) {
    return shift == 0 ? x : (x + (sdp_magnitude{1} << (shift - 1))) >> shift;
  }
};

// A block of `Count` interleaved streams, of which number `which` is taken: of int8, of int16, and
// one of uint16.
template <class T, std::size_t Count>
void widen_block(const std::uint8_t* from, std::size_t which, sdp_integers& to);

void sdp_alu_block(alu_algorithm a, sdp_integers& v, const sdp_integers& operands);
void sdp_mul_block(bool prelu, sdp_integers& v, const sdp_integers& operands, int shift);
void sdp_shift_block(sdp_integers& v, int shift);
void sdp_left_block(sdp_integers& v, int shift);
void sdp_relu_block(sdp_integers& v);

// The low bits of a block, as int8, int16 or uint16.
template <class T>
void narrow_block(const sdp_integers& v, std::array<T, sdp_block>& to);

// How many are not in the interval.
std::uint32_t count_outside(const std::int32_t* v, const sdp_interval& in);

// One surface of a cube from first to last, its lines joined, where it lies in memory as far as it
// lies together there. Nothing may be written to it meanwhile.
class surface_reader {
 public:
  void begin(const cube& c, std::uint64_t surface);

  // `n` bytes from byte `begin` of the surface on, which exists; those beyond the end are anything.
  const std::uint8_t* bytes(std::size_t begin, std::size_t n);

 private:
  const memory* ram_ = nullptr;
  std::uint64_t base_ = 0;
  const std::uint8_t* at_ = nullptr;          // bytes [first_, last_)
  std::size_t size_ = 0, first_ = 0, last_ = 0;
  bool joined_ = false;                       // from lines that lie apart, in `copy_`
  std::vector<std::uint8_t> copy_, border_;
};

// The operands that SDP_RDMA fetches for one sub-unit, block by block.
// Operands of one surface: of each lane, or of each element.
class sdp_operand_reader {
 public:
  void begin(const sdp_operands& o, std::size_t surface, std::size_t lanes);

  // The magnitude of the numbers in memory.
  sdp_magnitude magnitude() const { return sdp_magnitude{1} << (8 * operands_->bytes - 1); }

  bool alu_per_element() const { return operands_->alu && operands_->per_element; }
  bool mul_per_element() const { return operands_->mul && operands_->per_element; }

  // The operands of the block that begins at an element of the surface.
  void alu(std::size_t at, sdp_integers& to) { fetch(at, 0, to); }
  void mul(std::size_t at, sdp_integers& to) { fetch(at, pair() - 1, to); }

 private:
  std::size_t pair() const { return operands_->alu && operands_->mul ? 2 : 1; }

  std::size_t block_bytes() const { return sdp_block * operands_->bytes * pair(); }

  void fetch(std::size_t at, std::size_t which, sdp_integers& to);

  const sdp_operands* operands_ = nullptr;
  surface_reader surface_;
  std::vector<std::uint8_t> raw_;  // of a block, of operands for each lane
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/sdp/block.ipp>
#endif
