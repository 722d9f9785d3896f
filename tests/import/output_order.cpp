// SPDX-License-Identifier: Apache-2.0
// Whatever transposes and reshapes stand at the end of a model: each element is where the file
// says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/selection_cube.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "files.hpp"
#include "in_file.hpp"
#include "random_order.hpp"

using namespace nvdlac;

namespace {

struct ways {
  std::size_t outputs = 0, walked = 0, moved = 0, turned = 0;
};

// Checks the network of a model before and after the passes.
void check(const random_order::model& m, const scratch& directory, ways& counted) {
  auto g = import::without_scales(import::onnx_network(directory.write("net.onnx", m.content)));
  for (const bool passes : {false, true}) {
    net::infer_shapes(g);
    if (passes) pass::standard::run(g, {});
    const auto& in = g[net::input_nodes(g).at(0)];
    CHECK(in.in_file.at(0).name == m.input.name);
    std::vector<float> picture(m.input.from.size());
    std::iota(picture.begin(), picture.end(), 1.0F);
    const auto found = in_file::outputs(
        g, net::float_tensor{in.shape, in.in_file[0].to_cube(std::span<const float>(picture))});
    REQUIRE(found.size() == m.outputs.size());
    for (std::size_t o = 0; o < found.size(); ++o) {
      const auto& wanted = m.outputs[o];
      CHECK(found[o].name == wanted.name);
      CHECK(found[o].shape == wanted.shape);
      std::vector<float> values;
      for (const auto from : wanted.from)
        values.push_back(from == random_order::zero ? 0 : picture[from]);
      CHECK(found[o].values == values);
      ++counted.outputs;
    }
  }
  for (const auto& o : in_file::forms(g)) counted.walked += o.form.walk.empty() ? 0 : 1;
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (const auto* move = std::get_if<net::move>(&g[n].op)) {
      ++counted.moved;
      counted.turned += net::turned_elements({move->boxes.data(), move->boxes.size()}) == 0 ? 0 : 1;
    }
}

}  // namespace

TEST_CASE("random orders of elements are those of the file, before the passes and after") {
  const scratch directory(memory_directory());
  ways counted;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const auto m = random_order::generator(seed).make();
    INFO("seed " << seed << '\n' << m.content);
    check(m, directory, counted);
  }
  // Both ways are taken: orders that are left to the reader, and orders that layers make.
  CHECK(counted.outputs > 800);
  CHECK(counted.walked > 100);
  CHECK(counted.moved > 0);
  MESSAGE(counted.walked << " outputs in another order than the cube's, " << counted.moved
                         << " moves");
}

TEST_CASE("random selections of elements are those of the file, and few of them turn channels") {
  const scratch directory(memory_directory());
  ways counted;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const auto m = random_order::generator(seed, true).make();
    INFO("seed " << seed << '\n' << m.content);
    check(m, directory, counted);
  }
  CHECK(counted.outputs > 1200);
  CHECK(counted.turned * 4 < counted.moved);
  MESSAGE(counted.walked << " outputs in another order than the cube's, " << counted.moved
                         << " moves, of which " << counted.turned << " turn channels");
}
