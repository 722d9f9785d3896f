// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVDLA on a Linux board behind the kernel's UIO driver, which gives a program its registers and
// its interrupt, with memory of u-dma-buf or a region that the device tree reserves.
//   runtime::uio board("uio0,memory=udmabuf0");
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/mapping.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/runtime/any_device.hpp>  // which load() takes
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/uio_sysfs.hpp>

namespace nvdlac::runtime {

// A buffer of u-dma-buf by its name below /dev; of none the only one, or udmabuf0 of several.
struct udmabuf {
  std::optional<std::string> name{};
};
// A map of the UIO device by its number.
struct device_map {
  unsigned number = 0;
};
// Physical addresses that nothing else uses, reached by /dev/mem.
struct reserved_region {
  std::uint64_t address = 0, size = 0;
};

// The devices and memories of a board that are NVDLA's.
struct uio_options {
  std::string device = "uio0";  // below /dev, or the name that sysfs has of it
  device_map registers{};       // NVDLA's, from its base on
  std::variant<udmabuf, device_map, reserved_region> memory{};
  std::optional<reserved_region> cvsram{};  // the secondary memory, as NVDLA addresses it
  // The amount by which NVDLA's addresses of `memory` exceed those that Linux tells, in a system
  // whose buses differ.
  std::int64_t offset = 0;
  // How this board resets NVDLA, by a register of its own or a line of GPIO. Neither UIO nor
  // NVDLA's registers can.
  std::function<void()> reset{};
  std::filesystem::path root = "/";  // what stands for it in /dev and /sys

  // "uio0,memory=udmabuf1", "nvdla,registers=map1,memory=0x60000000+256M": the device, then any of
  //   registers=mapN      the map with the registers, map0
  //   memory=BUFFER       of u-dma-buf
  //   memory=mapN         of the UIO device
  //   memory=ADDRESS+SIZE, cvsram=ADDRESS+SIZE   by /dev/mem; sizes in bytes, or with K, M, G
  //   offset=N            may be negative
  static uio_options parse(std::string_view text);
};

namespace detail {

// Memory that NVDLA and the processor see, handed out from its beginning on.
class uio_memory {
 public:
  // The caches that stand between the two.
  enum class caches {
    none,      // the processor reads and writes memory itself
    coherent,  // the hardware keeps them up to date
    synced     // the kernel writes them back and drops them where it is told
  };

  uio_memory() = default;
  static uio_memory of_buffer(const dma_buffer& buffer, const std::filesystem::path& root);
  static uio_memory of_region(const reserved_region& region, const std::filesystem::path& root);
  static uio_memory of_map(const uio_map& map, const descriptor& device, const std::string& file);

  // NVDLA addresses it from here on, which is to be the address of a page.
  void stand_at(std::uint64_t physical, std::int64_t offset);

  std::uint64_t allocate(std::uint64_t size);
  void load(std::uint64_t address, std::span<const std::uint8_t> from) const;
  void fetch(std::uint64_t address, std::span<std::uint8_t> to) const;
  std::span<std::uint8_t> view(std::uint64_t address, std::uint64_t size) const;
  void flush(std::uint64_t address, std::uint64_t size) const;
  void drop(std::uint64_t address, std::uint64_t size) const;

  std::uint64_t physical() const { return physical_; }

 private:
  enum class direction : unsigned { both = 0, to_device = 1, from_device = 2 };

  std::uint64_t offset_of(std::uint64_t address, std::uint64_t size) const;
  void sync(const descriptor& file, std::string_view name, std::uint64_t first,
            std::uint64_t end, direction d) const;
  void drop_lines(std::uint64_t first, std::uint64_t end) const;

  std::string file_{};          // as messages name it
  descriptor open_{-1};
  descriptor for_device_{-1}, for_cpu_{-1};  // u-dma-buf's files
  mapping bytes_{};
  std::size_t skipped_ = 0;     // bytes that are mapped before the first of this memory
  std::uint64_t size_ = 0, used_ = 0;
  std::uint64_t physical_ = 0, address_ = 0;  // the processor's, NVDLA's
  caches caches_ = caches::none;
};

}  // namespace detail

// The device. What Linux or the board refuses is an `error` with the file, the reason and what
// helps. One program has a device at a time; one thread of it runs it, and another may load and
// fetch memory meanwhile.
class uio {
 public:
  explicit uio(uio_options options);
  explicit uio(std::string_view text) : uio(uio_options::parse(text)) {}

  // "uio0 (nvdla)"
  const std::string& name() const { return name_; }

  // NVDLA's registers, by byte addresses from its base.
  std::uint32_t read(std::uint32_t address) const { return *reach(address); }
  void write(std::uint32_t address, std::uint32_t value) const { *reach(address) = value; }

  // Until the interrupt line may have been raised; false: not within this time.
  bool wait(std::chrono::milliseconds patience);

  // By uio_options::reset; without it an `error`.
  void reset() const;

  // Pages of NVDLA's memory, or of CVSRAM, for as long as this object lives.
  emit::dma_address allocate(std::uint64_t size, bool dram);
  // Bytes to memory, which NVDLA sees when this returns.
  void load(const emit::dma_address& at, std::span<const std::uint8_t> from);
  // Bytes of memory as NVDLA has left them.
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> to);
  // The bytes in memory that the processor caches; none where it is mapped as a device's.
  std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size);
  void flush(const emit::dma_address& at, std::uint64_t size);
  void drop(const emit::dma_address& at, std::uint64_t size);
  static bool loads_beside_runs() { return true; }

 private:
  volatile std::uint32_t* reach(std::uint32_t address) const {
    if (address % 4 != 0 || address + std::uint64_t{4} > registers_size_) [[unlikely]]
      refuse(address);
    return registers_ + address / 4;
  }
  [[noreturn]] void refuse(std::uint32_t address) const;
  void allow_interrupt();
  detail::uio_memory& memory_of(bool dram);

  uio_options options_;
  std::string file_, name_;
  descriptor open_{-1};
  mapping mapped_{};
  volatile std::uint32_t* registers_ = nullptr;
  std::uint64_t registers_size_ = 0;
  bool is_masked_ = true;  // the interrupt
  detail::uio_memory dram_{};
  std::optional<detail::uio_memory> cvsram_{};
};

static_assert(register_device<uio> && mapped_device<uio>);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/uio.ipp>
#endif
