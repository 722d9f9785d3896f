// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/emit/bytes.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/drm_calls.hpp>

namespace nvdlac::runtime {

namespace detail {

// An ioctl that a signal does not end: 0, or what errno says.
inline int drm_call(int node, unsigned long number, void* argument) noexcept {
  for (;;) {
    if (::ioctl(node, number, argument) >= 0) return 0;
    if (errno != EINTR && errno != EAGAIN) return errno;
  }
}

inline std::string drm_reason(int number) { return std::generic_category().message(number); }

inline constexpr std::string_view how_to_open =
    "render nodes belong to the group render: sudo usermod -aG render $USER, and log in anew";
inline constexpr std::string_view why_it_hangs =
    "see what dmesg says of nvdla; an interrupt that never comes is most often the wrong one in "
    "the device tree";

// A buffer of the driver, mapped.
class drm_buffer {
 public:
  // Takes a node and so many bytes, which are whole pages. What fails is an `error` of this file.
  drm_buffer(int node, std::uint64_t size, const std::string& file);
  drm_buffer(drm_buffer&& other) noexcept
      : node_(other.node_),
        handle_(std::exchange(other.handle_, 0)),
        bytes_(std::exchange(other.bytes_, {})) {}
  drm_buffer& operator=(drm_buffer&&) = delete;
  ~drm_buffer();

  std::uint32_t handle() const { return handle_; }
  std::span<std::uint8_t> bytes() const { return bytes_; }

 private:
  int node_;
  std::uint32_t handle_ = 0;
  std::span<std::uint8_t> bytes_{};
};

// A task as it goes to the process that submits it. Its addresses have the buffers' handles, for
// which that process puts descriptors of its own.
struct drm_request {
  drm_calls::task task{};
  std::array<drm_calls::address, emit::most_addresses> list{};
};

// The driver's answer to a task, a number of errno or 0.
struct drm_answer {
  std::int32_t error = 0;
  std::int32_t at_export = 0;  // whether it said so of one of the buffers
};

// The process that submits tasks: it does what may follow a fork of a program with threads, calls
// of the system and no more.
class drm_submitter {
 public:
  explicit drm_submitter(int node);
  drm_submitter(const drm_submitter&) = delete;
  drm_submitter& operator=(const drm_submitter&) = delete;
  ~drm_submitter();

  // Whether the request could be sent. Its answer has to be taken before the next one is sent.
  bool send(const drm_request& r);
  enum class state { waits, answered, lost };
  state wait(std::chrono::milliseconds time, drm_answer& to);

 private:
  [[noreturn]] static void serve(int socket, int node, drm_request& r) noexcept;
  static drm_answer submit(int node, drm_request& r) noexcept;

  descriptor socket_{-1};
  pid_t id_ = -1;
  bool asked_ = false;
};

// A render node of the driver, its buffers by their place, and the process that submits tasks.
class drm_node {
 public:
  drm_node(const std::string& node, const std::string& driver);

  emit::dma_address allocate(std::uint64_t size, bool dram);
  std::span<std::uint8_t> bytes(const emit::dma_address& at, std::uint64_t size) const;
  void submit(std::span<const emit::dma_address> addresses, std::chrono::milliseconds patience);

  const std::string& file() const { return file_; }

 private:
  using clock = std::chrono::steady_clock;

  [[noreturn]] void refuse(std::string reason, std::string remedy) const {
    throw error(problem{.file = file_, .reason = std::move(reason), .remedy = std::move(remedy)});
  }
  void open_first(const std::string& driver);
  void open_one(const std::string& driver);
  // The buffer that this place is in, and bytes from its beginning.
  std::pair<const drm_buffer*, std::uint64_t> find(const emit::dma_address& at) const;
  // Puts the addresses into the request; false: the task has nothing to do.
  bool fill_request(std::span<const emit::dma_address> addresses);
  // The lock is the task's: whoever submits it gives it back when the driver has ended it.
  void lock_until(clock::time_point end, std::chrono::milliseconds patience);
  void await(std::chrono::milliseconds patience);
  [[noreturn]] void miss_submitter() const;
  [[noreturn]] void refuse_task(const drm_answer& a) const;

