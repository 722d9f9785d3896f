// SPDX-License-Identifier: Apache-2.0
// The model beside the public compiler's programs, run by the public firmware on NVIDIA's RTL of
// nv_small: also tiles that are enabled while the tile before them computes.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

constexpr auto& small = nv_small::spec;

// "dc in=1x1x128 k=1x1x128 ..", the sizes being columns, lines, channels.
std::map<std::string, std::string> info_of(const row& r) {
  std::map<std::string, std::string> info;
  const auto words = split(r["info"], ' ');
  info["kind"] = words.front();
  for (const auto& word : words)
    if (const auto at = word.find('='); at != std::string::npos)
      info[word.substr(0, at)] = word.substr(at + 1);
  return info;
}

convolution convolution_of(const row& r, std::map<std::string, std::string>& info) {
  const auto in = numbers(info["in"]), kernel = numbers(info["k"]), out = numbers(info["out"]);
  const bool pixels = info["kind"] == "img";  // the kernel's columns are channels
  return {.in = {in[2], in[1], in[0]}, .out = {out[2], out[1], out[0]},
          .window = {.kernel_h = kernel[1], .kernel_w = pixels ? kernel[2] / in[2] : kernel[0]},
          .pixels = pixels, .data_banks = std::atoi(info["dbank"].c_str()),
          .weight_banks = std::atoi(info["wbank"].c_str()), .weight_bytes = r.u("rd_weight"),
          .weight_reuse = info["reuse"] == "0/1"};
}

// A convolution with SDP whose weights are not fetched still computes with them.
std::vector<layer::any> layers_of(const row& r, std::map<std::string, std::string>& info) {
  auto c = convolution_of(r, info);
  if (c.weight_reuse) c.weight_bytes = std::strtoull(info["wbytes"].c_str(), nullptr, 10);
  return c.layers(small);
}

// The cycles of a convolution that is enabled beside the one before it, by the times of both.
struct pair {
  std::uint64_t rtl = 0, model = 0;
};
pair overlapped(const row& before, std::map<std::string, std::string> info_before, const row& r,
                std::map<std::string, std::string> info) {
  const auto l = layers_of(before, info_before), m = layers_of(r, info);
  const auto work = [&](const std::vector<layer::any>& what) {
    return cost::work_of(small, std::get<layer::convolution>(what[0]),
                         &std::get<layer::sdp>(what[1]));
  };
  const auto start = static_cast<std::int64_t>(r.u("start") - before.u("start"));
  const auto first = cost::convolution_run(small, memory(small), work(l)).run(0, 0, 0, nullptr);
  const auto second = cost::convolution_run(small, memory(small), work(m))
                          .run(start, start, first.sdp_done, &first);
  return {r.u("done") - before.u("start"), static_cast<std::uint64_t>(second.cacc_done)};
}

}  // namespace

TEST_CASE("the public compiler's layers on nv_small") {
  auto rows = read("peer/rtl_baseline/baseline_layers.csv");
  if (rows.empty()) return;
  // They are listed in the order of the program, and tiles run in the order of their starts.
  std::ranges::stable_sort(rows, {}, [](const row& r) {
    return std::tuple(r["net"], r.u("start"), r.u("done"));
  });
  comparison alone("layers alone"), beside("tiles behind each other");
  const row* before = nullptr;
  for (const auto& r : rows) {
    auto info = info_of(r);
    const auto name = r["net"] + '/' + r["layer"] + ' ' + r["info"];
    INFO(name);
    if (r["engine"] == "CONV") {
      const auto e = cost::cycles(program(layers_of(r, info)), small, memory(small));
      if (before != nullptr && (*before)["net"] == r["net"] && before->u("done") > r.u("start")) {
        const auto p = overlapped(*before, info_of(*before), r, info);
        beside.add(name, p.rtl, p.model);
      } else {
        alone.add(name, r.u("cycles"), e.layers[0].cycles());
      }
      CHECK(e.layers[0].moved.data == r.u("rd_feature"));
      CHECK(e.layers[0].moved.weights == r.u("rd_weight"));
      CHECK(e.layers[0].mac_cycles == r.u("mac_cycles"));
      before = &r;
    } else if (info["kind"] == "mem") {
      const auto shape = [&](const std::string& s) {
        const auto n = numbers(s);
        return net::shape{n.back(), n[1], n[0]};
      };
      if (r["engine"] == "SDP") {
        const auto e = cost::cycles(program({sum(shape(info["cube"]), small.atom())}), small,
                                    memory(small));
        alone.add(name, r.u("cycles"), e.totals.cycles);
        CHECK(e.totals.read == r.u("rd_feature") + r.u("rd_operand"));
        CHECK(e.totals.written == r.u("written"));
      } else {
        const auto in = shape(info["in"]);
        const auto out = numbers(info["out"]), kernel = numbers(info["k"]),
                   stride = numbers(info["stride"]);
        layer::pdp p{.input = layer::packed(in, small.atom(), {0, 0}),
                     .output = layer::packed({in.c, out[1], out[0]}, small.atom(), {0, 0}),
                     .window = {.kernel_h = kernel[1], .kernel_w = kernel[0],
                                .stride_h = stride[1], .stride_w = stride[0]}};
        p.window.pad_top = std::max(0, ((out[1] - 1) * stride[1] + kernel[1] - in.h) / 2);
        const auto e = cost::cycles(program({p}), small, memory(small));
        alone.add(name, r.u("cycles"), e.totals.cycles);
        CHECK(e.totals.read == r.u("rd_feature"));
        CHECK(e.totals.written == r.u("written"));
      }
    }
  }
  alone.check(129, 0.2, 3);
  beside.check(10, 1, 2);
}
