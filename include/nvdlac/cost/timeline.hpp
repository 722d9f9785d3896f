// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/convolution.hpp>
#include <nvdlac/cost/host.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/cost/streams.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/traffic.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::cost {

// The bound of a layer's speed: the MACs, the memory's width, the way from CACC to SDP, the
// unit itself, or the reads that it has in flight. None: it hands on what another layer limits, or
// the host computes it.
enum class limit : std::uint8_t { none, mac, memory, output, unit, latency };
inline constexpr std::size_t limits = 6;

constexpr std::string_view name_of(limit l) {
  constexpr std::array<std::string_view, limits> names{"-",      "MAC",  "memory",
                                                       "output", "unit", "latency"};
  return names[static_cast<std::size_t>(l)];
}

// Where a layer loses most of its own cycles beyond its bound: until it is enabled; before the
// first MAC, until its data and weights are there; between the MACs, for later weights or for the
// way to SDP; or behind the last one, until all is written. Layers of other units wait for the
// memory's answers.
enum class wait : std::uint8_t { none, load, compute, drain, memory, enable };

constexpr std::string_view name_of(wait w) {
  constexpr std::array<std::string_view, 6> names{"-",     "load",   "compute",
                                                  "drain", "memory", "enable"};
  return names[static_cast<std::size_t>(w)];
}

// A hardware layer on the timeline. In cycles from the program's start. A layer is enabled while
// those before it still work, so that the times from `start` to `done` overlap. Its own time is
// what the program takes longer by it: from the end of the last layer that is done before it. Own
// times add up to the end of the last layer.
struct layer_cycles {
  std::uint64_t start = 0;    // enabled
  std::uint64_t loaded = 0;   // the first MAC works; of other units: start
  std::uint64_t computed = 0; // the last MAC has worked; of other units: done
  std::uint64_t done = 0;     // the interrupt
  std::uint64_t turn = 0;     // all that is done before it is done: its own time begins
  layer::client_traffic moved{};     // bytes
  std::uint64_t mac_cycles = 0;      // with data for the MACs
  std::uint64_t bound = 0;           // cycles that it needs at least
  limit limited_by = limit::none;    // what that bound is

  constexpr std::uint64_t cycles() const { return done - start; }
  constexpr std::uint64_t load() const { return loaded - start; }
  constexpr std::uint64_t compute() const { return computed - loaded; }
  constexpr std::uint64_t drain() const { return done - computed; }
  constexpr std::uint64_t own() const { return done - turn; }
  // Enabled while layers work that are done before it.
  constexpr std::uint64_t behind() const { return turn - std::min(turn, start); }
  // The time from `start` to `done` beyond its bound; what it waits behind is a part of it.
  constexpr std::uint64_t beyond_bound() const {
    return limited_by == limit::none ? 0 : cycles() - std::min(cycles(), bound);
  }
  // The part of its own time beyond its bound.
  constexpr std::uint64_t waiting() const {
    return limited_by == limit::none ? 0 : own() - std::min(own(), bound);
  }
  constexpr wait waits_in() const {
    if (waiting() == 0) return wait::none;
    const auto begin = std::max(start, turn);
    const auto enabling = begin - turn;
    if (mac_cycles == 0) return enabling > waiting() / 2 ? wait::enable : wait::memory;
    const auto first = std::max(loaded, begin), last = std::max(computed, begin);
    const auto loading = first - begin, draining = done - last;
    const auto stalls = last - first - std::min(last - first, bound);
    const auto most = std::max({enabling, loading, stalls, draining});
    return loading == most ? wait::load : stalls == most ? wait::compute
           : draining == most ? wait::drain : wait::enable;
  }
  constexpr bool operator==(const layer_cycles&) const = default;
};

namespace detail {

// Puts the layers of a program behind and beside each other. Layers that hand their results on
// without memory are one stage. Which weights come ahead the layers say, or a rule, with which
// neighbours divide the CBUF alike. What the host does its steps say, or, without them, what it
// does for a layer at most.
class timeline {
 public:
  constexpr timeline(const hw::spec& s, const memory& m, const host& h,
                     std::optional<filling::rule> rule = {}, std::span<const host_step> steps = {})
      : s_(s), m_(m), h_(h), steps_(steps), holds_back_(m.weights_ahead != kernels_ahead::none) {
    if (rule) filling_.emplace(s, m, *rule);
  }

