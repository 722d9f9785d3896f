// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions in tiles of rows. A convolution that needs what the one before it gives waits for
// its data while no MAC works. Where both stand in the CBUF in tiles, the rows that the first tile
// needs come while the last tile of the convolution before is computed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

namespace detail {

// The layers of a stage that begins with a convolution: CONV, SDP, and perhaps a PDP that takes
// what SDP gives on the fly.
class convolution_stage {
 public:
  constexpr explicit convolution_stage(std::span<const layer::layer> layers)
      : layers_(layers), conv_(std::get<layer::convolution>(layers[0].what)),
        sdp_(std::get<layer::sdp>(layers[1].what)),
        pool_(layers.size() > 2 ? std::get_if<layer::pdp>(&layers[2].what) : nullptr) {}

  // How many layers the stage at the front has if it is one; 0: it is none.
  static constexpr std::size_t length(std::span<const layer::layer> l) {
    if (l.size() < 2 || !std::holds_alternative<layer::convolution>(l[0].what)) return 0;
    const auto* sdp = std::get_if<layer::sdp>(&l[1].what);
    if (sdp == nullptr || !sdp->input.at.on_the_fly()) return 0;
    if (!sdp->output.at.on_the_fly()) return 2;
    return l.size() > 2 && std::holds_alternative<layer::pdp>(l[2].what) ? 3 : 0;
  }

  constexpr const layer::surface& input() const { return conv_.input; }
  constexpr const layer::surface& output() const {
    return pool_ != nullptr ? pool_->output : sdp_.output;
  }
  constexpr std::int32_t rows() const { return output().shape.h; }
  constexpr bool is_in_winograd() const { return conv_.winograd; }
  // Whether its weights are so much less than its data that they may come once more.
  constexpr bool has_few_weights(const hw::spec& hw) const {
    return 2 * conv_.weights.size <= std::uint64_t{conv_.entries_per_slice} * hw.cbuf_entry *
                                         static_cast<std::uint64_t>(conv_.input.shape.h);
  }

  // Whether parts of its rows are the same convolution: none computes a line twice, none is a
  // single pixel, whose surfaces SDP writes side by side, none is of several pictures, and two have
  // the rows that Winograd's mode takes at least.
  constexpr bool has_parts() const {
    return !conv_.is_pixel() && conv_.input.pictures == 1 && conv_.output.w > 1 &&
           (!conv_.winograd || rows() >= 2 * least()) &&
           (pool_ == nullptr || pool_->window.kernel_h <= pool_->window.stride_h);
  }
  // Tiles begin with multiples of so many rows, and have so many at least: Winograd's are whole.
  constexpr std::int32_t step() const { return conv_.winograd ? winograd_tile : 1; }
  constexpr std::int32_t least() const { return conv_.winograd ? 2 * winograd_tile : 1; }
  // The nearest row not above this one with which a second tile may begin.
  constexpr std::int32_t cut_at(std::int32_t row) const {
    return std::clamp(row / step() * step(), least(), rows() / step() * step() - least());
  }
  // The lines that the first rows read: of the input, and of the cube that SDP reads for each
  // point.
  constexpr std::int32_t lines_for(std::int32_t rows) const {
    return read(0, rows).first + read(0, rows).count;
  }
  constexpr std::int32_t points_for(std::int32_t rows) const {
    return convolved(0, rows).first + convolved(0, rows).count;
  }
  template <class Visit>  // each cube that SDP reads for each point
  constexpr void each_operand(Visit visit) const {
    for (const auto* unit : {&sdp_.x1, &sdp_.x2})
      if (is_by_point(*unit)) visit(unit->operands);
  }

