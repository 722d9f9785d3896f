// SPDX-License-Identifier: Apache-2.0
// Whole files of trained networks, damaged: a SavedModel's graph and Caffe's weights in HDF5. All
// 2,000 flips and 200 truncations of each are for the night, a twentieth of them for every day.
#include "damage.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/tensorflow.hpp>

#include "../shared.hpp"

using namespace nvdlac;

namespace {

constexpr damages of_the_day{.flips = 100, .truncations = 10};

void damage_saved_model(damages how) {
  const auto path = shared_path("nets/tensorflow/kws_ref_model.savedmodel/saved_model.pb");
  if (!path) return;
  const auto read_graph = [&](const std::string& content) {
    return import::without_scales(
        import::tensorflow_network_from(content, "damaged", {}, path->parent_path()));
  };
  const auto sound = import::read_file(*path);
  CHECK(read_graph(sound).size() > 5);
  damage("saved_model.pb", sound, 40, read_graph, how);
}
void damage_hdf5_weights(damages how) {
#ifdef NVDLAC_KERAS
  const auto root = shared_path("nets/caffe_hdf5");
  if (!root) return;
  const auto prototxt = import::read_file(*root / "cifar10_quick.prototxt");
  const auto read_weights = [&](const std::string& content) {
    return import::caffe_from({"n", prototxt}, {"w.caffemodel.h5", content});
  };
  const auto sound = import::read_file(*root / "cifar10_quick_iter_5000.caffemodel.h5");
  CHECK(read_weights(sound).size() > 5);
  damage("caffemodel.h5", sound, 41, read_weights, how);
#else
  (void)how;
#endif
}

}  // namespace

TEST_CASE("a trained SavedModel whose graph is damaged") { damage_saved_model(of_the_day); }
TEST_CASE("weights of Caffe in HDF5 that are damaged") { damage_hdf5_weights(of_the_day); }

// All the damages take minutes, so these run by name only; the two above do 110 of each.
TEST_CASE("a trained SavedModel, damaged in 2,200 ways" * doctest::skip() *
          doctest::test_suite("nightly")) {
  damage_saved_model({});
}
TEST_CASE("weights of Caffe in HDF5, damaged in 2,200 ways" * doctest::skip() *
          doctest::test_suite("nightly")) {
  damage_hdf5_weights({});
}
