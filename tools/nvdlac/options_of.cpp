// SPDX-License-Identifier: Apache-2.0
#include "options_of.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_steps.hpp>

#include "float_graph.hpp"
#include "observers.hpp"
#include "scheduling.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

hw::precision precision_called(const std::string& name) {
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    if (name == hw::name_of(p)) return p;
  throw usage_error("--precision: '" + name + "' is none of int8, int16 and fp16");
}

// "fp16,conv1=int8": of all layers, and of single ones.
net::layer_precisions read_precisions(const std::string& words) {
  net::layer_precisions result;
  std::istringstream in(words);
  bool first = true;
  for (std::string word; std::getline(in, word, ','); first = false) {
    const auto equals = word.rfind('=');
    if (equals == word.npos && !first)
      throw usage_error("--precision: '" + word + "' names no layer, write LAYER=" + word);
    if (equals == word.npos) result.all = precision_called(word);
    else if (!result.of.emplace(word.substr(0, equals), precision_called(word.substr(equals + 1)))
                  .second)
      throw usage_error("--precision: '" + word.substr(0, equals) + "' is named twice");
  }
  return result;
}

// Returns the precisions. Throws where what other options say to them would be lost.
net::layer_precisions precisions_of(const model_options& given) {
  const auto p = read_precisions(given.precision);
  if (!given.prefer.empty()) return p;  // and int8
  if (p == hw::precision::fp16 && given.input_format != "auto")
    throw usage_error("--input-format " + given.input_format + " does not go with --precision "
                      "fp16, whose inputs are real numbers: leave it out, or compute what reads "
                      "the input in int8 (--precision fp16,LAYER=int8)");
  if (!p.uses(hw::precision::int8) && !given.observer.empty())
    throw usage_error("--observer is for --precision int8 only: int16 and the tables of fp16 take "
                      "the whole range");
  return p;
}

// An effort is made on the inputs of the calibration, whose scales all count.
int effort_of(const model_options& given, const net::layer_precisions& p) {
  if (given.effort == 0) return 0;
  if (!given.calibrates())
    throw usage_error("--effort counts on the inputs of --calibration, which are not given");
  if (given.keep_scales || !given.scales.empty())
    throw usage_error(text("--effort changes scales, which ",
                           given.keep_scales ? "--keep-scales" : "--scales", " would keep"));
  if (!p.uses(hw::precision::int8) && given.prefer.empty())
    throw usage_error("--effort is for layers in int8, of which --precision " + given.precision +
                      " has none");
  return given.effort;
}

host::choice host_of(const std::string& given) {
  if (given.empty()) return {};
  if (given == "forbid") return host::choice::nothing();
  if (given == "allow") return host::choice::all();
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= given.size();) {
    const auto comma = std::min(given.find(',', at), given.size());
    if (comma == at) throw usage_error("--host has an empty name in '" + given + "'");
    names.push_back(given.substr(at, comma - at));
    at = comma + 1;
  }
  return host::choice::of(std::move(names));
}

}  // namespace

double most_changed(const std::string& preferred) {
  const std::string type = "int8=";
  double percent = -1;
  const auto* const end = preferred.data() + preferred.size();
  if (!preferred.starts_with(type) ||
      std::from_chars(preferred.data() + type.size(), end, percent).ptr != end ||
      !(percent >= 0 && percent <= 100))
    throw usage_error("--prefer: '" + preferred + "' is not int8=PERCENT, with 0 to 100 percent");
  return percent;
}

void check_passes(const std::set<std::string>& names, std::span<const pass::pass_info> steps) {
  try {
    network_passes::check_names(names, steps);
  } catch (const error& e) {
    throw usage_error(e.what());
  }
}

compile_options options_of(const model_options& given) {
  compile_options options;
  check_passes(given.without, steps_for_hardware);
  choose_observer(given.observer, options);
  if (given.keep_scales && !given.scales.empty())
    throw usage_error("--keep-scales and --scales exclude each other: each gives scales that a "
                      "calibration completes");
  if (given.keep_scales && !given.calibrates())
    throw usage_error("--keep-scales says nothing without --calibration: the model's own scales "
                      "count");
  options.precision = precisions_of(given);
  if (!given.prefer.empty()) {
    (void)most_changed(given.prefer);
    if (options.precision.all == hw::precision::int8 || !options.precision.of.empty())
      throw usage_error("--prefer chooses between int8 and the one type of --precision: give "
                        "--precision int16 or fp16");
    if (!given.calibrates())
      throw usage_error("--prefer counts on the inputs of --calibration, which are not given");
  }
  options.limits = given.limits;
  options.effort = effort_of(given, options.precision);
  options.host = host_of(given.host);
  options.approximate = given.approximate;
  options.winograd = given.winograd == "auto"  ? winograd_use::wide
                     : given.winograd == "all" ? winograd_use::all
                                               : winograd_use::off;
  const std::filesystem::path model(given.model);  // of a directory, maybe with a / at its end
  options.network = !given.network.empty()
                        ? given.network
                        : (model.has_filename() ? model : model.parent_path()).stem().string();
  options.without = given.without;
  options.optimize = given.scheduling.trials;
  if (!given.scheduling.given.empty())
    options.schedule = read_schedule(given.scheduling.given, given.configs.size());
  options.threads = given.threads != 0 ? given.threads : std::thread::hardware_concurrency();
  return options;
}

}  // namespace nvdlac::cli
