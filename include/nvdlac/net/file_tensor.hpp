// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors of the user's file and the cubes of the network that hold their elements. NVDLA has
// one order of its own; what only puts elements into another one is left to whoever reads them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// So many elements, each `stride` behind the one before.
struct steps {
  std::int32_t count = 1, stride = 1;

  constexpr bool operator==(const steps&) const = default;
};

// A tensor of the user's file. Its elements in row-major order are those of a cube on a walk of
// nested steps, the outermost first: element (i, j, ..) is number i * stride + j * stride + .. of
// the cube in dense c-h-w order. Of a tensor that several cubes hold, such as a concatenation that
// nothing reads, each has a part: element (i, j, ..) of its walk is number
// `first` + i * spread + j * spread + .. of the tensor in row-major order.
struct file_tensor {
  label name{};                       // in the file
  std::vector<std::int32_t> shape{};  // in the file, of the whole; a batch counts as 1
  std::vector<steps> walk{};          // empty: the cube's own order
  std::int32_t place = 0;             // among the outputs of the file
  std::int32_t first = 0;              // of a part: where it begins in the tensor
  std::vector<std::int32_t> spread{};  // of a part: by step of the walk; empty: the whole tensor

  constexpr bool operator==(const file_tensor&) const = default;
  constexpr bool is_part() const { return !spread.empty(); }

  // The elements of the whole tensor; 0 for a shape that has none, or more than 32 bits count.
  constexpr std::size_t size() const {
    std::size_t elements = 1;
    for (const auto d : shape)
      if (d < 1 || (elements *= static_cast<std::size_t>(d)) > 0x7fffffff) return 0;
    return elements;
  }

  // The shape for each picture: without the batch that stands in front.
  constexpr std::vector<std::int32_t> of_one_picture() const {
    const bool batch = !shape.empty() && shape[0] == 1;
    return {shape.begin() + (batch ? 1 : 0), shape.end()};
  }
  // The shape of so many pictures behind each other: of one the file's, of several along the batch
  // that stands in front, or along a dimension of their own.
  constexpr std::vector<std::int32_t> of_pictures(std::size_t n) const {
    if (n == 1) return shape;
    auto all = of_one_picture();
    all.insert(all.begin(), static_cast<std::int32_t>(n));
    return all;
  }

  // Whether it holds each element of the cube once, and none at two places.
  constexpr bool fits(const net::shape& cube) const {
    if (size() == 0 || (is_part() ? size() < cube.size() : size() != cube.size())) return false;
    if (is_part() ? !has_room_for_part() : walk.empty()) return !is_part();
    auto inner_first = walk;
    std::ranges::sort(inner_first, {}, [](const steps& s) { return s.stride; });
    std::size_t next = 1;
    for (const auto& s : inner_first) {
      if (s.count == 1) continue;
      if (s.count < 1 || !std::cmp_equal(s.stride, next)) return false;
      if ((next *= static_cast<std::size_t>(s.count)) > cube.size()) return false;
    }
    return next == cube.size();
  }

  // Calls f(element of the cube, element of the file's tensor) for each that both hold, in the
  // order of the file.
  template <class F>
  constexpr void visit(std::size_t elements, F f) const {
    std::vector<std::int32_t> at(walk.size(), 0);
    auto in_file = static_cast<std::size_t>(first);
    for (std::size_t i = 0, in_cube = 0; i < elements; ++i) {
      f(walk.empty() ? i : in_cube, is_part() ? in_file : i);
      for (std::size_t axis = walk.size(); axis-- > 0;) {
        const auto stride = static_cast<std::size_t>(walk[axis].stride);
        const auto apart = is_part() ? static_cast<std::size_t>(spread[axis]) : 0;
        in_cube += stride;
        in_file += apart;
        if (++at[axis] < walk[axis].count) break;
        in_cube -= stride * static_cast<std::size_t>(walk[axis].count);
        in_file -= apart * static_cast<std::size_t>(walk[axis].count);
        at[axis] = 0;
      }
    }
  }
  // Puts the elements of a cube where they stand among the file's.
  template <class T>
  constexpr void place_cube(std::span<const T> cube, std::span<T> to) const {
    visit(cube.size(), [&](std::size_t i, std::size_t in_file) { to[in_file] = cube[i]; });
  }
  // The file's elements of the one cube that holds them, and that cube of the file's elements.
  template <class T>
  constexpr std::vector<T> from_cube(std::span<const T> cube) const {
    std::vector<T> values(cube.size(), T{});
    place_cube(cube, std::span(values));
    return values;
  }
  template <class T>
  constexpr std::vector<T> to_cube(std::span<const T> values) const {
    std::vector<T> cube(values.size(), T{});
    visit(values.size(), [&](std::size_t i, std::size_t in_file) { cube[i] = values[in_file]; });
    return cube;
  }

