// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions that wait for their results to leave, in image mode. Of a feature cube CSC computes
// stripes of 16 pixels, and asks for a place in CACC's delivery buffer for all 16, so that it waits
// until the stripe before has left (credit_cnt in NV_NVDLA_CSC_sg.v). Of an image a stripe ends
// with the line of the output: where that has 8 to 12 columns there is room for the next one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/image_input.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

namespace detail {

// The search for passes whose lines leave as they are computed.
class image_search {
 public:
  // `view`: how CDMA reads a feature cube; without it the input is one of pixels.
  constexpr image_search(const hw::spec& hw, std::optional<image_view> view, net::shape in,
                         net::shape out, const net::window& w, const std::optional<pooled>& pool,
                         hw::precision p = hw::precision::int8)
      : hw_(hw), precision_(p), is_view_(view.has_value()), view_(view.value_or(image_view{})),
        in_(in),
        out_(out), window_(w), axes_(in, out, w, pool),
        widest_(pool ? std::min(out.w, widest_pass(pool->window)) : out.w),
        again_(pool && pool->window.kernel_h > pool->window.stride_h) {}

  struct found {
    convolution_split split{};
    std::uint64_t cycles = 0;
  };
  // Whether a stripe has its last results before those of the one before it have left.
  constexpr bool waits() const {
    const auto stripe = cost::stripes_of(hw_, precision_, !is_view_).longest;
    return steps() * stripe <
           stripe * atom() + cost::measured.to_delivery + cost::measured.to_credit;
  }
  // The cycles of the passes that are usual.
  constexpr std::uint64_t usual() const {
    return cycles(even_part(out_.w, widest_), !is_view_);
  }
  // nullopt: not possible in fewer than so many cycles.
  constexpr std::optional<found> run(std::uint64_t least) const {
    if (!fits_registers()) return std::nullopt;
    std::optional<found> best;
    for (std::int32_t parts = (out_.w + widest_ - 1) / widest_; parts <= out_.w; ++parts) {
      const std::int32_t columns = (out_.w + parts - 1) / parts;
      if (2 * natural(axes_.columns.part(0, columns).convolved.count) < hw_.mac_atomic_k) break;
      if (!are_readable(columns)) continue;
      const auto time = cycles(columns, true);
      if (time >= least) continue;
      if (const auto split = pass_of(columns)) {
        best = {*split, time};
        least = time;
      }
    }
    return best;
  }
  // Passes of so many columns, and of so many lines; 0: as takes the fewest cycles, and as the CBUF
  // has room. nullopt: there are none.
  constexpr std::optional<convolution_split> given(std::int32_t columns, std::int32_t rows) const {
    if (columns == 0) {
      const auto fewest = run(~std::uint64_t{0});
      if (!fewest || rows == 0) return fewest ? std::optional(fewest->split) : std::nullopt;
      columns = fewest->split.columns;
    }
    if (!fits_registers() || columns > widest_ || !are_readable(columns)) return std::nullopt;
    return pass_of(columns, rows);
  }

 private:
  static constexpr std::uint64_t natural(auto n) { return static_cast<std::uint64_t>(n); }
  constexpr std::int32_t channels() const { return is_view_ ? image_view::channels : in_.c; }
  constexpr net::window window() const { return is_view_ ? view_.window(window_) : window_; }
  constexpr std::uint64_t group() const { return hw_.kernel_group(precision_); }

