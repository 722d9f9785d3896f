// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stays in the CBUF for the next convolution, and what comes there ahead of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

// Whether what one of them reads lies in the CBUF as the other wants it. The padding is that of the
// operation of CDMA which brought the data.
constexpr bool reads_the_same(const layer::convolution& a, const layer::convolution& b) {
  const auto &v = a.window, &w = b.window;
  const bool same_pads = v.pad_left == w.pad_left && v.pad_right == w.pad_right &&
                         v.pad_top == w.pad_top && v.pad_bottom == w.pad_bottom &&
                         a.pad_value == b.pad_value && a.kernel_lines == b.kernel_lines;
  return a.input == b.input && a.input.pictures == 1 && a.format == b.format &&
         a.precision == b.precision && a.winograd == b.winograd &&
         a.entries_per_slice == b.entries_per_slice && a.release == b.release && same_pads &&
         a.pixels_signed == b.pixels_signed && a.convert == b.convert && a.cvt == b.cvt &&
         a.use_mean == b.use_mean && a.mean == b.mean;
}

namespace detail {

// Neighbouring convolutions that have room beside each other, which all get the same banks, so that
// one is loaded while the one before is computed. Those that read the same data or weights share
// them.
class sharing {
 public:
  constexpr explicit sharing(const hw::spec& hw) : hw_(hw) {}

  // Takes one more, if all have room.
  constexpr bool take(layer::convolution& c) {
    const auto data = std::max(data_, c.data_banks), weights = std::max(weights_, c.weight_banks);
    const bool masks = masks_ || c.is_compressed();
    if (banks{data} + banks{weights} > hw::usable_banks(hw_, masks)) return false;
    if (!all_.empty()) {
      const auto& last = *all_.back();
      const auto bank = hw_.cbuf_bank().n;
      const bool same_weights = last.weights == c.weights && last.precision == c.precision &&
                                last.winograd == c.winograd &&
                                c.weights.size <= bank * c.weight_banks && c.mask.size <= bank;
      kept_.push_back(reads_the_same(last, c) && !is_overwritten_ ? kept::data
                      : same_weights                              ? kept::weights
                                                                  : kept::nothing);
    }
    data_ = data, weights_ = weights, masks_ = masks, is_overwritten_ = false;
    all_.push_back(&c);
    return true;
  }
  // What a layer behind the last one writes.
  constexpr void written(const layer::surface& s) {
    if (!all_.empty() && s.at.buffer == all_.back()->input.at.buffer) is_overwritten_ = true;
  }
  // Whether there are several.
  constexpr bool finish() {
    for (auto* const c : all_) c->data_banks = data_, c->weight_banks = weights_;
    for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
      auto &from = *all_[i], &to = *all_[i + 1];
      if (kept_[i] == kept::data) from.skip_data_release = to.data_reuse = true;
      if (kept_[i] == kept::weights) from.skip_weight_release = to.weight_reuse = true;
    }
    return all_.size() > 1;
  }

 private:
  enum class kept : std::uint8_t { nothing, data, weights };

  hw::spec hw_;
  std::vector<layer::convolution*> all_{};
  std::vector<kept> kept_{};             // by neighbours
  std::uint8_t data_ = 0, weights_ = 0;  // banks
  bool masks_ = false;                   // of compressed weights have a bank
  bool is_overwritten_ = false;          // what the last one reads, perhaps
};

}  // namespace detail

// Convolutions of a task that read the same one behind the other share its way into the CBUF, and
// passes of the same kernels that of their weights, as far as there is room; neighbours that have
// room beside each other get the same banks; but those for which `is_apart(number of the layer)`
// holds share nothing with the one before. Whether there are any.
template <class IsApart>
constexpr bool keep(const hw::spec& hw, std::span<layer::layer> layers, const IsApart& is_apart) {
  detail::sharing now(hw);
  bool found = false;
  const auto next = [&] { found = now.finish() || found, now = detail::sharing(hw); };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto* const c = std::get_if<layer::convolution>(&layers[i].what);
    if (c != nullptr && is_apart(i)) next();
    if (c != nullptr && !now.take(*c)) next(), now.take(*c);
    layer::for_each_write(layers[i].what, [&](const layer::surface& s) { now.written(s); });
  }
  next();
  return found;
}
template <class Hw>
constexpr bool keep(std::span<layer::layer> layers) {
  return keep(Hw::spec, layers, [](std::size_t) { return false; });
}

