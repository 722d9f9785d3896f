// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/verify/detection_counts.hpp>
#include <nvdlac/verify/detections.hpp>

namespace nvdlac::verification {

namespace detail {

// The largest difference of coordinates.
NVDLAC_IMPL float distance_of(const host::box_corners& a, const host::box_corners& b) {
  return std::max({std::fabs(a.left - b.left), std::fabs(a.top - b.top),
                   std::fabs(a.right - b.right), std::fabs(a.bottom - b.bottom)});
}
// Intersection over union; boxes without an area overlap where they are the same.
NVDLAC_IMPL float nearness_of(const host::box_corners& a, const host::box_corners& b) {
  return distance_of(a, b) == 0 ? 1 : host::overlap_of(a, b);
}

// The numbers of each row in an output, of which some tell nothing but where the row ends.
NVDLAC_IMPL std::size_t width_of(detection_set::form form, std::size_t output) {
  if (form == detection_set::form::whole) return 7;
  if (form == detection_set::form::selected) return 3;
  return output == 0 ? 4 : 1;
}

// The host's layers whose results an output moves: their nodes.
NVDLAC_IMPL std::set<quantised::graph::id> host_layers_of(const quantised::graph& g,
                                                          const net::file_output& output) {
  std::vector<quantised::graph::id> open;
  std::set<quantised::graph::id> seen, found;
  const auto outputs = g.outputs();
  for (const auto& p : output.parts) open.push_back(outputs.at(p.tensor));
  while (!open.empty()) {
    const auto n = open.back();
    open.pop_back();
    if (!seen.insert(n).second) continue;
    const auto& op = g[n].op;
    const bool moves = std::holds_alternative<quantised::concat>(op) ||
                       std::holds_alternative<quantised::reshape>(op) ||
                       std::holds_alternative<quantised::move>(op) ||
                       std::holds_alternative<quantised::convert>(op);
    if (!moves) found.insert(n);
    else open.insert(open.end(), g.inputs(n).begin(), g.inputs(n).end());
  }
  return found;
}

NVDLAC_IMPL std::string_view host_layer_of(const quantised::graph& g, quantised::graph::id n) {
  const auto* op = g.get_if<quantised::on_host>(n);
  return op == nullptr ? std::string_view() : std::string_view(op->call.layer);
}

}  // namespace detail

NVDLAC_IMPL std::vector<std::pair<std::size_t, std::size_t>> paired(
    const std::vector<detection>& a, const std::vector<detection>& b) {
  constexpr float least = 0.5F;
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return a[i].score; });
  std::vector<bool> taken(b.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto i : order) {
    std::optional<std::size_t> best;
    float nearest = least;
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (taken[k] || b[k].label != a[i].label) continue;
      const float near = detail::nearness_of(a[i].box, b[k].box);
      if (near < nearest || (best && near == nearest)) continue;
      best = k;
      nearest = near;
    }
    if (!best) continue;
    taken[*best] = true;
    pairs.emplace_back(i, *best);
  }
  return pairs;
}

NVDLAC_IMPL std::vector<detection> detection_set::read(const std::vector<data::array>& from,
                                                       const std::vector<float>& all_boxes) const {
  std::vector<detection> found;
  const auto& first = from.at(outputs[0]).values;
  const auto width = detail::width_of(of, 0);
  for (std::size_t row = 0; (row + 1) * width <= first.size(); ++row) {
    const auto* const v = &first[row * width];
    detection d{.row = row};
    if (of == form::selected) {
      if (!(v[2] >= 0)) continue;
      const auto box = static_cast<std::size_t>(v[2]);
      d.label = v[1];
      d.box = {v[2], v[2], v[2], v[2]};  // by its number, where the boxes are not known
      if ((box + 1) * 4 <= all_boxes.size()) {
        const auto* const b = &all_boxes[box * 4];
        d.box = by_centre ? host::box_corners{b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2,
                                              b[1] + b[3] / 2}
                          : host::box_corners{std::min(b[1], b[3]), std::min(b[0], b[2]),
                                              std::max(b[1], b[3]), std::max(b[0], b[2])};
      }
    } else {
      const bool whole = of == form::whole;
      d.label = whole ? v[1] : from.at(outputs[1]).values.at(row);
      d.score = whole ? v[2] : from.at(outputs[2]).values.at(row);
      d.box = whole ? host::box_corners{v[3], v[4], v[5], v[6]}
                    : host::box_corners{v[1], v[0], v[3], v[2]};
      // Rows behind the last detection are 0.
      if (d.label == 0 && d.score == 0 && detail::distance_of(d.box, {}) == 0) continue;
    }
    found.push_back(d);
  }
  return found;
}

