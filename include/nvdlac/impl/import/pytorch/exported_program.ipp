// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/archive.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/pytorch/exported_program.hpp>
#include <nvdlac/import/pytorch/operators.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

#ifdef NVDLAC_PYTORCH

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL exported_program::exported_program(const std::string& content, std::string file,
                                               const budget& limits)
    : file_(std::move(file)), bytes_(content.size()), limits_(limits),
      members_(unpacked(content, limits, [](std::string_view name) {
        return name.find("/models/") != name.npos || name.find("/data/weights/") != name.npos ||
               name.find("/data/constants/") != name.npos || name.ends_with("/byteorder") ||
               name.ends_with("/archive_format") || name.ends_with("/archive_version");
      })) {
  require_layout();
  if (const auto* order = ending("/byteorder"); order != nullptr && *order != "little")
    throw error("its numbers are " + *order + " endian, which is not supported");
  const auto model = name_of_model();
  model_ = json_text::parsed(*ending("/models/" + model + ".json"), "its model",
                             limits_.fields);
  constexpr std::int64_t understood = 8;
  if (const auto* version = member(model_, "schema_version"))
    if (const auto* major = member(*version, "major");
        major != nullptr && integer_in(*major) != understood)
      throw error(problem{.reason = text("its schema has version ", shown(*major), ".x"),
                          .remedy = text("version ", understood, ".x is read; ONNX is, too")});
  weights_ = configuration("/data/weights/" + model, {"_weights_config", "_model_param_config"});
  constants_ =
      configuration("/data/constants/" + model, {"_constants_config", "_model_constants_config"});
}

NVDLAC_IMPL network exported_program::translated(const part& wanted) {
  const auto& graph = child(child(model_, "graph_module"), "graph");
  const auto& tensors = child(graph, "tensor_values");
  sizes known(tensors);
  const auto flat = flat_graph(graph, child(child(model_, "graph_module"), "signature"), known);
  translation::channels_first_translator to(file_, flat, wanted, bytes_);
  to.read_inputs();
  for (const auto& [name, stored] : stored_)
    if (to.needs(name)) require_raw(stored);
  for (const auto& o : flat.outputs)
    if (wanted.to.empty() && outdated_outputs_.contains(o))
      to.problems().add(o, changed_in_place(o));
  for (const auto& [name, shape] : to.shapes_of_inputs()) known.know(name, shape);
  for (const auto& [name, stored] : stored_)
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(read(stored))); });
  return to.translate(
      [](const std::string& type) { return operators().contains(type); },
      [&](std::size_t k) {
        if (const auto old = outdated_inputs_.find(k); old != outdated_inputs_.end())
          throw changed_in_place(old->second);
        const call c(*nodes_[k], flat.layers[k], to, known);
        auto found = operators().at(flat.layers[k].type).convert(c);
        c.require_understood();
        return found;
      },
      translation::names_of(operators()));
}

NVDLAC_IMPL void exported_program::require_layout() const {
  for (const auto& [name, expected] : {std::pair{"/archive_format", "pt2"},
                                       {"/archive_version", "0"}})
    if (const auto* written = ending(name); written != nullptr && *written != expected)
      throw error(problem{.reason = text("its ", name + 1, " is not ", expected),
                          .remedy = "save it with PyTorch 2.9 or one that writes the same "
                                    "layout, or export to ONNX"});
}

NVDLAC_IMPL const json& exported_program::child(const json& object, const char* key) {
  const auto* found = member(object, key);
  if (found == nullptr || !(found->is_object() || found->is_array()))
    throw error(problem{.reason = text("its model has no ", key),
                        .remedy = "the file is corrupt or from a later PyTorch"});
  return *found;
}

NVDLAC_IMPL const std::string* exported_program::ending(const std::string& end) const {
  for (const auto& [name, content] : members_)
    if (name.ends_with(end) && name.size() - end.size() == name.find('/')) return &content;
  return nullptr;
}

