// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <nvdlac/emit/bytes.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/layer.hpp>

#include "shim.hpp"

namespace nvdlac::shim {

namespace calls = runtime::drm_calls;

namespace {

// The public driver's memory, which is fixed (nvdla_drm_probe in nvdla_gem.c).
constexpr std::uint64_t memory_at = 0xC000'0000, memory_above = 0x1'C000'0000,
                        memory_size = 0x4000'0000, page = 4096;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

// The part before this letter, which leaves the text with it.
std::string_view take_until(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

int file_of(const char* name, std::uint64_t size) {
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(size)) != 0) std::abort();
  return file;
}

ino_t inode_of(int file) {
  struct stat s {};
  return ::fstat(file, &s) == 0 ? s.st_ino : 0;
}

void* shared_memory(std::size_t size, int file = -1) {
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (at == MAP_FAILED) std::abort();
  return at;
}

// The content of a dma-buf's file here.
struct exported {
  std::uint64_t mark = 0x6675622d616d64;
  std::uint64_t handle = 0;
};

}  // namespace

settings::settings() : faults_(variable("NVDLAC_DRM_FAULT")) {
  large = variable("NVDLAC_DRM_CONFIG") == "nv_large";
  if (const auto n = variable("NVDLAC_DRM_NODE"); !n.empty())
    node = static_cast<int>(number_in(n));
  const auto text = variable("NVDLAC_DRM_OTHER");
  std::string_view other = text;
  if (other.empty()) return;
  other_node = static_cast<int>(number_in(take_until(other, ':')));
  other_driver = other;
}

std::optional<std::string> settings::fault(std::string_view name) const {
  for (std::string_view left = faults_; !left.empty();) {
    auto one = take_until(left, ',');
    if (take_until(one, ':') == name) return std::string(one);
  }
  return {};
}

std::optional<std::uint64_t> settings::number_of(std::string_view name) const {
  const auto value = fault(name);
  return value ? std::optional(number_in(*value)) : std::nullopt;
}

driver& driver::get() {
  static driver& one = *new driver;  // it outlives whatever closes its files at the end
  return one;
}

driver::driver()
    : state_(new (shared_memory(sizeof(shared_state))) shared_state),
      memory_(file_of("nvdla", memory_size)),
      other_(file_of("other", page)),
      inode_(inode_of(memory_)),
      other_inode_(inode_of(other_)),
      bytes_(static_cast<std::uint8_t*>(shared_memory(memory_size, memory_)), memory_size) {}

int driver::open(int number, int flags) {
  const std::lock_guard lock(mutex_);
  settings_ = {};
  destroy_orphans();
  chip_ = nullptr;  // in the process that opens; the one that submits makes its own
  written_ = 0;
  state_->flipped = 0;
  const bool is_other = number == settings_.other_node;
  if (!is_other && (number != settings_.node || settings_.fault("none"))) return -ENOENT;
  if (!is_other && settings_.fault("denied")) return -EACCES;
  const auto path = "/proc/self/fd/" + std::to_string(is_other ? other_ : memory_);
  const int file = ::open(path.c_str(), flags);
  return file < 0 ? -errno : file;
}

std::optional<int> driver::call(int file, unsigned long request, void* argument) {
  const auto inode = inode_of(file);
  if (inode == 0 || (inode != inode_ && inode != other_inode_)) return {};
  if (request == calls::ask_version) {
    auto& v = *static_cast<calls::version*>(argument);
    const auto name = inode == other_inode_ ? settings_.other_driver
                                            : settings_.fault("driver").value_or("nvdla");
    v.major = static_cast<std::int32_t>(settings_.number_of("version").value_or(0));
    v.minor = v.patch = 0;
    if (v.name != nullptr) std::copy_n(name.data(), std::min(v.name_size, name.size()), v.name);
    v.name_size = name.size();
    v.date_size = v.description_size = 0;
    return 0;
  }
  if (inode == other_inode_) return EINVAL;
  if (request == calls::submit_task) return submit(*static_cast<const calls::submit*>(argument));
  const std::lock_guard lock(mutex_);
  if (request == calls::create_buffer) return create(*static_cast<calls::create*>(argument));
  if (request == calls::map_buffer) return map(*static_cast<calls::map*>(argument));
  if (request == calls::destroy_buffer) return destroy(*static_cast<calls::destroy*>(argument));
  if (request == calls::export_handle)
    return export_handle(*static_cast<calls::export_buffer*>(argument));
  return EINVAL;
}

