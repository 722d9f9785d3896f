// SPDX-License-Identifier: Apache-2.0
#pragma once
// Does everything stand where there is memory, and nothing where something else is alive?
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/plan/checker/footprint.hpp>

namespace nvdlac::plan::checker {

// Every buffer inside its pool, and weights with their content.
constexpr void check_buffers(const program_data& p, contents weights_are, diagnostics& found) {
  for (const auto& b : p.buffers) {
    const auto report = [&](std::string reason) { found.add({.layer = b.name, .reason = reason}); };
    const bool weights = b.memory == memory::weights, features = b.memory == memory::features;
    const auto pool = b.cvsram  ? weights ? p.cvsram.weights : p.cvsram.size
                      : weights ? p.weights_size : p.features_size;
    if (b.cvsram && !weights && !features)
      report("its buffer is the user's own but in CVSRAM");
    if (b.cvsram && features && b.offset < p.cvsram.weights)
      report(text("its buffer at ", b.offset, " of CVSRAM is not behind the ", p.cvsram.weights,
                  " bytes of weights there"));
    if ((weights || features) && (b.offset > pool || b.size > pool - b.offset))
      report(text("its buffer at ", b.offset, " of ", b.size, " bytes is not inside its pool of ",
                  pool));
    if (!weights && !features && b.offset != 0)
      report("its buffer is the user's own but has an offset");
    if (weights && weights_are == contents::here && b.content.size() != b.size)
      report(text("its buffer of ", b.size, " bytes has a content of ", b.content.size()));
    if (!weights && !b.content.empty()) report("its buffer has a content but is not loaded");
    if (b.size == 0) report("its buffer is empty");
  }
  if (p.features_bound > p.features_size)
    found.add({.reason = text("the feature pool of ", p.features_size,
                              " bytes is smaller than its lower bound ", p.features_bound)});
  if (p.cvsram.bound > p.cvsram.size)
    found.add({.reason = text("the CVSRAM of ", p.cvsram.size,
                              " bytes is smaller than its lower bound ", p.cvsram.bound)});
  if (p.cvsram.size > p.cvsram.limit)
    found.add({.reason = text("the program uses ", p.cvsram.size,
                              " bytes of CVSRAM, more than the ", p.cvsram.limit,
                              " that it may")});
}

// Every cube inside its buffer, and only what may be written is written.
constexpr void check_surfaces(const program_data& p, bytes atom, diagnostics& found) {
  const auto check = [&](std::string_view layer, const layer::surface& s, kind k, bool write) {
    const auto report = [&](std::string reason) {
      found.add({.layer = std::string(layer), .reason = std::move(reason)});
    };
    if (!exists(p, s.at)) return report(text("it uses buffer ", s.at.buffer, ", which is none"));
    const auto& b = p.buffers[static_cast<std::size_t>(s.at.buffer)];
    if (s.at.cvsram != b.cvsram)
      report(text("it ", write ? "writes" : "reads", " '", b.name, "' in ",
                  s.at.cvsram ? "CVSRAM" : "DRAM", ", where that does not stand"));
    if (s.shape.c < 1 || s.shape.h < 1 || s.shape.w < 1)
      return report(text("it has an empty cube in '", b.name, "'"));
    const auto end = std::max(footprint_of(s, k, atom).end(), s.at.offset + s.size);
    if (s.at.offset > b.size || end > b.size)
      report(text("it ", write ? "writes" : "reads", " up to byte ", end, " of '", b.name,
                  "', which has ", b.size));
    if (s.size == 0) report(text("its cube in '", b.name, "' has no size"));
    if (k != kind::plain && s.at.offset + s.size < footprint_of(s, k, atom).end())
      report(text("its cube in '", b.name, "' touches more bytes than its size ", s.size));
    if (write && (b.memory == memory::weights || b.memory == memory::input))
      report(text("it writes to '", b.name, "', which is only read"));
  };
  for (const auto* op : all_operations(p))
    for (const use& u : uses(op->layer.what)) {
      check(op->layer.name, *u.surface, u.kind, u.write);
      if (layer::on_host(op->layer.what) && u.surface->at.cvsram)
        found.add({.layer = op->layer.name,
                   .reason = "the host would reach into CVSRAM, which it does not see"});
    }
  for (const auto& in : p.inputs)
    check(in.name, in.surface, in.surface.is_interleaved() ? kind::pixels : kind::feature, false);
  for (const auto& out : p.outputs) check(out.name, out.surface, kind::feature, false);
}

// From the first to the last operation that touches a buffer, numbered over all tasks; operations
// that are connected on the fly run at one time.
struct lifetime {
  std::size_t first = static_cast<std::size_t>(-1), last = 0;
  constexpr bool used() const { return first <= last; }
};

// The number of the operation that each operation runs together with: its own or its producer's.
constexpr std::vector<std::size_t> moments(const program_data& p) {
  std::vector<std::size_t> moment;
  for (const auto& t : p.tasks) {
    const std::size_t start = moment.size();
    for (const auto& op : t.operations) {
      const auto parent = op.fused_parent.operation;
      const bool known = parent >= 0 && start + static_cast<std::size_t>(parent) < moment.size();
      moment.push_back(known ? moment[start + static_cast<std::size_t>(parent)] : moment.size());
    }
  }
  return moment;
}

constexpr std::vector<lifetime> lifetimes(const program_data& p, const std::vector<access>& all) {
  const auto moment = moments(p);
  std::vector<lifetime> of(p.buffers.size());
  for (const auto& a : all) {
    auto& l = of[a.buffer];
    l.first = std::min(l.first, moment[a.operation]);
    l.last = std::max(l.last, moment[a.operation]);
  }
  return of;
}

// Weights are all alive at once: none may begin before the ends of those that begin before it, but
// those of the same bytes stand in one place.
constexpr void check_weights_apart(const program_data& p, const std::vector<std::size_t>& sorted,
                                diagnostics& found) {
  const auto end = [&](std::size_t i) { return p.buffers[i].offset + p.buffers[i].size; };
  const auto are_one = [](const buffer& a, const buffer& b) {
    return a.offset == b.offset && !a.content.empty() && a.content == b.content;
  };
  for (std::size_t i = 1, last = 0; i < sorted.size(); ++i) {
    if (p.buffers[sorted[i]].offset < end(sorted[last]) &&
        !are_one(p.buffers[sorted[i]], p.buffers[sorted[last]]))
      found.add({.layer = p.buffers[sorted[last]].name,
                 .reason = text("its weights overlap those of '", p.buffers[sorted[i]].name, "'")});
    if (end(sorted[i]) > end(sorted[last])) last = i;
  }
}

// Walks through the moments with those that are alive, by address: each that begins to live is
// compared with its neighbours.
constexpr void check_features_apart(const program_data& p, std::vector<std::size_t> features,
                                 const std::vector<lifetime>& of, diagnostics& found) {
  std::ranges::sort(features, {}, [&](std::size_t i) { return std::pair(of[i].first, i); });
  using placed_buffer = std::pair<std::uint64_t, std::size_t>;  // where it begins, and the buffer
  std::vector<placed_buffer> alive;                             // sorted
  const auto report = [&](std::size_t a, std::size_t b) {
    found.add({.layer = p.buffers[a].name,
               .reason = text("its buffer shares memory with '", p.buffers[b].name,
                              "' while both are alive")});
  };
  for (const auto b : features) {
    if (!of[b].used()) continue;
    std::erase_if(alive, [&](const placed_buffer& a) { return of[a.second].last < of[b].first; });
    const auto& buffer = p.buffers[b];
    const placed_buffer own{buffer.offset, b};
    auto next = std::ranges::lower_bound(alive, own);
    if (next != alive.begin()) {
      const auto before = std::prev(next)->second;
      if (buffer.offset < p.buffers[before].offset + p.buffers[before].size) report(before, b);
    }
    for (auto i = next; i != alive.end() && i->first < buffer.offset + buffer.size; ++i)
      report(b, i->second);
    alive.insert(next, own);
  }
}

// Buffers that share addresses: never two of weights, features only one after the other.
constexpr void check_sharing(const program_data& p, const std::vector<access>& all,
                          diagnostics& found) {
  for (const bool cvsram : {false, true}) {
    std::vector<std::size_t> weights, features;
    for (std::size_t i = 0; i < p.buffers.size(); ++i)
      if (p.buffers[i].cvsram != cvsram) continue;
      else if (p.buffers[i].memory == memory::weights) weights.push_back(i);
      else if (p.buffers[i].memory == memory::features) features.push_back(i);
    std::ranges::sort(weights, {},
                      [&](std::size_t i) { return std::pair(p.buffers[i].offset, i); });
    check_weights_apart(p, weights, found);
    check_features_apart(p, std::move(features), lifetimes(p, all), found);
  }
}

// Disjoint ranges of bytes. Where the last one was added, the next one costs little, however many
// there are: cubes are written line by line.
class byte_set {
 public:
  constexpr void add(std::uint64_t from, std::uint64_t to) {
    for (; !below_.empty() && below_.back().end >= from; below_.pop_back())
      above_.push_back(below_.back());
    for (; !above_.empty() && above_.back().end < from; above_.pop_back())
      below_.push_back(above_.back());
    for (; !above_.empty() && above_.back().begin <= to; above_.pop_back()) {
      from = std::min(from, above_.back().begin);
      to = std::max(to, above_.back().end);
    }
    below_.push_back({from, to});
  }
  constexpr bool contains(std::uint64_t from, std::uint64_t to) const {
    if (!below_.empty() && to <= below_.back().end)
      return std::ranges::lower_bound(below_, to, {}, &range::end)->begin <= from;
    const auto behind = std::ranges::upper_bound(above_, to, std::ranges::greater{}, &range::end);
    return behind != above_.begin() && std::prev(behind)->begin <= from;
  }

