// SPDX-License-Identifier: Apache-2.0
// compile_onnx [MODEL.onnx PICTURES...]: compiles a model that classifies grey pictures for
// nv_small, calibrated with the pictures, and prints which class the simulated NVDLA sees in each.
// Without arguments: the digits of this repository.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <nvdlac/nvdlac.hpp>

int main(int count, char** arguments) try {
  using nvdlac::nv_small;
  std::vector<std::filesystem::path> files(arguments + 1, arguments + count);
  if (files.empty()) files = {"examples/digits/digits.onnx", "examples/digits/images"};
  auto network = nvdlac::import::onnx(files.front());
  files.erase(files.begin());
  nvdlac::net::infer_shapes(network);
  const auto shape = network[nvdlac::net::input_nodes(network).at(0)].shape;
  const auto pictures = nvdlac::data::read_samples(files, shape);
  std::vector<nvdlac::sample> samples;
  for (const auto& p : pictures) samples.push_back({{shape, p.values}});

  const auto program = nvdlac::compile<nv_small>(network, samples);
  nvdlac::runtime::session<nv_small> chip(nvdlac::emit::loadable(program));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto scores = nvdlac::runtime::infer(chip, samples[i])[0].values;
    std::cout << pictures[i].name << ": "
              << std::max_element(scores.begin(), scores.end()) - scores.begin() << '\n';
  }
} catch (const nvdlac::error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
