// SPDX-License-Identifier: Apache-2.0
#include "preprocessing_options.hpp"

#include <CLI/CLI.hpp>

namespace nvdlac::cli {

net::preprocessing preprocessing_options::how() const {
  net::preprocessing result;
  if (!mean.empty()) result.mean = mean;
  if (!scale.empty()) result.scale = scale;
  if (order == "bgr") result.order = net::channel_order::bgr;
  if (order == "grey") result.order = net::channel_order::grey;
  return result;
}

data::array_layout preprocessing_options::array_layout() const {
  using enum data::array_layout;
  return layout == "chw" ? chw : layout == "hwc" ? hwc : automatic;
}

void add_preprocessing(CLI::App& app, preprocessing_options& to) {
  const std::string group = "From pixels to values: (pixel - mean) * scale";
  app.add_option("--mean", to.mean,
                 "One number, or one per channel with commas; default 0, or what the model tells "
                 "of its inputs (quantised ones, Darknet) where --scale is not given either")
      ->delimiter(',')->type_name("NUMBERS")->group(group);
  app.add_option("--scale", to.scale,
                 "One number, or one per channel with commas; default 1, or as for --mean")
      ->delimiter(',')->type_name("NUMBERS")->group(group);
  app.add_option("--order", to.order,
                 "Order of the network's channels: rgb (default), bgr, or grey, which converts "
                 "colours")
      ->check(CLI::IsMember({"rgb", "bgr", "grey"}))->type_name("ORDER")->group(group);
  app.add_option("--layout", to.layout,
                 "Order of an array file's dimensions: auto (default), chw or hwc")
      ->check(CLI::IsMember({"auto", "chw", "hwc"}))->type_name("LAYOUT")->group(group);
}

}  // namespace nvdlac::cli
