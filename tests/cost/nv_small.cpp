// SPDX-License-Identifier: Apache-2.0
// The model beside NVIDIA's RTL of nv_small: layers of all kinds, alone and in nvdlac's programs.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

constexpr auto& small = nv_small::spec;

cost::layer_cycles alone(const layer::any& l) {
  return cost::cycles(program({l}), small, memory(small)).layers.front();
}

layer::any streamed(const row& r) {
  const net::shape in{r.n("C"), r.n("H"), r.n("W")};
  const auto cube = layer::packed(in, small.atom(), {0, 0});
  if (r["engine"] == "SDP") {
    // The names tell which units compute.
    const bool plain = r["test"].find("pass") != std::string::npos;  // and bypass
    const bool both = r["test"].find("bs_bn") != std::string::npos;
    return layer::sdp{.input = cube, .x1 = {.alu = !plain}, .x2 = {.alu = both}, .output = cube};
  }
  if (r["engine"] == "CDP") return layer::cdp{.input = cube, .output = cube};
  layer::pdp l{.input = cube,
               .output = layer::packed({in.c, r.n("OH"), r.n("OW")}, small.atom(), {0, 0}),
               .window = {.kernel_h = r.n("R"), .kernel_w = r.n("S"), .stride_h = r.n("SY"),
                          .stride_w = r.n("SX")}};
  // The file does not tell the padding: as much of what the windows need as can be is above.
  const auto padding = (l.output.shape.h - 1) * l.window.stride_h + l.window.kernel_h - in.h;
  l.window.pad_top = std::clamp(padding, 0, l.window.kernel_h - 1);
  l.split.parts = static_cast<std::uint8_t>(r.n("split"));
  return l;
}

convolution direct(const row& r) {
  return {.in = {r.n("C"), r.n("H"), r.n("W")}, .out = {r.n("K"), r.n("OH"), r.n("OW")},
          .window = {.kernel_h = r.n("R"), .kernel_w = r.n("S"), .stride_h = r.n("SY"),
                     .stride_w = r.n("SX")},
          .data_banks = r.n("bank_d"), .weight_banks = r.n("bank_w"),
          .weight_bytes = r.u("rd_wt"), .alu = false};
}

struct file_errors {
  comparison convolutions, loads, streams;
};

void compare(const std::vector<row>& rows, file_errors& to) {
  for (const auto& r : rows) {
    const auto name = r["test"];
    INFO(name);
    if (r["engine"] == "CONV") {
      const auto e = cost::cycles(program(direct(r).layers(small)), small, memory(small));
      to.convolutions.add(r["test"], r.u("cycles"), e.totals.cycles);
      to.loads.add(r["test"], r.u("mac_first"), e.layers[0].loaded);
      CHECK(e.layers[0].moved.data == r.u("rd_dat"));
      CHECK(e.layers[0].moved.weights == r.u("rd_wt"));
      CHECK(e.layers[1].moved.written == r.u("wr_bytes"));
      CHECK(e.layers[0].mac_cycles == r.u("mac_active"));
    } else if (r["engine"] != "SDP+PDP") {
      const auto l = alone(streamed(r));
      to.streams.add(r["test"], r.u("cycles"), l.cycles());
      const auto kind = r["engine"] == "SDP"   ? "rd_sdp"
                        : r["engine"] == "PDP" ? "rd_pdp" : "rd_cdp";
      if (r["split"].empty() || r["split"] == "1") CHECK(l.moved.source == r.u(kind));
      CHECK(l.moved.written == r.u("wr_bytes"));
    }
  }
}

std::vector<layer::any> layers_of(const row& r) {
  if (r["kind"] != "conv") {
    // Surfaces of one line take as long as any other cube of as many atoms.
    const auto atoms = static_cast<std::int32_t>(r.u("rd_feature") / 8);
    if (r["kind"] == "sdp") return {sum({8, 1, atoms}, small.atom())};
    const auto out = static_cast<std::int32_t>(r.u("written") / 8);
    return {layer::pdp{.input = layer::packed({8, 1, atoms}, small.atom(), {0, 0}),
                       .output = layer::packed({8, 1, out}, small.atom(), {0, 0})}};
  }
  const auto in = numbers(r["in_whc"]), kernel = numbers(r["kernel_rsk"]),
             out = numbers(r["out_wh"]);
  convolution c{.in = {in[2], in[1], in[0]}, .out = {kernel[2], out[1], out[0]},
                .window = {.kernel_h = kernel[0], .kernel_w = kernel[1]},
                .data_banks = r.n("data_banks"), .weight_banks = r.n("weight_banks"),
                .weight_bytes = r.u("rd_weight"), .mul = true};
  if (in[2] == 1 || in[2] == 4) c.read_pixels(r["net"], r.n("mac"), small);
  return c.layers(small);
}

}  // namespace

TEST_CASE("direct convolutions of nv_small") {
  const auto rows = read("reference/cycles/nv_small_convolutions.csv");
  if (rows.empty()) return;
  file_errors e{comparison("convolutions"), comparison("first MACs"), comparison("others")};
  compare(rows, e);
  e.convolutions.check(51, 0.1, 1);
  e.loads.check(51, 0.5, 3.5);
}

TEST_CASE("the public traces of nv_small") {
  const auto rows = read("reference/cycles/nv_small_traces.csv");
  if (rows.empty()) return;
  file_errors e{comparison("convolutions"), comparison("first MACs"), comparison("SDP, PDP, CDP")};
  compare(rows, e);
  e.convolutions.check(12, 0.3, 2.5);
  e.streams.check(57, 1, 4);
}

TEST_CASE("nvdlac's programs on nv_small, layer by layer and whole") {
  const auto rows = read("reference/cycles/nvdlac_nv_small.csv");
  if (rows.empty()) return;
  comparison layers("layers"), networks("networks"), loads("first MACs");
  std::map<std::string, std::vector<layer::any>> programs;
  std::map<std::string, std::uint64_t> took;
  for (const auto& r : rows) {
    const auto name = r["net"] + '/' + r["name"];
    INFO(name);
    const auto what = layers_of(r);
    const auto e = cost::cycles(program(what), small, memory(small), bench);
    layers.add(name, r.u("cycles"), e.totals.cycles);
    if (r["kind"] == "conv") {
      loads.add(name, r.u("load"), e.layers[0].load());
      CHECK(e.layers[0].moved.data == r.u("rd_feature"));
      CHECK(e.layers[0].moved.weights == r.u("rd_weight"));
      CHECK(e.layers[1].moved.x1 == r.u("rd_operand"));
      CHECK(e.layers[1].moved.written == r.u("written"));
      CHECK(e.layers[0].mac_cycles == r.u("mac"));
    }
    auto& all = programs[r["net"]];
    all.insert(all.end(), what.begin(), what.end());
    took[r["net"]] += r.u("cycles") + r.u("gap");
  }
  for (const auto& [name, all] : programs)
    networks.add(name, took[name],
                 cost::cycles(program(all), small, memory(small), bench).totals.cycles);
  layers.check(171, 0.2, 2);
  loads.check(146, 1, 5);
  networks.check(16, 0.2, 0.5);
}
