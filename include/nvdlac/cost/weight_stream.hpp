// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/memory.hpp>

namespace nvdlac::cost {

// CDMA's fetch of the weights: atom behind atom, as long as the CBUF's banks have room. CSC frees
// the room of a kernel group when it has computed with it.
class weight_stream {
 public:
  // The first `done` atoms are requested at `time`; the banks take `room` atoms.
  constexpr weight_stream(const cost::bus& b, std::uint64_t done, std::int64_t time,
                          std::uint64_t room)
      : bus_(b), done_(done), time_(time), room_(room + measured.weights_ahead) {}

  // When the first `atoms` are requested.
  constexpr std::int64_t requested(std::uint64_t atoms) {
    while (done_ < atoms) {
      const auto freed = next_ == 0 ? 0 : freed_[next_ - 1].atoms;
      const auto target = std::min(atoms, freed + room_);
      if (target > done_) {
        fetch(target - done_, next_ == 0 ? time_ : freed_[next_ - 1].time);
      } else if (next_ < freed_.size()) {
        ++next_;
      } else {
        throw error("a kernel group does not fit the banks for weights");
      }
    }
    return time_;
  }

  // The first `atoms` are not needed any more.
  constexpr void release(std::uint64_t atoms, std::int64_t time) {
    freed_.push_back({atoms, time});
  }
  // Others take the bus for so many cycles.
  constexpr void delay(std::uint64_t cycles) { time_ += static_cast<std::int64_t>(cycles); }

 private:
  struct release_of {
    std::uint64_t atoms = 0;
    std::int64_t time = 0;
  };
  constexpr void fetch(std::uint64_t atoms, std::int64_t room_since) {
    time_ = std::max(time_, room_since) + static_cast<std::int64_t>(bus_.cycles(atoms));
    done_ += atoms;
  }

  cost::bus bus_;
  std::uint64_t done_;
  std::int64_t time_;
  std::uint64_t room_;
  std::size_t next_ = 0;  // releases that are used
  std::vector<release_of> freed_{};
};

}  // namespace nvdlac::cost
