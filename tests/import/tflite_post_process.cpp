// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's custom operator at the end of single-shot detectors, and its options.
#include "tflite_model.hpp"

#include <cmath>
#include <functional>

#include <flatbuffers/flexbuffers.h>

#include <nvdlac/import/tflite/custom_options.hpp>

using namespace tflite_model;

namespace {

using options_of = std::function<void(flexbuffers::Builder&)>;

std::vector<std::uint8_t> map_of(const options_of& add) {
  flexbuffers::Builder b;
  b.Map([&] { add(b); });
  b.Finish();
  return b.GetBuffer();
}
// As converters write them.
void usual(flexbuffers::Builder& b) {
  b.Int("max_detections", 2);
  b.Int("max_classes_per_detection", 1);
  b.Float("nms_score_threshold", 0.25F);
  b.Float("nms_iou_threshold", 0.5F);
  b.Int("num_classes", 2);
  b.Float("y_scale", 10);
  b.Float("x_scale", 10);
  b.Float("h_scale", 5);
  b.Float("w_scale", 5);
  b.Bool("_output_quantized", true);
  b.String("_output_types", "float");
}

// A detector whose boxes are its first input and whose scores are its second one.
std::string detector(const std::vector<std::uint8_t>& options, const ints& boxes = {1, 3, 4},
                     const ints& scores = {1, 3, 3}, const ints& anchors = {3, 4},
                     const std::vector<ints>& out = {{1, 2, 4}, {1, 2}, {1, 2}, {1}},
                     const ints& wanted = {0, 1, 2, 3}) {
  builder b;
  const auto x = b.tensor("boxes", boxes), s = b.tensor("scores", scores),
             a = b.real("anchors", anchors,
                        {0.25F, 0.25F, 0.5F, 0.5F, 0.2F, 0.25F, 0.4F, 0.5F, 0.75F, 0.75F, 0.5F,
                         0.5F});
  ints outputs;
  for (std::size_t i = 0; i < out.size(); ++i)
    outputs.push_back(b.tensor(text("TFLite_Detection_PostProcess", i == 0 ? "" : text(':', i)),
                               out[i]));
  b.custom("TFLite_Detection_PostProcess", {x, s, a}, outputs, options);
  ints given;
  for (const auto i : wanted) given.push_back(outputs[static_cast<std::size_t>(i)]);
  return b.file({x, s}, given);
}

std::vector<in_file::value> detected(const std::string& file) {
  const auto g = read(file).graph;
  std::vector<net::float_tensor> in;
  for (const auto n : net::input_nodes(g)) in.push_back({g[n].shape, {}});
  in[0].values.assign(12, 0.0F);
  in[1].values = {0, 0.5F, 0.3F, 0, 0.8F, 0.1F, 0.9F, 0.2F, 0.75F};
  return in_file::outputs(g, in);
}

}  // namespace

TEST_CASE("TFLite: Detection_PostProcess gives boxes, classes, scores and their count") {
  const auto all = detected(detector(map_of(usual)));
  REQUIRE(all.size() == 4);
  check_close(all[0].values, {0, 0, 0.4F, 0.5F, 0.5F, 0.5F, 1, 1});
  CHECK(all[1].values == floats{0, 1});
  CHECK(all[2].values == floats{0.8F, 0.75F});
  CHECK(all[3].values == floats{2});
  // Converters leave out the shapes of its outputs.
  const auto plain = detected(detector(map_of(usual), {1, 3, 4}, {1, 3, 3}, {3, 4},
                                       {{}, {}, {}, {}}, {2, 3}));
  REQUIRE(plain.size() == 2);
  CHECK(plain[0].values == floats{0.8F, 0.75F});
  CHECK(plain[1].values == floats{2});
  const auto regular = detected(detector(map_of([](auto& b) {
    usual(b);
    b.Bool("use_regular_nms", true);
    b.Int("detections_per_class", 1);
  })));
  CHECK(regular[1].values == floats{0, 1});
  CHECK(regular[2].values == floats{0.8F, 0.75F});
}

