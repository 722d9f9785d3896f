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
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/tensorflow/graph.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>
#include <nvdlac/import/tensorflow/translator.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL translator::translator(const std::string& file, const flat_graph& graph, description d,
                                   const part& wanted, const std::vector<named_port>& cut,
                                   diagnostics problems, bool whole)
    : file_(file), nodes_(graph.nodes()), description_(std::move(d)),
      problems_(file, std::move(problems)), whole_(whole), shapes_(wanted),
      limits_(wanted.limits),
      constants_(description_.bytes, wanted.limits) {
  for (const auto& i : description_.inputs) input_names_.emplace(i.at, i.name);
  for (const auto& i : cut) {
    starts_.insert(i.at);
    input_names_[i.at] = i.name;
  }
}

NVDLAC_IMPL network translator::translate() {
  problems_.check();
  schedule_.emplace(nodes_, description_.outputs, starts_);
  take_unsupported();
  choose_order();
  for (const bool constant : {true, false})  // first what others ask for
    for (const auto n : schedule_->nodes())
      if (schedule_->is_constant(n) == constant)
        problems_.attempt(nodes_[n].name(), [&] { convert(n); });
  for (const auto& o : description_.outputs) problems_.attempt(o.name, [&] { output(o); });
  shapes_.report_unused(problems_);
  take_unsupported();
  if (!problems_.found().empty())
    throw with_cut(error(problems_.found().problems()), cut_around(schedule_->cut_nodes()));
  auto result = [&] {
    try {
      return onnx_format::reader(file_, to_.model(), description_.bytes, limits_).read();
    } catch (const error& e) {
      throw with_cut(e, cut_around(schedule_->cut_nodes(), e));
    }
  }();
  if (starts_.empty()) result.nodes = schedule_->cut_nodes();
  for (net::graph::id n = 0; n < result.graph.size(); ++n) name_as_in_file(result.graph[n]);
  return result;
}

NVDLAC_IMPL void translator::take_unsupported() {
  for (auto& p : schedule_->take_problems()) {
    const auto layer = p.layer;
    problems_.add(layer, error(std::move(p)));
  }
}

NVDLAC_IMPL void translator::choose_order() {
  bool first = false, last = false;
  for (const auto n : schedule_->nodes()) {
    const auto& op = nodes_[n].op();
    if (op != "Conv2D" && op != "DepthwiseConv2dNative" && op != "MaxPool" && op != "AvgPool" &&
        op != "Conv2DBackpropInput" && !op.starts_with("FusedBatchNorm"))
      continue;
    try {
      (nodes_[n].string("data_format", "NHWC") == "NCHW" ? first : last) = true;
    } catch (const error&) {
    }
  }
  channels_first_ = first && !last;
}

NVDLAC_IMPL void translator::input(std::size_t n, std::size_t k, std::int64_t type,
                                   const std::optional<dims>& declared) {
  const port at{n, k};
  const auto index = tensors_.of(at, nodes_[n]);
  const auto known = input_names_.find(at);
  const auto name = known != input_names_.end() ? known->second : tensors_.at(index).name;
  values_.set_broken(index);
  inputs_.emplace_back(name, order::of_file);
  const dims shape = shapes_.of(name, declared);
  tensors_[index].type = type;
  if (!is_real(type) && type != dt_uint8 && type != dt_int8)
    throw error(problem{.reason = "the input has values of type " + type_name(type),
                        .remedy = "pictures of real numbers or bytes are supported"});
  const bool second = shape.size() == 4 && !channels_first_;
  if (second) inputs_.back().second = order::channels_second;
  const bool pictures = shape.size() > 1 && shape[0] > 1;
  may_be_whole_ = may_be_whole_ || (pictures && shape.size() < 4);
  to_.input(name, second ? translation::channels_second(shape) : shape, 1,
            pictures ? std::optional(!whole_) : std::nullopt);
  values_.compute(index, {name, shape, inputs_.back().second});
}

NVDLAC_IMPL void translator::start(std::size_t n) {
  for (const auto p : schedule_->starts_of(n)) {
    const auto type = nodes_[n].has("T") ? nodes_[n].type("T") : dt_float;
    input(n, p.output, is_real(type) ? type : dt_float, told_shape(nodes_, nodes_[n]));
  }
}

NVDLAC_IMPL void translator::constant(std::size_t n, const tensor& t) {
  constants_.take_weights(static_cast<std::uint64_t>(onnx_format::count(t.shape)));
  array a = t.read();
  constants_.allow_for(a.size());
  const auto index = tensors_.of({n, 0}, nodes_[n]);
  tensors_[index].type = t.type;
  values_.fold(index, std::move(a));
}

