// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the data of convolutions stand in the CBUF. Its data banks are a ring: CDMA writes behind
// what it wrote before, and CSC reads where it released last, over layers, programs and inferences.
// Both go back to entry 0 where DATA_BANK is not that of the convolution before, and nowhere else
// (sc2cdma_dat_pending_req in NV_NVDLA_CSC_sg.v resets status2dma_wr_idx in NV_NVDLA_CDMA_status.v
// and dat_entry_st in NV_NVDLA_CSC_dl.v). So a program finds the ring anywhere, as the one before
// left it, which may be another one.
// That matters to images of which a line may not lie across the end of the ring (hw/read_jump.hpp).
// The planner lets the ring begin anew before them, by other banks than the convolution before has,
// and gives them as many that no line that CSC jumps in lies across the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/read_jump.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

// The data banks as one convolution after the other takes them.
class data_ring {
 public:
  constexpr explicit data_ring(const hw::spec& hw) : hw_(hw) {}

  // The next convolution has its data in so many banks. Whether CSC reads them right, wherever the
  // ring may stand.
  constexpr bool take(const layer::convolution& c, std::uint32_t banks) {
    if (banks_ != 0 && banks != banks_) {
      begin_ = 0;
      kept_ = 0;
    }
    banks_ = banks;
    if (!c.data_reuse) go_on(std::exchange(kept_, 0));
    const bool is_right = reads_right(c);
    const auto slices = static_cast<std::uint64_t>(
        c.winograd ? c.window.pad_top + c.input.shape.h + c.window.pad_bottom : c.input.shape.h);
    const std::uint64_t released = c.skip_data_release                     ? 0
                                   : c.winograd || c.input.pictures > 1 ? slices
                                                                           : c.release;
    const auto slice = std::uint64_t{c.entries_per_slice} *
                       static_cast<std::uint64_t>(c.input.pictures);
    kept_ = (slices - released) * slice;
    go_on(released * slice);
    return is_right;
  }
  constexpr bool take(const layer::convolution& c) { return take(c, c.data_banks); }

  // Begins anew, whatever the banks of the next convolution are.
  constexpr void begin_anew() {
    banks_ = 0;
    begin_ = 0;
    kept_ = 0;
  }

 private:
  constexpr std::uint64_t size() const {
    return std::uint64_t{banks_} * hw_.cbuf_entries_per_bank;
  }
  constexpr void go_on(std::uint64_t entries) {
    if (begin_) begin_ = (*begin_ + entries) % size();
  }
  constexpr bool reads_right(const layer::convolution& c) const {
    if (!c.jumps_in_lines(hw_)) return true;
    if (!begin_) return false;
    const std::uint64_t slice = c.entries_per_slice;
    for (std::uint64_t at = *begin_, line = 0; std::cmp_less(line, c.input.shape.h); ++line) {
      if (at + slice > size() && hw::jumps_to(hw_, c.windows_of_line(), size() - at))
        return false;
      at = (at + slice) % size();
    }
    return true;
  }

  hw::spec hw_;
  std::uint32_t banks_ = 0;                // of the convolution before; 0: of another program
  std::optional<std::uint64_t> begin_{};   // of what CSC reads next, in entries; nothing: anywhere
  std::uint64_t kept_ = 0;                 // entries that the convolution before left
};

// Whether CSC reads all lines right in all inferences, whatever runs between them.
constexpr bool reads_lines_right(const hw::spec& hw, const program_data& p, bool in_registers) {
  data_ring ring(hw);
  bool all = true;
  each_convolution(p, [&](const layer::convolution& c) {
    all = ring.take(in_registers ? c.in_registers() : c) && all;
  });
  return all;
}

namespace detail {

// Divides the CBUF so that CSC reads all lines of images right.
class ring_planner {
 public:
  constexpr ring_planner(const hw::spec& hw, std::vector<layer::layer>& layers) : hw_(hw) {
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (auto* const c = std::get_if<layer::convolution>(&layers[i].what)) {
        all_.push_back(c);
        places_.push_back(i);
      }
  }

  // The numbers of the layers before which one has to stand that divides the CBUF otherwise.
  constexpr std::vector<std::size_t> run() {
    for (std::size_t first = 0; first < all_.size();) {
      auto last = first + 1;
      while (last < all_.size() && all_[last]->data_banks == all_[first]->data_banks) ++last;
      first = settle(first, last);
    }
    return std::move(dividers_);
  }

