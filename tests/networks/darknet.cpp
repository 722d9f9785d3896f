// SPDX-License-Identifier: Apache-2.0
// A trained Darknet detector in int8: the simulator computes what the integer reference says, near
// the float tensor that enters its head.
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include <nvdlac/data/inputs.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/model.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

TEST_CASE("a trained Darknet detector on nv_small") {
  const auto cfg = shared_path("nets/darknet/yoloface-50k.cfg");
  if (!cfg) return;
  const auto stem = cfg->string().substr(0, cfg->string().size() - 4);
  const auto network = import::any_network(*cfg, stem + ".weights", {.epsilon = 1e-6F});
  REQUIRE(network.preprocessing);
  const auto wanted = data::inputs_of(network.graph, {*network.preprocessing, {}, {}});
  std::vector<std::filesystem::path> pictures;
  for (const char* k : {"0", "1", "2"}) pictures.push_back(stem + ".input_" + k + ".png");
  const data::input_files files({pictures}, wanted);
  std::vector<sample> samples;
  files.each([&](data::input_set&& set) {
    samples.push_back(data::tensors_of(std::move(set), wanted));
  });
  REQUIRE(samples.size() == 3);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto r = networks::run_on(hardware<nv_small>(), network.graph,
                                    scale_source(std::span<const sample>(samples)), samples[k], {});
    CHECK((r.simulated == r.exact));
    const net::float_tensor stored{
        r.values.at(0).shape,
        data::read_npy(stem + ".output_" + std::to_string(k) + "_before_yolo_33.npy")
            .content.values};
    CHECK(networks::cosine(r.values[0], stored) > 0.98);
  }
}
