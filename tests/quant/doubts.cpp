// SPDX-License-Identifier: Apache-2.0
// Doubts that the user is told, about numbers that may not be what he thinks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/feeds.hpp>

#include "networks.hpp"

using namespace quant_test;
using hw::precision;

namespace {

std::string told(const net::graph& g, const std::vector<sample>& samples, net::layer_precisions p) {
  std::string all;
  compile_options options;
  options.precision = std::move(p);
  options.warn = [&](const problem& w) { all += to_string(w) + '\n'; };
  prepare(g, std::span<const sample>(samples), options, pass::verify{}, [](net::graph&) {});
  return all;
}

struct network {
  net::graph g{};
  explicit network(std::vector<float> weights) {
    const auto in = g.add("in", net::input{{2, 2, 2}});
    mark(g, g.add("conv", net::convolution{.kernels = 2, .weights = std::move(weights)}, {in}));
  }
};
const std::vector<sample> typical{{{{2, 2, 2}, {1, -2, 3, -4, 5, -6, 7, 1000}}}};

}  // namespace

TEST_CASE("values that calibration shows beyond fp16 are named") {
  const network n({3, 60, 2, 100});
  const auto said = told(n.g, typical, precision::fp16);
  CHECK(said.find("layer 'conv': its values reach 99992,") == 0);
  CHECK(said.find("those beyond 65504 become 65504") != said.npos);
  CHECK(said.find("--precision fp16,conv=int16") != said.npos);
  CHECK(told(n.g, typical, precision::int16).empty());
  CHECK(told(n.g, typical, {precision::fp16, {{"conv", precision::int16}}}).empty());
  CHECK(told(network({1, 2, 3, 4}).g, typical, precision::fp16).empty());
}

TEST_CASE("a softmax of so many channels that int8 keeps little of any is doubted") {
  const auto said = [](std::int32_t channels, float largest, precision p = precision::int8) {
    net::graph g;
    const auto in = g.add("in", net::input{{channels, 1, 1}});
    mark(g, g.add("softmax", net::softmax{}, {in}));
    sample one{{{channels, 1, 1}, std::vector<float>(static_cast<std::size_t>(channels), 1)}};
    one[0].values[0] = 0.9F;
    one[0].values[1] = largest;
    // The reach of each channel is known of six inputs, and not of one.
    return told(g, std::vector<sample>(p == precision::int8 ? 1 : 6, one), p);
  };
  CHECK(said(10, 1).empty());
  CHECK(said(600, 9).empty());
  CHECK(said(600, 1, precision::int16).empty());  // it gives fp16
  const auto doubt = said(600, 1);
  CHECK(doubt.find("layer 'softmax': its results reach 0.0016") != doubt.npos);
  CHECK(doubt.find("of which int8, whose 127 is 1, keeps 0 steps") != doubt.npos);
  CHECK(doubt.find("which reaches 'softmax'") != doubt.npos);
  CHECK(doubt.find("--to in") != doubt.npos);
}

TEST_CASE("features that differ are doubted where too few inputs tell their ranges") {
  const auto network = [](bool normalised) {
    net::graph g;
    auto in = g.add("in", net::input{{3, 1, 1}});
    if (normalised) in = g.add("same", net::scale{.factor = {10, 0.01F, 0.01F}}, {in});
    mark(g, g.add("sum", net::fully_connected{.outputs = 2, .weights = {1, 2, 3, 4, 5, 6}}, {in}));
    return g;
  };
  const auto said = [&](std::size_t count, float first, bool normalised = false) {
    std::vector<sample> samples;
    for (std::size_t i = 0; i < count; ++i) {
      const float x = 1 + 0.1F * static_cast<float>(i);
      samples.push_back({{{3, 1, 1}, {first * x, 100 * x, -90 * x}}});
    }
    return told(network(normalised), samples, precision::int8);
  };
  CHECK(said(1, 0.02F) ==
        "layer 'in': 1 of its 3 features has fewer than 5 bits, the first is 0, because 1 "
        "calibration input does not tell how far each reaches; which reaches 'sum' (calibrate with "
        "5 inputs or more: then each feature has a scale of its own)\n");
  CHECK(said(4, 5).find("because 4 calibration inputs do not tell") != std::string::npos);
  CHECK(said(4, 5, true).find("1 of its 3 features has fewer than 5 bits") != std::string::npos);
  CHECK(said(1, 5).empty());   // which one input may be by chance
  CHECK(said(4, 20).empty());
  CHECK(said(5, 0.02F).empty());
  CHECK(said(4, 0).empty());
}

