// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the simulator refuses a program: an `error` that names unit, register and the broken rule.
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/error.hpp>

namespace nvdlac::sim {

// The program broke a rule of `where` ("CDMA.D_BANK.DATA_BANK").
template <class... Args>
[[noreturn]] void refuse(std::string_view where, const Args&... rule) {
  throw error(problem{.reason = text(where, ": ", rule...)});
}

template <class... Args>
void require(bool holds, std::string_view where, const Args&... rule) {
  if (!holds) [[unlikely]] refuse(where, rule...);
}

// How much one simulator spends on one program before it calls the program absurd.
struct limits {
  std::uint64_t memory = std::uint64_t{4} << 30;         // bytes written, for each memory
  std::uint64_t macs = std::uint64_t{1} << 42;           // of one convolution
  std::uint64_t surface_elements = std::uint64_t{1} << 27;  // of one surface of any cube
  std::uint64_t elements = std::uint64_t{1} << 33;       // of any cube

  // One surface of width x height pixels of `lanes` elements, and `count` of them.
  void check(std::string_view where, std::uint64_t width, std::uint64_t height,
             std::uint64_t lanes, std::uint64_t count) const {
    const auto surface = width * height * lanes;
    require(surface <= surface_elements && surface * count <= elements, where, "a cube of ",
            count, " surfaces of ", width, "x", height,
            " pixels is beyond what the simulator is set to compute (sim::limits)");
  }
};

}  // namespace nvdlac::sim
