// SPDX-License-Identifier: Apache-2.0
// A loadable, which runs once on zeros if a product takes it.
#include <algorithm>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/sim/rule.hpp>

#include "attempt.hpp"

namespace nvdlac::fuzz {

// As `nvdlac run` does: inputs in the shapes that the bindings tell, outputs as the file has them.
template <hw::hardware Hw>
void run_on(const emit::loadable_image& image) {
  runtime::session<Hw> r(image, sim::settings::limited_by(limits));
  std::vector<quantised::feed> in;
  for (const auto& b : r.inputs()) {
    require_within(&budget::samples, b.shape.size(), limits);
    if (b.picture) in.emplace_back(std::vector<std::uint8_t>(b.shape.size()));
    else
      in.push_back(quantised::feed_of(
          quantised::numbers_of(net::float_tensor{b.shape}, b.scale, b.surface.precision)));
  }
  const auto out = r.infer_any(in);
  (void)runtime::arrays_of(r.outputs(), out);
}

}  // namespace nvdlac::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  fuzz::attempt(data, size, [&](std::string_view) {
    fuzz::run_on<nv_small>(emit::read_loadable({data, size}, "fuzzed"));
  });
  return fuzz::attempt(data, size, [&](std::string_view) {
    fuzz::run_on<nv_full>(emit::read_loadable({data, size}, "fuzzed"));
  });
}
