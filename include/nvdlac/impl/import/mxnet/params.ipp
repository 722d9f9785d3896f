// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/mxnet/params.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::mxnet_format {

NVDLAC_IMPL array stored_array::read() const {
  array a{.shape = shape};
  namespace d = onnx_format::array_detail;
  const auto real = [](auto v) { return static_cast<float>(v); };
  switch (type) {
    case 0: a.reals = d::unpack<float, float>(bytes, real); break;
    case 1: a.reals = d::unpack<double, float>(bytes, real); break;
    case 2: a.reals = d::unpack<std::uint16_t, float>(bytes, onnx_format::from_half); break;
    case 12: a.reals = d::unpack<std::uint16_t, float>(bytes, onnx_format::from_bfloat); break;
    default:
      throw error(problem{.reason = text("its numbers are of MXNet's type ", type),
                          .remedy = "float32, float64, float16 and bfloat16 are supported"});
  }
  return a;
}

NVDLAC_IMPL std::size_t stored_array::size_of(std::int32_t type) {
  switch (type) {
    case 1: case 6: return 8;
    case 0: case 4: return 4;
    case 2: case 12: return 2;
    case 3: case 5: case 7: return 1;
    default: throw error(text("an array has numbers of type ", type, ", which is not known"));
  }
}

NVDLAC_IMPL params::params(std::string_view content, std::uint64_t most_fields)
    : rest_(content) {
  if (number<std::uint64_t>() != 0x112) throw error("it is no list of MXNet's arrays");
  (void)number<std::uint64_t>();
  const auto n = number<std::uint64_t>();
  require_within(&budget::fields, n, most_fields);
  std::vector<stored_array> all;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(next());
  const auto names = number<std::uint64_t>();
  if (names != n)
    throw error(problem{.reason = text("it has ", names, " names for ", n, " arrays"),
                        .remedy = "save the parameters with their names, as save_checkpoint and "
                                  "export do"});
  for (auto& a : all) {
    const auto name = std::string(bytes(number<std::uint64_t>()));
    if (!all_.emplace(without_kind(name), a).second)
      throw error("it has two arrays '" + name + "'");
  }
  if (!rest_.empty()) throw error(text(rest_.size(), " bytes follow its arrays"));
}

NVDLAC_IMPL const stored_array* params::find(const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

NVDLAC_IMPL std::string_view params::bytes(std::uint64_t n) {
  if (n > rest_.size())
    throw error(problem{.reason = "it ends within an array or a name",
                        .remedy = "the file is corrupt or was cut off"});
  const auto part = rest_.substr(0, static_cast<std::size_t>(n));
  rest_.remove_prefix(part.size());
  return part;
}

NVDLAC_IMPL stored_array params::next() {
  const auto word = number<std::uint32_t>();
  stored_array a;
  bool scalar = false;
  if (word == 0xF993FAC9 || word == 0xF993FACA) {  // since 2017, and with numpy's shapes
    if (const auto kind = number<std::int32_t>(); kind != 0)
      throw error(problem{.reason = "an array is sparse", .remedy = "save it as a dense one"});
    const auto rank = number<std::int32_t>();
    scalar = word == 0xF993FACA && rank == 0;
    if (word == 0xF993FACA && rank == -1) return a;
    a.shape = shape<std::int64_t>(rank);
  } else if (word == 0xF993FAC8) {
    a.shape = shape<std::int64_t>(number<std::int32_t>());
  } else {  // the first ones: the word is the number of dimensions
    a.shape = shape<std::uint32_t>(word);
  }
  if (a.shape.empty() && !scalar) return a;  // without values: nothing follows
  (void)number<std::int32_t>();  // where it was computed
  (void)number<std::int32_t>();
  a.type = number<std::int32_t>();
  a.bytes = bytes(static_cast<std::uint64_t>(onnx_format::count(a.shape)) *
                  stored_array::size_of(a.type));
  return a;
}

}  // namespace nvdlac::import::mxnet_format
