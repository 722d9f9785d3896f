// SPDX-License-Identifier: Apache-2.0
// differential FIRST COUNT: random networks, with the seeds FIRST to FIRST + COUNT - 1, for the
// configuration `custom` of the header CONFIGURATION; in int8, and in the other precisions that it
// has. Prints the smallest piece of the first network whose results differ. tools/differential
// builds this for random configurations.
#include <array>
#include <iostream>
#include <string>

#include CONFIGURATION

#include "disagreement.hpp"
#include "target_of.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

struct tally {
  int run = 0, refused = 0;
};

// Whether the network's results are right.
bool take(std::uint64_t seed, hw::precision p, tally& found) {
  const cli::target_of<custom> target;
  const auto draw = [&](std::uint64_t n) {
    return static_cast<int>((seed * 2654435761U >> n) % 3);
  };
  const random_limits limits{.layers = 4 + 4 * draw(3), .channels = draw(7) == 0 ? 150 : 40,
                             .side = draw(11) == 0 ? 40 : 14,
                             .lookups = custom::spec.sdp_lut};
  const bool wide = p != hw::precision::int8;
  const auto g = !wide ? random_graph::make(seed, limits)
                 : draw(17) == 0 ? wide_graph::make_mixed(seed, p, limits)
                                 : wide_graph::make(seed, p, limits);
  const auto feeds = [&](const auto& network, std::uint64_t input) {
    return wide ? wide_graph::feeds(network, 10 * seed + input)
                : random_graph::feeds(network, 10 * seed + input);
  };
  try {
    const auto why = disagreement_or_refusal(target, g, feeds);
    ++found.run;
    if (why.empty()) return true;
    std::cout << "seed " << seed << " in " << hw::name_of(p) << ": " << why << '\n'
              << smallest_failure(target, g, feeds, why) << '\n';
    return false;
  } catch (const error& e) {  // such as kernels that the buffer does not hold
    ++found.refused;
    std::cout << "seed " << seed << " in " << hw::name_of(p) << " is refused: " << e.what() << '\n';
    return true;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::uint64_t first = std::stoull(argv[1]), count = std::stoull(argv[2]);
  tally found;
  using enum hw::precision;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    constexpr std::array all{int8, int16, fp16};
    auto p = all[seed % all.size()];
    if (!custom::spec.data_types.has(p)) p = int8;
    if (!take(seed, p, found)) return 1;
  }
  std::cout << found.run << " networks agree, " << found.refused << " are refused\n";
}
