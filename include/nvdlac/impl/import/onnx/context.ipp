// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL bool context::all_constant() const {
  for (std::size_t i = 0; i < in.size(); ++i)
    if (given(i) && !is_constant(i)) return false;
  return true;
}

NVDLAC_IMPL void context::require_inputs(std::size_t least, std::size_t most) const {
  if (in.size() < least || in.size() > most)
    throw error(text("it has ", count_of(in.size(), "input")));
  for (std::size_t i = 0; i < least; ++i)
    if (!given(i)) throw error(text("its input ", i, " is missing"));
}

NVDLAC_IMPL const array& context::constant(std::size_t i, const char* what) const {
  if (!is_constant(i))
    throw error(problem{.reason = text("its ", what, " are not constant"),
                        .remedy = "they must be known when the file is read"});
  return *std::get<std::shared_ptr<const array>>(in[i]);
}

NVDLAC_IMPL const std::vector<float>& context::reals(std::size_t i, const char* what) const {
  const array& a = constant(i, what);
  if (!a.real) throw error(text("its ", what, " are integers"));
  return a.reals;
}

NVDLAC_IMPL const dims& context::integers(std::size_t i, const char* what) const {
  const array& a = constant(i, what);
  if (a.real || a.shape.size() > 1) throw error(text("its ", what, " are no list of integers"));
  return a.integers;
}

NVDLAC_IMPL const computed& context::tensor(std::size_t i) const {
  if (!given(i)) throw error(text("its input ", i, " is missing"));
  if (const auto* c = std::get_if<computed>(&in[i])) return *c;
  if (net.folds()) return net.tensor_of(std::get<std::shared_ptr<const array>>(in[i]));
  throw error(text("its input ", i, " is constant, where it should be computed"));
}

NVDLAC_IMPL std::vector<value> context::cube(assembly::id node) const {
  const net::shape s = net.net().shape(node);
  return {computed{node, {1, s.c, s.h, s.w}}};
}

}  // namespace nvdlac::import::onnx_format
