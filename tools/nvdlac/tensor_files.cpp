// SPDX-License-Identifier: Apache-2.0
#include "tensor_files.hpp"

#include <string>
#include <system_error>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

json describe_tensor(const verification::run_tensor& t) {
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
  if (s.transposed) j["transposed"] = true;
  if (t.numbers) {
    j["scale"] = t.numbers->scale;
    j["zero"] = t.numbers->zero;
  }
  if (!t.picture) j["numbers"] = t.file + ".npy";
  if (!t.picture && t.numbers) j["real"] = t.file + ".real.npy";
  return j;
}

}  // namespace

void plan_tensors(output_set& files, std::string_view flag,
                  const std::filesystem::path& directory) {
  files.make_directory(directory);
  files.plan(flag, directory / "index.json");
}

void add_tensors(output_set& files, std::string_view flag,
                 const std::filesystem::path& directory, const target& t,
                 const std::vector<verification::run_tensor>& tensors) {
  const auto atom = t.spec().memory_atom;
  auto index = report::headed("tensors");
  index.update(json{{"configuration", t.name()}, {"atom_bytes", atom}, {"tensors", json::array()}});
  std::size_t unknown = 0;
  for (const auto& one : tensors) {
    index["tensors"].push_back(describe_tensor(one));
    files.add(flag, directory / (one.file + ".bin"), one.bytes);
    if (one.picture) continue;
    const auto numbers = verification::numbers_of(one, one.bytes, bytes{atom});
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
  files.tell_when_written(
      text(count_of(tensors.size(), "tensor"), " in ", directory.string(),
           unknown != 0 ? text("; the loadable does not tell the scale of ", unknown,
                               " of them, which have no .real.npy")
                        : ""));
}

}  // namespace nvdlac::cli
