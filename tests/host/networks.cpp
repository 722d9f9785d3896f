// SPDX-License-Identifier: Apache-2.0
// Networks with layers of the host: the loadable on the simulator, its trace and the reference are
// equal bit for bit, and near the float network.
#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/emit/host_stub.hpp>
#include <nvdlac/host/comparison.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../import/files.hpp"
#include "../net/random.hpp"
#include "compiled.hpp"

using namespace nvdlac;

namespace {

std::string caffe_layer(const std::string& name, const std::string& type,
                        const std::string& bottom, const std::string& rest = {}) {
  return "layer { name: '" + name + "' type: '" + type + "' bottom: '" + bottom + "' top: '" +
         name + "' " + rest + " }\n";
}
std::string filter(const std::string& name, const std::string& bottom, int kernels) {
  return caffe_layer(name, "Convolution", bottom,
                     "convolution_param { num_output: " + std::to_string(kernels) +
                         " kernel_size: 3 pad: 1 }");
}
// A convolution of a picture of 3 x 8 x 8 gives 12 channels to the layers.
net::graph read(const std::string& layers) {
  const scratch directory;
  const std::string head = R"(layer { name: "data" type: "Input" top: "data"
    input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } } )";
  return import::caffe(directory.write("net.prototxt", head + filter("c", "data", 12) + layers),
                       import::random_weights{7});
}

double cosine(const net::float_tensor& a, const net::float_tensor& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double x{a.values[i]}, y{b.values.at(i)};
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

template <class Hw>
compiled check(const net::graph& network, const host::choice& allowed, hw::precision p,
               double near) {
  randomness random(11);
  std::vector<sample> samples;
  for (int i = 0; i < 4; ++i) samples.push_back({{{3, 8, 8}, random.reals(192)}});
  compile_options options;
  options.precision = p;
  const auto prepared = prepare(
      network, std::span<const sample>(samples), options, pass::verify{},
      [&](net::graph& g, std::vector<problem> refused) {
        for (auto& why : lower::check<Hw>(g, options.precision)) refused.push_back(why);
        nvdlac::detail::throw_if_any(host::partition(g, allowed, refused));
      });
  compiled chip(hardware<Hw>(), prepared.integers, options);
  for (const auto& s : samples) {
    const auto& in = chip.program().inputs[0];
    const std::vector feeds{
        quantised::feed_of(quantised::numbers_of(s[0], in.scale, in.surface.precision))};
    const auto out = chip.infer_any(feeds);
    CHECK((out == quantised::evaluate_any(prepared.integers,
                                             std::span<const quantised::feed>(feeds),
                                             quantised::order_of(Hw::spec))));
    CHECK(chip.trace_differences(feeds) == 0);
    const auto real = net::evaluate(network, s[0]);
    for (std::size_t i = 0; i < out.size(); ++i)
      CHECK(cosine(quantised::real_of(out[i], chip.program().outputs[i].scale), real[i]) > near);
  }
  return chip;
}
compiled on_nv_small(const std::string& layers, const std::string& allowed) {
  CAPTURE(layers);
  return check<nv_small>(read(layers), host::choice::of({allowed}), hw::precision::int8, 0.99);
}

// Prepares a network of one layer, with an input of 3 x 8 x 8 up to `reach`.
prepared_network prepared_for_fp16(const net::activation& op, const host::choice& allowed,
                                   float reach) {
  net::graph g;
  g[g.add("f", op, {g.add("data", net::input{{3, 8, 8}})})].output = true;
  net::infer_shapes(g);
  randomness random(3);
  std::vector<sample> samples{{{{3, 8, 8}, random.reals(192)}}};
  for (float& x : samples[0][0].values) x *= reach;
  compile_options options;
  options.precision = hw::precision::fp16;
  return prepare(g, std::span<const sample>(samples), options, pass::verify{},
                 [&](net::graph& divided, std::vector<problem> refused) {
                   for (auto& why : lower::check<nv_full>(divided, options.precision))
                     refused.push_back(why);
                   nvdlac::detail::throw_if_any(host::partition(divided, allowed, refused));
                 });
}

}  // namespace

