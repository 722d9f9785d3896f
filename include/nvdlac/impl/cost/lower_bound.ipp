// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/lower_bound.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::cost {

namespace detail {

// Taps of a window along one dimension that meet elements, in all its positions.
NVDLAC_IMPL double real_taps(const net::sliding& s, std::int64_t size, std::int64_t positions) {
  std::int64_t taps = 0;
  for (std::int64_t at = 0; at < positions; ++at)
    for (std::int64_t k = 0; k < s.kernel; ++k) {
      const auto place = at * s.stride - s.before + k * s.dilation;
      taps += place >= 0 && place < size;
    }
  return static_cast<double>(taps);
}

// The share of the elements along one dimension that a window reads.
NVDLAC_IMPL double share_read(const net::sliding& s, std::int64_t size, std::int64_t positions) {
  return std::min(1.0, static_cast<double>(positions * s.kernel) / static_cast<double>(size));
}

// Adds up what the nodes of a network need.
class bound_sums {
 public:
  bound_sums(const quantised::graph& g, const hw::spec& s, std::int32_t pictures)
      : g_(g), s_(s), pictures_(pictures) {
    for (const auto n : g.order()) nvdlac::visit([&](const auto& op) { add(n, op); }, g[n].op);
    for (const auto n : g.outputs()) written_.insert(n);
    for (const auto& [n, share] : fetched_) {
      read_ += share * features(n);
      written_.insert(n);
    }
  }

  lower_bound on(const memory& m) const {
    double written = 0;
    for (const auto n : written_)
      if (is_computed(n)) written += features(n);
    // Atoms a cycle of both memories.
    constexpr std::uint64_t many = 1'000'000;
    double rate = many / static_cast<double>(bus(s_, m).cycles(many));
    if (m.cvsram.bytes != 0) rate += many / static_cast<double>(bus(s_, m, true).cycles(many));
    const auto atoms = std::max(read_ + weights_, written) / s_.memory_atom;
    return {.mac = whole(mac_), .output = whole(output_), .memory = whole(atoms / rate)};
  }

 private:
  using id = quantised::graph::id;
  using by_sdp = quantised::operators_of_sdp;
  using by_others = type_list<quantised::pool, quantised::average, quantised::lrn>;

  static std::uint64_t whole(double cycles) { return static_cast<std::uint64_t>(cycles); }

  // Bytes of a tensor of all pictures.
  double features(id n) const {
    return static_cast<double>(g_[n].shape.size() * hw::element_bytes(g_[n].precision)) *
           pictures_;
  }
  bool is_computed(id n) const {
    return nvdlac::visit([]<class Op>(const Op&) {
      return std::is_same_v<Op, quantised::convolution> || contains<Op, by_sdp> ||
             contains<Op, by_others>;
    }, g_[n].op);
  }

  void add(id n, const quantised::convolution& op) {
    const auto in = g_[g_.inputs(n)[0]].shape, out = g_[n].shape;
    const auto p = g_[n].precision;
    const double group = s_.kernel_group(p), channels = s_.mac_atomic_c;
    const double each = in.c / op.groups;  // channels of a kernel
    const double together = std::min<double>(group, op.kernels / op.groups);
    const auto rows = net::vertical(op.window), columns = net::horizontal(op.window);
    double taps = real_taps(rows, in.h, out.h) * real_taps(columns, in.w, out.w);
    if (op.winograd) taps *= 4.0 / 9;  // 16 products of 4 pixels, not 36
    const double products = taps * each * op.kernels * pictures_;
    const auto stripes = stripes_of(s_, p, false);
    const double taken = std::max(1.0, group / static_cast<double>(stripes.step));
    const double weights = each * op.kernels * op.window.kernel_h * op.window.kernel_w;
    mac_ += std::max(products / (channels * together), weights / (channels * taken));
    output_ += static_cast<double>(out.h) * out.w * pictures_ * op.kernels / group *
               static_cast<double>(delivery_of(s_, s_.kernel_group(p)));
    weights_ += bytes_of_weights(op, static_cast<double>(hw::element_bytes(p)));
    fetch(g_.inputs(n)[0],
          share_read(rows, in.h, out.h) * share_read(columns, in.w, out.w));
    if (g_.inputs(n).size() > 1) read(g_.inputs(n)[1]);
  }
  template <class Op>
  void add(id n, const Op&) {
    const auto handed_on = [&](id i) { return is_handed_on(i); };
    if constexpr (contains<Op, by_sdp>)
      if (std::ranges::none_of(g_.inputs(n), handed_on))  // else it may be of the same pass
        output_ += static_cast<double>(g_[n].shape.size()) * pictures_ /
                   static_cast<double>(elements_of_sdp(s_, false));
    if constexpr (contains<Op, by_sdp> || contains<Op, by_others>)
      for (const auto i : g_.inputs(n))
        if (!handed_on(i)) read(i);
  }

  // Compressed weights leave out zeros, and have a bit for each element.
  double bytes_of_weights(const quantised::convolution& op, double bytes) const {
    const auto all = static_cast<double>(op.weights_given());
    if (!s_.weight_compression) return all * bytes;
    const auto others = [](const auto& values) {
      return values.known() ? std::ranges::count_if(values, [](auto w) { return w != 0; }) : 0;
    };
    const auto kept = static_cast<double>(others(op.weights) + others(op.wide_weights));
    return std::min(all * bytes, kept * bytes + all / 8);
  }

  // Whether its only reader can take the result without memory.
  bool is_handed_on(id n) const {
    return g_.consumers(n).size() == 1 && !g_[n].output && is_computed(n);
  }
  // CDMA brings a share of a tensor into the CBUF, where several convolutions can read it. What is
  // only moved or joined is that of which it is made.
  void fetch(id n, double share) {
    const auto& op = g_[n].op;
    if (std::holds_alternative<quantised::reshape>(op)) return fetch(g_.inputs(n)[0], share);
    if (std::holds_alternative<quantised::concat>(op)) {
      for (const auto i : g_.inputs(n)) fetch(i, share);
      return;
    }
    if (std::holds_alternative<quantised::move>(op)) return;
    auto& most = fetched_[n];
    most = std::max(most, share);
  }
  // SDP, PDP or CDP reads all of a tensor.
  void read(id n) {
    const auto& op = g_[n].op;
    if (std::holds_alternative<quantised::reshape>(op)) return read(g_.inputs(n)[0]);
    if (std::holds_alternative<quantised::concat>(op)) {
      for (const auto i : g_.inputs(n)) read(i);
      return;
    }
    if (std::holds_alternative<quantised::move>(op)) return;
    read_ += features(n);
    written_.insert(n);
  }

  const quantised::graph& g_;
  const hw::spec& s_;
  std::int32_t pictures_;
  double mac_ = 0, output_ = 0, weights_ = 0, read_ = 0;
  std::map<id, double> fetched_{};  // tensors, and which share of them
  std::set<id> written_{};
};

}  // namespace detail

NVDLAC_IMPL lower_bound lower_bound_of(const quantised::graph& g, const hw::spec& s,
                                       const memory& m, std::int32_t pictures) {
  return detail::bound_sums(g, s, pictures).on(m);
}

}  // namespace nvdlac::cost
