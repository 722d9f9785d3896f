// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rubik moves elements between cubes and planes without changing them.
#include <algorithm>
#include <span>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

enum class rubik_mode : std::uint8_t { contract, split, merge };  // the codes of RUBIK_MODE

struct rubik_layer {
  struct side {
    sim::memory* ram = nullptr;
    std::uint64_t base = 0, line_stride = 0, surface_stride = 0, planar_stride = 0;  // bytes
  };
  rubik_mode mode{};
  side source{}, destination{};
  std::uint32_t atom = 32, element = 1;  // bytes
  std::uint32_t width = 0, height = 0;   // of the input
  std::uint32_t in_channels = 0, channels = 0;  // channels: of the output
  std::uint32_t x_stride = 1, y_stride = 1;          // contract: of the deconvolution
  std::uint64_t group_stride = 0, row_stride = 0;    // contract: CONTRACT_STRIDE_0 and _1

  std::uint32_t lanes() const { return atom / element; }
  std::uint64_t surfaces() const { return ceil_div(channels, lanes()); }
  std::uint64_t line_bytes() const { return std::uint64_t{width} * atom; }       // of a cube
  std::uint64_t row_bytes() const { return std::uint64_t{width} * element; }     // of a plane
  std::uint64_t padded_row_bytes() const { return align_up(row_bytes(), atom); }
};

class rubik_engine {
 public:
  void run(const rubik_layer& l) {
    switch (l.mode) {
      case rubik_mode::contract: return contract(l);
      case rubik_mode::split: return split(l);
      case rubik_mode::merge: return merge(l);
    }
  }

 private:
  using bytes = std::vector<std::uint8_t>;

  // Group y * x_stride + x of the input's channels becomes the pixels (x, y) of every block of
  // x_stride by y_stride of the output.
  void contract(const rubik_layer& l) {
    const auto size = static_cast<std::size_t>(l.line_bytes());
    in_.resize(size);
    out_.resize(size * l.x_stride);
    for (std::uint64_t s = 0; s < l.surfaces(); ++s)
      for (std::uint64_t h = 0; h < l.height; ++h)
        for (std::uint64_t y = 0; y < l.y_stride; ++y) {
          for (std::size_t x = 0; x < l.x_stride; ++x) {
            l.source.ram->read(l.source.base + (y * l.x_stride + x) * l.group_stride +
                                   s * l.source.surface_stride + h * l.source.line_stride,
                               in_);
            for (std::size_t w = 0; w < l.width; ++w)
              std::copy_n(&in_[w * l.atom], l.atom, &out_[(w * l.x_stride + x) * l.atom]);
          }
          l.destination.ram->write(l.destination.base + s * l.destination.surface_stride +
                                       h * l.row_stride + y * l.destination.line_stride,
                                   out_);
        }
  }

  // The rows of the planes are filled up with zeros to whole atoms.
  void split(const rubik_layer& l) {
    in_.resize(static_cast<std::size_t>(l.line_bytes()));
    out_.assign(static_cast<std::size_t>(l.padded_row_bytes()), 0);
    each_line(l, [&](std::uint64_t s, std::uint64_t h, std::uint32_t channels) {
      l.source.ram->read(cube_line(l.source, s, h), in_);
      for (std::uint32_t c = 0; c < channels; ++c) {
        for (std::size_t w = 0; w < l.width; ++w)
          std::copy_n(&in_[w * l.atom + c * l.element], l.element, &out_[w * l.element]);
        l.destination.ram->write(plane_line(l.destination, s * l.lanes() + c, h), out_);
      }
    });
  }

  // The lanes beyond the last channel become zero.
  void merge(const rubik_layer& l) {
    in_.resize(static_cast<std::size_t>(l.row_bytes()));
    each_line(l, [&](std::uint64_t s, std::uint64_t h, std::uint32_t channels) {
      out_.assign(static_cast<std::size_t>(l.line_bytes()), 0);
      for (std::uint32_t c = 0; c < channels; ++c) {
        l.source.ram->read(plane_line(l.source, s * l.lanes() + c, h), in_);
        for (std::size_t w = 0; w < l.width; ++w)
          std::copy_n(&in_[w * l.element], l.element, &out_[w * l.atom + c * l.element]);
      }
      l.destination.ram->write(cube_line(l.destination, s, h), out_);
    });
  }

  static std::uint64_t cube_line(const rubik_layer::side& s, std::uint64_t surface,
                                 std::uint64_t y) {
    return s.base + surface * s.surface_stride + y * s.line_stride;
  }
  static std::uint64_t plane_line(const rubik_layer::side& s, std::uint64_t channel,
                                  std::uint64_t y) {
    return s.base + channel * s.planar_stride + y * s.line_stride;
  }

  // visit(surface, line, channels of the surface)
  template <class Visit>
  static void each_line(const rubik_layer& l, Visit visit) {
    for (std::uint32_t s = 0; s < l.surfaces(); ++s)
      for (std::uint32_t h = 0; h < l.height; ++h)
        visit(s, h, std::min(l.lanes(), l.channels - s * l.lanes()));
  }

  bytes in_, out_;  // one line each
};

}  // namespace nvdlac::sim
