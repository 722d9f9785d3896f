// SPDX-License-Identifier: Apache-2.0
// Every rule of the hardware, broken once.
#include <cmath>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/plan/verify.hpp>

#include "example.hpp"

using namespace nvdlac;

namespace {

using Hw = nv_small;
using program = plan::program<Hw>;

constexpr auto check = [](const auto& p) { return plan::verify(p); };

auto on(const char* name, auto harm) {
  return [name, harm](program& p) { harm(example::layer<layer::convolution>(p, name)); };
}
auto on_sdp(const char* name, auto harm) {
  return [name, harm](program& p) { harm(example::layer<layer::sdp>(p, name)); };
}
auto on_pool(auto harm) {
  return [harm](program& p) { harm(example::layer<layer::pdp>(p, "pool")); };
}
auto on_host(auto harm) {
  return [harm](program& p) { harm(example::layer<layer::host_softmax>(p, "softmax")); };
}

struct no_pdp {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.pdp_throughput = 0;
    return s;
  }();
};

}  // namespace

TEST_CASE("a good program keeps every rule") {
  CHECK(plan::verify(example::program<nv_small>()).empty());
  CHECK(plan::verify(example::program<nv_small_256>()).empty());
  CHECK(plan::verify(example::program<nv_medium_512>()).empty());
  CHECK(plan::verify(example::program<nv_large>()).empty());
  CHECK(plan::verify(example::program<nv_full>()).empty());
}

TEST_CASE("broken convolution inputs are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"CONV: the input of 16x12x8193", on("a", [](auto& c) { c.input.shape.w = 8193; })},
          {"CONV: the input of 0x12x12", on("a", [](auto& c) { c.input.shape.c = 0; })},
          {"CONV: the input stands at byte", on("a", [](auto& c) { c.input.at.offset += 4; })},
          {"CONV: the input is in buffer 999", on("a", [](auto& c) { c.input.at.buffer = 999; })},
          {"beyond 32 bits", on("a", [](auto& c) { c.input.at.offset += std::uint64_t{1} << 32; })},
          {"not multiples of 8", on("a", [](auto& c) { c.input.line_stride += 4; })},
          {"not multiples of 8", on("a", [](auto& c) { c.input.surface_stride += 4; })},
          {"the input has a line stride of 88", on("a", [](auto& c) { c.input.line_stride = 88; })},
          {"the input has a surface stride", on("a", [](auto& c) { c.input.surface_stride -= 8; })},
          {"the padding value is 128", on("a", [](auto& c) { c.pad_value = 128; })},
          {"means are subtracted from pixels only", on("a", [](auto& c) { c.use_mean = true; })},
          {"not a multiple of 8", on("stem", [](auto& c) { c.input.line_stride = 76; })},
          {"less than a line of 48", on("stem", [](auto& c) { c.input.line_stride = 32; })},
          {"do not have the format 0",
           on("stem", [](auto& c) { c.format = layer::pixel_format::r8; })},
          {"a kernel of pixels is dilated", on("stem", [](auto& c) { c.window.dilation_h = 2; })},
          {"means replace the input converter", on("stem", [](auto& c) { c.cvt.offset = 1; })},
          {"the input converter's offset is 40000",
           on("stem", [](auto& c) { c.use_mean = false; c.cvt.offset = 40000; })},
          {"the input converter's shift is 64", on("stem", [](auto& c) { c.cvt.shift = 64; })},
      },
      check);
}

TEST_CASE("broken convolution windows are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"the kernel's height is 33", on("a", [](auto& c) { c.window.kernel_h = 33; })},
          {"the kernel's width is 0", on("a", [](auto& c) { c.window.kernel_w = 0; })},
          {"the vertical stride is 9", on("a", [](auto& c) { c.window.stride_h = 9; })},
          {"the horizontal stride is 0", on("a", [](auto& c) { c.window.stride_w = 0; })},
          {"the vertical dilation is 33", on("a", [](auto& c) { c.window.dilation_h = 33; })},
          {"the horizontal dilation is 33", on("a", [](auto& c) { c.window.dilation_w = 33; })},
          {"the left padding is 3", on("a", [](auto& c) { c.window.pad_left = 3; })},
          {"the right padding is 3", on("a", [](auto& c) { c.window.pad_right = 3; })},
          {"the top padding is -1", on("a", [](auto& c) { c.window.pad_top = -1; })},
          {"the bottom padding is 3", on("a", [](auto& c) { c.window.pad_bottom = 3; })},
          {"the output's height 12 does not follow",
           on("a", [](auto& c) { c.window.pad_top = 0; })},
          {"the output's width 12 does not follow",
           on("a", [](auto& c) { c.window.pad_right = 2; })},
          {"the output of 8193x12x12", on("a", [](auto& c) { c.output.c = 8193; })},
      },
      check);
}

