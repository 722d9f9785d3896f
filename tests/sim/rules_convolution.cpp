// SPDX-License-Identifier: Apache-2.0
// The rules of the modes that only the largest configuration has.
#include <doctest/doctest.h>

#include "convolution_device.hpp"

using namespace nvdlac;
using device = program::convolution_device;
using words = device::words;

namespace {

struct change {
  const char* field;
  std::int64_t value;
  const char* rule;
};

// Each change of a sound program is refused by the rule's name.
void check(const words& sound, std::initializer_list<change> changes) {
  CHECK_NOTHROW(device{}.run(sound));
  for (const auto& c : changes) {
    CAPTURE(c.field);
    CAPTURE(c.value);
    auto broken = sound;
    broken.set(c.field, c.value);
    CHECK_THROWS_WITH_AS(device{}.run(broken), doctest::Contains(c.rule), error);
  }
}

void set_all(words& r, std::initializer_list<const char*> units, const char* field,
             std::int64_t value) {
  for (const auto* unit : units) r.set(text(unit, field), value);
}

// 12x12 of 32 channels with a border of 2 makes 12x12, 64 transformed kernels in int8.
words winograd() {
  const program::convolution c{.width = 12, .height = 12, .channels = 32, .kernels = 64,
                               .kernel = 4, .pad = 2};
  auto r = program::convolution_registers<nv_full>(c);
  set_all(r, {"CDMA.", "CSC.", "CMAC_A.", "CMAC_B.", "CACC."}, "D_MISC_CFG.CONV_MODE", 1);
  set_all(r, {"CDMA.", "CSC."}, "D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", 15);
  set_all(r, {"CDMA.", "CSC."}, "D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT", 15);
  set_all(r, {"CDMA.", "CSC."}, "D_ENTRY_PER_SLICE", 3);
  set_all(r, {"CSC.D_ZERO_PADDING."}, "PAD_LEFT", 0);
  set_all(r, {"CSC.D_ZERO_PADDING."}, "PAD_TOP", 0);
  set_all(r, {"CSC.", "CACC."}, "D_DATAOUT_SIZE_0.DATAOUT_WIDTH", 11);
  set_all(r, {"CSC.", "CACC."}, "D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", 11);
  return r.count("CSC.D_ATOMICS", 144);
}

// 9 pixels of R8, a kernel of 3x3.
words image() {
  auto r = program::convolution_registers<nv_full>(
      {.width = 9, .height = 6, .channels = 1, .kernels = 8, .kernel = 3, .pad = 0});
  set_all(r, {"CDMA.", "CSC."}, "D_DATAIN_FORMAT.DATAIN_FORMAT", 1);
  return r.count("CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT", 1)
      .count("CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", 3)
      .count("CDMA.D_ENTRY_PER_SLICE", 1)
      .count("CSC.D_ENTRY_PER_SLICE", 1)
      .bytes("CDMA.D_LINE_STRIDE", 64);
}

}  // namespace

TEST_CASE("rules of Winograd") {
  check(winograd(),
        {{"CDMA.D_MISC_CFG.CONV_MODE", 0, "CDMA.D_ENTRY_PER_SLICE"},
         {"CSC.D_MISC_CFG.CONV_MODE", 0, "CSC.D_MISC_CFG"},
         {"CMAC_B.D_MISC_CFG.CONV_MODE", 0, "CMAC_B.D_MISC_CFG"},
         {"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT", 1, "CDMA.D_DATAIN_FORMAT"},
         {"CDMA.D_ZERO_PADDING.PAD_LEFT", 3, "CDMA.D_ZERO_PADDING"},
         {"CDMA.D_ZERO_PADDING.PAD_BOTTOM", 1, "CDMA.D_ZERO_PADDING"},
         {"CDMA.D_CONV_STRIDE.CONV_X_STRIDE", 2, "CDMA.D_ZERO_PADDING"},
         {"CDMA.D_CONV_STRIDE.CONV_X_STRIDE", 1, "CDMA.D_DATAIN_SIZE_EXT_0"},
         {"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", 11, "CDMA.D_DATAIN_SIZE_EXT_0"},
         {"CDMA.D_CVT_CFG.CVT_EN", 1, "CDMA.D_CVT_CFG.CVT_EN"},
         {"CDMA.D_BATCH_NUMBER", 1, "CDMA.D_BATCH_NUMBER"},
         {"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT", 11, "DATAIN_HEIGHT_EXT"},
         {"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT", 2, "BYTE_PER_KERNEL"},
         {"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT", 1, "CSC.D_CONV_STRIDE_EXT"},
         {"CSC.D_DILATION_EXT.X_DILATION_EXT", 1, "CSC.D_DILATION_EXT"},
         {"CSC.D_ZERO_PADDING.PAD_LEFT", 1, "CSC.D_ZERO_PADDING"},
         {"CSC.D_POST_Y_EXTENSION", 1, "CSC.D_POST_Y_EXTENSION"},
         {"CSC.D_PRA_CFG.PRA_TRUNCATE", 3, "CSC.D_PRA_CFG.PRA_TRUNCATE"},
         {"CSC.D_RELEASE", 9, "CSC.D_RELEASE"}});
  auto smaller = winograd();
  set_all(smaller, {"CSC.", "CACC."}, "D_DATAOUT_SIZE_0.DATAOUT_WIDTH", 7);
  smaller.count("CSC.D_ATOMICS", 96);
  CHECK_THROWS_WITH_AS(device{}.run(smaller), doctest::Contains("CSC.D_DATAOUT_SIZE_0"), error);
}

