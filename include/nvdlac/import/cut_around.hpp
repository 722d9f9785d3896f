// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of a network that is left where some of its operators are refused.
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/cut_node.hpp>

namespace nvdlac::import {

namespace detail {

// The nodes that the network needs, each behind its inputs.
std::vector<std::size_t> needed_in_order(const std::vector<cut_node>& nodes);

// Where a node stands.
struct cut_place {
  std::size_t level = 0;  // how many refused nodes lie on the way to it, at most
  bool computed = false;  // it, or what it depends on, is no constant
};
struct cut_ends {
  std::set<cut_port> from{}, to{};
};

// The ends of the part on a level; nothing where it needs a constant of another level that is told
// by what is computed there, which is left out then.
std::optional<cut_ends> ends_of_level(const std::vector<cut_node>& nodes,
                                      const std::vector<std::size_t>& sorted,
                                      const std::vector<cut_place>& at, std::size_t level);

}  // namespace detail

// The options that name the largest part of a network without its refused nodes: `--to` and what is
// computed before them, `--from` what is behind, both what lies between. Empty where nothing is
// left, or only what has more ends than a user would type.
std::string cut_around(const std::vector<cut_node>& nodes);

// The options that name the largest part without the nodes that these problems are of, which may
// name steps of theirs behind a stroke.
std::string cut_around(std::vector<cut_node> nodes, const error& refused);

// A layer of a file whose tensors have names; other names than those of outputs are no tensors of
// layers.
struct cut_layer {
  std::string name{};  // empty: its outputs are named each for itself
  std::vector<std::string> inputs{}, outputs{};
  bool refused = false, constant = false;
};
// The nodes of a file of these layers that gives the tensors `outputs`.
std::vector<cut_node> nodes_of(const std::vector<cut_layer>& layers,
                               const std::vector<std::string>& outputs);

// The refusal of an output that depends on no input; the options read the file for its others.
error constant_output(const std::vector<std::string>& others);

// Returns the same problems, of which one proposes these options: the first that something is not
// supported, before its own remedy, else the first of all, behind it.
error with_cut(const error& e, const std::string& options);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/cut_around.ipp>
#endif
