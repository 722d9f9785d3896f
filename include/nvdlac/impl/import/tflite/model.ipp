// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/tflite/schema.hpp>
#include <nvdlac/import/tflite/sparse.hpp>
#include <nvdlac/import/translation/values.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL std::string type_name(std::int64_t type) {
  static const char* const types[] = {"FLOAT32", "FLOAT16", "INT32", "UINT8", "INT64", "STRING",
                                      "BOOL", "INT16", "COMPLEX64", "INT8", "FLOAT64"};
  return type >= 0 && type < static_cast<std::int64_t>(std::size(types)) ? std::string(types[type])
                                                                         : text("number ", type);
}

NVDLAC_IMPL std::size_t bytes_of(const tensor& t) {
  return t.type == float32 || t.type == int32   ? 4
         : t.type == int64                      ? 8
         : t.type == int16 || t.type == float16 ? 2
                                                : 1;
}

NVDLAC_IMPL array values_of(const tensor& t, bool with_scale) {
  array a{.shape = t.shape, .real = t.type == float32 || t.type == float16};
  const auto integer = [](auto v) { return static_cast<std::int64_t>(v); };
  const std::size_t size = bytes_of(t);
  const auto wanted = static_cast<std::size_t>(onnx_format::count(t.shape));
  if (t.bytes.size() != wanted * size)
    throw error(text("its constant '", t.name, "' has ", t.bytes.size(), " bytes instead of ",
                     wanted * size));
  const auto b = t.bytes;
  switch (t.type) {
    case float32: a.reals = unpacked<float, float>(b, [](float v) { return v; }); break;
    case float16: a.reals = unpacked<std::uint16_t, float>(b, onnx_format::from_half); break;
    case int32: a.integers = unpacked<std::int32_t, std::int64_t>(b, integer); break;
    case int64: a.integers = unpacked<std::int64_t, std::int64_t>(b, integer); break;
    case int16: a.integers = unpacked<std::int16_t, std::int64_t>(b, integer); break;
    case int8: a.integers = unpacked<std::int8_t, std::int64_t>(b, integer); break;
    case uint8: case boolean: a.integers = unpacked<std::uint8_t, std::int64_t>(b, integer); break;
    default: throw error("its constant '" + t.name + "' is of type " + type_name(t.type));
  }
  if (a.real || !t.grid || !with_scale) return a;
  return onnx_format::dequantised(a, *t.grid, {.axis = t.axis});
}

NVDLAC_IMPL model::model(const std::string& file, std::string_view content,
                         const budget& limits)
    : file_(file), limits_(limits) {
  const auto fail = [&](std::string reason) -> error {
    return error(problem{.file = file_, .reason = std::move(reason)});
  };
  // FlatBuffers ends at 2 GiB; its verifier asserts that.
  if (content.size() < 8 || content.size() >= (std::size_t{1} << 31) - 1)
    throw fail(text("it has ", content.size(), " bytes, which no TFLite file has"));
  // Fields are read where they are, so they must be aligned in memory as they are in the file.
  bytes_ = std::make_unique<std::uint8_t[]>(content.size());
  std::memcpy(bytes_.get(), content.data(), content.size());
  flatbuffers::Verifier verifier(bytes_.get(), content.size(), 32, 1000000);
  if (!verifier.VerifyBuffer<model_table>("TFL3"))
    throw fail("the file is truncated or corrupt: its FlatBuffers encoding is broken");
  size_ = content.size();
  budget_ = size_ + 65536;
  read(*flatbuffers::GetRoot<model_table>(bytes_.get()));
}

NVDLAC_IMPL void model::spend(std::size_t n) {
  if (n > budget_) fail("the file is corrupt: its parts are larger than itself");
  budget_ -= n;
}

NVDLAC_IMPL void model::read(const model_table& root) {
  using m = model_table;
  if (const auto v = root.get<std::uint32_t>(m::version); v != 3)
    fail(text("it is of version ", v, " of the format"), "version 3 is supported");
  const auto* graphs = root.vector<flatbuffers::Offset<subgraph_table>>(m::subgraphs);
  if (graphs == nullptr || graphs->size() == 0) fail("the file holds no graph");
  const auto& g = *graphs->Get(0);
  using s = subgraph_table;
  read_tensors(g.vector<flatbuffers::Offset<tensor_table>>(s::tensors),
               root.vector<flatbuffers::Offset<buffer_table>>(m::buffers));
  read_operators(g.vector<flatbuffers::Offset<operator_table>>(s::operators),
                 root.vector<flatbuffers::Offset<operator_code_table>>(m::operator_codes));
  inputs_ = taken(g.numbers<std::int32_t>(s::inputs));
  outputs_ = taken(g.numbers<std::int32_t>(s::outputs));
  for (const auto* some : {&inputs_, &outputs_}) check_indices(*some, false);
}

