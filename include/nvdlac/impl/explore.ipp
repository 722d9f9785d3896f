// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/cost/silicon.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/image_input.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/compress.hpp>

namespace nvdlac::explore {

NVDLAC_IMPL std::uint32_t value_of(const hw::spec& s, std::string_view member) {
  const auto value = detail::member_of(s, member);
  if (!value) throw error(text("a configuration has no member '", member, "'"));
  return *value;
}

NVDLAC_IMPL std::uint64_t combinations(const hw::spec& from, std::span<const range> ranges) {
  diagnostics wrong;
  std::set<std::string> members;
  std::uint64_t count = 1;
  constexpr auto most = std::uint64_t{1} << 63;
  for (const auto& r : ranges) {
    auto probe = from;
    if (!detail::set_member(probe, r.member, 0))
      wrong.add({.reason = "a configuration has no member '" + r.member + "'",
                 .remedy = "its members are " + detail::member_names<hw::spec>()});
    if (!members.insert(r.member).second)
      wrong.add({.reason = "there are two ranges of " + r.member});
    if (r.values.empty()) wrong.add({.reason = "the range of " + r.member + " is empty"});
    else count = count > most / r.values.size() ? most : count * r.values.size();
  }
  wrong.check();
  return count;
}

NVDLAC_IMPL hw::spec combination(const hw::spec& from, std::span<const range> ranges,
                                 std::uint64_t number) {
  auto s = from;
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const auto& values = ranges[i].values;
    const auto at = static_cast<std::size_t>(number % values.size());
    detail::set_member(s, ranges[i].member, values[at]);
    number /= values.size();
  }
  return s;
}

namespace detail {

// So many that all of them can be asked whether they are legal.
NVDLAC_IMPL std::uint64_t few_combinations(const hw::spec& from, std::span<const range> ranges) {
  const auto count = combinations(from, ranges);
  if (count > 1'000'000)
    throw error(problem{.reason = "the ranges have more than a million combinations",
                        .remedy = "give fewer or shorter ones"});
  return count;
}

}  // namespace detail

NVDLAC_IMPL std::map<std::string, std::uint64_t, std::less<>> broken_rules(
    const hw::spec& from, std::span<const range> ranges) {
  std::map<std::string, std::uint64_t, std::less<>> counts;
  const auto count = detail::few_combinations(from, ranges);
  for (std::uint64_t n = 0; n < count; ++n)
    if (const char* const broken = hw::broken_rule(combination(from, ranges, n)))
      ++counts[broken];
  return counts;
}

NVDLAC_IMPL std::vector<hw::spec> configurations(const hw::spec& from,
                                                 std::span<const range> ranges) {
  const auto count = detail::few_combinations(from, ranges);
  std::vector<hw::spec> legal;
  const char* rule = nullptr;
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto s = combination(from, ranges, n);
    const char* const broken = hw::broken_rule(s);
    if (broken == nullptr) legal.push_back(s);
    else rule = broken;
  }
  if (legal.empty()) throw error(text("none of ", count_of(count, "configuration"), " is legal: ",
                                      rule));
  return legal;
}

NVDLAC_IMPL void estimate(std::span<point> points, const cost::silicon& by) {
  const auto whole = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
  for (auto& p : points) {
    if (!p.refused.empty()) continue;
    p.area = whole(1e6 * cost::square_millimetres(p.spec, by));
    p.energy = whole(1e-3 * cost::picojoules(p.totals, p.spec, by));
  }
}

NVDLAC_IMPL void mark_front(std::span<point> points, std::span<const objective> objectives) {
  struct judged {
    std::vector<std::uint64_t> values{};
    point* of = nullptr;
  };
  std::vector<judged> order;
  for (auto& p : points) {
    p.on_front = false;
    if (!p.refused.empty()) continue;
    order.push_back({.of = &p});
    for (const auto o : objectives) order.back().values.push_back(value_of(p, o));
  }
  std::ranges::stable_sort(order, {}, &judged::values);
  std::vector<const judged*> front;
  for (const auto& own : order) {
    own.of->on_front = std::ranges::none_of(front, [&](const judged* its) {
      return its->values != own.values &&
             std::ranges::equal(its->values, own.values, std::ranges::less_equal{});
    });
    if (own.of->on_front) front.push_back(&own);
  }
}

NVDLAC_IMPL std::vector<point> combined(std::span<const std::vector<point>> networks,
                                        std::span<const std::string> names) {
  if (networks.size() == 1) return networks.front();
  std::vector<point> all(networks.empty() ? 0 : networks.front().size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    auto& p = all[n];
    p.spec = networks.front()[n].spec;
    double logarithms = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < networks.size() && p.refused.empty(); ++i) {
      const auto& own = networks[i][n];
      if (!own.refused.empty()) p.refused = names[i] + ": " + own.refused;
      logarithms += std::log(static_cast<double>(std::max<std::uint64_t>(1, own.totals.cycles)));
      p.totals.read += own.totals.read;
      p.totals.written += own.totals.written;
      p.totals.mac_cycles += own.totals.mac_cycles;
      p.layers = std::max(p.layers, own.layers);
      p.outlined = p.outlined || own.outlined;
      if (own.totals.cycles > most) {
        most = own.totals.cycles;
        p.totals.limited_by = own.totals.limited_by;
      }
      p.area = own.area;
      p.energy += own.energy;
      p.features = std::max(p.features, own.features);
      p.weights = std::max(p.weights, own.weights);
    }
    if (!p.refused.empty()) p = {.spec = p.spec, .refused = p.refused};
    else p.totals.cycles = static_cast<std::uint64_t>(
        std::llround(std::exp(logarithms / static_cast<double>(networks.size()))));
  }
  return all;
}

