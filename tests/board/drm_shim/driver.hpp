// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include <nvdlac/runtime/drm_calls.hpp>

#include "chip.hpp"

namespace nvdlac::shim {

// The settings in the environment that shim.hpp lists.
class settings {
 public:
  settings();

  // The text behind "name:", or an empty one behind "name" alone, if that is among the faults.
  std::optional<std::string> fault(std::string_view name) const;
  std::optional<std::uint64_t> number_of(std::string_view name) const;

  bool large = false;
  int node = runtime::drm_calls::first_render_node;
  int other_node = -1;
  std::string other_driver{};

 private:
  std::string faults_;
};

// The state that all processes see that use the driver.
struct shared_state {
  struct buffer {
    std::uint64_t offset = 0, size = 0;  // in the memory; a size of 0: none
    pid_t owner = 0;
  };
  std::array<buffer, 8192> buffers{};  // by handle, from 1 on
  std::atomic<std::uint32_t> tasks = 0;
  std::atomic<std::uint64_t> flipped = 0;  // where in the memory the last wrong bit is
  std::atomic<bool> is_stuck = false;  // a task was refused, and the driver takes no other
  std::array<char, 2048> log{};
};

class driver {
 public:
  static driver& get();

  // A file for the node of this number, or errno's number, negative.
  int open(int number, int flags);
  // Whether the file is a node, and then errno's number or 0 for the call.
  std::optional<int> call(int file, unsigned long request, void* argument);

  void reload() { state_->is_stuck = false; }

  const shared_state& state() const { return *state_; }

 private:
  driver();

  int create(runtime::drm_calls::create& c);
  int map(runtime::drm_calls::map& m) const;
  int destroy(const runtime::drm_calls::destroy& d);
  // The buffers of processes that are gone, which a kernel does when their files are closed.
  void destroy_orphans();
  int export_handle(runtime::drm_calls::export_buffer& e) const;
  int submit(const runtime::drm_calls::submit& s);
  int run(std::span<const runtime::drm_calls::address> list);
  // The offset of a byte of a cube, by its number among elements and lanes behind the last channel.
  std::uint64_t written_byte(const layer::surface& s, std::uint64_t byte) const;
  void damage(const runtime::loaded_task& task, std::size_t operation);
  bool has(std::uint32_t handle) const {
    return handle < state_->buffers.size() && state_->buffers[handle].size != 0;
  }
  std::uint64_t end_of_buffers() const;
  void log(std::string_view text);

  settings settings_{};
  std::mutex mutex_;
  shared_state* state_;
  int memory_, other_;  // files of which each has the bytes, and the number of its inode
  ino_t inode_ = 0, other_inode_ = 0;
  std::span<std::uint8_t> bytes_{};
  std::unique_ptr<chip> chip_{};
  std::uint64_t written_ = 0;  // layers that have written to memory
};

}  // namespace nvdlac::shim
