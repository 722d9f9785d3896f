// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/emit/host_stub.hpp>

#include <string>

#include <doctest/doctest.h>

#include <nvdlac/host/on_host.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/activation.hpp>

using namespace nvdlac;

TEST_CASE("a composed function is told by what its parts compute") {
  using kind = net::function_part::part_kind;
  const net::activation log_of_square{
      .function = net::function::composed,
      .parts = {{.kind = kind::product},
                {.kind = kind::line, .first = 1, .alpha = 1, .beta = 0.5F},
                {.kind = kind::function, .function = net::function::logarithm, .first = 2}}};
  plan::program_data p;
  layer::host_call c;
  c.input_count = 1;
  c.inputs()[0] = c.output = layer::packed({3, 2, 2}, bytes{8}, {});
  p.calls.push_back(host::on_host(log_of_square).call);
  p.tasks.push_back({.host = true, .operations = {{.layer = {"log", c}}}});
  std::string header;
  for (const auto& f : emit::host_stub(p, bytes{8}, "stub"))
    if (f.name == "stub.h") header.assign(f.bytes.begin(), f.bytes.end());
  for (const char* line : {"'log': composed\n", " *   v1 = x * x\n", " *   v2 = 1 * v1 + 0.5\n",
                           " *   v3 = logarithm(v2), alpha = 1, beta = 0, gamma = 1\n"}) {
    CAPTURE(line);
    CHECK(header.find(line) != header.npos);
  }
}