NVDLAC_IMPL void translator::convert(std::size_t n) {
  const node& from = nodes_[n];
  if (schedule_->is_start(n)) return start(n);
  auto outputs = schedule_->outputs_of(n);
  for (const auto& o : description_.outputs)
    if (o.at.node == n) outputs.push_back(o.at.output);
  const auto most = outputs.empty() ? 0 : *std::ranges::max_element(outputs);
  if (most > 4096) throw error(text("it has no output ", most));
  bool sound = !schedule_->is_unsupported(n);
  try {
    if (sound) sound = convert_sound(n, most);
  } catch (const error& e) {
    problems_.add(from.name(), e);
    schedule_->add_failed(n);
    sound = false;
  }
  if (sound) from.report_unknown(problems_.found(), file_);
  for (std::size_t k = 0; k <= most; ++k) {
    const auto index = tensors_.of({n, k}, from);
    if (values_.is_known(index)) continue;
    if (sound && std::ranges::find(outputs, k) != outputs.end())
      problems_.add(from.name(), error(text("its output ", k, " is not supported")));
    values_.set_broken(index);
  }
}

NVDLAC_IMPL bool translator::convert_sound(std::size_t n, std::size_t most) {
  const node& from = nodes_[n];
  if (is_placeholder(from.op())) {
    if (schedule_->feeds_unsupported_alone(n)) return false;
    input(n, 0, without_reference(from.type("dtype")), placeholder_shape(from));
    return true;
  }
  if (is_variable(from.op())) return convert_variable(n);
  if (from.op() == "Const") {
    const auto value = from.message("value", "tensor");
    if (!value) throw error("it has no value");
    tensor t;
    t.type = from.type("dtype");
    if (t.type != value->integer("dtype", 0))
      throw error("attribute 'dtype' is " + type_name(t.type) + ", but its value is " +
                  type_name(value->integer("dtype", 0)));
    t.shape = shape_of(value->child("tensor_shape")).value_or(dims{});
    t.read = [v = *value] { return to_array(v); };
    constant(n, t);
    return true;
  }
  return apply(n, most);
}

NVDLAC_IMPL bool translator::convert_variable(std::size_t n) {
  const node& from = nodes_[n];
  const auto called = from.string("shared_name", "");
  const auto name = called.empty() || from.op() != "VarHandleOp" ? from.name() : called;
  auto t = description_.variable ? description_.variable(name) : std::nullopt;
  if (!t)
    throw error(problem{.reason = "the values of the variable '" + name + "' are not known",
                        .remedy = "freeze the graph, or give the directory of a SavedModel"});
  if (const auto type = from.type("dtype", t->type); type != t->type)
    throw error("attribute 'dtype' is " + type_name(type) + ", but its values are " +
                type_name(t->type));
  if (const auto declared = from.message("shape", "shape"))
    if (const auto shape = shape_of(*declared); shape && *shape != t->shape)
      throw error(text("attribute 'shape' is ", onnx_format::to_text(*shape),
                       ", but its values are ", onnx_format::to_text(t->shape)));
  constant(n, *t);
  return true;
}

NVDLAC_IMPL void translator::check_types(const node& n, const std::vector<std::int64_t>& types) {
  for (const auto& [name, given] : n.further_types()) {
    const auto type = without_reference(given);
    if (std::ranges::find(types, type) == types.end())
      throw error("attribute '" + name + "' is " + type_name(type) +
                  ", but no input is of that type");
  }
}

NVDLAC_IMPL bool translator::apply(std::size_t n, std::size_t most) {
  const node& from = nodes_[n];
  const auto& entry = operators().at(from.op());
  std::vector<std::int32_t> inputs, outputs;
  std::vector<std::int64_t> types;
  bool all_constant = true;
  for (const auto& p : from.inputs) {
    const auto index = tensors_.of(p, nodes_[p.node]);
    if (!values_.is_known(index) || values_.is_broken(index)) return false;
    inputs.push_back(index);
    types.push_back(tensors_.at(index).type);
    const bool computed = !values_.is_constant(index);
    all_constant = all_constant && !computed;
    if (computed && !entry.of_any_type && !is_real(types.back()))
      throw error("it computes with values of type " + type_name(types.back()));
    require_whole(from, entry, index);
  }
  if (entry.typed_by >= inputs.size()) throw error(text("it has ",
                                                        nvdlac::count_of(inputs.size(), "input")));
  for (std::size_t k = 0; k < std::max(most + 1, count_of(from)); ++k) {
    outputs.push_back(tensors_.of({n, k}, from));
    tensors_[outputs.back()].type = types[entry.typed_by];
  }
  const blocks crops = crops_behind(n);
  const conversion c(from, inputs, outputs, values_, tensors_, crops);
  try {
    values_.limit(all_constant ? constants_.left_for(false)
                               : onnx_format::element_ceiling(limits_));
    entry.convert(c);
  } catch (const error& e) {
    if (e.problems().front().reason != conversion::not_supported()) throw;
    schedule_->add_unsupported(n);
    return false;
  }
  check_types(from, types);
  if (all_constant && values_.is_constant(outputs[0]))
    constants_.count(static_cast<std::uint64_t>(onnx_format::count(values_.shape(outputs[0]))),
                     false);
  pass_blocks(from, entry, inputs, outputs[0]);
  return true;
}

