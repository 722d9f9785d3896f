// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <random>
#include <vector>

#include <nvdlac/net/tensor.hpp>

// A picture of smooth noise from `least` to 1, with its channels first.
inline nvdlac::net::float_tensor smooth_picture(int size, float least, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> d(least, 1);
  nvdlac::net::float_tensor x{{3, size, size}};
  const int coarse = 1 + size / 8;
  for (int c = 0; c < 3; ++c) {
    std::vector<float> grid(static_cast<std::size_t>(coarse * coarse));
    for (float& v : grid) v = d(random);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        x.values[x.shape.at(c, i, j)] =
            0.75F * grid[static_cast<std::size_t>(i / 8 * coarse + j / 8)] + 0.25F * d(random);
  }
  return x;
}
