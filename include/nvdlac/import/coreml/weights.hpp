// SPDX-License-Identifier: Apache-2.0
#pragma once
// The weights of neural networks: in 32 or 16 bits, or quantised to 1 to 8 bits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

using onnx_format::array;
using onnx_format::dims;

// Numbers of 16 bits, the low byte first.
inline std::vector<float> from_halves(std::string_view bytes) {
  std::vector<float> all;
  all.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    all.push_back(onnx_format::from_half(static_cast<std::uint16_t>(
        static_cast<unsigned char>(bytes[i]) | static_cast<unsigned char>(bytes[i + 1]) << 8)));
  return all;
}

class weight_reader {
 public:
  explicit weight_reader(std::size_t bytes_of_file) : left_(bytes_of_file) {}

  // The scales of quantised weights count along the first dimension.
  array read(const proto::view& w, const dims& shape, const char* what) {
    const auto n = static_cast<std::uint64_t>(onnx_format::count(shape));
    left_.take_weights(n);
    array a{.shape = shape};
    require_one_form(w, what);
    if (w.has("floatValue")) a.reals = w.values<float>("floatValue");
    else if (w.has("float16Value")) a.reals = from_halves(w.bytes("float16Value"));
    else a.reals = quantised(w, n, shape.empty() ? 1 : static_cast<std::uint64_t>(shape[0]), what);
    if (!std::cmp_equal(a.reals.size(), n))
      throw error(text("its ", what, " have ", a.reals.size(), " values for the shape ",
                       onnx_format::to_text(shape)));
    return a;
  }
  // As many as there are.
  array list(const proto::view& w, const char* what) {
    require_one_form(w, what);
    const auto bits = w.child("quantization").integer("numberOfBits", 8);
    const auto n = w.has("floatValue")     ? w.size("floatValue")
                   : w.has("float16Value") ? w.bytes("float16Value").size() / 2
                                           : w.bytes("rawValue").size() * 8 /
                                                 static_cast<std::size_t>(bits < 1 ? 8 : bits);
    return read(w, {static_cast<std::int64_t>(n)}, what);
  }

 private:
  static void require_one_form(const proto::view& w, const char* what) {
    if (w.has("int8RawValue"))
      throw error(problem{.reason = text("its ", what, " are for quantised arithmetic (int8)"),
                          .remedy = "weights quantised by a scale or a table are supported"});
    int forms = 0;
    for (const char* form : {"floatValue", "float16Value", "rawValue"})
      forms += w.has(form) ? 1 : 0;
    if (forms != 1)
      throw error(text("its ", what, forms == 0 ? " are missing" : " are given in several forms"));
    if (w.has("rawValue") && !w.has("quantization"))
      throw error(text("its ", what, " are raw bytes without a quantisation"));
  }
  // Numbers of few bits stand one behind the other, each with its highest bit first.
  static std::vector<float> quantised(const proto::view& w, std::uint64_t n, std::uint64_t channels,
                                      const char* what) {
    const auto q = w.child("quantization");
    const auto bits = static_cast<std::uint64_t>(q.integer("numberOfBits"));
    const auto& raw = w.bytes("rawValue");
    const bool linear = q.has("linearQuantization");
    if (bits < 1 || bits > 8 || linear == q.has("lookupTableQuantization"))
      throw error(problem{.reason = text("the quantisation of its ", what, " is not understood"),
                          .remedy = "scales or a table, of 1 to 8 bits, are"});
    if (raw.size() != (n * bits + 7) / 8)
      throw error(text("its ", what, " have ", raw.size(), " bytes for ", n, " values of ", bits,
                       " bits"));
    const auto scales = linear ? q.child("linearQuantization").values<float>("scale")
                               : q.child("lookupTableQuantization").values<float>("floatValue");
    auto biases = linear ? q.child("linearQuantization").values<float>("bias")
                         : std::vector<float>{};
    if (linear && biases.empty()) biases = {0};
    const auto fits = [&](std::size_t size) { return size == 1 || size == channels; };
    if (linear ? !fits(scales.size()) || !fits(biases.size()) || channels == 0
               : scales.size() != std::size_t{1} << bits)
      throw error(text("the quantisation of its ", what, " has ", scales.size(), " numbers"));
    std::vector<float> all;
    all.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      unsigned v = 0;
      for (auto b = i * bits; b < (i + 1) * bits; ++b)
        v = v << 1 | (static_cast<unsigned char>(raw[b / 8]) >> (7 - b % 8) & 1U);
      const auto channel = linear ? i / (n / channels) : 0;
      all.push_back(linear ? scales[scales.size() == 1 ? 0 : channel] * static_cast<float>(v) +
                                 biases[biases.size() == 1 ? 0 : channel]
                           : scales[v]);
    }
    return all;
  }

  onnx_format::constant_elements left_;
};

}  // namespace nvdlac::import::coreml_format
