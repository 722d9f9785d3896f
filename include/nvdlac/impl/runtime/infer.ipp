// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
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

}  // namespace nvdlac::runtime
