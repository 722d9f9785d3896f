// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/carried_states.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/net/file_tensor.hpp>

namespace nvdlac::data {

NVDLAC_IMPL std::vector<state_names> state_names_in(const std::string& text) {
  std::vector<state_names> all;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    const auto pair = text.substr(at, end - at);
    const auto equals = pair.find('=');
    if (equals == 0 || equals == pair.npos || equals + 1 == pair.size())
      throw error(problem{
          .reason = nvdlac::text("'", pair, "' is no pair of an input and an output"),
          .remedy = "h=h_out: the input h takes what the output h_out gave"});
    all.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
    at = end + 1;
  }
  return all;
}

namespace detail {

// The place of a name; `what`: "input" or "output".
template <class Named>
std::size_t place_of(const std::string& name, const std::vector<Named>& all, const char* what,
                     std::string_view (*name_of)(const Named&)) {
  const auto found = std::ranges::find(all, std::string_view(name), name_of);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(name_of(one));
  throw error(problem{.layer = name,
                      .reason = text("is no ", what, " of the network"),
                      .remedy = text("its ", what, "s are ", joined(names))});
}

NVDLAC_IMPL std::string_view name_of_input(const wanted_input& i) { return i.name; }
NVDLAC_IMPL std::string_view name_of_output(const net::file_output& o) { return o.form.name; }

}  // namespace detail

NVDLAC_IMPL carried_states::carried_states(std::vector<wanted_input> inputs,
                                           const std::vector<net::file_output>& outputs,
                                           const std::vector<state_names>& names)
    : inputs_(std::move(inputs)) {
  auto pairs = names;
  if (pairs.empty())
    for (const auto& i : inputs_)
      for (const auto& o : outputs)
        if (detail::name_of_output(o) == i.name + "/next")
          pairs.push_back({i.name, i.name + "/next"});
  if (pairs.empty())
    throw error(problem{
        .reason = "no input has an output of its name with /next behind it",
        .remedy = "states become inputs and outputs with --state step; others are named: "
                  "--carry-states=INPUT=OUTPUT,.."});
  for (const auto& p : pairs) {
    state s{detail::place_of(p.input, inputs_, "input", detail::name_of_input),
            detail::place_of(p.output, outputs, "output", detail::name_of_output)};
    const auto size = inputs_[s.input].shape.size(), given = outputs[s.output].form.size();
    if (size != given)
      throw error(problem{.layer = p.input,
                          .reason = text("takes ", size, " values, but the output '",
                                         p.output, "' gives ", given)});
    if (std::ranges::find(states_, s.input, &state::input) != states_.end())
      throw error(problem{.layer = p.input, .reason = "takes one state, and is given two"});
    states_.push_back(std::move(s));
  }
  if (states_.size() == inputs_.size())
    throw error(problem{.reason = "every input is a state: no step has anything to give"});
  std::ranges::sort(states_, {}, &state::input);
  begin();
}

NVDLAC_IMPL void carried_states::begin() {
  for (auto& s : states_) s.values.assign(inputs_[s.input].shape.size(), 0);
}

NVDLAC_IMPL bool carried_states::is_state(std::size_t input) const {
  return std::ranges::find(states_, input, &state::input) != states_.end();
}

NVDLAC_IMPL input_set carried_states::completed(input_set step) const {
  for (const auto& s : states_)
    step.values.insert(step.values.begin() + static_cast<std::ptrdiff_t>(s.input),
                       sample{.name = inputs_[s.input].name, .values = s.values});
  return step;
}

NVDLAC_IMPL void carried_states::take(const std::vector<array>& outputs) {
  for (auto& s : states_) {
    const auto& values = outputs.at(s.output).values;
    const auto* form = inputs_[s.input].how.form();
    s.values = form == nullptr ? values : form->to_cube(std::span<const float>(values));
  }
}

}  // namespace nvdlac::data
