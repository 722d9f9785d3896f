// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

// What the conversion of one operator works with, in any format: its inputs and outputs.
class conversion {
 public:
  using indices = std::vector<std::int32_t>;
  // Numbers below 0 stand for inputs that are left out; the indices outlive the conversion.
  conversion(const indices& inputs, const indices& outputs, values& all)
      : inputs_(inputs), outputs_(outputs), all_(all) {}

  values& all() const { return all_; }
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  bool all_constant() const {
    for (std::size_t i = 0; i < inputs(); ++i)
      if (given(i) && !is_constant(i)) return false;
    return true;
  }
  bool given(std::size_t i) const { return i < inputs() && inputs_[i] >= 0; }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ", inputs(), " inputs"));
    for (std::size_t i = 0; i < least; ++i)
      if (!given(i)) throw error(text("its input ", i, " is missing"));
  }
  void require_outputs(std::size_t n) const {
    if (outputs() != n) throw error(text("it has ", outputs(), " outputs instead of ", n));
  }
  const tensor& in(std::size_t i) const { return all_.at(index(i)); }
  const tensor& out(std::size_t i = 0) const { return all_.at(outputs_[i]); }
  const dims& shape(std::size_t i) const { return all_.shape(index(i)); }
  const std::string& name() const { return out().name; }
  bool is_constant(std::size_t i) const { return all_.is_constant(index(i)); }

  array constant(std::size_t i, const char* what, bool with_scale = true) const {
    if (!is_constant(i))
      throw error(problem{.reason = text("its ", what, " are not constant"),
                          .remedy = "they must be known when the file is read"});
    return all_.constant(index(i), with_scale);
  }
  array reals(std::size_t i, const char* what) const {
    array a = constant(i, what);
    if (!a.real) throw error(text("its ", what, " are integers without a scale"));
    return a;
  }
  dims integers(std::size_t i, const char* what) const {
    const array a = constant(i, what, false);
    if (a.real) throw error(text("its ", what, " are no integers"));
    return a.integers;
  }

  // The order in which an operator computes with its first `n` inputs: with channels second, if
  // that is how one of them is computed or all pictures of the file are.
  order common_order(std::size_t n = 1) const {
    bool second = out().told;
    for (std::size_t i = 0; i < n; ++i)
      if (given(i) && !is_constant(i) && shape(i).size() == 4)
        second = second || all_.result(index(i)).order == order::channels_second;
    return second ? order::channels_second : order::of_file;
  }
  // Input i in an order; of other than four dimensions in the file's.
  std::string in_order(std::size_t i, order wanted) const {
    const bool turns = shape(i).size() == 4 && wanted == order::channels_second;
    if (is_constant(i)) {
      const array a = wanted == order::channels_second ? reals(i, "values") : constant(i, "values");
      return all_.write(turns ? channels_second(a) : a, name());
    }
    const computed& x = all_.result(index(i));
    if (shape(i).size() != 4 || x.order == wanted) return x.value;
    return node("Transpose", name(), {x.value}, {{"perm", turns ? to_channels_second
                                                                : to_channels_last}});
  }
  // Input i with channels second; of three dimensions at most in the file's order.
  std::string picture(std::size_t i) const { return in_order(i, order::channels_second); }
  // Input i in the file's order.
  std::string plain(std::size_t i) const { return in_order(i, order::of_file); }
  // Input i under four dimensions, as numpy's rules align it with such a tensor.
  std::string aligned(std::size_t i, order wanted = order::channels_second) const {
    if (shape(i).size() == 4) return in_order(i, wanted);
    dims longer = shape(i);
    longer.insert(longer.begin(), 4 - longer.size(), 1);
    if (is_constant(i)) {
      array a = reals(i, "values");
      a.shape = longer;
      return all_.write(wanted == order::of_file ? a : channels_second(a), name());
    }
    auto x = reshaped(all_.result(index(i)).value, longer);
    return wanted == order::of_file ? x : with_channels_second(x);
  }
  // An axis of a tensor of so many dimensions, counted from its end where it is negative.
  std::int64_t axis_in(order of, std::size_t rank, std::int64_t axis) const {
    axis = onnx_format::checked_axis(axis, rank);
    return rank == 4 && of == order::channels_second ? axis_with_channels_second(axis) : axis;
  }
  std::int64_t last_axis(std::size_t i, order of) const {
    return shape(i).size() == 4 && of == order::channels_second ? 1 : -1;
  }
  std::string reshaped(const std::string& value, const dims& shape) const {
    return node("Reshape", name(), {value, all_.write_integers(shape, name())});
  }
  std::string with_channels_second(const std::string& value) const {
    return node("Transpose", name(), {value}, {{"perm", to_channels_second}});
  }

  // A node of the ONNX model; throws where it has no such operator.
  std::string node(const std::string& type, const std::string& layer, const names& inputs,
                   const std::vector<attribute>& attributes = {}) const {
    const auto known = onnx_format::operators().find(type);
    if (known == onnx_format::operators().end() || known->second.of_constants)
      throw error(not_supported());
    return all_.node(type, layer, inputs, attributes);
  }
  static std::string not_supported() { return "is not supported"; }
  std::string clipped(const std::string& value, float low, float high) const {
    return node("Clip", name(),
                {value, all_.write_number(low, name()), all_.write_number(high, name())});
  }

  // Output i. Where shapes are told, the order of elements follows from the number of dimensions.
  void give(computed c, std::size_t i = 0) const {
    const tensor& t = out(i);
    if (t.told) {
      if (t.shape.size() == 4 && c.order == order::of_file)
        c.value = with_channels_second(c.value);
      c.order = t.shape.size() == 4 ? order::channels_second : order::of_file;
      c.shape = t.shape;
    }
    c.value = all_.on_grid(t, std::move(c.value));
    all_.compute(outputs_[i], std::move(c));
  }
  void give_plain(std::string value, dims shape, std::size_t i = 0) const {
    give({std::move(value), std::move(shape), order::of_file}, i);
  }
  void give_constant(array a, std::size_t i = 0) const {
    all_.fold(outputs_[i], std::move(a));
  }
  // Where the shape of output i is told.
  void require_rank(std::size_t rank, std::size_t i = 0) const {
    if (out(i).told && out(i).shape.size() != rank)
      throw error(text("its output ", onnx_format::to_text(out(i).shape), " does not have ", rank,
                       " dimensions"));
  }

 private:
  // The number of the tensor that is input i.
  std::int32_t index(std::size_t i) const {
    if (!given(i)) throw error(text("its input ", i, " is missing"));
    return inputs_[i];
  }

  const indices& inputs_;
  const indices& outputs_;
  values& all_;
};

}  // namespace nvdlac::import::translation
