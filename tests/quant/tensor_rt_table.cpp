// SPDX-License-Identifier: Apache-2.0
// Scales that other tools keep: TensorRT's cache and its numbered layers, AIMET's encodings.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/named_scales.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/quant/tensor_rt_table.hpp>

#include "../import/files.hpp"

using namespace nvdlac;
using quant::read_scales;

TEST_CASE("TensorRT's calibration cache has the bits of scales") {
  const auto t = read_scales("TRT-8601-EntropyCalibration2\r\ndata: 3c010a14\r\n"
                             "a: b: 3f800000\n\n");
  REQUIRE(t.entries.size() == 2);
  CHECK(t.entries[0].layer == "data");
  CHECK(t.entries[0].range.step() == doctest::Approx(1.0 / 127).epsilon(1e-3));
  CHECK(t.entries[1] == quant::scale_table::entry{"a: b", 1});
  const auto wrong = [](const std::string& lines) {
    return complaints([&] { (void)read_scales("TRT-7\n" + lines, "c.cache"); });
  };
  CHECK(mentions(wrong("data: 3c0\n"), "c.cache:2: is no tensor's name"));
  CHECK(mentions(wrong("data 3c010a14\n"), "eight hexadecimal digits"));
  CHECK(mentions(wrong("data: 00000000\n"), "data"));  // no scale
}

TEST_CASE("layers without a name are found by their number and kind") {
  net::graph g;
  const auto x = g.add("data", net::input{{1, 4, 4}});
  const auto c = g.add("conv1", net::convolution{.kernels = 1}, {x});
  (void)g.add("relu1", net::relu{}, {c});
  const quant::scale_table told{.entries = {{"(Unnamed Layer* 0) [Convolution]_output", 1},
                                            {"(Unnamed Layer* 1) [Activation]_output", 2},
                                            {"(Unnamed Layer* 1) [Pooling]_output", 3},
                                            {"(Unnamed Layer* 7) [Activation]_output", 4},
                                            {"data", 5}}};
  const auto named = quant::named_by_number(told, g);
  const std::vector<std::string> expected{"conv1", "relu1", "(Unnamed Layer* 1) [Pooling]_output",
                                          "(Unnamed Layer* 7) [Activation]_output", "data"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(named.entries[i].layer == expected[i]);
}

TEST_CASE("AIMET's encodings, of both versions") {
  const auto old = read_scales(R"({"activation_encodings": {"a": [{"bitwidth": 8, "max": 2.54,
      "min": -1, "offset": -72, "scale": 0.0139, "is_symmetric": "False"}]},
      "param_encodings": {"w": [{}, {}]}, "version": "0.6.1"})");
  REQUIRE(old.entries.size() == 1);
  CHECK(old.entries[0].range.step() == doctest::Approx(0.02));
  const auto now = read_scales(R"({"activation_encodings": [{"name": "a", "bw": 8, "dtype": "INT",
      "enc_type": "PER_TENSOR", "is_sym": true, "offset": [-128], "scale": [0.5]},
      {"name": "b", "bw": 8, "is_sym": false, "offset": [0], "scale": [0.25]}],
      "param_encodings": [], "version": "1.0.0"})");
  REQUIRE(now.entries.size() == 2);
  CHECK(now.entries[0].range.step() == doctest::Approx(0.5));
  CHECK(now.entries[1].range.step() == doctest::Approx(0.25 * 255 / 127));
  CHECK(mentions(complaints([] {
          (void)read_scales(R"({"activation_encodings": {"a": [{"bitwidth": 8}]}})", "e.json");
        }), "neither min and max nor scale and bitwidth"));
}

TEST_CASE("tensors of the file stand for the layers that give them, whose own names win") {
  const std::vector<quant::named_tensor> tensors{
      {"/conv/Conv_output_0", "/conv/Conv"}, {"flat", "/conv/Conv"}, {"out", "/fc/Gemm"}};
  const auto named = [&](std::vector<quant::scale_table::entry> given) {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& e : quant::named_by_tensor({.entries = std::move(given)}, tensors).entries)
      all.emplace_back(e.layer, e.range.step());
    return all;
  };
  using entries = std::vector<std::pair<std::string, double>>;
  CHECK(named({{"x", 1}, {"/conv/Conv_output_0", 2}, {"out", 3}, {"gone", 4}}) ==
        entries{{"x", 1}, {"/conv/Conv", 2}, {"/fc/Gemm", 3}, {"gone", 4}});
  CHECK(named({{"flat", 1}, {"/conv/Conv_output_0", 2}}) == entries{{"/conv/Conv", 2}});
  CHECK(named({{"flat", 1}}) == entries{{"/conv/Conv", 1}});
  CHECK(named({{"out", 1}, {"/fc/Gemm", 2}}) == entries{{"/fc/Gemm", 2}});
}
