// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

// The context in which one node is converted.
struct context {
  const node& n;
  const std::vector<value>& in;  // by input; `broken` where an optional input is left out
  cube_builder& net;
  std::int64_t batch;            // of the file's input, which counts as one picture
  element_ceiling ceiling;       // of what it gives: less where all of its inputs are constants

  std::size_t inputs() const { return in.size(); }
  bool given(std::size_t i) const {
    return i < in.size() && !std::holds_alternative<broken>(in[i]);
  }
  bool is_constant(std::size_t i) const {
    return given(i) && std::holds_alternative<std::shared_ptr<const array>>(in[i]);
  }
  bool all_constant() const;
  void require_inputs(std::size_t least, std::size_t most) const;
  const array& constant(std::size_t i, const char* what) const;
  const std::vector<float>& reals(std::size_t i, const char* what) const;
  const dims& integers(std::size_t i, const char* what) const;
  // Requires the inputs of an operator that takes any number of them.
  void require_all_inputs(std::size_t least, std::size_t most) const {
    require_inputs(std::max(least, std::min(in.size(), most)), most);
  }
  const computed& tensor(std::size_t i) const;

  static std::vector<value> one(value v) { return {std::move(v)}; }
  static std::vector<value> one(array a) { return {std::make_shared<const array>(std::move(a))}; }
  // The whole cube of a fresh node, with a batch of one.
  std::vector<value> cube(assembly::id node) const;
};

using handler = std::vector<value> (*)(const context&);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/context.ipp>
#endif
