// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/impl/sim/sdp/widest.hpp>
#include <nvdlac/sim/sdp/block.hpp>

namespace nvdlac::sim {

namespace detail {

// Whether the bits of an fp32 are NaN, infinite or denormal.
constexpr std::int32_t is_odd(std::int32_t bits) {
  const auto magnitude = bits & 0x7fffffff;
  return (magnitude >= 0x7f800000) | ((magnitude < 0x00800000) & (magnitude != 0));
}

inline float real(std::int32_t bits) { return std::bit_cast<float>(bits); }
inline std::int32_t whole(float x) { return std::bit_cast<std::int32_t>(x); }

// f(bits, bits) -> bits, for each pair.
template <class F>
bool quick_block(const sdp_integers& a, const sdp_integers& b, sdp_integers& to, F f) {
  std::int32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) to[i] = f(a[i], b[i]);
  for (std::size_t i = 0; i < sdp_block; ++i) odd |= is_odd(a[i]) | is_odd(b[i]) | is_odd(to[i]);
  return odd == 0;
}

}  // namespace detail

NVDLAC_IMPL bool quick_widen(sdp_integers& halves) {
  sdp_integers to;
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = static_cast<std::uint32_t>(halves[i]), magnitude = x & 0x7fff;
    odd |= (magnitude >= 0x7c00) | ((magnitude < 0x0400) & (magnitude != 0));
    const auto wide = magnitude == 0 ? 0 : (magnitude << 13) + 0x38000000;
    to[i] = static_cast<std::int32_t>(wide | (x & 0x8000) << 16);
  }
  if (odd == 0) halves = to;
  return odd == 0;
}

NVDLAC_IMPL bool quick_narrow(const std::int32_t* v, sdp_integers& halves) {
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = static_cast<std::uint32_t>(v[i]), magnitude = x & 0x7fffffff;
    odd |= ((magnitude < 0x38800000) & (magnitude != 0)) | (magnitude >= 0x477ff000);
    const auto half = (magnitude + 0x0fff + (magnitude >> 13 & 1)) >> 13;
    halves[i] = static_cast<std::int32_t>((magnitude == 0 ? 0 : half - 0x1c000) | x >> 31 << 15);
  }
  return odd == 0;
}

NVDLAC_IMPL bool quick_add(const sdp_integers& a, const sdp_integers& b, sdp_integers& to) {
  return detail::quick_block(a, b, to, [](std::int32_t x, std::int32_t y) {
    const auto z = detail::whole(detail::real(x) + detail::real(y));
    const auto sign_only = -static_cast<std::int32_t>((z & 0x7fffffff) == 0);
    return (z & ~sign_only) | (x & INT32_MIN & sign_only);
  });
}

NVDLAC_IMPL bool quick_mul(const sdp_integers& a, const sdp_integers& b, bool prelu,
                           sdp_integers& to) {
  const std::int32_t passes = prelu ? -1 : 0;  // what has the sign bit 0
  return detail::quick_block(a, b, to, [passes](std::int32_t x, std::int32_t y) {
    const auto z = detail::whole(detail::real(x) * detail::real(y));
    const auto passed = ~(x >> 31) & passes;
    return (x & passed) | (z & ~passed);
  });
}

namespace detail {

template <class T, std::size_t Count>
[[gnu::always_inline]] inline void widen_loop(const std::uint8_t* from, std::size_t which,
                                              std::int32_t* to) {
  using both = std::conditional_t<Count == 1, T,
                                  std::conditional_t<sizeof(T) == 1, std::int16_t, std::int32_t>>;
  std::array<both, sdp_block> numbers;
  std::memcpy(numbers.data(), from, sizeof numbers);
  if constexpr (Count == 2)
    if (which == 1) {
      for (std::size_t i = 0; i < sdp_block; ++i) to[i] = numbers[i] >> 8 * sizeof(T);
      return;
    }
  for (std::size_t i = 0; i < sdp_block; ++i) to[i] = static_cast<T>(numbers[i]);
}

template <alu_algorithm Alu>
[[gnu::always_inline]] inline void alu_loop(std::int32_t* __restrict v,
                                            const std::int32_t* __restrict operands) {
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = v[i], o = operands[i];
    v[i] = Alu == alu_algorithm::max ? std::max(x, o) : Alu == alu_algorithm::min ? std::min(x, o)
                                                                                  : x + o;
  }
}

