// SPDX-License-Identifier: Apache-2.0
// Rows of a constant table at places that the user gives, INT64 or INT32: the host looks them up.
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/quantise.hpp>

#include "onnx_model.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

// A table of so many rows of three numbers: row r is r, r + 0.5, -r.
std::string table(std::int64_t rows) {
  std::vector<float> values;
  for (std::int64_t r = 0; r < rows; ++r)
    for (const float x : {0.0F, 0.5F, 0.0F})
      values.push_back((values.size() % 3 == 2 ? -1.0F : 1.0F) * static_cast<float>(r) + x);
  return onnx_model::floats("t", {rows, 3}, values);
}
std::string looked_up(std::int64_t rows, int type, const std::string& more = {},
                      const std::string& places = "ids") {
  return model("input " + value_info("ids", {1, 4}, type) + "output " + value_info("y", {1}) +
               table(rows) + more + node("Gather", "t " + places, "y"));
}

}  // namespace

TEST_CASE("rows of a table are looked up at the places of an input") {
  for (const int type : {7, 6}) {
    CAPTURE(type);
    const auto g = read(looked_up(5, type));
    const auto in = net::input_nodes(g);
    REQUIRE(in.size() == 1);
    net::float_tensor ids{g[in[0]].shape, {0, 4, -1, 2}};
    const auto y = in_file::outputs(g, ids).at(0);
    CHECK(y.shape == decltype(y.shape){1, 4, 3});
    CHECK(y.values == numbers{0, 0.5F, 0, 4, 4.5F, -4, 4, 4.5F, -4, 2, 2.5F, -2});
    ids.values[1] = 5;
    CHECK(mentions(complaints([&] { (void)in_file::outputs(g, ids); }),
                   "it takes row 5 of a table of 5"));
  }
  // Places stay so as numbers of another type of integers.
  const auto g = read(looked_up(5, 7, node("Cast", "ids", "c", integer("to", 6)), "c"));
  CHECK(in_file::outputs(g, {g[net::input_nodes(g)[0]].shape, {3, 2, 1, 0}}).at(0).values[0] == 3);
  CHECK(mentions(refused(looked_up(5, 7, "output " + value_info("z", {1}) +
                                             node("Cast", "ids", "c", integer("to", 1)) +
                                             node("Relu", "c", "z"))),
                 "the input has values of type INT64"));
}

TEST_CASE("places have numbers that hold them, of scale 1") {
  const auto quantised = [](std::int64_t rows) {
    const auto g = read(looked_up(rows, 7));
    const std::vector<std::vector<net::float_tensor>> samples{
        {{g[net::input_nodes(g)[0]].shape, {0, 1, 2, 3}}}};
    return quant::quantise(g, quant::calibrate(g, samples), {});
  };
  for (const std::int64_t rows : {128, 129, 30'000}) {
    CAPTURE(rows);
    const auto q = quantised(rows);
    const auto& in = q[net::input_nodes(q).at(0)];
    CHECK(in.scale == 1);
    CHECK(in.precision == (rows == 128 ? hw::precision::int8 : hw::precision::int16));
  }
  CHECK(mentions(complaints([&] { (void)quantised(40'000); }),
                 "its places reach 39999, but int16 ends at 32767"));
}
