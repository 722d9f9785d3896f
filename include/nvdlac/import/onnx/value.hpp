// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::onnx_format {

// The integers that stand for real numbers in a file: real = scale * (integer - zero).
struct grid {
  float scale = 0;            // 0: not told yet, for the integers of an input
  std::int64_t zero = 0;
  std::int64_t least = 0, most = 0;  // of the integers' type

  bool operator==(const grid&) const = default;
  double low() const { return double{scale} * static_cast<double>(least - zero); }
  double high() const { return double{scale} * static_cast<double>(most - zero); }
  // The smallest symmetric scale whose int8 values reach both ends.
  double symmetric() const { return std::max(low() / -128, high() / 127); }
};

// A tensor that the network computes: a node of the graph, seen under a shape of the file and,
// when `from` is set, with its elements moved. NVDLA moves no elements by itself, so movements are
// kept back until a layer needs the tensor: most of them cancel out, and a fully connected layer
// takes any of them into its weights.
struct computed {
  assembly::id node;
  dims shape;                                 // as the file counts dimensions, the batch being 1
  std::shared_ptr<const element_map> from{};  // empty: the dense c-h-w order of the node's cube
  std::string moved_by{};                     // the node of the file that moved the elements
  std::shared_ptr<const grid> integers{};     // set where the file holds integers
  // Set where the file holds integers in steps of a scale that depends on the picture, until they
  // are multiplied by it: the name of that scale.
  std::shared_ptr<const std::string> awaits{};
};

// A value of the file. `broken` comes out of a node with a problem, which is reported already.
struct broken {};
using value = std::variant<broken, std::shared_ptr<const array>, computed>;

// The shape behind a movement, for a tensor that the network computes.
inline computed moved(const computed& x, const movement& m, const std::string& by,
                      const net::shape& cube) {
  computed y{x.node, m.shape, x.from, x.moved_by};
  if (!m.from) return y;
  element_map from(m.from->size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto source = (*m.from)[i];
    from[i] = source < 0 || !x.from ? source : (*x.from)[static_cast<std::size_t>(source)];
  }
  bool dense = from.size() == cube.size();
  for (std::size_t i = 0; dense && i < from.size(); ++i) dense = std::cmp_equal(from[i], i);
  y.from = dense ? nullptr : std::make_shared<const element_map>(std::move(from));
  y.moved_by = by;
  return y;
}

}  // namespace nvdlac::import::onnx_format
