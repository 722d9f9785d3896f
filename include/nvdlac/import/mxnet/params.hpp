// SPDX-License-Identifier: Apache-2.0
#pragma once
// MXNet's files of parameters: lists of arrays, in all layouts that were written since 2015.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::mxnet_format {

using onnx_format::array;
using onnx_format::dims;

// An array whose numbers are still bytes of the file.
struct stored_array {
  std::int32_t type = 0;
  dims shape{};
  std::string_view bytes{};

  array read() const {
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
  static std::size_t size_of(std::int32_t type) {
    switch (type) {
      case 1: case 6: return 8;
      case 0: case 4: return 4;
      case 2: case 12: return 2;
      case 3: case 5: case 7: return 1;
      default: throw error(text("an array has numbers of type ", type, ", which is not known"));
    }
  }
};

class params {
 public:
  // The content outlives the parameters. Little endian, as the machines this runs on are.
  explicit params(std::string_view content) : rest_(content) {
    if (number<std::uint64_t>() != 0x112) throw error("it is no list of MXNet's arrays");
    (void)number<std::uint64_t>();
    const auto n = number<std::uint64_t>();
    require_within(&budget::fields, n);
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

  const stored_array* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }

 private:
  // Of arg:conv_weight and aux:bn_moving_mean.
  static std::string without_kind(const std::string& name) {
    return name.starts_with("arg:") || name.starts_with("aux:") ? name.substr(4) : name;
  }
  std::string_view bytes(std::uint64_t n) {
    if (n > rest_.size())
      throw error(problem{.reason = "it ends within an array or a name",
                          .remedy = "the file is corrupt or was cut off"});
    const auto part = rest_.substr(0, static_cast<std::size_t>(n));
    rest_.remove_prefix(part.size());
    return part;
  }
  template <class Number>
  Number number() {
    Number v;
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
    return v;
  }
  template <class Number>
  dims shape(std::int64_t rank) {
    if (rank < 0 || rank > 32) throw error(text("an array has ", rank, " dimensions"));
    dims d;
    for (std::int64_t i = 0; i < rank; ++i)
      d.push_back(static_cast<std::int64_t>(number<Number>()));
    return d;
  }
  stored_array next() {
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

  std::string_view rest_;
  std::map<std::string, stored_array> all_;
};

}  // namespace nvdlac::import::mxnet_format
