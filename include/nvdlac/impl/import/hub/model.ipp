// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/model.hpp>

namespace nvdlac::import::hub {

NVDLAC_IMPL std::shared_ptr<const array> constant::numbers() const {
  if (!known_) return std::make_shared<const array>(read_());
  const array& a = *known_;
  if (std::cmp_not_equal(a.size(), onnx_format::count(a.shape)))
    throw error(text("it has ", count_of(a.size(), "value"), " for the shape ",
                     onnx_format::to_text(a.shape)));
  const auto [least, most] = onnx_format::range_of_type(a.stored);
  for (const auto v : a.integers)
    if (v < least || v > most) throw onnx_format::out_of_type(text(v), a.stored);
  return known_;
}

NVDLAC_IMPL std::string type_of(const attribute_value& v) {
  static const char* const names[] = {"UNDEFINED", "INT",     "FLOAT",  "STRING", "INTS",
                                      "FLOATS",    "STRINGS", "TENSOR", "GRAPH"};
  const auto* other = std::get_if<foreign_value>(&v);
  return other != nullptr ? other->type : names[v.index()];
}

NVDLAC_IMPL const std::string& node::label() const {
  if (name.empty())
    for (const auto& o : outputs)
      if (!o.empty()) return o;
  return name;
}

}  // namespace nvdlac::import::hub
