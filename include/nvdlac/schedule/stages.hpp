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
      : operations_(t.operations), stages_(plan::detail::stages(t)), needs_(stages_.size()) {
    std::vector<std::vector<std::size_t>> users(buffers.size());  // of a buffer that is written
    const auto is_constant = [&](const layer::surface& s) {
      return buffers[static_cast<std::size_t>(s.at.buffer)].memory == plan::memory::weights;
    };
    for (std::size_t n = 0; n < size(); ++n) {
      std::vector<layer::surface> reads;
      for (const auto& r : stages_[n].readers)
        std::ranges::copy_if(r.cubes, std::back_inserter(reads), std::not_fn(is_constant));
      reads_.push_back(std::move(reads));
      std::vector<std::size_t> touched;
      for (const auto* cubes : {&reads_[n], &stages_[n].writes})
        for (const auto& s : *cubes) touched.push_back(static_cast<std::size_t>(s.at.buffer));
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      for (const auto b : touched) {
        for (const auto before : users[b])
          if (meet(buffers, before, n)) needs_[n].push_back(before);
        users[b].push_back(n);
      }
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
  // visit(layer) for each layer of a stage.
  constexpr void each_layer(std::size_t n, const auto& visit) const {
    for (auto i = stages_[n].first; i <= stages_[n].last; ++i) visit(operations_[i].layer);
  }

 private:
  constexpr bool meet(const std::vector<plan::buffer>& buffers, std::size_t a,
                      std::size_t b) const {
    using plan::detail::any_overlap;
    return any_overlap(buffers, stages_[a].writes, reads_[b]) ||
           any_overlap(buffers, stages_[a].writes, stages_[b].writes) ||
           any_overlap(buffers, reads_[a], stages_[b].writes);
  }

  const std::vector<plan::operation>& operations_;
  std::vector<plan::detail::stage> stages_;
  std::vector<std::vector<layer::surface>> reads_{};
  std::vector<std::vector<std::size_t>> needs_;
};

}  // namespace nvdlac::schedule
