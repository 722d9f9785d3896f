// SPDX-License-Identifier: Apache-2.0
// The model beside NVIDIA's RTL of nv_large, 32 times as wide.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations/nv_large.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

constexpr auto& large = nv_large::spec;

// "dw1/g32", "f5_s/y0": a part of the layer before the slash.
std::string whole(const std::string& name) { return name.substr(0, name.find('/')); }

// The file has no shapes: those of the same layers on nv_small, where they are cut into smaller
// parts.
using shapes = std::map<std::pair<std::string, std::string>, row>;

convolution convolution_of(const row& r, const shapes& on_nv_small) {
  const auto& same = on_nv_small.at({r["net"], whole(r["name"])});
  const auto in = numbers(same["in_whc"]), kernel = numbers(same["kernel_rsk"]),
             out = numbers(same["out_wh"]);
  convolution c{.in = {in[2], in[1], in[0]}, .out = {kernel[2], out[1], out[0]},
                .window = {.kernel_h = kernel[0], .kernel_w = kernel[1]},
                .data_banks = 8, .weight_banks = 8, .weight_bytes = r.u("rd_wt"), .mul = true};
  if (r["name"].starts_with("dw")) c.in.c = c.out.c = 32;  // groups of an atom
  if (same["name"].find("/y") != std::string::npos) {      // rows of a 1x1 convolution
    const auto line = c.in.w * ((c.in.c + 31) / 32 * 32);
    c.in.h = c.out.h = r.n("rd_dat") / line;
  }
  if (in[2] == 1 || in[2] == 4) c.read_pixels(r["net"], r.n("mac"), large);
  return c;
}

std::vector<layer::any> layers_of(const row& r, const shapes& on_nv_small) {
  if (r.n("mac") > 0) return convolution_of(r, on_nv_small).layers(large);
  const auto atoms = [](std::uint64_t n) { return static_cast<std::int32_t>(n / 32); };
  if (r.u("rd_sdp") > 0) return {sum({32, 1, atoms(r.u("rd_sdp"))}, large.atom())};
  return {layer::pdp{.input = layer::packed({32, 1, atoms(r.u("rd_pdp"))}, large.atom(), {0, 0}),
                     .output = layer::packed({32, 1, atoms(r.u("wr"))}, large.atom(), {0, 0})}};
}

}  // namespace

TEST_CASE("nvdlac's programs on nv_large, layer by layer and whole") {
  const auto rows = read("reference/cycles/nvdlac_nv_large.csv");
  shapes on_nv_small;
  for (const auto& r : read("reference/cycles/nvdlac_nv_small.csv"))
    if (r["kind"] == "conv") on_nv_small.try_emplace({r["net"], whole(r["name"])}, r);
  if (rows.empty()) return;
  comparison layers("layers"), networks("networks");
  std::map<std::string, std::vector<layer::any>> programs;
  std::map<std::string, std::uint64_t> took;
  for (const auto& r : rows) {
    const auto name = r["net"] + '/' + r["name"];
    INFO(name);
    const auto what = layers_of(r, on_nv_small);
    const auto e = cost::cycles(program(what), large, memory(large), bench);
    layers.add(name, r.u("cycles"), e.totals.cycles);
    CHECK(e.totals.read == r.u("rd_sdp") + r.u("rd_pdp") + r.u("rd_bs") + r.u("rd_dat") +
                               r.u("rd_wt") + (r.n("mac") > 0 ? 0 : r.u("rd_bn")));
    CHECK(e.totals.written == r.u("wr"));
    CHECK(e.totals.mac_cycles == r.u("mac"));
    auto& all = programs[r["net"]];
    all.insert(all.end(), what.begin(), what.end());
    took[r["net"]] += r.u("cycles") + r.u("gap_before");
  }
  for (const auto& [name, all] : programs)
    networks.add(name, took[name],
                 cost::cycles(program(all), large, memory(large), bench).totals.cycles);
  layers.check(96, 0.5, 3);
  networks.check(10, 0.5, 1.5);
}
