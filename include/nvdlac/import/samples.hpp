// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of samples, such as a sound: a line of a single channel, of which convolutions take every
// n-th one only, and an atom of NVDLA would hold one.
#include <vector>

#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Where a single convolution reads such an input, or what changes each sample for itself before it,
// by steps of n samples, n samples are channels of one column: whoever packs the input puts them
// there, and `in_file` tells the way. The convolution reads the columns one by one, by kernels that
// are longer by zeros where their length or padding is no multiple of n. `needed` and `fixed` flag
// nodes: what no output needs is not looked at, and a fixed input, of which more is known than its
// values, stays as it is; so does a line that CDMA reads as an image.
void pack_samples(net::graph& g, const std::vector<bool>& needed, const std::vector<bool>& fixed);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/samples.ipp>
#endif
