// SPDX-License-Identifier: Apache-2.0
#include "board.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace nvdlac::board {

namespace {

// Addresses of the board's memories.
constexpr std::uint64_t cvsram_at = 0x5000'0000, cvsram_size = 0x8'0000,  //
    reserved_at = 0x4000'0000, reserved_size = 0x100'0000,                //
    buffers_at = 0x6000'0000, high_buffers_at = 0x1'8000'0000;

[[noreturn]] void end(const std::string& why) {
  std::fprintf(stderr, "simulated board: %s\n", why.c_str());
  _exit(3);
}

std::uint64_t address_of_buffer(const settings& s, unsigned number) {
  return (s.high ? high_buffers_at : buffers_at) + number * s.size;
}

}  // namespace

shared_bytes::shared_bytes(const std::filesystem::path& file, std::uint64_t offset,
                           std::uint64_t size)
    : size_(static_cast<std::size_t>(size)) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat now {};
  if (fd < 0 || ::fstat(fd, &now) != 0 ||
      (static_cast<std::uint64_t>(now.st_size) < offset + size &&
       ::ftruncate(fd, static_cast<off_t>(offset + size)) != 0))
    end("no file " + file.string());
  void* const at =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  ::close(fd);
  if (at == MAP_FAILED) end("no memory");
  begin_ = static_cast<std::uint8_t*>(at);
}
shared_bytes::shared_bytes(std::uint64_t size) : size_(static_cast<std::size_t>(size)) {
  void* const at =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) end("no memory");
  begin_ = static_cast<std::uint8_t*>(at);
}
shared_bytes::shared_bytes(shared_bytes&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
shared_bytes& shared_bytes::operator=(shared_bytes&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}
shared_bytes::~shared_bytes() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

unit::unit(const settings& s, unsigned number, const std::filesystem::path& folder)
    : settings_(s),
      chip_(s.large ? make_nv_large() : make_nv_small()),
      address_(address_of_buffer(s, number)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  const auto size = s.short_of.value_or(s.size);
  buffer_ = shared_bytes(folder / "dev" / ("udmabuf" + std::to_string(number)), 0, size);
  auto seen = buffer_.bytes();
  if (s.caches) {
    behind_caches_ = shared_bytes(size);
    seen = behind_caches_.bytes();
  }
  // Memory that cannot be reached is no memory of this NVDLA.
  if (chip_->memory(true).contains(address_, size)) chip_->memory(true).attach(address_, seen);
  if (number == 0) {
    reserved_ = shared_bytes(folder / "dev/mem", reserved_at, reserved_size);
    chip_->memory(true).attach(reserved_at, reserved_.bytes());
    cvsram_ = shared_bytes(folder / "dev/mem", cvsram_at, cvsram_size);
    chip_->memory(false).attach(cvsram_at, cvsram_.bytes());
  }
  if (s.flip || s.kill) chip_->on_layer([this](const auto& written) { ended(written); });
  if (timer_ < 0) end("no timer");
}

unit::~unit() { ::close(timer_); }

// The bits of interrupts of layers that are still running.
std::uint32_t unit::hidden() const {
  std::uint32_t bits = 0;
  const auto now = clock::now();
  for (std::uint32_t i = 0; i < 32; ++i)
    if ((pending_ >> i & 1U) != 0 && due_[i] > now) bits |= 1U << i;
  return bits;
}

std::uint32_t unit::read(std::uint32_t address) try {
  const auto value = chip_->read(address);
  return chip_->is_status(address) ? value & ~hidden() : value;
} catch (const std::exception& e) {
  end(e.what());
}

void unit::write(std::uint32_t address, std::uint32_t value) try {
  if (settings_.silent && chip_->starts(address)) return;
  chip_->write(address, value);
  raise();
} catch (const std::exception& e) {
  end(e.what());
}

void unit::ended(const sim::footprint& written) {
  const auto layer = state_.layers++;
  if (settings_.kill == layer) std::raise(SIGKILL);
  if (!settings_.flip || layer < settings_.flip->layer) return;
  if (settings_.beside && hidden() == 0) return;
  const auto behind = layer - settings_.flip->layer;
  if (behind != 0 && (settings_.every == 0 || behind % settings_.every != 0)) return;
  auto all = written;
  all.close();
  std::uint64_t size = 0;
  for (const auto& r : all.ranges()) size += r.end - r.begin;
  auto left = size == 0 ? 0 : settings_.flip->byte % size;
  for (const auto& r : all.ranges()) {
    if (left >= r.end - r.begin) {
      left -= r.end - r.begin;
      continue;
    }
    std::uint8_t byte = 0;
    state_.flipped = r.begin + left;
    chip_->memory(true).read(state_.flipped, {&byte, 1});
    byte = static_cast<std::uint8_t>(byte ^ 1U << (settings_.flip->bit & 7U));
    chip_->memory(true).write(state_.flipped, {&byte, 1});
    return;
  }
}

// Does as uio_pdrv_genirq: an interrupt is counted, and masked until the program allows it.
void unit::raise() {
  const auto now = clock::now();
  const auto was = std::exchange(pending_, chip_->interrupts());
  // Several that one write has brought are there together: their numbers do not tell their order.
  if (const auto fresh = pending_ & ~was; fresh != 0) {
    free_ = std::max(now, free_) +
            std::popcount(fresh) * std::chrono::microseconds(settings_.layer);
    for (std::uint32_t i = 0; i < 32; ++i)
      if ((fresh >> i & 1U) != 0) due_[i] = free_;
  }
  if (pending_ == 0) lost_ = false;
  if (pending_ != 0 && was == 0 && settings_.lost != 0 && ++raised_ % settings_.lost == 0) {
    lost_ = true;
    ++state_.lost_interrupts;
  }
  if (pending_ == 0 || lost_ || !allowed_) return;
  allowed_ = false;
  ++state_.interrupts;
  auto first = clock::time_point::max();
  for (std::uint32_t i = 0; i < 32; ++i)
    if ((pending_ >> i & 1U) != 0) first = std::min(first, due_[i]);
  const auto wait = std::chrono::nanoseconds(std::max(first - now, clock::duration::zero())) +
                    std::chrono::milliseconds(settings_.late) + std::chrono::nanoseconds(1);
  itimerspec at{};
  at.it_value.tv_sec = static_cast<time_t>(wait.count() / 1'000'000'000);
  at.it_value.tv_nsec = static_cast<long>(wait.count() % 1'000'000'000);
  ::timerfd_settime(timer_, 0, &at, nullptr);
}

int unit::allow_interrupt(std::int32_t on) {
  if (settings_.no_interrupt) return EIO;
  allowed_ = on != 0;
  raise();
  return 0;
}

int unit::take_interrupt(std::uint32_t& count) {
  if (settings_.no_interrupt) return EIO;
  std::uint64_t expired = 0;
  if (::read(timer_, &expired, sizeof expired) < 0) return errno;
  count = static_cast<std::uint32_t>(state_.interrupts);
  return 0;
}

int unit::sync(bool for_device, std::string_view text) {
  const std::string command(text);
  char* end_of_number = nullptr;
  const auto value = std::strtoull(command.c_str(), &end_of_number, 0);
  if (end_of_number == command.c_str() || (*end_of_number != '\0' && *end_of_number != '\n'))
    return EINVAL;
  const std::uint64_t offset = value >> 32U, size = value & 0xfffffff0U;
  const auto direction = value >> 2U & 3U;  // 1 to the device, 2 from it, otherwise both
  if (offset + size > settings_.size) return EINVAL;
  (for_device ? state_.synced_for_device : state_.synced_for_cpu) += size;
  if (!settings_.caches || (for_device ? direction == 2 : direction == 1)) return 0;
  const auto first = static_cast<std::size_t>(offset / line * line),
             past = static_cast<std::size_t>((offset + size + line - 1) / line * line);
  const auto cached = buffer_.bytes().subspan(first, past - first),
             memory = behind_caches_.bytes().subspan(first, past - first);
  if (for_device) std::memcpy(memory.data(), cached.data(), cached.size());
  else std::memcpy(cached.data(), memory.data(), memory.size());
  return 0;
}

board::board() {
  if (const char* const given = std::getenv("NVDLAC_SHIM_FOLDER")) {
    folder_ = given;
  } else {
    std::string pattern = "/dev/shm/nvdlac_board_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) end("no folder in /dev/shm");
    folder_ = pattern;
    is_own_folder_ = true;
  }
  write_files();
  units_.resize(settings_.devices);
}

board::~board() {
  std::error_code ignored;
  if (is_own_folder_ && ::getpid() == process_) std::filesystem::remove_all(folder_, ignored);
}

void board::write_files() const {
  const auto write = [&](const std::filesystem::path& file, const std::string& content) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << content << '\n';
  };
  const auto hex = [](std::uint64_t v) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(v));
    return std::string(text);
  };
  for (unsigned i = 0; i < settings_.devices; ++i) {
    const auto n = std::to_string(i);
    const auto uio = std::filesystem::path("sys/class/uio/uio" + n);
    write(uio / "name", "nvdla");
    write(uio / "version", "devicetree");
    write(uio / "maps/map0/name", "nvdla@a0000000");
    write(uio / "maps/map0/addr", hex(0xa000'0000 + i * register_bytes));
    write(uio / "maps/map0/size", hex(register_bytes));
    write(uio / "maps/map0/offset", hex(0));
    write("dev/uio" + n, "");
    const auto buffer = std::filesystem::path(settings_.older ? "sys/class/udmabuf/udmabuf" + n
                                                              : "sys/class/u-dma-buf/udmabuf" + n);
    write(buffer / "phys_addr",
          hex(address_of_buffer(settings_, i) + (settings_.unaligned ? 0x800 : 0)));
    write(buffer / "size", std::to_string(settings_.size));
    write(buffer / "sync_mode", settings_.uncached ? "5" : "1");
    write(buffer / "sync_for_device", "0");
    write(buffer / "sync_for_cpu", "0");
    if (!settings_.older) write(buffer / "dma_coherent", settings_.coherent ? "1" : "0");
    const auto file = folder_ / "dev" / ("udmabuf" + n);
    shared_bytes made(file, 0, settings_.short_of.value_or(settings_.size));
  }
  shared_bytes made(folder_ / "dev/mem", reserved_at, reserved_size);
}

bool is_of_board(std::string_view path) {
  for (const std::string_view own : {"/sys/class/uio", "/sys/class/u-dma-buf", "/sys/class/udmabuf",
                                     "/dev/uio", "/dev/udmabuf", "/dev/mem"})
    if (path.starts_with(own)) return true;
  return false;
}

unit* board::of(unsigned number) {
  if (number >= units_.size()) return nullptr;
  if (!units_[number]) units_[number] = std::make_unique<unit>(settings_, number, folder_);
  return units_[number].get();
}

namespace {

std::unique_ptr<board>& kept_board() {
  static std::unique_ptr<board> kept;
  return kept;
}

}  // namespace

board& the_board() {
  auto& kept = kept_board();
  if (!kept) kept = std::make_unique<board>();
  return *kept;
}

void forget_board() { kept_board().reset(); }

}  // namespace nvdlac::board
