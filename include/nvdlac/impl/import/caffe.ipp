// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layer_types.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::import {

namespace caffe_format {

NVDLAC_IMPL network reader::read() {
  auto layers = used_layers(document_);
  if (document_.root().has("layer") && document_.root().has("layers"))
    complain({.reason = "it has layers both of the old form (layers) and the new form (layer)"});
  if (document_.root().child("state").enumerator("phase", "TEST") != "TEST")
    complain({.reason = "its state is of phase TRAIN",
              .remedy = "a network is read as it is used, in phase TEST"});
  if (wanted_.cuts()) choose_part(layers);
  walk(layers);
  mark_outputs();
  report_unused_shapes();
  if (problems_.empty() && (layers.empty() || blobs_.empty()))
    complain({.reason = "the network has no layers"});
  if (problems_.empty() && batch_ == 0)
    complain({.reason = "the network has no input", .remedy = "give the deploy file"});
  auto nodes = wanted_.cuts() ? std::vector<cut_node>()
                              : wiring(layers).cut_nodes(refused_, constant_);
  if (!problems_.empty()) throw with_cut(error(problems_.problems()), cut_around(nodes));
  return {.graph = net_.finish(), .batch = batch_, .nodes = std::move(nodes)};
}

NVDLAC_IMPL void reader::choose_part(std::vector<layer>& layers) {
  read_ = caffe_format::choose_part(layers, document_.root().strings("input"), wanted_, file_,
                                    problems_);
}

NVDLAC_IMPL void reader::walk(const std::vector<layer>& layers) {
  report_unknown(layers);
  read_inputs(layers);
  for (const auto& l : layers)
    for (const auto& b : l.begins) begin_behind(l, b);
  context c{net_, weights_, batch_};
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const auto& l = layers[n];
    if (l.name.empty()) complain({.line = l.line, .reason = "a layer has no name"});
    else if (!names_.insert(l.name).second)
      complain({.line = l.line, .layer = l.name, .reason = "its name is used more than once"});
    if (l.computed && l.type != "Input" && !read_layer(l, layers, c)) refused_.insert(n);
    if (std::ranges::any_of(l.tops, [&](const auto& top) {
          const auto& b = blobs_[top];
          return b && is_constant(*b);
        }))
      constant_.insert(n);
    for (const auto& b : l.begins) {
      blobs_[l.tops[b.top]] = begun_[b.number];
      unread_.erase(l.tops[b.top]);
    }
    note_ends(l);
  }
  for (const auto& p : c.weight_problems) complain(p);
}

NVDLAC_IMPL std::optional<dims> reader::shape_before(const std::string& name) const {
  const part before{.to = {name}, .shapes = wanted_.shapes};
  reader r(file_, document_, weights_, before);
  auto layers = used_layers(document_);
  r.choose_part(layers);
  r.walk(layers);
  if (r.ends_.empty()) return std::nullopt;
  auto shape = r.ends_.begin()->second.second.shape;
  if (!shape.empty()) shape[0] = r.batch_;
  return shape;
}

NVDLAC_IMPL void reader::begin_behind(const layer& l, const part_end& begin) {
  begun_[begin.number] = std::nullopt;
  try {
    const auto declared = shape_before(begin.name);
    if (!declared && !wanted_.shapes.contains(begin.name))
      throw error(problem{.reason = "the layers before it do not tell the shape of what it gives",
                          .remedy = "give it: --shape " + begin.name + "=1,CHANNELS,HEIGHT,WIDTH"});
    begun_[begin.number] = input(begin.name, begin.name, declared);
  } catch (const error& e) {
    complain(l, e);
    batch_ = std::max(batch_, std::int64_t{1});
  }
}

NVDLAC_IMPL bool reader::is_constant(const blob& b) const {
  return std::holds_alternative<net::constant>(net_.graph()[b.node].op);
}

NVDLAC_IMPL void reader::note_ends(const layer& l) {
  for (const auto& end : l.ends)
    if (const auto& b = blobs_[l.tops[end.top]]) ends_.emplace(end.number, std::pair{end.name, *b});
}

NVDLAC_IMPL void reader::mark_outputs() {
  if (wanted_.cuts()) {
    for (const auto& [number, end] : ends_) mark_output(end.first, end.second);
    return;
  }
  for (const auto& name : unread_)
    if (const auto& b = blobs_.at(name)) mark_output(name, *b);
}

