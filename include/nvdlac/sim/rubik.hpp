// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rubik, which moves elements between cubes and planes without changing them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>

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
  void run(const rubik_layer& l);

 private:
  using bytes = std::vector<std::uint8_t>;

  // Group y * x_stride + x of the input's channels becomes the pixels (x, y) of every block of
  // x_stride by y_stride of the output.
  void contract(const rubik_layer& l);

  // The rows of the planes are filled up with zeros to whole atoms.
  void split(const rubik_layer& l);

  // The lanes beyond the last channel become zero.
  void merge(const rubik_layer& l);

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

// A side that is a cube of `surfaces` or planes of `channels`: all addresses exist; if written,
// no line overwrites another.
void check_rubik_side(std::string_view unit, const rubik_layer::side& s, std::uint64_t outer,
                      std::uint64_t outer_stride, std::uint64_t lines, std::uint64_t line_bytes,
                      bool written);

// All that it reads and writes has an address, and no line is written over another.
void check_rubik_addresses(const rubik_layer& l);

// Throws nvdlac::error.
template <hw::hardware Hw>
rubik_layer decode_rubik(const group_view<Hw::spec.map>& g, memories<Hw>& m) {
  const auto mode = g.template u<"RBK.D_MISC_CFG.RUBIK_MODE">();
  const auto precision = g.template u<"RBK.D_MISC_CFG.IN_PRECISION">();
  require(mode <= 2, "RBK.D_MISC_CFG.RUBIK_MODE", "the mode 3 does not exist");
  require(precision <= 2, "RBK.D_MISC_CFG.IN_PRECISION", "the precision 3 does not exist");
  require(Hw::spec.data_types.has(hw::precision(precision)), "RBK.D_MISC_CFG.IN_PRECISION",
          "the configuration does not have this precision");
  rubik_layer l{
      .mode = rubik_mode(mode),
      .source = {&m.select(g.template on<"RBK.D_DAIN_RAM_TYPE">(), "RBK.D_DAIN_RAM_TYPE"),
                 g.template address<"RBK.D_DAIN_ADDR_HIGH", "RBK.D_DAIN_ADDR_LOW">(),
                 g.template bytes<"RBK.D_DAIN_LINE_STRIDE">(),
                 g.template bytes<"RBK.D_DAIN_SURF_STRIDE">(),
                 g.template bytes<"RBK.D_DAIN_PLANAR_STRIDE">()},
      .destination = {&m.select(g.template on<"RBK.D_DAOUT_RAM_TYPE">(), "RBK.D_DAOUT_RAM_TYPE"),
                      g.template address<"RBK.D_DAOUT_ADDR_HIGH", "RBK.D_DAOUT_ADDR_LOW">(),
                      g.template bytes<"RBK.D_DAOUT_LINE_STRIDE">(),
                      g.template bytes<"RBK.D_DAOUT_SURF_STRIDE">(),
                      g.template bytes<"RBK.D_DAOUT_PLANAR_STRIDE">()},
      .atom = Hw::spec.memory_atom,
      .element = hw::element_bytes(hw::precision(precision)),
      .width = g.template count<"RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH">(),
      .height = g.template count<"RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT">(),
      .in_channels = g.template count<"RBK.D_DATAIN_SIZE_1.DATAIN_CHANNEL">(),
      .channels = g.template count<"RBK.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">()};
  if (l.mode == rubik_mode::contract) {
    l.x_stride = g.template count<"RBK.D_DECONV_STRIDE.DECONV_X_STRIDE">();
    l.y_stride = g.template count<"RBK.D_DECONV_STRIDE.DECONV_Y_STRIDE">();
    require(std::uint64_t{l.width} * l.x_stride <= 8192, "RBK.D_DECONV_STRIDE.DECONV_X_STRIDE",
            "lines of ", std::uint64_t{l.width} * l.x_stride, " pixels are more than 8192 wide");
    l.group_stride = g.template bytes<"RBK.D_CONTRACT_STRIDE_0">();
    l.row_stride = g.template bytes<"RBK.D_CONTRACT_STRIDE_1">();
    // The C-model takes the groups from the surface stride, the RTL from CONTRACT_STRIDE_0.
    require(l.group_stride == l.surfaces() * l.source.surface_stride, "RBK.D_CONTRACT_STRIDE_0",
            l.group_stride, " bytes are not the ", l.surfaces(), " surfaces of a group");
  } else {
    require(l.in_channels == l.channels, "RBK.D_DATAOUT_SIZE_1",
            "the output has ", l.channels, " channels, the input ", l.in_channels);
  }
  m.settings.check("RBK.D_DATAIN_SIZE_0", std::uint64_t{l.width} * l.x_stride,
                std::uint64_t{l.height} * l.y_stride, l.lanes(), l.surfaces());
  check_rubik_addresses(l);
  return l;
}

// Rubik: always from memory to memory.
template <hw::hardware Hw>
class rubik_pipeline {
 public:
  // Executes a layer if one is enabled.
  bool run(device_state<Hw>& s) {
    auto& g = s.groups(unit::rubik);
    if (!g.ready()) return false;
    const int group = g.take();
    const auto l = decode_rubik<Hw>(group_view<Hw::spec.map>(s.registers, group), s.memories);
    engine_.run(l);
    record(s, l);
    s.template done<"GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0">(group);
    return true;
  }

 private:
  static void record(device_state<Hw>& s, const rubik_layer& l) {
    const auto precision = l.element == 1 ? hw::precision::int8 : hw::precision::int16;
    s.layer = {.units = "RBK",
               .in = {l.width, l.height, l.in_channels, 1, precision},
               .out = {l.width * l.x_stride, l.height * l.y_stride, l.channels, 1, precision}};
    const auto cube = l.line_bytes() * l.height * l.surfaces() * l.x_stride * l.y_stride;
    const auto rows = std::uint64_t{l.channels} * l.height * l.padded_row_bytes();
    s.count_read(client::rubik, l.source.ram, l.mode == rubik_mode::merge ? rows : cube);
    s.count_write(client::rubik, l.destination.ram, l.mode == rubik_mode::split ? rows : cube);
    s.end_layer();
  }

  rubik_engine engine_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/rubik.ipp>
#endif
