// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/tflite/custom_options.hpp>
#include <nvdlac/import/tflite/post_process.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL std::vector<onnx_format::value> post_process_layers(const onnx_format::context& c) {
  c.require_inputs(3, 3);
  const auto whole = [&](const char* name) {
    return onnx_format::as_int32(c.n.integer(name, 0), name);
  };
  const host::post_process how{
      .anchors = c.reals(2, "anchors"),
      .scales = {c.n.number("y_scale", 1), c.n.number("x_scale", 1), c.n.number("h_scale", 1),
                 c.n.number("w_scale", 1)},
      .classes = whole("num_classes"),
      .most = whole("max_detections"),
      .classes_of_box = whole("max_classes_per_detection"),
      .by_class = c.n.flag("use_regular_nms", false),
      .most_of_class = whole("detections_per_class"),
      .least_score = c.n.number("nms_score_threshold", 0),
      .most_overlap = c.n.number("nms_iou_threshold", 1)};
  const std::vector<assembly::id> in{c.net.as_cube(c.tensor(0)), c.net.as_cube(c.tensor(1))};
  const auto part = [&]<class Op>(std::type_identity<Op>, const std::string& name,
                                  const onnx_format::dims& shape) {
    Op op;
    static_cast<host::post_process&>(op) = how;
    return onnx_format::value{
        onnx_format::computed{c.net.add(c.n.name() + name, host::on_host(op), in), shape}};
  };
  const auto rows = std::int64_t{how.most} * how.classes_of_box;
  return {part(std::type_identity<host::post_processed_boxes>{}, "", {1, rows, 4}),
          part(std::type_identity<host::post_processed_classes>{}, "/classes", {1, rows}),
          part(std::type_identity<host::post_processed_scores>{}, "/scores", {1, rows}),
          part(std::type_identity<host::post_processed_count>{}, "/count", {1})};
}

NVDLAC_IMPL void on_post_process(const conversion& c) {
  c.require_inputs(3, 3);
  c.require_outputs(4);
  const dims &boxes = c.shape(0), &scores = c.shape(1);
  if (boxes.size() != 3 || boxes[0] != 1 || boxes[2] < 4 || scores.size() != 3 ||
      scores[0] != 1 || scores[1] != boxes[1])
    throw error(problem{.reason = text("its boxes are ", onnx_format::to_text(boxes),
                                       " and its scores ", onnx_format::to_text(scores)),
                        .remedy = "[1, anchors, 4] and [1, anchors, classes] are supported"});
  const array anchors = c.reals(2, "anchors");
  if (anchors.shape != dims{boxes[1], 4})
    throw error(text("its anchors are ", onnx_format::to_text(anchors.shape), " for boxes ",
                     onnx_format::to_text(boxes)));
  const custom_options o(c.custom_bytes());
  const std::int64_t classes = o.integer("num_classes"), most = o.integer("max_detections"),
                     of_box = o.integer("max_classes_per_detection");
  if (classes < 1 || scores[2] < classes || scores[2] > classes + 1)
    throw error(text("it has ", scores[2], " scores of each box for ",
                     count_of(classes, "class", "classes"),
                     " and a background"));
  const std::vector<attribute> attributes{
      {"num_classes", classes},
      {"max_detections", most},
      {"max_classes_per_detection", of_box},
      {"detections_per_class", std::int64_t{o.integer("detections_per_class", 100)}},
      {"use_regular_nms", std::int64_t{o.flag("use_regular_nms", false)}},
      {"nms_score_threshold", o.number("nms_score_threshold")},
      {"nms_iou_threshold", o.number("nms_iou_threshold")},
      {"y_scale", o.number("y_scale")},
      {"x_scale", o.number("x_scale")},
      {"h_scale", o.number("h_scale")},
      {"w_scale", o.number("w_scale")}};
  o.require_understood();
  const std::vector<dims> shapes{{1, most * of_box, 4}, {1, most * of_box}, {1, most * of_box},
                                 {1}};
  names values;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const dims& declared = c.out(i).shape;  // converters leave them out
    if (!declared.empty() && declared != shapes[i])
      throw error(text("its output '", c.out(i).name, "' is ", onnx_format::to_text(declared),
                       " instead of ", onnx_format::to_text(shapes[i])));
    values.push_back(c.all().fresh(c.name()));
  }
  c.all().to().node(std::string(post_process_name), c.name(),
                    {c.plain(0), c.plain(1), c.all().write(anchors, c.name())}, values, attributes);
  for (std::size_t i = 0; i < shapes.size(); ++i) c.give_plain(values[i], shapes[i], i);
}

}  // namespace nvdlac::import::tflite_format
