// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/import/caffe2/arguments.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::caffe2_format {

// Caffe2's operators in ONNX's terms.

using translation::operand;
using translation::sliding_window;
using results = std::vector<operand>;

// The context in which an operator is converted.
class conversion {
 public:
  conversion(const translation::file_layer& of, const arguments& given,
             translation::channels_first_translator& all);

  const arguments& a;

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::size_t inputs() const { return layer_.inputs.size(); }
  const operand& in(std::size_t i) const;
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ",
                                                              count_of(inputs(), "input")));
  }
  std::optional<operand> optional(std::size_t i) const {
    return i < inputs() ? std::optional(in(i)) : std::nullopt;
  }
  const operand& only() const;
  // The bias of a convolution, behind its weights.
  std::optional<operand> bias() const;
  std::vector<operand> all() const;
  std::int64_t axis(std::int64_t otherwise) const {
    return onnx_format::checked_axis(a.integer("axis", otherwise), in(0).rank);
  }

 private:
  const translation::file_layer& layer_;
  translation::channels_first_translator& all_;
};

void require_picture(const operand& x);
sliding_window window_of(const conversion& c);
// The window of a convolution, whose size nothing rounds.
sliding_window window_of_convolution(const conversion& c);
results on_conv(const conversion& c);
results on_conv_transpose(const conversion& c);
template <bool Maximum>
results pool(const conversion& c) {
  c.require_inputs(1, 1);
  const auto w = window_of(c);
  const bool counts = c.a.flag("count_include_pad");
  if (c.a.flag("global_pooling"))
    return {c.to().node(Maximum ? "GlobalMaxPool" : "GlobalAveragePool", c.name(), {c.in(0)}, 4)};
  return {c.to().pool(c.name(), Maximum ? "MaxPool" : "AveragePool", c.in(0), w, counts)};
}
results on_fully_connected(const conversion& c);
results on_batch_norm(const conversion& c);

// The second operand is a vector along an axis where `broadcast` says so, else numpy's rules hold.
template <fixed_string Type>
results binary(const conversion& c) {
  c.require_inputs(2, 2);
  const auto a = c.in(0);
  auto b = c.in(1);
  const bool along = c.a.flag("broadcast") && c.a.has("axis");
  if (along && b.rank == 1)
    b = translation::layer_writer::along(b.numbers("second operands"), a.rank,
                                         static_cast<std::size_t>(c.axis(1)));
  else if (along && b.rank + static_cast<std::size_t>(c.axis(1)) != a.rank)
    throw error("it broadcasts a tensor of several dimensions along an axis");
  return {c.to().binary(c.name(), std::string(Type.view()), a, b)};
}
results mapped(const conversion& c, const std::string& type,
               const std::vector<translation::attribute>& attributes = {});
template <fixed_string Type>
results function(const conversion& c) {
  return mapped(c, std::string(Type.view()));
}
results on_leaky_relu(const conversion& c);
results on_elu(const conversion& c);
results on_clip(const conversion& c);
results on_prelu(const conversion& c);
results on_lrn(const conversion& c);
// All that stands behind the axis is one list.
results on_softmax(const conversion& c);
results on_sum(const conversion& c);
results on_concat(const conversion& c);
results on_reshape(const conversion& c);
results on_flatten(const conversion& c);
results on_transpose(const conversion& c);
results on_squeeze(const conversion& c);
results on_expand_dims(const conversion& c);
results on_dropout(const conversion& c);
inline results on_unchanged(const conversion& c) { return {c.only()}; }
results on_resize_nearest(const conversion& c);

struct operator_entry {
  results (*convert)(const conversion&);
};

const std::map<std::string_view, operator_entry>& operators();

}  // namespace nvdlac::import::caffe2_format

namespace nvdlac::import {

// Caffe2's networks: predict_net.pb, and init_net.pb with its weights. A program that includes this
// header reads them by nvdlac::read, too.

namespace caffe2_format {

network translated(const named_content& predict, const named_content& init, const part& wanted);

}  // namespace caffe2_format

// Reads Caffe2's network from its predict_net and its init_net, for one picture. An input that
// neither file tells the shape of gets it from `wanted`, which may also name a part of the network,
// and an input among the blobs that the init_net fills. Throws `error` with all problems.
network caffe2_network_from(const named_content& predict, const named_content& init,
                            const part& wanted = {});

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2.ipp>
#endif