  constexpr bool fits_registers() const {
    const auto w = window();
    const auto& most = hw::limits_of(hw_.map).convolution;
    const auto fits = [](std::int32_t n, std::uint32_t limit) {
      return std::cmp_less_equal(n, limit);
    };
    return w.dilation_h == 1 && w.dilation_w == 1 && fits(w.kernel_h, most.kernel_height) &&
           fits(w.kernel_w, most.kernel_width) && fits(w.stride_h, most.stride) &&
           fits(w.stride_w, most.stride) && fits(w.pad_left, most.pad_left) &&
           fits(w.pad_top, most.pad_top) && fits(w.pad_right, most.pad_right) &&
           fits(w.pad_bottom, most.pad_bottom);
  }
  // f(part) for each of the passes of so many columns.
  template <class F>
  constexpr void each_part(std::int32_t columns, F f) const {
    for (std::int32_t first = 0; first < out_.w; first += columns)
      f(axes_.columns.part(first, columns));
  }
  // Whether each begins at an atom and has lines that CSC reads right.
  constexpr bool are_readable(std::int32_t columns) const {
    bool all = true;
    const auto line = natural(window().kernel_w * channels());
    each_part(columns, [&](const pass_part& x) {
      const auto begin = is_view_ ? 0 : natural(x.input.first) * natural(in_.c) % hw_.memory_atom;
      all = all && begin == 0 && hw::reads_image_lines(hw_, line, natural(x.convolved.count));
    });
    return all;
  }
  // Cycles of a kernel group for each pixel.
  constexpr std::uint64_t steps() const {
    if (is_view_)
      return natural(view_.lines) * natural(window_.kernel_h) * natural(window_.kernel_w);
    const auto lines = natural(kernel_lines(hw_, in_.c, window_));
    return ceil_div(natural(window_.kernel_h), lines) *
           ceil_div(natural(in_.c * window_.kernel_w), hw_.mac_atomic_c);
  }
  // In which an atom of results leaves.
  constexpr std::uint64_t atom() const {
    return cost::delivery_of(hw_, group());
  }
  // Cycles of all outputs, in passes of so many columns that hide their loads behind each other.
  constexpr std::uint64_t cycles(std::int32_t columns, bool image) const {
    const cost::stripe_rules rules(cost::stripes_of(hw_, precision_, image), image,
                                   steps(), atom(), 0, 0, 1);
    const auto lines = natural(axes_.rows.part(0, out_.h).convolved.count);
    std::uint64_t all = 0;
    std::int32_t known = 0;  // outputs of the pass before, which most are as wide as
    std::uint64_t time = 0;
    each_part(columns, [&](const pass_part& x) {
      if (x.convolved.count != known) {
        // A pass behind another one, whose last results leave meanwhile.
        cost::pipeline p;
        const auto pass = [&] {
          rules.groups(p, ceil_div(natural(out_.c), group()), natural(x.convolved.count), lines);
          p.time += static_cast<std::int64_t>(cost::measured.between_convolutions +
                                              std::min(natural(out_.c), group()));
        };
        pass();
        const auto first = p.time;
        pass();
        time = natural(p.time - first);
        known = x.convolved.count;
      }
      all += time;
    });
    return all;
  }
  constexpr entries slice(const pass_part& x) const {
    return is_view_ ? view_.slice(hw_, x.input)
                 : slice_of(hw_, in_.c, x.input, true, precision_);
  }

  // Passes of so many columns, and of so many lines or, of 0, as many as have room, two of which
  // the CBUF holds if it can.
  constexpr std::optional<convolution_split> pass_of(std::int32_t columns,
                                                     std::int32_t given_rows = 0) const {
    const kernel_shape kernel{out_.c, is_view_ ? view_.all_channels() : in_.c, window_.kernel_h,
                              window_.kernel_w};
    const auto weights = [&](std::uint64_t kernels) {
      return hw::weight_banks(hw_, hw::weight_bytes(hw_, precision_, kernels,
                                                    kernel.elements()));
    };
    const auto all = natural(out_.c);
    const auto least = weights(std::min(all, group()));
    entries widest{1};
    each_part(columns, [&](const pass_part& x) { widest = std::max(widest, slice(x)); });
    for (std::int32_t parts = 1; parts <= (again_ || given_rows != 0 ? 1 : out_.h); ++parts) {
      const std::int32_t rows =
          given_rows != 0 ? std::min(given_rows, out_.h) : (out_.h + parts - 1) / parts;
      if (all > hw_.memory_atom && axes_.rows.leaves_one(rows) && axes_.columns.leaves_one(columns))
        continue;  // SDP writes the surfaces of a pixel alone side by side
      const auto lines = natural(std::min<std::int64_t>(axes_.rows.reach(rows), in_.h)) *
                         natural(is_view_ ? view_.lines : 1);
      const auto data = hw::data_banks(hw_, widest, lines);
      const banks whole{hw_.cbuf_banks};
      if (data + least > whole) continue;
      const auto own = std::min(weights(all), whole - data);
      return convolution_split{.rows = rows, .columns = columns, .kernels = out_.c,
                               .data = std::min(banks{2 * data.n}, whole - own), .weights = own,
                               .image = is_view_ ? std::optional(view_) : std::nullopt};
    }
    return std::nullopt;
  }

  hw::spec hw_;
  hw::precision precision_;
  bool is_view_;
  image_view view_;  // if it is one
  net::shape in_, out_;
  net::window window_;
  pass_axes axes_;
  std::int32_t widest_;  // columns of a pass
  bool again_;           // passes of some lines compute others again
};

// Fewer cycles than these are worth the layers.
constexpr std::uint64_t worth(std::uint64_t cycles) { return cycles - cycles / 32; }

}  // namespace detail

