// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

// The context in which one operator is converted, in any format: its inputs and outputs.
class conversion {
 public:
  using indices = std::vector<std::int32_t>;
  // Numbers below 0 stand for inputs that are left out; the indices outlive the conversion.
  conversion(const indices& inputs, const indices& outputs, values& all)
      : inputs_(inputs), outputs_(outputs), all_(all) {}

  values& all() const { return all_; }
  const onnx_format::element_ceiling& ceiling() const { return all_.ceiling(); }
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  bool all_constant() const;
  bool given(std::size_t i) const { return i < inputs() && inputs_[i] >= 0; }
  void require_inputs(std::size_t least, std::size_t most) const;
  void require_outputs(std::size_t n) const {
    if (outputs() != n) throw error(text("it has ", count_of(outputs(), "output"), " instead of ",
                                         n));
  }
  const tensor& in(std::size_t i) const { return all_.at(index(i)); }
  const tensor& out(std::size_t i = 0) const { return all_.at(outputs_[i]); }
  const dims& shape(std::size_t i) const { return all_.shape(index(i)); }
  const std::string& name() const { return out().name; }
  bool is_constant(std::size_t i) const { return all_.is_constant(index(i)); }

  array constant(std::size_t i, const char* what, bool with_scale = true) const;
  array reals(std::size_t i, const char* what) const;
  dims integers(std::size_t i, const char* what) const;

  // The order in which an operator computes with its first `n` inputs: with channels second, if
  // that is how one of them is computed or all pictures of the file are.
  order common_order(std::size_t n = 1) const;
  // Input i in an order; of other than four dimensions in the file's.
  std::string in_order(std::size_t i, order wanted) const;
  // Input i with channels second; of three dimensions at most in the file's order.
  std::string picture(std::size_t i) const { return in_order(i, order::channels_second); }
  // Input i in the file's order.
  std::string plain(std::size_t i) const { return in_order(i, order::of_file); }
  // Input i under four dimensions, as numpy's rules align it with such a tensor.
  std::string aligned(std::size_t i, order wanted = order::channels_second) const;
  // An axis of a tensor of so many dimensions, counted from its end where it is negative.
  std::int64_t axis_in(order of, std::size_t rank, std::int64_t axis) const;
  std::int64_t last_axis(std::size_t i, order of) const {
    return shape(i).size() == 4 && of == order::channels_second ? 1 : -1;
  }
  std::string reshaped(const std::string& value, const dims& shape) const {
    return node("Reshape", name(), {value, all_.write_integers(shape, name())});
  }
  std::string with_channels_second(const std::string& value) const {
    return node("Transpose", name(), {value}, {{"perm", to_channels_second()}});
  }

  // A node of the ONNX model; throws where it has no such operator.
  std::string node(const std::string& type, const std::string& layer, const names& inputs,
                   const std::vector<attribute>& attributes = {}) const;
  static std::string not_supported() { return "is not supported"; }
  std::string clipped(const std::string& value, float low, float high) const;

  // Output i. Where shapes are told, the order of elements follows from the number of dimensions.
  void give(computed c, std::size_t i = 0) const;
  void give_plain(std::string value, dims shape, std::size_t i = 0) const {
    give({std::move(value), std::move(shape), order::of_file}, i);
  }
  void give_constant(array a, std::size_t i = 0) const {
    all_.fold(outputs_[i], std::move(a));
  }
  // Where the shape of output i is told.
  void require_rank(std::size_t rank, std::size_t i = 0) const;

 private:
  // The number of the tensor that is input i.
  std::int32_t index(std::size_t i) const;

  const indices& inputs_;
  const indices& outputs_;
  values& all_;
};

// Operators with windows, and fully connected ones. They give a result for the caller to give or to
// work on; its layer is named by the caller.

// How windows step over a picture. What padding SAME lacks at odd numbers stands behind.
struct window {
  enum class padding : std::uint8_t { same, valid, given } kind = padding::valid;
  dims strides{1, 1}, dilations{1, 1};
  dims pads{0, 0, 0, 0};               // `given`: top, left, bottom, right
  bool channels_first = false;         // in the file

  order order_in() const { return channels_first ? order::of_file : order::channels_second; }
  std::size_t channel_axis() const { return channels_first ? 1 : 3; }
  std::size_t first_axis() const { return channels_first ? 2 : 1; }
  attribute padding_attribute() const {
    if (kind == padding::given) return {"pads", pads};
    return {"auto_pad", std::string(kind == padding::same ? "SAME_UPPER" : "VALID")};
  }
  // The outputs along an axis of the picture, 0 or 1. The numbers were not checked.
  std::int64_t outputs(std::size_t axis, std::int64_t in, std::int64_t kernel) const;
};

void require_picture(const conversion& c, std::size_t i, const window& w = {});

// The result of windows over input i with so many channels.
computed windowed(const conversion& c, std::size_t i, const window& w, const dims& kernel,
                  std::int64_t channels, std::string value);

// Weights [kernels][channels of a group][h][w]; the bias is input `bias`, if that is given.
computed convolve(const conversion& c, const std::string& layer, const array& weights,
                  std::int64_t groups, const window& w,
                  std::optional<std::size_t> bias = std::nullopt);

// Weights [channels][kernels][h][w]. As in a convolution from the output, whose shape is given, to
// input i, what its windows lack is padding, the smaller half of it before.
computed convolve_transposed(const conversion& c, const std::string& layer, std::size_t i,
                             const dims& size, const array& weights, const window& w,
                             std::optional<std::size_t> bias = std::nullopt);

std::string pooled(const conversion& c, const char* type, const std::string& layer,
                   const std::string& value, const window& w, const dims& kernel);
computed pool(const conversion& c, const char* type, const std::string& layer, const window& w,
              const dims& kernel);
// The root of the mean of squares.
computed pool_squares(const conversion& c, const std::string& layer, const window& w,
                      const dims& kernel);

// The matrices of the last two dimensions, turned where that is wished.
computed multiply_matrices(const conversion& c, bool turn_left, bool turn_right);

// Operators that compute element by element.

// Both inputs of an operator as numpy's rules align them, and what it gives.
struct operands {
  std::string a, b;
  computed result;  // but for its value
};
operands aligned(const conversion& c);
array fold_binary(const conversion& c, const char* type);
computed binary(const conversion& c, const char* type, const std::string& layer);
computed squared_difference(const conversion& c);
computed sum_of_all(const conversion& c);

// An operator on input 0 that keeps its shape: `compute` makes the value of it.
template <class Compute>
computed mapped(const conversion& c, Compute compute) {
  const auto order = c.common_order();
  return {compute(c.in_order(0, order)), c.shape(0), order};
}
computed unary(const conversion& c, const char* type,
               const std::vector<attribute>& attributes = {});
computed clip(const conversion& c, float low, float high);
computed reciprocal_root(const conversion& c);
computed square(const conversion& c);

// Operators along the last dimension, which holds the channels.
computed along_channels(const conversion& c, const char* type, const std::string& layer,
                        const std::vector<attribute>& further = {});

// The sums of squares of 2 * radius + 1 channels; alpha is not divided by their number.
computed local_response(const conversion& c, std::int64_t radius, float bias, float alpha,
                        float beta);

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/conversion.ipp>
#endif
