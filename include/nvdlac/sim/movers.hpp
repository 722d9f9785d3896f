// SPDX-License-Identifier: Apache-2.0
#pragma once
// BDMA and Rubik, which move and compute nothing.
#include <algorithm>
#include <span>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// One operation of BDMA: lines of `line` bytes, `lines` of them a surface, `surfaces` times.
struct bdma_operation {
  struct side {
    sim::memory* ram = nullptr;
    std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  };
  side source{}, destination{};
  std::uint64_t line = 0, lines = 0, surfaces = 0;

  std::uint64_t bytes() const { return line * lines * surfaces; }

  // From the first to the last byte that a side touches; at most 2^57.
  std::uint64_t extent(const side& s) const {
    return (surfaces - 1) * s.surface_stride + (lines - 1) * s.line_stride + line;
  }
};

// Line after line. The lines of the source may overlap, or be one and the same.
inline void copy(const bdma_operation& o, std::vector<std::uint8_t>& buffer) {
  buffer.resize(static_cast<std::size_t>(o.line));
  for (std::uint64_t s = 0; s < o.surfaces; ++s)
    for (std::uint64_t y = 0; y < o.lines; ++y) {
      const auto at = [&](const bdma_operation::side& side) {
        return side.base + s * side.surface_stride + y * side.line_stride;
      };
      o.source.ram->read(at(o.source), buffer);
      o.destination.ram->write(at(o.destination), buffer);
    }
}

// BDMA: a queue of operations and two groups. Writing CFG_OP queues what the other registers say,
// CFG_LAUNCH0 or 1 copies all that is queued and raises the interrupt of that group.
template <hw::hardware Hw>
class bdma_pipeline {
 public:
  // A write to one of BDMA's registers whose value is already stored. Throws nvdlac::error.
  void write(device_state<Hw>& s, const hw::reg& r, std::uint32_t value) {
    if ((value & 1) == 0) return;
    if (r.address == hw::address<map, "BDMA.CFG_OP">) push(s);
    else if (r.address == hw::address<map, "BDMA.CFG_LAUNCH0">) launch(s, 0, "BDMA.CFG_LAUNCH0");
    else if (r.address == hw::address<map, "BDMA.CFG_LAUNCH1">) launch(s, 1, "BDMA.CFG_LAUNCH1");
  }

  // A launch that found nothing queued leaves its group busy for ever.
  std::uint32_t status() const {
    std::uint32_t v = slots - static_cast<std::uint32_t>(queue_.size());
    if (queue_.empty()) v |= hw::field_of<map, "BDMA.STATUS.IDLE">.mask();
    for (int group = 0; group < 2; ++group)
      if (busy_[static_cast<std::size_t>(group)])
        v |= hw::field_of<map, "BDMA.STATUS.GRP0_BUSY">.mask() << group;
    return v;
  }

  void reset() {
    queue_.clear();
    busy_ = {};
  }

  static constexpr std::uint32_t slots = 20;

 private:
  static constexpr auto map = Hw::spec.map;

  void push(device_state<Hw>& s) {
    require(queue_.size() < slots, "BDMA.CFG_OP", "all ", slots, " slots are taken");
    auto next = decode(s);
    require(queue_.empty() || queue_.front().destination.ram == next.destination.ram,
            "BDMA.CFG_CMD.DST_RAM_TYPE", "what one launch copies goes to one memory");
    queue_.push_back(std::move(next));
  }

  static bdma_operation decode(device_state<Hw>& s) {
    const group_view<map> g(s.registers, 0);
    bdma_operation o{
        .source = {&s.memories.select(g.template on<"BDMA.CFG_CMD.SRC_RAM_TYPE">(),
                                      "BDMA.CFG_CMD.SRC_RAM_TYPE"),
                   g.template address<"BDMA.CFG_SRC_ADDR_HIGH", "BDMA.CFG_SRC_ADDR_LOW">(),
                   g.template bytes<"BDMA.CFG_SRC_LINE">(),
                   g.template bytes<"BDMA.CFG_SRC_SURF">()},
        .destination = {&s.memories.select(g.template on<"BDMA.CFG_CMD.DST_RAM_TYPE">(),
                                           "BDMA.CFG_CMD.DST_RAM_TYPE"),
                        g.template address<"BDMA.CFG_DST_ADDR_HIGH", "BDMA.CFG_DST_ADDR_LOW">(),
                        g.template bytes<"BDMA.CFG_DST_LINE">(),
                        g.template bytes<"BDMA.CFG_DST_SURF">()},
        .line = std::uint64_t{g.template count<"BDMA.CFG_LINE.SIZE">()} * unit_bytes,
        .lines = g.template count<"BDMA.CFG_LINE_REPEAT.NUMBER">(),
        .surfaces = g.template count<"BDMA.CFG_SURF_REPEAT.NUMBER">()};
    require(o.lines * o.surfaces <= s.memories.settings.elements / o.line, "BDMA.CFG_LINE_REPEAT",
            o.surfaces, " surfaces of ", o.lines, " lines of ", o.line,
            " bytes are beyond what the simulator is set to copy (sim::settings)");
    require(o.source.ram->contains(o.source.base, o.extent(o.source)), "BDMA.CFG_SRC_ADDR_LOW",
            "the source is beyond the address width of the configuration");
    require(o.destination.ram->contains(o.destination.base, o.extent(o.destination)),
            "BDMA.CFG_DST_ADDR_LOW",
            "the destination is beyond the address width of the configuration");
    require(o.lines == 1 || o.destination.line_stride >= o.line, "BDMA.CFG_DST_LINE",
            "the line stride ", o.destination.line_stride, " is less than a line of ", o.line,
            " bytes");
    require(o.surfaces == 1 || o.destination.surface_stride >= o.line, "BDMA.CFG_DST_SURF",
            "the surface stride ", o.destination.surface_stride, " is less than a line of ",
            o.line, " bytes");
    return o;
  }

