// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdlib>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// PDP: pooling of integer cubes, one surface at a time.
enum class pooling : std::uint8_t { average, max, min };  // codes of POOLING_METHOD

// The parts of a split line: widths of input and output, first, middle (all but two) and last. A
// part reads the columns again that its first windows share with the part before.
struct pdp_split {
  std::uint64_t parts = 1;
  std::array<std::uint64_t, 3> in{}, out{};
};

struct pdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, out_width = 1, out_height = 1;
  hw::precision precision = hw::precision::int8;
  pooling method = pooling::max;
  bool flying = false;  // the input comes from SDP
  bool nan_to_zero = false;
  std::uint32_t kernel_width = 1, kernel_height = 1, stride_x = 1, stride_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  // In fp16 the bits of fp17.
  std::array<std::int32_t, 8> pad_value{};  // of n missing elements
  std::uint32_t reciprocal_width = 0, reciprocal_height = 0;
  pdp_split split{};
  cube source{}, destination{};
};

// The average of a window: its sum times both reciprocals, rounded after each.
constexpr std::int64_t pdp_average(std::int64_t sum, std::uint32_t reciprocal_width,
                                   std::uint32_t reciprocal_height) {
  return round_shift(round_shift(sum * reciprocal_width, 16) * reciprocal_height, 16);
}

// PAD_VALUE of `missing` elements: the registers hold 19 bits, of which a precision uses fewer.
constexpr std::int32_t pdp_pad_value(std::size_t missing, std::uint32_t raw,
                                     hw::precision p = hw::precision::int8) {
  if (p == hw::precision::fp16) return static_cast<std::int32_t>(raw & 0x1ffff);
  constexpr std::array<int, 8> sign_bit{0, 7, 8, 9, 9, 10, 10, 10};
  const int shift = 31 - sign_bit[missing] - (p == hw::precision::int16 ? 8 : 0);
  return static_cast<std::int32_t>(raw << shift) >> shift;
}

// The elements of a window that exist, along one axis.
struct pdp_window {
  std::size_t begin, end, missing;

  constexpr pdp_window(std::size_t index, std::size_t stride, std::size_t pad, std::size_t kernel,
                       std::size_t size)
      : begin(index * stride < pad ? 0 : index * stride - pad),
        end(std::min(index * stride + kernel < pad ? 0 : index * stride + kernel - pad, size)),
        missing(kernel - (end - begin)) {}
};

// Pooling of int8 or int16 with sums of lines in Sum and sums of windows in 32 bits.
template <class Element, class Sum>
class pdp_integers {
 public:
  // in: width * height * lanes elements; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
               std::span<Element> out) {
    switch (l.method) {
      case pooling::max:
        return extremum(l, lanes, in, out, [](Sum a, Sum b) { return a > b ? a : b; });
      case pooling::min:
        return extremum(l, lanes, in, out, [](Sum a, Sum b) { return a < b ? a : b; });
      case pooling::average: return average(l, lanes, in, out);
    }
  }

 private:
  static pdp_window columns_of(const pdp_layer& l, std::size_t x) {
    return {x, l.stride_x, l.pad_left, l.kernel_width, l.width};
  }
  static pdp_window rows_of(const pdp_layer& l, std::size_t y) {
    return {y, l.stride_y, l.pad_top, l.kernel_height, l.height};
  }

  // Lines of a window reduced to one line.
  template <class F>
  void reduce_lines(std::span<const Element> in, std::size_t line, const pdp_window& rows,
                    const F& f) {
    column_.resize(line);
    std::copy_n(in.data() + rows.begin * line, line, column_.data());
    for (auto y = rows.begin + 1; y < rows.end; ++y) {
      const auto* from = in.data() + y * line;
      auto* to = column_.data();
      for (std::size_t i = 0; i < line; ++i) to[i] = static_cast<Sum>(f(to[i], Sum{from[i]}));
    }
  }

  template <class F>
  void extremum(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
                std::span<Element> out, const F& f) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      reduce_lines(in, l.width * lanes, rows_of(l, y), f);
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = columns_of(l, x);
        for (std::size_t i = 0; i < lanes; ++i) {
          auto v = column_[columns.begin * lanes + i];
          for (auto c = columns.begin + 1; c < columns.end; ++c)
            v = f(v, column_[c * lanes + i]);
          to[i] = static_cast<Element>(v);
        }
      }
    }
  }

  void average(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
               std::span<Element> out) {
    const bool narrow = is_narrow(l);
    const auto by_width = static_cast<std::int32_t>(l.reciprocal_width);
    const auto by_height = static_cast<std::int32_t>(l.reciprocal_height);
    std::array<std::int32_t, 32> sums;  // lanes: at most a memory atom of bytes
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const auto rows = rows_of(l, y);
      reduce_lines(in, l.width * lanes, rows, [](Sum a, Sum b) { return a + b; });
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = columns_of(l, x);
        const auto padding =
            static_cast<std::int32_t>(rows.end - rows.begin) * l.pad_value[columns.missing] +
            static_cast<std::int32_t>(l.kernel_width) * l.pad_value[rows.missing];
        std::fill_n(sums.begin(), lanes, padding);
        for (auto c = columns.begin; c < columns.end; ++c)
          for (std::size_t i = 0; i < lanes; ++i) sums[i] += column_[c * lanes + i];
        if (narrow)
          for (std::size_t i = 0; i < lanes; ++i)
            to[i] = static_cast<Element>(round_16(round_16(sums[i] * by_width) * by_height));
        else
          for (std::size_t i = 0; i < lanes; ++i)
            to[i] = static_cast<Element>(
                pdp_average(sums[i], l.reciprocal_width, l.reciprocal_height));
      }
    }
  }

  // round_shift by 16 without a branch.
  static constexpr std::int32_t round_16(std::int32_t x) {
    return (x + (1 << 15) + (x >> 31)) >> 16;
  }

  // Whether 32 bits hold both products of every average of the layer.
  static bool is_narrow(const pdp_layer& l) {
    std::int64_t pad = 0;
    for (const auto v : l.pad_value) pad = std::max(pad, std::abs(std::int64_t{v}));
    const auto largest = std::int64_t{1} << (8 * sizeof(Element) - 1);
    const auto sum = std::int64_t{l.kernel_width} * l.kernel_height * largest +
                     (std::int64_t{l.kernel_width} + l.kernel_height) * pad;
    constexpr std::int64_t most = INT32_MAX - (1 << 16);
    const auto product = sum * l.reciprocal_width;
    return product <= most && ((product >> 16) + 1) * l.reciprocal_height <= most;
  }

  std::vector<Sum> column_;
};

