// SPDX-License-Identifier: Apache-2.0
// Trained networks in Keras' formats give the stored outputs.
#include "keras_files.hpp"

#include <filesystem>
#include <string>

#include <nvdlac/import/model.hpp>

#include "files.hpp"

using namespace keras_files;

#ifdef NVDLAC_KERAS

namespace {

struct model_file {
  const char *file, *stem;
  const char* weights = nullptr;
  int pictures = 4;
};
const model_file models[] = {
    {"mlperf_resnet8_cifar10.h5", "mlperf_resnet8_cifar10"},
    {"mlperf_resnet8_cifar10.keras", "mlperf_resnet8_cifar10"},
    {"kdef_tiny_xception.hdf5", "kdef_tiny_xception"},
    {"zoo_keras3.keras", "zoo_keras3", nullptr, 3},
    {"zoo_keras3_16.keras", "zoo_keras3", nullptr, 3},
    {"zoo_keras3_saved_as.h5", "zoo_keras3", nullptr, 3},
    {"zoo_keras3.json", "zoo_keras3", "zoo_keras3.weights.h5", 3},
};

}  // namespace

TEST_CASE("trained Keras networks give the stored outputs") {
  const auto root = shared_path("nets/keras");
  if (!root) return;
  for (const auto& f : models) {
    INFO(f.file);
    import::weight_source weights{};
    if (f.weights != nullptr) weights = *root / f.weights;
    const auto n = import::any_network(*root / f.file, weights);
    for (int k = 0; k < f.pictures; ++k) {
      const auto stem = (*root / f.stem).string();
      const auto end = "put_" + std::to_string(k) + ".npy";
      CHECK(error_for(n, stem + ".in" + end, stem + ".out" + end) <= 1e-4);
    }
  }
}

TEST_CASE("Keras models of classes that are not Keras' own are refused by class") {
  const auto root = shared_path("nets/keras");
  if (!root) return;
  const auto what_of = [&](const char* name) {
    return complaints([&] { (void)import::any_network(*root / name); });
  };
  CHECK(mentions(what_of("keras_team_nested_container.keras"), "NestedDenseModel"));
}

#endif
