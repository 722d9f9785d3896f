// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/join_gates.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/prepare.hpp>

namespace nvdlac {

NVDLAC_IMPL std::vector<problem> detail::of_own_layers(const std::vector<std::string>& names,
                                                       const std::vector<problem>& found) {
  const std::set<std::string_view> own(names.begin(), names.end());
  std::vector<problem> all;
  for (problem p : found) {
    std::string name = p.layer;
    while (!own.contains(name) && name.find('/') != name.npos) name.resize(name.rfind('/'));
    if (own.contains(name)) p.layer = name;
    const auto is_same = [&](const problem& other) {
      return other.file == p.file && other.layer == p.layer && other.reason == p.reason &&
             other.remedy == p.remedy;
    };
    if (std::ranges::none_of(all, is_same)) all.push_back(std::move(p));
  }
  return all;
}

}  // namespace nvdlac

#ifdef NVDLAC_COMPILED
namespace nvdlac {

NVDLAC_STANDARD_STEPS(template);

}  // namespace nvdlac
#endif
