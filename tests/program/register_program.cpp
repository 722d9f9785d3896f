// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>

#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/register_program.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

static_assert(sizeof(step) == 8);

namespace {

struct listener {
  std::string said{};
  void write(std::uint32_t a, std::uint32_t v) { tell('w', a, v); }
  void poll(std::uint32_t a, std::uint32_t v) { tell('p', a, v); }
  void wait_done(std::uint32_t a, std::uint32_t v) { tell('d', a, v); }
  void compute(const host_softmax& l, std::uint64_t base = 0) {
    tell('h', l.input.line_stride, static_cast<std::uint32_t>(base + l.input.memory.address));
  }
  void tell(char what, std::uint32_t a, std::uint32_t v) {
    said += what + std::to_string(a) + ',' + std::to_string(v) + ' ';
  }
};

}  // namespace

TEST_CASE("a register program tells its device every step in order") {
  const std::array steps{step{step_kind::poll, 8, 1}, step{step_kind::write, 0xfffffc, 0xffffffff},
                         step{step_kind::wait_done, 12, 6}, step{step_kind::host, 0, 1}};
  std::array<host_softmax, 2> hosts{};
  hosts[1].input.line_stride = 77;
  register_program p{};
  p.steps = steps;
  p.host_layers = hosts;
  listener l;
  run(p, l);
  CHECK(l.said == "p8,1 w16777212,4294967295 d12,6 h77,0 ");
}

TEST_CASE("a device that gives up waiting ends its program") {
  struct impatient : listener {
    std::uint32_t missing = 0;  // the address of what never comes
    bool poll(std::uint32_t a, std::uint32_t v) { return listener::poll(a, v), a != missing; }
    bool wait_done(std::uint32_t a, std::uint32_t v) {
      return listener::wait_done(a, v), a != missing;
    }
  };
  const std::array steps{step{step_kind::poll, 8, 1}, step{step_kind::wait_done, 12, 6},
                         step{step_kind::write, 16, 3}};
  register_program p{};
  p.steps = steps;
  for (const auto& [missing, said] : {std::pair{0u, "p8,1 d12,6 w16,3 "}, {8u, "p8,1 "},
                                      {12u, "p8,1 d12,6 "}}) {
    impatient l;
    l.missing = missing;
    CHECK(run(p, l) == (missing == 0));
    CHECK(l.said == said);
  }
  listener patient;
  CHECK(run(p, patient));
}

TEST_CASE("a relocatable program runs in memory that begins anywhere") {
  const auto plan = example::digits<nv_small>();
  const auto relocated = emit::make_registers<nv_small>(plan, relocatable);
  CHECK(relocated.weights.address == 0);
  for (const std::uint64_t base : {std::uint64_t{0x9876'5000}, std::uint64_t{0}}) {
    const auto fixed = emit::make_registers<nv_small>(plan, base);
    listener there, anywhere;
    run(fixed.view(), there);
    run(relocatable_program{relocated.view()}, anywhere, base);
    CHECK(there.said == anywhere.said);
    CHECK(fixed.inputs[0].at.memory.address == base + relocated.inputs[0].at.memory.address);
  }
}

TEST_CASE("of a relocatable program both halves of an address follow its base") {
  const std::array steps{step{step_kind::address_high, 8, 0x2000},
                         step{step_kind::address_low, 12, 0x2000}};
  register_program p{};
  p.steps = steps;
  listener l;
  run(relocatable_program{p}, l, 0x1'ffff'f000);
  CHECK(l.said == "w8,2 w12,4096 ");
}

TEST_CASE("the elements of a cube are where the layers expect them") {
  const auto s = layer::packed({21, 3, 5}, bytes{8});
  const cube c{{0, s.size}, {21, 3, 5}, s.line_stride, s.surface_stride, 8};
  for (std::int32_t k = 0; k < 21; ++k)
    for (std::int32_t y = 0; y < 3; ++y)
      for (std::int32_t x = 0; x < 5; ++x)
        CHECK(c.offset(k, y, x) == layer::offset_of(s, bytes{8}, k, y, x));
  const cube picture{{0, 96}, {4, 3, 5}, 32, 0, 8};
  CHECK(picture.offset(2, 1, 3) == 32 + 3 * 4 + 2);
}
