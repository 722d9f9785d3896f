// SPDX-License-Identifier: Apache-2.0
// Classifies pictures on an NVDLA behind a PCIe bridge: a device of one's own. The card's first BAR
// has NVDLA's registers, its third one the memory that NVDLA sees from address 0 on.
//   bridge digits.nvdla /sys/bus/pci/devices/0000:01:00.0 3.pgm
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nvdlac/hw/registers.hpp>
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/runtime/any_device.hpp>

namespace {

using nvdlac::nv_small;

// A BAR of the card, mapped.
class window {
 public:
  explicit window(const std::filesystem::path& file)
      : size_(static_cast<std::size_t>(std::filesystem::file_size(file))) {
    const int opened = ::open(file.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
    void* const at =
        opened < 0 ? MAP_FAILED
                   : ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    const int failed = errno;
    if (opened >= 0) ::close(opened);
    if (at == MAP_FAILED) throw std::system_error(failed, std::generic_category(), file);
    bytes_ = {static_cast<std::uint8_t*>(at), [n = size_](auto* p) { ::munmap(p, n); }};
  }
  volatile std::uint8_t* from(std::uint64_t offset, std::uint64_t size) const {
    if (offset > size_ || size > size_ - offset)
      throw nvdlac::error("the card has no memory there");
    return bytes_.get() + offset;
  }

 private:
  std::size_t size_;
  std::shared_ptr<std::uint8_t> bytes_;
};

// The bridge passes on what the processor writes in the order in which it does so, and no cache
// holds it. Where it has no interrupt, its register is asked.
class card {
 public:
  explicit card(const std::filesystem::path& function)
      : registers_(function / "resource0"), memory_(function / "resource2") {}

  nvdlac::emit::dma_address allocate(std::uint64_t size, bool dram) {
    if (!dram) throw nvdlac::error("the card has no CVSRAM");
    const auto at = used_;
    memory_.from(at, size);  // or an error
    used_ += (size + 4095) / 4096 * 4096;
    return {at, true};
  }
  void load(const nvdlac::emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    std::ranges::copy(bytes, memory_.from(at.address, bytes.size()));
  }
  void fetch(const nvdlac::emit::dma_address& at, std::span<std::uint8_t> bytes) {
    std::copy_n(memory_.from(at.address, bytes.size()), bytes.size(), bytes.begin());
  }
  std::uint32_t read(std::uint32_t address) const { return *word(address); }
  void write(std::uint32_t address, std::uint32_t value) { *word(address) = value; }
  bool wait(std::chrono::milliseconds time) const {
    constexpr auto status = nvdlac::hw::address<nv_small::spec.map, "GLB.S_INTR_STATUS">;
    const auto end = std::chrono::steady_clock::now() + time;
    while (read(status) == 0) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return true;
  }
  void reset() { throw nvdlac::error("the card's slot resets it: echo 1 > FUNCTION/reset"); }

 private:
  volatile std::uint32_t* word(std::uint32_t address) const {
    return reinterpret_cast<volatile std::uint32_t*>(registers_.from(address, 4));
  }

  window registers_, memory_;
  std::uint64_t used_ = 0;
};

}  // namespace

int main(int count, char** given) try {
  if (count < 4) {
    std::cout << "usage: bridge LOADABLE FUNCTION PICTURE..\n";
    return 0;
  }
  auto chip = nvdlac::load<nv_small>(given[1], card(given[2]));
  for (int i = 3; i < count; ++i)
    std::cout << given[i] << ": " << chip.run(given[i]).top1() << '\n';
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
