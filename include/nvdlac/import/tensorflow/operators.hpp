// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/tensorflow/elementwise.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::tensorflow_format {

struct operator_entry {
  void (*convert)(const conversion&);
  std::size_t typed_by = 0;     // the input whose type the outputs have
  bool of_any_type = false;     // computed integers may come in, too
  bool of_blocks = false;       // what SpaceToBatchND cut may come in, when zeros were taken in
};

// The operators that are understood, but for those that stand for tensors: Placeholder, Const and
// variables.
const std::map<std::string_view, operator_entry>& operators();

// Tensors of the file itself.
bool is_variable(std::string_view op);
bool is_placeholder(std::string_view op);

// A tensor that comes in or goes out, and what the user calls it.
struct named_port {
  std::string name;
  port at;
};

// The nodes that outputs need, each behind those that it reads, from the inputs or from where the
// network is cut.
class schedule {
 public:
  schedule(const std::vector<node>& nodes, const std::vector<named_port>& outputs,
           std::set<port> starts);

  const std::vector<std::size_t>& nodes() const { return sorted_; }
  // Whether a node gives the same for all inputs.
  bool is_constant(std::size_t n) const { return constant_[n]; }
  bool is_start(std::size_t n) const { return !starts_of(n).empty(); }
  std::vector<port> starts_of(std::size_t n) const;
  const std::vector<std::size_t>& readers_of(port p) const;
  // The outputs of a node that others read.
  std::vector<std::size_t> outputs_of(std::size_t n) const;

  void add_unsupported(std::size_t n) { unsupported_[nodes_[n].op()].push_back(n); }
  bool is_unsupported(std::size_t n) const { return refused_.contains(n); }
  // Whether nothing else reads what a node gives.
  bool feeds_unsupported_alone(std::size_t n) const;
  // The problems since the last call: nodes by operator, or a cycle of other ones.
  std::vector<problem> take_problems();
  // A node of a known operator that is not understood.
  void add_failed(std::size_t n) { failed_.insert(n); }
  // The nodes as a cut sees them, of which those are refused that are not supported or failed.
  std::vector<cut_node> cut_nodes() const;

 private:
  enum : std::uint8_t { fresh, open, done };

  static bool is_known(const node& n);
  static bool is_control_flow(std::string_view op);

  void visit(std::size_t first);

  problem problem_of(const std::string& op, const std::vector<std::size_t>& all) const;

  const std::vector<node>& nodes_;
  std::set<port> starts_, outputs_;
  std::map<port, std::vector<std::size_t>> readers_;
  std::vector<std::size_t> sorted_;
  std::vector<bool> constant_;
  std::vector<std::uint8_t> state_;
  std::string cycle_;
  std::map<std::string, std::vector<std::size_t>> unsupported_;
  std::set<std::size_t> refused_, failed_;
};

using translation::input_shapes;

// An empty shape of the first versions may be an unknown one.
std::optional<dims> placeholder_shape(const node& n);
// The shape that a node may tell of what it gives, for a network that begins there.
std::optional<dims> told_shape(const std::vector<node>& nodes, const node& n);

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/operators.ipp>
#endif