  std::string file_;
  descriptor node_{-1};
  std::unique_ptr<drm_submitter> submitter_;
  std::unique_ptr<drm_request> request_ = std::make_unique<drm_request>();
  // From the second page on, so that no place is 0.
  emit::address_space space_{64, emit::address_space::page};
  std::map<std::uint64_t, drm_buffer> buffers_;
  bool late_ = false;  // the last task took too long
};

NVDLAC_IMPL drm_buffer::drm_buffer(int node, std::uint64_t size, const std::string& file)
    : node_(node) {
  const auto refuse = [&](const char* what, int number, const char* remedy) {
    throw error(problem{.file = file,
                        .reason = text(what, " of ", size, " bytes: ", drm_reason(number)),
                        .remedy = remedy});
  };
  drm_calls::create create{.size = size};
  if (const int failed = drm_call(node, drm_calls::create_buffer, &create))
    refuse("the driver gives no buffer", failed,
           failed == ENOMEM ? "the driver takes them from the memory that is reserved for it, the "
                              "public one 1 GB from 0xC0000000 on: reserve more, or take a smaller "
                              "batch or network"
                            : "see what dmesg says of nvdla");
  handle_ = create.handle;
  drm_calls::map map{.handle = handle_};
  int failed = drm_call(node, drm_calls::map_buffer, &map);
  if (failed == 0 && map.offset == 0) failed = ENOMEM;  // the public driver hides its error
  if (failed == 0) {
    // Offsets of render nodes lie above 4 GB, where off_t of some processors of 32 bits ends.
#ifdef __GLIBC__
    void* const at = ::mmap64(nullptr, in_memory(size), PROT_READ | PROT_WRITE, MAP_SHARED, node,
                              static_cast<off64_t>(map.offset));
#else
    void* const at = ::mmap(nullptr, in_memory(size), PROT_READ | PROT_WRITE, MAP_SHARED, node,
                            static_cast<off_t>(map.offset));
#endif
    if (at == MAP_FAILED) failed = errno;
    else bytes_ = {static_cast<std::uint8_t*>(at), in_memory(size)};
  }
  if (failed != 0) {
    drm_calls::destroy destroy{handle_};
    drm_call(node, drm_calls::destroy_buffer, &destroy);
    refuse("the driver maps no buffer", failed,
           "its mmap is one of the functions that changed in Linux, see docs/board.md");
  }
  // A process forked later, such as the submitter of another device, would keep the buffer.
  ::madvise(bytes_.data(), bytes_.size(), MADV_DONTFORK);
}

NVDLAC_IMPL drm_buffer::~drm_buffer() {
  if (handle_ == 0) return;
  ::munmap(bytes_.data(), bytes_.size());
  drm_calls::destroy destroy{handle_};
  drm_call(node_, drm_calls::destroy_buffer, &destroy);
}

NVDLAC_IMPL drm_submitter::drm_submitter(int node) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw error("no process can be reached: " + drm_reason(errno));
  socket_ = descriptor(ends[0]);
  descriptor other(ends[1]);
  const auto own = std::make_unique<drm_request>();  // which the process has a copy of
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // no signal but SIGKILL ends a task half-way
  id_ = ::fork();
  if (id_ == 0) serve(other.number(), node, *own);
  const int failed = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id_ < 0) throw error("no process can be started: " + drm_reason(failed));
}

// It ends when nobody can ask any more. One that waits for the driver ends when that lets go of it.
NVDLAC_IMPL drm_submitter::~drm_submitter() {
  socket_.close();
  while (::waitpid(id_, nullptr, asked_ ? WNOHANG : 0) < 0 && errno == EINTR) {}
}

NVDLAC_IMPL void drm_submitter::serve(int socket, int node, drm_request& r) noexcept {
  ::setpgid(0, 0);  // what a terminal sends to the program is not for its parts
  const int from = ::fcntl(socket, F_DUPFD, 2), to = ::fcntl(node, F_DUPFD, 2);
  if (::dup2(from, 0) != 0 || ::dup2(to, 1) != 1) ::_exit(1);
  if (::close_range(2, ~0U, 0) != 0)  // an old kernel, or a container that refuses it
    for (int d = 2, end = static_cast<int>(::sysconf(_SC_OPEN_MAX)); d < end; ++d) ::close(d);
  for (;;) {
    const auto got = ::recv(0, &r, sizeof r, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < static_cast<ssize_t>(sizeof r.task)) ::_exit(0);
    const auto a = submit(1, r);
    ::flock(1, LOCK_UN);  // which the program took for the task, and may no longer wait for it
    if (::send(0, &a, sizeof a, MSG_NOSIGNAL) < 0) ::_exit(0);
  }
}

