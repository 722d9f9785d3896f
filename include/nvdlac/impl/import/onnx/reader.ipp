// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/batch.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/meaning.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/pooling.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/net/evaluate.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL reader::reader(const std::string& file, const hub::model& model, std::size_t bytes,
                           const budget& limits, const operator_table& known)
    : known_(known), file_(file), model_(model), net_(file, problems_, limits), cubes_(net_),
      bytes_(bytes), constants_(bytes, limits) {}

NVDLAC_IMPL void reader::complain(const std::string& layer, const error& e) {
  for (problem p : e.problems()) {
    p.layer = layer;
    complain(std::move(p));
  }
}

NVDLAC_IMPL void reader::read_opset() {
  try {
    check_version(model_.imports);
  } catch (const error& e) {
    complain("", e);
  }
}

NVDLAC_IMPL void reader::check_size(const hub::graph& graph) {
  try {
    require_within(&budget::nodes, graph.nodes.size(), net_.limits());
  } catch (const error& e) {
    complain("", e);
    problems_.check();
  }
}

NVDLAC_IMPL void reader::read_nodes(const hub::graph& graph) {
  std::set<std::string> given;
  for (const auto& i : graph.inputs) given.insert(i.name);
  for (const auto& [name, ignored] : initializers_) given.insert(name);
  for (const auto& n : graph.nodes) {
    try {
      nodes_.emplace_back(n, version_for(n.imports ? *n.imports : model_.imports, n.domain));
    } catch (const error& e) {
      for (const auto& p : e.problems()) complain(p);
      continue;
    }
    for (const auto& o : nodes_.back().outputs()) {
      if (o.empty()) continue;
      if (given.contains(o) || !producers_.emplace(o, nodes_.size() - 1).second)
        complain({.layer = nodes_.back().name(),
                  .reason = "its output '" + o + "' is already produced"});
    }
  }
}

NVDLAC_IMPL void reader::find_live() {
  live_.assign(nodes_.size(), false);
  std::vector<std::string> open = outputs_;
  while (!open.empty()) {
    const auto found = producers_.find(open.back());
    open.pop_back();
    if (found == producers_.end() || live_[found->second]) continue;
    live_[found->second] = true;
    for (const auto& i : nodes_[found->second].inputs()) open.push_back(i);
  }
  readers_ = tensor_readers(nodes_, live_);
}

NVDLAC_IMPL void reader::report_unsupported() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!live_[i]) continue;
    const auto entry = known_.find(nodes_[i].type());
    if (entry == known_.end()) unsupported_.add(nodes_[i]);
    else if (const auto domain = own_domain(nodes_[i].type());
             !domain.empty() && nodes_[i].opset() == 0)
      complain({.layer = nodes_[i].name(),
                .reason = text("it is ", nodes_[i].type(), ", but the file names no version of ",
                               domain),
                .remedy = text("import it: opset_import { domain: \"", domain,
                               "\" version: 1 }")});
    else if (nodes_[i].opset() < entry->second.since)
      complain({.layer = nodes_[i].name(),
                .reason = text("it is ", nodes_[i].type(), " of opset ", nodes_[i].opset()),
                .remedy = text("it is understood from opset ", entry->second.since, " on")});
  }
  flush_unsupported();
}

NVDLAC_IMPL void reader::flush_unsupported() {
  for (auto& p : unsupported_.take()) complain(std::move(p));
}

NVDLAC_IMPL void reader::check() {
  if (!proposes_) return problems_.check();
  if (problems_.empty()) return;
  throw with_cut(error(problems_.problems()), cut_around(cut_nodes()));
}

NVDLAC_IMPL std::vector<cut_node> reader::cut_nodes() const {
  return cut_nodes_of(nodes_, outputs_, known_, failed_, [&](const std::string& name) {
    return initializers_.contains(name);
  });
}

