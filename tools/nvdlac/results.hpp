// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/output_array.hpp>

#include "outputs.hpp"

namespace nvdlac::cli {

// Real numbers, with the dimensions that the user's file gives them.
using real_array = data::array;

// The form in which a program's outputs are given: those of the network's file, or the tensors of
// NVDLA, each in the dense c-h-w order of its cube.
enum class output_layout { file, hardware };
std::vector<net::file_output> outputs_in(output_layout, const std::vector<runtime::binding>&);

// The outputs of many runs, an npy array for each output: in the file of --output or, of several,
// beside it. Without a path there are no files.
class result_arrays {
 public:
  result_arrays(std::vector<net::file_output>, const std::vector<runtime::binding>&,
                const std::filesystem::path& path, bool raw);
  void plan(output_set&) const;
  void take(const std::vector<net::any_tensor>& outputs);
  void finish(output_set&) const;

 private:
  std::vector<runtime::output_array> outputs_{};
  std::vector<std::filesystem::path> files_{};  // of the outputs; empty: there are none
  const std::vector<runtime::binding>& bindings_;
};

}  // namespace nvdlac::cli
