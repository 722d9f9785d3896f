// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <string>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/register_program.hpp>

using namespace nvdlac;

static_assert(sizeof(step) == 8);

namespace {

struct listener {
  std::string said{};
  void write(std::uint32_t a, std::uint32_t v) { tell('w', a, v); }
  void poll(std::uint32_t a, std::uint32_t v) { tell('p', a, v); }
  void wait_done(std::uint32_t a, std::uint32_t v) { tell('d', a, v); }
  void compute(const host_softmax& l) { tell('h', l.input.line_stride, 0); }
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
