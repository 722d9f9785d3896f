// SPDX-License-Identifier: Apache-2.0
#pragma once
// The limits of what one input may cost. A small file can describe absurd work; it is refused
// before anything is allocated or computed for it, and the message names the limit. Users with
// larger needs raise it. Limits are a value that is given to what reads, compiles or runs; the
// process has none.
#include <array>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/error.hpp>

namespace nvdlac {

struct budget {
  // The contents of a model.
  std::uint64_t fields = std::uint64_t{1} << 22;
  std::uint64_t nodes = std::uint64_t{1} << 16;
  std::uint64_t weights = std::uint64_t{3} << 26;
  std::uint64_t tensors = std::uint64_t{1} << 28;
  std::uint64_t operations = std::uint64_t{1} << 38;
  std::uint64_t constants = std::uint64_t{1} << 24;
  std::uint64_t parts = 4096;
  std::uint64_t layers = 1000;
  std::uint64_t moved = std::uint64_t{1} << 25;
  // The contents of pictures and arrays.
  std::uint64_t samples = std::uint64_t{1} << 27;
  // A run of the simulator.
  std::uint64_t memory = std::uint64_t{1} << 30;
  std::uint64_t trace = std::uint64_t{1} << 32;
  std::uint64_t work = std::uint64_t{1} << 38;
  std::uint64_t macs = std::uint64_t{1} << 36;
  std::uint64_t elements = std::uint64_t{1} << 28;

  // Elements of all constants that a file of `size` bytes may describe without holding them.
  constexpr std::uint64_t constants_of(std::uint64_t size) const { return constants + 16 * size; }

  constexpr bool operator==(const budget&) const = default;
};

// A limit as users know it.
struct limit {
  std::string_view name;
  std::uint64_t budget::*value;
  std::string_view counts;
};

inline constexpr std::array all_limits{
    limit{"fields", &budget::fields, "fields in the file of a model"},
    limit{"nodes", &budget::nodes, "nodes or layers of a model"},
    limit{"weights", &budget::weights, "elements of all weights of a model"},
    limit{"tensors", &budget::tensors, "elements of all tensors of a network"},
    limit{"operations", &budget::operations, "multiplications and comparisons for one picture"},
    limit{"constants", &budget::constants,
          "elements of computed or unpacked constants, beyond 16 for each byte of the model"},
    limit{"parts", &budget::parts, "parts that one layer is computed in"},
    limit{"layers", &budget::layers, "hardware layers that one operator's moves take"},
    limit{"moved", &budget::moved, "elements that one layer moves one by one"},
    limit{"samples", &budget::samples, "samples of one picture"},
    limit{"memory", &budget::memory, "bytes that a program writes, of each simulated memory"},
    limit{"trace", &budget::trace, "bytes that a trace fills, loads, compares and sums"},
    limit{"work", &budget::work,
          "multiplications, comparisons and copies in one run of a loadable or trace"},
    limit{"macs", &budget::macs, "multiplications of one simulated convolution"},
    limit{"elements", &budget::elements, "elements of one simulated cube"}};

constexpr const limit& limit_of(std::uint64_t budget::*value) {
  for (const auto& l : all_limits)
    if (l.value == value) return l;
  throw error("it is no limit");
}

// Throws where `needed` is beyond `most`, the number of this limit.
void require_within(std::uint64_t budget::*value, std::uint64_t needed, std::uint64_t most);
// Throws where `needed` is beyond the number that this limit has in `limits`.
inline void require_within(std::uint64_t budget::*value, std::uint64_t needed,
                           const budget& limits) {
  require_within(value, needed, limits.*value);
}
// Adds to what a limit bounds the sum of. What is refused counts on, so that the last refusal of
// several proposes a limit that is enough for all of them.
void spend_within(std::uint64_t budget::*value, std::uint64_t& spent, std::uint64_t more,
                  const budget& limits);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/budget.ipp>
#endif
