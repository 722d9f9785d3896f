// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random ONNX models that only put the elements of a picture into other orders, and where each
// element of each output comes from: computed here element by element, as ONNX defines it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace random_order {

using dims = std::vector<std::int64_t>;

struct tensor {
  std::string name{};
  dims shape{};
  // The place in the input of each element in row-major order; `zero`: of a padding.
  std::vector<std::size_t> from{};
};
inline constexpr std::size_t zero = static_cast<std::size_t>(-1);

struct model {
  std::string content{};  // a file of ONNX in text form
  tensor input{};
  std::vector<tensor> outputs{};
};

inline std::int64_t size_of(const dims& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
}

inline tensor transposed(const tensor& x, const dims& perm, std::string name) {
  tensor y{std::move(name), {}, {}};
  for (const auto axis : perm) y.shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  std::vector<std::int64_t> at(perm.size(), 0);  // in y
  for (std::size_t n = 0; n < x.from.size(); ++n) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
      const auto in_y = std::ranges::find(perm, static_cast<std::int64_t>(axis)) - perm.begin();
      place = place * x.shape[axis] + at[static_cast<std::size_t>(in_y)];
    }
    y.from.push_back(x.from[static_cast<std::size_t>(place)]);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < y.shape[axis]) break;
      at[axis] = 0;
    }
  }
  return y;
}

// The elements at some places along an axis, where -1 is a padding.
inline tensor selected(const tensor& x, std::size_t axis, const dims& places, std::string name) {
  tensor y{std::move(name), x.shape, {}};
  y.shape[axis] = static_cast<std::int64_t>(places.size());
  const auto inner = static_cast<std::size_t>(
      size_of({x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end()}));
  const auto run = inner * static_cast<std::size_t>(x.shape[axis]);
  for (std::size_t outer = 0; outer < x.from.size(); outer += run)
    for (const auto place : places)
      for (std::size_t i = 0; i < inner; ++i)
        y.from.push_back(place < 0 ? zero
                                   : x.from[outer + static_cast<std::size_t>(place) * inner + i]);
  return y;
}

// With `selects`, some steps take elements at places along an axis, or put zeros around them.
class generator {
 public:
  explicit generator(unsigned seed, bool selects = false) : random_(seed), selects_(selects) {}

