// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configurations that an SoC team chooses among: thousands of them for one network, lowered,
// scheduled and predicted by the same code as the programs of the chosen one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/cost/silicon.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::explore {

// The values that one member of hw::spec takes, named as in C++: "cbuf_banks", "dram.width_bits".
struct range {
  std::string member{};
  std::vector<std::uint32_t> values{};
};

// One configuration and what it would do with the network.
struct point {
  hw::spec spec{};
  std::string refused{};          // why it cannot run the network; the rest is 0 then
  cost::totals totals{};          // of one run
  std::uint64_t features = 0, weights = 0;  // bytes of memory that the program takes
  std::uint64_t area = 0, energy = 0;       // estimated: square micrometres, nanojoules of a run
  std::size_t layers = 0;                   // of hardware
  bool outlined = false;  // cycles are those of an outline: at most so many
  bool on_front = false;          // no other one is as good in all objectives and better in one
};

// The objectives, each to be small: cycles of a run, MACs, bytes of the CBUF, bits that the memory
// interfaces move in a cycle, elements that SDP, PDP and CDP take in one, and what is estimated.
enum class objective : std::uint8_t { cycles, macs, cbuf, bus, lanes, area, energy };
inline constexpr std::array<std::string_view, 7> objective_names{
    "cycles", "macs", "cbuf", "bus", "lanes", "area", "energy"};

constexpr std::array<std::uint64_t, 7> objectives(const point& p) {
  const auto& s = p.spec;
  return {p.totals.cycles, std::uint64_t{s.mac_atomic_c} * s.mac_atomic_k, s.cbuf().n,
          s.dram.width_bits + s.sram.width_bits,
          std::uint64_t{s.sdp_bs_bn_throughput} + s.sdp_ew_throughput + s.pdp_throughput +
              s.cdp_throughput,
          p.area, p.energy};
}
constexpr std::uint64_t value_of(const point& p, objective of) {
  return objectives(p)[static_cast<std::size_t>(of)];
}

// The objectives of a front for which nothing else is asked.
inline constexpr std::array usual_objectives{objective::cycles, objective::macs, objective::cbuf,
                                             objective::bus, objective::lanes};

namespace detail {

std::uint64_t few_combinations(const hw::spec& from, std::span<const range> ranges);

// Sets the member of that name to a number that fits it; false: there is none of that name.
template <class Struct>
bool set_member(Struct& of, std::string_view name, std::uint32_t value) {
  bool found = false;
  visit_fields(of, [&](const auto& f, auto& member) {
    using type = std::remove_reference_t<decltype(member)>;
    if constexpr (has_fields<type>) {
      if (name.size() > f.name.size() && name.starts_with(f.name) && name[f.name.size()] == '.')
        found = found || set_member(member, name.substr(f.name.size() + 1), value);
    } else if (name == f.name) {
      found = true;
      if (std::is_enum_v<type> || std::is_same_v<type, bool>)
        if (value > 1) throw error(text(name, " is 0 or 1, not ", value));
      member = static_cast<type>(value);
    }
  });
  return found;
}

// "mac_atomic_c, .., dram.width_bits": all that set_member knows.
template <class Struct>
std::string member_names(const std::string& before = "") {
  std::string all;
  Struct of{};
  visit_fields(of, [&](const auto& f, auto& member) {
    using type = std::remove_reference_t<decltype(member)>;
    if (!all.empty()) all += ", ";
    const auto name = before + std::string(f.name);
    if constexpr (has_fields<type>) all += member_names<type>(name + '.');
    else all += name;
  });
  return all;
}

template <class Struct>
std::optional<std::uint32_t> member_of(const Struct& of, std::string_view name) {
  std::optional<std::uint32_t> value;
  visit_fields(of, [&](const auto& f, const auto& member) {
    if constexpr (has_fields<std::remove_cvref_t<decltype(member)>>) {
      if (name.size() > f.name.size() && name.starts_with(f.name) && name[f.name.size()] == '.')
        value = member_of(member, name.substr(f.name.size() + 1));
    } else if (name == f.name) {
      value = static_cast<std::uint32_t>(member);
    }
  });
  return value;
}

}  // namespace detail

