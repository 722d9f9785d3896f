// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/sim/loaded_program.hpp>

#include "outputs.hpp"

namespace nvdlac::cli {

using real_tensor = net::float_tensor;

// The places of the largest values, the largest first; of equal ones the first.
std::vector<std::size_t> best(const real_tensor&, std::size_t count);

// The outputs of many runs, an npy array for each output: in the file of --output or, of several,
// beside it. Without a path there are no files.
class result_arrays {
 public:
  result_arrays(const std::vector<sim::binding>& outputs, const std::filesystem::path& path,
                bool raw);
  void plan(output_set&) const;
  void take(const std::vector<net::any_tensor>& outputs);
  void finish(output_set&) const;

 private:
  struct column {
    std::filesystem::path file;
    net::shape shape{};
    double scale = 1;
    std::vector<net::any_tensor> rows{};
  };

  std::vector<column> columns_{};
  std::size_t rows_ = 0;
  bool raw_;
};

}  // namespace nvdlac::cli
