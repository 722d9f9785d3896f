// SPDX-License-Identifier: Apache-2.0
#pragma once
// The decisions of a schedule, as a value: a policy makes it, a file keeps it, and draft.hpp makes
// the hardware layers of it.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/plan/lowering_choices.hpp>

namespace nvdlac::schedule {

// A stage is a hardware layer with those that take its result without memory, named as the first
// of them in reports: "conv1", or "conv1/y8" where lowering made several passes of a layer. The
// tiles of a stage are named by their first rows: "conv1/y0", "conv1/y12".

// Where a convolution is cut into tiles of rows.
struct cut {
  std::string stage{};
  std::vector<std::int32_t> rows{};  // of its result, where the tiles behind the first begin

  bool operator==(const cut&) const = default;
};

struct choices {
  bool compressed = false;  // weights without their zeros, where that is possible
  // Choices that change the layers themselves: the passes of convolutions, and which poolings are
  // computed with one. All else is chosen of the layers that this gives.
  plan::lowering_choices lowering{};
  // Stages beside others do not wait because they write where those read: the memory of tensors is
  // kept for a stage longer.
  bool beside = false;
  // Neighbouring convolutions that have room beside each other have the same banks of the CBUF, and
  // keep the data or the weights that both read.
  bool kept = false;
  std::vector<cut> tiles{};
  // Convolutions, or tiles, that nevertheless have nothing in common with the one before them.
  std::vector<std::string> apart{};
  // All stages, or tiles, of the hardware; empty: in the order of the network.
  std::vector<std::string> order{};
  // Buffers of features or weights that stand in the secondary memory, by their names in reports;
  // of several of one name the second is "NAME#2".
  std::vector<std::string> cvsram{};

  bool operator==(const choices&) const = default;
};

// Choices that were kept, and for what they were made.
struct saved {
  std::string network{}, configuration{};
  schedule::choices choices{};
  std::string file{};  // for messages

  bool operator==(const saved&) const = default;
};

// The price of a schedule that is planned: its cycles, and its bytes.
struct price {
  std::uint64_t cycles = 0, moved = 0;  // moved: bytes read and written
  std::uint64_t memory = 0;             // bytes of all in DRAM, weights included
  std::uint64_t cvsram = 0;             // bytes of all in the secondary memory

  // Whether it takes at most a quarter more memory than another one.
  constexpr bool fits(const price& first) const {
    return memory <= first.memory + first.memory / 4;
  }
  constexpr bool operator==(const price&) const = default;
};

}  // namespace nvdlac::schedule
