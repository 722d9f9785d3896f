// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a file: constants, and tensors that the network computes.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::onnx_format {

// The integers that stand for real numbers in a file: real = scale * (integer - zero).
struct grid {
  float scale = 0;            // 0: not told yet, for the integers of an input
  std::int64_t zero = 0;
  std::int64_t least = 0, most = 0;  // of the integers' type

  bool operator==(const grid&) const = default;
  double low() const { return double{scale} * static_cast<double>(least - zero); }
  double high() const { return double{scale} * static_cast<double>(most - zero); }
  int bits() const {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most - least)));
  }
  // The smallest symmetric scale whose int8 values reach both ends.
  double symmetric() const { return std::max(low() / -128, high() / 127); }
  // The grid's own where int8 holds its integers, so that fewer bits are rounded as they are meant;
  // else the symmetric one.
  double step() const {
    return least - zero >= -128 && most - zero <= 127 ? double{scale} : symmetric();
  }
};

// Numbers of a type of integers that stand for themselves, such as bytes of a picture or places of
// maxima: NVDLA computes with them as with real numbers.
struct whole_numbers {
  std::int64_t type = 0;             // of the file's tensor, as TensorProto numbers it
  std::int64_t least = 0, most = 0;  // between which they lie
  bool absent = false;               // -1 is none: it stands behind the last one that is selected

  bool operator==(const whole_numbers&) const = default;
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
  std::optional<whole_numbers> whole{};       // set where those stand for themselves
  // Set where the file holds integers in steps of a scale that depends on the picture, until they
  // are multiplied by it: the name of that scale.
  std::shared_ptr<const std::string> awaits{};
  // Whether what a padding put around it is minus infinity, not 0: no maximum takes it.
  bool around_lowest = false;
};

// A value of the file. `broken` comes out of a node with a problem, which is reported already.
struct broken {};
using value = std::variant<broken, std::shared_ptr<const array>, computed>;

// The shape behind a movement, for a tensor that the network computes.
computed moved(const computed& x, const movement& m, const std::string& by, const net::shape& cube);

// The cube that a shape of the file stands for: [1, c, h, w], [c, h, w], [1, c, l], [1, n], [c, l]
// or [n]. Of more dimensions, such as those of a detector's anchors, all between the channels and
// the last one are its lines.
net::shape cube_of(const dims& d);

// Throws where a tensor has dimensions that its cube does not tell apart.
void require_cube(const dims& d);

std::int32_t as_int32(std::int64_t n, const char* what);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/value.ipp>
#endif
