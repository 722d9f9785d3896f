// SPDX-License-Identifier: Apache-2.0
// Whole detectors with the decoding of their boxes, small and with random weights, on all published
// configurations: the loadable on the simulator and the integer reference are equal bit for bit,
// and what they give is near to the float network, which OpenCV judges (opencv_detection.cpp).
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/net/tensor.hpp>

#include "../import/detectors.hpp"
#include "find_target.hpp"
#include "pipeline.hpp"

using namespace nvdlac;

namespace {

// The ratio of signal to noise in the given columns of rows with so many values, in dB.
double snr(const net::float_tensor& found, const net::float_tensor& wanted, std::size_t columns,
           std::size_t first, std::size_t last) {
  double error = 0, all = 0;
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    if (i % columns < first || i % columns >= last) continue;
    const double w{wanted.values[i]}, off = double{found.values[i]} - w;
    error += off * off;
    all += w * w;
  }
  return error > 0 ? 10 * std::log10(all / error) : std::numeric_limits<double>::infinity();
}

void check(const std::string& content, const detectors::form& f, bool rows_are_boxes) {
  const auto g = onnx_model::read(content);
  const std::vector<sample> samples{{detectors::picture(f.size, 1)},
                                    {detectors::picture(f.size, 2)}};
  compile_options options;
  options.host = host::choice::all();
  const sample asked{detectors::picture(f.size, 3)};
  for (const cli::target* t : cli::targets()) {
    INFO(t->name());
    const auto r = networks::run_on(*t, g, std::span<const sample>(samples), asked, options);
    CHECK((r.simulated == r.exact));
    REQUIRE(r.values.size() == 1);
    REQUIRE(r.values[0].values.size() == r.real[0].values.size());
    const auto all = r.real[0].values.size();
    const auto classes = static_cast<std::size_t>(f.classes);
    // YOLOv8 has a row for each number of a box, the others one for each box.
    const std::size_t values = rows_are_boxes ? 5 + classes : all,
                      box = rows_are_boxes ? 4 : all * 4 / (4 + classes);
    CHECK(snr(r.values[0], r.real[0], values, 0, box) > 25);
    CHECK(snr(r.values[0], r.real[0], values, box, values) > 25);
  }
}

constexpr detectors::form small{.size = 64, .width = 0.25F, .classes = 3};

}  // namespace

TEST_CASE("YOLOv5n on all configurations") {
  check(detectors::yolov5n(small).file(), small, true);
}
TEST_CASE("YOLOv8n on all configurations") {
  check(detectors::yolov8n(small).file(), small, false);
}
TEST_CASE("YOLOX-nano on all configurations") {
  check(detectors::yolox_nano(small).file(), small, true);
}