NVDLAC_IMPL std::size_t translator::count_of(const node& n) {
  const auto many = [&](const char* attribute) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(n.integer(attribute, 1), 1, 4096));
  };
  if (n.op() == "Split" || n.op() == "SplitV") return many("num_split");
  return n.op() == "Unpack" ? many("num") : 1;
}

NVDLAC_IMPL void translator::require_whole(const node& n, const operator_entry& entry,
                                           std::int32_t input) {
  const auto cut = tensors_.cut().find(input);
  if (cut == tensors_.cut().end()) return;
  static const std::set<std::string_view> before = {
      "Conv2D", "DepthwiseConv2dNative", "ExpandDims", "Squeeze", "Identity", "BatchToSpaceND"};
  const bool zeros = std::ranges::any_of(
      cut->second, [](const block& b) { return b.before != 0 || b.after != 0; });
  if (!entry.of_blocks || (zeros && !before.contains(n.op())))
    throw error(problem{.reason = "it computes with pictures that SpaceToBatchND cut",
                        .remedy = "a convolution between SpaceToBatchND and BatchToSpaceND is "
                                  "supported"});
}

NVDLAC_IMPL void translator::pass_blocks(const node& n, const operator_entry& entry,
                                         const std::vector<std::int32_t>& inputs,
                                         std::int32_t output) {
  const auto cut = tensors_.cut().find(inputs[0]);
  if (cut != tensors_.cut().end() && entry.of_blocks && n.op() != "BatchToSpaceND")
    tensors_.cut().emplace(output, cut->second);
}

NVDLAC_IMPL blocks translator::crops_behind(std::size_t n) {
  for (int steps = 0; steps < 8; ++steps) {
    const auto& readers = schedule_->readers_of({n, 0});
    if (readers.size() != 1) return {};
    n = readers[0];
    const node& next = nodes_[n];
    if (next.op() == "BatchToSpaceND" && next.inputs.size() == 3) {
      const auto index = tensors_.of(next.inputs[2], nodes_[next.inputs[2].node]);
      if (!values_.is_known(index) || !values_.is_constant(index)) return {};
      const array edges = values_.constant(index);
      blocks all(1 + edges.integers.size() / 2);
      for (std::size_t i = 1; i < all.size(); ++i) {
        all[i].before = std::max<std::int64_t>(edges.integers[2 * i - 2], 0);
        all[i].after = std::max<std::int64_t>(edges.integers[2 * i - 1], 0);
      }
      return all;
    }
    if (next.op() == "Squeeze" || !operators().contains(next.op()) ||
        !operators().at(next.op()).of_blocks)
      return {};
  }
  return {};
}

NVDLAC_IMPL void translator::output(const named_port& o) {
  const auto index = tensors_.of(o.at, nodes_[o.at.node]);
  if (!values_.is_known(index)) return;
  if (values_.is_constant(index)) throw error("this output is constant");
  if (values_.is_broken(index)) return;
  if (tensors_.cut().contains(index)) throw error("SpaceToBatchND cut this output");
  const auto& x = values_.result(index);
  const bool turned = x.shape.size() == 4 && x.order == order::channels_second;
  to_.output(turned ? values_.node("Transpose", o.name, {x.value},
                                   {{"perm", translation::to_channels_last()}})
                    : x.value);
}

NVDLAC_IMPL void translator::name_as_in_file(net::graph::node& n) const {
  if (const auto* in = std::get_if<net::input>(&n.op)) {
    for (const auto& [name, stored] : inputs_)
      if (name == n.name && stored == order::channels_second)
        n.in_file = {channels_last_in_file(n.in_file.front(), in->shape)};
    return;
  }
  std::vector<std::string> of_file;
  for (const auto& o : description_.outputs) of_file.push_back(o.name);
  name_outputs(n, of_file);
}

}  // namespace nvdlac::import::tensorflow_format
