// SPDX-License-Identifier: Apache-2.0
// In what order registers are written and layers wait, judged by the memory that layers touch.
#include <nvdlac/emit/even_groups.hpp>
#include <nvdlac/emit/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/program.hpp>

#include "emit/example.hpp"
#include "planned.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

// Takes a program's writes as a host would and follows which layers run. A layer runs from the
// enabling write that follows its registers until its bit, or that of a later layer of its engine,
// has been waited for; its register group is in use until its own bit has.
template <class Hw>
class watcher {
 public:
  explicit watcher(const plan::program_data& p)
      : map_(emit::map_memory(p, Hw::spec.address_bits)) {
    emit::schedule<Hw>(p, map_, *this);
    end();
  }

  std::size_t layers = 0;            // that ran
  std::size_t ahead = 0;             // whose registers were written while another one ran
  std::size_t beside = 0;            // that were enabled while another one of their engine ran
  std::vector<std::string> wrong{};  // what must not be

  void begin(const layer::layer& l) {
    auto& turn = turns_[engine(l.what)];
    const auto bit = emit::done_bits(l.what, {.core = turn, .rdma = 0});
    if (std::any_of(running_.begin(), running_.end(), [&](const auto& a) { return a.bit == bit; }))
      wrong.push_back(text(l.name, " has no register group free"));
    if (!running_.empty()) ++ahead;
    programmed_.push_back({l, bit});
    if (std::holds_alternative<layer::convolution>(l.what)) {
      convolution_ = programmed_.back();
      fetches_ = sequences_ = false;
    }
    turn ^= 1u;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    if (is_table(address) && !programmed_.empty() &&
        std::ranges::any_of(running_, [&](const active& a) {
          return engine(a.layer.what) == engine(programmed_.back().layer.what) && !a.is_done &&
                 layer::lut_of(a.layer.what) >= 0;
        }))
      wrong.push_back(text("the table of ", programmed_.back().layer.name, " is in use"));
    const auto what = hw::describe(Hw::spec.map, address, value);
    // Its results reach CACC where CDMA brings what it reads and CSC takes it.
    const bool both = fetches_ && sequences_;
    fetches_ = fetches_ || (value == 1 && what.starts_with("CDMA.D_OP_ENABLE"));
    sequences_ = sequences_ || (value == 1 && what.starts_with("CSC.D_OP_ENABLE"));
    if (!both && fetches_ && sequences_ && is_mixed_up(convolution_.layer.what) &&
        std::any_of(running_.begin(), running_.end(), [&](const active& a) {
          return engine(a.layer.what) == engine(convolution_.layer.what) &&
                 a.bit != convolution_.bit && !a.is_done;
        }))
      wrong.push_back(text(convolution_.layer.name, " begins before the one before it is done"));
    const bool takes_from_cdma = what.starts_with("CACC") || what.starts_with("CMAC") ||
                                 what.starts_with("CSC");
    if (value == 1 && what.find("D_OP_ENABLE") != std::string::npos && !takes_from_cdma) start();
  }
  void poll(std::uint32_t, std::uint32_t, std::uint32_t) {}
  void wait_done(std::uint32_t bits) {
    for (std::size_t i = running_.size(); i-- > 0;) {
      const auto done = running_[i];
      if ((done.bit & bits) == 0) continue;
      bits &= ~done.bit;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t before = 0; before < i; ++before)
        if (engine(running_[before].layer.what) == engine(done.layer.what))
          running_[before].is_done = true;
    }
    if (bits != 0) wrong.push_back("it waits for a layer that does not run");
  }
  void host(const layer::layer&) { end(); }

 private:
  struct active {
    layer::layer layer{};
    std::uint32_t bit = 0;
    bool is_done = false;
  };
  using range = std::pair<std::uint64_t, std::uint64_t>;  // from, to before

  static std::size_t engine(const layer::any& l) { return layer::index(layer::engine_of(l)); }
  static std::size_t of_engine(const std::vector<active>& all, const layer::any& what) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const active& a) {
      return engine(a.layer.what) == engine(what);
    }));
  }
  static bool is_table(std::uint32_t address) {
    return address == hw::address<Hw::spec.map, "SDP.S_LUT_ACCESS_DATA"> ||
           address == hw::address<Hw::spec.map, "CDP.S_LUT_ACCESS_DATA">;
  }

  // Every line of a cube; of what has no lines, all bytes.
  std::vector<range> lines(const layer::surface& s) const {
    const auto at = map_(s.at).address;
    if (s.line_stride == 0) return {{at, at + s.size}};
    const auto atom = Hw::spec.atom();
    std::vector<range> result;
    if (s.surface_stride == 0) {  // an image
      const auto rest = (static_cast<std::uint64_t>(s.shape.h) - 1) * s.line_stride;
      for (std::uint64_t from = at; from <= at + rest; from += s.line_stride)
        result.push_back({from, from + s.size - rest});
      return result;
    }
    for (std::uint64_t surface = 0; surface < layer::surfaces(s.shape, atom, s.precision);
         ++surface)
      for (std::int32_t y = 0; y < s.shape.h; ++y) {
        const auto from = at + surface * s.surface_stride +
                          static_cast<std::uint64_t>(y) * s.line_stride;
        result.push_back({from, from + static_cast<std::uint64_t>(s.shape.w) * atom.n});
      }
    return result;
  }
  std::vector<range> read_by(const layer::any& l) const {
    std::vector<range> all;
    layer::for_each_read(l, [&](const layer::surface& s) {
      for (const auto& r : lines(s)) all.push_back(r);
    });
    return all;
  }
  std::vector<range> written_by(const layer::any& l) const {
    std::vector<range> all;
    layer::for_each_write(l, [&](const layer::surface& s) {
      for (const auto& r : lines(s)) all.push_back(r);
    });
    return all;
  }
  static bool meet(std::vector<range> a, std::vector<range> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i].second <= b[j].first) ++i;
      else if (b[j].second <= a[i].first) ++j;
      else return true;
    }
    return false;
  }

  // Whether CACC's delivery buffer holds all results of the convolution beside the last of another.
  static bool is_mixed_up(const layer::any& l) {
    const auto* c = std::get_if<layer::convolution>(&l);
    if (c == nullptr || Hw::spec.map == hw::register_map::full) return false;
    const auto group = static_cast<std::int32_t>(Hw::spec.mac_atomic_k);
    const auto groups = static_cast<std::uint64_t>((c->output.c + group - 1) / group);
    const auto pixels = static_cast<std::uint64_t>(c->output.h * c->output.w);
    const auto cycles = groups * c->mac_steps(Hw::spec.mac_atomic_c) *
                        std::max<std::uint64_t>(pixels, Hw::spec.mac_atomic_k);
    return groups * pixels < hw::delivery_buffer(Hw::spec) && cycles < hw::longest_delivery;
  }

  // All that is programmed runs now.
  void start() {
    for (const auto& next : programmed_) {
      const auto& l = next.layer.what;
      for (const auto& now : running_) {
        if (now.is_done) continue;
        const auto& r = now.layer.what;
        if (meet(written_by(r), read_by(l)) || meet(written_by(r), written_by(l)) ||
            meet(read_by(r), written_by(l)))
          wrong.push_back(text(next.layer.name, " touches what ", now.layer.name, " uses"));
      }
      if (of_engine(running_, l) > 0) ++beside;
      ++layers;
    }
    running_.insert(running_.end(), programmed_.begin(), programmed_.end());
    programmed_.clear();
  }

  void end() {
    if (!running_.empty() || !programmed_.empty()) wrong.push_back("something runs in the end");
  }

  emit::memory_map map_;
  std::array<std::uint32_t, layer::engines + 1> turns_{};
  std::vector<active> programmed_{}, running_{};
  active convolution_{};  // that was programmed last
  bool fetches_ = false, sequences_ = false;  // for it, CDMA and CSC
};

