// SPDX-License-Identifier: Apache-2.0
// Archives of torch.export in the layouts of all versions of PyTorch: read, or refused with the
// line that writes them anew.
#include "pytorch_model.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nvdlac/import/model.hpp>
#include <nvdlac/import/pytorch.hpp>

#ifdef NVDLAC_PYTORCH

using namespace pytorch_model;

namespace {

program convolved_once() {
  return {.nodes = node("conv2d.default", tensor("input", "x") + ", " + tensor("weight", "p_k")),
          .weights = {{"k", {1, 2, 1, 1}, {1, 2}}}};
}
const std::string pickled =
    archived::archive_of({{"archive/data.pkl", "\x80\x02}."}, {"archive/data/0", "12345678"}});

// As PyTorch 2.8 writes it: what the models are is told as later, their tensors are pickles.
std::string archive_of_2_8(const program& p) {
  return archived::archive_of({{"net/archive_format", "pt2"},
                               {"net/archive_version", "0"},
                               {"net/byteorder", "little"},
                               {"net/.data/serialization_id", "1"},
                               {"net/models/model.json", model_of(p).dump()},
                               {"net/data/weights/model.pt", pickled},
                               {"net/data/constants/model.pt", pickled},
                               {"net/data/sample_inputs/model.pt", pickled}});
}
std::string archive_before_2_8(const std::string& state, const std::string& version,
                               const program& p) {
  return archived::archive_of({{"serialized_exported_program.json", model_of(p).dump()},
                               {"serialized_state_dict" + state, pickled},
                               {"serialized_constants" + state, pickled},
                               {"version", version}});
}
std::string refused_file(const std::string& content) {
  const scratch folder;
  const auto path = folder.path / "old.pt2";
  std::ofstream(path, std::ios::binary) << content;
  return complaints([&] { (void)import::any_network(path); });
}

}  // namespace

TEST_CASE("archives of torch.export before PyTorch 2.9 are refused by their version") {
  const auto p = convolved_once();
  const auto first = refused_file(archive_before_2_8(".json", "1", p));
  CHECK(mentions(first, "by PyTorch 2.1, whose weights are a pickle"));
  CHECK(mentions(first, "export the module with PyTorch 2.9"));
  for (const char* version : {"4.2", "5.3", "8.7"}) {
    const auto next = refused_file(archive_before_2_8(".pt", version, p));
    CHECK(mentions(next, "by PyTorch 2.2 to 2.7, whose weights are a pickle"));
    CHECK(mentions(next, "torch.export.save(torch.export.load('old.pt2'), 'new.pt2')"));
  }
  const auto last = refused_file(archive_of_2_8(p));
  CHECK(mentions(last, "by PyTorch 2.8: its tensors are a pickle (data/weights/model.pt)"));
  CHECK(mentions(last, "torch.export.save(torch.export.load('old.pt2'), 'new.pt2')"));
  CHECK(last.find("PyTorch 2.8") == last.rfind("PyTorch 2.8"));  // once, not for each tensor
}

TEST_CASE("an archive of PyTorch 2.8 without weights is read as those of later ones") {
  const program p{.input = {1, 4}, .nodes = node("relu.default", tensor("self", "x"))};
  for (const auto& content : {archive_of_2_8(p), archive_of(p)}) {
    const auto n = import::pytorch_network_from(content, "net.pt2");
    CHECK(tensorflow_files::run(n, {{"x", {-1, 0, 1, 2}}}).at("y") == floats{0, 0, 1, 2});
  }
}

TEST_CASE("archives of torch.export whose layout is not known are refused") {
  const auto p = convolved_once();
  const auto with = [&](const std::string& member, const std::string& content) {
    auto all = members_of(p, model_of(p), config_of(p));
    std::erase_if(all, [&](const auto& m) { return m.name == "net/" + member; });
    all.push_back({"net/" + member, content});
    return refused(archived::archive_of(all));
  };
  CHECK(with("archive_version", "0") == "");
  CHECK(mentions(with("archive_version", "1"), "its archive_version is not 0"));
  CHECK(mentions(with("archive_format", "pt3"), "its archive_format is not pt2"));
  CHECK(mentions(with("byteorder", "big"), "big endian"));
  auto model = model_of(p);
  model["schema_version"]["major"] = 7;
  CHECK(mentions(with("models/model.json", model.dump()), "version 7.x"));
  model["schema_version"] = {{"major", 8}, {"minor", 99}};
  CHECK(with("models/model.json", model.dump()) == "");
}

#endif
