// SPDX-License-Identifier: Apache-2.0
// Tensors that reach below 0 less far than above, as behind a leaky ReLU: the simulator computes
// what the integer reference says wherever they count from, and they are finer than around 0.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

class darknet {
 public:
  explicit darknet(bool smooth) : smooth_(smooth) {
    const auto in = add("in", net::input{{3, 24, 20}}, {});
    const auto a = block("a", in, 16);
    const auto half = add("half", net::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2,
                                                       .stride_w = 2}}, {a});
    const auto b = block("b", half, 12), c = block("c", b, 16, 2);
    const auto sum = add("sum", net::add{.coefficients = {1, 0.3F}},
                         {c, filters("linear", c, 16, 1)});
    const auto same = add("same", net::pool{.window = {.kernel_h = 5, .kernel_w = 5, .pad_top = 2,
                                                       .pad_left = 2, .pad_bottom = 2,
                                                       .pad_right = 2}}, {b});
    const auto mean = add("mean", net::pool{.kind = net::pool_kind::average,
                                            .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1,
                                                       .pad_left = 1, .pad_bottom = 1,
                                                       .pad_right = 1},
                                            .count_include_pad = true}, {b});
    // Parts of 12 channels, which fill no atom, and one that another layer reads as well.
    const auto route = add("route", net::concat{}, {same, mean, block("d", sum, 12), c});
    std::vector<std::int32_t> places(4 * g_[route].shape.size());
    const net::shape large{g_[route].shape.c, 2 * g_[route].shape.h, 2 * g_[route].shape.w};
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(places.size()); ++i)
      places[static_cast<std::size_t>(i)] =
          (i / (large.h * large.w) * g_[route].shape.h + i / large.w % large.h / 2) *
              g_[route].shape.w + i % large.w / 2;
    const auto up =
        add("up", net::move{large, net::find_boxes(places, large, g_[route].shape)}, {route});
    const auto last = block("e", up, 8);
    const auto means = add("means", net::pool{.kind = net::pool_kind::average, .global = true},
                           {block("f", last, 10)});
    g_[add("found", net::fully_connected{.outputs = 6, .weights = values(60)}, {means})].output =
        true;
    g_[filters("boxes", last, 5, 1)].output = true;
  }

  const net::graph& graph() const { return g_; }
  std::vector<sample> samples() {
    std::vector<sample> result;
    for (int i = 0; i < 4; ++i) result.push_back({{{3, 24, 20}, values(3 * 24 * 20)}});
    return result;
  }

 private:
  template <class Op>
  net::graph::id add(const std::string& name, Op op, std::vector<net::graph::id> in) {
    const auto n = g_.add(name, std::move(op), in);
    net::infer_shapes(g_);
    return n;
  }
  std::vector<float> values(std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = static_cast<float>(random_() >> 8) / 8388608.0F - 1;
    return v;
  }
  net::graph::id filters(const std::string& name, net::graph::id from, std::int32_t kernels,
                         std::int32_t groups) {
    const auto channels = g_[from].shape.c / groups;
    return add(name, net::convolution{
                         .kernels = kernels,
                         .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                                    .pad_bottom = 1, .pad_right = 1},
                         .groups = groups,
                         .weights = values(static_cast<std::size_t>(kernels * channels) * 9),
                         .bias = values(static_cast<std::size_t>(kernels))}, {from});
  }
  // A convolution and its activation.
  net::graph::id block(const std::string& name, net::graph::id from, std::int32_t kernels,
                       std::int32_t groups = 1) {
    const auto conv = filters(name + "/conv", from, kernels, groups);
    if (smooth_)
      return add(name, net::activation{.function = net::function::swish, .alpha = 0.7F}, {conv});
    return add(name, net::prelu{.slope = {0.1F}}, {conv});
  }

  std::mt19937 random_{11};
  bool smooth_;
  net::graph g_{};
};

double snr(const std::vector<net::float_tensor>& real, const std::vector<net::float_tensor>& x) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < real.size(); ++i)
    for (std::size_t j = 0; j < real[i].values.size(); ++j) {
      const double a{real[i].values[j]}, b{x[i].values[j]};
      signal += a * a;
      noise += (a - b) * (a - b);
    }
  return 10 * std::log10(signal / noise);
}

// `gain`, in dB, is what the outputs win at least.
void check(const cli::target& t, bool smooth, double gain) {
  CAPTURE(t.name());
  CAPTURE(smooth);
  darknet net(smooth);
  const auto samples = net.samples();
  const auto table = [&] {
    net::graph g = net.graph();
    pass::standard::run(g);
    return quant::calibrate<quant::min_max>(g, std::span<const sample>(samples));
  }();
  auto around_zero = table;
  for (auto& e : around_zero.entries) {
    e.low.reset();
    e.high.reset();
  }
  const auto found = networks::run_on(t, net.graph(), table, samples[0], {}, networks::replay::yes);
  CHECK(found.simulated == found.exact);
  CHECK(found.trace_differences == 0);
  const auto before = networks::run_on(t, net.graph(), around_zero, samples[0], {});
  CHECK(before.simulated == before.exact);
  MESSAGE(t.name() << ": " << snr(before.real, before.values) << " dB around 0, "
                   << snr(found.real, found.values) << " dB with offsets");
  CHECK(snr(found.real, found.values) > snr(before.real, before.values) + gain);
}

}  // namespace

TEST_CASE("tensors behind leaky and smooth activations count from numbers of their own") {
  for (const auto* t : cli::targets()) {
    check(*t, false, 2.5);
    if (t->spec().sdp_lut) check(*t, true, 1.5);
  }
}
