// SPDX-License-Identifier: Apache-2.0
// differential FIRST COUNT: random networks, with the seeds FIRST to FIRST + COUNT - 1, for the
// configuration `custom` of the header CONFIGURATION; in int8, and in the other precisions that it
// has. One in four begins as a model in ONNX, whose float reference is compared with OpenCV where
// that is installed. Prints the smallest piece of the first network whose results differ.
// tools/differential builds this for random configurations.
#define DOCTEST_CONFIG_IMPLEMENT  // for what the headers of the tests use of it
#include <array>
#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <nvdlac/hardware_of.hpp>
#include <nvdlac/lower/image_orders.hpp>

#include CONFIGURATION

#include "disagreement.hpp"
#include "float_graph.hpp"
#include "random_onnx.hpp"
#include "wide_graph.hpp"

#if __has_include(<opencv2/dnn.hpp>)
#include "opencv_reference.hpp"
#endif

using namespace nvdlac;

namespace {

// A model, quantised. It is a defect if its float reference is not OpenCV's.
quantised::graph from_onnx(std::uint64_t seed, hw::precision p) {
  const auto binary = encode(import::onnx_format::schema(), "ModelProto",
                             random_onnx::make(seed, custom::spec.sdp_lut));
  const auto g = onnx_model::read(binary);
  const auto shape = g[net::input_nodes(g).at(0)].shape;
  std::vector<sample> samples;
  for (std::uint64_t i = 0; i < 4; ++i)
    samples.push_back({random_onnx::input(shape, 100 * seed + i)});
#if __has_include(<opencv2/dnn.hpp>)
  const auto real = net::evaluate(g, samples[0][0]).at(0).values;
  if (opencv_reference::distance(real, opencv_reference::run(binary, samples[0][0])) > 1e-4)
    throw std::logic_error("the float reference differs from OpenCV");
#endif
  return prepare(g, std::span<const sample>(samples), {.precision = p}, pass::verify{},
                 [&](net::graph& refined) {
                   const auto refused = lower::check<custom>(refined, p);
                   if (!refused.empty()) throw error(refused);
                   lower::keep_scales<custom>(refined);
                 })
      .integers;
}

struct tally {
  int run = 0, refused = 0;
};

// Whether the network's results are right.
bool take(std::uint64_t seed, hw::precision p, tally& found) {
  const hardware_of<custom, cli::float_graph> target;
  const auto draw = [&](std::uint64_t n) {
    return static_cast<int>((seed * 2654435761U >> n) % 3);
  };
  const random_limits limits{.layers = 4 + 4 * draw(3), .channels = draw(7) == 0 ? 150 : 40,
                             .side = draw(11) == 0 ? 40 : 14,
                             .lookups = custom::spec.sdp_lut};
  const bool wide = p != hw::precision::int8;
  const auto make = [&] {
    if (seed % 4 == 3) return from_onnx(seed, p);
    if (!wide) return random_graph::make(seed, limits);
    return draw(17) == 0 ? wide_graph::make_mixed(seed, p, limits)
                         : wide_graph::make(seed, p, limits);
  };
  const auto feeds = [&](const auto& network, std::uint64_t input) {
    return wide ? wide_graph::feeds(network, 10 * seed + input)
                : random_graph::feeds(network, 10 * seed + input);
  };
  try {
    auto g = make();
    lower::take_image_orders(g, lower::image_orders(custom::spec, g));
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
  } catch (const std::exception& e) {
    std::cout << "seed " << seed << " in " << hw::name_of(p) << ": " << e.what() << '\n';
    return false;
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
