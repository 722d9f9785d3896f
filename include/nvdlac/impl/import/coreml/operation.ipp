// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/coreml/operation.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL std::string weight_files::blob(const std::string& name, std::int64_t offset) {
  const auto& file = open(name);
  const auto at = static_cast<std::uintmax_t>(offset);
  const auto fail = [&](const char* why) {
    return error(text("its weights at byte ", offset, " of '", name, "' ", why));
  };
  constexpr std::size_t record_size = 64;
  if (offset < 0 || at > file.size() || file.size() - at < record_size)
    throw fail("lie behind its end");
  const auto record = file.read<std::string>(at, record_size);
  std::uint32_t mark = 0;
  std::uint64_t size = 0, from = 0;
  std::memcpy(&mark, record.data(), sizeof mark);
  std::memcpy(&size, record.data() + 8, sizeof size);
  std::memcpy(&from, record.data() + 16, sizeof from);
  if (mark != 0xDEADBEEF) throw fail("have no record");
  if (from > file.size() || size > file.size() - from) throw fail("lie behind its end");
  return file.read<std::string>(from, size);
}

NVDLAC_IMPL std::vector<std::filesystem::path> weight_files::paths() const {
  std::vector<std::filesystem::path> all;
  for (const auto& [name, file] : files_) all.push_back(file.first);
  return all;
}

NVDLAC_IMPL const data::regular_file& weight_files::open(const std::string& name) {
  if (const auto found = files_.find(name); found != files_.end()) return found->second.second;
  constexpr std::string_view beside = "@model_path/";
  const std::filesystem::path relative = name.starts_with(beside) ? name.substr(beside.size())
                                                                  : name;
  if (relative.empty() || relative.is_absolute())
    throw error("its weights are in '" + name + "', which is not beside the model");
  auto path = data::file_below(directory_, relative, "");
  data::regular_file file(path);
  return files_.emplace(name, std::pair{std::move(path), std::move(file)})
      .first->second.second;
}

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

NVDLAC_IMPL operation::operation(const proto::view& op, const translation::file_layer& l,
                                 const constants& known, value_reader& values,
                                 translation::channels_first_translator& all)
    : layer_(l), known_(known), values_(values), all_(all) {
  for (const auto& entry : op.children("inputs"))
    if (!inputs_.add(entry.string("key"), entry.child("value").children("arguments")))
      throw error("its input " + entry.string("key") + " is given twice");
}

NVDLAC_IMPL operand operation::tensor(const char* key) const {
  const auto all = tensors(key);
  if (all.size() != 1) throw error(text("its input ", key, " has ",
                                        count_of(all.size(), "tensor")));
  return all[0];
}

NVDLAC_IMPL std::vector<operand> operation::tensors(const char* key) const {
  const auto* given = inputs_.find(key);
  if (given == nullptr) throw error(text("its input ", key, " is missing"));
  std::vector<operand> found;
  for (const auto& b : *given)
    found.push_back(b.has("name") ? all_.at(b.string("name"))
                                  : operand::of(values_.read(b.child("value"))));
  return found;
}

NVDLAC_IMPL std::optional<dims> operation::integers(const char* key) const {
  if (!has(key)) return std::nullopt;
  const auto a = constant(key);
  if (a.real) throw error(text("its input ", key, " has no integers"));
  return a.integers;
}

NVDLAC_IMPL dims operation::pair(const char* key, std::int64_t otherwise) const {
  const auto found = integers(key).value_or(dims{otherwise, otherwise});
  if (found.size() != 2)
    throw error(problem{.reason = text("its ", key, " are ", onnx_format::to_text(found)),
                        .remedy = "windows of two dimensions are supported"});
  return found;
}

NVDLAC_IMPL std::vector<bool> operation::flags(const char* key) const {
  std::vector<bool> all;
  for (const auto i : integers(key).value_or(dims{})) all.push_back(i != 0);
  return all;
}

NVDLAC_IMPL std::string operation::word(const char* key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  const auto texts = value(key).child("immediateValue").child("tensor").child("strings");
  const auto all = texts.has("values") ? texts.strings("values") : std::vector<std::string>{};
  if (all.size() != 1) throw error(text("its input ", key, " is no text"));
  return all[0];
}

NVDLAC_IMPL void operation::require_understood() const {
  std::vector<problem> wrong;
  for (const auto& [key, ignored] : inputs_.unasked())
    wrong.push_back({.reason = "its input " + key + " is not understood",
                     .remedy = "understood are " + inputs_.asked()});
  if (!wrong.empty()) throw error(wrong);
}

NVDLAC_IMPL proto::view operation::value(const char* key) const {
  const auto* given = inputs_.find(key);
  if (given == nullptr || given->size() != 1)
    throw error(text("its input ", key, " is not one value"));
  const auto& b = given->front();
  if (!b.has("name")) return b.child("value");
  const auto found = known_.find(b.string("name"));
  if (found == known_.end())
    throw error(problem{.reason = text("its input ", key, " is computed"),
                        .remedy = "it must be known when the file is read"});
  return found->second;
}

NVDLAC_IMPL double operation::single(const char* key) const {
  const auto a = constant(key);
  if (a.size() != 1) throw error(text("its input ", key, " has ", count_of(a.size(), "value")));
  return a.number(0);
}

}  // namespace nvdlac::import::coreml_format
