// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/keras/wrappers.hpp>
#include <nvdlac/import/translation/moving.hpp>
#include <nvdlac/import/translation/recurrent.hpp>

namespace nvdlac::import::keras_format {

namespace detail {

inline const layer& wrapped(const conversion& c, std::size_t i) {
  c.l.ignore({"layer", "backward_layer"});
  if (i >= c.l.layers.size()) throw error("it tells no layer that it applies");
  const layer& inner = *c.l.layers[i];
  if (!inner.wrong.empty()) throw error(inner.wrong);
  inner.require_real();
  return inner;
}

// The result of the layer for x; its weights are `n` from number `first` on.
inline computed applied(const conversion& c, const layer& inner, const std::string& result,
                        computed x, std::size_t first, std::size_t n) {
  const auto in = c.within(inner, result, std::move(x), first, n);
  operators().at(inner.class_name).convert(in);
  inner.require_understood();
  return in.output();
}

}  // namespace detail

NVDLAC_IMPL void on_bidirectional(const conversion& c) {
  c.require_data(1, 1);
  const layer &forward = detail::wrapped(c, 0), &backward = detail::wrapped(c, 1);
  for (const auto* l : {&forward, &backward})
    if (!is_recurrent(l->class_name))
      throw error(problem{.reason = "it applies a layer of the class " + l->class_name,
                          .remedy = "LSTM, GRU and SimpleRNN are supported"});
  const bool turned = forward.flag("go_backwards", false),
             sequence = forward.flag("return_sequences", false);
  if (backward.flag("go_backwards", false) == turned ||
      backward.flag("return_sequences", false) != sequence)
    throw error("its layers do not run through the same steps in two directions");
  const std::size_t of_forward = forward.flag("use_bias", true) ? 3 : 2;
  if (c.weights() < of_forward) c.require(2 * of_forward);
  const auto x = c.input(0);
  const auto forwards = [&] {
    return detail::applied(c, forward, c.name() + "/forward", x, 0, of_forward);
  };
  const auto backwards = [&] {
    const bool both = gives_both_directions(c.l);
    auto y = detail::applied(c, backward, both ? c.name() : c.name() + "/backward", x, of_forward,
                             c.weights() - of_forward);
    if (sequence) y.value = translation::reversed_steps(c, y.value, y.shape[1]);
    return y;
  };
  const auto how = c.l.string("merge_mode", "concat");
  if (gives_both_directions(c.l)) return c.give(c.result == 0 ? forwards() : backwards());
  auto first = forwards();
  const auto all = c.on(std::move(first), backwards());
  if (how == "concat") return on_concatenate(all);
  if (how == "sum") return on_add(all);
  if (how == "mul") return on_multiply(all);
  if (how == "ave") return on_average(all);
  throw error(problem{.reason = "its merge_mode is " + how,
                      .remedy = "concat, sum, mul, ave and None are supported"});
}

NVDLAC_IMPL void on_time_distributed(const conversion& c) {
  c.require_data(1, 1);
  const layer& inner = detail::wrapped(c, 0);
  const dims in = c.shape(0);
  if (in.size() < 3) throw error("its input has the shape " + onnx_format::to_text(in));
  if (inner.is_model)
    throw error(problem{.reason = "it applies a model",
                        .remedy = "wrap each layer of the model by itself"});
  if (!operators().contains(inner.class_name) || is_recurrent(inner.class_name))
    throw error(problem{.reason = "it applies a layer of the class " + inner.class_name +
                                  ", which is not supported in steps"});
  // Layers that treat all elements alike, or those along the last axis.
  static const std::set<std::string_view> of_elements = {
      "Activation", "ActivityRegularization", "AlphaDropout", "Dropout", "ELU",
      "GaussianDropout", "GaussianNoise", "LeakyReLU", "ReLU", "Rescaling", "ThresholdedReLU"};
  if (of_elements.contains(inner.class_name) || (inner.class_name == "Dense" && in.size() < 5))
    return c.give(detail::applied(c, inner, c.name(), c.input(0), 0, c.weights()));
  dims one(in.begin() + 1, in.end());
  one[0] = 1;
  const auto list = [&](const dims& d) { return c.all().write_integers(d, c.name()); };
  const auto x = c.plain(0);
  translation::names steps;
  dims shape;
  for (std::int64_t t = 0; t < in[1]; ++t) {
    if (t > 0)
      for (std::size_t k = 0; k < c.weights(); ++k)
        c.from.weights->take_weights(
            static_cast<std::uint64_t>(onnx_format::count(c.shape(c.weight(k)))));
    const auto step = c.node("Slice", c.name(), {x, list({t}), list({t + 1}), list({1})});
    auto y = detail::applied(c, inner, text(c.name(), "/step", t), {c.reshaped(step, one), one}, 0,
                             c.weights());
    y = in_file_order(c, std::move(y));
    shape = y.shape;
    shape.insert(shape.begin() + 1, 1);
    steps.push_back(c.reshaped(y.value, shape));
  }
  shape[1] = in[1];
  c.give_plain(c.node("Concat", c.name(), steps, {{"axis", std::int64_t{1}}}), shape);
}

}  // namespace nvdlac::import::keras_format