 private:
  // Whether the steps of a part meet elements of the tensor alone, each of them once.
  bool has_room_for_part() const;
};

// A tensor that no file names, in the shape that it has as features or as a picture.
constexpr file_tensor in_own_order(const auto& name, const net::shape& s, std::int32_t place = 0) {
  file_tensor t{.name = name, .shape = {1, s.c, s.h, s.w}, .place = place};
  if (s.h == 1 && s.w == 1) t.shape.resize(2);
  return t;
}

// The walk of a map from elements to those of a cube, if it meets each of them once in nested
// steps.
std::optional<std::vector<steps>> find_walk(std::span<const std::int32_t> from,
                                            const net::shape& cube);

// The walk of a cube whose elements `in_cube` are those `in_file` of a tensor of the file, if
// nested steps meet each of them once: a part of a tensor of this name, shape and place.
std::optional<file_tensor> find_part(const file_tensor& whole,
                                     std::span<const std::int32_t> in_cube,
                                     std::span<const std::int32_t> in_file, const net::shape& cube);

// The number of a tensor that holds elements of an output of the file, and which.
struct file_part {
  std::size_t tensor = 0;
  file_tensor form{};
};

// An output of the file, and what holds its elements: mostly one tensor.
struct file_output {
  file_tensor form{};  // its name, its shape and its place
  std::vector<file_part> parts{};

  // The elements of the output, where `cube_of(tensor)` tells those of a tensor in dense order.
  template <class T, class Cube>
  std::vector<T> gathered(Cube cube_of) const {
    std::vector<T> values(form.size());
    for (const auto& p : parts)
      p.form.place_cube(std::span<const T>(cube_of(p.tensor)), std::span(values));
    return values;
  }
};

// The outputs in the order of the file. Tensor i, `of(i)`, has a name, a shape and what it is in
// the file; where that is nothing, it is an output as it stands.
template <class Of>
std::vector<file_output> outputs_of_file(std::size_t tensors, Of of) {
  std::vector<file_part> all;
  for (std::size_t i = 0; i < tensors; ++i) {
    const auto& t = of(i);
    for (const auto& form : t.in_file) all.push_back({i, form});
    if (t.in_file.empty())
      all.push_back({i, in_own_order(t.name, t.shape, static_cast<std::int32_t>(i))});
  }
  std::ranges::stable_sort(all, {}, [](const file_part& p) { return p.form.place; });
  std::vector<file_output> result;
  for (auto& p : all) {
    const bool joins = p.form.is_part() && !result.empty() &&
                       result.back().form.is_part() && result.back().form.place == p.form.place &&
                       result.back().form.shape == p.form.shape;
    if (!joins) result.push_back({.form = p.form});
    result.back().parts.push_back(std::move(p));
  }
  return result;
}
template <class Tensor>
std::vector<file_output> outputs_of_file(const std::vector<Tensor>& tensors) {
  return outputs_of_file(tensors.size(),
                         [&](std::size_t i) -> const Tensor& { return tensors[i]; });
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/file_tensor.ipp>
#endif
