// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interpolation of one dimension at a time, where its factors for all together would be too many.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/net/constant.hpp>

namespace nvdlac::import::onnx_format {

// The inputs that each output is a sum of, in ascending order, and what they weigh; as many for
// each output, so that some weigh nothing.
struct neighbours {
  std::vector<dims> at{};                     // [neighbour][output]
  std::vector<std::vector<float>> weight{};   // likewise

  explicit neighbours(const factor_matrix& m) {
    for (std::int64_t o = 0; o < m.outputs; ++o) {
      std::size_t n = 0;
      for (std::int64_t i = 0; i < m.inputs; ++i) {
        const float w = m.values[static_cast<std::size_t>(o * m.inputs + i)];
        if (w == 0) continue;
        if (n == at.size()) grow(o, m);
        set(n++, o, i, w);
      }
      // The next one, as other outputs have it: few pieces of a regular pattern.
      for (; n < at.size(); ++n)
        set(n, o, n == 0 ? 0 : std::min(at[n - 1][static_cast<std::size_t>(o)] + 1, m.inputs - 1),
            0);
    }
  }

 private:
  void set(std::size_t n, std::int64_t output, std::int64_t input, float w) {
    at[n][static_cast<std::size_t>(output)] = input;
    weight[n][static_cast<std::size_t>(output)] = w;
  }
  // Another neighbour; the outputs before this one have it behind their last.
  void grow(std::int64_t output, const factor_matrix& m) {
    const std::size_t n = at.size(), outputs = static_cast<std::size_t>(m.outputs);
    at.emplace_back(outputs, 0);
    weight.emplace_back(outputs, 0.0F);
    for (std::int64_t o = 0; n > 0 && o < output; ++o)
      set(n, o, std::min(at[n - 1][static_cast<std::size_t>(o)] + 1, m.inputs - 1), 0);
  }
};

// Height (axis 2) or width (3) of x: the neighbours' lines or columns, times constants, summed as
// the layer `result`.
inline computed interpolated_along(const context& c, const computed& x, std::size_t axis,
                                   const factor_matrix& m, const std::string& result) {
  const std::string base = c.n.name() + (axis == 2 ? "/height" : "/width");
  const neighbours from(m);
  std::optional<computed> sum;
  for (std::size_t n = 0; n < from.at.size(); ++n) {
    const std::string name = base + std::to_string(n);
    auto steps = all_steps(x.shape);
    dims picked;
    for (const auto i : from.at[n]) picked.push_back(steps[axis][static_cast<std::size_t>(i)]);
    steps[axis] = std::move(picked);
    const computed near = moved(x, from_steps(steps), name, c.net.net().shape(x.node));
    const net::shape s = cube_of(near.shape);
    c.net.take_constant(s.size());
    net::float_tensor factors{s};
    for (std::size_t i = 0; i < factors.values.size(); ++i) {
      const auto place = net::place::of(i, s);
      factors.values[i] =
          from.weight[n][static_cast<std::size_t>(axis == 2 ? place.y : place.x)];
    }
    const auto k = c.net.add(name + "/factors", net::constant{std::move(factors)}, {});
    const bool last = n + 1 == from.at.size();
    const computed term{c.net.add(last && n == 0 ? result : name + "/share", net::multiply{},
                                  {c.net.as_cube(near), k}), near.shape};
    sum = sum ? computed{c.net.add(last ? result : name + "/sum", net::add{},
                                   {sum->node, term.node}), near.shape}
              : term;
  }
  return *sum;
}

// Above how many factors a product of both dimensions with a matrix costs more than this.
inline constexpr std::int64_t most_joint_factors = std::int64_t{1} << 17;

// Whether a picture is interpolated from d to `out` in two passes, or in one with two neighbours:
// the matrix would have factors for the dimensions from the first one on that changes.
inline bool is_separable(const dims& d, const dims& out) {
  return d.size() == 4 && d[0] == 1 && out[0] == 1 && d[1] == out[1] &&
         net::product({out[3], d[3], d[2] == out[2] ? 1 : out[2] * d[2]}) > most_joint_factors;
}

}  // namespace nvdlac::import::onnx_format
