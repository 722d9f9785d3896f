// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/hw/limits.hpp>

using namespace nvdlac::hw;

namespace {

template <register_map Map>
constexpr bool common_limits() {
  constexpr const auto& c = limits<Map>.convolution;
  static_assert(c.width == 8192 && c.height == 8192 && c.channels == 8192);
  static_assert(c.kernels == 8192 && c.kernel_bytes == 262144);
  static_assert(c.kernel_width == 32 && c.kernel_height == 32);
  static_assert(c.stride == 8 && c.dilation == 32 && c.batch == 32);
  static_assert(c.pad_left == 31 && c.pad_top == 31);
  static_assert(c.pad_right == 63 && c.pad_bottom == 63);
  static_assert(c.fetch_lines == 4096 && c.release_lines == 4096);
  static_assert(c.input_shift == 63);
  constexpr const auto& s = limits<Map>.sdp;
  static_assert(s.width == 8192 && s.alu_shift == 63 && s.mul_shift == 255);
  static_assert(s.ew_truncate == 1023 && s.output_shift == 63);
  constexpr const auto& p = limits<Map>.pdp;
  static_assert(p.width == 8192 && p.stride == 16 && p.pad == 7 && p.split_width == 1024);
  constexpr const auto& all = limits_of(Map);
  static_assert(all.cdp.input_shift == 31 && all.cdp.output_shift == 63);
  static_assert(all.rubik.stride == 32 && all.rubik.width == 8192);
  static_assert(all.bdma.line_units == 8192);
  return true;
}
static_assert(common_limits<register_map::small>());
static_assert(common_limits<register_map::full>());
static_assert(limits<register_map::small>.convolution.banks == 32);
static_assert(limits<register_map::full>.convolution.banks == 16);
static_assert(any_map.cube_side == 8192);
static_assert(any_map.convolution.kernels == 8192 && any_map.convolution.kernel == 32);
static_assert(any_map.convolution.stride == 8 && any_map.convolution.dilation == 32);
static_assert(any_map.convolution.pad_before == 31 && any_map.convolution.pad_after == 63);
static_assert(any_map.pdp.kernel == 8 && any_map.pdp.stride == 8 && any_map.pdp.pad == 7);
static_assert(limits<register_map::small>.convolution.entries_per_slice == 16384);
static_assert(limits<register_map::full>.convolution.entries_per_slice == 4096);

}  // namespace

TEST_CASE("limits: they are checked by the compiler") {
  CHECK((max_of<register_map::small, "CSC.D_DATAOUT_SIZE_1"> == 8191));
}
