// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes that a program reads more than once, as tensors have several readers and the CBUF does
// not hold all that a layer needs. A narrow memory feels them first.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/data_flow.hpp>

namespace nvdlac::report {

// A buffer of which NVDLA's units read some bytes several times in one run.
struct repeated_read {
  // A layer of the network, the bytes that its hardware layers read, and why some come again; empty
  // where none do.
  struct reader {
    std::string layer{};
    std::uint64_t bytes = 0;
    std::string why{};
  };

  std::string buffer{};
  bool weights = false;       // or operands of SDP, which are constant as well
  std::uint64_t once = 0;     // bytes that are read at all
  std::uint64_t read = 0;     // bytes that are read in one run
  std::vector<reader> readers{};  // in the order of the program
};

// All bytes that the units read in one run, and how many there would be if each came once.
struct read_bytes {
  std::uint64_t once = 0, read = 0;
  std::vector<repeated_read> repeated{};  // those that come again the most first
};

// `flow` is that of the same program, for a configuration whose atoms have so many bytes. What the
// host reads is not counted.
read_bytes read_bytes_of(const plan::program_data& p, const data_flow& flow, bytes atom);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/repeated_reads.ipp>
#endif