NVDLAC_IMPL void reader::read_inputs(const hub::graph& graph) {
  const std::set<std::string> outputs(outputs_.begin(), outputs_.end());
  for (const auto& i : graph.inputs) {
    const auto& name = i.name;
    if (initializers_.contains(name)) continue;
    try {
      if (!values_.emplace(name, broken{}).second) throw error("the input is given twice");
      if (readers_.of(name).empty() && !outputs.contains(name)) {
        notes_.push_back({.file = file_, .layer = name,
                          .reason = "no output depends on this input: the program does not take "
                                    "it"});
        continue;
      }
      values_[name] = input(i);
    } catch (const error& e) {
      complain(name, e);
    }
  }
  for (auto& p : inputs_of_other_batches(graph, batch_))
    if (!initializers_.contains(p.layer) && !readers_.of(p.layer).empty()) complain(std::move(p));
}

NVDLAC_IMPL computed reader::input(const hub::tensor& described) {
  const auto& name = described.name;
  if (!described.type) throw error("the input is no tensor");
  const auto element = described.type->element;
  const bool shorts = element == 5 && readers_.is_dequantised_first(name);
  const bool places = described.type->shape && is_places(name, *described.type->shape, element);
  if (!is_real_type(element) && element != 2 && element != 3 && !shorts && !places) {
    std::string options;
    if (proposes_ && !std::exchange(is_told_of_tables_, true)) options = options_behind_tables();
    throw error(problem{.reason = "the input has values of type " + element_type(element),
                        .remedy = "pictures of real numbers or bytes are supported" +
                                  (options.empty() ? options
                                                   : "; begin behind what it looks up, and give "
                                                     "those vectors instead:" + options)});
  }
  if (!described.type->shape) throw error("the input has no shape");
  dims d = *described.type->shape;
  require_cube(d);
  if (d.empty()) {  // a single number
    computed x{net_.add(name, net::input{cube_of(d)}, {}), d};
    net_.mark_input(x.node, in_file(name, {1}));
    return x;
  }
  const bool may_count =
      d[0] < 1 || d.size() > 3 ||
      (d.size() == 2 && counts_pictures(*model_.graph, d[0]));
  if (d.size() > 1 && described.type->counts_pictures.value_or(may_count)) {
    batch_ = std::max(batch_, d[0]);
    d[0] = 1;
  }
  for (std::size_t k = 0; k < d.size(); ++k)
    if (d[k] < 1)
      throw error(problem{.reason = text("dimension ", k, " of the input is not fixed"),
                          .remedy = "give its shape: " + shape_option(name, d)});
  std::optional<whole_numbers> whole;
  if (!is_real_type(element)) {
    const auto [least, most] = range_of_type(places ? 6 : element);
    whole = whole_numbers{element, least, most};
  }
  // A picture with channels last that is only read through Transpose: the cube has them first.
  if (d.size() == 4 && readers_.has_channels_last(name)) {
    const dims first{1, d[3], d[1], d[2]};
    const auto n = net_.add(name, net::input{cube_of(first)}, {});
    net_.mark_input(n, channels_last_in_file(name, cube_of(first)));
    auto x = moved({n, first}, transpose(first, {0, 2, 3, 1}, element_ceiling(net_.limits())), name,
                   cube_of(first));
    x.whole = whole;
    return x;
  }
  if (is_orderable(d)) orderable_.push_back(name);
  auto x = features_.contains(name) ? input_of_features(name, d)
                                    : computed{net_.add(name, net::input{cube_of(d)}, {}), d};
  if (!x.from) net_.mark_input(x.node, in_file(name, d));
  if (whole && readers_.is_dequantised_first(name))
    x.integers = std::make_shared<const grid>(integers_of_type(element));
  else x.whole = whole;
  return x;
}

