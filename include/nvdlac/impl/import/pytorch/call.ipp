// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL bool is_real(std::int64_t type) {
  return type == type_half || type == type_float || type == type_double || type == type_bfloat16;
}

NVDLAC_IMPL std::size_t size_of(std::int64_t type) {
  switch (type) {
    case type_long: case type_double: return 8;
    case type_int: case type_float: return 4;
    case type_short: case type_half: case type_bfloat16: return 2;
    case type_byte: case type_char: case type_bool: return 1;
    default: throw error(text("its values are of PyTorch's type number ", type));
  }
}

NVDLAC_IMPL std::int64_t integer_in(const json& v) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (!v.is_number_integer() ||
      (v.is_number_unsigned() && std::cmp_greater(v.get<std::uint64_t>(), most)))
    throw error(text("it has ", shown(v), " where a whole number is meant"));
  return v.get<std::int64_t>();
}

NVDLAC_IMPL dims fixed_sizes(const json& meta, const char* key) {
  const auto* list = member(meta, key);
  if (list == nullptr || !list->is_array() || list->size() > 8)
    throw error(text("its ", key, " are not told"));
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    if (fixed == nullptr) throw error(text("its ", key, " are not fixed"));
    d.push_back(integer_in(*fixed));
  }
  return d;
}

NVDLAC_IMPL array tensor_of(const json& meta, std::string_view bytes) {
  const auto* type = member(meta, "dtype");
  const auto kind = type == nullptr ? 0 : integer_in(*type);
  const auto size = size_of(kind);
  constexpr std::int64_t strided = 7;
  if (const auto* layout = member(meta, "layout");
      layout != nullptr && integer_in(*layout) != strided)
    throw error(problem{.reason = "its values are sparse", .remedy = "store them as dense ones"});
  array a{.shape = fixed_sizes(meta, "sizes"), .real = is_real(kind)};
  const auto n = static_cast<std::size_t>(onnx_format::count(a.shape));
  auto strides = fixed_sizes(meta, "strides");
  if (strides.size() != a.shape.size()) throw error("its strides do not fit its sizes");
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (a.shape[i] == 1) strides[i] = 0;  // nothing steps by it
  const auto* start = member(meta, "storage_offset");
  const auto* first = start == nullptr ? nullptr : member(*start, "as_int");
  const auto offset = first == nullptr ? 0 : integer_in(*first);
  double last = static_cast<double>(offset);
  for (std::size_t i = 0; i < strides.size(); ++i)
    last += static_cast<double>(strides[i]) * static_cast<double>(a.shape[i] - 1);
  // A small file can describe large weights by strides of 0.
  if (offset < 0 || std::ranges::any_of(strides, [](auto s) { return s < 0; }) ||
      n > bytes.size() / size ||
      (n != 0 && (last + 1) * static_cast<double>(size) > static_cast<double>(bytes.size())))
    throw error(problem{.reason = text("its values have ", bytes.size(), " bytes, but its shape ",
                                       onnx_format::to_text(a.shape), " needs more"),
                        .remedy = "the file is corrupt"});
  const auto read = [&]<class Stored>(Stored, auto& to, auto convert) {
    to.resize(n);
    dims at(a.shape.size(), 0);
    std::int64_t place = offset;
    for (std::size_t i = 0; i < n; ++i) {
      Stored s;  // little endian, as the machines this runs on are
      std::memcpy(&s, bytes.data() + static_cast<std::size_t>(place) * sizeof(Stored),
                  sizeof(Stored));
      to[i] = convert(s);
      for (std::size_t k = at.size(); k-- > 0;) {
        place += strides[k];
        if (++at[k] < a.shape[k]) break;
        place -= strides[k] * a.shape[k];
        at[k] = 0;
      }
    }
  };
  const auto integer = [](auto v) { return static_cast<std::int64_t>(v); };
  const auto real = [](auto v) { return static_cast<float>(v); };
  switch (kind) {
    case type_float: read(float{}, a.reals, real); break;
    case type_double: read(double{}, a.reals, real); break;
    case type_half: read(std::uint16_t{}, a.reals, onnx_format::from_half); break;
    case type_bfloat16: read(std::uint16_t{}, a.reals, onnx_format::from_bfloat); break;
    case type_long: read(std::int64_t{}, a.integers, integer); break;
    case type_int: read(std::int32_t{}, a.integers, integer); break;
    case type_short: read(std::int16_t{}, a.integers, integer); break;
    case type_char: read(std::int8_t{}, a.integers, integer); break;
    default: read(std::uint8_t{}, a.integers, integer); break;
  }
  return a;
}

