// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/part_outputs.hpp>

namespace nvdlac::pass::detail {

NVDLAC_IMPL std::vector<element_origin> origins_of(const net::move& m,
                                                   std::span<const net::shape> in) {
  const auto number = [](net::position p, net::shape s) { return (p.c * s.h + p.y) * s.w + p.x; };
  std::vector<element_origin> all(m.target.size());
  for (const net::box& b : m.boxes) {
    if (b.input == net::box::filled) return {};
    const auto input = static_cast<std::size_t>(b.input);
    net::for_each_element(b, [&](net::position to, net::position from) {
      all[static_cast<std::size_t>(number(to, m.target))] = {input, number(from, in[input])};
    });
  }
  return all;
}

NVDLAC_IMPL std::vector<element_origin> origins_of(std::span<const net::shape> in) {
  std::vector<element_origin> all;
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::size_t i = 0; i < in[k].size(); ++i)
      all.push_back({k, static_cast<std::int32_t>(i)});
  return all;
}

NVDLAC_IMPL std::optional<std::vector<net::file_tensor>> parts_of(
    const net::file_tensor& form, std::span<const element_origin> from,
    std::span<const net::shape> in) {
  if (from.empty()) return std::nullopt;
  struct elements {
    std::vector<std::int32_t> in_cube{}, in_file{};
  };
  std::vector<elements> of_input(in.size());
  form.visit(from.size(), [&](std::size_t in_cube, std::size_t in_file) {
    auto& all = of_input[from[in_cube].input];
    all.in_cube.push_back(from[in_cube].element);
    all.in_file.push_back(static_cast<std::int32_t>(in_file));
  });
  std::vector<net::file_tensor> result;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (of_input[k].in_cube.size() != in[k].size()) return std::nullopt;
    auto part = net::find_part(form, of_input[k].in_cube, of_input[k].in_file, in[k]);
    if (!part) return std::nullopt;
    result.push_back(std::move(*part));
  }
  return result;
}

}  // namespace nvdlac::pass::detail
