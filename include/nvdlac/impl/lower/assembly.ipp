// SPDX-License-Identifier: Apache-2.0
#pragma once
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

}  // namespace nvdlac::lower
