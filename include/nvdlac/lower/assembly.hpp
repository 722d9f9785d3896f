// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

// What lowering makes: the buffers and the layers in order, not yet placed in memory.
struct lowered {
  std::string network;
  std::vector<plan::buffer> buffers{};
  std::vector<layer::layer> layers{};
  std::vector<plan::binding> inputs{}, outputs{};
};

// Collects buffers and layers. Equal contents become one buffer.
class assembly {
 public:
  lowered result{};

  layer::location reserve(std::string name, plan::memory memory, std::uint64_t size) {
    result.buffers.push_back({.name = std::move(name), .memory = memory, .size = size});
    return {static_cast<std::int32_t>(result.buffers.size() - 1), 0};
  }
  layer::location keep(std::string name, std::vector<std::uint8_t> content) {
    const auto [known, is_new] =
        kept_.try_emplace(std::move(content), static_cast<std::int32_t>(result.buffers.size()));
    if (is_new)
      result.buffers.push_back({.name = std::move(name),
                                .memory = plan::memory::weights,
                                .size = known->first.size(),
                                .content = known->first});
    return {known->second, 0};
  }
  void add(std::string name, layer::any what) {
    result.layers.push_back({std::move(name), std::move(what)});
  }

 private:
  std::map<std::vector<std::uint8_t>, std::int32_t> kept_;
};

}  // namespace nvdlac::lower
