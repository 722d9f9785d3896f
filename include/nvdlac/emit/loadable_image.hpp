// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/emit/loadable_notes.hpp>

namespace nvdlac::emit {

// The contents of an NVDLA loadable: the lists of its FlatBuffers schema as plain values. Ids are
// positions in their list, as the public runtime takes them.

// The names and numbers of the schema and of the runtime's interfaces.
namespace loadable_code {

inline constexpr std::uint32_t none = 0, dla1 = 1, emu1 = 2;          // interfaces
inline constexpr std::uint32_t addr0 = 1, deps = 2, ops = 3, surfs = 4, luts = 5;
inline constexpr std::uint16_t alloc = 1, set = 2, input = 4, output = 8;  // memory flags
inline constexpr std::uint8_t system = 0, sram = 1;                   // memory domains
inline constexpr std::uint8_t wait = 0, signal = 1;                   // events
inline constexpr std::uint8_t line_stride = 1, surface_stride = 2;    // relocations
inline constexpr std::uint8_t nhwc = 2, ncxhwx = 3;                   // tensor data format
inline constexpr std::uint8_t half = 2, int16 = 3, int8 = 4, uint8 = 5;  // tensor data type
inline constexpr std::uint8_t image = 0, feature = 2;                 // tensor data category
inline constexpr std::uint8_t pixel_feature = 36, pixel_feature_x8 = 37;

}  // namespace loadable_code

// Addresses of one task, of which the runtime's structs have so many (NVDLA_MAX_BUFFERS_PER_TASK in
// nvdla_inf.h, NVDLA_EMU_MAX_BUFFERS_PER_TASK in emu_interface.h of nvdla/sw).
inline constexpr std::size_t most_addresses = 6144;

// Major, minor, sub-minor.
using loadable_version = std::array<std::uint8_t, 3>;

struct loadable_image {
  struct blob {
    label name;
    std::uint32_t interface = loadable_code::none, sub_interface = 0;
    loadable_version version{};
    std::uint64_t size = 0;            // bytes
    std::vector<std::uint8_t> data{};  // of the first blob empty if the bytes are elsewhere

    constexpr bool operator==(const blob&) const = default;
  };
  struct memory {
    std::uint8_t domain = loadable_code::system;
    std::uint16_t flags = 0;
    std::uint64_t size = 0;
    std::uint32_t alignment = 4096;
    std::vector<label> contents{};         // names of blobs
    std::vector<std::uint64_t> offsets{};  // of the contents
    std::uint16_t bind_id = 0, tensor_desc_id = 0;

    constexpr bool bindable() const {
      return (flags & (loadable_code::input | loadable_code::output)) != 0;
    }
    constexpr bool operator==(const memory&) const = default;
  };
  struct event {
    std::uint8_t type = 0;
    std::uint16_t target = 0;
    std::uint32_t val = 0;
    std::uint8_t op = loadable_code::wait;

    constexpr bool operator==(const event&) const = default;
  };
  struct task {
    std::uint32_t interface = loadable_code::dla1;
    std::int16_t instance = -1;
    std::vector<std::uint16_t> addresses{}, pre_actions{}, post_actions{};

    constexpr bool operator==(const task&) const = default;
  };
  struct address {
    std::uint16_t memory = 0;
    std::uint64_t offset = 0, size = 0;

    constexpr bool operator==(const address&) const = default;
  };
  struct submission {
    std::vector<std::uint16_t> tasks{};

    constexpr bool operator==(const submission&) const = default;
  };
  struct tensor {
    label name;
    std::uint16_t memory = 0;
    std::uint64_t size = 0, offset = 0;
    std::uint8_t data_format = 0, data_type = 0, data_category = 0, pixel_format = 0,
                 pixel_mapping = 0;
    std::int32_t n = 1, c = 1, h = 1, w = 1;
    std::array<std::uint32_t, 8> stride{};  // bytes of an element, a line, a surface, a plane

    constexpr bool operator==(const tensor&) const = default;
  };
  struct relocation {
    std::uint16_t address = 0, write = 0;  // address list entry of the tensor; memory to patch
    std::uint64_t offset = 0;              // bytes into the memory
    std::uint32_t interface = 0, sub_interface = 0;
    std::uint8_t type = 0;

    constexpr bool operator==(const relocation&) const = default;
  };

  loadable_version version{0, 7, 0};
  std::vector<task> tasks{};
  std::vector<memory> memories{};
  std::vector<address> addresses{};
  std::vector<event> events{};
  std::vector<blob> blobs{};
  std::vector<tensor> tensors{};
  std::vector<relocation> relocations{};
  std::vector<submission> submissions{};
  loadable_notes notes{};  // of nvdlac's own loadables

  // The blob of that name, or null.
  constexpr const blob* find(std::string_view name) const {
    for (const auto& b : blobs)
      if (b.name == name) return &b;
    return nullptr;
  }

