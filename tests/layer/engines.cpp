// SPDX-License-Identifier: Apache-2.0
// The facts about engines agree with the registers, the device and the checker.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/plan/checker/events.hpp>
#include <nvdlac/sim/register_file.hpp>

using namespace nvdlac;
using layer::access, layer::engine_number;

namespace {

template <class F>
void for_each_engine(F f) {
  for_each(layer::kinds{}, [&]<class Layer>(std::type_identity<Layer> type) {
    if constexpr (layer::on_engine<Layer>) f(type);
  });
}

template <fixed_string... Names>
std::vector<std::string> names_of(layer::register_blocks<Names...>) {
  return {std::string(Names.view())...};
}
// All units of an engine.
template <class Layer>
std::vector<std::string> units_of() {
  using engine = layer::engine<Layer>;
  auto all = names_of(engine::cores);
  if constexpr (requires { engine::reader; }) all.emplace_back(engine::reader.view());
  return all;
}

layer::surface cube_in(std::int32_t buffer) {
  return layer::packed({8, 2, 2}, {8}, {buffer, 0});
}
std::vector<std::int32_t> buffers_read(const layer::any& what) {
  std::vector<std::int32_t> found;
  layer::for_each_read(what, [&](const layer::surface& s) { found.push_back(s.at.buffer); });
  return found;
}
std::vector<std::int32_t> buffers_written(const layer::any& what) {
  std::vector<std::int32_t> found;
  layer::for_each_write(what, [&](const layer::surface& s) { found.push_back(s.at.buffer); });
  return found;
}

// Every cube that a layer of this kind can have, in a buffer of its own.
template <class Layer>
layer::any with_all_cubes() {
  Layer l;
  if constexpr (requires { l.x1; }) {
    l.x1 = {.alu = true, .mode = layer::sdp_mode::per_kernel};
    l.x2 = {.mul = true, .mode = layer::sdp_mode::per_point};
  }
  if constexpr (requires { l.input_count; }) l.input_count = 3;
  layer::any what = l;
  std::int32_t buffer = 0;
  layer::for_each_cube(what, [&](layer::surface& s, access) { s = cube_in(buffer++); });
  return what;
}

}  // namespace

TEST_CASE("every engine has a number, a name and an interrupt of its own") {
  std::set<engine_number> numbers;
  std::set<std::string> names;
  std::uint32_t bits = 0;
  for_each_engine([&]<class Layer>(std::type_identity<Layer>) {
    const layer::any what = Layer{};
    CHECK(numbers.insert(layer::engine_of(what)).second);
    CHECK(names.insert(layer::name_of_engine(what)).second);
    CHECK(layer::index(layer::engine_of(what)) < layer::engines);
    CHECK_FALSE(layer::on_host(what));
    for (const unsigned group : {0u, 1u}) {
      const auto bit = emit::done_bits(what, {group, 0});
      CHECK(std::has_single_bit(bit));
      CHECK((bit & sim::glb::bits) == bit);
      CHECK((bit & bits) == 0);
      bits |= bit;
    }
  });
  for (const layer::any& what :
       {layer::any(layer::host_softmax{}), layer::any(layer::host_call{})}) {
    CHECK(layer::on_host(what));
    CHECK(emit::done_bits(what, {}) == 0);
  }
}

TEST_CASE("the units of the device are those of the engines, each of one") {
  std::vector<std::string> all, device(sim::unit_names.begin(), sim::unit_names.end());
  for_each_engine([&]<class Layer>(std::type_identity<Layer>) {
    for (const auto& unit : units_of<Layer>()) all.push_back(unit);
  });
  std::ranges::sort(all);
  std::ranges::sort(device);
  CHECK(all == device);
}

TEST_CASE("an engine takes its input on the fly from the engine before it") {
  // The firmware looks for a fused parent there.
  for_each_engine([&]<class Layer>(std::type_identity<Layer>) {
    if constexpr (requires { layer::engine<Layer>::source; }) {
      CHECK(layer::index(layer::engine<Layer>::source) + 1 ==
            layer::index(layer::engine<Layer>::number));
      CHECK(layer::takes_on_the_fly(Layer{}));
    } else {
      CHECK_FALSE(layer::takes_on_the_fly(Layer{}));
    }
    CHECK_FALSE(layer::takes_on_the_fly(with_all_cubes<Layer>()));
  });
  CHECK(layer::gives_on_the_fly(with_all_cubes<layer::convolution>()));
  CHECK(layer::gives_on_the_fly(layer::sdp{.input = cube_in(0)}));
  CHECK_FALSE(layer::gives_on_the_fly(layer::sdp{.output = cube_in(0)}));
  CHECK_FALSE(layer::gives_on_the_fly(layer::pdp{.output = cube_in(0)}));
}

TEST_CASE("the planner and the checker, which has its own list, know the same cubes") {
  for_each(layer::kinds{}, [&]<class Layer>(std::type_identity<Layer>) {
    const auto what = with_all_cubes<Layer>();
    CAPTURE(layer::name_of_engine(what));
    std::vector<std::int32_t> read, written;
    for (const auto& use : plan::checker::uses(what))
      (use.write ? written : read).push_back(use.surface->at.buffer);
    CHECK_FALSE(read.empty());
    CHECK(buffers_read(what) == read);
    CHECK(buffers_written(what) == written);
    CHECK(layer::takes_on_the_fly(what) == plan::checker::is_fed_on_the_fly(what));
    CHECK(layer::gives_on_the_fly(what) == plan::checker::feeds_on_the_fly(what));
  });
}

TEST_CASE("a unit of SDP whose operands are registers reads no memory, wherever they point") {
  layer::sdp l{.input = cube_in(0), .output = cube_in(1)};
  l.x1 = {.alu = true, .mode = layer::sdp_mode::per_layer, .operands = cube_in(2)};
  l.x2 = {.relu = true, .mode = layer::sdp_mode::per_kernel, .operands = cube_in(3)};
  CHECK(buffers_read(l) == std::vector{0});
  l.x1.mode = layer::sdp_mode::per_kernel;
  CHECK(buffers_read(l) == std::vector{0, 2});
}

TEST_CASE("read DMAs are used for what is in memory") {
  CHECK(emit::uses_reader(layer::sdp{.input = cube_in(0)}));
  CHECK_FALSE(emit::uses_reader(layer::sdp{}));
  CHECK(emit::uses_reader(layer::sdp{.x2 = {.mul = true, .mode = layer::sdp_mode::per_kernel}}));
  CHECK(emit::uses_reader(layer::pdp{.input = cube_in(0)}));
  CHECK_FALSE(emit::uses_reader(layer::pdp{}));
  CHECK(emit::uses_reader(layer::cdp{}));
  CHECK(emit::uses_reader(layer::convolution{}));  // CDMA
  CHECK_FALSE(emit::uses_reader(layer::rubik{}));
  CHECK_FALSE(emit::uses_reader(layer::host_softmax{}));
}
