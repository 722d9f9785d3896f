// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/sim/rule.hpp>
#include <nvdlac/sim/sdp/arithmetic.hpp>
#include <nvdlac/sim/sdp/block.hpp>
#include <nvdlac/sim/sdp/layer.hpp>

namespace nvdlac::sim {

// The fp16 side of SDP: fp32 inside, operands of fp16.
// An operand, its NaN flushed if NAN_TO_ZERO says so.
constexpr fp32 sdp_float_operand(fp16 x, bool nan_to_zero) {
  return nan_to_zero && x.is_nan() ? fp32{} : convert<fp32>(x);
}

constexpr fp32 sdp_float_alu(alu_algorithm a, fp32 x, fp32 operand) {
  switch (a) {
    case alu_algorithm::max: return max(x, operand);
    case alu_algorithm::min: return min(x, operand);
    case alu_algorithm::equal: return {x.bits != operand.bits};
    default: return add(x, operand);
  }
}

// With PReLU, whatever has the sign bit 0 goes around the multiplier, a NaN too.
constexpr fp32 sdp_float_mul(fp32 x, fp32 operand, bool prelu) {
  return prelu && x.sign() == 0 ? x : mul(x, operand);
}

// The output of fp16 and, through it, of int16; the converter's registers do not take part.
constexpr fp16 sdp_float_output(fp32 x) { return convert<fp16>(x); }
constexpr std::int16_t sdp_float_output_16(fp32 x) {
  return static_cast<std::int16_t>(to_integer<16>(convert<fp16>(x)));
}

// The sub-units X1, X2 and Y, on blocks of elements of 32 bits: integers, or the bits of fp32.
// What a configuration's SDP has besides X1 and X2 for int8.
struct sdp_features {
  bool y = true, lut = true, int16 = true, fp16 = true;
};

inline std::int32_t sdp_bits(fp32 x) { return std::bit_cast<std::int32_t>(x.bits); }
inline fp32 sdp_real(std::int32_t bits) { return {std::bit_cast<std::uint32_t>(bits)}; }

// fp16 to fp32, NaN flushed if `flush`.
inline void sdp_widen_block(sdp_integers& halves, bool flush) {
  if (quick_widen(halves)) return;
  for (auto& x : halves)
    x = sdp_bits(sdp_float_operand(fp16{static_cast<std::uint16_t>(x)}, flush));
}

// v alu operands, v * operands: of fp32.
inline void sdp_float_alu_block(alu_algorithm alu, sdp_integers& v, const sdp_integers& operands) {
  sdp_integers quick;
  if (alu == alu_algorithm::sum && quick_add(v, operands, quick)) {
    v = quick;
    return;
  }
  for (std::size_t i = 0; i < sdp_block; ++i)
    v[i] = sdp_bits(sdp_float_alu(alu, sdp_real(v[i]), sdp_real(operands[i])));
}
inline void sdp_float_mul_block(bool prelu, sdp_integers& v, const sdp_integers& operands) {
  sdp_integers quick;
  if (quick_mul(v, operands, prelu, quick)) {
    v = quick;
    return;
  }
  for (std::size_t i = 0; i < sdp_block; ++i)
    v[i] = sdp_bits(sdp_float_mul(sdp_real(v[i]), sdp_real(operands[i]), prelu));
}

// The operands of one sub-unit for the present block.
struct sdp_block_operands {
  sdp_operand_reader reader;
  sdp_integers alu{}, mul{};
  alignas(16) std::array<double, sdp_block> offset{}, scale{};  // where sums are not narrow
  bool narrow_sums = false, narrow_products = false;  // 32 bits hold them
  bool exact = true;  // the multipliers are small enough for doubles

  sdp_stream offsets() const { return {offset.data()}; }
  sdp_stream scales() const { return {scale.data()}; }
};

// X1 or X2. Per surface `begin`, then `run` for its blocks in order.
template <sdp_features Has>
class sdp_x_unit {
 public:
  // For inputs of at most this magnitude; that of the results.
  sdp_magnitude begin(const sdp_layer& l, const sdp_x& u, std::size_t surface, std::size_t lanes,
                      sdp_magnitude in) {
    u_ = &u;
    if (u.bypass) return in;
    real_ = l.proc == hw::precision::fp16;
    flush_ = l.nan_to_zero;
    o_.reader.begin(u.operands, surface, lanes);
    const auto out = real_ ? sdp_any_magnitude : measure(in);
    alu(0);
    mul(0);
    return out;
  }

