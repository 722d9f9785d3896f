// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/host_results.hpp>
#include <nvdlac/import/masks.hpp>
#include <nvdlac/import/packing.hpp>
#include <nvdlac/import/samples.hpp>
#include <nvdlac/import/turned_inputs.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/pass/select_first.hpp>
#include <nvdlac/pass/work.hpp>

namespace nvdlac::import {

NVDLAC_IMPL net::file_tensor in_file(const std::string& name,
                                     const std::vector<std::int64_t>& shape) {
  return {.name = name, .shape = {shape.begin(), shape.end()}};
}

NVDLAC_IMPL net::file_tensor channels_last_in_file(net::file_tensor first,
                                                   const net::shape& cube) {
  const auto& d = first.shape;
  const net::shape seen{d.at(1), d.at(2), d.at(3)};
  std::vector<std::int32_t> places(cube.size()), last;
  std::iota(places.begin(), places.end(), 0);
  places = first.from_cube<std::int32_t>(places);
  last.reserve(places.size());
  for (std::int32_t y = 0; y < seen.h; ++y)
    for (std::int32_t x = 0; x < seen.w; ++x)
      for (std::int32_t c = 0; c < seen.c; ++c) last.push_back(places[seen.at(c, y, x)]);
  first.shape = {1, seen.h, seen.w, seen.c};
  first.walk = net::find_walk(last, cube).value();
  return first;
}

NVDLAC_IMPL net::file_tensor channels_last_in_file(const std::string& name,
                                                   const net::shape& cube) {
  net::file_tensor t{.name = name, .shape = {1, cube.h, cube.w, cube.c}};
  const auto area = cube.h * cube.w;
  if (cube.c > 1 && area > 1) t.walk = {{area, 1}, {cube.c, area}};
  return t;
}

NVDLAC_IMPL void name_outputs(net::graph::node& n, std::span<const std::string> names) {
  for (auto& form : n.in_file)
    if (const auto place = static_cast<std::size_t>(form.place); place < names.size())
      form.name = names[place];
}

NVDLAC_IMPL void assembly::mark_output(id n, net::file_tensor form) {
  if (std::holds_alternative<net::input>(graph_[n].op))
    n = add(form.name, net::identity{}, {n});
  check_name(form.name);
  form.place = outputs_++;
  graph_[n].output = true;
  graph_[n].in_file.push_back(std::move(form));
}

NVDLAC_IMPL void assembly::take_name(id n, id from, const std::string& suffix) {
  taken_.erase(graph_[n].name);
  graph_[n].name = graph_[from].name;
  graph_[from].name = unique(graph_[from].name + suffix);
}

NVDLAC_IMPL void assembly::note_bytes(id n, const std::optional<net::preprocessing>& how) {
  if (const auto [found, is_new] = bytes_.emplace(n, how); !is_new && found->second != how)
    found->second.reset();
}

NVDLAC_IMPL std::vector<bool> assembly::needed_nodes() const {
  std::vector<bool> needed(graph_.size());
  std::vector<id> open = graph_.outputs();
  while (!open.empty()) {
    const id n = open.back();
    open.pop_back();
    if (needed[n]) continue;
    needed[n] = true;
    for (const id from : graph_.inputs(n)) open.push_back(from);
  }
  return needed;
}

NVDLAC_IMPL void assembly::name_tensors(const std::vector<bool>& needed) {
  std::set<std::string> layers;
  for (id n = 0; n < graph_.size(); ++n)
    if (needed[n]) layers.insert(graph_[n].name);
  for (auto& [n, name] : named_)
    if (needed[n] && !layers.contains(name)) tensors_.push_back({std::move(name), graph_[n].name});
}

NVDLAC_IMPL void assembly::pack_inputs() {
  for (const auto pack : {import::pack_inputs, import::turn_inputs})
    for (const auto& [movement, input] : pack(graph_, needed_nodes())) {
      share_scale(input, movement);
      for (auto& [n, name] : named_)
        if (n == movement) n = input;
    }
  std::vector<bool> fixed(graph_.size());
  for (const auto& [n, how] : bytes_) fixed[n] = true;
  import::pack_samples(graph_, needed_nodes(), fixed);
  import::lay_out_features(graph_, needed_nodes());
}

NVDLAC_IMPL void assembly::order_outputs() {
  const auto needed = needed_nodes();
  pass::select_first::run_among(graph_, [&](id reader) -> bool { return needed[reader]; });
}

NVDLAC_IMPL void assembly::raise_masks() {
  const auto needed = needed_nodes();
  import::raise_masks(graph_, needed);
  for (const auto& [n, line] : masks_) {
    const auto& name = graph_[n].name;
    diagnostics found;
    if (const auto* k = std::get_if<net::constant>(&graph_[n].op)) {
      k->check({}, found, name);
    } else {
      const std::array in{graph_[graph_.inputs(n)[0]].shape};
      std::get<net::scale>(graph_[n].op).check(in, found, name);
    }
    for (problem p : found.problems()) {
      p.file = file_;
      p.line = line;
      p.remedy = "minus infinity is a mask where only a softmax reads it: use a finite number, or "
                 "add it next to the softmax";
      problems_.add(std::move(p));
    }
  }
}

NVDLAC_IMPL void assembly::join_products() { import::join_products(graph_, needed_nodes()); }

NVDLAC_IMPL void assembly::check_name(std::string_view name) {
  if (name.empty() || !escape::is_printable(name))
    throw error("its name is empty or no printable UTF-8 text");
}

NVDLAC_IMPL void assembly::spend(const pass::work& w, std::uint64_t weights, net::shape out) {
  require_within(&budget::nodes, graph_.size() + 1, limits_);
  spend_within(&budget::weights, weights_, weights, limits_);
  spend_within(&budget::tensors, elements_, out.size(), limits_);
  require_within(&budget::parts, w.parts, limits_);
  require_within(&budget::moved, w.moved, limits_);
  spend_within(&budget::operations, operations_, w.operations, limits_);
}

NVDLAC_IMPL std::string assembly::unique(const std::string& layer) {
  std::string name = layer;
  for (int& i = names_[layer]; !taken_.insert(name).second; name = text(layer, "#", i))
    i = std::max(i + 1, 2);
  return name;
}

NVDLAC_IMPL std::optional<net::preprocessing> assembly::common_preprocessing(
    const std::vector<bool>& needed) const {
  std::optional<net::preprocessing> common;
  for (id n = 0; n < graph_.size(); ++n) {
    if (!needed[n] || !std::holds_alternative<net::input>(graph_[n].op)) continue;
    const auto found = bytes_.find(n);
    if (found == bytes_.end() || !found->second) return std::nullopt;
    if (common && *common != *found->second) return std::nullopt;
    common = found->second;
  }
  return common;
}

}  // namespace nvdlac::import
