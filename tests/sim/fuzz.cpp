// SPDX-License-Identifier: Apache-2.0
// Golden programs with random registers, on strict and on lenient devices: each ends, in order or
// by an nvdlac::error.
#include <random>

#include "golden.hpp"

using namespace nvdlac;

namespace {

std::uint32_t mutate(std::uint32_t value, std::mt19937& random) {
  const auto any = static_cast<std::uint32_t>(random());
  switch (any % 6) {
    case 0: return static_cast<std::uint32_t>(random());
    case 1: return 0;
    case 2: return 0xffffffff;
    case 3: return value + 1;
    case 4: return value - 1;
    default: return value ^ 1u << (any / 6 % 32);
  }
}

template <hw::hardware Hw>
void fuzz(std::string_view folder, int rounds) {
  std::mt19937 random(2024);
  runtime::replay_options options{.settings = {.memory = 1 << 24, .macs = 1 << 22,
                                         .surface_elements = 1 << 18, .elements = 1 << 20}};
  std::size_t ended = 0, refused = 0;
  for (const auto& path : golden::traces(folder)) {
    CAPTURE(path.string());
    const auto original = runtime::read_trace(path);
    std::vector<std::size_t> writes;
    for (std::size_t i = 0; i < original.commands.size(); ++i)
      if (original.commands[i].what == runtime::trace_command::kind::reg_write) writes.push_back(i);
    for (int round = 0; round < rounds; ++round) {
      auto t = original;
      for (int changes = 1 + round % 3; changes > 0; --changes) {
        auto& c = t.commands[writes[random() % writes.size()]];
        c.value = mutate(c.value, random);
        if (random() % 16 == 0) c.address = t.commands[writes[random() % writes.size()]].address;
      }
      if (round % 8 == 0) {
        auto& one = t.commands[writes[random() % writes.size()]];
        std::swap(one, t.commands[writes[random() % writes.size()]]);
      }
      options.settings.lenient = round % 2 == 1;
      try {
        hardware<Hw>().replay(t, options);
        ++ended;
      } catch (const error& e) {
        CHECK_MESSAGE(std::string(e.what()).find("trace.txt:") != std::string::npos, e.what());
        ++refused;
      }
    }
  }
  if (ended + refused == 0) return;
  CHECK(ended > 0);
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("fuzz: nv_small") { fuzz<nv_small>("nv_small", 60); }
TEST_CASE("fuzz: public traces of nv_small") { fuzz<nv_small>("public/nv_small", 20); }
TEST_CASE("fuzz: nv_small_256_full") { fuzz<nv_small_256_full>("nv_small_256_full", 30); }
TEST_CASE("fuzz: nv_full") { fuzz<nv_full>("nv_full", 20); }
