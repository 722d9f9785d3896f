// SPDX-License-Identifier: Apache-2.0
// Trained networks of PyTorch, Caffe's HDF5, MXNet, Core ML and Caffe2 in int8 on nv_small: the
// simulator computes what the integer reference says, near the outputs that were stored.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/mxnet.hpp>
#include <nvdlac/import/pytorch.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

sample tensor_of(const net::graph& g, const std::string& npy) {
  net::float_tensor t{g[net::input_nodes(g).at(0)].shape};
  t.values = data::read_npy(npy).content.values;
  return {std::move(t)};
}
// `stem`.input_0.npy to input_3.npy calibrate; the least likeness of the first output to the float
// network's.
double likeness(const import::network& n, const std::string& stem) {
  std::vector<sample> samples;
  for (const char* k : {"0", "1", "2", "3"})
    samples.push_back(tensor_of(n.graph, stem + ".input_" + k + ".npy"));
  double least = 1;
  for (const auto& picture : samples) {
    const auto r = networks::run_on(hardware<nv_small>(), n.graph,
                                    scale_source(std::span<const sample>(samples)), picture, {});
    CHECK((r.simulated == r.exact));
    for (std::size_t i = 0; i < r.values.size(); ++i)
      least = std::min(least, networks::cosine(r.values[i], r.real[i]));
  }
  return least;
}

}  // namespace

#ifdef NVDLAC_PYTORCH
TEST_CASE("a trained PyTorch network on nv_small") {
  const auto file = shared_path("nets/pytorch/handmade_lenet.pt2");
  if (!file) return;
  // log_softmax is for the host.
  const auto n = import::any_network(*file, {}, {.to = {"linear_1"}});
  CHECK(likeness(n, (file->parent_path() / "lenet").string()) > 0.98);
}
#endif

#ifdef NVDLAC_KERAS
TEST_CASE("a trained Caffe network with weights in HDF5 on nv_small") {
  const auto root = shared_path("nets/caffe_hdf5");
  if (!root) return;
  const auto n = import::any_network(*root / "cifar10_quick.prototxt",
                                     *root / "cifar10_quick_iter_5000.caffemodel.h5");
  CHECK(likeness(n, (*root / "cifar10_quick").string()) > 0.95);
}
#endif

TEST_CASE("a trained MXNet network on nv_small") {
  const auto root = shared_path("nets/mxnet");
  if (!root) return;
  // Softmax at every place of a picture is for the host.
  const auto n = import::any_network(*root / "det1-symbol.json", *root / "det1-0001.params",
                                     {.to = {"conv4_1", "conv4_2"},
                                      .shapes = {{"data", {1, 3, 30, 40}}}});
  CHECK(likeness(n, (*root / "det1").string()) > 0.95);
}

TEST_CASE("a trained Core ML network on nv_small") {
  const auto root = shared_path("nets/coreml");
  if (!root) return;
  // Softmax at every place of a picture is for the host.
  const auto n = import::any_network(*root / "pnet_fp32.mlpackage", {},
                                     {.to = {"var_70", "var_81"}});
  CHECK(likeness(n, (*root / "pytorch_mtcnn_pnet").string()) > 0.95);
}

TEST_CASE("a trained Caffe2 network becomes a program for nv_small") {
  const auto root = shared_path("nets/caffe2");
  if (!root) return;
  // Its pictures have 224 x 224 pixels, too many to simulate here.
  const auto n = import::any_network(*root / "superres_predict_net.pb",
                                     *root / "superres_init_net.pb");
  const std::vector<sample> samples{
      tensor_of(n.graph, (*root / "superres.input_0.npy").string())};
  const auto prepared = prepare(n.graph, scale_source(std::span<const sample>(samples)), {},
                                pass::verify{}, [](const net::graph&) {});
  const compiled chip(hardware<nv_small>(), prepared.integers);
  CHECK(chip.program().outputs.size() == 1);
  CHECK(chip.loadable().size() > 100000);
}
