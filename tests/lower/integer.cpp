// SPDX-License-Identifier: Apache-2.0
// Rules that networks in integers must obey, while compiling and at run time.
#include <doctest/doctest.h>

#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using lower::reason;
using net::network;
using net::node;
using net::square;

namespace {

constexpr quantised::convolution convolution(std::int32_t kernels, std::int32_t channels,
                                           square window, std::int32_t groups = 1) {
  const auto k = static_cast<std::size_t>(kernels);
  const auto each = static_cast<std::size_t>(channels / groups * window.kernel * window.kernel);
  return {.kernels = kernels,
          .window = window,
          .groups = groups,
          .weights = net::only_size{k * each},
          .bias = net::only_size{k},
          .multiplier = net::only_size{k}};
}

// The reason while compiling is that of the compiler at run time.
template <const auto& Net>
void check_refused(reason why, const std::string& layer) {
  CHECK(lower::reason_of<nv_small>(Net) == why);
  std::string said;
  try {
    lower::lower<nv_small>(net::to_graph<quantised::graph>(Net), "refused");
  } catch (const error& e) {
    said = e.what();
  }
  CHECK(said.find("layer '" + layer + "'") == 0);
  CHECK(said.find(lower::to_text(why)) != said.npos);
}

constexpr quantised::input picture{{3, 16, 16}, quantised::pixels{}};

constexpr network moved{node{"data", quantised::input{{8, 4, 4}}},
                        node{"flat", quantised::reshape{{128, 1, 1}}, "data"},
                        node{"classes", convolution(10, 128, {}), "flat"}};
constexpr network moved_at_the_end{node{"data", quantised::input{{8, 4, 4}}},
                                   quantised::pool{},
                                   quantised::reshape{{128, 1, 1}},
                                   quantised::reshape{{4, 4, 8}}};
constexpr network column{node{"data", quantised::input{{8, 1, 1}}}, convolution(6, 8, {}),
                         quantised::reshape{{6, 1, 1}}, convolution(10, 6, {})};
constexpr network plane{node{"data", quantised::input{{8, 4, 4}}},
                        node{"prob", quantised::softmax{}, "data"}};
constexpr network long_steps{
    node{"data", quantised::input{{8, 40, 40}}},
    node{"pool", quantised::pool{.window = square{.kernel = 3, .stride = 9}}, "data"}};
constexpr network pooled_picture{node{"data", picture}, quantised::pool{}};
constexpr network grouped_picture{node{"data", picture},
                                  convolution(3, 3, {.kernel = 3}, 3)};
constexpr network dilated_picture{
    node{"data", picture}, node{"conv", convolution(8, 3, {.kernel = 3, .dilation = 2}), "data"}};
constexpr network large{node{"data", quantised::input{{8, 40, 40}}},
                        node{"conv", convolution(8, 8, {.kernel = 33}), "data"}};

}  // namespace

TEST_CASE("a network in integers is refused for the same reason while compiling and at run time") {
  check_refused<moved>(reason::reshape_moves_data, "flat");
  check_refused<plane>(reason::softmax_over_a_plane, "prob");
  check_refused<long_steps>(reason::stride_above_8, "pool");
  check_refused<pooled_picture>(reason::pixels_are_not_read_by_a_convolution, "data");
  check_refused<grouped_picture>(reason::pixels_are_not_read_by_a_convolution, "data");
  check_refused<dilated_picture>(reason::pixels_are_dilated, "conv");
  check_refused<large>(reason::kernel_above_32x32, "conv");
}

TEST_CASE("a reshape runs where it moves nothing, or where the network ends") {
  static_assert(lower::reason_of<nv_small>(moved_at_the_end) == reason::none);
  static_assert(lower::reason_of<nv_small>(column) == reason::none);
  for (const auto& g : {net::to_graph<quantised::graph>(moved_at_the_end),
                        net::to_graph<quantised::graph>(column)})
    CHECK(lower::lower<nv_small>(g, "runs").outputs.size() == 1);
}

TEST_CASE("constants have as many values as their operator needs") {
  const auto made = [] {
    return network{node{"data", quantised::input{{8, 4, 4}}},
                   quantised::scale{.multiplier = net::only_size{7}}};
  };
  CHECK_THROWS_AS(made(), error);
}
