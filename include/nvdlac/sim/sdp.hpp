// SPDX-License-Identifier: Apache-2.0
#pragma once
// SDP: X1, X2 and Y, then the output converter, for int8, one surface at a time.
#include <nvdlac/sim/cube.hpp>
#include <nvdlac/sim/sdp_arithmetic.hpp>

namespace nvdlac::sim {

// Operands that SDP_RDMA fetches for one sub-unit: alu, mul, or pairs of both.
struct sdp_operands {
  bool alu = false, mul = false, per_element = false;
  std::uint32_t bytes = 1;  // of one operand
  cube source{};            // its unit: lanes * operands * bytes
};

struct sdp_x {
  bool bypass = true, alu_bypass = true, mul_bypass = true, relu = false, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int alu_shift = 0, mul_shift = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  sdp_operands operands{};
};

struct sdp_y {
  bool bypass = true, alu_bypass = true, mul_bypass = true, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  bool alu_convert = false, mul_convert = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int truncate = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  converter alu_converter{}, mul_converter{};
  sdp_operands operands{};
};

struct sdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1;
  bool flying = false, to_pdp = false;
  bool reads_memory = false;  // needs SDP_RDMA
  cube source{}, destination{};
  sdp_x x1{}, x2{};
  sdp_y y{};
  converter output{};
};

class sdp_engine {
 public:
  // `values`: width * height * lanes elements, 32 bits, of surface `s`; results to `out`.
  void surface(const sdp_layer& l, std::size_t s, std::size_t lanes,
               std::span<std::int32_t> values, std::span<std::int8_t> out) {
    lanes_ = lanes;
    x(l.x1, s, values);
    x(l.x2, s, values);
    y(l.y, s, values);
    const auto c = l.output;
    if (c == converter{})
      for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = static_cast<std::int8_t>(std::clamp(values[i], -128, 127));
    else
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = sdp_output(c, values[i]);
  }

  // A surface of SDP_RDMA's main input, widened.
  void read_source(const sdp_layer& l, std::size_t s, std::span<std::int32_t> values) {
    raw_.resize(values.size());
    read_surface(l.source, s, raw_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int8_t>(raw_[i]);
  }

 private:
  // Operands of a surface: one for each lane, or for each element; `step` to the next pixel's.
  struct stream {
    const std::int32_t* data;
    std::size_t step;
  };

  void load(const sdp_operands& o, std::size_t s) {
    const auto bytes = static_cast<std::size_t>(o.source.surface_bytes());
    raw_.resize(bytes);
    read_surface(o.source, s, raw_);
    const std::size_t interleave = o.alu && o.mul ? 2 : 1;
    const auto n = bytes / o.bytes / interleave;
    const auto widen = [&](std::size_t at, std::vector<std::int32_t>& to) {
      to.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto j = (i * interleave + at) * o.bytes;
        to[i] = o.bytes == 1 ? static_cast<std::int8_t>(raw_[j])
                             : static_cast<std::int16_t>(raw_[j] | raw_[j + 1] << 8);
      }
    };
    if (o.alu) widen(0, alu_);
    if (o.mul) widen(interleave - 1, mul_);
  }

  stream operand(bool memory, bool per_element, std::int32_t constant,
                 std::vector<std::int32_t>& values) {
    if (!memory) values.assign(lanes_, constant);
    return {values.data(), memory && per_element ? lanes_ : 0};
  }

  template <class F>
  void each(std::span<std::int32_t> v, stream a, stream m, F&& f) const {
    for (std::size_t p = 0; p < v.size(); p += lanes_, a.data += a.step, m.data += m.step)
      for (std::size_t i = 0; i < lanes_; ++i) v[p + i] = f(v[p + i], a.data[i], m.data[i]);
  }

  void x(const sdp_x& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, mul ? u.mul_operand : 1, mul_);
    for (auto& operand : alu_)
      operand = static_cast<std::int32_t>(sdp_x_operand(operand, u.alu_shift));
    const bool prelu = mul && u.prelu;
    const auto floor = u.relu ? 0 : std::int64_t{INT32_MIN};
    const auto run = [&](auto alu) {
      if (!mul && u.mul_shift == 0)
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t) {
          return static_cast<std::int32_t>(std::max(saturate<32>(alu(e, ao)), floor));
        });
      else
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
          return std::max(sdp_mul(alu(e, ao), mo, u.mul_shift, prelu),
                          static_cast<std::int32_t>(floor));
        });
    };
    with_alu(u.alu_bypass, u.algorithm, run);
  }

  void y(const sdp_y& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, u.mul_operand, mul_);
    if (u.alu_from_memory && u.alu_convert)
      for (auto& e : alu_) e = sdp_y_operand(u.alu_converter, e);
    if (u.mul_from_memory && u.mul_convert)
      for (auto& e : mul_) e = sdp_y_operand(u.mul_converter, e);
    with_alu(u.alu_bypass, u.algorithm, [&](auto alu) {
      each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
        const auto scaled = mul ? sdp_mul(e, mo, u.truncate, u.prelu) : e;
        return static_cast<std::int32_t>(saturate<32>(alu(scaled, ao)));
      });
    });
  }

  // f(function of element and operand), the algorithm chosen outside of the loop.
  template <class F>
  static void with_alu(bool bypass, alu_algorithm a, F&& f) {
    using i64 = std::int64_t;
    if (bypass) return f([](i64 e, i64) { return e; });
    switch (a) {
      case alu_algorithm::max:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::max, e, o); });
      case alu_algorithm::min:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::min, e, o); });
      default: return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::sum, e, o); });
    }
  }

  std::size_t lanes_ = 0;
  std::vector<std::uint8_t> raw_;
  std::vector<std::int32_t> alu_, mul_;
};

}  // namespace nvdlac::sim
