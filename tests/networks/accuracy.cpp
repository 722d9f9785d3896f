// SPDX-License-Identifier: Apache-2.0
// How much of their accuracy classifiers of photographs lose: all 500 test pictures of CIFAR-10 in
// float beside the exact integers, calibrated on 100 pictures for training; the simulator runs one
// of 25. That takes minutes, so all but one of few pictures are in the suite `nightly`
// (--test-suite=nightly --no-skip).
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/data/resize.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "pictures.hpp"
#include "readme.hpp"
#include "trained.hpp"

using namespace nvdlac;

namespace {

using bytes_of_picture = std::vector<std::uint8_t>;

// Bilinear, between the centres of pixels.
bytes_of_picture enlarged(const bytes_of_picture& from, std::int32_t size, std::int32_t to) {
  if (size == to) return from;
  bytes_of_picture result;
  const auto place = [&](std::int32_t i) {
    return std::clamp((i + 0.5) * size / to - 0.5, 0.0, size - 1.0);
  };
  for (std::int32_t y = 0; y < to; ++y)
    for (std::int32_t x = 0; x < to; ++x)
      for (std::int32_t c = 0; c < 3; ++c) {
        const auto at = [&](double v, double h) {
          const auto row = static_cast<std::int32_t>(v), column = static_cast<std::int32_t>(h);
          return static_cast<double>(from[static_cast<std::size_t>((row * size + column) * 3 + c)]);
        };
        const double v = place(y), h = place(x), low = std::ceil(v), right = std::ceil(h);
        const double part = v - std::floor(v), side = h - std::floor(h);
        result.push_back(static_cast<std::uint8_t>(
            std::lround((1 - part) * ((1 - side) * at(v, h) + side * at(v, right)) +
                        part * ((1 - side) * at(low, h) + side * at(low, right)))));
      }
  return result;
}

// Whether a class of a network means the class of CIFAR-10.
bool is(std::size_t found, std::size_t label) { return found == label; }
// The classes of ImageNet, of which 0 is the background, that are airplanes, cars, birds, ..
bool is_among_1001(std::size_t found, std::size_t label) {
  using range = std::pair<std::size_t, std::size_t>;
  static const std::array<std::vector<range>, 10> classes{{
      {{405, 406}, {896, 896}},
      {{437, 437}, {469, 469}, {512, 512}, {610, 610}, {628, 628}, {657, 657}, {662, 662},
       {706, 706}, {752, 752}, {818, 818}},
      {{8, 25}, {81, 101}, {128, 147}},
      {{282, 288}},
      {{345, 354}},
      {{152, 269}},
      {{31, 33}},
      {{340, 341}},
      {{404, 404}, {473, 473}, {485, 485}, {511, 511}, {555, 555}, {577, 577}, {626, 626},
       {629, 629}, {725, 725}, {781, 781}, {815, 815}, {834, 834}, {872, 872}, {915, 915}},
      {{556, 556}, {570, 570}, {655, 655}, {657, 657}, {676, 676}, {718, 718}, {735, 735},
       {780, 780}, {830, 830}, {865, 865}, {868, 868}},
  }};
  return std::ranges::any_of(classes.at(label), [&](range r) {
    return r.first <= found && found <= r.second;
  });
}

struct classifier {
  std::string file;
  net::preprocessing pixels{};  // without a scale: less the mean of the pictures for training
  bool (*right)(std::size_t, std::size_t) = is;
  std::string row{};  // in README.md
};
const classifier resnet8{"onnx/mlperf_pretrainedResnet_fromtfl.onnx", {{0}, {1}}, is,
                         "mlperf_pretrainedResnet, a ResNet-8 (ONNX)"};
const classifier resnet8_tflite{"tflite/mlperf_pretrainedResnet_quant.tflite", {{0}, {1}}, is,
                                "the same as TFLite, calibrated anew"};
const classifier cifar10_full{"caffe/cifar10_full.prototxt", {{}, {}}, is,
                              "cifar10_full (Caffe), its normalisation on the host"};
const classifier resnet20{"onnx/resnet20_cifar10_akamaster.onnx",
                          {{123.675, 116.28, 103.53}, {0.017125, 0.017507, 0.017429}}, is,
                          "resnet20_cifar10 (ONNX)"};
const classifier mobilenet_onnx{"onnx/coral_mobilenet_v1_0.25_128_quant_fromtfl.onnx",
                                {{127.5}, {0.0078431}}, is_among_1001,
                                "MobileNet v1 0.25, 128x128 (ONNX, TFLite)"};
const classifier mobilenet_tflite{"tflite/coral_mobilenet_v1_0.25_128_quant.tflite",
                                  {{127.5}, {0.0078431}}, is_among_1001, mobilenet_onnx.row};

net::float_tensor values(const bytes_of_picture& picture, net::shape shape,
                         const net::preprocessing& how, const std::vector<double>& mean) {
  if (how.scale.empty()) return networks::real(picture, shape, mean, 1);
  return {shape, data::normalise({static_cast<std::size_t>(shape.h),
                                  static_cast<std::size_t>(shape.w), 3, picture}, how)};
}

// The effort for int8 beyond what is free, with so many pictures for training, and for how many per
// cent of the test pictures the class is that of float at least.
struct effort {
  int level = 0;
  std::size_t pictures = 100;
  double same = 0;
};

// `points`: how much top-1 may fall, in per cent of `count` pictures.
template <class Hw>
void check(const classifier& which, hw::precision precision, double points,
           std::size_t count = 500, const effort& by = {}) {
  const auto path = shared_path("nets/" + which.file);
  const auto all = networks::cifar();
  if (!path || !all) return;
  const auto network = networks::without_softmax(networks::trained(*path).graph);
  const auto shape = network[net::input_nodes(network).at(0)].shape;
  const auto mean = networks::mean_picture(*all);
  std::vector<sample> calibration;
  for (const auto& picture : all->calibration(by.pictures))
    calibration.push_back({values(enlarged(picture, 32, shape.h), shape, which.pixels, mean)});
  compile_options options;
  options.precision = precision;
  options.effort = by.level;
  options.host = host::choice::all();  // cifar10_full normalises within channels
  if (precision != hw::precision::fp16 && !which.pixels.scale.empty())
    options.preprocessing = which.pixels;
  const auto prepared = prepare(
      network, std::span<const sample>(calibration), options, pass::verify{}, [&](net::graph& g) {
        const auto left =
            host::partition(g, options.host,
                            hardware<Hw>().check({g}, options.precision,
                                                  options.limits.layers));
        if (!left.empty()) throw error(left);
      });
  compiled chip(hardware<Hw>(), prepared.integers, options);
  const auto& input = chip.program().inputs.at(0);

  std::size_t real_right = 0, right = 0, same = 0, tied = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pixels = enlarged(all->pictures[i], 32, shape.h);
    const auto real = values(pixels, shape, which.pixels, mean);
    const std::vector feeds{
        input.pixels ? quantised::feed(pixels)
                     : quantised::feed_of(
                           quantised::numbers_of(real, input.scale, input.surface.precision))};
    const auto out = quantised::evaluate_any(prepared.integers,
                                                std::span<const quantised::feed>(feeds),
                                                quantised::order_of(Hw::spec));
    if (i % 25 == 0) CHECK((out == chip.infer_any(feeds)));
    const auto expected = net::evaluate(network, real).at(0);
    const auto given = quantised::real_of(out.at(0), chip.program().outputs.at(0).scale);
    const auto wanted = networks::top1(expected), found = networks::top1(given);
    tied += networks::is_tied(given);
    real_right += which.right(wanted, all->labels[i]);
    right += which.right(found, all->labels[i]);
    same += found == wanted;
  }
  const auto share = [&](std::size_t n) {
    return 100 * static_cast<double>(n) / static_cast<double>(count);
  };
  MESSAGE(which.file << " in " << std::string(hw::name_of(precision)) << " on " << type_name<Hw>()
                     << ": top-1 float " << share(real_right) << " %, integers " << share(right)
                     << " %, the same class " << share(same) << " %, tied " << share(tied) << " %");
  CHECK(static_cast<double>(real_right) - static_cast<double>(right) <=
        std::round(points * static_cast<double>(count) / 100));
  CHECK(share(same) >= by.same);
  if (precision != hw::precision::int8 || by.level != 0 || count != all->pictures.size()) return;
  networks::check_row_of_readme(which.row, share(real_right), share(right));
  if (which.right == is_among_1001)
    networks::check_in_readme("for " + networks::per_cent(share(same), 1) +
                              " it gives the class of the float network");
}