  // By the rule, of each convolution: `layers_ahead` and `kernels_ahead`.
  struct ahead {
    std::uint16_t layers = 0, kernels = 0;
  };
  constexpr std::vector<ahead> take_chosen() { return std::move(chosen_); }

  template <class Layer>
  constexpr std::vector<layer_cycles> run(const std::vector<plan::basic_task<Layer>>& tasks) {
    std::size_t layers = 0;
    for (const auto& t : tasks) layers += t.operations.size();
    layers_.reserve(layers);
    for (const auto& t : tasks) {
      begin_task(t);
      for (std::size_t first = 0, last = 0; first < t.operations.size(); first = last) {
        last = first + 1;
        while (last < t.operations.size() && layer::takes_on_the_fly(t.operations[last].layer.what))
          ++last;
        if (t.host) host_layer(t.operations[first].layer.what);
        else stage(t, first, last);
      }
    }
    return std::move(layers_);
  }

 private:
  // An engine computes one layer at a time and has registers for two.
  struct engine {
    std::int64_t free = 0, free_before = 0;
    std::int64_t reader_free = 0;  // its reader has registers of its own, and begins earlier
    std::int64_t looked_up = 0;  // the last layer is done that looks up in its table
    std::int16_t table = -1;     // which one it has
    // The ends of layers in the register groups, whether the host has seen them; the next group.
    struct ending {
      std::int64_t at = 0;
      bool seen = true;
    };
    std::array<ending, 2> endings{};
    std::uint8_t group = 0;

    constexpr void done(std::int64_t at) {
      free_before = free;
      free = at;
      endings[std::exchange(group, group ^ 1)] = {at, false};
    }
  };
  constexpr engine& of(const layer::any& what) {
    return engines_[layer::index(layer::engine_of(what))];
  }

  // Operations of CDMA that bring weights behind a convolution, of which the first can be its own.
  struct coming {
    std::optional<later_fetches> fetches{};
    std::vector<std::uint64_t> atoms{};
    std::size_t brought = 0;    // of these operations
    std::int64_t earliest = 0;  // when the host comes to them
    std::int64_t done = 0;

    // When the next one is done, which is enabled at that time; one behind them brings nothing.
    constexpr std::int64_t bring(std::int64_t enabled) {
      if (brought == atoms.size()) return std::max(enabled, done);
      fetches->not_before(std::max(enabled, earliest));
      return done = fetches->take(atoms[brought++]);
    }
    // When the next convolution's own may begin.
    constexpr std::int64_t all_done() {
      while (brought < atoms.size()) bring(0);
      return atoms.empty() ? 0 : done + static_cast<std::int64_t>(measured.between_fetches);
    }
  };

  template <class Layer>
  constexpr void begin_task(const plan::basic_task<Layer>& t) {
    if (steps_.empty()) {  // else its host waits for what it has to wait for
      for (auto& e : engines_) e.free = e.free_before = e.reader_free = now_;
      before_.reset();
    }
    task_start_ = now_;
    way_.emplace(t);
    number_ = 0;
    coming_ = {};
    sequenced_ = 0;
    if (filling_) way_->divide_alike(s_);
    programmed_ = now_;
    ready_.assign(t.operations.size(), task_start_);
  }

  constexpr layer_cycles& add(const layer::any& what) {
    layers_.push_back({.moved = layer::clients_of(what, s_.atom())});
    return layers_.back();
  }

  constexpr void host_layer(const layer::any& what) {
    auto& l = add(what);
    l.start = l.loaded = l.computed = l.done = static_cast<std::uint64_t>(now_);
  }

  constexpr std::int64_t cycles_of(std::uint64_t accesses) const {
    return static_cast<std::int64_t>(static_cast<double>(accesses) * h_.access);
  }
  static constexpr std::uint64_t accesses_of(const layer::any& what) {
    if (std::holds_alternative<layer::convolution>(what))
      return measured.accesses_convolution - measured.accesses_sdp;
    if (std::holds_alternative<layer::pdp>(what)) return measured.accesses_pdp;
    if (std::holds_alternative<layer::cdp>(what)) return measured.accesses_cdp;
    return measured.accesses_sdp;
  }

  // When a stage's units are enabled: the first one, and the one that takes from it.
  struct enabling {
    std::int64_t first = 0, next = 0;

    constexpr std::int64_t earlier() const { return std::min(first, next); }
  };

