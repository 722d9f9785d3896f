// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pixels as the values that a network takes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

using net::channel_order;
using net::preprocessing;

// Collects what is wrong with the numbers for a network of `channels` channels.
void check(const preprocessing& how, std::size_t channels, diagnostics& found);

namespace detail {

std::uint8_t grey(const std::uint8_t* rgb);

}  // namespace detail

// The pixels in the order of the network's channels. A grey picture becomes one of three channels
// where the network takes so many, and a coloured one grey where it takes one. A picture of another
// size is an error: what resizes it has done so before (preprocess.hpp). `file` is for messages.
picture arrange(const picture& p, const net::shape& want, channel_order order,
                const std::string& file);

// The values for the network, channel by channel, of a picture that is arranged; `how` must have
// passed `check`.
std::vector<float> normalise(const picture& p, const preprocessing& how);

std::vector<float> preprocess(const picture& p, const net::shape& want, const preprocessing& how,
                              const std::string& file);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/preprocess.ipp>
#endif
