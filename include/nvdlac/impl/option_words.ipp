// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/input.hpp>
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

// One option of the command line with several named numbers.
struct named_numbers {
  std::string_view option;
  struct number {
    std::string_view name;
    std::uint64_t value = 0;
  };
  std::vector<number> all;
};

// The memories as the command line has them; none if it cannot say them.
NVDLAC_IMPL std::optional<std::vector<named_numbers>> memories_said(
    const compile_options& options) {
  constexpr std::uint64_t most = 1'000'000;  // that it takes, of all but bytes
  std::vector<named_numbers> said;
  const auto& c = options.cvsram;
  if (const auto& m = options.memory) {
    const bool is_said = m->weights_ahead != cost::kernels_ahead::as_there_is_time &&
                         m->cvsram == c && m->data_turns < 256 &&
                         std::max({m->width, m->read_latency, m->write_latency,
                                   m->outstanding}) <= most && m->read_latency != 0;
    if (!is_said) return std::nullopt;
    const bool ahead = m->weights_ahead != cost::kernels_ahead::none;
    said.push_back({"--memory=",
                    {{"width", m->width}, {"latency", m->read_latency},
                     {"write-latency", m->write_latency}, {"outstanding", m->outstanding},
                     {"data-turns", m->data_turns}, {"weights-ahead", ahead ? 1U : 0U}}});
  }
  if (c == cost::cvsram{}) return said;
  const bool is_said =
      c.bytes != 0 && c.bytes <= std::uint64_t{1} << 30U && c.read_latency != 0 &&
      std::max({c.width, c.read_latency, c.write_latency, c.outstanding}) <= most;
  if (!is_said) return std::nullopt;
  said.push_back({"--cvsram=",
                  {{"bytes", c.bytes}, {"width", c.width}, {"latency", c.read_latency},
                   {"write-latency", c.write_latency}, {"outstanding", c.outstanding},
                   {"weights", c.weights ? 1U : 0U}}});
  return said;
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
    // Without any number those of the model would count.
    add(how->mean != none.mean || how->scale == none.scale, "--mean=",
        detail::numbers(how->mean));
    add(how->scale != none.scale, "--scale=", detail::numbers(how->scale));
    add(how->order != none.order, "--order=", net::to_string(how->order));
    const auto& size = how->size;
    add(size.resize != net::resizing::none, "--resize=", net::resize_text(size));
    add(size.crop != 0, "--crop=", size.crop);
  }
  add(!options.pixels && !(options.precision == hw::precision::fp16), "--input-format=int8");
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
  if (const auto memories = detail::memories_said(options)) {
    for (const auto& m : *memories)
      for (const auto& n : m.all) add(true, m.option, n.name, '=', n.value);
  } else {
    add(options.memory.has_value(), "own memory");
    add(!(options.cvsram == usual.cvsram), "own secondary memory");
  }
  // An observer counts for int8 alone: 16 bits have the whole range.
  const auto& observer = options.calibrate;
  const bool observes = options.precision.uses(hw::precision::int8);
  add(observes && !observer.is_usual, "own observer ", observer.name);
  add(observes && observer.is_usual && observer.name != usual.calibrate.name, "--observer=",
      observer.name);
  add(!options.known.entries.empty(), "own scales");
  add(options.effort != usual.effort, "--effort=", options.effort);
  std::ranges::stable_sort(words, {},
                           [](const std::string& w) { return w.substr(0, w.find('=')); });
  return words;
}

}  // namespace nvdlac
