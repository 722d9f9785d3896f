// SPDX-License-Identifier: Apache-2.0
// Ranges of a configuration as types.
#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/space.hpp>

using namespace nvdlac;

namespace {

using mine = hw::space<nv_small, hw::axis<&hw::spec::mac_atomic_c, 8u, 16u>,
                       hw::axis<&hw::spec::cbuf_entry, 8u, 16u>,
                       hw::axis<&hw::spec::cbuf_banks, 16u, 32u, 64u>>;
// An entry holds the channels of a MAC cell, and the registers know 32 banks.
static_assert(mine::configurations::size == 4);
using last = mine::at<3>;
static_assert(last::spec.mac_atomic_c == 16 && last::spec.cbuf_entry == 16 &&
              last::spec.cbuf_banks == 32);
static_assert(hw::validated<last>);

constexpr hw::memory_interface wide{.width_bits = 128, .burst = 2, .latency = 100};
using widened = hw::space<nv_small, hw::axis<&hw::spec::dram, nv_small::spec.dram, wide>>;
static_assert(widened::configurations::size == 2);

}  // namespace

TEST_CASE("the legal combinations of the axes, in their order") {
  std::vector<hw::spec> all;
  for_each(mine::configurations{}, [&]<class Hw>(std::type_identity<Hw>) {
    all.push_back(Hw::spec);
  });
  REQUIRE(all.size() == 4);
  CHECK(all[0].cbuf_banks == 16);
  CHECK(all[1] == nv_small::spec);
  CHECK(widened::at<1>::spec.dram == wide);
}
