// SPDX-License-Identifier: Apache-2.0
// Every option of every section: another value gives another result or is refused, or is one of
// those that do not matter here.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/darknet/layer_types.hpp>

#include "darknet_model.hpp"
#include "outcome.hpp"

using namespace darknet_model;
using std::string;

namespace {

struct option {
  string section, name;
  string value;        // another one than that in force
  string complaint{};  // empty: it gives another result
};

// One layer of each type in a network, with what stands before it.
const std::map<string, string>& layers() {
  static const std::map<string, string> all = {
      {"activation", "[activation]\nactivation=linear\n"},
      {"connected", "[connected]\noutput=2\n"},
      {"convolutional", "[convolutional]\nfilters=4\nsize=3\nstride=2\n"},
      {"crop", "[crop]\ncrop_height=4\ncrop_width=4\n"},
      {"deconvolutional", "[deconvolutional]\nfilters=2\nsize=3\nstride=2\n"},
      {"local_avgpool", "[local_avgpool]\nsize=3\nstride=2\n"},
      {"maxpool", "[maxpool]\nsize=3\nstride=2\n"},
      {"reorg", "[reorg]\nstride=2\n"},
      {"reorg3d", "[reorg3d]\nstride=2\n"},
      {"route", "[activation]\nactivation=relu\n[activation]\nactivation=leaky\n"
                "[route]\nlayers=-1\n"},
      {"sam", "[activation]\nactivation=relu\n[activation]\nactivation=tanh\n[sam]\nfrom=0\n"},
      {"scale_channels", "[activation]\nactivation=relu\n[activation]\nactivation=tanh\n"
                         "[avgpool]\n[scale_channels]\nfrom=0\n"},
      {"shortcut", "[activation]\nactivation=relu\n[activation]\nactivation=tanh\n"
                   "[shortcut]\nfrom=0\n"},
      {"softmax", "[softmax]\n"},
      {"upsample", "[upsample]\nstride=2\n"},
      {"yolo", "[yolo]\nnum=1\nclasses=3\n"},
      {"Gaussian_yolo", "[Gaussian_yolo]\nnum=2\nclasses=-5\n"},
      {"region", "[region]\nnum=1\nclasses=3\ncoords=4\n"},
      {"detection", "[detection]\nside=6\nnum=1\ncoords=3\nclasses=4\n"},
  };
  return all;
}

const std::vector<option>& options() {
  static const std::vector<option> all = {
      {"activation", "activation", "relu"},
      {"connected", "output", "3"},
      {"connected", "activation", "relu"},
      {"connected", "batch_normalize", "1"},
      {"convolutional", "filters", "2"},
      {"convolutional", "size", "1"},
      {"convolutional", "stride", "1"},
      {"convolutional", "stride_x", "1"},
      {"convolutional", "stride_y", "1"},
      {"convolutional", "pad", "1"},
      {"convolutional", "padding", "2"},
      {"convolutional", "groups", "2"},
      {"convolutional", "dilation", "2", "Darknet's own sizes disagree"},
      {"convolutional", "activation", "relu"},
      {"convolutional", "batch_normalize", "1"},
      {"convolutional", "cbn", "1"},
      {"convolutional", "antialiasing", "1", "antialiasing=1 is not supported"},
      {"convolutional", "binary", "1", "binary=1 is not supported"},
      {"convolutional", "xnor", "1", "xnor=1 is not supported"},
      {"convolutional", "bin_output", "1", "bin_output=1 is not supported"},
      {"convolutional", "flipped", "1", "flipped=1 is not supported"},
      {"convolutional", "coordconv", "1", "coordconv=1 is not supported"},
      {"convolutional", "sway", "1", "sway=1 is not supported"},
      {"convolutional", "rotate", "1", "rotate=1 is not supported"},
      {"convolutional", "stretch", "1", "stretch=1 is not supported"},
      {"convolutional", "stretch_sway", "1", "stretch_sway=1 is not supported"},
      {"convolutional", "share_index", "0", "shares the weights of another layer"},
      {"crop", "crop_height", "3"},
      {"crop", "crop_width", "5"},
      {"crop", "noadjust", "1"},
      {"deconvolutional", "filters", "1"},
      {"deconvolutional", "size", "2"},
      {"deconvolutional", "stride", "1"},
      {"deconvolutional", "pad", "1"},
      {"deconvolutional", "padding", "2"},
      {"deconvolutional", "activation", "relu"},
      {"deconvolutional", "batch_normalize", "1"},
      {"deconvolutional", "flipped", "1", "flipped=1 is not supported"},
      {"local_avgpool", "size", "2"},
      {"local_avgpool", "stride", "1"},
      {"local_avgpool", "stride_x", "1"},
      {"local_avgpool", "stride_y", "1"},
      {"local_avgpool", "padding", "0"},
      {"maxpool", "size", "2"},
      {"maxpool", "stride", "1"},
      {"maxpool", "stride_x", "1"},
      {"maxpool", "stride_y", "1"},
      {"maxpool", "padding", "0"},
      {"maxpool", "maxpool_depth", "1", "maxpool_depth=1 is not supported"},
      {"maxpool", "antialiasing", "1", "antialiasing=1 is not supported"},
      {"reorg", "stride", "1"},
      {"reorg", "reverse", "1"},
      {"reorg3d", "stride", "1"},
      {"reorg3d", "reverse", "1", "divide"},
      {"route", "layers", "0,1"},
      {"route", "groups", "2"},
      {"route", "group_id", "1", "group_id is 1 of 1 groups"},
      {"sam", "from", "1"},
      {"sam", "activation", "tanh"},
      {"scale_channels", "from", "1"},
      {"scale_channels", "activation", "tanh"},
      {"scale_channels", "scale_wh", "1", "scale_wh=1 is not supported"},
      {"shortcut", "from", "1"},
      {"shortcut", "activation", "mish"},
      {"shortcut", "weights_type", "per_feature", "weights_type=per_feature is not supported"},
      {"softmax", "groups", "2", "over each of 2 groups"},
      {"softmax", "temperature", "2"},
      {"softmax", "spatial", "1", "spatial=1 is not supported"},
      {"softmax", "tree", "a", "tree of classes"},
      {"upsample", "stride", "3"},
      {"upsample", "scale", "2"},
      {"yolo", "classes", "4", "it takes 9 channels, but 8 enter it"},
      {"yolo", "num", "2", "it takes 16 channels"},
      {"yolo", "mask", "0,1", "it takes 16 channels"},
      {"region", "classes", "4", "it takes 9 channels"},
      {"region", "num", "2", "it takes 16 channels"},
      {"region", "coords", "3", "it takes 7 channels"},
      {"detection", "classes", "5", "it takes 324 values, but 288 enter it"},
      {"detection", "num", "2", "values"},
      {"detection", "coords", "4", "values"},
      {"detection", "side", "5", "values"},
      {"Gaussian_yolo", "classes", "1", "it takes 20 channels"},
      {"Gaussian_yolo", "num", "1", "classes is -5"},
      {"Gaussian_yolo", "mask", "0", "classes is -5"},
  };
  return all;
}

// A network of one layer with noise for weights.
outcome of(const string& section, const string& more = {}) {
  return outcome_of([&] {
    return import::darknet_format::read(
               {"net.cfg", cfg({8, 6, 6}, layers().at(section) + more)},
               import::darknet_format::weights(import::random_weights{3}, budget{}.weights),
               {}).graph;
  });
}

// The layer with another value of an option.
outcome with(const option& o) {
  auto whole = layers().at(o.section);
  const auto last = whole.rfind('[');
  if (const auto at = whole.find("\n" + o.name + "=", last); at != whole.npos)
    whole.erase(at + 1, whole.find('\n', at + 1) - at);
  return outcome_of([&] {
    return import::darknet_format::read(
               {"net.cfg", cfg({8, 6, 6}, whole + o.name + "=" + o.value + "\n")},
               import::darknet_format::weights(import::random_weights{3}, budget{}.weights),
               {}).graph;
  });
}

void for_each_word(std::string_view words, const auto& action) {
  while (!words.empty()) {
    const auto space = std::min(words.find(' '), words.size());
    action(string(words.substr(0, space)));
    words.remove_prefix(std::min(space + 1, words.size()));
  }
}

}  // namespace

