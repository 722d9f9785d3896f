// SPDX-License-Identifier: Apache-2.0
// Made by tools/amalgamate.py from include/nvdlac; changes belong there.
#pragma once
// Everything. A translation unit that needs one room includes that room's headers instead.
#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nvdlac {

// One thing wrong with the user's input: where, why, and what to do about it.
struct problem {
  std::string file = {};    // as the user named it; empty if none
  std::size_t line = 0;     // 1-based line of a text file; 0 if unknown
  std::string layer = {};   // layer, node or tensor; empty if none
  std::string reason = {};  // one sentence without a full stop
  std::string remedy = {};  // what is supported or what to change; may be empty
};

// "lenet.prototxt:12: layer 'conv1': reason (remedy)"
inline std::string to_string(const problem& p) {
  std::string s = p.file;
  if (p.line != 0) s += ":" + std::to_string(p.line);
  if (!s.empty()) s += ": ";
  if (!p.layer.empty()) s += "layer '" + p.layer + "': ";
  s += p.reason;
  if (!p.remedy.empty()) s += " (" + p.remedy + ")";
  return s;
}

// The one exception of nvdlac: the user's input cannot be processed, for these reasons.
// Whatever else is thrown is a defect of nvdlac itself.
class error : public std::exception {
 public:
  explicit error(std::vector<problem> ps) : problems_(std::move(ps)) {
    for (const auto& p : problems_) text_ += (text_.empty() ? "" : "\n") + to_string(p);
  }
  explicit error(problem p) : error(std::vector{std::move(p)}) {}
  explicit error(std::string reason) : error(problem{.reason = std::move(reason)}) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<problem> problems_;
  std::string text_;
};

// Collects all problems of one input; `check()` throws them together.
class diagnostics {
 public:
  void add(problem p) { problems_.push_back(std::move(p)); }
  bool empty() const { return problems_.empty(); }
  const std::vector<problem>& problems() const { return problems_; }
  void check() const {
    if (!problems_.empty()) throw error(problems_);
  }

 private:
  std::vector<problem> problems_;
};

// text("kernel ", 3, " is too high"): the arguments printed one behind the other.
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace nvdlac
// NVDLA's fixed-point arithmetic, defined once for the integer reference, the quantiser and the
// simulator: every integer shift rounds half away from zero, then saturates.
#include <cstdint>

namespace nvdlac {

// x clamped to a signed number of `Bits` bits.
template <int Bits>
constexpr std::int64_t saturate(std::int64_t x) {
  constexpr std::int64_t top = (std::int64_t{1} << (Bits - 1)) - 1;
  return x > top ? top : x < -top - 1 ? -top - 1 : x;
}

// x / 2^shift rounded half away from zero; |x| < 2^62, 0 <= shift.
constexpr std::int64_t round_shift(std::int64_t x, int shift) {
  if (shift <= 0) return x;
  if (shift > 62) return 0;
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return x >= 0 ? (x + half) >> shift : -((-x + half) >> shift);
}

// (x - offset) * scale / 2^shift: CDMA's input and SDP's output converter, saturated to 17 bits.
struct converter {
  std::int32_t offset = 0;
  std::int16_t scale = 1;
  std::uint8_t shift = 0;

  constexpr bool operator==(const converter&) const = default;
  constexpr std::int32_t operator()(std::int64_t x) const {
    return static_cast<std::int32_t>(saturate<17>(round_shift((x - offset) * scale, shift)));
  }
};

}  // namespace nvdlac
#include <concepts>
#include <cstdint>

#include <compare>
#include <cstdint>

namespace nvdlac {

// A count of one kind of thing. Counts of different things do not mix; `.n` is the only way out.
template <class Thing>
struct count {
  std::uint64_t n = 0;

