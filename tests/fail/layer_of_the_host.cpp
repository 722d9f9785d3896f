// SPDX-License-Identifier: Apache-2.0
// EXPECT: what the host computes by name is known at run time only
// MEANS: Layers that the host computes by their names are looked up when the program runs.
// REMEDY: Compile the network at run time, or compute the layer between two networks.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr network net{input{{10, 1, 1}}, node{"likely", softmax{}}};
#else
constexpr network net{input{{10, 1, 1}}, node{"likely", on_host{}}};
#endif
