// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL node::node(const proto::view& fields, std::int64_t opset,
                       std::filesystem::path directory)
    : opset_(opset), directory_(std::move(directory)), type_(fields.string("op_type")),
      inputs_(fields.strings("input")), outputs_(fields.strings("output")) {
  if (const auto domain = fields.string("domain"); !domain.empty() && domain != "ai.onnx")
    type_ = domain + ":" + type_;
  name_ = fields.string("name");
  for (const auto& o : outputs_)
    if (name_.empty()) name_ = o;
  while (!inputs_.empty() && inputs_.back().empty()) inputs_.pop_back();
  for (const auto& a : fields.children("attribute"))
    if (!attributes_.emplace(a.string("name"), a).second)
      throw error(problem{.layer = name_,
                          .reason = "attribute '" + a.string("name") + "' is given twice"});
}

NVDLAC_IMPL std::vector<std::string> node::captured() const {
  std::vector<std::string> names;
  for (const auto& [ignored, a] : attributes_) capture(a, names);
  return names;
}

NVDLAC_IMPL bool node::has(const char* name) const {
  asked_.insert(name);
  return attributes_.contains(name);
}

NVDLAC_IMPL std::int64_t node::integer(const char* name, std::int64_t otherwise) const {
  const auto a = find(name, "INT", "i");
  return a ? a->integer("i") : otherwise;
}

NVDLAC_IMPL bool node::flag(const char* name, bool otherwise) const {
  const auto v = integer(name, otherwise ? 1 : 0);
  if (v != 0 && v != 1) throw error(text("attribute '", name, "' is ", v, ", not 0 or 1"));
  return v == 1;
}

NVDLAC_IMPL float node::number(const char* name, float otherwise) const {
  const auto a = find(name, "FLOAT", "f");
  return a ? a->number("f") : otherwise;
}

NVDLAC_IMPL std::string node::string(const char* name, const std::string& otherwise) const {
  const auto a = find(name, "STRING", "s");
  return a ? a->bytes("s") : otherwise;
}

NVDLAC_IMPL std::optional<dims> node::integers(const char* name) const {
  const auto a = find(name, "INTS", "ints", false);
  if (!a) return std::nullopt;
  return a->values<std::int64_t>("ints");
}

NVDLAC_IMPL std::optional<std::vector<float>> node::numbers(const char* name) const {
  const auto a = find(name, "FLOATS", "floats", false);
  if (!a) return std::nullopt;
  return a->values<float>("floats");
}

NVDLAC_IMPL std::vector<std::string> node::strings(const char* name) const {
  const auto a = find(name, "STRINGS", "strings", false);
  return a ? a->strings("strings") : std::vector<std::string>();
}

NVDLAC_IMPL void node::report_unknown(diagnostics& problems, const std::string& file) const {
  std::string known;
  for (const auto& a : asked_) known += (known.empty() ? "" : ", ") + a;
  for (const auto& [name, ignored] : attributes_)
    if (!asked_.contains(name))
      problems.add(
          {.file = file,
           .layer = name_,
           .reason = "attribute '" + name + "' of " + type_ + " is not understood",
           .remedy = known.empty() ? "it has none that are" : "understood are " + known});
}

NVDLAC_IMPL void node::capture(const proto::view& attribute, std::vector<std::string>& names) {
  auto graphs = attribute.children("graphs");
  if (attribute.has("g")) graphs.push_back(attribute.child("g"));
  for (const auto& g : graphs)
    for (const auto& n : g.children("node")) {
      for (auto& i : n.strings("input")) names.push_back(std::move(i));
      for (const auto& a : n.children("attribute")) capture(a, names);
    }
}

NVDLAC_IMPL std::optional<proto::view> node::find(const char* name, const char* type,
                                                  const char* field, bool required) const {
  asked_.insert(name);
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) return std::nullopt;
  const auto& a = found->second;
  if (a.has("ref_attr_name"))
    throw error(text("attribute '", name, "' refers to a function's attribute"));
  const auto given = a.enumerator("type", type);  // the first models did not give it
  if (given != type || (required && !a.has(field) && !a.has("type")))
    throw error(text("attribute '", name, "' is of type ", given, " instead of ", type));
  return a;
}

NVDLAC_IMPL bool context::all_constant() const {
  for (std::size_t i = 0; i < in.size(); ++i)
    if (given(i) && !is_constant(i)) return false;
  return true;
}

NVDLAC_IMPL void context::require_inputs(std::size_t least, std::size_t most) const {
  if (in.size() < least || in.size() > most)
    throw error(text("it has ", in.size(), " inputs"));
  for (std::size_t i = 0; i < least; ++i)
    if (!given(i)) throw error(text("its input ", i, " is missing"));
}

NVDLAC_IMPL const array& context::constant(std::size_t i, const char* what) const {
  if (!is_constant(i))
    throw error(problem{.reason = text("its ", what, " are not constant"),
                        .remedy = "they must be known when the file is read"});
  return *std::get<std::shared_ptr<const array>>(in[i]);
}

NVDLAC_IMPL const std::vector<float>& context::reals(std::size_t i, const char* what) const {
  const array& a = constant(i, what);
  if (!a.real) throw error(text("its ", what, " are integers"));
  return a.reals;
}

NVDLAC_IMPL const dims& context::integers(std::size_t i, const char* what) const {
  const array& a = constant(i, what);
  if (a.real || a.shape.size() > 1) throw error(text("its ", what, " are no list of integers"));
  return a.integers;
}

NVDLAC_IMPL const computed& context::tensor(std::size_t i) const {
  if (!given(i)) throw error(text("its input ", i, " is missing"));
  if (const auto* c = std::get_if<computed>(&in[i])) return *c;
  throw error(text("its input ", i, " is constant, where it should be computed"));
}

NVDLAC_IMPL std::vector<value> context::cube(assembly::id node) const {
  const net::shape s = net.net().shape(node);
  return {computed{node, {1, s.c, s.h, s.w}}};
}

}  // namespace nvdlac::import::onnx_format