TEST_CASE("functions that no table of fp16 holds go to the host where it is allowed") {
  using net::function;
  for (const auto& op : {net::activation{function::floor}, net::activation{function::ceil},
                         net::activation{function::round}, net::activation{function::sign},
                         net::activation{function::thresholded_relu}}) {
    CAPTURE(std::string(net::name_of(op.function)));
    const auto n = prepared_for_fp16(op, host::choice::all(), 3);
    CHECK(std::holds_alternative<net::on_host>(n.graph[1].op));
    bool refused = false;
    try {
      prepared_for_fp16(op, {}, 3);
    } catch (const error& e) {
      const std::string what = e.what();
      refused = what.find("layer 'f': its function is too crooked") == 0 &&
                what.find("--host allow, or --host ") != what.npos;
    }
    CHECK(refused);
  }
  const auto smooth = prepared_for_fp16({function::sigmoid}, host::choice::all(), 3);
  CHECK(std::holds_alternative<net::activation>(smooth.graph[1].op));
}

TEST_CASE("layers of Caffe between convolutions") {
  const auto between = [](const std::string& type, const std::string& more,
                          const std::string& name) {
    const auto chip = on_nv_small(caffe_layer("l", type, "c", more) + filter("d", "l", 5), name);
    CHECK(chip.program().tasks.size() == 3);
    CHECK(chip.program().tasks[1].host);
  };
  between("Softmax", "", "softmax");
  between("Softmax", "softmax_param { axis: 3 }", "softmax");
  between("LRN", "lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 1 }",
          "lrn_within_channel");
  between("MVN", "", "mean_variance");
  between("ELU", "", "elu");
  between("TanH", "", "tanh");
  between("Sigmoid", "", "l");
  between("Exp", "exp_param { scale: 0.2 }", "exponential");
  between("Normalize", "norm_param { across_spatial: false }", "lp_normalise");
}

TEST_CASE("layers of Caffe that end a network") {
  on_nv_small(caffe_layer("l", "ReLU", "c") +
                  caffe_layer("p", "Pooling", "l",
                        "pooling_param { pool: STOCHASTIC kernel_size: 2 stride: 2 }"),
              "stochastic_pool");
  const auto channels = on_nv_small(caffe_layer("l", "ArgMax", "c", "argmax_param { axis: 1 }"),
                                    "arg_max");
  CHECK(channels.program().outputs[0].scale == 1);
  CHECK(channels.program().outputs[0].surface.precision == hw::precision::int8);
  // 12 x 8 x 8 places do not fit int8.
  const auto all = on_nv_small(caffe_layer("l", "ArgMax", "c"), "arg_max");
  CHECK(all.program().outputs[0].scale == 1);
  CHECK(all.program().outputs[0].surface.precision == hw::precision::int16);
}

TEST_CASE("several layers of the host, and what joins them") {
  // Two branches, a sum of them that the host computes too, and a convolution behind it.
  const auto layers = caffe_layer("a", "ELU", "c") + caffe_layer("b", "TanH", "c") +
                      "layer { name: 's' type: 'Eltwise' bottom: 'a' bottom: 'b' top: 's' }\n" +
                      filter("d", "s", 5) + caffe_layer("e", "Sigmoid", "d");
  const auto chip = check<nv_small>(read(layers), host::choice::all(), hw::precision::int8, 0.99);
  std::string tasks;
  for (const auto& t : chip.program().tasks) tasks += t.host ? 'h' : 'n';
  CHECK(tasks == "nhhhnh");
}

TEST_CASE("int16 and fp16") {
  const auto layers =
      caffe_layer("l", "Softmax", "c", "softmax_param { axis: 2 }") + filter("d", "l", 5);
  for (const auto p : {hw::precision::int16, hw::precision::fp16})
    check<nv_full>(read(layers), host::choice::all(), p, 0.999);
}

