// SPDX-License-Identifier: Apache-2.0
// PyTorch's files: trained networks give the stored outputs; what has no graph is refused with the
// way to one; damaged and hostile files are refused.
#include "pytorch_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <nvdlac/import/model.hpp>
#include <nvdlac/import/pytorch.hpp>

#include "../shared.hpp"
#include "files.hpp"

#ifdef NVDLAC_PYTORCH

using namespace pytorch_model;

namespace {

const std::string relu = node("relu.default", tensor("self", "x"));

program convolved() {
  return {.nodes = node("conv2d.default", tensor("input", "x") + ", " + tensor("weight", "p_k")),
          .weights = {{"k", {1, 2, 1, 1}, {1, 2}}}};
}
std::string complaint_of(const program& p, const json& model, const json& config) {
  return refused(archived::archive_of(members_of(p, model, config)));
}

}  // namespace

TEST_CASE("a trained PyTorch network gives the stored outputs") {
  const auto root = shared_path("nets/pytorch");
  if (!root) return;
  const auto n = import::any_network(*root / "handmade_lenet.pt2");
  for (const std::string k : {"0", "1", "2", "3"}) {
    const auto in = tensorflow_files::values_of(*root / ("lenet.input_" + k + ".npy"));
    const auto found = tensorflow_files::run(n, {{"x", in}});
    CHECK(tensorflow_files::error_of(
              found.at("log_softmax"),
              tensorflow_files::values_of(*root / ("lenet.output_" + k + ".npy"))) <= 1e-4);
  }
}

TEST_CASE("PyTorch's files without a graph that can be read say how to export one") {
  const auto root = shared_path("nets/pytorch");
  if (!root) return;
  struct expected {
    const char *file, *kind;
  };
  const expected all[] = {
      {"lenet_frozen.pt", "a TorchScript file"}, {"lenet_scripted.pt", "a TorchScript file"},
      {"resnet20_traced.pt", "a TorchScript file"}, {"mtcnn_pnet_lite.ptl", "lite interpreter"},
      {"lenet_mnist_cnn.pt", "weights alone, without a graph (convnet.c1.weight"},
      {"mtcnn_pnet.pt", "weights alone, without a graph (conv1.weight"},
      {"lenet_state_dict_zip.pt", "weights alone, without a graph (convnet.c1.weight"},
      {"lenet_state_dict_half_zip.pt", "weights alone"},
      {"lenet_whole_module_pickle.pt", "a pickled module"},
  };
  for (const auto& e : all) {
    const auto found = complaints([&] { (void)import::any_network(*root / e.file); });
    INFO(e.file);
    CHECK(mentions(found, e.kind));
    CHECK(mentions(found, "torch.onnx.export("));
    CHECK(mentions(found, "torch.export.save("));
  }
}

TEST_CASE("a hostile pickle of PyTorch's runs nothing") {
  const scratch folder;
  const auto marker = folder.path / "was_run";
  const auto pickle = "\x80\x02" "cos\nsystem\nX" +
                      std::string(1, static_cast<char>(marker.string().size() + 6)) +
                      std::string(3, '\0') + "touch " + marker.string() + "\x85R.";
  const std::string legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  program p = convolved();
  auto config = config_of(p);
  config["config"]["k"]["use_pickle"] = true;
  auto members = members_of(p, model_of(p), config);
  for (auto& m : members)
    if (m.name.ends_with("weight_0")) m.content = pickle;
  members.push_back({"net/data/sample_inputs/model.pt", pickle});
  CHECK(mentions(refused(archived::archive_of(members)), "no pickle is run"));
  const std::string files[] = {
      pickle, legacy + pickle,
      archived::archive_of({{"net/data.pkl", pickle}, {"net/version", "3"}}),
      archived::archive_of({{"net/data.pkl", pickle}, {"net/code/__torch__.py", "import os"}})};
  for (const auto& content : files) {
    const auto path = folder.path / "hostile.pt";
    std::ofstream(path, std::ios::binary) << content;
    CHECK(mentions(complaints([&] { (void)import::any_network(path); }), "torch.export"));
  }
  CHECK_FALSE(std::filesystem::exists(marker));
}

