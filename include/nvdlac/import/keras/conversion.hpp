// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/translation/windows.hpp>

namespace nvdlac::import::keras_format {

using onnx_format::array;
using onnx_format::attribute;
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
  std::int32_t add(std::string name) {
    translation::tensor t;
    t.name = std::move(name);
    t.told = false;
    all_.push_back(std::move(t));
    return static_cast<std::int32_t>(all_.size() - 1);
  }
  const indices& keep(indices i) { return kept_.emplace_back(std::move(i)); }

 private:
  std::deque<translation::tensor> all_;
  std::deque<indices> kept_;
};

// What a file tells of all its layers.
struct origin {
  int version = 2;      // of Keras
  bool theano = false;  // kernels are to be turned by 180 degrees
};

// What the conversion of one layer works with: also its configuration. Behind the inputs that other
// layers give stand its weights, in the file's order.
class conversion : public translation::conversion {
 public:
  conversion(const layer& of, const origin& file, std::size_t data, const indices& inputs,
             const indices& outputs, values& all, tensors& of_model)
      : translation::conversion(inputs, outputs, all),
        l(of), from(file), data_(data), inputs_(inputs), outputs_(outputs), tensors_(of_model) {}

  const layer& l;
  const origin& from;

  std::size_t data() const { return data_; }
  std::size_t weights() const { return inputs() - data_; }
  void require_data(std::size_t least, std::size_t most) const {
    if (data_ < least || data_ > most) throw error(text("it has ", data_, " inputs"));
  }
  // A layer with one input and so many weights.
  void require(std::size_t n) const {
    require_data(1, 1);
    if (weights() != n)
      throw error(problem{.reason = text("the file has ", weights(), " weights of it instead of ",
                                         n),
                          .remedy = "the file does not fit its configuration"});
  }
  // The number of the input that is weight k.
  std::size_t weight(std::size_t k) const { return data_ + k; }
  void require_weight(std::size_t k, const char* what, const dims& shape) const {
    const auto& found = this->shape(weight(k));
    if (found != shape)
      throw error(text("its ", what, " has the shape ", onnx_format::to_text(found), " instead of ",
                       onnx_format::to_text(shape)));
  }

  // The same layer with another value as its first input.
  conversion on(computed x) const {
    const auto index = tensors_.add(name());
    all().compute(index, std::move(x));
    indices replaced{index};
    replaced.insert(replaced.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(data_),
                    inputs_.end());
    return {l, from, 1, tensors_.keep(std::move(replaced)), outputs_, all(), tensors_};
  }
  // The same layer with these values as its inputs.
  conversion on(computed a, computed b) const {
    const auto first = tensors_.add(name()), second = tensors_.add(name());
    all().compute(first, std::move(a));
    all().compute(second, std::move(b));
    return {l, from, 2, tensors_.keep({first, second}), outputs_, all(), tensors_};
  }
  computed input(std::size_t i) const { return all().result(inputs_[i]); }
  // Input 0 as it is.
  void pass() const { give(input(0)); }

  bool channels_first() const {
    const auto format = l.string("data_format", "channels_last");
    if (format != "channels_last" && format != "channels_first")
      throw error(problem{.reason = "its data_format is " + format,
                          .remedy = "channels_last and channels_first are supported"});
    return format == "channels_first";
  }
  // The name of the layer that computes the result before its activation.
  std::string before(const std::string& activation) const {
    return activation == "linear" ? name() : name() + "/linear";
  }
  // A value for each channel, which are last in the file's order, beside input 0 in this order.
  std::string per_channel(std::vector<float> v, order in, bool first = false) const {
    const auto rank = shape(0).size();
    const auto n = static_cast<std::int64_t>(v.size());
    array a = array::of_reals({n}, std::move(v));
    if (a.size() == 1) a.shape = {};
    else if (rank == 4 && (in == order::channels_second || first)) a.shape = {1, a.shape[0], 1, 1};
    return all().write(a, name());
  }

 private:
  std::size_t data_;
  const indices& inputs_;
  const indices& outputs_;
  tensors& tensors_;
};

// A value whose elements are in the file's order.
inline computed in_file_order(const conversion& c, computed y) {
  if (y.shape.size() != 4 || y.order == order::of_file) return y;
  y.value = c.node("Transpose", c.name(), {y.value}, {{"perm", translation::to_channels_last}});
  y.order = order::of_file;
  return y;
}

}  // namespace nvdlac::import::keras_format