TEST_CASE("the C functions name every layer of the host once") {
  const auto chip = on_nv_small(caffe_layer("a/1", "ELU", "c") + caffe_layer("a.1", "TanH", "a/1"),
                                "activation");
  const auto files = emit::host_stub(chip.program(), nv_small::spec.atom(), "my_net");
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "my_net.h");
  const std::string header(files[0].bytes.begin(), files[0].bytes.end()),
      source(files[1].bytes.begin(), files[1].bytes.end());
  CHECK(mentions(header, "void my_net_a_1(const int8_t *in0, int16_t *out);"));
  CHECK(mentions(header, "void my_net_a_1_2(const int16_t *in0, int8_t *out);"));
  CHECK(mentions(header, "Task 1, layer 'a/1': elu"));
  const auto at = header.find("Output 'a.1':\n");
  REQUIRE(at != header.npos);
  CHECK(header.find(" of int8: element (c, y, x) at byte c / 8 * ", at) != header.npos);
  CHECK(header.find("'a.1' of [1, ", at) != header.npos);
  CHECK(mentions(source, "case 2: my_net_a_1_2_clear(buffers[1]); "
                         "my_net_a_1_2(buffers[0], buffers[1]); return 0;"));
  // 12 channels of two surfaces of 8: four lanes are free.
  CHECK(mentions(source, "static inline void my_net_a_1_2_clear(int8_t *to) {\n  int c, y, x;\n"
                         "  for (c = 12; c < 16; ++c)"));
}

TEST_CASE("a layer that takes the host's cube for one of more channels finds zeros there") {
  // The layer behind the reshape reads the 14 free lanes of 2 channels in fp16 as channels.
  net::graph g;
  const auto x = g.add("data", net::input{{3, 8, 8}});
  const auto weights = [](std::size_t n) { return randomness(4).reals(n); };
  const auto fc =
      g.add("fc", net::fully_connected{.outputs = 16, .weights = weights(16 * 192)}, {x});
  const auto lines = g.add("lines", net::reshape{{2, 8, 1}}, {fc});
  const auto y = g.add("softmax", host::on_host(host::softmax{}), {lines});
  const auto flat = g.add("flat", net::reshape{{16, 1, 1}}, {y});
  g[g.add("y", net::convolution{.kernels = 3, .weights = weights(48)}, {flat})].output = true;
  net::infer_shapes(g);
  check<nv_full>(g, host::choice::of({"softmax"}), hw::precision::fp16, 0.999);
}

TEST_CASE("the host multiplies two computed tensors between layers of NVDLA") {
  net::graph g;
  const auto x = g.add("data", net::input{{3, 8, 8}});
  const auto a = g.add("a", net::relu{}, {x});
  const auto product = g.add("product", host::on_host(host::matrix_product{}), {a, x});
  g[g.add("y", net::relu{}, {product})].output = true;
  net::infer_shapes(g);
  check<nv_small>(g, host::choice::of({"matrix_product"}), hw::precision::int8, 0.99);
  try {
    check<nv_small>(g, {}, hw::precision::int8, 0.99);
    FAIL("it was not refused");
  } catch (const error& e) {
    const std::string what = e.what();
    CHECK(what.find("layer 'product': no engine of NVDLA computes 'matrix_product', a product of "
                    "two computed tensors (let the host compute it: --host allow, or --host "
                    "matrix_product)") != what.npos);
  }
}

TEST_CASE("elements that are the largest of their neighbours, behind a layer of NVDLA") {
  net::graph g;
  const auto x = g.add("data", net::input{{3, 8, 8}});
  const std::vector<float> weights = randomness(4).reals(12);
  const auto c = g.add("c", net::convolution{.kernels = 4, .weights = weights}, {x});
  const net::window three{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                          .pad_bottom = 1, .pad_right = 1};
  const auto peaks = g.add("peaks", host::on_host(host::peak{three}), {c});
  g[g.add("y", net::multiply{}, {c, peaks})].output = true;
  net::infer_shapes(g);
  check<nv_small>(g, host::choice::all(), hw::precision::int8, 0.9);
}

TEST_CASE("elements are chosen by a computed condition between layers of NVDLA") {
  net::graph g;
  const auto x = g.add("data", net::input{{3, 8, 8}});
  const host::compare above{.relation = host::relation::greater, .number = 0.25F};
  const auto large = g.add("large", host::on_host(above), {x});
  const auto a = g.add("a", net::relu{}, {x});
  const auto chosen = g.add("chosen", host::on_host(host::where{.number = -0.5F}), {a, large});
  g[g.add("y", net::scale{.factor = {2}}, {chosen})].output = true;
  net::infer_shapes(g);
  check<nv_small>(g, host::choice::all(), hw::precision::int8, 0.95);
}