[[gnu::always_inline]] inline void mul_loop(std::int32_t* __restrict v,
                                            const std::int32_t* __restrict operands,
                                            int shift) {
  const sdp_rounding r(shift);
  for (std::size_t i = 0; i < sdp_block; ++i) v[i] = r(v[i] * operands[i]);
}
[[gnu::always_inline]] inline void prelu_loop(std::int32_t* __restrict v,
                                              const std::int32_t* __restrict operands,
                                              int shift) {
  const sdp_rounding r(shift);
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = v[i], y = r(x * operands[i]), positive = ~(x >> 31);
    v[i] = (x & positive) | (y & ~positive);
  }
}
[[gnu::always_inline]] inline void shift_loop(std::int32_t* v, int shift) {
  const sdp_rounding r(shift);
  for (std::size_t i = 0; i < sdp_block; ++i) v[i] = r(v[i]);
}
[[gnu::always_inline]] inline void left_loop(std::int32_t* v, int shift) {
  for (std::size_t i = 0; i < sdp_block; ++i)
    v[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(v[i]) << shift);
}
[[gnu::always_inline]] inline void relu_loop(std::int32_t* v) {
  for (std::size_t i = 0; i < sdp_block; ++i) v[i] = std::max(v[i], 0);
}

template <class T>
[[gnu::always_inline]] inline void narrow_loop(const std::int32_t* v, T* to) {
  std::array<T, sdp_block> narrow;
  for (std::size_t i = 0; i < sdp_block; ++i) narrow[i] = static_cast<T>(v[i]);
  std::memcpy(to, narrow.data(), sizeof narrow);
}

[[gnu::always_inline]] inline void count_outside_loop(const std::int32_t* v, std::int32_t first,
                                                      std::int32_t last, std::uint32_t* n) {
  std::uint32_t outside = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) outside += (v[i] < first) | (v[i] > last);
  *n = outside;
}

}  // namespace detail

template <class T, std::size_t Count>
void widen_block(const std::uint8_t* from, std::size_t which, sdp_integers& to) {
  on_widest<&detail::widen_loop<T, Count>>(from, which, to.data());
}

NVDLAC_IMPL void sdp_alu_block(alu_algorithm a, sdp_integers& v, const sdp_integers& operands) {
  using enum alu_algorithm;
  const auto* o = operands.data();
  if (a == max) on_widest<&detail::alu_loop<max>>(v.data(), o);
  else if (a == min) on_widest<&detail::alu_loop<min>>(v.data(), o);
  else on_widest<&detail::alu_loop<sum>>(v.data(), o);
}

NVDLAC_IMPL void sdp_mul_block(bool prelu, sdp_integers& v, const sdp_integers& operands,
                               int shift) {
  const auto* o = operands.data();
  if (prelu) on_widest<&detail::prelu_loop>(v.data(), o, shift);
  else on_widest<&detail::mul_loop>(v.data(), o, shift);
}

NVDLAC_IMPL void sdp_shift_block(sdp_integers& v, int shift) {
  if (shift != 0) on_widest<&detail::shift_loop>(v.data(), shift);
}
NVDLAC_IMPL void sdp_left_block(sdp_integers& v, int shift) {
  if (shift != 0) on_widest<&detail::left_loop>(v.data(), shift);
}
NVDLAC_IMPL void sdp_relu_block(sdp_integers& v) { on_widest<&detail::relu_loop>(v.data()); }

template <class T>
void narrow_block(const sdp_integers& v, std::array<T, sdp_block>& to) {
  on_widest<&detail::narrow_loop<T>>(v.data(), to.data());
}

