// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"

#include "sim/program.hpp"

using namespace nvdlac;

namespace {

// The work that the registers ask for when this unit starts.
template <hw::hardware Hw>
std::uint64_t work(const program::registers<Hw>& r, std::string_view start) {
  runtime::workload<Hw> w;
  r.write(w);
  CHECK(w.operations() == 0);
  w.write(hw::find(Hw::spec.map, start)->address, 1);
  return w.operations();
}

runtime::trace parsed(const std::string& commands) {
  std::istringstream in("nvtrace 1\nconfig nv_small\n" + commands);
  return runtime::parse_trace(in, "t", "/nowhere");
}

}  // namespace

TEST_CASE("every engine counts what it will compute") {
  using program::registers;
  const auto convolution =
      program::convolution_registers<nv_small>({.width = 8, .height = 7, .channels = 5,
                                                .kernels = 6, .kernel = 3, .pad = 1});
  CHECK(work<nv_small>(convolution, "CSC.D_OP_ENABLE") == 8 * 7 * 5 * 6 * 9);
  CHECK(work<nv_small>(convolution, "SDP.D_OP_ENABLE") == 8 * 7 * 6);
  CHECK(work<nv_small>(convolution, "CDMA.D_OP_ENABLE") == 0);  // CSC stands for all of them
  registers<nv_full> r;
  r.count("PDP.D_DATA_CUBE_OUT_WIDTH", 3).count("PDP.D_DATA_CUBE_OUT_HEIGHT", 4)
      .count("PDP.D_DATA_CUBE_OUT_CHANNEL", 5)
      .count("PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH", 6)
      .count("PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT", 7)
      .count("CDP_RDMA.D_DATA_CUBE_WIDTH", 3).count("CDP_RDMA.D_DATA_CUBE_HEIGHT", 4)
      .count("CDP_RDMA.D_DATA_CUBE_CHANNEL", 5)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH", 3)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT", 4)
      .count("RBK.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL", 5)
      .count("RBK.D_DECONV_STRIDE.DECONV_X_STRIDE", 2)
      .count("RBK.D_DECONV_STRIDE.DECONV_Y_STRIDE", 6)
      .set("RBK.D_MISC_CFG.RUBIK_MODE", 0)
      .count("BDMA.CFG_LINE.SIZE", 3).count("BDMA.CFG_LINE_REPEAT.NUMBER", 4)
      .count("BDMA.CFG_SURF_REPEAT.NUMBER", 5);
  CHECK(work<nv_full>(r, "PDP.D_OP_ENABLE") == 3 * 4 * 5 * 6 * 7);
  CHECK(work<nv_full>(r, "CDP_RDMA.D_OP_ENABLE") == 3 * 4 * 5 * 9);
  CHECK(work<nv_full>(r, "RBK.D_OP_ENABLE") == 3 * 4 * 5 * 2 * 6);
  CHECK(work<nv_full>(r.set("RBK.D_MISC_CFG.RUBIK_MODE", 1), "RBK.D_OP_ENABLE") == 3 * 4 * 5);
  CHECK(work<nv_full>(r, "BDMA.CFG_OP") == 3 * 4 * 5 * 32);
}

TEST_CASE("both groups of registers count, and numbers beyond all bounds stay the greatest") {
  constexpr auto map = nv_small::spec.map;
  constexpr auto pointer = hw::address<map, "SDP.S_POINTER">,
                 width = hw::address<map, "SDP.D_DATA_CUBE_WIDTH">,
                 enable = hw::address<map, "SDP.D_OP_ENABLE">;
  runtime::workload<nv_small> w;
  w.write(width, 9);
  w.write(pointer, 1);
  w.write(width, 99);
  w.write(enable, 1);
  CHECK(w.operations() == 100);
  w.write(pointer, 0);
  w.write(enable, 0);
  CHECK(w.operations() == 100);
  w.write(enable, 1);
  CHECK(w.operations() == 110);

  program::registers<nv_small> r;
  for (const auto* field :
       {"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", "CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT",
        "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL"})
    r.set(field, 0x1fff);
  r.set("CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT", 31)
      .set("CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT", 31).set("CSC.D_BATCH_NUMBER", 31);
  CHECK(work<nv_small>(r, "CSC.D_OP_ENABLE") == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("a trace beyond the limit is refused before its first command") {
  const auto write = [](std::string_view name, std::uint32_t value) {
    return text("reg_write ", hw::find(nv_small::spec.map, name)->address, ' ', value, '\n');
  };
  const auto t = parsed("wait_done 1\n" + write("SDP.D_DATA_CUBE_WIDTH", 999) +
                        write("SDP.D_OP_ENABLE", 1));
  runtime::replay_options o;
  o.settings.work = 999;
  CHECK_THROWS_WITH_AS(runtime::replay<nv_small>(t, o),
                       "t: a run makes 1000 multiplications, comparisons and copies, more than the "
                       "limit of 999 (if that is meant, raise it: --limit work=1000, in C++ "
                       "budget::work)",
                       error);
  o.settings.work = 1000;
  CHECK_NOTHROW(runtime::replay<nv_small>(t, o));
}

TEST_CASE("a loadable beyond the limit is refused before it runs") {
  const auto bytes = emit::loadable(example::digits<nv_small>());
  const auto loaded = runtime::load(emit::read_loadable(bytes), nv_small::spec);
  const auto operations = runtime::operations_of<nv_small>(loaded, 0);
  std::uint64_t macs = 0;
  sim::settings s;
  s.work = operations;
  runtime::session<nv_small> runs(loaded, s);
  runs.device().chip().on_layer([&](const sim::layer_record& r) { macs += r.macs; });
  std::vector<std::vector<std::uint8_t>> in;
  for (const auto& b : runs.inputs()) in.emplace_back(b.size);
  runs.run(in);
  CHECK(macs > 0);
  CHECK(operations > macs);
  CHECK(runtime::operations_of<nv_small>(loaded, 7) == operations + 7);
  s.work = operations - 1;
  CHECK_THROWS_WITH_AS(runtime::session<nv_small>(loaded, s),
                       doctest::Contains(text("--limit work=", operations).c_str()), error);
}
