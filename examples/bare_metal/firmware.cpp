// SPDX-License-Identifier: Apache-2.0
// Runs the network. Freestanding: no heap, no exceptions, no RTTI, nothing of libstdc++ to link.
#include "firmware.hpp"

#include "device.hpp"
#include "network.hpp"
#include "softmax.hpp"

namespace {

struct host : board_device<> {
  bool poll(std::uint32_t address, std::uint32_t bits) {
    while (bits != 0) {
      const auto seen = nvdla_wait(address, bits) & bits;
      if (seen == 0) return false;
      bits &= ~seen;
    }
    return true;
  }
  bool wait_done(std::uint32_t address, std::uint32_t bits) {
    while (bits != 0) {
      const auto seen = nvdla_wait(address, bits) & bits;
      if (seen == 0) return false;
      write(address, seen);
      bits &= ~seen;
    }
    return true;
  }
  void compute(const nvdlac::host_softmax& s, std::uint64_t base) { softmax(s, base); }
};

// Calls f(address, number) for each element of the tensor, in c-h-w order.
template <class F>
void each_element(const nvdlac::program_tensor& t, F f) {
  std::size_t i = 0;
  for (std::int32_t c = 0; c < t.size.c; ++c)
    for (std::int32_t y = 0; y < t.size.h; ++y)
      for (std::int32_t x = 0; x < t.size.w; ++x)
        f(t.at.memory.address + t.at.offset(c, y, x), i++);
}

}  // namespace

void load_weights() {
  host{}.load({memory_base() + digits_program.from_base.weights.address}, digits_weights);
}

bool classify(const std::uint8_t* picture, std::int8_t* probabilities) {
  const auto base = memory_base();
  const auto& p = digits_program.from_base;
  host h;
  each_element(p.inputs[0], [&](std::uint64_t address, std::size_t i) {
    h.load({base + address}, {picture + i, 1});
  });
  if (!nvdlac::run(digits_program, h, base)) {
    nvdla_reset();
    return false;
  }
  each_element(p.outputs[0], [&](std::uint64_t address, std::size_t i) {
    h.fetch({base + address}, {reinterpret_cast<std::uint8_t*>(probabilities + i), 1});
  });
  return true;
}
