// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <variant>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/written_cube.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL std::optional<plan::numbering> numbers_of(const loaded_program& p, const loaded_task& t,
                                                      std::size_t operation,
                                                      const emit::dma_address& at) {
  if (operation < t.numbers.size() && t.numbers[operation].scale != 0) return t.numbers[operation];
  const auto& l = t.layers[operation];
  if (const auto* softmax = std::get_if<layer::host_softmax>(&l.what))
    return plan::numbering{softmax->output_scale};
  if (const auto* call = std::get_if<layer::host_call>(&l.what))
    return plan::numbering{call->output_scale};
  for (const auto& b : p.outputs)
    if (at.address >= b.address && at.address < b.address + b.size)
      return b.gain.empty() ? std::optional(plan::numbering{b.scale}) : std::nullopt;
  return std::nullopt;
}

}  // namespace nvdlac::runtime
