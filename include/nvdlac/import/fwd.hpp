// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares the network of a file, for headers that only name it.
#include <nvdlac/base/type_list.hpp>

namespace nvdlac::import {

template <class Own>
struct basic_network;
using network = basic_network<type_list<>>;

}  // namespace nvdlac::import
