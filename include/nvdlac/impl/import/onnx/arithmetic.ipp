// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/comparison.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/comparison.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::optional<std::vector<float>> by_channel(const std::vector<float>& values,
                                                         const computed& x, net::shape cube) {
  if (values.size() == 1 && !x.from) return values;
  const auto area = static_cast<std::size_t>(cube.h) * static_cast<std::size_t>(cube.w);
  const auto n = x.from ? x.from->size() : values.size();
  std::vector<float> result(static_cast<std::size_t>(cube.c));
  std::vector<bool> known(result.size(), false);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t source = x.from ? (*x.from)[i] : static_cast<std::int64_t>(i);
    if (source < 0) return std::nullopt;  // the padding would no longer be 0
    const std::size_t c = static_cast<std::size_t>(source) / area;
    const float v = values[values.size() == 1 ? 0 : i];
    if (known[c] && result[c] != v && !(std::isnan(result[c]) && std::isnan(v)))
      return std::nullopt;
    result[c] = v;
    known[c] = true;
  }
  return result;
}

NVDLAC_IMPL std::vector<value> add_affine(const context& c, const std::string& layer,
                                          const computed& x, const affine& f) {
  auto& net = c.net;
  const auto attempt = [&](const computed& t) -> std::optional<computed> {
    const net::shape cube = net.net().shape(t.node);
    const auto factor = by_channel(f.factor, t, cube), bias = by_channel(f.bias, t, cube);
    if (!factor || !bias) return std::nullopt;
    const bool unbiased =
        std::all_of(bias->begin(), bias->end(), [](float b) { return b == 0.0F; });
    const auto n =
        net.add(layer, net::scale{*factor, unbiased ? std::vector<float>{} : *bias}, {t.node});
    return computed{n, t.shape, t.from, t.moved_by};
  };
  if (const auto y = attempt(x)) return {*y};
  const bool stays = is_whole(x, net.net().shape(x.node));
  const computed straight =
      stays ? x : computed{x.from ? net.as_cube(x) : x.node, x.shape};
  if (!stays)
    if (const auto y = attempt(straight)) return {*y};
  // Not one value for each channel: the constant becomes a tensor.
  const auto equal = [](const std::vector<float>& values, float v) {
    return std::all_of(values.begin(), values.end(), [&](float one) { return one == v; });
  };
  const net::shape cube = net.net().shape(straight.node);
  const bool product = equal(f.bias, 0.0F);
  auto values = values_in_cube(straight, product ? f.factor : f.bias, cube);
  const auto k = net.add(layer + "/constant", net::constant{{cube, std::move(values)}}, {});
  const auto n = product ? net.add(layer, net::multiply{}, {straight.node, k})
                         : net.add(layer, net::add{.coefficients = {f.factor.at(0), 1.0F}},
                                   {straight.node, k});
  return {computed{n, x.shape, straight.from, straight.moved_by}};
}

NVDLAC_IMPL assembly::id add_pair(cube_builder& net, const std::string& layer,
                                  const std::string& type,
                                  const std::vector<assembly::id>& in) {
  if (type == "Add") return net.add(layer, net::add{}, in);
  if (type == "Sub") return net.add(layer, net::add{.coefficients = {1.0F, -1.0F}}, in);
  if (type == "Mul") return net.add(layer, net::multiply{}, in);
  if (type == "Max") return net.add(layer, net::extremum{}, in);
  if (type == "Min")
    return net.add(layer, net::extremum{.kind = net::extremum_kind::minimum}, in);
  if (const auto peaks = peaks_of(net.net().graph(), type, in))
    return net.add(layer, host::on_host(peaks->what), {peaks->of});
  if (const auto relation = relation_of(type))
    return net.add(layer, host::on_host(host::compare{.relation = *relation}), in);
  throw error(problem{.reason = type + " of two computed tensors is not supported",
                      .remedy = "Add, Sub, Mul, Max and Min are"});
}

