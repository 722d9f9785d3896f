// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL data::array array_of(const net::file_output& output,
                                 const std::vector<binding>& bindings,
                                 const std::vector<net::any_tensor>& tensors) {
  const double scale = bindings.at(output.tensor).scale;
  const auto real = quantised::real_of(tensors.at(output.tensor), scale);
  return {{output.form.shape.begin(), output.form.shape.end()},
          output.form.from_cube(std::span<const float>(real.values))};
}

NVDLAC_IMPL std::vector<data::array> arrays_of(const std::vector<binding>& bindings,
                                               const std::vector<net::any_tensor>& tensors) {
  std::vector<data::array> result;
  for (const auto& output : net::outputs_of_file(bindings))
    result.push_back(array_of(output, bindings, tensors));
  return result;
}

}  // namespace nvdlac::runtime
