// SPDX-License-Identifier: Apache-2.0
#pragma once
// MXNet's networks: a symbol (prefix-symbol.json) and its parameters (prefix-0000.params). A
// program that includes this header reads them by nvdlac::read, too.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/mxnet/operators.hpp>
#include <nvdlac/import/mxnet/params.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import {

namespace mxnet_format {

using json_text::json;
using json_text::member;

// The operators of a symbol, its variables among the parameters or its inputs.
class symbol {
 public:
  symbol(const json& all, const params& known);
  const translation::file_graph& graph() const { return graph_; }
  const std::map<std::string, std::string>& attributes(std::size_t k) const {
    return attributes_[k];
  }
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  static error broken(const std::string& what);
  static const json& list(const json& object, const char* key);
  // [node, output] or [node, output, version]. Output 0 has the name of its node.
  std::string tensor_at(const json& entry, std::size_t before);
  static std::string name_of(const std::string& node, std::uint64_t k) {
    return k == 0 ? node : text(node, "_output", k);
  }
  void add(const json& node, std::size_t at, const params& known);
  // The oldest files have the operator's as "param", and the user's as "attr".
  static std::map<std::string, std::string> attributes_of(const json& node);
  static std::optional<dims> shape_in(std::map<std::string, std::string>& given);
  translation::file_graph graph_;
  std::vector<std::string> names_, parameters_;
  std::vector<std::map<std::string, std::string>> attributes_;
  std::set<std::string> labels_;
  std::map<std::string, std::uint64_t> highest_;  // outputs that are read, by nodes
};

network translated(const named_content& model, const named_content& weights, const part& wanted);

}  // namespace mxnet_format

// Reads MXNet's network from its symbol and its parameters, for one picture. MXNet's files seldom
// tell the shape of an input: `wanted` gives it, or a part of the network. Throws `error` with all
// problems.
network mxnet_network_from(const named_content& symbol, const named_content& params,
                           const part& wanted = {});

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet.ipp>
#endif
