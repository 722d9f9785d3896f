// SPDX-License-Identifier: Apache-2.0
#pragma once
// The FlatBuffers schema of a loadable: the place of each table's fields in its vtable.
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac::emit::flat {

inline constexpr const char* identifier = "NVDA";
inline constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 31) - (1 << 20);

struct version_struct {
  std::uint8_t major = 0, minor = 0, sub_minor = 0;
};
static_assert(sizeof(version_struct) == 3);

// Field n of a table is found through the 16-bit word number 2 + n of its vtable.
constexpr std::uint16_t field(std::uint16_t n) { return static_cast<std::uint16_t>(4 + 2 * n); }

struct loadable {
  enum : std::uint16_t {
    version = field(0), task_list = field(1), memory_list = field(2), address_list = field(3),
    event_list = field(4), blobs = field(5), tensor_desc_list = field(6), reloc_list = field(7),
    submit_list = field(8)
  };
};
struct blob {
  enum : std::uint16_t {
    name = field(0), size = field(1), interface = field(2), sub_interface = field(3),
    version = field(4), data = field(5)
  };
};
struct memory {
  enum : std::uint16_t {
    id = field(0), domain = field(1), flags = field(2), size = field(3), alignment = field(4),
    contents = field(5), offsets = field(6), bind_id = field(7), tensor_desc_id = field(8)
  };
};
struct event {
  enum : std::uint16_t {
    id = field(0), type = field(1), target = field(2), val = field(3), op = field(4)
  };
};
struct task {
  enum : std::uint16_t {
    id = field(0), interface = field(1), instance = field(2), address_list = field(3),
    pre_actions = field(4), post_actions = field(5)
  };
};
struct address {
  enum : std::uint16_t { id = field(0), mem_id = field(1), offset = field(2), size = field(3) };
};
struct submission {
  enum : std::uint16_t { id = field(0), task_id = field(1) };
};
struct tensor {
  enum : std::uint16_t {
    name = field(0), id = field(1), mem_id = field(2), size = field(3), offset = field(4),
    data_format = field(5), data_type = field(6), data_category = field(7),
    pixel_format = field(8), pixel_mapping = field(9), n = field(10), c = field(11),
    h = field(12), w = field(13)
  };
  static constexpr std::uint16_t stride(std::uint16_t i) {
    return field(static_cast<std::uint16_t>(14 + i));
  }
};
struct relocation {
  enum : std::uint16_t {
    address_id = field(0), write_id = field(1), offset = field(2), interface = field(3),
    sub_interface = field(4), reloc_type = field(5)
  };
};

}  // namespace nvdlac::emit::flat
