// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

// The buffers of layers that have no places yet, none of which shares memory.
constexpr std::vector<plan::buffer> apart(const std::vector<plan::buffer>& buffers) {
  std::vector<plan::buffer> result;
  std::uint64_t end = 0;
  for (const auto& b : buffers) {
    result.push_back({.name = {}, .memory = b.memory, .size = b.size, .offset = b.offset});
    if (b.memory == plan::memory::features) result.back().offset = std::exchange(end, end + b.size);
  }
  return result;
}

// Stages of one task, and which of them must be complete before which.
class stage_list {
 public:
  constexpr stage_list(const plan::task& t, const std::vector<plan::buffer>& buffers)
      : operations_(t.operations), stages_(plan::detail::stages(t, buffers)),
        needs_(stages_.size()) {
    // By the buffer, the cubes that stages read, and those that they write.
    std::vector<std::vector<touched>> reads(buffers.size()), writes(buffers.size());
    const auto each_read = [&](std::size_t n, const auto& visit) {
      for (const auto& r : stages_[n].readers)
        for (const auto& cube : r.cubes)
          if (cube.memory() != plan::memory::weights) visit(cube);
    };
    for (std::size_t n = 0; n < size(); ++n) {
      const auto wait = [&](const plan::detail::region& cube, const std::vector<touched>& before) {
        for (const auto& b : before)
          if (b.cube->meets(cube)) needs_[n].push_back(b.stage);
      };
      each_read(n, [&](const auto& cube) { wait(cube, writes[cube.buffer()]); });
      for (const auto& cube : stages_[n].writes)
        wait(cube, writes[cube.buffer()]), wait(cube, reads[cube.buffer()]);
      each_read(n, [&](const auto& cube) { reads[cube.buffer()].push_back({n, &cube}); });
      for (const auto& cube : stages_[n].writes) writes[cube.buffer()].push_back({n, &cube});
    }
  }

  constexpr std::size_t size() const { return stages_.size(); }
  constexpr const std::vector<std::size_t>& needs(std::size_t n) const { return needs_[n]; }
  // With which a stage begins; nullptr: with another layer.
  constexpr const layer::convolution* convolution(std::size_t n) const {
    return std::get_if<layer::convolution>(&operations_[stages_[n].first].layer.what);
  }
  constexpr layer::engine_number starts_on(std::size_t n) const {
    return layer::engine_of(operations_[stages_[n].first].layer.what);
  }
  constexpr bool uses(std::size_t n, layer::engine_number e) const {
    for (auto i = stages_[n].first; i <= stages_[n].last; ++i)
      if (layer::engine_of(operations_[i].layer.what) == e) return true;
    return false;
  }
  constexpr bool share_an_engine(std::size_t a, std::size_t b) const {
    for (auto i = stages_[a].first; i <= stages_[a].last; ++i)
      if (uses(b, layer::engine_of(operations_[i].layer.what))) return true;
    return false;
  }
  // Of the task's operations.
  constexpr std::size_t first(std::size_t n) const { return stages_[n].first; }
  constexpr std::size_t last(std::size_t n) const { return stages_[n].last; }
  // visit(layer) for each layer of a stage.
  constexpr void each_layer(std::size_t n, const auto& visit) const {
    for (auto i = stages_[n].first; i <= stages_[n].last; ++i) visit(operations_[i].layer);
  }

 private:
  struct touched {
    std::size_t stage = 0;
    const plan::detail::region* cube = nullptr;
  };

  const std::vector<plan::operation>& operations_;
  std::vector<plan::detail::stage> stages_;
  std::vector<std::vector<std::size_t>> needs_;
};

}  // namespace nvdlac::schedule