NVDLAC_IMPL std::map<std::string, dims> reader::looked_up(const std::string& input,
                                                          const dims& shape) const {
  std::map<std::string, dims> all;
  std::set<std::string> seen{input};
  std::vector<std::string> open{input};  // the same places, maybe of another type
  while (!open.empty()) {
    const auto name = std::exchange(open.back(), {});
    open.pop_back();
    if (std::ranges::find(outputs_, name) != outputs_.end()) return {};
    for (const auto i : readers_.of(name)) {
      const node& n = nodes_[i];
      const auto& in = n.inputs();
      if (n.outputs().size() != 1 || in.empty()) return {};
      const auto& found = n.outputs()[0];
      if (n.type() == "Cast") {
        if (seen.insert(found).second) open.push_back(found);
        continue;
      }
      const auto table = initializers_.find(in[0]);
      if (n.type() != "Gather" || n.integer("axis", 0) != 0 || table == initializers_.end() ||
          table->second->shape().empty())
        return {};
      dims& rows = all[found] = shape;
      rows.insert(rows.end(), table->second->shape().begin() + 1, table->second->shape().end());
    }
  }
  return all;
}

NVDLAC_IMPL bool reader::is_places(const std::string& input, const dims& shape,
                                   std::int64_t element) const {
  return (element == 6 || element == 7) && !looked_up(input, shape).empty();
}

NVDLAC_IMPL std::string reader::options_behind_tables() const {
  constexpr std::int64_t tokens = 128;  // where the file leaves open how many there are
  std::string options;
  for (const auto& i : model_.graph->inputs)
    if (i.type && i.type->shape && !initializers_.contains(i.name) &&
        (i.type->element == 6 || i.type->element == 7))
      for (const auto& [name, shape] : looked_up(i.name, *i.type->shape))
        options += text(" --from ", name, ' ', shape_option(name, shape, tokens));
  return options;
}

namespace detail {

// The dimensions behind that of the batch.
NVDLAC_IMPL std::ptrdiff_t first_side(const dims& d) { return d.size() > 1 && d[0] == 1 ? 1 : 0; }

NVDLAC_IMPL dims with_last_first(dims d) {
  std::rotate(d.begin() + first_side(d), d.end() - 1, d.end());
  return d;
}

}  // namespace detail

NVDLAC_IMPL computed reader::input_of_features(const std::string& name, const dims& d) {
  const dims first = detail::with_last_first(d);
  const net::shape cube = cube_of(first);
  dims order = ascending(static_cast<std::int64_t>(d.size()), 1);
  const auto last = order.begin() + detail::first_side(d);
  std::rotate(last, last + 1, order.end());
  const auto n = net_.add(name, net::input{cube}, {});
  const auto x = moved({n, first}, transpose(first, order, element_ceiling(net_.limits())), name,
                       cube);
  auto form = in_file(name, d);
  form.walk = net::find_walk(*x.from, cube).value();
  net_.mark_input(n, std::move(form));
  return x;
}

NVDLAC_IMPL bool reader::is_orderable(const dims& d) {
  const net::shape own = cube_of(d), other = cube_of(detail::with_last_first(d));
  // Elements of a picture in another order, but of the same shape, would be mistaken for its own.
  const bool transposes = d.back() > 1 && own.c > 1 && std::cmp_greater(own.size(), d.back());
  return transposes && !may_be_picture(own) &&
         !(d.size() == 4 && own == other);
}

NVDLAC_IMPL std::vector<value> reader::inputs_of(const node& n) {
  std::vector<value> in;
  for (const auto& name : n.inputs()) {
    if (name.empty()) {
      in.emplace_back(broken{});
      continue;
    }
    auto found = values_.find(name);
    if (found == values_.end()) {
      const auto t = initializers_.find(name);
      if (t == initializers_.end()) {
        if (missing_.insert(name).second)
          complain({.layer = n.name(), .reason = "nothing produces its input '" + name + "'"});
        found = values_.emplace(name, broken{}).first;
      } else {
        found = values_.emplace(name, read_initializer(name, *t->second)).first;
      }
    }
    in.push_back(found->second);
  }
  return in;
}

