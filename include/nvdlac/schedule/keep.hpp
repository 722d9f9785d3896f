// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data and weights that stay in the CBUF for the next convolution, and kernels that come ahead
// of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/data_ring.hpp>
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
    data_ = data;
    weights_ = weights;
    masks_ = masks;
    is_overwritten_ = false;
    all_.push_back(&c);
    return true;
  }
  // Notes the cube that a layer behind the last one writes.
  constexpr void written(const layer::surface& s) {
    if (all_.empty()) return;
    const auto& read = all_.back()->input;
    if (s.at.buffer == read.at.buffer && s.at.offset < read.at.offset + read.size &&
        read.at.offset < s.at.offset + s.size)
      is_overwritten_ = true;
  }
  // Whether there are several.
  constexpr bool finish() {
    for (auto* const c : all_) {
      c->data_banks = data_;
      c->weight_banks = weights_;
    }
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
  const auto next = [&] {
    found = now.finish() || found;
    now = detail::sharing(hw);
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto* const c = std::get_if<layer::convolution>(&layers[i].what);
    if (c != nullptr && is_apart(i)) next();
    if (c != nullptr && !now.take(*c)) {
      next();
      now.take(*c);
    }
    layer::for_each_write(layers[i].what, [&](const layer::surface& s) { now.written(s); });
  }
  next();
  return found;
}
constexpr bool keep(const hw::spec& hw, std::span<layer::layer> layers) {
  return keep(hw, layers, [](std::size_t) { return false; });
}

namespace detail {

// In programs that write registers, the convolutions of a task divide the CBUF as their neighbours.
constexpr void divide_alike(const hw::spec& hw, plan::task& t) {
  plan::weights_ahead alike(t);
  alike.divide_alike(hw);
  std::size_t n = 0;
  plan::each_convolution_of(t, [&](layer::convolution& c) {
    const auto& now = alike.all()[n++];
    if (now.data_banks == c.data_banks && now.weight_banks == c.weight_banks) return;
    c.register_data_banks = now.data_banks;
    c.register_weight_banks = now.weight_banks;
  });
}

// Where CDMA has an odd number of operations of its own, and no turn for another one, the last of
// them is left out.
constexpr void make_even(const hw::spec& hw, plan::program_data& p) {
  if (const auto own = plan::own_fetches_of(p, hw); own.count % 2 == 0 || own.turn) return;
  for (auto t = p.tasks.rbegin(); t != p.tasks.rend(); ++t) {
    std::vector<layer::convolution*> all;
    plan::each_convolution_of(*t, [&](layer::convolution& c) { all.push_back(&c); });
    const auto brought = plan::brought_ahead(*t);
    for (auto n = all.size(); n-- > 0;) {
      if (brought[n].empty()) continue;
      all[n]->layers_ahead = all[n]->kernels_ahead = 0;
      if (brought[n].size() > 1) {
        const auto& k = brought[n][brought[n].size() - 2];
        all[n]->layers_ahead = static_cast<std::uint16_t>(k.of - n);
        all[n]->kernels_ahead = static_cast<std::uint16_t>(k.first + k.count);
      }
      return;
    }
  }
}

}  // namespace detail

// Lets weights come ahead in a program, wherever that takes fewer predicted cycles, unless the
// memory is one for which none do. Loadables cannot say it, and stay what they are.
constexpr void bring_ahead(const hw::spec& hw, const cost::memory& memory,
                           plan::program_data& p) {
  if (memory.weights_ahead == cost::kernels_ahead::none) return;
  using ahead = cost::detail::timeline::ahead;
  auto as_named = memory;  // of what the program says, whatever a search would assume of it
  as_named.weights_ahead = cost::kernels_ahead::as_named;
  const auto cycles = [&] { return cost::cycles(p.tasks, hw, as_named).totals.cycles; };
  const auto choose = [&](const std::vector<ahead>& of_each) {
    std::size_t n = 0;
    plan::each_convolution(p, [&](layer::convolution& c) {
      c.layers_ahead = of_each[n].layers;
      c.kernels_ahead = of_each[n].kernels;
      ++n;
    });
  };
  auto least = cycles();
  for (auto& t : p.tasks) detail::divide_alike(hw, t);
  std::vector<ahead> best;
  for (const std::int64_t slack : {0, 64, 128, 256, 512}) {
    cost::detail::timeline timeline(hw, memory, {}, {{slack}});
    (void)timeline.run(p.tasks);
    choose(timeline.take_chosen());
    detail::make_even(hw, p);
    const auto now = cycles();
    if (now >= least) continue;
    least = now;
    best.clear();
    plan::each_convolution(p, [&](const layer::convolution& c) {
      best.push_back({c.layers_ahead, c.kernels_ahead});
    });
  }
  if (!best.empty()) choose(best);
  // Where the ring of data banks would not begin where it does in loadables, nothing comes ahead.
  if (best.empty() || !plan::reads_lines_right(hw, p, true))
    plan::each_convolution(p, [](auto& c) { c.be_as_in_loadables(); });
}

}  // namespace nvdlac::schedule