  // Banks of the CBUF.
  struct room {
    banks data{}, weights{};
    bool all_weights = true;  // or at least two kernel groups, which come again for each tile
  };
  // Returns the banks of its tiles, of which those behind the first begin with these rows, if the
  // CBUF holds every two neighbours beside the weights; nullopt where it does not.
  constexpr std::optional<room> room_for(const hw::spec& hw,
                                         std::span<const std::int32_t> cuts) const {
    std::uint64_t lines = 0, before = 0;
    std::int32_t first = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const auto end = i < cuts.size() ? cuts[i] : rows();
      const auto own = static_cast<std::uint64_t>(slices(read(first, end - first)));
      lines = std::max(lines, before + own);
      before = own;
      first = end;
    }
    const auto usable = hw::usable_banks(hw, conv_.is_compressed());
    room r{hw::data_banks(hw, entries{conv_.entries_per_slice}, lines),
           hw::weight_banks(hw, bytes{conv_.weights.size})};
    if (r.data + r.weights <= usable) return r;
    const auto kernels = std::min<std::uint64_t>(static_cast<std::uint64_t>(conv_.output.c),
                                                 2 * hw.kernel_group(conv_.precision));
    const auto least = hw::weight_banks(hw, bytes{kernels * conv_.bytes_per_kernel()});
    if (conv_.is_compressed() || r.data + least > usable) return std::nullopt;
    r.weights = usable - r.data;
    r.all_weights = false;
    return r;
  }
  // Why it has no such tiles; null: it has.
  constexpr const char* why_not(const hw::spec& hw, std::span<const std::int32_t> cuts) const {
    if (!has_parts())
      return "cannot be cut: it reads pixels, or has a single column, or several pictures, or a "
             "pooling whose windows overlap";
    std::int32_t before = 0;
    for (const auto row : cuts) {
      if (row <= before || row >= rows())
        return "has not these tiles: they begin with rising rows above 0 and below its height";
      if (row % step() != 0 || row - before < least() || rows() - row < least())
        return "has not these tiles: in Winograd's mode they have 8, 12, 16, .. rows";
      before = row;
    }
    return room_for(hw, cuts) ? nullptr
                              : "has no room for them: the CBUF holds every two neighbouring tiles "
                                "and two groups of kernels";
  }
  // Adds the layers of the tiles.
  constexpr void tiles(const hw::spec& hw, std::span<const std::int32_t> cuts, const room& in,
                       std::vector<layer::layer>& to) const {
    std::int32_t first = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const auto end = i < cuts.size() ? cuts[i] : rows();
      part(hw, first, end - first, in, to);
      first = end;
    }
  }

 private:
  // Adds the layers of these rows.
  constexpr void part(const hw::spec& hw, std::int32_t first, std::int32_t count,
                      const room& in_cbuf, std::vector<layer::layer>& to) const {
    const bytes atom = hw.atom();
    const auto in = read(first, count), middle = convolved(first, count);
    const auto lines = [&](const layer::surface& s, net::range r) {
      return layer::part(s, atom, 0, r.first, 0, {s.shape.c, r.count, s.shape.w});
    };
    auto conv = conv_;
    conv.input = lines(conv.input, in);
    conv.window.pad_top = in.pad_before;
    conv.window.pad_bottom = in.pad_after;
    conv.output.h = middle.count;
    conv.release = static_cast<std::uint16_t>(slices(in));
    conv.data_banks = static_cast<std::uint8_t>(in_cbuf.data.n);
    conv.weight_banks = static_cast<std::uint8_t>(in_cbuf.weights.n);
    auto sdp = sdp_;
    sdp.input.shape.h = middle.count;
    for (auto* unit : {&sdp.x1, &sdp.x2})
      if (is_by_point(*unit)) unit->operands = lines(unit->operands, middle);
    const net::range own{first, count, 0, 0};
    if (pool_ == nullptr) sdp.output = lines(sdp.output, own);
    else sdp.output.shape.h = middle.count;
    const auto add = [&](std::size_t i, layer::any what) {
      to.push_back({label(layers_[i].name, "/y", first), std::move(what)});
    };
    add(0, conv);
    add(1, sdp);
    if (pool_ == nullptr) return;
    auto pool = *pool_;
    pool.input.shape.h = middle.count;
    pool.output = lines(pool.output, own);
    pool.window.pad_top = middle.pad_before;
    pool.window.pad_bottom = middle.pad_after;
    add(2, pool);
  }

  static constexpr bool is_by_point(const layer::sdp_unit& u) {
    return u.reads_memory() && u.mode == layer::sdp_mode::per_point;
  }
  // The rows of the convolution of which these of the output are made.
  constexpr net::range convolved(std::int32_t first, std::int32_t count) const {
    if (pool_ == nullptr) return {first, count, 0, 0};
    const auto& w = pool_->window;
    return net::input_range(conv_.output.h, w.kernel_h, w.stride_h, w.pad_top, first, count);
  }
  constexpr net::range read(std::int32_t first, std::int32_t count) const {
    const auto& w = conv_.window;
    const auto rows = convolved(first, count);
    if (!conv_.winograd)
      return net::input_range(conv_.input.shape.h, w.extent_h(), w.stride_h, w.pad_top, rows.first,
                              rows.count);
    auto in = net::input_range(conv_.input.shape.h, 3, 1, w.pad_top, rows.first, rows.count);
    in.pad_after += 2;  // lines that no window sees
    return in;
  }
  // The entries that these lines take in the CBUF, which holds the padding in Winograd's mode.
  constexpr std::int32_t slices(const net::range& lines) const {
    return conv_.winograd ? lines.pad_before + lines.count + lines.pad_after : lines.count;
  }

  static constexpr std::int32_t winograd_tile = 4;

  std::span<const layer::layer> layers_;
  const layer::convolution& conv_;
  const layer::sdp& sdp_;
  const layer::pdp* pool_;
};

