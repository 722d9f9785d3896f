// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one executed hardware layer did.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::sim {

// Who reads and writes memory, as the memory interfaces of the hardware name them.
enum class client : std::uint8_t {
  cdma_dat, cdma_wt, sdp_rdma, brdma, nrdma, erdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik, bdma
};

inline constexpr std::array<std::string_view, 13> client_names{
    "CDMA_DAT", "CDMA_WT", "SDP_RDMA", "BRDMA", "NRDMA", "ERDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK", "BDMA"};

// Bytes of one client: element 0 of DRAM, element 1 of CVSRAM.
struct traffic {
  std::array<std::uint64_t, 2> read{}, written{};
};

// The cube that enters or leaves a layer.
struct cube_size {
  std::uint32_t width = 0, height = 0, channels = 0, batches = 1;
  hw::precision precision = hw::precision::int8;
};

struct layer_record {
  std::string units{};  // "CONV SDP PDP"
  cube_size in{}, out{};
  std::array<traffic, client_names.size()> clients{};
  std::uint64_t macs = 0;         // multiply-accumulates of a direct convolution of this size
  std::uint64_t saturations = 0;  // values that a unit clipped, as its status registers count them
  std::uint64_t nan_inputs = 0, nan_outputs = 0;

  traffic& of(client c) { return clients[static_cast<std::size_t>(c)]; }
  const traffic& of(client c) const { return clients[static_cast<std::size_t>(c)]; }

  traffic total() const {
    traffic t;
    for (const auto& c : clients)
      for (std::size_t i = 0; i < 2; ++i) t.read[i] += c.read[i], t.written[i] += c.written[i];
    return t;
  }
};

}  // namespace nvdlac::sim