NVDLAC_IMPL std::uint32_t count_outside(const std::int32_t* v, const sdp_interval& in) {
  std::uint32_t n = 0;
  on_widest<&detail::count_outside_loop>(v, in.first, in.last, &n);
  return n;
}

#ifdef NVDLAC_COMPILED
template void widen_block<std::int8_t, 1>(const std::uint8_t*, std::size_t, sdp_integers&);
template void widen_block<std::int8_t, 2>(const std::uint8_t*, std::size_t, sdp_integers&);
template void widen_block<std::int16_t, 1>(const std::uint8_t*, std::size_t, sdp_integers&);
template void widen_block<std::int16_t, 2>(const std::uint8_t*, std::size_t, sdp_integers&);
template void widen_block<std::uint16_t, 1>(const std::uint8_t*, std::size_t, sdp_integers&);
template void narrow_block(const sdp_integers&, std::array<std::int8_t, sdp_block>&);
template void narrow_block(const sdp_integers&, std::array<std::int16_t, sdp_block>&);
template void narrow_block(const sdp_integers&, std::array<std::uint16_t, sdp_block>&);
#endif

NVDLAC_IMPL void surface_reader::begin(const cube& c, std::uint64_t surface) {
  ram_ = c.ram;
  base_ = c.base + surface * c.surface_stride;
  size_ = static_cast<std::size_t>(c.surface_bytes());
  first_ = last_ = 0;
  joined_ = c.line_stride != c.line_bytes() && c.height != 1;
  if (!joined_) return;
  if (copy_.size() < size_) copy_.resize(size_);
  read_surface(c, surface, std::span(copy_).first(size_));
  at_ = copy_.data();
  last_ = size_;
}

NVDLAC_IMPL const std::uint8_t* surface_reader::bytes(std::size_t begin, std::size_t n) {
  if (begin >= first_ && begin + n <= last_) return at_ + (begin - first_);
  if (!joined_) {
    const auto in_page = static_cast<std::size_t>(memory::page_size -
                                                  (base_ + begin) % memory::page_size);
    const auto together = std::min<std::size_t>(in_page, size_ - begin);
    const auto* there = together < n ? nullptr : ram_->view(base_ + begin, together);
    if (there != nullptr) {
      at_ = there;
      first_ = begin;
      last_ = begin + together;
      return there;
    }
  }
  // At the border of a page, at the end, or never written.
  if (border_.size() < n) border_.resize(n);
  const auto to = std::span(border_).first(std::min(n, size_ - begin));
  if (joined_) std::copy_n(copy_.data() + begin, to.size(), to.begin());
  else ram_->read(base_ + begin, to);
  return border_.data();
}

NVDLAC_IMPL void sdp_operand_reader::begin(const sdp_operands& o, std::size_t surface,
                                           std::size_t lanes) {
  operands_ = &o;
  if (!o.alu && !o.mul) return;
  if (o.per_element) return surface_.begin(o.source, surface);
  const auto pixel = lanes * o.bytes * pair();
  raw_.resize(block_bytes());
  read_surface(o.source, surface, std::span(raw_).first(pixel));
  for (auto have = pixel; have < raw_.size(); have *= 2)
    std::copy_n(raw_.data(), have, raw_.data() + have);
}

NVDLAC_IMPL void sdp_operand_reader::fetch(std::size_t at, std::size_t which, sdp_integers& to) {
  const auto& o = *operands_;
  const auto* from = o.per_element ? surface_.bytes(at * o.bytes * pair(), block_bytes())
                                   : raw_.data();
  const auto widen = o.bytes == 1
                         ? pair() == 1 ? widen_block<std::int8_t, 1>
                                       : widen_block<std::int8_t, 2>
                         : (pair() == 1 ? widen_block<std::int16_t, 1>
                                        : widen_block<std::int16_t, 2>);
  widen(from, which, to);
}

}  // namespace nvdlac::sim
