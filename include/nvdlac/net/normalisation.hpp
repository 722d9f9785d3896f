// SPDX-License-Identifier: Apache-2.0
#pragma once
// Each channel times a factor, plus an addend, and what is normalised so.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// y[c] = factor[c] * x[c] + bias[c]
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<float> factor{};  // [C] or one for all channels
  std::vector<float> bias{};    // [C], one for all channels, or empty: 0
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("factor", &scale::factor);
    field("bias", &scale::bias);
    field("relu", &scale::relu);
  }

  float factor_of(std::size_t c) const { return factor[factor.size() == 1 ? 0 : c]; }
  float bias_of(std::size_t c) const {
    return bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : c];
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<scale>);

// y[c] = gamma[c] * (x[c] - mean[c]) / sqrt(variance[c] + epsilon) + beta[c]
struct batch_norm {
  static constexpr arity inputs{1, 1};

  std::vector<float> mean{}, variance{};  // [C]
  std::vector<float> gamma{}, beta{};     // [C], or empty: 1 and 0
  float epsilon = 1e-5F;
  static constexpr void fields(auto&& field) {
    field("mean", &batch_norm::mean);
    field("variance", &batch_norm::variance);
    field("gamma", &batch_norm::gamma);
    field("beta", &batch_norm::beta);
    field("epsilon", &batch_norm::epsilon);
  }

  // The form factor * x + bias of the operator, for one channel.
  struct line {
    double factor, bias;
  };
  line on_channel(std::size_t c) const;

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<batch_norm>);

// Local response normalisation across channels:
// y = x / (k + alpha / local_size * sum over local_size channels around c of x^2) ^ beta
struct lrn {
  static constexpr arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;
  static constexpr void fields(auto&& field) {
    field("local_size", &lrn::local_size);
    field("alpha", &lrn::alpha);
    field("beta", &lrn::beta);
    field("k", &lrn::k);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      return {rule::local_size_is_not_a_positive_odd_number, {local_size}};
    return in[0];
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<lrn>);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/normalisation.ipp>
#endif
