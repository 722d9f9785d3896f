// SPDX-License-Identifier: Apache-2.0
// Small files that describe absurd work are refused before memory or time is spent on it.
#include <sys/resource.h>

#include <thread>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "darknet_model.hpp"
#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

// No more than so many bytes while it lives: an allocation beyond is std::bad_alloc, which fails.
class address_space {
 public:
  explicit address_space(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = std::min(before_.rlim_max, in_use() + bytes);
    setrlimit(RLIMIT_AS, &less);
  }
  ~address_space() { setrlimit(RLIMIT_AS, &before_); }
  address_space(const address_space&) = delete;
  address_space& operator=(const address_space&) = delete;

 private:
  static rlim_t in_use() {
    std::ifstream pages("/proc/self/statm");
    rlim_t n = 0;
    pages >> n;
    return n * 4096;
  }
  rlimit before_{};
};

// The defaults but for one limit.
budget with_limit(std::uint64_t budget::*which, std::uint64_t value) {
  budget limits;
  limits.*which = value;
  return limits;
}

constexpr rlim_t little = rlim_t{128} << 20;

net::graph read_within(const budget& limits, const std::string& content) {
  return import::onnx_from(content, "net.onnx", {}, {.limits = limits});
}

// The complaint about a network, found within little memory.
std::string refused_early(const std::string& content, const budget& limits = {}) {
  const auto message = [&] {
    const address_space few(little);
    return complaints([&] {
      auto g = read_within(limits, content);
      pass::standard::run(g);
    });
  }();
  CAPTURE(content.substr(0, 500));
  CHECK(mentions(message, "--limit "));
  return message;
}

// y = the operator n times, one behind the other.
std::string chain(int n, const char* type, const std::string& start, bool twice,
                  const std::string& attributes = {}) {
  std::string body, from = start;
  for (int i = 0; i < n; ++i) {
    const auto to = i + 1 == n ? std::string("y") : text("t", i);
    body += node(type, twice ? from + ' ' + from : from, to, attributes);
    from = to;
  }
  return body;
}

std::string pooling(const char* type, std::int64_t size, std::int64_t kernel, std::int64_t pad,
                    std::int64_t stride = 1) {
  return x_to_y({1, 1, size, size},
                node(type, "x", "y",
                     ints("kernel_shape", {kernel, kernel}) + ints("strides", {stride, stride}) +
                         ints("pads", {pad, pad, pad, pad})));
}

std::string transposed(std::int64_t stride, std::int64_t dilation) {
  return x_to_y({1, 1, 2, 2},
                floats("w", {1, 1, 2, 2}, {1, 2, 3, 4}) +
                    node("ConvTranspose", "x w", "y",
                         ints("strides", {stride, stride}) +
                             ints("dilations", {dilation, dilation})));
}

}  // namespace

TEST_CASE("tensors that double") {
  const auto few = with_limit(&budget::tensors, 1 << 22);  // whose elements are looked at each
  for (const auto axis : {1, 2, 3})
    CHECK(mentions(refused_early(x_to_y({1, 8, 8, 8}, chain(40, "Concat", "x", true,
                                                            integer("axis", axis))), few),
                   "elements of all tensors of a network"));
}

TEST_CASE("constants that double") {
  const auto k = floats("k", {1, 16}, std::vector<float>(16, 1));
  CHECK(mentions(refused_early(
                     x_to_y({1, 1}, k + chain(40, "Concat", "k", true, integer("axis", 1)))),
                 "too many elements for a constant"));
  CHECK(mentions(refused_early(x_to_y(
                     {1, 1}, integers("big", {1 << 14, 1 << 14}) +
                                 node("ConstantOfShape", "big", "k") + node("Add", "x k", "y"))),
                 "too many elements for a constant"));
  CHECK(mentions(refused_early(x_to_y({1, 1}, k + integers("n", {1 << 11, 1 << 11}) +
                                                  node("Tile", "k n", "t") +
                                                  node("Add", "x t", "y"))),
                 "too many elements for a constant"));
  CHECK(mentions(refused_early(x_to_y({1, 1}, k + integers("n", {1 << 11, 1 << 11, 1, 16}) +
                                                  node("Expand", "k n", "t") +
                                                  node("Add", "x t", "y"))),
                 "too many elements for a constant"));
}

TEST_CASE("weights that are filled with one number, as of models that are not trained") {
  const auto filled = [](std::int64_t outputs) {
    return x_to_y({1, 1024}, integers("shape", {1024, outputs}) +
                                 node("ConstantOfShape", "shape", "w") + node("Gemm", "x w", "y"));
  };
  CHECK(read(filled(32768))[1].shape == net::shape{32768, 1, 1});
  CHECK(mentions(refused_early(filled(1 << 18)), "--limit weights=268435456"));
  const auto few = with_limit(&budget::weights, 1 << 20);
  CHECK(mentions(refused_early(filled(1025), few), "--limit weights=1049600"));
}