NVDLAC_IMPL std::optional<dims> reader::wanted_shape(const std::string& input,
                                                     const std::optional<dims>& declared) {
  inputs_.insert(input);
  const auto given = wanted_.shapes.find(input);
  if (given == wanted_.shapes.end()) return declared;
  if (declared && given->second != *declared)
    throw error(text("its shape is given as ", to_text(given->second), ", but the file has ",
                     to_text(*declared)));
  return given->second;
}

NVDLAC_IMPL void reader::report_unused_shapes() {
  std::string all;
  for (const auto& name : inputs_) all += (all.empty() ? "" : ", ") + name;
  for (const auto& [name, ignored] : wanted_.shapes)
    if (!inputs_.contains(name))
      complain({.layer = name, .reason = "its shape is given, but it is no input",
                .remedy = "inputs are " + (all.empty() ? "none" : all)});
}

NVDLAC_IMPL void reader::complain(problem p) {
  p.file = file_;
  problems_.add(std::move(p));
}

NVDLAC_IMPL void reader::complain(const layer& l, const error& e) {
  for (problem p : e.problems()) {
    p.line = l.line;
    p.layer = l.name;
    complain(std::move(p));
  }
}

NVDLAC_IMPL void reader::report_unknown(const std::vector<layer>& layers) {
  for (const auto& u : document_.unknown) {
    const auto reason = proto::not_understood(u);
    if (u.message == "NetParameter") {
      complain({.line = u.at.line, .reason = reason});
      continue;
    }
    for (const auto& l : layers)  // a layer that takes no part may hold what it likes
      if (l.computed && u.at >= l.start && u.at < l.end &&
          (l.type == "Input" || layer_types().contains(l.type)))
        complain({.line = u.at.line, .layer = l.name, .reason = reason});
  }
}

NVDLAC_IMPL blob reader::input(const std::string& layer, const std::string& top,
                               const std::optional<dims>& declared, std::size_t line) {
  const auto d = wanted_shape(top, declared).value();
  if (d.size() < 2 || d.size() > 4)
    throw error(text("the input has ", count_of(d.size(), "dimension"),
                     " (2 to 4 are supported: pictures, "
                     "channels, height, width)"));
  if (d[0] < 1) throw error(text("the input has a batch of ", d[0]));
  dims one = d;
  one[0] = 1;
  batch_ = std::max(batch_, d[0]);
  const auto n = net_.add(layer, net::input{cube(one)}, {}, line);
  net_.mark_input(n, in_file(top, one));
  return {n, one};
}

NVDLAC_IMPL void reader::add_input(const std::string& layer, const std::string& top, const dims& d,
                                   std::size_t line) {
  if (read_ && !read_->contains(top)) return;
  try {
    bind(top, input(layer, top, d, line), layer, line, false);
  } catch (const error& e) {
    for (problem p : e.problems()) {
      p.line = line;
      p.layer = layer;
      complain(std::move(p));
    }
    batch_ = std::max(batch_, std::int64_t{1});
    blobs_[top] = std::nullopt;
  }
}

NVDLAC_IMPL void reader::read_inputs(const std::vector<layer>& layers) {
  const auto net = document_.root();
  const auto inputs = net.strings("input");
  const auto flat = net.values<std::int32_t>("input_dim");
  const auto shapes = net.children("input_shape");
  if (shapes.empty() ? flat.size() != 4 * inputs.size()
                     : !flat.empty() || shapes.size() != inputs.size())
    complain(
        {.reason = text("the network names ", count_of(inputs.size(), "input"), ", but gives ",
                        count_of(flat.size(), "value"),
                        " of input_dim and ", shapes.size(), " of input_shape"),
         .remedy = "give four values of input_dim, or one input_shape, for each input"});
  else
    for (std::size_t i = 0; i < inputs.size(); ++i)
      add_input(inputs[i], inputs[i],
                shapes.empty() ? dims(flat.begin() + static_cast<std::ptrdiff_t>(4 * i),
                                      flat.begin() + static_cast<std::ptrdiff_t>(4 * i + 4))
                               : to_dims(shapes[i]),
                0);
  for (const auto& l : layers) {
    if (l.type != "Input" || !l.computed) continue;
    const auto given = l.fields.child("input_param").children("shape");
    check_parameters(l, "input_param");
    if (!l.bottoms.empty() || l.tops.empty() ||
        (given.size() != 1 && given.size() != l.tops.size())) {
      complain(l, error(text("the Input layer has ", l.bottoms.size(), " bottoms, ",
                             l.tops.size(), " tops and ", given.size(), " shapes")));
      for (const auto& top : l.tops) blobs_[top] = std::nullopt;
      batch_ = std::max(batch_, std::int64_t{1});
      continue;
    }
    for (std::size_t i = 0; i < l.tops.size(); ++i)
      add_input(l.tops.size() == 1 ? l.name : l.tops[i], l.tops[i],
                to_dims(given[given.size() == 1 ? 0 : i]), l.line);
  }
}

