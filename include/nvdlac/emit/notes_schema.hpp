// SPDX-License-Identifier: Apache-2.0
#pragma once
// The FlatBuffers schema of nvdlac's own notes, a file in a blob of a loadable.
#include <cstdint>

#include <nvdlac/emit/loadable_schema.hpp>

namespace nvdlac::emit::flat {

inline constexpr const char* notes_identifier = "NVLN";

struct notes {
  enum : std::uint16_t {
    network = field(0), hardware = field(1), parameters = field(2), inputs = field(3),
    outputs = field(4), tasks = field(5), calls = field(6), made_from = field(7),
    transposed = field(8)
  };
};
struct noted_provenance {
  enum : std::uint16_t {
    version = field(0), commit = field(1), options = field(2), sources = field(3)
  };
};
struct noted_source {
  enum : std::uint16_t { role = field(0), sha256 = field(1), count = field(2) };
};
struct noted_tensor {
  enum : std::uint16_t {
    name = field(0), c = field(1), h = field(2), w = field(3), scale = field(4),
    pixels = field(5), preprocessing = field(6), in_file = field(7), gain = field(8)
  };
};
struct noted_file_tensor {
  enum : std::uint16_t {
    name = field(0), shape = field(1), counts = field(2), strides = field(3), place = field(4),
    first = field(5), spread = field(6)
  };
};
struct noted_pixels {
  enum : std::uint16_t { mean = field(0), offset = field(1), scale = field(2), shift = field(3) };
};
struct noted_preprocessing {
  enum : std::uint16_t {
    mean = field(0), scale = field(1), order = field(2), resize = field(3), side = field(4),
    crop = field(5)
  };
};
struct noted_call {
  enum : std::uint16_t {
    layer = field(0), parameters = field(1), input_scales = field(2), output_scale = field(3)
  };
};
struct noted_parameter {
  enum : std::uint16_t { name = field(0), values = field(1) };
};
struct noted_task {
  enum : std::uint16_t {
    layers = field(0), scales = field(1), zeros = field(2), parts = field(3)
  };
};
struct noted_part {
  enum : std::uint16_t {
    operation = field(0), layer = field(1), first = field(2), channels = field(3),
    scale = field(4), zero = field(5)
  };
};

}  // namespace nvdlac::emit::flat
