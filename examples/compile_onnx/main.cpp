// SPDX-License-Identifier: Apache-2.0
// compile_onnx MODEL.onnx PICTURES... : compiles a model of grey digits for nv_small, calibrated
// with the pictures, and prints what the simulated NVDLA sees in each.
#include <algorithm>
#include <iostream>

#include <nvdlac/nvdlac.hpp>

int main(int count, char** arguments) try {
  using nvdlac::nv_small;
  const std::vector<std::string> names(arguments, arguments + count);
  if (count < 3) throw nvdlac::error("usage: compile_onnx MODEL.onnx PICTURES...");

  auto network = nvdlac::import::onnx(names[1]);
  nvdlac::net::infer_shapes(network);
  const auto shape = network[nvdlac::net::input_nodes(network).at(0)].shape;
  const auto pictures = nvdlac::data::read_samples(
      {names.begin() + 2, names.end()}, shape,
      {.how = {.scale = {1.0F / 255}, .order = nvdlac::data::channel_order::grey}});
  std::vector<nvdlac::sample> samples;
  for (const auto& p : pictures) samples.push_back({{shape, p.values}});

  const auto program = nvdlac::compile<nv_small>(network, samples);
  nvdlac::sim::runtime<nv_small> chip(nvdlac::emit::loadable(program));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto scores = nvdlac::sim::infer(chip, samples[i])[0].values;
    std::cout << pictures[i].name << ": "
              << std::max_element(scores.begin(), scores.end()) - scores.begin() << '\n';
  }
} catch (const nvdlac::error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