 private:
  // Gives some of the convolutions that have the same data banks other banks, from the first one
  // on, and returns where those begin that are not settled.
  constexpr std::size_t settle(std::size_t first, std::size_t last) {
    auto jumping = first;
    while (jumping < last && !all_[jumping]->jumps_in_lines(hw_)) ++jumping;
    if (jumping == last) return last;
    const std::uint32_t before = first == 0 ? 0 : all_[first - 1]->data_banks;
    const std::uint32_t now = all_[first]->data_banks;
    const std::uint32_t next = last == all_.size() ? 0 : all_[last]->data_banks;
    if (before != 0 && before != now && end_of_right(first, last, now) == last) return last;
    if (before == 0 && jumping != first) return jumping;
    // As many banks with which the most convolutions are right that begin with entry 0.
    std::uint32_t best = 0;
    auto end = first;
    const auto consider = [&](std::uint32_t banks) {
      const auto until = end_of_right(first, last, banks);
      if (until > end && (until != last || banks != next)) {
        best = banks;
        end = until;
      }
    };
    const auto consider_all = [&](std::uint32_t not_these) {
      if (now != not_these) consider(now);
      for (auto banks = now + 1; banks < hw_.cbuf_banks; ++banks)
        if (banks != not_these) consider(banks);
      for (auto banks = now - 1; banks > 0; --banks)
        if (banks != not_these) consider(banks);
    };
    if (before != 0) consider_all(before);
    if (best == 0) {
      dividers_.push_back(places_[first]);
      consider_all(0);
    }
    if (before == now || best == before) cut(first);
    if (best != now && end != last) cut(end);
    for (auto i = first; i < end; ++i) all_[i]->data_banks = static_cast<std::uint8_t>(best);
    return end;
  }
  // Returns the end of the convolutions from `first` on, begun anew with so many banks, that CSC
  // reads right and for which the CBUF has room.
  constexpr std::size_t end_of_right(std::size_t first, std::size_t last,
                                     std::uint32_t banks) const {
    data_ring ring(hw_);
    ring.begin_anew();
    while (first < last && has_room(*all_[first], banks) && ring.take(*all_[first], banks)) ++first;
    return first;
  }
  constexpr bool has_room(const layer::convolution& c, std::uint32_t banks) const {
    const auto slices = static_cast<std::uint64_t>(
        c.winograd ? c.window.pad_top + c.input.shape.h + c.window.pad_bottom : c.input.shape.h);
    return nvdlac::banks{banks + c.weight_banks} <= hw::usable_banks(hw_, c.is_compressed()) &&
           slices * c.entries_per_slice * static_cast<std::uint64_t>(c.input.pictures) <=
               std::uint64_t{banks} * hw_.cbuf_entries_per_bank;
  }
  // Nothing stays in the CBUF for a convolution before which the rings begin anew.
  constexpr void cut(std::size_t n) {
    if (std::exchange(all_[n]->data_reuse, false)) all_[n - 1]->skip_data_release = false;
    if (std::exchange(all_[n]->weight_reuse, false)) all_[n - 1]->skip_weight_release = false;
  }

  hw::spec hw_;
  std::vector<layer::convolution*> all_{};
  std::vector<std::size_t> places_{};  // by convolution: its number among the layers
  std::vector<std::size_t> dividers_{};
};

// A convolution of one atom that divides the CBUF otherwise than `next`, and what SDP does with it.
constexpr void insert_divider(const hw::spec& hw, lowered& l, std::size_t before) {
  const auto& next = std::get<layer::convolution>(l.layers[before].what);
  const label name("(data banks)");
  const auto atom = [&](layer::location at) { return layer::packed({1, 1, 1}, hw.atom(), at); };
  layer::convolution c;
  c.data_banks = next.data_banks == 1 ? 2 : 1;
  c.input = atom(next.weights.at);
  c.weights = {.at = next.weights.at, .shape = {1, 1, 1},
               .size = hw::weight_bytes(hw, c.precision, 1, 1).n};
  const auto to = layer::location{.buffer = static_cast<std::int32_t>(l.buffers.size())};
  l.buffers.push_back({.name = name, .memory = memory::features, .size = atom(to).size});
  const layer::layer both[]{{name, c}, {name, layer::sdp{.input = atom({}), .output = atom(to)}}};
  l.layers.insert(l.layers.begin() + static_cast<std::ptrdiff_t>(before), both, both + 2);
}

}  // namespace detail

// Lets CSC read all lines of images right, in all inferences. Other layers stay as they are.
constexpr void settle_data_ring(const hw::spec& hw, lowered& l) {
  const auto dividers = detail::ring_planner(hw, l.layers).run();
  for (auto n = dividers.size(); n-- > 0;) detail::insert_divider(hw, l, dividers[n]);
}

}  // namespace nvdlac::plan