// How `tiling` cuts.
struct tile_rule {
  // Whether it cuts where weights come again for each tile, and by the lines that passes have left.
  bool streams = false;
  bool heavy = false;      // these may be more than half of the data
  bool winograd = true;    // those in Winograd's mode as well
  std::int32_t share = 8;  // the first tile of a chain has so many sixteenths of the rows

  constexpr bool operator==(const tile_rule&) const = default;
};

// Decides for one stage of a task after the other where it is cut.
class tiling {
 public:
  constexpr tiling(const hw::spec& hw, const std::vector<plan::buffer>& buffers,
                   const tile_rule& rule)
      : hw_(hw), buffers_(buffers), rule_(rule) {}

  constexpr void begin_task() {
    before_.clear();
    rows_before_ = 0;
  }
  // The first row of the second tile of the stage, behind which the others stand; nullopt: it is
  // better in one.
  constexpr std::optional<std::int32_t> decide(std::span<const layer::layer> stage,
                                               std::span<const layer::layer> others) const {
    if (convolution_stage::length(stage) == 0) return std::nullopt;
    const convolution_stage s(stage);
    const auto first = first_rows(s, others);
    if (!first) return std::nullopt;
    const auto room = s.room_for(hw_, {&*first, 1});
    const bool may_stream = rule_.streams && (rule_.heavy || s.has_few_weights(hw_));
    return room && (room->all_weights || may_stream) ? first : std::nullopt;
  }
  // That is how the stage is: its last tile begins with a row, or with 0 where it has one.
  constexpr void take(std::span<const layer::layer> stage, std::int32_t last_tile) {
    before_.clear();
    rows_before_ = last_tile;
    layer::for_each_write(stage.back().what, [&](const layer::surface& s) {
      if (!s.at.on_the_fly()) before_.push_back(s);
    });
  }