NVDLAC_IMPL value reader::read_initializer(const std::string& name, const hub::constant& c) {
  try {
    constants_.take_weights(static_cast<std::uint64_t>(count(c.shape())));
    auto a = c.numbers();
    constants_.allow_for(a->size());
    return a;
  } catch (const error& e) {
    complain(name, e);
    return broken{};
  }
}

NVDLAC_IMPL void reader::convert_all() {
  // A node is ready when all its inputs have values.
  std::vector<std::size_t> open(nodes_.size());
  std::set<std::size_t> ready;
  std::vector<bool> done(nodes_.size(), false);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!live_[i]) continue;
    for (const auto& name : nodes_[i].inputs()) {
      open[i] += producers_.contains(name) ? 1 : 0;
      ++uses_[name];
    }
    if (open[i] == 0) ready.insert(i);
  }
  for (const auto& o : outputs_) ++uses_[o];
  while (!ready.empty()) {
    const std::size_t i = *ready.begin();
    ready.erase(ready.begin());
    done[i] = true;
    if (!convert(nodes_[i], inputs_of(nodes_[i]))) failed_.insert(i);
    for (const auto& o : nodes_[i].outputs())
      if (const auto p = producers_.find(o); p != producers_.end() && p->second == i)
        for (const auto r : readers_.of(o))
          if (!done[r] && --open[r] == 0) ready.insert(r);
  }
  flush_unsupported();
  std::string cycle;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (live_[i] && !done[i]) cycle += (cycle.empty() ? "'" : ", '") + nodes_[i].name() + "'";
  if (!cycle.empty()) complain({.reason = "nodes lie on a cycle or behind one: " + cycle});
}

NVDLAC_IMPL std::vector<value> reader::fold(handler how, const context& of) {
  diagnostics found;
  budget limits = net_.limits();
  limits.operations -= std::min(limits.operations, folded_);
  assembly net(file_, found, limits);
  cube_builder known(net);
  known.fold();
  known.allow_constants(constants_.left_for(false));
  auto out = how({of.n, of.in, known, of.batch, of.ceiling});
  found.check();
  constants_.count(known.taken_constants(), false);
  folded_ += net.operations();
  std::map<assembly::id, net::float_tensor> wanted;
  for (const auto& v : out)
    if (const auto* y = std::get_if<computed>(&v)) {
      if (y->integers || y->awaits) throw error("its inputs are all constant integers");
      (void)count(y->shape, of.ceiling);
      wanted[y->node];
    }
  if (wanted.empty()) return out;
  net::evaluate_each(net.graph(), {}, [&](assembly::id n, const net::float_tensor& t) {
    if (const auto w = wanted.find(n); w != wanted.end()) w->second = t;
  });
  std::vector<value> in = of.in;
  for (auto& v : in)
    if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v))
      if (const auto x = known.folded().find(*a); x != known.folded().end()) v = x->second;
  meaning_of(of.n, in).give(of.n, in, out);
  for (auto& v : out)
    if (const auto* y = std::get_if<computed>(&v)) {
      auto a = array::of_reals(y->shape, wanted.at(y->node).values);
      if (y->from) a = apply(a, {y->shape, *y->from});
      v = std::make_shared<const array>(y->whole ? fold_cast(std::move(a), y->whole->type)
                                                 : std::move(a));
    }
  return out;
}

