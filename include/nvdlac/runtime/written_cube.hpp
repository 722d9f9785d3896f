// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a layer of a running program has written.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include <nvdlac/base/label.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// A cube in memory, just after its layer has written it.
struct written_cube {
  std::size_t task = 0, operation = 0;
  label layer{};
  layer::surface surface{};
  std::uint64_t address = 0;       // of its first byte
  std::optional<double> scale{};   // real = scale * integer, where the program tells it
};

// The scale of what a layer writes to `at`. A loadable has those of inputs, outputs and layers of
// the host, and its notes those of the others.
inline std::optional<double> scale_of(const loaded_program& p, const layer::layer& l,
                                      const emit::place& at) {
  if (const auto* softmax = std::get_if<layer::host_softmax>(&l.what))
    return static_cast<double>(softmax->output_scale);
  if (const auto* call = std::get_if<layer::host_call>(&l.what)) return call->output_scale;
  for (const auto& b : p.outputs)
    if (at.address >= b.address && at.address < b.address + b.size) return b.scale;
  return std::nullopt;
}

}  // namespace nvdlac::runtime