template <class Hw>
void expect_order(const plan::program_data& p, const std::string& name) {
  CAPTURE(name);
  std::size_t layers = 0;
  for (const auto& t : p.tasks)
    if (!t.host) layers += t.operations.size();
  const watcher<Hw> seen(p);
  CHECK(seen.layers >= layers);  // there may be some that make turns even
  for (const auto& w : seen.wrong) FAIL_CHECK(w);
}

// Two convolutions that read the same cube, and one that reads what the second wrote.
plan::program_data two_branches() {
  plan::program_data p;
  const auto in = example::cube(p, "in", plan::memory::input, {8, 6, 6});
  const auto a = example::cube(p, "a", plan::memory::output, {8, 6, 6}),
             b = example::cube(p, "b", plan::memory::features, {8, 6, 6}),
             c = example::cube(p, "c", plan::memory::output, {8, 6, 6});
  const net::window same{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                         .pad_bottom = 1, .pad_right = 1};
  plan::task t;
  example::convolve(p, t, "a", in, a, same, 1);
  example::convolve(p, t, "b", in, b, same, 2);
  example::convolve(p, t, "c", b, c, same, 3);
  plan::link_operations(t, p.buffers, nv_small::spec);
  p.tasks.push_back(std::move(t));
  return p;
}

}  // namespace

