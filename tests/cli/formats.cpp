// SPDX-License-Identifier: Apache-2.0
// A trained network of every format becomes a loadable, and the loadable gives the stored output's
// class; the network's files are not written over.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>

#include <shared.hpp>

#include "cli.hpp"

namespace {

namespace fs = std::filesystem;

struct trained {
  std::string model, weights, options, inputs, outputs;  // in nets/; `inputs`_K.npy
};
const std::vector<trained> all = {
    {"tensorflow/kws_cnn_s.pb", "", "--from Reshape_1", "tensorflow/kws_cnn_s.input",
     "tensorflow/kws_cnn_s.output"},
    {"tensorflow/kws_ref_model.savedmodel", "", "", "tensorflow/kws_ref_model.savedmodel.input",
     "tensorflow/kws_ref_model.savedmodel.output"},
#ifdef NVDLAC_KERAS
    {"keras/mlperf_resnet8_cifar10.h5", "", "", "keras/mlperf_resnet8_cifar10.input",
     "keras/mlperf_resnet8_cifar10.output"},
    {"keras/mlperf_resnet8_cifar10.keras", "", "", "keras/mlperf_resnet8_cifar10.input",
     "keras/mlperf_resnet8_cifar10.output"},
    {"keras/zoo_keras3.json", "keras/zoo_keras3.weights.h5", "--host allow",
     "keras/zoo_keras3.input", "keras/zoo_keras3.output"},
    {"caffe_hdf5/cifar10_quick.prototxt", "caffe_hdf5/cifar10_quick_iter_5000.caffemodel.h5", "",
     "caffe_hdf5/cifar10_quick.input", "caffe_hdf5/cifar10_quick.output"},
#endif
#ifdef NVDLAC_PYTORCH
    {"pytorch/handmade_lenet.pt2", "", "--host allow", "pytorch/lenet.input",
     "pytorch/lenet.output"},
#endif
    {"coreml/resnet20_nn.mlmodel", "", "", "coreml/pytorch_resnet20.input",
     "coreml/pytorch_resnet20.output"},
    {"coreml/lenet_palette6.mlpackage", "", "--host allow", "coreml/pytorch_lenet.input",
     "coreml/pytorch_lenet.output"},
    {"mxnet/det1-symbol.json", "mxnet/det1-0001.params",
     "--shape data=1,3,30,40 --to conv4_2", "mxnet/det1.input", ""},
    {"caffe2/superres_predict_net.pb", "caffe2/superres_init_net.pb", "", "caffe2/superres.input",
     ""},
};

std::size_t best(const fs::path& npy) {
  const auto values = nvdlac::data::read_npy(npy).content.values;
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

}  // namespace

TEST_CASE("a network of every format, from its file to the class of a picture") {
  const auto nets = shared_path("nets");
  if (!nets) return;
  const auto in_nets = [&](const std::string& file) {
    return file.empty() ? "" : " '" + (*nets / file).string() + "' ";
  };
  for (const auto& t : all) {
    CAPTURE(t.model);
    const scratch dir;
    std::string calibration;
    for (const char* k : {"_0.npy", "_1.npy", "_2.npy"})
      calibration += " --calibration" + in_nets(t.inputs + k);
    const auto compiled =
        nvdlac_in(dir.path, "compile" + in_nets(t.model) + in_nets(t.weights) + t.options +
                                calibration + " --config nv_small -o net.nvdla");
    CAPTURE(compiled.err);
    CHECK(compiled.code == 0);
    if (t.outputs.empty()) continue;
    const auto run = nvdlac_in(dir.path, "run net.nvdla --config nv_small --input" +
                                             in_nets(t.inputs + "_0.npy") + "-o out.npy");
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    CHECK(best(dir.path / "out.npy") == best(*nets / (t.outputs + "_0.npy")));
  }
}

TEST_CASE("the files of a Core ML package are not written over") {
  const auto package = shared_path("nets/coreml/lenet_palette6.mlpackage");
  if (!package) return;
  const scratch dir;
  fs::copy(*package, dir.path / "net.mlpackage", fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(dir.path)) {
    fs::permissions(entry, fs::perms::owner_all, fs::perm_options::add);
    if (!entry.is_regular_file()) continue;
    CAPTURE(entry.path());
    const auto before = content(entry.path());
    const auto r = nvdlac_in(dir.path, "compile net.mlpackage --config nv_small --calibration '" +
                                           (*package / "../pytorch_lenet.input_0.npy").string() +
                                           "' -o '" + entry.path().string() + "'");
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(r.complains("which would be overwritten"));
    CHECK(content(entry.path()) == before);
  }
}
