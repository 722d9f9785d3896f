// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/values.hpp>
#include <nvdlac/sim/loaded_program.hpp>

namespace nvdlac::sim {

// An output as the user's file has it, from what the runtime gives.
inline data::array array_of(const net::file_output& output, const std::vector<binding>& bindings,
                            const std::vector<net::any_tensor>& tensors) {
  const auto real = quant::real_of(tensors.at(output.tensor), bindings.at(output.tensor).scale);
  return {{output.form.shape.begin(), output.form.shape.end()},
          output.form.from_cube(std::span<const float>(real.values))};
}

}  // namespace nvdlac::sim
