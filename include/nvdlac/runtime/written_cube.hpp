// SPDX-License-Identifier: Apache-2.0
#pragma once
// A cube that a layer of a running program has written.
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nvdlac/base/label.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/quantised/on_host.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// A cube in memory, just after its layer has written it; of convolutions that are one layer, that
// of each.
struct written_cube {
  std::size_t task = 0, operation = 0;
  label layer{};
  layer::surface surface{};
  std::uint64_t address = 0;       // of its first byte
  std::optional<plan::numbering> numbers{};  // where the program tells it
};

// The numbers that the operation of a task writes to `at`, as the loadable's notes say; without
// them that is known of outputs and layers of the host.
std::optional<plan::numbering> numbers_of(const loaded_program& p, const loaded_task& t,
                                          std::size_t operation, const emit::dma_address& at);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/written_cube.ipp>
#endif
