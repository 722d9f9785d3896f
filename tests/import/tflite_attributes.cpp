// SPDX-License-Identifier: Apache-2.0
// Every option of every operator of TensorFlow Lite: another value gives another result or is
// refused, and the default's value gives what leaving it out gives.
#include "tflite_model.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "outcome.hpp"

using namespace tflite_model;
namespace format = import::tflite_format;
using std::string;

namespace {

using options = std::vector<option>;

// Stands in place of a complaint where a changed value gives the same result, not another one.
const string same = "the same";

struct change {
  option another;
  string complaint{};
  std::optional<option> standard{};  // the default
};
struct operator_test {
  std::int32_t code;
  std::function<string(std::int32_t code, int type, const options&)> file;
  options needed{};
  std::vector<change> changes{};
};

const ints picture{1, 6, 5, 4};

// Files of one operator.
using maker = std::function<string(std::int32_t, int, const options&)>;
maker of(const ints& from, const ints& to) {
  return [=](int code, int type, const options& o) { return one(from, to, code, type, o); };
}
const maker unary = of(picture, picture);
maker of_integers(const ints& from, const ints& to, const std::vector<ints>& k) {
  return [=](int code, int type, const options& o) {
    return with_integers(from, to, code, k, type, o);
  };
}
maker of_reals(const ints& from, const ints& to, const ints& shape) {
  return [=](int code, int type, const options& o) {
    std::size_t n = 1;
    for (const auto d : shape) n *= static_cast<std::size_t>(d);
    return with_constant(from, to, code, shape, ramp(n, 0.3F), false, type, o);
  };
}
const maker binary = of_reals(picture, picture, {4});
// The picture and a function of it.
maker of_two(const ints& from, const ints& to) {
  return [=](int code, int type, const options& o) {
    builder b;
    const auto x = b.tensor("x", from), f = b.tensor("f", from), y = b.tensor("y", to);
    b.op(28, {x}, {f});
    b.op(code, {x, f}, {y}, type, o);
    return b.file({x}, {y});
  };
}
// Several outputs, from the picture as input `at` among integers.
maker of_parts(const ints& from, const ints& part, std::size_t at, const std::vector<ints>& k) {
  return [=](int code, int type, const options& o) {
    builder b;
    const auto x = b.tensor("x", from), y = b.tensor("y", part), z = b.tensor("z", part);
    ints in;
    for (const auto& values : k) in.push_back(b.integers("k", values));
    in.insert(in.begin() + static_cast<std::ptrdiff_t>(at), x);
    b.op(code, in, {y, z}, type, o);
    return b.file({x}, {y, z});
  };
}
maker filter(const ints& from, const ints& to, const ints& weights) {
  return [=](int code, int type, const options& o) {
    builder b;
    const auto x = b.tensor("x", from), y = b.tensor("y", to);
    const auto count = static_cast<std::size_t>(std::accumulate(
        weights.begin(), weights.end(), 1, std::multiplies{}));
    const auto w = b.real("w", weights, ramp(count, 0.05F));
    const auto k = b.real("b", {to.back()}, ramp(static_cast<std::size_t>(to.back())));
    if (code == 67) b.op(code, {b.integers("size", to), w, x, k}, {y}, type, o);
    else b.op(code, {x, w, k}, {y}, type, o);
    return b.file({x}, {y});
  };
}
string of_arg(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), y = b.tensor("y", {1, 6, 5}, int32);
  b.op(code, {x, b.integers("axis", {3})}, {y}, type, o);
  return b.file({x}, {y});
}
// The picture in its own shape.
string of_shape(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), s = b.tensor("s", {4}, int32), y = b.tensor("y", picture);
  b.op(code, {x}, {s}, type, o);
  b.op(22, {x, s}, {y}, 17);
  return b.file({x}, {y});
}
// The line whose number is the number of dimensions.
string of_rank(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), r = b.tensor("r", {}, int32), y = b.tensor("y", {1, 5, 4});
  b.op(code, {x}, {r}, type, o);
  b.op(36, {x, r}, {y}, 23, {integer(0, 1)});
  return b.file({x}, {y});
}
// The picture and twos.
string of_fill(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), k = b.tensor("k", {4}), y = b.tensor("y", picture);
  b.op(code, {b.integers("size", {4}), b.real("v", {}, {2})}, {k}, type, o);
  b.op(0, {x, k}, {y}, 11);
  return b.file({x}, {y});
}
// The picture in the remainders' shape.
string of_mod(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), s = b.tensor("s", {4}, int32), y = b.tensor("y", picture);
  b.op(code, {b.integers("a", {1, 6, 5, 4}), b.integers("b", {7, 7, 7, 7})}, {s}, type, o);
  b.op(22, {x, s}, {y}, 17);
  return b.file({x}, {y});
}
string of_reshape(std::int32_t code, int type, const options& o) {
  return one(picture, {1, 5, 6, 4}, code, type, o);
}