TEST_CASE("broken uses of the convolution buffer are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"a slice takes 24 entries", on("a", [](auto& c) { --c.entries_per_slice; })},
          {"a slice takes 7 entries", on("stem", [](auto& c) { ++c.entries_per_slice; })},
          {"have no bank", on("a", [](auto& c) { c.weight_banks = 0; })},
          {"the CBUF has 32 banks, not 1 + 32", on("a", [](auto& c) { c.weight_banks = 32; })},
          {"do not fit 0 banks", on("a", [](auto& c) { c.data_banks = 0; })},
          {"6 slices of 18 entries do not fit 0", on("classes", [](auto& c) { c.data_banks = 0; })},
          {"a group of kernels of 6912 bytes does not fit 1",
           on("classes", [](auto& c) { c.weight_banks = 1; })},
          {"the weights' start stands at byte", on("a", [](auto& c) { c.weights.at.offset = 3; })},
          {"the weights have 2296 bytes, but 16 kernels of 144 fill 288 entries of 8",
           on("a", [](auto& c) { c.weights.size -= 8; })},
          {"the weights have 2312 bytes", on("a", [](auto& c) { c.weights.size += 8; })},
          {"the lines fetched at once is 0", on("a", [](auto& c) { c.fetch_grain = 0; })},
          {"the number of released slices is 13", on("a", [](auto& c) { c.release = 13; })},
          {"CACC's truncation is 17", on("a", [](auto& c) { c.truncate = 17; })},
          {"it reuses data", on("a", [](auto& c) { c.data_reuse = true; })},
          {"it reuses weights", on("b", [](auto& c) { c.weight_reuse = true; })},
          {"it reuses weights that do not fit 1 banks",
           on("classes", [](auto& c) { c.weight_reuse = true; c.weight_banks = 1; })},
          {"it reuses data that have been overwritten",
           [](auto& p) {
             const auto& a = example::layer<layer::convolution>(p, "a");
             auto& b = example::layer<layer::convolution>(p, "b");
             b.data_reuse = true;
             b.input = a.input;
             example::layer<layer::sdp>(p, "a/sdp").output.at = a.input.at;
           }},
      },
      check);
}

TEST_CASE("kernels that cannot come ahead are reported") {
  // Behind the operation of "a" those of "b".
  const auto ahead = [](auto change) {
    return [change](auto& p) {
      auto& a = example::layer<layer::convolution>(p, "a");
      auto& b = example::layer<layer::convolution>(p, "b");
      a.layers_ahead = 1;
      a.kernels_ahead = 8;
      change(a, b);
    };
  };
  auto good = example::program<Hw>();
  ahead([](auto&, auto&) {})(good);
  CHECK(plan::verify(good).empty());
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"for no convolution of its task",
           on("classes", [](auto& c) { c.layers_ahead = c.kernels_ahead = 1; })},
          {"for no convolution of its task", ahead([](auto& a, auto&) { a.layers_ahead = 99; })},
          {"that are there, or none", ahead([](auto& a, auto&) { a.kernels_ahead = 0; })},
          {"that are there, or none", ahead([](auto& a, auto& b) {
             a.layers_ahead = 2;
             a.kernels_ahead = 1;
             b.layers_ahead = 1;
             b.kernels_ahead = 1;
           })},
          {"that their layer does not have",
           ahead([](auto& a, auto&) { a.kernels_ahead = 24; })},
          {"for one that reuses those of the layer before", ahead([](auto& a, auto& b) {
             b.weights = a.weights;
             b.weight_reuse = a.skip_weight_release = true;
           })},
          {"to other banks", ahead([](auto&, auto& b) { ++b.weight_banks; })},
          {"to other banks", ahead([](auto& a, auto&) { ++a.data_banks; })},
          {"in another precision",
           ahead([](auto& a, auto&) { a.precision = hw::precision::int16; })},
          {"in Winograd's mode", ahead([](auto& a, auto&) { a.winograd = true; })},
          {"that do not fit their banks", ahead([](auto& a, auto& b) {
             b.weights.size = std::uint64_t{a.weight_banks} * 32768;
             a.kernels_ahead = 16;
           })},
          {"that do not fit their banks", ahead([](auto& a, auto&) {
             a.weights.size = std::uint64_t{a.weight_banks} * Hw::spec.cbuf_bank().n;
             a.skip_weight_release = true;
           })},
          {"that are no whole entries of the CBUF",
           ahead([](auto& a, auto& b) { b.input.shape.c = 15; a.kernels_ahead = 7; })},
      },
      check);
}