namespace detail {

NVDLAC_IMPL point predicted(const hw::spec& of, const quantised::graph& integers,
                            compile_options options, const memory_of_each& memory,
                            bool is_outline) {
  point p{.spec = of, .outlined = is_outline};
  if (memory) options.memory = memory(of);
  try {
    hw::validate(of);
    const lower::target target(of, "this configuration", lower::compiled_rules());
    // Sums of fp16 in the order that is the fastest here.
    std::optional<quantised::graph> in_own_order;
    if (!options.without.contains(std::string(lower::image_input::name))) {
      const auto orders = lower::image_orders(of, integers);
      bool same = true;
      for (quantised::graph::id n = 0; n < integers.size(); ++n)
        if (const auto* op = integers.get_if<quantised::convolution>(n))
          same = same && op->image == orders[n];
      if (!same) lower::take_image_orders(in_own_order.emplace(integers), orders);
    }
    const bool compresses = of.weight_compression &&
                            !options.without.contains(std::string(schedule::compress::name));
    const auto& own = in_own_order ? *in_own_order : integers;
    const auto program =
        is_outline ? choose::outlined(target, own, options, most_scheduled)
                   : choose::planned(target, own, options,
                                     compresses ? lower::contents{} : lower::contents::none());
    p.totals = cost::cycles(program.tasks, of, options.memory.value_or(cost::memory_of(of))).totals;
    p.features = program.features_size;
    p.weights = program.weights_size;
    for (const auto& t : program.tasks) p.layers += t.operations.size();
  } catch (const error& e) {
    p.refused = to_string(e.problems().front());
  }
  return p;
}

}  // namespace detail

NVDLAC_IMPL point predict(const hw::spec& of, const quantised::graph& integers,
                          const compile_options& options, const memory_of_each& memory) {
  return detail::predicted(of, integers, options, memory, false);
}

NVDLAC_IMPL point outline(const hw::spec& of, const quantised::graph& integers,
                          const compile_options& options, const memory_of_each& memory) {
  return detail::predicted(of, integers, options, memory, true);
}

NVDLAC_IMPL std::vector<point> predict(
    std::span<const hw::spec> specs, const quantised::graph& integers,
    const compile_options& options, std::uint32_t threads,
    const std::function<void(std::size_t, std::size_t)>& progress,
    const memory_of_each& memory) {
  std::vector<point> points(specs.size());
  std::size_t done = 0;
  std::mutex one_at_a_time;
  for_all(specs.size(), threads, [&](std::size_t n) {
    points[n] = predict(specs[n], integers, options, memory);
    const std::lock_guard lock(one_at_a_time);
    if (progress) progress(++done, specs.size());
  });
  mark_front(points);
  return points;
}

NVDLAC_IMPL std::vector<std::vector<point>> predict_front(
    std::span<const hw::spec> specs, const hw::spec& base, std::span<const network> networks,
    const cost::silicon& by, std::span<const objective> objectives, std::uint32_t threads,
    const std::function<void(std::size_t, std::size_t)>& progress, const memory_of_each& memory) {
  std::vector<std::vector<point>> each(networks.size());
  std::size_t done = 0, all = specs.size() * networks.size();
  std::mutex one_at_a_time;
  const auto run = [&](std::span<const std::size_t> numbers, const auto& judge) {
    for (std::size_t i = 0; i < networks.size(); ++i) {
      for_all(numbers.size(), threads, [&](std::size_t k) {
        const auto n = numbers[k];
        each[i][n] = judge(specs[n], *networks[i].integers, *networks[i].options, memory);
        const std::lock_guard lock(one_at_a_time);
        if (progress) progress(++done, all);
      });
      estimate(each[i], by);
    }
  };
  std::vector<std::size_t> numbers(specs.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (auto& points : each) points.resize(specs.size());
  run(numbers, outline);
  std::vector<std::string> names;
  for (const auto& n : networks) names.push_back(n.name);
  auto together = combined(each, names);
  mark_front(together, objectives);
  std::erase_if(numbers, [&](std::size_t n) {
    const auto& p = together[n];
    return !(p.on_front || p.spec == base) || p.layers > most_scheduled;
  });
  all += numbers.size() * networks.size();
  run(numbers, [](const auto&... given) { return predict(given...); });
  return each;
}

}  // namespace nvdlac::explore
