// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL std::vector<data::wanted_input> wanted_by(const std::vector<binding>& inputs,
                                                      std::uint64_t most_samples) {
  std::vector<data::wanted_input> wanted;
  for (const auto& b : inputs)
    wanted.push_back({b.name, b.shape,
                      {.how = b.preprocessing.value_or(net::preprocessing{}),
                       .in_file = data::form_of(b), .most_samples = most_samples}});
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

namespace detail {

// The values of pixels and up to where a program's numbers reach, both as the user has them: what
// stands between the pixels and the numbers may be more than the user's preprocessing.
class reach_of_pixels {
 public:
  explicit reach_of_pixels(const binding& b)
      : how_(b.preprocessing.value_or(net::preprocessing{})) {
    const auto top = static_cast<std::int32_t>(quantised::top_of(b.surface.precision));
    for (std::size_t c = 0; c < static_cast<std::size_t>(b.shape.c); ++c) {
      auto& all = held_.emplace_back();
      for (int p = 0; p < 256; ++p) {
        const auto n = b.pixels->cvt(std::int64_t{p} - b.pixels->mean.at(c));
        if (n < -top - 1 || n > top) continue;
        if (all.none()) all.low = p;
        all.high = p;
      }
    }
  }
  // The magnitudes of a pixel's value and of the nearest one that has a number; nothing if it has
  // one itself.
  std::optional<std::pair<double, double>> beyond(std::uint8_t p, std::size_t c) const {
    const auto& all = held_[c];
    if (p >= all.low && p <= all.high) return std::nullopt;
    const int nearest = all.none() || p < all.low ? all.low : all.high;
    return std::pair(magnitude(p, c), magnitude(nearest, c));
  }

 private:
  struct range {
    int low = 0, high = -1;
    bool none() const { return high < low; }
  };
  double magnitude(int p, std::size_t c) const {
    const auto of = [&](const std::vector<double>& v) { return v[v.size() == 1 ? 0 : c]; };
    return std::fabs((p - of(how_.mean)) * of(how_.scale));
  }
  net::preprocessing how_;
  std::vector<range> held_{};
};

}  // namespace detail

NVDLAC_IMPL void count_excess(std::vector<excess>& all, const data::input_set& set,
                              const std::vector<binding>& inputs) {
  all.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& b = inputs[i];
    const auto& values = set.values.at(i).values;
    const auto& pixels = set.values.at(i).pixels;
    if (b.surface.precision == hw::precision::fp16 || values.empty()) continue;
    auto& e = all[i];
    e.input = b.name;
    std::size_t beyond = 0;
    const auto add = [&](double x, double reach) {
      ++beyond;
      if (e.values + beyond == 1 || x * e.reach > e.most * reach) {
        e.most = x;
        e.reach = reach;
      }
    };
    const auto channels = static_cast<std::size_t>(b.shape.c);
    const std::size_t area = values.size() / channels;
    if (b.pixels) {
      const detail::reach_of_pixels reach(b);
      for (std::size_t k = 0; k < pixels.size(); ++k)
        if (const auto v = reach.beyond(pixels[k], k % channels)) add(v->first, v->second);
    } else {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const double x = std::fabs(double{values[k]});
        const double gain = b.gain.empty() ? 1 : b.gain[k / area];
        // Half a step further is still the largest number.
        const double reach = (quantised::top_of(b.surface.precision) + 0.5) * b.scale * gain;
        if (x > reach * (1 + 1e-6)) add(x, reach);
      }
    }
    e.values += beyond;
    e.sets += beyond != 0 ? 1 : 0;
  }
}

NVDLAC_IMPL std::vector<problem> problems_of(const std::vector<excess>& all) {
  std::vector<problem> found;
  for (const auto& e : all)
    if (e.values != 0)
      found.push_back(
          {.layer = e.input,
           .reason = text(count_of(e.values, "value"), " of ", count_of(e.sets, "input"),
                          e.values == 1 ? " lies" : " lie",
                          " beyond what the calibration saw and became the largest number: ",
                          e.most, " where the program reaches ", e.reach, " at most"),
           .remedy = "calibrate with inputs as large as those that the program will see"});
  return found;
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
