// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>
#include <nvdlac/hw/read_jump.hpp>

using namespace nvdlac;

namespace {

// Each block of each window, byte by byte.
bool a_block_has_both(const hw::spec& s, const hw::image_windows& w, std::uint64_t border) {
  for (std::uint64_t n = 0; n < w.count; ++n)
    for (std::uint64_t taken = 0; taken < w.kernel; taken += s.cbuf_entry) {
      const auto last = std::min(taken + s.cbuf_entry, w.kernel) - 1;
      if (n * w.step + taken < border && n * w.step + last >= border) return true;
    }
  return false;
}

}  // namespace

TEST_CASE("an entry is jumped to where a block has bytes before and behind its begin") {
  std::mt19937 random(12);
  constexpr auto& s = nv_small::spec;
  int jumps = 0;
  for (int i = 0; i < 2000; ++i) {
    const hw::image_windows w{4 * (1 + random() % 12), 4 * (1 + random() % 8), 1 + random() % 30};
    const std::uint64_t entry = random() % 40;
    CAPTURE(w.kernel);
    CAPTURE(w.step);
    CAPTURE(w.count);
    CAPTURE(entry);
    const bool both = entry != 0 && a_block_has_both(s, w, entry * s.cbuf_entry);
    CHECK(hw::jumps_to(s, w, entry) == (hw::jumps(s, w) && both));
    jumps += hw::jumps_to(s, w, entry);
  }
  CHECK(jumps > 200);
}

TEST_CASE("only configurations of small entries jump") {
  const hw::image_windows three{12, 12, 20}, four{16, 16, 20}, two{8, 8, 20};
  CHECK(hw::jumps(nv_small::spec, three));
  CHECK(!hw::jumps(nv_small::spec, four));
  CHECK(!hw::jumps(nv_small::spec, two));
  for (std::uint64_t step = 1; step <= 32; ++step)  // 8 pixels of 4 bytes
    for (const auto& s : {nv_small_256::spec, nv_small_256_full::spec, nv_medium_512::spec,
                          nv_medium_1024_full::spec, nv_large::spec, nv_full::spec})
      CHECK(!hw::jumps(s, {step, step, 20}));
}