TEST_CASE("registers are written ahead, and independent layers run beside each other") {
  const watcher<nv_small> seen(two_branches());
  CHECK(seen.wrong.empty());
  // b's convolution and SDP, beside those of a, which are beside what makes turns even.
  CHECK(seen.beside == 4);
  CHECK(seen.ahead >= 4);   // those of b and c
}

TEST_CASE("without links between layers the watcher finds what they break") {
  auto p = two_branches();
  for (auto& op : p.tasks[0].operations)
    for (auto& link : op.consumers) link = {};
  const watcher<nv_small> seen(p);
  REQUIRE(!seen.wrong.empty());
  CHECK(seen.wrong.front().find("touches what") != std::string::npos);
}

namespace {

// Keeps what is written to each group of each unit's registers, and compares it, whenever a layer
// is started, with all that the layer needs there.
template <class Hw>
class keeper {
 public:
  explicit keeper(const plan::program_data& p) : map_(emit::map_memory(p, Hw::spec.address_bits)) {
    emit::schedule<Hw>(p, map_, *this);
  }

  std::size_t writes = 0, needed = 0;  // of what is in groups
  std::vector<std::string> wrong{};

  void begin(const layer::layer& l) {
    const auto turn = turns_.next(l.what);
    recorder all{producers_};
    emit::program<Hw>(l, map_, turn, all);
    needed += all.written.size();
    waiting_.push_back({l, done_bits(l.what, turn), std::move(all.written)});
  }
  void write(std::uint32_t address, std::uint32_t value) {
    if (is_pointer(address)) {
      producers_[address & unit] = value;
    } else if (is_start(address, value)) {
      for (const auto& next : waiting_)
        for (const auto& [at, word] : next.registers)
          if (const auto found = held_.find(at); found == held_.end() || found->second != word)
            wrong.push_back(text(next.layer.name, " starts with another value of ",
                                 hw::describe(Hw::spec.map, at.second, word)));
      waiting_.clear();
    } else {
      held_[{producers_[address & unit], address}] = value;
      ++writes;
    }
  }
  void poll(std::uint32_t, std::uint32_t, std::uint32_t) {}
  void wait_done(std::uint32_t) {}
  void host(const layer::layer&) {}

 private:
  using place = std::pair<std::uint32_t, std::uint32_t>;  // group, address
  static constexpr std::uint32_t unit = ~std::uint32_t{0xfff};
  static bool is_pointer(std::uint32_t address) {
    return hw::describe(Hw::spec.map, address, 0).find("S_POINTER") != std::string::npos;
  }
  static bool is_start(std::uint32_t address, std::uint32_t value) {
    return value == 1 && hw::describe(Hw::spec.map, address, value).find("D_OP_ENABLE") !=
                             std::string::npos;
  }
  struct recorder {
    std::map<std::uint32_t, std::uint32_t> producers;
    std::map<place, std::uint32_t> written{};
    void write(std::uint32_t address, std::uint32_t value) {
      if (is_pointer(address)) producers[address & unit] = value;
      else written[{producers[address & unit], address}] = value;
    }
  };
  struct programmed {
    layer::layer layer;
    std::uint32_t bit;
    std::map<place, std::uint32_t> registers;
  };

