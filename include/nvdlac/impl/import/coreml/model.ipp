// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/conversion.hpp>
#include <nvdlac/import/coreml/feature.hpp>
#include <nvdlac/import/coreml/model.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/operations.hpp>
#include <nvdlac/import/coreml/schema.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL std::string kind_of(const proto::view& layer) {
  const auto& m = layer.message();
  const auto& reflection = *m.GetReflection();
  std::vector<const proto::pb::FieldDescriptor*> fields;
  reflection.ListFields(m, &fields);
  std::string kind;
  for (const auto* f : fields)
    if (f->number() >= 100) kind += (kind.empty() ? "" : " and ") + std::string(f->name());
  const auto& unknown = reflection.GetUnknownFields(m);
  for (int i = 0; i < unknown.field_count(); ++i)
    kind += text(kind.empty() ? "" : " and ", "number ", unknown.field(i).number());
  return kind.empty() ? "without a kind" : kind;
}

NVDLAC_IMPL neural_network::neural_network(const proto::view& model, const proto::view& net,
                                           bool gives_label, const part& wanted)
    : net_(net), layers_(net.children("layers")) {
  const auto description = model.child("description");
  for (const auto& i : description.children("input")) add_input(feature_of(i, wanted));
  for (const auto& l : layers_) {
    translation::file_layer layer{.name = l.string("name"), .type = kind_of(l),
                                  .inputs = l.strings("input"), .outputs = l.strings("output")};
    if (layer.name.empty() && !layer.outputs.empty()) layer.name = layer.outputs.front();
    graph_.layers.push_back(std::move(layer));
  }
  choose_outputs(description, gives_label);
}

NVDLAC_IMPL void neural_network::add_input(feature f) {
  const bool longer =
      net_.integer(f.picture ? "imageInputShapeMapping" : "arrayInputShapeMapping") == 0;
  if (longer && f.shape && !f.picture) {
    auto& shape = *f.shape;
    if (shape.size() == 5 && shape[0] == 1) shape.erase(shape.begin());
    else if (shape.size() == 3) shape.insert(shape.begin(), 1);
    else if (shape.size() == 1) shape = {1, shape[0], 1, 1};
    else
      throw error(problem{.layer = f.name,
                          .reason = text("the shape of this input is ",
                                         onnx_format::to_text(shape), " in a network whose "
                                         "tensors have five dimensions"),
                          .remedy = "[channels] and [channels, height, width] are supported"});
  }
  if (longer) sequences_.insert(f.name);
  if (f.flexible)
    notes.push_back({.layer = f.name,
                     .reason = "this input may have several shapes: its default is used, or "
                               "what --shape tells"});
  graph_.inputs.push_back({f.name, f.shape});
  features_.push_back(std::move(f));
}

NVDLAC_IMPL bool neural_network::is_produced(const std::string& name) const {
  return std::ranges::any_of(graph_.layers, [&](const auto& l) {
    return std::ranges::find(l.outputs, name) != l.outputs.end();
  });
}

NVDLAC_IMPL void neural_network::add_output(const std::string& name) {
  if (std::ranges::find(graph_.outputs, name) == graph_.outputs.end())
    graph_.outputs.push_back(name);
}

NVDLAC_IMPL void neural_network::choose_outputs(const proto::view& description, bool gives_label) {
  for (const auto& o : description.children("output")) {
    const auto name = o.string("name");
    if (!gives_label || is_produced(name)) add_output(name);
    else
      notes.push_back({.layer = name,
                       .reason = "this output is left out: the host makes it of the others"});
  }
  if (!gives_label) return;
  if (const auto name = net_.string("labelProbabilityLayerName"); is_produced(name))
    add_output(name);
  if (graph_.outputs.empty() && !graph_.layers.empty())
    for (const auto& o : graph_.layers.back().outputs) add_output(o);
}

NVDLAC_IMPL net::preprocessing scaled(const proto::view& scaler, net::channel_order order) {
  const double scale =
      scaler.number("channelScale") == 0 ? 1 : double{scaler.number("channelScale")};
  std::vector<const char*> biases{"redBias", "greenBias", "blueBias"};
  if (order == net::channel_order::bgr) std::ranges::reverse(biases);
  if (order == net::channel_order::grey) biases = {"grayBias"};
  net::preprocessing p{.mean = {}, .scale = {scale}, .order = order};
  for (const char* b : biases) p.mean.push_back(-double{scaler.number(b)} / scale);
  return p;
}

