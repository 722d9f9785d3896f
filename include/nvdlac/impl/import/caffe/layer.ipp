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
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL std::int32_t small(std::int64_t n, const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (n < 0 || n > most) throw error(text(name, " is ", n, ", which is not in 0 .. ", most));
  return static_cast<std::int32_t>(n);
}

NVDLAC_IMPL std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise) {
  return small(p.integer(name, otherwise), name);
}

NVDLAC_IMPL height_width either(const proto::view& p, const std::string& name, const char* h,
                                const char* w, std::int64_t otherwise) {
  const bool split = p.has(h) || p.has(w);
  if (split && p.has(name.c_str()))
    throw error(text("it gives both ", name, " and ", h, " or ", w));
  if (split) return {small(p, h, otherwise), small(p, w, otherwise)};
  const auto* field = p.message().GetDescriptor()->FindFieldByName(name);
  if (!field->is_repeated()) {
    const auto n = small(p, name.c_str(), otherwise);
    return {n, n};
  }
  const auto all = p.values<std::uint32_t>(name.c_str());
  if (all.size() > 2)
    throw error(text("it has ", count_of(all.size(), "value"), " of ", name,
                     ", for a convolution of ",
                     count_of(all.size(), "dimension"), " (2 are supported)"));
  if (all.empty()) return {small(otherwise, name.c_str()), small(otherwise, name.c_str())};
  return {small(all.front(), name.c_str()), small(all.back(), name.c_str())};
}

NVDLAC_IMPL net::window make_window(const proto::view& p, const char* stride_what) {
  const auto kernel = either(p, "kernel_size", "kernel_h", "kernel_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  if (kernel.h < 1 || kernel.w < 1) throw error("its kernel_size is missing or 0");
  if (stride.h < 1 || stride.w < 1) throw error(text("its ", stride_what, " is 0"));
  return {.kernel_h = kernel.h, .kernel_w = kernel.w, .stride_h = stride.h, .stride_w = stride.w,
          .pad_top = pad.h, .pad_left = pad.w, .pad_bottom = pad.h, .pad_right = pad.w};
}

NVDLAC_IMPL net::window convolution_window(const proto::view& p) {
  net::window w = make_window(p, "stride");
  const auto dilation = p.values<std::uint32_t>("dilation");
  if (dilation.size() > 2) throw error("it has more than 2 values of dilation");
  if (!dilation.empty()) {
    w.dilation_h = small(dilation.front(), "dilation");
    w.dilation_w = small(dilation.back(), "dilation");
  }
  return w;
}

NVDLAC_IMPL void require_no_window(const proto::view& p) {
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  if (p.has("kernel_size") || p.has("kernel_h") || p.has("kernel_w"))
    throw error("it gives both global_pooling and a kernel size");
  if (pad.h != 0 || pad.w != 0 || stride.h != 1 || stride.w != 1)
    throw error("global_pooling takes no padding and stride 1");
}

NVDLAC_IMPL void clip_window(net::window& w, net::shape in) {
  const auto fit = [](std::int32_t& kernel, std::int32_t stride, std::int32_t pad,
                      std::int32_t size) {
    const std::int64_t padded = std::int64_t{size} + 2 * pad;
    if (kernel > padded && kernel - padded < stride) kernel = static_cast<std::int32_t>(padded);
    const std::int64_t rest = padded - kernel, last = (rest + stride - 1) / stride * stride;
    if (pad == 0 && rest > 0 && last >= size)
      throw error("its last window lies outside the picture: its stride is larger than its kernel");
  };
  fit(w.kernel_h, w.stride_h, w.pad_top, in.h);
  fit(w.kernel_w, w.stride_w, w.pad_left, in.w);
}

NVDLAC_IMPL net::window pyramid_window(net::shape in, std::int32_t parts) {
  const auto size = [&](std::int32_t n) { return (n + parts - 1) / parts; };
  const auto pad = [&](std::int32_t n) { return (size(n) * parts - n + 1) / 2; };
  return {.kernel_h = size(in.h), .kernel_w = size(in.w), .stride_h = size(in.h),
          .stride_w = size(in.w), .pad_top = pad(in.h), .pad_left = pad(in.w),
          .pad_bottom = pad(in.h), .pad_right = pad(in.w)};
}

NVDLAC_IMPL bool rule_holds(const proto::view& rule, const proto::view& state) {
  const auto level = state.integer("level", 0);
  const auto stages = state.strings("stage");
  const auto has = [&](const std::string& s) {
    return std::find(stages.begin(), stages.end(), s) != stages.end();
  };
  const auto wanted = rule.strings("stage"), unwanted = rule.strings("not_stage");
  return rule.enumerator("phase", "TEST") == "TEST" && level >= rule.integer("min_level", level) &&
         level <= rule.integer("max_level", level) &&
         std::all_of(wanted.begin(), wanted.end(), has) &&
         std::none_of(unwanted.begin(), unwanted.end(), has);
}

NVDLAC_IMPL bool is_used(const proto::view& fields, const proto::view& state) {
  const auto any = [&](const char* list) {
    const auto rules = fields.children(list);
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& r) { return rule_holds(r, state); });
  };
  return fields.has("include") ? any("include") : !any("exclude");
}

NVDLAC_IMPL std::vector<layer> used_layers(const proto::document& net) {
  std::vector<layer> all;
  for (const char* list : {"layers", "layer"}) {
    int i = 0;
    for (const auto& fields : net.root().children(list)) {
      const auto type = list == std::string_view("layer")
                            ? fields.string("type")
                            : new_type_name(fields.enumerator("type", "NONE"));
      all.push_back({fields, fields.string("name"), type, fields.strings("bottom"),
                     fields.strings("top"), 0, net.start_of(list, i++)});
    }
  }
  std::vector<proto::place> starts;
  for (const auto& l : all) starts.push_back(l.start);
  std::sort(starts.begin(), starts.end());
  for (auto& l : all) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), l.start);
    l.line = l.start.line;
    l.end = next == starts.end() ? proto::place{std::string::npos} : *next;
  }
  std::erase_if(all, [&](const layer& l) { return !is_used(l.fields, net.root().child("state")); });
  return all;
}

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