  emit::memory_map map_;
  emit::ping_pong_groups turns_{};
  std::map<std::uint32_t, std::uint32_t> producers_{};
  std::map<place, std::uint32_t> held_{};
  std::vector<programmed> waiting_{};
};

}  // namespace

TEST_CASE("registers of a group are not written again, and each layer starts with its own") {
  std::size_t writes = 0, needed = 0;
  const auto check = [&]<class Hw>(const plan::program_data& p) {
    const keeper<Hw> seen(p);
    for (const auto& w : seen.wrong) FAIL_CHECK(w);
    writes += seen.writes;
    needed += seen.needed;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const auto g = random_graph::make(seed, {});
    check.template operator()<nv_small>(plan::as_in_loadables(planned(hardware<nv_small>(), g)));
    check.template operator()<nv_full>(plan::as_in_loadables(planned(hardware<nv_full>(), g)));
  }
  CHECK(writes < needed - needed / 4);
}

TEST_CASE("what makes turns even behind all others waits for CACC, and its data come before") {
  plan::program_data p;
  std::vector<layer::surface> cubes{example::cube(p, "in", plan::memory::input, {8, 6, 6})};
  plan::task t;
  for (unsigned n = 0; n < 5; ++n) {
    cubes.push_back(example::cube(p, "c", n == 4 ? plan::memory::output : plan::memory::features,
                                  {8, 6, 6}));
    example::convolve(p, t, "c", cubes[n], cubes[n + 1], {}, n + 1);
  }
  plan::link_operations(t, p.buffers, nv_small::spec);
  p.tasks.push_back(std::move(t));
  REQUIRE(emit::even_groups(p, nv_small::spec).before == 1);
  const watcher<nv_small> seen(p);
  for (const auto& w : seen.wrong) FAIL_CHECK(w);
  CHECK(seen.layers == 12);
  CHECK(seen.beside == 2);
}

TEST_CASE("what makes the turns of engines even runs beside the first layers") {
  plan::program_data p;
  const auto in = example::cube(p, "in", plan::memory::input, {8, 6, 6});
  std::vector<layer::surface> cubes{in};
  plan::task t;
  for (unsigned n = 0; n < 3; ++n) {
    cubes.push_back(example::cube(p, "c", n == 2 ? plan::memory::output : plan::memory::features,
                                  {8, 6, 6}));
    example::convolve(p, t, "c", cubes[n], cubes[n + 1], {}, n + 1);
  }
  plan::link_operations(t, p.buffers, nv_small::spec);
  p.tasks.push_back(std::move(t));
  const watcher<nv_small> seen(p);
  CHECK(seen.wrong.empty());
  CHECK(seen.layers == 8);  // with a convolution and its SDP that make the turns even
  CHECK(seen.beside == 2);  // the first one, beside them

  // It writes where a program's only layer does, which waits for it.
  p.tasks[0].operations.resize(2);
  for (auto& link : p.tasks[0].operations[0].consumers)
    if (link.operation > 1) link = {};
  for (auto& link : p.tasks[0].operations[1].consumers) link = {};
  const watcher<nv_small> alone(p);
  CHECK(alone.wrong.empty());
  CHECK(alone.layers == 4);
  CHECK(alone.beside == 0);
}

TEST_CASE("no layer starts before what it needs is done") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto g = random_graph::make(seed, {.lookups = seed % 3 == 0});
    const auto name = text("seed ", seed);
    if (seed % 3 != 0) expect_order<nv_small>(planned(hardware<nv_small>(), g), name);
    expect_order<nv_large>(planned(hardware<nv_large>(), g), name);
    expect_order<nv_full>(planned(hardware<nv_full>(), g), name);
  }
}
