// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/streams.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/traffic.hpp>

namespace nvdlac::cost {

// The cycles of a convolution with the SDP that takes its result: load, compute and drain of the
// CBUF, kernel group by kernel group.

// A convolution as counts. Winograd's mode by what NV_NVDLA_CSC_sg.v of nvdla/hw counts: stripes of
// tiles of 2x2 pixels, a step for each four channels.
struct convolution_work {
  // Dimensions of the output; lines of all pictures of a batch, whose pixels share CSC's stripes.
  std::uint64_t columns = 1, lines = 1;
  std::uint64_t kernels = 1, group = 1;  // in all; of a kernel group
  std::uint64_t steps = 1;               // of a kernel group: one cycle for each pixel
  bool by_line = false;                  // stripes end with the lines of the output
  stripe_limits stripes{};
  std::uint64_t kernels_at_once = 1;     // that cells take in a cycle
  std::uint64_t data = 0;                // atoms fetched
  std::uint64_t data_gaps = 0;           // cycles that the fetch of data loses when it is alone
  std::uint64_t entries = 0;             // CBUF entries of the data
  std::uint64_t weights = 0;             // atoms fetched, first_group of them for the first group
  std::uint64_t first_group = 0;         // of compressed weights, that of a group on average
  std::uint64_t mask_room = 0;           // atoms of masks beside as many weights as have room
  std::uint64_t ahead = 0;               // atoms of weights that come ahead
  std::int64_t came_ahead = 0;  // when CDMA has done what it does before it for later layers
  bool behind_delivery = false;  // CSC begins when the layer before has left CACC
  std::int64_t released = 0;     // and then so many cycles later, by the host
  std::uint64_t kept_weights = 0;        // atoms of weights that are reused
  std::uint64_t data_banks = 1, weight_banks = 1;
  // Atoms of operands that SDP reads behind it: of both units for all kernels, of the one that
  // needs more for all kernels and for each pixel.
  std::uint64_t operands = 0, most_operands = 0, point_operands = 0;
  bool looked_up = false;    // Y looks each element up
  std::uint64_t pooled = 0;  // cycles in which PDP takes an atom from SDP; 0: it takes none
  // Pixels of the output that CSC counts as one: the four of a tile in Winograd's mode.
  std::uint64_t pixels_at_once = 1;
  bool data_in_cvsram = false, weights_in_cvsram = false, result_in_cvsram = false;
  bool operands_in_cvsram = false, points_in_cvsram = false;