std::uint64_t driver::end_of_buffers() const {
  std::uint64_t end = page;  // no offset is 0
  for (const auto& b : state_->buffers) end = std::max(end, b.offset + b.size);
  return end;
}

// The first gap that is large enough.
int driver::create(calls::create& c) {
  if (const auto failed = settings_.number_of("create")) return static_cast<int>(*failed);
  const std::uint64_t size = (static_cast<std::uint32_t>(c.size) + page - 1) / page * page;
  auto& all = state_->buffers;
  const auto end = std::min(settings_.number_of("memory").value_or(memory_size), memory_size);
  std::vector<shared_state::buffer> live;
  std::ranges::copy_if(all, std::back_inserter(live), [](const auto& b) { return b.size != 0; });
  std::ranges::sort(live, {}, &shared_state::buffer::offset);
  std::uint64_t at = page;
  for (const auto& b : live) {
    if (b.offset - at >= size) break;
    at = b.offset + b.size;
  }
  const auto free = std::ranges::find(all.begin() + 1, all.end(), std::uint64_t{0},
                                      &shared_state::buffer::size);
  if (size == 0 || free == all.end() || at + size > end) return ENOMEM;
  *free = {at, size, ::getpid()};
  c.handle = static_cast<std::uint32_t>(free - all.begin());
  return 0;
}

int driver::map(calls::map& m) const {
  if (const auto failed = settings_.number_of("map")) {
    m.offset = 0;
    return static_cast<int>(*failed);
  }
  if (!has(m.handle)) return EINVAL;
  m.offset = state_->buffers[m.handle].offset;
  return 0;
}

// Whoever gets the memory next finds it empty.
int driver::destroy(const calls::destroy& d) {
  if (!has(d.handle)) return EINVAL;
  auto& b = state_->buffers[d.handle];
  ::fallocate(memory_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(b.offset),
              static_cast<off_t>(b.size));
  b = {};
  return 0;
}

void driver::destroy_orphans() {
  for (std::uint32_t i = 1; i < state_->buffers.size(); ++i)
    if (has(i) && ::kill(state_->buffers[i].owner, 0) != 0 && errno == ESRCH) destroy({i});
}

int driver::export_handle(calls::export_buffer& e) const {
  if (const auto failed = settings_.number_of("export")) return static_cast<int>(*failed);
  if (!has(e.handle)) return ENOENT;
  e.descriptor = ::memfd_create("dma-buf", MFD_CLOEXEC);
  if (e.descriptor < 0) return errno;
  const exported content{.handle = e.handle};
  return ::pwrite(e.descriptor, &content, sizeof content, 0) == sizeof content ? 0 : EIO;
}

int driver::submit(const calls::submit& s) {
  if (s.tasks == 0) return EINVAL;
  const auto& task = *reinterpret_cast<const calls::task*>(s.tasks);
  if (const auto ms = settings_.number_of("late")) {
    const timespec time{.tv_sec = static_cast<time_t>(*ms / 1000),
                        .tv_nsec = static_cast<long>(*ms % 1000 * 1'000'000)};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  }
  if (const auto failed = settings_.number_of("submit")) return static_cast<int>(*failed);
  if (state_->is_stuck) {
    log("Already some task in progress");
    return 12;  // DLA_ERR_PROCESSOR_BUSY
  }
  return run({reinterpret_cast<const calls::address*>(task.list), task.addresses});
}

