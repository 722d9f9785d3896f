// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/node.hpp>
#include <nvdlac/import/tensorflow/tensors.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL std::int32_t tensors::of(port p, const node& n) {
  const auto [found, is_new] = numbers_.emplace(p, static_cast<std::int32_t>(all_.size()));
  if (is_new) {
    tensor t;
    t.name = p.output == 0 ? n.name() : text(n.name(), ':', p.output);
    t.has_shape = false;
    all_.push_back(std::move(t));
  }
  return found->second;
}

}  // namespace nvdlac::import::tensorflow_format
