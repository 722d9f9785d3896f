// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of what stays in the CBUF and of kernels that come ahead.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// CBUF contents that a convolution reuses must have been left there by the one before it, and be
// where they were: weights go when any of the bank numbers changes, data when its own does. They
// must all have been there, and data be what memory holds still, padded as before.
constexpr void check_reuse(const task& t, const hw::spec& hw, diagnostics& found) {
  const layer::convolution* before = nullptr;
  bool is_overwritten = false;
  for (const auto& op : t.operations) {
    if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) {
      const auto report = [&](const char* what) {
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses ", what, " that are not in the CBUF")});
      };
      if (c->data_reuse && !(before && before->skip_data_release && before->input == c->input &&
                             before->winograd == c->winograd &&
                             before->data_banks == c->data_banks))
        report("data");
      if (c->weight_reuse &&
          !(before && before->skip_weight_release && before->weights == c->weights &&
            before->mask == c->mask && before->winograd == c->winograd &&
            before->weight_banks == c->weight_banks && before->data_banks == c->data_banks))
        report("weights");
      if (c->weight_reuse && (c->weights.size > c->weight_banks * hw.cbuf_bank().n ||
                              c->mask.size > hw.cbuf_bank().n))
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses weights that do not fit ", int{c->weight_banks},
                                  " banks")});
      if (c->data_reuse && before != nullptr) {
        const auto &v = before->window, &w = c->window;
        if (std::tie(v.pad_top, v.pad_left, v.pad_bottom, v.pad_right) !=
            std::tie(w.pad_top, w.pad_left, w.pad_bottom, w.pad_right))
          found.add({.layer = op.layer.name,
                     .reason = "CONV: it reuses data that were padded otherwise"});
        if (is_overwritten)
          found.add({.layer = op.layer.name,
                     .reason = "CONV: it reuses data that have been overwritten in memory"});
      }
      before = c;
      is_overwritten = false;
    }
    layer::for_each_write(op.layer.what, [&](const layer::surface& s) {
      if (before == nullptr || s.at.buffer != before->input.at.buffer) return;
      const auto begin = s.at.offset, end = begin + s.size;
      const auto& read = before->input;
      is_overwritten = is_overwritten || (begin < read.at.offset + read.size &&
                                          read.at.offset < end);
    });
  }
}

// Kernels that come ahead are brought by operations of CDMA alone, behind that of an earlier
// convolution of the task, which has the same banks, as all between have; in the order of the
// convolutions, as CSC takes them. They must be whole entries of the CBUF, and have room in its
// banks beside those that are there for later convolutions and those that the next one reuses, else
// CDMA waits for ever, as the data of the next convolution come behind them.
class ahead_checker {
 public:
  constexpr ahead_checker(const task& t, const hw::spec& hw, diagnostics& found)
      : hw_(hw), found_(found) {
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
        all_.push_back({&op.layer, c});
  }
  constexpr void run() {
    for (std::size_t n = 0; n < all_.size(); ++n)
      if (all_[n].what->layers_ahead != 0) behind(n);
  }

 private:
  struct one {
    const layer::layer* layer;
    const layer::convolution* what;
    std::int32_t there = 0;  // of its kernels
  };

  constexpr void behind(std::size_t n) {
    const auto& c = *all_[n].what;
    const auto expect = [&](bool holds, const char* reason) {
      if (!holds)
        found_.add({.layer = all_[n].layer->name,
                    .reason = text("CONV: kernels come ahead behind it ", reason)});
      return holds;
    };
    const auto last = n + c.layers_ahead;
    if (!expect(last < all_.size(), "for no convolution of its task")) return;
    const std::int32_t kernels = c.kernels_ahead;
    const auto& to = *all_[last].what;
    expect(kernels > all_[last].there, "that are there, or none");
    expect(kernels <= to.output.c, "that their layer does not have");
    expect(!to.weight_reuse, "for one that reuses those of the layer before");
    expect(kernels == to.output.c ||
               bytes_of(to, kernels) % hw::weight_unit(hw_).n == 0,
           "that are no whole entries of the CBUF");
    for (auto i = n + 1; i <= last; ++i) {
      const auto& next = *all_[i].what;
      expect(next.data_banks == c.data_banks && next.weight_banks == c.weight_banks,
             "to other banks than its own");
      expect(next.precision == c.precision, "in another precision than its own");
      expect(!next.winograd && !c.winograd && next.mask.size == 0 && c.mask.size == 0,
             "in Winograd's mode, or compressed");
      all_[i].there = i == last ? std::min(kernels, to.output.c) : next.output.c;
    }
    furthest_ = std::max(furthest_, last);
    auto bytes = c.skip_weight_release ? c.weights.size : 0;
    for (auto i = n + 1; i <= furthest_; ++i)
      if (!all_[i].what->weight_reuse) bytes += bytes_of(*all_[i].what, all_[i].there);
    expect(bytes <= c.weight_banks * hw_.cbuf_bank().n, "that do not fit their banks");
  }
  static constexpr std::uint64_t bytes_of(const layer::convolution& c, std::int32_t kernels) {
    return kernels == c.output.c ? c.weights.size
                                 : c.bytes_per_kernel() * static_cast<std::uint64_t>(kernels);
  }

  hw::spec hw_;
  diagnostics& found_;
  std::vector<one> all_{};
  std::size_t furthest_ = 0;  // of whose kernels some are there
};

}  // namespace nvdlac::plan::checker
