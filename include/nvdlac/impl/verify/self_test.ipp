// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/units.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/move.hpp>
#include <nvdlac/runtime/register_bus.hpp>
#include <nvdlac/sim/cfgrom.hpp>
#include <nvdlac/verify/self_test.hpp>

namespace nvdlac::verification {

namespace detail {

// The bits of a number of fp16 from 1/8 to 8, of either sign.
NVDLAC_IMPL std::int16_t any_half(std::mt19937& random) {
  const auto exponent = 12 + random() % 6, sign = random() % 2, fraction = random() % 1024;
  return static_cast<std::int16_t>(sign << 15 | exponent << 10 | fraction);
}

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
    if (hw_.rubik)
      add("RUBIK", {4 * lanes(), 6, 5}, hw::precision::int8,
          [&](auto& g, auto x) { return interleave(g, x); });
    for (const auto p : {hw::precision::int16, hw::precision::fp16})
      if (hw_.data_types.has(p))
        add(text("CMAC in ", name_of(p)), picture, p,
            [&, p](auto& g, auto x) { return wide_filter(g, x, p); });
    if (hw_.has_sram()) {
      add("CVSRAM", [&](auto& g, auto x) {
        return filter(g, "b", filter(g, "a", x, 3), 3);
      });
      tests_.back().in_cvsram = true;
    }
    return std::move(tests_);
  }

 private:
  static constexpr net::shape picture{16, 12, 10};

  // `write(graph, input)` gives the output.
  template <class F>
  void add(std::string units, F write) {
    add(std::move(units), picture, hw::precision::int8, write);
  }
  template <class F>
  void add(std::string units, net::shape shape, hw::precision precision, F write) {
    quantised::graph g;
    const auto x = g.add("x", quantised::input{.shape = shape});
    g[write(g, x)].output = true;
    for (quantised::graph::id n = 0; n < g.size(); ++n) g[n].precision = precision;
    net::infer_shapes(g);
    tests_.push_back({std::move(units), std::move(g)});
  }

  std::int8_t any_number() { return static_cast<std::int8_t>(random_() % 256 - 128); }
  std::int32_t lanes() const { return static_cast<std::int32_t>(hw_.memory_atom); }

  // Four groups of channels become the even and odd columns of even and odd lines.
  quantised::graph::id interleave(quantised::graph& g, quantised::graph::id from) const {
    const net::shape each{lanes(), 6, 5};
    std::vector<net::box> boxes;
    for (std::int32_t n = 0; n < 4; ++n)
      boxes.push_back({.to = {0, n / 2, n % 2},
                       .from = {n * each.c, 0, 0},
                       .loops = {{{each.c, {1, 0, 0}, {1, 0, 0}},
                                  {each.h, {0, 2, 0}, {0, 1, 0}},
                                  {each.w, {0, 0, 2}, {0, 0, 1}}}}});
    return g.add("lines and columns",
                 quantised::move{.target = {each.c, 2 * each.h, 2 * each.w},
                                 .boxes = std::move(boxes)},
                 {from});
  }
  quantised::graph::id wide_filter(quantised::graph& g, quantised::graph::id from,
                                   hw::precision p) {
    const bool real = p == hw::precision::fp16;
    const auto any = [&] {
      return real ? any_half(random_) : static_cast<std::int16_t>(random_() % 65536);
    };
    quantised::convolution c{.kernels = picture.c,
                             .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                                        .pad_bottom = 1, .pad_right = 1}};
    for (std::int32_t i = 0; i < picture.c * picture.c * 9; ++i) c.wide_weights.push_back(any());
    for (std::int32_t k = 0; k < picture.c; ++k) {
      c.bias.push_back(any());
      c.multiplier.push_back(real ? std::int16_t{0x3400}  // 1/4
                                  : static_cast<std::int16_t>(16384 + any_number() * 32));
    }
    if (!real) c.shift = 34;
    return g.add("filter", std::move(c), {from});
  }

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

NVDLAC_IMPL compile_options options_of(const unit_test& test, const hw::spec& hw) {
  compile_options options;
  if (test.in_cvsram) {
    options.cvsram = cost::cvsram_of(hw, 64 * 1024);
    options.memory = cost::memory_of(hw, options.cvsram);
    options.memory->width = 1;  // so that whatever may stand in CVSRAM does
  }
  return options;
}

NVDLAC_IMPL std::vector<quantised::feed> any_values(const std::vector<runtime::binding>& inputs,
                                                    std::mt19937& random) {
  std::vector<quantised::feed> all;
  for (const auto& b : inputs) {
    auto tensor = net::make_tensor(b.surface.precision, b.shape);
    nvdlac::visit([&]<class T>(net::tensor<T>& x) {
      for (auto& v : x.values) {
        if constexpr (std::is_same_v<T, net::half>)
          v.bits = static_cast<std::uint16_t>(detail::any_half(random));
        else v = static_cast<T>(random());
      }
      all.emplace_back(std::move(x));
    }, tensor);
  }
  return all;
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