NVDLAC_IMPL void reader::check_parameters(const layer& l, std::string_view expected) {
  std::vector<const proto::pb::FieldDescriptor*> fields;
  const auto& m = l.fields.message();
  m.GetReflection()->ListFields(m, &fields);
  for (const auto* f : fields)
    if (f->name().size() > 6 && f->name().substr(f->name().size() - 6) == "_param" &&
        f->name() != expected)
      complain({.line = l.line, .layer = l.name,
                .reason = text(f->name(), " has no meaning in a layer of type ", l.type)});
  if (l.fields.has("blobs"))
    complain({.line = l.line, .layer = l.name,
              .reason = "its weights (blobs) are in the prototxt",
              .remedy = "they are read from a caffemodel"});
  if (l.fields.has("phase") && l.fields.enumerator("phase", "TEST") != "TEST")
    complain({.line = l.line, .layer = l.name, .reason = "phase: TRAIN of a layer that is used",
              .remedy = "write include { phase: TRAIN } to leave it out of the network"});
}

NVDLAC_IMPL void reader::bind(const std::string& top, const blob& b, const std::string& layer,
                              std::size_t line, bool in_place) {
  unread_.insert(top);
  if (!blobs_.contains(top) || in_place) blobs_[top] = b;
  else
    complain({.line = line, .layer = layer,
              .reason = "its output '" + top + "' is already produced by another layer"});
}

NVDLAC_IMPL void reader::mark_output(const std::string& name, const blob& b) {
  try {
    if (is_constant(b)) {
      if (!problems_.empty()) return;  // what reads it may be refused
      throw error("this output is constant");
    }
    net_.mark_output(b.node, in_file(name, b.shape));
  } catch (const error& e) {
    for (problem p : e.problems()) {
      p.layer = name;
      complain(std::move(p));
    }
  }
}

NVDLAC_IMPL bool reader::read_layer(const layer& l, const std::vector<layer>& all, context& c) {
  const auto poison = [&] {
    for (const auto& top : l.tops) blobs_[top] = std::nullopt;
  };
  const auto type = layer_types().find(l.type);
  if (type == layer_types().end()) {
    complain(l, error(unsupported(l.type, !std::exchange(supported_listed_, true))));
    poison();
    return false;
  }
  check_parameters(l, type->second.parameters);
  const auto inputs = inputs_of(l, all);
  try {
    const auto n = l.bottoms.size();
    if (n < type->second.least_inputs || n > type->second.most_inputs)
      throw error(text("a layer of type ", l.type, " has ", count_of(n, "input"), " (bottom)"));
    const bool silent = l.type == "Silence";  // it takes blobs that are not outputs
    const bool several = l.type == "Split" || type->second.convert_all != nullptr;
    if (l.tops.empty() != silent || (l.tops.size() > 1 && !several))
      throw error(text("a layer of type ", l.type, " has ", count_of(l.tops.size(), "output"),
                       " (top)"));
    if (!inputs) {
      poison();
      return true;  // what is wrong is told of a layer before it
    }
    std::vector<blob> out;
    if (silent) out = {};
    else if (type->second.convert_all) out = type->second.convert_all(c, l, *inputs);
    else out.assign(l.tops.size(), type->second.convert(c, l, *inputs));
    for (const auto& bottom : l.bottoms) unread_.erase(bottom);
    for (std::size_t i = 0; const auto& top : l.tops)
      bind(top, out[i++], l.name, l.line,
           std::find(l.bottoms.begin(), l.bottoms.end(), top) != l.bottoms.end());
    return true;
  } catch (const error& e) {
    complain(l, e);
    poison();
    // A layer that keeps the shape does not keep those behind it from being looked at.
    static const std::set<std::string_view> keep = {
        "AbsVal", "BNLL", "BatchNorm", "Bias", "Clip", "ELU", "Exp", "LRN", "Log", "MVN",
        "Normalize", "PReLU", "Power", "ReLU", "ReLU6", "Scale", "Sigmoid", "Softmax", "Swish",
        "TanH", "Threshold"};
    if (inputs && inputs->size() == 1 && keep.contains(l.type))
      for (const auto& top : l.tops) blobs_[top] = inputs->front();
    return false;
  }
}

