// SPDX-License-Identifier: Apache-2.0
#pragma once
// The movements that are left: the layers of the network whose hardware layers only bring elements
// into another order.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/layer_rows.hpp>

namespace nvdlac::report {

// A movement that takes hardware layers.
struct conversion {
  struct source {
    std::string name{};
    net::shape shape{};
  };

  std::string layer{};
  std::vector<source> from{};
  net::shape to{};
  std::size_t layers = 0;    // of the hardware
  std::uint64_t cycles = 0;  // their own
  std::string_view why{};    // it cannot go
};

// Why the tensor of move n is no part of what it reads, where atoms have so many channels.
std::string_view why_moved(const quantised::graph& g, quantised::graph::id n, std::int32_t lanes);
// Why the channels of concat n are brought together, or else its first input that is copied does
// not stand in its cube.
std::string_view why_gathered(const quantised::graph& g, quantised::graph::id n,
                              std::int32_t lanes, std::optional<std::size_t> copied);

// In the order of the network, without what SDP brings to another scale. `rows` and `flow` are
// those of one program of the network `g`, for a configuration whose atoms have so many bytes.
std::vector<conversion> conversions_of(const quantised::graph& g,
                                       const std::vector<layer_row>& rows, const data_flow& flow,
                                       bytes atom);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/conversions.ipp>
#endif
