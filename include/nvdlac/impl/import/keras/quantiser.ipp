// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/keras/quantiser.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::optional<quantiser_call> quantiser_call::in(const json& j) {
  quantiser_call c;
  if (j.is_object()) {
    c.name = word(j, "class_name");
    if (const auto from = word(j, "module"); !from.empty() && !from.starts_with("qkeras"))
      c.name = from + '.' + c.name;
    if (const auto* config = member(j, "config"); config != nullptr && config->is_object())
      c.named = *config;
    return c;
  }
  if (!j.is_string()) return std::nullopt;
  const auto all = j.get<std::string>();
  const auto open = all.find('(');
  c.name = trimmed(all.substr(0, open));
  if (open == all.npos) return c;
  const auto close = all.rfind(')');
  if (close == all.npos || close < open || !trimmed(all.substr(close + 1)).empty())
    return std::nullopt;
  const auto arguments = all.substr(open + 1, close - open - 1);
  for (std::size_t at = 0; at < arguments.size();) {
    const auto end = std::min(arguments.find(',', at), arguments.size());
    const auto one = trimmed(arguments.substr(at, end - at));
    const auto equals = one.find('=');
    auto v = value(equals == one.npos ? one : trimmed(one.substr(equals + 1)));
    if (!v || (equals == one.npos && !c.named.empty())) return std::nullopt;
    if (equals == one.npos) c.positional.push_back(std::move(*v));
    else if (!c.named.emplace(trimmed(one.substr(0, equals)), std::move(*v)).second)
      return std::nullopt;
    at = end + 1;
  }
  return c;
}

NVDLAC_IMPL std::string quantiser_call::trimmed(const std::string& s) {
  const auto first = s.find_first_not_of(" \t\n");
  return first == s.npos ? "" : s.substr(first, s.find_last_not_of(" \t\n") - first + 1);
}

NVDLAC_IMPL std::optional<json> quantiser_call::value(const std::string& s) {
  if (s == "True") return json(true);
  if (s == "False") return json(false);
  if (s == "None") return json(nullptr);
  if (s.size() >= 2 && (s[0] == '\'' || s[0] == '"') && s.back() == s[0])
    return json(s.substr(1, s.size() - 2));
  auto number = json::parse(s.ends_with('.') ? s + '0' : s, nullptr, false);
  if (number.is_number()) return number;
  return std::nullopt;
}

NVDLAC_IMPL quantiser quantiser_reader::read() {
  auto call = quantiser_call::in(*all_);
  if (!call) throw refused("is not understood", "give it as quantized_bits(bits,integer,..)");
  name_ = call->name;
  static constexpr std::array bits{"bits", "integer", "symmetric", "keep_negative", "alpha",
                                   "use_stochastic_rounding", "scale_axis", "qnoise_factor",
                                   "var_name", "use_ste", "use_variables"};
  static constexpr std::array relu{"bits", "integer", "use_sigmoid"};
  if (name_ == "quantized_bits") take(*call, bits);
  else if (name_ == "quantized_relu") take(*call, relu);
  else throw refused("is not supported: " + why(name_), remedy());
  quantiser q = name_ == "quantized_bits" ? read_bits() : read_relu();
  q.since_2025 = since_2025_;
  q.straight_through = arguments_.flag("use_ste", true);
  // Rounding by chance, or to a part of the way, is for training.
  if (arguments_.flag("use_stochastic_rounding"))
    throw refused("rounds by chance", "set its use_stochastic_rounding to False");
  if (const auto noise = arguments_.number("qnoise_factor", 1); noise != 1)
    throw refused(text("has the qnoise_factor ", noise), "set it to 1, its end of training");
  if (arguments_.flag("use_variables")) throw refused("has use_variables", "leave it at False");
  arguments_.require_understood();
  return q;
}

NVDLAC_IMPL std::string quantiser_reader::why(const std::string& name) {
  if (name.find("po2") != name.npos) return "its values are powers of 2";
  if (name.starts_with("stochastic") || name == "bernoulli") return "its values are chance";
  if (name.find("binary") != name.npos || name.find("ternary") != name.npos)
    return "its few values are signs";
  return "it is another function";
}

