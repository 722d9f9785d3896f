// SPDX-License-Identifier: Apache-2.0
#pragma once
// The quantisers of QKeras (github.com/google/qkeras): those that round to a grid of even steps.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

// Real numbers are multiples of `step` between the integers `least` and `most`, ties go to the even
// one; constants are multiplied by `factor` behind it.
struct quantiser {
  std::string name{};
  int unsigned_bits = 0, integer = 0;  // of all bits without the sign; before the point
  double least = 0, most = 0;
  float factor = 1;
  bool tells_factor = false;  // else layers that train their weights choose auto_po2
  bool auto_po2 = false;      // each kernel has a step of its own, a power of 2
  bool since_2025 = false;    // told by the keys; how auto_po2 searches depends on it
  bool straight_through = true;  // adds to a value what leads to its quantised one
  float slope = 1;               // of what is below 0; 0 for a ReLU

  double step() const { return std::ldexp(1.0, integer - unsigned_bits); }
  float low() const { return static_cast<float>(least * step()); }
  float high() const { return static_cast<float>(most * step()); }
};

// A call such as "quantized_bits(8,0,alpha=1)" as its arguments by their names.
class quantiser_call {
 public:
  using names = std::span<const char* const>;

  static std::optional<quantiser_call> in(const json& j);

  std::string name{};
  json named = json::object();
  std::vector<json> positional{};

 private:
  static std::string trimmed(const std::string& s);
  static std::optional<json> value(const std::string& s);
};

// The arguments of a quantiser, which are numbers or words.
struct argument_values {
  using value = json;
  std::string owner{};  // what messages call the quantiser

  static hub::plain_value plain(const json& v);
  std::string call(std::string_view argument) const { return text(owner, "'s ", argument); }
  static std::string shown(const json& v) { return json_text::shown(v); }
  error refusal(std::string_view argument, const json& v, hub::value_kind kind) const {
    return error(problem{.reason = text(owner, " has the ", argument, ' ', shown(v)),
                         .remedy = text(hub::words_for(kind), " is meant")});
  }
  static bool is_ignored(std::string_view argument) { return argument == "var_name"; }
};

// Reads the arguments of one quantiser; what is not understood is an error.
class quantiser_reader {
 public:
  // `key`: of the layer's configuration, where the quantiser stands.
  quantiser_reader(const char* key, const json& j) : key_(key), all_(&j) {}

  quantiser read();

 private:
  static std::string remedy() {
    return "quantized_bits and quantized_relu are supported, whose steps are even";
  }
  static std::string why(const std::string& name);
  std::string described() const;
  error refused(const std::string& what, const std::string& remedy) const;

  void take(quantiser_call& call, quantiser_call::names order);
  int whole(std::string_view argument, int otherwise, int least, int most) const;

  quantiser read_bits();
  quantiser read_relu();

  const char* key_;
  const json* all_;
  std::string name_{};
  bool since_2025_ = false;
  hub::asked_attributes<argument_values> arguments_{};
};

// The quantiser under a key; nothing: there is none, or it leaves all as it is.
std::optional<quantiser> quantiser_of(const layer& l, const char* key);

// The values that QKeras computes with, in single precision as there.
float quantised_value(float x, float quantised, const quantiser& q);
void put_on_grid(std::vector<float>& values, const quantiser& q);

// With alpha="auto_po2" a kernel (all elements with one last index) has a power of 2 as its step,
// which five rounds of least squares find. QKeras before 2021 begins at another step than since,
// and before 2025 it multiplies by the step behind that of the rounding.
class power_of_2_steps {
 public:
  power_of_2_steps(const quantiser& q, std::size_t kernels)
      : q_(q), unit_(std::ldexp(1.0, q.integer)), kernels_(kernels),
        most_(std::ldexp(1.0, q.unsigned_bits) - 1) {}

  // Whether the values are certain; then they are on their grid. They are not where the file does
  // not tell the version and versions differ, and where a step depends on the order of a sum.
  bool put_on_grid(std::vector<float>& values) const;

 private:
  using steps = std::set<double>;
  static constexpr double epsilon = 1e-7;  // of Keras

  // The power of 2 that is nearest in logarithms: two where single precision may round either way.
  static steps powers(double x, std::size_t terms);
  double nearest(float x, double step) const;
  steps fitted(const std::vector<float>& x, double step) const;
  // The steps of the rounding and of the product behind it.
  std::set<std::pair<double, double>> ends(const std::vector<float>& x) const;

  quantiser q_;
  double unit_;
  std::size_t kernels_;
  double most_;
};

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/quantiser.ipp>
#endif