TEST_CASE("a number of fewer than 16 steps has fewer than 5 bits, and 16 have 5") {
  // A part that reaches as far as so many steps of the concat, whose other part has all 127.
  const auto said = [](float reach) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 1, 2}});
    const auto small = g.add("small", net::scale{.factor = {reach / 127, reach / 254}}, {in});
    const auto large = g.add("large", net::scale{.factor = {1, 0.5F}}, {in});
    const auto joined = g.add("joined", net::concat{}, {small, large});
    mark(g, joined);
    g[joined].in_file = {{.name = "y", .shape = {1, 4, 1, 2}}};
    for (int part = 0; part < 2; ++part) {  // one output of the file, of which this holds a part
      const auto copy = g.add(part == 0 ? "first" : "second", net::relu{}, {joined});
      mark(g, copy);
      g[copy].in_file = {{.name = "z", .shape = {1, 4, 1, 2}, .place = 1}};
    }
    return told(g, {{{{2, 1, 2}, {127, -127, 127, -127}}}}, precision::int8);
  };
  CHECK(said(16.2F).empty());
  CHECK(said(15.7F).empty());  // rounded, it is 16
  CHECK(said(15.2F).find("layer 'joined': its part 'small' is left with 15 of 127 steps, fewer "
                         "than 5 bits, which reaches 'y', 'z' (") == 0);
}

TEST_CASE("a part of a concat that int16 leaves fewer than 5 bits is doubted, too") {
  const auto said = [](float reach) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 1, 2}});
    const auto small = g.add("small", net::scale{.factor = {reach, -reach / 2}}, {in});
    const auto large = g.add("large", net::scale{.factor = {1, -0.5F}}, {in});
    mark(g, g.add("joined", net::concat{}, {small, large}));
    return told(g, {{{{2, 1, 2}, {127, -127, 127, -127}}}}, precision::int16);
  };
  CHECK(said(0.01F).empty());
  const auto doubt = said(1e-3F);
  CHECK(doubt.find("layer 'joined': its part 'small' is left with 8 of 32767 steps, fewer than 5 "
                   "bits") != doubt.npos);
  CHECK(doubt.find("--precision int16,joined=fp16") != doubt.npos);
}

TEST_CASE("an output that calibration inputs show to be far from float's is doubted") {
  // The difference of two tensors that are nearly the same.
  const auto said = [](float apart, precision p) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 2, 2}});
    const std::vector<float> one{1, 0.5F, 0.25F, -1}, other{1 + apart, 0.5F, 0.25F, apart - 1};
    const auto a = g.add("a", net::convolution{.kernels = 2, .weights = one, .relu = true}, {in});
    const auto b = g.add("b", net::convolution{.kernels = 2, .weights = other, .relu = true}, {in});
    mark(g, g.add("y", net::add{.coefficients = {1, -1}}, {a, b}));
    std::vector<sample> samples;
    for (int i = 0; i < 5; ++i) {
      const float x = 1 + 0.1F * static_cast<float>(i);
      samples.push_back({{{2, 2, 2}, {x, -x, 0.7F * x, x, -0.3F * x, x, x, -0.1F * x}}});
    }
    return told(g, samples, p);
  };
  const auto doubt = said(1e-4F, precision::int16);
  CHECK(doubt.find("layer 'y': for 5 calibration inputs this output has an SNR of ") == 0);
  CHECK(doubt.find(" dB beside the float network, which is little (verify tells the layer") !=
        doubt.npos);
  CHECK(said(1e-2F, precision::int8).find("this output has an SNR of ") != doubt.npos);
  CHECK(said(0.1F, precision::int16).empty());
  CHECK(said(1, precision::int8).empty());
}

TEST_CASE("one calibration input is computed of a network too large for many") {
  // A difference of nearly the same, in 210 million multiplications.
  const net::shape shape{64, 160, 160};
  std::vector<float> one(std::size_t{64} * 64);
  for (std::size_t i = 0; i < one.size(); ++i) one[i] = static_cast<float>(i % 7) - 3;
  auto other = one;
  for (std::size_t i = 0; i < other.size(); ++i)
    other[i] += 1e-3F * (static_cast<float>(i % 5) - 2);
  net::graph g;
  const auto in = g.add("in", net::input{shape});
  const auto a = g.add("a", net::convolution{.kernels = 64, .weights = one, .relu = true}, {in});
  const auto b = g.add("b", net::convolution{.kernels = 64, .weights = other, .relu = true}, {in});
  mark(g, g.add("y", net::add{.coefficients = {1, -1}}, {a, b}));
  sample values{{shape, std::vector<float>(std::size_t{64} * 160 * 160)}};
  for (std::size_t i = 0; i < values[0].values.size(); ++i)
    values[0].values[i] = static_cast<float>(i % 11) - 5;
  const auto doubt = told(g, {values, values}, precision::int8);
  CHECK(doubt.find("layer 'y': for 1 calibration input this output has an SNR of ") !=
        std::string::npos);
}

