// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/lower/runs_on.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;
using namespace nvdlac::net;
using lower::reason;
using lower::reason_of;

namespace {

constexpr network lenet{
    input{{1, 28, 28}},
    convolution{.kernels = 20, .window = square{.kernel = 5}},
    pool{.window = square{.kernel = 2, .stride = 2}},
    convolution{.kernels = 50, .window = square{.kernel = 5}},
    pool{.window = square{.kernel = 2, .stride = 2}},
    fully_connected{.outputs = 500, .relu = true},
    fully_connected{.outputs = 10},
    softmax{},
};
constexpr network block{
    node{"data", input{{64, 56, 56}}},
    convolution{.kernels = 64, .window = square{.kernel = 3, .pad = 1}},
    batch_norm{},
    node{"branch", relu{}},
    node{"sum", add{.relu = true}, "branch", "data"},
    node{"wide", concat{}, "sum", "data"},
    pool{.kind = pool_kind::average, .global = true},
    flatten{},
};
constexpr network with_lrn{
    input{{16, 10, 10}},
    lrn{.local_size = 11},
    lrn{},
    pool{.window = square{.kernel = 9, .pad = 8}},
};

template <class... Hw>
consteval bool run_everywhere(type_list<Hw...>) {
  return ((runs_on<Hw>(lenet) && runs_on<Hw>(block)) && ...);
}
static_assert(run_everywhere(hw::published{}));

// Asking does not fail.
static_assert(reason_of<nv_small>(lenet) == reason::none);
static_assert(reason_of<nv_full>(with_lrn) == reason::lrn_size_is_not_3_5_7_9);
static_assert(lower::reasons_of<nv_full>(with_lrn) ==
              std::array{reason::none, reason::lrn_size_is_not_3_5_7_9, reason::none,
                         reason::none});
static_assert(reason_of<nv_small>(lenet, hw::precision::fp16) ==
              reason::precision_is_not_in_the_hardware);
static_assert(reason_of<nv_full>(lenet, hw::precision::fp16) == reason::none);
static_assert(reason_of<nv_full>(lenet, hw::precision::int16) == reason::none);

struct without_pdp {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.pdp_throughput = 0;
    return s;
  }();
};
static_assert(hw::validated<without_pdp>);
static_assert(reason_of<without_pdp>(lenet) == reason::no_pdp);
static_assert(reason_of<pool, without_pdp>() == reason::no_pdp);
static_assert(runs_on<pool, nv_small>() && runs_on<convolution, without_pdp>());
static_assert(runs_on<concat, nv_full>() && runs_on<softmax, nv_full>());
static_assert(runs_on<lrn, nv_small>() && runs_on<lrn, nv_full>());

struct without_cdp {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.cdp_throughput = 0;
    return s;
  }();
};
static_assert(reason_of<lrn, without_cdp>() == reason::no_cdp);
static_assert(reason_of<nv_small>(network{input{{4, 8193, 1}}, lrn{}}) == reason::cube_above_8192);
static_assert(reason_of<nv_full>(network{input{{4, 8, 1}}, lrn{}}, hw::precision::fp16) ==
              reason::none);

// An operator of the user's own, in terms of the library's.
struct doubled {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
};
struct unknown : doubled {};

}  // namespace

template <>
struct nvdlac::net::expansion<doubled> {
  static constexpr scale run(const doubled&, std::span<const shape>) { return {.factor = {2}}; }
};

namespace {

static_assert(runs_on<nv_small>(network{input{{3, 4, 5}}, doubled{}}));
static_assert(reason_of<nv_small>(network{input{{3, 4, 5}}, unknown{}}) ==
              reason::unknown_operator);

// Layers whose numbers surround the limits.
struct generator {
  std::uint32_t state;

  constexpr std::int32_t below(std::uint32_t n) {
    state = state * 1664525U + 1013904223U;
    return static_cast<std::int32_t>((state >> 8) % n);
  }
  constexpr std::int32_t one_of(std::initializer_list<std::int32_t> values) {
    return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
  }
  constexpr net::window window() {
    const auto kernel = one_of({1, 3, 8, 9, 32, 33});
    return square{.kernel = kernel,
                  .stride = one_of({1, 2, 8, 9}),
                  .pad = std::min(one_of({0, 1, 7, 8, 32}), kernel - 1),
                  .dilation = 1};
  }
};

template <std::size_t I>
constexpr auto random_network() {
  generator g{static_cast<std::uint32_t>(I) * 7919U + 8U};
  const auto size = g.one_of({33, 40, 100});
  const shape in{g.one_of({3, 16, 160, 300, 8193}), size, size};
  const auto w = g.window(), v = g.window();
  auto kernels = g.one_of({1, 16, 100, 8193});
  if (product({kernels, in.c, w.kernel_h, w.kernel_w}) > max_elements) kernels = 1;
  return network{node{"data", input{in}},
                 convolution{.kernels = kernels, .window = w},
                 node{"pooled",
                      pool{.kind = I % 2 == 0 ? pool_kind::average : pool_kind::maximum,
                           .window = v},
                      "data"},
                 softmax{},
                 node{"lrn", lrn{.local_size = g.one_of({1, 3, 9, 11})}, "data"},
                 pool{.global = true},
                 fully_connected{.outputs = g.one_of({10, 1000, 8193})},
                 node{"pair", convolution{.kernels = 2}, "data"},
                 convolution{.kernels = 2 * g.one_of({10, 8193}), .groups = 2}};
}

template <class Hw, std::size_t I>
void compare(std::vector<bool>& seen) {
  constexpr auto known = random_network<I>();
  constexpr auto expected = lower::reasons_of<Hw>(known);
  const auto g = to_graph(known);
  std::vector<problem> in_words;
  for (std::size_t n = 0; n < g.size(); ++n)
    if (expected[n] != reason::none)
      in_words.push_back({.layer = g[n].name,
                          .reason = text(net::operator_name(g[n].op), " does not run on ",
                                         type_name<Hw>(), ": ", lower::to_text(expected[n]))});
  const auto found = lower::check<Hw>(g);
  REQUIRE(found.size() == in_words.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(to_string(found[i]) == to_string(in_words[i]));
  for (const reason r : expected) seen[static_cast<std::size_t>(r)] = true;
}

}  // namespace

TEST_CASE("the compiler and the program agree on what each configuration can do") {
  std::vector<bool> seen(lower::detail::reasons);
  nvdlac::for_each(hw::published{}, [&]<class Hw>(std::type_identity<Hw>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (compare<Hw, I>(seen), ...);
    }(std::make_index_sequence<12>{});
  });
  for (const reason r :
       {reason::none, reason::cube_above_8192, reason::more_than_8192_kernels,
        reason::kernel_above_262144_bytes, reason::kernel_does_not_fit_the_cbuf,
        reason::lrn_size_is_not_3_5_7_9, reason::softmax_over_a_plane}) {
    INFO(lower::to_text(r));
    CHECK(seen[static_cast<std::size_t>(r)]);
  }
}

TEST_CASE("every reason has a text of its own") {
  constexpr auto last = reason::order_of_an_image_that_csc_does_not_read;
  CHECK(lower::detail::reasons == static_cast<std::size_t>(last) + 1);
}
