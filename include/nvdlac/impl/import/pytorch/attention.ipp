// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/pytorch/attention.hpp>
#include <nvdlac/import/pytorch/call.hpp>

namespace nvdlac::import::pytorch_format {

namespace detail {

// The mask of scores that see no later places: so far below 0 that nothing is left of them.
NVDLAC_IMPL operand causal_mask(std::int64_t queries, std::int64_t keys) {
  constexpr float nothing = -100;  // exp(-100) is 0 beside any other
  std::vector<float> values;
  for (std::int64_t q = 0; q < queries; ++q)
    for (std::int64_t k = 0; k < keys; ++k) values.push_back(k > q ? nothing : 0);
  return operand::of(array::of_reals({queries, keys}, std::move(values)));
}

}  // namespace detail

NVDLAC_IMPL results on_attention(const call& c) {
  const auto query = c.tensor("query"), key = c.tensor("key"), value = c.tensor("value");
  const auto shape = c.shape("query"), of_keys = c.shape("key");
  const auto rank = query.rank;
  if (rank < 2 || key.rank != rank || value.rank != rank || shape.size() != rank ||
      of_keys.size() != rank)
    throw error("its query, key and value differ in their number of dimensions");
  if (c.number("dropout_p", 0) != 0)
    throw error(problem{.reason = "it is exported in training",
                        .remedy = "call model.eval() before the export"});
  if (c.flag("enable_gqa")) throw error("its enable_gqa is set, which is not supported");
  const float usual = 1 / std::sqrt(static_cast<float>(shape.back()));
  auto& to = c.to();
  auto order = onnx_format::ascending(static_cast<std::int64_t>(rank), 1);
  std::swap(order[rank - 2], order[rank - 1]);
  const auto turned = to.transposed(c.layer + "/key", key, order);
  const auto products = to.node("MatMul", c.layer + "/products", {query, turned}, rank);
  auto scores = to.node("Mul", c.layer + "/scores",
                        {products, to.number(c.number("scale", usual))}, rank);
  const auto mask = c.optional_tensor("attn_mask");
  const bool causal = c.flag("is_causal");
  if (mask && causal) throw error("it has a mask, and is_causal is set");
  if (mask && !c.size.is_real(*c.tensor_name("attn_mask")))
    throw error(problem{.reason = "its attn_mask holds no real numbers",
                        .remedy = "give what is added to the scores: 0, or -100 for what is not "
                                  "seen"});
  if (mask || causal)
    scores = to.node("Add", c.layer + "/masked",
                     {scores, mask ? *mask
                                   : detail::causal_mask(shape[rank - 2], of_keys[rank - 2])},
                     rank);
  const auto shares = to.node("Softmax", c.layer + "/shares", {scores}, rank,
                              {{"axis", std::int64_t{-1}}});
  return {to.node("MatMul", c.layer, {shares, value}, rank)};
}

}  // namespace nvdlac::import::pytorch_format
