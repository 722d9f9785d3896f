// SPDX-License-Identifier: Apache-2.0
#pragma once
// A simulated board: the files that Linux would have of it, in a folder; its NVDLAs, and the memory
// that they and the processor see. Nothing is locked: one thread uses one device.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "nvdla.hpp"
#include "settings.hpp"
#include "state.hpp"

namespace nvdlac::board {

inline constexpr std::size_t register_bytes = 0x20000;  // of addresses, of one NVDLA
inline constexpr std::uint64_t line = 64;               // bytes of the processor's caches

// A file that is shared memory of this process too.
class shared_bytes {
 public:
  shared_bytes() = default;
  // From an offset of the file on, which is made so long.
  shared_bytes(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t size);
  // No file's.
  explicit shared_bytes(std::uint64_t size);
  shared_bytes(shared_bytes&& other) noexcept;
  shared_bytes& operator=(shared_bytes&& other) noexcept;
  ~shared_bytes();

  std::span<std::uint8_t> bytes() const { return {begin_, size_}; }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t size_ = 0;
};

// One NVDLA with its interrupt and its buffer.
class unit {
 public:
  unit(const settings& s, unsigned number, const std::filesystem::path& folder);
  unit(const unit&) = delete;
  unit& operator=(const unit&) = delete;
  ~unit();

  // Accesses of the processor to the registers. What the simulator refuses ends the process.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);

  // The calls of /dev/uioN: 0, or the errno.
  int allow_interrupt(std::int32_t on);
  int take_interrupt(std::uint32_t& count);
  // A file that can be read from while an interrupt waits.
  int interrupt_file() const { return timer_; }
  bool has_interrupt() const { return !settings_.no_interrupt; }

  // A command of u-dma-buf's files sync_for_device and sync_for_cpu: 0, or the errno.
  int sync(bool for_device, std::string_view command);

  const nvdlac_shim_state& state() const { return state_; }

 private:
  using clock = std::chrono::steady_clock;

  std::uint32_t hidden() const;
  void raise();
  void ended(const sim::footprint& written);

  settings settings_;
  std::unique_ptr<nvdla> chip_;
  shared_bytes buffer_, behind_caches_, reserved_, cvsram_;
  std::uint64_t address_ = 0;  // of the buffer
  int timer_ = -1;
  // Layers are computed at once; their interrupts are seen when they have taken their time.
  std::uint32_t pending_ = 0;
  std::array<clock::time_point, 32> due_{};  // of the bits of pending_
  clock::time_point free_{};                 // when the last layer has ended
  bool allowed_ = false, lost_ = false;
  std::uint64_t raised_ = 0;
  nvdlac_shim_state state_{};
};

class board {
 public:
  board();
  ~board();

  const std::filesystem::path& folder() const { return folder_; }
  // The NVDLA of uioN and udmabufN; null if there is none.
  unit* of(unsigned number);

 private:
  void write_files() const;

  settings settings_ = settings::of_environment();
  std::filesystem::path folder_;
  bool is_own_folder_ = false;
  pid_t process_ = ::getpid();  // that made it; others have copies
  std::vector<std::unique_ptr<unit>> units_;
};

// Whether a program that opens this means a file of the board.
bool is_of_board(std::string_view path);

// The board of this process, made when it is first asked for.
board& the_board();
// The next one is made anew; nothing of this one may be open.
void forget_board();

}  // namespace nvdlac::board
