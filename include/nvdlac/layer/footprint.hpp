// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which cubes a layer reads and writes.
#include <variant>

#include <nvdlac/layer/layer.hpp>

namespace nvdlac::layer {

// visit(const surface&) for every cube in memory that the layer reads.
template <class Visit>
constexpr void for_each_read(const any& what, Visit visit) {
  const auto in_memory = [&](const surface& cube) {
    if (!cube.at.on_the_fly()) visit(cube);
  };
  if (const auto* c = std::get_if<convolution>(&what)) {
    in_memory(c->input);
    in_memory(c->weights);
  } else if (const auto* s = std::get_if<sdp>(&what)) {
    in_memory(s->input);
    in_memory(s->x1.operands);
    in_memory(s->x2.operands);
  } else if (const auto* called = std::get_if<host_call>(&what)) {
    for (const auto& cube : called->inputs()) in_memory(cube);
  } else {
    std::visit([&](const auto& l) { if constexpr (requires { l.input; }) in_memory(l.input); },
               what);
  }
}

// visit(const surface&) for the cube in memory that the layer writes, if any.
template <class Visit>
constexpr void for_each_write(const any& what, Visit visit) {
  std::visit([&](const auto& l) {
    if constexpr (requires { l.output.at.on_the_fly(); })  // a convolution has none
      if (!l.output.at.on_the_fly()) visit(l.output);
  }, what);
}

}  // namespace nvdlac::layer
