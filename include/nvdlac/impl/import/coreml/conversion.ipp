// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/conversion.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL conversion::conversion(const translation::file_layer& l, const proto::view& parameters,
                                   translation::channels_first_translator& all, weight_reader& w,
                                   const sequences& longer)
    : p(parameters), weights(w), layer_(l), all_(all) {
  for (const auto& i : l.inputs) sequence = sequence || longer.contains(i);
}

NVDLAC_IMPL const operand& conversion::in(std::size_t i) const {
  if (i >= inputs()) throw error(text("its input ", i, " is missing"));
  return all_.at(layer_.inputs[i]);
}

NVDLAC_IMPL const operand& conversion::one() const {
  require_inputs(1, 1);
  return in(0);
}

NVDLAC_IMPL std::vector<operand> conversion::all() const {
  require_inputs(1, 1024);
  std::vector<operand> found;
  for (std::size_t i = 0; i < inputs(); ++i) found.push_back(in(i));
  return found;
}

NVDLAC_IMPL const operand& conversion::picture() const {
  const auto& x = one();
  if (x.rank != 4)
    throw error(problem{.reason = text("its input has ", count_of(x.rank, "dimension")),
                        .remedy = "pictures [1, channels, height, width] are supported"});
  return x;
}

NVDLAC_IMPL std::int64_t conversion::channels_of(const operand& x) {
  if (x.rank < 3) throw error(text("its input has ", count_of(x.rank, "dimension"),
                                   ": none for channels"));
  return static_cast<std::int64_t>(x.rank) - 3;
}

NVDLAC_IMPL std::int64_t conversion::axis(std::int64_t in_file, std::size_t rank) const {
  if (sequence && in_file == 0)
    throw error("its axis is that of sequences, which is not supported");
  return onnx_format::checked_axis(sequence && in_file > 0 ? in_file - 1 : in_file, rank);
}

NVDLAC_IMPL dims conversion::axes(const char* field) const {
  dims found;
  for (const auto a : p.values<std::int64_t>(field)) found.push_back(axis(a));
  return found;
}

NVDLAC_IMPL dims conversion::pair(const char* field, std::int64_t otherwise) const {
  auto found = p.values<std::int64_t>(field);
  if (found.empty()) return {otherwise, otherwise};
  if (found.size() != 2)
    throw error(text("its ", field, " is ", onnx_format::to_text(found)));
  for (const auto i : found)
    if (i < 0 || i > net::max_elements)
      throw error(text("its ", field, " is ", onnx_format::to_text(found)));
  return found;
}

NVDLAC_IMPL dims borders_in(const proto::view& of, const char* field) {
  const auto edges = of.child(field).children("borderAmounts");
  if (edges.empty()) return {0, 0, 0, 0};
  if (edges.size() != 2) throw error(text("its ", field, " have ",
                                          count_of(edges.size(), "dimension")));
  dims found{edges[0].integer("startEdgeSize"), edges[1].integer("startEdgeSize"),
             edges[0].integer("endEdgeSize"), edges[1].integer("endEdgeSize")};
  for (const auto i : found)
    if (i < 0 || i > net::max_elements)
      throw error(text("its ", field, " are ", onnx_format::to_text(found)));
  return found;
}

}  // namespace nvdlac::import::coreml_format