NVDLAC_IMPL std::optional<dims> sizes::told(const std::string& tensor) const {
  const auto* list = sizes_of(tensor);
  if (list == nullptr) return std::nullopt;
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    d.push_back(fixed == nullptr ? -1 : integer_in(*fixed));
  }
  return d;
}

NVDLAC_IMPL void sizes::know(const std::string& input, const dims& given) {
  const auto* list = sizes_of(input);
  for (std::size_t i = 0; list != nullptr && i < list->size() && i < given.size(); ++i)
    if (const auto name = open_name((*list)[i]); !name.empty()) open_[name] = given[i];
}

NVDLAC_IMPL std::int64_t sizes::number(const std::string& name) const {
  const auto found = open_.find(name);
  if (found == open_.end())
    throw error(problem{.reason = "it depends on the size '" + name + "', which is open",
                        .remedy = "export the model with sizes that are fixed"});
  return found->second;
}

NVDLAC_IMPL dims sizes::of(const std::string& tensor) const {
  const auto* list = sizes_of(tensor);
  if (list == nullptr) throw error("the file does not tell the shape of '" + tensor + "'");
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    d.push_back(fixed != nullptr ? integer_in(*fixed) : number(open_name(i)));
  }
  return d;
}

NVDLAC_IMPL bool sizes::is_real(const std::string& tensor) const {
  const auto* meta = member(tensors_, tensor.c_str());
  const auto* type = meta == nullptr ? nullptr : member(*meta, "dtype");
  return type == nullptr || pytorch_format::is_real(integer_in(*type));
}

NVDLAC_IMPL const json* sizes::sizes_of(const std::string& tensor) const {
  const auto* meta = member(tensors_, tensor.c_str());
  const auto* list = meta == nullptr ? nullptr : member(*meta, "sizes");
  return list == nullptr || !list->is_array() || list->size() > 8 ? nullptr : list;
}

NVDLAC_IMPL std::string sizes::open_name(const json& size) {
  const auto* open = member(size, "as_expr");
  return open == nullptr ? "" : word(*open, "expr_str");
}

NVDLAC_IMPL call::call(const json& node, const translation::file_layer& l,
                       translation::channels_first_translator& all, sizes& known)
    : layer(l.name), outputs(l.outputs), size(known), all_(all) {
  const auto* inputs = member(node, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return;
  for (const auto& i : *inputs)
    if (const auto* a = member(i, "arg"); a != nullptr && a->is_object() && a->size() == 1)
      if (!a->contains("as_none"))
        if (auto name = word(i, "name"); !arguments_.add(name, a))
          throw error("its argument " + name + " is given twice");
}

NVDLAC_IMPL std::optional<std::string> call::tensor_name(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  const auto* t = member(*a, "as_tensor");
  if (t == nullptr) {
    const auto* optional = member(*a, "as_optional_tensor");
    t = optional == nullptr ? nullptr : member(*optional, "as_tensor");
    if (optional != nullptr && t == nullptr) return std::nullopt;
  }
  if (t == nullptr) throw not_understood(name, *a);
  return word(*t, "name");
}

NVDLAC_IMPL std::optional<operand> call::optional_tensor(const char* name) const {
  const auto t = tensor_name(name);
  if (!t) return std::nullopt;
  return all_.at(*t);
}

NVDLAC_IMPL operand call::tensor(const char* name) const {
  return hub::required(optional_tensor(name), name);
}

NVDLAC_IMPL std::vector<operand> call::tensors(const char* name) const {
  const auto* a = find(name);
  const auto* list = a == nullptr ? nullptr : member(*a, "as_tensors");
  if (list == nullptr || !list->is_array()) throw error(text("its ", name, " are missing"));
  std::vector<operand> found;
  for (const auto& t : *list) found.push_back(all_.at(word(t, "name")));
  return found;
}

NVDLAC_IMPL std::int64_t call::integer(const char* name,
                                       std::optional<std::int64_t> otherwise) const {
  const auto* a = find(name);
  return a != nullptr ? integer_of(name, *a) : hub::required(otherwise, name);
}

NVDLAC_IMPL bool call::flag(const char* name, bool otherwise) const {
  const auto* a = find(name);
  if (a == nullptr) return otherwise;
  const auto* v = member(*a, "as_bool");
  if (v == nullptr || !v->is_boolean()) throw not_understood(name, *a);
  return v->get<bool>();
}

NVDLAC_IMPL std::optional<float> call::number(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  for (const char* kind : {"as_float", "as_int", "as_bool"}) {
    const auto* v = member(*a, kind);
    if (v == nullptr) continue;
    if (v->is_number()) return v->get<float>();
    if (v->is_boolean()) return v->get<bool>() ? 1.0F : 0.0F;
    if (*v == "Infinity") return std::numeric_limits<float>::infinity();
    if (*v == "-Infinity") return -std::numeric_limits<float>::infinity();
  }
  throw not_understood(name, *a);
}

NVDLAC_IMPL std::optional<float> call::is_number(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr || a->contains("as_tensor")) return std::nullopt;
  return number(name);
}

