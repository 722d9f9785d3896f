// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL std::vector<data::wanted_input> wanted_by(const std::vector<binding>& inputs) {
  std::vector<data::wanted_input> wanted;
  for (const auto& b : inputs)
    wanted.push_back({b.name, b.shape,
                      {.how = b.preprocessing.value_or(net::preprocessing{}),
                       .in_file = data::form_of(b)}});
  return wanted;
}

NVDLAC_IMPL void check_preprocessing(const data::input_files& files,
                                     const std::vector<binding>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (files.first_picture(i) && !inputs[i].picture && !inputs[i].preprocessing)
      throw error({.file = *files.first_picture(i), .layer = inputs[i].name,
                   .reason = "the loadable does not say how pixels become its values",
                   .remedy = "give their preprocessing (--mean, --scale, --order), or floats in an "
                             "npy file"});
}

NVDLAC_IMPL quantised::feed feed_of(const data::sample& s, const binding& to) {
  if (!to.picture) return feed_of(net::float_tensor{to.shape, s.values}, to);
  if (s.pixels.empty())
    throw error({.file = s.name, .layer = to.name,
                 .reason = "the program reads pixels, but the file holds floats",
                 .remedy = "give a picture, or compile with --input-format int8 "
                           "(compile_options::pixels = false)"});
  return s.pixels;
}

NVDLAC_IMPL std::vector<quantised::feed> feeds_of(const data::input_set& set,
                                                  const std::vector<binding>& inputs) {
  std::vector<quantised::feed> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    feeds.push_back(feed_of(set.values.at(i), inputs[i]));
  return feeds;
}

}  // namespace nvdlac::runtime