TEST_CASE("broken SDP layers are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"SDP: the cube of 16x8193x12", on_sdp("sum", [](auto& s) { s.input.shape.h = 8193; })},
          {"it takes 15x12x12 on the fly but 'a' gives 16x12x12",
           on_sdp("a/sdp", [](auto& s) { s.input.shape.c = s.output.shape.c = 15; })},
          {"SDP: the output 16x12x11 is not the input",
           on_sdp("sum", [](auto& s) { s.output.shape.w = 11; })},
          {"SDP: the surfaces of an output of one pixel do not lie side by side",
           on_sdp("classes/sdp", [](auto& s) { s.output.surface_stride = 16; })},
          {"SDP: the output stands at", on_sdp("sum", [](auto& s) { s.output.at.offset = 2; })},
          {"SDP: the input has strides", on_sdp("sum", [](auto& s) { s.input.line_stride = 100; })},
          {"the operand's shift is 64", on_sdp("a/sdp", [](auto& s) { s.x1.alu_shift = 64; })},
          {"the output converter's shift is 64", on_sdp("sum", [](auto& s) { s.out.shift = 64; })},
          {"PReLU needs the multiplier alone",
           on_sdp("a/sdp", [](auto& s) { s.x1.prelu = true; s.x1.relu = false; })},
          {"operands of 4 bytes", on_sdp("a/sdp", [](auto& s) { s.x1.operand_bytes = 4; })},
          {"operands are read that nothing uses",
           on_sdp("sum", [](auto& s) { s.x2.alu = s.x2.mul = false; })},
          {"for the adder or for the multiplier", on_sdp("sum", [](auto& s) { s.x2.mul = true; })},
          {"the operands' cube is 8x12x12",
           on_sdp("sum", [](auto& s) { s.x2.operands.shape.c = 8; })},
          {"the operands' cube has a line stride",
           on_sdp("sum", [](auto& s) { s.x2.operand_bytes = 2; })},
          {"the operands' start stands at byte",
           on_sdp("a/sdp", [](auto& s) { s.x1.operands.at.offset = 1; })},
          {"the operands of 16 channels have 32",
           on_sdp("a/sdp", [](auto& s) { s.x1.operands.size = 32; })},
      },
      check);
}

TEST_CASE("conversions that SDP does not have are reported") {
  using enum hw::precision;
  const auto convert = [](hw::precision from, hw::precision to) {
    return [from, to](auto& p) {
      auto& s = example::layer<layer::sdp>(p, "sum");
      s.input.precision = from;
      s.output.precision = to;
    };
  };
  example::expect_reports<nv_full>(
      example::program<nv_full>(),
      {
          {"SDP: it makes fp16 of int8 at once", convert(int8, fp16)},
          {"SDP: it makes int8 of fp16 at once", convert(fp16, int8)},
          {"SDP: it makes int8 of int16 on the fly",
           [](auto& p) { example::layer<layer::sdp>(p, "a/sdp").input.precision = int16; }},
          {"SDP: it changes the data type on the way to PDP",
           [&](auto& p) {
             convert(int16, fp16)(p);
             example::layer<layer::sdp>(p, "sum").output.at = {};
           }},
      },
      check);
  for (const auto& [from, to] : {std::pair{int8, int16}, {int16, int8}, {int16, fp16},
                                 {fp16, int16}}) {
    auto p = example::program<nv_full>();
    convert(from, to)(p);
    CHECK_FALSE(example::reported(plan::verify(p), "at once"));
    CHECK_FALSE(example::reported(plan::verify(p), "data type"));
  }
}

