// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/translation/layer_writer.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL operand operand::of(array a) {
  const auto rank = a.shape.size();
  return {{}, rank, std::make_shared<const array>(std::move(a))};
}

NVDLAC_IMPL const array& operand::numbers(const char* what) const {
  if (!known)
    throw error(problem{.reason = text("its ", what, " are not constant"),
                        .remedy = "they must be known when the file is read"});
  return *known;
}

NVDLAC_IMPL dims sliding_window::both_sides(const dims& pads) {
  dims all = pads;
  all.insert(all.end(), pads.begin(), pads.end());
  return all;
}

NVDLAC_IMPL operand layer_writer::input(const std::string& name, const dims& shape) {
  to_.input(name, shape);
  return {name, shape.size()};
}

NVDLAC_IMPL operand layer_writer::node(const std::string& type, const std::string& layer,
                                       const std::vector<operand>& inputs, std::size_t rank,
                                       const std::vector<attribute>& attributes) {
  return several(type, layer, inputs, {rank}, attributes).front();
}

NVDLAC_IMPL std::vector<operand> layer_writer::several(const std::string& type,
                                                       const std::string& layer,
                                                       const std::vector<operand>& inputs,
                                                       const std::vector<std::size_t>& ranks,
                                                       const std::vector<attribute>& attributes) {
  names in, out;
  for (const auto& i : inputs) in.push_back(name_of(i, layer));
  std::vector<operand> all;
  for (const auto rank : ranks) {
    all.push_back({fresh(layer), rank});
    out.push_back(all.back().value);
  }
  to_.node(type, layer, in, out, attributes);
  return all;
}

NVDLAC_IMPL operand layer_writer::convolve(const std::string& layer, const operand& x,
                                           const operand& weights,
                                           const std::optional<operand>& bias,
                                           const sliding_window& w, std::int64_t groups) {
  return node("Conv", layer, with_bias({x, weights}, bias), x.rank, grouped(w, groups));
}

NVDLAC_IMPL operand layer_writer::convolve_transposed(const std::string& layer, const operand& x,
                                                      const operand& weights,
                                                      const std::optional<operand>& bias,
                                                      const sliding_window& w, std::int64_t groups,
                                                      const dims& output_padding) {
  auto how = grouped(w, groups);
  how.push_back({"output_padding", output_padding});
  return node("ConvTranspose", layer, with_bias({x, weights}, bias), x.rank, how);
}

NVDLAC_IMPL operand layer_writer::pool(const std::string& layer, const std::string& type,
                                       const operand& x, const sliding_window& w,
                                       bool counts_padding) {
  auto how = w.attributes();
  how.push_back({"kernel_shape", w.kernel});
  how.push_back({"ceil_mode", std::int64_t{w.ceil}});
  if (type != "MaxPool") {
    if (std::ranges::any_of(w.dilations, [](auto d) { return d != 1; }))
      throw error(text("its dilation is ", onnx_format::to_text(w.dilations),
                       ", which averages do not have"));
    std::erase_if(how, [](const attribute& a) { return a.name == "dilations"; });
    how.push_back({"count_include_pad", std::int64_t{counts_padding}});
  }
  return node(type, layer, {x}, x.rank, how);
}

NVDLAC_IMPL operand layer_writer::fully_connected(const std::string& layer, const operand& x,
                                                  const operand& weights,
                                                  const std::optional<operand>& bias) {
  if (x.rank == 2)
    return node("Gemm", layer, with_bias({x, weights}, bias), 2, {{"transB", std::int64_t{1}}});
  const auto turned = node("Transpose", layer + "/weights", {weights}, 2, {{"perm", dims{1, 0}}});
  if (!bias) return node("MatMul", layer, {x, turned}, x.rank);
  const auto product = node("MatMul", layer + "/product", {x, turned}, x.rank);
  return node("Add", layer, {product, *bias}, x.rank);
}

NVDLAC_IMPL operand layer_writer::batch_norm(const std::string& layer, const operand& x,
                                             const operand& scales, const operand& offsets,
                                             const operand& means, const operand& variances,
                                             float epsilon) {
  return node("BatchNormalization", layer, {x, scales, offsets, means, variances}, x.rank,
              {{"epsilon", epsilon}});
}

NVDLAC_IMPL operand layer_writer::along(const array& a, std::size_t rank, std::size_t axis) {
  array longer = a;
  if (a.size() == 1) longer.shape.clear();
  else if (a.shape.size() == 1 && rank > axis) longer.shape.resize(rank - axis, 1);
  return operand::of(std::move(longer));
}

NVDLAC_IMPL operand layer_writer::sliced(const std::string& layer, const operand& x,
                                         std::int64_t axis, std::int64_t begin, std::int64_t end,
                                         std::int64_t step) {
  return node("Slice", layer,
              {x, integers({begin}), integers({end}), integers({axis}), integers({step})},
              x.rank);
}

NVDLAC_IMPL operand layer_writer::binary(const std::string& layer, const std::string& type,
                                         const operand& a, const operand& b) {
  return node(type, layer, {a, b}, std::max(a.rank, b.rank));
}

NVDLAC_IMPL operand layer_writer::resized(const std::string& layer, const operand& x,
                                          const operand& scales, const operand& sizes,
                                          const std::string& mode, const std::string& places) {
  std::vector<attribute> how{{"mode", mode}, {"coordinate_transformation_mode", places}};
  if (mode == "nearest") how.push_back({"nearest_mode", std::string("floor")});
  return node("Resize", layer, {x, left_out(), scales, sizes}, x.rank, how);
}

NVDLAC_IMPL operand layer_writer::repeated(const std::string& layer, const operand& x, float height,
                                           float width) {
  return resized(layer, x, operand::of(array::of_reals({4}, {1, 1, height, width})), left_out(),
                 "nearest", "asymmetric");
}

NVDLAC_IMPL network layer_writer::finish(
    const std::string& file, std::size_t bytes, const budget& limits,
    const std::vector<std::pair<std::string, operand>>& outputs) {
  for (const auto& o : outputs) to_.output(o.second.value);
  auto result = onnx_format::reader(file, to_.model(), bytes, limits).read();
  std::vector<std::string> of_file;
  for (const auto& o : outputs) of_file.push_back(o.first);
  for (net::graph::id n = 0; n < result.graph.size(); ++n)
    if (!std::holds_alternative<net::input>(result.graph[n].op))
      name_outputs(result.graph[n], of_file);
  return result;
}

NVDLAC_IMPL std::vector<operand> layer_writer::with_bias(std::vector<operand> inputs,
                                                         const std::optional<operand>& bias) {
  if (bias) inputs.push_back(*bias);
  return inputs;
}

NVDLAC_IMPL std::vector<attribute> layer_writer::grouped(const sliding_window& w,
                                                         std::int64_t groups) {
  auto how = w.attributes();
  how.push_back({"group", groups});
  if (!w.kernel.empty()) how.push_back({"kernel_shape", w.kernel});  // must fit the weights
  return how;
}

NVDLAC_IMPL std::string layer_writer::name_of(const operand& o, const std::string& layer) {
  if (!o.value.empty() || !o.known) return o.value;
  auto& [name, kept] = written_[o.known.get()];
  if (name.empty()) {
    name = fresh(layer);
    kept = o.known;  // its address names it
    to_.constant(name, o.known);
  }
  return name;
}

}  // namespace nvdlac::import::translation