// The number that a member of a configuration has, named as in a range. Throws error for a name of
// none.
std::uint32_t value_of(const hw::spec& s, std::string_view member);

// How many combinations the ranges have, at most 2^63. Throws error for ranges that are none.
std::uint64_t combinations(const hw::spec& from, std::span<const range> ranges);

// The combination of this number, legal or not: `from` with a value of each range, the last range
// running first.
hw::spec combination(const hw::spec& from, std::span<const range> ranges, std::uint64_t number);

// All legal configurations that have a value of each range, and else what `from` has, in the order
// of the ranges, the last one running first. Throws error for an unknown member, and where there
// are none, or more combinations than a million.
std::vector<hw::spec> configurations(const hw::spec& from, std::span<const range> ranges);

// Counts the combinations that are not legal by the first rule of NVDLA that each breaks. Throws
// error as `configurations` does for ranges that are none, or too many.
std::map<std::string, std::uint64_t, std::less<>> broken_rules(const hw::spec& from,
                                                               std::span<const range> ranges);

// The memory behind each configuration; where there is none, that of compile_options, or else what
// the configuration's interfaces can take.
using memory_of_each = std::function<cost::memory(const hw::spec&)>;

// Predicts what a configuration does with a network in integers, which was prepared for the
// configuration that stands beside it: what the two compute is the same, bit for bit, but for the
// order of sums of fp16.
point predict(const hw::spec& of, const quantised::graph& integers,
              const compile_options& options = {}, const memory_of_each& memory = {});

// The most hardware layers of a program that is given a schedule where thousands are compared: with
// more that takes a second.
inline constexpr std::size_t most_scheduled = 8'000;

// Predicts it in outline: with each layer in its usual form and few schedules compared, which takes
// a fifth of the time. The program that `compile` makes takes fewer cycles, of ResNet-50 half a
// percent; of more layers than most_scheduled, which outlines have in the network's order, 15 %.
point outline(const hw::spec& of, const quantised::graph& integers,
              const compile_options& options = {}, const memory_of_each& memory = {});

// Estimates area and energy of the points that run the network.
void estimate(std::span<point> points, const cost::silicon& by);

// Marks the points that no other one beats in these objectives. What beats a point stands before it
// in their order, and is on the front or beaten by what is.
void mark_front(std::span<point> points,
                std::span<const objective> objectives = usual_objectives);

// Joins what each configuration does with a set of networks, whose points stand in the same
// order: the geometric mean of their cycles, the bytes that all read and write, their energy, the
// memory of those that need most, and what limits the one that takes most cycles. One that cannot
// run one of them cannot run the set. The front is not marked.
std::vector<point> combined(std::span<const std::vector<point>> networks,
                            std::span<const std::string> names);

// Predicts all of them with so many threads, whose number changes nothing, and marks the front.
// `told` is called with (done, all) by one thread at a time.
std::vector<point> predict(std::span<const hw::spec> specs, const quantised::graph& integers,
                           const compile_options& options = {}, std::uint32_t threads = 1,
                           const std::function<void(std::size_t, std::size_t)>& progress = {},
                           const memory_of_each& memory = {});

// A network in integers, as it was prepared for the configuration beside the others.
struct network {
  std::string name{};
  const quantised::graph* integers = nullptr;
  const compile_options* options = nullptr;
};

// Predicts all of them for each of the networks in outline, and as `predict` does `base` and those
// that stand on the front of the outlines, but for programs of more layers than most_scheduled.
// What gains more by its schedule than its neighbours may be missing there. The result is by
// network, with area and energy; `progress` as above, of outlines and predictions.
std::vector<std::vector<point>> predict_front(
    std::span<const hw::spec> specs, const hw::spec& base, std::span<const network> networks,
    const cost::silicon& by,
    std::span<const objective> objectives = usual_objectives, std::uint32_t threads = 1,
    const std::function<void(std::size_t, std::size_t)>& progress = {},
    const memory_of_each& memory = {});

}  // namespace nvdlac::explore

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/explore.ipp>
#endif
