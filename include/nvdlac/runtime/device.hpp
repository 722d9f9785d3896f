// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions that a session needs of an NVDLA: a device of the user's own is a class with them.
#include <chrono>
#include <concepts>
#include <cstdint>
#include <span>

#include <nvdlac/emit/registers.hpp>

namespace nvdlac::runtime {

// How long a device is waited for before it counts as hung.
inline constexpr std::chrono::milliseconds default_patience{10'000};

// The memory that NVDLA and the processor share.
//   allocate   so many bytes on a page of 4096, in DRAM or in CVSRAM, which live as long as the
//              device; their place is as NVDLA addresses them. What there is not is an `error`
//   load       bytes into memory, which NVDLA sees afterwards (caches are flushed)
//   fetch      bytes out of memory as NVDLA has left them (caches are invalidated)
template <class D>
concept memory_device =
    std::movable<D> && requires(D& d, std::uint64_t size, bool dram, const emit::dma_address& at,
                                std::span<const std::uint8_t> from, std::span<std::uint8_t> to) {
      { d.allocate(size, dram) } -> std::same_as<emit::dma_address>;
      d.load(at, from);
      d.fetch(at, to);
    };

// An NVDLA that is reached by its registers: byte addresses from its base, 32 bits of value.
//   wait       until the interrupt line may have been raised; false: not in that time. Whoever
//              waits reads and clears GLB.S_INTR_STATUS
//   reset      engines idle and registers as after power-on, memory as it is; an `error` where the
//              device has no way to do so
template <class D>
concept register_device =
    memory_device<D> && requires(D& d, std::uint32_t address, std::uint32_t value) {
      { d.read(address) } -> std::same_as<std::uint32_t>;
      d.write(address, value);
      { d.wait(default_patience) } -> std::same_as<bool>;
      d.reset();
    };

// An NVDLA behind a driver that runs a whole task of a loadable: `addresses` is the task's list, of
// which the first is that of the network's descriptor. What fails, or is not done in that time, is
// an `error`.
template <class D>
concept task_device =
    memory_device<D> && requires(D& d, std::span<const emit::dma_address> addresses) {
  d.submit(addresses, default_patience);
};

// One of both kinds tells by `bool takes_tasks() const` which it is; without that it takes tasks.
template <class D>
concept device = register_device<D> || task_device<D>;

// Whether one thread may load and fetch memory while another one runs the device: as that says, and
// not where it says nothing.
template <memory_device D>
constexpr bool loads_beside_runs(const D& d) {
  if constexpr (requires { { d.loads_beside_runs() } -> std::same_as<bool>; })
    return d.loads_beside_runs();
  else return false;
}

// A device whose memory the processor reads and writes where it is.
//   view       all bytes that one `allocate` gave, as the processor addresses them; none where it
//              cannot reach them as it does usual memory
//   flush      what the processor has written there, NVDLA sees afterwards
//   drop       what NVDLA has left there, the processor sees afterwards
template <class D>
concept mapped_device =
    memory_device<D> && requires(D& d, const emit::dma_address& at, std::uint64_t size) {
      { d.view(at, size) } -> std::same_as<std::span<std::uint8_t>>;
      d.flush(at, size);
      d.drop(at, size);
    };

// The registers of a device that somebody else owns, without its type: what runs on registers is
// compiled once for all devices.
class register_port {
 public:
  template <class D>
    requires(!std::derived_from<D, register_port>) && register_device<D>
  explicit register_port(D& d)
      : device_(&d),
        read_([](void* on, std::uint32_t a) { return static_cast<D*>(on)->read(a); }),
        write_([](void* on, std::uint32_t a, std::uint32_t v) {
          static_cast<D*>(on)->write(a, v);
        }),
        wait_([](void* on, std::chrono::milliseconds t) { return static_cast<D*>(on)->wait(t); }) {}

  std::uint32_t read(std::uint32_t address) const { return read_(device_, address); }
  void write(std::uint32_t address, std::uint32_t value) const { write_(device_, address, value); }
  bool wait(std::chrono::milliseconds time) const { return wait_(device_, time); }

 private:
  void* device_;
  std::uint32_t (*read_)(void*, std::uint32_t);
  void (*write_)(void*, std::uint32_t, std::uint32_t);
  bool (*wait_)(void*, std::chrono::milliseconds);
};

}  // namespace nvdlac::runtime
