// SPDX-License-Identifier: Apache-2.0
// compile_onnx [MODEL PICTURES]: compiles a model that classifies pictures for nv_small, calibrated
// with the pictures, and prints which class the simulated NVDLA sees in each. Without arguments:
// the digits of this repository. Compiler and simulator are in a library (CMakeLists.txt).
#include <iostream>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/product.hpp>

int main(int count, char** arguments) try {
  const bool named = count == 3;
  const auto model = nvdlac::read(named ? arguments[1] : "examples/digits/digits.onnx");
  const nvdlac::pictures pictures(named ? arguments[2] : "examples/digits/images");
  auto chip = nvdlac::compile<nvdlac::nv_small>(model, pictures);
  for (const auto& note : chip.notes()) std::cerr << to_string(note) << '\n';
  chip.run(pictures, [](const nvdlac::result& r) {
    std::cout << r.name << ": " << r.top1() << '\n';
  });
} catch (const nvdlac::error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
