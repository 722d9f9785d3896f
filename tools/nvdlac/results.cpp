// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <string>
#include <variant>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/quant/values.hpp>

namespace nvdlac::cli {
namespace {

constexpr auto option = "--output";

}  // namespace

std::vector<std::size_t> best(const real_tensor& t, std::size_t count) {
  std::vector<std::size_t> places(t.values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  count = std::min(count, places.size());
  const auto larger = [&](std::size_t a, std::size_t b) {
    return t.values[a] != t.values[b] ? t.values[a] > t.values[b] : a < b;
  };
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                    places.end(), larger);
  places.resize(count);
  return places;
}

namespace {

// A name of its own, which looks like that of the output, for each file of a directory.
std::string file_name(const std::string& output, std::set<std::string>& taken) {
  std::string name = output;
  for (char& c : name)
    if (c == '/' || c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '_';
  const auto first = name;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = first + '_' + std::to_string(number);
  return name;
}

}  // namespace

result_arrays::result_arrays(const std::vector<sim::binding>& outputs,
                             const std::filesystem::path& path, bool raw)
    : raw_(raw) {
  std::set<std::string> taken;
  for (const auto& b : outputs) {
    const auto file = path.empty() || outputs.size() == 1
                          ? path
                          : with_infix(option, path, file_name(b.name, taken));
    columns_.push_back({file, b.shape, b.scale, {}});
  }
}

void result_arrays::plan(output_set& files) const {
  for (const auto& c : columns_)
    if (!c.file.empty()) files.plan(option, c.file);
}

void result_arrays::take(const std::vector<net::any_tensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) columns_[i].rows.push_back(outputs[i]);
  ++rows_;
}

void result_arrays::finish(output_set& files) const {
  for (const auto& c : columns_) {
    if (c.file.empty()) continue;
    std::vector<std::size_t> dims{rows_, static_cast<std::size_t>(c.shape.c),
                                  static_cast<std::size_t>(c.shape.h),
                                  static_cast<std::size_t>(c.shape.w)};
    if (c.shape.h == 1 && c.shape.w == 1) dims.resize(2);
    if (raw_ && rows_ != 0) {
      std::visit([&]<class Tensor>(const Tensor&) {
        decltype(Tensor::values) all;
        for (const auto& row : c.rows) {
          const auto& values = std::get<Tensor>(row).values;
          all.insert(all.end(), values.begin(), values.end());
        }
        files.add(option, c.file, data::to_npy(dims, all));
      }, c.rows.front());
      continue;
    }
    data::array a{dims, {}};
    for (const auto& row : c.rows) {
      const auto real = quant::real_of(row, c.scale);
      a.values.insert(a.values.end(), real.values.begin(), real.values.end());
    }
    files.add(option, c.file, data::to_npy(a));
  }
}

}  // namespace nvdlac::cli