NVDLAC_IMPL bool reader::convert(const node& n, std::vector<value> in) {
  std::vector<value> out;
  bool is_right = true;
  const auto entry = known_.find(n.type());
  bool sound = entry != known_.end();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (n.has_input(i) && std::holds_alternative<broken>(in[i])) sound = false;
  if (sound) {
    context c{n, in, cubes_, batch_, element_ceiling(net_.limits())};
    if (entry->second.of_constants && !c.all_constant()) {
      unsupported_.add(n);
    } else {
      try {
        require_pictures_apart(c);
        require_finite(c);
        const auto meant = meaning_of(n, in);
        if (c.all_constant()) c.ceiling = constants_.left_for(is_weight(n));
        const bool folds = c.all_constant() && c.inputs() > 0 && own_domain(n.type()).empty() &&
                           !is_of_integers(n.type());
        cubes_.allow_constants(constants_.left_for(false));
        out = folds ? fold(entry->second.convert, c) : entry->second.convert(c);
        constants_.count(cubes_.taken_constants(), false);
        require_batch_first(c, out);
        meant.give(n, in, out);
        for (const auto& v : out)
          if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v))
            constants_.count((*a)->size(), is_weight(n));
        n.report_unknown(problems_, file_);
      } catch (const error& e) {
        complain(n.name(), e);
        is_right = false;
        out.clear();
        // An operator that keeps the shape does not keep those behind it from being looked at.
        static const std::set<std::string> keep = {"BatchNormalization", "Clip", "Dropout", "LRN",
                                                   "Softmax"};
        if (keep.contains(n.type()) && n.has_input(0) && std::get_if<computed>(&in[0]))
          out = {in[0]};
      }
    }
  }
  in.clear();
  for (std::size_t i = 0; i < n.outputs().size(); ++i) {
    const auto& name = n.outputs()[i];
    if (name.empty()) continue;
    if (i >= out.size() && !out.empty() && uses_.contains(name))
      complain({.layer = n.name(), .reason = text("its output ", i, " is not supported")});
    values_[name] = i < out.size() ? std::move(out[i]) : value{broken{}};
    if (const auto* x = std::get_if<computed>(&values_[name]);
        x != nullptr && std::cmp_equal(count(x->shape), net_.shape(x->node).size()))
      net_.note_tensor(x->node, name);
  }
  // Constants are freed after their last reader.
  for (const auto& name : n.inputs())
    if (const auto u = uses_.find(name); u != uses_.end() && --u->second == 0 && !name.empty())
      values_[name] = broken{};
  return is_right;
}

NVDLAC_IMPL void reader::bind_output(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end() && !initializers_.contains(name)) {
    if (!producers_.contains(name))
      complain({.layer = name, .reason = "nothing produces this output"});
    return;
  }
  try {
    if (found == values_.end() ||
        std::holds_alternative<std::shared_ptr<const array>>(found->second)) {
      std::vector<std::string> others;
      for (const auto& o : outputs_)
        if (const auto v = values_.find(o);
            v != values_.end() && std::holds_alternative<computed>(v->second))
          others.push_back(o);
      if (others.empty()) throw constant_output(others);
      notes_.push_back({.file = file_, .layer = name,
                        .reason = "this output is constant: the program does not give it"});
      return;
    }
    const auto* x = std::get_if<computed>(&found->second);
    if (x == nullptr) return;
    require_scaled(*x);
    require_finite(*x);
    bind_output(name, *x);
  } catch (const error& e) {
    complain(name, e);
  }
}

NVDLAC_IMPL void reader::bind_output(const std::string& name, const computed& x) {
  auto form = in_file(name, x.shape);
  const auto walk = x.from ? net::find_walk(*x.from, net_.shape(x.node)) : std::nullopt;
  if (walk) form.walk = *walk;
  give_output(net_, !x.from || walk ? x.node : cubes_.as_cube(x), std::move(form));
}

NVDLAC_IMPL void reader::bind_states() {
  if (cubes_.opens_states() && cubes_.states().empty() && problems_.empty())
    complain({.reason = "no layer of the network begins with a state of its own",
              .remedy = "leave out --state step: states that are inputs already stay so"});
  for (const auto& s : cubes_.states()) bind_output(s.name + "/next", s.next);
}

}  // namespace nvdlac::import::onnx_format
