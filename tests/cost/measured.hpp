// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measurements of NVIDIA's RTL, read from files of ../shared, and how far the model is from them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/cost/cycles.hpp>

#include "shared.hpp"

namespace measured {

using namespace nvdlac;

class row {
 public:
  row(const std::vector<std::string>& names, const std::vector<std::string>& values) {
    REQUIRE(names.size() == values.size());
    for (std::size_t i = 0; i < names.size(); ++i) values_[names[i]] = values[i];
  }
  const std::string& operator[](const std::string& name) const {
    const auto found = values_.find(name);
    INFO(name);
    REQUIRE(found != values_.end());
    return found->second;
  }
  std::int32_t n(const std::string& name) const { return std::atoi((*this)[name].c_str()); }
  std::uint64_t u(const std::string& name) const {
    return std::strtoull((*this)[name].c_str(), nullptr, 10);
  }

 private:
  std::map<std::string, std::string> values_{};
};

inline std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  if (line.ends_with(at)) parts.emplace_back();
  return parts;
}

// Empty if there is no such file.
inline std::vector<row> read(std::string_view name) {
  const auto path = shared_path(name);
  if (!path) return {};
  std::ifstream in(*path);
  std::string line;
  const auto next = [&] {
    const bool more = static_cast<bool>(std::getline(in, line));
    if (line.ends_with('\r')) line.pop_back();
    return more;
  };
  next();
  const auto names = split(line, ',');
  std::vector<row> rows;
  while (next()) rows.emplace_back(names, split(line, ','));
  REQUIRE(!rows.empty());
  return rows;
}

// "28x14x192"
inline std::vector<std::int32_t> numbers(const std::string& s) {
  std::vector<std::int32_t> all;
  for (const auto& part : split(s, 'x')) all.push_back(std::atoi(part.c_str()));
  return all;
}

// Errors of the model, which are fractions of what the RTL took.
class comparison {
 public:
  explicit comparison(std::string what) : what_(std::move(what)) {}

  void add(const std::string& name, std::uint64_t rtl, std::uint64_t model) {
    REQUIRE(rtl > 0);
    const auto e = std::abs(static_cast<double>(model) / static_cast<double>(rtl) - 1);
    sum_ += e;
    ++count_;
    rtl_ += rtl;
    model_ += model;
    if (e >= worst_) {
      worst_ = e;
      worst_name_ = name + ": RTL " + std::to_string(rtl) + ", model " + std::to_string(model);
    }
  }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double worst() const { return worst_; }

  // The errors in per cent that are reached; what was measured must be there.
  void check(std::size_t least, double mean_below, double worst_below) const {
    MESSAGE(what_, ": ", count_, " compared, mean ", 100 * mean(), " %, worst ", 100 * worst_,
            " % (", worst_name_, "), sum ",
            100 * (static_cast<double>(model_) / static_cast<double>(rtl_) - 1), " %");
    CHECK(count_ >= least);
    CHECK(100 * mean() <= mean_below);
    CHECK(100 * worst_ <= worst_below);
  }

 private:
  std::string what_, worst_name_{};
  double sum_ = 0, worst_ = 0;
  std::size_t count_ = 0;
  std::uint64_t rtl_ = 0, model_ = 0;
};

// How many columns of a picture the first kernels of these networks take, which the file does not
// tell.
inline const std::map<std::string, std::int32_t> first_kernels{
    {"lenet", 5}, {"dscnn", 4}, {"mobilenet2b", 3}, {"resnet18cifar", 3}, {"alexnet67", 11},
    {"vgg56img", 3}};

// A convolution with its SDP as programs have them. The bytes of weights and the lines of a kernel
// at a time are given.
struct convolution {
  net::shape in{}, out{};
  net::window window{};
  bool pixels = false;
  std::int32_t kernel_lines = 1, data_banks = 1, weight_banks = 1;
  std::uint64_t weight_bytes = 0;
  bool weight_reuse = false;
  bool alu = true, mul = false;  // operands for each kernel

  // The input is the picture of this network; several lines of the kernel at a time divide the
  // MACs' cycles.
  void read_pixels(const std::string& network, std::int32_t mac_cycles, const hw::spec& s) {
    pixels = true;
    window.kernel_w = first_kernels.at(network);
    const auto groups = ceil_div(static_cast<std::uint64_t>(out.c), s.kernel_group());
    const auto steps = mac_cycles / (static_cast<std::int32_t>(groups) * out.h * out.w);
    if (steps < window.kernel_h) kernel_lines = (window.kernel_h + steps - 1) / steps;
  }

  std::vector<layer::any> layers(const hw::spec& s) const {
    const auto u8 = [](std::int32_t n) { return static_cast<std::uint8_t>(n); };
    layer::convolution c{.input = layer::packed(in, s.atom(), {0, 0}),
                         .weights = {.at = {0, 0}, .size = weight_bytes}, .output = out,
                         .window = window, .kernel_lines = u8(kernel_lines),
                         .data_banks = u8(data_banks), .weight_banks = u8(weight_banks),
                         .weight_reuse = weight_reuse};
    const auto width = static_cast<std::uint64_t>(in.w);
    const auto channels = static_cast<std::uint64_t>(in.c);
    c.entries_per_slice = static_cast<std::uint16_t>(
        pixels ? hw::image_entries_per_slice(s, hw::precision::int8, width, channels).n
               : hw::feature_entries_per_slice(s, hw::precision::int8, width, channels).n);
    if (pixels)
      c.format = in.c == 1 ? layer::pixel_format::r8 : layer::pixel_format::a8b8g8r8;
    layer::sdp d{.input = {.shape = out}, .output = layer::packed(out, s.atom(), {0, 0})};
    d.x1 = {.alu = alu, .mul = mul, .mode = layer::sdp_mode::per_kernel,
            .operands = {.at = {0, 0}}};
    return {c, d};
  }
};

inline layer::sdp sum(net::shape shape, bytes atom) {
  const auto cube = layer::packed(shape, atom, {0, 0});
  return {.input = cube,
          .x1 = {.alu = true, .mode = layer::sdp_mode::per_point, .operand_bytes = 1,
                 .operands = cube},
          .output = cube};
}

inline std::vector<plan::task> program(const std::vector<layer::any>& layers) {
  std::vector<plan::task> tasks(1);
  for (const auto& l : layers) tasks.front().operations.push_back({.layer = {"", l}});
  return tasks;
}

// The memory of the measurements.
constexpr cost::memory memory(const hw::spec& s) {
  return {.width = s.dram.width_bits / 8, .read_latency = 64, .write_latency = 20};
}
// Their register accesses, one behind the other.
constexpr cost::host bench{.order = cost::order::serial, .access = 2, .interrupt = 55};

}  // namespace measured