TEST_CASE("rules of images") {
  check(image(), {{"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", 36, "no format has the code 36"},
                  {"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", 3, "CDMA.D_MISC_CFG.IN_PRECISION"},
                  {"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", 12, "DATAIN_CHANNEL"},
                  {"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING", 1, "PIXEL_MAPPING"},
                  {"CDMA.D_MISC_CFG.IN_PRECISION", 1, "differs from that of the pixel format"},
                  {"CDMA.D_MISC_CFG.IN_PRECISION", 2, "CDMA.D_MISC_CFG.IN_PRECISION"},
                  {"CDMA.D_MISC_CFG.IN_PRECISION", 3, "CDMA.D_MISC_CFG.IN_PRECISION"},
                  {"CDMA.D_LINE_STRIDE", 0, "CDMA.D_LINE_STRIDE"},
                  {"CDMA.D_PIXEL_OFFSET.PIXEL_Y_OFFSET", 1, "PIXEL_Y_OFFSET: is 0"},
                  {"CDMA.D_BATCH_NUMBER", 1, "CDMA.D_BATCH_NUMBER"},
                  {"CSC.D_DATAIN_FORMAT", 0, "CSC.D_DATAIN_FORMAT"},
                  {"CSC.D_DILATION_EXT.Y_DILATION_EXT", 1, "CSC.D_DILATION_EXT"},
                  {"CSC.D_POST_Y_EXTENSION", 3, "CSC.D_POST_Y_EXTENSION"},
                  {"CSC.D_ZERO_PADDING_VALUE", 1, "CSC.D_ZERO_PADDING_VALUE"},
                  {"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT", 1, "CSC.D_WEIGHT_SIZE_EXT_1"}});
}

TEST_CASE("rules of the precisions") {
  const auto features = program::convolution_registers<nv_full>({.channels = 32});
  check(features, {{"CDMA.D_MISC_CFG.PROC_PRECISION", 3, "no precision has the code 3"},
                   {"CDMA.D_MISC_CFG.IN_PRECISION", 1, "CDMA.D_MISC_CFG.IN_PRECISION"},
                   {"CDMA.D_MISC_CFG.PROC_PRECISION", 1, "CDMA.D_MISC_CFG.IN_PRECISION"},
                   {"CSC.D_MISC_CFG.IN_PRECISION", 2, "CSC.D_MISC_CFG.IN_PRECISION"},
                   {"CACC.D_MISC_CFG.PROC_PRECISION", 2, "CACC.D_MISC_CFG"}});
  auto wide = features;  // int16 to fp16 needs the converter
  set_all(wide, {"CDMA.", "CSC.", "CMAC_A.", "CMAC_B.", "CACC."}, "D_MISC_CFG.PROC_PRECISION", 2);
  set_all(wide, {"CDMA.", "CSC."}, "D_MISC_CFG.IN_PRECISION", 1);
  wide.count("CDMA.D_WEIGHT_SIZE_0", 32 * 9 * 2);
  set_all(wide, {"CDMA.", "CSC."}, "D_ENTRY_PER_SLICE", 3);
  for (const std::string unit : {"CDMA", "CSC"})
    wide.bytes(unit + ".D_WEIGHT_BYTES", 8 * 32 * 9 * 2);
  CHECK_THROWS_WITH_AS(device{}.run(wide), doctest::Contains("CDMA.D_CVT_CFG.CVT_EN"), error);
  wide.set("CDMA.D_CVT_CFG.CVT_EN", 1);
  CHECK_NOTHROW(device{}.run(wide));
}
