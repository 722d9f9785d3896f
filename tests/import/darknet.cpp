// SPDX-License-Identifier: Apache-2.0
// Small Darknet networks with known results, and files that are refused.
#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/darknet/functions.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/net/verify.hpp>

#include "darknet_model.hpp"

using namespace darknet_model;
using std::string;

namespace {

const string linear = "[activation]\nactivation=linear\n";  // gives what it reads

std::vector<string> names(const net::graph& g) {
  std::vector<string> all;
  for (net::graph::id n = 0; n < g.size(); ++n) all.push_back(g[n].name);
  return all;
}

}  // namespace

TEST_CASE("a Darknet convolution, its normalisation and its function") {
  const string plain = "[convolutional]\nfilters=2\nsize=1\nactivation=linear\n";
  CHECK(result_of({2, 1, 1}, plain, {3, 4}, {10, 20, 1, 2, 0, -1}) == floats{21, 16});
  // Biases, factors, means and variances come before the weights; the bias is added at the end.
  const string normal = "[convolutional]\nbatch_normalize=1\nactivation=leaky\n";
  const auto n = network(cfg({1, 1, 2}, normal), {1, 3, 2, 4 - 1e-5F, 0.5F});
  const auto y = run(n, {10, -10}).at(0);
  CHECK(y.first == "convolutional_0");
  CHECK(y.second[0] == doctest::Approx(1 + 3 * (5 - 2) / 2.0));
  CHECK(y.second[1] == doctest::Approx(0.1 * (1 + 3 * (-5 - 2) / 2.0)));
  CHECK(names(n.graph) == std::vector<string>{"input", "convolutional_0/sum",
                                              "convolutional_0/batch_norm", "convolutional_0"});
  const auto other = network(cfg({1, 1, 2}, normal), {1, 3, 2, 0, 0.5F}, {.epsilon = 0.25F});
  CHECK(run(other, {10, -10}).at(0).second[0] == doctest::Approx(1 + 3 * (5 - 2) / 0.5));
}

TEST_CASE("Darknet's paddings") {
  // pad=1 is half of the size; a pooling's padding is the sum of both sides, size - 1 by default.
  const string conv = "[convolutional]\nsize=3\nactivation=linear\n";
  CHECK(result_of({1, 3, 3}, conv, counting(9), {0, 1, 1, 1, 1, 1, 1, 1, 1, 1}) == floats{36});
  CHECK(result_of({1, 3, 3}, conv + "pad=1\n", counting(9), {0, 1, 1, 1, 1, 1, 1, 1, 1, 1})[0] ==
        0 + 1 + 3 + 4);
  CHECK(result_of({1, 3, 3}, conv + "padding=2\n", counting(9), {0, 1, 1, 1, 1, 1, 1, 1, 1, 1})
            .size() == 25);
  const auto pooled = [](const string& options, std::int32_t n) {
    return result_of({1, 1, n}, "[maxpool]\n" + options, counting(static_cast<std::size_t>(n)));
  };
  CHECK(pooled("size=2\nstride=2", 4) == floats{1, 3});
  CHECK(pooled("size=2\nstride=2", 5) == floats{1, 3, 4});
  CHECK(pooled("size=2\nstride=1", 4) == floats{1, 2, 3, 3});
  CHECK(pooled("size=3\nstride=1", 4) == floats{1, 2, 3, 3});
  CHECK(pooled("size=3\nstride=2", 4) == floats{1, 3});
  CHECK(pooled("size=5\nstride=1", 4) == floats{2, 3, 3, 3});
  CHECK(pooled("stride=2", 4) == floats{1, 3});
  CHECK(result_of({1, 1, 4}, "[maxpool]\nsize=1\nstride=2\npadding=0", {3, 1, 2, 9}) ==
        floats{3, 2});
  CHECK(result_of({1, 1, 4}, "[local_avgpool]\nsize=3\nstride=1", {3, 6, 9, 12}) ==
        floats{4.5F, 6, 9, 10.5F});
  CHECK(result_of({2, 1, 2}, "[avgpool]", {1, 3, 5, 9}) == floats{2, 7});
  CHECK(mentions(refused(cfg({1, 1, 2}, "[maxpool]\nsize=3\nstride=1\npadding=0")),
                 "layer 'maxpool_0': its window of 3 is larger than the padded input of 1"));
}