NVDLAC_IMPL std::vector<float> spread(const array& a, const dims& shape,
                                      const element_ceiling& most, bool may_be_whole) {
  if (!a.real && !may_be_whole) throw error("it computes with integers");
  const array real = a.real ? a : fold_cast(a, 1);
  if (real.reals.size() == 1) return real.reals;
  return apply(real, expand(real.shape, shape, most)).reals;
}

NVDLAC_IMPL std::vector<value> constant_with_tensor(const context& c, const std::string& layer,
                                                    const std::string& type, computed x,
                                                    const array& a, bool constant_first) {
  const dims shape = broadcast(x.shape, a.shape);
  if (a.size() > 1)
    require_within(&budget::moved, static_cast<std::uint64_t>(count(shape)),
                   c.net.net().limits());
  const bool is_repeated = count(shape) != count(x.shape);
  if (is_repeated && shape[0] != 1 && (shape.size() > 1 || c.batch > 1))
    throw error(text("its computed input ", to_text(x.shape), " is repeated to ", to_text(shape)));
  if (is_repeated)
    x = moved(x, expand(x.shape, shape, c.ceiling), layer + "/repeat", c.net.net().shape(x.node));
  x.shape = shape;
  x = alone_where_free(c, x);
  std::vector<float> k = spread(a, shape, c.ceiling, x.whole.has_value());
  const auto relation = relation_of(type);
  if (type == "Max" || type == "Min" || relation) {
    if (k.size() == 1) {
      if (has_zeros(x)) x = {c.net.as_cube(x), shape};
      const net::clip op = type == "Max" ? net::clip{.low = k[0]} : net::clip{.high = k[0]};
      const auto with = [&](host::relation r) {
        return host::on_host(host::compare{.relation = constant_first ? host::turned(r) : r,
                                           .number = k[0]});
      };
      const auto n = relation ? c.net.add(layer, with(*relation), {x.node})
                              : c.net.add(layer, op, {x.node});
      return {computed{n, shape, x.from, x.moved_by}};
    }
    if (!is_whole(x, c.net.net().shape(x.node))) x = {c.net.as_cube(x), shape};
    const net::shape cube = c.net.net().shape(x.node);
    const auto constant =
        c.net.add(layer + "/constant", net::constant{{cube, values_in_cube(x, k, cube)}}, {});
    std::vector<assembly::id> both{x.node, constant};
    if (constant_first) std::swap(both[0], both[1]);
    return {computed{add_pair(c.net, layer, type, both), shape, x.from, x.moved_by}};
  }
  affine f{std::vector<float>(k.size(), 1.0F), std::vector<float>(k.size(), 0.0F)};
  if (type == "Add") {
    f.bias = std::move(k);
  } else if (type == "Sub") {
    if (constant_first) f.factor.assign(k.size(), -1.0F);
    else
      for (auto& v : k) v = -v;
    f.bias = std::move(k);
  } else if (type == "Mul") {
    f.factor = std::move(k);
  } else {
    if (constant_first) throw error("it divides a constant by a computed tensor");
    for (auto& v : k) v = 1.0F / v;
    f.factor = std::move(k);
  }
  return add_affine(c, layer, x, f);
}

