// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/version.hpp>

// The inner loop of the int8 convolution: dot products of eight kernels with up to 16 pixels, a
// function of its own for each instruction set. (docs/simulator.md has what Google's Highway takes
// in their place.)

namespace nvdlac::sim {

inline constexpr std::size_t dot_kernels = 8, dot_pixels = 16;

// Weights of eight kernels for four bytes of input.
struct alignas(32) dot_step {
  std::array<std::uint8_t, 4 * dot_kernels> bytes{};
  bool is_zero() const {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data(), sizeof bytes);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
  }
};

// The input that a step of a kernel is multiplied by: the same four bytes for all kernels, or,
// depthwise, for kernel k the k-th of eight elements (its other weights of the step are 0), or the
// k-th of each of up to four neighbouring pixels (its last weights of the step).
enum class dot_input { common, own, row };

struct dot_operands {
  std::span<const std::size_t> offsets{};  // of each step's input from the pixel, in bytes
  const dot_step* weights = nullptr;
  const std::int32_t* bias = nullptr;  // of each kernel, added before rounding
  int truncate = 0;                    // the sum is shifted by, rounded half away from zero
  const std::uint8_t* neighbours = nullptr;  // of `row`: the pixels of each step
};

// Pixels lie `stride` bytes apart; results of pixel p go to out[p * out_stride + kernel]. All sums
// are modulo 2^32.
using dot_function = void (*)(const std::uint8_t* x, std::size_t stride, const dot_operands& d,
                              std::int32_t* out, std::size_t out_stride);

// Spreads `n` values as elements.
using spread_function = void (*)(const std::int8_t* from, std::size_t n, void* to);

struct instruction_set {
  std::string_view name{};
  // 1: input bytes are 128 more than the value, weights int8. 2: both are int16.
  std::size_t element_bytes = 2;
  std::size_t pixels = 1;  // at most, of a function: as many sums as the processor has registers
  bool rows = false;        // has dot_input::row, for stride and dilation 1
  spread_function spread = nullptr;
  std::array<std::array<dot_function, dot_pixels>, 3> dot{};  // [dot_input][pixels - 1]
};

// |sum| < 2^31 whatever the values: every product is at most 2^14.
inline constexpr std::size_t longest_narrow_dot = (std::size_t{1} << 17) - 1;
// The bound for unsigned input (255 * 128), from whose sum the bias is still to be subtracted.
inline constexpr std::size_t longest_biased_dot = 65536;
inline constexpr std::uint64_t longest_dot = std::uint64_t{1} << 40;

// The instruction sets of this processor, the fastest first.
const std::vector<const instruction_set*>& instruction_sets();

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/kernels/dot.ipp>
#endif
