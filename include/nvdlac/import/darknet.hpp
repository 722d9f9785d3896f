// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/layer_types.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import::darknet_format {

// Reads one network, section by section.
class reader {
 public:
  reader(const std::string& file, std::string_view content, weights& values, float epsilon)
      : file_(file),
        content_(content),
        weights_(values),
        epsilon_(epsilon),
        net_(file, problems_) {}

  network read() {
    if (!std::isfinite(epsilon_) || epsilon_ < 0)
      complain({.reason = text("the epsilon of its batch normalisation is ", epsilon_)});
    diagnostics broken;
    const auto sections = nvdlac::in_file(file_, [&] { return sections_of(content_, broken); });
    for (const auto& p : broken.problems()) complain(p);
    if (sections.empty() || !is_net(sections[0])) {
      complain({.line = sections.empty() ? 0 : sections[0].line,
                .reason = "its first section is not [net]"});
      problems_.check();
    }
    for (const auto& s : sections) check_options(s);
    const bool has_input = attempt(sections[0], "", [&] { input(sections[0]); });
    for (std::size_t i = 1; i < sections.size(); ++i) layer(sections[i], has_input);
    if (sections.size() == 1) complain({.reason = "the network has no layers"});
    if (!given_.empty() && given_.back().node) mark_output(sections.back(), *given_.back().node);
    if (problems_.empty())
      if (auto p = weights_.wrong()) problems_.add(*std::move(p));
    auto graph = net_.finish();
    return {.graph = std::move(graph), .preprocessing = net_.preprocessing(),
            .notes = std::move(notes_)};
  }

 private:
  static bool is_net(const section& s) { return s.type == "net" || s.type == "network"; }

  void complain(problem p) {
    p.file = file_;
    problems_.add(std::move(p));
  }
  void complain(const section& s, const std::string& layer, const error& e) {
    for (problem p : e.problems()) {
      if (p.line == 0) p.line = s.line;
      p.layer = layer;
      complain(std::move(p));
    }
  }
  template <class Action>
  bool attempt(const section& s, const std::string& layer, Action action) {
    try {
      action();
      return true;
    } catch (const error& e) {
      complain(s, layer, e);
      return false;
    }
  }

  void check_options(const section& s) {
    const auto type = layer_types().find(s.type);
    if (!is_net(s) && type == layer_types().end()) return;  // its name is told
    const auto understood = is_net(s) ? net_options : type->second.options;
    const auto ignored = is_net(s) ? ignored_net_options : type->second.ignored;
    for (const auto& e : s.entries)
      if (lists(understood, e.key)) {
        if (const auto& first = s.find(e.key)->value; first != e.value)
          complain({.line = e.line,
                    .reason = text(e.key, " is given twice, as ", first, " and as ", e.value)});
      } else if (!lists(ignored, e.key) && (is_net(s) || !lists(ignored_options, e.key))) {
        complain({.line = e.line,
                  .reason = "the option " + e.key + " of [" + s.type + "] is not understood"});
      }
  }

  // Pictures are RGB, as Darknet reads them, and each byte is divided by 255.
  void input(const section& s) {
    const auto c = s.integer("channels", 0), h = s.integer("height", 0), w = s.integer("width", 0);
    const bool picture = c != 0 && h != 0 && w != 0;
    const auto row = s.integer("inputs", 0);
    if (!picture && row == 0)
      throw error(problem{.reason = "the network has no input",
                          .remedy = "[net] has width, height and channels"});
    if (std::min({c, h, w, row}) < 0 || (picture && row != 0 && row != net::product({c, h, w})))
      throw error(text("its input has ", c, " channels, a height of ", h, ", a width of ", w,
                       " and ", row, " values"));
    const auto shape = picture ? net::checked_shape(c, h, w) : net::checked_shape(row, 1, 1);
    input_ = net_.add("input", net::input{shape}, {}, s.line);
    net_.mark_input(input_, import::in_file("input", {1, shape.c, shape.h, shape.w}));
    if (c == 3 || c == 1)
      net_.note_bytes(input_, net::preprocessing{
                                  .mean = {0}, .scale = {1 / 255.0},
                                  .order = c == 1 ? net::channel_order::grey
                                                  : net::channel_order::rgb});
    if (s.flag("letter_box"))
      notes_.push_back({.file = file_, .line = s.line,
                        .reason = "letter_box=1: pictures keep their proportions, and grey fills "
                                  "the rest; here they are taken as they are"});
  }