TEST_CASE("Darknet layers that read others") {
  const string twice = "[convolutional]\nfilters=3\nactivation=linear\n";
  const floats trained{0, 0, 0, 1, 2, 3};
  const auto both = [&](const string& sections) {
    return result_of({1, 1, 2}, twice + sections, {1, 10}, trained);
  };
  CHECK(both("[route]\nlayers=-1") == floats{1, 10, 2, 20, 3, 30});
  CHECK(both(linear + "[route]\nlayers = -1, 0\n") ==
        floats{1, 10, 2, 20, 3, 30, 1, 10, 2, 20, 3, 30});
  CHECK(both("[route]\nlayers=-1\ngroups=3\ngroup_id=1") == floats{2, 20});
  CHECK(both(linear + "[route]\nlayers=0,1\ngroups=3\ngroup_id=2") == floats{3, 30, 3, 30});
  CHECK(both("[shortcut]\nfrom=-1") == floats{2, 20, 4, 40, 6, 60});
  CHECK(both(linear + "[shortcut]\nfrom=0,1\nactivation=relu") == floats{3, 30, 6, 60, 9, 90});
  // Only channels that the input has, and as many as there are.
  const string one = "[route]\nlayers=0\ngroups=3\ngroup_id=2\n";
  CHECK(both(one + "[shortcut]\nfrom=0") == floats{4, 40});
  CHECK(both(one + "[route]\nlayers=0\n[shortcut]\nfrom=1") == floats{4, 40, 2, 20, 3, 30});
  // Every so many elements of a larger picture are taken, as the original Darknet does.
  const string half = linear + "[maxpool]\nsize=1\nstride=2\npadding=0\n";
  CHECK(result_of({1, 2, 4}, half + "[shortcut]\nfrom=0", counting(8)) == floats{0, 4});
  CHECK(mentions(refused(cfg({1, 3, 4}, half + "[shortcut]\nfrom=0")),
                 "net.cfg:13: layer 'shortcut_2': it adds a picture of 3 x 4 to one of 2 x 2"));
  CHECK(both("[avgpool]\n[scale_channels]\nfrom=0") == floats{5.5F, 55, 22, 220, 49.5F, 495});
  CHECK(both("[activation]\nactivation=relu\n[sam]\nfrom=0\nactivation=relu6") ==
        floats{1, 6, 4, 6, 6, 6});
  CHECK(both("[dropout]\nprobability=.5\n[cost]\ntype=sse") == floats{1, 10, 2, 20, 3, 30});
  CHECK(both("[dropout]\n[silence]\n[empty]") == floats{1, 10, 2, 20, 3, 30});
}

