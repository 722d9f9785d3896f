// SPDX-License-Identifier: Apache-2.0
// SSD-MobileNet of TensorFlow Lite with its post-process on the host, small: the loadable on the
// simulator and the reference are equal bit for bit, and its detections are those of the float
// network.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/host/partition.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../import/ssd_mobilenet.hpp"
#include "compiled.hpp"

using namespace nvdlac;

namespace {

// The outputs that a program gives of a picture, in real numbers.
struct detections {
  std::vector<std::vector<float>> values{};
  std::vector<hw::precision> precisions{};
};

template <class Hw>
detections on_simulator(const import::network& n, const net::float_tensor& picture) {
  compile_options options;
  const std::vector<sample> samples{{ssd_mobilenet::picture(picture.shape.h, 1)},
                                    {ssd_mobilenet::picture(picture.shape.h, 2)}};
  const scale_source source = n.scales.entries.empty()
                                  ? scale_source(std::span<const sample>(samples))
                                  : scale_source(n.scales);
  const auto prepared = prepare(
      n.graph, source, options, pass::verify{}, [&](net::graph& g, std::vector<problem> refused) {
        for (auto& why : lower::check<Hw>(g, options.precision)) refused.push_back(why);
        nvdlac::detail::throw_if_any(host::partition(g, host::choice::all(), refused));
      });
  compiled chip(hardware<Hw>(), prepared.integers, options);
  const auto& in = chip.program().inputs[0];
  const std::vector feeds{quantised::feed_of(
      quantised::numbers_of(picture, in.scale, in.surface.precision))};
  const auto out = chip.infer_any(feeds);
  CHECK((out == quantised::evaluate_any(prepared.integers, std::span<const quantised::feed>(feeds),
                                        quantised::order_of(Hw::spec))));
  detections found;
  for (std::size_t i = 0; i < out.size(); ++i) {
    found.values.push_back(quantised::real_of(out[i], chip.program().outputs[i].scale).values);
    found.precisions.push_back(chip.program().outputs[i].surface.precision);
  }
  return found;
}

}  // namespace

TEST_CASE("SSD-MobileNet of TensorFlow Lite with its post-process on the host") {
  ssd_mobilenet::form f{.size = 64, .width = 0.125F, .classes = 3, .most = 5};
  const auto picture = ssd_mobilenet::picture(f.size, 3);
  const auto real = tflite_model::read(ssd_mobilenet::file(f));
  const auto expected = net::evaluate(real.graph, picture);
  REQUIRE(expected.size() == 4);
  const auto near_to_real = [&](const detections& d) {
    REQUIRE(d.values.size() == 4);
    // Places in the picture have 16 bits, which an NVDLA of 8 bits never reads.
    CHECK(d.precisions == std::vector{hw::precision::int16, hw::precision::int8,
                                      hw::precision::int16, hw::precision::int8});
    const auto count = static_cast<std::size_t>(d.values[3][0]);
    REQUIRE(count > 0);
    CHECK(d.values[2][0] == doctest::Approx(expected[2].values[0]).epsilon(0.1));
    for (std::size_t i = 1; i < count; ++i) CHECK(d.values[2][i] <= d.values[2][i - 1]);
    for (std::size_t i = 0; i < 4 * count; ++i) CHECK(std::abs(d.values[0][i]) < 2);
  };
  near_to_real(on_simulator<nv_small>(real, picture));
  for (const auto numbers : {tflite_model::uint8, tflite_model::int8}) {
    CAPTURE(static_cast<int>(numbers));
    f.numbers = numbers;
    const auto own = tflite_model::read(ssd_mobilenet::file(f));
    CHECK_FALSE(own.scales.entries.empty());
    near_to_real(on_simulator<nv_small>(own, picture));
  }
  f.numbers = tflite_model::float32;
  f.by_class = true;
  near_to_real(on_simulator<nv_large>(tflite_model::read(ssd_mobilenet::file(f)), picture));
}
