// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/scale_table_json.hpp>

#include <doctest/doctest.h>

using namespace nvdlac;
using quant::read_scales;

namespace {

const quant::scale_table table{.method = "entropy",
                               .entries = {{"z\"conv\\1", 0.1}, {"a", 1.0 / 3}, {"größe", 1e-30}}};

std::string message(const std::string& json) {
  try {
    read_scales(json, "t.json");
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("what is written is read back exactly, in order") {
  CHECK(read_scales(quant::write_scales(table)) == table);
  auto without_method = table;
  without_method.method.clear();
  CHECK(read_scales(quant::write_public_scales(table)) == without_method);
  CHECK(quant::write_scales(table) == quant::write_scales(table));
}

TEST_CASE("ranges are written as what they are, and the steps of a quantised model as theirs") {
  using quant::value_range;
  const auto third = value_range::up_to(1.0 / 3);
  const quant::scale_table known{
      .entries = {{"a", third}, {"b", value_range::up_to(6)}, {"c", 0.1}}};
  const auto written = quant::write_scales(known);
  CHECK(written.find("\"nvdlac_scales\": 2") != std::string::npos);
  CHECK(written.find("\"b\": 6.0") != std::string::npos);
  const auto read = read_scales(written);
  CHECK(read == known);
  CHECK(read.find("a") == third.step());
  CHECK(third.step(32767) == 1.0 / 3 / 32767);
  // Version 1, and the public compiler's form, have steps of int8 alone.
  const auto steps = read_scales(R"({"nvdlac_scales": 1, "scales": {"a": 0.1}})");
  CHECK(steps.entries.at(0).range == value_range(0.1));
  CHECK(read_scales(quant::write_public_scales(known)).find("a") == third.step());
  CHECK(read_scales(R"({"a": {"min": -2, "max": 1}})").entries.at(0).range ==
        value_range::up_to(2));
  CHECK(message(R"({"nvdlac_scales": 2, "ranges": {"a": 0}})") ==
        "t.json: layer 'a': range 0 is not usable (a range is a positive number)");
}

TEST_CASE("means of channels are written where they are known") {
  const quant::scale_table known{.entries = {{"in", 0.5, {1.0 / 3, -2}}, {"conv", 1}}};
  CHECK(read_scales(quant::write_scales(known)) == known);
  CHECK(read_scales(quant::write_public_scales(known)).entries.at(0).means.empty());
  const auto complaint = [](const std::string& means) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "means": )" + means + "}");
  };
  CHECK(complaint(R"({"a": [1, 2]})").empty());
  CHECK(complaint(R"({"b": [1]})") == "t.json: layer 'b': has means but no scale");
  CHECK(complaint(R"({"a": 1})") == "t.json: layer 'a': its means are no array");
  CHECK(complaint(R"({"a": [1, "x"]})") == "t.json: layer 'a': a mean is nan");
  CHECK(complaint("[1]") == "t.json: its member 'means' is not understood");
}

TEST_CASE("how far the channels of an input reach is written where they differ") {
  const quant::scale_table known{
      .entries = {{.layer = "in", .range = 0.5, .reach = {60, 1.0 / 3}}, {"conv", 1}}};
  CHECK(read_scales(quant::write_scales(known)) == known);
  const auto complaint = [](const std::string& reaches) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "reaches": )" + reaches + "}");
  };
  CHECK(complaint(R"({"a": [1, 2]})").empty());
  CHECK(complaint(R"({"b": [1]})") == "t.json: layer 'b': has reaches but no scale");
  CHECK(complaint(R"({"a": [0]})") == "t.json: layer 'a': the reach of a channel is 0");
}

TEST_CASE("the drift of kernels is written where it is known") {
  const quant::scale_table known{
      .entries = {{"in", 0.5}, {.layer = "conv", .range = 1, .drift = {0, -1.0 / 3}}}};
  CHECK(read_scales(quant::write_scales(known)) == known);
  CHECK(read_scales(quant::write_public_scales(known)).entries.at(1).drift.empty());
  const auto complaint = [](const std::string& drifts) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "drifts": )" + drifts + "}");
  };
  CHECK(complaint(R"({"a": [1, -2]})").empty());
  CHECK(complaint(R"({"b": [1]})") == "t.json: layer 'b': has drifts but no scale");
  CHECK(complaint(R"({"a": ["x"]})") == "t.json: layer 'a': a drift is nan");
}

TEST_CASE("highest values are written where they are known") {
  const quant::scale_table known{
      .entries = {{"in", 0.5}, {.layer = "conv", .range = 1, .high = 1.0 / 3}}};
  CHECK(read_scales(quant::write_scales(known)) == known);
  const auto complaint = [](const std::string& highs) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "highs": )" + highs + "}");
  };
  CHECK(complaint(R"({"a": 0.5})").empty());
  CHECK(complaint(R"({"b": 0.5})") == "t.json: layer 'b': has a highest value but no scale");
  CHECK(complaint(R"({"a": -1})") == "t.json: layer 'a': its highest value -1 is not above 0");
}

