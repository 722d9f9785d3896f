// SPDX-License-Identifier: Apache-2.0
// Caffe's weights in HDF5.
#include "keras_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/model.hpp>

#include "../shared.hpp"
#include "files.hpp"
#include "tensorflow_files.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;

namespace {

const import::named_content prototxt{"net.prototxt", R"(
  input: "data" input_shape { dim: 1 dim: 2 dim: 4 dim: 4 }
  layer { name: "block/conv" type: "Convolution" bottom: "data" top: "y"
          convolution_param { num_output: 3 kernel_size: 3 } })"};

std::string complaint(const std::string& weights) {
  return complaints([&] { (void)import::caffe_from(prototxt, {"net.caffemodel.h5", weights}); });
}

// The datasets below /data.
std::string written(const std::vector<std::pair<std::string, keras_model::weight>>& all) {
  keras_model::writer w;
  for (const auto& [path, values] : all) w.dataset("/data/" + path, values);
  return w.content();
}

}  // namespace

TEST_CASE("a trained Caffe network with weights in HDF5 gives the stored outputs") {
  const auto root = shared_path("nets/caffe_hdf5");
  if (!root) return;
  const auto n = import::any_network(*root / "cifar10_quick.prototxt",
                                     *root / "cifar10_quick_iter_5000.caffemodel.h5");
  const auto in = n.graph[net::input_nodes(n.graph).at(0)].name;
  for (const std::string k : {"0", "1", "2", "3"}) {
    const auto values = [&](const std::string& end) {
      return tensorflow_files::values_of(*root / ("cifar10_quick." + end + k + ".npy"));
    };
    const auto found = tensorflow_files::run(n, {{in, values("input_")}});
    REQUIRE(found.size() == 1);
    CHECK(tensorflow_files::error_of(found.begin()->second, values("output_")) <= 1e-4);
  }
}

TEST_CASE("layers of Caffe whose names have slashes, and weights that do not fit") {
  const keras_model::weight bias{"", {3}};
  const auto sound = written({{"block/conv/0", {"", {3, 2, 3, 3}}}, {"block/conv/1", bias}});
  CHECK(import::caffe_from(prototxt, {"net.caffemodel.h5", sound}).size() == 2);
  CHECK(mentions(complaint(written({{"block/conv/0", {"", {3, 2, 5, 5}}}, {"block/conv/1", bias}})),
                 "3x2x5x5 instead of 3x2x3x3"));
  CHECK(mentions(complaint(written({{"block/conv/0", {"", {3, 2, 3, 3}}}, {"block/conv/2", bias}})),
                 "no dataset"));
  CHECK(mentions(complaint(keras_model::hdf5("{}", {})), "no group /data"));
  for (std::size_t n = 0; n < sound.size(); n += 97) CHECK(complaint(sound.substr(0, n)) != "");
}

TEST_CASE("groups of Caffe's weights that links show at a great many places are refused at once") {
  keras_model::writer w;
  w.group("/data/g0");
  for (int i = 0; i < 24; ++i)
    for (const char* link : {"a", "b"}) {
      const auto next = "/data/g" + std::to_string(i + 1);
      if (*link == 'a') w.group(next);
      H5Lcreate_hard(w.file(), next.c_str(), w.file(),
                     ("/data/g" + std::to_string(i) + '/' + link).c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
    }
  CHECK(mentions(complaint(w.content()), "has several names"));
}

#endif