  constexpr std::uint64_t groups() const { return ceil_div(kernels, group); }
  constexpr std::uint64_t pixels() const { return columns * lines; }
  // Cycles with data for the MACs.
  constexpr std::uint64_t mac_cycles() const { return pixels() * groups() * steps; }
};

namespace detail {

constexpr std::uint64_t natural(auto n) { return static_cast<std::uint64_t>(n); }

// Cycles in which CDMA_DC of nvdlav1 fetches a line of all surfaces, a beat of two atoms in each.
// It takes two surfaces at a time, and what is left alone; its read channel stops at every second
// pixel of two surfaces, and of the third of four (NV_NVDLA_CDMA_dc.v, is_blocking). A line of a
// surface begins with a beat of its own.
constexpr std::uint64_t fetch_of_a_line(std::uint64_t width, std::uint64_t surfaces) {
  const auto beats = ceil_div(width, 2u), stops = width / 2;
  const auto pair = std::max(measured.fetch_lines, 2 * beats + stops);
  const auto alone = std::max(measured.fetch_line, beats + (surfaces % 4 == 3 ? stops : 0));
  return surfaces / 2 * pair + surfaces % 2 * alone;
}

// The read channel of CDMA_DC stops for a cycle at every second atom of the surfaces 2 and 3 of
// each 4, and at the last atom of every line of the others (NV_NVDLA_CDMA_dc.v, is_blocking).
constexpr std::uint64_t fetch_gaps(const hw::spec& s, const layer::convolution& c) {
  const auto width = natural(c.input.shape.w);
  const auto lines = natural(c.input.shape.h) * natural(c.input.pictures);
  if (c.is_pixel()) return natural(c.input.shape.h) * measured.image_line;
  const auto surfaces = layer::surfaces(c.input.shape, s.atom(), c.input.precision);
  if (is_nvdlav1(s))
    return lines * fetch_of_a_line(width, surfaces) - surfaces * lines * width / 2;
  const auto slow = surfaces / 4 * 2 + (surfaces % 4 > 2 ? surfaces % 4 - 2 : 0);
  return slow * width * lines / 2 + (surfaces - slow) * lines;
}

constexpr void add_operands(convolution_work& w, const layer::sdp& s, std::uint64_t moved,
                            const layer::sdp_unit& u, std::uint64_t atom) {
  const bool in_cvsram = u.operands.at.cvsram;
  const auto atoms = ceil_div(moved, atom);
  if (!u.reads_memory() || atoms == 0) return;
  const auto pixels = natural(s.input.shape.w) * natural(s.input.shape.h);
  if (u.mode == layer::sdp_mode::per_point) {
    const auto results = pixels * ceil_div(natural(s.input.shape.c), w.group);
    w.point_operands = std::max(w.point_operands, ceil_div(atoms, results));
    w.points_in_cvsram = in_cvsram;
  } else {
    w.operands += atoms;
    w.most_operands = std::max(w.most_operands, atoms);
    w.operands_in_cvsram = in_cvsram;
  }
}

}  // namespace detail

constexpr convolution_work work_of(const hw::spec& s, const layer::convolution& c,
                                   const layer::sdp* behind, const layer::pdp* pool = nullptr) {
  using detail::natural;
  const bytes atom = s.atom();
  const auto moved = layer::clients_of(layer::any{c}, atom);
  const auto group = natural(s.kernel_group(c.precision));
  convolution_work w{
      .columns = natural(c.output.w),
      .lines = natural(c.output.h) * natural(c.input.pictures),
      .kernels = natural(c.output.c), .group = group,
      .steps = c.mac_steps(s.mac_atomic_c),
      .by_line = c.is_pixel(),
      .stripes = stripes_of(s, c.precision, c.is_pixel()),
      .kernels_at_once = std::max<std::uint64_t>(
          1, group / stripes_of(s, c.precision, false).step),
      .data = ceil_div(moved.data, atom.n), .data_gaps = detail::fetch_gaps(s, c),
      .entries = natural(c.entries_per_slice) * natural(c.input.shape.h) *
                 natural(c.input.pictures),
      .weights = ceil_div(moved.weights, atom.n),
      .data_banks = c.data_banks, .weight_banks = c.weight_banks,
      .data_in_cvsram = c.input.at.cvsram, .weights_in_cvsram = c.weights.at.cvsram};
  if (c.weight_reuse) w.kept_weights = ceil_div(c.weights.size, atom.n);
  if (c.winograd) {
    w.columns /= 2;
    w.lines /= 2;
    w.pixels_at_once = 4;
    w.stripes.buffered /= w.pixels_at_once;
    w.steps = ceil_div(natural(c.input.shape.c), 4u);
    w.entries = natural(c.entries_per_slice) * natural(c.input_csc().h);
  }
  w.first_group = std::min(w.weights, ceil_div(std::min(w.kernels, group) * c.bytes_per_kernel(),
                                               atom.n));
  if (c.is_compressed()) {
    const auto bank = s.cbuf_bank().n;
    w.first_group = ceil_div(w.weights * std::min(w.kernels, group), w.kernels);
    w.mask_room = std::min(bank, bank * c.weight_banks * c.mask.size / c.weights.size) / atom.n;
  }
  if (behind != nullptr) {
    const auto operands = layer::clients_of(layer::any{*behind}, atom);
    detail::add_operands(w, *behind, operands.x1, behind->x1, atom.n);
    detail::add_operands(w, *behind, operands.x2, behind->x2, atom.n);
    w.result_in_cvsram = behind->output.at.cvsram;
    w.looked_up = behind->lut >= 0;
  }
  if (pool != nullptr) {
    w.pooled = detail::pooling_of_an_atom(s, c.precision);
    w.result_in_cvsram = pool->output.at.cvsram;
  }
  return w;
}

// One convolution behind another.
class convolution_run {
 public:
  constexpr convolution_run(const hw::spec& s, const memory& m, const convolution_work& w)
      : s_(s), w_(w), data_(s, m, w.data_in_cvsram), weights_(s, m, w.weights_in_cvsram),
        turns_(w.data_in_cvsram ? 1 : std::max<std::uint64_t>(1, m.data_turns)),
        write_latency_(signed_of(m.write_latency_of(w.result_in_cvsram))),
        operands_(m.read_latency_of(w.most_operands == 0 ? w.data_in_cvsram
                                                         : w.operands_in_cvsram) +
                  measured.round_trip),
        points_(m.read_latency_of(w.points_in_cvsram) + measured.round_trip),
        operand_depth_(std::max<std::uint64_t>(
            1, s.dram.latency * std::min<std::uint64_t>(2 * s.sdp_bs_bn_throughput,
                                                        measured.reader_rate) / s.memory_atom)) {}

