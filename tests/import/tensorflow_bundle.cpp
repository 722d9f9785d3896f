// SPDX-License-Identifier: Apache-2.0
// The variables of a SavedModel: hostile and damaged files, within bounded memory.
#include "tensorflow_model.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/tensorflow/bundle.hpp>

#include "../shared.hpp"

using namespace tensorflow_model;
namespace tf = import::tensorflow_format;

namespace {

std::string varint(std::uint64_t v) {
  std::string s;
  for (; v >= 0x80; v >>= 7) s += static_cast<char>(v | 0x80);
  return s + static_cast<char>(v);
}
std::string fixed(std::uint32_t v) {
  std::string s;
  for (int i = 0; i < 4; ++i) s += static_cast<char>(v >> 8 * i);
  return s;
}

// A table with one block of data, as TensorFlow writes it.
class table {
 public:
  void add(std::uint64_t shared, const std::string& key, const std::string& value) {
    block_ += varint(shared) + varint(key.size()) + varint(value.size()) + key + value;
  }
  std::string file(std::size_t times = 1) const {
    std::string s;
    std::string handles;
    const auto data = append(s, block_);
    for (std::size_t i = 0; i < times; ++i)
      handles += varint(0) + varint(1) + varint(data.size()) + "z" + data;
    const auto index = append(s, handles);
    std::string footer = varint(0) + varint(0) + index;
    footer.resize(40);
    return s + footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  }

 private:
  // Its handle.
  static std::string append(std::string& to, std::string block) {
    block += fixed(0) + fixed(1);
    const auto handle = varint(to.size()) + varint(block.size());
    to += block + '\0' + fixed(tf::masked_crc(block + '\0'));
    return handle;
  }
  std::string block_;
};

std::string message(const char* type, const std::string& content) {
  return encode(tf::schema(), type, content);
}

const std::string header = message("BundleHeaderProto", "num_shards: 1");
std::string entry(const std::string& more) {
  return message("BundleEntryProto", "dtype: DT_FLOAT shape { dim { size: 2 } } " + more);
}

// A SavedModel that adds a variable to its input.
const std::string model =
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: \"serve\" } graph_def {" +
    placeholder("x", {1, 2}) +
    node("VarHandleOp", "v", "", type("dtype", "DT_FLOAT") + word("shared_name", "variable")) +
    node("ReadVariableOp", "r", "v", type("dtype", "DT_FLOAT")) + node("Add", "y", "x r") +
    "} signature_def { key: \"serving_default\" value {"
    " inputs { key: \"in\" value { name: \"x:0\" } }"
    " outputs { key: \"out\" value { name: \"y:0\" } } } } }";

struct saved_model {
  scratch directory;
  explicit saved_model(const std::string& index, const std::string& data) {
    directory.write("saved_model.pb", message("SavedModel", model));
    std::filesystem::create_directories(directory.path / "variables");
    directory.write("variables/variables.index", index);
    if (!data.empty()) directory.write("variables/variables.data-00000-of-00001", data);
  }
  std::string complaint() const {
    return complaints([&] { (void)import::tensorflow(directory.path); });
  }
};
std::string with_entry(const std::string& value, std::uint64_t shared = 0) {
  table t;
  t.add(0, "", header);
  t.add(shared, "variable", value);
  return t.file();
}
const std::string two_floats("\0\0\x80\x3f\0\0\0\x40", 8);  // 1 and 2

}  // namespace

TEST_CASE("SavedModel: the variables of a checkpoint") {
  const auto sum = text("crc32c: ", tf::masked_crc(two_floats));
  const saved_model m(with_entry(entry("size: 8 " + sum)), two_floats);
  const auto n = import::tensorflow_network(m.directory.path);
  CHECK(net::evaluate(n.graph, net::float_tensor{{2, 1, 1}, {5, 5}}).at(0).values == floats{6, 7});
  CHECK(n.external.size() == 2);
  CHECK(n.graph[0].name == "in");
  CHECK(n.graph[n.graph.outputs().at(0)].in_file.at(0).name == "out");
}