TEST_CASE("movements that make far more of their input, of a tensor and of a constant") {
  const auto moved = [](const std::string& constants, const std::string& operation) {
    return refused_early(x_to_y({1, 1, 8, 8}, constants + operation));
  };
  constexpr auto many = "elements that one layer moves one by one";
  for (const char* mode : {"constant", "edge", "wrap"})
    for (const std::int64_t axis : {0, 1, 2, 3}) {
      std::vector<std::int64_t> pads(8, 0);
      pads[static_cast<std::size_t>(4 + axis)] = axis < 2 ? 1 << 20 : 1 << 23;
      CHECK(mentions(moved(integers("pads", pads), node("Pad", "x pads", "y", word("mode", mode))),
                     many));
    }
  CHECK(mentions(moved(integers("n", {1, 1, 1, 1 << 21}), node("Tile", "x n", "y")), many));
  CHECK(mentions(moved(integers("n", {1 << 20, 1, 8, 8}), node("Expand", "x n", "y")), many));
  CHECK(mentions(moved(integers("n", {0, 1 << 27, 8, 8}), node("Expand", "x n", "y")), many));
  CHECK(mentions(moved(integers("n", {1, 1, 8, 1 << 24}), node("Resize", "x - - n", "y")), many));
  for (const char* mode : {"linear", "cubic"})
    CHECK(mentions(moved(integers("n", {1, 1, 1, 1 << 27}),
                         node("Resize", "x - - n", "y", word("mode", mode))), many));
  CHECK(mentions(refused_early(x_to_y({1, 1 << 27}, integers("a", {0}) + integers("b", {1}) +
                                                        integers("c", {1}) +
                                                        node("Slice", "x a b c", "y"))), many));
}

TEST_CASE("windows that are far too large") {
  for (const char* type : {"AveragePool", "MaxPool"}) {
    CHECK(mentions(refused_early(pooling(type, 2000, 1000, 0)), "multiplications and comparisons"));
    CHECK(mentions(refused_early(pooling(type, 1000, 1000, 500)),
                   "multiplications and comparisons"));
  }
  CHECK(mentions(refused_early(pooling("AveragePool", 9000, 8999, 0)), "parts that one layer"));
}

TEST_CASE("transposed convolutions of many phases") {
  CHECK(mentions(refused_early(transposed(4096, 1)), "parts that one layer is computed in"));
  CHECK(mentions(refused_early(transposed(1, 8000)), "elements that one layer moves one by one"));
}

TEST_CASE("a large window that is meant is cut without following its elements") {
  const address_space few(little);
  auto g = read(pooling("AveragePool", 1003, 1000, 0));
  pass::standard::run(g);
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (const auto* m = std::get_if<net::move>(&g[n].op)) CHECK(m->boxes.size() == 1);
  CHECK(g.size() > 1024);
}

TEST_CASE("more nodes than any network has") {
  const auto few = with_limit(&budget::nodes, 1000);
  CHECK(mentions(complaints([&] {
                   (void)read_within(few, x_to_y({1, 1}, chain(1001, "Relu", "x", false)));
                 }),
                 "it has 1001 nodes or layers of a model, more than the limit of 1000 (if that is "
                 "meant, raise it: --limit nodes=1001)"));
  CHECK(read_within(few, x_to_y({1, 1}, chain(900, "Relu", "x", false))).size() == 901);
}

TEST_CASE("files of empty messages, which take far more memory than bytes") {
  const auto filled = [](const std::string& head, char tag) {
    std::string content = head;
    for (int i = 0; i < 5 << 20; ++i) content += {tag, '\0'};
    return content;
  };
  const address_space few(little);
  const auto check = [](const std::string& found) {
    CAPTURE(found);
    CHECK(mentions(found, "fields in the file"));
  };
  check(complaints([&] { (void)import::onnx_from(filled("\x08\x07", '\x42'), "f"); }));  // opsets
  check(complaints([&] {
    (void)import::proto::parse_binary(import::caffe_format::schema(), "NetParameter",
                                             "w", filled("", '\x12'), budget{}.fields);
  }));
  std::string text_form = "ir_version: 7 graph { ";
  for (int i = 0; i < 1 << 19; ++i) text_form += "node{}";
  check(complaints([&] { (void)import::onnx_from(text_form + "}", "f"); }));
  std::string layers;
  for (int i = 0; i < 1 << 19; ++i) layers += "layer{}";
  check(complaints([&] {
    (void)import::proto::parse_text(import::caffe_format::schema(), "NetParameter", "n", layers,
                                    budget{}.fields);
  }));
}

