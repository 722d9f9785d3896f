// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <numeric>

#include <nvdlac/data/npy.hpp>

namespace nvdlac::cli {

real_tensor dequantised(const net::int8_tensor& t, double scale) {
  real_tensor real{t.shape};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    real.values[i] = static_cast<float>(scale * t.values[i]);
  return real;
}

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

result_arrays::result_arrays(const std::vector<sim::binding>& outputs, bool raw) : raw_(raw) {
  for (const auto& b : outputs) columns_.push_back({b.name, b.shape, b.scale});
}

void result_arrays::add(const std::vector<net::int8_tensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    columns_[i].values.insert(columns_[i].values.end(), outputs[i].values.begin(),
                              outputs[i].values.end());
  ++rows_;
}

void result_arrays::write(const std::filesystem::path& path, output_files& files) const {
  for (const auto& c : columns_) {
    std::string name = c.name;
    for (char& letter : name)
      if (letter == '/' || letter == '\\') letter = '_';
    const auto to = columns_.size() == 1 ? path : with_infix(path, name);
    std::vector<std::size_t> dims{rows_, static_cast<std::size_t>(c.shape.c),
                                  static_cast<std::size_t>(c.shape.h),
                                  static_cast<std::size_t>(c.shape.w)};
    if (c.shape.h == 1 && c.shape.w == 1) dims.resize(2);
    if (raw_) {
      files.add(to, data::to_npy(dims, c.values));
      continue;
    }
    data::array a{dims, {}};
    for (const auto x : c.values) a.values.push_back(static_cast<float>(c.scale * x));
    files.add(to, data::to_npy(a));
  }
}

}  // namespace nvdlac::cli