NVDLAC_IMPL void model::check_indices(const std::vector<std::int32_t>& indices,
                                      bool optional) const {
  for (const auto i : indices)
    if (!(optional && i == -1) && (i < 0 || std::cmp_greater_equal(i, tensors_.size())))
      fail(text("the file is corrupt: it names tensor ", i, " of ", tensors_.size()));
}

NVDLAC_IMPL void model::read_tensors(list<tensor_table> from, list<buffer_table> buffers) {
  std::set<std::string> taken;
  for (flatbuffers::uoffset_t i = 0; from != nullptr && i < from->size(); ++i) {
    const auto name = from->Get(i)->characters(tensor_table::name);
    spend(name.size() + 1);
    tensor t;
    t.name = name.empty() ? text("tensor ", i) : std::string(name);
    if (!taken.insert(t.name).second) taken.insert(t.name += text("#", i));
    try {
      read_tensor(*from->Get(i), t, buffers);
    } catch (const error& e) {
      t.wrong = e.problems().front().reason;
    }
    tensors_.push_back(std::move(t));
  }
}

NVDLAC_IMPL void model::read_tensor(const tensor_table& from, tensor& t,
                                    list<buffer_table> buffers) {
  using f = tensor_table;
  t.type = from.get<std::int8_t>(f::type);
  t.onnx_type = t.type == uint8 ? 2 : t.type == int8 ? 3 : t.type == int16 ? 5 : 1;
  t.holds_integers = t.type == uint8 || t.type == int8 || t.type == int16;
  const auto number = from.get<std::uint32_t>(f::buffer);
  const auto* buffer =
      buffers != nullptr && number < buffers->size() ? buffers->Get(number) : nullptr;
  if (buffer == nullptr && number != 0) throw error(text("the buffer ", number, " is missing"));
  if (buffer != nullptr) {
    const auto* data = buffer->vector<std::uint8_t>(buffer_table::data);
    if (buffer->get<std::uint64_t>(buffer_table::offset) > 1)
      throw error("its values are outside of the file's tables");
    if (data != nullptr && number != 0) t.bytes = {data->data(), data->size()};
  }
  t.constant = !t.bytes.empty();
  const auto* shape = from.vector<std::int32_t>(f::shape);
  if (shape != nullptr && shape->size() > 8) throw error("it has more than 8 dimensions");
  for (const auto d : taken(from.numbers<std::int32_t>(f::shape))) {
    if (d < 0) throw error(text("it has the dimension ", d));
    t.shape.push_back(d);
  }
  (void)onnx_format::count(t.shape);
  t.is_state = from.get<std::uint8_t>(f::is_variable) != 0;
  if (t.is_state) {
    if (const auto* q = from.grid()) read_grid(*q, t);
    throw error("it is a variable, which keeps its values from one run to the next");
  }
  if (const auto* sparse = from.sparse()) {
    if (!t.constant) throw error("it is sparse, and no constant");
    dense_.push_back(sparse_form::of(*sparse, t.shape.size())
                         .dense(t.shape, t.bytes, bytes_of(t), limits_.weights));
    t.bytes = dense_.back();
  }
  if (const auto* q = from.grid()) read_grid(*q, t);
}

NVDLAC_IMPL void model::read_grid(const quantisation_table& q, tensor& t) {
  using f = quantisation_table;
  if (q.get<std::uint8_t>(f::details) != 0) throw error("it is quantised in a way of its own");
  constant_grid g{taken(q.numbers<float>(f::scale)),
                  taken(q.numbers<std::int64_t>(f::zero_point)), t.onnx_type};
  if (g.scales.empty() || t.type == float32) return;
  for (const float s : g.scales)
    if (!(s > 0) || !std::isfinite(s)) {
      if (s == 0 && t.type == int32) continue;  // a bias of dead channels
      throw error(text("its scale is ", s));
    }
  if (g.zeros.size() == 1) g.zeros.assign(g.scales.size(), g.zeros[0]);
  if (g.zeros.empty()) g.zeros.assign(g.scales.size(), 0);
  if (g.zeros.size() != g.scales.size())
    throw error(
        text("it has ", g.scales.size(), " scales and ", g.zeros.size(), " zero points"));
  for (const auto z : g.zeros)
    if (z < -32768 || z > 65535) throw error(text("its zero point is ", z));
  // Files give biases the axis of their weights.
  t.axis = t.shape.size() == 1 ? 0 : q.get<std::int32_t>(f::axis);
  t.grid = std::move(g);
}

