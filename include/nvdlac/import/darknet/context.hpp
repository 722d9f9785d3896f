// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/darknet/section.hpp>
#include <nvdlac/import/darknet/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::darknet_format {

using id = assembly::id;

// The result of a section: a node; none if it is a head, which the host computes, or has a problem.
struct given {
  std::optional<id> node{};
  bool is_head = false;
};

// A section that is being read. The index counts sections from 0, [net] not among them.
struct context {
  const section& s;
  std::string name;  // of the layer: type_index
  std::size_t index;
  const std::vector<given>& before;  // what the sections before it give
  id first;                          // the network's input
  float epsilon;                     // of batch normalisation
  assembly& net;
  darknet_format::weights& weights;

  id input() const { return index == 0 ? first : earlier(-1); }
  // A layer by its index, or counted back from this one.
  id earlier(std::int64_t i) const;
  const net::shape& shape(id n) const { return net.shape(n); }

  // A number of a window or of channels.
  std::int32_t small(std::string_view key, std::int64_t none, std::int64_t least = 1) const;
  // Options that change what a layer computes, and are not supported.
  void refuse(std::initializer_list<std::string_view> keys) const;
  std::size_t line_of(std::string_view key) const;

  // The last node of a layer has its name, those before it a suffix.
  std::string step(bool last, const char* suffix) const { return last ? name : name + suffix; }
  template <class Op>
  id add(const std::string& node, Op op, const std::vector<id>& inputs) const {
    return net.add(node, std::move(op), inputs, s.line, weights.sound());
  }
  // Elements that change their places, to a cube of c x h x w.
  id move(const std::string& node, id x, const onnx_format::movement& m) const;
  onnx_format::element_ceiling ceiling() const {
    return onnx_format::element_ceiling(net.limits());
  }
};

inline dims dims_of(const net::shape& s) { return {s.c, s.h, s.w}; }

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/context.ipp>
#endif