std::vector<change> activation(int n) {
  return {{byte(n, 1), "", byte(n, 0)}, {byte(n, 2)}, {byte(n, 3)}, {byte(n, 4)},
          {byte(n, 5), "fused activation is number 5"}};
}
std::vector<change> operator+(std::vector<change> a, const std::vector<change>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::vector<change> strided() {
  return {{byte(0, 0), "", byte(0, 0)}, {byte(0, 2), "padding is number 2"},
          {integer(1, 2)}, {integer(2, 2)}, {integer(1, 0), "strides"}, {integer(2, 0), "strides"}};
}
const std::vector<change> sum =
    activation(0) + std::vector<change>{{byte(1, 0), same, byte(1, 1)},
                                        {byte(1, 2), "one of its options is 2"}};

// The sums of the picture and of sparse numbers.
string of_sparse(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", picture), w = b.real("w", {1, 4}, {5, 6}), d = b.tensor("d", {1, 4}),
             y = b.tensor("y", picture);
  b.set_sparse(w, {{0, 1}, {}, {{1, {}, {}}, {0, {0, 2}, {1, 3}}}});
  b.op(code, {w}, {d}, type, o);
  b.op(0, {x, d}, {y}, 11);
  return b.file({x}, {y});
}
// Two steps of a number each.
string of_sequence(std::int32_t code, int type, const options& o) {
  builder b;
  const auto x = b.tensor("x", {1, 2, 1}), y = b.tensor("y", {1, 2, 1}), h = b.tensor("h", {1, 1}),
             c = b.tensor("c", {1, 1});
  b.set_flag(h, 5);
  b.set_flag(c, 5);
  ints in{x};
  for (int i = 0; i < 8; ++i) in.push_back(b.real("w", {1, 1}, {0.25F}));
  in.insert(in.end(), {-1, -1, -1});
  for (int i = 0; i < 4; ++i) in.push_back(b.real("b", {1}, {0.5F}));
  in.insert(in.end(), {-1, -1, h, c});
  b.op(code, in, {y}, type, o);
  return b.file({x}, {y});
}

std::vector<operator_test> with_windows() {
  const options valid{byte(0, 1), integer(1, 1), integer(2, 1)};
  const options pool = {byte(0, 1), integer(1, 1), integer(2, 1), integer(3, 2), integer(4, 1)};
  const auto with = [](options o, const option& more) {
    o.push_back(more);
    return o;
  };
  const std::vector<change> pooled =
      strided() + std::vector<change>{{integer(3, 3)}, {integer(4, 2)}};
  const std::vector<change> dilated{{integer(4, 2), "", integer(4, 1)},
                                    {integer(5, 2), "", integer(5, 1)}};
  return {
      {3, filter(picture, {1, 4, 3, 2}, {2, 3, 3, 4}), valid,
       strided() + activation(3) + dilated +
           std::vector<change>{{byte(6, int32), "name the type INT32, but 'b' is", byte(6, 0)}}},
      {4, filter(picture, {1, 4, 3, 8}, {1, 3, 3, 8}), with(valid, integer(3, 2)),
       strided() + activation(4) +
           std::vector<change>{{integer(3, 3), "the multiplier 3", integer(3, 0)},
                               {integer(5, 2), "", integer(5, 1)},
                               {integer(6, 2), "", integer(6, 1)}}},
      {67, filter(picture, {1, 12, 10, 3}, {3, 3, 3, 4}),
       {byte(0, 0), integer(1, 2), integer(2, 2)},
       activation(3) +
           std::vector<change>{{byte(0, 1), "smaller than VALID gives", byte(0, 0)},
                               {integer(1, 1)}, {integer(2, 1)}, {integer(1, 0), "stride is 0"},
                               {byte(4, int32), "name the type INT32", byte(4, 0)}}},
      {1, of(picture, {1, 6, 4, 4}), pool, pooled + activation(5)},
      {17, of(picture, {1, 6, 4, 4}), pool, pooled + activation(5)},
      {12, of(picture, {1, 6, 4, 4}), pool,
       pooled + std::vector<change>{{byte(5, 1), same, byte(5, 0)}, {byte(5, 2)}}},
      {9, filter({1, 1, 1, 4}, {1, 8}, {8, 4}), {},
       activation(0) +
           std::vector<change>{{byte(1, 1), "weights are shuffled", byte(1, 0)},
                               {byte(2, 1), "its output has the shape [1, 8]", byte(2, 0)},
                               {byte(3, 1), same, byte(3, 0)},
                               {byte(4, int32), "name the type INT32", byte(4, 0)}}},
      {126, of_reals({1, 1, 4, 4}, {1, 1, 4, 4}, {4, 4}), {},
       {{byte(0, 1), "", byte(0, 0)}, {byte(1, 1), "", byte(1, 0)},
        {byte(2, 1), same, byte(2, 0)}}},
  };
}
std::vector<operator_test> by_element() {
  std::vector<operator_test> all = {
      {0, binary, {}, sum}, {41, binary, {}, sum}, {18, binary, {}, activation(0)},
      {42, binary, {}, activation(0)}, {55, binary}, {57, binary}, {99, binary}, {54, binary},
      {78, of_reals(picture, picture, {1})}, {95, of_mod}, {106, of_two(picture, picture)},
      {25, unary, {number(0, 1)}, {{number(0, 2), "", number(0, 0)}}}, {50, unary},
      {98, unary, {}, {{number(0, 0.5F), "", number(0, 0)}}},
      {150, unary, {}, {{byte(0, 1), "", byte(0, 0)}, {byte(0, 2), "one of its options is 2"}}},
      {11, unary, {}, {{byte(0, 1), "", byte(0, 0)}, {byte(0, 2), same}, {byte(0, 3)},
                       {byte(0, 4)}, {byte(0, 5), "fused activation is number 5"}}},
      {13, unary, {integer(0, 1), number(1, 1), number(2, 0.5F), number(3, 0.75F)},
       {{integer(0, 2), "", integer(0, 0)}, {number(1, 2), "", number(1, 0)},
        {number(2, 1), "", number(2, 0)}, {number(3, 0.5F), "", number(3, 0)},
        {integer(0, -1), "its radius is -1"}}},
      {53, unary, {}, {{byte(0, int8), "name the type INT8", byte(0, 0)},
                       {byte(1, int8), "name the type INT8", byte(1, 0)}}},
  };
  for (const int code : {6, 8, 14, 19, 20, 21, 28, 47, 59, 66, 73, 75, 76, 92, 101, 104, 108, 111,
                         114, 116, 117, 152, 158})
    all.push_back({code, unary});
  return all;
}
std::vector<operator_test> moving() {
  const std::vector<change> kept = {{byte(0, 0), "does not have 2 dimensions", byte(0, 0)}};
  std::vector<operator_test> all = {
      {2, of_two(picture, {1, 6, 5, 8}), {integer(0, 3)},
       activation(1) + std::vector<change>{{integer(0, 1), "", integer(0, 0)},
                                           {integer(0, 4), "axis 4"}}},
      {22, of_reshape, {list(0, {1, 5, 6, 4})},
       {{list(0, {1, 5, 4, 6}), "", list(0, {1, 5, 6, 4})},
        {list(0, {1, 120}), "but its output is"}, {list(0, {1, 7, 7, 4}), "reshapes"}}},
      {22, of_integers(picture, {1, 5, 6, 4}, {{1, 5, -1, 4}}), {},
       {{list(0, {1, 6, 5, 4}), "its options say [1, 6, 5, 4]", list(0, {1, 5, 6, 4})}}},
      {23, of_integers(picture, {1, 12, 10, 4}, {{12, 10}}), {},
       {{integer(0, 12), "options give the size, too", integer(0, 0)},
        {integer(1, 10), "options give the size, too", integer(1, 0)},
        {byte(2, 1), "", byte(2, 0)}, {byte(3, 1), "", byte(3, 0)}}},
      {97, of_integers(picture, {1, 9, 7, 4}, {{9, 7}}), {},
       {{byte(0, 1), "", byte(0, 0)}, {byte(1, 1), "", byte(1, 0)}}},
      {26, of({1, 6, 4, 4}, {1, 3, 2, 16}), {integer(0, 2)},
       {{integer(0, 1), "", integer(0, 0)}, {integer(0, 4), "do not divide"}}},
      {5, of(picture, {1, 12, 10, 1}), {integer(0, 2)},
       {{integer(0, 1), "", integer(0, 0)}, {integer(0, 4), "do not divide"}}},
      {43, of({1, 1, 1, 4}, {1, 1, 4}), {list(0, {1})},
       {{list(0, {1, 2}), "is not [1, 4]", list(0, {})}, {list(0, {3}), "which is 4"}}},
      {45, of_integers(picture, {1, 3, 3, 2}, {{0, 1, 1, 1}, {1, 4, 4, 3}, {1, 1, 1, 1}}), {},
       {{integer(0, 2), "", integer(0, 0)}, {integer(1, 2), "", integer(1, 0)},
        {integer(2, 1), "ellipsis", integer(2, 0)}, {integer(3, 1), "new axis", integer(3, 0)},
        {integer(4, 2), "does not have 3 dimensions", integer(4, 0)},
        {byte(5, 1), "ends are offsets", byte(5, 0)}}},
      {49, of_parts(picture, {1, 6, 5, 2}, 1, {{3}}), {integer(0, 2)},
       {{integer(0, 4), "but has 2 outputs", integer(0, 0)}}},
      {102, of_parts(picture, {1, 6, 5, 2}, 0, {{2, 2}, {3}}), {integer(0, 2)},
       {{integer(0, 3), "count 3 parts instead of 2", integer(0, 0)}}},
      {83, of_two({1, 6, 5}, {1, 6, 5, 2}), {integer(0, 2), integer(1, 3)},
       {{integer(0, 3), "count 3 values instead of 2", integer(0, 0)},
        {integer(1, 1), "", integer(1, 0)}}},
      {88, of_parts({1, 2, 5, 2}, {1, 5, 2}, 0, {}), {integer(0, 2), integer(1, 1)},
       {{integer(0, 3), "count 3 parts instead of 2", integer(0, 0)},
        {integer(1, 3), "", integer(1, 0)}, {integer(1, 2), "2 outputs instead of 5"}}},
      {36, of_integers(picture, {1, 6, 5, 2}, {{1, 0}}), {integer(0, 3)},
       {{integer(0, 1), "", integer(0, 0)}, {integer(1, 1), "batch_dims 0", integer(1, 0)}}},
      {56, of_arg, {}, {{byte(0, int64), "name the type INT64", byte(0, 0)}}},
      {79, of_arg, {}, {{byte(0, int64), "name the type INT64", byte(0, 0)}}},
      {77, of_shape, {}, {{byte(0, int64), "name the type INT64", byte(0, 0)}}},
      {100, of_integers(picture, {1, 8, 9, 4}, {{0, 0, 1, 1, 2, 2, 0, 0}}), {},
       {{byte(0, 1), "", byte(0, 0)}, {byte(0, 2), "one of its options is 2"}}},
      {34, of_integers(picture, {1, 8, 5, 4}, {{0, 0, 1, 1, 0, 0, 0, 0}})},
      {60, of_integers(picture, {1, 8, 5, 4}, {{0, 0, 1, 1, 0, 0, 0, 0}})},
      {39, of_integers(picture, {1, 5, 6, 4}, {{0, 2, 1, 3}})},
      {65, of_integers(picture, {1, 2, 5, 4}, {{0, 1, 0, 0}, {1, 2, -1, -1}})},
      {70, of_integers({1, 6, 5}, {1, 6, 5, 1}, {{3}})},
      {69, of_integers(picture, {1, 6, 5, 8}, {{1, 1, 1, 2}})},
      {105, of_integers(picture, picture, {{1}})},
      {130, of_integers({1, 1, 1, 4}, picture, {{1, 6, 5, 4}})},
      {94, of_fill}, {110, of_rank}, {124, of_sparse},
      {44, of_sequence, {byte(0, 4)},
       {{byte(0, 1), "its activation is number 1"},
        {number(1, 3), "it clips its cell", number(1, 0)},
        {number(2, 3), "it clips its cell or its projection", number(2, 0)},
        {byte(3, 1), "its input has the shape", byte(3, 0)},
        {byte(4, 1), same, byte(4, 0)},
        {byte(5, 1), same, byte(5, 0)}}},
  };
  for (const int code : {40, 74, 81, 82, 89})
    all.push_back({code, of_integers(picture, {1, 1, 1, 4}, {{1, 2}}), {byte(0, 1)}, kept});
  return all;
}

std::vector<operator_test> tests() {
  auto all = with_windows();
  for (auto* more : {by_element, moving})
    for (auto& t : more()) all.push_back(std::move(t));
  return all;
}

options without(options o, int field) {
  std::erase_if(o, [&](const option& i) { return i.field == field; });
  return o;
}
options with(const options& o, const option& another) {
  auto all = without(o, another.field);
  all.push_back(another);
  return all;
}
outcome outcome_of(const operator_test& t, const options& o) {
  return ::outcome_of([&] {
    const auto* entry = format::find_operator({.code = t.code});
    return import::tflite_network_from(t.file(t.code, entry->options, o), "net.tflite").graph;
  });
}

}  // namespace

