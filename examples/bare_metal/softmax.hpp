// SPDX-License-Identifier: Apache-2.0
#pragma once
// The softmax that NVDLA leaves to the host, in int8, rounded as nvdlac's own runtime does, without
// libm.
#include <bit>
#include <cstdint>

#include <nvdlac/register_program.hpp>

#include "board.hpp"

// e^x of an x that is not above 0.
constexpr float exponential(float x) {
  if (x < -110) return 0;
  const int power = static_cast<int>(double{x} * 1.4426950408889634 - 0.5);
  const double rest = (double{x} - power * 6.93147180369123816490e-01) -
                      power * 1.90821492927058770002e-10;  // at most half of ln 2
  double sum = 1;
  for (int n = 14; n > 0; --n) sum = 1 + sum * rest / n;
  return static_cast<float>(sum *
                            std::bit_cast<double>(static_cast<std::uint64_t>(1023 + power) << 52));
}

// The nearest number of 11 bits, steps of at least 2^-24; of two the one farther from 0.
constexpr float half_precision(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffff) >= 0x38800000)  // 2^-14
    return std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
  const double steps = double{x} * 16777216;
  return static_cast<float>(static_cast<int>(steps + (steps < 0 ? -0.5 : 0.5))) / 16777216;
}

// In memory that begins at `base`.
inline void softmax(const nvdlac::host_softmax& s, std::uint64_t base) {
  const auto size = s.input.size;
  for (std::int32_t y = 0; y < size.h; ++y)
    for (std::int32_t x = 0; x < size.w; ++x) {
      const auto input = [&](std::int32_t c) {
        std::int8_t value = 0;
        memory_read(base + s.input.memory.address + s.input.offset(c, y, x), &value, 1);
        return half_precision(value * s.input_scale);
      };
      float top = input(0);
      for (std::int32_t c = 1; c < size.c; ++c) top = input(c) > top ? input(c) : top;
      float sum = 0;
      for (std::int32_t c = 0; c < size.c; ++c) sum += exponential(input(c) - top);
      for (std::int32_t c = 0; c < size.c; ++c) {
        const float share = half_precision(exponential(input(c) - top) / sum) / s.output_scale;
        const auto value = static_cast<std::int8_t>(share < 127 ? share : 127);
        memory_write(base + s.output.memory.address + s.output.offset(c, y, x), &value, 1);
      }
    }
}
