// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/selection_cube.hpp>
#include <nvdlac/pass/select_first.hpp>

namespace nvdlac::pass::detail {

// The dimensions of a tensor of the file, or what its part walks over.
NVDLAC_IMPL std::vector<std::int32_t> sides_of(const net::file_tensor& form) {
  if (!form.is_part()) return form.shape;
  std::vector<std::int32_t> sides;
  for (const auto& s : form.walk) sides.push_back(s.count);
  return sides;
}

NVDLAC_IMPL bool move_before(moved_elements& all, const net::move& m, net::shape in) {
  const auto is_filled = [](std::int32_t element) { return element < 0; };
  const auto before = net::sources_of(m, in);
  if (m.fill != all.fill && std::ranges::any_of(before, is_filled)) {
    if (std::ranges::any_of(all.from, is_filled)) return false;
    all.fill = m.fill;
  }
  for (auto& element : all.from)
    if (element >= 0) element = before[static_cast<std::size_t>(element)];
  all.source = in;
  all.turned += net::turned_elements({m.boxes.data(), m.boxes.size()});
  return true;
}

NVDLAC_IMPL std::optional<selected_output> selected_output_of(
    const moved_elements& all, std::span<const net::file_tensor> in_file) {
  if (all.turned == 0) return std::nullopt;
  std::vector<std::int32_t> from, element;  // of the source and of the cube, as the file has them
  in_file[0].visit(all.from.size(), [&](std::size_t in_cube, std::size_t) {
    from.push_back(all.from[in_cube]);
    element.push_back(static_cast<std::int32_t>(in_cube));
  });
  const auto found = net::find_selection_cube(from, sides_of(in_file[0]), all.source);
  if (!found) return std::nullopt;
  selected_output result{.op = {.target = found->shape, .fill = all.fill},
                         .is_whole = found->shape == all.source};
  for (std::size_t i = 0; i < found->from.size(); ++i)
    result.is_whole = result.is_whole && std::cmp_equal(found->from[i], i);
  try {
    result.op.boxes = net::find_boxes(found->from, found->shape, all.source);
  } catch (const error&) {
    return std::nullopt;  // no pattern
  }
  if (net::turned_elements({result.op.boxes.data(), result.op.boxes.size()}) >= all.turned)
    return std::nullopt;

  std::vector<std::int32_t> place(all.from.size());  // of each element of the cube in the new one
  for (std::size_t i = 0; i < element.size(); ++i)
    place[static_cast<std::size_t>(element[i])] = found->place[i];
  for (const auto& form : in_file) {
    std::vector<std::int32_t> in_cube, of_file;
    form.visit(place.size(), [&](std::size_t i, std::size_t number) {
      in_cube.push_back(place[i]);
      of_file.push_back(static_cast<std::int32_t>(number));
    });
    auto placed = net::find_part(form, in_cube, of_file, found->shape);
    if (!placed) return std::nullopt;
    if (!form.is_part()) {
      placed->spread.clear();
      if (placed->walk.size() <= 1) placed->walk.clear();
    }
    result.in_file.push_back(*std::move(placed));
  }
  return result;
}

}  // namespace nvdlac::pass::detail