  // By the host's steps up to there.
  constexpr enabling follow(std::size_t layers) {
    using kind = host_step::kind;
    // Takes the steps before the layer: what CDMA brings behind the stage before.
    for (; step_ < steps_.size() && steps_[step_].what != kind::layer; ++step_) {
      take(steps_[step_]);
      if (steps_[step_].what == kind::start) fetch(coming_.bring(host_now()));
    }
    const bool alone = layers == 1;
    enabling at;
    while (layers > 0 && step_ < steps_.size()) {
      const auto& step = steps_[step_++];
      take(step);
      if (step.what != kind::start) continue;
      at.next = std::exchange(at.first, host_now());
      --layers;
    }
    if (alone) at.next = at.first;
    return at;
  }
  constexpr void take(const host_step& step) {
    using kind = host_step::kind;
    if (step.what == kind::write) host_clock_ += step.count * h_.access;
    if (step.what == kind::read) host_clock_ += step.count * h_.read;
    if (step.what == kind::wait) wait_for(engines_[layer::index(step.engine)].endings[step.group]);
    if (step.what == kind::fetched)
      poll(fetched_[step.group] + static_cast<std::int64_t>(measured.fetch_seen));
  }
  // The host reads a status again and again: the read that begins once it has happened is the last.
  constexpr void poll(std::int64_t happened) {
    const auto missing = static_cast<double>(happened) - host_clock_;
    if (missing > 0) host_clock_ += h_.read > 0 ? rounded_up(missing / h_.read) * h_.read : missing;
    host_clock_ += h_.read;
  }
  static constexpr double rounded_up(double x) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
  }
  constexpr std::int64_t host_now() const { return static_cast<std::int64_t>(host_clock_); }
  // One read of the interrupts tells all that are there.
  constexpr void wait_for(const engine::ending& wanted) {
    if (wanted.seen) return;
    host_clock_ = std::max(host_clock_, static_cast<double>(wanted.at));
    for (auto& e : engines_)
      for (auto& ending : e.endings)
        if (static_cast<double>(ending.at) <= host_clock_) ending.seen = true;
    host_clock_ += static_cast<double>(h_.interrupt);
  }

  // By what its layers need at most.
  template <class Layer>
  constexpr enabling enabled(const plan::basic_task<Layer>& t, std::size_t first,
                             std::size_t last) {
    std::uint64_t accesses = 0;
    auto room = task_start_;   // when the register groups of its engines are free
    auto event = task_start_;  // when all that it waits for has happened
    for (std::size_t i = first; i < last; ++i) {
      const auto& what = t.operations[i].layer.what;
      auto& unit = of(what);
      accesses += accesses_of(what);
      room = std::max(room, unit.free_before);
      event = std::max(event, ready_[i]);
      const auto table = layer::lut_of(what);
      if (table < 0 || std::exchange(unit.table, table) == table) continue;
      accesses += measured.accesses_table;
      room = std::max(room, unit.looked_up);
    }
    const auto writing = cycles_of(accesses);
    const auto interrupt = static_cast<std::int64_t>(h_.interrupt);
    const auto& what = t.operations[first].layer.what;
    const auto starting = cycles_of(
        std::holds_alternative<layer::convolution>(what) ? measured.accesses_enabling_convolution
        : std::holds_alternative<layer::sdp>(what)       ? measured.accesses_enabling_sdp
                                                         : 0);
    const auto from = [&](std::int64_t at) { return enabling{at + starting, at}; };
    if (h_.order == order::serial) return from(now_ == 0 ? now_ : now_ + interrupt + writing);
    programmed_ = std::max(programmed_, room > 0 ? room + interrupt : room) + writing;
    return from(std::max(programmed_, event > task_start_ ? event + interrupt : event));
  }

