// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small register programs written by hand, for tests and benchmarks of the simulator.
#include <map>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/device.hpp>

namespace program {

using namespace nvdlac;

// Register words by the names of their fields; the fields that are not set are 0.
template <hw::hardware Hw>
class registers {
 public:
  registers& set(std::string_view field, std::int64_t value) {
    const auto* f = hw::find_field(Hw::spec.map, field);
    require(f != nullptr, field, "no such field");
    auto& word = words_[address(field)];
    word = (word & ~f->mask()) | f->insert(value);
    return *this;
  }
  // Sizes, which are stored minus one.
  registers& count(std::string_view field, std::int64_t n) { return set(field, n - 1); }
  registers& bytes(std::string_view field, std::uint32_t value) {
    words_[address(field)] = value;
    return *this;
  }

  template <class Bus>
  void write(Bus& d) const {
    for (const auto& [a, value] : words_) d.write(a, value);
  }

 private:
  static void require(bool holds, std::string_view where, std::string_view what) {
    if (!holds) throw std::logic_error(text(where, ": ", what));
  }
  static std::uint32_t address(std::string_view field) {
    auto path = field;
    const auto* r = hw::detail::find_part(Hw::spec.map, path);
    require(r != nullptr, field, "no such register");
    return r->address;
  }
  std::map<std::uint32_t, std::uint32_t> words_;
};

template <hw::hardware Hw>
void enable(sim::device<Hw>& d, std::initializer_list<std::string_view> units) {
  for (const auto u : units)
    d.write(hw::find(Hw::spec.map, text(u, ".D_OP_ENABLE"))->address, 1);
}

// A direct convolution of a packed feature cube, its output through SDP unchanged but for CVT.
struct convolution {
  std::uint32_t width = 8, height = 8, channels = 8, kernels = 8, kernel = 3, pad = 1, truncate = 0;
  std::uint32_t stride = 1;
  std::uint32_t input = 0x10000, weights = 0x100000, output = 0x200000;
};

template <hw::hardware Hw>
registers<Hw> convolution_registers(const convolution& c) {
  constexpr const auto& s = Hw::spec;
  constexpr auto p = hw::precision::int8;
  const auto per_kernel = c.channels * c.kernel * c.kernel;
  const auto out_width = (c.width + 2 * c.pad - c.kernel) / c.stride + 1;
  const auto out_height = (c.height + 2 * c.pad - c.kernel) / c.stride + 1;
  const auto entries = hw::feature_entries_per_slice(s, p, c.width, c.channels);
  const auto banks = hw::data_banks(s, entries, c.height);
  const auto packed = hw::weight_bytes(s, p, c.kernels, per_kernel);
  const auto weight_bytes = static_cast<std::uint32_t>(packed.n);
  const auto weight_banks = std::min(hw::weight_banks(s, packed).n, s.cbuf_banks - banks.n);
  registers<Hw> r;
  r.count("CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH", c.width)
      .count("CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT", c.height)
      .count("CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", c.channels)
      .count("CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", c.width)
      .count("CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT", c.height)
      .set("CDMA.D_DAIN_RAM_TYPE", 1)
      .set("CDMA.D_DAIN_ADDR_HIGH_0", 0)
      .bytes("CDMA.D_DAIN_ADDR_LOW_0", c.input)
      .bytes("CDMA.D_LINE_STRIDE", c.width * s.memory_atom)
      .bytes("CDMA.D_SURF_STRIDE", c.width * c.height * s.memory_atom)
      .count("CDMA.D_ENTRY_PER_SLICE", static_cast<std::int64_t>(entries.n))
      .count("CDMA.D_WEIGHT_SIZE_0", per_kernel)
      .count("CDMA.D_WEIGHT_SIZE_1", c.kernels)
      .set("CDMA.D_WEIGHT_RAM_TYPE", 1)
      .bytes("CDMA.D_WEIGHT_ADDR_LOW", c.weights)
      .bytes("CDMA.D_WEIGHT_BYTES", weight_bytes)
      .set("CDMA.D_MISC_CFG.CONV_MODE", 0)
      .set("CDMA.D_CVT_CFG.CVT_EN", 0)
      .count("CDMA.D_CONV_STRIDE.CONV_X_STRIDE", c.stride)
      .count("CDMA.D_CONV_STRIDE.CONV_Y_STRIDE", c.stride)
      .set("CDMA.D_ZERO_PADDING.PAD_LEFT", c.pad)
      .set("CDMA.D_ZERO_PADDING.PAD_RIGHT", c.pad)
      .set("CDMA.D_ZERO_PADDING.PAD_TOP", c.pad)
      .set("CDMA.D_ZERO_PADDING.PAD_BOTTOM", c.pad)
      .count("CDMA.D_BANK.DATA_BANK", static_cast<std::int64_t>(banks.n))
      .count("CDMA.D_BANK.WEIGHT_BANK", static_cast<std::int64_t>(weight_banks))
      .set("CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT", 0);
  r.set("CSC.D_MISC_CFG.CONV_MODE", 0)
      .count("CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT", c.stride)
      .count("CSC.D_CONV_STRIDE_EXT.CONV_Y_STRIDE_EXT", c.stride)
      .count("CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", c.width)
      .count("CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT", c.height)
      .count("CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT", c.channels)
      .count("CSC.D_ENTRY_PER_SLICE", static_cast<std::int64_t>(entries.n))
      .count("CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT", c.kernel)
      .count("CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT", c.kernel)
      .count("CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", c.channels)
      .count("CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL", c.kernels)
      .bytes("CSC.D_WEIGHT_BYTES", weight_bytes)
      .count("CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", out_width)
      .count("CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", out_height)
      .count("CSC.D_DATAOUT_SIZE_1", c.kernels)
      .count("CSC.D_ATOMICS", std::int64_t{out_width} * out_height)
      .count("CSC.D_RELEASE", c.height)
      .set("CSC.D_ZERO_PADDING.PAD_LEFT", c.pad)
      .set("CSC.D_ZERO_PADDING.PAD_TOP", c.pad)
      .count("CSC.D_BANK.DATA_BANK", static_cast<std::int64_t>(banks.n))
      .count("CSC.D_BANK.WEIGHT_BANK", static_cast<std::int64_t>(weight_banks));
  r.set("CMAC_A.D_MISC_CFG.CONV_MODE", 0).set("CMAC_B.D_MISC_CFG.CONV_MODE", 0);
  r.set("CACC.D_MISC_CFG.CONV_MODE", 0)
      .count("CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", out_width)
      .count("CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", out_height)
      .count("CACC.D_DATAOUT_SIZE_1", c.kernels)
      .set("CACC.D_CLIP_CFG", c.truncate);
  r.count("SDP.D_DATA_CUBE_WIDTH", out_width)
      .count("SDP.D_DATA_CUBE_HEIGHT", out_height)
      .count("SDP.D_DATA_CUBE_CHANNEL", c.kernels)
      .bytes("SDP.D_DST_BASE_ADDR_LOW", c.output)
      .bytes("SDP.D_DST_LINE_STRIDE", out_width * s.memory_atom)
      .bytes("SDP.D_DST_SURFACE_STRIDE", out_width * out_height * s.memory_atom)
      .set("SDP.D_DP_BS_CFG.BS_BYPASS", 1)
      .set("SDP.D_DP_BN_CFG.BN_BYPASS", 1)
      .set("SDP.D_DP_EW_CFG.EW_BYPASS", 1)
      .set("SDP.D_FEATURE_MODE_CFG.FLYING_MODE", 1)
      .set("SDP.D_DST_DMA_CFG", 1)
      .set("SDP.D_DATA_FORMAT.PROC_PRECISION", 0)
      .set("SDP.D_CVT_SCALE", 1);
  return r;
}

template <hw::hardware Hw>
void start_convolution(sim::device<Hw>& d) {
  enable(d, {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"});
}

// SDP from memory to memory, all sub-units bypassed, the output converter the identity.
struct cube {
  std::uint32_t width = 1, height = 1, channels = 1, input = 0x10000, output = 0x200000;
};

template <hw::hardware Hw>
registers<Hw> sdp_registers(const cube& c) {
  constexpr auto atom = Hw::spec.memory_atom;
  registers<Hw> r;
  for (const std::string unit : {"SDP", "SDP_RDMA"})
    r.count(unit + ".D_DATA_CUBE_WIDTH", c.width)
        .count(unit + ".D_DATA_CUBE_HEIGHT", c.height)
        .count(unit + ".D_DATA_CUBE_CHANNEL", c.channels)
        .set(unit + ".D_FEATURE_MODE_CFG.FLYING_MODE", 0);
  r.bytes("SDP_RDMA.D_SRC_BASE_ADDR_LOW", c.input)
      .bytes("SDP_RDMA.D_SRC_LINE_STRIDE", c.width * atom)
      .bytes("SDP_RDMA.D_SRC_SURFACE_STRIDE", c.width * c.height * atom)
      .set("SDP_RDMA.D_SRC_DMA_CFG", 1)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE", 1)
      .set("SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE", 1);
  r.bytes("SDP.D_DST_BASE_ADDR_LOW", c.output)
      .bytes("SDP.D_DST_LINE_STRIDE", c.width * atom)
      .bytes("SDP.D_DST_SURFACE_STRIDE", c.width * c.height * atom)
      .set("SDP.D_DST_DMA_CFG", 1)
      .set("SDP.D_DP_BS_CFG.BS_BYPASS", 1)
      .set("SDP.D_DP_BN_CFG.BN_BYPASS", 1)
      .set("SDP.D_DP_EW_CFG.EW_BYPASS", 1)
      .set("SDP.D_DATA_FORMAT.PROC_PRECISION", 0)
      .set("SDP.D_CVT_SCALE", 1);
  return r;
}

// PDP from memory to memory.
struct pooling {
  std::uint32_t width = 4, height = 4, channels = 8, out_width = 2, out_height = 2;
  std::uint32_t kernel = 2, stride = 2, pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  std::uint32_t method = 1, input = 0x10000, output = 0x200000;
};

template <hw::hardware Hw>
registers<Hw> pdp_registers(const pooling& p) {
  constexpr auto atom = Hw::spec.memory_atom;
  registers<Hw> r;
  for (const std::string unit : {"PDP", "PDP_RDMA"})
    r.count(unit + ".D_DATA_CUBE_IN_WIDTH", p.width)
        .count(unit + ".D_DATA_CUBE_IN_HEIGHT", p.height)
        .count(unit + ".D_DATA_CUBE_IN_CHANNEL", p.channels)
        .count(unit + ".D_POOLING_KERNEL_CFG.KERNEL_WIDTH", p.kernel)
        .count(unit + ".D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH", p.stride);
  r.set("PDP_RDMA.D_FLYING_MODE", 1)
      .bytes("PDP_RDMA.D_SRC_BASE_ADDR_LOW", p.input)
      .bytes("PDP_RDMA.D_SRC_LINE_STRIDE", p.width * atom)
      .bytes("PDP_RDMA.D_SRC_SURFACE_STRIDE", p.width * p.height * atom)
      .set("PDP_RDMA.D_SRC_RAM_CFG", 1)
      .set("PDP_RDMA.D_DATA_FORMAT", 0);
  r.count("PDP.D_DATA_CUBE_OUT_WIDTH", p.out_width)
      .count("PDP.D_DATA_CUBE_OUT_HEIGHT", p.out_height)
      .count("PDP.D_DATA_CUBE_OUT_CHANNEL", p.channels)
      .set("PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", p.method)
      .set("PDP.D_OPERATION_MODE_CFG.FLYING_MODE", 1)
      .count("PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT", p.kernel)
      .count("PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_HEIGHT", p.stride)
      .set("PDP.D_POOLING_PADDING_CFG.PAD_LEFT", p.pad_left)
      .set("PDP.D_POOLING_PADDING_CFG.PAD_TOP", p.pad_top)
      .set("PDP.D_POOLING_PADDING_CFG.PAD_RIGHT", p.pad_right)
      .set("PDP.D_POOLING_PADDING_CFG.PAD_BOTTOM", p.pad_bottom)
      .set("PDP.D_RECIP_KERNEL_WIDTH", 65536 / p.kernel)
      .set("PDP.D_RECIP_KERNEL_HEIGHT", 65536 / p.kernel)
      .bytes("PDP.D_DST_BASE_ADDR_LOW", p.output)
      .bytes("PDP.D_DST_LINE_STRIDE", p.out_width * atom)
      .bytes("PDP.D_DST_SURFACE_STRIDE", p.out_width * p.out_height * atom)
      .set("PDP.D_DST_RAM_CFG", 1)
      .set("PDP.D_DATA_FORMAT", 0);
  return r;
}

}  // namespace program
