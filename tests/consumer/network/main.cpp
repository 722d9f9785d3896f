// SPDX-License-Identifier: Apache-2.0
// The packed weights that the build made are those that the C++ compiler packs.
#include <algorithm>
#include <iostream>

#include <completed.hpp>
#include <digits.hpp>
#include <sizes.hpp>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

using namespace nvdlac;

using on_small = program<nv_small, digits::model>;
using on_large = program<nv_large, digits::model>;
static_assert(runs_on<nv_small>(sizes::model) && runs_on<nv_large>(digits::model));
static_assert(runs_on<nv_small>(completed::model));
static_assert(sizeof digits::digits_nv_large_weights == on_large::weights.size);
static_assert(!program<nv_small, sizes::model>::inputs[0].picture);

int main() {
  const bool same =
      std::ranges::equal(on_small::weight_image, digits::digits_nv_small_weights) &&
      std::ranges::equal(on_large::weight_image, digits::digits_nv_large_weights);
  std::cout << on_small::steps.size() << " and " << on_large::steps.size() << " steps, weights "
            << (same ? "as" : "not as") << " the compiler packs them\n";
  return same ? 0 : 1;
}