TEST_CASE("Darknet layers that move elements") {
  CHECK(result_of({1, 1, 2}, "[upsample]\nstride=2", {1, 2}) ==
        floats{1, 1, 2, 2, 1, 1, 2, 2});
  CHECK(result_of({1, 1, 2}, "[upsample]\nstride=1\nscale=.5", {1, 2}) == floats{0.5F, 1});
  CHECK(result_of({1, 3, 4}, "[crop]\ncrop_height=1\ncrop_width=2\nnoadjust=1", counting(12)) ==
        floats{5, 6});
  CHECK(result_of({1, 3, 4}, "[crop]\ncrop_height=1\ncrop_width=2", counting(12)) ==
        floats{9, 11});
  // Space to depth, and the order that the older layer makes instead.
  CHECK(result_of({1, 2, 2}, "[reorg3d]\nstride=2", counting(4)) == counting(4));
  CHECK(result_of({1, 2, 4}, "[reorg3d]\nstride=2", counting(8)) ==
        floats{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(result_of({4, 2, 2}, "[reorg]\nstride=2", counting(16)) ==
        floats{0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15});
  // Each is turned around by the other.
  for (const auto& [there, back] : {std::pair{"[reorg]", "[reorg3d]"}, {"[reorg3d]", "[reorg]"}}) {
    const auto first = text(there, "\nstride=2\n"), second = text(back, "\nstride=2\nreverse=1\n");
    CHECK(result_of({16, 2, 2}, first, counting(64)) != counting(64));
    CHECK(result_of({16, 2, 2}, first + second, counting(64)) == counting(64));
  }
  CHECK(mentions(refused(cfg({3, 2, 2}, "[reorg]\nstride=2")), "does not divide them"));
  CHECK(mentions(refused(cfg({4, 3, 2}, "[reorg]\nstride=2")), "cannot divide 4 x 3 x 2"));
}

TEST_CASE("the reorganisation of YOLO's second version") {
  const auto n = network(cfg({64, 26, 26}, "[reorg]\nstride=2"));
  const auto x = counting(64 * 26 * 26);
  const auto y = run(n, x).at(0).second;
  REQUIRE(y.size() == x.size());
  bool same = true;
  for (std::size_t k = 0; k < 64; ++k)
    for (std::size_t j = 0; j < 26; ++j)
      for (std::size_t i = 0; i < 26; ++i) {
        const auto offset = k / 16, w = 2 * i + offset % 2, h = 2 * j + offset / 2;
        same = same && y[i + 26 * (j + 26 * k)] == x[w + 52 * (h + 52 * (k % 16))];
      }
  CHECK(same);
  CHECK(n.graph.outputs().size() == 1);
  CHECK(n.graph[n.graph.outputs()[0]].shape == net::shape{256, 13, 13});
}

TEST_CASE("Darknet's rows") {
  const string row = "[connected]\noutput=2\nactivation=linear\n";
  const floats values{10, 20, 1, 2, 3, 4};
  CHECK(result_of({1, 1, 2}, row, {1, 2}, values) == floats{15, 31});
  const auto turned = import::darknet_network_from(
      {"n", cfg({1, 1, 2}, row)}, {"w", weights(values, 0, 1001)});
  CHECK(run(turned, {1, 2}).at(0).second == floats{17, 30});
  CHECK(result_of({1, 1, 2}, row + "batch_normalize=1", {1, 2},
                  {10, 20, 1, 2, 3, 4, 1, 2, 5, 11, 1, 1})[1] == doctest::Approx(20).epsilon(1e-4));
  const auto soft = result_of({1, 1, 2}, "[softmax]\ntemperature=2", {0, 2});
  CHECK(soft[1] == doctest::Approx(1 / (1 + std::exp(-1))));
  CHECK(result_of({3, 1, 1}, "[softmax]", {1, 1, 1})[2] == doctest::Approx(1 / 3.0));
  const string norm = "[batchnorm]\n";
  CHECK(result_of({1, 1, 1}, norm, {7}, {1, 2, 3, 4})[0] == doctest::Approx(5).epsilon(1e-4));
  const auto inputs = network("[net]\ninputs=2\n" + row, values);
  CHECK(run(inputs, {1, 2}).at(0).second == floats{15, 31});
  // Each element of the input adds its kernel to the output.
  CHECK(result_of({1, 1, 2}, "[deconvolutional]\nsize=2\nstride=2\nactivation=linear", {1, 10},
                  {0, 1, 2, 3, 4}) == floats{1, 2, 10, 20, 3, 4, 30, 40});
}

TEST_CASE("Darknet's functions") {
  const auto of = [](const string& function, float x) {
    return result_of({1, 1, 1}, "[convolutional]\nactivation=" + function, {x}, {0, 1})[0];
  };
  struct known {
    const char* function;
    double below, above;  // of -2 and 3
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const known all[] = {{"linear", -2, 3}, {"relu", 0, 3}, {"leaky", -0.2, 3}, {"revleaky", -0.2, 3},
                       {"relie", -0.02, 3}, {"ramp", -0.2, 3.3}, {"hardtan", -1, 1},
                       {"relu6", 0, 3},
                       {"logistic", sigmoid(-2), sigmoid(3)},
                       {"loggy", 2 * sigmoid(-2) - 1, 2 * sigmoid(3) - 1},
                       {"tanh", std::tanh(-2), std::tanh(3)},
                       {"elu", std::exp(-2) - 1, 3},
                       {"selu", 1.0507 * 1.6732 * (std::exp(-2) - 1), 1.0507 * 3},
                       {"swish", -2 * sigmoid(-2), 3 * sigmoid(3)},
                       {"mish", -2 * std::tanh(std::log1p(std::exp(-2))),
                        3 * std::tanh(std::log1p(std::exp(3)))},
                       {"gelu", -0.04540, 2.99636}};
  CHECK(std::size(all) == import::darknet_format::functions().size());
  for (const auto& f : all) {
    CAPTURE(f.function);
    CHECK(of(f.function, -2) == doctest::Approx(f.below).epsilon(1e-4));
    CHECK(of(f.function, 3) == doctest::Approx(f.above).epsilon(1e-4));
  }
  CHECK(of("relu6", 8) == 6);
}

TEST_CASE("heads of Darknet give what enters them") {
  const string heads =
      "[convolutional]\nfilters=6\nactivation=linear\n[yolo]\nmask=2\nclasses=1\nanchors=1,2\n"
      "[route]\nlayers=0\n[convolutional]\nfilters=18\nactivation=linear\n"
      "[yolo]\nmask=0,1,\nclasses=4\nnum=3\n";
  floats trained(6 + 6 + 18 + 18 * 6, 0.0F);
  for (std::size_t k = 0; k < 6; ++k) trained[6 + k] = static_cast<float>(k);
  const auto n = network(cfg({1, 1, 1}, heads), trained);
  const auto y = run(n, {2});
  REQUIRE(y.size() == 2);
  CHECK(y[0].first == "convolutional_0");
  CHECK(y[0].second == floats{0, 2, 4, 6, 8, 10});
  CHECK(y[1].first == "convolutional_3");
  REQUIRE(n.notes.size() == 2);
  CHECK(to_string(n.notes[1]) ==
        "net.cfg:18: layer 'yolo_4': what enters this head, 'convolutional_3', is an output; the "
        "host makes boxes of it");
  const auto into = [](const string& head, int channels) {
    return refused(cfg({1, 1, 1}, text("[convolutional]\nactivation=linear\nfilters=", channels,
                                       "\n", head)),
                   floats(2 * static_cast<std::size_t>(channels), 1.0F));
  };
  CHECK(into("[region]\nnum=2\nclasses=3\ncoords=4", 16).empty());
  CHECK(into("[Gaussian_yolo]\nmask=1\nclasses=2", 11).empty());
  CHECK(into("[detection]\nside=1\nnum=2\ncoords=4\nclasses=3", 13).empty());
  CHECK(into("[yolo]\nnum=2\nclasses=3", 16).empty());
  CHECK(mentions(into("[yolo]\nnum=2\nclasses=4", 16),
                 "net.cfg:9: layer 'yolo_1': it takes 18 channels, but 16 enter it"));
  CHECK(mentions(into("[yolo]\nnum=2\nclasses=3\n[activation]", 16),
                 "layer 'activation_2': it reads what the head at layer 1 gives (heads are left to "
                 "the host; or read the part before: --to convolutional_0)"));
}

TEST_CASE("pictures of Darknet") {
  CHECK(network(cfg({3, 1, 1}, linear)).preprocessing ==
        net::preprocessing{{0}, {1 / 255.0}, net::channel_order::rgb});
  CHECK(network(cfg({1, 1, 1}, linear)).preprocessing->order == net::channel_order::grey);
  CHECK(!network(cfg({2, 1, 1}, linear)).preprocessing);
  const auto boxed = network(cfg({3, 1, 1}, linear, "letter_box=1"));
  REQUIRE(boxed.notes.size() == 1);
  CHECK(mentions(boxed.notes[0].reason, "grey fills the rest"));
}

TEST_CASE("comments and spaces of a cfg") {
  const auto n = network("# a network\n; of 2\r\n [ net ] # here\r\nwidth = 1 ; wide\nheight=+1\n"
                         "channels\t= 1\n\n[activation]\nactivation = relu # known\n");
  CHECK(run(n, {-1}).at(0).second == floats{0});
}

TEST_CASE("all problems of a cfg at once, with their lines") {
  const auto found = refused(
      "[net]\nwidth=2\nheight=2\nchannels=1\ncolour=3\n"                      // 5
      "[convolutional]\nfilters=x\nactivation=none\n"                          // 7
      "[convolutional]\nactivation=none\n"                                     // 10
      "[maxpool]\nsize=2\nstretch=1\nwords\n"                                  // 13, 14
      "[gru]\noutput=1\n[lrn]\n[maxpol]\n[maxpol]\n[route]\nlayers=-20\n");
  for (const char* part :
       {"net.cfg:5: the option colour of [net] is not understood",
        "net.cfg:7: layer 'convolutional_0': filters=x is not a whole number",
        "net.cfg:13: the option stretch of [maxpool] is not understood",
        "net.cfg:14: the line is neither [section] nor key=value",
        "net.cfg:15: layer 'gru_3': sections [gru] keep a state from one input to the next",
        "layer 'lrn_4': sections [lrn] are not supported: Darknet's own sum leaves out",
        "layer 'maxpol_5': sections [maxpol] are not supported (supported are Gaussian_yolo, ",
        "net.cfg:20: layer 'route_7': it reads layer -20, which is none before it"})
    CHECK_MESSAGE(mentions(found, part), found);
  CHECK(mentions(refused(cfg({1, 1, 1}, "[convolutional]\nactivation=hard_mish\n"), {0, 1}),
                 "net.cfg:7: layer 'convolutional_0': activation=hard_mish is not supported "
                 "(supported are elu, "));
  CHECK(mentions(refused(cfg({1, 1, 1}, "[connected]\nactivation=mish\n"), {0, 1}),
                 "where Darknet computes none (convolutional and shortcut layers have it)"));
  CHECK(mentions(refused("[net]\nwidth=1\n[avgpool]\n"), "net.cfg:1: the network has no input"));
  CHECK(mentions(refused("[net]\nwidth=1\nheight=1\nchannels=1\n"), "has no layers"));
  CHECK(mentions(refused(cfg({1, 1, 1}, linear, "width=2")),
                 "net.cfg:5: width is given twice, as 1 and as 2"));
  CHECK(refused(cfg({1, 1, 1}, linear, "batch=1\nbatch=2")).empty());
  CHECK(mentions(refused("[avgpool]\n[net]\n"), "this is a JSON file, not a cfg of Darknet"));
  CHECK(mentions(refused(cfg({1, 1, 1}, linear + "[net]\n")), "a second [net]"));
}

TEST_CASE("weights that do not belong to the cfg") {
  const string two = cfg({1, 1, 1}, "[convolutional]\n[convolutional]\nfilters=3\n");
  CHECK(refused(two, counting(8)).empty());
  CHECK(mentions(refused(two, counting(9)),
                 "net.weights: the layers take 8 values, but there are 1 more (cfg and weights do "
                 "not belong together, or the file is cut off)"));
  CHECK(mentions(refused(two, counting(7)), "net.weights: layer 'convolutional_1': the weights end "
                                            "at its weights: 1 of the 8 values of the network are "
                                            "missing"));
  CHECK(mentions(refused(two, {}), "layer 'convolutional_0': the weights end at its bias: 8 of the "
                                   "8 values"));
  const auto with = [&](const string& content) {
    return complaints([&] { (void)import::darknet_network_from({"n", two}, {"w", content}); });
  };
  const auto good = weights(counting(8));
  CHECK(with(good).empty());
  CHECK(with(weights(counting(8), 0, 1)).empty());
  CHECK(mentions(with(good.substr(0, 11)), "does not start with the version"));
  CHECK(mentions(with(good.substr(0, 19)), "it ends in its header"));
  CHECK(mentions(with(good + "x"), "it has 33 bytes behind its header"));
  CHECK(mentions(with(two), "this is a Darknet cfg, not Darknet's weights"));
  CHECK(mentions(with("\xff\xd8\xff 0123456789012345"), "this is a JPEG picture"));
  auto infinite = counting(8);
  infinite[1] = INFINITY;
  CHECK(mentions(refused(two, infinite),
                 "net.cfg:6: layer 'convolutional_0/sum': value 0 of its weights is "));
}

TEST_CASE("Darknet's files are told by their content") {
  const scratch directory;
  const auto net = directory.write("a", cfg({3, 1, 1}, "[convolutional]\n"));
  const auto values = directory.write("b", weights({0, 1, 2, 3}));
  const auto n = import::any_network(net, values);
  CHECK(n.graph.size() == 3);
  CHECK(n.external == std::vector<std::filesystem::path>{values});
  CHECK(mentions(complaints([&] { (void)import::any_network(net); }),
                 "this is a Darknet cfg, which holds no weights (give its weights, or random"));
  CHECK(mentions(complaints([&] { (void)import::any_network(values, net); }),
                 "this is a file of Darknet's weights (give the cfg first, then the weights)"));
  CHECK(mentions(complaints([&] { (void)import::any_network(net, values, {.to = {"x"}}); }),
                 "layer 'x': the file has no such layer"));
  CHECK(mentions(complaints([&] {
                   (void)import::any_network(net, values, {.shapes = {{"input", {1, 3, 1, 1}}}});
                 }),
                 "tells the shapes of all its tensors itself (leave out --shape)"));
  const auto noise = import::any_network(net, import::random_weights{7});
  CHECK(noise.preprocessing);
  CHECK(noise.graph.size() == 3);
  import::part option;
  option.epsilon = 0.5F;
  const auto normal = directory.write("c", cfg({1, 1, 1}, "[batchnorm]\n"));
  const auto one = directory.write("d", weights({0, 1, 0, 0.5F}));
  CHECK(run(import::any_network(normal, one, option), {7}).at(0).second[0] == doctest::Approx(7));
  const auto prototxt = directory.write("e", "layer { }");
  CHECK(mentions(complaints([&] { (void)import::any_network(prototxt, one, option); }),
                 "which tells the epsilon of batch normalisations itself"));
  option.epsilon = -1.0F;
  CHECK(mentions(complaints([&] { (void)import::any_network(normal, one, option); }),
                 "the epsilon of its batch normalisation is -1"));
}

TEST_CASE("the time for a Darknet network grows as its sections do") {
  std::string one = "[maxpool]\nsize=1\nstride=1\n", dropped, summed = one;
  for (int i = 0; i < 60'000; ++i) dropped += "[dropout]\nprobability=.5\n";
  for (int i = 0; i < 20'000; ++i) summed += "[shortcut]\nfrom=-1\nactivation=linear\n";
  const auto seconds = [](const std::string& sections) {
    const auto start = std::clock();
    (void)network(cfg({1, 1, 1}, sections));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  CHECK(seconds(dropped) < 20);  // more than a minute where lines are sought in all that follows
  CHECK(seconds(summed) < 20);
}
