// SPDX-License-Identifier: Apache-2.0
#pragma once
// The check of the choices that a given schedule makes of the lowering.
#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/sibling_groups.hpp>

namespace nvdlac::lower {

// Problems of a given schedule's choices, besides those known: layers that the network does not
// have, and those that are given twice.
template <class Graph>
std::vector<problem> check_given(const Graph& g, std::span<const convolution_and_reader> together,
                                 std::span<const sibling> siblings,
                                 const plan::lowering_choices& given,
                                 std::span<const label> foldable, std::vector<problem> found) {
  std::set<std::string_view> seen;
  const auto once = [&](const label& layer, bool is_known, std::string reason) {
    if (!is_known)
      found.push_back({.layer = layer, .reason = std::move(reason),
                 .remedy = "layers are named as in the network; a schedule holds for one network, "
                           "configuration and set of options"});
    else if (!seen.insert(layer.view()).second)
      found.push_back({.layer = layer, .reason = "is listed twice", .remedy = "list it once"});
  };
  for (const auto& p : given.passes) {
    bool known = false;
    for (std::size_t n = 0; n < g.size(); ++n)
      known = known || (p.layer == g.label_of(n) &&
                        g.template get_if<quantised::convolution>(n) != nullptr);
    once(p.layer, known, "is no convolution of the network, whose passes could be told");
    for (const auto& s : siblings)
      if (const auto group = group_of(siblings, s.convolution);
          !group.empty() && s.first != s.convolution && p.layer == g.label_of(s.convolution))
        found.push_back({.layer = p.layer,
                         .reason = text("is computed with '", g.label_of(s.first), "' as one"),
                         .remedy = "tell the passes of that one, or list it as unfused"});
  }
  seen.clear();
  for (const auto& name : given.unfused)
    once(name, std::ranges::any_of(together, [&](const auto& p) {
           return p.why == apart::given && name == g.label_of(p.reader);
         }) || std::ranges::any_of(siblings, [&](const sibling& s) {
           return s.why == lone::given && name == g.label_of(s.convolution);
         }),
         "is neither a pooling that would be computed with a convolution, nor one of several "
         "convolutions that would be one, so it cannot be kept apart");
  seen.clear();
  for (const auto& name : given.folded)
    once(name, std::ranges::find(foldable, name) != foldable.end(),
         "is no convolution of few channels whose lines take fewer steps if they are folded");
  return found;
}

}  // namespace nvdlac::lower
