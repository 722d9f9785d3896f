// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/verify/labels.hpp>

namespace nvdlac::verification {

NVDLAC_IMPL void check_labels(std::span<const std::size_t> labels, const report& of,
                              const std::string& file) {
  std::size_t classes = 1;
  for (const auto d : of.outputs.at(0).shape) classes *= static_cast<std::size_t>(d);
  const auto wrong = std::ranges::find_if(labels, [&](std::size_t l) { return l >= classes; });
  if (wrong != labels.end())
    throw error({.file = file,
                 .reason = text("the label of input ", wrong - labels.begin() + 1, " is ", *wrong,
                                ", but the network has ", count_of(classes, "class", "classes")),
                 .remedy = "classes count from 0, in the order of the output's elements"});
}

}  // namespace nvdlac::verification