TEST_CASE("lowest values are written where they are known") {
  const quant::scale_table known{
      .entries = {{"in", 0.5}, {.layer = "conv", .range = 1, .low = -1.0 / 3}}};
  CHECK(read_scales(quant::write_scales(known)) == known);
  CHECK_FALSE(read_scales(quant::write_public_scales(known)).entries.at(1).low);
  const auto complaint = [](const std::string& lows) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "lows": )" + lows + "}");
  };
  CHECK(complaint(R"({"a": -0.5})").empty());
  CHECK(complaint(R"({"b": -1})") == "t.json: layer 'b': has a lowest value but no scale");
  CHECK(complaint(R"({"a": 0.5})") == "t.json: layer 'a': its lowest value 0.5 is not below 0");
  CHECK(complaint(R"({"a": "x"})") == "t.json: layer 'a': its lowest value nan is not below 0");
  CHECK(complaint("[1]") == "t.json: its member 'lows' is not understood");
}

TEST_CASE("whether samples tell the scales is written for all layers or for some") {
  quant::scale_table known{.entries = {{.layer = "in", .range = 0.5, .measured = true},
                                       {.layer = "conv", .range = 1, .measured = true}}};
  CHECK(quant::write_scales(known).find(R"("measured": true)") != std::string::npos);
  CHECK(read_scales(quant::write_scales(known)) == known);
  known.entries[0].measured = false;
  CHECK(read_scales(quant::write_scales(known)) == known);
  const auto complaint = [](const std::string& measured) {
    return message(R"({"nvdlac_scales": 1, "scales": {"a": 1}, "measured": )" + measured + "}");
  };
  CHECK(complaint("false").empty());
  CHECK(complaint(R"(["a"])").empty());
  CHECK(complaint(R"(["b"])") == R"(t.json: its member 'measured' lists "b", which has no scale)");
  CHECK(complaint("[1]") == "t.json: its member 'measured' lists 1, which has no scale");
  CHECK(complaint("1") == "t.json: its member 'measured' is not understood");
}

TEST_CASE("the own form") {
  CHECK(quant::write_scales({.method = "min-max", .entries = {{"conv1", 0.5}}}) ==
        "{\n  \"nvdlac_scales\": 1,\n  \"method\": \"min-max\",\n  \"scales\": {\n    \"conv1\": "
        "0.5\n  }\n}\n");
}

TEST_CASE("the public compiler's form, with a scale or a range") {
  const auto read = read_scales(R"({"data": {"scale": 1.5, "min": 0, "max": 0, "offset": 0},
                                   "conv1": {"min": -254.0, "max": 127}})");
  CHECK(read.entries == std::vector<quant::scale_table::entry>{
                            {"data", 1.5}, {"conv1", quant::value_range::up_to(254)}});
  CHECK(read.method.empty());
}

TEST_CASE("all that is wrong is reported with its layer") {
  CHECK(message("{") .find("t.json: is not JSON") == 0);
  CHECK(message("[]") == "t.json: is no JSON object");
  CHECK(message(R"({"a": {"scale": 1}, "a": {"scale": 2}})") ==
        "t.json: layer 'a': is listed twice in the scale table");
  CHECK(message(R"({"nvdlac_scales": 1, "scales": {"a": 1, "b": 1, "a": 1}})") ==
        "t.json: layer 'a': is listed twice in the scale table");
  CHECK(message(R"({"nvdlac_scales": 3, "scales": {}})").find("version 3") != std::string::npos);
  CHECK(message(R"({"nvdlac_scales": 1})").find("has no member 'scales'") != std::string::npos);
  CHECK(message(R"({"nvdlac_scales": 1, "scales": {}, "x": 1})").find("'x'") != std::string::npos);
  const auto several =
      message(R"({"nvdlac_scales": 1, "scales": {"a": 0, "b": -1, "c": "1", "d": 1e999}})");
  CHECK(several.find("is not JSON") !=
        std::string::npos);  // 1e999 is no number of JSON's libraries
  const auto bad =
      message(R"({"nvdlac_scales": 1, "scales": {"a": 0, "b": -1, "c": "1", "d": null}})");
  for (const char* layer : {"'a'", "'b'", "'c'", "'d'"})
    CHECK(bad.find(layer) != std::string::npos);
  CHECK(message(R"({"a": {"scale": 1, "offset": 3}})").find("'a': has an offset") !=
        std::string::npos);
  CHECK(message(R"({"a": {"min": 1}})").find("neither scale nor min and max") != std::string::npos);
  CHECK(message(R"({"a": {"scale": 1, "zero_point": 3}})").find("zero_point") != std::string::npos);
  CHECK(message(R"({"a": 3})").find("'a': is no object") != std::string::npos);
}

TEST_CASE("a table that cannot be read is not written") {
  CHECK_THROWS_AS(quant::write_scales({.entries = {{"a", 1}, {"a", 2}}}), error);
  CHECK_THROWS_AS(quant::write_scales({.entries = {{"a", 0}}}), error);
  for (const std::string name : {"\xFF", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const quant::scale_table odd{.entries = {{"a", 1}, {"b" + name, 1}}};
    for (const auto write : {quant::write_scales<>, quant::write_public_scales<>})
      CHECK_THROWS_WITH_AS(write(odd),
                           doctest::Contains(": its name is no UTF-8 text, so no scale table"),
                           error);
  }
  CHECK(read_scales(quant::write_scales({.method = "\xFF", .entries = {{"a\n", 1}}}))
            .entries.at(0).layer == "a\n");
}