NVDLAC_IMPL void model::read_operators(list<operator_table> from, list<operator_code_table> codes) {
  for (flatbuffers::uoffset_t i = 0; from != nullptr && i < from->size(); ++i) {
    const auto& o = *from->Get(i);
    using f = operator_table;
    const auto index = o.get<std::uint32_t>(f::code);
    if (codes == nullptr || index >= codes->size())
      fail(text("the file is corrupt: operator ", i, " is of no kind"));
    const auto& kind = *codes->Get(index);
    const auto custom = kind.characters(operator_code_table::custom);
    spend(custom.size() + 1);
    operation op{.code = std::max<std::int64_t>(
                     kind.get<std::int8_t>(operator_code_table::old_code),
                     kind.get<std::int32_t>(operator_code_table::code)),
                 .custom = std::string(custom),
                 .inputs = taken(o.numbers<std::int32_t>(f::inputs)),
                 .outputs = taken(o.numbers<std::int32_t>(f::outputs)),
                 .options_type = o.get<std::uint8_t>(f::options_type),
                 .options = o.given_options()};
    if (const auto* bytes = o.vector<std::uint8_t>(f::custom_options))
      op.custom_options = {bytes->data(), bytes->size()};
    // A format of them beside FlexBuffers was never defined.
    if (o.get<std::int8_t>(f::custom_format) != 0 || o.get<std::uint64_t>(f::custom_offset) > 1)
      op.custom_options = {};
    check_indices(op.inputs, true);
    leave_states_out(op);
    check_indices(op.outputs, false);
    operators_.push_back(std::move(op));
  }
}

NVDLAC_IMPL std::vector<std::int32_t> model::called(const std::vector<std::string>& wanted,
                                                    diagnostics& problems) const {
  std::vector<std::int32_t> found;
  std::vector<std::string> known;
  for (const auto& t : tensors_) known.push_back(t.name);
  for (const auto& name : wanted) {
    const auto t = std::ranges::find(tensors_, name, &tensor::name);
    const auto n = t != tensors_.end() ? std::optional<std::size_t>(t - tensors_.begin())
                                       : number_in(name, tensors_.size());
    if (!n)
      problems.add({.file = file_, .layer = name, .reason = "the file has no such tensor",
                    .remedy = "layers have the names of the tensors that they give, and numbers "
                              "are those of tensors" + behind(meant_instead_of(name, known))});
    else if (tensors_[*n].constant)
      problems.add({.file = file_, .layer = name, .reason = "this tensor is constant"});
    else found.push_back(static_cast<std::int32_t>(*n));
  }
  return found;
}