 private:
  constexpr bool meet(const layer::surface& a, const std::vector<layer::surface>& b) const {
    const plan::detail::region cube(buffers_, a);
    return std::ranges::any_of(b, [&](const auto& other) {
      return cube.meets(plan::detail::region(buffers_, other));
    });
  }
  // Whether two cubes are channels of the same lines.
  static constexpr bool same_lines(const layer::surface& a, const layer::surface& b) {
    const auto apart = std::max(a.at.offset, b.at.offset) - std::min(a.at.offset, b.at.offset);
    return a.at.buffer == b.at.buffer && a.shape.h == b.shape.h && a.shape.w == b.shape.w &&
           a.line_stride == b.line_stride && a.surface_stride == b.surface_stride &&
           (apart == 0 || (a.surface_stride != 0 && apart % a.surface_stride == 0));
  }
  // Lines of a cube that are there when the last tile of the layer before begins.
  constexpr std::int32_t lines_ready(const layer::surface& s) const {
    if (!meet(s, before_)) return s.shape.h;
    const auto& b = before_.front();
    if (same_lines(s, b)) return rows_before_;
    if (!rule_.streams || s.at.buffer != b.at.buffer || s.line_stride != b.line_stride ||
        s.surface_stride != b.surface_stride || s.surface_stride == 0)
      return 0;
    // Where they are other lines of the same cube, those above the ones that come are there.
    const auto line = [](const layer::surface& of) {
      const auto in_surface = of.surface_stride > of.line_stride
                                  ? of.at.offset % of.surface_stride : of.at.offset;
      return static_cast<std::int32_t>(in_surface / of.line_stride);
    };
    return std::clamp(line(b) + rows_before_ - line(s), 0, s.shape.h);
  }
  constexpr bool may_cut(const convolution_stage& s) const {
    return s.has_parts() && (rule_.winograd || !s.is_in_winograd());
  }
  // Whether the next stage is a convolution that may be cut, and needs this one.
  constexpr bool next_waits(const convolution_stage& s,
                            std::span<const layer::layer> others) const {
    if (convolution_stage::length(others) == 0) return false;
    const convolution_stage next(others);
    return may_cut(next) && next.rows() >= least_rows && meet(next.input(), {s.output()});
  }
  // Rows of the first tile; nullopt: it is better in one.
  constexpr std::optional<std::int32_t> first_rows(const convolution_stage& s,
                                                   std::span<const layer::layer> others) const {
    const std::int32_t all = s.rows();
    if (all < least_rows || !may_cut(s)) return std::nullopt;
    const auto can_begin = [&](std::int32_t rows) {
      bool ready = s.lines_for(rows) <= lines_ready(s.input());
      s.each_operand([&](const layer::surface& cube) {
        ready = ready && s.points_for(rows) <= lines_ready(cube);
      });
      return ready;
    };
    const auto half = s.cut_at((all + 1) / 2);
    const auto room = s.room_for(hw_, {&half, 1});
    if (rule_.streams && room && !room->all_weights && s.has_few_weights(hw_)) return half;
    const auto least = std::max(all / 4, s.least() - 1);
    std::int32_t rows = s.cut_at(all - all / 4);
    while (rows > least && !can_begin(rows)) rows -= s.step();
    if (rows > least && !can_begin(all)) return rows;
    rows = s.cut_at((all * rule_.share + 15) / 16);  // the first of a chain
    const auto atoms = s.input().size / hw_.memory_atom;
    const auto saved = atoms - atoms * static_cast<std::uint64_t>(s.lines_for(rows)) /
                                   static_cast<std::uint64_t>(s.input().shape.h);
    return saved >= worth || next_waits(s, others) ? std::optional(rows) : std::nullopt;
  }

  static constexpr std::int32_t least_rows = 4;
  static constexpr std::uint64_t worth = 200;  // cycles: two tiles have two beginnings and ends

  hw::spec hw_;
  const std::vector<plan::buffer>& buffers_;
  tile_rule rule_;
  std::vector<layer::surface> before_{};  // what the stage before wrote
  std::int32_t rows_before_ = 0;          // of it but for its last tile; 0: it has one
};

}  // namespace detail

}  // namespace nvdlac::schedule
