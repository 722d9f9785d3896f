// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/onnx/node.hpp>

namespace nvdlac::import::onnx_format {

// What the conversion of one node works with.
struct context {
  const node& n;
  const std::vector<value>& in;  // by input; `broken` where an optional input is left out
  canvas& net;
  std::int64_t batch;            // of the file's input, which counts as one picture

  std::size_t inputs() const { return in.size(); }
  bool given(std::size_t i) const {
    return i < in.size() && !std::holds_alternative<broken>(in[i]);
  }
  bool is_constant(std::size_t i) const {
    return given(i) && std::holds_alternative<std::shared_ptr<const array>>(in[i]);
  }
  bool all_constant() const {
    for (std::size_t i = 0; i < in.size(); ++i)
      if (given(i) && !is_constant(i)) return false;
    return true;
  }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (in.size() < least || in.size() > most)
      throw error(text("it has ", in.size(), " inputs"));
    for (std::size_t i = 0; i < least; ++i)
      if (!given(i)) throw error(text("its input ", i, " is missing"));
  }
  const array& constant(std::size_t i, const char* what) const {
    if (!is_constant(i))
      throw error(problem{.reason = text("its ", what, " are not constant"),
                          .remedy = "they must be known when the file is read"});
    return *std::get<std::shared_ptr<const array>>(in[i]);
  }
  const std::vector<float>& reals(std::size_t i, const char* what) const {
    const array& a = constant(i, what);
    if (!a.real) throw error(text("its ", what, " are integers"));
    return a.reals;
  }
  const dims& integers(std::size_t i, const char* what) const {
    const array& a = constant(i, what);
    if (a.real || a.shape.size() > 1) throw error(text("its ", what, " are no list of integers"));
    return a.integers;
  }
  // The same for an operator that takes any number of inputs.
  void require_all_inputs(std::size_t least, std::size_t most) const {
    require_inputs(std::max(least, std::min(in.size(), most)), most);
  }
  const computed& tensor(std::size_t i) const {
    if (!given(i)) throw error(text("its input ", i, " is missing"));
    if (const auto* c = std::get_if<computed>(&in[i])) return *c;
    throw error(text("its input ", i, " is constant, where it should be computed"));
  }

  static std::vector<value> one(value v) { return {std::move(v)}; }
  static std::vector<value> one(array a) { return {std::make_shared<const array>(std::move(a))}; }
  // The whole cube of a fresh node, with a batch of one.
  std::vector<value> cube(assembly::id node) const {
    const net::shape s = net.net().shape(node);
    return {computed{node, {1, s.c, s.h, s.w}}};
  }
};

using handler = std::vector<value> (*)(const context&);

}  // namespace nvdlac::import::onnx_format
