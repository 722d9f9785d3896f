// SPDX-License-Identifier: Apache-2.0
// The compiler of one configuration, from a graph in float to the bytes of a loadable.
#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/nv_small.hpp>

std::vector<std::uint8_t> compiled(const nvdlac::net::graph& network,
                                   std::span<const nvdlac::sample> samples) {
  return nvdlac::emit::loadable(nvdlac::compile<nvdlac::nv_small>(network, samples));
}
