// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

NVDLAC_IMPL void assembly::tell(plan::split_convolution c) {
  auto& all = result.convolutions;
  if (all.empty() || all.back().now.layer != c.now.layer) all.push_back(std::move(c));
}

NVDLAC_IMPL void assembly::tell_foldable(std::string_view node) {
  auto& all = result.foldable;
  if (std::ranges::none_of(all, [&](const label& l) { return l == node; })) all.emplace_back(node);
}

NVDLAC_IMPL bool assembly::is_folded(std::string_view node) const {
  return std::ranges::any_of(result.given.folded, [&](const label& l) { return l == node; });
}

}  // namespace nvdlac::lower
