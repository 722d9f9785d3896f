// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/notes_reader.hpp>

using namespace nvdlac;

namespace {

emit::loadable_notes example() {
  return {.network = "n\xff", .hardware = "nv_small", .parameters = {8, 8, 8, 32, 8, 512},
          .inputs = {{"data", {3, 4, 5}, 0.1, {1, 0.5, 0.25},
                      quantised::pixels{{1, -2, 3, 0}, {-5, 77, 7}},
                      net::preprocessing{{0.1, 2, 3}, {1 / 255.0}, net::channel_order::bgr,
                                         {net::resizing::shorter, 256, 224}}}},
          .outputs = {{"prob", {10, 1, 1}, 1.0 / 127, {}, {}, {},
                       {{.name = "p", .shape = {1, 10}, .place = 1},
                        {.name = "q", .shape = {5, 2}, .walk = {{5, 1}, {2, 5}}}}}},
          .layers = {{"conv1", "conv1"}, {}, {"prob"}},
          .numbers = {{{}, {0.25, -128}}, {}, {{1.0 / 127, 0}}},
          .parts = {{{1, "conv1", 0, 8, {0.25, -128}}, {1, "beside", 8, 3, {0.5, 7}}}, {}, {}},
          .transposed = true};
}

// Written and read, nothing is lost; the compiler writes the same bytes.
constexpr emit::loadable_notes small() {
  emit::loadable_notes n{.network = "a", .hardware = "b"};
  n.outputs.push_back({label("prob"), {10, 1, 1}, 1.0 / 127, {}, {}, {}});
  return n;
}
constexpr auto small_bytes = [] {
  std::array<std::uint8_t, 160> bytes{};
  const auto written = emit::write_notes(small());
  bytes[0] = static_cast<std::uint8_t>(written.size());
  std::copy(written.begin(), written.end(), bytes.begin() + 1);
  return bytes;
}();

}  // namespace

TEST_CASE("notes come back as they were written") {
  CHECK(emit::read_notes(emit::write_notes(example())) == example());
  CHECK(emit::read_notes({small_bytes.data() + 1, small_bytes[0]}) == small());
}

TEST_CASE("notes of tensors that do not hold each element once are refused") {
  for (const auto& wrong : {net::file_tensor{.shape = {11}}, net::file_tensor{.shape = {-10}},
                            net::file_tensor{.shape = {10}, .walk = {{10, 2}}},
                            net::file_tensor{.shape = {10}, .walk = {{5, 1}, {2, 4}}}}) {
    auto n = example();
    n.outputs[0].in_file = {wrong};
    CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);
  }
}

// Lines 5 on of a single surface, whose stride is that of what is written alone.
TEST_CASE("a tile of lines that siblings write is told with all of its channels") {
  const plan::tensor_part part{label("conv1"), label("joint"), 0, 0, 8 * 9 * 8, 8, {0.5, 0}};
  auto tile = layer::packed({8, 4, 8}, bytes(8), layer::location{0, 5 * 8 * 8});
  tile.surface_stride = 64;
  std::vector<emit::loadable_notes::part> told;
  emit::detail::note_parts(told, 3, label("joint/y5"), tile, {part}, bytes(8));
  REQUIRE(told.size() == 1);
  CHECK(told[0] == emit::loadable_notes::part{3, label("conv1/y5"), 0, 8, {0.5, 0}});
}

TEST_CASE("parts of a tensor come back, and must hold it all") {
  auto n = example();
  const auto part = [](std::int32_t first, std::vector<std::int32_t> shape = {30}) {
    return net::file_tensor{.name = "y", .shape = std::move(shape), .walk = {{10, 1}}, .place = 2,
                            .first = first, .spread = {1}};
  };
  n.outputs[0].in_file.push_back(part(0));
  n.outputs.push_back({"a", {10, 1, 1}, 1, {}, {}, {}, {part(10)}});
  CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);  // a third of it is missing
  n.outputs.push_back({"b", {5, 2, 1}, 1, {}, {}, {}, {part(20)}});
  CHECK(emit::read_notes(emit::write_notes(n)) == n);
  n.outputs[2].in_file[0] = part(20, {3, 10});
  CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);
  n.outputs[2].in_file[0] = part(21);
  CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);
  n.outputs.resize(1);
  n.outputs[0].in_file.pop_back();
  n.inputs[0].gain = {1, 2};
  CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);
  n.inputs[0].gain = {};
  n.inputs[0].in_file = {net::file_tensor{.shape = {60}, .walk = {{60, 1}}, .spread = {1}}};
  CHECK_THROWS_AS(emit::read_notes(emit::write_notes(n)), error);
}

TEST_CASE("corrupt notes are refused and never read past") {
  const auto bytes = emit::write_notes(example());
  for (std::size_t n = 0; n + 4 <= bytes.size(); ++n) {  // the last word may be padding
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(n));
    CHECK_THROWS_AS(emit::read_notes(cut), error);
  }
  std::mt19937 random(6);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    auto damaged = bytes;
    for (int flips = 1 + i % 3; flips-- > 0;)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    try {
      emit::read_notes(damaged);
    } catch (const error&) {
      ++refused;
    }
  }
  CHECK(refused > 100);
}