NVDLAC_IMPL std::vector<value> tensor_with_tensor(const context& c, const std::string& layer,
                                                  const std::string& type, const computed& first,
                                                  const computed& second) {
  const dims shape = broadcast(first.shape, second.shape);
  auto& net = c.net;
  const auto alike = [&](const computed& a, const computed& b) {
    return a.from && b.from && net.net().shape(a.node) == net.net().shape(b.node) &&
           *a.from == *b.from && a.shape == b.shape;
  };
  computed x = alone_where_free(c, first), y = alone_where_free(c, second);
  // A product may be far larger for what is left out; of two parts both are cubes, or none is.
  if (alike(first, second) && (type == "Mul" || !alike(x, y))) {
    x = alone(c, first);
    y = alone(c, second);
  }
  // Both moved alike: the result is moved likewise.
  if (alike(x, y))
    return {computed{add_pair(net, layer, type, {x.node, y.node}), shape, x.from, x.moved_by}};
  if (!x.from && !y.from && net.net().shape(x.node) == net.net().shape(y.node) &&
      count(x.shape) == count(shape) && count(y.shape) == count(shape))
    return {computed{add_pair(net, layer, type, {x.node, y.node}), shape}};
  const auto beside = [&](const computed& t, net::shape cube) -> std::vector<value> {
    const computed home{t.node, shape, t.from, t.moved_by};
    const auto a = as_operand(c, layer, x, home, cube), b = as_operand(c, layer, y, home, cube);
    return {computed{add_pair(net, layer, type, {a, b}), shape, t.from, t.moved_by}};
  };
  // One of them moved: it stays where it is, and the other one comes there.
  for (const computed* t : {&x, &y}) {
    const net::shape cube = net.net().shape(t->node);
    if (t->from && count(t->shape) == count(shape) && is_whole(*t, cube)) return beside(*t, cube);
  }
  const net::shape whole = cube_of(shape);
  // So does one that is seen under another shape, if the other one has a value for each channel.
  for (const computed* t : {&x, &y}) {
    const net::shape cube = net.net().shape(t->node);
    if (!t->from && cube != whole && count(t->shape) == count(shape) &&
        is_of_channels(c, t == &x ? y : x, {t->node, shape}, cube))
      return beside(*t, cube);
  }
  const computed home{x.node, shape};
  const auto in_own_order = [&](const computed& t) {
    dims padded(shape.size() - t.shape.size(), 1);
    padded.insert(padded.end(), t.shape.begin(), t.shape.end());
    const computed seen{t.node, padded, t.from, t.moved_by};
    // A repetition beside a whole tensor need not be made, where its values are those of channels.
    const computed& other = &t == &x ? y : x;
    const bool beside_whole = !other.from && net.net().shape(other.node) == whole;
    if (beside_whole && t.from && net.net().shape(t.node).size() < whole.size())
      return as_operand(c, layer, seen, {other.node, shape}, whole);
    if (const net::shape own = cube_of(padded); own == whole || own == net::shape{whole.c, 1, 1})
      return net.as_cube(seen, own);
    return as_operand(c, layer, seen, home, whole);
  };
  const auto a = in_own_order(x), b = in_own_order(y);
  return {computed{add_pair(net, layer, type, {a, b}), shape}};
}

NVDLAC_IMPL value combine(const context& c, const std::string& layer, const std::string& type,
                          const value& x, const value& y) {
  const auto* a = std::get_if<computed>(&x);
  const auto* b = std::get_if<computed>(&y);
  const auto keeping = [](value result, const computed& of) {  // for what comes next to it
    if (auto* t = std::get_if<computed>(&result)) t->whole = of.whole;
    return result;
  };
  if (a && b) return keeping(tensor_with_tensor(c, layer, type, *a, *b)[0], *a);
  const auto known = [](const value& v) -> const array& {
    return *std::get<std::shared_ptr<const array>>(v);
  };
  if (a) return keeping(constant_with_tensor(c, layer, type, *a, known(y), false)[0], *a);
  if (b) return keeping(constant_with_tensor(c, layer, type, *b, known(x), true)[0], *b);
  return std::make_shared<const array>(fold_binary(type, known(x), known(y), c.ceiling));
}

NVDLAC_IMPL value aligned(const context& c, const dims& first, const value& second) {
  if (c.n.opset() >= 7) return second;
  const bool allowed = c.n.flag("broadcast", false), placed = c.n.has("axis");
  const auto axis = c.n.integer("axis", 0);
  const dims& shape = shape_of(second);
  if (shape == first) return second;
  if (!allowed) throw error("its inputs have different shapes without the attribute broadcast");
  if (!placed) return second;
  const auto at = static_cast<std::size_t>(checked_axis(axis, first.size()));
  if (at + shape.size() > first.size())
    throw error("its second input does not fit behind its axis");
  dims longer = shape;
  longer.insert(longer.end(), first.size() - at - shape.size(), 1);
  const auto* a = std::get_if<std::shared_ptr<const array>>(&second);
  if (!a) throw error("it repeats a computed tensor");
  return std::make_shared<const array>(apply(**a, {longer}));
}

