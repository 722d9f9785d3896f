// SPDX-License-Identifier: Apache-2.0
// Networks in int16 and fp16 on a configuration of a user's own. Its MAC cells add 32 channels at
// once, which shows in the sums of fp16.
#include <doctest/doctest.h>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable_layout.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/runtime/session.hpp>

#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

struct fewer_macs {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.mac_atomic_c = 32;
    s.cbuf_entry = 64;
    return s;
  }();
};
static_assert(hw::validated<fewer_macs>);

}  // namespace

TEST_CASE("a configuration of one's own computes int16 and fp16 as the reference of its order") {
  for (const auto p : {hw::precision::int16, hw::precision::fp16})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      INFO(std::string(hw::name_of(p)) << ", seed " << seed);
      const auto g = wide_graph::make(seed, p);
      if (wide_graph::is_too_large<fewer_macs>(g)) continue;
      const auto feeds = wide_graph::feeds(g, seed);
      runtime::session<fewer_macs> chip(emit::loadable_lists(build<fewer_macs>(g)));
      CHECK((chip.infer_any(feeds) ==
             quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                        quantised::order_of(fewer_macs::spec))));
    }
}
