// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/keras/quantiser.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::keras_format {

using onnx_format::array;
using hub::attribute;
using translation::computed;
using translation::order;
using translation::values;

// The tensors of a model, which grow as its layers are converted.
class tensors : public translation::source {
 public:
  using indices = std::vector<std::int32_t>;

  const translation::tensor& at(std::int32_t index) const override {
    return all_[static_cast<std::size_t>(index)];
  }
  array constant(std::int32_t, bool) const override {  // those of the file are folded at once
    throw error("its values are not known");
  }
  std::int32_t add(std::string name);
  const indices& keep(indices i) { return kept_.emplace_back(std::move(i)); }

 private:
  std::deque<translation::tensor> all_;
  std::deque<indices> kept_;
};

// The properties that a file tells of all its layers.
struct origin {
  int version = 2;      // of Keras
  bool theano = false;  // kernels are to be turned by 180 degrees
  bool states = false;  // of recurrent layers are inputs and outputs, as in import::part
  onnx_format::constant_elements* weights = nullptr;  // of the file, which it may not exceed
};

// A function that a layer applies to its result, by its name, or a quantiser of QKeras.
struct function {
  std::string name = "linear";
  std::optional<quantiser> grid{};
};

// The context in which one layer is converted, with its configuration. Behind the inputs that other
// layers give stand its weights, in the file's order.
class conversion : public translation::conversion {
 public:
  conversion(const layer& of, const origin& file, std::size_t data, const indices& inputs,
             const indices& outputs, values& all, tensors& of_model, std::size_t wanted = 0);

  const layer& l;
  const origin& from;
  const std::size_t result;  // which of the layer's outputs is wanted, where it has several

  std::size_t data() const { return data_; }
  std::size_t weights() const { return inputs() - data_; }
  void require_data(std::size_t least, std::size_t most) const {
    if (data_ < least || data_ > most) throw error(text("it has ", count_of(data_, "input")));
  }
  // A layer with one input and so many weights.
  void require(std::size_t n) const;
  // The number of the input that is weight k.
  std::size_t weight(std::size_t k) const { return data_ + k; }
  void require_weight(std::size_t k, const char* what, const dims& shape) const;

  // Returns the context of this layer with another value as its only input.
  conversion on(computed x) const;
  // Returns the context of this layer with other weights.
  conversion with_weights(std::vector<array> weights) const;
  // Returns the context of this layer with these values as its inputs.
  conversion on(computed a, computed b) const;
  // Returns the context of a layer that this one applies to x, with `n` of the weights from number
  // `first` on; its output has a name of its own.
  conversion within(const layer& inner, const std::string& named, computed x, std::size_t first,
                    std::size_t n) const;
  computed input(std::size_t i) const { return all().result(inputs_[i]); }
  computed output() const { return all().result(outputs_[0]); }
  // Input 0 as it is.
  void pass() const { give(input(0)); }

  bool channels_first() const;
  // The name of the layer that computes the result before its activation.
  std::string before(const function& activation) const {
    return activation.name == "linear" ? name() : name() + "/linear";
  }
  // A value for each channel, which are last in the file's order, beside input 0 in this order.
  std::string per_channel(std::vector<float> v, order in, bool first = false) const;

 private:
  std::size_t data_;
  const indices& inputs_;
  const indices& outputs_;
  tensors& tensors_;
};

// A value whose elements are in the file's order.
computed in_file_order(const conversion& c, computed y);

// The functions that layers apply to their results, by name, and the layers that are such ones.

computed applied(const conversion& c, computed x, const char* type,
                 const std::vector<attribute>& attributes = {});
computed along_last(const conversion& c, computed x, const char* type);
// x times a function of it.
computed gated(const conversion& c, computed x, const char* type);
computed clipped(const conversion& c, computed x, float low, float high);

using activation_function = computed (*)(const conversion&, computed);
const std::map<std::string_view, activation_function>& activations();

// The name of a function that a configuration holds; nothing: it is none of Keras' own.
std::string name_of_function(const json& a);
// The function in a layer's configuration. By hard_sigmoid QKeras means another one than Keras.
function activation_of(const conversion& c);
// Its values are clipped to the grid, whose step is the tensor's scale; one of more steps than int8
// has is of even ones over the same range.
computed on_grid_of(const conversion& c, const quantiser& q, computed x);
computed activated(const conversion& c, computed x, const function& f);

// A weight, and the key of its quantiser in the configuration. Where alpha is not told, that of a
// kernel is auto_po2, and that of a bias is 1.
struct quantised_weight {
  const char* key;
  bool trains_alpha = true;
};

void put_on_grid(const conversion& c, array& a, quantiser q, const quantised_weight& w);

// The layer with its weights on their grids, in the file's order.
conversion quantised(const conversion& c, std::initializer_list<quantised_weight> all);

void on_activation(const conversion& c);
void on_elu(const conversion& c);
void on_leaky_relu(const conversion& c);
void on_thresholded_relu(const conversion& c);
// Linear between a threshold and the largest value, with a slope below the threshold.
void on_relu(const conversion& c);
// Along one axis, or several that are the last ones.
void on_softmax(const conversion& c);
// One slope for each channel, or for each element.
void on_prelu(const conversion& c);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/activation.ipp>
#endif
