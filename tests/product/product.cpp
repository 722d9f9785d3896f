// SPDX-License-Identifier: Apache-2.0
// The first program of the README, with a library of nvdlac_add_product: no template of the
// compiler or the simulator is instantiated here.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/product.hpp>

#include "scratch.hpp"
#include "shared.hpp"

namespace {

using nvdlac::nv_small;
using nvdlac::pictures;

const std::filesystem::path digits = NVDLAC_SOURCE_DIR "/examples/digits";
const auto onnx = digits / "digits.onnx";

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
// What is wrong, in one text.
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return "nothing is wrong";
}
bool says(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != text.npos;
}

}  // namespace

TEST_CASE("a model becomes a product that is saved and runs pictures") {
  const scratch dir;
  auto chip = nvdlac::compile<nv_small>(nvdlac::read(onnx), pictures(digits / "calibration.idx"));
  CHECK(chip.notes().empty());
  CHECK(chip.cycles() > 10000);  // at least its MACs
  CHECK(chip.cycles() < 1000000);
  const auto r = chip.run(digits / "images/3_a.pgm");
  CHECK(r.name == "3_a.pgm");
  CHECK(r.top1() == 3);
  CHECK(r.top(2).size() == 2);
  REQUIRE(r.outputs.size() == 1);
  CHECK(r[r.outputs[0].name] == r.only());
  CHECK(says(complaint([&] { r["none"]; }), "its outputs are " + r.outputs[0].name));

  SUBCASE("all pictures of a folder, and the saved loadable, say the same") {
    chip.save(dir.path / "d.nvdla");
    CHECK(bytes_of(dir.path / "d.nvdla") == chip.loadable());
    auto loaded = nvdlac::load<nv_small>(dir.path / "d.nvdla");
    std::vector<nvdlac::result> here, there;
    chip.run(pictures(digits / "images"), [&](const auto& one) { here.push_back(one); });
    loaded.run(pictures(digits / "images"), [&](const auto& one) { there.push_back(one); });
    REQUIRE(here.size() == 20);
    CHECK(here == there);
    for (const auto& one : here) CHECK(one.top1() == static_cast<std::size_t>(one.name[0] - '0'));
  }
  SUBCASE("what it was made from is not overwritten") {
    const auto copy = dir.path / "copy.onnx";
    std::filesystem::copy_file(onnx, copy);
    const auto before = bytes_of(copy);
    const auto own =
        nvdlac::compile<nv_small>(nvdlac::read(copy), pictures(digits / "calibration.idx"));
    CHECK(says(complaint([&] { own.save(copy); }), "from which the product was made"));
    CHECK(bytes_of(copy) == before);
    CHECK(says(complaint([&] { own.save(dir.path / "absent" / "d.nvdla"); }), "does not exist"));
    CHECK(dir.files() == 1);
  }
  SUBCASE("wrong pictures are named") {
    CHECK(says(complaint([&] { chip.run(digits / "calibration.idx"); }), "more than one input"));
    CHECK(says(complaint([&] { chip.run(digits / "none.png"); }), "none.png"));
    CHECK(says(complaint([&] { chip.run(pictures().of("x", "a.png"), [](const auto&) {}); }),
               "a.png: the network has no input 'x'"));
    const nvdlac::net::preprocessing other{.mean = {1}};
    CHECK(says(complaint([&] {
                 chip.run(pictures(digits / "images", other), [](const auto&) {});
               }), "is part of the program"));
  }
}

TEST_CASE("the program is that of the functions below") {
  const auto model = nvdlac::read(onnx);
  const nvdlac::net::preprocessing how{.mean = {3}, .scale = {0.5}};
  const auto chip =
      nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx", how), {.batch = 2});
  CHECK(chip.program().network == "digits");
  REQUIRE(chip.program().inputs.size() == 2);
  CHECK(chip.program().inputs[0].preprocessing == how);
  CHECK(chip.network().integers.size() > 3);
  // The same of options that say it all.
  nvdlac::compile_options options{.network = "digits", .preprocessing = how, .batch = 2};
  CHECK(chip.run(picture).only().values == std::vector<float>{0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0});
  CHECK(says(complaint([&] { nvdlac::model(edges, {{"laplace.bais", {0}}}); }),
             "the network has no 'laplace.bais' to take values"));
  CHECK(says(complaint([&] { nvdlac::model{edges}; }), "weights"));
}
