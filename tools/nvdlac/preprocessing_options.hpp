// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/data/samples.hpp>

namespace CLI {
class App;
}

namespace nvdlac::cli {

// --preprocess, which stands for others, --mean, --scale, --order, --layout, --resize and --crop.
struct preprocessing_options {
  std::vector<double> mean{}, scale{};
  std::string order{}, layout = "auto";
  net::picture_size size{};

  // Whether the user said how pixels become values.
  bool given() const { return !mean.empty() || !scale.empty() || !order.empty(); }
  // What is not given is mean 0, scale 1, order rgb: pixels as they are.
  net::preprocessing how() const;
  data::array_layout array_layout() const;
};

void add_preprocessing(CLI::App&, preprocessing_options&);

}  // namespace nvdlac::cli