// The descriptors live as long as the task, so that a program with many buffers needs few.
NVDLAC_IMPL drm_answer drm_submitter::submit(int node, drm_request& r) noexcept {
  drm_answer a;
  std::uint32_t ready = 0;
  for (; ready < r.task.addresses && a.error == 0; ++ready) {
    auto& entry = r.list[ready];
    drm_calls::export_buffer buffer{.handle = static_cast<std::uint32_t>(entry.descriptor),
                                    .flags = O_CLOEXEC};
    a.error = drm_call(node, drm_calls::export_handle, &buffer);
    a.at_export = a.error != 0;
    entry.descriptor = a.error == 0 ? buffer.descriptor : -1;
  }
  if (a.error == 0) {
    r.task.list = reinterpret_cast<std::uintptr_t>(r.list.data());
    drm_calls::submit submit{.tasks = reinterpret_cast<std::uintptr_t>(&r.task), .count = 1};
    // Not again after EINTR, which is a number of the firmware's.
    if (::ioctl(node, drm_calls::submit_task, &submit) < 0) a.error = errno;
  }
  for (std::uint32_t i = 0; i < ready; ++i)
    if (r.list[i].descriptor >= 0) ::close(r.list[i].descriptor);
  return a;
}

NVDLAC_IMPL bool drm_submitter::send(const drm_request& r) {
  const auto size = sizeof r.task + r.task.addresses * sizeof r.list[0];
  while (::send(socket_.number(), &r, size, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return false;
  asked_ = true;
  return true;
}

NVDLAC_IMPL drm_submitter::state drm_submitter::wait(std::chrono::milliseconds time,
                                                     drm_answer& to) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    pollfd p{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const auto ms = std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max());
    const int ready = ::poll(&p, 1, static_cast<int>(ms));
    if (ready == 0 && left.count() <= 0) return state::waits;
    if (ready <= 0) continue;
    const auto got = ::recv(socket_.number(), &to, sizeof to, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof to)) return state::lost;
    asked_ = false;
    return state::answered;
  }
}

// The driver of a node, whose name is empty if it is no DRM device.
struct drm_identity {
  std::string name{};
  drm_calls::version version{};

  explicit drm_identity(const descriptor& node) {
    std::array<char, 64> letters{};
    version.name_size = letters.size();
    version.name = letters.data();
    if (drm_call(node.number(), drm_calls::ask_version, &version) == 0)
      name.assign(letters.data(), std::min(letters.size(), version.name_size));
    version.name = nullptr;
  }
};

NVDLAC_IMPL drm_node::drm_node(const std::string& node, const std::string& driver) {
  if (node == "drm") {
    open_first(driver);
  } else {
    file_ = node.find('/') == node.npos ? "/dev/dri/" + node : node;
    open_one(driver);
  }
  submitter_ = std::make_unique<drm_submitter>(node_.number());
}

NVDLAC_IMPL void drm_node::open_first(const std::string& driver) {
  std::vector<std::string> others, closed;
  for (int i = 0; i < drm_calls::render_nodes; ++i) {
    file_ = text("/dev/dri/renderD", drm_calls::first_render_node + i);
    node_ = descriptor(::open(file_.c_str(), O_RDWR | O_CLOEXEC));
    if (!node_) {
      if (errno == EACCES || errno == EPERM) closed.push_back(file_);
      continue;
    }
    const drm_identity found(node_);
    if (found.name == driver) return open_one(driver);
    others.push_back(text(file_, " (", found.name, ')'));
  }
  file_ = closed.empty() ? "/dev/dri" : closed.front();
  if (!closed.empty())
    refuse("it may not be opened: " + drm_reason(EACCES), std::string(how_to_open));
  refuse(others.empty() ? "there is no render node"
                        : text("no render node has the driver ", driver, ", but there are ",
                               joined(others)),
         "load the driver (modprobe opendla) and see what dmesg says of nvdla; the device tree "
         "needs a node of NVDLA, see docs/board.md");
}

