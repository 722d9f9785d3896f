// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/option_words.hpp>

namespace nvdlac {

namespace detail {

NVDLAC_IMPL std::string numbers(const std::vector<double>& all) {
  std::string words;
  for (const auto number : all) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    words += (words.empty() ? "" : ",") + std::string(digits.data(), end);
  }
  return words;
}

}  // namespace detail

NVDLAC_IMPL std::vector<std::string> words_of(const compile_options& options) {
  const compile_options usual;
  std::vector<std::string> words;
  const auto add = [&](bool is_there, const auto&... parts) {
    if (is_there) words.push_back(text(parts...));
  };
  auto precision = std::string(hw::name_of(options.precision.all));
  for (const auto& [layer, own] : options.precision.of)
    precision += text(',', layer, '=', hw::name_of(own));
  add(!(options.precision == usual.precision), "--precision=", precision);
  for (const auto& step : options.without) add(true, "--without=", step);
  if (const auto& how = options.preprocessing) {
    const net::preprocessing none;
    add(how->mean != none.mean, "--mean=", detail::numbers(how->mean));
    add(how->scale != none.scale, "--scale=", detail::numbers(how->scale));
    add(how->order != none.order, "own order of channels");
    add(!(how->size == none.size), "own size of pictures");
  }
  add(!options.pixels, "own form of the input");
  using allows = host::choice::kind;
  std::string hosted;
  for (const auto& name : options.host.names) hosted += (hosted.empty() ? "" : ",") + name;
  add(options.host.what == allows::nothing, "--host=forbid");
  add(options.host.what == allows::all, "--host=allow");
  add(options.host.what == allows::listed, "--host=", hosted);
  add(options.approximate, "--approximate");
  add(options.winograd == winograd_use::wide, "--winograd=auto");
  add(options.winograd == winograd_use::all, "--winograd=all");
  add(options.batch != usual.batch, "--batch=", options.batch);
  add(options.batch_mode != usual.batch_mode, "own use of the batch mode");
  add(options.optimize != usual.optimize, "--optimize=", options.optimize);
  add(options.for_traces, "--trace");
  add(options.schedule.has_value(), "own schedule");
  add(options.memory.has_value(), "own memory");
  add(!(options.cvsram == usual.cvsram), "own secondary memory");
  add(options.calibrate.name != usual.calibrate.name, "own observer ", options.calibrate.name);
  add(!options.known.entries.empty(), "own scales");
  add(options.effort != usual.effort, "--effort=", options.effort);
  std::ranges::stable_sort(words, {},
                           [](const std::string& w) { return w.substr(0, w.find('=')); });
  return words;
}

}  // namespace nvdlac