NVDLAC_IMPL std::vector<value> on_binary(const context& c) {
  c.require_inputs(2, 2);
  const auto& type = c.n.type();
  const value second = type == "Add" || type == "Sub" || type == "Mul" || type == "Div"
                           ? aligned(c, shape_of(c.in[0]), c.in[1]) : c.in[1];
  return {combine(c, c.n.name(), type, c.in[0], second)};
}

NVDLAC_IMPL std::vector<value> on_mod(const context& c) {
  c.require_inputs(2, 2);
  const auto* const rest = c.n.flag("fmod", false) ? "Fmod" : "Mod";
  return {combine(c, c.n.name(), rest, c.in[0], c.in[1])};
}

NVDLAC_IMPL std::vector<value> on_sum(const context& c) {
  c.require_all_inputs(1, 1024);
  value sum = c.in[0];
  for (std::size_t i = 1; i < c.inputs(); ++i)
    sum = combine(c, i + 1 == c.inputs() ? c.n.name() : text(c.n.name(), "/sum", i), "Add", sum,
                  c.in[i]);
  return {sum};
}

NVDLAC_IMPL std::vector<value> on_extremum(const context& c) {
  c.require_all_inputs(1, 1024);
  value best = c.in[0];
  for (std::size_t i = 1; i < c.inputs(); ++i)
    best = combine(c, i + 1 == c.inputs() ? c.n.name() : text(c.n.name(), "/part", i), c.n.type(),
                   best, c.in[i]);
  return {best};
}

NVDLAC_IMPL std::vector<value> on_mean(const context& c) {
  c.require_all_inputs(1, 1024);
  value sum = c.in[0];
  for (std::size_t i = 1; i < c.inputs(); ++i)
    sum = combine(c, text(c.n.name(), "/sum", i), "Add", sum, c.in[i]);
  const auto share = std::make_shared<const array>(
      array::of_reals({}, {static_cast<float>(1.0 / static_cast<double>(c.inputs()))}));
  return {combine(c, c.n.name(), "Mul", sum, share)};
}

NVDLAC_IMPL std::vector<value> on_unary(const context& c) {  // of constants only
  c.require_inputs(1, 1);
  return c.one(fold_unary(c.n.type(), c.constant(0, "values")));
}

NVDLAC_IMPL array chosen(const array& which, const array& a, const array& b,
                         const element_ceiling& most) {
  if (a.real != b.real || which.real) throw error("its inputs are of the wrong types");
  const dims shape = broadcast(which.shape, broadcast(a.shape, b.shape));
  const array w = apply(which, expand(which.shape, shape, most));
  array x = apply(a, expand(a.shape, shape, most));
  const array y = apply(b, expand(b.shape, shape, most));
  for (std::size_t i = 0; i < w.size(); ++i)
    if (w.integers[i] == 0) {
      if (x.real) x.reals[i] = y.reals[i];
      else x.integers[i] = y.integers[i];
    }
  return x;
}

