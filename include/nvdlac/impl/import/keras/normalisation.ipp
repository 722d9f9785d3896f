// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/normalisation.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL void require_last_axis(const conversion& c) {
  const auto given = c.l.axes();
  const auto rank = c.shape(0).size();
  if (given.size() != 1 ||
      std::cmp_not_equal(onnx_format::checked_axis(given[0], rank) + 1, rank))
    throw error(problem{.reason = "its axis is " + onnx_format::to_text(given),
                        .remedy = "the last one is supported"});
}

namespace detail {

// The factors and offsets of channels that a layer has learned.
struct learned {
  std::optional<array> gamma{}, beta{};

  explicit learned(const conversion& c) {
    const bool scale = c.l.flag("scale", true), center = c.l.flag("center", true);
    c.require(std::size_t{scale} + std::size_t{center});
    const auto channels = c.shape(0).back();
    const auto values_of = [&](std::size_t k, const char* what) {
      c.require_weight(k, what, {channels});
      return c.reals(c.weight(k), what);
    };
    if (scale) gamma = values_of(0, "gamma");
    if (center) beta = values_of(scale ? 1 : 0, "beta");
  }
};

}  // namespace detail

NVDLAC_IMPL void on_layer_normalisation(const conversion& c) {
  const detail::learned own(c);
  require_last_axis(c);
  if (c.l.flag("rms_scaling", false)) throw error("it has rms_scaling, which is not supported");
  const auto channels = c.shape(0).back();
  const array ones = array::of_reals(
      {channels}, std::vector<float>(static_cast<std::size_t>(channels), 1.0F));
  translation::names inputs{c.plain(0), c.all().write(own.gamma.value_or(ones), c.name())};
  if (own.beta) inputs.push_back(c.all().write(*own.beta, c.name()));
  c.give_plain(c.node("LayerNormalization", c.name(), inputs,
                      {{"axis", std::int64_t{-1}}, {"epsilon", c.l.number("epsilon", 1e-3F)}}),
               c.shape(0));
}

NVDLAC_IMPL void on_group_normalisation(const conversion& c) {
  const detail::learned own(c);
  require_last_axis(c);
  const dims shape = c.shape(0);
  const auto groups = c.l.integer("groups", 32);
  if (shape.size() != 4 || groups < 1 || shape[3] % groups != 0)
    throw error(text("it makes ", groups, " groups of ", onnx_format::to_text(shape)));
  const dims turned = translation::channels_second(shape);
  const auto alike = [&](float v) {
    const std::vector<float> all(static_cast<std::size_t>(groups), v);
    return c.all().write(array::of_reals({groups}, all), c.name());
  };
  const auto even = c.node("InstanceNormalization", c.name() + "/normalised",
                           {c.reshaped(c.picture(0), {shape[0], groups, -1}), alike(1), alike(0)},
                           {{"epsilon", c.l.number("epsilon", 1e-3F)}});
  auto y = c.reshaped(even, turned);
  constexpr auto in = order::channels_second;
  if (own.gamma)
    y = c.node("Mul", own.beta ? c.name() + "/scale" : c.name(),
               {y, c.per_channel(own.gamma->reals, in)});
  if (own.beta) y = c.node("Add", c.name(), {y, c.per_channel(own.beta->reals, in)});
  c.give({std::move(y), shape, in});
}

NVDLAC_IMPL void on_unit_normalisation(const conversion& c) {
  c.require(0);
  require_last_axis(c);
  c.give_plain(c.node("LpNormalization", c.name(), {c.plain(0)}, {{"axis", std::int64_t{-1}}}),
               c.shape(0));
}

}  // namespace nvdlac::import::keras_format
