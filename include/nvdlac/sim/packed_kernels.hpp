// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order in which the CBUF holds int8 weights, and that in which `dot_function` takes them.
#include <vector>

#include <nvdlac/sim/convolution.hpp>
#include <nvdlac/sim/dot.hpp>

namespace nvdlac::sim {

// Runs of elements that lie side by side in the input's lines as in the kernels, cut into steps of
// four bytes; the last one of a run may look beyond it, with weights of 0.
struct kernel_steps {
  std::vector<std::size_t> offsets{};  // of each step's input from the pixel, in bytes
  std::size_t run = 1, runs_per_line = 1, steps_per_run = 1;

  // `line`: bytes of a line of the input.
  void choose(const convolution& c, std::size_t line, std::size_t element_bytes) {
    runs_per_line = c.dilation_x == 1 ? 1 : c.kernel_width;
    run = c.dilation_x == 1 ? std::size_t{c.kernel_width} * c.channels : c.channels;
    steps_per_run = (run * element_bytes + 3) / 4;
    offsets.clear();
    for (std::size_t r = 0; r < c.kernel_height; ++r)
      for (std::size_t i = 0; i < runs_per_line; ++i)
        for (std::size_t step = 0; step < steps_per_run; ++step)
          offsets.push_back(r * c.dilation_y * line +
                            i * c.dilation_x * c.channels * element_bytes + step * 4);
  }
};

// Eight kernels, without the steps in which all their weights are 0.
class packed_kernels {
 public:
  std::vector<dot_step> weights{};
  std::vector<std::size_t> offsets{};

  // Kernels [first, first + 8) of the layer, those beyond the last 0. `group`: kernels of one
  // group; `block`: channels of one weight block. Element: how weights shall be stored.
  template <class Element>
  void pack(const convolution& c, const kernel_steps& steps, std::span<const std::uint8_t> from,
            std::size_t first, std::size_t group, std::size_t block) {
    weights.assign(steps.offsets.size(), {});
    for (std::size_t k = first; k < std::min<std::size_t>(first + dot_kernels, c.kernels); ++k) {
      const auto g = k / group * group;
      const auto* at = reinterpret_cast<const std::int8_t*>(from.data()) + g * c.kernel_elements();
      const auto in_group = std::min<std::size_t>(group, c.kernels - g);
      const target<Element> to{steps, weights.data(), 4 * (k - first)};
      if (c.y_extension > 1) extended(c, at, k - g, in_group, to);
      else direct(c, at, k - g, in_group, block, to);
    }
    offsets.clear();
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != dot_step{}) {
        weights[offsets.size()] = weights[i];
        offsets.push_back(steps.offsets[i]);
      }
  }

 private:
  // One kernel's place in the steps.
  template <class Element>
  struct target {
    static constexpr std::size_t per_step = 4 / sizeof(Element);
    const kernel_steps& steps;
    dot_step* weights;
    std::size_t byte;  // of a step

    // `n` elements of line `r`, from element `e` of it.
    void put(std::size_t r, std::size_t e, const std::int8_t* from, std::size_t n) const {
      while (n != 0) {
        const auto at = e % steps.run, part = std::min(n, steps.run - at);
        auto* to = weights + (r * steps.runs_per_line + e / steps.run) * steps.steps_per_run;
        std::size_t i = 0;
        if (at % per_step == 0)
          for (; i + per_step <= part; i += per_step) {
            std::array<Element, per_step> v;
            for (std::size_t j = 0; j < per_step; ++j) v[j] = from[i + j];
            std::memcpy(to[(at + i) / per_step].bytes.data() + byte, v.data(), 4);
          }
        for (; i < part; ++i) {
          const Element v = from[i];
          const auto in_step = (at + i) % per_step * sizeof v;
          std::memcpy(to[(at + i) / per_step].bytes.data() + byte + in_step, &v, sizeof v);
        }
        e += part, from += part, n -= part;
      }
    }
  };

  // Group: block of channels, line, column, kernel, channel. An image's columns are channels.
  template <class Target>
  static void direct(const convolution& c, const std::int8_t* from, std::size_t index,
                     std::size_t in_group, std::size_t block, const Target& to) {
    const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
    const std::size_t columns = c.pixel ? 1 : c.kernel_width;
    for (std::size_t c0 = 0; c0 < channels; c0 += block) {
      const auto n = std::min(block, channels - c0);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t column = 0; column < columns; ++column)
          to.put(r, column * channels + c0, from + ((r * columns + column) * in_group + index) * n,
                 n);
      from += n * c.kernel_height * columns * in_group;
    }
  }

  // Group: `y_extension` lines at a time, kernel, line, element.
  template <class Target>
  static void extended(const convolution& c, const std::int8_t* from, std::size_t index,
                       std::size_t in_group, const Target& to) {
    const std::size_t line = std::size_t{c.channels} * c.kernel_width;
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        to.put(r0 + r, 0, from + (index * rows + r) * line, line);
      from += in_group * rows * line;
    }
  }
};

}  // namespace nvdlac::sim