NVDLAC_IMPL std::string exported_program::name_of_model() const {
  std::vector<std::string> all;
  for (const auto& [name, ignored] : members_)
    if (const auto at = name.find("/models/");
        at != name.npos && at == name.find('/') && name.ends_with(".json"))
      all.push_back(name.substr(at + 8, name.size() - at - 13));
  if (all.size() == 1) return all[0];
  for (const auto& name : all)
    if (name == "model") return name;
  throw error(all.empty() ? "the archive has no models/model.json"
                          : "the archive holds several models, none of which is called model");
}

NVDLAC_IMPL json exported_program::configuration(const std::string& path,
                                                 const std::vector<std::string>& endings) const {
  for (const auto& end : endings)
    if (const auto* content = ending(path + end + ".json"))
      return json_text::parsed(*content, "its list of tensors", limits_.fields);
  return json::object();
}

NVDLAC_IMPL void exported_program::require_raw(const stored_tensor& t) const {
  const auto pickle = t.folder + name_of_model() + ".pt";
  if (member(*t.list, "config") == nullptr && ending(pickle) != nullptr)
    throw error(problem{.reason = "the archive is by PyTorch 2.8: its tensors are a pickle (" +
                                  pickle.substr(1) + "), and no pickle is run",
                        .remedy = "with PyTorch 2.9 or later: torch.export.save("
                                  "torch.export.load('old.pt2'), 'new.pt2'), or export to ONNX"});
}

NVDLAC_IMPL array exported_program::read(const stored_tensor& t) {
  const auto* listed = member(*t.list, "config");
  const auto* entry = listed == nullptr ? nullptr : member(*listed, t.name.c_str());
  const auto* meta = entry == nullptr ? nullptr : member(*entry, "tensor_meta");
  constexpr auto again = "save it again with PyTorch 2.9 or later, from the CPU, or as ONNX";
  if (meta == nullptr)
    throw error(problem{.reason = "the archive has no raw values of '" + t.name + "'",
                        .remedy = again});
  const auto* pickled = member(*entry, "use_pickle");
  if (pickled != nullptr && *pickled != false)
    throw error(problem{.reason = "'" + t.name + "' is pickled, and no pickle is run",
                        .remedy = again});
  const auto* content = ending(t.folder + word(*entry, "path_name"));
  if (content == nullptr)
    throw error(problem{.reason = "the archive lacks the member with the values of '" + t.name +
                                  "'",
                        .remedy = "the file is corrupt"});
  constants_left_.take_weights(
      static_cast<std::uint64_t>(onnx_format::count(fixed_sizes(*meta, "sizes"))));
  return tensor_of(*meta, *content);
}

NVDLAC_IMPL void exported_program::names_in(const json& v, std::vector<std::string>& to,
                                            int depth) {
  if (depth > 8) throw error("its arguments are lists of lists");
  if (v.is_array())
    for (const auto& i : v) names_in(i, to, depth + 1);
  if (!v.is_object()) return;
  for (const auto& [key, value] : v.items())
    if ((key == "name" || key == "as_name") && value.is_string())
      to.push_back(value.get<std::string>());
    else if (key.starts_with("as_") && key != "as_string" && key != "as_expr")
      names_in(value, to, depth + 1);
}

NVDLAC_IMPL std::vector<std::string> exported_program::names_in(const json& v) {
  std::vector<std::string> all;
  names_in(v, all);
  return all;
}

NVDLAC_IMPL exported_program::operator_name exported_program::name_of_operator(
    const std::string& target) {
  constexpr std::string_view aten = "torch.ops.aten.";
  if (!target.starts_with(aten)) return {target};
  auto type = target.substr(aten.size());
  type.erase(std::min(type.find('.'), type.size()));
  const bool in_place = type.size() > 1 && type.ends_with('_');
  if (in_place) type.pop_back();
  return {std::move(type), in_place};
}