using pdp_engine = pdp_integers<std::int8_t, std::int16_t>;

// PDP in fp16: sums in fp17, in the order of the hardware.

// What the status registers of one layer hold.
struct pdp_statistics {
  std::uint64_t nan_inputs = 0, infinite_inputs = 0, nan_outputs = 0;
};

// One line of a window, left to right: `columns` elements, `step` apart.
constexpr fp17 pdp_line_sum(const std::uint16_t* x, std::size_t columns, std::size_t step,
                            fp17 pad) {
  auto sum = convert<fp17>(fp16{*x});
  for (std::size_t i = 1; i < columns; ++i) sum = add(sum, convert<fp17>(fp16{x[i * step]}));
  return add(sum, pad);
}

constexpr fp16 pdp_average(fp17 sum, fp17 reciprocal_width, fp17 reciprocal_height) {
  return convert<fp16>(mul(mul(sum, reciprocal_width), reciprocal_height));
}

class pdp_floats {
 public:
  pdp_statistics statistics{};

  // The bits of fp16. in: width * height * lanes elements, NaNs among them become 0 if the layer
  // is set so; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in,
               std::span<std::uint16_t> out) {
    if (!l.flying) enter(l, lanes, in);
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const pdp_window rows(y, l.stride_y, l.pad_top, l.kernel_height, l.height);
      for (std::size_t x = 0; x < l.out_width; ++x) {
        const pdp_window columns(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        const auto* first = in.data() + (rows.begin * l.width + columns.begin) * lanes;
        for (std::size_t i = 0; i < lanes; ++i, ++to) {
          const auto r = l.method == pooling::average
                             ? average(l, first + i, rows, columns, lanes)
                             : extremum(l, first + i, rows, columns, lanes);
          statistics.nan_outputs += r.is_nan();
          *to = static_cast<std::uint16_t>(r.bits);
        }
      }
    }
  }

 private:
  static fp17 bits(std::int32_t raw) { return {static_cast<std::uint32_t>(raw) & 0x1ffff}; }

  // Inputs from memory are counted as often as they are read, and NaNs flushed.
  void enter(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const fp16 x{in[i]};
      if (!x.is_nan() && !x.is_infinite()) [[likely]] continue;
      const auto times = reads(l, i / lanes % l.width);
      (x.is_nan() ? statistics.nan_inputs : statistics.infinite_inputs) += times;
      if (x.is_nan() && l.nan_to_zero) in[i] = 0;
    }
  }

  // How many parts of a split line read the column x.
  static std::uint64_t reads(const pdp_layer& l, std::size_t x) {
    if (l.split.parts == 1) return 1;
    const auto column = static_cast<std::int64_t>(x);
    const auto overlap = std::int64_t{l.kernel_width} - l.stride_x;
    std::uint64_t n = 0;
    std::int64_t at = 0;
    for (std::uint64_t p = 0; p < l.split.parts; ++p) {
      const auto end = at + static_cast<std::int64_t>(
                                l.split.in[p == 0 ? 0 : p + 1 == l.split.parts ? 2 : 1]);
      n += column >= (p == 0 ? at : at - overlap) && column < end;
      at = end;
    }
    return n;
  }

  static fp16 average(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                      const pdp_window& columns, std::size_t lanes) {
    const auto pad = bits(l.pad_value[columns.missing]);
    const auto line = [&](std::size_t y) {
      return pdp_line_sum(first + (y - rows.begin) * l.width * lanes, columns.end - columns.begin,
                          lanes, pad);
    };
    auto sum = line(rows.begin);
    for (auto y = rows.begin + 1; y < rows.end; ++y) sum = add(line(y), sum);
    const auto rows_pad =
        mul(bits(l.pad_value[rows.missing]), from_integer<fp17>(l.kernel_width));
    return pdp_average(add(sum, rows_pad), {l.reciprocal_width}, {l.reciprocal_height});
  }

  static fp16 extremum(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                       const pdp_window& columns, std::size_t lanes) {
    const bool greatest = l.method == pooling::max;
    const auto better = [&](fp16 a, fp16 b) { return greatest ? max(a, b) : min(a, b); };
    fp16 best{};
    for (auto y = rows.begin; y < rows.end; ++y, first += l.width * lanes) {
      fp16 line{*first};
      for (std::size_t i = 1; i < columns.end - columns.begin; ++i)
        line = better(line, {first[i * lanes]});
      best = y == rows.begin ? line : better(line, best);
    }
    return best;
  }
};

}  // namespace nvdlac::sim
