// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of an int8 convolution in the order in which `dot_function` takes them.
#include <bit>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/kernels/dot.hpp>

namespace nvdlac::sim {

// Where a layer's kernels meet its input's lines, of `line` bytes with elements of `element_bytes`.
struct kernel_geometry {
  convolution c{};
  std::size_t line = 0, element_bytes = 1;
  std::size_t group = 8, block = 8;  // kernels of a group, channels of a weight block
  bool rows = false;                 // steps of neighbouring pixels can be computed
};

// Eight kernels, without the steps in which all their weights are 0.
class packed_kernels {
 public:
  std::vector<dot_step> weights{};
  std::vector<std::size_t> offsets{};  // of each step's input from the pixel, in bytes
  std::vector<std::uint8_t> neighbours{};  // of dot_input::row: the pixels of each step
  dot_input input = dot_input::common;

  // Kernels [first, first + 8) of the layer, those beyond the last 0. Element: how weights shall be
  // stored, in `element_bytes`.
  template <class Element>
  void pack(const kernel_geometry& g, std::span<const std::uint8_t> from, std::size_t first);

 private:
  template <class Element>
  struct packing {
    static constexpr std::size_t per_step = 4 / sizeof(Element);
    const kernel_geometry& g;
    const std::int8_t* from;
    std::size_t first, end;  // kernels

    // Whether all of `n` weights are 0, but that of index `own`.
    static bool is_zero(const std::int8_t* from, std::size_t n, std::size_t own) {
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < n; i += 8) {
        std::array<std::uint8_t, 8> bytes{};
        std::memcpy(bytes.data(), from + i, std::min<std::size_t>(n - i, 8));
        if (own - i < 8) bytes[own - i] = 0;
        any |= std::bit_cast<std::uint64_t>(bytes);
      }
      return any == 0;
    }

    // Whether kernel k has weights for channel k only.
    bool depthwise() const {
      bool only = !g.c.pixel && first < end && end <= g.c.channels;
      for (auto k = first; only && k < end; ++k)
        each_weight_run(g.c, g.group, g.block, k,
                        [&](std::size_t at, std::size_t, std::size_t, std::size_t c0,
                            std::size_t n) { only = only && is_zero(from + at, n, k - c0); });
      return only;
    }

    // Steps of each line, of up to `most` columns.
    void pack_depthwise(packed_kernels& to, std::size_t most) const {
      const auto& c = g.c;
      const auto steps = in_memory(ceil_div(c.kernel_width, most));  // of a line
      to.weights.assign(c.kernel_height * steps, {});
      to.offsets.clear();
      to.neighbours.clear();
      const auto columns = [&](std::size_t step) {
        return std::min<std::size_t>(most, c.kernel_width - step * most);
      };
      for (auto k = first; k < end; ++k)
        each_weight_run(c, g.group, g.block, k,
                        [&](std::size_t at, std::size_t r, std::size_t column, std::size_t c0,
                            std::size_t n) {
          if (k < c0 || k >= c0 + n) return;
          const Element v = from[at + k - c0];
          const auto step = column / most;
          // `own` takes the first place, `row` the last ones.
          const auto place = most == 1 ? 0 : most - columns(step) + column % most;
          std::memcpy(to.weights[r * steps + step].bytes.data() + 4 * (k - first) + place, &v,
                      sizeof v);
        });
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t step = 0; step < steps; ++step) {
          to.offsets.push_back(r * c.dilation_y * g.line +
                               (step * most * c.dilation_x * c.channels + first) *
                                   g.element_bytes);
          to.neighbours.push_back(static_cast<std::uint8_t>(columns(step)));
        }
    }

    // Runs of elements that lie side by side in the lines as in the kernels, cut into steps of four
    // bytes; the last one of a run may look beyond it, with weights of 0.
    void pack(packed_kernels& to) const {
      const auto& c = g.c;
      const std::size_t runs = c.pixel || c.dilation_x == 1 ? 1 : c.kernel_width;  // of a line
      const std::size_t run = std::size_t{c.kernel_width} * c.channels / runs;
      const auto steps = in_memory(ceil_div(run, per_step));
      to.weights.assign(c.kernel_height * runs * steps, {});
      // Kernels of a group take turns after each run, but of an image's joined lines.
      const bool alternates =
          c.y_extension == 1 && first % dot_kernels == 0 && g.group % dot_kernels == 0;
      for (auto k = first; k < end; k += alternates ? dot_kernels : 1)
        each_weight_run(c, g.group, g.block, k,
                        [&](std::size_t at, std::size_t r, std::size_t column, std::size_t c0,
                            std::size_t n) {
          const auto e = runs == 1 ? column * c.channels + c0 : c0;  // of the run
          auto* begin = &to.weights[(runs == 1 ? r : r * runs + column) * steps];
          if (!alternates) put<1>(from + at, n, e, begin, k - first);
          else if (end - k == dot_kernels) put<dot_kernels>(from + at, n, e, begin, 0);
          else
            for (std::size_t i = 0; k + i < end; ++i) put<1>(from + at + i * n, n, e, begin, i);
        });
      to.offsets.clear();
      const auto* step = to.weights.data();
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t i = 0; i < runs; ++i) {
          const auto begin = r * c.dilation_y * g.line +
                             i * c.dilation_x * c.channels * g.element_bytes;
          for (auto at = begin; at < begin + 4 * steps; at += 4, ++step)
            if (!step->is_zero()) {
              to.weights[to.offsets.size()] = *step;
              to.offsets.push_back(at);
            }
        }
    }

    // `n` elements of each of `Kernels` kernels, one kernel after the other, from element `e` of a
    // run, which begins at `to`; `kernel`: the first one's place in the steps.
    template <std::size_t Kernels>
    static void put(const std::int8_t* from, std::size_t n, std::size_t e, dot_step* to,
                    std::size_t kernel) {
      std::size_t i = 0;
      if (e % per_step == 0)
        for (; i + per_step <= n; i += per_step) {
          auto* bytes = to[(e + i) / per_step].bytes.data() + 4 * kernel;
          for (std::size_t k = 0; k < Kernels; ++k) {
            const auto* at = from + k * n + i;
            if constexpr (sizeof(Element) == 1) {
              std::memcpy(bytes + 4 * k, at, 4);
            } else {
              const std::array<Element, 2> v{at[0], at[1]};
              std::memcpy(bytes + 4 * k, v.data(), 4);
            }
          }
        }
      for (; i < n; ++i) {
        auto* bytes = to[(e + i) / per_step].bytes.data() + (e + i) % per_step * sizeof(Element);
        for (std::size_t k = 0; k < Kernels; ++k) {
          const Element v = from[k * n + i];
          std::memcpy(bytes + 4 * (kernel + k), &v, sizeof v);
        }
      }
    }
  };
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/packed_kernels.ipp>
#endif