NVDLAC_IMPL std::string quantiser_reader::described() const {
  return text("its ", key_, ' ', name_.empty() ? shown(*all_) : name_);
}

NVDLAC_IMPL error quantiser_reader::refused(const std::string& what,
                                            const std::string& remedy) const {
  return error(problem{.reason = described() + ' ' + what, .remedy = remedy});
}

NVDLAC_IMPL hub::plain_value argument_values::plain(const json& v) {
  if (v.is_boolean()) return hub::number_of(std::int64_t{v.get<bool>() ? 1 : 0});
  if (v.is_number()) return hub::number_of(v.get<double>());
  if (v.is_string()) return v.get<std::string>();
  return hub::own_value{};
}

NVDLAC_IMPL void quantiser_reader::take(quantiser_call& call, quantiser_call::names order) {
  since_2025_ = call.named.contains("post_training_scale");
  arguments_ = hub::asked_attributes(argument_values{described()});
  for (auto& [argument, v] : call.named.items())
    if (!v.is_null()) arguments_.add(argument, std::move(v));
  for (std::size_t i = 0; i < call.positional.size(); ++i) {
    auto& v = call.positional[i];
    if (i < order.size()) {
      if (!v.is_null()) arguments_.add(order[i], std::move(v));
    } else if (!(v.is_number() && v.get<double>() == 0) && v != json(false)) {
      // Versions of QKeras have different arguments here.
      throw refused(text("has the value ", shown(v), " in place ", i + 1),
                    "give it by its name, as use_stochastic_rounding=1");
    }
  }
}

NVDLAC_IMPL int quantiser_reader::whole(std::string_view argument, int otherwise, int least,
                                        int most) const {
  const auto v = arguments_.integer(argument, otherwise);
  if (v < least || v > most)
    throw refused(text("has the ", argument, ' ', v),
                  text("integers of ", least, " to ", most, " are supported"));
  return static_cast<int>(v);
}

NVDLAC_IMPL quantiser quantiser_reader::read_bits() {
  quantiser q{.name = name_};
  const int bits = whole("bits", 8, 1, 24);
  q.integer = whole("integer", 0, -24, 24);
  const bool symmetric = arguments_.flag("symmetric");
  const bool negative = arguments_.flag("keep_negative", true);
  q.unsigned_bits = bits - (negative ? 1 : 0);
  if (q.unsigned_bits < 1) throw refused("of 1 bit is a sign", "2 bits are the least");
  q.most = std::ldexp(1.0, q.unsigned_bits) - 1;
  q.least = negative ? -std::ldexp(1.0, q.unsigned_bits) + (symmetric ? 1 : 0) : 0;
  const auto* alpha = arguments_.find("alpha");
  q.tells_factor = alpha != nullptr;
  q.auto_po2 = alpha != nullptr && *alpha == "auto_po2";
  if (alpha == nullptr || q.auto_po2) return q;
  if (alpha->is_string())
    throw refused(text("has the alpha ", shown(*alpha),
                       ", which each version of QKeras computes otherwise"),
                  "train with alpha='auto_po2' or alpha=1");
  q.factor = arguments_.number("alpha");
  if (!(q.factor > 0) || !std::isfinite(q.factor))
    throw refused(text("has the alpha ", shown(*alpha)), "a number above 0 is supported");
  return q;
}

NVDLAC_IMPL quantiser quantiser_reader::read_relu() {
  quantiser q{.name = name_, .tells_factor = true, .slope = 0};
  const int bits = whole("bits", 8, 1, 24);
  q.integer = whole("integer", 0, -24, 24);
  if (arguments_.flag("use_sigmoid")) throw refused("has use_sigmoid", "set it to 0");
  q.slope = arguments_.number("negative_slope", 0);
  q.unsigned_bits = bits - (q.slope != 0 ? 1 : 0);
  q.most = std::ldexp(1.0, q.unsigned_bits) - 1;
  q.least = -double{q.slope} * (q.most + 1);
  if (q.slope < 0 || q.slope > 1 || q.least != std::floor(q.least) || q.unsigned_bits < 1)
    throw refused(text("has the negative_slope ", q.slope),
                  "a power of 2 of at most 1 is supported, and of at least a step");
  // Versions differ in whether it counts beside the end of the grid.
  if (const auto bound = arguments_.given<float>("relu_upper_bound"))
    if (*bound < std::ldexp(1.0, q.integer))
      throw refused(text("has the relu_upper_bound ", *bound, " within its grid"),
                    "choose bits and integer so that the grid ends there, and leave it out");
  (void)arguments_.flag("is_quantized_clip", true);  // of what the gradients see alone
  if (arguments_.flag("enable_fast_inference") && q.slope != 0)
    throw refused("has both enable_fast_inference and a negative_slope", "leave out the first");
  return q;
}

