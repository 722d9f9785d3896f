// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/runtime/uio.hpp>

namespace nvdlac::runtime {

namespace detail {

// The pages in which NVDLA's memory is handed out, and the lines of the processor's caches, which
// are no longer than this on any processor of a board.
inline constexpr std::uint64_t uio_page = 4096, cache_line = 64;

[[noreturn]] NVDLAC_IMPL void fail_with_errno(const std::string& file, const std::string& what,
                                              std::string remedy = {}) {
  const int number = errno;
  throw error(problem{.file = file,
                      .reason = what + ": " + std::generic_category().message(number),
                      .remedy = std::move(remedy)});
}

NVDLAC_IMPL std::string hexadecimal(std::uint64_t v) { return text("0x", std::hex, v); }

// "524288", "0x80000" or "512K"; nothing if it is no such number.
NVDLAC_IMPL std::optional<std::uint64_t> number_in(std::string_view word) {
  unsigned shift = 0;
  if (word.ends_with('K')) shift = 10;
  if (word.ends_with('M')) shift = 20;
  if (word.ends_with('G')) shift = 30;
  if (shift != 0) word.remove_suffix(1);
  const int base = word.starts_with("0x") ? 16 : 10;
  if (base == 16) word.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (failed != std::errc{} || end != word.data() + word.size() ||
      value > std::numeric_limits<std::uint64_t>::max() >> shift)
    return {};
  return value << shift;
}

// "map1".
NVDLAC_IMPL std::optional<device_map> map_in(std::string_view word) {
  if (!word.starts_with("map")) return {};
  const auto number = number_in(word.substr(3));
  if (!number || *number > 1000) return {};
  return device_map{static_cast<unsigned>(*number)};
}

// "0x60000000+256M".
NVDLAC_IMPL std::optional<reserved_region> region_in(std::string_view word) {
  const auto plus = word.find('+');
  if (plus == word.npos) return {};
  const auto address = number_in(word.substr(0, plus)), size = number_in(word.substr(plus + 1));
  if (!address || !size || *size == 0 ||
      *address > std::numeric_limits<std::uint64_t>::max() - *size)
    return {};
  return reserved_region{*address, *size};
}

NVDLAC_IMPL bool is_name_of_device(std::string_view s) {
  return !s.empty() && s != "." && s != ".." && s.find('/') == s.npos;
}

// Orders memory and registers: what is written before this is in memory before what the processor
// does next with NVDLA's registers, and what it reads next it reads after what it has read of them.
// Where the processor orders its memory and its devices apart, the language's fences are too weak.
inline void order_with_device() {
#if defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
  asm volatile("dsb sy" ::: "memory");
#elif defined(__riscv)
  asm volatile("fence iorw, iorw" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Copies between usual memory and memory that may be mapped as a device's: of ARM's processors that
// takes aligned accesses only, and no other instructions than loads and stores.
template <class Access>
void each_word(std::uint8_t* device, std::size_t size, Access access) {
  constexpr auto word = sizeof(std::size_t);
  std::size_t i = 0;
  const auto aligned = [&] { return std::bit_cast<std::uintptr_t>(device + i) % word == 0; };
  for (; i < size && !aligned(); ++i) access(static_cast<volatile std::uint8_t*>(device + i), i);
  for (; i + word <= size; i += word)
    access(reinterpret_cast<volatile std::size_t*>(device + i), i);
  for (; i < size; ++i) access(static_cast<volatile std::uint8_t*>(device + i), i);
}
inline void copy_to_device(std::uint8_t* device, std::span<const std::uint8_t> from) {
  each_word(device, from.size(), [&]<class T>(volatile T* to, std::size_t i) {
    T value;
    std::memcpy(&value, from.data() + i, sizeof value);
    *to = value;
  });
}
inline void copy_from_device(std::uint8_t* device, std::span<std::uint8_t> to) {
  each_word(device, to.size(), [&]<class T>(volatile T* from, std::size_t i) {
    const T value = *from;
    std::memcpy(to.data() + i, &value, sizeof value);
  });
}

NVDLAC_IMPL uio_memory uio_memory::of_buffer(const dma_buffer& b,
                                             const std::filesystem::path& root) {
  uio_memory m;
  m.file_ = (root / "dev" / b.device).string();
  m.open_ = open_at_once(m.file_, O_RDWR);
  if (!m.open_)
    fail_with_errno(m.file_, "cannot be opened",
                    "a rule of udev gives access: SUBSYSTEM==\"u-dma-buf\", MODE=\"0660\", "
                    "GROUP=..");
  if (!m.open_.lock_now())
    fail_with_errno(m.file_, "is in use by another program or device",
                    "each NVDLA needs a buffer of its own: memory=udmabuf1");
  // The kernel's command to sync a range has 32 bits for where it begins.
  m.size_ = std::min(b.size, std::uint64_t{1} << 32) / cache_line * cache_line;
  m.caches_ = b.coherent ? caches::coherent : b.cached ? caches::synced : caches::none;
  m.bytes_ = mapping(m.open_.number(), 0, static_cast<std::size_t>(m.size_));
  if (m.size_ == 0 || !m.bytes_)
    fail_with_errno(m.file_, text("its ", m.size_, " bytes cannot be mapped"));
  if (m.caches_ != caches::synced) return m;
  const auto open = [&](const char* name) {
    const auto file = b.folder / name;
    auto opened = open_at_once(file, O_WRONLY);
    if (!opened)
      fail_with_errno(file.string(), "cannot be opened for writing, which is how the processor's "
                                     "caches are synced with what NVDLA sees",
                      "run as root, or let a rule of udev chgrp it; a device tree with "
                      "sync-mode = <1> and sync-always does without");
    return opened;
  };
  m.for_device_ = open("sync_for_device");
  m.for_cpu_ = open("sync_for_cpu");
  return m;
}

// Whether nobody else has a lock of these bytes of the file; the process has it then until the file
// is closed. Where there are no such locks, there is none.
NVDLAC_IMPL bool lock_range(int file, std::uint64_t first, std::uint64_t size) {
#ifdef __GLIBC__  // whose usual call may have 32 bits for the range
  struct flock64 range {};
  constexpr auto call = &::fcntl64;
#else
  struct flock range {};
  constexpr auto call = &::fcntl;
#endif
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<decltype(range.l_start)>(first);
  range.l_len = static_cast<decltype(range.l_len)>(size);
  return call(file, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

NVDLAC_IMPL uio_memory uio_memory::of_region(const reserved_region& r,
                                             const std::filesystem::path& root) {
  uio_memory m;
  m.file_ = (root / "dev/mem").string();
  m.open_ = open_at_once(m.file_, O_RDWR | O_SYNC);
  if (!m.open_) fail_with_errno(m.file_, "cannot be opened", "only root may");
  if (!lock_range(m.open_.number(), r.address, r.size))
    fail_with_errno(m.file_, text("the memory at ", hexadecimal(r.address),
                                  " is in use by another program or device"));
  const auto page = mapping::page();
  m.skipped_ = static_cast<std::size_t>(r.address % page);
  m.size_ = r.size;
  m.bytes_ = mapping(m.open_.number(), r.address - m.skipped_,
                     static_cast<std::size_t>(align_up(m.skipped_ + r.size, page)));
  if (!m.bytes_)
    fail_with_errno(m.file_, text("the ", r.size, " bytes at ", hexadecimal(r.address),
                                  " cannot be mapped"),
                    "the kernel maps only memory that it does not use itself: a node of "
                    "reserved-memory with no-map, see docs/board.md");
  return m;
}

// Where the bytes of a map begin in its pages, and how many they are. Newer kernels tell the
// address of the page and an offset in it, older ones the address of the first byte.
struct uio_window {
  std::uint64_t skipped, size, address;

  explicit constexpr uio_window(const uio_map& m, std::uint64_t page)
      : skipped(m.address % page != 0 ? m.address % page : m.offset),
        size(m.address % page != 0 ? m.size : m.size - std::min(m.size, m.offset)),
        address(m.address % page != 0 ? m.address : m.address + m.offset) {}
};

// A map of the device in memory, or an `error`.
NVDLAC_IMPL mapping map_of_uio(const uio_map& map, const descriptor& device,
                               const std::string& file) {
  const auto page = mapping::page();
  const uio_window w(map, page);
  if (w.size == 0 || w.skipped >= page || w.size > std::numeric_limits<std::size_t>::max() / 2)
    throw error(problem{
        .file = file, .reason = text("its map", map.number, " has ", map.size, " bytes, of which "
                                     "those from ", map.offset, " on are the device's"),
        .remedy = "the property reg of the device tree's node tells address and size"});
  mapping m(device.number(), map.number * page,
            static_cast<std::size_t>(align_up(w.skipped + w.size, page)));
  if (!m)
    fail_with_errno(file, text("its map", map.number, ", ", map.size, " bytes at ",
                               hexadecimal(map.address), ", cannot be mapped"));
  return m;
}

NVDLAC_IMPL uio_memory uio_memory::of_map(const uio_map& map, const descriptor& device,
                                          const std::string& file) {
  uio_memory m;
  const uio_window w(map, mapping::page());
  m.file_ = text(file, ", map", map.number);
  m.bytes_ = map_of_uio(map, device, file);
  m.skipped_ = static_cast<std::size_t>(w.skipped);
  m.size_ = w.size;
  return m;
}

NVDLAC_IMPL void uio_memory::stand_at(std::uint64_t physical, std::int64_t offset) {
  physical_ = physical;
  address_ = physical + static_cast<std::uint64_t>(offset);
  const bool wraps = offset < 0 ? address_ > physical : address_ < physical;
  if (wraps || address_ > std::numeric_limits<std::uint64_t>::max() - size_)
    throw error(problem{.file = file_,
                        .reason = text("its address ", hexadecimal(physical), " with the offset ",
                                       offset, " is none"),
                        .remedy = "offset= is NVDLA's address less the processor's"});
  if (address_ % uio_page != 0)
    throw error(problem{.file = file_,
                        .reason = text("NVDLA sees it at ", hexadecimal(address_),
                                       ", which is not the address of a page of ", uio_page,
                                       " bytes"),
                        .remedy = "memory= and offset= in multiples of 0x1000"});
}

NVDLAC_IMPL std::uint64_t uio_memory::allocate(std::uint64_t size) {
  const auto left = size_ - std::min(size_, used_);
  if (size > left)
    throw error(problem{
        .file = file_,
        .reason = text("has ", size_, " bytes, of which ", left, " are left, and ", size,
                       " are asked for"),
        .remedy = "a larger memory: modprobe u-dma-buf udmabuf0=BYTES, size of its node in the "
                  "device tree, or of the region"});
  const auto at = address_ + used_;
  // Lines that a program before this one wrote and left come down now, not over what NVDLA writes.
  flush(at, size);
  used_ = align_up(used_ + size, uio_page);
  return at;
}

NVDLAC_IMPL std::uint64_t uio_memory::offset_of(std::uint64_t address, std::uint64_t size) const {
  const auto at = address - address_;
  if (address < address_ || at > size_ || size > size_ - at)
    throw error(problem{.file = file_, .reason = text("the ", size, " bytes at NVDLA's address ",
                                                      hexadecimal(address), " are not in it")});
  return at;
}

// A command with its range: 32 bits of where it begins, 28 of its size in units of 16 bytes, and
// two of the direction.
NVDLAC_IMPL void uio_memory::sync(const descriptor& file, std::string_view name,
                                  std::uint64_t first, std::uint64_t end, direction d) const {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  for (auto at = first; at < end; at += std::min(most, end - at)) {
    const auto size = std::min(most, end - at);
    std::array<char, 32> command{};
    const int n = std::snprintf(command.data(), command.size(), "0x%08llx%08llx",
                                static_cast<unsigned long long>(at),
                                static_cast<unsigned long long>(
                                    size | static_cast<std::uint64_t>(d) << 2U | 1U));
    if (::pwrite(file.number(), command.data(), static_cast<std::size_t>(n), 0) != n)
      fail_with_errno(file_, text(size, " bytes from ", at, " on cannot be synced by ", name));
  }
}

// The lines from there on, as NVDLA has left them.
NVDLAC_IMPL void uio_memory::drop_lines(std::uint64_t first, std::uint64_t end) const {
  sync(for_cpu_, "sync_for_cpu", first / cache_line * cache_line, align_up(end, cache_line),
       direction::from_device);
}

NVDLAC_IMPL void uio_memory::load(std::uint64_t address, std::span<const std::uint8_t> from) const {
  if (from.empty()) return;
  const auto at = offset_of(address, from.size()), end = at + from.size();
  auto* const to = bytes_.begin() + skipped_ + at;
  if (caches_ == caches::none) {
    copy_to_device(to, from);
  } else {
    // Lines are written back whole: what stands beside the bytes must be what NVDLA has left.
    if (caches_ == caches::synced && at % cache_line != 0) drop_lines(at, at + 1);
    if (caches_ == caches::synced && end % cache_line != 0) drop_lines(end - 1, end);
    std::memcpy(to, from.data(), from.size());
  }
  flush(address, from.size());
}

NVDLAC_IMPL void uio_memory::flush(std::uint64_t address, std::uint64_t size) const {
  const auto at = offset_of(address, size);
  if (caches_ == caches::synced && size != 0)
    sync(for_device_, "sync_for_device", at / cache_line * cache_line,
         align_up(at + size, cache_line), direction::to_device);
  order_with_device();
}

NVDLAC_IMPL void uio_memory::drop(std::uint64_t address, std::uint64_t size) const {
  const auto at = offset_of(address, size);
  order_with_device();
  if (caches_ == caches::synced && size != 0) drop_lines(at, at + size);
}

// Lines are written back and dropped whole, and hold nothing else: what `allocate` gives begins
// with a page, and nothing stands behind it in its last one.
NVDLAC_IMPL std::span<std::uint8_t> uio_memory::view(std::uint64_t address,
                                                     std::uint64_t size) const {
  const auto at = offset_of(address, size);
  if (caches_ == caches::none) return {};
  return {bytes_.begin() + skipped_ + at, static_cast<std::size_t>(size)};
}

NVDLAC_IMPL void uio_memory::fetch(std::uint64_t address, std::span<std::uint8_t> to) const {
  if (to.empty()) return;
  const auto at = offset_of(address, to.size());
  auto* const from = bytes_.begin() + skipped_ + at;
  drop(address, to.size());
  if (caches_ == caches::none) return copy_from_device(from, to);
  std::memcpy(to.data(), from, to.size());
}

}  // namespace detail

NVDLAC_IMPL uio_options uio_options::parse(std::string_view all) {
  const auto next = [&all] {
    const auto word = all.substr(0, all.find(','));
    all.remove_prefix(std::min(all.size(), word.size() + 1));
    return word;
  };
  const auto fail = [](std::string_view word, const std::string& remedy) {
    throw error(problem{.reason = text("'", word, "' is nothing that a UIO device is told"),
                        .remedy = remedy});
  };
  uio_options o;
  o.device = next();
  if (!detail::is_name_of_device(o.device))
    fail(o.device, "uio0, or the name of the device in /sys/class/uio/uio0/name");
  while (!all.empty()) {
    const auto word = next();
    const auto key = word.substr(0, word.find('=')),
               value = word.substr(std::min(word.size(), key.size() + 1));
    if (key == "registers") {
      const auto map = detail::map_in(value);
      if (!map) fail(word, "registers=mapN, the map of the UIO device that has NVDLA's registers");
      o.registers = *map;
    } else if (key == "memory") {
      if (const auto map = detail::map_in(value)) o.memory = *map;
      else if (const auto region = detail::region_in(value)) o.memory = *region;
      else if (detail::is_name_of_device(value) && value.find('+') == value.npos)
        o.memory = udmabuf{std::string(value)};
      else fail(word, "memory=BUFFER of u-dma-buf, memory=mapN of the UIO device, or "
                      "memory=ADDRESS+SIZE, as memory=0x60000000+256M");
    } else if (key == "cvsram") {
      o.cvsram = detail::region_in(value);
      if (!o.cvsram) fail(word, "cvsram=ADDRESS+SIZE, as cvsram=0x50000000+512K");
    } else if (key == "offset") {
      const bool negative = value.starts_with('-');
      const auto n = detail::number_in(value.substr(negative ? 1 : 0));
      if (!n || *n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        fail(word, "offset=N, as offset=-0x40000000");
      o.offset = negative ? -static_cast<std::int64_t>(*n) : static_cast<std::int64_t>(*n);
    } else {
      fail(word, "registers=mapN, memory=.., cvsram=ADDRESS+SIZE, offset=N");
    }
  }
  return o;
}

NVDLAC_IMPL uio::uio(uio_options options) : options_(std::move(options)) {
  const auto entry = find_uio(options_.root, options_.device);
  file_ = (options_.root / "dev" / entry.device).string();
  name_ = entry.name.empty() ? entry.device : entry.device + " (" + entry.name + ")";
  open_ = open_at_once(file_, O_RDWR);
  if (!open_)
    detail::fail_with_errno(file_, "cannot be opened",
                            "a rule of udev gives access: SUBSYSTEM==\"uio\", MODE=\"0660\", "
                            "GROUP=..");
  if (!open_.lock_now())
    detail::fail_with_errno(file_, "is in use by another program",
                            "one program has an NVDLA at a time");

  const auto map_of = [&](device_map wanted) -> const uio_map& {
    for (const auto& m : entry.maps)
      if (m.number == wanted.number) return m;
    std::vector<std::string> maps;
    for (const auto& m : entry.maps)
      maps.push_back(text("map", m.number, m.name.empty() ? "" : " (" + m.name + ")", ", ", m.size,
                          " bytes at ", detail::hexadecimal(m.address)));
    throw error(problem{.file = file_,
                        .reason = text("has no map", wanted.number, ": it has ",
                                       maps.empty() ? "none" : joined(maps, "; ")),
                        .remedy = "each range of the property reg in the device tree is a map"});
  };
  const auto& registers = map_of(options_.registers);
  const detail::uio_window window(registers, mapping::page());
  mapped_ = detail::map_of_uio(registers, open_, file_);
  registers_ = reinterpret_cast<volatile std::uint32_t*>(mapped_.begin() + window.skipped);
  registers_size_ = window.size;

  nvdlac::visit([&]<class T>(const T& from) {
    if constexpr (std::is_same_v<T, udmabuf>) {
      const auto buffer = find_dma_buffer(options_.root, from.name);
      dram_ = detail::uio_memory::of_buffer(buffer, options_.root);
      dram_.stand_at(buffer.address, options_.offset);
    } else if constexpr (std::is_same_v<T, device_map>) {
      if (from.number == options_.registers.number)
        throw error(problem{.file = file_,
                            .reason = text("its map", from.number, " has NVDLA's registers, and "
                                           "cannot be its memory too")});
      const auto& map = map_of(from);
      dram_ = detail::uio_memory::of_map(map, open_, file_);
      dram_.stand_at(detail::uio_window(map, mapping::page()).address, options_.offset);
    } else {
      dram_ = detail::uio_memory::of_region(from, options_.root);
      dram_.stand_at(from.address, options_.offset);
    }
  }, options_.memory);
  if (options_.cvsram) {
    cvsram_ = detail::uio_memory::of_region(*options_.cvsram, options_.root);
    cvsram_->stand_at(options_.cvsram->address, 0);
  }
  allow_interrupt();
}

// The kernel masks the interrupt when it has counted one, until a program that has taken away what
// raised it writes 1.
NVDLAC_IMPL void uio::allow_interrupt() {
  const std::int32_t one = 1;
  while (is_masked_ && ::write(open_.number(), &one, sizeof one) != sizeof one) {
    if (errno == ENOSYS) break;  // a driver that never masks it
    if (errno != EINTR)
      detail::fail_with_errno(file_, "its interrupt cannot be unmasked",
                              "the property interrupts of the device tree's node tells the line "
                              "of NVDLA's interrupt; /proc/interrupts has it then");
  }
  is_masked_ = false;
}

NVDLAC_IMPL bool uio::wait(std::chrono::milliseconds patience) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + patience;
  allow_interrupt();
  for (;;) {
    const auto left = std::max(end - clock::now(), clock::duration::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec t{.tv_sec = static_cast<time_t>(seconds.count()),
                     .tv_nsec = static_cast<long>(
                         std::chrono::nanoseconds(left - seconds).count())};
    pollfd p{.fd = open_.number(), .events = POLLIN, .revents = 0};
    const int ready = ::ppoll(&p, 1, &t, nullptr);
    if (ready == 0) return false;
    std::uint32_t count = 0;
    if (ready > 0 && ::read(open_.number(), &count, sizeof count) == sizeof count)
      return is_masked_ = true;
    if (errno != EINTR && errno != EAGAIN)
      detail::fail_with_errno(file_, "its interrupt cannot be waited for",
                              "the property interrupts of the device tree's node tells the line "
                              "of NVDLA's interrupt");
  }
}

NVDLAC_IMPL void uio::reset() const {
  if (options_.reset) return options_.reset();
  throw error(problem{.file = file_,
                      .reason = "UIO has no way to reset NVDLA",
                      .remedy = "uio_options::reset does what resets it on this board; otherwise "
                                "load the FPGA's design anew, or restart the board"});
}

NVDLAC_IMPL void uio::refuse(std::uint32_t address) const {
  throw error(problem{
      .file = file_,
      .reason = text("the register at ", detail::hexadecimal(address), " is beyond map",
                     options_.registers.number, ", which has ", registers_size_, " bytes"),
      .remedy = "NVDLA's registers take 0x12000 bytes, which reg of the device tree's node tells"});
}

NVDLAC_IMPL detail::uio_memory& uio::memory_of(bool dram) {
  if (dram) return dram_;
  if (!cvsram_)
    throw error(problem{.file = file_,
                        .reason = "the program keeps tensors in NVDLA's secondary memory, and "
                                  "where that is nobody has told",
                        .remedy = "cvsram=ADDRESS+SIZE says it; compile without --cvsram "
                                  "for a board without that memory"});
  return *cvsram_;
}

NVDLAC_IMPL emit::dma_address uio::allocate(std::uint64_t size, bool dram) {
  return {memory_of(dram).allocate(size), dram};
}
NVDLAC_IMPL void uio::load(const emit::dma_address& at, std::span<const std::uint8_t> from) {
  memory_of(at.dram).load(at.address, from);
}
NVDLAC_IMPL void uio::fetch(const emit::dma_address& at, std::span<std::uint8_t> to) {
  memory_of(at.dram).fetch(at.address, to);
}
NVDLAC_IMPL std::span<std::uint8_t> uio::view(const emit::dma_address& at, std::uint64_t size) {
  return memory_of(at.dram).view(at.address, size);
}
NVDLAC_IMPL void uio::flush(const emit::dma_address& at, std::uint64_t size) {
  memory_of(at.dram).flush(at.address, size);
}
NVDLAC_IMPL void uio::drop(const emit::dma_address& at, std::uint64_t size) {
  memory_of(at.dram).drop(at.address, size);
}

}  // namespace nvdlac::runtime
