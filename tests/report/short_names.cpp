// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include <nvdlac/report/short_names.hpp>

using nvdlac::report::shortened;
using names = std::vector<std::string>;

TEST_CASE("a name loses its middle") {
  CHECK(shortened("stage4/block1/branch2/conv2", 15) == "stage4/../conv2");
  CHECK(shortened("conv2", 15) == "conv2");
}

TEST_CASE("names lose first what the next part repeats") {
  CHECK(shortened(names{"/features/features.2/features.2.1/block/block.0/block.0.0/Conv", "/fc"},
                  30) == names{"/features.2.1/block.0.0/Conv", "/fc"});
  CHECK(shortened(names{"/a/a.b/x"}, 20) == names{"/a/a.b/x"});  // there is room
  // Two that would be one keep all.
  const names two{"/feature/feature.1/convolution", "/feature.1/convolution"};
  const auto shorter = shortened(two, 22);
  CHECK(shorter[1] == two[1]);
  CHECK(shorter[0] != shorter[1]);
}

TEST_CASE("names that differ in their middle stay different") {
  const std::string side(40, 'a');
  const names alike{side + "1" + side, side + "2" + side, side + "1" + side, "b"};
  const auto shorter = shortened(alike, 20);
  CHECK(shorter[0].size() <= 20);
  CHECK(shorter[0] != shorter[1]);
  CHECK(shorter[0] == shorter[2]);
  CHECK(shorter[3] == "b");
  CHECK(shortened(names{"/block1/attention/query/MatMul", "/block1/attention/value/MatMul"}, 20) ==
        names{"/block1/a..ry/MatMul", "/block1/a..ue/MatMul"});
}

TEST_CASE("no two of many names become one, in any width") {
  names all;
  for (int block = 0; block < 12; ++block)
    for (const char* part : {"attention/query", "attention/key", "mlp/fc1", "mlp/fc2"})
      for (const char* operation : {"MatMul", "Add"})
        all.push_back("/encoder/layers/encoder_layer_" + std::to_string(block) + '/' + part + '/' +
                      operation);
  for (const std::size_t most : {12u, 16u, 20u, 28u, 36u, 60u}) {
    const auto shorter = shortened(all, most);
    CHECK(std::set<std::string>(shorter.begin(), shorter.end()).size() == all.size());
    for (const auto& s : shorter) CHECK(s.size() <= most);
  }
}
