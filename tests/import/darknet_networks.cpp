// SPDX-License-Identifier: Apache-2.0
// Trained networks in Darknet's format give the stored outputs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/import/model.hpp>

#include "../shared.hpp"
#include "darknet_model.hpp"

using namespace darknet_model;

namespace {

struct output_file {
  const char *file, *layer;
};
struct network_file {
  const char* name;
  std::vector<output_file> outputs;
};
const network_file networks[] = {
    {"yolo-fastest-1.1", {{"before_yolo_121", "convolutional_120"},
                          {"before_yolo_130_channels_0_to_84", "convolutional_129"}}},
    {"yoloface-50k", {{"before_yolo_33", "convolutional_32"}}},
};

// The planes of red, green and blue.
floats planes_of(const std::filesystem::path& png) {
  const auto p = data::read_picture(png);
  const auto channels = p.channels, area = p.pixels.size() / channels;
  floats x(p.pixels.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i % channels * area + i / channels] = static_cast<float>(p.pixels[i]) / 255;
  return x;
}

}  // namespace

TEST_CASE("trained Darknet networks give the stored outputs") {
  for (const auto& f : networks) {
    const auto cfg_file = shared_path(std::string("nets/darknet/") + f.name + ".cfg");
    if (!cfg_file) continue;
    const auto beside = [&](const std::string& end) {
      return cfg_file->parent_path() / (f.name + end);
    };
    import::part opencv;  // which recorded them
    opencv.epsilon = 1e-6F;
    const auto n = import::any_network(*cfg_file, beside(".weights"), opencv);
    CHECK(n.notes.size() == f.outputs.size());
    for (const std::string k : {"0", "1", "2"}) {
      const auto found = run(n, planes_of(beside(".input_" + k + ".png")));
      REQUIRE(found.size() == f.outputs.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto expected =
            data::read_npy(beside(".output_" + k + '_' + f.outputs[i].file + ".npy"))
                .content.values;
        CHECK(found[i].first == f.outputs[i].layer);
        REQUIRE(found[i].second.size() >= expected.size());
        double error = 0, largest = 0;
        for (std::size_t e = 0; e < expected.size(); ++e) {
          error = std::max(error, std::fabs(double{found[i].second[e]} - double{expected[e]}));
          largest = std::max(largest, std::fabs(double{expected[e]}));
        }
        INFO(f.name << ' ' << k << ' ' << found[i].first);
        CHECK(error <= 1e-4 * largest);
      }
    }
  }
}
