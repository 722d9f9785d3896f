// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL const entry* section::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &entry::key);
  return found == entries.end() ? nullptr : &*found;
}

NVDLAC_IMPL std::int64_t section::integer(std::string_view key, std::int64_t none) const {
  const auto* e = find(key);
  return e == nullptr ? none : number<std::int64_t>(*e, e->value, "a whole number");
}

NVDLAC_IMPL float section::real(std::string_view key, float none) const {
  const auto* e = find(key);
  return e == nullptr ? none : number<float>(*e, e->value, "a number");
}

NVDLAC_IMPL std::string section::word(std::string_view key, std::string none) const {
  const auto* e = find(key);
  return e == nullptr ? std::move(none) : e->value;
}

NVDLAC_IMPL std::vector<std::int64_t> section::integers(std::string_view key) const {
  std::vector<std::int64_t> result;
  const auto* e = find(key);
  if (e == nullptr) return result;
  std::string_view rest = e->value;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    result.push_back(number<std::int64_t>(*e, rest.substr(0, comma), "a list of numbers"));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return result;
}

NVDLAC_IMPL std::vector<section> sections_of(std::string_view content, diagnostics& problems,
                                             const budget& limits) {
  std::vector<section> result;
  std::size_t line = 0, entries = 0;
  while (!content.empty()) {
    ++line;
    const auto whole = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(whole.size() + 1, content.size()));
    std::string s(whole.substr(0, whole.find_first_of("#;")));
    std::erase_if(s, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (s.empty()) continue;
    const auto complain = [&](std::string reason) {
      problems.add({.line = line, .reason = std::move(reason)});
    };
    if (s.front() == '[') {
      if (s.back() != ']') complain("the name of a section has no ] at its end");
      result.push_back({.type = s.substr(1, s.find(']') - 1), .line = line});
      require_within(&budget::nodes, result.size(), limits);
      continue;
    }
    const auto equals = s.find('=');
    if (equals == 0 || equals >= s.size() - 1) {
      complain("the line is neither [section] nor key=value");
      continue;
    }
    if (result.empty()) {
      complain("it stands before the first section");
      continue;
    }
    require_within(&budget::fields, ++entries, limits);
    result.back().entries.push_back(
        {.key = s.substr(0, equals), .value = s.substr(equals + 1), .line = line});
  }
  return result;
}

