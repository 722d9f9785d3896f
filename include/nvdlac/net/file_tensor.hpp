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
// the cube in dense c-h-w order.
struct file_tensor {
  label name{};                       // in the file
  std::vector<std::int32_t> shape{};  // in the file; a batch counts as 1
  std::vector<steps> walk{};          // empty: the cube's own order
  std::int32_t place = 0;             // among the outputs of the file

  constexpr bool operator==(const file_tensor&) const = default;

  // The shape for each picture: without the batch that stands in front.
  constexpr std::vector<std::int32_t> of_one_picture() const {
    const bool batch = !shape.empty() && shape[0] == 1;
    return {shape.begin() + (batch ? 1 : 0), shape.end()};
  }

  // Whether it holds each element of the cube once.
  constexpr bool fits(const net::shape& cube) const {
    std::size_t elements = 1;
    for (const auto d : shape)
      if (d < 1 || (elements *= static_cast<std::size_t>(d)) > cube.size()) return false;
    if (elements != cube.size()) return false;
    if (walk.empty()) return true;
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

  // Calls f with the cube's element for each of the file's, in their order.
  template <class F>
  constexpr void visit(std::size_t elements, F f) const {
    std::vector<std::int32_t> at(walk.size(), 0);
    for (std::size_t i = 0, place_in_cube = 0; i < elements; ++i) {
      f(walk.empty() ? i : place_in_cube);
      for (std::size_t axis = walk.size(); axis-- > 0;) {
        const auto stride = static_cast<std::size_t>(walk[axis].stride);
        place_in_cube += stride;
        if (++at[axis] < walk[axis].count) break;
        place_in_cube -= stride * static_cast<std::size_t>(walk[axis].count);
        at[axis] = 0;
      }
    }
  }
  // The file's elements of a cube, and the cube of the file's elements.
  template <class T>
  constexpr std::vector<T> from_cube(std::span<const T> cube) const {
    std::vector<T> values;
    values.reserve(cube.size());
    visit(cube.size(), [&](std::size_t i) { values.push_back(cube[i]); });
    return values;
  }
  template <class T>
  constexpr std::vector<T> to_cube(std::span<const T> values) const {
    std::vector<T> cube(values.size(), T{});
    std::size_t next = 0;
    visit(values.size(), [&](std::size_t i) { cube[i] = values[next++]; });
    return cube;
  }
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

// An output of the file, and the number of the tensor that holds its elements.
struct file_output {
  std::size_t tensor = 0;
  file_tensor form{};
};

// The outputs in the order of the file. Tensor i, `of(i)`, has a name, a shape and what it is in
// the file; where that is nothing, it is an output as it stands.
template <class Of>
std::vector<file_output> outputs_of_file(std::size_t tensors, Of of) {
  std::vector<file_output> result;
  for (std::size_t i = 0; i < tensors; ++i) {
    const auto& t = of(i);
    for (const auto& form : t.in_file) result.push_back({i, form});
    if (t.in_file.empty())
      result.push_back({i, in_own_order(t.name, t.shape, static_cast<std::int32_t>(i))});
  }
  std::ranges::stable_sort(result, {}, [](const file_output& o) { return o.form.place; });
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
