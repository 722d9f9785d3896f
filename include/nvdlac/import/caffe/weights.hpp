// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/writer.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::caffe_format {

using dims = std::vector<std::int64_t>;

inline std::string to_text(const dims& d) {
  std::string s;
  for (const auto n : d) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s.empty() ? "scalar" : s;
}

#ifdef NVDLAC_KERAS
// Adds the layers in a group of an HDF5 file, whose blobs are numbered datasets. A name of a layer
// may have slashes, so that groups may be within groups. Links can show a group at many places, so
// that all that is `visited` is counted.
inline void add_layers(const hdf5_file& from, const std::string& group, const std::string& name,
                       onnx_format::constant_elements& most, onnx_format::editor& to,
                       std::uint64_t& visited, int depth = 0) {
  if (depth > 32) throw error("its groups are nested deeper than names of layers are");
  std::vector<std::string> blobs;
  for (const auto& child : from.children(group)) {
    require_within(&budget::nodes, ++visited);
    const auto path = group + '/' + child;
    if (from.is_group(path))
      add_layers(from, path, name.empty() ? child : name + '/' + child, most, to, visited,
                 depth + 1);
    else if (!name.empty()) blobs.push_back(child);
  }
  if (blobs.empty()) return;
  auto layer = to.add("layer");
  layer.set("name", name);
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    const auto path = group + '/' + std::to_string(i);
    try {
      most.take_weights(static_cast<std::uint64_t>(onnx_format::count(from.shape(path))));
      const auto a = from.read(path);
      auto blob = layer.add("blobs");
      blob.child("shape").append("dim", a.shape);
      blob.append("data", a.reals);
    } catch (const error& e) {
      auto all = e.problems();
      for (auto& p : all) p.layer = name;
      throw error(std::move(all));
    }
  }
}
#endif
// The same as a caffemodel of what Caffe writes where snapshot_format is HDF5.
inline proto::document net_parameter_in([[maybe_unused]] const std::string& content) {
#ifdef NVDLAC_KERAS
  const hdf5_file from(content);
  if (!from.is_group("data"))
    throw error(problem{.reason = "this HDF5 file has no group /data, where Caffe writes weights",
                        .remedy = "give the .caffemodel.h5 of the prototxt"});
  proto::document d{.message = schema().make("NetParameter")};
  onnx_format::constant_elements most(content.size());
  onnx_format::editor to(*d.message);
  std::uint64_t visited = 0;
  add_layers(from, "/data", "", most, to, visited);
  return d;
#else
  throw error(problem{.reason = "this is an HDF5 file, but this nvdlac was built without HDF5 and "
                                "libarchive, which go together",
                      .remedy = "install them (on Debian: libhdf5-dev libarchive-dev) and build "
                                "nvdlac anew"});
#endif
}

// The blobs of a caffemodel, by the names of their layers, or noise.
class weights {
 public:
  // One blob of a layer.
  struct source {
    const proto::view* trained = nullptr;  // null: noise
    std::vector<std::uint32_t> seed{};
  };

  explicit weights(random_weights r) : random_(r) {}
  weights(const std::string& file, const std::string& content)
      : file_(file), content_(parse(file, content)) {
    for (const char* list : {"layer", "layers"})
      for (const auto& layer : content_->root().children(list))
        if (layer.has("blobs")) blobs_.emplace(layer.string("name"), layer.children("blobs"));
  }

  // Throws unless the layer has exactly `count` blobs.
  std::vector<source> of(const std::string& layer, std::size_t count) const {
    std::vector<source> sources;
    if (!content_) {
      for (std::size_t i = 0; i < count; ++i) {
        sources.push_back({.seed = random_.of(layer, static_cast<std::uint32_t>(i))});
      }
      return sources;
    }
    const auto found = blobs_.find(layer);
    if (found == blobs_.end())
      throw error(text("'", file_, "' has no weights for it"));
    if (found->second.size() != count)
      throw error(text("'", file_, "' has ", found->second.size(), " blobs for it instead of ",
                       count));
    for (const auto& blob : found->second) sources.push_back({.trained = &blob});
    return sources;
  }

  // The values of a blob that must have this shape. Old blobs have four dimensions, of which
  // leading ones of 1 do not count.
  static std::vector<float> values(const source& from, dims expected, const char* what) {
    if (from.trained == nullptr) return noise(from.seed, expected, what);
    const proto::view& blob = *from.trained;
    dims found;
    const bool old = blob.has("num") || blob.has("channels") || blob.has("height") ||
                     blob.has("width");
    if (old && blob.has("shape")) throw error(text("the shape of its ", what, " is given twice"));
    if (blob.has("data") && blob.has("double_data"))
      throw error(text("its ", what, " are given twice, as data and as double_data"));
    if (blob.has("shape")) {
      found = blob.child("shape").values<std::int64_t>("dim");
    } else {
      for (const char* name : {"num", "channels", "height", "width"})
        found.push_back(blob.integer(name, 0));
    }
    const std::string shown =
        text("the shape of its ", what, " is ", to_text(found), " instead of ", to_text(expected));
    if (significant(found) != significant(expected)) throw error(shown);
    auto result = blob.values<float>("data");
    const auto doubles = blob.values<double>("double_data");
    if (result.empty())
      std::transform(doubles.begin(), doubles.end(), std::back_inserter(result),
                     [](double v) { return static_cast<float>(v); });
    std::int64_t count = 1;
    for (const auto n : expected) count = net::product({count, n});
    if (std::cmp_not_equal(result.size(), count))
      throw error(text("its ", what, " have ", result.size(), " values instead of ", count));
    return result;
  }

 private:
  static dims significant(const dims& d) {
    return dims(std::find_if(d.begin(), d.end(), [](auto n) { return n != 1; }), d.end());
  }
  static proto::document parse(const std::string& file, const std::string& content) {
    const auto kind = recognise(content);
    if (kind.kind == file_kind::caffe_binary)
      return proto::parse_binary(schema(), "NetParameter", file, content);
    if (kind.kind == file_kind::caffe_text)
      return proto::parse_text(schema(), "NetParameter", file, content);
    if (kind.kind == file_kind::keras_hdf5)
      return nvdlac::in_file(file, [&] { return net_parameter_in(content); });
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a caffemodel",
                        .remedy = kind.remedy});
  }

  std::string file_{};
  std::optional<proto::document> content_{};
  random_weights random_{};
  std::map<std::string, std::vector<proto::view>> blobs_;
};

}  // namespace nvdlac::import::caffe_format
