// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/batch.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/batch_mode_use.hpp>
#include <nvdlac/lower/options.hpp>

namespace nvdlac::choose {

NVDLAC_IMPL std::vector<candidate> with_batch(const hw::spec& hw, const candidate& from,
                                              const compile_options& options) {
  using enum lower::batch_mode_use;
  std::vector<candidate> all;
  const auto add = [&](lower::batch_of batch) {
    all.push_back(from);
    all.back().batch = batch;
  };
  if (options.batch == 1) {
    add({});
    return all;
  }
  const bool has_mode = hw.batch &&
                        !options.without.contains(std::string(lower::batch_mode::name));
  const auto mode = has_mode ? options.batch_mode : off;
  for (const bool maps : {false, true})
    add({options.batch, maps, mode == forced ? forced : off});
  if (mode == predicted)
    for (const auto use : {predicted, forced})
      for (const bool maps : {false, true}) add({options.batch, maps, use});
  return all;
}

}  // namespace nvdlac::choose
