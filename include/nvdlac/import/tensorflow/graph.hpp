// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/tensorflow/node.hpp>

namespace nvdlac::import::tensorflow_format {

// The nodes on which wanted tensors depend. Calls of functions are put in place, so that the result
// is flat as a frozen file is. Problems are collected.
class flat_graph {
 public:
  // The messages outlive the graph.
  flat_graph(const proto::view& graph, diagnostics& problems, std::string file,
             std::uint64_t most_nodes);

  const std::vector<node>& nodes() const { return nodes_; }

  // The tensor that the file calls so, `node` or `node:k`, with all that it depends on.
  std::optional<port> find(const std::string& reference);

  // The last nodes of a file that names no outputs: no node reads what they give, and they depend
  // on a placeholder, if there is one.
  std::vector<std::string> last() const;

 private:
  // The nodes of the file or of a function that is called somewhere, by their names.
  struct scope {
    std::map<std::string, proto::view> fields{};
    std::vector<std::string> order{};
    std::map<std::string, std::size_t> numbers{};  // of those that are needed
    std::map<std::string, std::size_t> calls{};    // the bodies of those
    std::map<std::string, std::string> results{};  // of a function, by its outputs' names
    std::vector<std::string> outputs{};
    std::map<std::string, std::string> arguments{};  // as the caller calls them
    std::size_t caller = 0;
    std::string path{};
    int depth = 0;
  };
  struct named {
    std::size_t in;
    std::string name;
  };

  void fill(scope& b, const std::vector<proto::view>& nodes);
  static std::vector<std::string> inputs_of(const proto::view& fields);
  // The number k of `node:k` and `node:name:k`.
  static std::size_t number_behind(const std::string& reference);
  // Bodies call outputs by their names. All operators but these have one output, or one list.
  static std::size_t output_number(const std::string& op, const std::string& reference);
  const proto::view* called(const proto::view& fields) const;

  std::size_t call(std::size_t from, const std::string& name, const proto::view& function);

  std::optional<port> resolve(named at);
  std::size_t number_of(std::size_t in, const std::string& name, const proto::view& fields);

  diagnostics& problems_;
  std::string file_;
  std::map<std::string, proto::view> functions_;
  std::deque<scope> scopes_;
  std::vector<node> nodes_;
  std::vector<proto::view> fields_;
  std::vector<std::pair<std::size_t, std::size_t>> open_;  // nodes and their bodies
  std::map<std::string, std::size_t> names_;
  std::uint64_t most_nodes_;
  std::size_t entries_ = 0;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/graph.ipp>
#endif