// The numbers of kernels that could come ahead of a convolution, while the one before it computes:
// all, if they have room, or those of some groups, which fill entries of the CBUF.
struct kernels_ahead {
  // Cycles that have to be won for it.
  static constexpr std::int64_t worth = 24;

  hw::spec hw;

  constexpr std::vector<std::uint16_t> operator()(const layer::convolution& c,
                                                  const layer::convolution& before) const {
    std::vector<std::uint16_t> found;
    if (!is_possible(c) || !is_possible(before) || c.precision != before.precision ||
        c.data_banks != before.data_banks || c.weight_banks != before.weight_banks ||
        c.data_reuse || c.weight_reuse)
      return found;
    const auto room = c.weight_banks * hw.cbuf_bank().n, kernel = c.bytes_per_kernel();
    const auto all = static_cast<std::uint64_t>(c.output.c);
    const std::uint64_t group = hw.kernel_group(c.precision);
    if (c.weights.size <= room) found.push_back(static_cast<std::uint16_t>(all));
    for (auto groups = std::min((all - 1) / group, room / (group * kernel)); groups > 0;
         groups = groups < 4 ? groups - 1 : groups * 3 / 4)
      if (groups * group * kernel % hw::weight_unit(hw).n == 0)
        found.push_back(static_cast<std::uint16_t>(groups * group));
    return found;
  }

 private:
  static constexpr bool is_possible(const layer::convolution& c) {
    return !c.winograd && !c.is_compressed();
  }
};

namespace detail {

// Neighbouring convolutions of a task divide the CBUF alike, as far as there is room, and what is
// left is for weights.
constexpr void divide_alike(const hw::spec& hw, std::vector<plan::operation>& operations) {
  std::vector<layer::convolution*> alike;
  std::uint8_t data = 0, weights = 0;
  const auto divide = [&] {
    const auto left = static_cast<std::uint8_t>(hw.cbuf_banks - data);
    if (alike.size() > 1)
      for (auto* const c : alike) c->register_data_banks = data, c->register_weight_banks = left;
    alike.clear(), data = weights = 0;
  };
  for (auto& op : operations) {
    auto* const c = std::get_if<layer::convolution>(&op.layer.what);
    if (c == nullptr) continue;
    const bool fits = std::max(data, c->data_banks) + std::max(weights, c->weight_banks) <=
                      static_cast<int>(hw.cbuf_banks);
    if (!fits || c->is_compressed()) divide();
    if (c->is_compressed()) continue;
    data = std::max(data, c->data_banks), weights = std::max(weights, c->weight_banks);
    alike.push_back(c);
  }
  divide();
}

}  // namespace detail

// Lets kernels come ahead in a program, wherever that takes fewer predicted cycles. Loadables
// cannot say it, and stay what they are.
template <hw::hardware Hw>
constexpr void bring_ahead(const cost::memory& memory, plan::program_data& p) {
  const auto each = [&](const auto& visit) {
    for (auto& t : p.tasks)
      for (auto& op : t.operations)
        if (auto* c = std::get_if<layer::convolution>(&op.layer.what)) visit(*c);
  };
  const auto before = cost::cycles(p.tasks, Hw::spec, memory).totals.cycles;
  for (auto& t : p.tasks) detail::divide_alike(Hw::spec, t.operations);
  cost::detail::timeline<kernels_ahead> timeline(Hw::spec, memory, {}, {Hw::spec});
  std::uint64_t ahead = 0;
  for (const auto& l : timeline.run(p.tasks)) ahead = std::max(ahead, l.done);
  if (ahead >= before) return each([](auto& c) { c.be_as_in_loadables(); });
  const auto kernels = timeline.take_chosen();
  std::size_t n = 0, all = 0;
  each([&](layer::convolution& c) {
    c.kernels_ahead = kernels[n++];
    if (c.kernels_ahead != 0) ++all;
  });
  if (all % 2 == 0 || plan::fetch_turn(p, Hw::spec) != nullptr) return;
  layer::convolution* last = nullptr;
  each([&](layer::convolution& c) {
    if (c.kernels_ahead != 0) last = &c;
  });
  last->kernels_ahead = 0;
}

}  // namespace nvdlac::schedule