TEST_CASE("every option of a Darknet section that is understood counts") {
  std::set<std::pair<string, string>> tried;
  for (const auto& o : options()) {
    CAPTURE(o.section);
    CAPTURE(o.name);
    CHECK(tried.emplace(o.section, o.name).second);
    const auto before = of(o.section), after = with(o);
    if (!o.complaint.empty()) {
      CHECK_MESSAGE(mentions(after.complaint, o.complaint), after.complaint);
      continue;
    }
    CHECK_MESSAGE(before.accepted(), before.complaint);
    CHECK_MESSAGE(after.accepted(), after.complaint);
    CHECK(!before.same_result(after));
  }
  const std::set<string> others = {"conv", "conn", "max", "avg", "soft", "local_avg", "deconv"};
  for (const auto& [section, type] : import::darknet_format::layer_types())
    if (!others.contains(string(section)))
      for_each_word(type.options, [&](const string& name) {
        INFO(section << ' ' << name);
        CHECK(tried.contains({string(section), name}));
      });
}

TEST_CASE("options of training and of the host change nothing") {
  for (const auto& [section, whole] : layers()) {
    const auto before = of(section);
    const auto& type = import::darknet_format::layer_types().at(section);
    const auto ignored = [&](const string& name) {
      CAPTURE(section);
      CAPTURE(name);
      CHECK(before == of(section, name + "=1\n"));
    };
    for_each_word(type.ignored, ignored);
    ignored("stopbackward");
    CHECK(mentions(of(section, "colour=1\n").complaint, "the option colour of ["));
    for (const string name : {"dontload", "dontloadscales", "numload"})
      CHECK_FALSE(of(section, name + "=1\n").accepted());
  }
  const auto net = [](const string& more) {
    return outcome_of([&] {
      return network(cfg({1, 2, 2}, "[avgpool]\n", more)).graph;
    });
  };
  for_each_word(import::darknet_format::ignored_net_options,
                [&](const string& name) { CHECK(net("") == net(name + "=1")); });
  CHECK(net("inputs=4").accepted());
  CHECK(mentions(net("inputs=5").complaint, "a width of 2 and 5 values"));
  CHECK(mentions(net("colour=5").complaint, "the option colour of [net] is not understood"));
}

TEST_CASE("dilated Darknet convolutions") {
  const string wide = "[convolutional]\nsize=3\npad=1\ndilation=2\nactivation=linear\n";
  floats values(10, 1.0F);
  values[0] = 0;
  CHECK(result_of({1, 5, 5}, wide, counting(25), values)[12] == 2 * (0 + 2 + 4) / 2 + 10 + 12 + 14 +
                                                                    20 + 22 + 24);
}
