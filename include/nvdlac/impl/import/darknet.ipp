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
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/darknet.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/layer_types.hpp>
#include <nvdlac/import/darknet/section.hpp>
#include <nvdlac/import/darknet/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/user_names.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace darknet_format {

NVDLAC_IMPL reader::reader(const std::string& file, std::string_view content, weights& values,
                           float epsilon, const part& wanted)
    : file_(file),
      content_(content),
      weights_(values),
      epsilon_(epsilon),
      wanted_(wanted),
      net_(file, problems_, wanted.limits) {}

NVDLAC_IMPL network reader::read() {
  if (!std::isfinite(epsilon_) || epsilon_ < 0)
    complain({.reason = text("the epsilon of its batch normalisation is ", epsilon_)});
  diagnostics broken;
  const auto sections = nvdlac::in_file(
      file_, [&] { return sections_of(content_, broken, wanted_.limits); });
  for (const auto& p : broken.problems()) complain(p);
  if (sections.empty() || !is_net(sections[0])) {
    complain({.line = sections.empty() ? 0 : sections[0].line,
              .reason = "its first section is not [net]"});
    problems_.check();
  }
  const auto ends = called(sections, wanted_.to), starts = called(sections, wanted_.from);
  for (const auto n : starts)
    if (!ends.empty() && n > std::ranges::max(ends))
      complain({.layer = text(sections[n + 1].type, '_', n),
                .reason = "no output that is asked for depends on what this gives",
                .remedy = "end behind it: --to LAYER"});
  // Layers behind the part neither matter nor take weights of it.
  const auto count = ends.empty() ? sections.size() : std::ranges::max(ends) + 2;
  const std::vector<section> read(sections.begin(),
                                  sections.begin() + static_cast<std::ptrdiff_t>(count));
  for (const auto& s : read) check_options(s);
  const bool has_input = attempt(sections[0], "", [&] { input(sections[0]); });
  for (std::size_t i = 1; i < read.size(); ++i) {
    layer(read[i], has_input);
    if (std::ranges::find(starts, i - 1) != starts.end()) begin_behind(read[i], i - 1);
  }
  if (sections.size() == 1) complain({.reason = "the network has no layers"});
  mark_outputs(read, ends);
  if (problems_.empty() && (read.size() == sections.size() || !weights_.sound()))
    if (auto p = weights_.wrong()) problems_.add(*std::move(p));
  auto nodes = starts.empty() ? cut_nodes(sections) : std::vector<cut_node>();
  if (!problems_.empty()) throw with_cut(error(problems_.problems()), cut_around(nodes));
  auto graph = net_.finish();
  return {.graph = std::move(graph), .preprocessing = net_.preprocessing(),
          .notes = std::move(notes_), .nodes = std::move(nodes)};
}

NVDLAC_IMPL std::vector<cut_node> reader::cut_nodes(const std::vector<section>& sections) const {
  std::vector<cut_node> all;
  const auto is_head = [&](std::size_t n) { return n < given_.size() && given_[n].is_head; };
  const auto layers = sections.size() - 1;
  for (std::size_t n = 0; n < layers; ++n) {
    const auto& s = sections[n + 1];
    const auto name = text(s.type, '_', n);
    const bool last = n + 1 == layers && !is_head(n);
    // Layers behind one that is refused cannot find their weights; what heads make is the host's.
    all.push_back({.layer = name, .outputs = {name},
                   .of_network = {last || (n + 1 < layers && is_head(n + 1))},
                   .refused = is_head(n) || (failed_ && *failed_ <= n)});
    std::vector<std::int64_t> inputs;
    try {
      inputs = s.integers(s.type == "route" ? "layers" : "from");
    } catch (const error&) {  // which is told
    }
    if (s.type != "route") inputs.push_back(-1);
    for (auto i : inputs) {
      if (i < 0) i += static_cast<std::int64_t>(n);
      if (i >= 0 && std::cmp_less(i, n))
        all.back().inputs.push_back({static_cast<std::size_t>(i), 0});
    }
  }
  return all;
}

NVDLAC_IMPL std::vector<std::size_t> reader::called(const std::vector<section>& sections,
                                                    const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  const auto layers = sections.size() - 1;
  std::vector<std::string> known;
  for (std::size_t n = 0; n < layers; ++n) known.push_back(text(sections[n + 1].type, '_', n));
  for (const auto& name : names) {
    const auto n = number_in(name.substr(name.rfind('_') + 1), layers);
    if (n && (name == std::to_string(*n) || name == text(sections[*n + 1].type, '_', *n)))
      found.push_back(*n);
    else
      complain({.layer = name, .reason = "the file has no such layer",
                .remedy = "layers are called by their section and number, or by the number alone, "
                          "which counts from 0 behind [net]" +
                          behind(meant_instead_of(name, known))});
  }
  return found;
}

NVDLAC_IMPL void reader::begin_behind(const section& s, std::size_t index) {
  auto& result = given_[index].node;
  const auto name = text(s.type, '_', index);
  if (given_[index].is_head)
    complain({.layer = name, .reason = "this head makes boxes, behind which nothing follows"});
  if (!result) return;
  attempt(s, name, [&] {
    const net::shape of = net_.shape(*result);
    const auto n = net_.add(name, net::input{of}, {}, s.line);
    if (net_.name(*result) == name) net_.take_name(n, *result, "/before");
    net_.mark_input(n, import::in_file(name, {1, of.c, of.h, of.w}));
    result = n;
  });
}

