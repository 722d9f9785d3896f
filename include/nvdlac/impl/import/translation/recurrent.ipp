// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/translation/recurrent.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL std::string all_steps(const conversion& c, const char* type, const recurrence& r,
                                  const std::string& x, std::vector<attribute> more) {
  const auto rows = r.gates * r.hidden;
  const auto weights = [&](const std::vector<float>& values) {
    const auto columns = static_cast<std::int64_t>(values.size()) / rows;
    return c.all().write(array::of_reals({1, rows, columns}, values), c.name());
  };
  more.push_back({"hidden_size", r.hidden});
  more.push_back({"layout", std::int64_t{1}});
  if (r.backwards) more.push_back({"direction", std::string("reverse")});
  names inputs{x, weights(r.of_inputs), weights(r.of_state),
               c.all().write(array::of_reals({1, 2 * rows}, r.biases), c.name())};
  if (!r.peepholes.empty()) {
    inputs.resize(7);
    inputs.push_back(c.all().write(
        array::of_reals({1, static_cast<std::int64_t>(r.peepholes.size())}, r.peepholes),
        c.name()));
  }
  return c.node(type, c.name(), inputs, more);
}

NVDLAC_IMPL std::string one_step(const conversion& c, const std::string& all, const recurrence& r,
                                 std::int64_t step) {
  const auto list = [&](const dims& d) { return c.all().write_integers(d, c.name()); };
  const auto one = c.node("Slice", c.name(), {all, list({step}), list({step + 1}), list({1})});
  return c.reshaped(one, {1, r.hidden});
}

NVDLAC_IMPL std::string reversed_steps(const conversion& c, const std::string& all,
                                       std::int64_t steps) {
  const auto list = [&](const dims& d) { return c.all().write_integers(d, c.name()); };
  return c.node("Slice", c.name(),
                {all, list({steps - 1}), list({-steps - 1}), list({1}), list({-1})});
}

}  // namespace nvdlac::import::translation
