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

// --preprocess, which stands for others, --mean, --scale, --std, --order, --layout, --resize and
// --crop.
struct preprocessing_options {
  std::vector<double> mean{}, scale{};
  // Whether it is a collection's, by name: red, green and blue, which the network's order may turn.
  bool mean_by_name = false, scale_by_name = false;
  std::string order{}, layout = "auto";
  net::picture_size size{};
  // Whether numbers are of pixels from 0 to 255 however small they are, as in a loadable's notes.
  bool of_notes = false;

  // Whether the user said how pixels become values.
  bool given() const { return !mean.empty() || !scale.empty() || !order.empty(); }
  // Returns the preprocessing. The default is mean 0, scale 1, and this order: pixels as they are.
  net::preprocessing how(net::channel_order otherwise = net::channel_order::rgb) const;
  data::array_layout array_layout() const;
};

void add_preprocessing(CLI::App&, preprocessing_options&);

}  // namespace nvdlac::cli
