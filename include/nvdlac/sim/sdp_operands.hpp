// SPDX-License-Identifier: Apache-2.0
#pragma once
// What SDP_RDMA fetches for one sub-unit, block by block.
#include <vector>

#include <nvdlac/sim/sdp_integer_block.hpp>
#include <nvdlac/sim/sdp_layer.hpp>
#include <nvdlac/sim/surface_reader.hpp>

namespace nvdlac::sim {

// Operands of one surface: of each lane, or of each element.
class sdp_operand_reader {
 public:
  void begin(const sdp_operands& o, std::size_t surface, std::size_t lanes) {
    operands_ = &o;
    if (!o.alu && !o.mul) return;
    if (o.per_element) return surface_.begin(o.source, surface);
    const auto pixel = lanes * o.bytes * pair();
    raw_.resize(block_bytes());
    read_surface(o.source, surface, std::span(raw_).first(pixel));
    for (auto have = pixel; have < raw_.size(); have *= 2)
      std::copy_n(raw_.data(), have, raw_.data() + have);
  }

  // Of the numbers in memory.
  sdp_magnitude magnitude() const { return sdp_magnitude{1} << (8 * operands_->bytes - 1); }

  bool alu_per_element() const { return operands_->alu && operands_->per_element; }
  bool mul_per_element() const { return operands_->mul && operands_->per_element; }

  // Those of the block that begins at an element of the surface.
  void alu(std::size_t at, sdp_integers& to) { fetch(at, 0, to); }
  void mul(std::size_t at, sdp_integers& to) { fetch(at, pair() - 1, to); }

 private:
  std::size_t pair() const { return operands_->alu && operands_->mul ? 2 : 1; }

  std::size_t block_bytes() const { return sdp_block * operands_->bytes * pair(); }

  void fetch(std::size_t at, std::size_t which, sdp_integers& to) {
    const auto& o = *operands_;
    const auto* from = o.per_element ? surface_.bytes(at * o.bytes * pair(), block_bytes())
                                     : raw_.data();
    const auto widen = o.bytes == 1
                           ? pair() == 1 ? widen_block<std::int8_t, 1>
                                         : widen_block<std::int8_t, 2>
                           : (pair() == 1 ? widen_block<std::int16_t, 1>
                                          : widen_block<std::int16_t, 2>);
    widen(from, which, to);
  }

  const sdp_operands* operands_ = nullptr;
  surface_reader surface_;
  std::vector<std::uint8_t> raw_;  // of a block, of operands for each lane
};

}  // namespace nvdlac::sim
