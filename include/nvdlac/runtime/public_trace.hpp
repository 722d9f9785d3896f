// SPDX-License-Identifier: Apache-2.0
#pragma once
// The traces of NVIDIA's own test benches: a folder with `input.txn`, which the Verilator bench of
// nvdla/hw and the trace player of its nvdlav1 branch read, and memory as text in .dat files.
//   write_reg 0xffffRRRR VALUE        R: the register's address in words of 4 bytes
//   read_reg 0xffffRRRR MASK VALUE    again and again until the bits of MASK are those of VALUE
//   load_mem ADDRESS SIZE FILE.dat    memory from 0x80000000 on is DRAM, the rest SRAM
//   dump_mem ADDRESS SIZE FILE.dat    memory must hold what the file does
//   wait                              until the interrupt line is high
// Source: verif/verilator and verif/synth_tb/sim_scripts/inp_txn_to_hexdump.pl of nvdla/hw.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/trace.hpp>

namespace nvdlac::runtime {
namespace detail {

inline constexpr std::size_t dat_line = 32;  // bytes; the benches take whole lines
inline constexpr std::uint32_t txn_misc = 0xffff0000;  // in all published traces
inline constexpr std::uint64_t txn_dram = 0x80000000;

std::string hex_text(std::uint64_t value, int digits);

// Bytes as text, 32 a line; their number is a multiple of 32.
std::vector<std::uint8_t> dat_of(std::uint64_t address, bool cvsram,
                                 std::span<const std::uint8_t> bytes);

// The bytes of the first `size`: lines that begin with 0x hold them, others are comments.
std::vector<std::uint8_t> bytes_of_dat(std::span<const std::uint8_t> dat, std::uint64_t size,
                                       const trace_line& l, const std::string& name);

class txn_writer {
 public:
  txn_writer(const trace& t, hw::register_map map);

  std::vector<emit::file> take(const std::string& name) &&;

 private:
  static std::uint64_t padded(std::uint64_t size) {
    return align_up(size, std::uint64_t{dat_line});
  }

  // No layer runs behind it.
  bool ends_trace(const trace_command& c) const;

  void reg(const char* command, std::uint64_t address, std::uint32_t value,
           std::optional<std::uint32_t> mask = {});

  void memory(const char* command, const trace_command& c, std::vector<std::uint8_t> bytes,
              const std::string& name);

  // One bit after the other, alone on the interrupt line: whoever waits needs no patience for
  // reads that fail.
  void wait(std::uint32_t bits);

  void add(const trace_command& c);

  const trace& trace_;
  std::uint32_t glb_;
  hw::register_map map_;
  text_stream text_;
  std::vector<emit::file> files_;
};

}  // namespace detail

// The trace for NVIDIA's benches: the text first, called `name` (they read "input.txn"), then
// its .dat files. The map is that of the trace's configuration. An `error` if memory is used that
// the benches do not have.
std::vector<emit::file> public_trace(const trace& t, hw::register_map map, const std::string& name);

// A public trace of the configuration `config` and the .dat files in `directory`. What its players
// take and this reader does not, is an `error` with file and line. A dump without a file to compare
// it with is a mem_dump.
trace parse_public_trace(std::istream& in, const std::string& name,
                         const std::filesystem::path& directory, const std::string& config,
                         std::uint64_t most_bytes = budget{}.trace);

// Whether a command asks for a moment that only hardware shows: that a unit still runs just after
// it was enabled, that interrupts come one by one, that CBUF is not flushed yet. The simulator has
// done all that it can when a write returns; what the program computes is in its memory.
bool asks_for_a_moment(const trace_command& c, hw::register_map map);

// Whether the file is a public trace rather than an "nvtrace": its first command tells.
bool is_public_trace(const std::filesystem::path& path);

trace read_public_trace(const std::filesystem::path& path, const std::string& config,
                        std::uint64_t most_bytes = budget{}.trace);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/public_trace.ipp>
#endif
