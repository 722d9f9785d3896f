// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// Slices that one operation of CDMA wrote and CSC has not released.
struct input_block {
  cdma_layer layer{};                 // as CDMA was told
  std::vector<cbuf_input> batches{};  // the lines that are left
  std::uint32_t lines = 0;            // of each batch; of Winograd's extended input
  bool begun = false;                 // CSC computed with it
  std::uint64_t fetch = 0;            // the operation, where its timing is looked at (in_flight)

  static constexpr std::string_view parts = "slices";
  std::uint32_t count() const { return lines; }
  bool keeps() const { return layer.keep_data; }
  std::uint64_t entries() const {
    return std::uint64_t{lines} * layer.entries * layer.batches;
  }
};

// Weights that one operation of CDMA wrote and CSC has not released.
struct weight_block {
  cdma_layer layer{};                 // as CDMA was told
  std::vector<std::uint8_t> bytes{};  // that are left, not compressed
  std::uint64_t entries = 0;          // that are left
  std::uint32_t kernels = 0;          // that are left
  std::uint64_t fetch = 0;            // the operation, where its timing is looked at (in_flight)

  static constexpr std::string_view parts = "kernels";
  std::uint32_t count() const { return kernels; }
  bool keeps() const { return layer.keep_weights; }
};

// The blocks of one ring, in the order in which CDMA brought them.
template <class Block>
class cbuf_ring {
 public:
  bool empty() const { return blocks_.empty(); }
  Block& front() { return blocks_.front(); }
  const Block& front() const { return blocks_.front(); }
  Block& back() { return blocks_.back(); }
  const Block& back() const { return blocks_.back(); }

  std::uint32_t count() const { return sum<std::uint32_t>(&Block::count); }
  std::uint64_t entries() const { return sum<std::uint64_t>(&Block::entries); }

  // A block with the memory of one before, to be pushed.
  Block fresh() { return std::move(spare_); }
  void push(Block b) { blocks_.push_back(std::move(b)); }
  void drop() {
    spare_ = std::move(blocks_.front());
    blocks_.pop_front();
  }
  void clear() {
    while (!empty()) drop();
  }

  // Makes one block of those that hold the first `n` slices or kernels: append(block, the next).
  template <class Append>
  void join(std::uint32_t n, const Append& append) {
    while (front().count() < n) {
      append(blocks_[0], blocks_[1]);
      spare_ = std::move(blocks_[1]);
      blocks_.erase(blocks_.begin() + 1);
    }
  }

 private:
  template <class T, class Member>
  T sum(Member of) const {
    return std::transform_reduce(blocks_.begin(), blocks_.end(), T{}, std::plus{},
                                 [of](const Block& b) -> T { return std::invoke(of, b); });
  }

  std::deque<Block> blocks_{};
  Block spare_{};
};

struct cbuf_division {
  std::uint32_t data = 0, weights = 0;  // banks
  bool operator==(const cbuf_division&) const = default;
};

enum class cbuf_mode : std::uint8_t { none, direct, image, winograd };

constexpr cbuf_mode mode_of(bool pixel, bool winograd) {
  return winograd ? cbuf_mode::winograd : pixel ? cbuf_mode::image : cbuf_mode::direct;
}

// Whether the configuration computes in elements of two bytes.
template <hw::hardware Hw>
inline constexpr bool has_16_bits = Hw::spec.data_types.int16 || Hw::spec.data_types.fp16;

template <hw::hardware Hw>
class cbuf {
 public:
  cbuf_ring<input_block> data{};
  cbuf_ring<weight_block> weights{};
  // State that CDMA and CSC remember of their operations before. CSC releases the `kept` slices and
  // entries when its next layer does not reuse them.
  struct {
    cbuf_division banks{};
    cbuf_mode mode{};
    bool keep_data = false, keep_weights = false;
  } cdma{};
  struct {
    cbuf_division banks{};
    cbuf_mode mode{};
    std::uint32_t kept_slices = 0;
    bool keep_weights = false;
    std::uint64_t kept_entries = 0;
    std::uint32_t kept_kernels = 0;
  } csc{};
  // The entry of the data banks where the front of the data begins.
  std::uint64_t begin_of_data = 0;
  // Entries of weights that nobody will release. CDMA waits for their release until the chip's
  // reset: it counts what it wrote less what CSC released, and stops at the size of its banks.
  std::uint64_t lost = 0;

  // Weights are counted in the unit of WEIGHT_BYTES, which is one entry of every published
  // configuration.
  static std::uint64_t entries_of(std::uint64_t bytes) {
    return align_up(bytes, hw::weight_unit(Hw::spec).n) / Hw::spec.cbuf_entry;
  }
  static std::uint64_t room(std::uint32_t banks) {
    return std::uint64_t{banks} * Hw::spec.cbuf_entries_per_bank;
  }