  void run(std::size_t at, sdp_integers& v) {
    if (u_->bypass) return;
    if (!u_->alu_bypass && o_.reader.alu_per_element()) alu(at);
    if (!u_->mul_bypass && o_.reader.mul_per_element()) mul(at);
    if constexpr (Has.fp16)
      if (real_) return run_real(v);
    if (o_.narrow_sums) return run_narrow(v);
    const bool prelu = u_->prelu && !u_->mul_bypass;
    const auto algorithm = u_->alu_bypass ? alu_algorithm::sum : u_->algorithm;
    sdp_stage(algorithm, prelu, v.data(), v.data(), o_.offsets(), o_.scales(),
              {.low = u_->relu ? 0.0 : INT32_MIN});
  }

 private:
  sdp_magnitude measure(sdp_magnitude in) {
    const auto& u = *u_;
    const auto shifted = u.alu_bypass        ? sdp_magnitude{0}
                         : u.alu_from_memory ? o_.reader.magnitude()
                                             : sdp_magnitude_of(u.alu_operand);
    const auto operand = shifted << std::min(u.alu_shift, 32);
    const auto factor = u.mul_bypass        ? sdp_magnitude{1}
                        : u.mul_from_memory ? o_.reader.magnitude()
                                            : sdp_magnitude_of(u.mul_operand);
    const auto sum = in + std::min(operand, sdp_any_magnitude);
    o_.narrow_sums = sum <= INT32_MAX;
    o_.narrow_products = o_.narrow_sums && sdp_rounding::holds(sum * factor, u.mul_shift);
    const auto scaled = std::min(sdp_rounding::of_result(sum * factor, u.mul_shift),
                                 sdp_any_magnitude);
    return std::min(u.prelu && !u.mul_bypass ? std::max(sum, scaled) : scaled, sdp_any_magnitude);
  }

  void alu(std::size_t at) {
    if (u_->alu_bypass) return o_.offset.fill(0);
    if (u_->alu_from_memory) o_.reader.alu(at, o_.alu);
    else o_.alu.fill(u_->alu_operand);
    if constexpr (Has.fp16)
      if (real_) return sdp_widen_block(o_.alu, flush_);
    // Sums of a larger shift are narrow only if the operand is 0.
    if (o_.narrow_sums) return sdp_left_block(o_.alu, std::min(u_->alu_shift, 31));
    sdp_scale_block(o_.alu.data(), o_.offset.data(), std::ldexp(1.0, u_->alu_shift));
  }

  void mul(std::size_t at) {
    if (u_->mul_bypass) o_.mul.fill(1);
    else if (u_->mul_from_memory) o_.reader.mul(at, o_.mul);
    else o_.mul.fill(u_->mul_operand);
    if constexpr (Has.fp16)
      if (real_) return sdp_widen_block(o_.mul, flush_);
    if (!o_.narrow_sums) sdp_scale_block(o_.mul.data(), o_.scale.data(), sdp_power(u_->mul_shift));
  }

  void run_narrow(sdp_integers& v) const {
    if (!u_->alu_bypass) sdp_alu_block(u_->algorithm, v, o_.alu);
    const bool prelu = u_->prelu && !u_->mul_bypass;
    if (!o_.narrow_products) sdp_product(v.data(), o_.mul.data(), sdp_power(u_->mul_shift), prelu);
    else if (u_->mul_bypass) sdp_shift_block(v, u_->mul_shift);
    else sdp_mul_block(prelu, v, o_.mul, u_->mul_shift);
    if (u_->relu) sdp_relu_block(v);
  }

  void run_real(sdp_integers& v) const {
    if (!u_->alu_bypass) sdp_float_alu_block(u_->algorithm, v, o_.alu);
    if (!u_->mul_bypass) sdp_float_mul_block(u_->prelu, v, o_.mul);
    if (u_->relu)
      for (auto& x : v) x = sdp_bits(relu(sdp_real(x)));
  }

  const sdp_x* u_ = nullptr;
  bool real_ = false, flush_ = false;
  sdp_block_operands o_;
};

// Y: multiplier, ALU, lookup table.
template <sdp_features Has>
class sdp_y_unit {
 public:
  // As of X1 and X2.
  sdp_magnitude begin(const sdp_layer& l, std::size_t surface, std::size_t lanes,
                      sdp_magnitude in) {
    l_ = &l;
    const auto& u = l.y;
    if (u.bypass) return in;
    real_ = l.proc == hw::precision::fp16;
    o_.reader.begin(u.operands, surface, lanes);
    const auto out = real_ ? sdp_any_magnitude : measure(in);
    alu(0);
    mul(0);
    return u.lut ? sdp_any_magnitude : out;
  }

