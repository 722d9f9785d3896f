// SPDX-License-Identifier: Apache-2.0
// --overlay: node data of Google's Model Explorer, and what became of the layers of the file.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

#include "cli.hpp"

namespace {

using nlohmann::json;

json parsed(const scratch& dir, const std::string& file) {
  return json::parse(content(dir.path / file));
}

// As GraphNodeData and its parts in model_explorer's node_data_builder.py are: a node has a value,
// and nothing else but colours.
void check_form(const json& data) {
  for (const auto& [key, unused] : data.items()) CHECK((key == "results" || key == "gradient"));
  REQUIRE(data.at("results").is_object());
  CHECK(data.at("results").size() > 3);
  for (const auto& [node, result] : data.at("results").items()) {
    CAPTURE(node);
    CHECK((result.at("value").is_number() || result.at("value").is_string()));
    for (const auto& [key, unused] : result.items())
      CHECK((key == "value" || key == "bgColor" || key == "textColor"));
  }
  if (!data.contains("gradient")) return;
  CHECK(data.at("gradient").front().at("stop") == 0);
  CHECK(data.at("gradient").back().at("stop") == 1);
  for (const auto& item : data.at("gradient"))
    CHECK(item.at("bgColor").get<std::string>().starts_with("#"));
}

}  // namespace

TEST_CASE("node data tell cycles, units, bytes, scales and fates by names of the file's nodes") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "compile" + model + "--overlay o.json --report r.json");
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  CHECK(dir.files() == 7);
  const auto report = parsed(dir, "r.json");
  std::map<std::string, json> kinds;
  for (const std::string kind : {"cycles", "unit", "limit", "bytes", "scale", "became"})
    check_form(kinds[kind] = parsed(dir, "o." + kind + ".json"));
  int cycles = 0;
  for (const auto& [node, result] : kinds["cycles"].at("results").items())
    cycles += result.at("value").get<int>();
  CHECK(cycles == report.at("prediction").at("cycles"));  // every cycle is of a node, once
  CHECK(kinds["unit"].at("results").at("conv1").at("value") == "CONV");
  CHECK(kinds["became"].at("results").at("conv1").at("value") == "hardware");
  CHECK(kinds["became"].at("results").at("bn1").at("value") == "hardware, part of conv1");
  CHECK(kinds["became"].at("results").at("relu1").at("value") == "hardware, part of conv1");
  CHECK(kinds["became"].at("results").at("prob").at("value") == "host");
}

TEST_CASE("the report leads from the file's layers to those of the hardware, and back") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "--report r.json").code == 0);
  const auto report = parsed(dir, "r.json");
  std::set<std::string> names;
  for (const auto& node : report.at("nodes")) {
    names.insert(node.at("name"));
    for (const auto& i : node.at("layers")) {
      const auto& back = report.at("layers").at(i.get<std::size_t>()).at("nodes");
      CHECK(std::find(back.begin(), back.end(), node.at("name")) != back.end());
    }
  }
  CHECK(names.contains("conv1"));
  CHECK(names.contains("relu3"));
  CHECK(!names.contains("data"));
  for (const auto& l : report.at("layers")) {
    CAPTURE(l.at("name"));
    CHECK(!l.at("nodes").empty());
    for (const auto& n : l.at("nodes")) CHECK(names.contains(n.get<std::string>()));
  }
}

TEST_CASE("verify writes the signal to noise as well") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "verify" + model + "--overlay o.json --input" + pictures);
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  CHECK(dir.files() == 7);
  const auto snr = parsed(dir, "o.snr.json");
  check_form(snr);
  CHECK(snr.at("results").at("conv2").at("value").get<double>() > 10);
  CHECK(nvdlac_in(dir.path, "verify" + model + "--overlay - --input" + pictures).code == 2);
}
