// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions in two tiles of rows. A convolution that needs what the one before it gives waits
// for its data while no MAC works. Where both stand in the CBUF in two tiles, the rows that the
// first tile needs come while the second tile of the convolution before is computed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
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

  // Whether parts of its rows are the same convolution: none computes a line twice, none is a
  // single pixel, whose surfaces SDP writes side by side, and none cuts Winograd's tiles.
  constexpr bool has_parts() const {
    return !conv_.is_pixel() && !conv_.winograd && conv_.output.w > 1 &&
           (pool_ == nullptr || pool_->window.kernel_h <= pool_->window.stride_h);
  }
  // What the first rows read: lines of the input, and of the cube that SDP reads for each point.
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

  // The banks of data if the CBUF holds all weights and both parts, of which the first has so many
  // rows; nullopt where it does not.
  constexpr std::optional<banks> data_of_two(const hw::spec& hw, std::int32_t first) const {
    const auto lines = static_cast<std::uint64_t>(read(0, first).count) +
                       static_cast<std::uint64_t>(read(first, rows() - first).count);
    const auto data = hw::data_banks(hw, entries{conv_.entries_per_slice}, lines);
    const auto weights = hw::weight_banks(hw, bytes{conv_.weights.size});
    if (data + weights > hw::usable_banks(hw, conv_.is_compressed())) return std::nullopt;
    return data;
  }
  // Adds the layers of these rows.
  constexpr void part(const hw::spec& hw, std::int32_t first, std::int32_t count, banks data,
                      std::vector<layer::layer>& to) const {
    const bytes atom = hw.atom();
    const auto in = read(first, count), middle = convolved(first, count);
    const auto lines = [&](const layer::surface& s, net::range r) {
      return layer::part(s, atom, 0, r.first, 0, {s.shape.c, r.count, s.shape.w});
    };
    auto conv = conv_;
    conv.input = lines(conv.input, in);
    conv.window.pad_top = in.pad_before, conv.window.pad_bottom = in.pad_after;
    conv.output.h = middle.count;
    conv.release = static_cast<std::uint16_t>(in.count);
    conv.data_banks = static_cast<std::uint8_t>(data.n);
    conv.weight_banks = static_cast<std::uint8_t>(
        hw::weight_banks(hw, bytes{conv.weights.size}).n);
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
    pool.window.pad_top = middle.pad_before, pool.window.pad_bottom = middle.pad_after;
    add(2, pool);
  }

 private:
  static constexpr bool is_by_point(const layer::sdp_unit& u) {
    return u.reads_memory() && u.mode == layer::sdp_mode::per_point;
  }
  // Of the convolution's rows, those that these of the output are made of.
  constexpr net::range convolved(std::int32_t first, std::int32_t count) const {
    if (pool_ == nullptr) return {first, count, 0, 0};
    const auto& w = pool_->window;
    return net::input_range(conv_.output.h, w.kernel_h, w.stride_h, w.pad_top, first, count);
  }
  constexpr net::range read(std::int32_t first, std::int32_t count) const {
    const auto& w = conv_.window;
    const auto rows = convolved(first, count);
    return net::input_range(conv_.input.shape.h, w.extent_h(), w.stride_h, w.pad_top, rows.first,
                            rows.count);
  }

  std::span<const layer::layer> layers_;
  const layer::convolution& conv_;
  const layer::sdp& sdp_;
  const layer::pdp* pool_;
};

// Cuts one convolution of a task after the other.
class tiling {
 public:
  constexpr tiling(const hw::spec& hw, const std::vector<plan::buffer>& buffers,
                   std::span<const layer::layer> layers)
      : hw_(hw), buffers_(buffers), rest_(layers) {}

  // Whether any is cut.
  constexpr bool run(std::vector<layer::layer>& to) {
    bool found = false;
    while (!rest_.empty()) {
      if (const auto n = convolution_stage::length(rest_); n != 0) found = take(n, to) || found;
      else pass(to);
    }
    return found;
  }

 private:
  constexpr bool take(std::size_t n, std::vector<layer::layer>& to) {
    const auto stage = rest_.first(n);
    rest_ = rest_.subspan(n);
    const convolution_stage s(stage);
    const auto first = first_rows(s);
    const auto data = first ? s.data_of_two(hw_, *first) : std::nullopt;
    if (data) {
      s.part(hw_, 0, *first, *data, to);
      s.part(hw_, *first, s.rows() - *first, *data, to);
    } else {
      to.insert(to.end(), stage.begin(), stage.end());
    }
    before_ = {s.output()}, rows_before_ = data ? *first : 0;
    return data.has_value();
  }
  // A layer that is no such stage.
  constexpr void pass(std::vector<layer::layer>& to) {
    to.push_back(rest_.front());
    rest_ = rest_.subspan(1);
    before_.clear(), rows_before_ = 0;
    layer::for_each_write(to.back().what, [&](const layer::surface& s) {
      if (!s.at.on_the_fly()) before_.push_back(s);
    });
  }

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
    return same_lines(s, before_.front()) ? rows_before_ : 0;
  }
  // Whether the next stage is a convolution that may be cut, and needs this one.
  constexpr bool next_waits(const convolution_stage& s) const {
    if (convolution_stage::length(rest_) == 0) return false;
    const convolution_stage next(rest_);
    return next.has_parts() && next.rows() >= least_rows && meet(next.input(), {s.output()});
  }
  // Of the first tile; nullopt: it is better in one.
  constexpr std::optional<std::int32_t> first_rows(const convolution_stage& s) const {
    const std::int32_t all = s.rows();
    if (all < least_rows || !s.has_parts()) return std::nullopt;
    const auto can_begin = [&](std::int32_t rows) {
      bool ready = s.lines_for(rows) <= lines_ready(s.input());
      s.each_operand([&](const layer::surface& cube) {
        ready = ready && s.points_for(rows) <= lines_ready(cube);
      });
      return ready;
    };
    std::int32_t rows = all - all / 4;
    while (rows > all / 4 && !can_begin(rows)) --rows;
    if (rows > all / 4 && !can_begin(all)) return rows;
    rows = (all + 1) / 2;  // the first of a chain
    const auto atoms = s.input().size / hw_.memory_atom;
    const auto saved = atoms - atoms * static_cast<std::uint64_t>(s.lines_for(rows)) /
                                   static_cast<std::uint64_t>(s.input().shape.h);
    return saved >= worth || next_waits(s) ? std::optional(rows) : std::nullopt;
  }

  static constexpr std::int32_t least_rows = 4;
  static constexpr std::uint64_t worth = 200;  // cycles: two tiles have two beginnings and ends

  hw::spec hw_;
  const std::vector<plan::buffer>& buffers_;
  std::span<const layer::layer> rest_;
  std::vector<layer::surface> before_{};  // what the layer before wrote
  std::int32_t rows_before_ = 0;          // of its first tile; 0: it has one
};

}  // namespace detail

// Appends the layers of a task with its convolutions cut where it hides a load. Whether there are
// any.
template <class Hw>
constexpr bool tile(std::span<const layer::layer> layers, const std::vector<plan::buffer>& buffers,
                    std::vector<layer::layer>& to) {
  return detail::tiling(Hw::spec, buffers, layers).run(to);
}

}  // namespace nvdlac::schedule
