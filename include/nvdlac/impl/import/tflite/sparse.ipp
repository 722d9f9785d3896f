// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/tflite/sparse.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL sparse_form sparse_form::of(const sparsity_table& from, std::size_t rank) {
  sparse_form s;
  s.blocks = from.numbers<std::int32_t>(sparsity_table::blocks);
  const auto order = from.numbers<std::int32_t>(sparsity_table::order);
  const auto* described =
      from.vector<flatbuffers::Offset<dimension_table>>(sparsity_table::dimensions);
  const std::size_t levels = rank + s.blocks.size();
  auto sorted = order;
  std::ranges::sort(sorted);
  bool right = described != nullptr && described->size() == levels &&
               sorted.size() == levels && levels <= 16;
  for (std::size_t i = 0; right && i < levels; ++i) right = std::cmp_equal(sorted[i], i);
  for (const auto b : s.blocks) right = right && b >= 0 && std::cmp_less(b, rank);
  if (!right) throw error("it is sparse, but its dimensions are not all told");
  using f = dimension_table;
  for (std::size_t i = 0; i < levels; ++i) {
    const auto& d = *described->Get(static_cast<flatbuffers::uoffset_t>(i));
    sparse_level level{.dimension = order[i], .dense = d.get<std::int8_t>(f::format) == 0,
                       .size = d.get<std::int32_t>(f::dense_size)};
    if (!level.dense) {
      level.segments = d.list(f::segments_type, f::segments);
      level.indices = d.list(f::indices_type, f::indices);
    } else if (level.size < 1) {
      throw error(text("it is sparse, with a level of ", level.size, " places"));
    }
    s.levels.push_back(std::move(level));
  }
  return s;
}

namespace detail {

// Walks over the kept values of a sparse tensor.
class sparse_walk {
 public:
  sparse_walk(const sparse_form& form, const onnx_format::dims& shape)
      : form_(form), shape_(shape), strides_(onnx_format::strides_of(shape)),
        blocks_(shape.size(), 1), at_(shape.size(), 0) {
    left_ = static_cast<std::uint64_t>(onnx_format::count(shape)) * form.levels.size();
    for (const auto& l : form.levels) {
      if (!is_block(l)) continue;
      if (!l.dense) throw error("it is sparse within its blocks");
      auto& size = blocks_[dimension_of(l)];
      size = net::product({size, l.size});
    }
  }

  // visit(number of the value, its element in the dense tensor).
  template <class Visit>
  void run(const Visit& visit) { enter(0, 0, visit); }

 private:
  bool is_block(const sparse_level& l) const {
    return std::cmp_greater_equal(l.dimension, shape_.size());
  }
  std::size_t dimension_of(const sparse_level& l) const {
    const auto d = static_cast<std::size_t>(l.dimension);
    return is_block(l) ? static_cast<std::size_t>(form_.blocks[d - shape_.size()]) : d;
  }
  template <class Visit>
  void enter(std::size_t level, std::int64_t number, const Visit& visit) {
    if (level == form_.levels.size()) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < at_.size(); ++d) element += at_[d] * strides_[d];
      return visit(static_cast<std::size_t>(number), static_cast<std::size_t>(element));
    }
    const auto& l = form_.levels[level];
    const auto d = dimension_of(l);
    const std::int64_t before = at_[d], step = is_block(l) ? 1 : blocks_[d];
    const auto go = [&](std::int64_t n, std::int64_t index) {
      if (left_-- == 0) throw error("it is sparse, with more values than elements");
      at_[d] = before + net::product({index, step});
      if (index < 0 || at_[d] >= shape_[d])
        throw error(text("it is sparse, with a value at ", at_[d], " of ", shape_[d]));
      enter(level + 1, n, visit);
    };
    if (l.dense) {
      for (std::int64_t i = 0; i < l.size; ++i) go(net::product({number, l.size}) + i, i);
    } else {
      const auto n = static_cast<std::size_t>(number);
      if (n + 1 >= l.segments.size()) throw error("it is sparse, with too few segments");
      const auto first = l.segments[n], end = l.segments[n + 1];
      if (first < 0 || end < first || std::cmp_greater(end, l.indices.size()))
        throw error("it is sparse, with segments beyond its places");
      for (auto i = first; i < end; ++i) go(i, l.indices[static_cast<std::size_t>(i)]);
    }
    at_[d] = before;
  }

  const sparse_form& form_;
  const onnx_format::dims& shape_;
  onnx_format::dims strides_, blocks_;  // elements of a dimension that a block of it has
  onnx_format::dims at_;
  std::uint64_t left_ = 0;
};

}  // namespace detail

NVDLAC_IMPL std::vector<std::uint8_t> sparse_form::dense(const onnx_format::dims& shape,
                                                         std::span<const std::uint8_t> kept,
                                                         std::size_t element,
                                                         std::uint64_t most_weights) const {
  const auto elements = static_cast<std::uint64_t>(onnx_format::count(shape));
  require_within(&budget::weights, elements, most_weights);
  std::vector<std::uint8_t> result(in_memory(elements * element), 0);
  detail::sparse_walk(*this, shape).run([&](std::size_t number, std::size_t at) {
    if (number >= kept.size() / element) throw error("it is sparse, with too few values");
    std::ranges::copy(kept.subspan(number * element, element),
                      result.begin() + static_cast<std::ptrdiff_t>(at * element));
  });
  return result;
}

}  // namespace nvdlac::import::tflite_format
