// SPDX-License-Identifier: Apache-2.0
// Several threads read, calibrate, compile and run at once: nothing is shared behind their backs.
// The preset `threads` runs this under the thread sanitizer.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/product.hpp>

namespace {

using nvdlac::nv_small;
using nvdlac::pictures;

const std::filesystem::path digits = NVDLAC_SOURCE_DIR "/examples/digits";

struct outcome {
  std::vector<std::uint8_t> loadable{};
  std::vector<nvdlac::result> results{};
  bool operator==(const outcome&) const = default;
};

outcome whole(const nvdlac::model& model) {
  auto chip = nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx"));
  outcome o{chip.loadable()};
  for (const char* name : {"images/3_a.pgm", "images/7_a.pgm"})
    o.results.push_back(chip.run(digits / name));
  return o;
}

}  // namespace

TEST_CASE("threads that each compile and run a network get what one alone gets") {
  const auto model = nvdlac::read(digits / "digits.onnx");
  const auto expected = whole(model);
  std::vector<outcome> found(4);
  {
    std::vector<std::jthread> users;
    for (std::size_t i = 0; i < found.size(); ++i)  // half of them share the model
      users.emplace_back([&, i] {
        found[i] = whole(i % 2 == 0 ? model : nvdlac::read(digits / "digits.onnx"));
      });
  }
  for (const auto& f : found) CHECK(f == expected);
}
