// SPDX-License-Identifier: Apache-2.0
#include "draw_trial.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>

namespace nvdlac::judge {
namespace {

template <class T>
const T& one_of(const std::vector<T>& all, std::mt19937_64& random) {
  return all[random() % all.size()];
}

}  // namespace

trial draw_plain(const model& m, const cli::target& t, const std::vector<std::string>& allowed,
                 std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + 3);
  trial plain{.configuration = std::string(t.name())};
  std::vector<std::string> types;
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    if (t.spec().data_types.has(p) && std::ranges::find(allowed, hw::name_of(p)) != allowed.end())
      types.emplace_back(hw::name_of(p));
  if (!types.empty()) plain.precision = one_of(types, random);
  // Pictures of 1, 3 or 4 channels, which the first convolution may read as they are.
  plain.pixels =
      plain.precision != "fp16" && !m.is_quantised && random() % 3 == 0 &&
      std::ranges::all_of(m.inputs, [](const value& i) {
        return i.shape.size() == 4 && (i.shape[1] == 1 || i.shape[1] == 3 || i.shape[1] == 4);
      });
  if (m.is_quantised && plain.precision == "int8") {
    plain.calibrated = random() % 3 == 0;
    plain.keep_scales = plain.calibrated && random() % 2 == 0;
  }
  plain.verified = random() % 4 == 0;
  return plain;
}

trial draw_variant(const trial& plain, const model& m, const cli::target& t, std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + 5);
  const auto& spec = t.spec();
  trial v = plain;
  v.verified = false;
  std::vector<std::string> steps;
  for (const auto& p : pass::standard::passes) steps.emplace_back(p.name);
  for (const auto& p : steps_for_hardware) steps.emplace_back(p.name);
  const auto without = [&] { v.without.insert(one_of(steps, random)); };
  const auto optimize = [&] { v.optimize = 1 + random() % 24; };
  std::vector<std::function<void()>> changes{
      without,
      without,
      without,
      optimize,
      optimize,
      [&] { v.batch = 2 + static_cast<int>(random() % 2); },
      [&] {
        v.observer =
            one_of<std::string>({"min-max", "percentile", "entropy", "least-squares"}, random);
      }};
  const bool narrow = plain.precision == "int8";
  if (narrow && plain.calibrated && !plain.keep_scales)
    changes.push_back([&] { v.effort = 1 + static_cast<int>(random() % 3); });
  if (spec.winograd) changes.push_back([&] { v.winograd = random() % 2 == 0 ? "all" : "auto"; });
  if (spec.has_sram())
    changes.push_back([&] {
      v.cvsram = std::to_string(1024 << random() % 8);
      if (random() % 2 == 0) v.cvsram += ",weights=1";
    });
  if (!narrow && plain.calibrated) changes.push_back([&] { v.prefer = "int8=10"; });
  if (!spec.sdp_lut) changes.push_back([&] { v.approximate = true; });
  one_of(changes, random)();
  if (!narrow) v.observer.clear();
  if (!v.observer.empty() && m.is_quantised) v.observer.clear();
  if (random() % 8 == 0) without();
  return v;
}

}  // namespace nvdlac::judge
