// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/value_reader.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL dims shape_of(const proto::view& tensor_type) {
  dims shape;
  for (const auto& d : tensor_type.children("dimensions"))
    shape.push_back(d.has("unknown") ? -1 : d.child("constant").integer("size"));
  return shape;
}

NVDLAC_IMPL bool is_text(const proto::view& value) {
  return value.child("type").child("tensorType").integer("dataType") == 2;
}

NVDLAC_IMPL array value_reader::read(const proto::view& value) {
  const auto type = value.child("type").child("tensorType");
  array a{.shape = shape_of(type)};
  const auto n = static_cast<std::uint64_t>(onnx_format::count(a.shape));
  left_.take_weights(n);
  fill(a, value, type.integer("dataType"));
  if (!std::cmp_equal(a.size(), n))
    throw error(text("it has ", count_of(a.size(), "value"), " for the shape ",
                     onnx_format::to_text(a.shape)));
  return a;
}

NVDLAC_IMPL array value_reader::dequantised(const proto::view& data, const proto::view& scale,
                                            const proto::view& zero, std::int64_t axis) {
  const auto q = read(data), s = read(scale), z = read(zero);
  array a{.shape = q.shape};
  const auto rank = static_cast<std::int64_t>(q.shape.size());
  if (axis < 0) axis += rank;
  std::size_t inner = 1, channels = 1;
  if (s.size() != 1 || z.size() != 1) {
    if (axis < 0 || axis >= rank) throw error(text("its axis is ", axis));
    channels = static_cast<std::size_t>(q.shape[static_cast<std::size_t>(axis)]);
    for (auto i = axis + 1; i < rank; ++i)
      inner *= static_cast<std::size_t>(q.shape[static_cast<std::size_t>(i)]);
  }
  const auto fits = [&](const array& v) { return v.size() == 1 || v.size() == channels; };
  if (!fits(s) || !fits(z)) throw error("its scales do not fit its axis");
  for (std::size_t i = 0; i < q.size(); ++i) {
    const auto c = i / inner % channels;
    a.reals.push_back(static_cast<float>(s.number(s.size() == 1 ? 0 : c) *
                                         (q.number(i) - z.number(z.size() == 1 ? 0 : c))));
  }
  return a;
}

NVDLAC_IMPL array value_reader::looked_up(const proto::view& indices, const proto::view& table,
                                          const proto::view& shape) {
  const auto packed = read(indices), values = read(table), sizes = read(shape);
  array a{};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    a.shape.push_back(static_cast<std::int64_t>(sizes.number(i)));
  const auto n = static_cast<std::uint64_t>(onnx_format::count(a.shape));
  left_.take_weights(n);
  std::uint64_t bits = 0;
  while (bits < 9 && std::uint64_t{1} << bits < values.size()) ++bits;
  if (bits < 1 || bits > 8 || values.size() != std::size_t{1} << bits ||
      packed.size() != (n * bits + 7) / 8 || packed.real)
    throw error(text("its table of ", count_of(values.size(), "value"), " does not fit its ",
                     packed.size(),
                     " bytes of indices"));
  for (std::uint64_t i = 0; i < n; ++i) {
    std::size_t v = 0;
    for (std::uint64_t b = 0; b < bits; ++b) {
      const auto at = i * bits + b;
      v |= static_cast<std::size_t>(packed.integers[at / 8] >> at % 8 & 1) << b;
    }
    a.reals.push_back(static_cast<float>(values.number(v)));
  }
  return a;
}

NVDLAC_IMPL void value_reader::fill(array& a, const proto::view& value, std::int64_t type) {
  if (value.has("blobFileValue")) {
    const auto where = value.child("blobFileValue");
    return unpack(a, files_.blob(where.string("fileName"), where.integer("offset")), type);
  }
  const auto tensor = value.child("immediateValue").child("tensor");
  if (tensor.has("bytes")) {
    const auto bytes = tensor.child("bytes");
    return unpack(a, bytes.has("values") ? bytes.bytes("values") : std::string(), type);
  }
  if (tensor.has("floats")) {
    a.reals = tensor.child("floats").values<float>("values");
    return;
  }
  a.real = false;
  if (tensor.has("longInts")) {
    a.integers = tensor.child("longInts").values<std::int64_t>("values");
  } else if (tensor.has("ints")) {
    for (const auto v : tensor.child("ints").values<std::int32_t>("values"))
      a.integers.push_back(v);
  } else if (tensor.has("bools")) {
    for (const bool v : tensor.child("bools").values<bool>("values"))
      a.integers.push_back(v ? 1 : 0);
  } else {
    throw error(problem{.reason = "its value is in a form that is not understood",
                        .remedy = "tensors of numbers are"});
  }
}

NVDLAC_IMPL void value_reader::unpack(array& a, std::string_view raw, std::int64_t type) {
  switch (type) {
    case 10: a.reals = from_halves(raw); return;
    case 11:
      a.reals.resize(raw.size() / sizeof(float));
      if (!a.reals.empty())
        std::memcpy(a.reals.data(), raw.data(), a.reals.size() * sizeof(float));
      return;
    case 1: case 31: return integers_in<std::uint8_t>(a, raw);
    case 21: return integers_in<std::int8_t>(a, raw);
    case 22: return integers_in<std::int16_t>(a, raw);
    case 23: return integers_in<std::int32_t>(a, raw);
    case 24: return integers_in<std::int64_t>(a, raw);
    case 32: return integers_in<std::uint16_t>(a, raw);
    case 33: return integers_in<std::uint32_t>(a, raw);
    default:
      throw error(problem{.reason = text("its data type ", type, " is not supported"),
                          .remedy = "real numbers of 16 and 32 bits and integers are"});
  }
}

}  // namespace nvdlac::import::coreml_format
