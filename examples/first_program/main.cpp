// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <nvdlac/nvdlac.hpp>
using nvdlac::nv_small;

int main() {
  auto model = nvdlac::read("digits.onnx");  // or TensorFlow Lite, or Caffe with its weights
  auto chip = nvdlac::compile<nv_small>(model, nvdlac::pictures("calibration.idx"));
  chip.save("digits.nvdla");
  std::cout << chip.run("images/3_a.pgm").top1() << '\n';
}
