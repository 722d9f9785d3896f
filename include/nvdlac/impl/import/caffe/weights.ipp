// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL std::string to_text(const dims& d) {
  std::string s;
  for (const auto n : d) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s.empty() ? "scalar" : s;
}

#ifdef NVDLAC_KERAS
NVDLAC_IMPL void add_layer(const hdf5_file& from, const std::string& group, const std::string& name,
                           std::size_t blobs, onnx_format::constant_elements& most,
                           proto::editor& to) {
  auto layer = to.add("layer");
  layer.set("name", name);
  for (std::size_t i = 0; i < blobs; ++i) {
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

NVDLAC_IMPL void add_layers(const hdf5_file& from, onnx_format::constant_elements& most,
                            std::uint64_t most_nodes, proto::editor& to) {
  constexpr std::string_view root = "/data/";
  const auto paths = from.paths();
  if (std::ranges::find(paths, root) == paths.end())
    throw error(problem{.reason = "this HDF5 file has no group /data, where Caffe writes weights",
                        .remedy = "give the .caffemodel.h5 of the prototxt"});
  require_within(&budget::nodes, paths.size(), most_nodes);
  std::map<std::string, std::size_t> blobs;  // by groups
  for (const auto& path : paths)
    if (const auto end = path.rfind('/'); !path.ends_with('/') && path.starts_with(root) &&
                                          end >= root.size())
      ++blobs[path.substr(0, end)];
  for (const auto& [group, count] : blobs)
    add_layer(from, group, group.substr(root.size()), count, most, to);
}

#endif

NVDLAC_IMPL proto::document net_parameter_in([[maybe_unused]] const std::string& content,
                                             [[maybe_unused]] const budget& limits) {
#ifdef NVDLAC_KERAS
  const hdf5_file from(content, limits);
  proto::document d{.message = schema().make("NetParameter")};
  onnx_format::constant_elements most(content.size(), limits);
  proto::editor to(*d.message);
  add_layers(from, most, limits.nodes, to);
  return d;
#else
  throw error(problem{.reason = "this is an HDF5 file, but this nvdlac was built without HDF5 and "
                                "libarchive, which go together",
                      .remedy = "install them (on Debian: libhdf5-dev libarchive-dev) and build "
                                "nvdlac anew"});
#endif
}

NVDLAC_IMPL weights::weights(const std::string& file, const std::string& content,
                             const budget& limits)
    : file_(file), content_(parse(file, content, limits)) {
  for (const char* list : {"layer", "layers"})
    for (const auto& layer : content_->root().children(list))
      if (layer.has("blobs")) blobs_.emplace(layer.string("name"), layer.children("blobs"));
}

NVDLAC_IMPL std::vector<weights::source> weights::of(const std::string& layer,
                                                     std::size_t count) const {
  std::vector<source> sources;
  if (!content_) {
    for (std::size_t i = 0; i < count; ++i) {
      sources.push_back({.seed = random_.of(layer, static_cast<std::uint32_t>(i)), .most = most_});
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

NVDLAC_IMPL std::vector<float> weights::values(const source& from, dims expected,
                                               const char* what) {
  if (from.trained == nullptr) return noise(from.seed, expected, what, from.most);
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
    throw error(text("its ", what, " have ", count_of(result.size(), "value"), " instead of ",
                     count));
  return result;
}

NVDLAC_IMPL proto::document weights::parse(const std::string& file, const std::string& content,
                                           const budget& limits) {
  const auto kind = recognise(content);
  if (kind.kind == file_kind::caffe_binary)
    return proto::parse_binary(schema(), "NetParameter", file, content, limits.fields);
  if (kind.kind == file_kind::caffe_text)
    return proto::parse_text(schema(), "NetParameter", file, content, limits.fields);
  if (kind.kind == file_kind::keras_hdf5)
    return nvdlac::in_file(file, [&] { return net_parameter_in(content, limits); });
  throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a caffemodel",
                      .remedy = kind.remedy});
}

}  // namespace nvdlac::import::caffe_format
