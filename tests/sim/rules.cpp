// SPDX-License-Identifier: Apache-2.0
// Settings that the simulator refuses, and how the error names them.
#include <doctest/doctest.h>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/sim/rule.hpp>

#include "program.hpp"

using namespace nvdlac;

namespace {

struct broken {
  std::string_view field;
  std::int64_t value;
  std::string_view message;
};

template <hw::hardware Hw, class Start>
void check(program::registers<Hw> r, const broken& b, const Start& start) {
  CAPTURE(b.field);
  r.set(b.field, b.value);
  sim::device<Hw> d;
  r.write(d);
  CHECK_THROWS_WITH_AS(start(d), doctest::Contains(std::string(b.message).c_str()), error);
  CHECK(d.waiting().empty());                 // the layer is gone,
  CHECK(d.read(hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">) == 0);  // without an interrupt
}

}  // namespace

TEST_CASE("rules of the convolution units") {
  const program::convolution c{.width = 6, .height = 5, .channels = 16, .kernels = 12};
  const auto start = [](auto& d) { program::start_convolution(d); };
  {
    sim::device<nv_small> d;
    program::convolution_registers<nv_small>(c).write(d);
    REQUIRE_NOTHROW(start(d));
  }
  for (const auto& b : std::initializer_list<broken>{
           {"CDMA.D_MISC_CFG.CONV_MODE", 1, "CDMA.D_MISC_CFG"},
           {"CSC.D_MISC_CFG.PROC_PRECISION", 1, "CSC.D_MISC_CFG"},
           {"CMAC_A.D_MISC_CFG.CONV_MODE", 1, "CMAC_A.D_MISC_CFG"},
           {"CMAC_B.D_MISC_CFG.PROC_PRECISION", 2, "CMAC_B.D_MISC_CFG"},
           {"CACC.D_MISC_CFG.PROC_PRECISION", 1, "CACC.D_MISC_CFG"},
           {"CDMA.D_MISC_CFG.IN_PRECISION", 1, "CDMA.D_MISC_CFG.IN_PRECISION"},
           {"CDMA.D_BATCH_NUMBER.BATCHES", 1, "CDMA.D_BATCH_NUMBER"},
           {"CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT", 1, "CDMA.D_WEIGHT_FORMAT"},
           {"CDMA.D_ENTRY_PER_SLICE", 12, "CDMA.D_ENTRY_PER_SLICE"},
           {"CDMA.D_BANK.DATA_BANK", 31, "CDMA.D_BANK"},
           {"CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT", 60, "CDMA.D_BANK.DATA_BANK"},
           {"CDMA.D_WEIGHT_SIZE_0", 142, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL"},
           {"CDMA.D_WEIGHT_SIZE_1", 8191, "CDMA.D_WEIGHT_BYTES"},
           {"CDMA.D_WEIGHT_BYTES", 128, "CDMA.D_WEIGHT_BYTES"},
           {"CDMA.D_WEIGHT_BYTES", 0xffffffff, "CDMA.D_WEIGHT_BYTES"},
           {"CDMA.D_DAIN_RAM_TYPE", 0, "secondary memory"},
           {"CDMA.D_WEIGHT_RAM_TYPE", 0, "secondary memory"},
           {"CDMA.D_DAIN_ADDR_LOW_0", 4, "CDMA.D_DAIN_ADDR_LOW_0"},
           {"CDMA.D_DAIN_ADDR_LOW_0", 0xfffffff8, "CDMA.D_DAIN_ADDR_LOW_0"},
           {"CDMA.D_DAIN_ADDR_HIGH_0", 1, "CDMA.D_DAIN_ADDR_LOW_0"},
           {"CDMA.D_LINE_STRIDE", 50, "CDMA.D_DAIN_ADDR_LOW_0"},
           {"CDMA.D_WEIGHT_ADDR_LOW", 1, "CDMA.D_WEIGHT_ADDR_LOW"},
           {"CDMA.D_WEIGHT_ADDR_HIGH", 1, "CDMA.D_WEIGHT_ADDR_LOW"},
           {"CDMA.D_MISC_CFG.DATA_REUSE", 1, "CDMA.D_MISC_CFG.DATA_REUSE"},
           {"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT", 1, "CDMA.D_ENTRY_PER_SLICE"},
           {"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", 4, "DATAIN_WIDTH_EXT"},
           {"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT", 7, "DATAIN_CHANNEL_EXT"},
           {"CSC.D_ENTRY_PER_SLICE", 5, "CSC.D_ENTRY_PER_SLICE"},
           {"CSC.D_WEIGHT_BYTES", 128, "CSC.D_WEIGHT_BYTES"},
           {"CSC.D_BANK.WEIGHT_BANK", 3, "CSC.D_BANK.WEIGHT_BANK"},
           {"CSC.D_ZERO_PADDING.PAD_LEFT", 2, "CSC.D_ZERO_PADDING"},
           {"CDMA.D_ZERO_PADDING.PAD_RIGHT", 3, "the padding is not less than the kernel's 3x3"},
           {"CDMA.D_ZERO_PADDING.PAD_BOTTOM", 4, "the padding is not less than the kernel's 3x3"},
           {"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT", 3, "BYTE_PER_KERNEL"},
           {"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", 14, "WEIGHT_CHANNEL_EXT"},
           {"CSC.D_POST_Y_EXTENSION", 1, "CSC.D_POST_Y_EXTENSION"},
           {"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", 6, "CSC.D_ATOMICS"},
           {"CSC.D_DATAOUT_SIZE_1", 4, "CSC.D_DATAOUT_SIZE_1"},
           {"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT", 1, "DATAOUT_WIDTH"},
           {"CSC.D_DILATION_EXT.Y_DILATION_EXT", 1, "DATAOUT_HEIGHT"},
           {"CSC.D_RELEASE", 5, "CSC.D_RELEASE"},
           {"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", 3, "CACC.D_DATAOUT_SIZE_0"},
           {"CACC.D_CLIP_CFG", 17, "CACC.D_CLIP_CFG.CLIP_TRUNCATE"},
           {"SDP.D_DATA_CUBE_CHANNEL", 7, "SDP.D_DATA_CUBE_WIDTH"}})
    check(program::convolution_registers<nv_small>(c), b, start);
}

TEST_CASE("rules of SDP") {
  const auto start = [](auto& d) { program::enable(d, {"SDP_RDMA", "SDP"}); };
  const auto r = program::sdp_registers<nv_small>({.width = 5, .height = 4, .channels = 20});
  for (const auto& b : std::initializer_list<broken>{
           {"SDP.D_DATA_FORMAT.PROC_PRECISION", 1, "SDP.D_DATA_FORMAT"},
           {"SDP.D_FEATURE_MODE_CFG.WINOGRAD", 1, "SDP.D_FEATURE_MODE_CFG"},
           {"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER", 3, "SDP.D_FEATURE_MODE_CFG"},
           {"SDP.D_DP_EW_CFG.EW_BYPASS", 0, "element-wise"},
           {"SDP.D_DST_DMA_CFG", 0, "secondary memory"},
           {"SDP.D_DST_BASE_ADDR_LOW", 0x1004, "SDP.D_DST_BASE_ADDR_LOW"},
           {"SDP.D_DST_BASE_ADDR_HIGH", 1, "SDP.D_DST_BASE_ADDR_LOW"},
           {"SDP.D_DST_LINE_STRIDE", 32, "SDP.D_DST_LINE_STRIDE"},
           {"SDP.D_DST_SURFACE_STRIDE", 0, "SDP.D_DST_LINE_STRIDE"},
           {"SDP_RDMA.D_DATA_CUBE_HEIGHT", 4, "SDP_RDMA.D_DATA_CUBE_WIDTH"},
           {"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION", 1, "SDP_RDMA.D_FEATURE_MODE_CFG"},
           {"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE", 0, "SDP_RDMA.D_BRDMA_CFG"},
           {"SDP_RDMA.D_SRC_LINE_STRIDE", 41, "SDP_RDMA.D_SRC_BASE_ADDR_LOW"}})
    check(r, b, start);

  auto operands = r;
  operands.set("SDP.D_DP_BN_CFG.BN_BYPASS", 0)
      .set("SDP.D_DP_BN_CFG.BN_MUL_BYPASS", 1)
      .set("SDP.D_DP_BN_CFG.BN_ALU_ALGO", 2)
      .set("SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC", 1)
      .set("SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE", 0)
      .set("SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE", 1)
      .set("SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE", 1);
  {
    sim::device<nv_small> d;
    operands.write(d);
    REQUIRE_NOTHROW(start(d));
  }
  for (const auto& b : std::initializer_list<broken>{
           {"SDP.D_DP_BN_CFG.BN_ALU_ALGO", 3, "SDP.D_DP_BN_CFG"},
           {"SDP.D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE", 64, "MUL_SHIFT_VALUE"},
           {"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE", 1, "SDP_RDMA.D_NRDMA_CFG"},
           {"SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE", 2, "DATA_USE"},
           {"SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE", 3, "DATA_USE"},
           {"SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE", 0, "secondary memory"},
           {"SDP_RDMA.D_BN_BASE_ADDR_LOW", 0xfffffffc, "SDP_RDMA.D_NRDMA_CFG"}})
    check(operands, b, start);
}

TEST_CASE("rules of PDP") {
  const auto start = [](auto& d) { program::enable(d, {"PDP_RDMA", "PDP"}); };
  program::pooling p{.width = 8, .height = 6, .channels = 24, .out_width = 4, .out_height = 3,
                     .method = 0};
  const auto r = program::pdp_registers<nv_small>(p);
  for (const auto& b : std::initializer_list<broken>{
           {"PDP.D_DATA_FORMAT", 1, "PDP.D_DATA_FORMAT"},
           {"PDP.D_DATA_CUBE_OUT_CHANNEL", 7, "PDP.D_DATA_CUBE_OUT_CHANNEL"},
           {"PDP.D_DATA_CUBE_OUT_WIDTH", 4, "PDP.D_DATA_CUBE_OUT_WIDTH"},
           {"PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", 3, "POOLING_METHOD"},
           {"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM", 1, "PDP.D_PARTIAL_WIDTH_IN"},
           {"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH", 8, "larger than 8"},
           {"PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT", 6, "larger than the padded input"},
           {"PDP.D_POOLING_PADDING_CFG.PAD_TOP", 2, "empty"},
           {"PDP.D_POOLING_PADDING_CFG.PAD_BOTTOM", 1, "multiple of the stride"},
           {"PDP.D_RECIP_KERNEL_WIDTH", 0x8001, "PDP.D_RECIP_KERNEL_WIDTH"},
           {"PDP.D_RECIP_KERNEL_HEIGHT", 0x1ffff, "PDP.D_RECIP_KERNEL_HEIGHT"},
           {"PDP.D_DST_RAM_CFG", 0, "secondary memory"},
           {"PDP.D_DST_LINE_STRIDE", 8, "PDP.D_DST_LINE_STRIDE"},
           {"PDP.D_DST_BASE_ADDR_LOW", 2, "PDP.D_DST_BASE_ADDR_LOW"},
           {"PDP_RDMA.D_DATA_CUBE_IN_WIDTH", 3, "PDP_RDMA.D_DATA_CUBE_IN_WIDTH"},
           {"PDP_RDMA.D_SRC_BASE_ADDR_LOW", 0xfffffff8, "PDP_RDMA.D_SRC_BASE_ADDR_LOW"}})
    check(r, b, start);
}

TEST_CASE("cubes beyond reason are refused at once") {
  const auto start = [](auto& d) { program::enable(d, {"SDP_RDMA", "SDP"}); };
  auto r = program::sdp_registers<nv_small>({});
  for (const std::string unit : {"SDP", "SDP_RDMA"})
    for (const auto* side : {"WIDTH", "HEIGHT", "CHANNEL"})
      r.count(unit + ".D_DATA_CUBE_" + side, 8192);
  check(r, {"SDP.D_CVT_SHIFT", 0, "SDP.D_DATA_CUBE_WIDTH"}, start);

  sim::device<nv_small> poor({.macs = 1000});
  program::convolution_registers<nv_small>({}).write(poor);
  CHECK_THROWS_WITH_AS(program::start_convolution(poor), doctest::Contains("sim::settings"), error);
}

TEST_CASE("a simulator's limits are those that it is given") {
  CHECK(sim::settings{}.macs == budget{}.macs);
  CHECK(sim::settings::limited_by({.macs = 7}).macs == 7);
}

TEST_CASE("units that a configuration lacks") {
  sim::device<nv_small> small;
  CHECK_THROWS_WITH_AS(program::enable(small, {"RBK"}), doctest::Contains("does not have"), error);
  CHECK_THROWS_WITH_AS(small.write(hw::address<hw::register_map::small, "BDMA.CFG_LAUNCH0">, 1),
                       doctest::Contains("does not have"), error);
}

TEST_CASE("the bus itself") {
  constexpr auto width = hw::address<hw::register_map::small, "SDP.D_DATA_CUBE_WIDTH">;
  sim::device<nv_small> d;
  CHECK_THROWS_WITH_AS(d.write(0x1ff0, 0), doctest::Contains("no register"), error);
  CHECK_THROWS_WITH_AS(d.read(width + 1), doctest::Contains("no register"), error);
  CHECK_THROWS_AS(d.read(0xffffffff), error);
  d.write(width, 0xffffffff);
  CHECK(d.read(width) == 0x1fff);  // bits without a field do not exist
  program::convolution_registers<nv_small>({}).write(d);
  program::enable(d, {"SDP"});
  CHECK_THROWS_WITH_AS(d.write(width, 1), doctest::Contains("is enabled"), error);
  CHECK_THROWS_WITH_AS(program::enable(d, {"SDP"}), doctest::Contains("already enabled"), error);
}

TEST_CASE("reuse needs what the layer before kept") {
  const program::convolution c{.width = 6, .height = 5, .channels = 16, .kernels = 12};
  const auto reusing = [&](const char* what) {
    auto r = program::convolution_registers<nv_small>(c);
    for (const std::string unit : {"CDMA", "CSC"}) r.set(unit + ".D_MISC_CFG." + what, 1);
    return r;
  };
  for (const auto* what : {"DATA_REUSE", "WEIGHT_REUSE"}) {
    sim::device<nv_small> d;
    reusing(what).write(d);
    CHECK_THROWS_WITH_AS(program::start_convolution(d), doctest::Contains(what), error);
  }
}
