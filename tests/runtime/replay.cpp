// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/board_steps.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/uio_trace.hpp>

#include "scratch.hpp"

using namespace nvdlac;

namespace {

const std::string header = "nvtrace 1\nconfig nv_small\nglb_base 0x1000\ninfo a test # here\n";

}  // namespace

TEST_CASE("a trace compares memory and registers") {
  const scratch dir;
  dir.write("in.bin", "abcdef");
  dir.write("out.bin", "bcdZ");
  const auto trace = dir.write("trace.txt", header + R"(
# comment
mem_load dram 0x1000 in.bin   # all of it
mem_load dram 8192 in.bin 1 4
mem_fill dram 0x3000 010 0x5a
mem_check dram 0x1001 out.bin
mem_crc dram 0x1000 6 0x4b8e39ef
mem_crc dram 0x1000 6 0x4b8e39ee
reg_write 0x1008 0x11
reg_read 0x100c 0xffffffff 0x11
reg_read 0x100c 0x1 0x0
reg_poll 0x300c 1 1
reg_poll 0x3000 1 1
wait_irq
wait_done 0x10
wait_done 0x3
mem_dump dram 0x3000 9 dump.bin
)");
  std::string name, dumped;
  const auto differences = runtime::replay<nv_small>(
      trace, {.on_dump = [&](const std::string& file, const std::vector<std::uint8_t>& bytes) {
        name = file;
        dumped.assign(bytes.begin(), bytes.end());
      }});
  CHECK(runtime::replay<nv_small>(trace).size() == 5);
  REQUIRE(differences.size() == 5);
  CHECK(differences[0].line == 10);
  CHECK(differences[0].what ==
        "1 of 4 bytes differ from out.bin, first 0x1004: 0x65 instead of 0x5a");
  CHECK(differences[1].what.find("instead of 0x4b8e39ee") != std::string::npos);
  CHECK(differences[2].line == 15);
  CHECK(differences[3].what.find("CDMA.S_STATUS") != std::string::npos);
  CHECK(differences[4].what == "the interrupts 0x2 never come");
  CHECK(name == "dump.bin");
  CHECK(dumped == std::string(8, '\x5a') + std::string(1, '\0'));
}

TEST_CASE("a trace that is wrong names file and line") {
  const scratch dir;
  dir.write("in.bin", "abcdef");
  const auto fails = [&](const std::string& text, const char* message) {
    CAPTURE(text);
    const auto path = dir.write("trace.txt", text);
    CHECK_THROWS_WITH_AS(runtime::read_trace(path), doctest::Contains(message), error);
  };
  fails("", "no 'nvtrace 1'");
  fails("nvtrace 2\n", "trace.txt:1: expected 'nvtrace 1'");
  fails("nvtrace 1\n", "names no config");
  fails("nvtrace 1 x\n", "unexpected 'x'");
  fails("config nv_small\n", "trace.txt:1");
  fails(header + "mem_lod dram 0 in.bin\n", "trace.txt:5: unknown command 'mem_lod'");
  fails(header + "mem_load ram 0 in.bin\n", "neither dram nor cvsram");
  fails(header + "mem_load dram 0 none.bin\n", "trace.txt:5: the file 'none.bin'");
  fails(header + "mem_load dram 0 ../in.bin\n", "not beside the trace");
  fails(header + "mem_load dram 0 ..\n", "not beside the trace");
  fails(header + "mem_load dram 0 in.bin 1\n", "expected a size");
  fails(header + "mem_load dram 0 in.bin 3 4\n", "has only 6 bytes");
  fails(header + "mem_load dram 0 in.bin 7 0\n", "has only 6 bytes");
  fails(header + "mem_load dram 0 in.bin 1 0xffffffffffffffff\n", "has only 6 bytes");
  fails(header + "mem_fill dram 0 4 256\n", "'256' is not a number from 0 to 255");
  fails(header + "reg_write 0x100 0x100000000\n", "is not a number");
  fails(header + "reg_write 0x100 -1\n", "is not a number");
  fails(header + "reg_write 0x100 0x\n", "is not a number");
  fails(header + "reg_write 0x100 08\n", "is not a number");
  fails(header + "reg_write 0x100 12a\n", "is not a number");
  fails(header + "reg_write 0x100\n", "expected a value");
  fails(header + "wait_irq now\n", "unexpected 'now'");
  fails(header + "reg_read 0x100 1 1 1\n", "unexpected '1'");
  const std::string long_line(9000, 'x');
  fails(header + long_line, "trace.txt:5: a line of more than 8192 characters");
  fails(header + "# " + long_line + "\nwait_irq\n", "trace.txt:5: a line of more than");
  CHECK_THROWS_AS(runtime::read_trace(dir.path / "absent.txt"), error);
  CHECK_THROWS_AS(runtime::read_trace(dir.path), error);
}

