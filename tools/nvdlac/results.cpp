// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/quant/values.hpp>

namespace nvdlac::cli {

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
  for (const auto& b : outputs) columns_.push_back({b.name, b.shape, b.scale, {}});
}

void result_arrays::add(const std::vector<net::any_tensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) columns_[i].rows.push_back(outputs[i]);
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
    if (raw_ && rows_ != 0) {
      std::visit([&]<class Tensor>(const Tensor&) {
        decltype(Tensor::values) all;
        for (const auto& row : c.rows) {
          const auto& values = std::get<Tensor>(row).values;
          all.insert(all.end(), values.begin(), values.end());
        }
        files.add(to, data::to_npy(dims, all));
      }, c.rows.front());
      continue;
    }
    data::array a{dims, {}};
    for (const auto& row : c.rows) {
      const auto real = quant::real_of(row, c.scale);
      a.values.insert(a.values.end(), real.values.begin(), real.values.end());
    }
    files.add(to, data::to_npy(a));
  }
}

}  // namespace nvdlac::cli