TEST_CASE("SavedModel: variables are below the model's directory, whatever links there are") {
  const auto sound = with_entry(entry("size: 8"));
  for (const char* file : {"variables.index", "variables.data-00000-of-00001"}) {
    const saved_model saved(sound, two_floats);
    const scratch outside;
    const auto inside = saved.directory.path / "variables" / file;
    std::filesystem::rename(inside, outside.path / file);
    std::filesystem::create_symlink(outside.path / file, inside);
    CHECK(mentions(saved.complaint(), "is not below the directory of what names it"));
    std::filesystem::rename(outside.path / file, saved.directory.path / "beside");
    std::filesystem::remove(inside);
    std::filesystem::create_symlink("../beside", inside);
    CHECK(saved.complaint().empty());
  }
}

TEST_CASE("SavedModel: hostile and damaged variables are refused") {
  const auto refuse = [](const std::string& index, const std::string& data, const char* why) {
    const auto what = saved_model(index, data).complaint();
    INFO(what);
    CHECK(mentions(what, why));
  };
  refuse(with_entry(entry("size: 8 crc32c: 1")), two_floats, "checksum");
  refuse(with_entry(entry("size: 4")), two_floats, "its values have 4 bytes instead of 8");
  refuse(with_entry(entry("size: 8 offset: 1")), two_floats, "behind the end of their file");
  refuse(with_entry(entry("size: 8 offset: -8")), two_floats, "corrupt");
  refuse(with_entry(entry("size: 8 shard_id: 7")), two_floats, "corrupt");
  refuse(with_entry(entry("size: 8")), "", "there is no such file");
  refuse(with_entry(entry("size: 8 slices {}")), two_floats, "slices");
  refuse(with_entry(message("BundleEntryProto", "dtype: DT_FLOAT size: 99 "
                            "shape { dim { size: 1000000000 } dim { size: 1000000000 } }")),
         two_floats, "more than");
  refuse(with_entry(entry("size: 8"), 5), two_floats, "truncated or corrupt");
  table twice;
  twice.add(0, "", header);
  refuse(twice.file(1000), two_floats, "truncated or corrupt");  // one block many times
  table compressed;
  compressed.add(0, "", header);
  auto file = compressed.file();
  file[file.find(fixed(0) + fixed(1)) + 8] = 1;
  refuse(file, two_floats, "compressed");
  refuse("", two_floats, "truncated or corrupt");
  table empty;
  empty.add(0, "", header);
  refuse(empty.file(), two_floats, "the values of the variable 'variable' are not known");
  // Keys that share all of what is before them would take much memory.
  table longer;
  longer.add(0, "", header);
  std::string key(4000, 'a');
  longer.add(0, key, "");
  for (int i = 1; i < 4000; ++i) longer.add(4000 + static_cast<std::uint64_t>(i) - 1, "b", "");
  refuse(longer.file(), two_floats, "truncated or corrupt");
}

TEST_CASE("SavedModel: damaged indices of variables are read or refused") {
  std::vector<std::string> all{with_entry(entry("size: 8"))};
  const auto real =
      shared_path("nets/tensorflow/kws_ref_model.savedmodel/variables/variables.index");
  if (real) all.push_back(import::read_file(*real));
  for (const auto& content : all) {
    std::mt19937 random(7);
    int read = 0, refused_of_all = 0;
    const auto attempt = [&](std::string bytes) {
      try {
        (void)tf::sorted_table(std::move(bytes)).entries().size();
        ++read;
      } catch (const error&) {
        ++refused_of_all;
      }
    };
    for (std::size_t i = 0; i < 200; ++i) attempt(content.substr(0, content.size() * i / 200));
    for (int i = 0; i < 2000; ++i) {
      auto damaged = content;
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
      attempt(std::move(damaged));
    }
    MESSAGE(content.size() << " bytes: " << read << " read, " << refused_of_all << " refused");
    CHECK(read + refused_of_all == 2200);
    CHECK(refused_of_all > 1200);  // checksums find what is damaged; the footer has none
  }
}