  constexpr bool operator==(const loadable_image&) const = default;
};

// Whether the lists of a loadable fit each other, as the public runtime relies on without looking.
namespace detail {

class loadable_checker {
 public:
  loadable_checker(const loadable_image& image, const std::string& file)
      : image_(image), file_(file) {}

  void run() {
    if (image_.submissions.empty() || image_.tasks.empty() || image_.memories.empty())
      say("loadable", "has no submission, task or memory");
    check_blobs();
    for (std::size_t i = 0; i < image_.memories.size(); ++i) check_memory(i);
    check_bindings(loadable_code::input, "input");
    check_bindings(loadable_code::output, "output");
    check_lists();
    found_.check();
  }

 private:
  template <class... Args>
  void say(const Args&... reason) {
    if (found_.problems().size() < 20)  // more do not help
      found_.add({.file = file_, .reason = text(reason...)});
  }

  void check_blobs() {
    for (const auto& b : image_.blobs) {
      if (b.name.empty()) say("a blob has no name");
      if (!blobs_.emplace(b.name.view(), &b).second) say("two blobs are named '", b.name, "'");
    }
  }

  void check_memory(std::size_t i) {
    const auto& m = image_.memories[i];
    if (m.domain != loadable_code::system && m.domain != loadable_code::sram)
      say("memory ", i, " is in domain ", int{m.domain}, ", neither system memory nor SRAM");
    if (m.domain == loadable_code::sram && m.bindable())
      say("memory ", i, " is in SRAM, but an input or output");
    if (m.domain == loadable_code::sram && std::exchange(has_sram_, true))
      say("memory ", i, " is in SRAM as one before it, to which the runtime gives the same place");
    if (m.size == 0) say("memory ", i, " is empty");
    if (m.contents.size() != m.offsets.size())
      return say("memory ", i, " has ", m.contents.size(), " contents and ", m.offsets.size(),
                 " offsets");
    if ((m.flags & loadable_code::set) == 0) return;
    for (std::size_t c = 0; c < m.contents.size(); ++c) {
      const auto b = blobs_.find(m.contents[c].view());
      if (b == blobs_.end())
        say("memory ", i, " wants the blob '", m.contents[c], "', which is missing");
      else if (m.offsets[c] > m.size || b->second->data.size() > m.size - m.offsets[c])
        say("the blob '", b->first, "' does not fit into memory ", i);
    }
  }

  void check_bindings(std::uint16_t direction, const char* name) {
    std::set<std::uint16_t> ids;
    for (std::size_t i = 0; i < image_.memories.size(); ++i) {
      const auto& m = image_.memories[i];
      if ((m.flags & direction) == 0) continue;
      if (!ids.insert(m.bind_id).second) say("two ", name, "s are bound as number ", m.bind_id);
      if (m.tensor_desc_id >= image_.tensors.size())
        say(name, " ", m.bind_id, " has the tensor description ", m.tensor_desc_id,
            ", which is missing");
    }
    if (!ids.empty() && *ids.rbegin() != ids.size() - 1) say(name, "s are not numbered from 0 on");
  }

  void check_lists() {
    for (std::size_t i = 0; i < image_.addresses.size(); ++i) {
      const auto& a = image_.addresses[i];
      if (a.memory >= image_.memories.size())
        say("address ", i, " is in memory ", a.memory, ", which is missing");
      else if (a.offset > image_.memories[a.memory].size)
        say("address ", i, " is beyond the end of memory ", a.memory);
    }
    for (std::size_t i = 0; i < image_.tasks.size(); ++i) {
      const auto& t = image_.tasks[i];
      if (t.interface != loadable_code::dla1 && t.interface != loadable_code::emu1)
        say("task ", i, " has the unknown interface ", t.interface);
      if (t.addresses.empty() || t.addresses.size() > most_addresses)
        say("task ", i, " has ", t.addresses.size(), " addresses, not 1 to ", most_addresses);
      for (const auto a : t.addresses)
        if (a >= image_.addresses.size()) {
          say("task ", i, " uses address ", a, ", which is missing");
          break;
        }
    }
    for (std::size_t i = 0; i < image_.submissions.size(); ++i)
      for (const auto t : image_.submissions[i].tasks)
        if (t >= image_.tasks.size())
          say("submission ", i, " has task ", t, ", which is missing");
    for (std::size_t i = 0; i < image_.tensors.size(); ++i) {
      const auto& t = image_.tensors[i];
      if (t.memory >= image_.memories.size())
        say("tensor '", t.name, "' is in memory ", t.memory, ", which is missing");
      if (t.n < 1 || t.c < 1 || t.h < 1 || t.w < 1) say("tensor '", t.name, "' is empty");
    }
  }

  const loadable_image& image_;
  std::string file_;
  diagnostics found_;
  std::map<std::string_view, const loadable_image::blob*> blobs_;
  bool has_sram_ = false;
};

}  // namespace detail

// Throws an `error` with everything that does not fit; `file` names the loadable in it.
inline void check_loadable(const loadable_image& image, const std::string& file = {}) {
  detail::loadable_checker(image, file).run();
}

}  // namespace nvdlac::emit
