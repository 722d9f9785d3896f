// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/sdp/block.hpp>
#include <nvdlac/sim/sdp/layer.hpp>

namespace nvdlac::sim {

// One surface of a cube from first to last, its lines joined, where it lies in memory as far as it
// lies together there. Nothing may be written to it meanwhile.
class surface_reader {
 public:
  void begin(const cube& c, std::uint64_t surface) {
    ram_ = c.ram;
    base_ = c.base + surface * c.surface_stride;
    size_ = static_cast<std::size_t>(c.surface_bytes());
    first_ = last_ = 0;
    joined_ = c.line_stride != c.line_bytes() && c.height != 1;
    if (!joined_) return;
    if (copy_.size() < size_) copy_.resize(size_);
    read_surface(c, surface, std::span(copy_).first(size_));
    at_ = copy_.data(), last_ = size_;
  }

  // `n` bytes from byte `begin` of the surface on, which exists; those beyond the end are anything.
  const std::uint8_t* bytes(std::size_t begin, std::size_t n) {
    if (begin >= first_ && begin + n <= last_) return at_ + (begin - first_);
    if (!joined_) {
      const auto in_page = memory::page_size - (base_ + begin) % memory::page_size;
      const auto together = std::min<std::size_t>(in_page, size_ - begin);
      const auto* there = together < n ? nullptr : ram_->view(base_ + begin, together);
      if (there != nullptr) {
        at_ = there, first_ = begin, last_ = begin + together;
        return there;
      }
    }
    // At the border of a page, at the end, or never written.
    if (border_.size() < n) border_.resize(n);
    const auto to = std::span(border_).first(std::min(n, size_ - begin));
    if (joined_) std::copy_n(copy_.data() + begin, to.size(), to.begin());
    else ram_->read(base_ + begin, to);
    return border_.data();
  }

 private:
  const memory* ram_ = nullptr;
  std::uint64_t base_ = 0;
  const std::uint8_t* at_ = nullptr;          // bytes [first_, last_)
  std::size_t size_ = 0, first_ = 0, last_ = 0;
  bool joined_ = false;                       // from lines that lie apart, in `copy_`
  std::vector<std::uint8_t> copy_, border_;
};

// What SDP_RDMA fetches for one sub-unit, block by block.
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

  // The magnitude of the numbers in memory.
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