NVDLAC_IMPL void drm_node::open_one(const std::string& driver) {
  if (!node_) node_ = descriptor(::open(file_.c_str(), O_RDWR | O_CLOEXEC));
  if (!node_) {
    const int failed = errno;
    const bool denied = failed == EACCES || failed == EPERM;
    refuse("it cannot be opened: " + drm_reason(failed),
           denied ? std::string(how_to_open)
                  : "load the driver (modprobe opendla) and see what dmesg says of nvdla; ls "
                    "/dev/dri tells which nodes there are");
  }
  const drm_identity found(node_);
  if (found.name.empty()) refuse("it is no DRM device", "name a render node, such as renderD128");
  if (found.name != driver)
    refuse(text("its driver is ", found.name, ", not ", driver),
           "name another node, or drm, which takes the first that the driver has");
  const auto& v = found.version;
  if (v.major != 0)
    refuse(text("its driver is of version ", v.major, '.', v.minor, '.', v.patch,
                ", of which the calls are unknown"),
           "the public driver is 0.0.0");
}

NVDLAC_IMPL emit::dma_address drm_node::allocate(std::uint64_t size, bool dram) {
  if (!dram)
    refuse("the driver has no memory in CVSRAM, which no call of it gives",
           "compile the network without --cvsram, or take a device that is reached by its "
           "registers");
  constexpr auto page = emit::address_space::page;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() / page * page;
  if (size > most)
    refuse(text("a buffer of ", size, " bytes is more than the 32 bits in which the driver takes "
                "sizes"),
           "take a smaller batch or network");
  size = align_up(std::max<std::uint64_t>(size, 1), page);
  drm_buffer b(node_.number(), size, file_);
  const auto at = space_.take(size);
  buffers_.emplace(at, std::move(b));
  return {at, true};
}

NVDLAC_IMPL std::pair<const drm_buffer*, std::uint64_t> drm_node::find(
    const emit::dma_address& at) const {
  const auto next = buffers_.upper_bound(at.address);
  if (!at.dram || next == buffers_.begin()) return {nullptr, 0};
  const auto& [begin, buffer] = *std::prev(next);
  const auto offset = at.address - begin;
  if (offset >= buffer.bytes().size()) return {nullptr, 0};
  return {&buffer, offset};
}

NVDLAC_IMPL std::span<std::uint8_t> drm_node::bytes(const emit::dma_address& at,
                                                    std::uint64_t size) const {
  if (size == 0) return {};
  const auto [buffer, offset] = find(at);
  if (buffer == nullptr || size > buffer->bytes().size() - offset)
    throw error(text(size, " bytes at the address ", at.address, " are in no buffer of ", file_));
  return buffer->bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

NVDLAC_IMPL bool drm_node::fill_request(std::span<const emit::dma_address> addresses) {
  if (addresses.empty() || addresses.size() > emit::most_addresses)
    throw error(text("a task has 1 to ", emit::most_addresses, " addresses, not ",
                     addresses.size()));
  auto& r = *request_;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto [buffer, offset] = find(addresses[i]);
    if (buffer == nullptr)
      throw error(text("the address ", addresses[i].address, ", number ", i,
                       " of a task, is in no buffer of ", file_));
    r.list[i] = {.descriptor = static_cast<std::int32_t>(buffer->handle()), .offset = offset};
  }
  r.task.addresses = static_cast<std::uint32_t>(addresses.size());
  // The public driver reads descriptors from the beginning of their buffer, whatever the offset
  // (dla_data_read in nvdla_core_callbacks.c), and waits for ever for a task without operations.
  const auto network = emit::read_record<emit::firmware::network>(
      bytes(addresses[0], emit::byte_size<emit::firmware::network>()), 0,
      emit::byte_size<emit::firmware::network>());
  const auto is_at_beginning = [&](std::int16_t i) {
    return i < 0 || (static_cast<std::size_t>(i) < addresses.size() &&
                     r.list[static_cast<std::size_t>(i)].offset == 0);
  };
  for (const auto i : {std::int16_t{0}, network.operation_desc, network.surface_desc,
                       network.dependency_graph, network.lut_data})
    if (!is_at_beginning(i))
      throw error(text("the descriptors at address ", i, " of a task do not begin a buffer, as the "
                       "driver takes for granted"));
  return network.num_operations != 0;
}