// How the convolution of a feature cube is cut that takes fewer cycles in image mode; nullopt where
// it does not. Compared with NVIDIA's RTL where an atom is two pixels of an image.
constexpr std::optional<convolution_split> split_as_image(const hw::spec& hw,
                                                          const layer::surface& in, net::shape out,
                                                          const net::window& window,
                                                          const std::optional<pooled>& pool = {}) {
  if (hw.memory_atom == 2 * image_view::channels)
    if (const auto view = image_view::of(in, hw.atom())) {
      const detail::image_search search(hw, view, in.shape, out, window, pool);
      if (!search.waits()) return std::nullopt;
      if (const auto found = search.run(detail::worth(search.usual()))) return found->split;
    }
  return std::nullopt;
}

// The division of a convolution of pixels: `zeros` columns of zeros before the kernel let every
// pass begin at an atom.
struct pixel_split {
  convolution_split split{};
  std::int32_t zeros = 0;
  std::uint64_t cycles = 0;
};
constexpr std::optional<pixel_split> split_pixels(const hw::spec& hw, net::shape in, net::shape out,
                                                  const net::window& window,
                                                  const std::optional<pooled>& pool = {}) {
  std::optional<pixel_split> best;
  if (hw.memory_atom == 2 * image_view::channels) {
    const detail::image_search usual(hw, {}, in, out, window, pool);
    if (!usual.waits()) return std::nullopt;
    auto least = detail::worth(usual.usual());
    const auto atom = static_cast<std::int32_t>(hw.memory_atom);
    for (std::int32_t zeros = 0; zeros * in.c < atom; ++zeros) {
      net::window w = window;
      if ((w.pad_left + zeros) * in.c % atom != 0) continue;
      w.kernel_w += zeros;
      w.pad_left += zeros;
      const auto found = detail::image_search(hw, {}, in, out, w, pool).run(least);
      if (found) {
        best = {found->split, zeros, found->cycles};
        least = found->cycles;
      }
    }
  }
  return best;
}

namespace detail {

// Whether configurations have atoms of two pixels of an image, and convolve int8: passes of some
// columns are known for these alone.
constexpr bool has_columns_of_images(const hw::spec& hw, hw::precision p) {
  return hw.memory_atom == 2 * image_view::channels && p == hw::precision::int8;
}

// The cycles that the convolution computes of an input in this cube; nullopt: CSC cannot read it
// so.
constexpr std::optional<std::uint64_t> cycles_from(const hw::spec& hw,
                                                   const quantised::convolution& op,
                                                   const layer::surface& cube, net::shape in,
                                                   bool adds) {
  const net::shape out = op.infer(std::array{in});
  const auto p = cube.precision;
  if (!cube.is_interleaved()) {
    // Up to four channels are one surface.
    const image_search search(hw, image_view::of(cube, hw.atom()).value_or(image_view{}), in, out,
                              op.window, {}, p);
    const auto usual = search.usual();
    if (!has_columns_of_images(hw, p) || !search.waits()) return usual;
    const auto found = search.run(worth(usual));
    return found ? found->cycles : usual;
  }
  const auto view = pixel_view::of(cube);
  const net::shape image = view.image(cube).shape;
  const auto window = pixel_window(hw, image.c, view.window(op.window), out.w);
  if (check_convolution(hw, image, out, window, true, p, adds) != reason::none)
    return std::nullopt;
  // Zeros beside the taps would make nothing of a number that is none.
  if (p == hw::precision::fp16 && window != view.window(op.window)) return std::nullopt;
  if (p == hw::precision::int8)
    if (const auto found = split_pixels(hw, image, out, window)) return found->cycles;
  return image_search(hw, {}, image, out, window, {}, p).usual();
}

}  // namespace detail