TEST_CASE("coarse parts are doubted where what reads them feels it") {
  const auto said = [](float small, float weight, bool function) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 1, 2}});
    const auto part = g.add("part", net::scale{.factor = {small, small / 2}}, {in});
    const auto large = g.add("large", net::scale{.factor = {1, 0.5F}}, {in});
    const auto joined = g.add("joined", net::concat{}, {part, large});
    const std::vector<float> weights{weight, -weight, 1, 1, weight, weight, -1, 1};
    mark(g, g.add("filters", net::convolution{.kernels = 2, .weights = weights}, {joined}));
    if (function) mark(g, g.add("function", net::activation{net::function::sigmoid}, {joined}));
    return told(g, {{{{2, 1, 2}, {127, -127, 127, -127}}}}, precision::int8);
  };
  CHECK(said(0.05F, 1, false).empty());   // 6 steps of 127, beside all of the others'
  CHECK(said(0.05F, 20, false).empty());  // it keeps its own steps
  const std::string doubt = "layer 'joined': its part 'part' is left with 6 of 127 steps";
  CHECK(said(0.05F, 1, true).find(doubt) == 0);
  CHECK(said(0.05F, 20, true).find(doubt) == 0);
}

TEST_CASE("a part of zeros loses nothing") {
  net::graph g;
  const auto in = g.add("in", net::input{{1, 1, 2}});
  const auto zeros = g.add("zeros", net::constant{{{2, 1, 2}, std::vector<float>(4)}});
  const auto joined = g.add("joined", net::concat{}, {in, zeros});
  mark(g, g.add("function", net::activation{net::function::sigmoid}, {joined}));
  CHECK(told(g, {{{{1, 1, 2}, {127, -127}}}}, precision::int8).empty());
}

TEST_CASE("scales of a file that give way, and bits that are not computed, are told once") {
  const std::vector<quant::quantised_tensor> all{{"a", 4}, {"b", 16}, {"c", 8}, {"d", 16}};
  const auto replaced = quant::replaced_scales(all, "--calibration", "keep them");
  REQUIRE(replaced.size() == 1);
  CHECK(to_string(replaced[0]) ==
        "--calibration replaces the scales that the file has for 4 tensors of 4 to 16 bits ('a', "
        "'b', 'c' and 1 more) (keep them)");
  CHECK(quant::replaced_scales({}, "--calibration", "").empty());
  const auto narrowed = quant::narrowed_tensors(all, {precision::int8, {{"b", precision::int16}}},
                                                "int16 has them");
  REQUIRE(narrowed.size() == 1);
  CHECK(to_string(narrowed[0]) == "the file has 1 tensor of 16 bits ('d'): int8 computes 8 of "
                                  "them (int16 has them)");
  CHECK(quant::narrowed_tensors(all, precision::int16, "").empty());
}

TEST_CASE("a softmax of values between which fp16 has wide steps is doubted") {
  const auto with_softmax = [](float weight) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 1, 1}});
    const auto logits =
        g.add("logits", net::convolution{.kernels = 2, .weights = {weight, 0, 0, 1}}, {in});
    const auto held = g.add("held", net::identity{}, {logits});
    mark(g, g.add("prob", net::softmax{}, {held}));
    return g;
  };
  const std::vector<sample> ones{{{{2, 1, 1}, {1, -1}}}, {{{2, 1, 1}, {-1, 1}}}};
  const auto said = told(with_softmax(10000), ones, precision::fp16);
  CHECK(said.find("layer 'prob': its inputs reach 10000, where fp16 has steps of 8: their "
                  "differences, of which a softmax is made, are lost") == 0);
  CHECK(said.find("--to ") != said.npos);
  // The runtime's softmax reads fp16 in int16, too.
  CHECK(told(with_softmax(10000), ones, precision::int16).find("layer 'prob': its inputs reach") ==
        0);
  CHECK(told(with_softmax(1000), ones, precision::fp16).empty());
  CHECK(told(with_softmax(10000), ones, precision::int8).empty());
  // The host's, too, if it reads fp16.
  net::graph g;
  const auto in = g.add("in", net::input{{2, 1, 1}});
  const auto logits = g.add("logits", net::convolution{.kernels = 2, .weights = {5000, 0, 0, 1}},
                            {in});
  mark(g, g.add("log", host::on_host(host::log_softmax{}), {logits}));
  CHECK(told(g, ones, precision::fp16).find("layer 'log': its inputs reach 5000, where fp16 has "
                                            "steps of 4") == 0);
  CHECK(told(g, ones, precision::int16).empty());
}