  // SDP is free at `sdp_free`. `before` is the convolution before it, of which the CBUF may still
  // be full.
  constexpr convolution_times run(std::int64_t reader_start, std::int64_t start,
                                  std::int64_t sdp_free, const convolution_times* before) {
    times_ = {.reader_start = reader_start, .start = start, .data_banks = w_.data_banks,
              .weight_banks = w_.weight_banks, .entries = w_.entries,
              .last_group = atoms_until(w_.groups()) - atoms_until(w_.groups() - 1)};
    auto weights = load(before);
    compute(weights, sdp_free);
    times_.data = w_.data;
    times_.weights = w_.weights;
    times_.kept_weights = w_.kept_weights;
    times_.stream = std::move(weights);
    return std::move(times_);
  }

  // Cycles in which the result goes to SDP at best: all of it, and the atoms of one of the pixels
  // that CSC counts.
  constexpr std::uint64_t delivery() const {
    return w_.pixels() * w_.groups() * delivery_of_a_pixel();
  }
  constexpr std::uint64_t delivery_of_a_pixel() const {
    const auto handed =
        w_.pixels_at_once * std::max(delivery_of(s_, w_.group, w_.looked_up), w_.pooled);
    const auto& least = measured_on(s_);
    const auto of_lines = w_.pooled == 0 ? ceil_div(least.sdp_line, w_.columns) : 0;
    const auto of_tiles = w_.pixels_at_once > 1 ? least.winograd_tile : 0;
    return std::max({handed, of_lines, of_tiles});
  }

 private:
  static constexpr std::int64_t signed_of(std::uint64_t n) { return static_cast<std::int64_t>(n); }
  // Cycles in which the cells take the kernels of the first group.
  constexpr std::uint64_t first_kernels() const {
    return ceil_div(std::min(w_.kernels, w_.group), w_.kernels_at_once);
  }
  // Atoms of weights, and of their masks, that have room in the CBUF.
  constexpr std::uint64_t weight_room() const {
    return s_.cbuf_bank().n * w_.weight_banks / s_.memory_atom + w_.mask_room;
  }
  // The weights of the first `groups`.
  constexpr std::uint64_t atoms_until(std::uint64_t groups) const {
    return groups >= w_.groups() ? w_.weights : std::min(w_.weights, groups * w_.first_group);
  }

  // The way of a client of CDMA.
  struct fetch {
    cost::bus bus;
    std::int64_t latency;

    constexpr fetch(const hw::spec& s, const memory& m, bool of_cvsram)
        : bus(s, m, of_cvsram), latency(signed_of(m.read_latency_of(of_cvsram))) {}
  };