NVDLAC_IMPL void reader::mark_outputs(const std::vector<section>& sections,
                                      const std::vector<std::size_t>& ends) {
  if (!ends.empty()) {
    for (const auto n : ends) {
      if (given_[n].node) mark_output(sections[n + 1], *given_[n].node);
      else if (given_[n].is_head)
        complain({.layer = text(sections[n + 1].type, '_', n),
                  .reason = "this head makes boxes, which the host does",
                  .remedy = "end with the layer before it"});
    }
  } else if (!given_.empty() && given_.back().node) {
    mark_output(sections.back(), *given_.back().node);
  }
}

NVDLAC_IMPL void reader::complain(problem p) {
  p.file = file_;
  problems_.add(std::move(p));
}

NVDLAC_IMPL void reader::complain(const section& s, const std::string& layer, const error& e) {
  for (problem p : e.problems()) {
    if (p.line == 0) p.line = s.line;
    p.layer = layer;
    complain(std::move(p));
  }
}

NVDLAC_IMPL void reader::check_options(const section& s) {
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

NVDLAC_IMPL void reader::input(const section& s) {
  const auto c = s.integer("channels", 0), h = s.integer("height", 0), w = s.integer("width", 0);
  const bool picture = c != 0 && h != 0 && w != 0;
  const auto row = s.integer("inputs", 0);
  if (!picture && row == 0)
    throw error(problem{.reason = "the network has no input",
                        .remedy = "[net] has width, height and channels"});
  if (std::min({c, h, w, row}) < 0 || (picture && row != 0 && row != net::product({c, h, w})))
    throw error(text("its input has ", c, " channels, a height of ", h, ", a width of ", w,
                     " and ", count_of(row, "value")));
  const auto shape = picture ? net::checked_shape(c, h, w) : net::checked_shape(row, 1, 1);
  input_ = net_.add("input", net::input{shape}, {}, s.line);
  if (wanted_.cuts()) net_.leave_out_unread(input_);
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

NVDLAC_IMPL void reader::layer(const section& s, bool has_input) {
  const auto index = given_.size();
  const auto name = text(s.type, '_', index);
  given result;
  const bool is_right = attempt(s, name, [&] {
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
  if (!is_right && !failed_) failed_ = index;
  given_.push_back(result);
}

NVDLAC_IMPL void reader::head(const context& c, std::int64_t expected) {
  const auto x = c.input();
  const net::shape in = c.shape(x);
  const bool row = c.s.type == "detection";
  const auto found = row ? static_cast<std::int64_t>(in.size()) : std::int64_t{in.c};
  if (found != expected)
    throw error(text("it takes ", expected, row ? " values" : " channels", ", but ", found,
                     " enter it"));
  if (!wanted_.to.empty()) return;  // which names the outputs
  mark_output(c.s, x);
  notes_.push_back({.file = file_, .line = c.s.line, .layer = c.name,
                    .reason = "what enters this head, '" + net_.name(x) +
                              "', is an output; the host makes boxes of it"});
}

NVDLAC_IMPL void reader::mark_output(const section& s, id n) {
  const net::shape& of = net_.shape(n);
  attempt(s, net_.name(n), [&] {
    net_.mark_output(n, import::in_file(net_.name(n), {1, of.c, of.h, of.w}));
  });
}

NVDLAC_IMPL network read(const named_content& cfg, weights values, const darknet_options& options,
                         const part& wanted) {
  if (const auto kind = recognise(cfg.content); kind.kind != file_kind::darknet_text)
    throw error(problem{.file = cfg.file,
                        .reason = "this is " + kind.name + ", not a cfg of Darknet",
                        .remedy = kind.kind == file_kind::darknet_weights
                                      ? "give the cfg first, then the weights"
                                      : kind.remedy});
  return reader(cfg.file, cfg.content, values, options.epsilon, wanted).read();
}

}  // namespace darknet_format

NVDLAC_IMPL network darknet_network_from(const named_content& cfg, const named_content& values,
                                         const darknet_options& options, const part& wanted) {
  return darknet_format::read(cfg, darknet_format::weights(values.file, values.content), options,
                              wanted);
}

NVDLAC_IMPL network darknet_network(const std::filesystem::path& cfg,
                                    const std::filesystem::path& values,
                                    const darknet_options& options, const part& wanted) {
  return darknet_network_from({cfg.string(), read_file(cfg)}, {values.string(), read_file(values)},
                              options, wanted);
}

NVDLAC_IMPL network darknet_network(const std::filesystem::path& cfg, random_weights values,
                                    const darknet_options& options, const part& wanted) {
  return darknet_format::read({cfg.string(), read_file(cfg)},
                              darknet_format::weights(values, wanted.limits.weights), options,
                              wanted);
}

NVDLAC_IMPL net::graph darknet_from(const named_content& cfg, const named_content& values,
                                    const darknet_options& options) {
  return darknet_network_from(cfg, values, options).graph;
}

NVDLAC_IMPL net::graph darknet(const std::filesystem::path& cfg,
                               const std::filesystem::path& values,
                               const darknet_options& options) {
  return darknet_network(cfg, values, options).graph;
}

NVDLAC_IMPL network read_darknet(const named_content& model, const weight_content& weights,
                                 const part& wanted) {
  const darknet_options options{wanted.epsilon.value_or(darknet_options{}.epsilon)};
  if (const auto* noise = std::get_if<random_weights>(&weights))
    return darknet_format::read(model, darknet_format::weights(*noise, wanted.limits.weights),
                                options, wanted);
  return darknet_network_from(model, std::get<named_content>(weights), options, wanted);
}

}  // namespace nvdlac::import