TEST_CASE("TFLite: another value of an option gives another result or is refused") {
  for (const auto& t : tests()) {
    const auto before = outcome_of(t, t.needed);
    INFO(format::builtin_name(t.code));
    CHECK(before.complaint == "");
    for (const auto& change : t.changes) {
      const int field = change.another.field;
      INFO("option ", field);
      const auto after = outcome_of(t, with(t.needed, change.another));
      if (change.complaint.empty() || change.complaint == same) {
        CHECK(after.complaint == "");
        CHECK(before.same_result(after) == (change.complaint == same));
      } else {
        CHECK_MESSAGE(mentions(after.complaint, change.complaint), after.complaint);
      }
      if (change.standard)
        CHECK(outcome_of(t, with(t.needed, *change.standard)) ==
              outcome_of(t, without(t.needed, field)));
    }
  }
}

TEST_CASE("TFLite: every option of every operator has a test") {
  const auto all = tests();
  for (const auto& entry : format::operators) {
    if (entry.code == 27) continue;  // SVDF, whose state tflite_states.cpp opens
    std::set<int> tested, known;
    bool any = false;
    for (const auto& t : all)
      if (t.code == entry.code) {
        any = true;
        for (const auto& change : t.changes) tested.insert(change.another.field);
      }
    if (const auto* o = format::find_options(entry.options))
      for (std::size_t i = 0; i < o->fields.size(); ++i) known.insert(static_cast<int>(i));
    INFO(format::builtin_name(entry.code));
    CHECK(any);
    CHECK(tested == known);
  }
}
