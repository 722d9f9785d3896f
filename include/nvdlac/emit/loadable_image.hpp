// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

  void run();

 private:
  template <class... Args>
  void say(const Args&... reason) {
    if (found_.problems().size() < 20)  // more do not help
      found_.add({.file = file_, .reason = text(reason...)});
  }

  void check_blobs();

  void check_memory(std::size_t i);

  void check_bindings(std::uint16_t direction, const char* name);

  void check_lists();

  const loadable_image& image_;
  std::string file_;
  diagnostics found_;
  std::map<std::string_view, const loadable_image::blob*> blobs_;
  bool has_sram_ = false;
};

}  // namespace detail

// Throws an `error` with everything that does not fit; `file` names the loadable in it.
void check_loadable(const loadable_image& image, const std::string& file = {});

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/loadable_image.ipp>
#endif