NVDLAC_IMPL error exported_program::changed_in_place(const std::string& tensor) {
  return error(problem{.reason = "'" + tensor + "' is read after an operator in place changed it "
                                 "or a view of it",
                       .remedy = "save program.run_decompositions() of the exported program, "
                                 "which has no operators in place"});
}

NVDLAC_IMPL std::string exported_program::own_tensor(const json& node) {
  const auto* inputs = member(node, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return {};
  for (const auto& i : *inputs) {
    const auto name = word(i, "name", "");
    const auto* a = member(i, "arg");
    if (a == nullptr || (name != "self" && name != "input")) continue;
    const auto all = names_in(*a);
    return all.empty() ? std::string{} : all[0];
  }
  return {};
}

NVDLAC_IMPL void exported_program::follow(const translation::file_layer& l, bool in_place,
                                          const json& node, std::size_t k) {
  if (l.type != "sym_size")  // which no operator in place changes
    for (const auto& i : l.inputs)
      if (shared_.is_outdated(i)) outdated_inputs_.emplace(k, i);
  const auto own = own_tensor(node);
  if (own.empty()) return;
  // In place, too, a view has the same elements.
  if (is_view(l.type)) shared_.share(own, l.outputs);
  else if (in_place) shared_.change(own, l.outputs);
}

NVDLAC_IMPL translation::file_graph exported_program::flat_graph(const json& graph,
                                                                 const json& signature,
                                                                 const sizes& known) {
  translation::file_graph flat;
  for (const auto& i : child(signature, "input_specs")) input(i, flat, known);
  for (const auto& n : child(graph, "nodes")) {
    auto op = name_of_operator(word(n, "target"));
    translation::file_layer l{.type = std::move(op.type)};
    if (const auto* inputs = member(n, "inputs"); inputs != nullptr && inputs->is_array())
      for (const auto& i : *inputs)
        if (const auto* a = member(i, "arg")) names_in(*a, l.inputs);
    if (const auto* outputs = member(n, "outputs")) names_in(*outputs, l.outputs);
    l.name = word(n, "name", l.outputs.empty() ? l.type : l.outputs.front());
    follow(l, op.in_place, n, flat.layers.size());
    flat.layers.push_back(std::move(l));
    nodes_.push_back(&n);
  }
  for (const auto& o : child(signature, "output_specs"))
    if (const auto* user = member(o, "user_output")) {
      const auto names = names_in(child(*user, "arg"));
      if (names.size() != 1)
        throw error("one of its outputs is no tensor: " + shown(*user));
      flat.outputs.push_back(names[0]);
      if (shared_.is_outdated(names[0])) outdated_outputs_.insert(names[0]);
    }
  return flat;
}

NVDLAC_IMPL void exported_program::input(const json& spec, translation::file_graph& to,
                                         const sizes& known) {
  if (!spec.is_object() || spec.size() != 1) throw error("an input of it is not understood");
  const auto& kind = spec.begin().key();
  const auto& value = spec.begin().value();
  const auto* argument = member(value, "arg");
  const auto names = argument == nullptr ? std::vector<std::string>{} : names_in(*argument);
  const auto store = [&](const json& list, const char* folder, const char* key) {
    stored_.insert_or_assign(names[0], stored_tensor{&list, folder, word(value, key)});
  };
  if (names.size() != 1) throw error("an input of it is no tensor: " + shown(spec));
  if (kind == "user_input") to.inputs.push_back({names[0], known.declared(names[0])});
  else if (kind == "parameter") store(weights_, "/data/weights/", "parameter_name");
  else if (kind == "tensor_constant")
    store(constants_, "/data/constants/", "tensor_constant_name");
  else if (kind == "buffer") {
    const auto* persistent = member(value, "persistent");
    const bool kept = persistent == nullptr || *persistent != false;
    store(kept ? weights_ : constants_, kept ? "/data/weights/" : "/data/constants/",
          "buffer_name");
  } else {
    throw error("its input '" + names[0] + "' is a " + kind + ", which is not supported");
  }
}

}  // namespace nvdlac::import::pytorch_format

#endif