TEST_CASE("Darknet networks of absurd sizes") {
  const auto refused = [](net::shape in, const std::string& sections) {
    return complaints([&] {
      const address_space few(little);
      (void)import::darknet_format::read(
          {"n", darknet_model::cfg(in, sections)},
          import::darknet_format::weights(import::random_weights{1}, budget{}.weights), {});
    });
  };
  const auto check = [&](const std::string& sections, const char* part, net::shape in = {8, 8, 8}) {
    const auto found = refused(in, sections);
    CHECK_MESSAGE(mentions(found, part), found);
  };
  check("[convolutional]\nfilters=20000\nsize=101\npadding=100\n", "weights");
  check("[convolutional]\nfilters=1000000000\n", "filters is 1000000000");
  check("[connected]\noutput=100000000\n", "weights");
  check("[upsample]\nstride=60000\n", "elements");
  check("[upsample]\nstride=500\n", "--limit moved=");
  check("[reorg]\nstride=100000000\n", "cannot divide");
  check("[maxpool]\nsize=1000000000\n", "size is 1000000000");
  check("[maxpool]\nsize=8000\n", "--limit operations", {1, 9000, 9000});
  check("[activation]\n", "elements", {1 << 14, 1 << 14, 1 << 14});
  check("[activation]\n", "more than the limit", {1 << 9, 1 << 10, 1 << 9});
  std::string doubled;
  for (int i = 0; i < 40; ++i) doubled += "[route]\nlayers=-1,-1\n";
  check("[activation]\nactivation=relu\n" + doubled, "elements of all tensors of a network");
  std::string many;
  for (int i = 0; i < 70000; ++i) many += "[avg]\n";
  check(many, "nodes or layers of a model");
  check("[convolutional]\nfilters=4\ndilation=1000000\nsize=3\npad=1\n", "its padding is");
}

TEST_CASE("what the host computes counts as operations of the network") {
  // Inputs of 210 and 280 elements; 5 products of 6 x 7 by 7 x 8, with 240 sums of 7 products each.
  constexpr std::uint64_t all = (210 + 280) + (210 + 280 + 240) + 240 * 7;
  const auto attention = model("input " + value_info("x", {1, 5, 6, 7}) + "input " +
                               value_info("z", {1, 5, 7, 8}) + "output " + value_info("y", {1}) +
                               node("MatMul", "x z", "y"));
  const auto within = [&](std::uint64_t operations) {
    return complaints([&] {
      (void)read_within(with_limit(&budget::operations, operations), attention);
    });
  };
  CHECK(within(all) == "");
  CHECK(mentions(within(all - 1), text("--limit operations=", all).c_str()));
}

TEST_CASE("limits of files that are read at the same time") {
  const auto k = floats("k", {1, 16}, std::vector<float>(16, 1));
  const auto doubled = x_to_y({1, 64}, k + node("Concat", "k k", "a", integer("axis", 1)) +
                                           node("Concat", "a a", "b", integer("axis", 1)) +
                                           node("Add", "x b", "y"));
  const auto refusals = [&](const budget& limits) {
    int n = 0;
    for (int i = 0; i < 200; ++i)
      n += complaints([&] { (void)read_within(limits, doubled); }) == "" ? 0 : 1;
    return n;
  };
  int with_many = 0, with_few = 0;
  {
    const std::jthread beside([&] { with_many = refusals({}); });
    with_few = refusals({.moved = 16});
  }
  CHECK(with_many == 0);
  CHECK(with_few == 200);
}

TEST_CASE("every limit has a name, and its message tells how to raise it") {
  for (const auto& l : all_limits) {
    CHECK(&limit_of(l.value) == &l);
    const auto most = budget{}.*l.value;
    require_within(l.value, most, budget{});
    CHECK(mentions(complaints([&] { require_within(l.value, most + 1, budget{}); }),
                   text("--limit ", l.name, '=', most + 1).c_str()));
    require_within(l.value, most + 1, with_limit(l.value, most + 1));
    CHECK(mentions(complaints([&] { require_within(l.value, 3, 2); }),
                   "more than the limit of 2 (if that is meant"));
  }
}

TEST_CASE("factors of an interpolation count as constants that are computed") {
  const auto resize = [](std::int64_t lines) {
    return x_to_y({1, 1, 100, 90}, integers("n", {1, 1, lines, 130}) +
                                       node("Resize", "x - - n", "y", word("mode", "linear")));
  };
  CHECK(complaints([&] { (void)import::onnx_from(resize(151), "net.onnx"); }) == "");
  const auto few = with_limit(&budget::constants, 1000);
  // Two neighbours of each of 151 lines, and of each of 130 columns.
  CHECK(mentions(refused_early(resize(151), few), "elements: "));
  CHECK(mentions(refused_early(resize(151), few), "--limit constants="));
}