TEST_CASE("archives of torch.export that do not hold what they say") {
  const auto p = convolved();
  const auto config = config_of(p);
  const auto model = model_of(p);
  const auto with = [&](const archived::member& m) {
    auto all = members_of(p, model, config);
    all.push_back(m);
    return refused(archived::archive_of(all));
  };
  CHECK(mentions(with({"../evil", "x"}), "outside of itself"));
  CHECK(mentions(with({"/evil", "x"}), "outside of itself"));
  CHECK(mentions(with({"net/models/model.json", "{}"}), "two members"));
  CHECK(with({"net/models/other.json", "{}"}).empty());
  // Folders within others are no models.
  CHECK(mentions(refused(archived::archive_of({{"net/archive_format", "pt2"},
                                               {"net/a/models/model.json", "{}"}})),
                 "no models/model.json"));
  auto wrong = config;
  auto& meta = wrong["config"]["k"]["tensor_meta"];
  meta["sizes"][0]["as_int"] = 3;
  CHECK(mentions(complaint_of(p, model, wrong), "8 bytes"));
  meta["sizes"][0]["as_int"] = 1LL << 40;
  CHECK(mentions(complaint_of(p, model, wrong), "elements"));
  meta["sizes"][0]["as_int"] = 1 << 26;
  meta["strides"] = json::parse(R"([{"as_int": 0}, {"as_int": 0}, {"as_int": 0}, {"as_int": 0}])");
  CHECK(mentions(complaint_of(p, model, wrong), "needs more"));
  meta["strides"][1]["as_int"] = -1;
  meta["sizes"][0]["as_int"] = 1;
  CHECK(mentions(complaint_of(p, model, wrong), "needs more"));
  meta["layout"] = 1;
  CHECK(mentions(complaint_of(p, model, wrong), "sparse"));
  meta.erase("layout");
  meta["dtype"] = 9;
  CHECK(mentions(complaint_of(p, model, wrong), "type number 9"));
  CHECK(mentions(complaint_of(p, model, json::object()), "no raw values of 'k'"));
  auto later = model;
  later["schema_version"]["major"] = 9;
  CHECK(mentions(complaint_of(p, later, config), "version 9.x"));
  CHECK(mentions(complaint_of(p, json::object(), config), "no graph_module"));
  CHECK(mentions(complaint_of(p, json("x"), config), "no graph_module"));
  CHECK(mentions(refused(archived::archive_of({{"net/archive_format", "pt2"},
                                               {"net/models/model.json",
                                                std::string(1000, '[')}})),
                 "256"));
  CHECK(mentions(refused(archived::archive_of({{"net/archive_format", "pt2"},
                                               {"net/byteorder", "big"},
                                               {"net/models/model.json", "{}"}})),
                 "big endian"));
  program large{.input = {1, 1 << 14, 1 << 14, 1 << 14}, .nodes = relu};
  CHECK(refused(archive_of(large)) != "");
}

TEST_CASE("strides of PyTorch's weights count") {
  auto p = convolved();
  p.weights[0] = {"k", {2, 1}, {1, 2}};
  p.nodes = node("add.Tensor", tensor("self", "x") + ", " + tensor("other", "p_k"));
  p.input = {1, 2};
  auto config = config_of(p);
  auto& meta = config["config"]["k"]["tensor_meta"];
  meta["sizes"] = json::parse(R"([{"as_int": 1}, {"as_int": 2}])");
  meta["strides"] = json::parse(R"([{"as_int": 1}, {"as_int": 0}])");
  meta["storage_offset"]["as_int"] = 1;
  const auto n = import::pytorch_network_from(
      archived::archive_of(members_of(p, model_of(p), config)), "views");
  CHECK(tensorflow_files::run(n, {{"x", {10, 20}}}).at("y") == floats{12, 22});
  // That of a dimension of one element does not, however large it is.
  meta = pytorch_model::meta({1, 2});
  meta["strides"][0]["as_int"] = 0x7FFFFFFFFFFFFFFF;
  const auto huge = import::pytorch_network_from(
      archived::archive_of(members_of(p, model_of(p), config)), "views");
  CHECK(tensorflow_files::run(huge, {{"x", {10, 20}}}).at("y") == floats{11, 22});
}

TEST_CASE("damaged archives of torch.export") {
  for (const auto& sound : {archive_of(convolved()), archive_of(convolved(), true)}) {
    CHECK(refused(sound).empty());
    std::mt19937 random(7);
    const auto read = [](const std::string& content) {
      try {
        (void)import::pytorch_network_from(content, "damaged");
      } catch (const error& e) {
        for (const auto& p : e.problems()) CHECK(p.file == "damaged");
      }
    };
    for (std::size_t n = 0; n < sound.size(); n += 1 + n / 64) read(sound.substr(0, n));
    for (int i = 0; i < 2000; ++i) {
      auto damaged = sound;
      for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
      read(damaged);
    }
  }
}

#endif
