// SPDX-License-Identifier: Apache-2.0
// Weights that come ahead of their layer: CDMA's operations for them, and what they win.
#include <nvdlac/emit/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/program.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/trace.hpp>
#include <nvdlac/schedule/keep.hpp>

#include "loadable_of.hpp"
#include "planned.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

// Follows CDMA's operations as if they took for ever: one is known to be done when its group was
// polled, or when a convolution is whose operation is that one or a later one.
template <class Hw>
class fetch_watcher {
 public:
  explicit fetch_watcher(const plan::program_data& p)
      : map_(emit::map_memory(p, Hw::spec.address_bits)) {
    emit::schedule<Hw>(p, map_, *this);
  }

  std::size_t operations = 0, polls = 0;
  std::vector<std::string> wrong{};

  void begin(const layer::layer& l) {
    if (std::holds_alternative<layer::convolution>(l.what)) layers_.push_back({.name = l.name});
  }
  void write(std::uint32_t address, std::uint32_t value) {
    if (address == hw::address<Hw::spec.map, "CDMA.S_POINTER">) {
      group_ = value;
    } else if (address == hw::address<Hw::spec.map, "CDMA.D_OP_ENABLE">) {
      if (group_ != operations % 2) wrong.push_back("CDMA's groups are not taken in turn");
      ++operations;
      last_[group_] = operations;
    } else if (address == hw::address<Hw::spec.map, "CACC.D_OP_ENABLE">) {
      layers_[enabled_++].operation = operations + 1;  // CDMA is enabled behind CACC
    } else if (address > hw::address<Hw::spec.map, "CDMA.D_OP_ENABLE"> &&
               address < hw::address<Hw::spec.map, "CDMA.D_OP_ENABLE"> + 0x800 &&
               last_[group_] > done_) {
      wrong.push_back(text("registers of CDMA's operation ", last_[group_], " change"));
    }
  }
  void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value) {
    if (address != hw::address<Hw::spec.map, "CDMA.S_STATUS">) return;
    ++polls;
    if (value != 0) wrong.push_back("it waits for CDMA to work");
    done_ = std::max(done_, last_[mask > 0xffff ? 1 : 0]);
  }
  void wait_done(std::uint32_t bits) {
    for (unsigned g = 0; g < 2; ++g)
      if ((bits & emit::done_bits(layer::convolution{}, {.core = g, .rdma = 0})) != 0)
        done_ = std::max(done_, layers_.at(finished_++).operation);
  }
  void host(const layer::layer&) {}

 private:
  struct convolved {
    label name;
    std::size_t operation = 0;  // CDMA's
  };
  emit::memory_map map_;
  std::vector<convolved> layers_{};
  std::size_t enabled_ = 0, finished_ = 0, done_ = 0;
  std::uint32_t group_ = 0;
  std::size_t last_[2]{};  // by group
};

// Kernels that come ahead.
struct counts {
  std::size_t all = 0, parts = 0;  // operations; of some kernels of a layer
  std::size_t far = 0;             // of layers behind the next one
  std::size_t beside_kept = 0;     // while weights stay in the CBUF for the next layer

  explicit counts(const plan::program_data& p) {
    for (const auto& t : p.tasks) {
      const plan::weights_ahead convolutions(t);
      std::size_t n = 0;
      for (const auto& brought : plan::brought_ahead(t)) {
        for (const auto& k : brought) {
          ++all;
          far += k.of > n + 1 ? 1u : 0u;
          parts += k.count != convolutions.all()[k.of].output.c ? 1u : 0u;
          beside_kept += convolutions.all()[n].skip_weight_release ? 1u : 0u;
        }
        ++n;
      }
    }
  }
  counts& operator+=(const counts& o) {
    all += o.all;
    parts += o.parts;
    far += o.far;
    beside_kept += o.beside_kept;
    return *this;
  }
};

// Whatever the rules allow of kernels ahead, drawn.
template <class Hw>
void bring_some_ahead(plan::program_data& p, std::uint64_t seed) {
  std::mt19937_64 numbers(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(numbers() % n); };
  plan::each_convolution(p, [](auto& c) { c.be_as_in_loadables(); });
  for (auto& t : p.tasks) {
    schedule::detail::divide_alike(Hw::spec, t);
    std::vector<layer::convolution*> all;
    plan::each_convolution_of(t, [&](layer::convolution& c) { all.push_back(&c); });
    for (std::size_t n = 0; n + 1 < all.size(); ++n)
      for (int attempt = 0; attempt < 3 && all[n]->layers_ahead == 0; ++attempt) {
        const auto to = std::min(all.size() - 1, n + 1 + below(4));
        const auto kernels = all[to]->output.c;
        all[n]->layers_ahead = static_cast<std::uint16_t>(to - n);
        all[n]->kernels_ahead = static_cast<std::uint16_t>(
            below(2) == 0 ? kernels : 1 + static_cast<std::int32_t>(below(
                                              static_cast<std::size_t>(kernels))));
        if (!plan::verify(plan::program<Hw>{p}).empty())
          all[n]->layers_ahead = all[n]->kernels_ahead = 0;
      }
  }
  schedule::detail::make_even(Hw::spec, p);
  if (!plan::reads_lines_right(Hw::spec, p, true))
    plan::each_convolution(p, [](auto& c) { c.be_as_in_loadables(); });
}