  void release_slices(std::uint32_t n) {
    while (n > 0 && !data.empty()) {
      auto& b = data.front();
      const auto taken = std::min(n, b.lines);
      n -= taken;
      begin_of_data = (begin_of_data + b.entries() / b.lines * taken) % room(csc.banks.data);
      if (taken == b.lines) {
        data.drop();
        continue;
      }
      for (auto& batch : b.batches) {
        erase_lines(batch.data, taken, b.lines);
        if constexpr (has_16_bits<Hw>) erase_lines(batch.data16, taken, b.lines);
      }
      b.lines -= taken;
    }
  }

  // So many kernels at the front, and the entries that CSC counted.
  void release_weights(std::uint64_t entries, std::uint32_t kernels) {
    auto& b = weights.front();
    const auto bytes = std::min<std::uint64_t>(entries * Hw::spec.cbuf_entry, b.bytes.size());
    b.entries -= entries;
    b.kernels -= kernels;
    if (b.entries == 0 && b.kernels == 0) return weights.drop();
    if (b.kernels != 0)
      b.bytes.erase(b.bytes.begin(), b.bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
  }

  // Releases what CSC's layer before kept for one that does not reuse it; not where the counts
  // are wrong.
  void release_kept_weights() {
    if (!csc.keep_weights || weights.empty() || csc.kept_kernels != weights.front().kernels ||
        csc.kept_entries > weights.front().entries)
      return;
    csc.keep_weights = false;
    release_weights(csc.kept_entries, csc.kept_kernels);
  }

  // Before CSC goes on, with the same banks or with others: nobody releases what finished layers
  // left of their weights. With the same banks CSC stays behind CDMA by it, with others both begin
  // anew, but CDMA counts on.
  void check_left(tolerance& rules, bool same_banks) const {
    if (weights.empty()) return;
    const auto& b = weights.front();
    if (b.kernels != 0 && (same_banks || Hw::spec.map == hw::register_map::full)) return;
    const auto rule = [&](const char* then) {
      return text(b.entries, " of the ", entries_of(b.layer.weight_bytes),
                  " CBUF entries of the convolution before are never released, because its ",
                  b.layer.kernels, " kernels of ", b.layer.kernel_bytes, " bytes take ",
                  entries_of(b.layer.weight_bytes) - b.entries, ": ", then);
    };
    require(!same_banks, "CDMA.D_WEIGHT_BYTES",
            rule("CSC reads its next weights from there, behind CDMA"));
    if (Hw::spec.map == hw::register_map::small)
      rules.holds(false, "CDMA.D_WEIGHT_BYTES",
                  rule("CDMA counts them until reset and waits for ever some day"));
  }

  // CDMA and CSC return to the first entry. What CSC did not release is gone, but where CDMA counts
  // its entries (the maps after v1) it goes on to count them.
  void divide(cbuf_division banks) {
    if (banks.data != csc.banks.data) {
      data.clear();
      csc.kept_slices = 0;
      begin_of_data = 0;
    }
    if (Hw::spec.map == hw::register_map::small) lost += weights.entries();
    weights.clear();
    cdma.banks = csc.banks = banks;
  }

  // Joins what CDMA brought for one layer in two operations into one block: kept slices or kernels
  // and those behind them.
  static void append(input_block& a, const input_block& b) {
    require(a.layer.pixel == b.layer.pixel && a.layer.precision == b.layer.precision &&
                a.layer.width == b.layer.width && a.layer.channels == b.layer.channels &&
                a.layer.entries == b.layer.entries && a.layer.batches == b.layer.batches &&
                !a.layer.winograd && !b.layer.winograd &&
                (!a.layer.pixel || (a.layer.pad_left == b.layer.pad_left &&
                                    a.layer.pad_right == b.layer.pad_right)),
            "CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH",
            "the lines behind those that the layer before left are of another shape");
    for (std::size_t i = 0; i < a.batches.size(); ++i) {
      append(a.batches[i].data, b.batches[i].data);
      if constexpr (has_16_bits<Hw>) append(a.batches[i].data16, b.batches[i].data16);
    }
    a.layer = b.layer;
    a.lines += b.lines;
    a.fetch = b.fetch;
  }
  static void append(weight_block& a, const weight_block& b) {
    require(a.layer.precision == b.layer.precision &&
                a.layer.kernel_bytes == b.layer.kernel_bytes && !a.layer.compressed &&
                !b.layer.compressed,
            "CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL",
            "the kernels of one layer are brought in different forms");
    a.bytes.resize(in_memory(a.entries * Hw::spec.cbuf_entry));
    append(a.bytes, b.bytes);
    const auto bytes = a.layer.weight_bytes + b.layer.weight_bytes;
    a.kernels += b.kernels;
    a.entries += b.entries;
    a.fetch = b.fetch;
    a.layer = b.layer;
    a.layer.kernels = a.kernels;
    a.layer.weight_bytes = bytes;
  }

 private:
  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  template <class T>
  static void erase_lines(std::vector<T>& v, std::uint32_t n, std::uint32_t of) {
    v.erase(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / of * n));
  }
};

}  // namespace nvdlac::sim
