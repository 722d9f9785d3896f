// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/pdp/fp16.hpp>
#include <nvdlac/sim/pdp/integers.hpp>
#include <nvdlac/sim/pdp/layer.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// One axis of a pooling layer: windows lie inside the padded input, none in the padding alone.
void check_pooling_axis(std::string_view where, std::uint64_t in, std::uint64_t out,
                        std::uint64_t kernel, std::uint64_t stride, std::uint64_t before,
                        std::uint64_t after, bool exact);

// The parts make up the lines, and each but the last ends where its last window does.
void check_split(const pdp_layer& l);

// The line buffers hold the output of a part.
void check_line_buffers(const pdp_layer& l);

template <hw::hardware Hw>
class pdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty when the input comes from SDP.
  pdp_decoder(const view& pdp, const view* rdma, memories<Hw>& m) : g(pdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  pdp_layer decode() {
    pdp_layer l;
    sizes(l);
    kernel(l);
    split(l);
    if (!l.flying) source(l);
    l.destination = {
        .ram = &m_.select(g.template on<"PDP.D_DST_RAM_CFG.DST_RAM_TYPE">(), "PDP.D_DST_RAM_CFG"),
        .base = g.template address<"PDP.D_DST_BASE_ADDR_HIGH", "PDP.D_DST_BASE_ADDR_LOW">(),
        .line_stride = g.template bytes<"PDP.D_DST_LINE_STRIDE">(),
        .surface_stride = g.template bytes<"PDP.D_DST_SURFACE_STRIDE">(),
        .unit = atom,
        .width = l.out_width,
        .height = l.out_height,
        .surfaces = surfaces(l)};
    l.destination.check("PDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("PDP.D_DST_LINE_STRIDE");
    return l;
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  static std::uint64_t surfaces(const pdp_layer& l) {
    return ceil_div(l.channels, atom / hw::element_bytes(l.precision));
  }

  void sizes(pdp_layer& l) {
    const auto code = g.template u<"PDP.D_DATA_FORMAT.INPUT_DATA">();
    require(code <= 2 && Hw::spec.data_types.has(hw::precision(code)),
            "PDP.D_DATA_FORMAT.INPUT_DATA", "this configuration has no precision ", code);
    l.precision = hw::precision(code);
    l.nan_to_zero = g.template on<"PDP.D_NAN_FLUSH_TO_ZERO">();
    l.width = g.template count<"PDP.D_DATA_CUBE_IN_WIDTH">();
    l.height = g.template count<"PDP.D_DATA_CUBE_IN_HEIGHT">();
    l.channels = g.template count<"PDP.D_DATA_CUBE_IN_CHANNEL">();
    l.out_width = g.template count<"PDP.D_DATA_CUBE_OUT_WIDTH">();
    l.out_height = g.template count<"PDP.D_DATA_CUBE_OUT_HEIGHT">();
    require(g.template count<"PDP.D_DATA_CUBE_OUT_CHANNEL">() == l.channels,
            "PDP.D_DATA_CUBE_OUT_CHANNEL", "differs from the input's");
    m_.settings.check("PDP.D_DATA_CUBE_IN_WIDTH", l.width, l.height, atom, surfaces(l));
    l.flying = !g.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">();
    const auto method = g.template u<"PDP.D_OPERATION_MODE_CFG.POOLING_METHOD">();
    require(method <= 2, "PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", "3 does not exist");
    l.method = pooling(method);
  }

  void kernel(pdp_layer& l) {
    l.kernel_width = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">();
    l.kernel_height = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT">();
    l.stride_x = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">();
    l.stride_y = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_HEIGHT">();
    l.pad_left = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_LEFT">();
    l.pad_top = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_TOP">();
    l.pad_right = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_RIGHT">();
    l.pad_bottom = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_BOTTOM">();
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_WIDTH", l.width, l.out_width, l.kernel_width,
                       l.stride_x, l.pad_left, l.pad_right, false);
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_HEIGHT", l.height, l.out_height, l.kernel_height,
                       l.stride_y, l.pad_top, l.pad_bottom, !l.flying && surfaces(l) > 1);
    const auto pad = [&](std::size_t n, std::uint32_t raw) {
      l.pad_value[n] = pdp_pad_value(n, raw, l.precision);
    };
    pad(1, g.template u<"PDP.D_POOLING_PADDING_VALUE_1_CFG">());
    pad(2, g.template u<"PDP.D_POOLING_PADDING_VALUE_2_CFG">());
    pad(3, g.template u<"PDP.D_POOLING_PADDING_VALUE_3_CFG">());
    pad(4, g.template u<"PDP.D_POOLING_PADDING_VALUE_4_CFG">());
    pad(5, g.template u<"PDP.D_POOLING_PADDING_VALUE_5_CFG">());
    pad(6, g.template u<"PDP.D_POOLING_PADDING_VALUE_6_CFG">());
    pad(7, g.template u<"PDP.D_POOLING_PADDING_VALUE_7_CFG">());
    if (l.method != pooling::average) return;
    l.reciprocal_width = g.template u<"PDP.D_RECIP_KERNEL_WIDTH">();
    l.reciprocal_height = g.template u<"PDP.D_RECIP_KERNEL_HEIGHT">();
    if (l.precision == hw::precision::fp16) return;
    // Beyond this the result overflows its bits, and the C-model and the RTL disagree.
    require(l.reciprocal_width * l.kernel_width <= 65536, "PDP.D_RECIP_KERNEL_WIDTH",
            l.reciprocal_width, " is more than 65536 / ", l.kernel_width);
    require(l.reciprocal_height * l.kernel_height <= 65536, "PDP.D_RECIP_KERNEL_HEIGHT",
            l.reciprocal_height, " is more than 65536 / ", l.kernel_height);
  }

  void split(pdp_layer& l) {
    auto& s = l.split;
    s = {
        .parts = g.template count<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
        .in = {g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">()},
        .out = {g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_FIRST">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_MID">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_LAST">()}};
    require(!l.flying || s.parts == 1, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM",
            "an input from SDP is not split");
    check_split(l);
    check_line_buffers(l);
    if (l.flying || s.parts == 1) return;
    require(r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">() == s.in[0] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">() ==
                    s.in[1] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">() ==
                    s.in[2],
            "PDP_RDMA.D_PARTIAL_WIDTH_IN", "differs from PDP's");
    require(r->template count<"PDP_RDMA.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">() == l.kernel_width &&
                r->template count<"PDP_RDMA.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">() ==
                    l.stride_x,
            "PDP_RDMA.D_POOLING_KERNEL_CFG", "differs from PDP's");
  }

  void source(pdp_layer& l) {
    require(r->template u<"PDP_RDMA.D_DATA_FORMAT.INPUT_DATA">() ==
                static_cast<std::uint32_t>(l.precision),
            "PDP_RDMA.D_DATA_FORMAT.INPUT_DATA", "differs from PDP's");
    require(r->template count<"PDP_RDMA.D_DATA_CUBE_IN_WIDTH">() == l.width &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_HEIGHT">() == l.height &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_CHANNEL">() == l.channels,
            "PDP_RDMA.D_DATA_CUBE_IN_WIDTH", "the cube differs from PDP's");
    require(r->template u<"PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM">() ==
                g.template u<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
            "PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM", "differs from PDP's");
    l.source = {.ram = &m_.select(r->template on<"PDP_RDMA.D_SRC_RAM_CFG.SRC_RAM_TYPE">(),
                                  "PDP_RDMA.D_SRC_RAM_CFG"),
                .base = r->template address<"PDP_RDMA.D_SRC_BASE_ADDR_HIGH",
                                            "PDP_RDMA.D_SRC_BASE_ADDR_LOW">(),
                .line_stride = r->template bytes<"PDP_RDMA.D_SRC_LINE_STRIDE">(),
                .surface_stride = r->template bytes<"PDP_RDMA.D_SRC_SURFACE_STRIDE">(),
                .unit = atom,
                .width = l.width,
                .height = l.height,
                .surfaces = surfaces(l)};
    l.source.check("PDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
  }

  view g;
  const view* r;
  memories<Hw>& m_;
};

// PDP with its input from memory, or surface by surface from SDP.
template <hw::hardware Hw>
class pdp_pipeline {
 public:
  // Executes a layer from memory if there is one. PDP_RDMA.D_FLYING_MODE drives nothing in the
  // hardware, and the public firmware leaves it 0.
  bool run(device_state<Hw>& s) {
    auto &p = s.groups(unit::pdp), &r = s.groups(unit::pdp_rdma);
    if (!p.ready() || !r.ready()) return false;
    const auto pdp = s.active(unit::pdp), rdma = s.active(unit::pdp_rdma);
    if (!pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()) return false;
    group_ = p.take();
    r.take();
    layer_ = pdp_decoder<Hw>(pdp, &rdma, s.memories).decode();
    floats_.statistics = {};
    in_.resize(static_cast<std::size_t>(layer_.source.surface_bytes()));
    for (std::size_t i = 0; i < layer_.source.surfaces; ++i) {
      read_surface(layer_.source, i, in_);
      surface(i, in_);
    }
    end(s);
    return true;
  }

  // PDP waits for SDP.
  static bool flying_ready(const device_state<Hw>& s) {
    return s.groups(unit::pdp).ready() &&
           !s.active(unit::pdp).template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">();
  }

  // The layer behind SDP: `take` it, `begin` it, then every surface in order, then `end`.
  void take(device_state<Hw>& s) { group_ = s.groups(unit::pdp).take(); }
  void begin(device_state<Hw>& s, std::uint32_t width, std::uint32_t height,
             std::uint32_t channels, hw::precision precision) {
    const group_view<Hw::spec.map> pdp(s.registers, group_);
    layer_ = pdp_decoder<Hw>(pdp, nullptr, s.memories).decode();
    floats_.statistics = {};
    require(layer_.width == width && layer_.height == height && layer_.channels == channels,
            "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
    require(layer_.precision == precision, "PDP.D_DATA_FORMAT.INPUT_DATA",
            "differs from what SDP writes");
  }
  void surface(std::size_t index, std::span<const std::uint8_t> in) {
    out_.resize(static_cast<std::size_t>(layer_.destination.surface_bytes()));
    if (layer_.precision == hw::precision::int8)
      int8_.surface(layer_, atom, {reinterpret_cast<const std::int8_t*>(in.data()), in.size()},
                    {reinterpret_cast<std::int8_t*>(out_.data()), out_.size()});
    else words(in);
    write_surface(layer_.destination, index, out_);
  }
  void end(device_state<Hw>& s) {
    report(s);
    s.template done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group_);
  }

 private:
  static constexpr std::size_t atom = Hw::spec.memory_atom;

  // A surface of elements of 16 bits.
  void words(std::span<const std::uint8_t> in) {
    words_in_.resize(in.size() / 2);
    words_out_.resize(out_.size() / 2);
    for (std::size_t i = 0; i < words_in_.size(); ++i)
      words_in_[i] = static_cast<std::uint16_t>(in[2 * i] | in[2 * i + 1] << 8);
    if (layer_.precision == hw::precision::int16) {
      if constexpr (Hw::spec.data_types.int16)
        int16_.surface(
            layer_, atom / 2,
            {reinterpret_cast<const std::int16_t*>(words_in_.data()), words_in_.size()},
            {reinterpret_cast<std::int16_t*>(words_out_.data()), words_out_.size()});
    } else {
      if constexpr (Hw::spec.data_types.fp16)
        floats_.surface(layer_, atom / 2, words_in_, words_out_);
    }
    for (std::size_t i = 0; i < words_out_.size(); ++i) {
      out_[2 * i] = static_cast<std::uint8_t>(words_out_[i]);
      out_[2 * i + 1] = static_cast<std::uint8_t>(words_out_[i] >> 8);
    }
  }

  void report(device_state<Hw>& s) const {
    constexpr auto map = Hw::spec.map;
    const auto set = [&](std::uint32_t address, std::uint64_t value) {
      s.registers.set(group_, address,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX)));
    };
    set(hw::address<map, "PDP.D_NAN_INPUT_NUM">, floats_.statistics.nan_inputs);
    set(hw::address<map, "PDP.D_INF_INPUT_NUM">, floats_.statistics.infinite_inputs);
    set(hw::address<map, "PDP.D_NAN_OUTPUT_NUM">, floats_.statistics.nan_outputs);
  }

  int group_ = 0;
  pdp_layer layer_{};
  pdp_engine int8_;
  pdp_integers<std::int16_t, std::int32_t> int16_;
  pdp_floats floats_;
  std::vector<std::uint8_t> in_, out_;  // of one surface
  std::vector<std::uint16_t> words_in_, words_out_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/pdp/pipeline.ipp>
#endif
