// SPDX-License-Identifier: Apache-2.0
// Heads of single-shot detectors as OpenCV's dnn finds their boxes: of random tellings, the same
// detections. Whole detectors with random weights: the same boxes and scores.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/dnn.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>

#include "../import/detectors.hpp"
#include "in_file.hpp"
#include "opencv_reference.hpp"

using namespace nvdlac;

namespace {

struct head {
  std::string priors, output;  // parameters
  std::int32_t boxes = 0;      // around a place
  std::int32_t places = 6, classes = 4;
  bool shared = true;
  std::int32_t background = 0;

  std::int32_t offsets() const { return 4 * boxes * (shared ? 1 : classes); }
};

std::string prototxt(const head& h) {
  const auto input = [&](const char* name, std::int32_t c, std::int32_t side) {
    return text("layer { name: '", name, "' type: 'Input' top: '", name,
                "' input_param { shape { dim: 1 dim: ", c, " dim: ", side, " dim: ", side,
                " } } }\n");
  };
  const auto list = [](const char* from, const std::string& to) {
    return text("layer { name: '", to, "_last' type: 'Permute' bottom: '", from, "' top: '", to,
                "_last' permute_param { order: 0 order: 2 order: 3 order: 1 } }\n"
                "layer { name: '", to, "' type: 'Flatten' bottom: '", to, "_last' top: '", to,
                "' }\n");
  };
  return input("data", 3, 48) + input("a", h.offsets(), h.places) +
         input("b", h.boxes * h.classes, h.places) + list("a", "loc") + list("b", "conf") +
         "layer { name: 'p' type: 'PriorBox' bottom: 'a' bottom: 'data' top: 'p' prior_box_param "
         "{ " + h.priors + " } }\n"
         "layer { name: 'y' type: 'DetectionOutput' bottom: 'loc' bottom: 'conf' bottom: 'p' "
         "top: 'y' detection_output_param { keep_top_k: 20 " + h.output +
         text(" num_classes: ", h.classes, " background_label_id: ", h.background,
              " share_location: ", h.shared ? "true" : "false", " } }\n");
}

std::vector<float> by_opencv(const std::string& net, const head& h, std::span<const float> a,
                             std::span<const float> b) {
  auto n = cv::dnn::readNetFromCaffe(net.data(), net.size());
  const auto give = [&](const char* name, std::int32_t c, std::int32_t side,
                        std::span<const float> values) {
    const int sizes[] = {1, c, side, side};
    cv::Mat in(4, sizes, CV_32F, cv::Scalar(0));
    if (!values.empty()) std::memcpy(in.data, values.data(), values.size_bytes());
    n.setInput(in, name);
  };
  give("data", 3, 48, {});
  give("a", h.offsets(), h.places, a);
  give("b", h.boxes * h.classes, h.places, b);
  const cv::Mat out = n.forward();
  return {out.ptr<float>(), out.ptr<float>() + out.total()};
}

// OpenCV does not tell in which order its rows stand; Caffe's are by classes, then by scores. Rows
// without a score are no detections.
std::vector<float> sorted(const std::vector<float>& rows) {
  std::vector<std::vector<float>> all;
  for (std::size_t i = 0; i + 7 <= rows.size(); i += 7)
    if (rows[i + 2] > 0) all.emplace_back(&rows[i], &rows[i] + 7);
  std::ranges::sort(all, {}, [](const auto& r) { return std::pair(r[1], -r[2]); });
  std::vector<float> result;
  for (const auto& r : all) result.insert(result.end(), r.begin(), r.end());
  return result;
}

void compare(const head& h, std::uint32_t seed) {
  const auto net = prototxt(h);
  const auto read = import::caffe_format::read(
      {"n", net}, import::caffe_format::weights(import::random_weights{1}, budget{}.weights));
  std::mt19937 engine(seed);
  const auto numbers = [&](std::int32_t channels, float least, float most) {
    std::vector<float> all(static_cast<std::size_t>(channels * h.places * h.places));
    for (auto& v : all) v = least + (most - least) * static_cast<float>(engine()) / 4294967296.0F;
    return all;
  };
  const auto a = numbers(h.offsets(), -2, 2), b = numbers(h.boxes * h.classes, 0, 1);
  std::vector<net::float_tensor> cubes;
  for (const auto n : net::input_nodes(read.graph)) {
    const auto& form = read.graph[n].in_file.at(0);
    const std::span<const float> values(form.name == "a" ? a : b);
    cubes.push_back({read.graph[n].shape, form.to_cube(values)});
  }
  REQUIRE(cubes.size() == 2);
  const auto ours = in_file::outputs(read.graph, cubes).at(0).values;
  const auto theirs = sorted(by_opencv(net, h, a, b));
  INFO("seed ", seed, ": ", h.output);
  REQUIRE(theirs.size() <= ours.size());
  REQUIRE(theirs.size() >= 7);
  for (std::size_t i = 0; i < theirs.size(); ++i)
    CHECK(ours[i] == doctest::Approx(theirs[i]).epsilon(1e-4));
  for (std::size_t i = theirs.size(); i < ours.size(); ++i) CHECK(ours[i] == 0);
}

}  // namespace

TEST_CASE("detections of 50 random heads are OpenCV's") {
  const std::string two = "min_size: 12 max_size: 20 variance: 0.1 variance: 0.1 variance: 0.2 "
                          "variance: 0.2 clip: ";  // which OpenCV takes for true otherwise
  const head heads[] = {
      {two + "false", "code_type: CENTER_SIZE nms_param { nms_threshold: 0.45 top_k: 30 } "
            "confidence_threshold: 0.5", 2},
      {two + "false aspect_ratio: 2", "code_type: CENTER_SIZE nms_param { nms_threshold: 0.3 } "
                                 "confidence_threshold: 0.7", 4},
      {two + "true aspect_ratio: 2 flip: false",
       "code_type: CORNER nms_param { nms_threshold: 0.6 top_k: 10 } ", 3, 6, 4, true, 3},
      {"min_size: 9 step: 7 offset: 0.25 variance: 0.1 variance: 0.2 variance: 0.3 variance: 0.4 "
       "clip: false", "code_type: CENTER_SIZE nms_param { nms_threshold: 0.2 "
       "} confidence_threshold: 0.8", 1},
      {two + "false",
       "code_type: CENTER_SIZE nms_param { nms_threshold: 0.45 } confidence_threshold: 0.6", 2, 5,
       3, false}};
  for (std::uint32_t seed = 0; seed < 10; ++seed)
    for (const auto& h : heads) compare(h, 1000 * seed);
}

// OpenCV 4.6 does not read YOLOv8.
TEST_CASE("boxes and scores of YOLOv5n and YOLOX-nano are OpenCV's") {
  constexpr detectors::form f{.size = 64, .width = 0.25F, .classes = 3};
  for (const auto& content : {detectors::yolov5n(f).file(), detectors::yolox_nano(f).file()}) {
    const auto binary = encode(import::onnx_format::schema(), "ModelProto", content);
    const auto g = onnx_model::read(binary);
    const auto picture = detectors::picture(f.size, 3);
    const auto ours = in_file::outputs(g, picture).at(0).values;
    CHECK(opencv_reference::distance(opencv_reference::run(binary, picture), ours) < 1e-4);
  }
}
