// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data that a firmware needs to run a network: plain constants, and nothing of the compiler. It
// compiles freestanding, without exceptions and RTTI.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac {

// The Base of a program that is relocatable.
inline constexpr std::uint64_t relocatable = ~std::uint64_t{0};

// write:     register `address` becomes `value`
// address_low, address_high: it becomes the low or the high 32 bits of the address that is `value`
//            bytes behind the base of the memory; only in a relocatable_program
// poll:      wait until all bits of `value` are 1 in the register
// wait_done: wait until every bit of `value` has been 1 in the register, GLB.S_INTR_STATUS; a bit
//            that is seen is cleared by writing 1 to it
// host:      the host computes layer number `value` of `host_layers`
enum class step_kind : std::uint8_t { write, address_low, address_high, poll, wait_done, host };

struct step {
  step_kind kind : 8 = step_kind::write;
  std::uint32_t address : 24 = 0;  // bytes from the base of NVDLA
  std::uint32_t value = 0;

  constexpr bool operator==(const step&) const = default;
};

// A region of the memory that NVDLA reaches.
struct memory_region {
  std::uint64_t address = 0, size = 0;  // bytes

  constexpr bool operator==(const memory_region&) const = default;
};

// channels x height x width
struct cube_size {
  std::int32_t c = 1, h = 1, w = 1;

  constexpr bool operator==(const cube_size&) const = default;
};

// A tensor, or a picture of bytes, in memory.
struct cube {
  memory_region memory{};
  cube_size size{};                  // as it lies in memory: pixels of 3 channels have 4 there
  std::uint32_t line_stride = 0;     // bytes
  std::uint32_t surface_stride = 0;  // bytes; 0: pixels, or values as they stand: all channels of
                                     // a column beside each other
  std::uint16_t atom = 1;            // channels that lie beside each other
  hw::precision precision = hw::precision::int8;
  bool transposed = false;           // `line_stride` is from column to column of `size`

  constexpr bool operator==(const cube&) const = default;
  // Where the element is, in bytes from the cube's address.
  constexpr std::uint64_t offset(std::int32_t c, std::int32_t y, std::int32_t x) const {
    const auto channel = static_cast<std::uint32_t>(c);
    const auto line = static_cast<std::uint64_t>(transposed ? x : y) * line_stride;
    const auto column = static_cast<std::uint64_t>(transposed ? y : x);
    const auto element = hw::element_bytes(precision);
    if (surface_stride == 0)
      return line + (column * static_cast<std::uint32_t>(size.c) + channel) * element;
    return std::uint64_t{channel / atom} * surface_stride + line +
           (column * atom + channel % atom) * element;
  }
};

// A tensor that the user gives or gets: real = scale * integer. The dense c-h-w order of `size` is
// that of `at.size`; of a picture, the channels beyond `size.c` are 0.
struct program_tensor {
  std::string_view name;
  cube at{};
  cube_size size{};  // as the network sees it
  double scale = 1;
  bool picture = false;  // unsigned bytes that NVDLA converts

  constexpr bool operator==(const program_tensor&) const = default;
};

// A softmax over the channels that the host computes: a real input is input_scale * integer, or a
// number of fp16 as it is.
struct host_softmax {
  cube input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

// A piece of the weight image.
struct weight_piece {
  std::string_view name;
  std::uint64_t offset = 0, size = 0;  // bytes

  constexpr bool operator==(const weight_piece&) const = default;
};

// A program whose numbers are elsewhere, such as in the constants of nvdlac::program<Hw, net>.
struct register_program {
  std::span<const step> steps;
  memory_region weights{}, features{};
  std::span<const program_tensor> inputs, outputs;
  std::span<const host_softmax> host_layers;
  std::span<const weight_piece> weight_layout;
  memory_region cvsram{};  // that NVDLA works in as well; an address of the secondary memory
};

// A program for memory whose place is known only when it runs: all addresses but those of CVSRAM
// count from the base of that memory, which is an address of a page. The memory does not reach
// across a multiple of 4 GiB, as the high halves of all its addresses are one.
struct relocatable_program {
  register_program from_base;
};

namespace detail {

// Calls a device that waits. False if it says so: what it waits for has not come in its time.
template <class Wait>
constexpr bool has_come(Wait wait) {
  using answer = decltype(wait());
  static_assert(std::is_void_v<answer> || std::is_same_v<answer, bool>,
                "poll and wait_done of a device return nothing, or a bool: false when it gives up");
  if constexpr (std::is_void_v<answer>) return wait(), true;
  else return wait();
}

// `compute` is called with the layers of the host.
template <class Device, class Compute>
constexpr bool run(const register_program& p, Device& device, std::uint64_t base,
                   Compute compute) {
  for (const step s : p.steps) switch (s.kind) {
      case step_kind::write: device.write(s.address, s.value); break;
      case step_kind::address_low:
        device.write(s.address, static_cast<std::uint32_t>(base + s.value));
        break;
      case step_kind::address_high:
        device.write(s.address, static_cast<std::uint32_t>((base + s.value) >> 32));
        break;
      case step_kind::poll:
        if (!has_come([&] { return device.poll(s.address, s.value); })) return false;
        break;
      case step_kind::wait_done:
        if (!has_come([&] { return device.wait_done(s.address, s.value); })) return false;
        break;
      case step_kind::host: compute(p.host_layers[s.value]); break;
    }
  return true;
}

}  // namespace detail

// Runs the program: weights and inputs are in memory, outputs are there afterwards. Every engine
// stands at its register group 0, as after a reset, and does so again afterwards. The device has
// `write(address, value)`, `poll(address, bits)`, `wait_done(address, bits)` and
// `compute(host_softmax)`. A device that does not wait for ever returns false from `poll` and
// `wait_done` when its time has passed: that ends the program with false, and NVDLA needs a reset.
template <class Device>
constexpr bool run(const register_program& p, Device& device) {
  return detail::run(p, device, 0, [&](const host_softmax& l) { device.compute(l); });
}
// In memory that begins at `base`. The device has `compute(host_softmax, base)`, which adds it to
// the addresses of the layer's cubes.
template <class Device>
constexpr bool run(const relocatable_program& p, Device& device, std::uint64_t base) {
  return detail::run(p.from_base, device, base,
                     [&](const host_softmax& l) { device.compute(l, base); });
}

}  // namespace nvdlac