 private:
  struct range { std::uint64_t begin, end; };
  // Sorted: up to the one that was added last, and those behind it, of which the next is the last.
  std::vector<range> below_{}, above_{};
};

// Nothing is read before it is computed, and the outputs are computed entirely.
constexpr void check_written(const program_data& p, bytes atom, const std::vector<access>& all,
                          diagnostics& found) {
  std::vector<byte_set> written(p.buffers.size());
  const auto operations = all_operations(p);
  const auto computed = [&](std::size_t b) {
    return p.buffers[b].memory == memory::features || p.buffers[b].memory == memory::output;
  };
  const auto covered = [&](std::size_t buffer, const footprint& f) {
    bool whole = true;
    f.each_run([&](std::uint64_t at, std::uint64_t size) {
      whole = whole && written[buffer].contains(at, at + size);
    });
    return whole;
  };
  for (const auto& a : all)  // reads stand before the write of the same operation
    if (a.write)
      a.in_buffer.each_run([&](std::uint64_t at, std::uint64_t size) {
        written[a.buffer].add(at, at + size);
      });
    else if (computed(a.buffer) && !covered(a.buffer, a.in_buffer))
      found.add({.layer = operations[a.operation]->layer.name,
                 .reason = text("it reads bytes of '", p.buffers[a.buffer].name,
                                "' that nothing before it writes")});
  for (const auto& out : p.outputs)
    if (exists(p, out.surface.at) &&
        !covered(static_cast<std::size_t>(out.surface.at.buffer),
                 merged(footprint_of(out.surface, kind::feature, atom))) &&
        computed(static_cast<std::size_t>(out.surface.at.buffer)))
      found.add({.layer = out.name, .reason = "nothing computes all of this output"});
}

}  // namespace nvdlac::plan::checker
