// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe2/arguments.hpp>
#include <nvdlac/import/caffe2/net.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::caffe2_format {

NVDLAC_IMPL array filled(const proto::view& op, onnx_format::constant_elements& most) {
  const auto type = op.string("type");
  const arguments given(op);
  array a{.shape = given.integers("shape").value_or(dims{})};
  const auto n = onnx_format::count(a.shape);
  most.take_weights(static_cast<std::uint64_t>(n));
  if (type == "GivenTensorFill") a.reals = given.numbers("values").value_or(std::vector<float>{});
  else if (type == "ConstantFill")
    a.reals.assign(static_cast<std::size_t>(n), given.number("value", 0));
  else if (type == "GivenTensorInt64Fill" || type == "GivenTensorIntFill") {
    a.real = false;
    a.integers = given.integers("values").value_or(dims{});
  } else
    throw error(problem{.reason = "the init_net fills it by " + type,
                        .remedy = "trained weights (GivenTensorFill) are supported, those of "
                                  "quantised networks are not"});
  if (type == "ConstantFill" && given.integer("dtype", 1) != 1)
    throw error("it is filled with numbers that are not real");
  given.ignore({"run_once"});
  given.require_understood();
  if (std::cmp_not_equal(a.size(), n))
    throw error(text("it has ", count_of(a.size(), "value"), " for the shape ",
                     onnx_format::to_text(a.shape)));
  return a;
}

NVDLAC_IMPL network_graph::network_graph(const proto::view& predict, const proto::view& init,
                                         const part& wanted) {
  for (const auto& op : init.children("op"))
    for (const auto& o : op.strings("output")) fills_.insert_or_assign(o, op);
  ops_ = predict.children("op");
  for (const auto& op : ops_)
    for (const auto& o : op.strings("output")) ++left_[o];
  choose_inputs(predict.strings("external_input"), wanted);
  for (const auto& op : ops_) add(op);
  for (const auto& o : predict.strings("external_output")) output(o);
}

NVDLAC_IMPL void network_graph::choose_inputs(const std::vector<std::string>& external,
                                              const part& wanted) {
  for (const auto& name : external)
    if (!fills_.contains(name) || wanted.shapes.contains(name)) input(name);
  if (graph_.inputs.empty() && !external.empty()) input(external.front());
}

NVDLAC_IMPL void network_graph::input(const std::string& name) {
  std::optional<dims> shape;
  if (const auto fill = fills_.find(name); fill != fills_.end()) {
    shape = arguments(fill->second).integers("shape");
    if (shape && !shape->empty()) shape->front() = -1;  // that of a batch
    fills_.erase(fill);
  }
  graph_.inputs.push_back({name, std::move(shape)});
  inputs_.insert(name);
  ++left_[name];
  produced_[name] = 1;
}

NVDLAC_IMPL std::string network_graph::current(const std::string& blob) const {
  const auto found = now_.find(blob);
  return found == now_.end() ? blob : found->second;
}

NVDLAC_IMPL void network_graph::add(const proto::view& op) {
  translation::file_layer l{.type = op.string("type")};
  for (const auto& i : op.strings("input")) l.inputs.push_back(current(i));
  for (const auto& o : op.strings("output")) {
    const auto k = ++produced_[o];
    // The last one keeps the name, if neither an input nor a weight has it.
    const bool keeps = k == left_[o] && !inputs_.contains(o) && !fills_.contains(o);
    auto name = keeps ? o : text(o, '/', k);
    now_[o] = name;
    l.outputs.push_back(std::move(name));
  }
  l.name = op.string("name");
  if (l.name.empty() && !l.outputs.empty()) l.name = l.outputs.front();
  if (!l.outputs.empty()) results_.insert(l.outputs.front());
  graph_.layers.push_back(std::move(l));
}

NVDLAC_IMPL void network_graph::output(const std::string& blob) {
  auto name = current(blob);
  if (results_.contains(name)) return graph_.outputs.push_back(std::move(name));
  notes_.push_back({.layer = blob,
                    .reason = "this output is left out: no operator gives it as its result"});
}

}  // namespace nvdlac::import::caffe2_format
