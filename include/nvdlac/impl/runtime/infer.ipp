// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL data::array array_of(const net::file_output& output,
                                 const std::vector<binding>& bindings,
                                 const std::vector<net::any_tensor>& tensors) {
  return {{output.form.shape.begin(), output.form.shape.end()},
          output.gathered<float>([&](std::size_t tensor) {
            const auto& b = bindings.at(tensor);
            return quantised::real_of(tensors.at(tensor), b.scale, 0, b.gain).values;
          })};
}

NVDLAC_IMPL std::vector<data::array> arrays_of(const std::vector<binding>& bindings,
                                               const std::vector<net::any_tensor>& tensors) {
  std::vector<data::array> result;
  for (const auto& output : net::outputs_of_file(bindings))
    result.push_back(array_of(output, bindings, tensors));
  return result;
}

namespace detail {

// The cube of a binding from values that have its shape, or that of the user's file.
NVDLAC_IMPL net::float_tensor as_bound(const net::float_tensor& given, const binding& to) {
  if (given.values.size() == to.shape.size()) {
    const auto in_file = [&](const net::file_tensor& form) {
      auto own = form.of_one_picture();
      own.resize(std::max(own.size(), std::size_t{3}), 1);
      return own == std::vector<std::int32_t>{given.shape.c, given.shape.h, given.shape.w};
    };
    const bool same = given.shape == to.shape;
    for (const auto& form : to.in_file)
      if (in_file(form) && (!same || form.shape.size() != 4))
        return {to.shape, form.to_cube(std::span<const float>(given.values))};
    if (same) return given;
  }
  throw error({.layer = to.name, .reason = text("takes ", to.shape, ", not ", given.shape, " with ",
                                                count_of(given.values.size(), "value"))});
}

}  // namespace detail

NVDLAC_IMPL std::vector<quantised::feed> feeds_of(std::span<const net::float_tensor> inputs,
                                                  const std::vector<binding>& to) {
  if (inputs.size() != to.size())
    throw error(text("the network has ", count_of(to.size(), "input"), ", not ", inputs.size()));
  std::vector<quantised::feed> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto bound = detail::as_bound(inputs[i], to[i]);
    if (!to[i].picture) {
      feeds.push_back(feed_of(bound, to[i]));
      continue;
    }
    quantised::require_finite(bound, to[i].name);
    if (!to[i].preprocessing)
      throw error({.layer = to[i].name,
                   .reason = "takes the bytes of a picture, and the loadable does not tell how "
                             "these become values",
                   .remedy = "compile with --input-format int8 (compile_options::pixels = false)"});
    feeds.emplace_back(quantised::pixels_of(bound, *to[i].preprocessing));
  }
  return feeds;
}

NVDLAC_IMPL std::vector<data::array> infer(any_session& on,
                                           std::span<const net::float_tensor> inputs) {
  return arrays_of(on.outputs(), on.infer_any(feeds_of(inputs, on.inputs())));
}

}  // namespace nvdlac::runtime