TEST_CASE("broken poolings are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"PDP: the input of 16x12x9000", on_pool([](auto& l) { l.input.shape.w = 9000; })},
          {"the input has 16 channels but the output 8",
           on_pool([](auto& l) { l.output.shape.c = 8; })},
          {"PDP: the input stands at byte", on_pool([](auto& l) { l.input.at.offset = 1; })},
          {"its result cannot go on the fly", on_pool([](auto& l) { l.output.at = {}; })},
          {"PDP: the output has a surface stride",
           on_pool([](auto& l) { l.output.surface_stride = 8; })},
          {"a pooling has no dilation", on_pool([](auto& l) { l.window.dilation_w = 2; })},
          {"the kernel's height is 9", on_pool([](auto& l) { l.window.kernel_h = 9; })},
          {"the kernel's width is 0", on_pool([](auto& l) { l.window.kernel_w = 0; })},
          {"the vertical stride is 16", on_pool([](auto& l) { l.window.stride_h = 16; })},
          {"the horizontal stride is 9", on_pool([](auto& l) { l.window.stride_w = 9; })},
          {"the top padding is 2", on_pool([](auto& l) { l.window.pad_top = 2; })},
          {"the right padding is 8",
           on_pool([](auto& l) { l.window.kernel_w = 8; l.window.pad_right = 8; })},
          {"the padding value is -129", on_pool([](auto& l) { l.pad_value = -129; })},
          {"the output's height 6 does not follow",
           on_pool([](auto& l) { l.window.pad_bottom = 1; })},
          {"the output's width 6 does not follow", on_pool([](auto& l) { l.input.shape.w = 11; })},
          {"the line buffers hold 128 columns of the 129",
           on_pool([](auto& l) { l.output.shape.w = 129; })},
          {"the line buffers hold 16 columns of the 17", on_pool([](auto& l) {
             l.window.kernel_h = 5;
             l.window.stride_h = 1;
             l.output.shape.w = 17;
           })},
          {"what comes on the fly cannot be split",
           on_pool([](auto& l) { l.input.at = {}; l.split.parts = 2; })},
          {"the number of parts is 65", on_pool([](auto& l) { l.split.parts = 65; })},
          {"the parts do not add up", on_pool([](auto& l) { l.split = {2, 6, 0, 5, 3, 0, 3}; })},
          {"columns of the 200 of a part",
           on_pool([](auto& l) { l.split = {2, 6, 0, 6, 200, 0, 3}; })},
      },
      check);
  auto split = example::program<Hw>();
  example::layer<layer::pdp>(split, "pool").split = {2, 6, 0, 6, 3, 0, 3};
  CHECK(plan::verify(split).empty());
  plan::program<no_pdp> without;
  static_cast<plan::program_data&>(without) = example::program<Hw>();
  CHECK(example::reported(plan::verify(without), "PDP: the configuration has none"));
}

TEST_CASE("broken host layers and bindings are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"host: the output 9x1x1 is not the input",
           on_host([](auto& l) { l.output.shape.c = 9; })},
          {"the softmax of 16x2x1", on_host([](auto& l) { l.input.shape.h = 2; })},
          {"the channels are not contiguous",
           on_host([](auto& l) { l.input.surface_stride = 64; })},
          {"a scale of 0", on_host([](auto& l) { l.output_scale = 0; })},
          {"a scale of nan", on_host([](auto& l) { l.input_scale = std::nanf(""); })},
          {"input: the picture stands at", [](program& p) { p.inputs[0].surface.at.offset = 4; }},
          {"input: the pixels' line stride",
           [](program& p) { p.inputs[0].surface.line_stride = 40; }},
          {"output: the cube stands at", [](program& p) { p.outputs[0].surface.at.offset = 4; }},
      },
      check);
}

TEST_CASE("the full register map wants addresses and strides in 32 bytes") {
  auto p = example::program<nv_full>();
  example::layer<layer::convolution>(p, "a").input.at.offset += 16;
  CHECK(example::reported(plan::verify(p), "not a multiple of 32"));
}