// A network that finds places, and how near its outputs in int8 must be to those in float: by the
// cosine of the angle between all values of each.
struct detector {
  std::string file;
  net::preprocessing pixels{};
  std::vector<double> cosines{};
};

// With 60 pictures for training, of 60 others, each stretched to the size of the network.
template <class Hw>
void check(const detector& which, int effort) {
  const auto path = shared_path("nets/" + which.file);
  const auto all = networks::cifar();
  if (!path || !all) return;
  constexpr std::size_t count = 60;
  const auto network = networks::trained(*path).graph;
  const auto shape = network[net::input_nodes(network).at(0)].shape;
  const auto sample_of = [&](const bytes_of_picture& picture) {
    const auto large = data::resized({32, 32, 3, picture}, shape, {net::resizing::stretch}, "",
                                     budget{}.samples);
    return sample{{shape, data::normalise(data::arrange(large, shape, which.pixels.order, ""),
                                          which.pixels)}};
  };
  std::vector<sample> calibration;
  for (const auto& picture : all->calibration(count)) calibration.push_back(sample_of(picture));
  compile_options options;
  options.effort = effort;
  options.preprocessing = which.pixels;
  options.host = host::choice::all();
  const auto prepared = prepare(
      network, std::span<const sample>(calibration), options, pass::silent{}, [&](net::graph& g) {
        const auto left =
            host::partition(g, options.host,
                            hardware<Hw>().check({g}, options.precision,
                                                  options.limits.layers));
        if (!left.empty()) throw error(left);
      });
  const auto outputs = prepared.integers.outputs();
  std::vector<std::array<double, 3>> sums(outputs.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto s = sample_of(all->pictures[i]);
    const auto feeds = quant::feeds_of(prepared.integers, s, options.preprocessing);
    const auto wanted = net::evaluate(network, std::span<const net::float_tensor>(s));
    const auto found =
        quantised::evaluate_any(prepared.integers, std::span<const quantised::feed>(feeds));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto given = quantised::real_of(found[k], prepared.integers[outputs[k]].scale).values;
      for (std::size_t j = 0; j < given.size(); ++j) {
        const double x{given[j]}, y{wanted[k].values[j]};
        sums[k][0] += x * y;
        sums[k][1] += x * x;
        sums[k][2] += y * y;
      }
    }
  }
  REQUIRE(sums.size() == which.cosines.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double cosine = sums[k][0] / std::sqrt(sums[k][1] * sums[k][2]);
    MESSAGE(which.file << " in int8 by an effort of " << effort << ": output " << k
                       << " has a cosine of " << cosine);
    CHECK(cosine >= which.cosines[k]);
  }
}

}  // namespace

