// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/verify/verdict.hpp>

int main() {
  auto chip = nvdlac::compile<nvdlac::nv_small>(nvdlac::read("digits.onnx"),
                                                nvdlac::pictures("calibration.idx"));
  const auto proof = nvdlac::verify(chip, nvdlac::pictures("images"));
  std::cout << nvdlac::report::to_text(proof, {.inputs = true});
  const auto wrong = nvdlac::verification::refusals(proof, {.top1 = 90, .snr = 30});
  for (const auto& problem : wrong) std::cerr << to_string(problem) << '\n';
  return wrong.empty() ? 0 : 1;
}
