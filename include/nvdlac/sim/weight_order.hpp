// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the elements of one kernel lie among the weights of a direct convolution.
#include <algorithm>

#include <nvdlac/sim/convolution.hpp>

namespace nvdlac::sim {

// f(from, line, column, first, n): the `n` elements from index `from` of the weights are those of
// kernel `k` in `line` and `column`, channels [first, first + n). An image has one column, of
// kernel width x channels. `group`: kernels of a kernel group; `block`: channels of a block.
template <class F>
constexpr void each_weight_run(const convolution& c, std::size_t group, std::size_t block,
                               std::size_t k, F&& f) {
  const std::size_t start = k / group * group, index = k - start;
  const auto in_group = std::min<std::size_t>(group, c.kernels - start);
  auto from = start * static_cast<std::size_t>(c.kernel_elements());
  const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
  const std::size_t columns = c.pixel ? 1 : c.kernel_width;
  if (c.y_extension > 1) {  // some lines at a time, kernel, line
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        f(from + (index * rows + r) * channels, r0 + r, std::size_t{0}, std::size_t{0}, channels);
      from += in_group * rows * channels;
    }
    return;
  }
  for (std::size_t c0 = 0; c0 < channels; c0 += block) {  // block, line, column, kernel
    const auto n = std::min(block, channels - c0);
    for (std::size_t r = 0; r < c.kernel_height; ++r)
      for (std::size_t column = 0; column < columns; ++column)
        f(from + ((r * columns + column) * in_group + index) * n, r, column, c0, n);
    from += n * c.kernel_height * columns * in_group;
  }
}

}  // namespace nvdlac::sim
