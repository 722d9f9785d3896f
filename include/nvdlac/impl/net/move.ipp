// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void move::check(std::span<const shape>, diagnostics& found,
                             const std::string& layer) const {
  if (!std::isfinite(fill)) found.add({.layer = layer, .reason = "its fill value is not finite"});
  check_boxes(target, {boxes.data(), boxes.size()}, found, layer);
}

NVDLAC_IMPL float_tensor move::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y{infer(shapes_of(in))};
  move_elements({boxes.data(), boxes.size()}, in, fill, y);
  return y;
}

NVDLAC_IMPL std::vector<std::int32_t> sources_of(const move& m, shape in) {
  std::vector<std::int32_t> from(m.target.size(), -1);
  for (const box& b : m.boxes)
    if (b.input != box::filled)
      for_each_element(b, [&](position to, position source) {
        from[m.target.at(to.c, to.y, to.x)] =
            static_cast<std::int32_t>(in.at(source.c, source.y, source.x));
      });
  return from;
}

NVDLAC_IMPL float_tensor concat::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y{infer(shapes_of(in)), {}};
  for (const float_tensor* x : in)
    y.values.insert(y.values.end(), x->values.begin(), x->values.end());
  return y;
}

NVDLAC_IMPL move stack(std::span<const shape> in, bool columns) {
  move m{.target = in[0]};
  std::int64_t size = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const shape s = in[i];
    if (s.c != in[0].c || (columns ? s.h != in[0].h : s.w != in[0].w))
      throw error(text("its inputs ", in[0], " and ", s, " do not fit"));
    const auto first = static_cast<std::int32_t>(size);
    m.boxes.push_back({.input = static_cast<std::int32_t>(i),
                       .to = columns ? position{0, 0, first} : position{0, first, 0},
                       .loops = {{{s.c, {1, 0, 0}, {1, 0, 0}},
                                  {s.h, {0, 1, 0}, {0, 1, 0}},
                                  {s.w, {0, 0, 1}, {0, 0, 1}}}}});
    size += columns ? s.w : s.h;
    m.target = columns ? checked_shape(s.c, s.h, size) : checked_shape(s.c, size, s.w);
  }
  return m;
}

}  // namespace nvdlac::net