TEST_CASE("channels of an output that are small beside the others are doubted") {
  // The second kernel gives a part of what the first one gives.
  const auto said = [](float part, precision p = precision::int8) {
    const auto output = network({1, 0.5F, part, -0.5F * part}).g;
    std::vector<sample> samples;
    for (int i = 0; i < 4; ++i) {
      const float x = 1 + 0.1F * static_cast<float>(i);
      samples.push_back({{{2, 2, 2}, {x, -x, x, x, -x, x, x, -x}}});
    }
    return told(output, samples, p);
  };
  CHECK(said(0.01F).find("layer 'conv': 1 of its channels has fewer than 4 bits, the first is 1, "
                         "which reaches 'conv'") == 0);
  CHECK(said(0.04F).find("fewer than 4 bits") != std::string::npos);
  CHECK(said(0.1F).empty());
  CHECK(said(0.01F, precision::int16).empty());
  CHECK(said(0.01F, precision::fp16).empty());
}

TEST_CASE("seldom classes of a softmax are not doubted, as small channels are") {
  // Two features, of which the first is `part` at most, behind a ReLU or a softmax.
  const auto said = [](float part, bool classes) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 1, 1}});
    auto y = g.add("y", net::fully_connected{.outputs = 2, .weights = {part, 0, 0, 1},
                                             .relu = !classes}, {in});
    if (classes) y = g.add("p", net::softmax{}, {y});
    g[y].output = true;
    net::infer_shapes(g);
    std::vector<sample> samples;
    for (int i = 0; i < 12; ++i) {
      const float x = 1 + 0.1F * static_cast<float>(i % 4);
      samples.push_back({{{2, 1, 1}, {x, classes ? 8 * x : x}}});
    }
    return told(g, samples, precision::int8);
  };
  CHECK(said(0.01F, false).find("of its channels has fewer than 4 bits") != std::string::npos);
  CHECK(said(0.01F, true).find("of its channels") == std::string::npos);
}

TEST_CASE("weights that fp16 makes 0 are counted") {
  const auto said = told(network({1e-9F, 2, -1e-12F, 0}).g, typical, precision::fp16);
  CHECK(said.find("layer 'conv': 2 of its 4 weights are so small that fp16 makes them 0") == 0);
  CHECK(told(network({6e-8F, 2, 0, 0}).g, typical, precision::fp16).empty());  // denormal
  CHECK(told(network({1e-9F, 2, 0, 0}).g, typical, precision::int8).empty());
}

TEST_CASE("calibration inputs of a single value are doubted") {
  const network n({1, 2, 3, 4});
  const auto flat = [](float x) { return net::float_tensor{{2, 2, 2}, std::vector<float>(8, x)}; };
  for (const auto p : {precision::int8, precision::int16, precision::fp16}) {
    const auto said = told(n.g, {{flat(0)}, {flat(0)}}, p);
    CHECK(said.find("layer 'in': every calibration input is a single value throughout (0)") == 0);
    CHECK_FALSE(told(n.g, {{flat(3)}, {flat(4)}}, p).empty());
    CHECK(told(n.g, {{flat(0)}, typical[0]}, p).empty());
  }
}

namespace {

// Branches of inputs of mixed ranges, joined, and what may stand behind the concat.
struct mixed_network {
  net::graph g{};
  std::vector<net::shape> inputs{};
  std::vector<float> ranges{};  // of the inputs
  std::size_t branches = 0;
  bool has_parts = true;  // the branches are parts of the output, of so many channels each
  static constexpr std::int32_t channels = 4;