NVDLAC_IMPL std::optional<net::preprocessing> prepare_inputs(
    const neural_network& n, translation::channels_first_translator& to) {
  std::optional<net::preprocessing> preprocessing;
  const bool single = to.shapes_of_inputs().size() == 1;
  for (const auto& f : n.features()) {
    if (!to.is_held(f.name)) continue;
    if (single && f.picture) preprocessing = net::preprocessing{.order = *f.picture};
    std::size_t steps = 0;
    for (const auto& p : n.preprocessing()) {
      const auto name = p.string("featureName");
      if (name != f.name && !(name.empty() && n.features().size() == 1)) continue;
      to.problems().attempt(f.name, [&] {
        require_understood(p);
        if (!f.picture || ++steps > 1)
          throw error("its preprocessing is not that of one picture, which is not supported");
        const auto x = to.at(f.name);
        if (p.has("meanImage")) {
          auto mean = array::of_reals(
              dims(f.shape->begin() + 1, f.shape->end()),
              p.child("meanImage").values<float>("meanImage"));
          if (!std::cmp_equal(mean.size(), onnx_format::count(mean.shape)))
            throw error(text("its mean image has ", count_of(mean.size(), "value")));
          to.hold(f.name, to.to().binary(f.name + "/mean", "Sub", x, operand::of(std::move(mean))));
          return;
        }
        const auto how = scaled(p.child("scaler"), *f.picture);
        if (single) {
          preprocessing = how;
          return;
        }
        std::vector<float> means;
        for (const auto m : how.mean) means.push_back(static_cast<float>(m));
        const auto size = static_cast<std::int64_t>(means.size());
        const auto centred = to.to().binary(f.name + "/centred", "Sub", x,
                                            operand::of(array::of_reals({size, 1, 1}, means)));
        to.hold(f.name, to.to().binary(f.name + "/scaled", "Mul", centred,
                                       to.to().number(static_cast<float>(how.scale[0]))));
      });
    }
  }
  return preprocessing;
}

NVDLAC_IMPL network translated_network(const named_content& file, const proto::view& model,
                                       const proto::view& net, bool gives_label,
                                       const part& wanted) {
  const neural_network all(model, net, gives_label, wanted);
  translation::channels_first_translator to(file.file, all.graph(), wanted, file.content.size());
  to.read_inputs();
  const auto preprocessing = prepare_inputs(all, to);
  weight_reader weights(file.content.size(), wanted.limits);
  auto longer = all.with_sequences();
  auto result = to.translate(
      [](const std::string& type) { return layers().contains(type); },
      [&](std::size_t k) {
        const auto& l = all.graph().layers[k];
        const auto& entry = layers().at(l.type);
        const auto parameters = all.parameters(k);
        conversion c(l, parameters, to, weights, longer);
        auto found = entry.convert(c);
        require_understood(parameters);
        if (entry.results_have == ranks::of_inputs && (c.sequence || l.inputs.empty()))
          longer.insert(l.outputs.begin(), l.outputs.end());
        return found;
      },
      translation::names_of(layers()));
  result.preprocessing = preprocessing;
  for (auto note : all.notes) {
    note.file = file.file;
    result.notes.push_back(std::move(note));
  }
  return result;
}

