// SPDX-License-Identifier: Apache-2.0
// The proof of a product, with a library of nvdlac_add_product.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/verify.hpp>
#include <nvdlac/verify/verdict.hpp>

#include "scratch.hpp"

namespace {

using nvdlac::nv_small;
using nvdlac::pictures;

const std::filesystem::path digits = NVDLAC_SOURCE_DIR "/examples/digits";

nvdlac::product<nv_small> digits_product() {
  return nvdlac::compile<nv_small>(nvdlac::read(digits / "digits.onnx"),
                                   pictures(digits / "calibration.idx"));
}
// The digits 0_a, 0_b, 1_a, ..
std::vector<std::size_t> labels_of_images() {
  std::vector<std::size_t> labels;
  for (std::size_t n = 0; n < 20; ++n) labels.push_back(n / 2);
  return labels;
}
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a product is proved on pictures, with labels") {
  auto chip = digits_product();
  std::size_t visited = 0, with_layers = 0;
  const auto proof = nvdlac::verify(
      chip, pictures(digits / "images"),
      {.labels = labels_of_images(), .inputs_of_layers = 3,
       .visit = [&](const nvdlac::verification::input_report& i) {
         CHECK(i.number == visited);
         ++visited;
         with_layers += i.layers.empty() ? 0 : 1;
       }});
  CHECK(visited == 20);
  CHECK(with_layers == 3);
  CHECK(proof.network == "digits");
  CHECK(proof.inputs.size() == 20);
  CHECK(proof.inputs_of_layers == 3);
  CHECK(proof.float_right == 20);
  CHECK(proof.bit_exact());
  const auto& on_small = proof.program();
  CHECK(on_small.configuration == "nv_small");
  CHECK(on_small.right == 20);
  CHECK(on_small.agreed == 20);
  CHECK(on_small.cycles > 10000);
  CHECK(on_small.outputs[0].snr() > 30);
  CHECK(on_small.outputs[0].largest_error() < 0.02);
  CHECK(nvdlac::verification::refusals(proof, {.top1 = 100, .drop = 0, .snr = 30}).empty());
  CHECK(nvdlac::verification::refusals(proof, {.snr = 60}).size() == 1);
  const auto text = nvdlac::report::to_text(proof);
  CHECK(text.starts_with("digits on nv_small, 20 inputs\n  output 'prob': error at most "));
  CHECK(text.find("\n  right: float 20 (100.00 %), nv_small 20 (100.00 %)\n") != text.npos);
  CHECK(text.find("\n  simulator and exact integer network: equal bit for bit\n") != text.npos);
}

TEST_CASE("the first inputs alone are taken where so many are wanted") {
  auto chip = digits_product();
  const auto proof = nvdlac::verify(chip, pictures(digits / "images"),
                                    {.labels = labels_of_images(), .inputs = 2});
  CHECK(proof.inputs.size() == 2);
  CHECK(proof.inputs[1].name == "0_b.pgm");
}

TEST_CASE("samples prove a network that takes values, and one that takes pixels") {
  const auto model = nvdlac::read(digits / "digits.onnx");
  const nvdlac::net::float_tensor grey{{1, 28, 28}, std::vector<float>(28 * 28, 0.5F)};
  const std::vector<nvdlac::sample> samples(2, {grey});
  auto chip = nvdlac::compile<nv_small>(model, samples);
  const auto proof = nvdlac::verify(chip, samples);
  CHECK(proof.bit_exact());
  CHECK(proof.inputs.size() == 2);
  CHECK(proof.inputs[1].name == "sample 1");
  CHECK(!proof.labelled);
  // Values are those of the nearest pixels.
  auto of_pixels = digits_product();
  const auto of_nearest = nvdlac::verify(of_pixels, samples);
  CHECK(of_nearest.bit_exact());
  CHECK(of_nearest.inputs.size() == 2);
}

TEST_CASE("what a chip was loaded with is what is proved") {
  const auto chip = digits_product();
  auto bytes = chip.loadable();
  nvdlac::chip<nv_small> good(bytes);
  CHECK(nvdlac::verify(chip, good, pictures(digits / "images"), {.inputs = 2}).bit_exact());
  // Weights stand at the end of the file; each byte of a region is changed.
  for (std::size_t i = bytes.size() - 2000; i < bytes.size() - 1000; ++i)
    bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ 0x10);
  nvdlac::chip<nv_small> spoiled(bytes);
  const auto proof = nvdlac::verify(chip, spoiled, pictures(digits / "images"), {.inputs = 2});
  CHECK(!proof.bit_exact());
  REQUIRE(proof.inputs[0].programs[0].differs);
  CHECK(proof.inputs[0].programs[0].differs->output == "prob");
  CHECK(nvdlac::verification::refusals(proof).size() == 1);
}

TEST_CASE("labels are as many as the inputs") {
  auto chip = digits_product();
  CHECK(complaint([&] {
          nvdlac::verify(chip, pictures(digits / "images"), {.labels = {1, 2}});
        }).find("2 labels for 20 inputs") != std::string::npos);
  CHECK(complaint([&] { nvdlac::verify(chip, std::vector<nvdlac::sample>()); })
            .find("no input") != std::string::npos);
  CHECK(complaint([&] {
          nvdlac::verify(chip, pictures(digits / "images"),
                         {.labels = std::vector<std::size_t>(20, 10)});
        }).find("the label of input 1 is 10, but the network has 10 classes") != std::string::npos);
}

TEST_CASE("folders of classes are labels where no others are given") {
  auto chip = digits_product();
  const scratch dir;
  for (const char* of_class : {"0", "1", "2"})
    std::filesystem::create_directory(dir.path / of_class);
  std::filesystem::copy(digits / "images/0_a.pgm", dir.path / "0");
  std::filesystem::copy(digits / "images/2_a.pgm", dir.path / "2");
  const auto proof = nvdlac::verify(chip, pictures(dir.path));
  CHECK(proof.labelled);
  CHECK(proof.inputs.at(1).label == 2);
  CHECK(proof.float_right == 2);
  CHECK(proof.program().right == 2);
  CHECK(nvdlac::verify(chip, pictures(dir.path), {.labels = {0, 1}}).float_right == 1);
}