  explicit mixed_network(std::mt19937& random) {
    const auto below = [&](std::uint32_t n) { return random() % n; };
    const auto any_size = [&] {
      return std::pow(10.0F, static_cast<float>(below(1001)) / 200 - 2.5F);
    };
    const auto filters = [&](std::int32_t kernels, std::int32_t read, float size) {
      const auto count = static_cast<std::size_t>(kernels * read);
      return net::convolution{.kernels = kernels, .weights = random_values(random, count, size)};
    };
    std::vector<net::graph::id> given;
    for (std::uint32_t i = 0; i <= below(2); ++i) {
      inputs.push_back({channels, 6, 6});
      ranges.push_back(any_size());
      given.push_back(g.add("in" + std::to_string(i), net::input{inputs[0]}));
    }
    branches = 2 + below(3);
    std::vector<net::graph::id> parts;
    for (std::size_t b = 0; b < branches; ++b) {
      const auto count = static_cast<std::uint32_t>(given.size());
      const std::size_t from = b < count ? b : below(count);
      const float size = (below(2) == 0 ? 1 : any_size()) / ranges[from];
      const auto name = "branch" + std::to_string(b);
      parts.push_back(g.add(name, filters(channels, channels, size), {given[from]}));
      if (below(2) == 0) parts.back() = g.add(name + "/relu", net::relu{}, {parts.back()});
    }
    auto last = g.add("joined", net::concat{}, parts);
    const auto all = static_cast<std::int32_t>(branches) * channels;
    switch (below(4)) {
      case 0: break;
      case 1:
        last = g.add("max", net::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2,
                                                 .stride_w = 2}}, {last});
        break;
      case 2:
        last = g.add("mixed", filters(channels, all, 1), {last});
        has_parts = false;
        break;
      default: {
        auto each = filters(all, 1, 1);
        each.groups = all;
        last = g.add("each", each, {last});
      }
    }
    mark(g, last);
  }
  sample any_sample(std::mt19937& random) const {
    sample s;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      s.push_back(random_tensor(random, inputs[i], ranges[i]));
    return s;
  }
};

// The least signal to noise for inputs that were not seen: of the parts of the output, and of its
// single channels.
struct least_snr {
  double parts = 1000, channels = 1000;

  least_snr(const mixed_network& n, const quantised::graph& q, std::mt19937& random) {
    const auto& last = q[q.outputs()[0]];
    const auto all = static_cast<std::size_t>(last.shape.c);
    std::vector<squares> of(all);
    for (int i = 0; i < 4; ++i) {
      const auto s = n.any_sample(random);
      const auto feeds = quant::feeds_of(q, s, std::nullopt);
      const auto out = quantised::evaluate_any(q, std::span<const quantised::feed>(feeds));
      const auto given = quantised::real_of(out[0], last.scale, last.zero, last.gain).values;
      const auto wanted = net::evaluate(n.g, std::span<const net::float_tensor>(s))[0].values;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double x{wanted[k]}, off = double{given[k]} - x;
        of[k * all / wanted.size()].add(x * x, off * off);
      }
    }
    const std::size_t each = n.has_parts ? all / n.branches : all;
    for (std::size_t c = 0; c < all; c += each) {
      squares part;
      for (std::size_t k = c; k < c + each; ++k) {
        part.add(of[k].signal, of[k].noise);
        channels = std::min(channels, of[k].decibels());
      }
      parts = std::min(parts, part.decibels());
    }
  }

 private:
  struct squares {
    double signal = 0, noise = 0;
    void add(double s, double n) {
      signal += s;
      noise += n;
    }
    double decibels() const {
      return signal > 0 && noise > 0 ? 10 * std::log10(signal / noise) : 1000;
    }
  };
};

}  // namespace

TEST_CASE("of random networks of mixed ranges, what is lost is doubted, and nothing else") {
  for (const auto p : {precision::int8, precision::int16}) {
    CAPTURE(hw::name_of(p));
    int lost = 0, kept = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      const mixed_network n(random);
      std::vector<sample> samples;
      for (int i = 0; i < 16; ++i) samples.push_back(n.any_sample(random));
      std::string doubts;
      compile_options options;
      options.precision = p;
      options.warn = [&](const problem& w) { doubts += to_string(w) + '\n'; };
      const auto made = prepare(n.g, std::span<const sample>(samples), options, pass::verify{},
                                [](net::graph&) {});
      const least_snr snr(n, made.integers, random);
      CAPTURE(snr.parts);
      CAPTURE(snr.channels);
      CAPTURE(doubts);
      if (snr.parts < 15) CHECK_FALSE(doubts.empty());
      if (snr.channels > 25) CHECK(doubts.empty());
      lost += snr.parts < 15;
      kept += snr.channels > 25;
    }
    CHECK(lost > 5);
    CHECK(kept > 50);
  }
}
