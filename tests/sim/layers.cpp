// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "movers.hpp"

using namespace nvdlac;
using namespace movers;

TEST_CASE("layers tell what they did") {
  std::vector<sim::layer_record> layers;
  const auto listen = [&](auto& d) {
    d.on_layer([&](const sim::layer_record& r) { layers.push_back(r); });
  };
  const program::convolution c{.width = 6, .height = 5, .channels = 16, .kernels = 12};
  sim::device<nv_small> small;
  listen(small);
  program::convolution_registers<nv_small>(c).write(small);
  program::start_convolution(small);
  REQUIRE(layers.size() == 1);
  const auto& l = layers[0];
  CHECK(l.units == "CONV SDP");
  CHECK(l.in.width == 6);
  CHECK(l.in.channels == 16);
  CHECK(l.out.height == 5);
  CHECK(l.out.channels == 12);
  CHECK(l.macs == 6 * 5 * 12 * 9 * 16);
  CHECK(l.of(sim::client::cdma_dat).read[0] == 6 * 5 * 16);
  CHECK(l.of(sim::client::cdma_wt).read[0] == 12 * 9 * 16);
  CHECK(l.of(sim::client::sdp).written[0] == 6 * 5 * 16);
  CHECK(l.total().read[1] + l.total().written[1] == 0);

  layers.clear();
  program::pooling p{.width = 8, .height = 6, .channels = 20, .out_width = 4, .out_height = 3,
                     .method = 1};
  program::pdp_registers<nv_small>(p).write(small);
  program::enable(small, {"PDP_RDMA", "PDP"});
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].units == "PDP");
  CHECK(layers[0].of(sim::client::pdp_rdma).read[0] == 8 * 6 * 24);
  CHECK(layers[0].of(sim::client::pdp).written[0] == 4 * 3 * 24);
  CHECK(layers[0].macs == 0);

  layers.clear();
  sim::device<nv_full> large;
  listen(large);
  copy_registers().write(large);
  queue(large);
  launch(large);
  rubik(1, 1, 5, 2, 17, 17).bytes("RBK.D_DAIN_SURF_STRIDE", 320)
      .bytes("RBK.D_DAIN_LINE_STRIDE", 160).bytes("RBK.D_DAOUT_LINE_STRIDE", 32)
      .bytes("RBK.D_DAOUT_PLANAR_STRIDE", 64).write(large);
  program::enable(large, {"RBK"});
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].units == "BDMA");
  CHECK(layers[0].of(sim::client::bdma).read[0] == 384);
  CHECK(layers[0].of(sim::client::bdma).written[1] == 384);
  CHECK(layers[1].units == "RBK");
  CHECK(layers[1].in.precision == hw::precision::int16);
  CHECK(layers[1].of(sim::client::rubik).read[0] == 5 * 2 * 2 * 32);
  CHECK(layers[1].of(sim::client::rubik).written[0] == 17 * 2 * 32);
}