NVDLAC_IMPL detection_counts detection_set::align(const std::vector<data::array>& reference,
                                                  std::vector<data::array>& found,
                                                  const std::vector<float>& all_boxes) const {
  const auto expected = read(reference, all_boxes), given = read(found, all_boxes);
  const auto rows = reference.at(outputs[0]).values.size() / detail::width_of(of, 0);
  std::vector<std::optional<std::size_t>> from(rows);  // where the program has each row
  std::vector<bool> is_free(rows, true), missed(rows, false), extra(given.size(), true);
  detection_counts counts{.scored = of != form::selected};
  for (const auto& d : expected) {
    is_free[d.row] = false;
    missed[d.row] = true;
  }
  for (const auto& [e, g] : paired(expected, given)) {
    const auto &a = expected[e], &b = given[g];
    from[a.row] = b.row;
    missed[a.row] = false;
    extra[g] = false;
    ++counts.matched;
    counts.box_error = std::max(counts.box_error, detail::distance_of(a.box, b.box));
    counts.score_error = std::max(counts.score_error, std::fabs(a.score - b.score));
    counts.overlap = std::min(counts.overlap, detail::nearness_of(a.box, b.box));
  }
  for (const auto& d : expected)
    if (missed[d.row]) {
      ++counts.missed;
      counts.best_missed = std::max(counts.best_missed, d.score);
    }
  for (std::size_t g = 0; g < given.size(); ++g) {
    if (!extra[g]) continue;
    ++counts.extra;
    counts.best_extra = std::max(counts.best_extra, given[g].score);
    // There is room: the rows of a program are as many as those of the float network.
    auto room = std::ranges::find(is_free, true);
    if (room == is_free.end()) {
      room = std::ranges::find(missed, true);
      if (room == missed.end()) continue;
      from[static_cast<std::size_t>(room - missed.begin())] = given[g].row;
    } else {
      from[static_cast<std::size_t>(room - is_free.begin())] = given[g].row;
    }
    *room = false;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto& values = found.at(outputs[i]).values;
    const auto width = detail::width_of(of, i);
    std::vector<float> aligned(values.size(), of == form::selected ? -1.0F : 0.0F);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t k = 0; from[row] && k < width; ++k)
        aligned[row * width + k] = values.at(*from[row] * width + k);
    values = std::move(aligned);
  }
  return counts;
}

NVDLAC_IMPL std::vector<detection_set> detection_sets_of(
    const quantised::graph& integers, const std::vector<net::file_output>& outputs) {
  std::vector<detection_set> all;
  // Boxes, classes and scores that one call of the post-processing would give, by what it reads.
  std::map<std::vector<quantised::graph::id>, std::array<std::optional<std::size_t>, 3>> apart;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto layers = detail::host_layers_of(integers, outputs[o]);
    std::set<std::string_view> names;
    for (const auto n : layers) names.insert(detail::host_layer_of(integers, n));
    const auto size = outputs[o].form.size();
    if (names == std::set<std::string_view>{type_name<host::ssd_labels>(),
                                            type_name<host::ssd_scores>(),
                                            type_name<host::ssd_boxes>()} &&
        size % 7 == 0)
      all.push_back({.of = detection_set::form::whole, .outputs = {o}});
    if (layers.size() != 1) continue;
    const auto n = *layers.begin();
    const auto& in = integers.inputs(n);
    if (*names.begin() == type_name<host::non_max_suppression>() && size % 3 == 0) {
      detection_set s{.of = detection_set::form::selected, .outputs = {o}, .boxes = in[0]};
      for (const auto& p : integers.get_if<quantised::on_host>(n)->call.parameters)
        if (p.name == "by_centre") s.by_centre = p.values == std::vector<double>{1};
      all.push_back(std::move(s));
    }
    const std::array<std::string_view, 3> kinds{type_name<host::post_processed_boxes>(),
                                                type_name<host::post_processed_classes>(),
                                                type_name<host::post_processed_scores>()};
    const auto kind = std::ranges::find(kinds, *names.begin());
    if (kind != kinds.end())
      apart[{in.begin(), in.end()}].at(static_cast<std::size_t>(kind - kinds.begin())) = o;
  }
  for (const auto& [in, of] : apart)
    if (of[0] && of[1] && of[2] &&
        outputs[*of[0]].form.size() == 4 * outputs[*of[1]].form.size() &&
        outputs[*of[1]].form.size() == outputs[*of[2]].form.size())
      all.push_back({.of = detection_set::form::apart, .outputs = {*of[0], *of[1], *of[2]}});
  return all;
}

}  // namespace nvdlac::verification
