// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of memory that several layers have written, for who compares them at once.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

// Pieces of one buffer, none of which meets another, by their offset in bytes.
class written_memory {
 public:
  using pieces = std::map<std::uint64_t, std::vector<std::uint8_t>>;

  // Whether a cube is of the same buffer and meets nothing that is there.
  bool takes(const layer::surface& s, bytes atom) const {
    if (pieces_.empty()) return true;
    if (s.at.buffer != buffer_.buffer) return false;
    bool is_free = true;
    layer::for_each_piece(s, atom, [&](std::uint64_t from, std::uint64_t size) {
      const auto begin = s.at.offset + from;
      const auto behind = pieces_.lower_bound(begin);
      if (behind != pieces_.end() && behind->first < begin + size) is_free = false;
      if (behind == pieces_.begin()) return;
      const auto& [at, bytes] = *std::prev(behind);
      if (begin < at + bytes.size()) is_free = false;
    });
    return is_free;
  }

  // The lines of a cube that it takes; `memory` begins where the cube does. What is between lines
  // is other tensors'.
  void add(const layer::surface& s, bytes atom, std::span<const std::uint8_t> memory) {
    buffer_ = s.at;
    layer::for_each_piece(s, atom, [&](std::uint64_t from, std::uint64_t size) {
      const auto part = memory.subspan(in_memory(from), in_memory(size));
      pieces_[s.at.offset + from].assign(part.begin(), part.end());
    });
  }

  // The buffer, `offset` being of no meaning.
  const layer::location& buffer() const { return buffer_; }

  // All of it, in pieces as long as they can be. Nothing is there afterwards.
  pieces take() {
    pieces whole;
    for (auto& [at, bytes] : std::exchange(pieces_, {})) {
      if (!whole.empty()) {
        auto& [begin, before] = *std::prev(whole.end());
        if (begin + before.size() == at) {
          before.insert(before.end(), bytes.begin(), bytes.end());
          continue;
        }
      }
      whole.emplace(at, std::move(bytes));
    }
    return whole;
  }

 private:
  layer::location buffer_{};
  pieces pieces_{};
};

}  // namespace nvdlac::emit
