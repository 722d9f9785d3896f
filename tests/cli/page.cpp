// SPDX-License-Identifier: Apache-2.0
// --html without a browser; what the page does in one: tests/page.py.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

#include "cli.hpp"
#include "report_in_page.hpp"

namespace {

const std::string nowhere = "NVDLAC_CHART_JS=/none NVDLAC_D3_MODULES=/none NVDLAC_DOT=/none ";

}  // namespace

TEST_CASE("a page holds the report, says what it misses, and is the same every time") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "compile" + model + "--html a.html --report a.json", nowhere);
  CHECK(r.code == 0);
  CHECK(r.complains("note: the page has no plots: install libjs-chart.js and write it again"));
  CHECK(r.complains("no zoom: install node-d3-zoom"));
  CHECK(r.complains("no picture of the data flow: install graphviz"));
  CHECK(dir.files() == 2);
  const auto page = content(dir.path / "a.html");
  auto report = report_in(page);
  CHECK(report.at("missing").size() == 3);
  for (const auto* const only_in_page : {"missing", "short_names", "axis_names"})
    report.erase(only_in_page);
  CHECK(report == nlohmann::json::parse(content(dir.path / "a.json")));
  CHECK(report.at("schema") == "nvdlac.report");
  CHECK(report.at("layers")[0].at("reads_inputs") == nlohmann::json{0});
  CHECK(report.at("layers").back().at("box") > 0);
  CHECK(report.at("memory").at("buffers").size() > 0);
  CHECK(report.at("activations").size() > 1);
  CHECK(report.at("weights").size() > 1);
  nvdlac_in(dir.path, "compile" + model + "--html b.html", nowhere);
  CHECK(page == content(dir.path / "b.html"));
}

TEST_CASE("a report has the groups of the network's names, and a page short names") {
  const scratch dir;
  std::string net = "input: 'data' input_dim: 1 input_dim: 1 input_dim: 28 input_dim: 28\n";
  std::string bottom = "data";
  for (const std::string name : {"stem", "/blocks/blocks.0/blocks.0.1/convolution/Conv",
                                 "/blocks/blocks.0/blocks.0.2/convolution/Conv"}) {
    net += "layer { name: '" + name + "' type: 'Convolution' bottom: '" + bottom + "' top: '" +
           name + "' convolution_param { num_output: 8 kernel_size: 3 } }\n";
    bottom = name;
  }
  dir.write("net.prototxt", net);
  const auto r = nvdlac_in(dir.path, "compile net.prototxt --random-weights 1 -c nv_small "
                                     "--calibration '" + digits + "/calibration.idx' "
                                     "--html a.html --report a.json", nowhere);
  CAPTURE(r.err);
  CHECK(r.code == 0);
  const auto report = nlohmann::json::parse(content(dir.path / "a.json"));
  REQUIRE(report.at("groups").size() == 1);  // what they have in common, once
  CHECK(report.at("groups")[0].at("name") == "/blocks/blocks.0");
  std::uint64_t in_group = 0, all = 0;
  for (const auto& l : report.at("layers")) {
    const auto own = l.at("cycles").at("own").get<std::uint64_t>();
    all += own;
    if (l.contains("group")) in_group += own;
    CHECK(l.contains("group") == (l.at("layer") != "stem"));
  }
  CHECK(report.at("groups")[0].at("cycles") == in_group);
  CHECK(in_group < all);
  const auto in_page = report_in(content(dir.path / "a.html"));
  CHECK(in_page.at("short_names").at("/blocks/blocks.0/blocks.0.1/convolution/Conv") ==
        "/blocks.0.1/convolution/Conv");
  const auto& axis = in_page.at("axis_names");
  CHECK(axis.at("/blocks/blocks.0/blocks.0.1/convolution/Conv") !=
        axis.at("/blocks/blocks.0/blocks.0.2/convolution/Conv"));
}

TEST_CASE("a page says why Graphviz, which is there, drew nothing") {
  const scratch dir;
  dir.write("dot", "#!/bin/sh\necho \"Error: <stdin>: no memory\" >&2\nexit 3\n");
  dir.write("mute", "#!/bin/sh\n");
  dir.write("plain", "");
  for (const auto* const file : {"dot", "mute"})
    std::filesystem::permissions(dir.path / file, std::filesystem::perms::owner_all);
  for (const auto& [file, reason] : {std::pair{"dot", "Error: the graph: no memory"},
                                     std::pair{"mute", "it wrote no SVG"},
                                     std::pair{"plain", "Permission denied"}}) {
    CAPTURE(file);
    const auto r = nvdlac_in(dir.path, "compile" + model + "--html a.html",
                             "NVDLAC_DOT=" + (dir.path / file).string() + ' ');
    CHECK(r.code == 0);
    CHECK(r.complains("the page has no picture of the data flow"));
    CHECK(r.complains(reason));
    CHECK(!r.complains("install graphviz"));
    const auto missing = report_in(content(dir.path / "a.html")).at("missing").back();
    CHECK(missing.at("failure").get<std::string>().find(reason) != std::string::npos);
  }
}

TEST_CASE("a page reads files that end, and keeps nothing in the folder for temporary files") {
  const scratch dir;
  const auto endless = nvdlac_in(dir.path, "compile" + model + "--html a.html",
                                 "NVDLAC_CHART_JS=/dev/zero ");
  CHECK(endless.code == 1);
  CHECK(endless.complains("/dev/zero: this is a device"));
  CHECK(nvdlac_in(dir.path, "--version", "NVDLAC_CHART_JS=/dev/zero ").code == 0);
  const auto nowhere_to = nvdlac_in(dir.path, "compile" + model + "--html a.html",
                                    nowhere + "TMPDIR=/absent ");
  CAPTURE(nowhere_to.err);
  CHECK(nowhere_to.code == 0);
}

TEST_CASE("verify writes a page for each configuration, with the errors of all layers") {
  const scratch dir;
  const std::string verify = "verify" + model + "--config nv_full --input" + pictures;
  const auto r = nvdlac_in(dir.path, verify + "--html v.html --json", nowhere);
  CHECK(r.code == 0);
  const auto json = nlohmann::json::parse(r.out);
  for (const auto* name : {"nv_small", "nv_full"}) {
    const auto report = report_in(content(dir.path / ("v." + std::string(name) + ".html")));
    CHECK(report.at("configuration") == name);
    const auto& found = report.at("verification");
    CHECK(found.at("same_class") == 20);
    CHECK(found.at("layers") == json.at("layers"));
    CHECK(found.at("layers").size() > 3);
    CHECK(found.at("layers")[0].at("snr_of_its_own") > 10);
  }
  dir.write("p.pgm", content(digits + "/images/0_a.pgm"));
  const auto over = nvdlac_in(dir.path, "verify" + model + "--input p.pgm --html p.pgm");
  CHECK(over.code == 2);
  CHECK(over.complains("is the input"));
  const auto mixed = nvdlac_in(dir.path, "verify" + model + "--input" + pictures + "--html -");
  CHECK(mixed.code == 2);
  CHECK(mixed.out.empty());
}