TEST_CASE("TFLite: Detection_PostProcess that is not understood is refused") {
  const auto with = [](const options_of& more) {
    return refused(detector(map_of([&](auto& b) {
      more(b);
      usual(b);
    })));
  };
  const std::string layer = "net.tflite: layer 'TFLite_Detection_PostProcess': ";
  CHECK(mentions(with([](auto& b) { b.Int("soft", 1); }),
                 layer + "its option 'soft' (1) is not understood"));
  CHECK(mentions(with([](auto& b) { b.String("soft", "1"); }),
                 layer + "its option 'soft' is no number"));
  CHECK(mentions(refused(detector(map_of([](auto& b) { b.Int("num_classes", 2); }))),
                 layer + "its option 'max_detections' is missing"));
  const auto none = refused(detector({}));
  CHECK(mentions(none, layer + "its options are truncated or corrupt"));
  CHECK(mentions(refused(detector({1, 4, 1})), layer + "its options are no map of names"));
  const auto usual_options = map_of(usual);
  CHECK(mentions(refused(detector(usual_options, {1, 4, 3})),
                 layer + "its boxes are [1, 4, 3] and its scores [1, 3, 3]"));
  CHECK(mentions(refused(detector(usual_options, {1, 3, 4}, {1, 3, 4})),
                 "it has 4 scores of each box for 2 classes and a background"));
  CHECK(mentions(refused(detector(usual_options, {1, 3, 4}, {1, 3, 3}, {4, 3})),
                 "its anchors are [4, 3] for boxes [1, 3, 4]"));
  CHECK(mentions(refused(detector(usual_options, {1, 3, 4}, {1, 3, 3}, {3, 4},
                                  {{1, 2, 4}, {1, 3}, {1, 2}, {1}})),
                 "its output 'TFLite_Detection_PostProcess:1' is [1, 3] instead of [1, 2]"));
  CHECK(mentions(refused(detector(usual_options, {1, 3, 4}, {1, 3, 3}, {3, 4}, {{1, 2, 4}}, {0})),
                 "it has 1 output instead of 4"));
}

TEST_CASE("TFLite: the numbers of options are of any type that holds them") {
  const auto bytes = map_of([](auto& b) {
    b.Float("whole", 3);
    b.UInt("unsigned", 200);
    b.Double("real", 0.125);
    b.Bool("flag", true);
    b.Int("large", std::int64_t{1} << 40);
    b.IndirectFloat("far", 0.5F);
    b.IndirectInt("below", -7);
    b.Vector("_list", [&] { b.Int(1); });
  });
  const import::tflite_format::custom_options o(bytes);
  CHECK(o.integer("whole") == 3);
  CHECK(o.integer("unsigned") == 200);
  CHECK(o.number("real") == 0.125F);
  CHECK(o.flag("flag", false));
  CHECK(o.number("far") == 0.5F);
  CHECK(o.integer("below") == -7);
  CHECK(o.integer("none", 4) == 4);
  CHECK(mentions(complaints([&] { o.require_understood(); }),
                 "its option 'large' (1.09951e+12) is not"));
  CHECK(mentions(complaints([&] { (void)o.integer("large"); }), "its option 'large' is 1.09"));
  CHECK(mentions(complaints([&] { (void)o.integer("real"); }), "its option 'real' is 0.125"));
  CHECK(mentions(complaints([&] { (void)o.flag("whole", true); }), "is 3, not 0 or 1"));
  o.require_understood();
}

TEST_CASE("TFLite: corrupt options are read or refused, and nothing beyond them is") {
  const auto whole = map_of(usual);
  std::size_t refused_ones = 0;
  const auto read_all = [&](const std::vector<std::uint8_t>& bytes) {
    try {
      const import::tflite_format::custom_options o(bytes);
      (void)o.integer("num_classes", 1);
    } catch (const error&) {
      ++refused_ones;
    }
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    read_all({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i)});
    for (const unsigned v : {0U, 1U, 4U, 8U, 36U, 0x7fU, 0x80U, 0xffU}) {
      auto damaged = whole;
      damaged[i] = static_cast<std::uint8_t>(v);
      read_all(damaged);
    }
  }
  CHECK(refused_ones > whole.size());
}