  constexpr auto operator<=>(const count&) const = default;
  friend constexpr count operator+(count a, count b) { return {a.n + b.n}; }
  friend constexpr count operator-(count a, count b) { return {a.n - b.n}; }
  friend constexpr count operator*(count a, std::uint64_t times) { return {a.n * times}; }
  friend constexpr count round_up(count a, count to) { return {(a.n + to.n - 1) / to.n * to.n}; }
};

using bytes = count<struct byte_tag>;
using atoms = count<struct atom_tag>;
using entries = count<struct entry_tag>;  // CBUF entries
using banks = count<struct bank_tag>;     // CBUF banks

// ceil(a / b) for counts of plain integers.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t align_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

}  // namespace nvdlac

namespace nvdlac::hw {

enum class precision : std::uint8_t { int8, int16, fp16 };  // the codes of the registers
enum class register_map : std::uint8_t { small, full };     // full: v1, of nv_full only

// A set of precisions: {.int8 = true} is what every configuration but nv_full has.
struct precisions {
  bool int8 = true, int16 = false, fp16 = false;

  constexpr bool has(precision p) const {
    return p == precision::int8 ? int8 : p == precision::int16 ? int16 : fp16;
  }
  constexpr bool operator==(const precisions&) const = default;
};

// A memory interface; width_bits 0: the configuration does not have it.
struct memory_interface {
  std::uint32_t width_bits = 0;
  std::uint32_t burst = 0;    // in memory words
  std::uint32_t latency = 0;  // cycles
  constexpr bool operator==(const memory_interface&) const = default;
};

// What an SoC team chooses when it configures NVDLA. Names follow the hardware's own spec files.
struct spec {
  precisions data_types{};
  std::uint32_t mac_atomic_c = 8;            // channels a MAC cell takes at once
  std::uint32_t mac_atomic_k = 8;            // kernels computed at once (int8): the kernel group
  std::uint32_t memory_atom = 8;             // bytes
  std::uint32_t cbuf_banks = 32;
  std::uint32_t cbuf_entry = 8;              // bytes
  std::uint32_t cbuf_entries_per_bank = 512;
  std::uint32_t sdp_bs_bn_throughput = 1;
  std::uint32_t sdp_ew_throughput = 0;       // 0: no EW (Y) unit
  bool sdp_lut = false;
  std::uint32_t pdp_throughput = 1;          // 0: no PDP
  std::uint32_t cdp_throughput = 1;          // 0: no CDP
  bool weight_compression = false;
  bool winograd = false;
  bool batch = false;
  bool bdma = false;
  bool rubik = false;
  memory_interface dram{64, 1, 64};
  memory_interface sram{};                   // secondary memory (CVSRAM)
  std::uint32_t address_bits = 32;
  register_map map = register_map::small;

  constexpr bool operator==(const spec&) const = default;

  constexpr bytes atom() const { return {memory_atom}; }
  constexpr bytes cbuf_bank() const { return {std::uint64_t{cbuf_entry} * cbuf_entries_per_bank}; }
  constexpr bytes cbuf() const { return cbuf_bank() * cbuf_banks; }
  constexpr bool has_pdp() const { return pdp_throughput != 0; }
  constexpr bool has_cdp() const { return cdp_throughput != 0; }
  constexpr bool has_ew() const { return sdp_ew_throughput != 0; }
  constexpr bool has_sram() const { return sram.width_bits != 0; }
  // Kernels of one group: int16 and fp16 use two MAC cells for one kernel.
  constexpr std::uint32_t kernel_group(precision p = precision::int8) const {
    return p == precision::int8 ? mac_atomic_k : mac_atomic_k / 2;
  }
};

// A configuration: a named struct with one value `static constexpr hw::spec spec`.
template <class T>
concept hardware = requires {
  { T::spec } -> std::convertible_to<const spec&>;
};

}  // namespace nvdlac::hw
#include <string_view>

namespace nvdlac {

// The name of T as the compiler prints it, without its namespaces: "nv_small".
template <class T>
constexpr std::string_view type_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s.remove_prefix(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  const auto colon = s.rfind("::");
  return colon == std::string_view::npos ? s : s.substr(colon + 2);
}

}  // namespace nvdlac
