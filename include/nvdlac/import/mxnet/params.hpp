// SPDX-License-Identifier: Apache-2.0
#pragma once
// MXNet's files of parameters: lists of arrays, in all layouts that were written since 2015.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::mxnet_format {

using onnx_format::array;
using onnx_format::dims;

// An array whose numbers are still bytes of the file.
struct stored_array {
  std::int32_t type = 0;
  dims shape{};
  std::string_view bytes{};

  array read() const;
  static std::size_t size_of(std::int32_t type);
};

class params {
 public:
  // The content outlives the parameters. Little endian, as the machines this runs on are.
  params(std::string_view content, std::uint64_t most_fields);

  const stored_array* find(const std::string& name) const;

 private:
  // The name without its kind, as in arg:conv_weight and aux:bn_moving_mean.
  static std::string without_kind(const std::string& name) {
    return name.starts_with("arg:") || name.starts_with("aux:") ? name.substr(4) : name;
  }
  std::string_view bytes(std::uint64_t n);
  template <class Number>
  Number number() {
    Number v;
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
    return v;
  }
  template <class Number>
  dims shape(std::int64_t rank) {
    if (rank < 0 || rank > 32) throw error(text("an array has ", count_of(rank, "dimension")));
    dims d;
    for (std::int64_t i = 0; i < rank; ++i)
      d.push_back(static_cast<std::int64_t>(number<Number>()));
    return d;
  }
  stored_array next();

  std::string_view rest_;
  std::map<std::string, stored_array> all_;
};

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/params.ipp>
#endif
