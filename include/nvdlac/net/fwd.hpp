// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares the graph of a network, for headers that only name it.
#include <nvdlac/base/version.hpp>

namespace nvdlac::net {

template <class Operators>
class basic_graph;

}  // namespace nvdlac::net
