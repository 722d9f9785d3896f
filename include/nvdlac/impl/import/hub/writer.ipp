// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/writer.hpp>

namespace nvdlac::import::hub {

NVDLAC_IMPL void writer::input(const std::string& name, const dims& shape, std::int64_t type,
                               std::optional<bool> counts_pictures) {
  graph().inputs.push_back({name, tensor_type{type, shape, counts_pictures}});
}

NVDLAC_IMPL void writer::node(const std::string& type, const std::string& name,
                              std::vector<std::string> inputs, std::vector<std::string> outputs,
                              std::vector<attribute> attributes) {
  graph().nodes.push_back({.type = type, .name = name, .inputs = std::move(inputs),
                           .outputs = std::move(outputs), .attributes = std::move(attributes)});
}

NVDLAC_IMPL void writer::constant(const std::string& name, array a, std::int64_t integer_type) {
  a.stored = a.real ? 1 : integer_type;
  graph().constants.emplace_back(name,
                                 hub::constant(std::make_shared<const array>(std::move(a))));
}

NVDLAC_IMPL void writer::constant(const std::string& name, const std::shared_ptr<const array>& a) {
  if (!a->real) return constant(name, *a);
  graph().constants.emplace_back(name, hub::constant(a));
}

}  // namespace nvdlac::import::hub
