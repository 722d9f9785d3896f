// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/cube.hpp>

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

}  // namespace nvdlac::sim
