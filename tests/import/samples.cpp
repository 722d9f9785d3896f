// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/import/samples.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

#include "../net/random.hpp"

using namespace nvdlac;

namespace {

struct sounds {
  net::graph g{};
  net::graph::id in = 0, conv = 0;

  sounds(randomness& random, net::shape shape, const net::window& w) {
    in = g.add("sound", net::input{shape});
    g[in].in_file = {{.name = "sound", .shape = {1, 1, shape.h * shape.w}}};
    net::convolution op{.kernels = 3, .window = w};
    op.weights = random.reals(static_cast<std::size_t>(3 * w.kernel_h * w.kernel_w));
    op.bias = random.reals(3);
    conv = g.add("conv", std::move(op), {in});
    g[conv].output = true;
    net::infer_shapes(g);
  }

  net::graph packed(bool fixed = false) const {
    auto result = g;
    import::pack_samples(result, std::vector<bool>(g.size(), true),
                         std::vector<bool>(g.size(), fixed));
    return result;
  }
  // Whether the packed network computes of the samples in the file's order what this one does.
  void check_packed(randomness& random, std::int32_t step) const {
    const auto to = packed();
    const auto shape = to[in].shape;
    REQUIRE(shape.c == step);
    CHECK(net::verify(to).empty());
    const auto x = random.tensor(g[in].shape);
    const auto cube =
        to[in].in_file.at(0).to_cube(std::span<const float>(x.values));
    const auto expected = net::evaluate(g, x)[0];
    const auto y = net::evaluate(to, net::float_tensor{shape, cube})[0];
    REQUIRE(y.shape == expected.shape);
    for (std::size_t i = 0; i < y.values.size(); ++i)
      CHECK(y.values[i] == doctest::Approx(expected.values[i]).epsilon(1e-4));
  }
};

}  // namespace

TEST_CASE("samples that a convolution steps over become channels, whatever kernel and padding") {
  randomness random(3);
  for (const std::int32_t step : {2, 4, 5, 16})
    for (const std::int32_t kernel : {2, step, step + 1, 3 * step, 20, 35})
      for (const std::int32_t pad : {0, 1, step - 1, step}) {
        if (pad >= kernel) continue;
        const std::int32_t samples = 12 * step;
        // As much padding behind the line as its last step takes.
        const std::int32_t rest = (samples + pad - kernel) % step;
        const std::int32_t behind = rest == 0 ? 0 : step - rest;
        if (behind >= kernel || kernel > samples + pad) continue;
        CAPTURE(step);
        CAPTURE(kernel);
        CAPTURE(pad);
        const net::window w{.kernel_w = kernel, .stride_w = step, .pad_left = pad,
                            .pad_right = behind};
        const auto& most = hw::any_map.convolution;
        if (step <= most.stride && kernel <= most.kernel) continue;
        sounds(random, {1, 1, samples}, w).check_packed(random, step);
        sounds(random, {1, samples, 1}, net::transposed(w)).check_packed(random, step);
      }
}

TEST_CASE("samples stay as they are where nothing is gained, or not all of them can be packed") {
  randomness random(4);
  const auto stay = [&](net::shape shape, const net::window& w, bool fixed = false) {
    const sounds s(random, shape, w);
    return s.packed(fixed)[s.in].shape == shape;
  };
  CHECK(!stay({1, 1, 160}, {.kernel_w = 40, .stride_w = 4}));
  CHECK(stay({1, 1, 160}, {.kernel_w = 40, .stride_w = 4}, true));
  CHECK(stay({1, 1, 160}, {.kernel_w = 40}));
  CHECK(stay({1, 1, 160}, {.kernel_w = 20, .stride_w = 4}));   // an image of one line
  CHECK(!stay({1, 1, 16000}, {.kernel_w = 20, .stride_w = 4}));
  CHECK(stay({1, 160, 1}, {.kernel_h = 20, .stride_h = 4}));
  CHECK(!stay({1, 160, 1}, {.kernel_h = 20, .stride_h = 10}));
  CHECK(stay({1, 1, 162}, {.kernel_w = 40, .stride_w = 4}));   // no whole blocks
  CHECK(stay({1, 1, 160}, {.kernel_w = 40, .stride_w = 4, .dilation_w = 2}));
  CHECK(stay({1, 8, 8}, {.kernel_w = 4, .stride_w = 4}));    // a picture, maybe
  sounds scaled(random, {1, 1, 160}, {.kernel_w = 40, .stride_w = 4});
  const auto half = scaled.g.add("half", net::scale{.factor = {0.5F}}, {scaled.in});
  scaled.g.set_inputs(scaled.conv, {half});
  net::infer_shapes(scaled.g);
  CHECK(scaled.packed()[half].shape == net::shape{4, 1, 40});
  CHECK(net::verify(scaled.packed()).empty());
  sounds twice(random, {1, 1, 160}, {.kernel_w = 40, .stride_w = 4});
  twice.g[twice.g.add("max", net::relu{}, {twice.in})].output = true;
  net::infer_shapes(twice.g);
  CHECK(twice.packed()[twice.in].shape == net::shape{1, 1, 160});
}
