// SPDX-License-Identifier: Apache-2.0
// Neighbouring lines that convolutions of few channels read as channels.
#include <nvdlac/lower/folded_lines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>

#include "../scheduled.hpp"

using namespace nvdlac;

namespace {

constexpr net::square same(std::int32_t kernel, std::int32_t stride = 1) {
  return {.kernel = kernel, .stride = stride, .pad = kernel / 2};
}

// Weights that differ from tap to tap.
quantised::convolution of_taps(std::int32_t kernels, std::int32_t channels, std::int32_t groups,
                               const net::window& window) {
  auto c = kernels_of(kernels, 1);
  c.window = window;
  c.groups = groups;
  std::vector<std::int8_t> weights;
  const auto taps = window.kernel_h * window.kernel_w;
  for (std::int32_t i = 0; i < kernels * channels / groups * taps; ++i)
    weights.push_back(static_cast<std::int8_t>(i * 37 % 113 - 56));
  c.weights = weights;
  c.pad = 5;
  return c;
}
quantised::graph network(net::shape in, std::int32_t kernels, const net::window& window,
                         std::int32_t groups = 1, bool adds = false) {
  quantised::graph g;
  std::vector from{g.add("in", quantised::input{in})};
  auto conv = of_taps(kernels, in.c, groups, window);
  if (adds) {
    const auto h = net::vertical(window).positions(in.h, false);
    const auto w = net::horizontal(window).positions(in.w, false);
    from.push_back(g.add("addend", quantised::input{{kernels, static_cast<std::int32_t>(h),
                                                     static_cast<std::int32_t>(w)}}));
    conv.with_second = net::combination::sum;
  }
  g[g.add("conv", conv, from)].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
plan::lowered lowered(const quantised::graph& g, const std::vector<label>& folded) {
  return lower::lower<Hw>(g, "network", {}, {}, true, {.folded = folded}, "s.json");
}

// Whether the convolution can be folded; its program is exact then.
template <class Hw>
bool folds_exactly(const quantised::graph& g) {
  const auto foldable = lowered<Hw>(g, {}).foldable;
  const schedule::saved s{.network = "network",
                          .configuration = std::string(hw::name<Hw>()),
                          .choices = {.lowering = {.folded = foldable}, .kept = true}};
  expect_exact_with<Hw>(g, s, 1);
  return foldable == std::vector<label>{"conv"};
}

// The heights of the kernels of the hardware's layers.
std::vector<std::int32_t> kernels_in(const plan::lowered& layers) {
  std::vector<std::int32_t> all;
  for (const auto& l : layers.layers)
    if (const auto* c = std::get_if<layer::convolution>(&l.what))
      all.push_back(c->window.kernel_h);
  return all;
}
// Kernels of the layers of a network, folded if that is possible.
template <class Hw>
std::vector<std::int32_t> kernels_of_layers(const quantised::graph& g) {
  return kernels_in(lowered<Hw>(g, lowered<Hw>(g, {}).foldable));
}
using heights = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("lines of few channels are folded as far as a step of the MACs takes channels") {
  // Two of 32 channels on nv_large, four of 8 on nv_small_256, none on nv_small.
  CHECK(kernels_of_layers<nv_large>(network({32, 16, 40}, 32, same(3))) == heights{2, 2});
  CHECK(kernels_of_layers<nv_large>(network({32, 16, 40}, 32, same(3, 2))) == heights{2});
  CHECK(kernels_of_layers<nv_large>(network({16, 16, 40}, 64, same(7))) == heights{4, 4});
  CHECK(kernels_of_layers<nv_large>(network({33, 16, 40}, 32, same(3))) == heights{3});
  CHECK(kernels_of_layers<nv_large>(network({32, 16, 40}, 32, {})) == heights{1});
  CHECK(lowered<nv_small>(network({8, 16, 40}, 8, same(3)), {}).foldable.empty());
  // A last line that no pair has belongs to lines that are not folded.
  CHECK(kernels_of_layers<nv_large>(network({32, 17, 40}, 32, same(3))) == heights{2, 2, 3});
}

TEST_CASE("convolutions of folded lines are exact") {
  for (const std::int32_t lines : {12, 13, 15})
    for (const std::int32_t kernel : {2, 3, 5, 7})
      for (const std::int32_t stride : {1, 2, 3, 4}) {
        CAPTURE(lines);
        CAPTURE(kernel);
        CAPTURE(stride);
        const auto window = same(kernel, stride);
        // Two lines at a time on nv_large, up to four on nv_small_256. Some kernels of two lines,
        // or with long strides, gain nothing.
        const bool of_two = folds_exactly<nv_large>(network({20, lines, 40}, 40, window));
        const bool of_four = folds_exactly<nv_small_256>(network({7, lines, 40}, 16, window));
        if (stride > 2) CHECK(!of_two);
        else if (kernel > 2) CHECK((of_two && of_four));
      }
  // Few lines, of which kernels and padding reach beyond.
  for (std::int32_t lines = 2; lines < 10; ++lines)
    for (const std::int32_t kernel : {3, 5, 7})
      for (const std::int32_t stride : {1, 2}) {
        const net::window w{.kernel_h = kernel, .kernel_w = 1, .stride_h = stride,
                            .pad_top = kernel / 2, .pad_bottom = kernel / 2};
        (void)folds_exactly<nv_small_256>(network({8, lines, 64}, 8, w));
        (void)folds_exactly<nv_large>(network({32, lines, 64}, 32, w));
      }
  const net::window uneven{.kernel_h = 4, .kernel_w = 2, .stride_h = 2, .pad_top = 1,
                           .pad_bottom = 2};
  CHECK(folds_exactly<nv_large>(network({32, 18, 40}, 32, uneven)));
  CHECK(folds_exactly<nv_small_256>(network({8, 19, 40}, 8, uneven)));
  CHECK(folds_exactly<nv_medium_512>(network({16, 14, 40}, 32, same(3))));
  CHECK(folds_exactly<nv_full>(network({30, 14, 40}, 32, same(5))));
}

TEST_CASE("groups, sums behind a convolution and tiles of folded lines are exact") {
  CHECK(folds_exactly<nv_large>(network({64, 14, 40}, 64, same(3), 64)));
  CHECK(folds_exactly<nv_small_256>(network({32, 13, 40}, 32, same(3), 32)));
  CHECK(folds_exactly<nv_large>(network({32, 15, 40}, 64, same(3), 1, true)));
  // Lines of which the CBUF does not hold all.
  CHECK(folds_exactly<nv_large>(network({32, 160, 120}, 32, same(3))));
}

TEST_CASE("a kernel of as many lines as the hardware takes is folded, in passes of columns too") {
  const net::window large{.kernel_h = 31, .kernel_w = 31};
  CHECK(folds_exactly<nv_small_256>(network({8, 36, 60}, 8, large)));
  CHECK(folds_exactly<nv_small_256>(network({8, 36, 230}, 8, large)));
}

TEST_CASE("each picture of a batch is folded") {
  const auto g = network({32, 14, 40}, 32, same(3));
  const auto of_two = [&](const std::vector<label>& folded) {
    return lower::lower<nv_large>(g, "network", {}, {.pictures = 2}, true, {.folded = folded});
  };
  CHECK(of_two({}).foldable == std::vector<label>{"conv"});
  CHECK(kernels_in(of_two({})) == heights{3, 3});
  CHECK(kernels_in(of_two({"conv"})) == heights{2, 2, 2, 2});
}

TEST_CASE("a schedule that folds what cannot be folded is refused") {
  const auto refused = [](const std::vector<label>& folded, net::shape in) {
    return complaint([&] { (void)lowered<nv_large>(network(in, 32, same(3)), folded); });
  };
  const std::string reason = "is no convolution of few channels whose lines take fewer steps";
  CHECK(refused({"conv"}, {32, 14, 40}).empty());
  CHECK(refused({"conv"}, {40, 14, 40}).find("layer 'conv': " + reason) != std::string::npos);
  CHECK(refused({"none"}, {32, 14, 40}).find("layer 'none': " + reason) != std::string::npos);
  CHECK(refused({"conv", "conv"}, {32, 14, 40}).find("listed twice") != std::string::npos);
}
