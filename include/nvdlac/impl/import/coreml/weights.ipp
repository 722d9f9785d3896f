// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL std::vector<float> from_halves(std::string_view bytes) {
  std::vector<float> all;
  all.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    all.push_back(onnx_format::from_half(static_cast<std::uint16_t>(
        static_cast<unsigned char>(bytes[i]) | static_cast<unsigned char>(bytes[i + 1]) << 8)));
  return all;
}

NVDLAC_IMPL array weight_reader::read(const proto::view& w, const dims& shape, const char* what) {
  const auto n = static_cast<std::uint64_t>(onnx_format::count(shape));
  left_.take_weights(n);
  array a{.shape = shape};
  require_one_form(w, what);
  if (w.has("floatValue")) a.reals = w.values<float>("floatValue");
  else if (w.has("float16Value")) a.reals = from_halves(w.bytes("float16Value"));
  else a.reals = quantised(w, n, shape.empty() ? 1 : static_cast<std::uint64_t>(shape[0]), what);
  if (!std::cmp_equal(a.reals.size(), n))
    throw error(text("its ", what, " have ", count_of(a.reals.size(), "value"), " for the shape ",
                     onnx_format::to_text(shape)));
  return a;
}

NVDLAC_IMPL array weight_reader::list(const proto::view& w, const char* what) {
  require_one_form(w, what);
  const auto bits = w.child("quantization").integer("numberOfBits", 8);
  const auto n = w.has("floatValue")     ? w.size("floatValue")
                 : w.has("float16Value") ? w.bytes("float16Value").size() / 2
                                         : w.bytes("rawValue").size() * 8 /
                                               static_cast<std::size_t>(bits < 1 ? 8 : bits);
  return read(w, {static_cast<std::int64_t>(n)}, what);
}

NVDLAC_IMPL void weight_reader::require_one_form(const proto::view& w, const char* what) {
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

NVDLAC_IMPL std::vector<float> weight_reader::quantised(const proto::view& w, std::uint64_t n,
                                                        std::uint64_t channels, const char* what) {
  const auto q = w.child("quantization");
  const auto bits = static_cast<std::uint64_t>(q.integer("numberOfBits"));
  const auto& raw = w.bytes("rawValue");
  const bool linear = q.has("linearQuantization");
  if (bits < 1 || bits > 8 || linear == q.has("lookupTableQuantization"))
    throw error(problem{.reason = text("the quantisation of its ", what, " is not understood"),
                        .remedy = "scales or a table, of 1 to 8 bits, are"});
  if (raw.size() != (n * bits + 7) / 8)
    throw error(text("its ", what, " have ", raw.size(), " bytes for ", count_of(n, "value"),
                     " of ", bits,
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
  all.reserve(in_memory(n));
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

}  // namespace nvdlac::import::coreml_format