  void launch(device_state<Hw>& s, int group, std::string_view where) {
    if (!s.memories.rules.holds(!queue_.empty(), where,
                                "no operation is queued: the interrupt never comes")) {
      busy_[static_cast<std::size_t>(group)] = true;
      return;
    }
    const auto operations = std::exchange(queue_, {});  // gone, whatever comes of them
    s.layer = {.units = "BDMA"};
    for (const auto& o : operations) {
      copy(o, line_);
      s.count_read(client::bdma, o.source.ram, o.bytes());
      s.count_write(client::bdma, o.destination.ram, o.bytes());
      s.layer.in = s.layer.out = {.width = static_cast<std::uint32_t>(o.line),
                                  .height = static_cast<std::uint32_t>(o.lines),
                                  .channels = static_cast<std::uint32_t>(o.surfaces)};
    }
    s.end_layer();
    s.template done<"GLB.S_INTR_STATUS.BDMA_DONE_STATUS0">(group);
  }

  static constexpr std::uint64_t unit_bytes = 32;  // of CFG_LINE.SIZE

  std::vector<bdma_operation> queue_;
  std::array<bool, 2> busy_{};
  std::vector<std::uint8_t> line_;
};

// Rubik moves elements between cubes and planes without changing them.
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

// A side that is a cube of `surfaces` or planes of `channels`: all addresses exist; if written,
// no line overwrites another.
inline void check_rubik_side(std::string_view unit, const rubik_layer::side& s,
                             std::uint64_t outer, std::uint64_t outer_stride, std::uint64_t lines,
                             std::uint64_t line_bytes, bool written) {
  const auto size = (outer - 1) * outer_stride + (lines - 1) * s.line_stride + line_bytes;
  require(s.ram->contains(s.base, size), text(unit, "_ADDR_LOW"), "the ", size, " bytes at 0x",
          std::hex, s.base, " are beyond the address width of the configuration");
  if (!written) return;
  require(lines == 1 || s.line_stride >= line_bytes, text(unit, "_LINE_STRIDE"),
          "the line stride ", s.line_stride, " is less than a line of ", line_bytes, " bytes");
  require(outer == 1 || outer_stride >= line_bytes, unit, "the stride ", outer_stride,
          " of surfaces or planes is less than a line of ", line_bytes, " bytes");
}

// All that it reads and writes has an address, and no line is written over another.
inline void check_rubik_addresses(const rubik_layer& l) {
  constexpr std::string_view in = "RBK.D_DAIN", out = "RBK.D_DAOUT";
  const bool split = l.mode == rubik_mode::split;
  if (l.mode == rubik_mode::contract) {
    check_rubik_side(in, l.source, std::uint64_t{l.x_stride} * l.y_stride * l.surfaces(),
                     l.source.surface_stride, l.height, l.line_bytes(), false);
    const auto line = l.line_bytes() * l.x_stride;
    check_rubik_side(out, l.destination, l.surfaces(), l.destination.surface_stride, l.y_stride,
                     line, true);
    require(l.height == 1 || l.row_stride >= line, "RBK.D_CONTRACT_STRIDE_1", "the stride ",
            l.row_stride, " is less than a line of ", line, " bytes");
    const auto size = (l.surfaces() - 1) * l.destination.surface_stride +
                      (l.height - 1) * l.row_stride +
                      (l.y_stride - 1) * l.destination.line_stride + line;
    require(l.destination.ram->contains(l.destination.base, size), "RBK.D_DAOUT_ADDR_LOW",
            "the output is beyond the address width of the configuration");
  } else {
    const auto& cube = split ? l.source : l.destination;
    const auto& planes = split ? l.destination : l.source;
    check_rubik_side(split ? in : out, cube, l.surfaces(), cube.surface_stride, l.height,
                     l.line_bytes(), !split);
    check_rubik_side(split ? out : in, planes, l.channels, planes.planar_stride, l.height,
                     split ? l.padded_row_bytes() : l.row_bytes(), split);
  }
}

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