namespace program {

NVDLAC_IMPL proto::view attribute_of(const proto::view& op, const char* name) {
  for (const auto& a : op.children("attributes"))
    if (a.string("key") == name) return a.child("value");
  throw error(problem{.reason = text("its attribute ", name, " is missing"),
                      .remedy = "the forms that all versions since iOS 15 have are supported"});
}

NVDLAC_IMPL bool is_compressed(const std::string& type) {
  return type == "constexpr_affine_dequantize" || type == "constexpr_lut_to_dense" ||
         type == "constexpr_cast";
}

NVDLAC_IMPL array expanded(const proto::view& op, value_reader& values) {
  const auto given = [&](const char* name) { return attribute_of(op, name); };
  const auto type = op.string("type");
  if (type == "constexpr_cast") return values.read(given("source_val"));
  if (type == "constexpr_lut_to_dense")
    return values.looked_up(given("indices"), given("lut"), given("shape"));
  const auto axis = values.read(given("axis"));
  if (axis.size() != 1) throw error("its axis is not one number");
  return values.dequantised(given("quantized_data"), given("scale"), given("zero_point"),
                            static_cast<std::int64_t>(axis.number(0)));
}

NVDLAC_IMPL void require_plain(const proto::view& op) {
  for (const auto& a : op.children("attributes"))
    if (const auto key = a.string("key"); key != "name")
      throw error("its attribute " + key + " is not understood");
  if (!op.children("blocks").empty()) throw error("its blocks are not understood");
}

NVDLAC_IMPL function_graph::function_graph(const proto::view& model, const part& wanted)
    : function_(function_in(model.child("mlProgram"))), block_(block_in(function_)) {
  const auto described = model.child("description").children("input");
  for (const auto& i : function_.children("inputs")) add_input(i, described, wanted);
  for (const auto& op : block_.children("operations")) add(op);
  for (const auto& o : block_.strings("outputs")) add_output(o);
}

NVDLAC_IMPL proto::view function_graph::function_in(const proto::view& program) {
  const auto all = program.children("functions");
  for (const auto& f : all)
    if (all.size() == 1 || f.string("key") == "main") return f.child("value");
  throw error(problem{.reason = text("this ML program has ", all.size(),
                                     " functions, and none is called main"),
                      .remedy = "save it with one function"});
}

NVDLAC_IMPL proto::view function_graph::block_in(const proto::view& function) {
  const auto all = function.children("blocks");
  for (const auto& b : all)
    if (all.size() == 1 || b.string("key") == function.string("opset")) return b.child("value");
  throw error("the function of this ML program has no block for its opset");
}

NVDLAC_IMPL void function_graph::add_input(const proto::view& input,
                                           const std::vector<proto::view>& described,
                                           const part& wanted) {
  const auto name = input.string("name");
  const auto type = input.child("type").child("tensorType");
  if (const auto t = type.integer("dataType"); t != 10 && t != 11)
    throw error(problem{.layer = name, .reason = text("this input has the data type ", t),
                        .remedy = "inputs of real numbers are supported"});
  std::optional<dims> shape = shape_of(type);
  for (const auto& d : described) {
    if (d.string("name") != name) continue;
    const auto f = feature_of(d, wanted);
    if (f.picture) pictures_.emplace(name, *f.picture);
    if (std::ranges::find(*shape, -1) != shape->end() && f.shape &&
        f.shape->size() == shape->size() && !wanted.shapes.contains(name)) {
      shape = f.shape;
      notes.push_back({.layer = name,
                       .reason = "this input may have several shapes: its default is used, or "
                                 "what --shape tells"});
    }
  }
  graph_.inputs.push_back({name, shape});
}

NVDLAC_IMPL void function_graph::add(const proto::view& op) {
  translation::file_layer l{.type = op.string("type")};
  for (const auto& o : op.children("outputs")) l.outputs.push_back(o.string("name"));
  if (!l.outputs.empty()) l.name = l.outputs.front();
  if (l.type == "const") {
    known_.emplace(l.name, attribute_of(op, "val"));
    return;
  }
  if (is_compressed(l.type)) {
    compressed_.emplace(l.name, op);
    return;
  }
  for (const auto& entry : op.children("inputs"))
    for (const auto& b : entry.child("value").children("arguments"))
      if (b.has("name")) {
        l.inputs.push_back(b.string("name"));
        if (l.type == "classify" && entry.string("key") == "probabilities")
          for (const auto& o : l.outputs) probabilities_[o] = l.inputs.back();
      }
  if (l.type == "classify") return;
  graph_.layers.push_back(std::move(l));
  operations_.push_back(op);
}

NVDLAC_IMPL void function_graph::add_output(const std::string& name) {
  const auto found = probabilities_.find(name);
  const auto& tensor = found == probabilities_.end() ? name : found->second;
  if (found != probabilities_.end())
    notes.push_back({.layer = name,
                     .reason = "this output is left out: the host makes it of '" + tensor + "'"});
  if (std::ranges::find(graph_.outputs, tensor) == graph_.outputs.end())
    graph_.outputs.push_back(tensor);
}

NVDLAC_IMPL network translated(const named_content& file, const proto::view& model,
                               const part& wanted) {
  weight_files files(std::filesystem::path(file.file).parent_path());
  std::set<std::string> names;
  proto::for_each_message(model.message(), "BlobFile", [&](const proto::pb::Message& m) {
    names.insert(proto::view(m).string("fileName"));
  });
  auto bytes = file.content.size();
  for (const auto& n : names) bytes += static_cast<std::size_t>(files.bytes(n));
  value_reader values(bytes, files, wanted.limits);
  const function_graph all(model, wanted);
  translation::channels_first_translator to(file.file, all.graph(), wanted, bytes);
  to.read_inputs();
  for (const auto& [name, value] : all.known())
    if (to.needs(name) && value.child("immediateValue").has("tensor") != value.has("blobFileValue"))
      if (!is_text(value))
        to.problems().attempt(name, [&] { to.hold(name, operand::of(values.read(value))); });
  for (const auto& [name, op] : all.compressed())
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(expanded(op, values))); });
  auto result = to.translate(
      [](const std::string& type) { return operations().contains(type); },
      [&](std::size_t k) {
        const auto& l = all.graph().layers[k];
        const operation o(all.operation_at(k), l, all.known(), values, to);
        auto found = operations().at(l.type).convert(o);
        o.require_understood();
        require_plain(all.operation_at(k));
        require_understood(all.operation_at(k));
        return found;
      },
      translation::names_of(operations()));
  for (auto note : all.notes) {
    note.file = file.file;
    result.notes.push_back(std::move(note));
  }
  if (const auto& inputs = to.shapes_of_inputs(); inputs.size() == 1)
    if (const auto p = all.pictures().find(inputs.begin()->first); p != all.pictures().end())
      result.preprocessing = net::preprocessing{.order = p->second};
  result.external = files.paths();
  return result;
}

}  // namespace program

}  // namespace nvdlac::import::coreml_format
