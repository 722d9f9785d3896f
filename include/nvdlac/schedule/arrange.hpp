// SPDX-License-Identifier: Apache-2.0
#pragma once
// From what a schedule decides, by numbers, to its hardware layers.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/estimate.hpp>
#include <nvdlac/schedule/order.hpp>
#include <nvdlac/schedule/tiles.hpp>

namespace nvdlac::schedule {

// A stage as a policy sees it, see choices.hpp.
struct stage {
  std::string name{};
  std::int32_t rows = 0;  // of the result of a convolution that may be cut; else 0
  std::int32_t step = 1;  // with multiples of it tiles begin
  bool host = false;      // the host computes it
  std::size_t first = 0, count = 0;  // of the layers
};

}  // namespace nvdlac::schedule

namespace nvdlac::schedule::detail {

// A stage, or the tile of it that begins with that row.
struct piece_key {
  std::size_t stage = 0;
  std::int32_t row = 0;

  auto operator<=>(const piece_key&) const = default;
};

// The decisions of `choices`, by numbers in place of names.
struct decisions {
  bool compressed = false, beside = false, kept = false;
  std::vector<std::vector<std::int32_t>> cuts{};  // by stage
  std::set<piece_key> apart{};
  std::vector<piece_key> order{};  // of the hardware; empty: in the order of the network
  std::set<std::int32_t> cvsram{};  // buffers that stand there

  bool operator==(const decisions&) const = default;
};

struct piece {
  piece_key key{};
  std::size_t first = 0, count = 0;  // of the layers
  bool host = false;
};

// Layers in their order, and of which pieces they are.
struct arrangement {
  std::vector<layer::layer> layers{};
  std::vector<piece> pieces{};
  bool keeps = false;  // something in the CBUF for the next convolution
};

class arranger {
 public:
  // The layers stay where they are.
  arranger(const hw::spec& hw, const plan::lowered& l, const cost::memory& memory);

  const hw::spec& hw() const { return hw_; }
  const cost::memory& memory() const { return memory_; }
  const std::vector<stage>& stages() const { return stages_; }
  // The buffers that may stand in the secondary memory, with their bytes and those that the layers
  // move.
  const std::vector<std::int32_t>& movable() const { return movable_; }
  std::uint64_t size_of(std::int32_t b) const { return buffers_[static_cast<std::size_t>(b)].size; }
  bool is_weights(std::int32_t b) const {
    return buffers_[static_cast<std::size_t>(b)].memory == plan::memory::weights;
  }
  std::uint64_t moved(std::int32_t b) const { return moved_[static_cast<std::size_t>(b)]; }

  // The layers as they are.
  decisions plain() const;
  // Why a stage has no such tiles; null: it has.
  const char* why_no_tiles(std::size_t stage, std::span<const std::int32_t> rows) const;
  // Its tiles, in the order of the network.
  arrangement cut(const decisions& d) const;
  // With all that is decided.
  arrangement arranged(const decisions& d) const;
  schedule::estimate estimate(const arrangement& a, bool beside) const {
    return estimated(hw_, a.layers, buffers_, beside ? 1 : 0, memory_);
  }

  // With an order of all pieces in which none stands before what it needs.
  decisions resolved(decisions d) const;
  // In the order in which the engines take the pieces early.
  decisions early(decisions d) const;
  // In the order in which the results of the pieces are needed; without an order where that is the
  // one of the network, or where one is decided.
  decisions by_need(decisions d) const;
  // A piece before another one, as far as what it needs allows.
  decisions moved(decisions d, piece_key piece, piece_key before) const;
  // Where the rule of `tiling` cuts, from the stage `first` on until before `last`, of which the
  // first may be `given`; the others are as they were.
  decisions tiled(decisions d, const tile_rule& how, std::size_t first = 0,
                  std::size_t last = ~std::size_t{0},
                  const std::vector<std::int32_t>* given = nullptr) const;

 private:
  // Finds the weights and features that no layer of the host touches, which does not reach CVSRAM.
  void find_movable(const plan::lowered& l);
  static bool is_convolution(std::span<const layer::layer> stage) {
    return convolution_stage::length(stage) == stage.size();
  }
  std::span<const layer::layer> layers_of(const stage& s) const {
    return layers_.subspan(s.first, s.count);
  }

  // The numbers of the pieces in an order; that of a hardware task is
  // `of_task(number of its first piece, its stages)`.
  template <class OfTask>
  std::vector<std::size_t> order_by(const arrangement& a, const OfTask& of_task) const {
    std::vector<std::size_t> order;
    order.reserve(a.pieces.size());
    for (const auto& t : views_of(a.layers)) {
      const auto first = order.size();
      if (t.host) {
        order.push_back(first);
        continue;
      }
      const stage_list stages(t, buffers_);
      for (const auto n : of_task(first, stages)) order.push_back(first + n);
    }
    return order;
  }
  // In the order that is decided, as far as what the pieces need allows. Tiles that it does not
  // know stand where their stage was.
  std::vector<std::size_t> positions(const arrangement& a, const decisions& d) const;
  static std::vector<piece_key> keys_of(const arrangement& a, std::span<const std::size_t> order);
  static arrangement permuted(const arrangement& a, std::span<const std::size_t> order);

  hw::spec hw_;
  cost::memory memory_;
  std::span<const layer::layer> layers_;
  std::vector<plan::buffer> buffers_;
  std::vector<std::int32_t> movable_{};
  std::vector<std::uint64_t> moved_{};  // by buffer
  std::vector<stage> stages_{};
  std::vector<std::size_t> ends_{};  // by stage: where the layers of its task end
};

}  // namespace nvdlac::schedule::detail

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/arrange.ipp>
#endif
