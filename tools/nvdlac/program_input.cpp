// SPDX-License-Identifier: Apache-2.0
#include "program_input.hpp"

#include <nvdlac/runtime/user_inputs.hpp>

#include "usage.hpp"

namespace nvdlac::cli {

std::vector<wanted_input> wanted_by(const runtime::any_session& m,
                                    const preprocessing_options& given,
                                    std::uint64_t most_samples) {
  auto wanted = runtime::wanted_by(m.inputs(), most_samples);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (m.inputs()[i].pixels && (!given.mean.empty() || !given.scale.empty()))
      throw usage_error(
          "--mean, --scale and --std (or --preprocess) are part of this program, which reads "
          "pixels");
    auto& how = wanted[i].how;
    const auto own = given.how(how.how.order);
    if (!given.mean.empty()) how.how.mean = own.mean;
    if (!given.scale.empty()) how.how.scale = own.scale;
    if (!given.order.empty()) how.how.order = own.order;
    if (own.size.given()) how.how.size = own.size;
    how.layout = given.array_layout();
  }
  return wanted;
}

}  // namespace nvdlac::cli
