// SPDX-License-Identifier: Apache-2.0
// The builder gives the same bytes as the library's own for the same calls.
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <flatbuffers/flatbuffers.h>

#include <nvdlac/emit/flat_builder.hpp>

using namespace nvdlac;

namespace {

// Both builders with one interface.
struct library {
  flatbuffers::FlatBufferBuilder to{};
  flatbuffers::uoffset_t start = 0;

  auto string(const std::string& s) { return to.CreateString(s).o; }
  template <class T>
  auto vector(const std::vector<T>& v) { return to.CreateVector(v).o; }
  auto offsets(const std::vector<flatbuffers::uoffset_t>& v) {
    std::vector<flatbuffers::Offset<flatbuffers::Table>> typed(v.begin(), v.end());
    return to.CreateVector(typed).o;
  }
  void start_table() { start = to.StartTable(); }
  template <class T>
  void add(std::uint16_t field, T value) { to.AddElement<T>(field, value, T{}); }
  void add_offset(std::uint16_t field, flatbuffers::uoffset_t o) {
    to.AddOffset(field, flatbuffers::Offset<flatbuffers::Table>(o));
  }
  auto finish_table() { return to.EndTable(start); }
  std::span<const std::uint8_t> finish(flatbuffers::uoffset_t root, const char* identifier) {
    to.Finish(flatbuffers::Offset<flatbuffers::Table>(root), identifier);
    return {to.GetBufferPointer(), to.GetBufferPointer() + to.GetSize()};
  }
};

std::vector<std::uint8_t> bytes_of(std::span<const std::uint8_t> s) { return {s.begin(), s.end()}; }

// Some tables of all kinds of fields; every second one looks like an earlier one.
template <class Builder>
std::vector<std::uint8_t> random_file(Builder& to, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto noise = [&](auto zero) { return static_cast<decltype(zero)>(random() % 3); };
  std::vector<std::uint32_t> tables;
  for (int t = 0; t < 12; ++t) {
    const auto name = to.string(std::string(random() % 9, 'x'));
    const auto words = to.vector(std::vector<std::uint16_t>(random() % 5, 7));
    const auto longs = to.vector(std::vector<std::uint64_t>(random() % 4, 9));
    const auto reals = to.vector(std::vector<double>(random() % 3, 0.1));
    const auto others = to.offsets(tables);
    to.start_table();
    to.add(4, noise(std::uint16_t{}));
    to.add(6, noise(std::uint8_t{}));
    to.add(8, noise(std::uint64_t{}));
    to.add_offset(10, name);
    to.add(12, noise(double{}));
    to.add_offset(20, words);
    to.add_offset(14, longs);
    to.add(16, noise(std::int32_t{}));
    to.add_offset(18, others);
    if (random() % 2 == 0) to.add_offset(22, reals);
    tables.push_back(to.finish_table());
  }
  to.start_table();
  const auto last = to.finish_table();
  return bytes_of(to.finish(random() % 4 == 0 ? last : tables.back(), "NVDA"));
}

}  // namespace

TEST_CASE("FlatBuffers as the library makes them") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    emit::flat_builder own;
    library other;
    REQUIRE(random_file(own, seed) == random_file(other, seed));
  }
}

TEST_CASE("a vector at the end of the file is left to the caller") {
  for (std::size_t size = 1; size < 20; ++size) {
    CAPTURE(size);
    const std::vector<std::uint8_t> bytes(size, 0xab);
    const auto file = [](auto& to, auto data) {
      const auto name = to.string("weights");
      to.start_table();
      to.add_offset(4, name);
      to.template add<std::uint64_t>(6, 5);
      to.add_offset(8, data);
      return bytes_of(to.finish(to.finish_table(), "NVDA"));
    };
    library other;
    const auto whole = file(other, other.vector(bytes));
    emit::flat_builder own(size);
    auto front = file(own, own.end());
    front.insert(front.end(), bytes.begin(), bytes.end());
    front.resize((front.size() + 3) / 4 * 4);
    CHECK(front == whole);
  }
}
