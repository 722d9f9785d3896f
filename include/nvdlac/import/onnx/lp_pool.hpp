// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poolings by a norm: of each window the p-th root of the sum of its magnitudes to the power of p.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/window.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/multiply.hpp>
#include <nvdlac/net/prelu.hpp>
#include <nvdlac/net/sliding.hpp>

namespace nvdlac::import::onnx_format {

// Magnitudes and squares need no table; other powers, and roots, do. Each channel is summed by a
// convolution with ones: an average would divide the windows at the edges by less.
inline std::vector<value> norms_of_windows(const context& c, net::window w, bool ceil) {
  const auto p = c.n.integer("p", 2);
  if (p < 1 || p > 64)
    throw error(problem{.reason = text("its p is ", p), .remedy = "1 to 64 are supported"});
  const computed& x = c.tensor(0);
  const net::shape seen = cube_of(x.shape);
  // What the last windows reach beyond the padding counts as zeros, as the padding does.
  w = net::padded_for(w, seen, net::fit_window(w, seen, seen.c, ceil).value());
  const padded source = c.net.as_padded(x, seen);
  const auto& name = c.n.name();
  const auto add = [&](const std::string& layer, auto op, std::vector<assembly::id> inputs) {
    return c.net.add(layer, std::move(op), std::move(inputs));
  };
  auto n = source.node;
  constexpr auto power = net::function::power;
  if (p % 2 == 1) n = add(name + "/magnitude", net::prelu{{-1.0F}}, {n});
  if (p == 2) n = add(name + "/square", net::multiply{}, {n, n});
  else if (p > 2)
    n = add(name + "/power", net::activation{.function = power, .gamma = static_cast<float>(p)},
            {n});
  const auto ones = static_cast<std::size_t>(net::product({seen.c, w.kernel_h, w.kernel_w}));
  require_within(&budget::weights, ones);
  n = add(p == 1 ? name : name + "/sum",
          net::convolution{.kernels = seen.c, .window = widened(w, source.zeros),
                           .groups = seen.c, .weights = std::vector(ones, 1.0F)}, {n});
  if (p > 1)
    n = add(name, net::activation{.function = power, .gamma = 1 / static_cast<float>(p)}, {n});
  return as_picture(c, n, x.shape.size());
}

inline std::vector<value> on_lp_pool(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  require_picture(shape);
  const bool ceil = c.n.flag("ceil_mode", false);
  return norms_of_windows(c, window_of(c.n, {}, cube_of(shape), shape.size() - 2), ceil);
}

inline std::vector<value> on_global_lp_pool(const context& c) {
  c.require_inputs(1, 1);
  require_picture(c.tensor(0).shape);
  const net::shape seen = cube_of(c.tensor(0).shape);
  return norms_of_windows(c, {.kernel_h = seen.h, .kernel_w = seen.w}, false);
}

}  // namespace nvdlac::import::onnx_format