  template <class Layer>
  constexpr void stage(const plan::basic_task<Layer>& t, std::size_t first, std::size_t last) {
    const auto& ops = t.operations;
    const auto at = steps_.empty() ? enabled(t, first, last) : follow(last - first);
    const auto start = at.earlier();
    const auto place = layers_.size();
    for (std::size_t i = first; i < last; ++i) add(ops[i].layer.what);
    std::size_t behind = first + 1;
    std::int64_t end = 0;
    if (const auto* c = std::get_if<layer::convolution>(&ops[first].layer.what)) {
      const auto* s = behind < last ? std::get_if<layer::sdp>(&ops[behind].layer.what) : nullptr;
      const auto* pool =
          behind + 1 < last ? std::get_if<layer::pdp>(&ops[behind + 1].layer.what) : nullptr;
      end = convolve(*c, s, pool, at, place);
      behind = std::min(last, first + 2);
    } else {
      end = stream(ops[first].layer.what, at, layers_[place]);
    }
    for (; behind < last; ++behind)
      if (const auto* pool = std::get_if<layer::pdp>(&ops[behind].layer.what)) {
        end += static_cast<std::int64_t>(after_sdp(*pool, s_));
        set(layers_[place + behind - first], start, start, end, end);
      }
    for (std::size_t i = first; i < last; ++i) {
      const auto done = static_cast<std::int64_t>(layers_[place + i - first].done);
      auto& unit = of(ops[i].layer.what);
      unit.done(done);
      if (layer::lut_of(ops[i].layer.what) >= 0) unit.looked_up = done;
      const bool is_held = holds_back_ &&
                           std::holds_alternative<layer::convolution>(ops[i].layer.what);
      for (const auto& c : ops[i].consumers)
        if (c.event == plan::event::completed && c.operation >= 0 && !is_held)
          if (auto& ready = ready_[static_cast<std::size_t>(c.operation)]; done > ready)
            ready = done;
    }
    now_ = std::max(now_, end);
  }

  static constexpr void set(layer_cycles& l, std::int64_t start, std::int64_t loaded,
                            std::int64_t computed, std::int64_t done) {
    l.start = static_cast<std::uint64_t>(start);
    l.loaded = static_cast<std::uint64_t>(loaded);
    l.computed = static_cast<std::uint64_t>(computed);
    l.done = static_cast<std::uint64_t>(done);
  }

  // A convolution with its SDP, and the bytes of a PDP that ends the stage.
  constexpr std::int64_t convolve(const layer::convolution& given, const layer::sdp* behind,
                                  const layer::pdp* pool, enabling at, std::size_t place) {
    const auto n = number_++;
    const bool some_ahead = m_.weights_ahead != kernels_ahead::none;
    auto work = work_of(s_, some_ahead ? way_->all()[n] : given, behind, pool);
    if (some_ahead) bring_ahead(work, n, at.earlier());
    work.behind_delivery = holds_back_ && layer::confuses_delivery(given, s_);
    if (!steps_.empty()) work.released = static_cast<std::int64_t>(h_.interrupt) + cycles_of(1);
    convolution_run run(s_, m_, work);
    auto& sdp = engines_[layer::index(layer::engine_number::sdp)];
    auto t = run.run(std::max(at.next, sdp.reader_free), at.first, sdp.free,
                     before_ ? &*before_ : nullptr);
    const auto sdp_done = t.sdp_done, cacc_done = t.cacc_done;
    sequenced_ = work.behind_delivery && before_ ? before_->cacc_done : 0;
    auto& l = layers_[place];
    set(l, at.earlier(), t.first_mac, t.last_mac, t.cacc_done);
    before_ = std::move(t);
    if (some_ahead && !filling_) fetch_behind(n);
    l.mac_cycles = work.mac_cycles();
    std::array<layer::traffic, 2> by_memory{};
    for (std::size_t i = place; i < layers_.size() && i <= place + (pool != nullptr ? 2u : 1u); ++i)
      cost::add(by_memory, layers_[i].moved);
    const auto moved = moving(s_, m_, by_memory);
    for (const auto& b : {bound_by{l.mac_cycles, limit::mac}, {moved, limit::memory},
                          {run.delivery(), limit::output}})
      b.apply(l);
    if (behind == nullptr) return cacc_done;
    if (layer::engine<layer::sdp>::uses_reader(*behind))
      sdp.reader_free = reader_free(
          sdp_done, measured.sdp + m_.write_latency_of(behind->output.at.cvsram));
    set(layers_[place + 1], at.earlier(), at.earlier(), sdp_done, sdp_done);
    return sdp_done;
  }