template <class Hw>
counts expect_exact_ahead(std::uint64_t seed, const random_limits& limits) {
  CAPTURE(seed);
  const auto& t = hardware<Hw>();
  const auto g = random_graph::make(seed, limits);
  auto p = planned(t, g);
  bring_some_ahead<Hw>(p, seed);
  const auto m = t.simulate(
      runtime::load(emit::read_loadable(cli::loadable_of(t, p), {}), t.spec()), {});
  const auto files = t.trace(p, m->record(random_graph::feeds(g, seed)), "ahead");
  CHECK(t.replay(runtime::parse_trace(files), {}).empty());
  return counts(p);
}

}  // namespace

TEST_CASE("CDMA takes turns of its own where kernels come ahead, and leaves its groups even") {
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto p = planned(hardware<nv_small>(), random_graph::make(seed, {.layers = 8}));
    const auto own = plan::own_fetches_of(p, nv_small::spec).count;
    const fetch_watcher<nv_small> seen(p);
    for (const auto& w : seen.wrong) FAIL_CHECK(w);
    CHECK(seen.operations % 2 == 0);
    all += own;
    const fetch_watcher<nv_small> plain(plan::as_in_loadables(p));
    for (const auto& w : plain.wrong) FAIL_CHECK(w);
    CHECK(plain.polls == 0);
    CHECK(seen.operations == plain.operations + own + own % 2);
  }
  CHECK(all > 20);
}

TEST_CASE("random networks whose kernels come some layers ahead are exact") {
  counts small(plan::program_data{}), large = small;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    small += expect_exact_ahead<nv_small>(seed, {.layers = 10, .channels = 24});
    large += expect_exact_ahead<nv_large>(seed, {.layers = 10, .channels = 64});
  }
  for (const auto& found : {small, large}) {
    CHECK(found.all > 200);
    CHECK(found.parts > 50);
    CHECK(found.far > 100);
  }
  CHECK(small.beside_kept + large.beside_kept > 10);
}

TEST_CASE(
    "a loadable and a register program bring no kernels ahead, and a trace is faster by them") {
  const auto& t = hardware<nv_large>();
  const cost::memory memory{.width = 32, .data_turns = 4};
  auto of_a_loadable = memory;
  of_a_loadable.weights_ahead = cost::kernels_ahead::none;
  const auto cycles = [&](const plan::program_data& p, const cost::memory& m) {
    return cost::cycles(p.tasks, nv_large::spec, m).totals.cycles;
  };
  // Behind convolutions that CACC would mix up register programs hold CSC back, loadables CDMA too.
  const auto holds_back = [](const plan::program_data& p) {
    std::size_t convolutions = 0;
    bool found = false;
    plan::each_convolution(p, [&](const layer::convolution& c) {
      found = found || (convolutions++ != 0 && layer::confuses_delivery(c, nv_large::spec));
    });
    return found;
  };
  std::size_t faster = 0, equal = 0, held = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto g = random_graph::make(seed, {.layers = 8, .channels = 64});
    compile_options options;
    options.memory = memory;
    const auto p = planned(t, g, options), plain = plan::as_in_loadables(p);
    CHECK(cli::loadable_of(t, p) == cli::loadable_of(t, plain));
    CHECK(emit::make_registers<nv_large>(p).steps == emit::make_registers<nv_large>(plain).steps);
    CHECK(cycles(p, of_a_loadable) == cycles(plain, of_a_loadable));
    CHECK(cycles(p, memory) <= cycles(plain, memory));
    if (cycles(p, memory) < cycles(plain, memory)) ++faster;
    // Without kernels ahead a trace takes what a loadable does, unless CDMA brings data and weights
    // while CSC has to wait for CACC.
    const auto expect_as_loadable = [&](const plan::program_data& without) {
      const auto trace = cycles(without, memory), loadable = cycles(without, of_a_loadable);
      if (!holds_back(without)) {
        CHECK(trace == loadable);
        ++equal;
      } else {
        CHECK(trace <= loadable);
        held += trace < loadable ? 1u : 0u;
      }
    };
    expect_as_loadable(plain);
    options.without = {"order"};
    const auto apart = planned(t, g, options);
    CHECK(!plan::differs_in_registers(apart));
    expect_as_loadable(apart);
  }
  CHECK(faster > 5);
  CHECK(equal > 3);
  CHECK(held > 5);
}

TEST_CASE("a search for a trace judges what the trace takes") {
  const cost::memory memory{.width = 32, .data_turns = 4};
  std::size_t ahead = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto g = random_graph::make(seed, {.layers = 8, .channels = 64});
    schedule::price judged;
    compile_options options{.optimize = 40, .for_traces = true};
    options.memory = memory;
    options.scheduled = [&](const schedule::saved&, const schedule::price& now,
                            const schedule::price&) { judged = now; };
    const auto p = planned(hardware<nv_large>(), g, options);
    CHECK(cost::cycles(p.tasks, nv_large::spec, memory).totals.cycles <= judged.cycles);
    if (plan::differs_in_registers(p)) ++ahead;
  }
  CHECK(ahead > 5);
}