NVDLAC_IMPL std::optional<quantiser> quantiser_of(const layer& l, const char* key) {
  const auto* j = l.find(key);
  if (j == nullptr || *j == "linear") return std::nullopt;
  return quantiser_reader(key, *j).read();
}

NVDLAC_IMPL float quantised_value(float x, float quantised, const quantiser& q) {
  return q.straight_through ? x + (quantised - x) : quantised;
}

NVDLAC_IMPL void put_on_grid(std::vector<float>& values, const quantiser& q) {
  const double step = q.step();
  for (auto& v : values) {
    float x = v < 0 ? v * q.slope : v;
    const double steps = std::clamp(std::nearbyint(double{x} / step), q.least, q.most);
    if (q.slope != 1) x = std::min(x, q.high());
    v = quantised_value(x, static_cast<float>(steps * step * q.factor), q);
  }
}

NVDLAC_IMPL bool power_of_2_steps::put_on_grid(std::vector<float>& values) const {
  for (std::size_t k = 0; k < kernels_; ++k) {
    std::vector<float> x;
    for (std::size_t i = k; i < values.size(); i += kernels_)
      x.push_back(static_cast<float>(values[i] / unit_));
    std::set<std::vector<float>> found;
    for (const auto& [rounded, multiplied] : ends(x)) {
      std::vector<float> y;
      for (const auto v : x)
        y.push_back(quantised_value(static_cast<float>(v * unit_),
                                    static_cast<float>(nearest(v, rounded) * multiplied * unit_),
                                    q_));
      found.insert(std::move(y));
    }
    if (found.size() != 1) return false;
    for (std::size_t i = 0; i < x.size(); ++i) values[k + i * kernels_] = (*found.begin())[i];
  }
  return true;
}

NVDLAC_IMPL power_of_2_steps::steps power_of_2_steps::powers(double x, std::size_t terms) {
  const double e = std::log2(x + epsilon);
  const double doubt = std::ldexp(8 + 4 * std::sqrt(static_cast<double>(terms)), -24);
  return {std::exp2(std::nearbyint(e - doubt)), std::exp2(std::nearbyint(e + doubt))};
}

NVDLAC_IMPL double power_of_2_steps::nearest(float x, double step) const {
  const float up = static_cast<float>(std::abs(x) / step) + 0.5F;
  return std::copysign(std::min(std::floor(double{up}), most_), x);
}

NVDLAC_IMPL power_of_2_steps::steps power_of_2_steps::fitted(const std::vector<float>& x,
                                                             double step) const {
  double xz = 0, zz = 0;
  for (const auto v : x) {
    const double z = nearest(v, step);
    xz += v * z;
    zz += z * z;
  }
  const auto n = static_cast<double>(x.size());
  return powers(xz / n / (zz / n + epsilon), x.size());
}

NVDLAC_IMPL std::set<std::pair<double, double>> power_of_2_steps::ends(
    const std::vector<float>& x) const {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  steps all = powers(std::max(std::abs(*low), std::abs(*high)) / most_, 1);
  if (!q_.since_2025) all.merge(powers((double{*high} - *low) / (2 * most_ + 1), 1));
  for (int round = 0; round < 4; ++round) {
    steps next;
    for (const auto step : all) next.merge(fitted(x, step));
    all = std::move(next);
  }
  std::set<std::pair<double, double>> both;
  for (const auto step : all)
    for (const auto last : fitted(x, step)) {
      both.emplace(last, last);
      if (!q_.since_2025) both.emplace(step, last);
    }
  return both;
}

}  // namespace nvdlac::import::keras_format
