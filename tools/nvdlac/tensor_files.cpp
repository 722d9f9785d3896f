// SPDX-License-Identifier: Apache-2.0
#include "tensor_files.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/runtime/written_cube.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

// The number makes it unique, so that a long name can be cut.
std::string file_of(std::string_view number, std::string_view name) {
  constexpr std::size_t longest = 120;
  auto word = escape::word(name);
  if (word.size() > longest) word.resize(longest);
  return text(number, '_', word);
}

json describe_tensor(const run_tensor& t) {
  const auto& s = t.surface;
  json j{{"file", t.file + ".bin"},
         {t.input ? "input" : "layer", t.layer},
         {"shape", {s.shape.c, s.shape.h, s.shape.w}},
         {"type", t.picture ? "pixels" : std::string(hw::name_of(s.precision))},
         {"bytes", t.bytes.size()},
         {"line_stride", s.line_stride},
         {"surface_stride", s.surface_stride},
         {"address", t.address},
         {"scale", nullptr}};
  if (t.numbers) {
    j["scale"] = t.numbers->scale;
    j["zero"] = t.numbers->zero;
  }
  if (!t.picture) j["numbers"] = t.file + ".npy";
  if (!t.picture && t.numbers) j["real"] = t.file + ".real.npy";
  return j;
}

}  // namespace

std::vector<run_tensor> tensors_of_run(machine& m, const std::vector<quantised::feed>& feeds) {
  std::vector<run_tensor> written;
  m.on_cube([&](const runtime::written_cube& c, std::span<const std::uint8_t> bytes) {
    const auto number = text(c.task, '-', c.operation);
    const auto of_one = std::ranges::count_if(written, [&](const run_tensor& t) {
      return t.file.starts_with(number + '_') || t.file.starts_with(number + '.');
    });
    written.push_back({.file = file_of(of_one == 0 ? number : text(number, '.', of_one),
                                       c.layer.view()),
                       .layer = std::string(c.layer.view()),
                       .surface = c.surface,
                       .address = c.address,
                       .numbers = c.numbers,
                       .bytes = {bytes.begin(), bytes.end()}});
    if (c.surface.precision == hw::precision::fp16)
      written.back().numbers = plan::numbering{.scale = 1};
  });
  const auto record = m.record(feeds);
  m.on_cube({});
  std::vector<run_tensor> all;
  for (std::size_t i = 0; i < m.inputs().size(); ++i) {
    const auto& b = m.inputs()[i];
    const auto first = record.inputs[i].begin() + static_cast<std::ptrdiff_t>(b.surface.at.offset);
    all.push_back({.file = file_of(text("input-", i), b.name),
                   .layer = b.name,
                   .input = true,
                   .picture = b.picture,
                   .surface = b.surface,
                   .address = b.address + b.surface.at.offset,
                   .numbers = plan::numbering{b.scale},
                   .bytes = {first, record.inputs[i].end()}});
    if (b.picture) all.back().numbers.reset();  // pixels are no numbers of the network
  }
  for (auto& t : written) all.push_back(std::move(t));
  return all;
}

net::any_tensor numbers_of(const run_tensor& t, std::span<const std::uint8_t> bytes,
                           std::uint32_t atom) {
  auto result = net::make_tensor(t.surface.precision, t.surface.shape);
  nvdlac::visit([&](auto& typed) {
    layer::unpack(bytes, t.surface, nvdlac::bytes{atom}, typed.values);
  }, result);
  return result;
}

void plan_tensors(output_set& files, std::string_view flag,
                  const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::create_directory(directory, failed);
  if (failed)
    throw error(problem{.file = directory.string(),
                        .reason = text("the directory cannot be made: ", failed.message())});
  files.plan(flag, directory / "index.json");
}

void add_tensors(output_set& files, std::string_view flag,
                 const std::filesystem::path& directory, const target& t,
                 const std::vector<run_tensor>& tensors) {
  const auto atom = t.spec().memory_atom;
  auto index = report::headed("tensors");
  index.update(json{{"configuration", t.name()}, {"atom_bytes", atom}, {"tensors", json::array()}});
  std::size_t unknown = 0;
  for (const auto& one : tensors) {
    index["tensors"].push_back(describe_tensor(one));
    files.add(flag, directory / (one.file + ".bin"), one.bytes);
    if (one.picture) continue;
    const auto numbers = numbers_of(one, one.bytes, atom);
    const auto& s = one.surface.shape;
    const std::vector<std::size_t> dims{static_cast<std::size_t>(s.c),
                                        static_cast<std::size_t>(s.h),
                                        static_cast<std::size_t>(s.w)};
    nvdlac::visit([&](const auto& typed) {
      files.add(flag, directory / (one.file + ".npy"), data::to_npy(dims, typed.values));
    }, numbers);
    if (!one.numbers) {
      ++unknown;
      continue;
    }
    const auto real = quantised::real_of(numbers, one.numbers->scale, one.numbers->zero);
    files.add(flag, directory / (one.file + ".real.npy"), data::to_npy({dims, real.values}));
  }
  files.add(flag, directory / "index.json", report::json_text(index));
  files.messages() << tensors.size() << " tensors in " << directory.string()
                   << (unknown != 0 ? text("; the loadable does not tell the scale of ", unknown,
                                           " of them, which have no .real.npy")
                                    : "")
                   << '\n';
}

}  // namespace nvdlac::cli