NVDLAC_IMPL value chosen(const context& c, const value& condition, const value& a, const value& b) {
  if (const auto* computed_one = std::get_if<computed>(&condition))
    return chosen_by(c, *computed_one, a, b);
  const auto* which = std::get_if<std::shared_ptr<const array>>(&condition);
  if (which == nullptr) throw error("its condition is missing");
  const auto known = [](const value& v) { return std::get_if<std::shared_ptr<const array>>(&v); };
  if (known(a) && known(b))
    return std::make_shared<const array>(chosen(**which, **known(a), **known(b), c.ceiling));
  if ((*which)->real) throw error("its inputs are of the wrong types");
  const dims shape = broadcast((*which)->shape, broadcast(shape_of(a), shape_of(b)));
  const array w = apply(**which, expand((*which)->shape, shape, c.ceiling));
  std::optional<value> sum;
  for (const bool first : {true, false}) {
    const value& from = first ? a : b;
    array share = array::of_reals(shape, {});
    for (const auto v : w.integers) share.reals.push_back((v != 0) == first ? 1.0F : 0.0F);
    if (std::ranges::all_of(share.reals, [](float v) { return v == 0.0F; })) continue;
    value part = std::make_shared<const array>(share);
    const auto name = c.n.name() + (first ? "/where" : "/elsewhere");
    if (const auto* x = std::get_if<computed>(&from)) {
      const computed seen = x->shape == shape
                                ? *x
                                : moved(*x, expand(x->shape, shape, c.ceiling), name + "/repeat",
                                        c.net.net().shape(x->node));
      const bool whole = std::ranges::all_of(share.reals, [](float v) { return v == 1.0F; });
      part = whole ? value{seen} : combine(c, name, "Mul", seen, part);
    } else {  // an infinity stays where it is chosen, and is no number elsewhere
      const array zero = array::of_reals({}, {0.0F});
      part = std::make_shared<const array>(
          first ? chosen(w, **known(from), zero, c.ceiling)
                : chosen(w, zero, **known(from), c.ceiling));
    }
    sum = sum ? combine(c, c.n.name(), "Add", *sum, part) : part;
  }
  if (!sum || !std::holds_alternative<computed>(*sum))
    throw error(problem{.reason = "its condition chooses no element of what is computed",
                        .remedy = "use its constant instead"});
  return *sum;
}

NVDLAC_IMPL std::vector<value> on_where(const context& c) {
  c.require_inputs(3, 3);
  return {chosen(c, c.in[0], c.in[1], c.in[2])};
}

NVDLAC_IMPL std::int64_t target_type(const node& n, const std::vector<value>& in) {
  if (n.type() != "CastLike" && n.opset() < 6) {  // the type's name
    const auto name = n.string("to", "");
    for (std::int64_t type = 1; type <= 16; ++type)
      if (element_type(type) == name) return type;
    throw error("it converts to the type '" + name + "', which is not known");
  }
  if (n.type() != "CastLike") return n.integer("to", 0);
  if (in.size() != 2) throw error(text("it has ", count_of(in.size(), "input")));
  if (const auto* a = std::get_if<std::shared_ptr<const array>>(&in[1])) {
    if ((*a)->stored == 0 && !(*a)->real)
      throw error("the type of its second input is not known");
    return (*a)->stored == 0 ? 1 : (*a)->stored;
  }
  const auto* x = std::get_if<computed>(&in[1]);
  if (x == nullptr) throw error("its input 1 is missing");
  if (x->whole) return x->whole->type;
  if (!x->integers) return 1;
  for (const std::int64_t type : {2, 3, 4, 5, 6})
    if (range_of_type(type) == std::pair(x->integers->least, x->integers->most)) return type;
  throw error("the type of its second input is not known");
}

NVDLAC_IMPL std::vector<value> on_cast(const context& c) {
  const bool like = c.n.type() == "CastLike";
  c.require_inputs(like ? 2 : 1, like ? 2 : 1);
  const auto to = target_type(c.n, c.in);
  (void)c.n.flag("saturate", true);  // of 8-bit floats, which are refused by their type
  (void)c.n.string("round_mode", "up");
  if (c.is_constant(0)) return c.one(fold_cast(c.constant(0, "values"), to));
  const bool keeps = c.tensor(0).integers || c.tensor(0).whole;  // which meaning_of has looked at
  if (!is_real_type(to) && !keeps)
    throw error("it converts a computed tensor to " + element_type(to) +
                ", which is not supported");
  return {c.in[0]};
}

}  // namespace nvdlac::import::onnx_format