  void layer(const section& s, bool has_input) {
    const auto index = given_.size();
    const auto name = text(s.type, '_', index);
    given result;
    attempt(s, name, [&] {
      if (is_net(s)) throw error("a second [net]");
      const auto type = layer_types().find(s.type);
      if (type == layer_types().end())
        throw error(unsupported(s.type, listed_));
      result.is_head = type->second.entering != nullptr;
      if (s.flag("dontload") || s.flag("dontloadscales") || s.integer("numload", 0) != 0)
        throw error("weights that are not loaded");
      if (!has_input) return;
      const context c{s, name, index, given_, input_, epsilon_, net_, weights_};
      if (result.is_head) head(c, type->second.entering(c));
      else result.node = type->second.convert(c);
    });
    given_.push_back(result);
  }

  void head(const context& c, std::int64_t expected) {
    const auto x = c.input();
    const net::shape in = c.shape(x);
    const bool row = c.s.type == "detection";
    const auto found = row ? static_cast<std::int64_t>(in.size()) : std::int64_t{in.c};
    if (found != expected)
      throw error(text("it takes ", expected, row ? " values" : " channels", ", but ", found,
                       " enter it"));
    mark_output(c.s, x);
    notes_.push_back({.file = file_, .line = c.s.line, .layer = c.name,
                      .reason = "what enters this head, '" + net_.name(x) +
                                "', is an output; the host makes boxes of it"});
  }

  void mark_output(const section& s, id n) {
    const net::shape& of = net_.shape(n);
    attempt(s, net_.name(n), [&] {
      net_.mark_output(n, import::in_file(net_.name(n), {1, of.c, of.h, of.w}));
    });
  }

  std::string file_;
  std::string_view content_;
  weights& weights_;
  float epsilon_;
  diagnostics problems_;
  assembly net_;
  id input_{};
  std::vector<given> given_;
  std::vector<problem> notes_;
  bool listed_ = false;  // the supported sections, once
};

}  // namespace nvdlac::import::darknet_format

namespace nvdlac::import {

// What neither of Darknet's files tells: the epsilon of batch normalisation, which is added to the
// variance. Darknet has it in its code: 1e-5 in the common fork (AlexeyAB's). OpenCV computes with
// 1e-6; the original adds 1e-6 to the root instead, to which an epsilon of 0 comes nearest.
struct darknet_options {
  float epsilon = 1e-5F;
};

namespace darknet_format {

inline network read(const named_content& cfg, weights values, const darknet_options& options) {
  if (const auto kind = recognise(cfg.content); kind.kind != file_kind::darknet_text)
    throw error(problem{.file = cfg.file,
                        .reason = "this is " + kind.name + ", not a cfg of Darknet",
                        .remedy = kind.kind == file_kind::darknet_weights
                                      ? "give the cfg first, then the weights"
                                      : kind.remedy});
  return reader(cfg.file, cfg.content, values, options.epsilon).read();
}

}  // namespace darknet_format

// Reads a Darknet network from its cfg and its weights. What enters a head (yolo, Gaussian_yolo,
// region, detection) is an output of the network, and so is what the last layer gives; boxes are
// left to the host. Layers have the name of their section and their index, "convolutional_0".
// Throws `error` with all problems.
inline network darknet_network_from(const named_content& cfg, const named_content& values,
                                    const darknet_options& options = {}) {
  return darknet_format::read(cfg, darknet_format::weights(values.file, values.content), options);
}
inline network darknet_network(const std::filesystem::path& cfg,
                               const std::filesystem::path& values,
                               const darknet_options& options = {}) {
  return darknet_network_from({cfg.string(), read_file(cfg)}, {values.string(), read_file(values)},
                              options);
}
// The same for a network that is not trained yet.
inline network darknet_network(const std::filesystem::path& cfg, random_weights values,
                               const darknet_options& options = {}) {
  return darknet_format::read({cfg.string(), read_file(cfg)}, darknet_format::weights(values),
                              options);
}

// The graph alone.
inline net::graph darknet_from(const named_content& cfg, const named_content& values,
                               const darknet_options& options = {}) {
  return darknet_network_from(cfg, values, options).graph;
}
inline net::graph darknet(const std::filesystem::path& cfg, const std::filesystem::path& values,
                          const darknet_options& options = {}) {
  return darknet_network(cfg, values, options).graph;
}

}  // namespace nvdlac::import