  // The part of this layer that is fetched while the one before computes.
  struct ahead {
    std::uint64_t data = 0, weights = 0;  // atoms
    std::int64_t from = 0;                // when the rest can be fetched
    std::uint64_t room = 0;               // for weights, until the layer before is done
  };
  // Operands that SDP reads while weights still come ahead take the bus from these.
  constexpr std::int64_t came_ahead() const {
    if (w_.operands_in_cvsram != w_.weights_in_cvsram) return w_.came_ahead;
    const auto requested = w_.came_ahead - signed_of(measured.between_fetches) - weights_.latency;
    const auto operands = weights_.bus.cycles(std::min(w_.operands, operand_depth_));
    return w_.came_ahead +
           std::clamp<std::int64_t>(requested - times_.reader_start, 0, signed_of(operands));
  }
  constexpr ahead fetched_ahead(const convolution_times* before) const {
    // Its own operation of CDMA stands behind those of the layer before, and behind the one that
    // brings weights ahead.
    auto from = std::max(times_.start, came_ahead());
    const auto room = weight_room();
    if (before != nullptr)
      from = std::max(from, before->fetched(weights_.latency) +
                                signed_of(measured.between_fetches));
    if (before == nullptr || before->issued <= from) return {0, w_.ahead, from, room};
    const auto issued = before->issued;
    if (before->data_banks != w_.data_banks || before->weight_banks != w_.weight_banks)
      return {0, w_.ahead, issued, room};
    const auto all = w_.data_banks * s_.cbuf_entries_per_bank;
    const auto spare = (all - std::min(all, before->entries)) * hw::atoms_per_entry(s_);
    const auto spare_weights = room - std::min(room, before->last_group);
    if (w_.data <= spare && w_.weights <= spare_weights) return {0, w_.ahead, from, room};
    // Data and weights that have room come before the rest, in turns where the bus is one.
    const auto within = [&](const fetch& by) {
      const auto time = std::max<std::int64_t>(0, issued - from - by.latency);
      return by.bus.ahead(static_cast<std::uint64_t>(time), w_.data == 0);
    };
    const bool apart = w_.data_in_cvsram != w_.weights_in_cvsram;
    const auto atoms = within(data_);
    const auto data = std::min({w_.data, spare, apart ? atoms : atoms * turns_ / (turns_ + 1)});
    const auto weights =
        std::min({w_.weights, spare_weights, apart ? within(weights_) : atoms - data});
    return {data, std::max(w_.ahead, weights), issued, room};
  }

  // Cycles that the fetch of so much data loses beside so many weights: these fill its gaps, but
  // those that come in the gaps are not all there are.
  constexpr std::uint64_t gaps(std::uint64_t data, std::uint64_t atoms_of_weights) const {
    if (w_.data == 0) return 0;
    const auto weights = is_nvdlav1(s_) ? weights_.bus.cycles_alone(atoms_of_weights)
                                        : atoms_of_weights;
    if (turns_ == 1) return w_.data_gaps * (data - std::min(data, weights)) / w_.data;
    const auto all = w_.data_gaps * data / w_.data;
    return all - std::min(measured.gaps_filled * all, measured.weights_in_gaps * weights) / 7;
  }

  constexpr weight_stream load(const convolution_times* before) {
    const auto a = fetched_ahead(before);
    times_.began = a.from;
    const auto data = w_.data - a.data;
    const auto first = w_.first_group - std::min(w_.first_group, a.weights);
    if (w_.data_in_cvsram != w_.weights_in_cvsram) return load_apart(a, data, first, before);
    // Requests of data and of weights take turns, until there are no more or the banks are full.
    const auto wanted = std::min(w_.weights, a.room) - a.weights;
    const auto shared = std::min(ceil_div(data, turns_), wanted);
    const bool by_weights = first > ceil_div(data, turns_);
    // Operands of SDP that come at the same time.
    const auto operands = by_weights && w_.operands_in_cvsram == w_.weights_in_cvsram
                              ? std::min(w_.operands, operand_depth_) / 2 : 0;
    const auto beats = data + (by_weights ? first + operands : shared);
    const auto requested = data_.bus.cycles_alone(beats) + gaps(data, by_weights ? first : shared);
    const auto wait = first_kernels() + (by_weights ? measured.after_weights
                                                    : measured.after_data);
    const auto nothing = data == 0 && first == 0;
    const auto loaded = nothing ? times_.start + signed_of(wait)
                                : a.from + data_.latency + signed_of(requested + wait);
    begin(loaded, before);
    times_.data_fetched = data == 0 ? a.from : a.from + data_.latency + signed_of(requested);
    return {weights_.bus, a.weights + (by_weights ? first : shared), loaded - until_first(),
            weight_room()};
  }
  // Data and weights come from two memories, neither of which waits for the other.
  constexpr weight_stream load_apart(const ahead& a, std::uint64_t data, std::uint64_t first,
                                     const convolution_times* before) {
    const auto kernels = first_kernels();
    const auto operands = w_.operands_in_cvsram == w_.weights_in_cvsram
                              ? std::min(w_.operands, operand_depth_) / 2 : 0;
    const auto by_data = data_.bus.cycles_alone(data) + gaps(data, 0);
    const auto by_weights = weights_.bus.cycles(first + (first == 0 ? 0 : operands));
    times_.data_fetched = data == 0 ? a.from : a.from + data_.latency + signed_of(by_data);
    const auto data_there =
        data == 0 ? times_.start + signed_of(kernels + measured.after_data)
                  : times_.data_fetched + signed_of(kernels + measured.after_data);
    const auto weights_there =
        (first == 0 ? times_.start : a.from + weights_.latency + signed_of(by_weights)) +
        signed_of(kernels + measured.after_weights);
    begin(std::max(data_there, weights_there), before);
    return {weights_.bus, a.weights + first, weights_there - until_first(), weight_room()};
  }
  // The first MAC: `loaded` is when its data and its weights are there.
  constexpr void begin(std::int64_t loaded, const convolution_times* before) {
    times_.first_mac = loaded;
    if (before == nullptr) return;
    const auto between = signed_of(measured.between_convolutions);
    const auto behind =
        w_.behind_delivery
            ? before->cacc_done +
                  std::max(between, w_.released + signed_of(measured.after_sequencer))
            : before->issued + between;
    times_.first_mac = std::max(loaded, behind + signed_of(first_kernels()));
  }
  // From the request for the last atom of a kernel group until a MAC can work with it.
  constexpr std::int64_t until_first() const {
    return signed_of(first_kernels() + measured.after_weights) + weights_.latency;
  }

