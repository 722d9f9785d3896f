// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/at_end.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/written_cube.hpp>
#include <nvdlac/verify/run_tensors.hpp>

namespace nvdlac::verification {

namespace detail {

NVDLAC_IMPL std::string file_of(std::string_view number, std::string_view name) {
  constexpr std::size_t longest = 120;
  auto word = escape::word(name);
  if (word.size() > longest) word.resize(longest);
  return text(number, '_', word);
}

}  // namespace detail

NVDLAC_IMPL std::vector<run_tensor> tensors_of_run(runtime::any_session& on,
                                                   const std::vector<quantised::feed>& feeds) {
  std::vector<run_tensor> written;
  const at_end unobserved([&] { on.on_cube({}); });
  on.on_cube([&](const runtime::written_cube& c, std::span<const std::uint8_t> bytes) {
    const auto number = text(c.task, '-', c.operation);
    const auto of_one = std::ranges::count_if(written, [&](const run_tensor& t) {
      return t.file.starts_with(number + '_') || t.file.starts_with(number + '.');
    });
    written.push_back({.file = detail::file_of(of_one == 0 ? number : text(number, '.', of_one),
                                               c.layer.view()),
                       .layer = std::string(c.layer.view()),
                       .task = c.task,
                       .operation = c.operation,
                       .surface = c.surface,
                       .address = c.address,
                       .numbers = c.numbers,
                       .bytes = {bytes.begin(), bytes.end()}});
    if (c.surface.precision == hw::precision::fp16)
      written.back().numbers = plan::numbering{.scale = 1};
  });
  const auto record = on.record(feeds);
  std::vector<run_tensor> all;
  for (std::size_t i = 0; i < on.inputs().size(); ++i) {
    const auto& b = on.inputs()[i];
    const auto first = record.inputs[i].begin() + static_cast<std::ptrdiff_t>(b.surface.at.offset);
    all.push_back({.file = detail::file_of(text("input-", i), b.name),
                   .layer = b.name,
                   .input = true,
                   .picture = b.picture,
                   .surface = b.surface,
                   .address = b.address + b.surface.at.offset,
                   .numbers = plan::numbering{b.scale},
                   .bytes = {first, record.inputs[i].end()}});
    // Pixels are no numbers of the network, and one scale does not tell those of several channels.
    if (b.picture || !b.gain.empty()) all.back().numbers.reset();
  }
  for (auto& t : written) all.push_back(std::move(t));
  return all;
}

NVDLAC_IMPL net::any_tensor numbers_of(const run_tensor& t, std::span<const std::uint8_t> bytes,
                                       nvdlac::bytes atom) {
  auto result = net::make_tensor(t.surface.precision, t.surface.shape);
  nvdlac::visit([&](auto& typed) { layer::unpack(bytes, t.surface, atom, typed.values); }, result);
  return result;
}

}  // namespace nvdlac::verification