NVDLAC_IMPL bool call::is_string(const char* name) const {
  const auto* a = find(name);
  return a != nullptr && a->contains("as_string");
}

NVDLAC_IMPL std::string call::string(const char* name, const std::string& otherwise) const {
  const auto* a = find(name);
  if (a == nullptr) return otherwise;
  const auto* v = member(*a, "as_string");
  if (v == nullptr || !v->is_string()) throw not_understood(name, *a);
  return v->get<std::string>();
}

NVDLAC_IMPL std::optional<dims> call::integers(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (a->contains("as_int") || a->contains("as_sym_int")) return dims{integer_of(name, *a)};
  for (const char* kind : {"as_ints", "as_sym_ints"})
    if (const auto* list = member(*a, kind); list != nullptr && list->is_array()) {
      dims d;
      for (const auto& i : *list)
        d.push_back(i.is_object() ? symbolic(i) : integer_in(i));
      return d;
    }
  throw not_understood(name, *a);
}

NVDLAC_IMPL std::optional<std::vector<float>> call::numbers(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  const auto* list = member(*a, "as_floats");
  if (list == nullptr || !list->is_array()) throw not_understood(name, *a);
  std::vector<float> all;
  for (const auto& i : *list) {
    if (!i.is_number()) throw not_understood(name, *a);
    all.push_back(i.get<float>());
  }
  return all;
}

NVDLAC_IMPL dims call::per_axis(const char* name, std::size_t axes, const dims& otherwise) const {
  auto d = integers(name).value_or(dims{});
  if (d.empty()) return otherwise;
  if (d.size() == 1) d.resize(axes, d[0]);
  if (d.size() != axes) throw error(text("its ", name, " is ", onnx_format::to_text(d)));
  return d;
}

NVDLAC_IMPL std::int64_t call::axis(const char* name, const operand& x,
                                    std::optional<std::int64_t> otherwise) const {
  return onnx_format::checked_axis(integer(name, otherwise), x.rank);
}

NVDLAC_IMPL void call::require_real_type() const {
  const auto* a = find("dtype");
  if (a == nullptr) return;
  const auto* type = member(*a, "as_scalar_type");
  if (type == nullptr) throw not_understood("dtype", *a);
  if (!is_real(integer_in(*type)))
    throw error(problem{.reason = text("it computes in integers (dtype ", shown(*type), ")"),
                        .remedy = "real types are supported"});
}

NVDLAC_IMPL void call::require_understood() const {
  std::vector<problem> all;
  for (const auto& [name, value] : arguments_.unasked())
    all.push_back({.reason = text("its argument ", name, " (", shown(*value),
                                  ") is not understood"),
                   .remedy = "leave it at its default; understood are " + arguments_.asked()});
  if (!all.empty()) throw error(all);
}

NVDLAC_IMPL std::int64_t call::symbolic(const json& v) const {
  if (const auto* fixed = member(v, "as_int")) return integer_in(*fixed);
  return size.number(word(v, "as_name"));
}

NVDLAC_IMPL std::int64_t call::integer_of(const char* name, const json& a) const {
  if (const auto* v = member(a, "as_int")) return integer_in(*v);
  if (const auto* v = member(a, "as_sym_int")) return symbolic(*v);
  throw not_understood(name, a);
}

NVDLAC_IMPL operand input_of(const call& c) {
  return c.has("self") ? c.tensor("self") : c.tensor("input");
}

}  // namespace nvdlac::import::pytorch_format