TEST_CASE("MobileNet v1 0.25 on a few pictures") {
  check<nv_small>(mobilenet_tflite, hw::precision::int8, 10, 20);
}

TEST_SUITE("nightly") {  // 500 pictures of each network take minutes, in fp16 many
  const classifier measured[] = {resnet8, resnet20, mobilenet_onnx, mobilenet_tflite};

  TEST_CASE("accuracy in int8" * doctest::skip()) {
    for (const auto& c : measured) check<nv_small>(c, hw::precision::int8, 0.6);
    for (const auto& c : {resnet8_tflite, cifar10_full})
      check<nv_small>(c, hw::precision::int8, 0.6);
  }
  TEST_CASE("accuracy in int8 by an effort" * doctest::skip()) {
    check<nv_small>(mobilenet_onnx, hw::precision::int8, 0.6, 500, {2, 200, 90});
    for (const auto& c : {resnet8, resnet20})
      check<nv_small>(c, hw::precision::int8, 0.3, 500, {2, 200});
    check<nv_large>(detector{"caffe/RFB-320.prototxt", {{127}, {1 / 128.0}}, {0.998, 0.9999}}, 2);
    check<nv_large>(detector{"onnx/FastestDet.onnx",
                             {.mean = {0}, .scale = {1 / 255.0},
                              .order = net::channel_order::bgr}, {0.99}}, 2);
  }
  TEST_CASE("accuracy in int16" * doctest::skip()) {
    for (const auto& c : measured) check<nv_full>(c, hw::precision::int16, 0.2);
  }
  TEST_CASE("accuracy in fp16" * doctest::skip()) {
    for (const auto& c : measured) check<nv_full>(c, hw::precision::fp16, 0.2);
  }
}
