// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/mxnet/conversion.hpp>

namespace nvdlac::import::mxnet_format {

NVDLAC_IMPL const operand& conversion::in(std::size_t i) const {
  if (i >= inputs()) throw error(text("its input ", i, " is missing"));
  return all_.at(n.layer.inputs[i]);
}

NVDLAC_IMPL const operand& conversion::only() const {
  require_inputs(1, 1);
  return in(0);
}

NVDLAC_IMPL std::vector<operand> conversion::all() const {
  require_inputs(1, 1024);
  const auto given = n.integer("num_args", static_cast<std::int64_t>(inputs()));
  if (!std::cmp_equal(given, inputs()))
    throw error(text("it has ", count_of(inputs(), "input"), ", but its num_args is ", given));
  std::vector<operand> found;
  for (std::size_t i = 0; i < inputs(); ++i) found.push_back(in(i));
  return found;
}

NVDLAC_IMPL std::optional<operand> conversion::bias(std::size_t i, bool none) const {
  const bool left_out = n.flag("no_bias", none);
  require_inputs(left_out ? i : i + 1, left_out ? i : i + 1);
  if (left_out) return std::nullopt;
  return in(i);
}

}  // namespace nvdlac::import::mxnet_format