TEST_CASE("a program that the device refuses names the line of the trace") {
  const scratch dir;
  const auto fails = [&](const std::string& text, const char* message) {
    CAPTURE(text);
    const auto path = dir.write("trace.txt", text);
    CHECK_THROWS_WITH_AS(runtime::replay<nv_small>(path), doctest::Contains(message), error);
  };
  const auto table = hw::address<hw::register_map::small, "CDP.S_LUT_ACCESS_CFG">;
  fails(header + text("\nreg_write ", table, " 65\n"), "trace.txt:6: CDP.S_LUT_ACCESS_CFG");
  fails(header + "mem_fill cvsram 0 4 1\n", "trace.txt:5: cvsram");
  fails(header + "mem_fill dram 0xfffffffe 4 1\n", "trace.txt:5: dram");
  fails(header + "mem_fill dram 0 0x1000000000000 0\n", "trace.txt:5");
  fails(header + "mem_crc dram 0 0x1000000000000 0\n", "trace.txt:5");
  fails("nvtrace 1\nconfig nv_large\n", "nv_large, not of nv_small");
  fails("nvtrace 1\nconfig nv_small\nglb_base 0\n", "glb_base");
}

TEST_CASE("a small trace does not fill, sum or load more than is plausible") {
  const scratch dir;
  const auto fails = [&](const std::string& text, const char* message) {
    CAPTURE(text);
    const auto path = dir.write("trace.txt", text);
    CHECK_THROWS_WITH_AS(runtime::replay<nv_small>(path), doctest::Contains(message), error);
  };
  fails(header + "mem_fill dram 0 0x100000000 1\n",
        "trace.txt:5: memory: a region of 4294967296 bytes");
  fails(header + "mem_fill dram 0 0x7fffffff 1\n", "--limit memory=2147483647 raises it");
  std::string sums = header;
  for (int i = 0; i < 100; ++i) sums += "mem_crc dram 0 0x80000000 0\n";
  fails(sums, "trace.txt:7: it has 6442450944 bytes that a trace fills, loads, compares and sums");
  std::ofstream(dir.path / "large.bin").put('a');
  std::filesystem::resize_file(dir.path / "large.bin", std::uintmax_t{5} << 30);
  fails(header + "mem_load dram 0 large.bin 0 1\n", "--limit trace=5368709120");
}

TEST_CASE("a symbolic link does not lead a trace to other directories") {
  const scratch dir, elsewhere;
  elsewhere.write("secret.bin", "abcdef");
  dir.write("in.bin", "abcdef");
  std::filesystem::create_symlink(elsewhere.path / "secret.bin", dir.path / "out.bin");
  std::filesystem::create_symlink("in.bin", dir.path / "beside.bin");
  std::filesystem::create_directory(dir.path / "directory");
  const auto trace = [&](const char* name) {
    return dir.write("trace.txt", header + "mem_load dram 0 " + name + "\n");
  };
  CHECK_THROWS_WITH_AS(runtime::read_trace(trace("out.bin")),
                       doctest::Contains("trace.txt:5: the file 'out.bin' is not below"), error);
  CHECK_THROWS_WITH_AS(runtime::read_trace(trace("directory")),
                       doctest::Contains("trace.txt:5: the file 'directory': this is a directory"),
                       error);
  CHECK(runtime::read_trace(trace("beside.bin")).files.at("beside.bin").size() == 6);
}

TEST_CASE("a trace runs only on its own configuration") {
  runtime::trace t;
  t.name = "t.nvtrace";
  t.config = "nv_small";
  CHECK_THROWS_WITH_AS(runtime::replay<nv_small_256>(t), doctest::Contains("nv_small_256"), error);
}

TEST_CASE("a program for a board does not reach into CVSRAM") {
  constexpr auto low = hw::address<hw::register_map::small, "SDP.D_DST_BASE_ADDR_LOW">;
  const auto refusal = [&](std::uint32_t value) -> std::string {
    runtime::trace t;
    t.commands.push_back({.what = runtime::trace_command::kind::reg_write, .address = low,
                          .value = value});
    try {
      (void)runtime::steps_for_board(t, hw::register_map::small);
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(refusal(0x50000040).find("an address in CVSRAM") != std::string::npos);
  CHECK(refusal(0x80000040).find("an address in CVSRAM") == std::string::npos);
}