// The cube of pixels in which values of input n take fewer cycles, if only convolutions read them;
// nullopt: they take no fewer. Pixels of 2 or 3 values have registers' reach for short strides and
// kernels alone; else they get a fourth. Fully connected layers of few lines keep cubes, which a
// batch puts below each other.
template <class Graph>
constexpr std::optional<layer::surface> fastest_image(const hw::spec& hw, const Graph& g,
                                                      std::size_t n) {
  const net::shape in = g.shape(n);
  const auto p = g.precision(n);
  if (in.c > image_view::channels || g.uses(n) == 0 || !is_read_by_convolutions_alone(g, n))
    return std::nullopt;
  const auto cycles = [&](const layer::surface& cube) -> std::optional<std::uint64_t> {
    std::uint64_t all = 0;
    for (const std::size_t reader : g.consumers(n)) {
      const auto& op = *g.template get_if<quantised::convolution>(reader);
      const auto own = detail::cycles_from(hw, op, cube, in, g.inputs(reader).size() > 1);
      if (!own) return std::nullopt;
      all += *own;
    }
    return all;
  };
  const auto& limits = hw::limits_of(hw.map).convolution;
  for (const std::size_t reader : g.consumers(n)) {
    const net::shape out = g.shape(reader);
    if (out.h == 1 && out.w == 1 && !std::cmp_greater(in.h, limits.stride)) return std::nullopt;
  }
  std::optional<layer::surface> best;
  auto least = cycles(layer::packed(in, hw.atom(), {}, p));
  if (least) least = detail::worth(*least);
  for (const std::int32_t channels : {in.c, image_view::channels}) {
    const auto cube = layer::interleaved({channels, in.h, in.w}, p);
    const auto time = cycles(cube);
    if (time && (!least || *time < *least)) {
      best = cube;
      least = time;
    }
  }
  return best;
}

// The cube of pixels in which input n stands: that of a picture, or of values that take fewer
// cycles so; nullopt: a feature cube. Sums of fp16 show their order, which their convolutions tell.
template <class Graph>
constexpr std::optional<layer::surface> interleaved_input(const hw::spec& hw, const Graph& g,
                                                          std::size_t n, bool values = true) {
  const auto* input = g.template get_if<quantised::input>(n);
  if (input == nullptr) return std::nullopt;
  if (input->pixels) return picture_cube(input->shape);
  if (g.precision(n) != hw::precision::fp16)
    return values ? fastest_image(hw, g, n) : std::nullopt;
  return given_image(g, n);
}

// The questions about a tensor before it has its place.
template <class Graph>
class tensors {
 public:
  using id = std::size_t;

  constexpr tensors(const hw::spec& hw, const Graph& g) : hw_(hw), g_(&g) {}

  constexpr bool is_alias(id n) const {
    return g_->template get_if<quantised::reshape>(n) != nullptr;
  }
  constexpr id origin(id n) const {
    while (is_alias(n)) n = g_->inputs(n).front();
    return n;
  }
  // The output whose memory the tensor can be computed into; the node itself or a reshape of it.
  constexpr bool is_output(id n) const {
    if (g_->is_output(n)) return true;
    for (const id c : g_->consumers(n))
      if (is_alias(c) && is_output(c)) return true;
    return false;
  }
  // Whether SDP reads or writes surfaces of 16 bits in pairs, one pair for each surface of int8.
  constexpr bool is_in_pairs(id n) const {
    if (g_->precision(n) == hw::precision::int8) return false;
    if (g_->template get_if<quantised::convert>(n) != nullptr &&
        g_->precision(g_->inputs(n)[0]) == hw::precision::int8)
      return true;
    for (const id c : g_->consumers(n)) {
      const bool to_int8 = g_->template get_if<quantised::convert>(c) != nullptr &&
                           g_->precision(c) == hw::precision::int8;
      if (to_int8 || (is_alias(c) && is_in_pairs(c))) return true;
    }
    return false;
  }
  constexpr layer::surface packed(id n, net::shape shape) const {
    auto cube = layer::packed(shape, hw_.atom(), {}, g_->precision(n));
    if (is_in_pairs(n))
      cube.size = align_up(cube.size, 2 * std::uint64_t{cube.surface_stride});
    return cube;
  }
  // The surfaces of each line beside each other where only convolutions read the tensor, and one of
  // them then takes fewer cycles.
  constexpr layer::surface arranged(id n) const {
    const auto cube = packed(n, g_->shape(n));
    auto in_lines = cube;
    in_lines.surface_stride = cube.line_stride;
    in_lines.line_stride *= static_cast<std::uint32_t>(
        layer::surfaces(cube.shape, hw_.atom(), cube.precision));
    bool faster = false;
    for (const id c : g_->consumers(n)) {
      const auto* op = g_->template get_if<quantised::convolution>(c);
      if (op == nullptr) return cube;
      faster = faster || (op->groups == 1 && !op->winograd && g_->inputs(c)[0] == n &&
                          split_as_image(hw_, in_lines, g_->shape(c), op->window));
    }
    return faster ? in_lines : cube;
  }

 private:
  const hw::spec& hw_;
  const Graph* g_;
};

}  // namespace nvdlac::lower