NVDLAC_IMPL std::pair<std::vector<operation>, std::set<std::int32_t>> model::needed_behind(
    const std::set<std::int32_t>& starts) const {
  std::map<std::int32_t, std::size_t> producers;
  for (std::size_t n = 0; n < operators_.size(); ++n)
    for (const auto o : operators_[n].outputs) producers.emplace(o, n);
  std::set<std::int32_t> read;
  std::vector<bool> needed(operators_.size(), false);
  std::vector<std::int32_t> open = outputs_;
  while (!open.empty()) {
    const auto t = open.back();
    open.pop_back();
    if (t < 0 || !read.insert(t).second || starts.contains(t)) continue;
    const auto from = producers.find(t);
    if (from == producers.end() || needed[from->second]) continue;
    needed[from->second] = true;
    const auto& inputs = operators_[from->second].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  // An operator that gives nothing, or what another one gives already, is left for its own problem.
  const auto is_wrong = [&](std::size_t n) {
    const auto& given = operators_[n].outputs;
    return given.empty() ||
           std::ranges::any_of(given, [&](std::int32_t o) { return producers.at(o) != n; });
  };
  std::vector<operation> left;
  for (std::size_t n = 0; n < operators_.size(); ++n)
    if (needed[n] || (starts.empty() && is_wrong(n))) left.push_back(operators_[n]);
  return {std::move(left), std::move(read)};
}

NVDLAC_IMPL void model::leave_states_out(operation& op) const {
  const auto leave_out = [&](std::size_t i) {
    const bool is_state = i < op.inputs.size() && op.inputs[i] >= 0 && at(op.inputs[i]).is_state;
    return is_state ? std::exchange(op.inputs[i], -1) : -1;
  };
  if (op.code == sequence_lstm)
    for (const std::size_t state : {18u, 19u}) leave_out(state);
  if (op.code == svdf) op.state = leave_out(4);
}

NVDLAC_IMPL void model::join_blocks() {
  std::map<std::int32_t, std::vector<std::size_t>> readers;
  for (std::size_t n = 0; n < operators_.size(); ++n)
    for (const auto i : operators_[n].inputs) readers[i].push_back(n);
  const auto next = [&](const operation& op) -> operation* {
    if (op.outputs.size() != 1 || std::ranges::count(outputs_, op.outputs[0]) != 0) return nullptr;
    const auto& all = readers[op.outputs[0]];
    return all.size() == 1 ? &operators_[all[0]] : nullptr;
  };
  const auto pairs = [&](const operation& op, std::size_t input, std::size_t n) {
    const auto& t = at(op.inputs[input]);
    return t.constant && t.wrong.empty() && t.type == int32 &&
                   t.shape == (n == 2 ? dims{2} : dims{2, 2})
               ? values_of(t, false).integers
               : dims{};
  };
  const auto is_whole = [](const operation& op) {
    return op.inputs.size() == 3 &&
           std::ranges::none_of(op.inputs, [](std::int32_t i) { return i < 0; });
  };
  std::set<const operation*> joined;
  for (const auto& before : operators_) {
    if (before.code != space_to_batch || !is_whole(before)) continue;
    auto* const conv = next(before);
    if (conv == nullptr || (conv->code != 3 && conv->code != 4) ||
        conv->inputs[0] != before.outputs[0])
      continue;
    const auto* const behind = next(*conv);
    if (behind == nullptr || behind->code != batch_to_space || !is_whole(*behind) ||
        behind->inputs[0] != conv->outputs[0] || behind->outputs.size() != 1)
      continue;
    const auto sizes = pairs(before, 1, 2), pads = pairs(before, 2, 4),
               sizes_behind = pairs(*behind, 1, 2), crops = pairs(*behind, 2, 4);
    if (sizes.empty() || pads.empty() || sizes != sizes_behind || crops.empty()) continue;
    dims left{pads[0] - crops[0], pads[2] - crops[2], pads[1] - crops[1], pads[3] - crops[3]};
    if (std::ranges::any_of(left, [](auto p) { return p < 0; })) continue;
    conv->blocks = blocks{.sizes = sizes, .pads = std::move(left)};
    conv->inputs[0] = before.inputs[0];
    conv->outputs = behind->outputs;
    joined.insert(&before);
    joined.insert(behind);
  }
  std::vector<operation> kept;
  for (auto& op : operators_)
    if (!joined.contains(&op)) kept.push_back(std::move(op));
  operators_ = std::move(kept);
}

NVDLAC_IMPL void model::cut(const part& wanted) {
  diagnostics problems;
  const auto to = called(wanted.to, problems), from = called(wanted.from, problems);
  problems.check();
  if (!to.empty()) outputs_ = to;
  const std::set<std::int32_t> starts(from.begin(), from.end());
  auto [left, read] = needed_behind(starts);
  operators_ = std::move(left);
  join_blocks();
  // An operator that is needed for another output gives what is an input now to nobody.
  for (auto& op : operators_)
    for (auto& o : op.outputs)
      if (starts.contains(o)) {
        tensor unread = at(o);
        unread.name = text(unread.name, '#', tensors_.size());
        tensors_.push_back(std::move(unread));
        o = static_cast<std::int32_t>(tensors_.size() - 1);
      }
  if (!wanted.cuts()) return;
  std::erase_if(inputs_, [&](std::int32_t i) { return !read.contains(i) || starts.contains(i); });
  for (const auto i : from)
    if (std::ranges::find(inputs_, i) == inputs_.end()) inputs_.push_back(i);
}

}  // namespace nvdlac::import::tflite_format
