// SPDX-License-Identifier: Apache-2.0
#pragma once
// Movements of inputs that cost nothing: whoever packs an input for NVDLA puts its elements where
// the network reads them.
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import {

// A movement, and the input that is read in its place.
struct packed_movement {
  net::graph::id movement, input;
};

// Where all that reads an input moves its elements in the same way, without leaving out or
// repeating any, the input becomes the cube behind the movement, and its `in_file` tells the way
// from the file's order to that of the cube. The movements are left without readers. What a picture
// may be given for stays as it is, as does what only layers read that take any shape. Nodes that no
// output needs are not looked at.
std::vector<packed_movement> pack_inputs(net::graph& g, const std::vector<bool>& needed);

// Lays inputs of more features than a cube has channels out as cubes of more places, where only
// layers read them that take any shape. The file's order stays.
void lay_out_features(net::graph& g, const std::vector<bool>& needed);

namespace detail {

// Whether an operator computes the same of each element, wherever that is.
bool is_alike_anywhere(const net::graph::any_operator& op);
// Whether an operator only moves elements.
bool is_movement(const net::graph::any_operator& op);
// Whether only fully connected layers read n, which take any shape.
bool only_features(const net::graph& g, const std::vector<bool>& needed, net::graph::id n);

// The readers of an input: those that compute each element for itself, and those behind them.
struct input_readers {
  std::vector<net::graph::id> between{}, others{};
};
// Nothing where outputs are among them. Nodes that are `passed` are looked through.
std::optional<input_readers> readers_of(const net::graph& g, const std::vector<bool>& needed,
                                        net::graph::id input,
                                        const std::vector<net::graph::id>& passed = {});

}  // namespace detail

// Whether pictures may be given for the cube of an input.
bool may_be_picture(const net::shape& s);

// The elements that become channels out of lines or columns, or these out of channels, on the way
// between nodes that some output needs: NVDLA takes a layer for a few of them each time.
std::uint64_t turned_elements(const net::graph& g, const std::vector<bool>& needed);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/packing.ipp>
#endif
