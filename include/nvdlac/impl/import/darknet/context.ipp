// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL id context::earlier(std::int64_t i) const {
  const auto at = i < 0 ? static_cast<std::int64_t>(index) + i : i;
  if (at < 0 || at >= static_cast<std::int64_t>(index))
    throw error(problem{.reason = text("it reads layer ", i, ", which is none before it"),
                        .remedy = "layers count from 0 behind [net]; -1 is the one before"});
  const given& g = before[static_cast<std::size_t>(at)];
  if (g.is_head)
    throw error(problem{.reason = text("it reads what the head at layer ", at, " gives"),
                        .remedy = "heads are left to the host"});
  if (!g.node) throw error(std::vector<problem>{});  // its problem is reported already
  return *g.node;
}

NVDLAC_IMPL std::int32_t context::small(std::string_view key, std::int64_t none,
                                        std::int64_t least) const {
  const auto n = s.integer(key, none);
  if (n < least || n > net::max_elements)
    throw error(problem{.line = line_of(key), .reason = text(key, " is ", n)});
  return static_cast<std::int32_t>(n);
}

NVDLAC_IMPL void context::refuse(std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys)
    if (const auto* e = s.find(key); e != nullptr && s.number(key, 0) != 0)
      throw error(problem{.line = e->line,
                          .reason = text(key, "=", e->value, " is not supported")});
}

NVDLAC_IMPL std::size_t context::line_of(std::string_view key) const {
  const auto* e = s.find(key);
  return e == nullptr ? s.line : e->line;
}

NVDLAC_IMPL id context::move(const std::string& node, id x, const onnx_format::movement& m) const {
  const auto to = net::checked_shape(m.shape.at(0), m.shape.at(1), m.shape.at(2));
  return add(node, net::move{.target = to, .boxes = net::find_boxes(*m.from, to, shape(x))}, {x});
}

}  // namespace nvdlac::import::darknet_format