NVDLAC_IMPL void drm_node::lock_until(clock::time_point end, std::chrono::milliseconds patience) {
  while (!node_.lock_now()) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
    if (clock::now() >= end)
      refuse(text("another process has used it for ", patience.count(), " ms"),
             "the driver runs one task at a time: end the other process, or wait longer");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

NVDLAC_IMPL void drm_node::submit(std::span<const emit::dma_address> addresses,
                                  std::chrono::milliseconds patience) {
  drm_answer of_late_one;
  if (late_ && submitter_->wait(std::chrono::milliseconds(0), of_late_one) ==
                   drm_submitter::state::waits)
    refuse("it still runs a task that took too long",
           "the driver waits for NVDLA's interrupt without end: see what dmesg says of nvdla, and "
           "restart the board");
  late_ = false;
  if (!fill_request(addresses)) return;
  const auto most = std::int64_t{std::numeric_limits<std::uint32_t>::max() - 1};
  request_->task.timeout =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(patience.count(), 0, most));
  lock_until(clock::now() + patience, patience);
  if (!submitter_->send(*request_)) miss_submitter();
  await(patience);
}

NVDLAC_IMPL void drm_node::miss_submitter() const {
  ::flock(node_.number(), LOCK_UN);
  refuse("the process that waits for the driver is gone", "open the device anew");
}

NVDLAC_IMPL void drm_node::await(std::chrono::milliseconds patience) {
  drm_answer a;
  const auto found = submitter_->wait(patience, a);
  if (found == drm_submitter::state::waits) {
    late_ = true;
    refuse(text("a task has not ended in ", patience.count(), " ms"),
           std::string(why_it_hangs));
  }
  if (found == drm_submitter::state::lost) miss_submitter();
  if (a.error != 0) refuse_task(a);
}

// The firmware's numbers (kmd/firmware/include/dla_err.h) come through the driver as if they were
// errno's.
NVDLAC_IMPL void drm_node::refuse_task(const drm_answer& a) const {
  const auto said = text(drm_reason(a.error), ", error ", a.error);
  if (a.at_export)
    refuse(text("the driver gives no descriptor for a buffer (", said, ')'),
           a.error == EMFILE || a.error == ENFILE
               ? "raise the limit of open files: ulimit -n 4096"
               : "its DRIVER_PRIME is one of the flags that changed in Linux, see docs/board.md");
  switch (a.error) {
    case 3:  // DLA_ERR_INVALID_INPUT
      refuse(text("the driver's firmware refuses a field of a descriptor (", said, ')'),
             "its configuration follows from the compatible string of the device tree, which must "
             "be the one that the network was compiled for; dmesg has the field");
    case 8:  // DLA_ERR_NO_MEM
      refuse(text("the driver's firmware finds no room for an operation (", said, ')'),
             "dmesg has the operation");
    case 12:  // DLA_ERR_PROCESSOR_BUSY, as well as ENOMEM
      refuse(text("the driver is busy, or has no memory (", said, ')'),
             "after a task that failed the public driver takes no other until it is loaded anew: "
             "rmmod opendla, modprobe opendla");
    case ETIME:
    case ETIMEDOUT:
      refuse(text("the driver has given up a task (", said, ')'), std::string(why_it_hangs));
    case EINVAL:
    case EFAULT:
      refuse(text("the driver does not take the task's list of addresses (", said, ')'),
             "see what dmesg says of nvdla");
    default:
      refuse(text("a task failed (", said, ')'), "see what dmesg says of nvdla");
  }
}

}  // namespace detail

NVDLAC_IMPL drm::drm(const std::string& node, const std::string& driver)
    : node_(std::make_unique<detail::drm_node>(node, driver)) {}
NVDLAC_IMPL drm::drm(drm&&) noexcept = default;
NVDLAC_IMPL drm& drm::operator=(drm&&) noexcept = default;
NVDLAC_IMPL drm::~drm() = default;

NVDLAC_IMPL emit::dma_address drm::allocate(std::uint64_t size, bool dram) {
  return node_->allocate(size, dram);
}

// The driver's buffers are not cached (DMA_ATTR_WRITE_COMBINE), so that nothing is to be flushed.
NVDLAC_IMPL void drm::load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
  std::ranges::copy(bytes, node_->bytes(at, bytes.size()).begin());
}

NVDLAC_IMPL void drm::fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
  std::ranges::copy(node_->bytes(at, bytes.size()), bytes.begin());
}

NVDLAC_IMPL std::span<std::uint8_t> drm::view(const emit::dma_address& at, std::uint64_t size) {
  return node_->bytes(at, size);
}

NVDLAC_IMPL void drm::submit(std::span<const emit::dma_address> addresses,
                             std::chrono::milliseconds patience) {
  node_->submit(addresses, patience);
}

NVDLAC_IMPL const std::string& drm::node() const { return node_->file(); }

}  // namespace nvdlac::runtime
