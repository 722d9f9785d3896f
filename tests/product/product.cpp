// SPDX-License-Identifier: Apache-2.0
// The first program of the README, with a library of nvdlac_add_product: no template of the
// compiler or the simulator is instantiated here.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/sha256.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/option_words.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/simulated.hpp>
#include <nvdlac/verify.hpp>

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
// Everything that is wrong, in one text.
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

TEST_CASE("a compilation's limits hold for its pictures and for the product's runs") {
  const auto model = nvdlac::read(onnx);
  const auto samples = digits / "images";  // of 28 x 28 pixels
  nvdlac::compile_options options;
  options.limits.samples = 783;
  CHECK(says(complaint([&] { (void)nvdlac::compile<nv_small>(model, pictures(samples), options); }),
             "--limit samples=784"));
  options.limits.samples = 784;
  options.limits.macs = 10;
  auto chip = nvdlac::compile<nv_small>(model, pictures(samples), options);
  CHECK(chip.on_chip().limits() == options.limits);
  CHECK(says(complaint([&] { (void)chip.run(digits / "images/3_a.pgm"); }), "--limit macs)"));
  const scratch dir;
  chip.save(dir.path / "d.nvdla");
  auto loaded = nvdlac::load<nv_small>(dir.path / "d.nvdla");
  CHECK(loaded.run(digits / "images/3_a.pgm").top1() == 3);
  auto few = nvdlac::load<nv_small>(dir.path / "d.nvdla", {.samples = 783});
  CHECK(says(complaint([&] { (void)few.run(digits / "images/3_a.pgm"); }), "--limit samples=784"));
}

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

  SUBCASE("another device says the same") {
    auto board = chip.on(nvdlac::runtime::simulated<nv_small>());
    CHECK(board.run(digits / "images/3_a.pgm") == r);
  }

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
  SUBCASE("a picture that is in memory says the same") {
    nvdlac::net::float_tensor picture{{1, 28, 28}};
    const auto pixels = bytes_of(digits / "images/3_a.pgm");
    std::copy(pixels.end() - 28 * 28, pixels.end(), picture.values.begin());
    CHECK(chip.run(picture).only() == r.only());
  }
  SUBCASE("what it was made from is not overwritten, from another directory either") {
    const auto copy = dir.path / "copy.onnx";
    std::filesystem::copy_file(onnx, copy);
    const auto before = bytes_of(copy);
    const auto own =
        nvdlac::compile<nv_small>(nvdlac::read(copy), pictures(digits / "calibration.idx"));
    CHECK(says(complaint([&] { own.save(copy); }), "from which the product was made"));
    CHECK(bytes_of(copy) == before);
    CHECK(says(complaint([&] { own.save(dir.path / "absent" / "d.nvdla"); }), "does not exist"));
    CHECK(dir.files() == 1);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(dir.path);
    const auto near =
        nvdlac::compile<nv_small>(nvdlac::read("copy.onnx"), pictures(digits / "calibration.idx"));
    std::filesystem::current_path(here);
    CHECK(says(complaint([&] { near.save(copy); }), "from which the product was made"));
    CHECK(bytes_of(copy) == before);
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
  // Options that say it all give the same program.
  nvdlac::compile_options options{.network = "digits", .preprocessing = how, .batch = 2};
  CHECK(chip.loadable() ==
        nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx"), options).loadable());
  CHECK(says(complaint([&] {
               nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx", how), options);
             }), "digits.onnx: the preprocessing is given twice"));
}

TEST_CASE("without calibration a model needs scales of its own") {
  const auto model = nvdlac::read(onnx);
  CHECK(says(complaint([&] { nvdlac::compile<nv_small>(model); }), "digits.onnx: no scales"));
  // Scales of another product of it are a table, as a quantised file has one.
  const pictures calibration(digits / "calibration.idx");
  const auto first = nvdlac::compile<nv_small>(model, calibration);
  auto with = *model;
  with.scales = first.network().scales;
  const nvdlac::model quantised(with);
  const auto bytes = [](const auto& made) {  // without what it was made from
    return nvdlac::emit::loadable_bytes(made.program(), "nv_small", nv_small::spec);
  };
  CHECK(bytes(nvdlac::compile<nv_small>(quantised)) == bytes(first));
  CHECK(says(complaint([&] { nvdlac::compile<nv_small>(quantised, calibration); }),
             "the model is quantised: pictures would put other scales"));
}

TEST_CASE("the scales and the preprocessing of a quantised file count") {
  const auto path = shared_path("nets/tflite/mlperf_pretrainedResnet_quant.tflite");
  if (!path) return;
  const auto model = nvdlac::read(*path);
  REQUIRE(model->preprocessing);
  auto chip = nvdlac::compile<nv_small>(model);
  REQUIRE(chip.program().inputs.size() == 1);
  CHECK(chip.program().inputs[0].preprocessing == model->preprocessing);
  const scratch dir;
  const auto r = chip.run(dir.write("p.raw", std::string(32 * 32 * 3, '\x55')));
  CHECK(r.only().values.size() == 10);
}

TEST_CASE("what is not as the file has it, or casts doubt, is noted") {
  auto network = *nvdlac::read(onnx);
  network.notes = {{.reason = "a note of the importer"}};
  network.batch = 4;
  const auto chip =
      nvdlac::compile<nv_small>(nvdlac::model(network), pictures(digits / "calibration.idx"));
  REQUIRE(chip.notes().size() == 2);
  CHECK(chip.notes()[0].reason == "a note of the importer");
  CHECK(says(to_string(chip.notes()[1]), "for batches of 4"));
  CHECK(says(to_string(chip.notes()[1]), "compile_options::batch = 4"));

  const scratch dir;  // pictures that are all the same
  const auto grey = dir.write("grey.pgm", "P5 28 28 255 " + std::string(28 * 28, '\x7f'));
  std::size_t warned = 0;
  const auto doubtful = nvdlac::compile<nv_small>(
      nvdlac::read(onnx), pictures(grey),
      {.warn = [&](const nvdlac::problem&) { ++warned; }});
  CHECK(warned == doubtful.notes().size());
  CHECK(warned != 0);
}

TEST_CASE("values run as they are") {
  const scratch dir;
  // Calibrated with values, not with pictures: the program reads values.
  nvdlac::data::array values{{28, 28}, std::vector<float>(28 * 28)};
  for (std::size_t i = 0; i < values.values.size(); ++i)
    values.values[i] = static_cast<float>(i % 29) / 28;
  const auto npy = dir.write("v.npy", nvdlac::data::to_npy(values));
  auto chip = nvdlac::compile<nv_small>(nvdlac::read(onnx), pictures(npy));
  const nvdlac::net::float_tensor tensor{{1, 28, 28}, values.values};
  CHECK(chip.run(tensor).only() == chip.run(npy).only());
  CHECK(says(complaint([&] { chip.run(nvdlac::net::float_tensor{{1, 2, 2}}); }), "takes"));
  // No picture can become values of which nobody said how.
  const auto grey = dir.write("grey.pgm", "P5 28 28 255 " + std::string(28 * 28, '\x7f'));
  CHECK(says(complaint([&] { chip.run(grey); }), "does not say how pixels become its values"));
  chip.run(pictures(grey, nvdlac::net::preprocessing{}), [](const auto&) {});
}

TEST_CASE("a network written in C++ becomes a product") {
  using namespace nvdlac::net;
  constexpr network edges{
      node{"picture", input{{1, 6, 8}}},
      node{"laplace", convolution{.window = square{.kernel = 3, .pad = 1}, .relu = true}},
      node{"peaks", pool{.window = square{.kernel = 2, .stride = 2}}},
  };
  float_tensor picture{edges.shape_of("picture")};
  for (int x = 2; x < 6; ++x) picture.at(0, 2, x) = picture.at(0, 3, x) = 1;
  const std::vector<nvdlac::sample> samples(1, {picture});
  const nvdlac::model trained(edges, {{"laplace.weights", {0, -1, 0, -1, 4, -1, 0, -1, 0}}});

  auto chip = nvdlac::compile<nv_small>(trained, samples);
  CHECK(chip.run(picture).only().values == std::vector<float>{0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0});
  CHECK(says(complaint([&] { nvdlac::model(edges, {{"laplace.bais", {0}}}); }),
             "the network has no 'laplace.bais' to take values"));
  CHECK(says(complaint([&] { const nvdlac::model untrained(edges); }), "weights"));
}

TEST_CASE("functions of the options may be empty") {
  using namespace nvdlac::net;
  constexpr network doubled{node{"picture", input{{1, 1, 4}}}, node{"twice", convolution{}}};
  const std::vector<nvdlac::sample> samples(4, {float_tensor{{1, 1, 4}, {1, -1, 0.5F, 0.25F}}});
  const nvdlac::model trained(doubled, {{"twice.weights", {2}}});
  nvdlac::compile_options none{.effort = 3}, all{.effort = 3};
  none.searching = none.progress = none.choosing_scales = none.reconstructing = nullptr;
  none.scheduled = nullptr;
  none.histogram = nullptr;
  none.warn = nullptr;
  std::size_t told = 0;
  all.progress = all.choosing_scales = all.reconstructing = [&](std::size_t, std::size_t) {
    ++told;
  };
  all.histogram = [&](const std::string&, const auto&) { ++told; };
  CHECK(nvdlac::compile<nv_small>(trained, samples, none).loadable() ==
        nvdlac::compile<nv_small>(trained, samples, all).loadable());
  CHECK(told > samples.size());
}

TEST_CASE("a saved product tells what it was made from, as the command line does") {
  const auto made_from = [](const auto& chip) {
    return nvdlac::emit::read_loadable(chip.loadable()).notes.made_from;
  };
  const auto words = [](const nvdlac::emit::provenance& p) {
    std::vector<std::string> all;
    for (const auto& o : p.options) all.emplace_back(o);
    return all;
  };
  const auto calibration = pictures(digits / "calibration.idx");
  const auto plain = made_from(nvdlac::compile<nv_small>(nvdlac::read(onnx), calibration));
  CHECK(plain.version == nvdlac::version);
  CHECK(words(plain) == std::vector<std::string>{"--config=nv_small"});
  REQUIRE(plain.sources.size() == 2);
  // As `sha256sum` tells it of the file.
  CHECK(plain.sources[0].role == "model");
  CHECK(plain.sources[0].sha256.hex() == nvdlac::sha256().update([] {
          const auto all = bytes_of(onnx);
          return std::string(all.begin(), all.end());
        }()).finish().hex());
  CHECK(plain.sources[1].role == "calibration");
  CHECK(plain.sources[1].count == 100);

  nvdlac::compile_options options;
  options.effort = 1;
  options.without = {"order"};
  const auto with = made_from(nvdlac::compile<nv_small>(nvdlac::read(onnx), calibration, options));
  CHECK(words(with) ==
        std::vector<std::string>{"--config=nv_small", "--effort=1", "--without=order"});
  CHECK(with.sources == plain.sources);

  // A graph that no file holds.
  auto changed = *nvdlac::read(onnx);
  const auto own = made_from(nvdlac::compile<nv_small>(nvdlac::model(changed), calibration));
  CHECK(words(own) == std::vector<std::string>{"--config=nv_small", "own network"});
  REQUIRE(own.sources.size() == 1);
  CHECK(own.sources[0] == plain.sources[1]);
}

namespace {

std::vector<std::string> words_of_notes(const nvdlac::product<nv_small>& made) {
  std::vector<std::string> all;
  for (const auto& o : nvdlac::emit::read_loadable(made.loadable()).notes.made_from.options)
    all.emplace_back(o);
  return all;
}

}  // namespace

TEST_CASE("options that the command line has are noted in its words") {
  namespace net = nvdlac::net;
  const auto words = [](const nvdlac::compile_options& o) { return nvdlac::words_of(o); };
  const auto observed = [&](nvdlac::quant::any_observer o, net::layer_precisions p = {}) {
    return words({.precision = std::move(p), .calibrate = std::move(o)});
  };
  using all = std::vector<std::string>;
  CHECK(words({}).empty());
  CHECK(observed(nvdlac::quant::min_max{}) == all{"--observer=min-max"});
  CHECK(observed(nvdlac::quant::entropy{}) == all{"--observer=entropy"});
  CHECK(observed(nvdlac::quant::percentile{}) == all{"--observer=percentile"});
  CHECK(observed(nvdlac::quant::least_squares{}).empty());
  // The command line has neither other numbers of an observer nor what it has seen.
  CHECK(observed(nvdlac::quant::percentile{.percent = 99}) == all{"own observer percentile"});
  nvdlac::quant::least_squares used;
  used.observe(std::vector<float>{1});
  CHECK(observed(used) == all{"own observer least-squares"});
  struct mine : nvdlac::quant::least_squares {};
  CHECK(observed(mine{}) == all{"own observer least-squares"});
  // 16 bits have the whole range, whatever observes.
  CHECK(observed(nvdlac::quant::min_max{}, nvdlac::hw::precision::int16) ==
        all{"--precision=int16"});

  CHECK(words({.pixels = false}) == all{"--input-format=int8"});
  CHECK(words({.pixels = false, .precision = nvdlac::hw::precision::fp16}) ==
        all{"--precision=fp16"});
  CHECK(words({.preprocessing = net::preprocessing{
                   .mean = {104, 117, 123}, .order = net::channel_order::bgr,
                   .size = {net::resizing::shorter, 256, 224}}}) ==
        all{"--crop=224", "--mean=104,117,123", "--order=bgr", "--resize=short:256"});
  // A model's own numbers do not count.
  CHECK(words({.preprocessing = net::preprocessing{}}) == all{"--mean=0"});
  CHECK(words({.preprocessing = net::preprocessing{.scale = {0.5}}}) == all{"--scale=0.5"});
  CHECK(words({.memory = nvdlac::cost::memory{.width = 4}}) ==
        all{"--memory=width=4", "--memory=latency=64", "--memory=write-latency=20",
            "--memory=outstanding=256", "--memory=data-turns=1", "--memory=weights-ahead=1"});
  CHECK(words({.memory = nvdlac::cost::memory{.width = 10'000'000}}) == all{"own memory"});
  CHECK(words({.cvsram = {.bytes = 4096, .weights = true}}) ==
        all{"--cvsram=bytes=4096", "--cvsram=width=8", "--cvsram=latency=64",
            "--cvsram=write-latency=20", "--cvsram=outstanding=256", "--cvsram=weights=1"});

  pictures calibration(digits / "calibration.idx");
  calibration.layout = nvdlac::data::array_layout::chw;
  CHECK(words_of_notes(nvdlac::compile<nv_small>(nvdlac::read(onnx), calibration)) ==
        all{"--config=nv_small", "--layout=chw"});
}

TEST_CASE("a constant product runs and is verified, and arguments may be left empty") {
  const auto model = nvdlac::read(onnx);
  const auto calibration = pictures(digits / "calibration.idx");
  const auto made = nvdlac::compile<nv_small>(model, calibration);
  CHECK(made.run(digits / "images/3_a.pgm").top1() == 3);
  CHECK(nvdlac::verify(made, pictures(digits / "images/3_a.pgm")).bit_exact());
  const auto none = [&](auto f) { return says(complaint(f), "no scales"); };
  CHECK(none([&] { nvdlac::compile<nv_small>(model, {}); }));
  CHECK(none([&] { nvdlac::compile<nv_small>(model, {}, {.effort = 1}); }));
  CHECK(complaint([&] { nvdlac::verify(made, {}); }) != "nothing is wrong");
}

namespace own_layers {

struct twice {
  static constexpr nvdlac::net::arity inputs{1, 1};
  double by = 2;
  static constexpr void fields(auto&& field) { field("by", &twice::by); }
  nvdlac::net::shape infer(std::span<const nvdlac::net::shape> in) const { return in[0]; }
  nvdlac::net::float_tensor evaluate(
      std::span<const nvdlac::net::float_tensor* const> in) const {
    auto y = *in[0];
    for (auto& v : y.values) v = static_cast<float>(double{v} * by);
    return y;
  }
};

}  // namespace own_layers

TEST_CASE("the host's layers that are the user's own run with the product") {
  using namespace nvdlac::net;
  nvdlac::import::network n;
  const auto picture = n.graph.add("picture", input{{8, 2, 2}});
  const auto r = n.graph.add("relu", relu{}, {picture});
  const auto h = n.graph.add("twice", nvdlac::host::on_host(own_layers::twice{}), {r});
  const auto p = n.graph.add("pool", pool{.window = square{.kernel = 2}}, {h});
  n.graph[p].output = true;
  float_tensor x{{8, 2, 2}};
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i) / 32;
  const std::vector<nvdlac::sample> samples(1, {x});
  auto chip = [&] {  // which outlives its product
    const auto made = nvdlac::compile<nv_small>(nvdlac::model(n), samples,
                                                {.host = nvdlac::host::choice::all()});
    CHECK(made.run(x).only().values.back() == doctest::Approx(2 * 31 / 32.0).epsilon(0.02));
    CHECK(nvdlac::verify(made, samples).bit_exact());
    auto on = made.on(nvdlac::runtime::simulated<nv_small>());
    CHECK(on.run(x) == made.run(x));
    return on;
  }();
  CHECK(chip.run(x).only().values.size() == 8);
}

TEST_CASE("what nothing can be done with is refused") {
  const auto model = nvdlac::read(onnx);
  const auto calibration = pictures(digits / "calibration.idx");
  const auto made = nvdlac::compile<nv_small>(model, calibration);
  CHECK(says(complaint([&] { made.run(calibration, nullptr); }), "need a function"));
  std::unique_ptr<nvdlac::runtime::any_session> none;
  CHECK(says(complaint([&] { nvdlac::chip<nv_small>(std::move(none)); }), "needs a session"));
  CHECK(says(complaint([] { nvdlac::chip<nv_small>(std::span<const std::uint8_t>()); }),
             "what is given is not a loadable: 0 bytes"));
  CHECK(says(complaint([] { nvdlac::result{.outputs = {{}}}.top1(); }), "no value"));
  CHECK(says(complaint([&] {
               nvdlac::compile<nv_small>(model, calibration,
                                         {.memory = nvdlac::cost::memory{.width = 0}});
             }), "compile_options::memory.width is 0"));
  CHECK(says(complaint([&] {
               nvdlac::compile<nv_small>(model, calibration,
                                         {.memory = nvdlac::cost::memory{.outstanding = 0}});
             }), "compile_options::memory.outstanding is 0"));
}