  constexpr void compute(weight_stream& weights, std::int64_t sdp_free) {
    const auto depth = operand_depth_;
    const auto stripes = [&](std::uint64_t kernels) {
      auto limits = w_.stripes;
      limits.step = std::clamp(ceil_div(kernels, w_.kernels_at_once), limits.shortest, limits.step);
      return stripe_rules(limits, w_.by_line, w_.steps, delivery_of_a_pixel(),
                          w_.point_operands * w_.pixels_at_once, points_, depth);
    };
    // SDP takes the first result when it has operands for it.
    auto taken = sdp_free;
    const auto wait_for = [&](std::uint64_t operands, std::uint64_t cycles) {
      if (operands != 0) taken = std::max(taken, times_.reader_start + signed_of(cycles));
    };
    wait_for(w_.most_operands, operands_ + measured.operands_to_result);
    wait_for(w_.point_operands, points_ + measured.points_to_result);
    pipeline p{.time = times_.first_mac, .last_mac = times_.first_mac, .delivered = taken,
               .operands = times_.reader_start + signed_of(points_)};
    // Operands of later kernel groups, and of points, share the bus with the weights.
    const bool share = w_.operands_in_cvsram == w_.weights_in_cvsram;
    const auto later = share && w_.operands > 2 * depth
                           ? weights_.bus.cycles(w_.operands - 2 * depth) : 0;
    const auto of_points = w_.points_in_cvsram == w_.weights_in_cvsram
                               ? weights_.bus.cycles(w_.point_operands * w_.pixels() *
                                                     w_.pixels_at_once) : 0;
    const auto gaps = std::max<std::uint64_t>(1, w_.groups() - 1);
    const auto arrival = until_first();
    for (std::uint64_t g = 0; g < w_.groups(); ++g) {
      const auto needed = atoms_until(g + 1);
      const auto there = weights.requested(needed) + arrival;
      if (g > 0) p.time = std::max(p.time, there);
      times_.weights_fetched = there;
      weights.delay(later * (g + 1) / gaps - later * g / gaps + of_points);
      stripes(std::min(w_.group, w_.kernels - g * w_.group)).group(p, w_.columns, w_.lines);
      weights.release(needed, p.time);
    }
    finish(p);
  }

  constexpr void finish(const pipeline& p) {
    // The reader that fetches most has to have them all before the last atom: those in flight
    // together come one behind the other.
    const auto most = w_.most_operands;
    const auto operands =
        operands_ + (most > operand_depth_ ? ceil_div(most * operands_, operand_depth_) : most);
    const auto last = std::max(p.delivered,
                               times_.reader_start + signed_of(operands + measured.to_delivery));
    times_.last_mac = p.last_mac;
    times_.issued = p.time;
    times_.cacc_done = last - signed_of(measured.cacc_done_before);
    times_.sdp_done = times_.cacc_done + signed_of(measured_on(s_).sdp_after_cacc) + write_latency_;
  }

  hw::spec s_;
  convolution_work w_;
  fetch data_, weights_;
  std::uint64_t turns_;  // of data, for each of weights
  std::int64_t write_latency_;
  // Cycles of a read of operands for kernels, and for points; atoms of them in flight.
  std::uint64_t operands_, points_, operand_depth_;
  convolution_times times_{};
};

}  // namespace nvdlac::cost