  // Up to five steps behind a picture of at most 64 elements; every fourth tensor on the way is an
  // output as well as the last.
  model make() {
    model m{.input = {"x", {1, pick(1, 4), pick(1, 4), pick(1, 4)}, {}}};
    m.input.from.resize(static_cast<std::size_t>(size_of(m.input.shape)));
    std::iota(m.input.from.begin(), m.input.from.end(), std::size_t{0});
    std::string nodes = node("Relu", m.input, "first");
    auto x = m.input;
    x.name = "first";
    const auto steps = pick(1, 5);
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto name = nvdlac::text("t/", i);
      if (selects_ && pick(0, 1) == 0) {
        x = select(x, name, nodes);
        if (i + 1 == steps || pick(0, 3) == 0) m.outputs.push_back(x);
        continue;
      }
      const auto what = pick(0, 4);
      const auto y = what < 2 ? transposed(x, permutation(x.shape.size()), name)
                              : tensor{name, what < 4 ? another_shape(x) : x.shape, x.from};
      if (what < 2) nodes += node("Transpose", x, name, list("perm", perm_));
      else if (what < 4) nodes += shape_of(y) + node("Reshape", x, name, {}, name + "/shape");
      else nodes += node("Relu", x, name);
      x = y;
      if (i + 1 == steps || pick(0, 3) == 0) m.outputs.push_back(x);
    }
    std::shuffle(m.outputs.begin(), m.outputs.end(), random_);
    std::string graph = "input " + value_info(m.input);
    for (const auto& o : m.outputs) graph += "output " + value_info(o);
    m.content = "ir_version: 7 opset_import { version: 13 } graph { " + graph + nodes + "}\n";
    return m;
  }

 private:
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<unsigned>(most - least + 1));
  }
  const dims& permutation(std::size_t rank) {
    perm_.resize(rank);
    std::iota(perm_.begin(), perm_.end(), std::int64_t{0});
    std::shuffle(perm_.begin() + 1, perm_.end(), random_);  // the batch stays in front
    return perm_;
  }
  // A Gather, or a Pad, along any axis but the batch.
  tensor select(const tensor& x, const std::string& name, std::string& nodes) {
    const auto axis = static_cast<std::size_t>(
        pick(1, std::max<std::int64_t>(1, static_cast<std::int64_t>(x.shape.size()) - 1)));
    const auto side = x.shape[axis];
    dims places;
    if (pick(0, 3) == 0 && size_of(x.shape) < 200) {
      dims pads(2 * x.shape.size(), 0);
      pads[axis] = pick(0, 2);
      pads[axis + x.shape.size()] = pick(0, 2);
      for (auto i = -pads[axis]; i < side + pads[axis + x.shape.size()]; ++i)
        places.push_back(i < side ? std::max<std::int64_t>(i, -1) : -1);
      nodes += integers(name + "/pads", pads) + node("Pad", x, name, {}, name + "/pads");
      return selected(x, axis, places, name);
    }
    const auto times = static_cast<std::size_t>(size_of(x.shape) < 100 ? pick(1, 2) : 1);
    const auto first = pick(0, side - 1), step = pick(1, 2);
    for (auto i = first; i < side; i += step) places.insert(places.end(), times, i);
    if (pick(0, 3) == 0) std::ranges::reverse(places);
    if (pick(0, 3) == 0) std::shuffle(places.begin(), places.end(), random_);
    nodes += integers(name + "/places", places) +
             node("Gather", x, name, nvdlac::text("attribute { name: 'axis' type: INT i: ", axis,
                                                  " } "),
                  name + "/places");
    return selected(x, axis, places, name);
  }
  static std::string integers(const std::string& name, const dims& values) {
    std::string s = nvdlac::text("initializer { name: '", name, "' data_type: 7 dims: ",
                                 values.size());
    for (const auto v : values) s += nvdlac::text(" int64_data: ", v);
    return s + " }\n";
  }
  // As many elements in two to four dimensions.
  dims another_shape(const tensor& x) {
    dims shape{1};
    auto left = size_of(x.shape);
    for (auto more = pick(0, 2); more > 0; --more) {
      dims divisors;
      for (std::int64_t d = 1; d <= left; ++d)
        if (left % d == 0) divisors.push_back(d);
      shape.push_back(divisors[random_() % divisors.size()]);
      left /= shape.back();
    }
    shape.push_back(left);
    return shape;
  }

  static std::string list(const char* name, const dims& values) {
    std::string s = nvdlac::text("attribute { name: '", name, "' type: INTS");
    for (const auto v : values) s += nvdlac::text(" ints: ", v);
    return s + " } ";
  }
  static std::string value_info(const tensor& t) {
    std::string s;
    for (const auto d : t.shape) s += nvdlac::text(" dim { dim_value: ", d, " }");
    return nvdlac::text("{ name: '", t.name, "' type { tensor_type { elem_type: 1 shape {", s,
                        " } } } }\n");
  }
  static std::string node(const char* type, const tensor& x, const std::string& name,
                          const std::string& attributes = {}, const std::string& second = {}) {
    return nvdlac::text("node { op_type: '", type, "' name: 'node of ", name, "' input: '", x.name,
                        second.empty() ? "" : "' input: '", second, "' output: '", name, "' ",
                        attributes, "}\n");
  }
  static std::string shape_of(const tensor& y) { return integers(y.name + "/shape", y.shape); }

  std::mt19937 random_;
  bool selects_;
  dims perm_{};
};

}  // namespace random_order
