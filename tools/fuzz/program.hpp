// SPDX-License-Identifier: Apache-2.0
#pragma once
// A register program with its memory in few bytes, so that a fuzzer finds its way:
//   byte 0: the configuration in bits 0 to 3 (modulo their number), bit 7: lenient
//   then commands, each a byte (modulo their number) and its arguments, little endian:
//     0 write the register of number u16 (modulo the registers), u32: the value
//     1 read the register of number u16
//     2 write to the address u32 of the bus, u32: the value
//     3 put pseudo-random bytes: u8 bit 0: CVSRAM, u32 address, u16 size, u8 seed
//     4 put the u16 bytes that follow: u8 bit 0: CVSRAM, u32 address, u16 size, bytes
//     5 run until an interrupt, and clear all interrupts
// The end of the bytes is the end of the program; missing bytes are 0.
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>
#include <nvdlac/sim/device.hpp>

namespace nvdlac::fuzz {

using configurations = type_list<nv_small, nv_small_256_full, nv_full>;

enum class command : std::uint8_t { write, read, write_address, pattern, bytes, run };
inline constexpr std::uint32_t commands = 6;

class reader {
 public:
  explicit reader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::uint32_t number(int bytes) {
    std::uint32_t v = 0;
    for (int i = 0; i < bytes && !rest_.empty(); ++i) {
      v |= std::uint32_t{rest_[0]} << 8 * i;
      rest_ = rest_.subspan(1);
    }
    return v;
  }
  std::span<const std::uint8_t> take(std::size_t n) {
    const auto part = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(part.size());
    return part;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

class writer {
 public:
  writer& number(std::uint32_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> 8 * i));
    return *this;
  }
  writer& put(command c) { return number(static_cast<std::uint32_t>(c), 1); }

  std::vector<std::uint8_t> out;
};

template <hw::hardware Hw>
class program {
 public:
  program(reader& in, bool lenient)
      : in_(in), device_({.lenient = lenient, .memory = 1 << 24, .macs = 1 << 23,
                          .surface_elements = 1 << 18, .elements = 1 << 20}) {
    device_.on_layer([this](const sim::layer_record&) { ++layers_; });
  }

  // Layers and complaints are bounded, since each may take long.
  void run() {
    for (int errors = 0; !in_.empty() && layers_ < 8 && errors < 32;) try {
        step();
      } catch (const error&) {
        ++errors;
      }
  }

 private:
  static constexpr auto map = Hw::spec.map;

  static std::uint32_t address(std::uint32_t number) {
    const auto all = hw::registers(map);
    return all[number % all.size()].address;
  }

  void step() {
    switch (command(in_.number(1) % commands)) {
      case command::write: {
        const auto a = address(in_.number(2));
        return device_.write(a, in_.number(4));
      }
      case command::read: device_.read(address(in_.number(2))); return;
      case command::write_address: {
        const auto a = in_.number(4);
        return device_.write(a, in_.number(4));
      }
      case command::pattern: {
        auto& ram = memory();
        const auto a = in_.number(4);
        std::vector<std::uint8_t> bytes(in_.number(2));
        auto x = in_.number(1);
        for (auto& b : bytes) {
          x = x * 1664525 + 1013904223;
          b = static_cast<std::uint8_t>(x >> 24);
        }
        return ram.write(a, bytes);
      }
      case command::bytes: {
        auto& ram = memory();
        const auto a = in_.number(4), n = in_.number(2);
        return ram.write(a, in_.take(n));
      }
      case command::run:
        device_.run_until_interrupt();
        device_.write(hw::address<map, "GLB.S_INTR_STATUS">, 0xffffffff);
    }
  }

  sim::memory& memory() { return in_.number(1) & 1 ? device_.cvsram() : device_.dram(); }

  reader& in_;
  sim::device<Hw> device_;
  int layers_ = 0;
};

// Whatever the bytes are: returns.
inline void run(std::span<const std::uint8_t> bytes) {
  reader in(bytes);
  const auto header = in.number(1);
  constexpr auto count = std::uint32_t{configurations::size};
  std::uint32_t i = 0;
  for_each(configurations{}, [&]<class Hw>(std::type_identity<Hw>) {
    if (i++ == (header & 15) % count) program<Hw>(in, (header & 0x80) != 0).run();
  });
}

}  // namespace nvdlac::fuzz