  // Counts the kernels that are there when convolution `n` starts, and tells when CDMA has done
  // what it does for it and later ones before.
  constexpr void bring_ahead(convolution_work& work, std::size_t n, std::int64_t start) {
    if (n > 0 && filling_) {
      const auto last = (*filling_)(*way_, n, *before_, sequenced_, start);
      ahead now;
      if (last.count != 0)
        now = {static_cast<std::uint16_t>(last.of - (n - 1)),
               static_cast<std::uint16_t>(last.first + last.count)};
      chosen_.back() = now;
      coming_ = behind(n - 1, now);
    }
    if (n > 0) work.came_ahead = coming_.all_done();
    if (filling_) chosen_.push_back({});
    if (const auto there = way_->there(n); there != 0 && !way_->all()[n].weight_reuse)
      work.ahead = atoms(way_->bytes_of({n, 0, there}));
  }
  // Times what CDMA does for convolution `n`, and behind it as the program says.
  constexpr void fetch_behind(std::size_t n) {
    const auto& c = way_->all()[n];
    const bool beside = plan::brings_others(c, way_->there(n), s_);
    coming_ = n + 1 < way_->all().size() ? behind(n, {c.layers_ahead, c.kernels_ahead}) : coming{};
    fetch(beside && !coming_.atoms.empty()
              ? coming_.bring(0)
              : before_->fetched(
                    static_cast<std::int64_t>(m_.read_latency_of(c.weights.at.cvsram))));
  }
  // The next operation of CDMA is done then.
  constexpr void fetch(std::int64_t done) {
    fetched_[std::exchange(fetcher_, fetcher_ ^ 1)] = done;
  }
  constexpr std::uint64_t atoms(std::uint64_t bytes) const {
    return ceil_div(bytes, s_.memory_atom);
  }
  // The operations of CDMA that bring weights behind convolution `n` and before the next one.
  constexpr coming behind(std::size_t n, ahead now) {
    const auto& next = way_->all()[n + 1];
    const bool in_cvsram = next.weights.at.cvsram;
    const auto held = atoms(way_->bytes_there(n + 1));
    const bool beside = plan::brings_others(way_->all()[n], way_->there(n), s_);
    coming found{.earliest = sequenced_};
    for (const auto& k : way_->bring(n, now.layers, now.kernels))
      found.atoms.push_back(atoms(way_->bytes_of(k)));
    if (!found.atoms.empty())
      found.fetches.emplace(*before_, bus(s_, m_, in_cvsram), held,
                            s_.cbuf_bank().n * next.weight_banks / s_.memory_atom,
                            static_cast<std::int64_t>(m_.read_latency_of(in_cvsram)), beside);
    return found;
  }

  constexpr std::int64_t stream(const layer::any& what, enabling at, layer_cycles& l) {
    auto& unit = of(what);
    const auto cost = stream_of(what, s_, m_);
    const auto start = std::max(at.next, unit.reader_free);
    const auto end = std::max(
        std::max(at.first, unit.reader_free) + static_cast<std::int64_t>(cost.cycles()),
        unit.free + static_cast<std::int64_t>(std::max(cost.unit, cost.memory) +
                                              measured.unit_after));
    unit.reader_free = reader_free(end, cost.behind);
    set(l, start, start, end, end);
    for (const auto& b : {bound_by{cost.unit, limit::unit}, {cost.memory, limit::memory},
                          {cost.latency, limit::latency}})
      b.apply(l);
    return end;
  }

  // When a unit's reader is free, of which a layer ends so many cycles behind its first answer.
  static constexpr std::int64_t reader_free(std::int64_t end, std::uint64_t behind) {
    return end - static_cast<std::int64_t>(behind - measured.reader_after);
  }

  struct bound_by {
    std::uint64_t cycles;
    limit by;
    constexpr void apply(layer_cycles& l) const {
      if (cycles > l.bound) {
        l.bound = cycles;
        l.limited_by = by;
      }
    }
  };

  hw::spec s_;
  memory m_;
  host h_;
  std::span<const host_step> steps_;
  bool holds_back_;  // CSC, not CDMA, where CACC would mix up convolutions: as register programs do
  std::vector<layer_cycles> layers_{};
  std::array<engine, layer::engines + 1> engines_{};
  std::optional<convolution_times> before_{};
  std::optional<filling> filling_{};
  std::vector<ahead> chosen_{};
  coming coming_{};                      // behind the last convolution
  std::int64_t sequenced_ = 0;           // when the host enables CSC for that, if it holds it back
  std::optional<plan::weights_ahead> way_{};  // of the task
  std::size_t number_ = 0;                    // of the next convolution in it
  std::int64_t now_ = 0, task_start_ = 0, programmed_ = 0;
  std::size_t step_ = 0;   // the host's next one
  double host_clock_ = 0;  // when it comes to that
  std::array<std::int64_t, 2> fetched_{};  // by register group of CDMA: when its operation is done
  std::uint8_t fetcher_ = 0;               // its next group
  std::vector<std::int64_t> ready_{};  // when what an operation of the task waits for has happened
};

}  // namespace detail

}  // namespace nvdlac::cost
