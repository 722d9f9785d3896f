// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/units.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/runtime/register_bus.hpp>
#include <nvdlac/sim/cfgrom.hpp>
#include <nvdlac/verify/self_test.hpp>

namespace nvdlac::verification {

namespace detail {

class unit_test_writer {
 public:
  explicit unit_test_writer(const hw::spec& hw) : hw_(hw) {}

  std::vector<unit_test> take() && {
    add("CDMA CSC CMAC CACC SDP", [&](auto& g, auto x) { return filter(g, "filter", x, 3); });
    add("SDP_RDMA SDP", [&](auto& g, auto x) {
      const auto a = filter(g, "a", x, 1), b = filter(g, "b", x, 3);
      return g.add("sum", quantised::add{.out = {0, 1, 1}}, {a, b});
    });
    if (hw_.has_pdp())
      add("PDP_RDMA PDP", [&](auto& g, auto x) {
        const net::window half{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
        return g.add("largest", quantised::pool{.window = half}, {x});
      });
    if (hw_.has_cdp())
      add("CDP_RDMA CDP", [&](auto& g, auto x) { return g.add("norm", norm(), {x}); });
    if (hw_.sdp_lut)
      add("SDP's table", [&](auto& g, auto x) {
        quantised::lookup table;
        for (int i = 0; i < 256; ++i) table.values.push_back(any_number());
        return g.add("table", std::move(table), {x});
      });
    return std::move(tests_);
  }

 private:
  static constexpr net::shape picture{16, 12, 10};

  // `write(graph, input)` gives the output.
  template <class F>
  void add(std::string units, F write) {
    quantised::graph g;
    const auto x = g.add("x", quantised::input{.shape = picture});
    g[write(g, x)].output = true;
    net::infer_shapes(g);
    tests_.push_back({std::move(units), std::move(g)});
  }

  std::int8_t any_number() { return static_cast<std::int8_t>(random_() % 256 - 128); }

  quantised::graph::id filter(quantised::graph& g, const char* name, quantised::graph::id from,
                              std::int32_t kernel) {
    const std::int32_t pad = kernel / 2;
    quantised::convolution c{.kernels = picture.c,
                             .window = {.kernel_h = kernel, .kernel_w = kernel, .pad_top = pad,
                                        .pad_left = pad, .pad_bottom = pad, .pad_right = pad}};
    const auto kernels = static_cast<std::size_t>(picture.c);
    const auto weights = kernels * kernels * static_cast<std::size_t>(kernel * kernel);
    for (std::size_t i = 0; i < weights; ++i) c.weights.push_back(any_number());
    c.shift = static_cast<std::uint8_t>(kernel == 1 ? 22 : 24);
    for (std::size_t k = 0; k < kernels; ++k) {
      c.bias.push_back(static_cast<std::int16_t>(any_number() * 8));
      c.multiplier.push_back(static_cast<std::int16_t>(16384 + any_number() * 32));
    }
    return g.add(name, std::move(c), {from});
  }

  quantised::lrn norm() {
    quantised::lrn n;
    for (int i = 0; i < 65; ++i) n.le.push_back(static_cast<std::int16_t>(32767 - 300 * i));
    for (int i = 0; i < 257; ++i) n.lo.push_back(static_cast<std::int16_t>(32767 - 100 * i));
    n.table.exponential = false;
    n.table.le = {.start = 0, .end = 1 << 16, .select = 10};
    n.table.lo = {.start = 0, .end = 1 << 16, .select = 8};
    n.out = {0, 1, 15};
    return n;
  }

  const hw::spec& hw_;
  std::mt19937 random_{1};
  std::vector<unit_test> tests_{};
};

}  // namespace detail

NVDLAC_IMPL std::vector<unit_test> unit_tests_of(const hw::spec& hw) {
  return detail::unit_test_writer(hw).take();
}

NVDLAC_IMPL std::vector<problem> check_registers(const hw::spec& hw,
                                                 const runtime::register_port& device) {
  std::vector<problem> found;
  if (hw.map == hw::register_map::small) {
    // The public ROM is that of nv_small in all configurations; who has made one of his own has
    // written his values.
    const sim::cfgrom own{hw}, published{nv_small::spec};
    if (const auto version = device.read(0); version != own.word(0)) {
      found.push_back({.reason = text("the first word, CFGROM's version, is 0x", std::hex, version,
                                      ", not 0x", own.word(0)),
                       .remedy = "see whether NVDLA's registers begin where the device says, and "
                                 "whether its clock is on"});
      return found;  // whatever is read there are no registers of NVDLA's
    }
    for (std::uint32_t a = 0; a < sim::cfgrom::size; a += 4)
      if (const auto is = device.read(a); is != own.word(a) && is != published.word(a)) {
        found.push_back({.reason = text("the word at 0x", std::hex, a, " of CFGROM is 0x", is,
                                        ", not 0x", own.word(a)),
                         .remedy = "see which configuration was built"});
        break;
      }
  }
  for (const auto unit : hw::ping_pong_units) {
    if (!hw::has_unit(hw, unit)) continue;
    device.write(hw::find(hw.map, text(unit, ".S_POINTER"))->address, 0);
    for (const auto& r : hw::registers(hw.map)) {
      if (r.unit != unit || !r.name.starts_with("D_") || r.name == "D_OP_ENABLE" ||
          r.access != hw::access::rw)
        continue;
      for (const std::uint32_t pattern : {0xa5a5a5a5u, 0x5a5a5a5au, r.reset()}) {
        const auto value = pattern & r.write_mask;
        device.write(r.address, value);
        if (const auto is = device.read(r.address) & r.write_mask; is != value) {
          found.push_back({.reason = text(unit, '.', r.name, " reads 0x", std::hex, is,
                                          " after 0x", value, " was written")});
          break;
        }
      }
    }
  }
  return found;
}

}  // namespace nvdlac::verification
