// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a table that the network learnt, at places that its user gives, such as tokens.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// One row for each place, in the dense order of these, whatever their shape. A place below 0 counts
// from the end; one beyond the table is an `error`.
struct embedding {
  static constexpr net::arity inputs{1, 1};

  std::vector<float> table{};  // row by row
  std::int32_t width = 1;      // numbers of a row
  net::shape target{1, 1, 1};
  static constexpr void fields(auto&& field) {
    field("table", &embedding::table);
    field("width", &embedding::width);
    field("target", &embedding::target);
  }

  std::int64_t rows() const { return static_cast<std::int64_t>(table.size()) / width; }
  // Its input is whole numbers, up to this one.
  std::int64_t takes_places_to() const { return rows() - 1; }

  net::shape infer(std::span<const net::shape> in) const;
  double bound(std::span<const double> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<embedding>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/embedding.ipp>
#endif