// Runs a task. The firmware refuses what cannot be read as one, the simulator what breaks a rule of
// the hardware; a board computes nonsense then, or nothing more.
int driver::run(std::span<const calls::address> list) try {
  const auto base = settings_.fault("above") ? memory_above : memory_at;
  std::vector<emit::dma_address> places;
  std::vector<std::uint64_t> begins;
  for (const auto& a : list) {
    exported e{.mark = 0};
    if (::pread(a.descriptor, &e, sizeof e, 0) != sizeof e || e.mark != exported{}.mark ||
        !has(static_cast<std::uint32_t>(e.handle)))
      return EINVAL;
    begins.push_back(state_->buffers[e.handle].offset);
    places.push_back({base + begins.back() + a.offset, true});
  }
  runtime::loaded_task task;
  try {
    task = runtime::decode_task([&](std::int32_t i) {
      // dla_data_read passes over the address's offset.
      const auto at = begins.at(static_cast<std::size_t>(i));
      const auto b = std::ranges::find(state_->buffers, at, &shared_state::buffer::offset);
      return std::vector(bytes_.data() + at, bytes_.data() + at + b->size);
    }, places);
  } catch (const std::exception& e) {
    log(e.what());
    state_->is_stuck = true;
    return 3;  // DLA_ERR_INVALID_INPUT
  }
  while (task.layers.empty()) ::pause();  // it waits for an interrupt that does not come
  if (!chip_) chip_ = settings_.large ? make_nv_large() : make_nv_small();
  const auto used = bytes_.first(end_of_buffers());
  const std::vector<std::uint8_t> before(used.begin(), used.end());
  chip_->dram().write(base, before);
  chip_->run(task, [&](std::size_t operation) { damage(task, operation); });
  auto after = before;
  chip_->dram().read(base, after);
  // Copies only what the task has changed: the program may load other memory meanwhile.
  for (std::size_t i = 0; i < used.size(); ++i)
    if (after[i] != before[i]) used[i] = after[i];
  // The firmware leaves the counts as they are when all events have come.
  constexpr auto graph_entry = emit::byte_size<emit::firmware::common>();
  constexpr std::size_t count_in_entry = 4;
  auto* const graph = bytes_.data() + (task.graph.at.address - base);
  for (std::size_t i = 0; i < task.layers.size(); ++i) graph[i * graph_entry + count_in_entry] = 0;
  ++state_->tasks;
  return 0;
} catch (const std::exception& e) {
  log(e.what());
  chip_ = nullptr;
  return EIO;
}

std::uint64_t driver::written_byte(const layer::surface& s, std::uint64_t byte) const {
  const std::uint64_t atom = settings_.large ? 32 : 8;
  const auto lanes = layer::lanes_of(bytes{atom}, s.precision);
  const auto h = static_cast<std::uint64_t>(s.shape.h);
  const auto line = static_cast<std::uint64_t>(s.shape.w) * atom;
  const auto surfaces = (static_cast<std::uint64_t>(s.shape.c) + lanes - 1) / lanes;
  const auto n = byte % (surfaces * h * line);
  return n / (h * line) * s.surface_stride + n / line % h * s.line_stride + n % line;
}

void driver::damage(const runtime::loaded_task& task, std::size_t operation) {
  if (settings_.number_of("kill") == operation) std::raise(SIGKILL);
  const auto flip = settings_.fault("flip");
  if (!flip) return;
  std::string_view rest = *flip;
  const auto wanted = number_in(take_until(rest, ':'));
  const auto byte = number_in(take_until(rest, ':'));
  const auto every = settings_.number_of("every");
  layer::for_each_write(task.layers[operation].what, [&](const layer::surface& s) {
    const auto number = written_++;
    const bool again = every && number > wanted && (number - wanted) % *every == 0;
    if (number != wanted && !again) return;
    const auto at = task(s.at).address + written_byte(s, byte);
    state_->flipped = at - (settings_.fault("above") ? memory_above : memory_at);
    std::uint8_t value = 0;
    chip_->dram().read(at, {&value, 1});
    value = static_cast<std::uint8_t>(value ^ 1U << (number_in(rest) & 7U));
    chip_->dram().write(at, {&value, 1});
  });
}

void driver::log(std::string_view text) {
  auto& to = state_->log;
  const auto n = std::min(text.size(), to.size() - 1);
  std::copy_n(text.data(), n, to.data());
  to[n] = '\0';
}

}  // namespace nvdlac::shim

std::uint32_t nvdla_shim_buffers() {
  const auto& all = nvdlac::shim::driver::get().state().buffers;
  return static_cast<std::uint32_t>(
      std::ranges::count_if(all, [](const auto& b) { return b.size != 0; }));
}
std::uint64_t nvdla_shim_bytes() {
  std::uint64_t sum = 0;
  for (const auto& b : nvdlac::shim::driver::get().state().buffers) sum += b.size;
  return sum;
}
std::uint64_t nvdla_shim_flipped() { return nvdlac::shim::driver::get().state().flipped; }
std::uint32_t nvdla_shim_tasks() { return nvdlac::shim::driver::get().state().tasks; }
void nvdla_shim_reload() { nvdlac::shim::driver::get().reload(); }
const char* nvdla_shim_log() { return nvdlac::shim::driver::get().state().log.data(); }