NVDLAC_IMPL weights::weights(std::string file, std::string_view content)
    : file_(std::move(file)), rest_(content) {
  const auto major = integer(), minor = integer();
  (void)integer();  // the revision
  const auto fail = [&](std::string reason, std::string remedy = {}) {
    return error(problem{.file = file_, .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (!header_ || major < 0 || minor < 0 || major > most_version || minor > most_version) {
    const auto kind = recognise(content);
    const bool other = kind.kind != file_kind::darknet_weights && !kind.name.starts_with("no ");
    throw fail(other ? "this is " + kind.name + ", not Darknet's weights"
                     : "it does not start with the version of Darknet's weights");
  }
  transposed_ = major > 1000 || minor > 1000;
  const std::size_t seen = major * 10 + minor >= 2 ? 8 : 4;  // bytes: pictures of the training
  if (rest_.size() < seen) throw fail("it ends in its header");
  rest_.remove_prefix(seen);
  if (rest_.size() % 4 != 0)
    throw fail(text("it has ", rest_.size(), " bytes behind its header, which are no whole "
                    "numbers of 4 bytes"), "the file is cut off or damaged");
}

NVDLAC_IMPL std::vector<float> weights::take(const std::string& layer, const dims& shape,
                                             const char* what) {
  std::int64_t count = 1;
  for (const auto n : shape) count = net::product({count, n});
  if (random_) {
    if (layer != layer_) {
      layer_ = layer;
      number_ = 0;
    }
    return noise(random_->of(layer, number_++), shape, what, most_);
  }
  needed_ = sum(needed_, count);
  if (lacking_ || static_cast<std::uint64_t>(count) > rest_.size() / 4) {
    if (!lacking_) lacking_ = lack{layer, what};
    missing_ = sum(missing_, count);
    return {};
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(values.data(), rest_.data(), values.size() * 4);
  rest_.remove_prefix(values.size() * 4);
  return values;
}

NVDLAC_IMPL std::optional<problem> weights::wrong() const {
  if (random_) return std::nullopt;
  const auto left = static_cast<std::int64_t>(rest_.size() / 4);
  problem p{.file = file_,
            .remedy = "cfg and weights do not belong together, or the file is cut off"};
  if (lacking_) {
    p.layer = lacking_->layer;
    p.reason = text("the weights end at its ", lacking_->what, ": ", missing_ - left, " of the ",
                    count_of(needed_, "value"), " of the network are missing");
    return p;
  }
  if (left == 0) return std::nullopt;
  p.reason = text("the layers take ", count_of(needed_, "value"), ", but there are ", left,
                  " more");
  return p;
}

NVDLAC_IMPL std::int64_t weights::integer() {
  std::int32_t v = 0;
  if (rest_.size() < 4) return header_ = false, 0;
  std::memcpy(&v, rest_.data(), 4);
  rest_.remove_prefix(4);
  return v;
}

NVDLAC_IMPL std::int64_t weights::sum(std::int64_t a, std::int64_t b) {
  std::int64_t all = 0;
  return __builtin_add_overflow(a, b, &all) ? net::product({a, b}) : all;
}

NVDLAC_IMPL id context::earlier(std::int64_t i) const {
  const auto at = i < 0 ? static_cast<std::int64_t>(index) + i : i;
  if (at < 0 || at >= static_cast<std::int64_t>(index))
    throw error(problem{.reason = text("it reads layer ", i, ", which is none before it"),
                        .remedy = "layers count from 0 behind [net]; -1 is the one before"});
  const given& g = before[static_cast<std::size_t>(at)];
  if (g.is_head)
    throw error(problem{.reason = text("it reads what the head at layer ", at, " gives"),
                        .remedy = "heads are left to the host"});
  if (!g.node) throw error(std::vector<problem>{});  // its problem is reported already
  return *g.node;
}

NVDLAC_IMPL std::int32_t context::small(std::string_view key, std::int64_t none,
                                        std::int64_t least) const {
  const auto n = s.integer(key, none);
  if (n < least || n > net::max_elements)
    throw error(problem{.line = line_of(key), .reason = text(key, " is ", n)});
  return static_cast<std::int32_t>(n);
}

NVDLAC_IMPL void context::refuse(std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys)
    if (const auto* e = s.find(key); e != nullptr && s.real(key, 0) != 0)
      throw error(problem{.line = e->line,
                          .reason = text(key, "=", e->value, " is not supported")});
}

NVDLAC_IMPL std::size_t context::line_of(std::string_view key) const {
  const auto* e = s.find(key);
  return e == nullptr ? s.line : e->line;
}

NVDLAC_IMPL id context::move(const std::string& node, id x, const onnx_format::movement& m) const {
  const auto to = net::checked_shape(m.shape.at(0), m.shape.at(1), m.shape.at(2));
  return add(node, net::move{.target = to, .boxes = net::find_boxes(*m.from, to, shape(x))}, {x});
}

NVDLAC_IMPL const std::map<std::string_view, function_writer>& functions() {
  using enum net::function;
  static const std::map<std::string_view, function_writer> all = {
      {"linear", [](const context&, const std::string&, id x) { return x; }},
      {"relu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::relu{}, {x});
       }},
      {"relu6", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{0.0F, 6.0F}, {x});
       }},
      {"hardtan", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{-1.0F, 1.0F}, {x});
       }},
      {"leaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"revleaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"relie", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.01F}}, {x});
       }},
      {"ramp", [](const context& c, const std::string& n, id x) {  // max(x, 0) + x / 10
         const auto bent = c.add(n + "/bend", net::prelu{{1 / 11.0F}}, {x});
         return c.add(n, net::scale{.factor = {1.1F}}, {bent});
       }},
      {"logistic", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = sigmoid}, {x});
       }},
      {"loggy", [](const context& c, const std::string& n, id x) {  // 2 * sigmoid(x) - 1
         const auto half = c.add(n + "/half", net::scale{.factor = {0.5F}}, {x});
         return c.add(n, net::activation{.function = tanh}, {half});
       }},
      {"tanh", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = tanh}, {x});
       }},
      {"mish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = mish}, {x});
       }},
      {"swish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = swish}, {x});
       }},
      {"gelu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = gelu_tanh}, {x});
       }},
      {"elu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = elu}, {x});
       }},
      {"selu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = selu, .alpha = 1.6732F, .gamma = 1.0507F},
                      {x});
       }},
  };
  return all;
}

NVDLAC_IMPL std::string function_of(const context& c, const char* none, bool gates) {
  const auto name = c.s.word("activation", none);
  const auto fail = [&](std::string reason, std::string remedy) -> error {
    return error(problem{.line = c.line_of("activation"), .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (!functions().contains(name)) {
    std::string known;
    for (const auto& [f, ignored] : functions())
      known += (known.empty() ? "" : ", ") + std::string(f);
    throw fail("activation=" + name + " is not supported", "supported are " + known);
  }
  if (!gates && (name == "mish" || name == "swish"))
    throw fail("activation=" + name + " in a layer of this type, where Darknet computes none",
               "convolutional and shortcut layers have it");
  return name;
}

NVDLAC_IMPL id activated(const context& c, const std::string& function, id x) {
  return functions().at(function)(c, c.name, x);
}

}  // namespace nvdlac::import::darknet_format