NVDLAC_IMPL std::optional<std::vector<blob>> reader::inputs_of(const layer& l,
                                                               const std::vector<layer>& all) {
  std::vector<blob> inputs;
  bool complete = true;
  for (const auto& bottom : l.bottoms) {
    const auto found = blobs_.find(bottom);
    if (found != blobs_.end() && found->second) {
      inputs.push_back(*found->second);
      continue;
    }
    complete = false;
    if (found != blobs_.end()) continue;
    const auto later = std::find_if(all.begin(), all.end(), [&](const layer& o) {
      return std::find(o.tops.begin(), o.tops.end(), bottom) != o.tops.end();
    });
    complain(
        {.line = l.line,
         .layer = l.name,
         .reason = "nothing produces its input '" + bottom + "'" +
                   (later == all.end() ? std::string{}
                                       : " before it; layer '" + later->name + "' does so later"),
         .remedy = later == all.end() ? "" : "the layers are out of order or form a cycle"});
  }
  if (!complete) return std::nullopt;
  return inputs;
}

NVDLAC_IMPL network read(const named_content& prototxt, const weights& trained,
                         const part& wanted) {
  if (const auto kind = recognise(prototxt.content); kind.kind != file_kind::caffe_text)
    throw error(problem{.file = prototxt.file,
                        .reason = "this is " + kind.name + ", not a prototxt",
                        .remedy = kind.kind == file_kind::caffe_binary
                                      ? "give the prototxt first, then the caffemodel"
                                      : kind.remedy});
  const auto document =
      proto::parse_text(schema(), "NetParameter", prototxt.file, prototxt.content,
                        wanted.limits.fields);
  return reader(prototxt.file, document, trained, wanted).read();
}

}  // namespace caffe_format

NVDLAC_IMPL network caffe_network(const std::filesystem::path& prototxt,
                                  const std::filesystem::path& caffemodel, const part& wanted) {
  return caffe_format::read({prototxt.string(), read_file(prototxt)},
                            caffe_format::weights(caffemodel.string(), read_file(caffemodel),
                                                  wanted.limits),
                            wanted);
}

NVDLAC_IMPL network caffe_network(const std::filesystem::path& prototxt, random_weights weights,
                                  const part& wanted) {
  return caffe_format::read({prototxt.string(), read_file(prototxt)},
                            caffe_format::weights(weights, wanted.limits.weights), wanted);
}

NVDLAC_IMPL net::graph caffe_from(const named_content& prototxt, const named_content& caffemodel) {
  return caffe_format::read(prototxt,
                            caffe_format::weights(caffemodel.file, caffemodel.content, {})).graph;
}

NVDLAC_IMPL net::graph caffe(const std::filesystem::path& prototxt,
                             const std::filesystem::path& caffemodel) {
  return caffe_network(prototxt, caffemodel).graph;
}

NVDLAC_IMPL net::graph caffe(const std::filesystem::path& prototxt, random_weights weights) {
  return caffe_network(prototxt, weights).graph;
}

NVDLAC_IMPL network read_caffe(const named_content& model, const weight_content& weights,
                               const part& wanted) {
  if (const auto* noise = std::get_if<random_weights>(&weights))
    return caffe_format::read(model, caffe_format::weights(*noise, wanted.limits.weights),
                              wanted);
  const auto& trained = std::get<named_content>(weights);
  return caffe_format::read(
      model, caffe_format::weights(trained.file, trained.content, wanted.limits), wanted);
}

}  // namespace nvdlac::import