  // The first `count` elements of the block count in the table's statistics.
  void run(std::size_t at, sdp_integers& v, const lut_tables& tables, std::size_t count,
           lut_counts& counts) {
    const auto& u = l_->y;
    if (u.bypass) return;
    if (!u.alu_bypass && o_.reader.alu_per_element()) alu(at);
    if (!u.mul_bypass && o_.reader.mul_per_element()) mul(at);
    if constexpr (Has.fp16) {
      if (real_) {
        run_real(v);
        if constexpr (Has.lut)
          for (std::size_t i = 0; u.lut && i < count; ++i)
            v[i] = sdp_bits(sdp_lut(l_->lut, tables, sdp_real(v[i]), counts));
        return;
      }
    }
    run_whole(v);
    if constexpr (Has.lut)
      for (std::size_t i = 0; u.lut && i < count; ++i)
        v[i] = sdp_lut(l_->lut, tables, v[i], counts);
  }

 private:
  static constexpr std::int32_t largest_exact = 1 << 20;  // times 32 bits: below 2^52

  sdp_magnitude of_operand(bool from_memory, bool converted, const converter& c,
                           std::int32_t constant) const {
    if (!from_memory) return sdp_magnitude_of(constant);
    const auto x = o_.reader.magnitude();
    if (!converted) return x;
    const auto product = (x + sdp_magnitude_of(c.offset)) * sdp_magnitude_of(c.scale);
    return std::min(sdp_rounding::of_result(product, std::min<int>(c.shift, 60)),
                    sdp_any_magnitude);
  }

  sdp_magnitude measure(sdp_magnitude in) {
    const auto& u = l_->y;
    if (!u.mul_bypass) {
      const auto factor = of_operand(u.mul_from_memory, u.mul_convert, u.mul_converter,
                                     u.mul_operand);
      o_.narrow_products = sdp_rounding::holds(in * factor, u.truncate);
      always_exact_ = factor < largest_exact;
      const auto scaled = std::min(sdp_rounding::of_result(in * factor, std::min(u.truncate, 62)),
                                   sdp_any_magnitude);
      in = u.prelu ? std::max(in, scaled) : scaled;
    }
    if (!u.alu_bypass) {
      in += of_operand(u.alu_from_memory, u.alu_convert, u.alu_converter, u.alu_operand);
      o_.narrow_sums = in <= INT32_MAX;
    }
    return std::min(in, sdp_any_magnitude);
  }

  void alu(std::size_t at) {
    const auto& u = l_->y;
    if (u.alu_bypass) return;
    if (!u.alu_from_memory) o_.alu.fill(u.alu_operand);
    else fetch(at, o_.alu, u.alu_convert ? &u.alu_converter : nullptr, true);
    if (!o_.narrow_sums) sdp_scale_block(o_.alu.data(), o_.offset.data(), 1);
  }

  void mul(std::size_t at) {
    const auto& u = l_->y;
    if (u.mul_bypass) return;
    if (!u.mul_from_memory) o_.mul.fill(u.mul_operand);
    else fetch(at, o_.mul, u.mul_convert ? &u.mul_converter : nullptr, false);
    o_.exact = true;
    if (o_.narrow_products || always_exact_) return;
    std::uint32_t bits = 0;
    for (const auto m : o_.mul) bits |= static_cast<std::uint32_t>(m < 0 ? ~m : m);
    o_.exact = bits < static_cast<std::uint32_t>(largest_exact);
  }

  void fetch(std::size_t at, sdp_integers& to, const converter* c, bool alu) {
    if (alu) o_.reader.alu(at, to);
    else o_.reader.mul(at, to);
    if constexpr (Has.fp16)
      if (real_) return sdp_widen_block(to, l_->nan_to_zero);
    if (c != nullptr) sdp_convert_block(*c, to.data(), to.data(), {});
  }

  void run_whole(sdp_integers& v) const {
    const auto& u = l_->y;
    if (!u.mul_bypass) {
      if (o_.narrow_products)
        sdp_mul_block(u.prelu, v, o_.mul, u.truncate);
      else if (o_.exact)
        sdp_product(v.data(), o_.mul.data(), sdp_power(u.truncate), u.prelu);
      else
        for (std::size_t i = 0; i < sdp_block; ++i)
          v[i] = sdp_mul(v[i], o_.mul[i], u.truncate, u.prelu);
    }
    if (u.alu_bypass) return;
    if (u.algorithm == alu_algorithm::equal)
      for (std::size_t i = 0; i < sdp_block; ++i) v[i] = v[i] != o_.alu[i];
    else if (o_.narrow_sums)
      sdp_alu_block(u.algorithm, v, o_.alu);
    else
      sdp_stage(u.algorithm, false, v.data(), v.data(), o_.offsets(), sdp_constant(1), {});
  }

  void run_real(sdp_integers& v) const {
    const auto& u = l_->y;
    if (!u.mul_bypass) sdp_float_mul_block(u.prelu, v, o_.mul);
    if (!u.alu_bypass) sdp_float_alu_block(u.algorithm, v, o_.alu);
  }

  const sdp_layer* l_ = nullptr;
  bool real_ = false, always_exact_ = false;
  sdp_block_operands o_;
};

}  // namespace nvdlac::sim
