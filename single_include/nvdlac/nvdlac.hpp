// SPDX-License-Identifier: Apache-2.0
// Made by tools/amalgamate.py from include/nvdlac; changes belong there.
#pragma once
// Everything. A translation unit that needs one room includes that room's headers instead.
#include <functional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

constexpr std::uint32_t element_bytes(precision p) { return p == precision::int8 ? 1 : 2; }

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
#include <variant>
#include <vector>

// The one predicate that decides what runs where: it feeds the static assertions of `net::network`,
// the diagnostics of the compiler and the generated tables.
#include <algorithm>
#include <numeric>
#include <span>

// What the register fields can express, derived from their widths, and the few limits that are
// narrower than their field. Counts are those of the user, not the stored value minus one.
// The registers of both maps by address and by the name UNIT.REGISTER.FIELD.
//   while compiling: address<map, "CDMA.D_BANK">, field_of<map, "CDMA.D_BANK.DATA_BANK">,
//                    value_of<map, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM">
//   while running:   registers(map), find(map, address), find(map, "CDMA.D_BANK"), describe(...)
#include <algorithm>

#include <cstddef>
#include <string_view>

namespace nvdlac {

// A string literal as a template argument: `address<map, "CDMA.D_BANK">`.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace nvdlac
// The registers of the full map in the order of their addresses.
// Written by tools/generate_registers.py.
// The fields of the registers; registers that look alike share them.
// Written by tools/generate_registers.py.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>


namespace nvdlac::hw {

enum class access : std::uint8_t { r, w, rw };

// A named value of a field: SUM = 2.
struct enumerator {
  std::string_view name;
  std::uint32_t value = 0;
};

// Not constexpr on purpose: reaching it while compiling is the compile error.
[[noreturn]] inline void value_does_not_fit_the_field(std::string_view field, int bits,
                                                      long long value) {
  throw error(problem{.reason = text("the value ", value, " does not fit the register field ",
                                     field, " of ", bits, " bits")});
}
[[noreturn]] inline void bytes_are_not_aligned_for_the_field(std::string_view field, int lsb,
                                                             unsigned long long value) {
  throw error(problem{.reason = text(value, " bytes in the register field ", field,
                                     " are not a multiple of ", 1ull << lsb)});
}

// A field of a 32-bit register. The reset value counts from bit 0 of the field.
struct field {
  std::string_view name;
  std::uint8_t msb = 0, lsb = 0;
  std::uint32_t reset = 0;
  std::span<const enumerator> values = {};

  constexpr int width() const { return msb - lsb + 1; }
  // The greatest unsigned value that fits.
  constexpr std::uint32_t max() const { return 0xffffffffu >> (32 - width()); }
  constexpr std::uint32_t mask() const { return max() << lsb; }

  // The value at its place in the register word, the other bits 0. Negative values are stored as
  // two's complement. A value that does not fit is an `error`; while compiling, a compile error.
  constexpr std::uint32_t insert(std::int64_t value) const {
    const std::int64_t top = max();
    if (value > top || value < -(top / 2) - 1) value_does_not_fit_the_field(name, width(), value);
    return (static_cast<std::uint32_t>(value) & max()) << lsb;
  }
  constexpr std::uint32_t extract(std::uint32_t word) const { return (word >> lsb) & max(); }
  constexpr std::int32_t extract_signed(std::uint32_t word) const {
    return static_cast<std::int32_t>(word << (31 - msb)) >> (32 - width());
  }

  // Addresses, strides and sizes in bytes: the maps drop a different number of low bits, but the
  // register word holds the bytes in both. The bytes must be a multiple of 1 << lsb.
  constexpr std::uint32_t insert_bytes(std::uint64_t bytes) const {
    if (bytes > (mask() | ((1u << lsb) - 1)))
      value_does_not_fit_the_field(name, msb + 1, static_cast<long long>(bytes));
    const auto word = static_cast<std::uint32_t>(bytes);
    if ((word & mask()) != word) bytes_are_not_aligned_for_the_field(name, lsb, bytes);
    return word;
  }
  constexpr std::uint32_t extract_bytes(std::uint32_t word) const { return word & mask(); }
};

struct reg {
  std::string_view unit, name;
  std::uint32_t address = 0;  // bytes from the base of NVDLA
  hw::access access = hw::access::rw;
  std::uint32_t write_mask = 0;  // the bits that software can write
  std::span<const field> fields;

  constexpr std::uint32_t reset() const {
    std::uint32_t word = 0;
    for (const auto& f : fields) word |= f.reset << f.lsb;
    return word;
  }
};

// The registers of one unit: `count` of them from `first` on.
struct unit {
  std::string_view name;
  std::uint32_t first = 0, count = 0;
};

}  // namespace nvdlac::hw

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr enumerator values_no_yes[]{{"NO"sv, 0}, {"YES"sv, 1}};
inline constexpr enumerator values_idle_running_pending[]{{"IDLE"sv, 0}, {"RUNNING"sv, 1},
    {"PENDING"sv, 2}};
inline constexpr enumerator values_group_0_group_1[]{{"GROUP_0"sv, 0}, {"GROUP_1"sv, 1}};
inline constexpr enumerator values_disable_enable[]{{"DISABLE"sv, 0}, {"ENABLE"sv, 1}};
inline constexpr enumerator values_direct_winograd[]{{"DIRECT"sv, 0}, {"WINOGRAD"sv, 1}};
inline constexpr enumerator values_int8_int16_fp16[]{{"INT8"sv, 0}, {"INT16"sv, 1}, {"FP16"sv, 2}};
inline constexpr enumerator values_feature_pixel[]{{"FEATURE"sv, 0}, {"PIXEL"sv, 1}};
inline constexpr enumerator values_r8_to_y16_v16u16[]{{"R8"sv, 0}, {"R10"sv, 1}, {"R12"sv, 2},
    {"R16"sv, 3}, {"R16_I"sv, 4}, {"R16_F"sv, 5}, {"A16B16G16R16"sv, 6}, {"X16B16G16R16"sv, 7},
    {"A16B16G16R16_F"sv, 8}, {"A16Y16U16V16"sv, 9}, {"V16U16Y16A16"sv, 10},
    {"A16Y16U16V16_F"sv, 11}, {"A8B8G8R8"sv, 12}, {"A8R8G8B8"sv, 13}, {"B8G8R8A8"sv, 14},
    {"R8G8B8A8"sv, 15}, {"X8B8G8R8"sv, 16}, {"X8R8G8B8"sv, 17}, {"B8G8R8X8"sv, 18},
    {"R8G8B8X8"sv, 19}, {"A2B10G10R10"sv, 20}, {"A2R10G10B10"sv, 21}, {"B10G10R10A2"sv, 22},
    {"R10G10B10A2"sv, 23}, {"A2Y10U10V10"sv, 24}, {"V10U10Y10A2"sv, 25}, {"A8Y8U8V8"sv, 26},
    {"V8U8Y8A8"sv, 27}, {"Y8_U8V8"sv, 28}, {"Y8_V8U8"sv, 29}, {"Y10_U10V10"sv, 30},
    {"Y10_V10U10"sv, 31}, {"Y12_U12V12"sv, 32}, {"Y12_V12U12"sv, 33}, {"Y16_U16V16"sv, 34},
    {"Y16_V16U16"sv, 35}};
inline constexpr enumerator values_pitch_linear_reserved_linear[]{{"PITCH_LINEAR"sv, 0},
    {"RESERVED_LINEAR"sv, 1}};
inline constexpr enumerator values_unsigned_int_signed_int[]{{"UNSIGNED_INT"sv, 0},
    {"SIGNED_INT"sv, 1}};
inline constexpr enumerator values_cv_mc[]{{"CV"sv, 0}, {"MC"sv, 1}};
inline constexpr enumerator values_false_true[]{{"FALSE"sv, 0}, {"TRUE"sv, 1}};
inline constexpr enumerator values_uncompressed_compressed[]{{"UNCOMPRESSED"sv, 0},
    {"COMPRESSED"sv, 1}};
inline constexpr enumerator values_mul_alu_both[]{{"MUL"sv, 0}, {"ALU"sv, 1}, {"BOTH"sv, 2}};
inline constexpr enumerator values_one_byte_two_byte[]{{"ONE_BYTE"sv, 0}, {"TWO_BYTE"sv, 1}};
inline constexpr enumerator values_per_kernel_per_element[]{{"PER_KERNEL"sv, 0},
    {"PER_ELEMENT"sv, 1}};
inline constexpr enumerator values_off_on[]{{"OFF"sv, 0}, {"ON"sv, 1}};
inline constexpr enumerator values_le_lo[]{{"LE"sv, 0}, {"LO"sv, 1}};
inline constexpr enumerator values_read_write[]{{"READ"sv, 0}, {"WRITE"sv, 1}};
inline constexpr enumerator values_exponent_linear[]{{"EXPONENT"sv, 0}, {"LINEAR"sv, 1}};
inline constexpr enumerator values_max_min_sum[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2}};
inline constexpr enumerator values_reg_mem[]{{"REG"sv, 0}, {"MEM"sv, 1}};
inline constexpr enumerator values_max_min_sum_eql[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2},
    {"EQL"sv, 3}};
inline constexpr enumerator values_mem_pdp[]{{"MEM"sv, 0}, {"PDP"sv, 1}};
inline constexpr enumerator values_on_flying_off_flying[]{{"ON_FLYING"sv, 0}, {"OFF_FLYING"sv, 1}};
inline constexpr enumerator values_1_to_8[]{{"1"sv, 0}, {"2"sv, 1}, {"3"sv, 2}, {"4"sv, 3},
    {"5"sv, 4}, {"6"sv, 5}, {"7"sv, 6}, {"8"sv, 7}};
inline constexpr enumerator values_average_max_min[]{{"AVERAGE"sv, 0}, {"MAX"sv, 1}, {"MIN"sv, 2}};
inline constexpr enumerator values_readphile_writephile_ordinary[]{{"READPHILE"sv, 0},
    {"WRITEPHILE"sv, 1}, {"ORDINARY"sv, 2}};
inline constexpr enumerator values_len3_len5_len7_len9[]{{"LEN3"sv, 0}, {"LEN5"sv, 1},
    {"LEN7"sv, 2}, {"LEN9"sv, 3}};
inline constexpr enumerator values_lock_unlock[]{{"LOCK"sv, 0}, {"UNLOCK"sv, 225}};
inline constexpr enumerator values_noforce_force[]{{"NOFORCE"sv, 0}, {"FORCE"sv, 1}};
inline constexpr enumerator values_noreload_reload[]{{"NORELOAD"sv, 0}, {"RELOAD"sv, 1}};
inline constexpr enumerator values_contract_split_merge[]{{"CONTRACT"sv, 0}, {"SPLIT"sv, 1},
    {"MERGE"sv, 2}};

inline constexpr field glb_s_nvdla_hw_version_fields[]{{"MAJOR"sv, 7, 0, 0x31, {}},
    {"MINOR"sv, 23, 8, 0x3030, {}}};
inline constexpr field glb_s_intr_mask_fields[]{{"SDP_DONE_MASK0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_MASK1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_MASK0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_MASK1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_MASK0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_MASK1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_MASK0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_MASK1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_MASK0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_MASK1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_MASK0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_MASK1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_MASK0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_MASK1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_MASK0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_MASK1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_set_fields[]{{"SDP_DONE_SET0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_SET1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_SET0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_SET1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_SET0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_SET1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_SET0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_SET1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_SET0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_SET1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_SET0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_SET1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_SET0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_SET1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_SET0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_SET1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_status_fields[]{{"SDP_DONE_STATUS0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_STATUS1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_STATUS0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_STATUS1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_STATUS0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_STATUS1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_STATUS0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_STATUS1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_STATUS0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_STATUS1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_STATUS0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_STATUS1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_STATUS0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_STATUS1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_STATUS0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_STATUS1"sv, 21, 21, 0x0, {}}};
inline constexpr field mcif_cfg_rd_weight_0_fields[]{{"RD_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_1_fields[]{{"RD_WEIGHT_SDP_B"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP_N"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_SDP_E"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDMA_DAT"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_2_fields[]{{"RD_WEIGHT_CDMA_WT"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_RBK"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_0_fields[]{{"WR_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_1_fields[]{{"WR_WEIGHT_RBK"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_RSV_2"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_outstanding_cnt_fields[]{{"RD_OS_CNT"sv, 7, 0, 0xff, {}},
    {"WR_OS_CNT"sv, 15, 8, 0xff, {}}};
inline constexpr field mcif_status_fields[]{{"IDLE"sv, 8, 8, 0x1, values_no_yes}};
inline constexpr field cdma_s_status_fields[]{
    {"STATUS_0"sv, 1, 0, 0x0, values_idle_running_pending},
    {"STATUS_1"sv, 17, 16, 0x0, values_idle_running_pending}};
inline constexpr field cdma_s_pointer_fields[]{{"PRODUCER"sv, 0, 0, 0x0, values_group_0_group_1},
    {"CONSUMER"sv, 16, 16, 0x0, values_group_0_group_1}};
inline constexpr field cdma_s_arbiter_fields[]{{"ARB_WEIGHT"sv, 3, 0, 0xf, {}},
    {"ARB_WMB"sv, 19, 16, 0x3, {}}};
inline constexpr field cdma_s_cbuf_flush_status_fields[]{{"FLUSH_DONE"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_op_enable_fields[]{{"OP_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_misc_cfg_fields[]{{"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16},
    {"DATA_REUSE"sv, 16, 16, 0x0, values_disable_enable},
    {"WEIGHT_REUSE"sv, 20, 20, 0x0, values_disable_enable},
    {"SKIP_DATA_RLS"sv, 24, 24, 0x0, values_disable_enable},
    {"SKIP_WEIGHT_RLS"sv, 28, 28, 0x0, values_disable_enable}};
inline constexpr field cdma_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel},
    {"PIXEL_FORMAT"sv, 13, 8, 0xc, values_r8_to_y16_v16u16},
    {"PIXEL_MAPPING"sv, 16, 16, 0x0, values_pitch_linear_reserved_linear},
    {"PIXEL_SIGN_OVERRIDE"sv, 20, 20, 0x0, values_unsigned_int_signed_int}};
inline constexpr field cdma_d_datain_size_0_fields[]{{"DATAIN_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_datain_size_1_fields[]{{"DATAIN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_datain_size_ext_0_fields[]{{"DATAIN_WIDTH_EXT"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT_EXT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_pixel_offset_fields[]{{"PIXEL_X_OFFSET"sv, 4, 0, 0x0, {}},
    {"PIXEL_Y_OFFSET"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_dain_ram_type_fields[]{
    {"DATAIN_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_dain_addr_high_0_fields[]{{"DATAIN_ADDR_HIGH_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields[]{{"DATAIN_ADDR_LOW_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_high_1_fields[]{{"DATAIN_ADDR_HIGH_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields[]{{"DATAIN_ADDR_LOW_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields[]{{"LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields[]{{"UV_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_map_fields[]{{"LINE_PACKED"sv, 0, 0, 0x0, values_false_true},
    {"SURF_PACKED"sv, 16, 16, 0x0, values_false_true}};
inline constexpr field cdma_d_reserved_x_cfg_fields[]{{"RSV_PER_LINE"sv, 9, 0, 0x0, {}},
    {"RSV_PER_UV_LINE"sv, 25, 16, 0x0, {}}};
inline constexpr field cdma_d_reserved_y_cfg_fields[]{{"RSV_HEIGHT"sv, 2, 0, 0x0, {}},
    {"RSV_Y_INDEX"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_batch_number_fields[]{{"BATCHES"sv, 4, 0, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields[]{{"BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields[]{{"ENTRIES"sv, 13, 0, 0x0, {}}};
inline constexpr field cdma_d_fetch_grain_fields[]{{"GRAINS"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_format_fields[]{
    {"WEIGHT_FORMAT"sv, 0, 0, 0x0, values_uncompressed_compressed}};
inline constexpr field cdma_d_weight_size_0_fields[]{{"BYTE_PER_KERNEL"sv, 17, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_size_1_fields[]{{"WEIGHT_KERNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_ram_type_fields[]{
    {"WEIGHT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_weight_addr_high_fields[]{{"WEIGHT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields[]{{"WEIGHT_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields[]{{"WEIGHT_BYTES"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_high_fields[]{{"WGS_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields[]{{"WGS_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_high_fields[]{{"WMB_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields[]{{"WMB_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields[]{{"WMB_BYTES"sv, 27, 0, 0x0, {}}};
inline constexpr field cdma_d_mean_format_fields[]{
    {"MEAN_FORMAT"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_mean_global_0_fields[]{{"MEAN_RY"sv, 15, 0, 0x0, {}},
    {"MEAN_GU"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_mean_global_1_fields[]{{"MEAN_BV"sv, 15, 0, 0x0, {}},
    {"MEAN_AX"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_cvt_cfg_fields[]{{"CVT_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"CVT_TRUNCATE"sv, 9, 4, 0x0, {}}};
inline constexpr field cdma_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_cvt_scale_fields[]{{"CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_conv_stride_fields[]{{"CONV_X_STRIDE"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_RIGHT"sv, 13, 8, 0x0, {}}, {"PAD_TOP"sv, 20, 16, 0x0, {}},
    {"PAD_BOTTOM"sv, 29, 24, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_value_fields[]{{"PAD_VALUE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_bank_fields[]{{"DATA_BANK"sv, 4, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_nan_flush_to_zero_fields[]{
    {"NAN_TO_ZERO"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_nan_input_data_num_fields[]{{"NAN_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_nan_input_weight_num_fields[]{{"NAN_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_data_num_fields[]{{"INF_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_weight_num_fields[]{{"INF_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_stall_fields[]{{"DAT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_stall_fields[]{{"WT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_latency_fields[]{{"DAT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_latency_fields[]{{"WT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_cya_fields[]{{"CYA"sv, 31, 0, 0x0, {}}};
inline constexpr field csc_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel}};
inline constexpr field csc_d_datain_size_ext_1_fields[]{{"DATAIN_CHANNEL_EXT"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_post_y_extension_fields[]{{"Y_EXTENSION"sv, 1, 0, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_0_fields[]{{"WEIGHT_WIDTH_EXT"sv, 4, 0, 0x0, {}},
    {"WEIGHT_HEIGHT_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_1_fields[]{{"WEIGHT_CHANNEL_EXT"sv, 12, 0, 0x0, {}},
    {"WEIGHT_KERNEL"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_0_fields[]{{"DATAOUT_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAOUT_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_1_fields[]{{"DATAOUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_atomics_fields[]{{"ATOMICS"sv, 20, 0, 0x1, {}}};
inline constexpr field csc_d_release_fields[]{{"RLS_SLICES"sv, 11, 0, 0x1, {}}};
inline constexpr field csc_d_conv_stride_ext_fields[]{{"CONV_X_STRIDE_EXT"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE_EXT"sv, 18, 16, 0x0, {}}};
inline constexpr field csc_d_dilation_ext_fields[]{{"X_DILATION_EXT"sv, 4, 0, 0x0, {}},
    {"Y_DILATION_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_TOP"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_pra_cfg_fields[]{{"PRA_TRUNCATE"sv, 1, 0, 0x0, {}}};
inline constexpr field cmac_a_d_misc_cfg_fields[]{
    {"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16}};
inline constexpr field cacc_d_dataout_addr_fields[]{{"DATAOUT_ADDR"sv, 31, 0, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields[]{{"LINE_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_clip_cfg_fields[]{{"CLIP_TRUNCATE"sv, 4, 0, 0x0, {}}};
inline constexpr field cacc_d_out_saturation_fields[]{{"SAT_COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_width_fields[]{{"WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_height_fields[]{{"HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_channel_fields[]{{"CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_high_fields[]{
    {"SRC_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields[]{{"SRC_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields[]{{"BRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_base_addr_high_fields[]{
    {"BS_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields[]{{"BS_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields[]{
    {"BS_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields[]{{"BS_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields[]{{"NRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_base_addr_high_fields[]{
    {"BN_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields[]{{"BN_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields[]{
    {"BN_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields[]{{"BN_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields[]{{"ERDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_base_addr_high_fields[]{
    {"EW_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields[]{{"EW_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields[]{
    {"EW_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields[]{{"EW_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_feature_mode_cfg_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_off_on}, {"WINOGRAD"sv, 1, 1, 0x0, values_off_on},
    {"IN_PRECISION"sv, 3, 2, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 5, 4, 0x1, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 7, 6, 0x0, values_int8_int16_fp16}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_dma_cfg_fields[]{
    {"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_status_nan_input_num_fields[]{
    {"STATUS_NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_status_inf_input_num_fields[]{
    {"STATUS_INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_rdma_d_perf_mrdma_read_stall_fields[]{
    {"MRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_brdma_read_stall_fields[]{
    {"BRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_nrdma_read_stall_fields[]{
    {"NRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_erdma_read_stall_fields[]{
    {"ERDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_access_cfg_fields[]{{"LUT_ADDR"sv, 9, 0, 0x0, {}},
    {"LUT_TABLE_ID"sv, 16, 16, 0x0, values_le_lo},
    {"LUT_ACCESS_TYPE"sv, 17, 17, 0x0, values_read_write}};
inline constexpr field sdp_s_lut_access_data_fields[]{{"LUT_DATA"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_cfg_fields[]{
    {"LUT_LE_FUNCTION"sv, 0, 0, 0x0, values_exponent_linear},
    {"LUT_UFLOW_PRIORITY"sv, 4, 4, 0x0, values_le_lo},
    {"LUT_OFLOW_PRIORITY"sv, 5, 5, 0x0, values_le_lo},
    {"LUT_HYBRID_PRIORITY"sv, 6, 6, 0x0, values_le_lo}};
inline constexpr field sdp_s_lut_info_fields[]{{"LUT_LE_INDEX_OFFSET"sv, 7, 0, 0x0, {}},
    {"LUT_LE_INDEX_SELECT"sv, 15, 8, 0x0, {}}, {"LUT_LO_INDEX_SELECT"sv, 23, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_start_fields[]{{"LUT_LE_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_end_fields[]{{"LUT_LE_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_start_fields[]{{"LUT_LO_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_end_fields[]{{"LUT_LO_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_scale_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LE_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_shift_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LE_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_scale_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LO_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_shift_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LO_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields[]{{"DST_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_high_fields[]{{"DST_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields[]{{"DST_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields[]{{"DST_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields[]{{"BS_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x1, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bs_alu_cfg_fields[]{{"BS_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_alu_src_value_fields[]{{"BS_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_cfg_fields[]{{"BS_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_src_value_fields[]{{"BS_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_cfg_fields[]{{"BN_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bn_alu_cfg_fields[]{{"BN_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_alu_src_value_fields[]{{"BN_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_cfg_fields[]{{"BN_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_src_value_fields[]{{"BN_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_cfg_fields[]{{"EW_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_src_value_fields[]{{"EW_ALU_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_offset_value_fields[]{
    {"EW_ALU_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_scale_value_fields[]{
    {"EW_ALU_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_truncate_value_fields[]{
    {"EW_ALU_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_src_value_fields[]{{"EW_MUL_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_offset_value_fields[]{
    {"EW_MUL_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_scale_value_fields[]{
    {"EW_MUL_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_truncate_value_fields[]{
    {"EW_MUL_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_truncate_value_fields[]{{"EW_TRUNCATE"sv, 9, 0, 0x0, {}}};
inline constexpr field sdp_d_feature_mode_cfg_fields[]{{"FLYING_MODE"sv, 0, 0, 0x0, values_off_on},
    {"OUTPUT_DST"sv, 1, 1, 0x0, values_mem_pdp}, {"WINOGRAD"sv, 2, 2, 0x0, values_off_on},
    {"NAN_TO_ZERO"sv, 3, 3, 0x0, values_disable_enable}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_d_dst_dma_cfg_fields[]{{"DST_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_d_dst_batch_stride_fields[]{{"DST_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_data_format_fields[]{
    {"PROC_PRECISION"sv, 1, 0, 0x0, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 3, 2, 0x0, values_int8_int16_fp16}};
inline constexpr field sdp_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_cvt_shift_fields[]{{"CVT_SHIFT"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_status_fields[]{{"STATUS_UNEQUAL"sv, 0, 0, 0x0, {}}};
inline constexpr field sdp_d_status_nan_output_num_fields[]{
    {"STATUS_NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_LUT_EN"sv, 1, 1, 0x0, values_no_yes}, {"PERF_SAT_EN"sv, 2, 2, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 3, 3, 0x0, values_no_yes}};
inline constexpr field sdp_d_perf_wdma_write_stall_fields[]{{"WDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_uflow_fields[]{{"LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_oflow_fields[]{{"LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_out_saturation_fields[]{{"OUT_SATURATION"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_hybrid_fields[]{{"LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_le_hit_fields[]{{"LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_lo_hit_fields[]{{"LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_width_fields[]{{"CUBE_IN_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_height_fields[]{
    {"CUBE_IN_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_channel_fields[]{
    {"CUBE_IN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_flying_mode_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_on_flying_off_flying}};
inline constexpr field pdp_rdma_d_data_format_fields[]{
    {"INPUT_DATA"sv, 1, 0, 0x0, values_int8_int16_fp16}};
inline constexpr field pdp_rdma_d_operation_mode_cfg_fields[]{{"SPLIT_NUM"sv, 7, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_STRIDE_WIDTH"sv, 7, 4, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_padding_cfg_fields[]{{"PAD_WIDTH"sv, 3, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_partial_width_in_fields[]{
    {"PARTIAL_WIDTH_IN_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_IN_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_IN_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_rdma_d_perf_enable_fields[]{
    {"DMA_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field pdp_rdma_d_perf_read_stall_fields[]{{"PERF_READ_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_width_fields[]{{"CUBE_OUT_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_height_fields[]{{"CUBE_OUT_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_channel_fields[]{
    {"CUBE_OUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_operation_mode_cfg_fields[]{
    {"POOLING_METHOD"sv, 1, 0, 0x0, values_average_max_min},
    {"FLYING_MODE"sv, 4, 4, 0x0, values_on_flying_off_flying}, {"SPLIT_NUM"sv, 15, 8, 0x0, {}}};
inline constexpr field pdp_d_partial_width_out_fields[]{
    {"PARTIAL_WIDTH_OUT_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_OUT_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_OUT_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_HEIGHT"sv, 11, 8, 0x0, values_1_to_8},
    {"KERNEL_STRIDE_WIDTH"sv, 19, 16, 0x0, {}}, {"KERNEL_STRIDE_HEIGHT"sv, 23, 20, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_width_fields[]{{"RECIP_KERNEL_WIDTH"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_height_fields[]{
    {"RECIP_KERNEL_HEIGHT"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_cfg_fields[]{{"PAD_LEFT"sv, 2, 0, 0x0, {}},
    {"PAD_TOP"sv, 6, 4, 0x0, {}}, {"PAD_RIGHT"sv, 10, 8, 0x0, {}},
    {"PAD_BOTTOM"sv, 14, 12, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_1_cfg_fields[]{
    {"PAD_VALUE_1X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_2_cfg_fields[]{
    {"PAD_VALUE_2X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_3_cfg_fields[]{
    {"PAD_VALUE_3X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_4_cfg_fields[]{
    {"PAD_VALUE_4X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_5_cfg_fields[]{
    {"PAD_VALUE_5X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_6_cfg_fields[]{
    {"PAD_VALUE_6X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_7_cfg_fields[]{
    {"PAD_VALUE_7X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_inf_input_num_fields[]{{"INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_input_num_fields[]{{"NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_output_num_fields[]{{"NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_perf_write_stall_fields[]{{"PERF_WRITE_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_rdma_d_src_compression_en_fields[]{
    {"SRC_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_rdma_d_operation_mode_fields[]{
    {"OPERATION_MODE"sv, 1, 0, 0x0, values_readphile_writephile_ordinary}};
inline constexpr field cdp_s_lut_le_start_low_fields[]{{"LUT_LE_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_start_high_fields[]{{"LUT_LE_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_low_fields[]{{"LUT_LE_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_high_fields[]{{"LUT_LE_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_low_fields[]{{"LUT_LO_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_high_fields[]{{"LUT_LO_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_low_fields[]{{"LUT_LO_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_high_fields[]{{"LUT_LO_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_func_bypass_fields[]{
    {"SQSUM_BYPASS"sv, 0, 0, 0x0, values_disable_enable},
    {"MUL_BYPASS"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_dst_compression_en_fields[]{
    {"DST_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_d_data_format_fields[]{
    {"INPUT_DATA_TYPE"sv, 1, 0, 0x1, values_int8_int16_fp16}};
inline constexpr field cdp_d_lrn_cfg_fields[]{
    {"NORMALZ_LEN"sv, 1, 0, 0x0, values_len3_len5_len7_len9}};
inline constexpr field cdp_d_datin_offset_fields[]{{"DATIN_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdp_d_datin_scale_fields[]{{"DATIN_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datin_shifter_fields[]{{"DATIN_SHIFTER"sv, 4, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_offset_fields[]{{"DATOUT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_scale_fields[]{{"DATOUT_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datout_shifter_fields[]{{"DATOUT_SHIFTER"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"LUT_EN"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_perf_lut_uflow_fields[]{{"PERF_LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_oflow_fields[]{{"PERF_LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_hybrid_fields[]{{"PERF_LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_le_hit_fields[]{{"PERF_LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_lo_hit_fields[]{{"PERF_LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field gec_feature_fields[]{{"NUM_ERR_SLICES"sv, 5, 0, 0x3, {}},
    {"NUM_ERR"sv, 31, 16, 0x43, {}}};
inline constexpr field gec_swreset_fields[]{{"SWRST"sv, 0, 0, 0x0, {}}};
inline constexpr field gec_missionerr_type_fields[]{{"CODE"sv, 5, 0, 0x5, {}}};
inline constexpr field gec_current_counter_value_fields[]{{"VALUE"sv, 8, 0, 0x0, {}}};
inline constexpr field gec_missionerr_index_fields[]{{"IDX"sv, 6, 0, 0x0, {}}};
inline constexpr field gec_correctable_threshold_fields[]{{"COUNT"sv, 7, 0, 0xff, {}}};
inline constexpr field gec_missionerr_inject_unlock_fields[]{
    {"VALUE"sv, 7, 0, 0x0, values_lock_unlock}};
inline constexpr field gec_errslice0_missionerr_enable_fields[]{
    {"ERR0"sv, 0, 0, 0x1, values_disable_enable}, {"ERR1"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x1, values_disable_enable}, {"ERR3"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x1, values_disable_enable}, {"ERR5"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x1, values_disable_enable}, {"ERR7"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x1, values_disable_enable}, {"ERR9"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR10"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR11"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR12"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR13"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR14"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR15"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice0_missionerr_force_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noforce_force}, {"ERR1"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR2"sv, 2, 2, 0x0, values_noforce_force}, {"ERR3"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR4"sv, 4, 4, 0x0, values_noforce_force}, {"ERR5"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR6"sv, 6, 6, 0x0, values_noforce_force}, {"ERR7"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR8"sv, 8, 8, 0x0, values_noforce_force}, {"ERR9"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR10"sv, 10, 10, 0x0, values_noforce_force}, {"ERR11"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR12"sv, 12, 12, 0x0, values_noforce_force}, {"ERR13"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR14"sv, 14, 14, 0x0, values_noforce_force}, {"ERR15"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR16"sv, 16, 16, 0x0, values_noforce_force}, {"ERR17"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR18"sv, 18, 18, 0x0, values_noforce_force}, {"ERR19"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR20"sv, 20, 20, 0x0, values_noforce_force}, {"ERR21"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR22"sv, 22, 22, 0x0, values_noforce_force}, {"ERR23"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR24"sv, 24, 24, 0x0, values_noforce_force}, {"ERR25"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR26"sv, 26, 26, 0x0, values_noforce_force}, {"ERR27"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR28"sv, 28, 28, 0x0, values_noforce_force}, {"ERR29"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR30"sv, 30, 30, 0x0, values_noforce_force}, {"ERR31"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice0_missionerr_status_fields[]{{"ERR0"sv, 0, 0, 0x0, {}},
    {"ERR1"sv, 1, 1, 0x0, {}}, {"ERR2"sv, 2, 2, 0x0, {}}, {"ERR3"sv, 3, 3, 0x0, {}},
    {"ERR4"sv, 4, 4, 0x0, {}}, {"ERR5"sv, 5, 5, 0x0, {}}, {"ERR6"sv, 6, 6, 0x0, {}},
    {"ERR7"sv, 7, 7, 0x0, {}}, {"ERR8"sv, 8, 8, 0x0, {}}, {"ERR9"sv, 9, 9, 0x0, {}},
    {"ERR10"sv, 10, 10, 0x0, {}}, {"ERR11"sv, 11, 11, 0x0, {}}, {"ERR12"sv, 12, 12, 0x0, {}},
    {"ERR13"sv, 13, 13, 0x0, {}}, {"ERR14"sv, 14, 14, 0x0, {}}, {"ERR15"sv, 15, 15, 0x0, {}},
    {"ERR16"sv, 16, 16, 0x0, {}}, {"ERR17"sv, 17, 17, 0x0, {}}, {"ERR18"sv, 18, 18, 0x0, {}},
    {"ERR19"sv, 19, 19, 0x0, {}}, {"ERR20"sv, 20, 20, 0x0, {}}, {"ERR21"sv, 21, 21, 0x0, {}},
    {"ERR22"sv, 22, 22, 0x0, {}}, {"ERR23"sv, 23, 23, 0x0, {}}, {"ERR24"sv, 24, 24, 0x0, {}},
    {"ERR25"sv, 25, 25, 0x0, {}}, {"ERR26"sv, 26, 26, 0x0, {}}, {"ERR27"sv, 27, 27, 0x0, {}},
    {"ERR28"sv, 28, 28, 0x0, {}}, {"ERR29"sv, 29, 29, 0x0, {}}, {"ERR30"sv, 30, 30, 0x0, {}},
    {"ERR31"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice0_missionerr_inject_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_disable_enable}, {"ERR1"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x0, values_disable_enable}, {"ERR3"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x0, values_disable_enable}, {"ERR5"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x0, values_disable_enable}, {"ERR7"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x0, values_disable_enable}, {"ERR15"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice0_counter_reload_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR1"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR2"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR3"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR4"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR5"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR6"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR7"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR8"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR9"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR10"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR11"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR12"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR13"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR14"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR15"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR16"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR17"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR18"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR19"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR20"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR21"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR22"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR23"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR24"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR25"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR26"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR27"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR28"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR29"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR30"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR31"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_enable_fields[]{
    {"ERR32"sv, 0, 0, 0x1, values_disable_enable}, {"ERR33"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x1, values_disable_enable}, {"ERR35"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x1, values_disable_enable}, {"ERR37"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x1, values_disable_enable}, {"ERR39"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x1, values_disable_enable}, {"ERR41"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice1_missionerr_force_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noforce_force}, {"ERR33"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR34"sv, 2, 2, 0x0, values_noforce_force}, {"ERR35"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR36"sv, 4, 4, 0x0, values_noforce_force}, {"ERR37"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR38"sv, 6, 6, 0x0, values_noforce_force}, {"ERR39"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR40"sv, 8, 8, 0x0, values_noforce_force}, {"ERR41"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR42"sv, 10, 10, 0x0, values_noforce_force}, {"ERR43"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR44"sv, 12, 12, 0x0, values_noforce_force}, {"ERR45"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR46"sv, 14, 14, 0x0, values_noforce_force}, {"ERR47"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR48"sv, 16, 16, 0x0, values_noforce_force}, {"ERR49"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR50"sv, 18, 18, 0x0, values_noforce_force}, {"ERR51"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR52"sv, 20, 20, 0x0, values_noforce_force}, {"ERR53"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR54"sv, 22, 22, 0x0, values_noforce_force}, {"ERR55"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR56"sv, 24, 24, 0x0, values_noforce_force}, {"ERR57"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR58"sv, 26, 26, 0x0, values_noforce_force}, {"ERR59"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR60"sv, 28, 28, 0x0, values_noforce_force}, {"ERR61"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR62"sv, 30, 30, 0x0, values_noforce_force}, {"ERR63"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice1_missionerr_status_fields[]{{"ERR32"sv, 0, 0, 0x0, {}},
    {"ERR33"sv, 1, 1, 0x0, {}}, {"ERR34"sv, 2, 2, 0x0, {}}, {"ERR35"sv, 3, 3, 0x0, {}},
    {"ERR36"sv, 4, 4, 0x0, {}}, {"ERR37"sv, 5, 5, 0x0, {}}, {"ERR38"sv, 6, 6, 0x0, {}},
    {"ERR39"sv, 7, 7, 0x0, {}}, {"ERR40"sv, 8, 8, 0x0, {}}, {"ERR41"sv, 9, 9, 0x0, {}},
    {"ERR42"sv, 10, 10, 0x0, {}}, {"ERR43"sv, 11, 11, 0x0, {}}, {"ERR44"sv, 12, 12, 0x0, {}},
    {"ERR45"sv, 13, 13, 0x0, {}}, {"ERR46"sv, 14, 14, 0x0, {}}, {"ERR47"sv, 15, 15, 0x0, {}},
    {"ERR48"sv, 16, 16, 0x0, {}}, {"ERR49"sv, 17, 17, 0x0, {}}, {"ERR50"sv, 18, 18, 0x0, {}},
    {"ERR51"sv, 19, 19, 0x0, {}}, {"ERR52"sv, 20, 20, 0x0, {}}, {"ERR53"sv, 21, 21, 0x0, {}},
    {"ERR54"sv, 22, 22, 0x0, {}}, {"ERR55"sv, 23, 23, 0x0, {}}, {"ERR56"sv, 24, 24, 0x0, {}},
    {"ERR57"sv, 25, 25, 0x0, {}}, {"ERR58"sv, 26, 26, 0x0, {}}, {"ERR59"sv, 27, 27, 0x0, {}},
    {"ERR60"sv, 28, 28, 0x0, {}}, {"ERR61"sv, 29, 29, 0x0, {}}, {"ERR62"sv, 30, 30, 0x0, {}},
    {"ERR63"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice1_missionerr_inject_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_disable_enable}, {"ERR33"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x0, values_disable_enable}, {"ERR35"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x0, values_disable_enable}, {"ERR37"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x0, values_disable_enable}, {"ERR39"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x0, values_disable_enable}, {"ERR41"sv, 9, 9, 0x0, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x0, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x0, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x0, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x0, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x0, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice1_counter_reload_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR33"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR34"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR35"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR36"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR37"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR38"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR39"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR40"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR41"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR42"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR43"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR44"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR45"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR46"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR47"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR48"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR49"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR50"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR51"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR52"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR53"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR54"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR55"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR56"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR57"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR58"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR59"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR60"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR61"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR62"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR63"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_ecc_correction_dis_fields[]{
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_enable_fields[]{
    {"ERR64"sv, 0, 0, 0x1, values_disable_enable}, {"ERR65"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR66"sv, 2, 2, 0x1, values_disable_enable}, {"ERR67"sv, 3, 3, 0x1, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_force_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noforce_force}, {"ERR65"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR66"sv, 2, 2, 0x0, values_noforce_force}, {"ERR67"sv, 3, 3, 0x0, values_noforce_force}};
inline constexpr field gec_errslice2_missionerr_status_fields[]{{"ERR64"sv, 0, 0, 0x0, {}},
    {"ERR65"sv, 1, 1, 0x0, {}}, {"ERR66"sv, 2, 2, 0x0, {}}, {"ERR67"sv, 3, 3, 0x0, {}}};
inline constexpr field gec_errslice2_missionerr_inject_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_disable_enable}, {"ERR65"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_counter_reload_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR65"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR66"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR67"sv, 3, 3, 0x0, values_noreload_reload}};
inline constexpr field bdma_cfg_src_addr_low_fields[]{{"V32"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_src_addr_high_fields[]{{"V8"sv, 31, 0, 0x0, {}}};
inline constexpr field bdma_cfg_line_fields[]{{"SIZE"sv, 12, 0, 0x0, {}}};
inline constexpr field bdma_cfg_cmd_fields[]{{"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc},
    {"DST_RAM_TYPE"sv, 1, 1, 0x0, values_cv_mc}};
inline constexpr field bdma_cfg_line_repeat_fields[]{{"NUMBER"sv, 23, 0, 0x0, {}}};
inline constexpr field bdma_cfg_src_line_fields[]{{"STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_op_fields[]{{"EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field bdma_cfg_launch0_fields[]{{"GRP0_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_launch1_fields[]{{"GRP1_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_status_fields[]{{"STALL_COUNT_EN"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_status_fields[]{{"FREE_SLOT"sv, 7, 0, 0x14, {}},
    {"IDLE"sv, 8, 8, 0x1, values_no_yes}, {"GRP0_BUSY"sv, 9, 9, 0x0, values_no_yes},
    {"GRP1_BUSY"sv, 10, 10, 0x0, values_no_yes}};
inline constexpr field bdma_status_grp0_read_stall_fields[]{{"COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_misc_cfg_fields[]{
    {"RUBIK_MODE"sv, 1, 0, 0x0, values_contract_split_merge},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16}};
inline constexpr field rbk_d_dain_addr_high_fields[]{{"DAIN_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_dain_addr_low_fields[]{{"DAIN_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_line_stride_fields[]{{"DAIN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_surf_stride_fields[]{{"DAIN_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_planar_stride_fields[]{{"DAIN_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_ram_type_fields[]{
    {"DATAOUT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field rbk_d_daout_addr_high_fields[]{{"DAOUT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_daout_addr_low_fields[]{{"DAOUT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_line_stride_fields[]{{"DAOUT_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_0_fields[]{{"CONTRACT_STRIDE_0"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_1_fields[]{{"CONTRACT_STRIDE_1"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_surf_stride_fields[]{{"DAOUT_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_planar_stride_fields[]{
    {"DAOUT_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_deconv_stride_fields[]{{"DECONV_X_STRIDE"sv, 4, 0, 0x0, {}},
    {"DECONV_Y_STRIDE"sv, 20, 16, 0x0, {}}};
inline constexpr field rbk_d_perf_enable_fields[]{{"PERF_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_read_stall_fields[]{{"RD_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_write_stall_fields[]{{"WR_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields_[]{{"DATAIN_ADDR_LOW_0"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields_[]{{"DATAIN_ADDR_LOW_1"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields_[]{{"UV_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields_[]{{"BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields_[]{{"ENTRIES"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields_[]{{"WEIGHT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields_[]{{"WEIGHT_BYTES"sv, 31, 7, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields_[]{{"WGS_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields_[]{{"WMB_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields_[]{{"WMB_BYTES"sv, 27, 7, 0x0, {}}};
inline constexpr field cdma_d_bank_fields_[]{{"DATA_BANK"sv, 3, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 19, 16, 0x0, {}}};
inline constexpr field cacc_d_dataout_addr_fields_[]{{"DATAOUT_ADDR"sv, 31, 5, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields_[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields_[]{{"SRC_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields_[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields_[]{
    {"BRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields_[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields_[]{{"BS_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields_[]{
    {"BS_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields_[]{{"BS_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields_[]{
    {"NRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields_[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields_[]{{"BN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields_[]{
    {"BN_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields_[]{{"BN_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields_[]{
    {"ERDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields_[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields_[]{{"EW_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields_[]{
    {"EW_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields_[]{{"EW_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields_[]{{"DST_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields_[]{{"DST_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields_[]{
    {"DST_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields_[]{{"BS_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_bn_cfg_fields_[]{{"BN_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_cfg_fields_[]{{"EW_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields_[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields_[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dst_batch_stride_fields_[]{{"DST_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};

}  // namespace nvdlac::hw::detail

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr reg registers_full[]{
    {"GLB"sv, "S_NVDLA_HW_VERSION"sv, 0x0, access::r, 0x0,
     glb_s_nvdla_hw_version_fields},
    {"GLB"sv, "S_INTR_MASK"sv, 0x4, access::rw, 0x3f03ff,
     glb_s_intr_mask_fields},
    {"GLB"sv, "S_INTR_SET"sv, 0x8, access::w, 0x3f03ff,
     glb_s_intr_set_fields},
    {"GLB"sv, "S_INTR_STATUS"sv, 0xc, access::rw, 0x3f03ff,
     glb_s_intr_status_fields},
    {"GEC"sv, "FEATURE"sv, 0x1000, access::r, 0x0,
     gec_feature_fields},
    {"GEC"sv, "SWRESET"sv, 0x1004, access::w, 0x1,
     gec_swreset_fields},
    {"GEC"sv, "MISSIONERR_TYPE"sv, 0x1008, access::r, 0x0,
     gec_missionerr_type_fields},
    {"GEC"sv, "CURRENT_COUNTER_VALUE"sv, 0x100c, access::r, 0x0,
     gec_current_counter_value_fields},
    {"GEC"sv, "MISSIONERR_INDEX"sv, 0x1014, access::rw, 0x7f,
     gec_missionerr_index_fields},
    {"GEC"sv, "CORRECTABLE_THRESHOLD"sv, 0x1018, access::rw, 0xff,
     gec_correctable_threshold_fields},
    {"GEC"sv, "MISSIONERR_INJECT_UNLOCK"sv, 0x101c, access::rw, 0xff,
     gec_missionerr_inject_unlock_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_ENABLE"sv, 0x1030, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_FORCE"sv, 0x1034, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_STATUS"sv, 0x1038, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_INJECT"sv, 0x103c, access::rw, 0xffff81ff,
     gec_errslice0_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_ENABLE"sv, 0x1040, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_FORCE"sv, 0x1044, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_STATUS"sv, 0x1048, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_COUNTER_RELOAD"sv, 0x1050, access::w, 0xffffffff,
     gec_errslice0_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ENABLE"sv, 0x1060, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_FORCE"sv, 0x1064, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_STATUS"sv, 0x1068, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_INJECT"sv, 0x106c, access::rw, 0xffffffff,
     gec_errslice1_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_ENABLE"sv, 0x1070, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_FORCE"sv, 0x1074, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_STATUS"sv, 0x1078, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_COUNTER_RELOAD"sv, 0x1080, access::w, 0xffffffff,
     gec_errslice1_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ECC_CORRECTION_DIS"sv, 0x1084, access::rw, 0x80000000,
     gec_errslice1_missionerr_ecc_correction_dis_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_ENABLE"sv, 0x1090, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_FORCE"sv, 0x1094, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_STATUS"sv, 0x1098, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_INJECT"sv, 0x109c, access::rw, 0x3,
     gec_errslice2_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_ENABLE"sv, 0x10a0, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_FORCE"sv, 0x10a4, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_STATUS"sv, 0x10a8, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_COUNTER_RELOAD"sv, 0x10b0, access::w, 0xf,
     gec_errslice2_counter_reload_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_0"sv, 0x2000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_1"sv, 0x2004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_2"sv, 0x2008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_0"sv, 0x200c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_1"sv, 0x2010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"MCIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x2014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"MCIF"sv, "STATUS"sv, 0x2018, access::r, 0x0,
     mcif_status_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_0"sv, 0x3000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_1"sv, 0x3004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_2"sv, 0x3008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_0"sv, 0x300c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_1"sv, 0x3010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"CVIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x3014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"CVIF"sv, "STATUS"sv, 0x3018, access::r, 0x0,
     mcif_status_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_LOW"sv, 0x4000, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_HIGH"sv, 0x4004, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_DST_ADDR_LOW"sv, 0x4008, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_DST_ADDR_HIGH"sv, 0x400c, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_LINE"sv, 0x4010, access::rw, 0x1fff,
     bdma_cfg_line_fields},
    {"BDMA"sv, "CFG_CMD"sv, 0x4014, access::rw, 0x3,
     bdma_cfg_cmd_fields},
    {"BDMA"sv, "CFG_LINE_REPEAT"sv, 0x4018, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_LINE"sv, 0x401c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_LINE"sv, 0x4020, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_SURF_REPEAT"sv, 0x4024, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_SURF"sv, 0x4028, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_SURF"sv, 0x402c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_OP"sv, 0x4030, access::rw, 0x1,
     bdma_cfg_op_fields},
    {"BDMA"sv, "CFG_LAUNCH0"sv, 0x4034, access::rw, 0x1,
     bdma_cfg_launch0_fields},
    {"BDMA"sv, "CFG_LAUNCH1"sv, 0x4038, access::rw, 0x1,
     bdma_cfg_launch1_fields},
    {"BDMA"sv, "CFG_STATUS"sv, 0x403c, access::rw, 0x1,
     bdma_cfg_status_fields},
    {"BDMA"sv, "STATUS"sv, 0x4040, access::r, 0x0,
     bdma_status_fields},
    {"BDMA"sv, "STATUS_GRP0_READ_STALL"sv, 0x4044, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP0_WRITE_STALL"sv, 0x4048, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_READ_STALL"sv, 0x404c, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_WRITE_STALL"sv, 0x4050, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"CDMA"sv, "S_STATUS"sv, 0x5000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDMA"sv, "S_POINTER"sv, 0x5004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDMA"sv, "S_ARBITER"sv, 0x5008, access::rw, 0xf000f,
     cdma_s_arbiter_fields},
    {"CDMA"sv, "S_CBUF_FLUSH_STATUS"sv, 0x500c, access::r, 0x0,
     cdma_s_cbuf_flush_status_fields},
    {"CDMA"sv, "D_OP_ENABLE"sv, 0x5010, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDMA"sv, "D_MISC_CFG"sv, 0x5014, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CDMA"sv, "D_DATAIN_FORMAT"sv, 0x5018, access::rw, 0x113f01,
     cdma_d_datain_format_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_0"sv, 0x501c, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_1"sv, 0x5020, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x5024, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CDMA"sv, "D_PIXEL_OFFSET"sv, 0x5028, access::rw, 0x7001f,
     cdma_d_pixel_offset_fields},
    {"CDMA"sv, "D_DAIN_RAM_TYPE"sv, 0x502c, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_0"sv, 0x5030, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_0"sv, 0x5034, access::rw, 0xffffffe0,
     cdma_d_dain_addr_low_0_fields_},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_1"sv, 0x5038, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_1_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_1"sv, 0x503c, access::rw, 0xffffffe0,
     cdma_d_dain_addr_low_1_fields_},
    {"CDMA"sv, "D_LINE_STRIDE"sv, 0x5040, access::rw, 0xffffffe0,
     cdma_d_line_stride_fields_},
    {"CDMA"sv, "D_LINE_UV_STRIDE"sv, 0x5044, access::rw, 0xffffffe0,
     cdma_d_line_uv_stride_fields_},
    {"CDMA"sv, "D_SURF_STRIDE"sv, 0x5048, access::rw, 0xffffffe0,
     cdma_d_surf_stride_fields_},
    {"CDMA"sv, "D_DAIN_MAP"sv, 0x504c, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CDMA"sv, "D_RESERVED_X_CFG"sv, 0x5050, access::rw, 0x3ff03ff,
     cdma_d_reserved_x_cfg_fields},
    {"CDMA"sv, "D_RESERVED_Y_CFG"sv, 0x5054, access::rw, 0x1f0007,
     cdma_d_reserved_y_cfg_fields},
    {"CDMA"sv, "D_BATCH_NUMBER"sv, 0x5058, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CDMA"sv, "D_BATCH_STRIDE"sv, 0x505c, access::rw, 0xffffffe0,
     cdma_d_batch_stride_fields_},
    {"CDMA"sv, "D_ENTRY_PER_SLICE"sv, 0x5060, access::rw, 0xfff,
     cdma_d_entry_per_slice_fields_},
    {"CDMA"sv, "D_FETCH_GRAIN"sv, 0x5064, access::rw, 0xfff,
     cdma_d_fetch_grain_fields},
    {"CDMA"sv, "D_WEIGHT_FORMAT"sv, 0x5068, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_0"sv, 0x506c, access::rw, 0x3ffff,
     cdma_d_weight_size_0_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_1"sv, 0x5070, access::rw, 0x1fff,
     cdma_d_weight_size_1_fields},
    {"CDMA"sv, "D_WEIGHT_RAM_TYPE"sv, 0x5074, access::rw, 0x1,
     cdma_d_weight_ram_type_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_HIGH"sv, 0x5078, access::rw, 0xffffffff,
     cdma_d_weight_addr_high_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_LOW"sv, 0x507c, access::rw, 0xffffffe0,
     cdma_d_weight_addr_low_fields_},
    {"CDMA"sv, "D_WEIGHT_BYTES"sv, 0x5080, access::rw, 0xffffff80,
     cdma_d_weight_bytes_fields_},
    {"CDMA"sv, "D_WGS_ADDR_HIGH"sv, 0x5084, access::rw, 0xffffffff,
     cdma_d_wgs_addr_high_fields},
    {"CDMA"sv, "D_WGS_ADDR_LOW"sv, 0x5088, access::rw, 0xffffffe0,
     cdma_d_wgs_addr_low_fields_},
    {"CDMA"sv, "D_WMB_ADDR_HIGH"sv, 0x508c, access::rw, 0xffffffff,
     cdma_d_wmb_addr_high_fields},
    {"CDMA"sv, "D_WMB_ADDR_LOW"sv, 0x5090, access::rw, 0xffffffe0,
     cdma_d_wmb_addr_low_fields_},
    {"CDMA"sv, "D_WMB_BYTES"sv, 0x5094, access::rw, 0xfffff80,
     cdma_d_wmb_bytes_fields_},
    {"CDMA"sv, "D_MEAN_FORMAT"sv, 0x5098, access::rw, 0x1,
     cdma_d_mean_format_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_0"sv, 0x509c, access::rw, 0xffffffff,
     cdma_d_mean_global_0_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_1"sv, 0x50a0, access::rw, 0xffffffff,
     cdma_d_mean_global_1_fields},
    {"CDMA"sv, "D_CVT_CFG"sv, 0x50a4, access::rw, 0x3f1,
     cdma_d_cvt_cfg_fields},
    {"CDMA"sv, "D_CVT_OFFSET"sv, 0x50a8, access::rw, 0xffff,
     cdma_d_cvt_offset_fields},
    {"CDMA"sv, "D_CVT_SCALE"sv, 0x50ac, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"CDMA"sv, "D_CONV_STRIDE"sv, 0x50b0, access::rw, 0x70007,
     cdma_d_conv_stride_fields},
    {"CDMA"sv, "D_ZERO_PADDING"sv, 0x50b4, access::rw, 0x3f1f3f1f,
     cdma_d_zero_padding_fields},
    {"CDMA"sv, "D_ZERO_PADDING_VALUE"sv, 0x50b8, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CDMA"sv, "D_BANK"sv, 0x50bc, access::rw, 0xf000f,
     cdma_d_bank_fields_},
    {"CDMA"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0x50c0, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDMA"sv, "D_NAN_INPUT_DATA_NUM"sv, 0x50c4, access::r, 0x0,
     cdma_d_nan_input_data_num_fields},
    {"CDMA"sv, "D_NAN_INPUT_WEIGHT_NUM"sv, 0x50c8, access::r, 0x0,
     cdma_d_nan_input_weight_num_fields},
    {"CDMA"sv, "D_INF_INPUT_DATA_NUM"sv, 0x50cc, access::r, 0x0,
     cdma_d_inf_input_data_num_fields},
    {"CDMA"sv, "D_INF_INPUT_WEIGHT_NUM"sv, 0x50d0, access::r, 0x0,
     cdma_d_inf_input_weight_num_fields},
    {"CDMA"sv, "D_PERF_ENABLE"sv, 0x50d4, access::rw, 0x1,
     cdma_d_perf_enable_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_STALL"sv, 0x50d8, access::r, 0x0,
     cdma_d_perf_dat_read_stall_fields},
    {"CDMA"sv, "D_PERF_WT_READ_STALL"sv, 0x50dc, access::r, 0x0,
     cdma_d_perf_wt_read_stall_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_LATENCY"sv, 0x50e0, access::r, 0x0,
     cdma_d_perf_dat_read_latency_fields},
    {"CDMA"sv, "D_PERF_WT_READ_LATENCY"sv, 0x50e4, access::r, 0x0,
     cdma_d_perf_wt_read_latency_fields},
    {"CDMA"sv, "D_CYA"sv, 0x50e8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CSC"sv, "S_STATUS"sv, 0x6000, access::r, 0x0,
     cdma_s_status_fields},
    {"CSC"sv, "S_POINTER"sv, 0x6004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CSC"sv, "D_OP_ENABLE"sv, 0x6008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CSC"sv, "D_MISC_CFG"sv, 0x600c, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CSC"sv, "D_DATAIN_FORMAT"sv, 0x6010, access::rw, 0x1,
     csc_d_datain_format_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x6014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_1"sv, 0x6018, access::rw, 0x1fff,
     csc_d_datain_size_ext_1_fields},
    {"CSC"sv, "D_BATCH_NUMBER"sv, 0x601c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CSC"sv, "D_POST_Y_EXTENSION"sv, 0x6020, access::rw, 0x3,
     csc_d_post_y_extension_fields},
    {"CSC"sv, "D_ENTRY_PER_SLICE"sv, 0x6024, access::rw, 0xfff,
     cdma_d_entry_per_slice_fields_},
    {"CSC"sv, "D_WEIGHT_FORMAT"sv, 0x6028, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_0"sv, 0x602c, access::rw, 0x1f001f,
     csc_d_weight_size_ext_0_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_1"sv, 0x6030, access::rw, 0x1fff1fff,
     csc_d_weight_size_ext_1_fields},
    {"CSC"sv, "D_WEIGHT_BYTES"sv, 0x6034, access::rw, 0xffffff80,
     cdma_d_weight_bytes_fields_},
    {"CSC"sv, "D_WMB_BYTES"sv, 0x6038, access::rw, 0xfffff80,
     cdma_d_wmb_bytes_fields_},
    {"CSC"sv, "D_DATAOUT_SIZE_0"sv, 0x603c, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_1"sv, 0x6040, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CSC"sv, "D_ATOMICS"sv, 0x6044, access::rw, 0x1fffff,
     csc_d_atomics_fields},
    {"CSC"sv, "D_RELEASE"sv, 0x6048, access::rw, 0xfff,
     csc_d_release_fields},
    {"CSC"sv, "D_CONV_STRIDE_EXT"sv, 0x604c, access::rw, 0x70007,
     csc_d_conv_stride_ext_fields},
    {"CSC"sv, "D_DILATION_EXT"sv, 0x6050, access::rw, 0x1f001f,
     csc_d_dilation_ext_fields},
    {"CSC"sv, "D_ZERO_PADDING"sv, 0x6054, access::rw, 0x1f001f,
     csc_d_zero_padding_fields},
    {"CSC"sv, "D_ZERO_PADDING_VALUE"sv, 0x6058, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CSC"sv, "D_BANK"sv, 0x605c, access::rw, 0xf000f,
     cdma_d_bank_fields_},
    {"CSC"sv, "D_PRA_CFG"sv, 0x6060, access::rw, 0x3,
     csc_d_pra_cfg_fields},
    {"CSC"sv, "D_CYA"sv, 0x6064, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CMAC_A"sv, "S_STATUS"sv, 0x7000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_A"sv, "S_POINTER"sv, 0x7004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_A"sv, "D_OP_ENABLE"sv, 0x7008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_A"sv, "D_MISC_CFG"sv, 0x700c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CMAC_B"sv, "S_STATUS"sv, 0x8000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_B"sv, "S_POINTER"sv, 0x8004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_B"sv, "D_OP_ENABLE"sv, 0x8008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_B"sv, "D_MISC_CFG"sv, 0x800c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "S_STATUS"sv, 0x9000, access::r, 0x0,
     cdma_s_status_fields},
    {"CACC"sv, "S_POINTER"sv, 0x9004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CACC"sv, "D_OP_ENABLE"sv, 0x9008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CACC"sv, "D_MISC_CFG"sv, 0x900c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_0"sv, 0x9010, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_1"sv, 0x9014, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CACC"sv, "D_DATAOUT_ADDR"sv, 0x9018, access::rw, 0xffffffe0,
     cacc_d_dataout_addr_fields_},
    {"CACC"sv, "D_BATCH_NUMBER"sv, 0x901c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CACC"sv, "D_LINE_STRIDE"sv, 0x9020, access::rw, 0xffffe0,
     cacc_d_line_stride_fields_},
    {"CACC"sv, "D_SURF_STRIDE"sv, 0x9024, access::rw, 0xffffe0,
     cacc_d_surf_stride_fields_},
    {"CACC"sv, "D_DATAOUT_MAP"sv, 0x9028, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CACC"sv, "D_CLIP_CFG"sv, 0x902c, access::rw, 0x1f,
     cacc_d_clip_cfg_fields},
    {"CACC"sv, "D_OUT_SATURATION"sv, 0x9030, access::r, 0x0,
     cacc_d_out_saturation_fields},
    {"CACC"sv, "D_CYA"sv, 0x9034, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"SDP_RDMA"sv, "S_STATUS"sv, 0xa000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP_RDMA"sv, "S_POINTER"sv, 0xa004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP_RDMA"sv, "D_OP_ENABLE"sv, 0xa008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xa00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xa010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xa014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xa018, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xa01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xa020, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"SDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xa024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BRDMA_CFG"sv, 0xa028, access::rw, 0x3f,
     sdp_rdma_d_brdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_LOW"sv, 0xa02c, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_HIGH"sv, 0xa030, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BS_LINE_STRIDE"sv, 0xa034, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_line_stride_fields_},
    {"SDP_RDMA"sv, "D_BS_SURFACE_STRIDE"sv, 0xa038, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BS_BATCH_STRIDE"sv, 0xa03c, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_NRDMA_CFG"sv, 0xa040, access::rw, 0x3f,
     sdp_rdma_d_nrdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_LOW"sv, 0xa044, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_HIGH"sv, 0xa048, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BN_LINE_STRIDE"sv, 0xa04c, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_line_stride_fields_},
    {"SDP_RDMA"sv, "D_BN_SURFACE_STRIDE"sv, 0xa050, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BN_BATCH_STRIDE"sv, 0xa054, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_ERDMA_CFG"sv, 0xa058, access::rw, 0x3f,
     sdp_rdma_d_erdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_LOW"sv, 0xa05c, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_HIGH"sv, 0xa060, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_EW_LINE_STRIDE"sv, 0xa064, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_line_stride_fields_},
    {"SDP_RDMA"sv, "D_EW_SURFACE_STRIDE"sv, 0xa068, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_EW_BATCH_STRIDE"sv, 0xa06c, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_FEATURE_MODE_CFG"sv, 0xa070, access::rw, 0x1fff,
     sdp_rdma_d_feature_mode_cfg_fields},
    {"SDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xa074, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"SDP_RDMA"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0xa078, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP_RDMA"sv, "D_STATUS_INF_INPUT_NUM"sv, 0xa07c, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xa080, access::rw, 0x3,
     sdp_rdma_d_perf_enable_fields},
    {"SDP_RDMA"sv, "D_PERF_MRDMA_READ_STALL"sv, 0xa084, access::r, 0x0,
     sdp_rdma_d_perf_mrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_BRDMA_READ_STALL"sv, 0xa088, access::r, 0x0,
     sdp_rdma_d_perf_brdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_NRDMA_READ_STALL"sv, 0xa08c, access::r, 0x0,
     sdp_rdma_d_perf_nrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_ERDMA_READ_STALL"sv, 0xa090, access::r, 0x0,
     sdp_rdma_d_perf_erdma_read_stall_fields},
    {"SDP"sv, "S_STATUS"sv, 0xb000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP"sv, "S_POINTER"sv, 0xb004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP"sv, "S_LUT_ACCESS_CFG"sv, 0xb008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"SDP"sv, "S_LUT_ACCESS_DATA"sv, 0xb00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"SDP"sv, "S_LUT_CFG"sv, 0xb010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"SDP"sv, "S_LUT_INFO"sv, 0xb014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"SDP"sv, "S_LUT_LE_START"sv, 0xb018, access::rw, 0xffffffff,
     sdp_s_lut_le_start_fields},
    {"SDP"sv, "S_LUT_LE_END"sv, 0xb01c, access::rw, 0xffffffff,
     sdp_s_lut_le_end_fields},
    {"SDP"sv, "S_LUT_LO_START"sv, 0xb020, access::rw, 0xffffffff,
     sdp_s_lut_lo_start_fields},
    {"SDP"sv, "S_LUT_LO_END"sv, 0xb024, access::rw, 0xffffffff,
     sdp_s_lut_lo_end_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xb028, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xb02c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xb030, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xb034, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"SDP"sv, "D_OP_ENABLE"sv, 0xb038, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP"sv, "D_DATA_CUBE_WIDTH"sv, 0xb03c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP"sv, "D_DATA_CUBE_HEIGHT"sv, 0xb040, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP"sv, "D_DATA_CUBE_CHANNEL"sv, 0xb044, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xb048, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"SDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xb04c, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"SDP"sv, "D_DST_LINE_STRIDE"sv, 0xb050, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"SDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xb054, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"SDP"sv, "D_DP_BS_CFG"sv, 0xb058, access::rw, 0x7f,
     sdp_d_dp_bs_cfg_fields_},
    {"SDP"sv, "D_DP_BS_ALU_CFG"sv, 0xb05c, access::rw, 0x3f01,
     sdp_d_dp_bs_alu_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_SRC_VALUE"sv, 0xb060, access::rw, 0xffff,
     sdp_d_dp_bs_alu_src_value_fields},
    {"SDP"sv, "D_DP_BS_MUL_CFG"sv, 0xb064, access::rw, 0xff01,
     sdp_d_dp_bs_mul_cfg_fields},
    {"SDP"sv, "D_DP_BS_MUL_SRC_VALUE"sv, 0xb068, access::rw, 0xffff,
     sdp_d_dp_bs_mul_src_value_fields},
    {"SDP"sv, "D_DP_BN_CFG"sv, 0xb06c, access::rw, 0x7f,
     sdp_d_dp_bn_cfg_fields_},
    {"SDP"sv, "D_DP_BN_ALU_CFG"sv, 0xb070, access::rw, 0x3f01,
     sdp_d_dp_bn_alu_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_SRC_VALUE"sv, 0xb074, access::rw, 0xffff,
     sdp_d_dp_bn_alu_src_value_fields},
    {"SDP"sv, "D_DP_BN_MUL_CFG"sv, 0xb078, access::rw, 0xff01,
     sdp_d_dp_bn_mul_cfg_fields},
    {"SDP"sv, "D_DP_BN_MUL_SRC_VALUE"sv, 0xb07c, access::rw, 0xffff,
     sdp_d_dp_bn_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_CFG"sv, 0xb080, access::rw, 0x7f,
     sdp_d_dp_ew_cfg_fields_},
    {"SDP"sv, "D_DP_EW_ALU_CFG"sv, 0xb084, access::rw, 0x3,
     sdp_d_dp_ew_alu_cfg_fields_},
    {"SDP"sv, "D_DP_EW_ALU_SRC_VALUE"sv, 0xb088, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_src_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_OFFSET_VALUE"sv, 0xb08c, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_SCALE_VALUE"sv, 0xb090, access::rw, 0xffff,
     sdp_d_dp_ew_alu_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_TRUNCATE_VALUE"sv, 0xb094, access::rw, 0x3f,
     sdp_d_dp_ew_alu_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CFG"sv, 0xb098, access::rw, 0x3,
     sdp_d_dp_ew_mul_cfg_fields_},
    {"SDP"sv, "D_DP_EW_MUL_SRC_VALUE"sv, 0xb09c, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_OFFSET_VALUE"sv, 0xb0a0, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_SCALE_VALUE"sv, 0xb0a4, access::rw, 0xffff,
     sdp_d_dp_ew_mul_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_TRUNCATE_VALUE"sv, 0xb0a8, access::rw, 0x3f,
     sdp_d_dp_ew_mul_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_TRUNCATE_VALUE"sv, 0xb0ac, access::rw, 0x3ff,
     sdp_d_dp_ew_truncate_value_fields},
    {"SDP"sv, "D_FEATURE_MODE_CFG"sv, 0xb0b0, access::rw, 0x1f0f,
     sdp_d_feature_mode_cfg_fields},
    {"SDP"sv, "D_DST_DMA_CFG"sv, 0xb0b4, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"SDP"sv, "D_DST_BATCH_STRIDE"sv, 0xb0b8, access::rw, 0xffffffe0,
     sdp_d_dst_batch_stride_fields_},
    {"SDP"sv, "D_DATA_FORMAT"sv, 0xb0bc, access::rw, 0xf,
     sdp_d_data_format_fields},
    {"SDP"sv, "D_CVT_OFFSET"sv, 0xb0c0, access::rw, 0xffffffff,
     sdp_d_cvt_offset_fields},
    {"SDP"sv, "D_CVT_SCALE"sv, 0xb0c4, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"SDP"sv, "D_CVT_SHIFT"sv, 0xb0c8, access::rw, 0x3f,
     sdp_d_cvt_shift_fields},
    {"SDP"sv, "D_STATUS"sv, 0xb0cc, access::r, 0x0,
     sdp_d_status_fields},
    {"SDP"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0xb0d0, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP"sv, "D_STATUS_INF_INPUT_NUM"sv, 0xb0d4, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP"sv, "D_STATUS_NAN_OUTPUT_NUM"sv, 0xb0d8, access::r, 0x0,
     sdp_d_status_nan_output_num_fields},
    {"SDP"sv, "D_PERF_ENABLE"sv, 0xb0dc, access::rw, 0xf,
     sdp_d_perf_enable_fields},
    {"SDP"sv, "D_PERF_WDMA_WRITE_STALL"sv, 0xb0e0, access::r, 0x0,
     sdp_d_perf_wdma_write_stall_fields},
    {"SDP"sv, "D_PERF_LUT_UFLOW"sv, 0xb0e4, access::r, 0x0,
     sdp_d_perf_lut_uflow_fields},
    {"SDP"sv, "D_PERF_LUT_OFLOW"sv, 0xb0e8, access::r, 0x0,
     sdp_d_perf_lut_oflow_fields},
    {"SDP"sv, "D_PERF_OUT_SATURATION"sv, 0xb0ec, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"SDP"sv, "D_PERF_LUT_HYBRID"sv, 0xb0f0, access::r, 0x0,
     sdp_d_perf_lut_hybrid_fields},
    {"SDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xb0f4, access::r, 0x0,
     sdp_d_perf_lut_le_hit_fields},
    {"SDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xb0f8, access::r, 0x0,
     sdp_d_perf_lut_lo_hit_fields},
    {"PDP_RDMA"sv, "S_STATUS"sv, 0xc000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP_RDMA"sv, "S_POINTER"sv, 0xc004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP_RDMA"sv, "D_OP_ENABLE"sv, 0xc008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xc00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xc010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xc014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP_RDMA"sv, "D_FLYING_MODE"sv, 0xc018, access::rw, 0x1,
     pdp_rdma_d_flying_mode_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xc01c, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xc020, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xc024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"PDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xc028, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"PDP_RDMA"sv, "D_SRC_RAM_CFG"sv, 0xc02c, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"PDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xc030, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP_RDMA"sv, "D_OPERATION_MODE_CFG"sv, 0xc034, access::rw, 0xff,
     pdp_rdma_d_operation_mode_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_KERNEL_CFG"sv, 0xc038, access::rw, 0xff,
     pdp_rdma_d_pooling_kernel_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_PADDING_CFG"sv, 0xc03c, access::rw, 0xf,
     pdp_rdma_d_pooling_padding_cfg_fields},
    {"PDP_RDMA"sv, "D_PARTIAL_WIDTH_IN"sv, 0xc040, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xc044, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xc048, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"PDP_RDMA"sv, "D_CYA"sv, 0xc04c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"PDP"sv, "S_STATUS"sv, 0xd000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP"sv, "S_POINTER"sv, 0xd004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP"sv, "D_OP_ENABLE"sv, 0xd008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xd00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xd010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xd014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_WIDTH"sv, 0xd018, access::rw, 0x1fff,
     pdp_d_data_cube_out_width_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_HEIGHT"sv, 0xd01c, access::rw, 0x1fff,
     pdp_d_data_cube_out_height_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_CHANNEL"sv, 0xd020, access::rw, 0x1fff,
     pdp_d_data_cube_out_channel_fields},
    {"PDP"sv, "D_OPERATION_MODE_CFG"sv, 0xd024, access::rw, 0xff13,
     pdp_d_operation_mode_cfg_fields},
    {"PDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xd028, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_IN"sv, 0xd02c, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_OUT"sv, 0xd030, access::rw, 0x3fffffff,
     pdp_d_partial_width_out_fields},
    {"PDP"sv, "D_POOLING_KERNEL_CFG"sv, 0xd034, access::rw, 0xff0f0f,
     pdp_d_pooling_kernel_cfg_fields},
    {"PDP"sv, "D_RECIP_KERNEL_WIDTH"sv, 0xd038, access::rw, 0x1ffff,
     pdp_d_recip_kernel_width_fields},
    {"PDP"sv, "D_RECIP_KERNEL_HEIGHT"sv, 0xd03c, access::rw, 0x1ffff,
     pdp_d_recip_kernel_height_fields},
    {"PDP"sv, "D_POOLING_PADDING_CFG"sv, 0xd040, access::rw, 0x7777,
     pdp_d_pooling_padding_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_1_CFG"sv, 0xd044, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_1_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_2_CFG"sv, 0xd048, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_2_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_3_CFG"sv, 0xd04c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_3_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_4_CFG"sv, 0xd050, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_4_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_5_CFG"sv, 0xd054, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_5_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_6_CFG"sv, 0xd058, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_6_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_7_CFG"sv, 0xd05c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_7_cfg_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xd060, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"PDP"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xd064, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP"sv, "D_SRC_LINE_STRIDE"sv, 0xd068, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"PDP"sv, "D_SRC_SURFACE_STRIDE"sv, 0xd06c, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"PDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xd070, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"PDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xd074, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"PDP"sv, "D_DST_LINE_STRIDE"sv, 0xd078, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"PDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xd07c, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"PDP"sv, "D_DST_RAM_CFG"sv, 0xd080, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"PDP"sv, "D_DATA_FORMAT"sv, 0xd084, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP"sv, "D_INF_INPUT_NUM"sv, 0xd088, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"PDP"sv, "D_NAN_INPUT_NUM"sv, 0xd08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"PDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xd090, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"PDP"sv, "D_PERF_ENABLE"sv, 0xd094, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP"sv, "D_PERF_WRITE_STALL"sv, 0xd098, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"PDP"sv, "D_CYA"sv, 0xd09c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP_RDMA"sv, "S_STATUS"sv, 0xe000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP_RDMA"sv, "S_POINTER"sv, 0xe004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP_RDMA"sv, "D_OP_ENABLE"sv, 0xe008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xe00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xe010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xe014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xe018, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xe01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"CDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xe020, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"CDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xe024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"CDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xe028, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"CDP_RDMA"sv, "D_SRC_COMPRESSION_EN"sv, 0xe02c, access::r, 0x0,
     cdp_rdma_d_src_compression_en_fields},
    {"CDP_RDMA"sv, "D_OPERATION_MODE"sv, 0xe030, access::r, 0x0,
     cdp_rdma_d_operation_mode_fields},
    {"CDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xe034, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"CDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xe038, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"CDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xe03c, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"CDP_RDMA"sv, "D_CYA"sv, 0xe040, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP"sv, "S_STATUS"sv, 0xf000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP"sv, "S_POINTER"sv, 0xf004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP"sv, "S_LUT_ACCESS_CFG"sv, 0xf008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"CDP"sv, "S_LUT_ACCESS_DATA"sv, 0xf00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"CDP"sv, "S_LUT_CFG"sv, 0xf010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"CDP"sv, "S_LUT_INFO"sv, 0xf014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"CDP"sv, "S_LUT_LE_START_LOW"sv, 0xf018, access::rw, 0xffffffff,
     cdp_s_lut_le_start_low_fields},
    {"CDP"sv, "S_LUT_LE_START_HIGH"sv, 0xf01c, access::rw, 0x3f,
     cdp_s_lut_le_start_high_fields},
    {"CDP"sv, "S_LUT_LE_END_LOW"sv, 0xf020, access::rw, 0xffffffff,
     cdp_s_lut_le_end_low_fields},
    {"CDP"sv, "S_LUT_LE_END_HIGH"sv, 0xf024, access::rw, 0x3f,
     cdp_s_lut_le_end_high_fields},
    {"CDP"sv, "S_LUT_LO_START_LOW"sv, 0xf028, access::rw, 0xffffffff,
     cdp_s_lut_lo_start_low_fields},
    {"CDP"sv, "S_LUT_LO_START_HIGH"sv, 0xf02c, access::rw, 0x3f,
     cdp_s_lut_lo_start_high_fields},
    {"CDP"sv, "S_LUT_LO_END_LOW"sv, 0xf030, access::rw, 0xffffffff,
     cdp_s_lut_lo_end_low_fields},
    {"CDP"sv, "S_LUT_LO_END_HIGH"sv, 0xf034, access::rw, 0x3f,
     cdp_s_lut_lo_end_high_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xf038, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xf03c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xf040, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xf044, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"CDP"sv, "D_OP_ENABLE"sv, 0xf048, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP"sv, "D_FUNC_BYPASS"sv, 0xf04c, access::rw, 0x3,
     cdp_d_func_bypass_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xf050, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"CDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xf054, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"CDP"sv, "D_DST_LINE_STRIDE"sv, 0xf058, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"CDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xf05c, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"CDP"sv, "D_DST_DMA_CFG"sv, 0xf060, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"CDP"sv, "D_DST_COMPRESSION_EN"sv, 0xf064, access::r, 0x0,
     cdp_d_dst_compression_en_fields},
    {"CDP"sv, "D_DATA_FORMAT"sv, 0xf068, access::rw, 0x3,
     cdp_d_data_format_fields},
    {"CDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xf06c, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDP"sv, "D_LRN_CFG"sv, 0xf070, access::rw, 0x3,
     cdp_d_lrn_cfg_fields},
    {"CDP"sv, "D_DATIN_OFFSET"sv, 0xf074, access::rw, 0xffff,
     cdp_d_datin_offset_fields},
    {"CDP"sv, "D_DATIN_SCALE"sv, 0xf078, access::rw, 0xffff,
     cdp_d_datin_scale_fields},
    {"CDP"sv, "D_DATIN_SHIFTER"sv, 0xf07c, access::rw, 0x1f,
     cdp_d_datin_shifter_fields},
    {"CDP"sv, "D_DATOUT_OFFSET"sv, 0xf080, access::rw, 0xffffffff,
     cdp_d_datout_offset_fields},
    {"CDP"sv, "D_DATOUT_SCALE"sv, 0xf084, access::rw, 0xffff,
     cdp_d_datout_scale_fields},
    {"CDP"sv, "D_DATOUT_SHIFTER"sv, 0xf088, access::rw, 0x3f,
     cdp_d_datout_shifter_fields},
    {"CDP"sv, "D_NAN_INPUT_NUM"sv, 0xf08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"CDP"sv, "D_INF_INPUT_NUM"sv, 0xf090, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"CDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xf094, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"CDP"sv, "D_OUT_SATURATION"sv, 0xf098, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"CDP"sv, "D_PERF_ENABLE"sv, 0xf09c, access::rw, 0x3,
     cdp_d_perf_enable_fields},
    {"CDP"sv, "D_PERF_WRITE_STALL"sv, 0xf0a0, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"CDP"sv, "D_PERF_LUT_UFLOW"sv, 0xf0a4, access::r, 0x0,
     cdp_d_perf_lut_uflow_fields},
    {"CDP"sv, "D_PERF_LUT_OFLOW"sv, 0xf0a8, access::r, 0x0,
     cdp_d_perf_lut_oflow_fields},
    {"CDP"sv, "D_PERF_LUT_HYBRID"sv, 0xf0ac, access::r, 0x0,
     cdp_d_perf_lut_hybrid_fields},
    {"CDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xf0b0, access::r, 0x0,
     cdp_d_perf_lut_le_hit_fields},
    {"CDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xf0b4, access::r, 0x0,
     cdp_d_perf_lut_lo_hit_fields},
    {"CDP"sv, "D_CYA"sv, 0xf0b8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"RBK"sv, "S_STATUS"sv, 0x10000, access::r, 0x0,
     cdma_s_status_fields},
    {"RBK"sv, "S_POINTER"sv, 0x10004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"RBK"sv, "D_OP_ENABLE"sv, 0x10008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"RBK"sv, "D_MISC_CFG"sv, 0x1000c, access::rw, 0x303,
     rbk_d_misc_cfg_fields},
    {"RBK"sv, "D_DAIN_RAM_TYPE"sv, 0x10010, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"RBK"sv, "D_DATAIN_SIZE_0"sv, 0x10014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"RBK"sv, "D_DATAIN_SIZE_1"sv, 0x10018, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"RBK"sv, "D_DAIN_ADDR_HIGH"sv, 0x1001c, access::rw, 0xffffffff,
     rbk_d_dain_addr_high_fields},
    {"RBK"sv, "D_DAIN_ADDR_LOW"sv, 0x10020, access::rw, 0xffffffe0,
     rbk_d_dain_addr_low_fields},
    {"RBK"sv, "D_DAIN_LINE_STRIDE"sv, 0x10024, access::rw, 0xffffffe0,
     rbk_d_dain_line_stride_fields},
    {"RBK"sv, "D_DAIN_SURF_STRIDE"sv, 0x10028, access::rw, 0xffffffe0,
     rbk_d_dain_surf_stride_fields},
    {"RBK"sv, "D_DAIN_PLANAR_STRIDE"sv, 0x1002c, access::rw, 0xffffffe0,
     rbk_d_dain_planar_stride_fields},
    {"RBK"sv, "D_DAOUT_RAM_TYPE"sv, 0x10030, access::rw, 0x1,
     rbk_d_daout_ram_type_fields},
    {"RBK"sv, "D_DATAOUT_SIZE_1"sv, 0x10034, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"RBK"sv, "D_DAOUT_ADDR_HIGH"sv, 0x10038, access::rw, 0xffffffff,
     rbk_d_daout_addr_high_fields},
    {"RBK"sv, "D_DAOUT_ADDR_LOW"sv, 0x1003c, access::rw, 0xffffffe0,
     rbk_d_daout_addr_low_fields},
    {"RBK"sv, "D_DAOUT_LINE_STRIDE"sv, 0x10040, access::rw, 0xffffffe0,
     rbk_d_daout_line_stride_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_0"sv, 0x10044, access::rw, 0xffffffe0,
     rbk_d_contract_stride_0_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_1"sv, 0x10048, access::rw, 0xffffffe0,
     rbk_d_contract_stride_1_fields},
    {"RBK"sv, "D_DAOUT_SURF_STRIDE"sv, 0x1004c, access::rw, 0xffffffe0,
     rbk_d_daout_surf_stride_fields},
    {"RBK"sv, "D_DAOUT_PLANAR_STRIDE"sv, 0x10050, access::rw, 0xffffffe0,
     rbk_d_daout_planar_stride_fields},
    {"RBK"sv, "D_DECONV_STRIDE"sv, 0x10054, access::rw, 0x1f001f,
     rbk_d_deconv_stride_fields},
    {"RBK"sv, "D_PERF_ENABLE"sv, 0x10058, access::rw, 0x1,
     rbk_d_perf_enable_fields},
    {"RBK"sv, "D_PERF_READ_STALL"sv, 0x1005c, access::r, 0x0,
     rbk_d_perf_read_stall_fields},
    {"RBK"sv, "D_PERF_WRITE_STALL"sv, 0x10060, access::r, 0x0,
     rbk_d_perf_write_stall_fields},
};

inline constexpr unit units_full[]{{"GLB"sv, 0, 4}, {"GEC"sv, 4, 32}, {"MCIF"sv, 36, 7},
    {"CVIF"sv, 43, 7}, {"BDMA"sv, 50, 21}, {"CDMA"sv, 71, 59}, {"CSC"sv, 130, 26},
    {"CMAC_A"sv, 156, 4}, {"CMAC_B"sv, 160, 4}, {"CACC"sv, 164, 14}, {"SDP_RDMA"sv, 178, 37},
    {"SDP"sv, 215, 63}, {"PDP_RDMA"sv, 278, 20}, {"PDP"sv, 298, 40}, {"CDP_RDMA"sv, 338, 17},
    {"CDP"sv, 355, 47}, {"RBK"sv, 402, 25}};

}  // namespace nvdlac::hw::detail
// The registers of the small map in the order of their addresses.
// Written by tools/generate_registers.py.

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr reg registers_small[]{
    {"GLB"sv, "S_NVDLA_HW_VERSION"sv, 0x1000, access::r, 0x0,
     glb_s_nvdla_hw_version_fields},
    {"GLB"sv, "S_INTR_MASK"sv, 0x1004, access::rw, 0x3f03ff,
     glb_s_intr_mask_fields},
    {"GLB"sv, "S_INTR_SET"sv, 0x1008, access::w, 0x3f03ff,
     glb_s_intr_set_fields},
    {"GLB"sv, "S_INTR_STATUS"sv, 0x100c, access::rw, 0x3f03ff,
     glb_s_intr_status_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_0"sv, 0x2000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_1"sv, 0x2004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_2"sv, 0x2008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_0"sv, 0x200c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_1"sv, 0x2010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"MCIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x2014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"MCIF"sv, "STATUS"sv, 0x2018, access::r, 0x0,
     mcif_status_fields},
    {"CDMA"sv, "S_STATUS"sv, 0x3000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDMA"sv, "S_POINTER"sv, 0x3004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDMA"sv, "S_ARBITER"sv, 0x3008, access::rw, 0xf000f,
     cdma_s_arbiter_fields},
    {"CDMA"sv, "S_CBUF_FLUSH_STATUS"sv, 0x300c, access::r, 0x0,
     cdma_s_cbuf_flush_status_fields},
    {"CDMA"sv, "D_OP_ENABLE"sv, 0x3010, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDMA"sv, "D_MISC_CFG"sv, 0x3014, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CDMA"sv, "D_DATAIN_FORMAT"sv, 0x3018, access::rw, 0x113f01,
     cdma_d_datain_format_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_0"sv, 0x301c, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_1"sv, 0x3020, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x3024, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CDMA"sv, "D_PIXEL_OFFSET"sv, 0x3028, access::rw, 0x7001f,
     cdma_d_pixel_offset_fields},
    {"CDMA"sv, "D_DAIN_RAM_TYPE"sv, 0x302c, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_0"sv, 0x3030, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_0"sv, 0x3034, access::rw, 0xffffffff,
     cdma_d_dain_addr_low_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_1"sv, 0x3038, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_1_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_1"sv, 0x303c, access::rw, 0xffffffff,
     cdma_d_dain_addr_low_1_fields},
    {"CDMA"sv, "D_LINE_STRIDE"sv, 0x3040, access::rw, 0xffffffff,
     cdma_d_line_stride_fields},
    {"CDMA"sv, "D_LINE_UV_STRIDE"sv, 0x3044, access::rw, 0xffffffff,
     cdma_d_line_uv_stride_fields},
    {"CDMA"sv, "D_SURF_STRIDE"sv, 0x3048, access::rw, 0xffffffff,
     cdma_d_surf_stride_fields},
    {"CDMA"sv, "D_DAIN_MAP"sv, 0x304c, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CDMA"sv, "D_RESERVED_X_CFG"sv, 0x3050, access::rw, 0x3ff03ff,
     cdma_d_reserved_x_cfg_fields},
    {"CDMA"sv, "D_RESERVED_Y_CFG"sv, 0x3054, access::rw, 0x1f0007,
     cdma_d_reserved_y_cfg_fields},
    {"CDMA"sv, "D_BATCH_NUMBER"sv, 0x3058, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CDMA"sv, "D_BATCH_STRIDE"sv, 0x305c, access::rw, 0xffffffff,
     cdma_d_batch_stride_fields},
    {"CDMA"sv, "D_ENTRY_PER_SLICE"sv, 0x3060, access::rw, 0x3fff,
     cdma_d_entry_per_slice_fields},
    {"CDMA"sv, "D_FETCH_GRAIN"sv, 0x3064, access::rw, 0xfff,
     cdma_d_fetch_grain_fields},
    {"CDMA"sv, "D_WEIGHT_FORMAT"sv, 0x3068, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_0"sv, 0x306c, access::rw, 0x3ffff,
     cdma_d_weight_size_0_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_1"sv, 0x3070, access::rw, 0x1fff,
     cdma_d_weight_size_1_fields},
    {"CDMA"sv, "D_WEIGHT_RAM_TYPE"sv, 0x3074, access::rw, 0x1,
     cdma_d_weight_ram_type_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_HIGH"sv, 0x3078, access::rw, 0xffffffff,
     cdma_d_weight_addr_high_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_LOW"sv, 0x307c, access::rw, 0xffffffff,
     cdma_d_weight_addr_low_fields},
    {"CDMA"sv, "D_WEIGHT_BYTES"sv, 0x3080, access::rw, 0xffffffff,
     cdma_d_weight_bytes_fields},
    {"CDMA"sv, "D_WGS_ADDR_HIGH"sv, 0x3084, access::rw, 0xffffffff,
     cdma_d_wgs_addr_high_fields},
    {"CDMA"sv, "D_WGS_ADDR_LOW"sv, 0x3088, access::rw, 0xffffffff,
     cdma_d_wgs_addr_low_fields},
    {"CDMA"sv, "D_WMB_ADDR_HIGH"sv, 0x308c, access::rw, 0xffffffff,
     cdma_d_wmb_addr_high_fields},
    {"CDMA"sv, "D_WMB_ADDR_LOW"sv, 0x3090, access::rw, 0xffffffff,
     cdma_d_wmb_addr_low_fields},
    {"CDMA"sv, "D_WMB_BYTES"sv, 0x3094, access::rw, 0xfffffff,
     cdma_d_wmb_bytes_fields},
    {"CDMA"sv, "D_MEAN_FORMAT"sv, 0x3098, access::rw, 0x1,
     cdma_d_mean_format_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_0"sv, 0x309c, access::rw, 0xffffffff,
     cdma_d_mean_global_0_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_1"sv, 0x30a0, access::rw, 0xffffffff,
     cdma_d_mean_global_1_fields},
    {"CDMA"sv, "D_CVT_CFG"sv, 0x30a4, access::rw, 0x3f1,
     cdma_d_cvt_cfg_fields},
    {"CDMA"sv, "D_CVT_OFFSET"sv, 0x30a8, access::rw, 0xffff,
     cdma_d_cvt_offset_fields},
    {"CDMA"sv, "D_CVT_SCALE"sv, 0x30ac, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"CDMA"sv, "D_CONV_STRIDE"sv, 0x30b0, access::rw, 0x70007,
     cdma_d_conv_stride_fields},
    {"CDMA"sv, "D_ZERO_PADDING"sv, 0x30b4, access::rw, 0x3f1f3f1f,
     cdma_d_zero_padding_fields},
    {"CDMA"sv, "D_ZERO_PADDING_VALUE"sv, 0x30b8, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CDMA"sv, "D_BANK"sv, 0x30bc, access::rw, 0x1f001f,
     cdma_d_bank_fields},
    {"CDMA"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0x30c0, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDMA"sv, "D_NAN_INPUT_DATA_NUM"sv, 0x30c4, access::r, 0x0,
     cdma_d_nan_input_data_num_fields},
    {"CDMA"sv, "D_NAN_INPUT_WEIGHT_NUM"sv, 0x30c8, access::r, 0x0,
     cdma_d_nan_input_weight_num_fields},
    {"CDMA"sv, "D_INF_INPUT_DATA_NUM"sv, 0x30cc, access::r, 0x0,
     cdma_d_inf_input_data_num_fields},
    {"CDMA"sv, "D_INF_INPUT_WEIGHT_NUM"sv, 0x30d0, access::r, 0x0,
     cdma_d_inf_input_weight_num_fields},
    {"CDMA"sv, "D_PERF_ENABLE"sv, 0x30d4, access::rw, 0x1,
     cdma_d_perf_enable_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_STALL"sv, 0x30d8, access::r, 0x0,
     cdma_d_perf_dat_read_stall_fields},
    {"CDMA"sv, "D_PERF_WT_READ_STALL"sv, 0x30dc, access::r, 0x0,
     cdma_d_perf_wt_read_stall_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_LATENCY"sv, 0x30e0, access::r, 0x0,
     cdma_d_perf_dat_read_latency_fields},
    {"CDMA"sv, "D_PERF_WT_READ_LATENCY"sv, 0x30e4, access::r, 0x0,
     cdma_d_perf_wt_read_latency_fields},
    {"CDMA"sv, "D_CYA"sv, 0x30e8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CSC"sv, "S_STATUS"sv, 0x4000, access::r, 0x0,
     cdma_s_status_fields},
    {"CSC"sv, "S_POINTER"sv, 0x4004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CSC"sv, "D_OP_ENABLE"sv, 0x4008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CSC"sv, "D_MISC_CFG"sv, 0x400c, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CSC"sv, "D_DATAIN_FORMAT"sv, 0x4010, access::rw, 0x1,
     csc_d_datain_format_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x4014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_1"sv, 0x4018, access::rw, 0x1fff,
     csc_d_datain_size_ext_1_fields},
    {"CSC"sv, "D_BATCH_NUMBER"sv, 0x401c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CSC"sv, "D_POST_Y_EXTENSION"sv, 0x4020, access::rw, 0x3,
     csc_d_post_y_extension_fields},
    {"CSC"sv, "D_ENTRY_PER_SLICE"sv, 0x4024, access::rw, 0x3fff,
     cdma_d_entry_per_slice_fields},
    {"CSC"sv, "D_WEIGHT_FORMAT"sv, 0x4028, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_0"sv, 0x402c, access::rw, 0x1f001f,
     csc_d_weight_size_ext_0_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_1"sv, 0x4030, access::rw, 0x1fff1fff,
     csc_d_weight_size_ext_1_fields},
    {"CSC"sv, "D_WEIGHT_BYTES"sv, 0x4034, access::rw, 0xffffffff,
     cdma_d_weight_bytes_fields},
    {"CSC"sv, "D_WMB_BYTES"sv, 0x4038, access::rw, 0xfffffff,
     cdma_d_wmb_bytes_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_0"sv, 0x403c, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_1"sv, 0x4040, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CSC"sv, "D_ATOMICS"sv, 0x4044, access::rw, 0x1fffff,
     csc_d_atomics_fields},
    {"CSC"sv, "D_RELEASE"sv, 0x4048, access::rw, 0xfff,
     csc_d_release_fields},
    {"CSC"sv, "D_CONV_STRIDE_EXT"sv, 0x404c, access::rw, 0x70007,
     csc_d_conv_stride_ext_fields},
    {"CSC"sv, "D_DILATION_EXT"sv, 0x4050, access::rw, 0x1f001f,
     csc_d_dilation_ext_fields},
    {"CSC"sv, "D_ZERO_PADDING"sv, 0x4054, access::rw, 0x1f001f,
     csc_d_zero_padding_fields},
    {"CSC"sv, "D_ZERO_PADDING_VALUE"sv, 0x4058, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CSC"sv, "D_BANK"sv, 0x405c, access::rw, 0x1f001f,
     cdma_d_bank_fields},
    {"CSC"sv, "D_PRA_CFG"sv, 0x4060, access::rw, 0x3,
     csc_d_pra_cfg_fields},
    {"CSC"sv, "D_CYA"sv, 0x4064, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CMAC_A"sv, "S_STATUS"sv, 0x5000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_A"sv, "S_POINTER"sv, 0x5004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_A"sv, "D_OP_ENABLE"sv, 0x5008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_A"sv, "D_MISC_CFG"sv, 0x500c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CMAC_B"sv, "S_STATUS"sv, 0x6000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_B"sv, "S_POINTER"sv, 0x6004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_B"sv, "D_OP_ENABLE"sv, 0x6008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_B"sv, "D_MISC_CFG"sv, 0x600c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "S_STATUS"sv, 0x7000, access::r, 0x0,
     cdma_s_status_fields},
    {"CACC"sv, "S_POINTER"sv, 0x7004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CACC"sv, "D_OP_ENABLE"sv, 0x7008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CACC"sv, "D_MISC_CFG"sv, 0x700c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_0"sv, 0x7010, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_1"sv, 0x7014, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CACC"sv, "D_DATAOUT_ADDR"sv, 0x7018, access::rw, 0xffffffff,
     cacc_d_dataout_addr_fields},
    {"CACC"sv, "D_BATCH_NUMBER"sv, 0x701c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CACC"sv, "D_LINE_STRIDE"sv, 0x7020, access::rw, 0xffffff,
     cacc_d_line_stride_fields},
    {"CACC"sv, "D_SURF_STRIDE"sv, 0x7024, access::rw, 0xffffff,
     cacc_d_surf_stride_fields},
    {"CACC"sv, "D_DATAOUT_MAP"sv, 0x7028, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CACC"sv, "D_CLIP_CFG"sv, 0x702c, access::rw, 0x1f,
     cacc_d_clip_cfg_fields},
    {"CACC"sv, "D_OUT_SATURATION"sv, 0x7030, access::r, 0x0,
     cacc_d_out_saturation_fields},
    {"CACC"sv, "D_CYA"sv, 0x7034, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"SDP_RDMA"sv, "S_STATUS"sv, 0x8000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP_RDMA"sv, "S_POINTER"sv, 0x8004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP_RDMA"sv, "D_OP_ENABLE"sv, 0x8008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0x800c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0x8010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0x8014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0x8018, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0x801c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0x8020, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"SDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0x8024, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BRDMA_CFG"sv, 0x8028, access::rw, 0x3f,
     sdp_rdma_d_brdma_cfg_fields},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_LOW"sv, 0x802c, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_HIGH"sv, 0x8030, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BS_LINE_STRIDE"sv, 0x8034, access::rw, 0xffffffff,
     sdp_rdma_d_bs_line_stride_fields},
    {"SDP_RDMA"sv, "D_BS_SURFACE_STRIDE"sv, 0x8038, access::rw, 0xffffffff,
     sdp_rdma_d_bs_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BS_BATCH_STRIDE"sv, 0x803c, access::rw, 0xffffffff,
     sdp_rdma_d_bs_batch_stride_fields},
    {"SDP_RDMA"sv, "D_NRDMA_CFG"sv, 0x8040, access::rw, 0x3f,
     sdp_rdma_d_nrdma_cfg_fields},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_LOW"sv, 0x8044, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_HIGH"sv, 0x8048, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BN_LINE_STRIDE"sv, 0x804c, access::rw, 0xffffffff,
     sdp_rdma_d_bn_line_stride_fields},
    {"SDP_RDMA"sv, "D_BN_SURFACE_STRIDE"sv, 0x8050, access::rw, 0xffffffff,
     sdp_rdma_d_bn_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BN_BATCH_STRIDE"sv, 0x8054, access::rw, 0xffffffff,
     sdp_rdma_d_bn_batch_stride_fields},
    {"SDP_RDMA"sv, "D_ERDMA_CFG"sv, 0x8058, access::rw, 0x3f,
     sdp_rdma_d_erdma_cfg_fields},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_LOW"sv, 0x805c, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_HIGH"sv, 0x8060, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_EW_LINE_STRIDE"sv, 0x8064, access::rw, 0xffffffff,
     sdp_rdma_d_ew_line_stride_fields},
    {"SDP_RDMA"sv, "D_EW_SURFACE_STRIDE"sv, 0x8068, access::rw, 0xffffffff,
     sdp_rdma_d_ew_surface_stride_fields},
    {"SDP_RDMA"sv, "D_EW_BATCH_STRIDE"sv, 0x806c, access::rw, 0xffffffff,
     sdp_rdma_d_ew_batch_stride_fields},
    {"SDP_RDMA"sv, "D_FEATURE_MODE_CFG"sv, 0x8070, access::rw, 0x1fff,
     sdp_rdma_d_feature_mode_cfg_fields},
    {"SDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0x8074, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"SDP_RDMA"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0x8078, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP_RDMA"sv, "D_STATUS_INF_INPUT_NUM"sv, 0x807c, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP_RDMA"sv, "D_PERF_ENABLE"sv, 0x8080, access::rw, 0x3,
     sdp_rdma_d_perf_enable_fields},
    {"SDP_RDMA"sv, "D_PERF_MRDMA_READ_STALL"sv, 0x8084, access::r, 0x0,
     sdp_rdma_d_perf_mrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_BRDMA_READ_STALL"sv, 0x8088, access::r, 0x0,
     sdp_rdma_d_perf_brdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_NRDMA_READ_STALL"sv, 0x808c, access::r, 0x0,
     sdp_rdma_d_perf_nrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_ERDMA_READ_STALL"sv, 0x8090, access::r, 0x0,
     sdp_rdma_d_perf_erdma_read_stall_fields},
    {"SDP"sv, "S_STATUS"sv, 0x9000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP"sv, "S_POINTER"sv, 0x9004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP"sv, "S_LUT_ACCESS_CFG"sv, 0x9008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"SDP"sv, "S_LUT_ACCESS_DATA"sv, 0x900c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"SDP"sv, "S_LUT_CFG"sv, 0x9010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"SDP"sv, "S_LUT_INFO"sv, 0x9014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"SDP"sv, "S_LUT_LE_START"sv, 0x9018, access::rw, 0xffffffff,
     sdp_s_lut_le_start_fields},
    {"SDP"sv, "S_LUT_LE_END"sv, 0x901c, access::rw, 0xffffffff,
     sdp_s_lut_le_end_fields},
    {"SDP"sv, "S_LUT_LO_START"sv, 0x9020, access::rw, 0xffffffff,
     sdp_s_lut_lo_start_fields},
    {"SDP"sv, "S_LUT_LO_END"sv, 0x9024, access::rw, 0xffffffff,
     sdp_s_lut_lo_end_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0x9028, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0x902c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0x9030, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0x9034, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"SDP"sv, "D_OP_ENABLE"sv, 0x9038, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP"sv, "D_DATA_CUBE_WIDTH"sv, 0x903c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP"sv, "D_DATA_CUBE_HEIGHT"sv, 0x9040, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP"sv, "D_DATA_CUBE_CHANNEL"sv, 0x9044, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0x9048, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0x904c, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"SDP"sv, "D_DST_LINE_STRIDE"sv, 0x9050, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"SDP"sv, "D_DST_SURFACE_STRIDE"sv, 0x9054, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"SDP"sv, "D_DP_BS_CFG"sv, 0x9058, access::rw, 0x7f,
     sdp_d_dp_bs_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_CFG"sv, 0x905c, access::rw, 0x3f01,
     sdp_d_dp_bs_alu_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_SRC_VALUE"sv, 0x9060, access::rw, 0xffff,
     sdp_d_dp_bs_alu_src_value_fields},
    {"SDP"sv, "D_DP_BS_MUL_CFG"sv, 0x9064, access::rw, 0xff01,
     sdp_d_dp_bs_mul_cfg_fields},
    {"SDP"sv, "D_DP_BS_MUL_SRC_VALUE"sv, 0x9068, access::rw, 0xffff,
     sdp_d_dp_bs_mul_src_value_fields},
    {"SDP"sv, "D_DP_BN_CFG"sv, 0x906c, access::rw, 0x7f,
     sdp_d_dp_bn_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_CFG"sv, 0x9070, access::rw, 0x3f01,
     sdp_d_dp_bn_alu_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_SRC_VALUE"sv, 0x9074, access::rw, 0xffff,
     sdp_d_dp_bn_alu_src_value_fields},
    {"SDP"sv, "D_DP_BN_MUL_CFG"sv, 0x9078, access::rw, 0xff01,
     sdp_d_dp_bn_mul_cfg_fields},
    {"SDP"sv, "D_DP_BN_MUL_SRC_VALUE"sv, 0x907c, access::rw, 0xffff,
     sdp_d_dp_bn_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_CFG"sv, 0x9080, access::rw, 0x7f,
     sdp_d_dp_ew_cfg_fields},
    {"SDP"sv, "D_DP_EW_ALU_CFG"sv, 0x9084, access::rw, 0x3,
     sdp_d_dp_ew_alu_cfg_fields},
    {"SDP"sv, "D_DP_EW_ALU_SRC_VALUE"sv, 0x9088, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_src_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_OFFSET_VALUE"sv, 0x908c, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_SCALE_VALUE"sv, 0x9090, access::rw, 0xffff,
     sdp_d_dp_ew_alu_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_TRUNCATE_VALUE"sv, 0x9094, access::rw, 0x3f,
     sdp_d_dp_ew_alu_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CFG"sv, 0x9098, access::rw, 0x3,
     sdp_d_dp_ew_mul_cfg_fields},
    {"SDP"sv, "D_DP_EW_MUL_SRC_VALUE"sv, 0x909c, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_OFFSET_VALUE"sv, 0x90a0, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_SCALE_VALUE"sv, 0x90a4, access::rw, 0xffff,
     sdp_d_dp_ew_mul_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_TRUNCATE_VALUE"sv, 0x90a8, access::rw, 0x3f,
     sdp_d_dp_ew_mul_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_TRUNCATE_VALUE"sv, 0x90ac, access::rw, 0x3ff,
     sdp_d_dp_ew_truncate_value_fields},
    {"SDP"sv, "D_FEATURE_MODE_CFG"sv, 0x90b0, access::rw, 0x1f0f,
     sdp_d_feature_mode_cfg_fields},
    {"SDP"sv, "D_DST_DMA_CFG"sv, 0x90b4, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"SDP"sv, "D_DST_BATCH_STRIDE"sv, 0x90b8, access::rw, 0xffffffff,
     sdp_d_dst_batch_stride_fields},
    {"SDP"sv, "D_DATA_FORMAT"sv, 0x90bc, access::rw, 0xf,
     sdp_d_data_format_fields},
    {"SDP"sv, "D_CVT_OFFSET"sv, 0x90c0, access::rw, 0xffffffff,
     sdp_d_cvt_offset_fields},
    {"SDP"sv, "D_CVT_SCALE"sv, 0x90c4, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"SDP"sv, "D_CVT_SHIFT"sv, 0x90c8, access::rw, 0x3f,
     sdp_d_cvt_shift_fields},
    {"SDP"sv, "D_STATUS"sv, 0x90cc, access::r, 0x0,
     sdp_d_status_fields},
    {"SDP"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0x90d0, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP"sv, "D_STATUS_INF_INPUT_NUM"sv, 0x90d4, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP"sv, "D_STATUS_NAN_OUTPUT_NUM"sv, 0x90d8, access::r, 0x0,
     sdp_d_status_nan_output_num_fields},
    {"SDP"sv, "D_PERF_ENABLE"sv, 0x90dc, access::rw, 0xf,
     sdp_d_perf_enable_fields},
    {"SDP"sv, "D_PERF_WDMA_WRITE_STALL"sv, 0x90e0, access::r, 0x0,
     sdp_d_perf_wdma_write_stall_fields},
    {"SDP"sv, "D_PERF_LUT_UFLOW"sv, 0x90e4, access::r, 0x0,
     sdp_d_perf_lut_uflow_fields},
    {"SDP"sv, "D_PERF_LUT_OFLOW"sv, 0x90e8, access::r, 0x0,
     sdp_d_perf_lut_oflow_fields},
    {"SDP"sv, "D_PERF_OUT_SATURATION"sv, 0x90ec, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"SDP"sv, "D_PERF_LUT_HYBRID"sv, 0x90f0, access::r, 0x0,
     sdp_d_perf_lut_hybrid_fields},
    {"SDP"sv, "D_PERF_LUT_LE_HIT"sv, 0x90f4, access::r, 0x0,
     sdp_d_perf_lut_le_hit_fields},
    {"SDP"sv, "D_PERF_LUT_LO_HIT"sv, 0x90f8, access::r, 0x0,
     sdp_d_perf_lut_lo_hit_fields},
    {"PDP_RDMA"sv, "S_STATUS"sv, 0xa000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP_RDMA"sv, "S_POINTER"sv, 0xa004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP_RDMA"sv, "D_OP_ENABLE"sv, 0xa008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xa00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xa010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xa014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP_RDMA"sv, "D_FLYING_MODE"sv, 0xa018, access::rw, 0x1,
     pdp_rdma_d_flying_mode_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xa01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xa020, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xa024, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"PDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xa028, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"PDP_RDMA"sv, "D_SRC_RAM_CFG"sv, 0xa02c, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"PDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xa030, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP_RDMA"sv, "D_OPERATION_MODE_CFG"sv, 0xa034, access::rw, 0xff,
     pdp_rdma_d_operation_mode_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_KERNEL_CFG"sv, 0xa038, access::rw, 0xff,
     pdp_rdma_d_pooling_kernel_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_PADDING_CFG"sv, 0xa03c, access::rw, 0xf,
     pdp_rdma_d_pooling_padding_cfg_fields},
    {"PDP_RDMA"sv, "D_PARTIAL_WIDTH_IN"sv, 0xa040, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xa044, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xa048, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"PDP_RDMA"sv, "D_CYA"sv, 0xa04c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"PDP"sv, "S_STATUS"sv, 0xb000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP"sv, "S_POINTER"sv, 0xb004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP"sv, "D_OP_ENABLE"sv, 0xb008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xb00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xb010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xb014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_WIDTH"sv, 0xb018, access::rw, 0x1fff,
     pdp_d_data_cube_out_width_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_HEIGHT"sv, 0xb01c, access::rw, 0x1fff,
     pdp_d_data_cube_out_height_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_CHANNEL"sv, 0xb020, access::rw, 0x1fff,
     pdp_d_data_cube_out_channel_fields},
    {"PDP"sv, "D_OPERATION_MODE_CFG"sv, 0xb024, access::rw, 0xff13,
     pdp_d_operation_mode_cfg_fields},
    {"PDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xb028, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_IN"sv, 0xb02c, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_OUT"sv, 0xb030, access::rw, 0x3fffffff,
     pdp_d_partial_width_out_fields},
    {"PDP"sv, "D_POOLING_KERNEL_CFG"sv, 0xb034, access::rw, 0xff0f0f,
     pdp_d_pooling_kernel_cfg_fields},
    {"PDP"sv, "D_RECIP_KERNEL_WIDTH"sv, 0xb038, access::rw, 0x1ffff,
     pdp_d_recip_kernel_width_fields},
    {"PDP"sv, "D_RECIP_KERNEL_HEIGHT"sv, 0xb03c, access::rw, 0x1ffff,
     pdp_d_recip_kernel_height_fields},
    {"PDP"sv, "D_POOLING_PADDING_CFG"sv, 0xb040, access::rw, 0x7777,
     pdp_d_pooling_padding_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_1_CFG"sv, 0xb044, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_1_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_2_CFG"sv, 0xb048, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_2_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_3_CFG"sv, 0xb04c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_3_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_4_CFG"sv, 0xb050, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_4_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_5_CFG"sv, 0xb054, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_5_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_6_CFG"sv, 0xb058, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_6_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_7_CFG"sv, 0xb05c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_7_cfg_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xb060, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xb064, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP"sv, "D_SRC_LINE_STRIDE"sv, 0xb068, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"PDP"sv, "D_SRC_SURFACE_STRIDE"sv, 0xb06c, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"PDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xb070, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"PDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xb074, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"PDP"sv, "D_DST_LINE_STRIDE"sv, 0xb078, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"PDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xb07c, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"PDP"sv, "D_DST_RAM_CFG"sv, 0xb080, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"PDP"sv, "D_DATA_FORMAT"sv, 0xb084, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP"sv, "D_INF_INPUT_NUM"sv, 0xb088, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"PDP"sv, "D_NAN_INPUT_NUM"sv, 0xb08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"PDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xb090, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"PDP"sv, "D_PERF_ENABLE"sv, 0xb094, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP"sv, "D_PERF_WRITE_STALL"sv, 0xb098, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"PDP"sv, "D_CYA"sv, 0xb09c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP_RDMA"sv, "S_STATUS"sv, 0xc000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP_RDMA"sv, "S_POINTER"sv, 0xc004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP_RDMA"sv, "D_OP_ENABLE"sv, 0xc008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xc00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xc010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xc014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xc018, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xc01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"CDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xc020, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"CDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xc024, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"CDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xc028, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"CDP_RDMA"sv, "D_SRC_COMPRESSION_EN"sv, 0xc02c, access::r, 0x0,
     cdp_rdma_d_src_compression_en_fields},
    {"CDP_RDMA"sv, "D_OPERATION_MODE"sv, 0xc030, access::r, 0x0,
     cdp_rdma_d_operation_mode_fields},
    {"CDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xc034, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"CDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xc038, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"CDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xc03c, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"CDP_RDMA"sv, "D_CYA"sv, 0xc040, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP"sv, "S_STATUS"sv, 0xd000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP"sv, "S_POINTER"sv, 0xd004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP"sv, "S_LUT_ACCESS_CFG"sv, 0xd008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"CDP"sv, "S_LUT_ACCESS_DATA"sv, 0xd00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"CDP"sv, "S_LUT_CFG"sv, 0xd010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"CDP"sv, "S_LUT_INFO"sv, 0xd014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"CDP"sv, "S_LUT_LE_START_LOW"sv, 0xd018, access::rw, 0xffffffff,
     cdp_s_lut_le_start_low_fields},
    {"CDP"sv, "S_LUT_LE_START_HIGH"sv, 0xd01c, access::rw, 0x3f,
     cdp_s_lut_le_start_high_fields},
    {"CDP"sv, "S_LUT_LE_END_LOW"sv, 0xd020, access::rw, 0xffffffff,
     cdp_s_lut_le_end_low_fields},
    {"CDP"sv, "S_LUT_LE_END_HIGH"sv, 0xd024, access::rw, 0x3f,
     cdp_s_lut_le_end_high_fields},
    {"CDP"sv, "S_LUT_LO_START_LOW"sv, 0xd028, access::rw, 0xffffffff,
     cdp_s_lut_lo_start_low_fields},
    {"CDP"sv, "S_LUT_LO_START_HIGH"sv, 0xd02c, access::rw, 0x3f,
     cdp_s_lut_lo_start_high_fields},
    {"CDP"sv, "S_LUT_LO_END_LOW"sv, 0xd030, access::rw, 0xffffffff,
     cdp_s_lut_lo_end_low_fields},
    {"CDP"sv, "S_LUT_LO_END_HIGH"sv, 0xd034, access::rw, 0x3f,
     cdp_s_lut_lo_end_high_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xd038, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xd03c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xd040, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xd044, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"CDP"sv, "D_OP_ENABLE"sv, 0xd048, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP"sv, "D_FUNC_BYPASS"sv, 0xd04c, access::rw, 0x3,
     cdp_d_func_bypass_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xd050, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xd054, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"CDP"sv, "D_DST_LINE_STRIDE"sv, 0xd058, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"CDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xd05c, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"CDP"sv, "D_DST_DMA_CFG"sv, 0xd060, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"CDP"sv, "D_DST_COMPRESSION_EN"sv, 0xd064, access::r, 0x0,
     cdp_d_dst_compression_en_fields},
    {"CDP"sv, "D_DATA_FORMAT"sv, 0xd068, access::rw, 0x3,
     cdp_d_data_format_fields},
    {"CDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xd06c, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDP"sv, "D_LRN_CFG"sv, 0xd070, access::rw, 0x3,
     cdp_d_lrn_cfg_fields},
    {"CDP"sv, "D_DATIN_OFFSET"sv, 0xd074, access::rw, 0xffff,
     cdp_d_datin_offset_fields},
    {"CDP"sv, "D_DATIN_SCALE"sv, 0xd078, access::rw, 0xffff,
     cdp_d_datin_scale_fields},
    {"CDP"sv, "D_DATIN_SHIFTER"sv, 0xd07c, access::rw, 0x1f,
     cdp_d_datin_shifter_fields},
    {"CDP"sv, "D_DATOUT_OFFSET"sv, 0xd080, access::rw, 0xffffffff,
     cdp_d_datout_offset_fields},
    {"CDP"sv, "D_DATOUT_SCALE"sv, 0xd084, access::rw, 0xffff,
     cdp_d_datout_scale_fields},
    {"CDP"sv, "D_DATOUT_SHIFTER"sv, 0xd088, access::rw, 0x3f,
     cdp_d_datout_shifter_fields},
    {"CDP"sv, "D_NAN_INPUT_NUM"sv, 0xd08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"CDP"sv, "D_INF_INPUT_NUM"sv, 0xd090, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"CDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xd094, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"CDP"sv, "D_OUT_SATURATION"sv, 0xd098, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"CDP"sv, "D_PERF_ENABLE"sv, 0xd09c, access::rw, 0x3,
     cdp_d_perf_enable_fields},
    {"CDP"sv, "D_PERF_WRITE_STALL"sv, 0xd0a0, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"CDP"sv, "D_PERF_LUT_UFLOW"sv, 0xd0a4, access::r, 0x0,
     cdp_d_perf_lut_uflow_fields},
    {"CDP"sv, "D_PERF_LUT_OFLOW"sv, 0xd0a8, access::r, 0x0,
     cdp_d_perf_lut_oflow_fields},
    {"CDP"sv, "D_PERF_LUT_HYBRID"sv, 0xd0ac, access::r, 0x0,
     cdp_d_perf_lut_hybrid_fields},
    {"CDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xd0b0, access::r, 0x0,
     cdp_d_perf_lut_le_hit_fields},
    {"CDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xd0b4, access::r, 0x0,
     cdp_d_perf_lut_lo_hit_fields},
    {"CDP"sv, "D_CYA"sv, 0xd0b8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"GEC"sv, "FEATURE"sv, 0xe000, access::r, 0x0,
     gec_feature_fields},
    {"GEC"sv, "SWRESET"sv, 0xe004, access::w, 0x1,
     gec_swreset_fields},
    {"GEC"sv, "MISSIONERR_TYPE"sv, 0xe008, access::r, 0x0,
     gec_missionerr_type_fields},
    {"GEC"sv, "CURRENT_COUNTER_VALUE"sv, 0xe00c, access::r, 0x0,
     gec_current_counter_value_fields},
    {"GEC"sv, "MISSIONERR_INDEX"sv, 0xe014, access::rw, 0x7f,
     gec_missionerr_index_fields},
    {"GEC"sv, "CORRECTABLE_THRESHOLD"sv, 0xe018, access::rw, 0xff,
     gec_correctable_threshold_fields},
    {"GEC"sv, "MISSIONERR_INJECT_UNLOCK"sv, 0xe01c, access::rw, 0xff,
     gec_missionerr_inject_unlock_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_ENABLE"sv, 0xe030, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_FORCE"sv, 0xe034, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_STATUS"sv, 0xe038, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_INJECT"sv, 0xe03c, access::rw, 0xffff81ff,
     gec_errslice0_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_ENABLE"sv, 0xe040, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_FORCE"sv, 0xe044, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_STATUS"sv, 0xe048, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_COUNTER_RELOAD"sv, 0xe050, access::w, 0xffffffff,
     gec_errslice0_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ENABLE"sv, 0xe060, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_FORCE"sv, 0xe064, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_STATUS"sv, 0xe068, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_INJECT"sv, 0xe06c, access::rw, 0xffffffff,
     gec_errslice1_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_ENABLE"sv, 0xe070, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_FORCE"sv, 0xe074, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_STATUS"sv, 0xe078, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_COUNTER_RELOAD"sv, 0xe080, access::w, 0xffffffff,
     gec_errslice1_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ECC_CORRECTION_DIS"sv, 0xe084, access::rw, 0x80000000,
     gec_errslice1_missionerr_ecc_correction_dis_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_ENABLE"sv, 0xe090, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_FORCE"sv, 0xe094, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_STATUS"sv, 0xe098, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_INJECT"sv, 0xe09c, access::rw, 0x3,
     gec_errslice2_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_ENABLE"sv, 0xe0a0, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_FORCE"sv, 0xe0a4, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_STATUS"sv, 0xe0a8, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_COUNTER_RELOAD"sv, 0xe0b0, access::w, 0xf,
     gec_errslice2_counter_reload_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_0"sv, 0xf000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_1"sv, 0xf004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_2"sv, 0xf008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_0"sv, 0xf00c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_1"sv, 0xf010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"CVIF"sv, "CFG_OUTSTANDING_CNT"sv, 0xf014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"CVIF"sv, "STATUS"sv, 0xf018, access::r, 0x0,
     mcif_status_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_LOW"sv, 0x10000, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_HIGH"sv, 0x10004, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_DST_ADDR_LOW"sv, 0x10008, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_DST_ADDR_HIGH"sv, 0x1000c, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_LINE"sv, 0x10010, access::rw, 0x1fff,
     bdma_cfg_line_fields},
    {"BDMA"sv, "CFG_CMD"sv, 0x10014, access::rw, 0x3,
     bdma_cfg_cmd_fields},
    {"BDMA"sv, "CFG_LINE_REPEAT"sv, 0x10018, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_LINE"sv, 0x1001c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_LINE"sv, 0x10020, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_SURF_REPEAT"sv, 0x10024, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_SURF"sv, 0x10028, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_SURF"sv, 0x1002c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_OP"sv, 0x10030, access::rw, 0x1,
     bdma_cfg_op_fields},
    {"BDMA"sv, "CFG_LAUNCH0"sv, 0x10034, access::rw, 0x1,
     bdma_cfg_launch0_fields},
    {"BDMA"sv, "CFG_LAUNCH1"sv, 0x10038, access::rw, 0x1,
     bdma_cfg_launch1_fields},
    {"BDMA"sv, "CFG_STATUS"sv, 0x1003c, access::rw, 0x1,
     bdma_cfg_status_fields},
    {"BDMA"sv, "STATUS"sv, 0x10040, access::r, 0x0,
     bdma_status_fields},
    {"BDMA"sv, "STATUS_GRP0_READ_STALL"sv, 0x10044, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP0_WRITE_STALL"sv, 0x10048, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_READ_STALL"sv, 0x1004c, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_WRITE_STALL"sv, 0x10050, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"RBK"sv, "S_STATUS"sv, 0x11000, access::r, 0x0,
     cdma_s_status_fields},
    {"RBK"sv, "S_POINTER"sv, 0x11004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"RBK"sv, "D_OP_ENABLE"sv, 0x11008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"RBK"sv, "D_MISC_CFG"sv, 0x1100c, access::rw, 0x303,
     rbk_d_misc_cfg_fields},
    {"RBK"sv, "D_DAIN_RAM_TYPE"sv, 0x11010, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"RBK"sv, "D_DATAIN_SIZE_0"sv, 0x11014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"RBK"sv, "D_DATAIN_SIZE_1"sv, 0x11018, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"RBK"sv, "D_DAIN_ADDR_HIGH"sv, 0x1101c, access::rw, 0xffffffff,
     rbk_d_dain_addr_high_fields},
    {"RBK"sv, "D_DAIN_ADDR_LOW"sv, 0x11020, access::rw, 0xffffffe0,
     rbk_d_dain_addr_low_fields},
    {"RBK"sv, "D_DAIN_LINE_STRIDE"sv, 0x11024, access::rw, 0xffffffe0,
     rbk_d_dain_line_stride_fields},
    {"RBK"sv, "D_DAIN_SURF_STRIDE"sv, 0x11028, access::rw, 0xffffffe0,
     rbk_d_dain_surf_stride_fields},
    {"RBK"sv, "D_DAIN_PLANAR_STRIDE"sv, 0x1102c, access::rw, 0xffffffe0,
     rbk_d_dain_planar_stride_fields},
    {"RBK"sv, "D_DAOUT_RAM_TYPE"sv, 0x11030, access::rw, 0x1,
     rbk_d_daout_ram_type_fields},
    {"RBK"sv, "D_DATAOUT_SIZE_1"sv, 0x11034, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"RBK"sv, "D_DAOUT_ADDR_HIGH"sv, 0x11038, access::rw, 0xffffffff,
     rbk_d_daout_addr_high_fields},
    {"RBK"sv, "D_DAOUT_ADDR_LOW"sv, 0x1103c, access::rw, 0xffffffe0,
     rbk_d_daout_addr_low_fields},
    {"RBK"sv, "D_DAOUT_LINE_STRIDE"sv, 0x11040, access::rw, 0xffffffe0,
     rbk_d_daout_line_stride_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_0"sv, 0x11044, access::rw, 0xffffffe0,
     rbk_d_contract_stride_0_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_1"sv, 0x11048, access::rw, 0xffffffe0,
     rbk_d_contract_stride_1_fields},
    {"RBK"sv, "D_DAOUT_SURF_STRIDE"sv, 0x1104c, access::rw, 0xffffffe0,
     rbk_d_daout_surf_stride_fields},
    {"RBK"sv, "D_DAOUT_PLANAR_STRIDE"sv, 0x11050, access::rw, 0xffffffe0,
     rbk_d_daout_planar_stride_fields},
    {"RBK"sv, "D_DECONV_STRIDE"sv, 0x11054, access::rw, 0x1f001f,
     rbk_d_deconv_stride_fields},
    {"RBK"sv, "D_PERF_ENABLE"sv, 0x11058, access::rw, 0x1,
     rbk_d_perf_enable_fields},
    {"RBK"sv, "D_PERF_READ_STALL"sv, 0x1105c, access::r, 0x0,
     rbk_d_perf_read_stall_fields},
    {"RBK"sv, "D_PERF_WRITE_STALL"sv, 0x11060, access::r, 0x0,
     rbk_d_perf_write_stall_fields},
};

inline constexpr unit units_small[]{{"GLB"sv, 0, 4}, {"MCIF"sv, 4, 7}, {"CDMA"sv, 11, 59},
    {"CSC"sv, 70, 26}, {"CMAC_A"sv, 96, 4}, {"CMAC_B"sv, 100, 4}, {"CACC"sv, 104, 14},
    {"SDP_RDMA"sv, 118, 37}, {"SDP"sv, 155, 63}, {"PDP_RDMA"sv, 218, 20}, {"PDP"sv, 238, 40},
    {"CDP_RDMA"sv, 278, 17}, {"CDP"sv, 295, 47}, {"GEC"sv, 342, 32}, {"CVIF"sv, 374, 7},
    {"BDMA"sv, 381, 21}, {"RBK"sv, 402, 25}};

}  // namespace nvdlac::hw::detail

namespace nvdlac::hw {

// All registers of a map in the order of their addresses.
constexpr std::span<const reg> registers(register_map map) {
  if (map == register_map::small) return detail::registers_small;
  return detail::registers_full;
}

// The units of a map in the order of their addresses.
constexpr std::span<const unit> units(register_map map) {
  if (map == register_map::small) return detail::units_small;
  return detail::units_full;
}

namespace detail {

// Shorter for the compiler than operator== of string_view, which it calls often.
constexpr bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = a.size(); i-- > 0;)  // the ends of the names differ most
    if (a[i] != b[i]) return false;
  return true;
}

// Cuts the part before the next dot off the path.
constexpr std::string_view next_part(std::string_view& path) {
  const auto part = path.substr(0, path.find('.'));
  path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
  return part;
}

constexpr const reg* find_part(register_map map, std::string_view& path) {
  const auto unit_name = next_part(path);
  const auto name = next_part(path);
  for (const auto& u : units(map))
    if (same(u.name, unit_name))
      for (const auto& r : registers(map).subspan(u.first, u.count))
        if (same(r.name, name)) return &r;
  return nullptr;
}

}  // namespace detail

// The register UNIT.REGISTER, or null.
constexpr const reg* find(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  return path.empty() ? r : nullptr;
}

// The register at an address in bytes from the base of NVDLA, or null.
constexpr const reg* find(register_map map, std::uint32_t address) {
  const auto all = registers(map);
  const auto r = std::ranges::lower_bound(all, address, {}, &reg::address);
  return r != all.end() && r->address == address ? &*r : nullptr;
}

// The field UNIT.REGISTER.FIELD, or null. UNIT.REGISTER names the field of a register with one.
constexpr const field* find_field(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  if (r == nullptr) return nullptr;
  if (path.empty()) return r->fields.size() == 1 ? r->fields.data() : nullptr;
  for (const auto& f : r->fields)
    if (detail::same(f.name, path)) return &f;
  return nullptr;
}

constexpr const enumerator* find_value(const field& f, std::string_view name) {
  for (const auto& v : f.values)
    if (detail::same(v.name, name)) return &v;
  return nullptr;
}

namespace detail {

template <register_map Map, fixed_string Path>
consteval const reg& checked_register() {
  constexpr const reg* r = find(Map, Path.view());
  static_assert(r != nullptr, "nvdlac: no such register; names are UNIT.REGISTER");
  return r != nullptr ? *r : registers(Map).front();
}

template <register_map Map, fixed_string Path>
consteval const field& checked_field() {
  constexpr const field* f = find_field(Map, Path.view());
  static_assert(f != nullptr, "nvdlac: no such register field; names are UNIT.REGISTER.FIELD");
  return f != nullptr ? *f : registers(Map).front().fields.front();
}

template <register_map Map, fixed_string Path, fixed_string Name>
consteval std::uint32_t checked_value() {
  constexpr const enumerator* v = find_value(checked_field<Map, Path>(), Name.view());
  static_assert(v != nullptr, "nvdlac: the register field has no value of this name");
  return v != nullptr ? v->value : 0;
}

}  // namespace detail

// The address of UNIT.REGISTER in bytes from the base of NVDLA. A wrong name does not compile.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t address = detail::checked_register<Map, Path>().address;

// The register UNIT.REGISTER.
template <register_map Map, fixed_string Path>
inline constexpr const reg& register_of = detail::checked_register<Map, Path>();

// The field UNIT.REGISTER.FIELD, or UNIT.REGISTER if the register has one field.
template <register_map Map, fixed_string Path>
inline constexpr const field& field_of = detail::checked_field<Map, Path>();

// The enumerated value of that name of a field, counted from bit 0 of the field.
template <register_map Map, fixed_string Path, fixed_string Name>
inline constexpr std::uint32_t value_of = detail::checked_value<Map, Path, Name>();

// "CDMA.D_BANK DATA_BANK=1 WEIGHT_BANK=1", with the names of enumerated values; hexadecimal from
// 10 on. An address without a register: "0x1234".
inline std::string describe(register_map map, std::uint32_t address, std::uint32_t value) {
  const auto hex = [](std::uint32_t v) {
    std::ostringstream out;
    out << (v < 10 ? "" : "0x") << std::hex << v;
    return out.str();
  };
  const auto* r = find(map, address);
  if (r == nullptr) return text("0x", std::hex, address);
  std::string s = text(r->unit, '.', r->name);
  for (const auto& f : r->fields) {
    const auto v = f.extract(value);
    const auto known = std::ranges::find(f.values, v, &enumerator::value);
    s += text(' ', f.name, '=', known != f.values.end() ? std::string(known->name) : hex(v));
  }
  return s;
}

}  // namespace nvdlac::hw

namespace nvdlac::hw {

// The greatest value that the field itself can store.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t max_of = field_of<Map, Path>.max();

// The greatest number of a field that stores the number minus one.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t max_count_of = max_of<Map, Path> + 1;

template <register_map Map>
struct limits {
  struct convolution {
    static constexpr auto width = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">;
    static constexpr auto height = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">;
    static constexpr auto kernels = max_count_of<Map, "CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">;
    static constexpr auto kernel_width =
        max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">;
    static constexpr auto kernel_height =
        max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">;
    static constexpr auto kernel_bytes =
        max_count_of<Map, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">;
    static constexpr auto stride = max_count_of<Map, "CDMA.D_CONV_STRIDE.CONV_X_STRIDE">;
    static constexpr auto dilation = max_count_of<Map, "CSC.D_DILATION_EXT.X_DILATION_EXT">;
    static constexpr auto pad_left = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_LEFT">;
    static constexpr auto pad_right = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_RIGHT">;
    static constexpr auto pad_top = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_TOP">;
    static constexpr auto pad_bottom = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_BOTTOM">;
    static constexpr auto entries_per_slice =
        max_count_of<Map, "CDMA.D_ENTRY_PER_SLICE.ENTRIES">;
    static constexpr auto banks = max_count_of<Map, "CDMA.D_BANK.DATA_BANK">;
    static constexpr auto fetch_lines = max_count_of<Map, "CDMA.D_FETCH_GRAIN.GRAINS">;
    static constexpr auto release_lines = max_count_of<Map, "CSC.D_RELEASE.RLS_SLICES">;
    static constexpr auto atomics = max_count_of<Map, "CSC.D_ATOMICS.ATOMICS">;
    static constexpr auto batch = max_count_of<Map, "CDMA.D_BATCH_NUMBER.BATCHES">;
    static constexpr auto input_shift = max_of<Map, "CDMA.D_CVT_CFG.CVT_TRUNCATE">;
    // The RTL keeps 16 fraction bits of the accumulator, fewer than the field can ask for.
    static constexpr std::uint32_t clip_truncate = 16;
    static_assert(clip_truncate <= max_of<Map, "CACC.D_CLIP_CFG.CLIP_TRUNCATE">);
  };

  struct sdp {
    static constexpr auto width = max_count_of<Map, "SDP.D_DATA_CUBE_WIDTH.WIDTH">;
    static constexpr auto height = max_count_of<Map, "SDP.D_DATA_CUBE_HEIGHT.HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "SDP.D_DATA_CUBE_CHANNEL.CHANNEL">;
    static constexpr auto alu_shift =
        max_of<Map, "SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">;
    static constexpr auto mul_shift =
        max_of<Map, "SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">;
    static constexpr auto ew_truncate = max_of<Map, "SDP.D_DP_EW_TRUNCATE_VALUE">;
    static constexpr auto output_shift = max_of<Map, "SDP.D_CVT_SHIFT">;
    static constexpr std::uint32_t le_entries = 65, lo_entries = 257;  // of the LUT, CDP's too
  };

  struct pdp {
    static constexpr auto width = max_count_of<Map, "PDP.D_DATA_CUBE_IN_WIDTH">;
    static constexpr auto height = max_count_of<Map, "PDP.D_DATA_CUBE_IN_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "PDP.D_DATA_CUBE_IN_CHANNEL">;
    // The line buffers hold 8 lines; the fields could express more.
    static constexpr std::uint32_t kernel = 8;
    static_assert(kernel <= max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">);
    static constexpr auto stride =
        max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">;
    static constexpr std::uint32_t firmware_stride = 8;  // the public firmware rejects more
    static constexpr auto pad = max_of<Map, "PDP.D_POOLING_PADDING_CFG.PAD_LEFT">;
    static constexpr auto split_width =
        max_count_of<Map, "PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">;
    static constexpr std::uint32_t firmware_splits = 64;
    static_assert(firmware_splits <= max_count_of<Map, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">);
  };

  struct cdp {
    static constexpr auto width = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_WIDTH">;
    static constexpr auto height = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_CHANNEL">;
    static constexpr auto input_shift = max_of<Map, "CDP.D_DATIN_SHIFTER">;
    static constexpr auto output_shift = max_of<Map, "CDP.D_DATOUT_SHIFTER">;
  };

  struct rubik {
    static constexpr auto stride = max_count_of<Map, "RBK.D_DECONV_STRIDE.DECONV_X_STRIDE">;
  };

  struct bdma {
    // In units of 32 bytes.
    static constexpr auto line_units = max_count_of<Map, "BDMA.CFG_LINE.SIZE">;
    static constexpr auto lines = max_count_of<Map, "BDMA.CFG_LINE_REPEAT.NUMBER">;
    static constexpr auto surfaces = max_count_of<Map, "BDMA.CFG_SURF_REPEAT.NUMBER">;
  };
};

}  // namespace nvdlac::hw
#include <cstdint>
#include <string_view>

namespace nvdlac::lower {

// Why an operator cannot run on a configuration. The names appear in compile errors, the texts in
// run-time errors and in the generated tables.
enum class reason : std::uint8_t {
  none,
  unknown_operator,
  cube_above_8192,
  more_than_8192_kernels,
  kernel_above_32x32,
  kernel_above_262144_bytes,
  stride_above_8,
  dilation_above_32,
  padding_beyond_register,
  pixels_are_dilated,
  kernel_does_not_fit_the_cbuf,
  no_pdp,
  pool_window_above_8x8,
  pool_padding_above_7,
  lrn_size_is_not_3_5_7_9,
  lrn_is_not_lowered,
  softmax_over_a_plane,
  reshape_moves_data,
  precision_is_not_in_the_hardware,
  precision_is_not_lowered,
};

constexpr std::string_view to_text(reason r) {
  switch (r) {
    case reason::none: return "";
    case reason::unknown_operator: return "no lowering is known for this operator";
    case reason::cube_above_8192: return "a cube is at most 8192 wide, high and deep";
    case reason::more_than_8192_kernels: return "a convolution has at most 8192 kernels";
    case reason::kernel_above_32x32: return "a convolution kernel is at most 32 x 32";
    case reason::kernel_above_262144_bytes: return "a kernel is at most 262144 bytes";
    case reason::stride_above_8: return "a stride is at most 8";
    case reason::dilation_above_32: return "a dilation is at most 32";
    case reason::padding_beyond_register:
      return "a convolution is padded by at most 31 (left, top) and 63 (right, bottom)";
    case reason::pixels_are_dilated: return "a convolution that reads pixels is not dilated";
    case reason::kernel_does_not_fit_the_cbuf:
      return "a single kernel and the input lines it reads do not fit the convolution buffer";
    case reason::no_pdp: return "the configuration has no PDP";
    case reason::pool_window_above_8x8:
      return "the PDP pools windows of at most 8 x 8, unless one covers the whole input";
    case reason::pool_padding_above_7: return "the PDP pads by at most 7";
    case reason::lrn_size_is_not_3_5_7_9:
      return "the CDP normalises over 3, 5, 7 or 9 channels";
    case reason::lrn_is_not_lowered: return "nvdlac does not program the CDP";
    case reason::softmax_over_a_plane:
      return "the host's softmax takes a tensor of height and width 1";
    case reason::reshape_moves_data:
      return "a reshape that moves data is possible only before a fully connected layer or an output";
    case reason::precision_is_not_in_the_hardware:
      return "the configuration does not have this data type";
    case reason::precision_is_not_lowered: return "nvdlac compiles int8";
  }
  return "";
}

}  // namespace nvdlac::lower
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

// How data and weights fill the convolution buffer. Widths, heights and channels are those of the
// input in elements and at least 1; a slice is one line of the input with all its channels.
#include <algorithm>


namespace nvdlac::hw {

// Memory atoms in one CBUF entry.
constexpr std::uint32_t atoms_per_entry(const spec& s) { return s.cbuf_entry / s.memory_atom; }

// Surfaces of a cube: groups of channels that share one atom.
constexpr std::uint64_t surfaces(const spec& s, precision p, std::uint64_t channels) {
  return ceil_div(channels * element_bytes(p), s.memory_atom);
}

// CDMA.D_ENTRY_PER_SLICE of a feature cube. Whole entries take the atoms of neighbouring surfaces;
// the rest of the surfaces is packed along the line, but three of four take an entry for each atom.
constexpr entries feature_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                            std::uint64_t channels) {
  const std::uint64_t per_entry = atoms_per_entry(s);
  const auto atoms = surfaces(s, p, channels);
  const auto rest = atoms % per_entry;
  const auto tail = rest == 3 ? width : ceil_div(width * rest, per_entry);
  return {atoms / per_entry * width + tail};
}

// CDMA.D_ENTRY_PER_SLICE of an image; `p` is the precision of the processing, `width` includes the
// left and the right padding, which the buffer stores too.
constexpr entries image_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                          std::uint64_t channels) {
  return {ceil_div(width * channels * element_bytes(p), s.cbuf_entry)};
}

// CDMA.D_ENTRY_PER_SLICE of a Winograd convolution: `width` includes the padding and is a multiple
// of 4 * stride_x.
constexpr entries winograd_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                             std::uint64_t channels, std::uint64_t stride_x = 1,
                                             std::uint64_t stride_y = 1) {
  return {width / (4 * stride_x) * surfaces(s, p, channels) * stride_x * stride_y};
}

// Banks for so many slices (lines) of data; a bank is used by data or by weights, never by both.
constexpr banks data_banks(const spec& s, entries per_slice, std::uint64_t lines) {
  return {std::max<std::uint64_t>(ceil_div(per_slice.n * lines, s.cbuf_entries_per_bank), 1)};
}

// Slices of data that fit so many banks.
constexpr std::uint64_t slices_in(const spec& s, banks b, entries per_slice) {
  return b.n * s.cbuf_entries_per_bank / per_slice.n;
}

// CDMA.D_WEIGHT_BYTES: the packed weights, rounded up as the register requires.
constexpr bytes weight_bytes(const spec& s, precision p, std::uint64_t kernels,
                             std::uint64_t elements_per_kernel) {
  const bytes whole{std::max<std::uint64_t>(s.cbuf_entry, 128)};
  return round_up(bytes{kernels * elements_per_kernel * element_bytes(p)}, whole);
}

// The fewest weights that must be in the buffer at once: one kernel group.
constexpr bytes kernel_group_bytes(const spec& s, precision p, std::uint64_t kernels,
                                   std::uint64_t elements_per_kernel) {
  return weight_bytes(s, p, std::min<std::uint64_t>(kernels, s.kernel_group(p)),
                      elements_per_kernel);
}

// Banks that hold so many bytes of weights.
constexpr banks weight_banks(const spec& s, bytes weights) {
  return {std::max<std::uint64_t>(ceil_div(weights.n, s.cbuf_bank().n), 1)};
}

// Banks for data and weights together: the masks of compressed weights occupy the last one.
constexpr banks usable_banks(const spec& s, bool compressed) {
  return {s.cbuf_banks - (compressed ? 1u : 0u)};
}

}  // namespace nvdlac::hw
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace nvdlac::net {

// A cube of one picture: channels x height x width, all at least 1. Batches are not part of a
// network: NVDLA processes one picture after the other.
struct shape {
  std::int32_t c = 1, h = 1, w = 1;

  constexpr bool operator==(const shape&) const = default;
  constexpr std::size_t size() const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
  }
  // Position of an element in dense c-h-w order.
  constexpr std::size_t at(std::int32_t ci, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(ci) * static_cast<std::size_t>(h) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(w) + static_cast<std::size_t>(x);
  }
};

inline std::ostream& operator<<(std::ostream& out, shape s) {
  return out << s.c << 'x' << s.h << 'x' << s.w;
}

// A window that slides over height and width: of a convolution or of a pooling.
struct window {
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int32_t dilation_h = 1, dilation_w = 1;

  constexpr bool operator==(const window&) const = default;
  // Input lines (columns) that one output line (column) spans.
  constexpr std::int32_t extent_h() const { return (kernel_h - 1) * dilation_h + 1; }
  constexpr std::int32_t extent_w() const { return (kernel_w - 1) * dilation_w + 1; }
};

}  // namespace nvdlac::net

namespace nvdlac::lower {

// The size of a dense kernel: [kernels][channels][height][width].
struct kernel_shape {
  std::int32_t kernels = 1, channels = 1, height = 1, width = 1;

  constexpr std::uint64_t elements() const {  // of one kernel
    return static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(height) *
           static_cast<std::uint64_t>(width);
  }
};

// int8 weights in the order in which CDMA reads them: kernel group, block of atomic_c channels (the
// last one shorter), line, column, kernel, channel. weight(k, c, r, s) gives an element.
template <class Weight>
constexpr std::vector<std::uint8_t> pack_weights(const hw::spec& hw, kernel_shape shape,
                                                 Weight weight) {
  const auto group = static_cast<std::int32_t>(hw.kernel_group());
  const auto block = static_cast<std::int32_t>(hw.mac_atomic_c);
  const auto size = hw::weight_bytes(hw, hw::precision::int8,
                                     static_cast<std::uint64_t>(shape.kernels), shape.elements());
  std::vector<std::uint8_t> packed(size.n, std::uint8_t{0});
  std::size_t next = 0;
  for (std::int32_t k0 = 0; k0 < shape.kernels; k0 += group)
    for (std::int32_t c0 = 0; c0 < shape.channels; c0 += block)
      for (std::int32_t r = 0; r < shape.height; ++r)
        for (std::int32_t s = 0; s < shape.width; ++s)
          for (std::int32_t k = k0; k < std::min(k0 + group, shape.kernels); ++k)
            for (std::int32_t c = c0; c < std::min(c0 + block, shape.channels); ++c)
              packed[next++] = static_cast<std::uint8_t>(weight(k, c, r, s));
  return packed;
}

}  // namespace nvdlac::lower

namespace nvdlac::lower {

// Lines (or columns) of an input of `size` that the outputs [first, first + count) read.
struct range {
  std::int32_t first = 0, count = 0;     // inside the input
  std::int32_t pad_before = 0, pad_after = 0;
};

constexpr range input_range(std::int32_t size, std::int32_t extent, std::int32_t stride,
                            std::int32_t pad, std::int32_t first, std::int32_t count) {
  const std::int32_t begin = first * stride - pad;
  const std::int32_t end = (first + count - 1) * stride - pad + extent;
  const std::int32_t from = std::max(begin, 0), to = std::min(end, size);
  return {from, to - from, from - begin, end - to};
}

// How a convolution is cut so that each pass fits the CBUF.
struct convolution_split {
  std::int32_t rows = 1;     // of the output in one pass
  std::int32_t kernels = 1;  // of one pass
  banks data{1}, weights{1};
};

// A pass keeps all its input lines in the CBUF and streams its weights through it, at least one
// kernel group at a time, two if there is room. Nothing fits: nullopt.
constexpr std::optional<convolution_split> split_convolution(const hw::spec& hw, net::shape in,
                                                             net::shape out, net::window window,
                                                             bool pixel) {
  constexpr auto int8 = hw::precision::int8;
  const range columns = input_range(in.w, window.extent_w(), window.stride_w, window.pad_left, 0, out.w);
  const auto c = static_cast<std::uint64_t>(in.c);
  const auto width = static_cast<std::uint64_t>(columns.count);
  const auto pads = static_cast<std::uint64_t>(columns.pad_before + columns.pad_after);
  const entries slice = pixel ? hw::image_entries_per_slice(hw, int8, width + pads, c)
                              : hw::feature_entries_per_slice(hw, int8, width, c);
  const auto elements = kernel_shape{out.c, in.c, window.kernel_h, window.kernel_w}.elements();
  const auto weights = [&](std::int32_t kernels) {
    return hw::weight_banks(
        hw, hw::weight_bytes(hw, int8, static_cast<std::uint64_t>(kernels), elements));
  };
  // The most output lines whose input fits beside so many banks of weights; 0: none.
  const auto rows_beside = [&](banks used) -> std::int32_t {
    if (used.n >= hw.cbuf_banks) return 0;
    const auto lines = hw::slices_in(hw, banks{hw.cbuf_banks} - used, slice);
    for (std::int32_t passes = 1; passes <= out.h; ++passes) {
      const auto rows = static_cast<std::int32_t>(
          ceil_div(static_cast<std::uint64_t>(out.h), static_cast<std::uint64_t>(passes)));
      const auto most = std::min((rows - 1) * window.stride_h + window.extent_h(), in.h);
      if (static_cast<std::uint64_t>(most) <= lines) return rows;
    }
    return 0;
  };
  const auto make = [&](std::int32_t rows, std::int32_t kernels, banks used) {
    const auto lines = std::min((rows - 1) * window.stride_h + window.extent_h(), in.h);
    return convolution_split{
        rows, kernels, hw::data_banks(hw, slice, static_cast<std::uint64_t>(lines)), used};
  };

  const auto group = static_cast<std::int32_t>(hw.kernel_group());
  const std::array least{weights(std::min(out.c, 2 * group)), weights(std::min(out.c, group))};
  for (const banks used : least)
    if (rows_beside(used) == out.h) {  // one pass; the weights take what the data leaves
      auto split = make(out.h, out.c, used);
      split.weights = std::min(weights(out.c), banks{hw.cbuf_banks} - split.data);
      return split;
    }
  for (const banks used : least)
    if (const auto rows = rows_beside(used); rows != 0) return make(rows, out.c, used);
  for (std::int32_t kernels = group / 2; kernels >= 1; kernels /= 2)
    if (const auto rows = rows_beside(weights(std::min(out.c, kernels))); rows != 0)
      return make(rows, std::min(out.c, kernels), weights(std::min(out.c, kernels)));
  return std::nullopt;
}

}  // namespace nvdlac::lower
#include <algorithm>
#include <cstddef>
#include <span>

// What an operator is to a graph: a struct with `inputs`, `infer` and, to be computed, `evaluate`.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cstdint>
#include <vector>


namespace nvdlac::net {

// The values of one cube in dense c-h-w order.
template <class T>
struct tensor {
  net::shape shape{};
  std::vector<T> values = std::vector<T>(shape.size(), T{});

  constexpr T& at(std::int32_t c, std::int32_t y, std::int32_t x) { return values[shape.at(c, y, x)]; }
  constexpr const T& at(std::int32_t c, std::int32_t y, std::int32_t x) const {
    return values[shape.at(c, y, x)];
  }
  constexpr bool operator==(const tensor&) const = default;
};

using float_tensor = tensor<float>;
using int8_tensor = tensor<std::int8_t>;

}  // namespace nvdlac::net

namespace nvdlac::net {

// The number of inputs that an operator takes.
struct arity {
  std::size_t least = 1, most = 1;

  constexpr bool contains(std::size_t n) const { return least <= n && n <= most; }
};
inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// `infer` gives the shape of the operator's tensor for the shapes of its inputs, whose number is
// within `inputs`; it throws nvdlac::error with the reason, without the layer's name.
// Optional: `void check(std::span<const shape>, diagnostics&, const std::string& layer) const`
// reports all that is wrong with the weights.
template <class Op>
concept operation = requires(const Op op, std::span<const shape> in) {
  { Op::inputs } -> std::convertible_to<arity>;
  { op.infer(in) } -> std::same_as<shape>;
};

// Whether Op gives what the user feeds: it has a member type `is_network_input`.
template <class Op>
inline constexpr bool is_network_input = requires { typename Op::is_network_input; };

// The largest tensor: beyond any network for NVDLA, and small enough that no size overflows.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 28;

// The product of factors that are at least 0; the largest std::int64_t if it does not fit.
constexpr std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t f : factors) {
    if (f != 0 && result > std::numeric_limits<std::int64_t>::max() / f)
      return std::numeric_limits<std::int64_t>::max();
    result *= f;
  }
  return result;
}

// The shape c x h x w, or an error if it is empty or too large.
constexpr shape checked_shape(std::int64_t c, std::int64_t h, std::int64_t w) {
  if (c < 1 || h < 1 || w < 1)
    throw error(text("the shape ", c, 'x', h, 'x', w, " has a dimension below 1"));
  if (product({c, h, w}) > max_elements)
    throw error(text("the shape ", c, 'x', h, 'x', w, " has more than ", max_elements, " elements"));
  return {static_cast<std::int32_t>(c), static_cast<std::int32_t>(h), static_cast<std::int32_t>(w)};
}
constexpr shape checked_shape(shape s) { return checked_shape(s.c, s.h, s.w); }

// Reports the values of a layer's weights that are too few, too many or not finite.
template <class T>
void check_values(const std::vector<T>& values, std::int64_t needed, std::string_view what,
                  diagnostics& found, const std::string& layer) {
  const auto report = [&](std::string reason) {
    found.add({.layer = layer, .reason = std::move(reason)});
  };
  if (std::cmp_not_equal(values.size(), needed))
    report(text("its ", what, " has ", values.size(), " values instead of ", needed));
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) {
        report(text("its ", what, " is not finite: value ", i, " is ", values[i]));
        break;
      }
}

// For `evaluate`: throws if there are not as many values as the computation will read.
template <class T>
void require_values(const std::vector<T>& values, std::int64_t needed, std::string_view what) {
  if (std::cmp_not_equal(values.size(), needed))
    throw error(text(what, ": ", values.size(), " values instead of ", needed));
}

template <class T>
std::vector<shape> shapes_of(std::span<const tensor<T>* const> in) {
  std::vector<shape> result;
  for (const auto* t : in) result.push_back(t->shape);
  return result;
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// The shape rule of an element-wise operator of two inputs.
constexpr shape infer_elementwise(std::span<const shape> in) {
  if (in[0] != in[1]) throw error(text("its inputs have different shapes, ", in[0], " and ", in[1]));
  return in[0];
}

// The sum of two tensors of one shape.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;

  constexpr shape infer(std::span<const shape> in) const { return infer_elementwise(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    infer(shapes_of(in));
    float_tensor y = *in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const float v = y.values[i] + in[1]->values[i];
      y.values[i] = relu ? std::max(v, 0.0F) : v;
    }
    return y;
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[c] = gamma[c] * (x[c] - mean[c]) / sqrt(variance[c] + epsilon) + beta[c]
struct batch_norm {
  static constexpr arity inputs{1, 1};

  std::vector<float> mean{}, variance{};  // [C]
  std::vector<float> gamma{}, beta{};     // [C], or empty: 1 and 0
  float epsilon = 1e-5F;

  // The same as factor * x + bias, for one channel.
  struct line {
    double factor, bias;
  };
  line on_channel(std::size_t c) const {
    const double factor = (gamma.empty() ? 1.0 : static_cast<double>(gamma[c])) /
                          std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
    return {factor, (beta.empty() ? 0.0 : static_cast<double>(beta[c])) -
                        factor * static_cast<double>(mean[c])};
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(mean, in[0].c, "mean", found, layer);
    check_values(variance, in[0].c, "variance", found, layer);
    if (!gamma.empty()) check_values(gamma, in[0].c, "gamma", found, layer);
    if (!beta.empty()) check_values(beta, in[0].c, "beta", found, layer);
    for (std::size_t c = 0; c < variance.size(); ++c)
      if (!(static_cast<double>(variance[c]) + static_cast<double>(epsilon) > 0)) {
        found.add({.layer = layer,
                   .reason = text("the variance of channel ", c, " and epsilon are not above 0")});
        break;
      }
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    require_values(mean, y.shape.c, "mean");
    require_values(variance, y.shape.c, "variance");
    if (!gamma.empty()) require_values(gamma, y.shape.c, "gamma");
    if (!beta.empty()) require_values(beta, y.shape.c, "beta");
    const std::size_t area = y.values.size() / mean.size();
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const auto [factor, bias] = on_channel(i / area);
      y.values[i] = static_cast<float>(factor * static_cast<double>(y.values[i]) + bias);
    }
    return y;
  }
};
static_assert(operation<batch_norm>);

}  // namespace nvdlac::net
#include <cstdint>
#include <span>


namespace nvdlac::net {

// The shape rule of a concatenation of channels.
constexpr shape infer_concat(std::span<const shape> in) {
  std::int64_t c = 0;
  for (const shape s : in) {
    if (s.h != in[0].h || s.w != in[0].w)
      throw error(text("its inputs have different heights or widths, ", in[0], " and ", s));
    c += s.c;
  }
  return checked_shape(c, in[0].h, in[0].w);
}

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {
  static constexpr arity inputs{1, any_number};

  constexpr shape infer(std::span<const shape> in) const { return infer_concat(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{infer(shapes_of(in)), {}};
    for (const float_tensor* x : in) y.values.insert(y.values.end(), x->values.begin(), x->values.end());
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net
#include <span>
#include <string>


namespace nvdlac::net {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  float_tensor value{};

  constexpr shape infer(std::span<const shape>) const { return checked_shape(value.shape); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value", found,
                 layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <algorithm>
#include <cstdint>


namespace nvdlac::net {

// A window's numbers along one dimension.
struct sliding {
  std::int64_t kernel, stride, before, after, dilation;

  constexpr std::int64_t extent() const { return (kernel - 1) * dilation + 1; }

  // How often the window fits on `size` elements and their padding.
  // ceil: once more if elements remain, unless that last window would start behind the elements,
  // in the padding after them (the rule of Caffe, and of ONNX's and PyTorch's ceil_mode).
  constexpr std::int64_t positions(std::int64_t size, bool ceil) const {
    const std::int64_t rest = size + before + after - extent();
    if (rest < 0)
      throw error(text("its window spans ", extent(), " elements but the padded input has only ",
                       size + before + after));
    std::int64_t result = rest / stride + 1;
    if (ceil && rest % stride != 0 && result * stride < size + before) ++result;
    return result;
  }
};

constexpr sliding vertical(const window& w) {
  return {w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom, w.dilation_h};
}
constexpr sliding horizontal(const window& w) {
  return {w.kernel_w, w.stride_w, w.pad_left, w.pad_right, w.dilation_w};
}

constexpr void check_window(const window& w) {
  constexpr std::int64_t most = 65535;
  for (const auto& s : {vertical(w), horizontal(w)}) {
    if (s.kernel < 1 || s.stride < 1 || s.dilation < 1)
      throw error("its window has a kernel, stride or dilation below 1");
    if (s.before < 0 || s.after < 0) throw error("its window has a negative padding");
    if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > most)
      throw error(text("its window has a number above ", most));
  }
}

// The shape of what a window that slides over `in` gives.
constexpr shape slide(const window& w, shape in, std::int32_t channels, bool ceil = false) {
  check_window(w);
  return checked_shape(channels, vertical(w).positions(in.h, ceil),
                       horizontal(w).positions(in.w, ceil));
}

}  // namespace nvdlac::net
// The sums of products behind every convolution, for the float and the integer reference.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>


namespace nvdlac::net {

namespace sliding_sum_detail {

// Sums run in float over at most `chunk` products, then in double. Products of int8 are at most
// 2^14, so that 2^10 of them are exact in float: the same code is the exact integer reference.
inline constexpr std::size_t chunk = 1024;
inline constexpr std::size_t columns = 8;  // output positions computed together

// sums[k][p] of `Rows` kernels of `depth` weights with a panel [depth][columns].
template <std::size_t Rows>
void block(const float* weights, const float* panel, std::size_t depth,
           std::array<std::array<double, columns>, Rows>& sums) {
  sums = {};
  for (std::size_t start = 0; start < depth; start += chunk) {
    std::array<std::array<float, columns>, Rows> partial{};
    const std::size_t end = std::min(depth, start + chunk);
    for (std::size_t i = start; i < end; ++i)
      for (std::size_t k = 0; k < Rows; ++k) {
        const float w = weights[k * depth + i];
        for (std::size_t p = 0; p < columns; ++p) partial[k][p] += w * panel[i * columns + p];
      }
    for (std::size_t k = 0; k < Rows; ++k)
      for (std::size_t p = 0; p < columns; ++p) sums[k][p] += static_cast<double>(partial[k][p]);
  }
}

// The sum for a single output position.
inline double dot(const float* a, const float* b, std::size_t depth) {
  double sum = 0;
  for (std::size_t start = 0; start < depth; start += chunk) {
    const std::size_t end = std::min(depth, start + chunk);
    std::array<float, columns> partial{};
    std::size_t i = start;
    for (; i + columns <= end; i += columns)
      for (std::size_t p = 0; p < columns; ++p) partial[p] += a[i + p] * b[i + p];
    float rest = 0;
    for (; i < end; ++i) rest += a[i] * b[i];
    for (const float p : partial) sum += static_cast<double>(p);
    sum += static_cast<double>(rest);
  }
  return sum;
}

}  // namespace sliding_sum_detail

// Calls store(k, position, sum) for every kernel k and every output position y * out.w + x, with
// sum = over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][y * stride_h - pad_top +
// r * dilation_h][x * stride_w - pad_left + s * dilation_w], elements outside the input being 0.
// weights: [out.c][in.c / groups][kernel_h][kernel_w]. For T = int8 the sums are exact.
template <class T, class Store>
void sliding_sums(const window& w, shape in, const T* x, shape out, std::int32_t groups,
                  const T* weights, Store store) {
  namespace d = sliding_sum_detail;
  const auto group_c = in.c / groups, group_k = out.c / groups;
  const auto depth = static_cast<std::size_t>(group_c) * static_cast<std::size_t>(w.kernel_h) *
                     static_cast<std::size_t>(w.kernel_w);
  const auto area = static_cast<std::size_t>(out.h) * static_cast<std::size_t>(out.w);
  const std::size_t width = area == 1 ? 1 : d::columns;
  // Panels of as many positions at a time as stay within about 8 MB.
  const std::size_t tile = std::max<std::size_t>((std::size_t{1} << 21) / depth, 1) * width;
  std::vector<float> panels, rows;

  // The inputs of the positions from `first` on, [depth][width].
  const auto gather = [&](std::int32_t group, std::size_t first, float* panel) {
    for (std::size_t p = 0; p < width; ++p) {
      const auto position = static_cast<std::int32_t>(std::min(first + p, area - 1));
      const std::int32_t top = position / out.w * w.stride_h - w.pad_top;
      const std::int32_t left = position % out.w * w.stride_w - w.pad_left;
      float* to = panel + p;
      for (std::int32_t c = group * group_c; c < (group + 1) * group_c; ++c)
        for (std::int32_t r = 0; r < w.kernel_h; ++r) {
          const std::int32_t y = top + r * w.dilation_h;
          const bool inside = y >= 0 && y < in.h;
          const T* line = inside ? x + in.at(c, y, 0) : nullptr;
          for (std::int32_t s = 0; s < w.kernel_w; ++s, to += width) {
            const std::int32_t column = left + s * w.dilation_w;
            *to = inside && column >= 0 && column < in.w ? static_cast<float>(line[column]) : 0.0F;
          }
        }
    }
  };
  const auto kernels = [&]<std::size_t Rows>(std::int32_t k, std::size_t first, std::size_t count) {
    const T* from = weights + static_cast<std::size_t>(k) * depth;
    rows.resize(Rows * depth);
    std::transform(from, from + Rows * depth, rows.begin(),
                   [](T v) { return static_cast<float>(v); });
    for (std::size_t start = 0; start < count; start += width) {
      const float* panel = panels.data() + start * depth;
      if (width == 1) {
        for (std::size_t i = 0; i < Rows; ++i)
          store(static_cast<std::size_t>(k) + i, first, d::dot(rows.data() + i * depth, panel, depth));
        continue;
      }
      std::array<std::array<double, d::columns>, Rows> sums;
      d::block<Rows>(rows.data(), panel, depth, sums);
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t p = 0; p < std::min(width, count - start); ++p)
          store(static_cast<std::size_t>(k) + i, first + start + p, sums[i][p]);
    }
  };

  for (std::int32_t group = 0; group < groups; ++group)
    for (std::size_t first = 0; first < area; first += tile) {
      const std::size_t count = std::min(tile, area - first);
      panels.resize((count + width - 1) / width * width * depth);
      for (std::size_t start = 0; start < count; start += width)
        gather(group, first + start, panels.data() + start * depth);
      std::int32_t k = group * group_k;
      for (; k + 4 <= (group + 1) * group_k; k += 4) kernels.template operator()<4>(k, first, count);
      for (; k < (group + 1) * group_k; ++k) kernels.template operator()<1>(k, first, count);
    }
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// The shape rule of a convolution, real or integer.
constexpr shape infer_convolution(const window& w, std::int32_t kernels, std::int32_t groups, shape in) {
  if (kernels < 1 || groups < 1) throw error("it has less than one kernel or group");
  if (in.c % groups != 0 || kernels % groups != 0)
    throw error(text("its ", groups, " groups do not divide the ", in.c, " input channels and the ",
                     kernels, " kernels"));
  const shape out = slide(w, in, kernels);
  if (product({kernels, in.c / groups, w.kernel_h, w.kernel_w}) > max_elements)
    throw error(text("it has more than ", max_elements, " weights"));
  return out;
}

// y[k] = bias[k] + sum over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][..][..]
struct convolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation

  constexpr shape infer(std::span<const shape> in) const {
    return infer_convolution(window, kernels, groups, in[0]);
  }
  // The number of weights for an input that `infer` accepts.
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, kernels, "bias");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                 [&](std::size_t k, std::size_t position, double sum) {
                   if (!bias.empty()) sum += static_cast<double>(bias[k]);
                   if (relu) sum = std::max(sum, 0.0);
                   y.values[k * area + position] = static_cast<float>(sum);
                 });
    return y;
  }
};
static_assert(operation<convolution>);

}  // namespace nvdlac::net
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[k] = bias[k] + sum over i of weights[k][i] * x[i], x read in dense c-h-w order.
struct fully_connected {
  static constexpr arity inputs{1, 1};

  std::int32_t outputs = 1;
  std::vector<float> weights{};  // [outputs][C * H * W]
  std::vector<float> bias{};     // [outputs], or empty
  bool relu = false;

  constexpr shape infer(std::span<const shape> in) const {
    const shape out = checked_shape(outputs, 1, 1);
    if (weight_count(in[0]) > max_elements)
      throw error(text("it has more than ", max_elements, " weights"));
    return out;
  }
  constexpr std::int64_t weight_count(shape in) const { return product({outputs, in.c, in.h, in.w}); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, outputs, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, outputs, "bias");
    const std::size_t n = x.shape.size();
    for (std::size_t k = 0; k < y.values.size(); ++k) {
      double sum = sliding_sum_detail::dot(weights.data() + k * n, x.values.data(), n);
      if (!bias.empty()) sum += static_cast<double>(bias[k]);
      if (relu) sum = std::max(sum, 0.0);
      y.values[k] = static_cast<float>(sum);
    }
    return y;
  }
};
static_assert(operation<fully_connected>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace nvdlac {

template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);
};

template <class T, class List>
inline constexpr bool contains = false;
template <class T, class... Ts>
inline constexpr bool contains<T, type_list<Ts...>> = (std::same_as<T, Ts> || ...);

// Calls f(std::type_identity<T>{}) for each type in order.
template <class... Ts, class F>
constexpr void for_each(type_list<Ts...>, F&& f) {
  (f(std::type_identity<Ts>{}), ...);
}

// Calls f like for_each until it returns true; whether it did.
template <class... Ts, class F>
constexpr bool any_of(type_list<Ts...>, F&& f) {
  return (f(std::type_identity<Ts>{}) || ...);
}

}  // namespace nvdlac

namespace nvdlac::net {

// A network as a Boost.Graph DAG. A vertex is an operator and the one tensor it produces; an edge
// carries that tensor into a numbered input slot of its consumer. `Operators` is a type list, so a
// user's own operator joins by being listed. A graph can hold malformed networks (open or doubly
// fed slots, cycles): `verify` finds them.
template <class Operators>
class basic_graph;

template <class... Ops>
class basic_graph<type_list<Ops...>> {
 public:
  using operators = type_list<Ops...>;
  using any_operator = std::variant<Ops...>;

  struct node {
    std::string name;       // unique; the layer's name in the user's file
    any_operator op;
    net::shape shape{};     // of the tensor it produces; set by infer_shapes
    double scale = 1.0;     // real value = scale * integer; meaningful in integer graphs only
    bool output = false;    // the user reads this tensor
  };

 private:
  struct slot { std::size_t number = 0; };
  using adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, node, slot>;

 public:
  using id = typename boost::graph_traits<adjacency>::vertex_descriptor;  // 0 .. size() - 1

  std::size_t size() const { return num_vertices(graph_); }
  node& operator[](id n) { return graph_[n]; }
  const node& operator[](id n) const { return graph_[n]; }

  id add(std::string name, any_operator op, const std::vector<id>& inputs = {}) {
    const id n = add_vertex(node{.name = std::move(name), .op = std::move(op)}, graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
    return n;
  }
  void connect(id from, id to, std::size_t slot_number) {
    add_edge(from, to, slot{slot_number}, graph_);
  }

  // The producers of n's inputs, by slot.
  std::vector<id> inputs(id n) const {
    std::vector<std::pair<std::size_t, id>> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e)
      found.emplace_back(graph_[*e].number, source(*e, graph_));
    std::sort(found.begin(), found.end());
    std::vector<id> result;
    for (const auto& [number, from] : found) result.push_back(from);
    return result;
  }
  // The slot numbers that are fed, ascending; a sound node has 0, 1, .. each once.
  std::vector<std::size_t> fed_slots(id n) const {
    std::vector<std::size_t> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e) found.push_back(graph_[*e].number);
    std::sort(found.begin(), found.end());
    return found;
  }
  // Every use of n's tensor, ascending; a consumer that reads it twice is listed twice.
  std::vector<id> consumers(id n) const {
    std::vector<id> found;
    for (auto [e, end] = out_edges(n, graph_); e != end; ++e) found.push_back(target(*e, graph_));
    std::sort(found.begin(), found.end());
    return found;
  }

  // All readers of `from` (and its being an output) move to `to`.
  void replace_uses(id from, id to) {
    std::vector<std::pair<id, slot>> uses;
    for (auto [e, end] = out_edges(from, graph_); e != end; ++e)
      if (target(*e, graph_) != to) uses.emplace_back(target(*e, graph_), graph_[*e]);
    boost::remove_out_edge_if(
        from, [&](const auto& e) { return target(e, graph_) != to; }, graph_);
    for (const auto& [consumer, s] : uses) add_edge(to, consumer, s, graph_);
    graph_[to].output = graph_[to].output || std::exchange(graph_[from].output, false);
  }
  // The inputs of n become these.
  void set_inputs(id n, const std::vector<id>& inputs) {
    clear_in_edges(n, graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
  }

  // The graph of the nodes for which keep(id) holds, in the same order; ids are renumbered.
  template <class Keep>
  basic_graph filtered(Keep keep) const {
    basic_graph result;
    std::vector<id> renumbered(size(), size());
    for (id n = 0; n < size(); ++n)
      if (keep(n)) renumbered[n] = add_vertex(graph_[n], result.graph_);
    for (auto [e, end] = edges(graph_); e != end; ++e) {
      const id from = renumbered[source(*e, graph_)], to = renumbered[target(*e, graph_)];
      if (from != size() && to != size()) add_edge(from, to, graph_[*e], result.graph_);
    }
    return result;
  }

  // Producers before consumers, ties by id. Nodes on a cycle or behind one are left out.
  std::vector<id> order() const {
    std::vector<std::size_t> open(size());
    std::vector<id> ready, result;
    for (id n = 0; n < size(); ++n)
      if ((open[n] = in_degree(n, graph_)) == 0) ready.push_back(n);
    const auto later = std::greater<id>{};
    std::make_heap(ready.begin(), ready.end(), later);
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const id n = ready.back();
      ready.pop_back();
      result.push_back(n);
      for (const id consumer : consumers(n))
        if (--open[consumer] == 0) {
          ready.push_back(consumer);
          std::push_heap(ready.begin(), ready.end(), later);
        }
    }
    return result;
  }

  // The nodes that are read from outside, ascending.
  std::vector<id> outputs() const {
    std::vector<id> result;
    for (id n = 0; n < size(); ++n)
      if (graph_[n].output) result.push_back(n);
    return result;
  }

  const adjacency& boost_graph() const { return graph_; }

 private:
  adjacency graph_;
};

}  // namespace nvdlac::net
#include <span>


namespace nvdlac::net {

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const { return *in[0]; }
};
static_assert(operation<identity>);

}  // namespace nvdlac::net
#include <span>


namespace nvdlac::net {

// The picture (or other cube) that the user gives, after preprocessing.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};

  constexpr net::shape infer(std::span<const net::shape>) const { return checked_shape(shape); }
};
static_assert(operation<input>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>


namespace nvdlac::net {

// Local response normalisation across channels:
// y = x / (k + alpha / local_size * sum over local_size channels around c of x^2) ^ beta
struct lrn {
  static constexpr arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;

  constexpr shape infer(std::span<const shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      throw error(text("its local size ", local_size, " is not a positive odd number"));
    return in[0];
  }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    if (!std::isfinite(alpha) || !std::isfinite(beta) || !std::isfinite(k))
      found.add({.layer = layer, .reason = "its alpha, beta or k is not finite"});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(shapes_of(in))};
    const std::int32_t half = std::min(local_size / 2, x.shape.c);
    for (std::int32_t c = 0; c < x.shape.c; ++c)
      for (std::int32_t row = 0; row < x.shape.h; ++row)
        for (std::int32_t column = 0; column < x.shape.w; ++column) {
          double sum = 0;
          for (std::int32_t i = std::max(c - half, 0); i <= std::min(c + half, x.shape.c - 1); ++i)
            sum += std::pow(static_cast<double>(x.at(i, row, column)), 2);
          const double base = static_cast<double>(k) + static_cast<double>(alpha) / local_size * sum;
          y.at(c, row, column) = static_cast<float>(
              static_cast<double>(x.at(c, row, column)) / std::pow(base, static_cast<double>(beta)));
        }
    return y;
  }
};
static_assert(operation<lrn>);

}  // namespace nvdlac::net
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>


namespace nvdlac::net {

enum class pool_kind : std::uint8_t { average, maximum };

// The shape rule of a pooling, real or integer. Every window holds an element of the input: pads
// are smaller than the kernel, and `ceil` adds no window that starts behind the input.
constexpr shape infer_pool(const window& w, bool ceil, shape in) {
  if (w.dilation_h != 1 || w.dilation_w != 1) throw error("it is a pooling with a dilation");
  if (w.kernel_h < 1 || w.kernel_w < 1) throw error("its window has a kernel below 1");
  if (std::max(w.pad_top, w.pad_bottom) >= w.kernel_h || std::max(w.pad_left, w.pad_right) >= w.kernel_w)
    throw error("it is a pooling whose padding is not smaller than its window");
  return slide(w, in, in.c, ceil);
}

// The elements [begin, end) of one dimension that lie in a pooling's window number `position`, and
// how many elements the window has once it is clipped to the padded input.
struct pool_span {
  std::int32_t begin, end, padded;

  static constexpr pool_span at(sliding s, std::int32_t size, std::int32_t position) {
    const std::int64_t start = position * s.stride - s.before, stop = start + s.kernel;
    return {static_cast<std::int32_t>(std::max<std::int64_t>(start, 0)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size + s.after) - start)};
  }
};

// The maximum or the mean of each window. Windows may hang over the bottom and right padding when
// `ceil` rounds the output size up; what hangs over the padding is never counted.
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};            // dilation is 1
  bool ceil = false;               // output size rounds up, see sliding::positions
  bool count_include_pad = false;  // average: padding counts as zeros of the window
  bool global = false;             // one window covers all; `window` is not used

  // The window that slides over this input.
  constexpr net::window window_on(shape in) const {
    return global ? net::window{.kernel_h = in.h, .kernel_w = in.w} : window;
  }
  constexpr shape infer(std::span<const shape> in) const {
    return global ? checked_shape(in[0].c, 1, 1) : infer_pool(window, ceil, in[0]);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    const net::window w = window_on(x.shape);
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, pool_span::at(vertical(w), x.shape.h, oy),
                                   pool_span::at(horizontal(w), x.shape.w, ox));
    return y;
  }

 private:
  float reduce(const float_tensor& x, std::int32_t c, pool_span rows, pool_span columns) const {
    double sum = 0;
    float top = -std::numeric_limits<float>::infinity();
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const float v = x.at(c, row, column);
        sum += static_cast<double>(v);
        top = std::max(top, v);
      }
    if (kind == pool_kind::maximum) return top;
    const double counted = count_include_pad
        ? static_cast<double>(rows.padded) * columns.padded
        : static_cast<double>(rows.end - rows.begin) * (columns.end - columns.begin);
    return static_cast<float>(sum / counted);
  }
};
static_assert(operation<pool>);

}  // namespace nvdlac::net
#include <algorithm>
#include <span>


namespace nvdlac::net {

// max(x, 0)
struct relu {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = std::max(v, 0.0F);
    return y;
  }
};
static_assert(operation<relu>);

}  // namespace nvdlac::net
#include <cstdint>
#include <span>


namespace nvdlac::net {

// The shape rule of a reshape, real or integer.
constexpr shape infer_reshape(shape target, shape in) {
  const shape out = checked_shape(target);
  if (out.size() != in.size())
    throw error(text("it reshapes ", in, " to ", out, ", which has another number of elements"));
  return out;
}

// The same values in dense c-h-w order under another shape of the same size.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};

  constexpr shape infer(std::span<const shape> in) const { return infer_reshape(target, in[0]); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

// A reshape to (c*h*w) x 1 x 1.
struct flatten {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const {
    return checked_shape(static_cast<std::int64_t>(in[0].size()), 1, 1);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<flatten>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[c] = factor[c] * x[c] + bias[c]
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<float> factor{};  // [C] or one for all channels
  std::vector<float> bias{};    // [C], one for all channels, or empty: 0
  bool relu = false;

  float factor_of(std::size_t c) const { return factor[factor.size() == 1 ? 0 : c]; }
  float bias_of(std::size_t c) const { return bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : c]; }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(factor, factor.size() == 1 ? 1 : in[0].c, "factor", found, layer);
    if (!bias.empty()) check_values(bias, bias.size() == 1 ? 1 : in[0].c, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    if (factor.size() != 1) require_values(factor, y.shape.c, "factor");
    if (bias.size() > 1) require_values(bias, y.shape.c, "bias");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const float v = factor_of(i / area) * y.values[i] + bias_of(i / area);
      y.values[i] = relu ? std::max(v, 0.0F) : v;
    }
    return y;
  }
};
static_assert(operation<scale>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>


namespace nvdlac::net {

// The softmax of n values that lie `stride` apart; in double, the largest value subtracted first.
template <class T>
std::vector<double> softmax_of(const T* x, std::size_t n, std::size_t stride, double unit = 1.0) {
  double top = static_cast<double>(x[0]) * unit, sum = 0;
  for (std::size_t c = 1; c < n; ++c) top = std::max(top, static_cast<double>(x[c * stride]) * unit);
  std::vector<double> y(n);
  for (std::size_t c = 0; c < n; ++c)
    sum += y[c] = std::exp(static_cast<double>(x[c * stride]) * unit - top);
  for (double& v : y) v /= sum;
  return y;
}

// exp(x[c]) / sum over the channels of exp(x), at each height and width.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<float>(column[c]);
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net

namespace nvdlac::net {

using standard_operators =
    type_list<input, constant, convolution, fully_connected, pool, relu, batch_norm, scale, add, concat,
              reshape, flatten, softmax, identity, lrn>;

// The network as the importers read it: real numbers.
using graph = basic_graph<standard_operators>;

}  // namespace nvdlac::net

namespace nvdlac::lower {

// check(op, shapes of its inputs) tells why this operator cannot run on Hw. A user's own operator
// specialises it beside `lowering`.
template <class Op, class Hw>
struct support {
  static constexpr reason check(const Op&, std::span<const net::shape>) {
    return reason::unknown_operator;
  }
};

// Operators that cost nothing or that SDP computes element by element.
template <class Hw>
struct always_supported {
  static constexpr reason check(const auto&, std::span<const net::shape>) { return reason::none; }
};
template <class Hw> struct support<net::input, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::constant, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::relu, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::batch_norm, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::scale, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::add, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::concat, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::identity, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::flatten, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::reshape, Hw> : always_supported<Hw> {};

// Groups of a convolution that are computed together, so that each bundle starts and ends on an
// atom of channels, of input and of output.
constexpr std::int32_t groups_per_bundle(std::int32_t groups, std::int32_t channels_of_group,
                                         std::int32_t kernels_of_group, bytes atom) {
  const auto whole = static_cast<std::int32_t>(atom.n);
  const auto needed = [&](std::int32_t each) { return whole / std::gcd(whole, each); };
  return std::min(groups, std::lcm(needed(channels_of_group), needed(kernels_of_group)));
}

// A dense convolution of int8 on Hw; `out.c` kernels.
template <class Hw>
constexpr reason check_convolution(net::shape in, net::shape out, net::window w, bool pixel = false) {
  using limits = typename hw::limits<Hw::spec.map>::convolution;
  const auto above = [](std::int64_t value, std::int64_t limit) { return value > limit; };
  if (above(in.c, limits::channels) || above(in.h, limits::height) || above(in.w, limits::width) ||
      above(out.h, limits::height) || above(out.w, limits::width))
    return reason::cube_above_8192;
  if (above(out.c, limits::kernels)) return reason::more_than_8192_kernels;
  if (above(w.kernel_h, limits::kernel_height) || above(w.kernel_w, limits::kernel_width))
    return reason::kernel_above_32x32;
  if (std::int64_t{in.c} * w.kernel_h * w.kernel_w > std::int64_t{limits::kernel_bytes})
    return reason::kernel_above_262144_bytes;
  if (above(w.stride_h, limits::stride) || above(w.stride_w, limits::stride))
    return reason::stride_above_8;
  if (above(w.dilation_h, limits::dilation) || above(w.dilation_w, limits::dilation))
    return reason::dilation_above_32;
  if (pixel && (w.dilation_h != 1 || w.dilation_w != 1)) return reason::pixels_are_dilated;
  if (above(w.pad_left, limits::pad_left) || above(w.pad_right, limits::pad_right) ||
      above(w.pad_top, limits::pad_top) || above(w.pad_bottom, limits::pad_bottom))
    return reason::padding_beyond_register;
  if (!split_convolution(Hw::spec, in, out, w, pixel)) return reason::kernel_does_not_fit_the_cbuf;
  return reason::none;
}

template <class Hw>
struct support<net::convolution, Hw> {
  static constexpr reason check(const net::convolution& op, std::span<const net::shape> in) {
    const std::int32_t c = in[0].c / op.groups, k = op.kernels / op.groups;
    const auto bundle = groups_per_bundle(op.groups, c, k, Hw::spec.atom());
    net::shape out = op.infer(in);
    out.c = k * bundle;
    return check_convolution<Hw>({c * bundle, in[0].h, in[0].w}, out, op.window);
  }
};

template <class Hw>
struct support<net::fully_connected, Hw> {
  static constexpr reason check(const net::fully_connected& op, std::span<const net::shape> in) {
    return check_convolution<Hw>(in[0], {op.outputs, 1, 1},
                                 {.kernel_h = in[0].h, .kernel_w = in[0].w});
  }
};

template <class Hw>
struct support<net::pool, Hw> {
  static constexpr reason check(const net::pool& op, std::span<const net::shape> in) {
    if (!Hw::spec.has_pdp()) return reason::no_pdp;
    using limits = typename hw::limits<Hw::spec.map>::pdp;
    const auto above = [](std::int64_t value, std::int64_t limit) { return value > limit; };
    if (above(in[0].h, limits::height) || above(in[0].w, limits::width) ||
        above(in[0].c, limits::channels))
      return reason::cube_above_8192;
    const auto& w = op.window;
    if (op.global || (w.kernel_h >= in[0].h && w.kernel_w >= in[0].w && w.pad_top == 0 &&
                      w.pad_left == 0 && w.pad_bottom == 0 && w.pad_right == 0))
      return reason::none;
    if (above(w.kernel_h, limits::kernel) || above(w.kernel_w, limits::kernel))
      return reason::pool_window_above_8x8;
    if (above(w.stride_h, limits::firmware_stride) || above(w.stride_w, limits::firmware_stride))
      return reason::stride_above_8;
    if (above(w.pad_top, limits::pad) || above(w.pad_left, limits::pad) ||
        above(w.pad_bottom, limits::pad) || above(w.pad_right, limits::pad))
      return reason::pool_padding_above_7;
    return reason::none;
  }
};

template <class Hw>
struct support<net::softmax, Hw> {
  static constexpr reason check(const net::softmax&, std::span<const net::shape> in) {
    return in[0].h == 1 && in[0].w == 1 ? reason::none : reason::softmax_over_a_plane;
  }
};

template <class Hw>
struct support<net::lrn, Hw> {
  static constexpr reason check(const net::lrn& op, std::span<const net::shape>) {
    const bool size = op.local_size == 3 || op.local_size == 5 || op.local_size == 7 ||
                      op.local_size == 9;
    return size ? reason::lrn_is_not_lowered : reason::lrn_size_is_not_3_5_7_9;
  }
};

// The data types: nvdlac compiles int8, which every configuration has.
template <class Hw>
constexpr reason check_precision(hw::precision p) {
  if (!Hw::spec.data_types.has(p)) return reason::precision_is_not_in_the_hardware;
  return p == hw::precision::int8 ? reason::none : reason::precision_is_not_lowered;
}

}  // namespace nvdlac::lower
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

namespace nvdlac::lower {

// Every layer of a network that Hw cannot run, and why. The graph has its shapes.
template <hw::hardware Hw, class Graph>
std::vector<problem> check(const Graph& g) {
  std::vector<problem> found;
  for (const auto n : g.order()) {
    std::vector<net::shape> in;
    for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
    std::visit(
        [&]<class Op>(const Op& op) {
          if (const auto why = support<Op, Hw>::check(op, in); why != reason::none)
            found.push_back({.layer = g[n].name,
                             .reason = text(type_name<Op>(), " does not run on ", type_name<Hw>(),
                                            ": ", to_text(why))});
        },
        g[n].op);
  }
  return found;
}

}  // namespace nvdlac::lower
#include <string>
#include <variant>
#include <vector>

#include <numeric>

#include <algorithm>
#include <numeric>

// A dense int8 convolution on CONV and SDP, cut into passes that fit the CBUF.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <string>
#include <variant>

#include <array>
#include <cstdint>

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
#include <cstdint>


namespace nvdlac::layer {

// Where a cube is: a piece of one of the program's buffers.
struct location {
  std::int32_t buffer = -1;  // index into program::buffers; -1: on the fly, between two engines
  std::uint64_t offset = 0;  // bytes from the buffer's start

  constexpr bool on_the_fly() const { return buffer < 0; }
  constexpr bool operator==(const location&) const = default;
};

// A cube in memory. Feature cubes consist of surfaces of one atom of channels: byte (c, y, x) is at
// (c / E) * surface_stride + y * line_stride + x * atom + c % E, E = atom / bytes per element.
// Pixel cubes are lines of interleaved pixels: y * line_stride + x * channels + c.
// Weights and operands are plain bytes: only `at` and `size` count.
struct surface {
  location at{};
  net::shape shape{};
  std::uint32_t line_stride = 0;     // bytes
  std::uint32_t surface_stride = 0;  // bytes
  std::uint64_t size = 0;            // bytes from `at` that the cube touches

  constexpr bool operator==(const surface&) const = default;
};

// Surfaces that a cube of int8 channels needs.
constexpr std::uint64_t surfaces(net::shape s, bytes atom) {
  return ceil_div(static_cast<std::uint64_t>(s.c), atom.n);
}

// Bytes from its start to its end that a feature cube touches.
constexpr std::uint64_t extent(const surface& s, bytes atom) {
  return (surfaces(s.shape, atom) - 1) * s.surface_stride +
         static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride +
         static_cast<std::uint64_t>(s.shape.w) * atom.n;
}

// A feature cube with nothing between its lines and surfaces.
constexpr surface packed(net::shape s, bytes atom, location at = {}) {
  const auto line = static_cast<std::uint32_t>(static_cast<std::uint64_t>(s.w) * atom.n);
  const auto plane = static_cast<std::uint32_t>(line * static_cast<std::uint64_t>(s.h));
  return {at, s, line, plane, plane * surfaces(s, atom)};
}

// The part of a feature cube that starts at (c, y, x), c being a multiple of the atom's channels.
constexpr surface part(const surface& whole, bytes atom, std::int32_t c, std::int32_t y,
                       std::int32_t x, net::shape shape) {
  surface s = whole;
  s.shape = shape;
  s.at.offset += static_cast<std::uint64_t>(c) / atom.n * whole.surface_stride +
                 static_cast<std::uint64_t>(y) * whole.line_stride +
                 static_cast<std::uint64_t>(x) * atom.n;
  s.size = extent(s, atom);
  return s;
}

// Byte offset of an int8 element of a feature cube from its start.
constexpr std::uint64_t offset_of(const surface& s, bytes atom, std::int32_t c, std::int32_t y,
                                  std::int32_t x) {
  const auto channel = static_cast<std::uint64_t>(c);
  return channel / atom.n * s.surface_stride + static_cast<std::uint64_t>(y) * s.line_stride +
         static_cast<std::uint64_t>(x) * atom.n + channel % atom.n;
}

}  // namespace nvdlac::layer

namespace nvdlac::layer {

// CDMA's pixel formats, by register code; feature is the firmware's code for feature cubes.
enum class pixel_format : std::uint8_t { r8 = 0, a8b8g8r8 = 12, x8b8g8r8 = 16, feature = 36 };

// One pass of CDMA, CSC, CMAC and CACC, int8, direct: its result goes to SDP on the fly.
// All sizes are counts as meant, not the register's minus-one codes.
struct convolution {
  layer::surface input{};                // feature cube, or pixel cube when format != feature
  pixel_format format = pixel_format::feature;
  layer::surface weights{};              // in CBUF order, size padded as the hardware wants
  net::shape output{};                   // c: kernels of this pass
  net::window window{};                  // of the picture: kernel_w not multiplied by channels
  std::int16_t pad_value = 0;
  // Pixel input only: means that replace cvt.offset when `use_mean`.
  std::array<std::int16_t, 4> mean{};    // R/Y, G/U, B/V, A/X
  bool use_mean = false;
  bool pixels_signed = false;
  bool convert = false;                  // cvt is applied to the input
  converter cvt{};
  std::uint16_t entries_per_slice = 1;
  std::uint8_t data_banks = 1, weight_banks = 1;
  std::uint16_t fetch_grain = 1;         // lines
  std::uint16_t release = 1;             // slices: lines of the input that are free afterwards
  bool data_reuse = false, weight_reuse = false;
  bool skip_data_release = false, skip_weight_release = false;
  std::uint8_t truncate = 0;             // CACC

  constexpr bool is_pixel() const { return format != pixel_format::feature; }
  constexpr bool operator==(const convolution&) const = default;

  // What CSC sees of a kernel: a pixel kernel is one column of kernel_w * C channels.
  constexpr std::int32_t kernel_width_csc() const { return is_pixel() ? 1 : window.kernel_w; }
  constexpr std::int32_t kernel_channels_csc() const {
    return is_pixel() ? input.shape.c * window.kernel_w : input.shape.c;
  }
  constexpr std::uint64_t bytes_per_kernel() const {
    return static_cast<std::uint64_t>(input.shape.c) * static_cast<std::uint64_t>(window.kernel_h) *
           static_cast<std::uint64_t>(window.kernel_w);
  }
};

}  // namespace nvdlac::layer

namespace nvdlac::layer {

// A softmax over the channels that the host computes: int8 feature cube in, int8 feature cube out.
struct host_softmax {
  layer::surface input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

}  // namespace nvdlac::layer
#include <array>
#include <cstdint>


namespace nvdlac::layer {

// A split of a pooling's width into first, middle and last parts; columns of input and output.
struct pdp_split {
  std::uint8_t parts = 1;
  std::uint16_t in_first = 0, in_mid = 0, in_last = 0;
  std::uint16_t out_first = 0, out_mid = 0, out_last = 0;

  constexpr bool operator==(const pdp_split&) const = default;
};

// One pass of PDP, int8. The source is SDP when input.at is on the fly. Padding counts as
// pad_value in an average and is ignored by a maximum; an average divides by the whole kernel.
struct pdp {
  layer::surface input{};
  layer::surface output{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};  // dilation 1; kernel and stride 1..8, pads 0..7
  std::int16_t pad_value = 0;
  pdp_split split{};

  constexpr bool operator==(const pdp&) const = default;
};

}  // namespace nvdlac::layer
#include <cstdint>


namespace nvdlac::layer {

enum class sdp_alu : std::uint8_t { maximum = 0, minimum = 1, sum = 2 };
enum class sdp_mode : std::uint8_t { per_layer = 0, per_kernel = 1, per_point = 2 };

// X1 or X2 of SDP: y = round_shift(alu(x, operand << alu_shift) * multiplier, mul_shift), then ReLU.
struct sdp_unit {
  bool alu = false, mul = false, relu = false;
  sdp_alu algorithm = sdp_alu::sum;
  sdp_mode mode = sdp_mode::per_layer;
  std::uint8_t alu_shift = 0, mul_shift = 0;
  std::int16_t alu_operand = 0, mul_operand = 1;  // per layer
  // Per kernel: [alu][mul] or [alu,mul] interleaved for each channel; per point: a feature cube of
  // the alu operand. Elements of `operand_bytes`.
  std::uint8_t operand_bytes = 2;
  layer::surface operands{};

  constexpr bool enabled() const { return alu || mul || relu; }
  constexpr bool operator==(const sdp_unit&) const = default;
};

// One pass of SDP, int8 to int8. The source is CACC when input.at is on the fly; the result goes to
// PDP when output.at is.
struct sdp {
  layer::surface input{};
  sdp_unit x1{}, x2{};
  converter out{};
  layer::surface output{};

  constexpr bool operator==(const sdp&) const = default;
};

}  // namespace nvdlac::layer

namespace nvdlac::layer {

// A hardware layer: one programming of one engine (or one computation of the host). A convolution
// is always followed by the SDP layer that takes its result.
using any = std::variant<convolution, sdp, pdp, host_softmax>;

struct layer {
  std::string name;  // of the network's layer it computes, with a suffix when that is split
  any what;
};

constexpr bool on_host(const any& what) { return std::holds_alternative<host_softmax>(what); }

}  // namespace nvdlac::layer
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Operators in the integers that NVDLA computes with: what quantisation makes of net::graph. Each
// is one computation of the hardware, so that its reference is exact and lowering changes no value.
// All tensors are int8; a node's `scale` gives their meaning: real = scale * integer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>


namespace nvdlac::net::integer {

// y = saturate<8>(out(relu(saturate<32>(a * multiplier) + (b << operand_shift)))), inputs a, b
struct add {
  static constexpr arity inputs{2, 2};

  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;  // 0..24
  bool relu = false;
  converter out{};

  constexpr std::int8_t finish(std::int8_t a, std::int8_t b) const {
    const std::int64_t y = saturate<32>(std::int64_t{a} * multiplier) + (std::int64_t{b} << operand_shift);
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (operand_shift > 24) throw error("its operand shift is above 24");
    return infer_elementwise(in);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y{infer(shapes_of(in))};
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = finish(in[0]->values[i], in[1]->values[i]);
    return y;
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net::integer
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net::integer {

// Input i is copied, or rescaled: saturate<8>(round_shift(x * multiplier[i], shift)).
struct concat {
  static constexpr arity inputs{1, any_number};

  std::vector<std::optional<std::int16_t>> multiplier{};  // by input; nullopt: copied
  std::uint8_t shift = 0;                                 // 0..63

  constexpr std::int8_t finish(std::int8_t x, std::size_t input) const {
    if (!multiplier[input]) return x;
    return static_cast<std::int8_t>(
        saturate<8>(round_shift(std::int64_t{x} * *multiplier[input], shift)));
  }

  constexpr shape infer(std::span<const shape> in) const { return infer_concat(in); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, static_cast<std::int64_t>(in.size()), "multiplier", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y{infer(shapes_of(in)), {}};
    require_values(multiplier, static_cast<std::int64_t>(in.size()), "multiplier");
    for (std::size_t i = 0; i < in.size(); ++i)
      for (const std::int8_t x : in[i]->values) y.values.push_back(finish(x, i));
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net::integer
#include <span>
#include <string>


namespace nvdlac::net::integer {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  int8_tensor value{};

  constexpr shape infer(std::span<const shape>) const { return checked_shape(value.shape); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value", found,
                 layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net::integer {

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// y = saturate<8>(relu(saturate<32>(round_shift((a + (bias[k] << bias_shift)) * multiplier[k], shift))))
// A fully connected layer is a convolution whose window covers its whole input.
// CACC saturates `sum` to 34 bits, which no kernel that fits the convolution buffer can reach.
struct convolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<std::int8_t> weights{};      // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<std::int16_t> bias{};        // [kernels]
  std::uint8_t bias_shift = 0;             // 0..16
  std::vector<std::int16_t> multiplier{};  // [kernels]
  std::uint8_t shift = 0;                  // 0..63
  std::uint8_t truncate = 0;               // CACC, 0..16
  bool relu = false;

  // The accumulated sum of kernel k as an output value.
  constexpr std::int8_t finish(std::int64_t sum, std::size_t k) const {
    const std::int64_t a = saturate<32>(round_shift(sum, truncate));
    const std::int64_t biased = a + (std::int64_t{bias[k]} << bias_shift);
    const std::int64_t y = saturate<32>(round_shift(biased * multiplier[k], shift));
    return static_cast<std::int8_t>(saturate<8>(relu ? std::max<std::int64_t>(y, 0) : y));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (bias_shift > 16 || truncate > 16 || shift > 63)
      throw error("its bias shift or truncation is above 16 or its shift above 63");
    return infer_convolution(window, kernels, groups, in[0]);
  }
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    check_values(bias, kernels, "bias", found, layer);
    check_values(multiplier, kernels, "multiplier", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    require_values(bias, kernels, "bias");
    require_values(multiplier, kernels, "multiplier");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                 [&](std::size_t k, std::size_t position, double sum) {
                   y.values[k * area + position] = finish(static_cast<std::int64_t>(sum), k);
                 });
    return y;
  }
};
static_assert(operation<convolution>);

}  // namespace nvdlac::net::integer
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>


namespace nvdlac::net::integer {

// Pixels (unsigned bytes, 1, 3 or 4 a pixel in the order of the network's channels) that CDMA's
// input converter turns into int8: saturate<8>(cvt(p - mean[c])); cvt.offset is 0.
struct pixels {
  std::array<std::int16_t, 4> mean{};
  converter cvt{};

  constexpr std::int8_t operator()(std::uint8_t p, std::size_t channel) const {
    return static_cast<std::int8_t>(saturate<8>(cvt(std::int64_t{p} - mean[channel])));
  }
};

// What the user gives to one input: int8 values, or the bytes of a picture [height][width][channel].
using feed = std::variant<int8_tensor, std::vector<std::uint8_t>>;

// Without `pixels` the host gives int8 values.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  std::optional<integer::pixels> pixels{};

  constexpr net::shape infer(std::span<const net::shape>) const {
    const net::shape s = checked_shape(shape);
    if (pixels && s.c != 1 && s.c != 3 && s.c != 4)
      throw error(text("a picture of ", s.c, " channels is none of 1, 3 or 4 bytes a pixel"));
    return s;
  }
  // Throws if the feed is of the other kind or of another size.
  int8_tensor evaluate(const feed& given) const {
    int8_tensor y{infer({})};
    if (const auto* values = std::get_if<int8_tensor>(&given)) {
      if (pixels) throw error("the input is a picture of bytes but int8 values are given");
      if (values->shape != shape || values->values.size() != shape.size())
        throw error(text("the input is ", shape, " but the given tensor is ", values->shape, " with ",
                         values->values.size(), " values"));
      return *values;
    }
    const auto& bytes = std::get<std::vector<std::uint8_t>>(given);
    if (!pixels) throw error("the input is int8 values but a picture of bytes is given");
    if (bytes.size() != shape.size())
      throw error(text("the input is a picture of ", shape.size(), " bytes but ", bytes.size(),
                       " are given"));
    const auto channels = static_cast<std::size_t>(shape.c);
    const std::size_t area = bytes.size() / channels;
    for (std::size_t p = 0; p < area; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = (*pixels)(bytes[p * channels + c], c);
    return y;
  }
};
static_assert(operation<input>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>


namespace nvdlac::net::integer {

// PDP. Maximum: over the elements of the window inside the input. Average: the window is clipped to
// the input (or, count_include_pad, to the padded input, padding being 0), rows x columns remain;
// y = round_shift(round_shift(sum * (65536 / columns), 16) * (65536 / rows), 16).
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};  // kernels at most 8 x 8
  bool ceil = false;
  bool count_include_pad = false;

  constexpr shape infer(std::span<const shape> in) const {
    if (window.kernel_h > 8 || window.kernel_w > 8) throw error("it pools a window larger than 8 x 8");
    return infer_pool(window, ceil, in[0]);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, pool_span::at(vertical(window), x.shape.h, oy),
                                   pool_span::at(horizontal(window), x.shape.w, ox));
    return y;
  }

 private:
  constexpr std::int8_t reduce(const int8_tensor& x, std::int32_t c, pool_span rows,
                               pool_span columns) const {
    std::int64_t sum = 0, top = -128;
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t v = x.at(c, row, column);
        sum += v;
        top = std::max(top, v);
      }
    if (kind == pool_kind::maximum) return static_cast<std::int8_t>(top);
    const auto counted = [&](pool_span s) { return count_include_pad ? s.padded : s.end - s.begin; };
    const std::int64_t by_columns = round_shift(sum * (65536 / counted(columns)), 16);
    return static_cast<std::int8_t>(round_shift(by_columns * (65536 / counted(rows)), 16));
  }
};
static_assert(operation<pool>);

}  // namespace nvdlac::net::integer
#include <span>


namespace nvdlac::net::integer {

// The same values in dense c-h-w order under another shape. Costs nothing when height and width
// are 1 before and after; else it is done by the host, on a graph's output only.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};

  constexpr shape infer(std::span<const shape> in) const { return infer_reshape(target, in[0]); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net::integer {

// SDP's X1 and X2 over a tensor in memory:
// y = saturate<8>(out(relu(saturate<32>(x * multiplier[c]) + (addend[c] << addend_shift))))
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<std::int16_t> multiplier{};  // [C] or one for all
  std::vector<std::int16_t> addend{};      // [C], one for all, or empty: nothing is added
  std::uint8_t addend_shift = 0;           // 0..16
  bool relu = false;
  converter out{};                         // offset 0

  constexpr std::int8_t finish(std::int8_t x, std::size_t channel) const {
    const auto of = [&](const auto& v) { return std::int64_t{v[v.size() == 1 ? 0 : channel]}; };
    std::int64_t y = saturate<32>(x * of(multiplier));
    if (!addend.empty()) y += of(addend) << addend_shift;
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (addend_shift > 16) throw error("its addend shift is above 16");
    return in[0];
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier", found, layer);
    if (addend.size() > 1) check_values(addend, in[0].c, "addend", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y = *in[0];
    infer(shapes_of(in));
    if (multiplier.size() != 1) require_values(multiplier, y.shape.c, "multiplier");
    if (addend.size() > 1) require_values(addend, y.shape.c, "addend");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(operation<scale>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>


namespace nvdlac::net::integer {

// On the host: saturate<8>(round(softmax(scale_in * x) / scale_out)), over the channels; in double,
// rounded half away from zero.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  // scale_in and scale_out belong to the input's and to the output's tensor.
  int8_tensor evaluate(std::span<const int8_tensor* const> in, double scale_in, double scale_out) const {
    if (!(scale_in > 0) || !(scale_out > 0)) throw error("a softmax has a scale that is not above 0");
    int8_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area, scale_in);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<std::int8_t>(
            std::min(std::round(column[c] / scale_out), 127.0));
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net::integer

namespace nvdlac::net::integer {

using operators = type_list<input, constant, convolution, pool, scale, add, concat, reshape, softmax>;
using graph = basic_graph<operators>;

}  // namespace nvdlac::net::integer

namespace nvdlac::plan {

// Which memory holds a buffer: the weights pool is loaded once; the feature pool is scratch shared
// by buffers that do not live at the same time; inputs and outputs are the user's own memories.
enum class memory : std::uint8_t { weights, features, input, output };

struct buffer {
  std::string name;
  plan::memory memory = memory::features;
  std::uint64_t size = 0;            // bytes
  std::vector<std::uint8_t> content{};  // weights: `size` bytes; else empty
  std::uint64_t offset = 0;          // in its pool, set by placement; 0 for inputs and outputs
};

// The engines as the firmware numbers them.
enum class engine : std::uint8_t { bdma = 0, convolution = 1, sdp = 2, pdp = 3, cdp = 4, rubik = 5 };
inline constexpr std::size_t engines = 6;

// What a consumer waits for: the firmware's event codes.
enum class event : std::uint8_t { completed = 1, programmed = 2, enabled = 3 };

struct link {
  std::int16_t operation = -1;  // index within the task; -1: none
  plan::event event = event::completed;
};

// A hardware (or host) layer with its dependencies inside its task.
struct operation {
  layer::layer layer{};
  std::array<link, engines> consumers{};  // by the consumer's engine
  link fused_parent{};
  std::uint8_t dependency_count = 0;
};

// Operations that are submitted together: any number of hardware layers, or one host layer.
struct task {
  bool host = false;
  std::vector<operation> operations{};
};

// A tensor that the user gives or gets.
struct binding {
  std::string name;                  // of the network's tensor
  layer::surface surface{};          // in its own buffer
  net::shape shape{};                // as the network sees it
  double scale = 1.0;                // real = scale * integer
  std::optional<net::integer::pixels> pixels{};  // the input is a picture of unsigned bytes
};

// What one NVDLA needs to compute a network: memory and operations.
struct program_data {
  std::string network;               // name of the model
  std::vector<buffer> buffers{};
  std::vector<task> tasks{};
  std::vector<binding> inputs{}, outputs{};
  std::uint64_t weights_size = 0;    // bytes of the weights pool
  std::uint64_t features_size = 0;   // bytes of the feature pool: the peak
  std::uint64_t features_bound = 0;  // most bytes alive at one time: no placement needs less
};

// The program of one product.
template <hw::hardware Hw>
struct program : program_data {};

constexpr std::size_t index(engine e) { return static_cast<std::size_t>(e); }

}  // namespace nvdlac::plan

namespace nvdlac::lower {

// What lowering makes: the buffers and the layers in order, not yet placed in memory.
struct lowered {
  std::string network;
  std::vector<plan::buffer> buffers{};
  std::vector<layer::layer> layers{};
  std::vector<plan::binding> inputs{}, outputs{};
};

// Collects buffers and layers. Equal contents become one buffer.
class assembly {
 public:
  lowered result{};

  layer::location reserve(std::string name, plan::memory memory, std::uint64_t size) {
    result.buffers.push_back({.name = std::move(name), .memory = memory, .size = size});
    return {static_cast<std::int32_t>(result.buffers.size() - 1), 0};
  }
  layer::location keep(std::string name, std::vector<std::uint8_t> content) {
    const auto [known, is_new] =
        kept_.try_emplace(std::move(content), static_cast<std::int32_t>(result.buffers.size()));
    if (is_new)
      result.buffers.push_back({.name = std::move(name),
                                .memory = plan::memory::weights,
                                .size = known->first.size(),
                                .content = known->first});
    return {known->second, 0};
  }
  void add(std::string name, layer::any what) {
    result.layers.push_back({std::move(name), std::move(what)});
  }

 private:
  std::map<std::vector<std::uint8_t>, std::int32_t> kept_;
};

}  // namespace nvdlac::lower

namespace nvdlac::lower {

// What SDP's X1 does to the sums: one entry for each kernel.
struct requantisation {
  std::span<const std::int16_t> bias, multiplier;
  std::uint8_t bias_shift = 0, shift = 0, truncate = 0;
  bool relu = false;
};

namespace detail {

inline std::vector<std::uint8_t> interleaved(const hw::spec& hw, const requantisation& q,
                                             std::int32_t first, std::int32_t count) {
  std::vector<std::uint8_t> bytes_of_pairs;
  const auto lanes = align_up(static_cast<std::uint64_t>(count), hw.memory_atom);
  bytes_of_pairs.reserve(lanes * 4);
  const auto put = [&](std::int16_t v) {
    bytes_of_pairs.push_back(static_cast<std::uint8_t>(v & 0xff));
    bytes_of_pairs.push_back(static_cast<std::uint8_t>((v >> 8) & 0xff));
  };
  for (std::uint64_t i = 0; i < lanes; ++i) {
    const auto k = static_cast<std::size_t>(first) + i;
    const bool real = i < static_cast<std::uint64_t>(count);
    put(real ? q.bias[k] : std::int16_t{0});
    put(real ? q.multiplier[k] : std::int16_t{0});
  }
  return bytes_of_pairs;
}

// Lines [first, first + count) of an input cube.
inline layer::surface lines(const layer::surface& in, bool pixel, bytes atom, range rows,
                            std::int32_t width) {
  if (!pixel) return layer::part(in, atom, 0, rows.first, 0, {in.shape.c, rows.count, width});
  layer::surface s = in;
  s.shape = {in.shape.c, rows.count, width};
  s.at.offset += static_cast<std::uint64_t>(rows.first) * in.line_stride;
  s.size = static_cast<std::uint64_t>(rows.count) * in.line_stride;
  return s;
}

}  // namespace detail

// Emits the passes of `name`: weight(k, c, r, s) over all kernels of `out` and channels of `in`.
// A pass of fewer kernels than an atom leaves the other lanes of its atom zero, so `out` must have
// `kernels_apart` channels from one pass to the next; see convolution.hpp.
template <class Hw, class Weight>
void convolve(assembly& to, const std::string& name, const layer::surface& in,
              const std::optional<net::integer::pixels>& pixels, const layer::surface& out,
              net::window window, const convolution_split& split, const requantisation& q,
              Weight weight) {
  const auto& hw = Hw::spec;
  const bool pixel = pixels.has_value();
  const net::shape full = out.shape;
  const auto whole_atoms = static_cast<std::int32_t>(hw.memory_atom);
  const range columns =
      input_range(in.shape.w, window.extent_w(), window.stride_w, window.pad_left, 0, full.w);
  window.pad_left = columns.pad_before;
  window.pad_right = columns.pad_after;

  for (std::int32_t k0 = 0; k0 < full.c; k0 += split.kernels) {
    const std::int32_t kernels = std::min(split.kernels, full.c - k0);
    const std::string pass = split.kernels < full.c ? name + "/k" + std::to_string(k0) : name;
    const kernel_shape shape{kernels, in.shape.c, window.kernel_h, window.kernel_w};
    // A kernel of pixels is one column of kernel_w * C channels.
    auto packed = pixel
        ? pack_weights(hw, {kernels, in.shape.c * window.kernel_w, window.kernel_h, 1},
                       [&](std::int32_t k, std::int32_t c, std::int32_t r, std::int32_t) {
                         return weight(k0 + k, c % in.shape.c, r, c / in.shape.c);
                       })
        : pack_weights(hw, shape, [&](std::int32_t k, std::int32_t c, std::int32_t r,
                                      std::int32_t s) { return weight(k0 + k, c, r, s); });
    const auto weights_size = packed.size();
    const layer::surface weights{.at = to.keep(pass + "/weights", std::move(packed)),
                                 .shape = {kernels, 1, 1},
                                 .size = weights_size};
    auto pairs = detail::interleaved(hw, q, k0, kernels);
    const auto pairs_size = pairs.size();
    const layer::surface operands{.at = to.keep(pass + "/requantisation", std::move(pairs)),
                                  .shape = {kernels, 1, 1},
                                  .size = pairs_size};

    for (std::int32_t y0 = 0; y0 < full.h; y0 += split.rows) {
      const std::int32_t rows = std::min(split.rows, full.h - y0);
      const range input_rows =
          input_range(in.shape.h, window.extent_h(), window.stride_h, window.pad_top, y0, rows);
      layer::convolution conv{
          .input = detail::lines(in, pixel, hw.atom(), input_rows, columns.count),
          .format = !pixel            ? layer::pixel_format::feature
                    : in.shape.c == 1 ? layer::pixel_format::r8
                                      : layer::pixel_format::a8b8g8r8,
          .weights = weights,
          .output = {kernels, rows, full.w},
          .window = window,
          .data_banks = static_cast<std::uint8_t>(split.data.n),
          .weight_banks = static_cast<std::uint8_t>(split.weights.n),
          .release = static_cast<std::uint16_t>(input_rows.count),
          .truncate = q.truncate};
      conv.window.pad_top = input_rows.pad_before;
      conv.window.pad_bottom = input_rows.pad_after;
      const auto c = static_cast<std::uint64_t>(in.shape.c);
      const auto w = static_cast<std::uint64_t>(columns.count);
      const auto pads = static_cast<std::uint64_t>(columns.pad_before + columns.pad_after);
      const entries slice =
          pixel ? hw::image_entries_per_slice(hw, hw::precision::int8, w + pads, c)
                : hw::feature_entries_per_slice(hw, hw::precision::int8, w, c);
      conv.entries_per_slice = static_cast<std::uint16_t>(slice.n);
      if (pixel) {
        conv.mean = pixels->mean;
        conv.use_mean = true;
        conv.convert = true;
        conv.cvt = pixels->cvt;
      }
      // Passes of less than an atom of kernels stand an atom apart.
      const std::int32_t channel = split.kernels < full.c && split.kernels % whole_atoms != 0
                                       ? k0 / split.kernels * whole_atoms
                                       : k0;
      layer::sdp sdp{.input = {.shape = conv.output},
                     .x1 = {.alu = true,
                            .mul = true,
                            .relu = q.relu,
                            .mode = layer::sdp_mode::per_kernel,
                            .alu_shift = q.bias_shift,
                            .mul_shift = q.shift,
                            .operands = operands},
                     .output = layer::part(out, hw.atom(), channel, y0, 0, conv.output)};
      const std::string row = split.rows < full.h ? pass + "/y" + std::to_string(y0) : pass;
      to.add(row, conv);
      to.add(row + "/sdp", sdp);
    }
  }
}

}  // namespace nvdlac::lower
#include <optional>
#include <string>
#include <vector>


namespace nvdlac {

template <class...>
inline constexpr bool never = false;

// Labels that make a failed assertion say what it is about.
namespace failed {
template <class>
struct operator_;
template <class>
struct on_hardware;
}  // namespace failed

namespace lower {

// One operator of an integer graph with the cubes that it reads and writes.
template <class Op>
struct site {
  const Op& op;
  std::string name;
  std::vector<layer::surface> in{};
  layer::surface out{};
  std::vector<double> in_scale{};
  double out_scale = 1;
  // Of the input: it is a picture that CDMA converts.
  std::optional<net::integer::pixels> pixels{};
  // Of a concat: which inputs already stand at their place in `staging`.
  std::vector<bool> in_place{};
  layer::surface staging{};
};

// The rule that turns an operator into hardware layers: `run(assembly&, const site<Op>&)`.
// A user's own operator has its own specialisation.
template <class Op, class Hw>
struct lowering {
  static_assert(never<failed::operator_<Op>, failed::on_hardware<Hw>>,
                "nvdlac: unsupported operator: no lowering is known for it on this hardware");
};

}  // namespace lower
}  // namespace nvdlac

namespace nvdlac::lower {

// Copies channels into place by 1x1 kernels that each select one: output channel k is input channel
// source[k]. Exact: the sum has one term.
template <class Hw>
void select_channels(assembly& to, const std::string& name, const layer::surface& in,
                     const layer::surface& out, const std::vector<std::int32_t>& source) {
  const auto atom = static_cast<std::int32_t>(Hw::spec.memory_atom);
  constexpr std::int32_t atoms_of_block = 8;
  const std::vector<std::int16_t> zeros(source.size(), 0), ones(source.size(), 1);
  for (std::int32_t k0 = 0; k0 < out.shape.c; k0 += atom * atoms_of_block) {
    const std::int32_t kernels = std::min(atom * atoms_of_block, out.shape.c - k0);
    const auto [low, high] = std::minmax_element(source.begin() + k0, source.begin() + k0 + kernels);
    const std::int32_t first = *low / atom * atom;
    const auto from = layer::part(in, Hw::spec.atom(), first, 0, 0,
                                  {*high + 1 - first, in.shape.h, in.shape.w});
    const auto at = layer::part(out, Hw::spec.atom(), k0, 0, 0, {kernels, out.shape.h, out.shape.w});
    const auto split = split_convolution(Hw::spec, from.shape, at.shape, {}, false);
    if (!split || split->kernels < kernels)
      throw error(problem{.layer = name,
                          .reason = text("lines of ", from.shape,
                                         " do not fit the convolution buffer")});
    convolve<Hw>(to, text(name, "/c", k0), from, {}, at, {}, *split, {zeros, ones},
                 [&](std::int32_t k, std::int32_t c, std::int32_t, std::int32_t) {
                   return std::int8_t{source[static_cast<std::size_t>(k0 + k)] == first + c};
                 });
  }
}

template <class Hw>
struct lowering<net::integer::convolution, Hw> {
  static void run(assembly& to, const site<net::integer::convolution>& s) {
    const auto& op = s.op;
    const std::int32_t kernels = op.kernels / op.groups;
    // Not the input's: pixels of 3 channels have 4 in memory.
    const auto channels = static_cast<std::int32_t>(
        op.weights.size() / static_cast<std::size_t>(op.kernels * op.window.kernel_h * op.window.kernel_w));
    const auto bundle = groups_per_bundle(op.groups, channels, kernels, Hw::spec.atom());
    for (std::int32_t g0 = 0; g0 < op.groups; g0 += bundle) {
      const std::int32_t groups = std::min(bundle, op.groups - g0);
      run_bundle(to, s, g0, groups, channels, kernels);
    }
  }

 private:
  // Groups [g0, g0 + groups) as one dense convolution; weights across groups are zero.
  static void run_bundle(assembly& to, const site<net::integer::convolution>& s, std::int32_t g0,
                         std::int32_t groups, std::int32_t channels, std::int32_t kernels) {
    const auto& op = s.op;
    const bytes atom = Hw::spec.atom();
    const std::string name = groups < op.groups ? text(s.name, "/g", g0) : s.name;
    const std::int32_t first = g0 * kernels, count = groups * kernels;
    const bool dense = op.groups == 1;
    const layer::surface in =
        dense ? s.in[0]
              : layer::part(s.in[0], atom, g0 * channels, 0, 0,
                            {groups * channels, s.in[0].shape.h, s.in[0].shape.w});
    const layer::surface out =
        dense ? s.out
              : layer::part(s.out, atom, first, 0, 0, {count, s.out.shape.h, s.out.shape.w});
    if (const auto why = check_convolution<Hw>(in.shape, out.shape, op.window, s.pixels.has_value());
        why != reason::none)
      throw error(problem{.layer = s.name,
                          .reason = text("a convolution of ", in.shape, " by ", op.window.kernel_h,
                                         'x', op.window.kernel_w, " does not run on ",
                                         type_name<Hw>(), ": ", to_text(why))});
    const auto split = *split_convolution(Hw::spec, in.shape, out.shape, op.window, s.pixels.has_value());
    const requantisation q{std::span(op.bias).subspan(static_cast<std::size_t>(first)),
                           std::span(op.multiplier).subspan(static_cast<std::size_t>(first)),
                           op.bias_shift, op.shift, op.truncate, op.relu};
    const auto weight = [&](std::int32_t k, std::int32_t c, std::int32_t r, std::int32_t x) {
      if (c >= groups * channels || c / channels != k / kernels) return std::int8_t{0};
      const auto row = ((first + k) * std::int64_t{channels} + c % channels) * op.window.kernel_h + r;
      return op.weights[static_cast<std::size_t>(row * op.window.kernel_w + x)];
    };
    const auto lanes = static_cast<std::int32_t>(atom.n);
    if (split.kernels >= count || split.kernels % lanes == 0)
      return convolve<Hw>(to, name, in, s.pixels, out, op.window, split, q, weight);

    // Not even one atom of kernels fits: every pass takes an atom of a scratch cube, from which
    // its channels are then brought together.
    const auto passes = static_cast<std::int32_t>(
        ceil_div(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(split.kernels)));
    auto scratch = layer::packed({passes * lanes, out.shape.h, out.shape.w}, atom);
    scratch.at = to.reserve(name + "/scratch", plan::memory::features, scratch.size);
    auto sparse = scratch;
    sparse.shape.c = count;
    convolve<Hw>(to, name, in, s.pixels, sparse, op.window, split, q, weight);
    std::vector<std::int32_t> source;
    for (std::int32_t k = 0; k < count; ++k)
      source.push_back(k / split.kernels * lanes + k % split.kernels);
    select_channels<Hw>(to, name + "/gather", scratch, out, source);
  }
};

}  // namespace nvdlac::lower
#include <cstdint>
#include <string>


namespace nvdlac::lower {

// A pass of SDP from memory to memory: y = saturate<8>(round_shift(x * multiplier, shift)).
inline void copy(assembly& to, const std::string& name, const layer::surface& in,
                 const layer::surface& out, std::int16_t multiplier = 1, std::uint8_t shift = 0) {
  layer::sdp sdp{.input = in, .output = out};
  if (multiplier != 1 || shift != 0)
    sdp.x1 = {.mul = true, .mul_shift = shift, .mul_operand = multiplier};
  to.add(name, sdp);
}

}  // namespace nvdlac::lower

namespace nvdlac::lower {

// First channel of each input in the cube where the inputs stand on whole atoms, and behind them
// the number of channels of that cube.
inline std::vector<std::int32_t> aligned_offsets(std::span<const net::shape> inputs, bytes atom) {
  std::vector<std::int32_t> first{0};
  for (const auto& s : inputs)
    first.push_back(first.back() + static_cast<std::int32_t>(
                                       align_up(static_cast<std::uint64_t>(s.c), atom.n)));
  return first;
}

// True if every input begins on an atom of the result: placing them is all there is to do.
inline bool concat_is_aligned(std::span<const net::shape> inputs, bytes atom) {
  for (std::size_t i = 0; i + 1 < inputs.size(); ++i)
    if (static_cast<std::uint64_t>(inputs[i].c) % atom.n != 0) return false;
  return true;
}

// Inputs that were not produced in place are copied, rescaled if need be, to the staging cube; that
// is the result itself, or its channels are then brought together.
template <class Hw>
struct lowering<net::integer::concat, Hw> {
  static void run(assembly& to, const site<net::integer::concat>& s) {
    std::vector<net::shape> shapes;
    for (const auto& in : s.in) shapes.push_back(in.shape);
    const bytes atom = Hw::spec.atom();
    const auto offsets = aligned_offsets(shapes, atom);
    for (std::size_t i = 0; i < s.in.size(); ++i) {
      if (s.in_place[i]) continue;
      const auto place = layer::part(s.staging, atom, offsets[i], 0, 0, shapes[i]);
      const auto multiplier = s.op.multiplier[i];
      copy(to, text(s.name, "/input", i), s.in[i], place, multiplier.value_or(std::int16_t{1}),
           multiplier ? s.op.shift : std::uint8_t{0});
    }
    if (concat_is_aligned(shapes, atom)) return;
    std::vector<std::int32_t> source;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (std::int32_t c = 0; c < shapes[i].c; ++c) source.push_back(offsets[i] + c);
    select_channels<Hw>(to, s.name + "/gather", s.staging, s.out, source);
  }
};

}  // namespace nvdlac::lower
// scale and add: SDP over tensors in memory.
#include <cstdint>
#include <span>
#include <vector>


namespace nvdlac::lower {

namespace detail {

// One int16 operand for each channel, padded with zeros to whole atoms.
template <class Hw>
layer::surface per_channel(assembly& to, const std::string& name,
                           std::span<const std::int16_t> values) {
  std::vector<std::uint8_t> content;
  for (const std::int16_t v : values) {
    content.push_back(static_cast<std::uint8_t>(v & 0xff));
    content.push_back(static_cast<std::uint8_t>((v >> 8) & 0xff));
  }
  content.resize(align_up(values.size(), Hw::spec.memory_atom) * 2, std::uint8_t{0});
  const auto size = content.size();
  return {.at = to.keep(name, std::move(content)),
          .shape = {static_cast<std::int32_t>(values.size()), 1, 1},
          .size = size};
}

}  // namespace detail

template <class Hw>
struct lowering<net::integer::scale, Hw> {
  static void run(assembly& to, const site<net::integer::scale>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1.mul = true;
    if (op.multiplier.size() == 1) {
      sdp.x1.mul_operand = op.multiplier[0];
    } else {
      sdp.x1.mode = layer::sdp_mode::per_kernel;
      sdp.x1.operands = detail::per_channel<Hw>(to, s.name + "/multiplier", op.multiplier);
    }
    sdp.x2.relu = op.relu;
    if (!op.addend.empty()) {
      sdp.x2.alu = true;
      sdp.x2.alu_shift = op.addend_shift;
      if (op.addend.size() == 1) {
        sdp.x2.alu_operand = op.addend[0];
      } else {
        sdp.x2.mode = layer::sdp_mode::per_kernel;
        sdp.x2.operands = detail::per_channel<Hw>(to, s.name + "/addend", op.addend);
      }
    }
    to.add(s.name, sdp);
  }
};

template <class Hw>
struct lowering<net::integer::add, Hw> {
  static void run(assembly& to, const site<net::integer::add>& s) {
    layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
    sdp.x1 = {.mul = true, .mul_operand = s.op.multiplier};
    sdp.x2 = {.alu = true,
              .relu = s.op.relu,
              .mode = layer::sdp_mode::per_point,
              .alu_shift = s.op.operand_shift,
              .operand_bytes = 1,
              .operands = s.in[1]};
    to.add(s.name, sdp);
  }
};

}  // namespace nvdlac::lower
// Where each tensor of a network stands in memory.
#include <cstdint>
#include <variant>
#include <vector>


namespace nvdlac::lower {

struct homes {
  using id = net::integer::graph::id;

  std::vector<layer::surface> of;             // by node
  std::vector<layer::surface> staging;        // of concats
  std::vector<std::vector<bool>> in_place;    // of concats, by input
  // Outputs whose tensor cannot stand in the user's memory directly: copy from `of[node]` to `to`.
  struct extra_copy { id node; layer::surface to; };
  std::vector<extra_copy> copies;
};

// Gives every tensor its cube: inputs and outputs their own buffers; inputs of a concat a part of
// its cube where that is possible; reshapes the cube of their input.
template <class Hw>
class home_finder {
  using graph = net::integer::graph;
  using id = graph::id;

 public:
  home_finder(const graph& g, assembly& to) : g_(g), to_(to) {}

  homes find() {
    result_.of.resize(g_.size());
    result_.staging.resize(g_.size());
    result_.in_place.resize(g_.size());
    found_.assign(g_.size(), false);
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) settle(*n);
    for (const id n : order)
      if (is_alias(n)) {
        result_.of[n] = result_.of[origin(n)];
        if (g_[n].shape.h == 1 && g_[n].shape.w == 1 && result_.of[n].shape.h == 1 &&
            result_.of[n].shape.w == 1)
          result_.of[n].shape = g_[n].shape;
      }
    bind();
    return std::move(result_);
  }

 private:
  bool is_alias(id n) const { return std::holds_alternative<net::integer::reshape>(g_[n].op); }
  id origin(id n) const {
    while (is_alias(n)) n = g_.inputs(n).front();
    return n;
  }

  // The output whose memory the tensor can be computed into; the node itself or a reshape of it.
  bool is_output(id n) const {
    if (g_[n].output) return true;
    for (const id c : g_.consumers(n))
      if (is_alias(c) && is_output(c)) return true;
    return false;
  }

  void settle(id n) {
    const auto& node = g_[n];
    if (const auto* in = std::get_if<net::integer::input>(&node.op)) return settle_input(n, *in);
    if (const auto* c = std::get_if<net::integer::constant>(&node.op)) return settle_constant(n, *c);
    if (is_alias(n)) return;
    const bytes atom = Hw::spec.atom();
    if (!found_[n]) {
      auto home = layer::packed(node.shape, atom);
      home.at = to_.reserve(node.name,
                            is_output(n) ? plan::memory::output : plan::memory::features, home.size);
      take(n, home);
    }
    if (const auto* op = std::get_if<net::integer::concat>(&node.op)) settle_concat(n, *op);
  }

  void settle_input(id n, const net::integer::input& in) {
    const auto& shape = in.shape;
    if (!in.pixels) {
      auto home = layer::packed(shape, Hw::spec.atom());
      home.at = to_.reserve(g_[n].name, plan::memory::input, home.size);
      return take(n, home);
    }
    // Three channels are stored as four, as in X8B8G8R8.
    const std::int32_t channels = shape.c == 1 ? 1 : 4;
    layer::surface home{.shape = {channels, shape.h, shape.w}};
    const auto line = static_cast<std::uint64_t>(shape.w) * static_cast<std::uint64_t>(channels);
    home.line_stride = static_cast<std::uint32_t>(align_up(line, 32));
    home.size = home.line_stride * static_cast<std::uint64_t>(shape.h);
    home.at = to_.reserve(g_[n].name, plan::memory::input, home.size);
    take(n, home);
  }

  void settle_constant(id n, const net::integer::constant& c) {
    const bytes atom = Hw::spec.atom();
    auto home = layer::packed(c.value.shape, atom);
    std::vector<std::uint8_t> content(home.size, std::uint8_t{0});
    for (std::int32_t k = 0; k < c.value.shape.c; ++k)
      for (std::int32_t y = 0; y < c.value.shape.h; ++y)
        for (std::int32_t x = 0; x < c.value.shape.w; ++x)
          content[layer::offset_of(home, atom, k, y, x)] =
              static_cast<std::uint8_t>(c.value.at(k, y, x));
    home.at = to_.keep(g_[n].name, std::move(content));
    take(n, home);
  }

  void settle_concat(id n, const net::integer::concat& op) {
    const bytes atom = Hw::spec.atom();
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_[i].shape);
    auto& staging = result_.staging[n];
    staging = result_.of[n];
    const auto offsets = aligned_offsets(shapes, atom);
    if (!concat_is_aligned(shapes, atom)) {
      staging = layer::packed({offsets.back(), g_[n].shape.h, g_[n].shape.w}, atom);
      staging.at = to_.reserve(g_[n].name + "/staging", plan::memory::features, staging.size);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const id from = origin(inputs[i]);
      const bool computed = !std::holds_alternative<net::integer::input>(g_[from].op) &&
                            !std::holds_alternative<net::integer::constant>(g_[from].op);
      const bool place = computed && !found_[from] && !is_output(from) && !op.multiplier[i] &&
                         g_[from].shape == shapes[i];
      result_.in_place[n].push_back(place);
      if (place) take(from, layer::part(staging, atom, offsets[i], 0, 0, shapes[i]));
    }
  }

  void take(id n, const layer::surface& home) {
    result_.of[n] = home;
    found_[n] = true;
  }

  // The bindings that the user sees, and copies for outputs that share one tensor.
  void bind() {
    std::vector<bool> bound(to_.result.buffers.size(), false);
    for (const id n : g_.order()) {
      const auto& node = g_[n];
      if (const auto* in = std::get_if<net::integer::input>(&node.op))
        to_.result.inputs.push_back({node.name, result_.of[n], node.shape, node.scale, in->pixels});
      if (!node.output) continue;
      auto home = result_.of[origin(n)];
      const auto buffer = static_cast<std::size_t>(home.at.buffer);
      const bool own = to_.result.buffers[buffer].memory == plan::memory::output;
      if (!own || bound[buffer]) {
        auto fresh = layer::packed(home.shape, Hw::spec.atom());
        fresh.at = to_.reserve(node.name, plan::memory::output, fresh.size);
        bound.resize(to_.result.buffers.size(), false);
        result_.copies.push_back({origin(n), fresh});
        home = fresh;
      }
      bound[static_cast<std::size_t>(home.at.buffer)] = true;
      to_.result.outputs.push_back({node.name, home, node.shape, node.scale, {}});
    }
  }

  const graph& g_;
  assembly& to_;
  homes result_{};
  std::vector<bool> found_{};
};

}  // namespace nvdlac::lower

namespace nvdlac::lower {

template <class Hw>
struct lowering<net::integer::softmax, Hw> {
  static void run(assembly& to, const site<net::integer::softmax>& s) {
    to.add(s.name, layer::host_softmax{.input = s.in[0],
                                       .output = s.out,
                                       .input_scale = static_cast<float>(s.in_scale[0]),
                                       .output_scale = static_cast<float>(s.out_scale)});
  }
};

}  // namespace nvdlac::lower
// Pooling on PDP, cut into rectangles in which every window has the same kernel.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>


namespace nvdlac::lower {

// Outputs [first, first + count) of one dimension, pooled with one kernel and one padding.
struct pool_run {
  std::int32_t first = 0, count = 1, kernel = 1;
  bool whole = true;  // no window is clipped
  range input{};
};

// The widest output that PDP's line buffers hold: 8 buffers of 16 atoms, shared by the windows that
// overlap a column (open NVDLA's PDP; the same number of columns in every configuration).
constexpr std::int32_t pool_width_limit(std::int32_t kernel, std::int32_t stride) {
  constexpr std::array overlap{1, 1, 2, 4, 4, 8, 8, 8, 8};
  return 128 / overlap[static_cast<std::size_t>((kernel + stride - 1) / stride)];
}

// Cuts one dimension. A maximum ignores padding, so its windows are never clipped; an average
// divides by its whole kernel, so windows that are clipped become runs of their own.
constexpr std::vector<pool_run> pool_runs(const net::integer::pool& op, std::int32_t size,
                                          std::int32_t outputs, std::int32_t kernel,
                                          std::int32_t stride, std::int32_t pad_before,
                                          std::int32_t pad_after, std::int32_t longest) {
  const bool average = op.kind == net::pool_kind::average;
  const std::int32_t low = op.count_include_pad ? -pad_before : 0;
  const std::int32_t high = op.count_include_pad ? size + pad_after : size;
  std::vector<pool_run> runs;
  for (std::int32_t o = 0; o < outputs; ++o) {
    const std::int32_t begin = o * stride - pad_before, end = begin + kernel;
    if (!average || (begin >= low && end <= high)) {
      if (!runs.empty() && runs.back().whole && runs.back().count < longest)
        ++runs.back().count;
      else
        runs.push_back({.first = o, .kernel = kernel});
      auto& run = runs.back();
      run.input = input_range(size, kernel, stride, pad_before, run.first, run.count);
    } else {
      const std::int32_t from = std::max(begin, low), to = std::min(end, high);
      runs.push_back({.first = o,
                      .kernel = to - from,
                      .whole = false,
                      .input = input_range(size, to - from, 1, -from, 0, 1)});
    }
  }
  return runs;
}

template <class Hw>
struct lowering<net::integer::pool, Hw> {
  static void run(assembly& to, const site<net::integer::pool>& s) {
    const auto& w = s.op.window;
    const net::shape in = s.in[0].shape, out = s.out.shape;
    const auto rows = pool_runs(s.op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                                out.h);
    const auto columns = pool_runs(s.op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                   w.pad_right, pool_width_limit(w.kernel_w, w.stride_w));
    const bytes atom = Hw::spec.atom();
    for (const auto& y : rows)
      for (const auto& x : columns) {
        layer::pdp pdp{
            .input = layer::part(s.in[0], atom, 0, y.input.first, x.input.first,
                                 {in.c, y.input.count, x.input.count}),
            .output = layer::part(s.out, atom, 0, y.first, x.first, {out.c, y.count, x.count}),
            .kind = s.op.kind,
            .window = {.kernel_h = y.kernel,
                       .kernel_w = x.kernel,
                       .stride_h = w.stride_h,
                       .stride_w = w.stride_w,
                       .pad_top = y.input.pad_before,
                       .pad_left = x.input.pad_before,
                       .pad_bottom = y.input.pad_after,
                       .pad_right = x.input.pad_after}};
        const bool whole = rows.size() == 1 && columns.size() == 1;
        to.add(whole ? s.name : text(s.name, "/y", y.first, "x", x.first), pdp);
      }
  }
};

}  // namespace nvdlac::lower

namespace nvdlac::lower {

namespace detail {

// A tensor in memory that nothing computes: it has no layers.
template <class Op>
inline constexpr bool has_no_layers =
    contains<Op, type_list<net::integer::input, net::integer::constant, net::integer::reshape>>;

// Pixels are converted on their way into a convolution; nothing else can read them.
inline void check_pixels(const net::integer::graph& g, net::integer::graph::id n,
                         diagnostics& problems) {
  const auto* in = std::get_if<net::integer::input>(&g[n].op);
  if (!in || !in->pixels) return;
  bool allowed = !g[n].output;
  for (const auto reader : g.consumers(n)) {
    const auto* conv = std::get_if<net::integer::convolution>(&g[reader].op);
    allowed = allowed && conv && conv->groups == 1;
  }
  if (!allowed)
    problems.add({.layer = g[n].name,
                  .reason = "it is a picture, which only convolutions of one group can read",
                  .remedy = "give it as int8 values"});
}

}  // namespace detail

// The integer network as hardware layers of Hw, in the order of execution; buffers have sizes but
// no addresses yet. Throws one error with all layers that Hw cannot compute, and why.
template <hw::hardware Hw>
lowered lower(const net::integer::graph& g, std::string network) {
  assembly to;
  to.result.network = std::move(network);
  const homes at = home_finder<Hw>(g, to).find();
  diagnostics problems;
  for (const auto n : g.order()) {
    const auto& node = g[n];
    detail::check_pixels(g, n, problems);
    std::visit(
        [&]<class Op>(const Op& op) {
          if constexpr (!detail::has_no_layers<Op>) {
            site<Op> s{.op = op,
                       .name = node.name,
                       .out = at.of[n],
                       .out_scale = node.scale,
                       .in_place = at.in_place[n],
                       .staging = at.staging[n]};
            for (const auto i : g.inputs(n)) {
              s.in.push_back(at.of[i]);
              s.in_scale.push_back(g[i].scale);
              if (const auto* in = std::get_if<net::integer::input>(&g[i].op)) s.pixels = in->pixels;
            }
            try {
              lowering<Op, Hw>::run(to, s);
            } catch (const error& e) {
              for (const auto& p : e.problems()) problems.add(p);
            }
          }
        },
        node.op);
    for (const auto& copy_out : at.copies)
      if (copy_out.node == n) copy(to, node.name + "/output", at.of[n], copy_out.to);
  }
  problems.check();
  return std::move(to.result);
}

}  // namespace nvdlac::lower
#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>


namespace nvdlac::net {

// "convolution": the type of a node's operator.
template <class AnyOperator>
std::string operator_name(const AnyOperator& any) {
  return std::visit(
      [](const auto& op) { return std::string(type_name<std::decay_t<decltype(op)>>()); }, any);
}

// Why the input slots of node n are not 0, 1, .. each fed once and as many as its operator takes;
// empty if they are.
template <class Graph>
std::vector<problem> slot_problems(const Graph& g, typename Graph::id n) {
  std::vector<problem> found;
  const auto& node = g[n];
  const auto report = [&](std::string reason) {
    found.push_back({.layer = node.name, .reason = std::move(reason)});
  };
  const auto slots = g.fed_slots(n);
  for (std::size_t i = 1; i < slots.size(); ++i)
    if (slots[i] == slots[i - 1] && (i < 2 || slots[i - 2] != slots[i]))
      report(text("its input ", slots[i], " is fed more than once"));
  const std::size_t width = slots.empty() ? 0 : slots.back() + 1;
  for (std::size_t i = 0, seen = 0; i < width && i <= slots.size(); ++i) {
    const bool fed = seen < slots.size() && slots[seen] == i;
    while (seen < slots.size() && slots[seen] == i) ++seen;
    if (!fed) report(text("its input ", i, " is open"));
  }
  const arity takes = std::visit([](const auto& op) { return arity{op.inputs}; }, node.op);
  if (!takes.contains(width))
    report(text("its operator ", operator_name(node.op), " takes ",
                takes.most == any_number ? text(takes.least, " or more")
                : takes.least == takes.most ? text(takes.least)
                                            : text(takes.least, " to ", takes.most),
                " inputs but has ", width));
  return found;
}

// Calls found(id, shape) for every node whose shape follows from its inputs, producers first, and
// reports why the others have none and what is wrong with weights. A node behind one without a
// shape is passed over in silence.
template <class Graph, class Found>
void infer_each(const Graph& g, diagnostics& problems, Found found) {
  std::vector<std::optional<shape>> shapes(g.size());
  for (const auto n : g.order()) {
    if (!slot_problems(g, n).empty()) continue;
    std::vector<shape> in;
    for (const auto i : g.inputs(n))
      if (shapes[i]) in.push_back(*shapes[i]);
    if (in.size() != g.inputs(n).size()) continue;
    try {
      std::visit(
          [&](const auto& op) {
            shapes[n] = op.infer(in);
            if constexpr (requires { op.check(in, problems, g[n].name); })
              op.check(in, problems, g[n].name);
          },
          g[n].op);
      found(n, *shapes[n]);
    } catch (const error& e) {
      for (problem p : e.problems()) {
        p.layer = g[n].name;
        problems.add(std::move(p));
      }
    }
  }
}

// The names of the nodes on cycles, "a -> b -> a" for each group of nodes that reach one another.
template <class Graph>
std::vector<problem> cycle_problems(const Graph& g) {
  std::vector<bool> sound(g.size(), false), reported(g.size(), false);
  for (const auto n : g.order()) sound[n] = true;
  std::vector<problem> found;
  for (typename Graph::id start = 0; start < g.size(); ++start) {
    if (sound[start] || reported[start]) continue;
    // Backwards along unsound inputs every path ends on a cycle.
    std::vector<typename Graph::id> path{start};
    std::vector<bool> on_path(g.size(), false);
    on_path[start] = true;
    for (bool known = false; !known;) {
      typename Graph::id next = g.size();
      for (const auto i : g.inputs(path.back()))
        if (!sound[i]) next = std::min(next, i);
      known = reported[next];
      if (!known && on_path[next]) {
        const auto first = std::find(path.begin(), path.end(), next);
        std::string names = g[next].name;
        for (auto i = path.end(); i != first; --i) names += " -> " + g[*(i - 1)].name;
        found.push_back({.layer = g[next].name, .reason = "it lies on a cycle: " + names});
        known = true;
      }
      if (!known) {
        path.push_back(next);
        on_path[next] = true;
      }
    }
    for (const auto n : path) reported[n] = true;
  }
  return found;
}

// Sets every node's shape. Throws all problems of structure, shapes and weights together.
template <class Graph>
void infer_shapes(Graph& g) {
  diagnostics problems;
  for (auto& p : cycle_problems(g)) problems.add(p);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (auto& p : slot_problems(g, n)) problems.add(p);
  infer_each(g, problems, [&](auto n, shape s) { g[n].shape = s; });
  problems.check();
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// All that is wrong with a network, with layer names: cycles, open and doubly fed input slots, wrong
// numbers of inputs, no input, no output, tensors that nothing reads, names that are empty or not
// unique, shapes that do not fit or are not the inferred ones, weights that are mis-sized or not
// finite. Empty if the network is sound.
template <class Graph>
std::vector<problem> verify(const Graph& g) {
  using id = typename Graph::id;
  diagnostics problems;
  for (auto& p : cycle_problems(g)) problems.add(p);

  bool has_input = false, inferred = false;
  std::map<std::string, std::size_t> names;
  for (id n = 0; n < g.size(); ++n) {
    const auto& node = g[n];
    const auto report = [&](std::string reason, std::string remedy = {}) {
      problems.add({.layer = node.name, .reason = std::move(reason), .remedy = std::move(remedy)});
    };
    if (node.name.empty()) report(text("layer number ", n, " has no name"));
    else if (++names[node.name] == 2) report("its name is used more than once");
    for (auto& p : slot_problems(g, n)) problems.add(p);
    const bool is_input =
        std::visit([](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; }, node.op);
    has_input = has_input || is_input;
    if (!is_input && !node.output && g.consumers(n).empty())
      report("nothing reads its tensor", "make it an output or remove it");
    inferred = inferred || node.shape != shape{};
  }
  if (!has_input) problems.add({.reason = "the network has no input"});
  if (g.outputs().empty()) problems.add({.reason = "the network has no output"});

  infer_each(g, problems, [&](id n, shape s) {
    if (inferred && g[n].shape != s)
      problems.add({.layer = g[n].name,
                    .reason = text("its shape is recorded as ", g[n].shape, " but follows as ", s)});
  });
  return problems.problems();
}

}  // namespace nvdlac::net
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>


namespace nvdlac::pass {

// The node's operator if it is an Op; nullptr if not, or if the graph knows no Op.
template <class Op, class Graph>
auto* as(Graph& g, std::size_t n) {
  using result = std::conditional_t<std::is_const_v<Graph>, const Op, Op>;
  if constexpr (contains<Op, typename std::remove_const_t<Graph>::operators>)
    return std::get_if<Op>(&g[n].op);
  else
    return static_cast<result*>(nullptr);
}

template <class Graph>
bool is_input(const Graph& g, std::size_t n) {
  return std::visit([](const auto& op) { return net::is_network_input<std::decay_t<decltype(op)>>; },
                    g[n].op);
}

// What passes do to a graph. Removed nodes are unlinked at once, and leave when the pass is over.
template <class Graph>
class rewriter {
 public:
  using id = typename Graph::id;

  explicit rewriter(Graph& g) : g_(g), removed_(g.size(), false) {
    for (id n = 0; n < g.size(); ++n) names_.insert(g[n].name);
  }
  rewriter(const rewriter&) = delete;
  rewriter& operator=(const rewriter&) = delete;

  bool removed(id n) const { return n < removed_.size() && removed_[n]; }

  // Only `reader` reads n, once, and nothing outside does: n may take over what `reader` does.
  bool only_feeds(id n, id reader) const {
    return !g_[n].output && g_.consumers(n) == std::vector<id>{reader};
  }

  // Whether readers of n may read `from` instead. An output stays one, in its place among them.
  bool can_bypass(id n, id from) const {
    if (!g_[n].output) return true;
    if (g_[from].output || is_input(g_, from) || g_.inputs(from).empty()) return false;
    for (const id other : g_.outputs())
      if (other != n && (other > from) != (other > n)) return false;
    return true;
  }
  // Readers of n read `from`. If n is an output, `from` becomes it under the same name.
  void bypass(id n, id from) {
    if (g_[n].output) std::swap(g_[n].name, g_[from].name);
    g_.replace_uses(n, from);
    remove(n);
  }

  // Removes n, which nothing reads any more, and what only n needed; inputs stay.
  void remove(id n) {
    std::vector<id> open{n};
    while (!open.empty()) {
      const id m = open.back();
      open.pop_back();
      const auto inputs = g_.inputs(m);
      g_.set_inputs(m, {});
      removed_.resize(g_.size(), false);
      removed_[m] = true;
      for (const id i : inputs)
        if (!removed(i) && g_.consumers(i).empty() && !g_[i].output && !is_input(g_, i))
          open.push_back(i);
    }
  }
  // n's inputs become these; what is not needed any more is removed.
  void set_inputs(id n, const std::vector<id>& inputs) {
    const auto before = g_.inputs(n);
    g_.set_inputs(n, inputs);
    for (const id i : before)
      if (!removed(i) && g_.consumers(i).empty() && !g_[i].output && !is_input(g_, i)) remove(i);
  }

  // A new node whose name is `base`, or `base` with the first free number.
  id add(const std::string& base, typename Graph::any_operator op, const std::vector<id>& inputs) {
    std::string name = base;
    for (int i = 2; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
    return g_.add(std::move(name), std::move(op), inputs);
  }

  // The pass is over.
  void finish() {
    g_ = g_.filtered([&](id n) { return !removed(n); });
  }

 private:
  Graph& g_;
  std::vector<bool> removed_;
  std::set<std::string> names_{};
};

}  // namespace nvdlac::pass

namespace nvdlac::pass {

struct fold_constants {
  static constexpr std::string_view name = "fold_constants";
  static constexpr std::string_view description = "compute what depends on constants only";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto inputs = g.inputs(n);
      std::vector<const net::float_tensor*> in;
      for (const auto i : inputs)
        if (const auto* c = as<net::constant>(g, i)) in.push_back(&c->value);
      if (inputs.empty() || in.size() != inputs.size()) continue;
      const auto value = std::visit(
          [&](const auto& op) {
            if constexpr (requires { op.evaluate(std::span<const net::float_tensor* const>(in)); })
              return op.evaluate(std::span<const net::float_tensor* const>(in));
            else
              return net::float_tensor{.values = {}};
          },
          g[n].op);
      if (value.values.empty()) continue;
      g[n].op = net::constant{value};
      r.set_inputs(n, {});
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
#include <string_view>
#include <variant>


namespace nvdlac::pass {

struct fuse_relu {
  static constexpr std::string_view name = "fuse_relu";
  static constexpr std::string_view description =
      "make relu a part of the operator before it, if nothing else reads that";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (!as<net::relu>(g, n)) continue;
      const auto from = g.inputs(n).front();
      if (!r.only_feeds(from, n) || !r.can_bypass(n, from)) continue;
      const bool fused = std::visit(
          [](auto& op) {
            if constexpr (requires { op.relu = true; }) return op.relu = true;
            else return false;
          },
          g[from].op);
      if (fused) r.bypass(n, from);
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
#include <cstddef>
#include <optional>
#include <string_view>

#include <cstddef>
#include <utility>
#include <vector>


namespace nvdlac::pass {

// y[c] = factor * x[c] + bias for each channel, in double; what can be merged into weights.
struct channel_line {
  double factor = 1, bias = 0;
};
using channel_lines = std::vector<channel_line>;

inline channel_lines lines_of(const net::batch_norm& b, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto [factor, bias] = b.on_channel(c);
    lines.push_back({factor, bias});
  }
  return lines;
}
inline channel_lines lines_of(const net::scale& s, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c)
    lines.push_back({static_cast<double>(s.factor_of(c)), static_cast<double>(s.bias_of(c))});
  return lines;
}

inline net::scale to_scale(const channel_lines& lines, bool relu) {
  net::scale s{.relu = relu};
  for (const auto& [factor, bias] : lines) {
    s.factor.push_back(static_cast<float>(factor));
    s.bias.push_back(static_cast<float>(bias));
  }
  return s;
}

// Puts the lines behind a convolution or fully connected layer without activation.
template <class Weighted>
void merge(Weighted& op, const channel_lines& lines, bool relu) {
  const std::size_t depth = op.weights.size() / lines.size();
  std::vector<float> bias(lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto [factor, added] = lines[k];
    for (std::size_t i = k * depth; i < (k + 1) * depth; ++i)
      op.weights[i] = static_cast<float>(factor * static_cast<double>(op.weights[i]));
    const double before = op.bias.empty() ? 0.0 : static_cast<double>(op.bias[k]);
    bias[k] = static_cast<float>(factor * before + added);
  }
  op.bias = std::move(bias);
  op.relu = relu;
}

// Puts the lines into node n if it is a convolution, a fully connected layer or a scale without
// activation; otherwise it changes nothing and returns false.
template <class Graph>
bool merge_into(Graph& g, typename Graph::id n, const channel_lines& lines, bool relu) {
  if (auto* op = as<net::convolution>(g, n); op && !op->relu) return merge(*op, lines, relu), true;
  if (auto* op = as<net::fully_connected>(g, n); op && !op->relu) return merge(*op, lines, relu), true;
  if (auto* op = as<net::scale>(g, n); op && !op->relu) {
    auto before = lines_of(*op, lines.size());
    for (std::size_t c = 0; c < lines.size(); ++c) {
      before[c].factor *= lines[c].factor;
      before[c].bias = before[c].bias * lines[c].factor + lines[c].bias;
    }
    *op = to_scale(before, relu);
    return true;
  }
  return false;
}

}  // namespace nvdlac::pass

namespace nvdlac::pass {

// Batch normalisation and scale go into the convolution, fully connected layer or scale before
// them if nothing else reads it; otherwise batch normalisation becomes a scale.
struct merge_batch_norm {
  static constexpr std::string_view name = "merge_batch_norm";
  static constexpr std::string_view description =
      "merge batch normalisation and scale into the weights before them";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto channels = static_cast<std::size_t>(g[n].shape.c);
      std::optional<channel_lines> lines;
      bool relu = false;
      if (const auto* b = as<net::batch_norm>(g, n)) {
        lines = lines_of(*b, channels);
      } else if (const auto* s = as<net::scale>(g, n)) {
        lines = lines_of(*s, channels);
        relu = s->relu;
      }
      if (!lines) continue;
      const auto from = g.inputs(n).front();
      if (r.only_feeds(from, n) && r.can_bypass(n, from) && merge_into(g, from, *lines, relu))
        r.bypass(n, from);
      else if (as<net::batch_norm>(g, n))
        g[n].op = to_scale(*lines, false);
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
#include <cstddef>
#include <optional>
#include <string_view>


namespace nvdlac::pass {

// The addition of a constant that is one value per channel goes into the bias of the convolution,
// fully connected layer or scale before it; otherwise it becomes a scale.
struct merge_bias {
  static constexpr std::string_view name = "merge_bias";
  static constexpr std::string_view description = "merge the addition of a constant into the bias";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* sum = as<net::add>(g, n);
      if (!sum) continue;
      const auto inputs = g.inputs(n);
      const std::size_t which = as<net::constant>(g, inputs[0]) ? 0 : 1;
      const auto* c = as<net::constant>(g, inputs[which]);
      const auto from = inputs[1 - which];
      if (!c || as<net::constant>(g, from)) continue;
      const auto lines = per_channel(c->value);
      if (!lines) continue;
      const bool relu = sum->relu;
      if (r.only_feeds(from, n) && r.can_bypass(n, from) && merge_into(g, from, *lines, relu)) {
        r.set_inputs(n, {from});
        r.bypass(n, from);
      } else {
        g[n].op = to_scale(*lines, relu);
        r.set_inputs(n, {from});
      }
    }
    r.finish();
  }

 private:
  static std::optional<channel_lines> per_channel(const net::float_tensor& t) {
    const std::size_t area = t.values.size() / static_cast<std::size_t>(t.shape.c);
    channel_lines lines;
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      if (i % area == 0) lines.push_back({1.0, static_cast<double>(t.values[i])});
      if (t.values[i] != t.values[i / area * area]) return std::nullopt;
    }
    return lines;
  }
};

}  // namespace nvdlac::pass
#include <array>
#include <concepts>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

// Observers see the graph after every pass: `template <class P> void after(const Graph&)`.
#include <iomanip>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <ostream>
#include <vector>

#include <sstream>
#include <string>
#include <type_traits>
#include <variant>


namespace nvdlac::report {

// "convolution kernels=20 window=5x5 stride=1x1 relu": an operator and its attributes.
template <class AnyOperator>
std::string describe(const AnyOperator& any) {
  std::ostringstream out;
  out << net::operator_name(any);
  std::visit(
      [&](const auto& op) {
        if constexpr (requires { op.kernels; }) out << " kernels=" << op.kernels;
        if constexpr (requires { op.outputs; }) out << " outputs=" << op.outputs;
        if constexpr (requires { op.groups; })
          if (op.groups != 1) out << " groups=" << op.groups;
        if constexpr (requires { op.kind; })
          out << (op.kind == net::pool_kind::average ? " average" : " maximum");
        bool global = false;
        if constexpr (requires { op.global; }) global = op.global;
        if (global) out << " global";
        if constexpr (requires { op.window; })
          if (const net::window& w = op.window; !global) {
            out << " window=" << w.kernel_h << 'x' << w.kernel_w << " stride=" << w.stride_h << 'x'
                << w.stride_w;
            if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
              out << " pads=" << w.pad_top << ',' << w.pad_left << ',' << w.pad_bottom << ','
                  << w.pad_right;
            if (w.dilation_h != 1 || w.dilation_w != 1)
              out << " dilation=" << w.dilation_h << 'x' << w.dilation_w;
          }
        if constexpr (requires { op.ceil; })
          if (op.ceil) out << " ceil";
        if constexpr (requires { op.count_include_pad; })
          if (op.count_include_pad) out << " count_include_pad";
        if constexpr (requires { op.local_size; }) out << " local_size=" << op.local_size;
        if constexpr (requires { op.relu; })
          if (op.relu) out << " relu";
      },
      any);
  return out.str();
}

}  // namespace nvdlac::report

namespace nvdlac::report {

// One line per node, producers first, then what lies on cycles:
// "conv1 = convolution kernels=20 window=5x5 stride=1x1 (data) : 20x24x24 [output]"
template <class Graph>
void dump(std::ostream& out, const Graph& g) {
  auto nodes = g.order();
  std::vector<bool> listed(g.size(), false);
  for (const auto n : nodes) listed[n] = true;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (!listed[n]) nodes.push_back(n);
  for (const auto n : nodes) {
    out << g[n].name << " = " << describe(g[n].op) << " (";
    const char* separator = "";
    for (const auto i : g.inputs(n)) {
      out << separator << g[i].name;
      separator = ", ";
    }
    out << ") : " << g[n].shape << (g[n].output ? " [output]" : "") << '\n';
  }
}

}  // namespace nvdlac::report
#include <ostream>
#include <string>
#include <string_view>


namespace nvdlac::report {

// The text between the quotes of a Graphviz string: quotes, backslashes and line ends escaped.
inline std::string dot_escape(std::string_view s) {
  std::string result;
  for (const char c : s) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') result += "\\n";
    else result += c;
  }
  return result;
}

// A graph in Graphviz's language: a box per node with its name, operator and shape; outputs have a
// double line.
template <class Graph>
void graphviz(std::ostream& out, const Graph& g, std::string_view title = "network") {
  out << "digraph \"" << dot_escape(title) << "\" {\n  node [shape=box];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    out << "  n" << n << " [label=\"" << dot_escape(g[n].name) << "\\n"
        << dot_escape(describe(g[n].op)) << "\\n" << g[n].shape << '"'
        << (g[n].output ? " peripheries=2" : "") << "];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (const auto i : g.inputs(n)) out << "  n" << i << " -> n" << n << ";\n";
  out << "}\n";
}

}  // namespace nvdlac::report

namespace nvdlac::pass {

struct silent {
  template <class P, class Graph>
  void after(const Graph&) const {}
};

// Throws std::logic_error, for it is a defect of the pass, if the graph is not sound any more.
struct verify {
  template <class P, class Graph>
  void after(const Graph& g) const {
    std::string found;
    for (const auto& p : net::verify(g)) found += "\n" + to_string(p);
    if (!found.empty()) throw std::logic_error("after the pass " + std::string(P::name) + ":" + found);
  }
};

// One line per pass: its name and the number of nodes.
struct trace {
  std::ostream& out;

  template <class P, class Graph>
  void after(const Graph& g) const {
    out << std::left << std::setw(20) << P::name << std::right << std::setw(5) << g.size() << " nodes\n";
  }
};

// The graph as text after the pass of this name; after every pass without a name.
struct dump {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (!pass.empty() && pass != P::name) return;
    out << "# after " << P::name << '\n';
    report::dump(out, g);
  }
};

// The same in Graphviz's language.
struct dot {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (pass.empty() || pass == P::name) report::graphviz(out, g, P::name);
  }
};

// Both observers, one after the other.
template <class First, class Second>
struct both {
  both(First one, Second two) : first(std::move(one)), second(std::move(two)) {}

  First first;
  Second second;

  template <class P, class Graph>
  void after(const Graph& g) {
    first.template after<P>(g);
    second.template after<P>(g);
  }
};

}  // namespace nvdlac::pass

namespace nvdlac::pass {

// A rewrite of a graph whose shapes are inferred. What it changes computes the same outputs.
template <class P, class Graph>
concept pass = requires(Graph& g) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::description } -> std::convertible_to<std::string_view>;
  { P::run(g) } -> std::same_as<void>;
};

struct pass_info {
  std::string_view name, description;
};

// Passes in the order in which they run; the observer sees the graph after each.
template <class... Ps>
struct pipeline {
  static constexpr std::array<pass_info, sizeof...(Ps)> passes{pass_info{Ps::name, Ps::description}...};

  // Runs all passes but those named in `without`. Throws if a name is unknown, and the problems of
  // a graph whose shapes cannot be inferred.
  template <class Graph, class Observer = silent>
  static void run(Graph& g, const std::set<std::string>& without = {}, Observer&& observer = {}) {
    static_assert((pass<Ps, Graph> && ...),
                  "nvdlac: a pass needs `name`, `description` and `template <class Graph> static void "
                  "run(Graph&)`");
    check_names(without);
    net::infer_shapes(g);
    (run_one<Ps>(g, without, observer), ...);
  }

  // Throws if a name is not that of a pass.
  static void check_names(const std::set<std::string>& names) {
    std::string known;
    for (const auto& p : passes) known += (known.empty() ? "" : ", ") + std::string(p.name);
    diagnostics problems;
    for (const auto& name : names)
      if (!((name == Ps::name) || ...))
        problems.add({.reason = "there is no pass '" + name + "'", .remedy = "the passes are " + known});
    problems.check();
  }

 private:
  template <class P, class Graph, class Observer>
  static void run_one(Graph& g, const std::set<std::string>& without, Observer& observer) {
    if (without.contains(std::string(P::name))) return;
    P::run(g);
    net::infer_shapes(g);
    observer.template after<P>(g);
  }
};

template <class... A, class... B>
consteval pipeline<A..., B...> operator|(pipeline<A...>, pipeline<B...>) {
  return {};
}

}  // namespace nvdlac::pass
#include <string_view>
#include <vector>


namespace nvdlac::pass {

struct remove_dead {
  static constexpr std::string_view name = "remove_dead";
  static constexpr std::string_view description = "remove what no output depends on; inputs stay";

  template <class Graph>
  static void run(Graph& g) {
    std::vector<bool> needed(g.size(), false);
    std::vector<typename Graph::id> open = g.outputs();
    while (!open.empty()) {
      const auto n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const auto i : g.inputs(n)) open.push_back(i);
    }
    g = g.filtered([&](auto n) { return needed[n] || is_input(g, n); });
  }
};

}  // namespace nvdlac::pass
#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>


namespace nvdlac::pass {

// Removes identity; reshape and flatten that keep the shape, or whose reader takes any shape
// (fully_connected, another reshape); relu of what is not negative; scale by one; pooling of single
// elements; concat of one. An identity that must stay, because input and output of the network are
// the same, becomes a reshape.
struct remove_identity {
  static constexpr std::string_view name = "remove_identity";
  static constexpr std::string_view description = "remove operators that change nothing";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (r.removed(n) || g.inputs(n).size() != 1) continue;
      auto from = g.inputs(n).front();
      if (reads_any_shape(g, n))
        while (is_reshape(g, from)) {
          const auto before = g.inputs(from).front();
          r.set_inputs(n, {before});
          from = before;
        }
      if (!changes_nothing(g, n, from)) continue;
      if (r.can_bypass(n, from)) r.bypass(n, from);
      else if (as<net::identity>(g, n)) g[n].op = net::reshape{g[n].shape};
    }
    r.finish();
  }

 private:
  template <class Graph>
  static bool is_reshape(const Graph& g, typename Graph::id n) {
    return as<net::reshape>(g, n) || as<net::flatten>(g, n);
  }
  template <class Graph>
  static bool reads_any_shape(const Graph& g, typename Graph::id n) {
    return is_reshape(g, n) || as<net::fully_connected>(g, n);
  }
  template <class Graph>
  static bool is_rectified(const Graph& g, typename Graph::id n) {
    return std::visit(
        [](const auto& op) {
          if constexpr (std::same_as<std::decay_t<decltype(op)>, net::relu>) return true;
          else if constexpr (requires { op.relu; }) return bool{op.relu};
          else return false;
        },
        g[n].op);
  }
  template <class Graph>
  static bool changes_nothing(const Graph& g, typename Graph::id n, typename Graph::id from) {
    if (as<net::identity>(g, n) || as<net::concat>(g, n)) return true;
    if (is_reshape(g, n)) return g[n].shape == g[from].shape;
    if (as<net::relu>(g, n)) return is_rectified(g, from);
    if (const auto* s = as<net::scale>(g, n))
      return !s->relu && std::ranges::all_of(s->factor, [](float f) { return f == 1.0F; }) &&
             std::ranges::all_of(s->bias, [](float b) { return b == 0.0F; });
    if (const auto* p = as<net::pool>(g, n))
      return p->window_on(g[from].shape) == net::window{};
    return false;
  }
};

}  // namespace nvdlac::pass
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>


namespace nvdlac::pass {

// The kernels, at most 8 each and ascending, of the fewest poolings one after the other that reduce
// n elements to one; among these, those that pad the least.
constexpr std::vector<std::int32_t> pool_levels(std::int64_t n) {
  constexpr std::int64_t most = 8;
  if (n <= most) return {static_cast<std::int32_t>(n)};
  std::size_t count = 1;
  for (std::int64_t reach = most; reach < n; reach *= most) ++count;
  std::vector<std::int64_t> kernels(count, 1), best;
  std::int64_t best_product = -1;
  // All ascending sequences of `count` kernels, counted through like the digits of a number.
  while (true) {
    std::int64_t reach = 1;
    for (const std::int64_t k : kernels) reach *= k;
    if (reach >= n && (best_product < 0 || reach < best_product)) {
      best = kernels;
      best_product = reach;
    }
    std::size_t i = count;
    while (i > 0 && kernels[i - 1] == most) --i;
    if (i == 0) break;
    std::fill(kernels.begin() + static_cast<std::ptrdiff_t>(i) - 1, kernels.end(), kernels[i - 1] + 1);
  }
  std::vector<std::int32_t> result;
  for (const std::int64_t k : best) result.push_back(static_cast<std::int32_t>(k));
  return result;
}

// PDP's windows are at most 8 x 8, so a pooling of a whole height x width becomes poolings one
// after the other. Zeros at the bottom and right fill the windows up; they do not change a maximum,
// and a mean is put right by one scale with the factor (product of kernels) / (elements). 13 x 13:
// windows of 2, then of 7, then the factor 196/169. In integers a maximum is exact; a mean rounds
// to int8 once a level, and small windows come first so that later levels average their rounding.
struct split_global_pool {
  static constexpr std::string_view name = "split_global_pool";
  static constexpr std::string_view description =
      "pool a whole height and width in steps of windows of at most 8 x 8";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order())
      if (const auto* p = as<net::pool>(g, n))
        if (const net::pool whole = *p; covers(whole, g[g.inputs(n).front()].shape)) split(g, r, n, whole);
    r.finish();
  }

 private:
  // A global pooling, or one with a window that is too large and takes in everything.
  static bool covers(const net::pool& p, net::shape in) {
    if (p.global) return true;
    const auto& w = p.window;
    return (w.kernel_h > 8 || w.kernel_w > 8) && p.infer(std::array{in}) == net::shape{in.c, 1, 1} &&
           w.kernel_h - w.pad_top >= in.h && w.kernel_w - w.pad_left >= in.w;
  }
  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    auto from = g.inputs(n).front();
    const net::shape in = g[from].shape;
    auto heights = pool_levels(in.h), widths = pool_levels(in.w);
    const std::size_t count = std::max(heights.size(), widths.size());
    heights.insert(heights.begin(), count - heights.size(), 1);
    widths.insert(widths.begin(), count - widths.size(), 1);

    std::vector<net::pool> levels;
    std::int64_t reach = 1;
    net::shape at = in;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t h = heights[i], w = widths[i];
      const net::shape to{in.c, (at.h + h - 1) / h, (at.w + w - 1) / w};
      levels.push_back({.kind = whole.kind,
                        .window = {.kernel_h = h, .kernel_w = w, .stride_h = h, .stride_w = w,
                                   .pad_bottom = to.h * h - at.h, .pad_right = to.w * w - at.w},
                        .count_include_pad = true});
      reach *= std::int64_t{h} * w;
      at = to;
    }
    const net::window w = whole.window_on(in);
    const auto counted = [&](net::sliding s, std::int32_t size) -> std::int64_t {
      return whole.count_include_pad ? net::pool_span::at(s, size, 0).padded : size;
    };
    const std::int64_t elements =
        counted(net::vertical(w), in.h) * counted(net::horizontal(w), in.w);
    const bool rescale = whole.kind == net::pool_kind::average && reach != elements;

    // The node itself becomes the last step, so that its name and its readers stay.
    const std::size_t before = rescale ? levels.size() : levels.size() - 1;
    const std::string base = g[n].name + "/level_";
    for (std::size_t i = 0; i < before; ++i) from = r.add(base + std::to_string(i + 1), levels[i], {from});
    if (rescale)
      g[n].op = net::scale{.factor = {static_cast<float>(static_cast<double>(reach) /
                                                         static_cast<double>(elements))}};
    else
      g[n].op = levels.back();
    r.set_inputs(n, {from});
  }
};

}  // namespace nvdlac::pass

namespace nvdlac::pass {

// What every network goes through before its scales are chosen.
using standard = pipeline<remove_dead,
                          fold_constants,
                          remove_identity,
                          merge_bias,
                          merge_batch_norm,
                          fuse_relu,
                          split_global_pool>;

}  // namespace nvdlac::pass
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// The links between the hardware layers of a task, as the firmware follows them: every layer waits
// for `dependency_count` events, and notifies at most one layer of each engine. Layers of one
// engine run in the order of their chain, so a layer needs an event from an engine only for the
// last of that engine's layers that it depends on, and only if no earlier layer of its own engine
// already waits for it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

// Which cubes a layer reads and writes.
#include <variant>


namespace nvdlac::layer {

// visit(const surface&) for every cube in memory that the layer reads.
template <class Visit>
void for_each_read(const any& what, Visit visit) {
  const auto in_memory = [&](const surface& cube) {
    if (!cube.at.on_the_fly()) visit(cube);
  };
  if (const auto* c = std::get_if<convolution>(&what)) {
    in_memory(c->input);
    in_memory(c->weights);
  } else if (const auto* s = std::get_if<sdp>(&what)) {
    in_memory(s->input);
    in_memory(s->x1.operands);
    in_memory(s->x2.operands);
  } else {
    std::visit([&](const auto& l) { in_memory(l.input); }, what);
  }
}

// visit(const surface&) for the cube in memory that the layer writes, if any.
template <class Visit>
void for_each_write(const any& what, Visit visit) {
  if (const auto* s = std::get_if<sdp>(&what)) {
    if (!s->output.at.on_the_fly()) visit(s->output);
  } else if (const auto* p = std::get_if<pdp>(&what)) {
    visit(p->output);
  } else if (const auto* h = std::get_if<host_softmax>(&what)) {
    visit(h->output);
  }
}

}  // namespace nvdlac::layer

namespace nvdlac::plan {

inline engine engine_of(const layer::any& what) {
  if (std::holds_alternative<layer::convolution>(what)) return engine::convolution;
  return std::holds_alternative<layer::sdp>(what) ? engine::sdp : engine::pdp;
}

namespace detail {

// A convolution with its SDP layer, or a single layer: it starts with its first operation and is
// complete with its last.
struct stage {
  std::size_t first = 0, last = 0;
  std::vector<layer::surface> reads{}, writes{};
};

// Whether two cubes have bytes in common.
inline bool overlap(const std::vector<buffer>& buffers, const layer::surface& a,
                    const layer::surface& b) {
  const auto& in_a = buffers[static_cast<std::size_t>(a.at.buffer)];
  const auto& in_b = buffers[static_cast<std::size_t>(b.at.buffer)];
  if (in_a.memory != in_b.memory) return false;
  const bool pooled = in_a.memory == memory::weights || in_a.memory == memory::features;
  if (!pooled && a.at.buffer != b.at.buffer) return false;
  const bool same_grid = a.at.buffer == b.at.buffer && a.line_stride == b.line_stride &&
                         a.surface_stride == b.surface_stride && a.line_stride != 0 &&
                         a.surface_stride % a.line_stride == 0;
  const auto begin_a = in_a.offset + a.at.offset, begin_b = in_b.offset + b.at.offset;
  if (begin_a + a.size <= begin_b || begin_b + b.size <= begin_a) return false;
  if (!same_grid) return true;
  // Parts of one cube: compare lines, and columns in bytes, inside a surface. Surfaces that do not
  // touch were found above; a false positive only costs time.
  const auto span = [](const layer::surface& s) {
    const auto inside = s.at.offset % s.surface_stride;
    const auto lines = static_cast<std::uint64_t>(s.shape.h);
    const auto row = (s.size - (lines - 1) * s.line_stride - 1) % s.surface_stride + 1;
    return std::array{inside / s.line_stride, inside / s.line_stride + lines,
                      inside % s.line_stride, inside % s.line_stride + row};
  };
  const auto p = span(a), q = span(b);
  return p[0] < q[1] && q[0] < p[1] && p[2] < q[3] && q[2] < p[3];
}

inline bool any_overlap(const std::vector<buffer>& buffers, const std::vector<layer::surface>& a,
                        const std::vector<layer::surface>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& x) {
    return std::any_of(b.begin(), b.end(), [&](const auto& y) { return overlap(buffers, x, y); });
  });
}

inline std::vector<stage> stages(const task& t) {
  std::vector<stage> result;
  for (std::size_t i = 0; i < t.operations.size(); ++i) {
    const auto& what = t.operations[i].layer.what;
    const bool behind_convolution =
        i > 0 && std::holds_alternative<layer::convolution>(t.operations[i - 1].layer.what);
    if (!behind_convolution) result.push_back({.first = i});
    auto& s = result.back();
    s.last = i;
    layer::for_each_read(what, [&](const layer::surface& cube) { s.reads.push_back(cube); });
    layer::for_each_write(what, [&](const layer::surface& cube) { s.writes.push_back(cube); });
  }
  return result;
}

}  // namespace detail

// Sets the links of a hardware task. The buffers have their final offsets.
inline void link_operations(task& t, const std::vector<buffer>& buffers) {
  auto& ops = t.operations;
  const auto notify = [&](std::size_t from, engine slot, std::size_t to, event e) {
    ops[from].consumers[index(slot)] = {static_cast<std::int16_t>(to), e};
    ++ops[to].dependency_count;
  };
  std::array<std::optional<std::size_t>, engines> before{};  // by engine
  std::vector<std::optional<std::size_t>> predecessor(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto e = engine_of(ops[i].layer.what);
    auto& previous = before[index(e)];
    if (previous) notify(*previous, e, i, event::programmed);
    predecessor[i] = std::exchange(previous, i);
  }

  const auto all = detail::stages(t);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& s = all[n];
    if (s.first != s.last) {
      notify(s.first, engine::sdp, s.last, event::programmed);
      ops[s.last].fused_parent = {static_cast<std::int16_t>(s.first), event::enabled};
      ++ops[s.first].dependency_count;
    }
    const auto own = engine_of(ops[s.first].layer.what);
    std::array<bool, engines> seen{};
    for (std::size_t m = n; m-- > 0;) {
      const auto& earlier = all[m];
      const auto e = engine_of(ops[earlier.last].layer.what);
      if (seen[index(e)]) continue;
      const bool needed = detail::any_overlap(buffers, earlier.writes, s.reads) ||
                          detail::any_overlap(buffers, earlier.writes, s.writes) ||
                          detail::any_overlap(buffers, earlier.reads, s.writes);
      if (!needed) continue;
      seen[index(e)] = true;
      if (e == own)  // reading ahead may not pass the layer just before this one
        ops[*predecessor[s.first]].consumers[index(own)].event = event::completed;
      else if (ops[earlier.last].consumers[index(own)].operation < 0)
        notify(earlier.last, own, s.first, event::completed);
    }
  }
}

}  // namespace nvdlac::plan
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace nvdlac::plan {

// Something that needs memory from one step to another, both included.
struct tenant {
  std::uint64_t size = 0;  // bytes, a multiple of the alignment
  std::size_t first = 0, last = 0;

  constexpr bool meets(const tenant& o) const { return first <= o.last && o.first <= last; }
};

struct placement {
  std::vector<std::uint64_t> offsets{};  // of each tenant
  std::uint64_t peak = 0;                // bytes that the placement takes
  std::uint64_t bound = 0;               // most bytes alive at one step: no placement takes less
};

namespace detail {

// Puts the tenants in the given order, each into the smallest gap that it fits.
inline placement place_in_order(const std::vector<tenant>& tenants,
                                const std::vector<std::size_t>& order) {
  placement result;
  result.offsets.resize(tenants.size());
  std::vector<std::size_t> placed;  // by offset
  for (const auto t : order) {
    std::uint64_t free_from = 0, best = 0, best_gap = std::numeric_limits<std::uint64_t>::max();
    for (const auto p : placed) {
      if (!tenants[p].meets(tenants[t])) continue;
      const auto at = result.offsets[p];
      if (at >= free_from + tenants[t].size && at - free_from < best_gap) {
        best = free_from;
        best_gap = at - free_from;
      }
      free_from = std::max(free_from, at + tenants[p].size);
    }
    const auto at = best_gap == std::numeric_limits<std::uint64_t>::max() ? free_from : best;
    result.offsets[t] = at;
    result.peak = std::max(result.peak, at + tenants[t].size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), at,
                                   [&](std::uint64_t offset, std::size_t p) {
                                     return offset < result.offsets[p];
                                   }),
                  t);
  }
  return result;
}

}  // namespace detail

// Places tenants so that no two that meet overlap. Several orders are tried and the lowest peak
// wins, the first at a tie; it stops as soon as one reaches the bound.
inline placement place(const std::vector<tenant>& tenants) {
  std::size_t steps = 0;
  for (const auto& t : tenants) steps = std::max(steps, t.last + 1);
  std::vector<std::uint64_t> alive(steps + 1, 0);
  for (const auto& t : tenants)
    for (std::size_t s = t.first; s <= t.last; ++s) alive[s] += t.size;
  const auto bound = *std::max_element(alive.begin(), alive.end());

  const auto by = [&](auto key) {
    std::vector<std::size_t> order(tenants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(tenants[a]) > key(tenants[b]); });
    return order;
  };
  const auto pressure = [&](const tenant& t) {
    return *std::max_element(alive.begin() + static_cast<std::ptrdiff_t>(t.first),
                             alive.begin() + static_cast<std::ptrdiff_t>(t.last) + 1);
  };
  const std::vector orders{
      by([](const tenant& t) { return t.size; }),
      by([](const tenant& t) { return t.size * (t.last - t.first + 1); }),
      by([](const tenant& t) { return t.last - t.first; }),
      by([&](const tenant& t) { return std::pair(pressure(t), t.size); }),
      by([&](const tenant& t) { return std::pair(pressure(t), t.last - t.first); }),
      by([&](const tenant& t) { return steps - t.first; }),
  };
  placement best;
  best.peak = std::numeric_limits<std::uint64_t>::max();
  for (const auto& order : orders) {
    auto candidate = detail::place_in_order(tenants, order);
    if (candidate.peak < best.peak) best = std::move(candidate);
    if (best.peak == bound) break;
  }
  best.bound = bound;
  return best;
}

}  // namespace nvdlac::plan

namespace nvdlac::plan {

// Addresses of cubes are multiples of this: the full register map drops the low 5 bits, and no
// configuration has a larger atom.
inline constexpr std::uint64_t alignment = 32;

namespace detail {

// A host layer is a task of its own; the hardware layers between two of them are one task.
inline std::vector<task> tasks_of(std::vector<layer::layer> layers) {
  constexpr std::size_t most = 32767;  // the firmware's index is a signed 16-bit number
  std::vector<task> tasks;
  for (auto& l : layers) {
    const bool host = layer::on_host(l.what);
    const bool starts_pair = std::holds_alternative<layer::convolution>(l.what);
    if (tasks.empty() || host || tasks.back().host ||
        (tasks.back().operations.size() + (starts_pair ? 2 : 1) > most))
      tasks.push_back({.host = host, .operations = {}});
    tasks.back().operations.push_back({.layer = std::move(l)});
  }
  return tasks;
}

// Places the weights one behind the other and the feature buffers by their lives.
inline void place_buffers(program_data& p) {
  struct life { std::size_t first = 0, last = 0; bool used = false; };
  std::vector<life> lives(p.buffers.size());
  std::size_t step = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto touch = [&](const layer::surface& s) {
        auto& l = lives[static_cast<std::size_t>(s.at.buffer)];
        if (!std::exchange(l.used, true)) l.first = step;
        l.last = step;
      };
      layer::for_each_read(op.layer.what, touch);
      layer::for_each_write(op.layer.what, touch);
      // A convolution and its SDP layer run together.
      if (!std::holds_alternative<layer::convolution>(op.layer.what)) ++step;
    }

  std::vector<tenant> tenants;
  std::vector<std::size_t> owner;
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    auto& buffer = p.buffers[b];
    const auto size = align_up(buffer.size, alignment);
    if (buffer.memory == memory::weights) {
      buffer.offset = std::exchange(p.weights_size, p.weights_size + size);
    } else if (buffer.memory == memory::features && lives[b].used) {
      tenants.push_back({size, lives[b].first, lives[b].last});
      owner.push_back(b);
    }
  }
  const auto placed = place(tenants);
  for (std::size_t i = 0; i < owner.size(); ++i) p.buffers[owner[i]].offset = placed.offsets[i];
  p.features_size = placed.peak;
  p.features_bound = placed.bound;
}

}  // namespace detail

// Layers in order -> a program: tasks, memory and dependencies. Throws if the network does not fit
// the address space of Hw.
template <hw::hardware Hw>
program<Hw> make_program(lower::lowered from) {
  program<Hw> p;
  p.network = std::move(from.network);
  p.buffers = std::move(from.buffers);
  p.inputs = std::move(from.inputs);
  p.outputs = std::move(from.outputs);
  p.tasks = detail::tasks_of(std::move(from.layers));
  detail::place_buffers(p);
  for (auto& t : p.tasks)
    if (!t.host) link_operations(t, p.buffers);
  if (Hw::spec.address_bits <= 32 && p.weights_size + p.features_size > std::uint64_t{1} << 31)
    throw error(text("the network needs ", p.weights_size, " bytes of weights and ",
                     p.features_size, " bytes of features, more than the 2 GiB that ",
                     Hw::spec.address_bits, "-bit addresses leave for memory"));
  return p;
}

}  // namespace nvdlac::plan
// The independent check of a plan: it shares no code with placement and dependencies.
#include <cstddef>
#include <vector>

// Do the links of a task make sense to the firmware, and do its operations all come to an end?
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>


namespace nvdlac::plan::checker {

inline std::size_t engine_number(const layer::any& what) {
  if (std::holds_alternative<layer::convolution>(what)) return index(engine::convolution);
  if (std::holds_alternative<layer::sdp>(what)) return index(engine::sdp);
  if (std::holds_alternative<layer::pdp>(what)) return index(engine::pdp);
  return engines;  // the host
}

// True if the layer takes its data from the engine before it, not from memory.
inline bool is_fed_on_the_fly(const layer::any& what) {
  if (const auto* s = std::get_if<layer::sdp>(&what)) return s->input.at.on_the_fly();
  if (const auto* p = std::get_if<layer::pdp>(&what)) return p->input.at.on_the_fly();
  return false;
}
inline bool feeds_on_the_fly(const layer::any& what) {
  if (const auto* s = std::get_if<layer::sdp>(&what)) return s->output.at.on_the_fly();
  return std::holds_alternative<layer::convolution>(what);
}

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// The operations of one task as the firmware sees them.
struct schedule {
  std::array<std::vector<std::size_t>, engines> chain{};  // by engine, in their order of execution
  std::vector<std::size_t> engine_of{}, place{};          // place in the chain; nobody: not in it
  std::vector<std::size_t> source{}, sink{};              // partners on the fly, or nobody
  struct wait { std::size_t on, by; plan::event event; };
  std::vector<wait> waits{};
  bool sound = true;  // no link leads astray
};

// Reads the links; reports those that the firmware would follow into the void.
inline schedule read_links(const task& t, diagnostics& found) {
  const std::size_t n = t.operations.size();
  schedule s;
  s.place.assign(n, nobody);
  s.source.assign(n, nobody);
  s.sink.assign(n, nobody);
  std::vector<std::size_t> waited(n, 0);
  const auto report = [&](std::size_t i, std::string reason) {
    found.add({.layer = t.operations[i].layer.name, .reason = std::move(reason)});
    s.sound = false;
  };
  for (const auto& op : t.operations) s.engine_of.push_back(engine_number(op.layer.what));
  const auto follow = [&](std::size_t i, const link& l, std::size_t engine, const char* what) {
    if (l.operation < 0) return;
    const auto to = static_cast<std::size_t>(l.operation);
    if (to >= n || to == i) return report(i, text("its ", what, " is operation ", to, " of ", n));
    if (s.engine_of[to] != engine)
      return report(i, text("its ", what, " '", t.operations[to].layer.name,
                            "' belongs to another engine"));
    if (l.event != event::completed && l.event != event::programmed && l.event != event::enabled)
      return report(i, text("its ", what, " waits for event ", static_cast<int>(l.event)));
    s.waits.push_back({i, to, l.event});
    ++waited[to];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto& op = t.operations[i];
    for (std::size_t e = 0; e < engines; ++e) follow(i, op.consumers[e], e, "consumer");
    // The firmware looks for a fused parent in the engine before.
    follow(i, op.fused_parent, s.engine_of[i] - 1, "fused parent");
  }
  for (std::size_t i = 0; i < n; ++i)
    if (t.operations[i].dependency_count != waited[i])
      report(i, text("it waits for ", int{t.operations[i].dependency_count}, " events but ",
                     waited[i], " are sent"));

  for (std::size_t e = 0; e < engines; ++e) {
    std::size_t total = 0, at = nobody;
    for (std::size_t i = 0; i < n; ++i)
      if (s.engine_of[i] == e) {
        ++total;
        if (at == nobody) at = i;  // the firmware starts with the first of the engine
      }
    while (at < n && s.engine_of[at] == e && s.place[at] == nobody) {
      s.place[at] = s.chain[e].size();
      s.chain[e].push_back(at);
      const auto next = t.operations[at].consumers[e].operation;
      at = next < 0 ? nobody : static_cast<std::size_t>(next);
    }
    if (at < n && s.engine_of[at] == e)
      report(at, "it comes twice in the chain of its engine's operations");
    if (s.chain[e].size() == total) continue;
    for (std::size_t i = 0; i < n; ++i)
      if (s.engine_of[i] == e && s.place[i] == nobody)
        report(i, "it is not in the chain of its engine's operations and would never run");
  }
  return s;
}

// Finds who feeds whom on the fly: the producer links to its consumer when it is programmed and
// waits itself until the consumer is enabled.
inline void pair_on_the_fly(const task& t, schedule& s, diagnostics& found) {
  const auto report = [&](std::size_t i, std::string reason) {
    found.add({.layer = t.operations[i].layer.name, .reason = std::move(reason)});
    s.sound = false;
  };
  const std::size_t n = t.operations.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto& op = t.operations[i];
    const auto parent = op.fused_parent.operation;
    if (!is_fed_on_the_fly(op.layer.what)) {
      if (parent >= 0) report(i, "it has a fused parent but reads from memory");
      continue;
    }
    if (parent < 0 || static_cast<std::size_t>(parent) >= n) {
      report(i, "it is fed on the fly but has no fused parent");
      continue;
    }
    const auto from = static_cast<std::size_t>(parent);
    const auto& back = t.operations[from].consumers[s.engine_of[i]];
    if (op.fused_parent.event != event::enabled)
      report(i, "its fused parent does not wait until it is enabled");
    if (!feeds_on_the_fly(t.operations[from].layer.what))
      report(i, text("its fused parent '", t.operations[from].layer.name, "' writes to memory"));
    if (back.operation < 0 || static_cast<std::size_t>(back.operation) != i)
      report(i, text("it is not the consumer of its fused parent '",
                     t.operations[from].layer.name, "'"));
    else if (back.event == event::completed)  // each would wait for the other
      report(i, "it waits for the completion of what feeds it on the fly");
    if (s.sink[from] != nobody)
      report(i, text("it is fed by '", t.operations[from].layer.name, "', which feeds another"));
    s.source[i] = from;
    s.sink[from] = i;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (feeds_on_the_fly(t.operations[i].layer.what) && s.sink[i] == nobody)
      report(i, "nothing takes its result");
}

// Plays the firmware's rules until nothing moves: two register groups for each engine, engines work
// in the order of their chains, connected engines end together.
inline void check_progress(const task& t, const schedule& s, diagnostics& found) {
  const std::size_t n = t.operations.size();
  std::vector<std::size_t> open(n, 0);
  for (const auto& w : s.waits) ++open[w.by];
  std::vector<std::vector<schedule::wait>> waits(n);
  for (const auto& w : s.waits) waits[w.on].push_back(w);
  std::vector<bool> programmed(n, false), enabled(n, false), completed(n, false);
  const auto send = [&](std::size_t i, event e) {
    for (const auto& w : waits[i])
      if (w.event == e) --open[w.by];
  };
  std::array<std::size_t, engines> next{}, head{};  // places in the chains
  const auto is_head = [&](std::size_t i) {
    return head[s.engine_of[i]] == s.place[i] && enabled[i];
  };
  const auto may_complete = [&](std::size_t i) {
    if (!is_head(i)) return false;
    for (auto j = s.sink[i]; j != nobody; j = s.sink[j])
      if (!is_head(j)) return false;
    for (auto j = i; s.source[j] != nobody; j = s.source[j])
      if (!completed[s.source[j]]) return false;
    return true;
  };
  std::size_t done = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t e = 0; e < engines; ++e) {
      const auto& chain = s.chain[e];
      for (; next[e] < chain.size() && next[e] < head[e] + 2; ++next[e]) {
        programmed[chain[next[e]]] = moved = true;
        send(chain[next[e]], event::programmed);
      }
      for (auto at = head[e]; at < next[e]; ++at)
        if (const auto i = chain[at]; programmed[i] && !enabled[i] && open[i] == 0) {
          enabled[i] = moved = true;
          send(i, event::enabled);
        }
      if (head[e] < next[e] && may_complete(chain[head[e]])) {
        const auto i = chain[head[e]++];
        completed[i] = moved = true;
        ++done;
        send(i, event::completed);
      }
    }
  }
  for (std::size_t i = 0; i < n && done < n; ++i)
    if (!completed[i] && s.engine_of[i] < engines)
      found.add({.layer = t.operations[i].layer.name,
                 .reason = text("it never ", !programmed[i]  ? "gets a register group"
                                             : !enabled[i] ? "receives the events it waits for"
                                                           : "comes to its end")});
}

}  // namespace nvdlac::plan::checker
// The bytes that layers touch, for the checkers of finished programs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>


namespace nvdlac::plan::checker {

// `planes` x `lines` runs of `length` bytes, from `begin`.
struct footprint {
  std::uint64_t begin = 0, length = 0;
  std::uint64_t lines = 1, line_stride = 0;
  std::uint64_t planes = 1, plane_stride = 0;

  constexpr std::uint64_t end() const {
    return begin + (planes - 1) * plane_stride + (lines - 1) * line_stride + length;
  }
  // visit(first byte, length) for every run.
  template <class Visit>
  constexpr void each_run(Visit visit) const {
    for (std::uint64_t p = 0; p < planes; ++p)
      for (std::uint64_t y = 0; y < lines; ++y)
        visit(begin + p * plane_stride + y * line_stride, length);
  }
  // True if a run has a byte of [from, to).
  constexpr bool meets(std::uint64_t from, std::uint64_t to) const {
    if (to <= begin || from >= end()) return false;
    const std::uint64_t plane_size = (lines - 1) * line_stride + length;
    const auto [p0, p1] = steps(begin, plane_stride, planes, plane_size, from, to);
    for (auto p = p0; p < p1; ++p) {
      const auto [y0, y1] =
          steps(begin + p * plane_stride, line_stride, lines, length, from, to);
      if (y0 < y1) return true;
    }
    return false;
  }

 private:
  struct range { std::uint64_t first, last; };
  // The steps [first, last) of `count` whose `size` bytes meet [from, to).
  static constexpr range steps(std::uint64_t base, std::uint64_t stride, std::uint64_t count,
                               std::uint64_t size, std::uint64_t from, std::uint64_t to) {
    if (stride == 0 || count == 1) return {0, base < to && base + size > from ? count : 0};
    const auto first = from < base + size ? 0 : (from - base - size) / stride + 1;
    const auto last = to <= base ? 0 : (to - base - 1) / stride + 1;
    return {first, std::min(last, count)};
  }
};

constexpr bool overlap(const footprint& a, const footprint& b) {
  if (a.end() <= b.begin || b.end() <= a.begin) return false;
  const auto runs = [](const footprint& f) { return f.planes * f.lines; };
  const footprint &few = runs(a) <= runs(b) ? a : b, &many = runs(a) <= runs(b) ? b : a;
  bool found = false;
  few.each_run([&](std::uint64_t at, std::uint64_t size) {
    found = found || many.meets(at, at + size);
  });
  return found;
}

// What stands in a row becomes one run.
constexpr footprint merged(footprint f) {
  if (f.lines == 1 || f.line_stride == f.length) {
    f.length *= f.lines;
    f.lines = 1;
  }
  if (f.lines == 1 && (f.planes == 1 || f.plane_stride == f.length)) {
    f.length *= f.planes;
    f.planes = 1;
  }
  return f;
}

enum class kind : std::uint8_t { feature, pixels, plain };

// In its buffer, from the buffer's start.
constexpr footprint footprint_of(const layer::surface& s, kind k, bytes atom) {
  if (k == kind::plain) return {.begin = s.at.offset, .length = s.size};
  const auto size = [](std::int32_t n) { return static_cast<std::uint64_t>(std::max(n, 1)); };
  const auto w = size(s.shape.w), h = size(s.shape.h), c = size(s.shape.c);
  if (k == kind::pixels)
    return {.begin = s.at.offset, .length = w * c, .lines = h, .line_stride = s.line_stride};
  return {.begin = s.at.offset,
          .length = w * atom.n,
          .lines = h,
          .line_stride = s.line_stride,
          .planes = ceil_div(c, atom.n),
          .plane_stride = s.surface_stride};
}

// One cube that a layer reads or writes.
struct use {
  const layer::surface* surface;
  checker::kind kind;
  bool write;
};

inline std::vector<use> uses(const layer::any& what) {
  std::vector<use> found;
  const auto add = [&](const layer::surface& s, kind k, bool write) {
    if (!s.at.on_the_fly()) found.push_back({&s, k, write});
  };
  const auto add_unit = [&](const layer::sdp_unit& u) {
    if (u.mode == layer::sdp_mode::per_layer) return;
    add(u.operands, u.mode == layer::sdp_mode::per_point ? kind::feature : kind::plain, false);
  };
  if (const auto* c = std::get_if<layer::convolution>(&what)) {
    add(c->input, c->is_pixel() ? kind::pixels : kind::feature, false);
    add(c->weights, kind::plain, false);
  } else if (const auto* s = std::get_if<layer::sdp>(&what)) {
    add(s->input, kind::feature, false);
    add_unit(s->x1);
    add_unit(s->x2);
    add(s->output, kind::feature, true);
  } else if (const auto* p = std::get_if<layer::pdp>(&what)) {
    add(p->input, kind::feature, false);
    add(p->output, kind::feature, true);
  } else if (const auto* h = std::get_if<layer::host_softmax>(&what)) {
    add(h->input, kind::feature, false);
    add(h->output, kind::feature, true);
  }
  return found;
}

// A use placed in memory. Equal spaces share one range of addresses: the pools have one each, every
// input and output its own.
struct access {
  std::size_t operation;  // over all tasks
  bool write;
  std::size_t buffer;
  std::size_t space;
  footprint in_buffer, in_space;
};

constexpr std::size_t space_of(const program_data& p, std::size_t buffer) {
  const auto m = p.buffers[buffer].memory;
  return m == memory::weights ? 0 : m == memory::features ? 1 : 2 + buffer;
}

constexpr bool exists(const program_data& p, const layer::location& at) {
  return at.buffer >= 0 && static_cast<std::size_t>(at.buffer) < p.buffers.size();
}

// All accesses to buffers that exist, in the order of the operations.
inline std::vector<access> accesses(const program_data& p, bytes atom) {
  std::vector<access> found;
  std::size_t number = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      for (const use& u : uses(op.layer.what)) {
        if (!exists(p, u.surface->at)) continue;
        const auto buffer = static_cast<std::size_t>(u.surface->at.buffer);
        const auto local = merged(footprint_of(*u.surface, u.kind, atom));
        auto placed = local;
        placed.begin += p.buffers[buffer].offset;
        found.push_back({number, u.write, buffer, space_of(p, buffer), local, placed});
      }
      ++number;
    }
  return found;
}

// The operations of all tasks in one row.
inline std::vector<const operation*> all_operations(const program_data& p) {
  std::vector<const operation*> found;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) found.push_back(&op);
  return found;
}

}  // namespace nvdlac::plan::checker
// Does everything stand where there is memory, and nothing where something else is alive?
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>


namespace nvdlac::plan::checker {

// Every buffer inside its pool, and weights with their content.
inline void check_buffers(const program_data& p, diagnostics& found) {
  for (const auto& b : p.buffers) {
    const auto report = [&](std::string reason) { found.add({.layer = b.name, .reason = reason}); };
    const bool weights = b.memory == memory::weights, features = b.memory == memory::features;
    const auto pool = weights ? p.weights_size : p.features_size;
    if ((weights || features) && (b.offset > pool || b.size > pool - b.offset))
      report(text("its buffer at ", b.offset, " of ", b.size, " bytes is not inside its pool of ",
                  pool));
    if (!weights && !features && b.offset != 0)
      report("its buffer is the user's own but has an offset");
    if (weights && b.content.size() != b.size)
      report(text("its buffer of ", b.size, " bytes has a content of ", b.content.size()));
    if (!weights && !b.content.empty()) report("its buffer has a content but is not loaded");
    if (b.size == 0) report("its buffer is empty");
  }
  if (p.features_bound > p.features_size)
    found.add({.reason = text("the feature pool of ", p.features_size,
                              " bytes is smaller than its lower bound ", p.features_bound)});
}

// Every cube inside its buffer, and only what may be written is written.
inline void check_surfaces(const program_data& p, bytes atom, diagnostics& found) {
  const auto check = [&](const std::string& layer, const layer::surface& s, kind k, bool write) {
    const auto report = [&](std::string reason) { found.add({.layer = layer, .reason = reason}); };
    if (!exists(p, s.at)) return report(text("it uses buffer ", s.at.buffer, ", which is none"));
    const auto& b = p.buffers[static_cast<std::size_t>(s.at.buffer)];
    if (s.shape.c < 1 || s.shape.h < 1 || s.shape.w < 1)
      return report(text("it has an empty cube in '", b.name, "'"));
    const auto end = std::max(footprint_of(s, k, atom).end(), s.at.offset + s.size);
    if (s.at.offset > b.size || end > b.size)
      report(text("it ", write ? "writes" : "reads", " up to byte ", end, " of '", b.name,
                  "', which has ", b.size));
    if (s.size == 0) report(text("its cube in '", b.name, "' has no size"));
    if (k != kind::plain && s.at.offset + s.size < footprint_of(s, k, atom).end())
      report(text("its cube in '", b.name, "' touches more bytes than its size ", s.size));
    if (write && (b.memory == memory::weights || b.memory == memory::input))
      report(text("it writes to '", b.name, "', which is only read"));
  };
  for (const auto* op : all_operations(p))
    for (const use& u : uses(op->layer.what)) check(op->layer.name, *u.surface, u.kind, u.write);
  for (const auto& in : p.inputs)
    check(in.name, in.surface, in.pixels ? kind::pixels : kind::feature, false);
  for (const auto& out : p.outputs) check(out.name, out.surface, kind::feature, false);
}

// From the first to the last operation that touches a buffer, numbered over all tasks; operations
// that are connected on the fly run at one time.
struct lifetime {
  std::size_t first = static_cast<std::size_t>(-1), last = 0;
  bool used() const { return first <= last; }
  bool meets(const lifetime& o) const { return used() && o.used() && first <= o.last && o.first <= last; }
};

// The number of the operation that each operation runs together with: its own or its producer's.
inline std::vector<std::size_t> moments(const program_data& p) {
  std::vector<std::size_t> moment;
  for (const auto& t : p.tasks) {
    const std::size_t start = moment.size();
    for (const auto& op : t.operations) {
      const auto parent = op.fused_parent.operation;
      const bool known = parent >= 0 && start + static_cast<std::size_t>(parent) < moment.size();
      moment.push_back(known ? moment[start + static_cast<std::size_t>(parent)] : moment.size());
    }
  }
  return moment;
}

inline std::vector<lifetime> lifetimes(const program_data& p, const std::vector<access>& all) {
  const auto moment = moments(p);
  std::vector<lifetime> of(p.buffers.size());
  for (const auto& a : all) {
    auto& l = of[a.buffer];
    l.first = std::min(l.first, moment[a.operation]);
    l.last = std::max(l.last, moment[a.operation]);
  }
  return of;
}

// Buffers that share addresses: never two of weights, features only one after the other.
inline void check_sharing(const program_data& p, const std::vector<access>& all, diagnostics& found) {
  const auto alive = lifetimes(p, all);
  for (const auto kind : {memory::weights, memory::features}) {
    std::vector<std::size_t> sorted;
    for (std::size_t i = 0; i < p.buffers.size(); ++i)
      if (p.buffers[i].memory == kind) sorted.push_back(i);
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return p.buffers[a].offset < p.buffers[b].offset;
    });
    for (std::size_t i = 0; i < sorted.size(); ++i)
      for (std::size_t j = i + 1; j < sorted.size(); ++j) {
        const auto &a = p.buffers[sorted[i]], &b = p.buffers[sorted[j]];
        if (b.offset >= a.offset + a.size) break;
        if (kind == memory::weights)
          found.add({.layer = a.name, .reason = text("its weights overlap those of '", b.name, "'")});
        else if (alive[sorted[i]].meets(alive[sorted[j]]))
          found.add({.layer = a.name,
                     .reason = text("its buffer shares memory with '", b.name,
                                    "' while both are alive")});
      }
  }
}

// Disjoint ranges of bytes.
class byte_set {
 public:
  void add(std::uint64_t from, std::uint64_t to) {
    auto i = ends_.lower_bound(from);  // first range that ends at or behind `from`
    while (i != ends_.end() && i->second <= to) {
      from = std::min(from, i->second);
      to = std::max(to, i->first);
      i = ends_.erase(i);
    }
    ends_[to] = from;
  }
  bool contains(std::uint64_t from, std::uint64_t to) const {
    const auto i = ends_.lower_bound(to);
    return i != ends_.end() && i->second <= from;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_{};  // end -> begin
};

// Nothing is read before it is computed, and the outputs are computed entirely.
inline void check_written(const program_data& p, bytes atom, const std::vector<access>& all,
                          diagnostics& found) {
  std::vector<byte_set> written(p.buffers.size());
  const auto operations = all_operations(p);
  const auto computed = [&](std::size_t b) {
    return p.buffers[b].memory == memory::features || p.buffers[b].memory == memory::output;
  };
  const auto covered = [&](std::size_t buffer, const footprint& f) {
    bool whole = true;
    f.each_run([&](std::uint64_t at, std::uint64_t size) {
      whole = whole && written[buffer].contains(at, at + size);
    });
    return whole;
  };
  for (const auto& a : all)  // reads stand before the write of the same operation
    if (a.write)
      a.in_buffer.each_run([&](std::uint64_t at, std::uint64_t size) {
        written[a.buffer].add(at, at + size);
      });
    else if (computed(a.buffer) && !covered(a.buffer, a.in_buffer))
      found.add({.layer = operations[a.operation]->layer.name,
                 .reason = text("it reads bytes of '", p.buffers[a.buffer].name,
                                "' that nothing before it writes")});
  for (const auto& out : p.outputs)
    if (exists(p, out.surface.at) &&
        !covered(static_cast<std::size_t>(out.surface.at.buffer),
                 merged(footprint_of(out.surface, kind::feature, atom))) &&
        computed(static_cast<std::size_t>(out.surface.at.buffer)))
      found.add({.layer = out.name, .reason = "nothing computes all of this output"});
}

}  // namespace nvdlac::plan::checker
// Are operations that touch the same bytes in the order of the program, whatever the engines' speed?
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>


namespace nvdlac::plan::checker {

// The moments of an operation between which something is certain: it is programmed; it is enabled;
// it may begin to read memory; it may begin to write; it has completed.
enum class step : std::uint8_t { programmed, enabled, reads, writes, completed };
inline constexpr std::size_t steps = 5;

// What has certainly completed before each step of each operation. The operations of an engine
// complete in the order of their chain, so that one number for each engine tells it all.
class happens_before {
 public:
  // nullopt: the operations of the task wait for each other in a circle.
  static std::optional<happens_before> of(const schedule& s) {
    happens_before result(s);
    result.add_edges();
    if (!result.propagate()) return std::nullopt;
    return result;
  }
  // Has `a` completed before `b` reaches this step?
  bool completed_before(std::size_t a, std::size_t b, step at) const {
    return clock_[node(b, at)][s_.engine_of[a]] > s_.place[a];
  }

 private:
  using clock = std::array<std::size_t, engines>;  // completed operations of each engine

  explicit happens_before(const schedule& s)
      : s_(s), next_(s.engine_of.size() * steps), clock_(s.engine_of.size() * steps, clock{}) {}

  static std::size_t node(std::size_t operation, step at) {
    return operation * steps + static_cast<std::size_t>(at);
  }
  void edge(std::size_t a, step from, std::size_t b, step to) {
    next_[node(a, from)].push_back(node(b, to));
  }

  void add_edges() {
    using enum step;
    for (std::size_t i = 0; i < s_.engine_of.size(); ++i) {
      edge(i, programmed, i, enabled);
      edge(i, enabled, i, reads);
      edge(i, reads, i, writes);
      edge(i, writes, i, completed);
      if (const auto from = s_.source[i]; from != nobody) {
        edge(from, writes, i, writes);  // its data come from there
        edge(from, completed, i, completed);
      }
    }
    for (const auto& w : s_.waits)
      edge(w.on, w.event == event::completed    ? completed
                 : w.event == event::programmed ? programmed
                                                : enabled, w.by, enabled);
    for (const auto& chain : s_.chain)
      for (std::size_t i = 1; i < chain.size(); ++i) {
        // The engine writes one after the other, but its reading side runs ahead by one operation:
        // as soon as the previous one has read everything.
        edge(chain[i - 1], programmed, chain[i], programmed);
        edge(chain[i - 1], reads, chain[i], reads);
        edge(chain[i - 1], completed, chain[i], writes);
        // Two register groups: the third operation waits for the first.
        if (i > 1) edge(chain[i - 2], completed, chain[i], programmed);
      }
  }

  bool propagate() {
    std::vector<std::size_t> open(next_.size(), 0), ready;
    for (const auto& targets : next_)
      for (const auto t : targets) ++open[t];
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i] == 0) ready.push_back(i);
    std::size_t visited = 0;
    for (; !ready.empty(); ++visited) {
      const auto at = ready.back();
      ready.pop_back();
      auto known = clock_[at];
      const auto operation = at / steps;
      if (at == node(operation, step::completed))
        known[s_.engine_of[operation]] =
            std::max(known[s_.engine_of[operation]], s_.place[operation] + 1);
      for (const auto t : next_[at]) {
        for (std::size_t e = 0; e < engines; ++e)
          clock_[t][e] = std::max(clock_[t][e], known[e]);
        if (--open[t] == 0) ready.push_back(t);
      }
    }
    return visited == next_.size();
  }

  const schedule& s_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<clock> clock_;
};

// Calls visit(earlier, later) for every two accesses to the same bytes of which one writes, by
// operations [first, last); an operation against itself included.
template <class Visit>
void each_hazard(const std::vector<access>& all, std::size_t first, std::size_t last, Visit visit) {
  std::vector<const access*> sorted;
  for (const auto& a : all)
    if (a.operation >= first && a.operation < last) sorted.push_back(&a);
  std::stable_sort(sorted.begin(), sorted.end(), [](const access* a, const access* b) {
    return std::pair(a->space, a->in_space.begin) < std::pair(b->space, b->in_space.begin);
  });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = i + 1; j < sorted.size(); ++j) {
      const access &a = *sorted[i], &b = *sorted[j];
      if (b.space != a.space || b.in_space.begin >= a.in_space.end()) break;
      if ((a.write || b.write) && overlap(a.in_space, b.in_space))
        a.operation <= b.operation ? visit(a, b) : visit(b, a);
    }
}

// The order that the program means is that of its operations; what is tested is that the events
// enforce it wherever it matters.
inline void check_order(const task& t, std::size_t first, const schedule& s,
                        const std::vector<access>& all, diagnostics& found) {
  const auto before = happens_before::of(s);
  if (!before) {
    found.add({.layer = t.operations.front().layer.name,
               .reason = "the operations of its task wait for each other in a circle"});
    return;
  }
  std::vector<std::pair<std::size_t, std::size_t>> reported;
  each_hazard(all, first, first + t.operations.size(), [&](const access& a, const access& b) {
    const std::size_t x = a.operation - first, y = b.operation - first;
    const auto report = [&](std::string reason) {
      if (std::find(reported.begin(), reported.end(), std::pair(x, y)) != reported.end()) return;
      reported.emplace_back(x, y);
      found.add({.layer = t.operations[y].layer.name, .reason = std::move(reason)});
    };
    if (x == y) return report("it reads memory that it writes itself");
    if (!before->completed_before(x, y, b.write ? step::writes : step::reads))
      report(text("it ", b.write ? "writes" : "reads", " memory that '", t.operations[x].layer.name,
                  "' ", a.write ? "writes" : "reads", ", but need not wait for it"));
  });
}

}  // namespace nvdlac::plan::checker

namespace nvdlac::plan {

// Everything that is wrong with a program's memory and order; empty if it computes the same on
// engines of any speed. Memory: cubes inside buffers inside pools, nothing overwritten while it is
// needed, nothing read before it is written. Order: the firmware's events lead every operation to
// its end, and operations that touch the same bytes wait for each other.
inline std::vector<problem> validate(const program_data& p, bytes atom) {
  namespace check = checker;
  diagnostics found;
  check::check_buffers(p, found);
  check::check_surfaces(p, atom, found);
  if (!found.empty()) return found.problems();  // the rest follows every cube byte by byte

  const auto all = check::accesses(p, atom);
  check::check_sharing(p, all, found);
  check::check_written(p, atom, all, found);
  std::size_t first = 0;
  for (const auto& t : p.tasks) {
    const auto count = t.operations.size();
    bool mixed = false;
    for (const auto& op : t.operations)
      mixed = mixed || layer::on_host(op.layer.what) != t.host || (t.host && count != 1);
    if (count == 0)
      found.add({.reason = "a task has no operations"});
    else if (mixed)
      found.add({.layer = t.operations.front().layer.name,
                 .reason = "its task is neither one layer of the host nor layers of the hardware"});
    else if (!t.host) {
      auto schedule = check::read_links(t, found);
      check::pair_on_the_fly(t, schedule, found);
      if (schedule.sound) {
        check::check_progress(t, schedule, found);
        check::check_order(t, first, schedule, all, found);
      }
    }
    first += count;
  }
  return found.problems();
}

template <hw::hardware Hw>
std::vector<problem> validate(const program<Hw>& p) {
  return validate(p, Hw::spec.atom());
}

}  // namespace nvdlac::plan
// The rules of the hardware that it does not check itself, over a finished program.
#include <cstddef>
#include <variant>
#include <vector>

#include <algorithm>
#include <cstdint>

// What every unit demands of its cubes and addresses.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>


namespace nvdlac::plan::checker {

// Collects broken rules of one layer's unit.
class rules {
 public:
  rules(const program_data& p, const hw::spec& hw, std::string layer, std::string unit,
        diagnostics& found)
      : program_(p), hw_(hw), layer_(std::move(layer)), unit_(std::move(unit)), found_(found) {}

  // `reason` says what is wrong, after the name of the unit.
  template <class... Reason>
  void expect(bool holds, const Reason&... reason) {
    if (!holds) found_.add({.layer = layer_, .reason = text(unit_, ": ", reason...)});
  }
  void within(std::int64_t value, std::int64_t low, std::int64_t high, const char* what) {
    expect(low <= value && value <= high, what, " is ", value, ", not ", low, " to ", high);
  }
  // A cube of at most this width, height and number of channels.
  void size(net::shape s, std::int64_t width, std::int64_t height, std::int64_t channels,
            const char* what) {
    expect(s.w >= 1 && s.h >= 1 && s.c >= 1 && s.w <= width && s.h <= height && s.c <= channels,
           what, " of ", s, " is not of 1x1x1 to ", channels, 'x', height, 'x', width);
  }
  // Addresses and strides are in atoms; the full map's fields leave out the lowest 5 bits.
  std::uint64_t unit_of_addresses() const {
    return hw_.map == hw::register_map::full ? std::max<std::uint64_t>(hw_.memory_atom, 32)
                                             : hw_.memory_atom;
  }
  void address(const layer::surface& s, const char* what) {
    if (!exists(program_, s.at)) return expect(false, what, " is in buffer ", s.at.buffer, ", which is none");
    const auto at = program_.buffers[static_cast<std::size_t>(s.at.buffer)].offset + s.at.offset;
    expect(at % unit_of_addresses() == 0, what, " stands at byte ", at, ", not a multiple of ",
           unit_of_addresses());
    expect(at <= UINT32_MAX, what, " stands at byte ", at, ", beyond 32 bits");
  }
  // A feature cube in memory, of elements of so many bytes.
  void cube(const layer::surface& s, const char* what, std::uint64_t element = 1) {
    address(s, what);
    const auto unit = unit_of_addresses();
    const auto line = static_cast<std::uint64_t>(s.shape.w) * hw_.memory_atom * element;
    expect(s.line_stride % unit == 0 && s.surface_stride % unit == 0, what, " has strides of ",
           s.line_stride, " and ", s.surface_stride, ", not multiples of ", unit);
    expect(s.line_stride >= line, what, " has a line stride of ", s.line_stride,
           " for lines of ", line, " bytes");
    const auto plane = static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride + line;
    expect(layer::surfaces(s.shape, hw_.atom()) == 1 || s.surface_stride >= plane, what,
           " has a surface stride of ", s.surface_stride, " for surfaces of ", plane, " bytes");
  }
  const hw::spec& hw() const { return hw_; }

 private:
  const program_data& program_;
  const hw::spec& hw_;
  std::string layer_, unit_;
  diagnostics& found_;
};

// One dimension of a window: does the size of the output follow, with nothing left over?
constexpr bool slides_exactly(std::int64_t in, std::int64_t before, std::int64_t after,
                              std::int64_t extent, std::int64_t stride, std::int64_t out) {
  return in + before + after - extent == (out - 1) * stride;
}

}  // namespace nvdlac::plan::checker

namespace nvdlac::plan::checker {

// CDMA's input: a feature cube or lines of pixels.
template <hw::register_map Map>
void check_input(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  r.size(c.input.shape, limits::width, limits::height, limits::channels, "the input");
  r.within(c.pad_value, -128, 127, "the padding value");
  if (!c.is_pixel()) {
    r.cube(c.input, "the input");
    r.expect(!c.use_mean, "means are subtracted from pixels only");
  } else {
    r.address(c.input, "the input");
    const auto line = std::uint64_t(c.input.shape.w) * std::uint64_t(c.input.shape.c);
    r.expect(c.input.line_stride % 32 == 0, "the pixels' line stride of ", c.input.line_stride,
             " is not a multiple of 32");
    r.expect(c.input.line_stride >= line, "the pixels' line stride of ", c.input.line_stride,
             " is less than a line of ", line, " bytes");
    r.expect(c.input.shape.c == (c.format == layer::pixel_format::r8 ? 1 : 4),
             "pixels of ", c.input.shape.c, " channels do not have the format ",
             static_cast<int>(c.format));
    r.expect(c.window.dilation_w == 1 && c.window.dilation_h == 1, "a kernel of pixels is dilated");
  }
  r.within(c.cvt.shift, 0, limits::input_shift, "the input converter's shift");
  r.expect(!c.use_mean || c.cvt.offset == 0, "means replace the input converter's offset of ",
           c.cvt.offset);
  r.within(c.cvt.offset, -32768, 32767, "the input converter's offset");
}

template <hw::register_map Map>
void check_window(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  const auto& w = c.window;
  r.within(w.kernel_h, 1, limits::kernel_height, "the kernel's height");
  r.within(w.kernel_w, 1, limits::kernel_width, "the kernel's width");
  r.within(w.stride_h, 1, limits::stride, "the vertical stride");
  r.within(w.stride_w, 1, limits::stride, "the horizontal stride");
  r.within(w.dilation_h, 1, limits::dilation, "the vertical dilation");
  r.within(w.dilation_w, 1, limits::dilation, "the horizontal dilation");
  r.within(w.pad_left, 0, std::min<std::int64_t>(limits::pad_left, w.extent_w() - 1), "the left padding");
  r.within(w.pad_right, 0, std::min<std::int64_t>(limits::pad_right, w.extent_w() - 1), "the right padding");
  r.within(w.pad_top, 0, std::min<std::int64_t>(limits::pad_top, w.extent_h() - 1), "the top padding");
  r.within(w.pad_bottom, 0, std::min<std::int64_t>(limits::pad_bottom, w.extent_h() - 1), "the bottom padding");
  const net::shape in = c.input.shape, out = c.output;
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.extent_h(), w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.extent_w(), w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  r.size(out, limits::width, limits::height, limits::kernels, "the output");
}

// The CBUF holds all lines of the input and at least one group of kernels.
template <hw::register_map Map>
void check_buffer(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  const hw::spec& hw = r.hw();
  constexpr auto int8 = hw::precision::int8;
  const auto width = std::uint64_t(c.input.shape.w), channels = std::uint64_t(c.input.shape.c);
  const auto pads = std::uint64_t(c.window.pad_left) + std::uint64_t(c.window.pad_right);
  const entries slice = c.is_pixel() ? hw::image_entries_per_slice(hw, int8, width + pads, channels)
                                     : hw::feature_entries_per_slice(hw, int8, width, channels);
  r.expect(slice.n == c.entries_per_slice, "a slice takes ", slice.n, " entries of the CBUF, not ",
           c.entries_per_slice);
  r.within(c.entries_per_slice, 1, limits::entries_per_slice, "the number of entries in a slice");
  r.expect(c.data_banks >= 1 && c.weight_banks >= 1, "data or weights have no bank of the CBUF");
  r.expect(std::uint32_t{c.data_banks} + c.weight_banks <= hw.cbuf_banks, "the CBUF has ",
           hw.cbuf_banks, " banks, not ", int{c.data_banks}, " + ", int{c.weight_banks});
  const auto room = std::uint64_t{c.data_banks} * hw.cbuf_entries_per_bank;
  r.expect(slice.n * std::uint64_t(c.input.shape.h) <= room, c.input.shape.h, " slices of ",
           slice.n, " entries do not fit ", int{c.data_banks}, " banks");
  const auto kernel = c.bytes_per_kernel(), kernels = std::uint64_t(c.output.c);
  r.within(static_cast<std::int64_t>(kernel), 1, limits::kernel_bytes, "the bytes of a kernel");
  const auto group = std::min<std::uint64_t>(kernels, hw.kernel_group()) * kernel;
  r.expect(group <= c.weight_banks * hw.cbuf_bank().n, "a group of kernels of ", group,
           " bytes does not fit ", int{c.weight_banks}, " banks");
  r.address(c.weights, "the weights' start");
  const auto size = hw::weight_bytes(hw, int8, kernels, kernel).n;
  r.expect(c.weights.size == size, "the weights have ", c.weights.size, " bytes, not ", size);
  r.within(c.fetch_grain, 1, limits::fetch_lines, "the lines fetched at once");
  r.within(c.release, 1, std::min<std::int64_t>(c.input.shape.h, limits::release_lines),
           "the number of released slices");
}

template <hw::register_map Map>
void check_layer(const layer::convolution& c, rules r) {
  check_input<Map>(c, r);
  check_window<Map>(c, r);
  check_buffer<Map>(c, r);
  r.within(c.truncate, 0, hw::limits<Map>::convolution::clip_truncate, "CACC's truncation");
}

}  // namespace nvdlac::plan::checker
// The rules of SDP, of PDP and of the host's layers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>


namespace nvdlac::plan::checker {

template <hw::register_map Map>
void check_unit(const layer::sdp_unit& u, net::shape cube, rules r) {
  using limits = typename hw::limits<Map>::sdp;
  r.within(u.alu_shift, 0, limits::alu_shift, "the operand's shift");
  r.within(u.mul_shift, 0, limits::mul_shift, "the product's shift");
  r.expect(u.operand_bytes == 1 || u.operand_bytes == 2, "operands of ", int{u.operand_bytes},
           " bytes are none of 1 or 2");
  if (u.mode == layer::sdp_mode::per_layer) return;
  r.expect(u.alu || u.mul, "operands are read that nothing uses");
  if (u.mode == layer::sdp_mode::per_point) {
    r.expect(!(u.alu && u.mul), "a cube of operands is for the adder or for the multiplier");
    r.cube(u.operands, "the operands' cube", u.operand_bytes);
    r.expect(u.operands.shape == cube, "the operands' cube is ", u.operands.shape, ", not ", cube);
    return;
  }
  r.address(u.operands, "the operands' start");
  const auto lanes = align_up(static_cast<std::uint64_t>(cube.c), r.hw().memory_atom);
  const auto size = lanes * u.operand_bytes * (u.alu && u.mul ? 2 : 1);
  r.expect(u.operands.size >= size, "the operands of ", cube.c, " channels have ", u.operands.size,
           " bytes, not ", size);
}

template <hw::register_map Map>
void check_layer(const layer::sdp& s, rules r) {
  using limits = typename hw::limits<Map>::sdp;
  r.size(s.input.shape, limits::width, limits::height, limits::channels, "the cube");
  r.expect(s.output.shape == s.input.shape, "the output ", s.output.shape, " is not the input ",
           s.input.shape);
  if (!s.input.at.on_the_fly()) r.cube(s.input, "the input");
  if (!s.output.at.on_the_fly()) r.cube(s.output, "the output");
  check_unit<Map>(s.x1, s.input.shape, r);
  check_unit<Map>(s.x2, s.input.shape, r);
  r.within(s.out.shift, 0, limits::output_shift, "the output converter's shift");
}

// A width of so many parts.
constexpr bool adds_up(std::uint32_t parts, std::int64_t first, std::int64_t mid, std::int64_t last,
                       std::int64_t whole) {
  return whole == (parts == 2 ? first + last : first + (parts - 2) * mid + last);
}

template <hw::register_map Map>
void check_split(const layer::pdp& p, rules r) {
  using limits = typename hw::limits<Map>::pdp;
  const auto& s = p.split;
  // 8 line buffers of 16 atoms are shared by the windows that overlap one column.
  constexpr std::array overlapping{1, 1, 2, 4, 4, 8, 8, 8, 8};
  const auto& w = p.window;
  const auto windows = std::clamp((w.kernel_w + w.stride_w - 1) / std::max(w.stride_w, 1), 1, 8);
  const std::int64_t most = 128 / overlapping[static_cast<std::size_t>(windows)];
  r.within(s.parts, 1, limits::firmware_splits, "the number of parts");
  if (s.parts == 1)
    return r.expect(p.output.shape.w <= most, "the line buffers hold ", most, " columns of the ",
                    p.output.shape.w, " of the output");
  r.expect(!p.input.at.on_the_fly(), "what comes on the fly cannot be split");
  r.expect(adds_up(s.parts, s.in_first, s.in_mid, s.in_last, p.input.shape.w) &&
               adds_up(s.parts, s.out_first, s.out_mid, s.out_last, p.output.shape.w),
           "the parts do not add up to the width");
  for (const auto part : {s.out_first, s.out_mid, s.out_last})
    r.expect(part <= most, "the line buffers hold ", most, " columns of the ", part, " of a part");
  for (const auto part : {s.in_first, s.in_mid, s.in_last, s.out_first, s.out_mid, s.out_last})
    r.within(part, 0, limits::split_width, "the width of a part");
}

template <hw::register_map Map>
void check_layer(const layer::pdp& p, rules r) {
  using limits = typename hw::limits<Map>::pdp;
  const net::shape in = p.input.shape, out = p.output.shape;
  r.expect(r.hw().has_pdp(), "the configuration has none");
  r.size(in, limits::width, limits::height, limits::channels, "the input");
  r.size(out, limits::width, limits::height, limits::channels, "the output");
  r.expect(in.c == out.c, "the input has ", in.c, " channels but the output ", out.c);
  if (!p.input.at.on_the_fly()) r.cube(p.input, "the input");
  r.expect(!p.output.at.on_the_fly(), "its result cannot go on the fly");
  if (!p.output.at.on_the_fly()) r.cube(p.output, "the output");
  const auto& w = p.window;
  r.expect(w.dilation_h == 1 && w.dilation_w == 1, "a pooling has no dilation");
  r.within(w.kernel_h, 1, limits::kernel, "the kernel's height");
  r.within(w.kernel_w, 1, limits::kernel, "the kernel's width");
  r.within(w.stride_h, 1, limits::firmware_stride, "the vertical stride");
  r.within(w.stride_w, 1, limits::firmware_stride, "the horizontal stride");
  const auto most = [&](std::int32_t kernel) { return std::min<std::int64_t>(limits::pad, kernel - 1); };
  r.within(w.pad_top, 0, most(w.kernel_h), "the top padding");
  r.within(w.pad_bottom, 0, most(w.kernel_h), "the bottom padding");
  r.within(w.pad_left, 0, most(w.kernel_w), "the left padding");
  r.within(w.pad_right, 0, most(w.kernel_w), "the right padding");
  r.within(p.pad_value, -128, 127, "the padding value");
  // Lines that remain would be taken for the next surface's.
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.kernel_h, w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.kernel_w, w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  check_split<Map>(p, r);
}

template <hw::register_map Map>
void check_layer(const layer::host_softmax& s, rules r) {
  r.expect(s.input.shape == s.output.shape, "the output ", s.output.shape, " is not the input ",
           s.input.shape);
  r.expect(s.input.shape.h == 1 && s.input.shape.w == 1, "the softmax of ", s.input.shape,
           " is not over channels alone");
  for (const auto* cube : {&s.input, &s.output}) {
    r.cube(*cube, "the cube");
    r.expect(layer::surfaces(cube->shape, r.hw().atom()) == 1 ||
                 cube->surface_stride == r.hw().memory_atom,
             "the channels are not contiguous: surfaces stand ", cube->surface_stride, " bytes apart");
  }
  for (const float scale : {s.input_scale, s.output_scale})
    r.expect(std::isfinite(scale) && scale > 0, "a scale of ", scale, " is not above 0");
}

}  // namespace nvdlac::plan::checker

namespace nvdlac::plan {

namespace checker {

constexpr const char* unit_name(const layer::any& what) {
  constexpr const char* names[] = {"CONV", "SDP", "PDP", "host"};
  return names[what.index()];
}

// Two engines that are connected on the fly mean the same cube.
inline void check_connections(const task& t, diagnostics& found) {
  for (const auto& op : t.operations) {
    const auto parent = op.fused_parent.operation;
    if (parent < 0 || static_cast<std::size_t>(parent) >= t.operations.size()) continue;
    const auto& from = t.operations[static_cast<std::size_t>(parent)].layer;
    net::shape given{}, taken{};
    if (const auto* c = std::get_if<layer::convolution>(&from.what)) given = c->output;
    else if (const auto* s = std::get_if<layer::sdp>(&from.what)) given = s->output.shape;
    if (const auto* s = std::get_if<layer::sdp>(&op.layer.what)) taken = s->input.shape;
    else if (const auto* p = std::get_if<layer::pdp>(&op.layer.what)) taken = p->input.shape;
    if (given != taken)
      found.add({.layer = op.layer.name,
                 .reason = text(unit_name(op.layer.what), ": it takes ", taken, " on the fly but '",
                                from.name, "' gives ", given)});
  }
}

// CBUF contents that a convolution reuses must have been left there by the one before it.
inline void check_reuse(const task& t, diagnostics& found) {
  const layer::convolution* before = nullptr;
  for (const auto& op : t.operations)
    if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) {
      const auto report = [&](const char* what) {
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses ", what, " that are not in the CBUF")});
      };
      if (c->data_reuse && !(before && before->skip_data_release && before->input == c->input &&
                             before->data_banks == c->data_banks))
        report("data");
      if (c->weight_reuse && !(before && before->skip_weight_release &&
                               before->weights == c->weights && before->weight_banks == c->weight_banks))
        report("weights");
      before = c;
    }
}

}  // namespace checker

// Every broken rule, with the layer and the unit: alignment, strides, sizes within registers, the
// division of the CBUF, windows that fit their cubes, operands. Empty if the hardware will do what
// the program says; whether memory and order are right is validate's question.
template <hw::hardware Hw>
std::vector<problem> verify(const program<Hw>& p) {
  diagnostics found;
  for (const auto& t : p.tasks) {
    for (const auto& op : t.operations)
      std::visit(
          [&](const auto& what) {
            checker::check_layer<Hw::spec.map>(
                what, checker::rules(p, Hw::spec, op.layer.name, checker::unit_name(op.layer.what), found));
          },
          op.layer.what);
    checker::check_connections(t, found);
    checker::check_reuse(t, found);
  }
  for (const auto& b : p.inputs)
    if (b.pixels) {
      checker::rules r(p, Hw::spec, b.name, "input", found);
      r.address(b.surface, "the picture");
      r.expect(b.surface.line_stride % 32 == 0, "the pixels' line stride of ",
               b.surface.line_stride, " is not a multiple of 32");
    } else {
      checker::rules(p, Hw::spec, b.name, "input", found).cube(b.surface, "the cube");
    }
  for (const auto& b : p.outputs)
    checker::rules(p, Hw::spec, b.name, "output", found).cube(b.surface, "the cube");
  return found.problems();
}

}  // namespace nvdlac::plan
#include <map>
#include <string>
#include <variant>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>


namespace nvdlac::quant {

// The scale of each layer's output tensor: real = scale * integer. In the order of the network.
struct scale_table {
  struct entry {
    std::string layer{};
    double scale = 1;

    bool operator==(const entry&) const = default;
  };

  std::string method{};  // of the calibration; for the reader only
  std::vector<entry> entries{};

  bool operator==(const scale_table&) const = default;

  std::optional<double> find(const std::string& layer) const {
    for (const auto& e : entries)
      if (e.layer == layer) return e.scale;
    return std::nullopt;
  }
};

constexpr bool representable_scale(double s) { return s > 0 && s <= 1e300 && s >= 1e-300; }

// Collects what cannot be a scale, and layers that are listed twice.
inline void check(const scale_table& table, diagnostics& found, const std::string& file = {}) {
  std::set<std::string> known;
  for (const auto& [layer, scale] : table.entries) {
    if (!representable_scale(scale))
      found.add({.file = file, .layer = layer, .reason = text("scale ", scale, " is not usable"),
                 .remedy = "a scale is a positive number"});
    if (!known.insert(layer).second)
      found.add({.file = file, .layer = layer, .reason = "is listed twice in the scale table"});
  }
}

}  // namespace nvdlac::quant
// Which tensors must share a scale because the hardware only moves or selects their integers.
#include <optional>
#include <type_traits>
#include <variant>


namespace nvdlac::quant {

// A scaling by one positive factor: it costs nothing, only the meaning of the integers changes.
// The factor, or nothing if it is another scaling.
inline std::optional<double> free_factor(const net::scale& s) {
  if (s.relu || s.factor.empty() || !(s.factor[0] > 0)) return std::nullopt;
  for (const float f : s.factor)
    if (f != s.factor[0]) return std::nullopt;
  for (const float b : s.bias)
    if (b != 0) return std::nullopt;
  return double{s.factor[0]};
}

// For an operator whose output has its input's scale times a factor: that factor.
inline std::optional<double> shared_factor(const net::graph& g, net::graph::id n) {
  return std::visit(
      [&](const auto& op) -> std::optional<double> {
        using op_type = std::decay_t<decltype(op)>;
        using movers = type_list<net::pool, net::relu, net::identity, net::reshape, net::flatten>;
        if constexpr (std::is_same_v<op_type, net::scale>)
          return free_factor(op);
        else if constexpr (contains<op_type, movers>)
          return 1.0;
        else
          return std::nullopt;
      },
      g[n].op);
}

// Whether the node can give its tensor at any scale.
inline bool requantises(const net::graph& g, net::graph::id n) {
  return std::visit(
      [](const auto& op) {
        return contains<std::decay_t<decltype(op)>,
                        type_list<net::constant, net::convolution, net::fully_connected, net::batch_norm,
                                  net::scale, net::add, net::concat>>;
      },
      g[n].op);
}

}  // namespace nvdlac::quant

namespace nvdlac::quant {

// A table that a user gives, for the network `g` that passes made of `original`. The table may name
// layers of either: where passes fused layers, the tensor that remains is that of the last one, so
// its scale counts. Throws, all together: layers of the table that neither network has, layers of
// `g` that the table lacks (those that share their input's scale and softmax need none).
inline scale_table adopt(const scale_table& table, const net::graph& original, const net::graph& g,
                         const std::string& file = {}) {
  diagnostics found;
  check(table, found, file);
  std::map<std::string, double> given;
  for (const auto& e : table.entries) given.emplace(e.layer, e.scale);
  std::map<std::string, net::graph::id> before, after;
  for (net::graph::id n = 0; n < original.size(); ++n) before.emplace(original[n].name, n);
  for (net::graph::id n = 0; n < g.size(); ++n) after.emplace(g[n].name, n);
  for (const auto& [layer, scale] : given)
    if (!before.contains(layer) && !after.contains(layer))
      found.add({.file = file, .layer = layer, .reason = "is in the scale table but not in the network"});

  scale_table result{.method = table.method};
  for (const auto n : g.order()) {
    auto scale = given.find(g[n].name);
    if (auto b = before.find(g[n].name); b != before.end()) {
      auto readers = original.consumers(b->second);
      while (readers.size() == 1 && !after.contains(original[readers[0]].name)) {
        if (auto later = given.find(original[readers[0]].name); later != given.end()) scale = later;
        readers = original.consumers(readers[0]);
      }
    }
    if (scale != given.end()) result.entries.push_back({g[n].name, scale->second});
    else if (!shared_factor(g, n) && !std::holds_alternative<net::softmax>(g[n].op))
      found.add({.file = file, .layer = g[n].name, .reason = "the scale table does not list it",
                 .remedy = "calibrate with this network"});
  }
  found.check();
  return result;
}

}  // namespace nvdlac::quant
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace nvdlac::net {

// Computes a sound graph: apply(id, span of pointers to the inputs) gives a node's tensor, then
// visit(id, tensor) sees it. A tensor is freed after its last reader. `Tensor` has no other role.
template <class Tensor, class Graph, class Apply, class Visit>
void walk(const Graph& g, Apply apply, Visit visit) {
  std::vector<Tensor> tensors(g.size());
  std::vector<std::size_t> readers(g.size());
  for (const auto n : g.order()) {
    const auto inputs = g.inputs(n);
    std::vector<const Tensor*> in;
    for (const auto i : inputs) in.push_back(&tensors[i]);
    tensors[n] = apply(n, std::span<const Tensor* const>(in));
    visit(n, std::as_const(tensors[n]));
    readers[n] = g.consumers(n).size();
    if (readers[n] == 0) tensors[n] = Tensor{};
    for (const auto i : inputs)
      if (--readers[i] == 0) tensors[i] = Tensor{};
  }
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// The network's input nodes, ascending: the order in which `evaluate` takes their tensors.
template <class Graph>
std::vector<typename Graph::id> input_nodes(const Graph& g) {
  std::vector<typename Graph::id> result;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (std::visit([](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; }, g[n].op))
      result.push_back(n);
  return result;
}

// The position of every node in the order of inputs; throws if the number of inputs is another.
template <class Graph>
std::vector<std::size_t> input_positions(const Graph& g, std::size_t given) {
  const auto nodes = input_nodes(g);
  if (nodes.size() != given)
    throw error(text("the network has ", nodes.size(), " inputs but ", given, " are given"));
  std::vector<std::size_t> result(g.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) result[nodes[i]] = i;
  return result;
}

// The tensors that are given by name, in the order of the inputs.
template <class Graph, class Tensor>
std::vector<Tensor> in_input_order(const Graph& g, const std::map<std::string, Tensor>& named) {
  diagnostics problems;
  std::vector<Tensor> result;
  std::map<std::string, bool> known;
  for (const auto n : input_nodes(g)) {
    known[g[n].name] = true;
    if (const auto found = named.find(g[n].name); found != named.end()) result.push_back(found->second);
    else problems.add({.layer = g[n].name, .reason = "no tensor is given for this input"});
  }
  for (const auto& [name, ignored] : named)
    if (!known.contains(name)) problems.add({.layer = name, .reason = "the network has no such input"});
  problems.check();
  return result;
}

// The float reference of a sound graph: visit(id, const float_tensor&) sees every node's tensor,
// producers first. Inputs in the order of the input nodes. Throws if their shapes do not fit.
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const float_tensor> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const float_tensor* const> in) {
    return std::visit(
        [&](const auto& op) -> float_tensor {
          using op_type = std::decay_t<decltype(op)>;
          if constexpr (is_network_input<op_type>) {
            const float_tensor& x = inputs[position[n]];
            if (x.shape != op.infer({}) || x.values.size() != x.shape.size())
              throw error({.layer = g[n].name,
                           .reason = text("the input is ", op.infer({}), " but the given tensor is ",
                                          x.shape, " with ", x.values.size(), " values")});
            return x;
          } else {
            return op.evaluate(in);
          }
        },
        g[n].op);
  };
  walk<float_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, std::span<const float_tensor> inputs) {
  const auto outputs = g.outputs();
  std::vector<float_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const float_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, const std::map<std::string, float_tensor>& inputs) {
  return net::evaluate(g, std::span<const float_tensor>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, const float_tensor& input) {
  return net::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nvdlac::quant {

// How often each magnitude |x| was seen. The bins cover [0, 2^exponent) evenly; a larger value
// doubles the range and merges neighbours. A bin's edges are thus multiples of a power of two, and
// the counts do not depend on the order of the values. Zeros are counted apart: every scale
// represents them exactly.
class magnitudes {
 public:
  static constexpr std::size_t bins = 4096;

  void observe(std::span<const float> values) {
    for (const float x : values) add(std::fabs(static_cast<double>(x)));
  }

  double largest() const { return largest_; }
  std::uint64_t zeros() const { return zeros_; }
  std::uint64_t total() const { return total_; }  // zeros included
  double bin_width() const { return std::ldexp(1.0, exponent_ - bits); }
  const std::array<std::uint64_t, bins>& counts() const { return counts_; }
  // Bins in use: all counts from here on are zero.
  std::size_t used() const {
    return largest_ == 0 ? 0 : static_cast<std::size_t>(largest_ / bin_width()) + 1;
  }

 private:
  static constexpr int bits = 12;
  static_assert(bins == std::size_t{1} << bits);

  void add(double x) {
    ++total_;
    if (x == 0) {
      ++zeros_;
      return;
    }
    if (x > largest_) grow(x);
    ++counts_[static_cast<std::size_t>(std::ldexp(x, bits - exponent_))];
  }

  void grow(double x) {
    int needed = 0;
    std::frexp(x, &needed);  // x < 2^needed
    if (largest_ == 0) exponent_ = needed;
    largest_ = x;
    for (; exponent_ < needed; ++exponent_) {
      for (std::size_t i = 0; i < bins / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
      for (std::size_t i = bins / 2; i < bins; ++i) counts_[i] = 0;
    }
  }

  std::array<std::uint64_t, bins> counts_{};
  int exponent_ = 0;
  double largest_ = 0;
  std::uint64_t zeros_ = 0, total_ = 0;
};

}  // namespace nvdlac::quant

namespace nvdlac::quant {

// Watches the values of one tensor over all calibration pictures and decides which magnitude
// becomes the integer 127; what is larger saturates. 0: nothing but zeros was seen.
template <class T>
concept observer = std::copyable<T> && requires(T o, const T c, std::span<const float> values) {
  { T::name } -> std::convertible_to<std::string_view>;
  o.observe(values);
  { c.range() } -> std::convertible_to<double>;
};

// The largest magnitude seen: nothing saturates.
struct min_max {
  static constexpr std::string_view name = "min-max";

  void observe(std::span<const float> values) {
    for (const float x : values) largest = std::max(largest, std::fabs(static_cast<double>(x)));
  }
  double range() const { return largest; }

  double largest = 0;
};
static_assert(observer<min_max>);

// The magnitude that `percent` of all values do not exceed, to one bin's accuracy.
struct percentile {
  static constexpr std::string_view name = "percentile";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    const double wanted = static_cast<double>(seen.total()) * percent / 100;
    double below = static_cast<double>(seen.zeros());
    for (std::size_t i = 0; i < seen.used(); ++i) {
      below += static_cast<double>(seen.counts()[i]);
      if (below >= wanted && seen.counts()[i] != 0)
        return std::min(seen.largest(), static_cast<double>(i + 1) * seen.bin_width());
    }
    return seen.largest();
  }

  double percent = 99.99;
  magnitudes seen{};
};
static_assert(observer<percentile>);

namespace detail {

// The range among 128 .. used bins (in steps of 1/512 of them) with the smallest cost(bins).
template <class Cost>
double best_range(const magnitudes& seen, Cost cost) {
  const std::size_t used = seen.used();
  if (used <= 128) return seen.largest();
  const std::size_t step = std::max<std::size_t>(1, used / 512);
  std::size_t best = used;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t candidate = used; candidate >= 128; candidate -= step) {
    const double c = cost(candidate);
    if (c < least) least = c, best = candidate;
  }
  return std::min(seen.largest(), static_cast<double>(best) * seen.bin_width());
}

}  // namespace detail

// The range whose 128 levels tell most about the distribution: the least Kullback-Leibler
// divergence of the quantised distribution (each level's count spread evenly over the bins that
// are not empty) from the real one (what saturates added to its last bin).
struct entropy {
  static constexpr std::string_view name = "entropy";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    return detail::best_range(seen, [this](std::size_t n) { return divergence(n); });
  }

  // Of the range of `n` bins.
  double divergence(std::size_t n) const {
    const auto& counts = seen.counts();
    double inside = 0, beyond = 0, spread = 0;
    for (std::size_t i = 0; i < seen.used(); ++i)
      (i < n ? inside : beyond) += static_cast<double>(counts[i]);
    const double total = inside + beyond;
    if (inside == 0) return std::numeric_limits<double>::infinity();
    double result = 0;
    for (std::size_t level = 0; level < 128; ++level) {
      const std::size_t from = level * n / 128, to = (level + 1) * n / 128;
      double sum = 0;
      std::size_t filled = 0;
      for (std::size_t i = from; i < to; ++i) {
        sum += static_cast<double>(counts[i]);
        filled += counts[i] != 0 || (i + 1 == n && beyond != 0);
      }
      if (filled == 0) continue;
      // A saturated part whose level is empty inside the range: half a count, not log(0).
      const double q = std::max(sum, 0.5) / static_cast<double>(filled) / inside;
      spread += q * static_cast<double>(filled);
      for (std::size_t i = from; i < to; ++i) {
        const double p = (static_cast<double>(counts[i]) + (i + 1 == n ? beyond : 0)) / total;
        if (p > 0) result += p * std::log(p / q);
      }
    }
    return result + std::log(spread);
  }

  magnitudes seen{};
};
static_assert(observer<entropy>);

// The range with the least mean squared error of rounding and saturation together.
struct least_squares {
  static constexpr std::string_view name = "least-squares";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    return detail::best_range(seen, [this](std::size_t n) { return error(n); });
  }

  // Sum of squared errors, in bins, when the range of `n` bins becomes 127.
  double error(std::size_t n) const {
    const double step = static_cast<double>(n) / 127;
    double sum = 0;
    for (std::size_t i = 0; i < seen.used(); ++i) {
      if (seen.counts()[i] == 0) continue;
      const double x = static_cast<double>(i) + 0.5;
      const double e = x - std::min(127.0, std::round(x / step)) * step;
      // Within a bin the values are spread: a twelfth of its width squared.
      sum += static_cast<double>(seen.counts()[i]) * (e * e + 1.0 / 12);
    }
    return sum;
  }

  magnitudes seen{};
};
static_assert(observer<least_squares>);

}  // namespace nvdlac::quant

namespace nvdlac::quant {

// What measures best on the networks in docs/quantisation.md.
using default_observer = entropy;

namespace detail {

inline void require_finite(const net::float_tensor& t, const std::string& layer, std::size_t sample) {
  for (std::size_t i = 0; i < t.values.size(); ++i)
    if (!std::isfinite(t.values[i]))
      throw error({.layer = layer,
                   .reason = text("value ", i, " of its tensor is ", t.values[i],
                                  " for calibration sample ", sample),
                   .remedy = "check the network's weights and the preprocessing of its input"});
}

}  // namespace detail

// The scale of every node's tensor, from samples that are preprocessed as the network expects; each
// sample holds one tensor per network input, in the order of the input nodes. `g` has its shapes.
// progress(done, all) is called after every sample. A tensor of zeros gets scale 1; tensors that
// share their values with their input share its scale. Throws for values that are not finite.
template <observer Observer = default_observer, class Progress = decltype([](std::size_t, std::size_t) {})>
scale_table calibrate(const net::graph& g, std::span<const std::vector<net::float_tensor>> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  if (samples.empty())
    throw error(problem{.reason = "there are no calibration samples", .remedy = "give at least one"});
  std::vector<std::optional<Observer>> observers(g.size());
  for (const auto n : g.order())
    if (!shared_factor(g, n)) observers[n] = prototype;

  for (std::size_t i = 0; i < samples.size(); ++i) {
    net::evaluate_each(g, std::span<const net::float_tensor>(samples[i]),
                       [&](net::graph::id n, const net::float_tensor& t) {
                         detail::require_finite(t, g[n].name, i);
                         if (observers[n]) observers[n]->observe(t.values);
                       });
    progress(i + 1, samples.size());
  }

  scale_table table{.method = std::string(Observer::name)};
  std::vector<double> scales(g.size(), 1);
  for (const auto n : g.order()) {
    double range = observers[n] ? observers[n]->range() : 0;
    if (const auto* known = std::get_if<net::constant>(&g[n].op)) {
      min_max all;  // nothing of a known tensor needs to saturate
      all.observe(known->value.values);
      range = all.range();
    }
    if (!observers[n]) scales[n] = scales[g.inputs(n)[0]] * *shared_factor(g, n);
    else if (range > 0) scales[n] = range / 127;
    table.entries.push_back({g[n].name, scales[n]});
  }
  return table;
}

// Calibration of a network with one input.
template <observer Observer = default_observer, class Progress = decltype([](std::size_t, std::size_t) {})>
scale_table calibrate(const net::graph& g, std::span<const net::float_tensor> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  std::vector<std::vector<net::float_tensor>> wrapped;
  for (const auto& s : samples) wrapped.push_back({s});
  return calibrate<Observer>(g, std::span<const std::vector<net::float_tensor>>(wrapped), progress, prototype);
}

}  // namespace nvdlac::quant
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Positive real factors as NVDLA's converters hold them: a 16-bit multiplier and a right shift.
#include <algorithm>
#include <cmath>
#include <cstdint>


namespace nvdlac::quant {

// Products in SDP stay below 2^49 and its shifts below 64; a shift above 50 yields zero anyway.
inline constexpr int highest_shift = 50;

// The shift, 0 .. highest_shift, that brings `largest` into [2^14, 2^15) without reaching 2^15 when
// it is rounded up. A number of 2^15 or more keeps shift 0 and does not fit.
inline int shift_for(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  int shift = 15 - exponent;
  if (std::ceil(std::ldexp(largest, shift)) > 32767) --shift;
  return std::clamp(shift, 0, highest_shift);
}

// x rounded half away from zero and clamped to +-32767.
inline std::int16_t round16(double x) {
  return static_cast<std::int16_t>(std::clamp(std::round(x), -32767.0, 32767.0));
}
inline std::int8_t round8(double x) {
  return static_cast<std::int8_t>(std::clamp(std::round(x), -127.0, 127.0));
}

// The converter nearest to a positive `ratio`. From 32767 on every integer but 0 saturates an int8
// either way.
inline converter nearest_converter(double ratio) {
  const int shift = shift_for(std::min(ratio, 32767.0));
  return {.offset = 0, .scale = round16(std::ldexp(std::min(ratio, 32767.0), shift)),
          .shift = static_cast<std::uint8_t>(shift)};
}
inline double ratio_of(const converter& c) { return std::ldexp(static_cast<double>(c.scale), -c.shift); }

}  // namespace nvdlac::quant

namespace nvdlac::quant {

// A convolution or fully connected layer in real numbers, as the rules below need it.
struct real_filters {
  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::span<const float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::span<const float> bias{};     // [kernels] or empty
  bool relu = false;
  // Of the input's channels: real input = gain * scale * integer + offset. Empty: 1 and 0.
  std::vector<double> gain{}, offset{};
};

namespace detail {

// One filter in units of the output's integers.
struct filter {
  double step = 0;  // what one unit of the accumulator is worth; never falls
  double bias = 0;
};

// Real weight i of kernel k with the gain of its input channel folded in.
inline double weight(const real_filters& f, std::size_t taps, std::size_t k, std::size_t i) {
  const double w = f.weights[k * taps + i];
  const auto area = static_cast<std::size_t>(f.window.kernel_h) * static_cast<std::size_t>(f.window.kernel_w);
  return f.gain.empty() ? w : w * f.gain[i / area];
}

// Steps no longer than the weights need; biases that saturate whatever the input is are cut to a
// size that still does.
inline std::vector<filter> natural_filters(const real_filters& f, std::size_t taps, double in_per_out,
                                           double out_scale, int truncate) {
  const auto area = static_cast<std::size_t>(f.window.kernel_h) * static_cast<std::size_t>(f.window.kernel_w);
  std::vector<filter> result(static_cast<std::size_t>(f.kernels));
  for (std::size_t k = 0; k < result.size(); ++k) {
    double top = 0, sum = 0, bias = f.bias.empty() ? 0 : double{f.bias[k]};
    for (std::size_t i = 0; i < taps; ++i) {
      const double w = std::fabs(weight(f, taps, k, i));
      top = std::max(top, w);
      sum += w;
      if (!f.offset.empty()) bias += double{f.weights[k * taps + i]} * f.offset[i / area];
    }
    const double reach = 130 + 256 * sum * in_per_out;
    result[k] = {.step = std::ldexp(top * in_per_out / 127, truncate),
                 .bias = std::clamp(bias / out_scale, -reach, reach)};
  }
  return result;
}

inline double longest_step(const std::vector<filter>& filters) {
  double longest = 0, bias = 0;
  for (const auto& f : filters) {
    longest = std::max(longest, f.step);
    bias = std::max(bias, std::fabs(f.bias));
  }
  if (longest > 0) return longest;
  return bias > 0 ? bias / 16384 : 1;  // no weights at all: only the biases count
}

// The common shift; steps are raised so that no multiplier falls below 2^8.
inline int share_shift(std::vector<filter>& filters) {
  const int shift = shift_for(longest_step(filters));
  for (auto& f : filters) f.step = std::max(f.step, std::ldexp(256, -shift));
  return shift;
}

// The smallest bias_shift that needs no step above an eighth of the longest one (such a filter
// loses less to rounding than the coarsest filter does); steps are raised to fit.
inline int share_bias_shift(std::vector<filter>& filters) {
  const double longest = longest_step(filters);
  const auto needed = [](const filter& f, int shift) {
    return std::ldexp(std::fabs(f.bias) / 32767, -shift);
  };
  int shift = 0;
  for (; shift < 16; ++shift)
    if (std::all_of(filters.begin(), filters.end(), [&](const filter& f) {
          return needed(f, shift) <= std::max(f.step, longest / 8);
        }))
      break;
  for (auto& f : filters) f.step = std::max(f.step, needed(f, shift));
  return shift;
}

}  // namespace detail

// The integer convolution from an input of scale `in_scale` to an output of scale `out_scale`.
// Each filter's weight scale is chosen so that its multiplier is exact: step = multiplier / 2^shift.
inline net::integer::convolution quantise(const real_filters& f, double in_scale, double out_scale,
                                          const std::string& layer) {
  const auto kernels = static_cast<std::size_t>(f.kernels);
  if (f.kernels < 1 || f.weights.empty() || f.weights.size() % kernels != 0 ||
      (!f.bias.empty() && f.bias.size() != kernels))
    throw error({.layer = layer, .reason = text(f.weights.size(), " weights and ", f.bias.size(),
                                                " biases for ", f.kernels, " kernels")});
  const std::size_t taps = f.weights.size() / kernels;
  int truncate = 0;  // the sum of a kernel's products must fit 32 bits behind CACC
  while (std::ldexp(static_cast<double>(taps) * 127 * 128, -truncate) > 2147483647.0) ++truncate;
  const double in_per_out = in_scale / out_scale;

  auto filters = detail::natural_filters(f, taps, in_per_out, out_scale, truncate);
  detail::share_shift(filters);
  const int bias_shift = detail::share_bias_shift(filters);
  const int shift = detail::share_shift(filters);
  const double longest = detail::longest_step(filters);
  if (truncate > 16 || !(std::ceil(longest) <= 32767))
    throw error({.layer = layer,
                 .reason = text("output scale ", out_scale, " is too small for input scale ", in_scale,
                                ": one step of the accumulator is ", longest, " steps of the output"),
                 .remedy = "calibrate again with pictures like those the network was trained on"});

  net::integer::convolution result{.kernels = f.kernels, .window = f.window, .groups = f.groups,
                                   .weights = std::vector<std::int8_t>(f.weights.size()),
                                   .bias = std::vector<std::int16_t>(kernels),
                                   .bias_shift = static_cast<std::uint8_t>(bias_shift),
                                   .multiplier = std::vector<std::int16_t>(kernels),
                                   .shift = static_cast<std::uint8_t>(shift),
                                   .truncate = static_cast<std::uint8_t>(truncate), .relu = f.relu};
  for (std::size_t k = 0; k < kernels; ++k) {
    // Rounded up, but for the noise of the division: a weight never exceeds 127 then.
    const double m = std::clamp(std::ceil(std::ldexp(filters[k].step, shift) * (1 - 1e-12)), 1.0, 32767.0);
    const double step = std::ldexp(m, -shift);
    const double weight_scale = std::ldexp(step / in_per_out, -truncate);
    result.multiplier[k] = round16(m);
    result.bias[k] = round16(std::ldexp(filters[k].bias / step, -bias_shift));
    for (std::size_t i = 0; i < taps; ++i)
      result.weights[k * taps + i] = round8(detail::weight(f, taps, k, i) / weight_scale);
  }
  return result;
}

}  // namespace nvdlac::quant
// Integer forms of per-channel scaling, addition and concatenation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>


namespace nvdlac::quant {

// y[c] = factor[c] * x + bias[c], each of C or one number.
inline net::integer::scale quantise_scale(std::span<const double> factor, std::span<const double> bias,
                                          bool relu, double in_scale, double out_scale) {
  const std::size_t n = std::max(factor.size(), bias.size());
  std::vector<double> f(n), b(n);  // in steps of the output
  double top_f = 0, top_b = 0;
  for (std::size_t c = 0; c < n; ++c) {
    f[c] = factor[factor.size() == 1 ? 0 : c] * (in_scale / out_scale);
    b[c] = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : c] / out_scale;
    // A factor that saturates for every x but 0 may be cut to one that still does, and so may a
    // bias that saturates for every x.
    f[c] = std::clamp(f[c], -2 * std::fabs(b[c]) - 130, 2 * std::fabs(b[c]) + 130);
    const double reach = 130 + 129 * std::fabs(f[c]);
    b[c] = std::clamp(b[c], -reach, reach);
    top_f = std::max(top_f, std::fabs(f[c]));
    top_b = std::max(top_b, std::fabs(b[c]));
  }
  // One unit of the sum: the largest factor has 15 bits, the largest bias 30.
  const double unit = std::max({top_f / 32000, std::ldexp(top_b, -30), 1e-290});
  net::integer::scale result{.relu = relu, .out = nearest_converter(unit)};
  const double exact = unit > 32767 || result.out.scale == 0 ? unit : ratio_of(result.out);
  while (std::ldexp(top_b / exact, -result.addend_shift) > 32767) ++result.addend_shift;
  for (std::size_t c = 0; c < n; ++c) {
    result.multiplier.push_back(round16(f[c] / exact));
    if (top_b > 0) result.addend.push_back(round16(std::ldexp(b[c] / exact, -result.addend_shift)));
  }
  const auto uniform = [](auto& v) {
    if (std::all_of(v.begin(), v.end(), [&](auto x) { return x == v[0]; }) && !v.empty()) v.resize(1);
  };
  uniform(result.multiplier);
  uniform(result.addend);
  return result;
}

// a + b where a's scale is the larger one.
inline net::integer::add quantise_add(double scale_a, double scale_b, bool relu, double out_scale) {
  net::integer::add result{.relu = relu};
  if (scale_a / scale_b > 32767) {
    // b is far finer than a. Either one step of a saturates the output beside b, and a may count
    // for less; or all of b is less than a step of the output, and b may count for more.
    if (scale_b * 32767 >= 256 * out_scale)
      scale_a = scale_b * 32767;
    else
      scale_a = std::min(scale_a, 256 * out_scale), scale_b = scale_a / 32767;
  }
  const int shift = std::min(shift_for(scale_a / scale_b), 14);
  result.operand_shift = static_cast<std::uint8_t>(shift);
  result.multiplier = round16(std::ldexp(scale_a / scale_b, shift));
  result.out = nearest_converter(std::ldexp(scale_b / out_scale, -shift));
  return result;
}

// Inputs that have the output's scale are copied, the others rescaled.
inline net::integer::concat quantise_concat(std::span<const double> in_scales, double out_scale) {
  net::integer::concat result;
  const auto same = [](double r) { return std::fabs(r - 1) < 1e-9; };  // but for its rounding
  std::vector<double> ratio;
  double top = 0;
  for (const double s : in_scales) {
    // Every integer but 0 saturates from a ratio of 128 on.
    ratio.push_back(std::min(s / out_scale, 128.0));
    if (!same(ratio.back())) top = std::max(top, ratio.back());
  }
  const int shift = top > 0 ? shift_for(top) : 0;
  result.shift = static_cast<std::uint8_t>(shift);
  for (const double r : ratio)
    result.multiplier.push_back(same(r) ? std::nullopt : std::optional(round16(std::ldexp(r, shift))));
  return result;
}

}  // namespace nvdlac::quant
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>


namespace nvdlac::quant {

// The host computes a softmax; 1 is the integer 127.
inline constexpr double softmax_scale = 1.0 / 127;

namespace detail {

// The producer above one input of a concat that may take the concat's scale, and what that means
// for it: nobody else reads the tensors on the way.
inline void pass_upwards(const net::graph& g, net::graph::id n, double scale,
                         std::vector<std::optional<double>>& wanted) {
  while (g.consumers(n).size() == 1) {
    if (const auto factor = shared_factor(g, n)) {
      scale /= *factor;
      n = g.inputs(n)[0];
    } else {
      if (requantises(g, n)) wanted[n] = scale;
      return;
    }
  }
}

}  // namespace detail

// The scale at which each node shall give its tensor: the table's, a concat's for the producers
// that only it reads, the input's where the integers stay. Reports layers that the table lacks.
inline std::vector<double> output_scales(const net::graph& g, const scale_table& table, diagnostics& found) {
  std::map<std::string, double> known;
  for (const auto& e : table.entries) known.emplace(e.layer, e.scale);
  const auto order = g.order();
  std::vector<double> scales(g.size(), 1);
  for (const auto n : order) {
    if (shared_factor(g, n)) continue;
    if (std::holds_alternative<net::softmax>(g[n].op)) scales[n] = softmax_scale;
    else if (const auto entry = known.find(g[n].name); entry != known.end()) scales[n] = entry->second;
    else found.add({.layer = g[n].name, .reason = "the scale table does not list it",
                    .remedy = "calibrate with this network"});
  }
  std::vector<std::optional<double>> wanted(g.size());
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (wanted[*n]) scales[*n] = *wanted[*n];
    if (!std::holds_alternative<net::concat>(g[*n].op)) continue;
    for (const auto i : g.inputs(*n)) detail::pass_upwards(g, i, scales[*n], wanted);
  }
  for (const auto n : order)
    if (const auto factor = shared_factor(g, n)) scales[n] = scales[g.inputs(n)[0]] * *factor;
  return scales;
}

}  // namespace nvdlac::quant
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>


namespace nvdlac::quant {

// What the network takes of a pixel p of channel c, an unsigned byte: (p - mean[c]) * scale[c].
// One number for all channels or one for each.
struct pixel_format {
  std::vector<double> mean{0}, scale{1};
};

// An input of pixels in integers. Real value = gain[c] * scale * integer + offset[c].
struct pixel_input {
  net::integer::pixels pixels{};
  double scale = 1;
  std::vector<double> gain{}, offset{};
};

// Whether only convolutions of one group and without dilation read n: they can take pixels from CDMA, and per-channel
// gains and offsets into their weights and biases.
inline bool feeds_convolutions_only(const net::graph& g, net::graph::id n) {
  if (g[n].output || g.consumers(n).empty()) return false;
  for (const auto reader : g.consumers(n)) {
    const auto* conv = std::get_if<net::convolution>(&g[reader].op);
    const auto* scale = std::get_if<net::scale>(&g[reader].op);
    if (conv ? conv->groups == 1 && conv->window.dilation_h == 1 && conv->window.dilation_w == 1
             : (scale && free_factor(*scale)) || std::holds_alternative<net::identity>(g[reader].op)
                   ? feeds_convolutions_only(g, reader) : false)
      continue;
    return false;
  }
  return true;
}

// The pixel form of the input n, whose calibrated scale is `wanted`; nothing if it has to be given
// as int8 values. Means are rounded to whole pixel values; the remainder is an offset. All channels
// share one converter, as fine as neither the calibration nor the range of a byte allows to
// saturate; different scales of channels are gains.
inline std::optional<pixel_input> as_pixels(const net::graph& g, net::graph::id n, const pixel_format& format,
                                            double wanted) {
  const auto channels = static_cast<std::size_t>(g[n].shape.c);
  if (channels != 1 && channels != 3 && channels != 4) return std::nullopt;
  if (!feeds_convolutions_only(g, n)) return std::nullopt;
  const auto of = [&](const std::vector<double>& v, std::size_t c, const char* what) {
    if (v.size() != 1 && v.size() != channels)
      throw error({.layer = g[n].name,
                   .reason = text("there are ", v.size(), ' ', what, "s of pixels for ", channels,
                                  " channels"),
                   .remedy = "give one or one per channel"});
    return v[v.size() == 1 ? 0 : c];
  };
  pixel_input result;
  double reach = 0, top = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = of(format.mean, c, "mean"), scale = of(format.scale, c, "scale");
    if (!(std::fabs(mean) <= 32000) || !(std::fabs(scale) >= 1e-30 && std::fabs(scale) <= 1e30))
      throw error({.layer = g[n].name, .reason = text("pixels of mean ", mean, " and scale ", scale),
                   .remedy = "means up to 32000 and scales other than 0 can be represented"});
    const double rounded = std::round(mean);
    result.pixels.mean[c] = round16(rounded);
    result.offset.push_back((rounded - mean) * scale);
    result.gain.push_back(scale);
    reach = std::max({reach, std::fabs(rounded), std::fabs(255 - rounded)});
    top = std::max(top, std::fabs(scale));
  }
  result.pixels.cvt = nearest_converter(std::max(127 / reach, top / wanted));
  result.scale = top / ratio_of(result.pixels.cvt);
  for (double& gain : result.gain) gain /= top;
  return result;
}

}  // namespace nvdlac::quant
// Poolings as sequences of NVDLA poolings, whose windows are at most 8 x 8.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>


namespace nvdlac::quant {

namespace detail {

inline constexpr std::int32_t highest_pool_kernel = 8;

// One side of a maximum over k elements: maxima over 8 at stride 1, then over those that remain.
// The padding behind is long enough for the last window, so that no step rounds its size up.
inline std::vector<net::sliding> maximum_steps(net::sliding s, std::int64_t size, std::int64_t out) {
  s.after = std::max(s.after, (out - 1) * s.stride + s.kernel - size - s.before);
  std::vector<net::sliding> steps;
  for (; s.kernel > highest_pool_kernel; s.kernel -= highest_pool_kernel - 1, s.before = s.after = 0)
    steps.push_back({highest_pool_kernel, 1, s.before, s.after, 1});
  steps.push_back(s);
  return steps;
}

}  // namespace detail

// What `pool` over an input of shape `in`, giving shape `out`, is on the hardware. Throws when a
// window above 8 x 8 cannot be split. (Averages over a whole input are split by a pass.)
inline std::vector<net::integer::pool> steps_of(const net::pool& pool, net::shape in, net::shape out,
                                                const std::string& layer) {
  constexpr std::int32_t limit = detail::highest_pool_kernel;
  const net::window w = pool.window_on(in);
  if (w.kernel_h <= limit && w.kernel_w <= limit)
    return {{.kind = pool.kind, .window = w, .ceil = pool.ceil && !pool.global,
             .count_include_pad = pool.count_include_pad}};
  const auto refuse = [&](const char* what, const char* remedy) {
    throw error({.layer = layer, .reason = text(what, w.kernel_h, 'x', w.kernel_w), .remedy = remedy});
  };
  if (pool.kind == net::pool_kind::average)
    refuse("average pooling over ",
           "windows above 8x8 are supported where they cover the whole input, by split_global_pool");
  auto rows = detail::maximum_steps(net::vertical(w), in.h, out.h);
  auto columns = detail::maximum_steps(net::horizontal(w), in.w, out.w);
  for (const auto& side : {rows[0], columns[0]})
    if (std::max(side.before, side.after) >= limit)
      refuse("maximum pooling with a padding of 8 or more over ", "pad by at most 7");
  const std::size_t steps = std::max(rows.size(), columns.size());
  rows.insert(rows.begin(), steps - rows.size(), {1, 1, 0, 0, 1});
  columns.insert(columns.begin(), steps - columns.size(), {1, 1, 0, 0, 1});
  std::vector<net::integer::pool> result;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto narrow = [](std::int64_t x) { return static_cast<std::int32_t>(x); };
    const net::sliding &h = rows[i], &v = columns[i];
    result.push_back({.kind = pool.kind,
                      .window = {.kernel_h = narrow(h.kernel), .kernel_w = narrow(v.kernel),
                                 .stride_h = narrow(h.stride), .stride_w = narrow(v.stride),
                                 .pad_top = narrow(h.before), .pad_left = narrow(v.before),
                                 .pad_bottom = narrow(h.after), .pad_right = narrow(v.after)}});
  }
  return result;
}

}  // namespace nvdlac::quant

namespace nvdlac::quant {

struct options {
  // Set: the input converter turns pixels into int8 where the network allows it, see as_pixels.
  // Else, or where it does not, the host gives int8 values of the input's scale.
  std::optional<pixel_format> pixels{};
};

namespace detail {

class quantiser {
 public:
  quantiser(const net::graph& g, const scale_table& table, const options& how)
      : from_(g), how_(how), placed_(g.size()), skipped_(g.size(), false) {
    check(table, found_);
    for (net::graph::id n = 0; n < g.size(); ++n) names_.insert(g[n].name);
    found_.check();
    scales_ = output_scales(g, table, found_);
  }

  net::integer::graph run() && {
    const auto order = from_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) skipped_[*n] = vanishes(*n);
    for (const auto n : order) {
      try {
        in_.clear();
        for (const auto i : from_.inputs(n))
          if (placed_[i]) in_.push_back(*placed_[i]);
        if (in_.size() != from_.inputs(n).size()) continue;  // reported at its producer
        std::visit([&](const auto& op) { place(n, op); }, from_[n].op);
        if (from_[n].output) mark_output(n);
      } catch (const error& e) {
        for (const auto& p : e.problems()) found_.add(p);
      }
    }
    found_.check();
    return in_output_order();
  }

 private:
  using id = net::graph::id;
  using integer_id = net::integer::graph::id;

  // Where a real tensor is: real value = gain[c] * scale * integer + offset[c].
  struct operand {
    integer_id node;
    double scale;
    std::vector<double> gain{}, offset{};  // empty: 1 and 0
  };

  // A reshape that only fully connected layers read: they read the tensor before it in the same order.
  bool vanishes(id n) const {
    if (from_[n].output ||
        !(std::holds_alternative<net::reshape>(from_[n].op) || std::holds_alternative<net::flatten>(from_[n].op)))
      return false;
    const auto readers = from_.consumers(n);
    return std::all_of(readers.begin(), readers.end(), [&](id r) {
      return std::holds_alternative<net::fully_connected>(from_[r].op) || skipped_[r];
    });
  }

  integer_id emit(std::string name, net::integer::graph::any_operator op, std::vector<integer_id> inputs,
                  double scale, net::shape shape) {
    const auto n = to_.add(std::move(name), std::move(op), inputs);
    to_[n].scale = scale;
    to_[n].shape = shape;
    return n;
  }
  void put(id n, net::integer::graph::any_operator op) {
    std::vector<integer_id> inputs;
    for (const auto& i : in_) inputs.push_back(i.node);
    placed_[n] = operand{emit(from_[n].name, std::move(op), inputs, scales_[n], from_[n].shape), scales_[n]};
  }

  std::string unused_name(const std::string& wish) {
    std::string name = wish;
    for (int i = 2; !names_.insert(name).second; ++i) name = text(wish, '/', i);
    return name;
  }

  // An output needs a node of its own name and scale: a producer that nobody else reads is renamed,
  // any other copied.
  void mark_output(id n) {
    const integer_id node = placed_[n]->node;
    if (to_[node].name != from_[n].name) {
      bool alone = to_.consumers(node).empty();
      id above = n;
      while (alone && from_[above].name != to_[node].name) {
        above = from_.inputs(above)[0];
        alone = from_.consumers(above).size() == 1 && !from_[above].output &&
                from_.inputs(above).size() > 0;
      }
      if (alone) {
        to_[node].name = from_[n].name;
        to_[node].scale = placed_[n]->scale;
      } else {
        placed_[n]->node = emit(from_[n].name, net::integer::scale{.multiplier = {1}}, {node},
                                placed_[n]->scale, from_[n].shape);
      }
    }
    to_[placed_[n]->node].output = true;
  }

  void place(id n, const net::input& op) {
    if (how_.pixels)
      if (auto p = as_pixels(from_, n, *how_.pixels, scales_[n])) {
        const auto node = emit(from_[n].name, net::integer::input{.shape = op.shape, .pixels = p->pixels},
                               {}, p->scale, op.shape);
        placed_[n] = operand{node, p->scale, std::move(p->gain), std::move(p->offset)};
        return;
      }
    put(n, net::integer::input{.shape = op.shape});
  }
  void place(id n, const net::constant& op) {
    net::int8_tensor value{op.value.shape};
    for (std::size_t i = 0; i < value.values.size(); ++i)
      value.values[i] = round8(static_cast<double>(op.value.values[i]) / scales_[n]);
    put(n, net::integer::constant{.value = std::move(value)});
  }
  void place_filters(id n, real_filters f, std::size_t taps) {
    if (f.weights.size() != static_cast<std::size_t>(f.kernels) * taps)
      throw error({.layer = from_[n].name, .reason = text(f.weights.size(), " weights instead of ",
                                                          f.kernels, " x ", taps)});
    f.gain = in_[0].gain;
    f.offset = in_[0].offset;
    put(n, quantise(f, in_[0].scale, scales_[n], from_[n].name));
  }
  void place(id n, const net::convolution& op) {
    const auto channels = to_[in_[0].node].shape.c / std::max(op.groups, 1);
    place_filters(n, {.kernels = op.kernels, .window = op.window, .groups = op.groups,
                      .weights = op.weights, .bias = op.bias, .relu = op.relu},
                  net::shape{channels, op.window.kernel_h, op.window.kernel_w}.size());
  }
  void place(id n, const net::fully_connected& op) {
    const net::shape in = to_[in_[0].node].shape;
    place_filters(n, {.kernels = op.outputs, .window = {.kernel_h = in.h, .kernel_w = in.w},
                      .weights = op.weights, .bias = op.bias, .relu = op.relu}, in.size());
  }
  void place(id n, const net::pool& op) {
    const auto steps = steps_of(op, to_[in_[0].node].shape, from_[n].shape, from_[n].name);
    integer_id node = in_[0].node;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size();
      const std::string name = last ? from_[n].name : unused_name(text(from_[n].name, "/part", i + 1));
      node = emit(name, steps[i], {node}, scales_[n], steps[i].infer(std::array{to_[node].shape}));
    }
    placed_[n] = operand{node, scales_[n]};
  }
  void place(id n, const net::relu&) { put(n, net::integer::scale{.multiplier = {1}, .relu = true}); }
  void place_scale(id n, const std::vector<double>& factor, const std::vector<double>& bias, bool relu) {
    for (const auto* v : {&factor, &bias})
      for (const double x : *v)
        if (!std::isfinite(x))
          throw error({.layer = from_[n].name, .reason = text("a factor or bias is ", x)});
    put(n, quantise_scale(factor, bias, relu, in_[0].scale, scales_[n]));
  }
  void place(id n, const net::scale& op) {
    if (const auto factor = free_factor(op)) return forward(n, *factor);
    place_scale(n, {op.factor.begin(), op.factor.end()}, {op.bias.begin(), op.bias.end()}, op.relu);
  }
  void place(id n, const net::batch_norm& op) {
    std::vector<double> factor, bias;
    for (std::size_t c = 0; c < op.mean.size(); ++c) {
      const double deviation = std::sqrt(double{op.variance.at(c)} + double{op.epsilon});
      factor.push_back((op.gamma.empty() ? 1.0 : double{op.gamma.at(c)}) / deviation);
      bias.push_back((op.beta.empty() ? 0.0 : double{op.beta.at(c)}) - double{op.mean[c]} * factor[c]);
    }
    place_scale(n, factor, bias, false);
  }
  void place(id n, const net::add& op) {
    if (in_[0].scale < in_[1].scale) std::swap(in_[0], in_[1]);  // the finer one is shifted
    put(n, quantise_add(in_[0].scale, in_[1].scale, op.relu, scales_[n]));
  }
  void place(id n, const net::concat&) {
    std::vector<double> scales;
    for (const auto& i : in_) scales.push_back(i.scale);
    put(n, quantise_concat(scales, scales_[n]));
  }
  void place(id n, const net::reshape& op) { place_reshape(n, op.target); }
  void place(id n, const net::flatten&) { place_reshape(n, from_[n].shape); }
  void place_reshape(id n, net::shape target) {
    if (skipped_[n]) return forward(n, 1);
    put(n, net::integer::reshape{.target = target});
  }
  void place(id n, const net::softmax&) {
    // The host takes the meaning of its input from the node that it reads.
    if (in_[0].scale != to_[in_[0].node].scale)
      in_[0].node = emit(unused_name(from_[n].name + "/input"), net::integer::scale{.multiplier = {1}},
                         {in_[0].node}, in_[0].scale, to_[in_[0].node].shape);
    put(n, net::integer::softmax{});
  }
  void place(id n, const net::identity&) { forward(n, 1); }
  void place(id n, const net::lrn&) {
    throw error({.layer = from_[n].name, .reason = "local response normalisation has no integer form",
                 .remedy = "use a network without it"});
  }
  // The outputs have ascending ids in both networks: they swap places where theirs do not.
  net::integer::graph in_output_order() const {
    auto places = to_.outputs();
    std::vector<integer_id> new_id(to_.size()), old_id(to_.size());
    for (integer_id n = 0; n < to_.size(); ++n) new_id[n] = n;
    for (std::size_t i = 0; i < places.size(); ++i)
      new_id[placed_[from_.outputs()[i]]->node] = places[i];
    for (integer_id n = 0; n < to_.size(); ++n) old_id[new_id[n]] = n;
    net::integer::graph result;
    for (const integer_id old : old_id) result[result.add(to_[old].name, to_[old].op)] = to_[old];
    for (const integer_id old : old_id) {
      std::size_t slot = 0;
      for (const integer_id i : to_.inputs(old)) result.connect(new_id[i], new_id[old], slot++);
    }
    return result;
  }
  // No layer: the same integers, each worth `factor` times as much.
  void forward(id n, double factor) {
    placed_[n] = in_[0];
    placed_[n]->scale *= factor;
    for (double& o : placed_[n]->offset) o *= factor;
  }

  const net::graph& from_;
  const options& how_;
  net::integer::graph to_{};
  std::vector<double> scales_{};
  std::vector<std::optional<operand>> placed_;
  std::vector<bool> skipped_;
  std::vector<operand> in_{};  // of the node that is being placed
  std::set<std::string> names_{};
  diagnostics found_{};
};

}  // namespace detail

// The network in integers. `g` is sound (net::verify) and has its shapes; `table` lists its layers.
// Throws, all together: layers without a scale, unusable scales, layers without an integer form,
// numbers that the hardware cannot represent.
inline net::integer::graph quantise(const net::graph& g, const scale_table& table, const options& how = {}) {
  return detail::quantiser(g, table, how).run();
}

}  // namespace nvdlac::quant

namespace nvdlac {

// One float tensor for each input of the network, preprocessed as it was trained.
using sample = std::vector<net::float_tensor>;

// Where the scales come from: pictures to calibrate with, or a table.
using scale_source = std::variant<std::span<const sample>, quant::scale_table>;

struct compile_options {
  std::string network = "network";      // its name in the program
  std::set<std::string> without{};      // passes that do not run
  quant::options quantisation{};
  // Called after every calibration sample with (done, all).
  std::function<void(std::size_t, std::size_t)> progress = [](std::size_t, std::size_t) {};
};

// A network in all its forms before it is mapped to one NVDLA.
struct prepared_network {
  net::graph graph{};             // after the passes
  quant::scale_table scales{};    // of the tensors of `graph`
  net::integer::graph integers{};
};

namespace detail {

inline void throw_if_any(std::vector<problem> found) {
  if (!found.empty()) throw error(std::move(found));
}
// What nvdlac itself got wrong is not the user's error.
inline void throw_if_defect(const std::vector<problem>& found) {
  if (!found.empty()) throw std::logic_error(error(found).what());
}

}  // namespace detail

// The steps that no configuration changes: passes, calibration, quantisation. The pass observer sees
// the graph after every pass. `supported(graph)` may refuse the graph before it is calibrated.
template <class Passes = pass::standard, class Observer = pass::silent, class Supported>
prepared_network prepare(const net::graph& network, const scale_source& source,
                         const compile_options& options, Observer&& observer, Supported supported) {
  detail::throw_if_any(net::verify(network));
  prepared_network n{.graph = network};
  Passes::run(n.graph, options.without, observer);
  supported(std::as_const(n.graph));
  if (const auto* samples = std::get_if<std::span<const sample>>(&source))
    n.scales = quant::calibrate(n.graph, *samples, options.progress);
  else
    n.scales = quant::adopt(std::get<quant::scale_table>(source), network, n.graph);
  n.integers = quant::quantise(n.graph, n.scales, options.quantisation);
  return n;
}

// The steps for one NVDLA: layers, memory, dependencies; checked by code of their own.
template <hw::hardware Hw>
plan::program<Hw> build(const net::integer::graph& integers, std::string network) {
  auto program = plan::make_program<Hw>(lower::lower<Hw>(integers, std::move(network)));
  detail::throw_if_defect(plan::validate(program));
  detail::throw_if_defect(plan::verify(program));
  return program;
}

// From a trained network to the program of one NVDLA. Throws nvdlac::error for what is wrong with
// the network or cannot run on Hw.
template <hw::hardware Hw>
plan::program<Hw> compile(const net::graph& network, const scale_source& source,
                          const compile_options& options = {}) {
  const auto prepared = prepare(network, source, options, pass::silent{}, [](const net::graph& g) {
    detail::throw_if_any(lower::check<Hw>(g));
  });
  return build<Hw>(prepared.integers, options.network);
}

}  // namespace nvdlac
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nvdlac::data {

// Numbers with their dimensions, the last one running fastest.
struct array {
  std::vector<std::size_t> dims = {};
  std::vector<float> values = {};

  bool operator==(const array&) const = default;
};

// Raw pixels 0..255: rows from the top, channels interleaved (1: grey, 3: red, green, blue).
struct picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> pixels = {};

  bool operator==(const picture&) const = default;
};

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>


namespace nvdlac::data {

using file_bytes = std::vector<std::uint8_t>;

// Larger files are refused before anything is allocated.
inline constexpr std::uintmax_t max_file_bytes = (std::uintmax_t{1} << 31) - 1;

[[noreturn]] inline void refuse(const std::string& file, std::string reason,
                                std::string remedy = {}) {
  throw error(problem{.file = file, .reason = std::move(reason), .remedy = std::move(remedy)});
}

// The whole content of a file. Throws nvdlac::error if it cannot be read or has 2 GiB or more.
inline file_bytes read_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) refuse(path.string(), "no such file");
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) refuse(path.string(), "cannot be read: " + failed.message());
  if (size > max_file_bytes) refuse(path.string(), text("has ", size, " bytes"), "less than 2 GiB");
  file_bytes bytes(static_cast<std::size_t>(size));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || static_cast<std::uintmax_t>(in.gcount()) != size)
    refuse(path.string(), "cannot be read");
  return bytes;
}

// The product of dimensions, or nothing if it does not fit.
inline std::optional<std::size_t> product(const std::vector<std::size_t>& dims) {
  std::size_t n = 1;
  for (const auto d : dims) {
    if (d != 0 && n > std::numeric_limits<std::size_t>::max() / d) return std::nullopt;
    n *= d;
  }
  return n;
}

// "2x3x4"
inline std::string to_string(const std::vector<std::size_t>& dims) {
  std::string s;
  for (const auto d : dims) s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>


namespace nvdlac::data {

// A file in the format of the MNIST collection: bytes in dims.size() dimensions.
struct idx {
  std::vector<std::size_t> dims = {};
  std::vector<std::uint8_t> values = {};
};

// Header: 0 0, element type, rank, then one big-endian word per dimension. Only type 8 (unsigned
// bytes) is read. `file` is for messages.
inline idx parse_idx(const file_bytes& bytes, const std::string& file) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) refuse(file, "is not an IDX file");
  if (bytes[2] != 8)
    refuse(file, text("has IDX element type ", int{bytes[2]}), "8, unsigned bytes, is supported");
  const std::size_t rank = bytes[3], header = 4 + 4 * rank;
  if (rank == 0 || rank > 4) refuse(file, text("has ", rank, " dimensions"), "1 to 4");
  if (bytes.size() < header) refuse(file, "ends inside its IDX header");
  idx result;
  for (std::size_t at = 4; at < header; at += 4) {
    std::size_t dim = 0;
    for (std::size_t i = 0; i < 4; ++i) dim = dim << 8 | bytes[at + i];
    result.dims.push_back(dim);
  }
  const auto expected = product(result.dims);
  if (!expected || *expected != bytes.size() - header)
    refuse(file, text("holds ", bytes.size() - header, " values, its IDX header promises ",
                      to_string(result.dims)));
  result.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
  return result;
}

inline idx read_idx(const std::filesystem::path& path) {
  return parse_idx(read_file(path), path.string());
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>


namespace nvdlac::data {

// What the network takes: one picture of so many channels, rows and columns.
struct input_shape {
  std::size_t channels = 1;
  std::size_t height = 1;
  std::size_t width = 1;

  std::size_t size() const { return channels * height * width; }
  bool operator==(const input_shape&) const = default;
};

inline std::string to_string(const input_shape& s) {
  return text(s.channels, " channel", s.channels == 1 ? "" : "s", " of ", s.height, "x", s.width);
}

enum class channel_order { rgb, bgr, grey };

// From pixels to what the network was trained on: value[c] = (pixel[c] - mean[c]) * scale[c].
// `mean` and `scale` hold one number for all channels or one for each, in the order in which the
// network takes the channels. (x / 255 - m) / s is mean 255 m and scale 1 / (255 s).
struct preprocessing {
  std::vector<float> mean = {0.0F};
  std::vector<float> scale = {1.0F};
  channel_order order = channel_order::rgb;  // grey: colours are weighed 299 : 587 : 114

  bool operator==(const preprocessing&) const = default;
};

// Collects what is wrong with the numbers for a network of `channels` channels.
inline void check(const preprocessing& how, std::size_t channels, diagnostics& found) {
  const auto look = [&](const std::vector<float>& v, const std::string& name, bool zero_allowed) {
    if (v.size() != 1 && v.size() != channels)
      found.add({.reason = text("input ", name, " has ", v.size(), " numbers, the network ",
                                channels, " channels"),
                 .remedy = "give one number or one per channel"});
    for (const float x : v)
      if (!std::isfinite(x) || (x == 0 && !zero_allowed))
        found.add({.reason = text("input ", name, " is ", x)});
  };
  look(how.mean, "mean", true);
  look(how.scale, "scale", false);
}

namespace detail {

inline std::uint8_t grey(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

}  // namespace detail

// The values for the network, channel by channel. A picture of another size is an error: nothing
// is resized. `file` is for messages; `how` must have passed `check`.
inline std::vector<float> preprocess(const picture& p, const input_shape& want,
                                     const preprocessing& how, const std::string& file) {
  if (p.height != want.height || p.width != want.width)
    refuse(file, text("is ", p.width, "x", p.height, " pixels, the network takes ", want.width,
                      "x", want.height),
           "resize the picture");
  const bool to_grey = how.order == channel_order::grey && p.channels == 3;
  if ((to_grey ? 1 : p.channels) != want.channels)
    refuse(file, text("has ", p.channels, " channels, the network takes ", want.channels),
           want.channels == 1 ? "channel order grey converts colours" : "");
  std::vector<float> values(want.size());
  const std::size_t plane = want.height * want.width;
  for (std::size_t c = 0; c < want.channels; ++c) {
    const float mean = how.mean[how.mean.size() == 1 ? 0 : c];
    const float scale = how.scale[how.scale.size() == 1 ? 0 : c];
    const std::size_t from =
        how.order == channel_order::bgr && want.channels == 3 ? 2 - c : c;
    for (std::size_t i = 0; i < plane; ++i) {
      const std::uint8_t* pixel = p.pixels.data() + i * p.channels;
      const std::uint8_t x = to_grey ? detail::grey(pixel) : pixel[from];
      values[c * plane + i] = (static_cast<float>(x) - mean) * scale;
    }
  }
  return values;
}

}  // namespace nvdlac::data

namespace nvdlac::data {

// The order of the dimensions in an array file. `automatic` takes the one that fits the network
// and refuses to choose if both do.
enum class array_layout { automatic, chw, hwc };

// How an array file of `dims` is divided into inputs of a network.
struct division {
  std::size_t count = 0;  // how many inputs
  bool interleaved = false;  // hwc instead of chw
  bool operator==(const division&) const = default;
};

// Takes (n, c, h, w), (n, h, w, c), (n, h, w) for one channel and (n, c*h*w), each also without n.
inline division divide(const std::vector<std::size_t>& dims, const input_shape& want,
                       array_layout layout, const std::string& file) {
  using list = std::vector<std::size_t>;
  const auto fits = [&](const list& form) {
    if (dims == form) return true;
    return dims.size() == form.size() + 1 && list(dims.begin() + 1, dims.end()) == form;
  };
  const auto [c, h, w] = want;
  const bool planar = fits({c, h, w}) || fits({c * h * w}) || (c == 1 && fits({h, w}));
  const bool interleaved = fits({h, w, c});
  const bool both = planar && interleaved && c != 1;  // with one channel they are the same
  if (both && layout == array_layout::automatic)
    refuse(file, "can be read in the order c, h, w and in the order h, w, c", "name the layout");
  const bool as_hwc = layout == array_layout::hwc || (layout != array_layout::chw && !planar);
  if (!(as_hwc ? interleaved || (planar && dims.size() <= 2) : planar))
    refuse(file, "has dimensions " + to_string(dims) + ", the network takes " + to_string(want));
  std::size_t n = 1;  // the product is that of a file that was read, so it does not overflow
  for (const auto d : dims) n *= d;
  return {n / want.size(), as_hwc && c != 1};
}

// A copy of one input of (h, w, c) as (c, h, w), or the other way round.
template <class T>
std::vector<T> to_chw(const T* from, const input_shape& shape) {
  std::vector<T> to(shape.size());
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i % shape.channels * plane + i / shape.channels] = from[i];
  return to;
}

template <class T>
std::vector<T> to_hwc(const T* from, const input_shape& shape) {
  std::vector<T> to(shape.size());
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[i % shape.channels * plane + i / shape.channels];
  return to;
}

}  // namespace nvdlac::data
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>


namespace nvdlac::data::detail {

// The header is a Python dictionary with exactly these keys; NumPy writes it in one way only, and
// only that way is read.
struct npy_header {
  std::string type;
  std::vector<std::size_t> dims;
};

class npy_header_parser {
 public:
  npy_header_parser(std::string_view s, const std::string& file) : rest_(s), file_(file) {}

  npy_header parse() {
    npy_header h;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        h.type = quoted();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        if (word() != "False") refuse(file_, "is in Fortran order", "save it in C order");
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        h.dims = tuple();
        has_shape = true;
      } else {
        bad();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (!rest_.empty() || !has_type || !has_order || !has_shape) bad();
    return h;
  }

 private:
  [[noreturn]] void bad() const { refuse(file_, "has a damaged NumPy header"); }
  void skip() {
    const auto n = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string quoted() {
    expect('\'');
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) bad();
    std::string s(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return s;
  }
  std::string_view word() {
    skip();
    const auto end = rest_.find_first_of(",} ");
    if (end == std::string_view::npos) bad();
    const auto s = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return s;
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> dims;
    expect('(');
    while (!accept(')')) {
      skip();
      std::size_t value = 0;
      const auto [end, failed] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (failed != std::errc{} || dims.size() == 32) bad();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      dims.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace nvdlac::data::detail

namespace nvdlac::data {

// The content of a NumPy file. `from_bytes` tells that the elements are unsigned bytes (pixels).
struct npy {
  array content = {};
  bool from_bytes = false;
};

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// Element `index` of a little-endian array of T, as a double; exact for every supported T but the
// 64-bit integers beyond 2^53, which no float could hold either.
template <class T>
double npy_element(const std::uint8_t* from, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

struct npy_type {
  std::string_view name;
  std::size_t size;
  double (*element)(const std::uint8_t*, std::size_t);
};

inline constexpr std::array npy_types{
    npy_type{"|u1", 1, npy_element<std::uint8_t>}, npy_type{"|i1", 1, npy_element<std::int8_t>},
    npy_type{"<f4", 4, npy_element<float>},        npy_type{"<f8", 8, npy_element<double>},
    npy_type{"<i4", 4, npy_element<std::int32_t>}, npy_type{"<i8", 8, npy_element<std::int64_t>}};

}  // namespace detail

inline bool is_npy(const file_bytes& bytes) {
  return bytes.size() >= 6 && std::memcmp(bytes.data(), detail::npy_magic.data(), 6) == 0;
}

// Versions 1 and 2 in C order with elements u1, i1, i4, i8, f4 or f8. Values that are not finite,
// and integers that a float does not hold exactly, are errors. `file` is for messages.
inline npy parse_npy(const file_bytes& bytes, const std::string& file) {
  if (!is_npy(bytes)) refuse(file, "is not a NumPy file");
  if (bytes.size() < 12) refuse(file, "ends inside its NumPy header");
  const int version = bytes[6];
  if (version != 1 && version != 2)
    refuse(file, text("has NumPy format version ", version), "1 and 2 are supported");
  std::size_t length = std::size_t{bytes[8]} | std::size_t{bytes[9]} << 8;
  if (version == 2) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() - start < length) refuse(file, "ends inside its NumPy header");
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()) + start, length);
  auto [type, dims] = detail::npy_header_parser(head, file).parse();

  const detail::npy_type* known = nullptr;
  for (const auto& t : detail::npy_types)
    if (t.name == type) known = &t;
  if (!known)
    refuse(file, "has elements of type '" + type + "'", "|u1, |i1, <i4, <i8, <f4, <f8");
  const auto count = product(dims);
  const std::size_t available = bytes.size() - start - length;
  if (!count || *count > available / known->size || *count * known->size != available)
    refuse(file, text("holds ", available, " bytes of elements, its header promises ",
                      to_string(dims), " of ", known->size, " bytes each"));

  npy result{{std::move(dims), std::vector<float>(*count)}, type == "|u1"};
  const bool integer = type[1] != 'f';
  for (std::size_t i = 0; i < *count; ++i) {
    const double value = known->element(bytes.data() + start + length, i);
    const bool fits = std::abs(value) <= double{std::numeric_limits<float>::max()};  // not for NaN
    const auto stored = fits ? static_cast<float>(value) : 0.0F;
    if (!fits || (integer && double{stored} != value))
      refuse(file, text("element ", i, " is ", value), "finite values that fit into a float");
    result.content.values[i] = stored;
  }
  return result;
}

inline npy read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

// The bytes of a version 1 file of f4, as NumPy itself would write them.
inline std::string to_npy(const array& a) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const auto d : a.dims) head += std::to_string(d) + (a.dims.size() == 1 ? "," : ", ");
  if (a.dims.size() > 1) head.resize(head.size() - 2);
  head += "), }";
  head.append(63 - (10 + head.size()) % 64, ' ');  // the elements begin at a multiple of 64
  head += '\n';
  std::string s(detail::npy_magic);
  s += {'\1', '\0', static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
  s += head;
  const auto at = s.size();
  s.resize(at + 4 * a.values.size());
  if (!a.values.empty()) std::memcpy(s.data() + at, a.values.data(), 4 * a.values.size());
  return s;
}

inline void write_npy(const std::filesystem::path& path, const array& a) {
  const auto s = to_npy(a);
  std::ofstream out(path, std::ios::binary);
  out.write(s.data(), static_cast<std::streamsize>(s.size()));
  if (!out.flush()) refuse(path.string(), "cannot be written");
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <stb/stb_image.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <boost/crc.hpp>


namespace nvdlac::data::detail {

inline constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

inline bool starts_with(const file_bytes& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

inline std::uint32_t big_endian_word(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

// The decoder does not look at the checksums of a PNG and fills up what is cut off; this does not
// let such a file pass. Throws nvdlac::error unless every chunk is whole and IEND is the last.
inline void check_png(const file_bytes& bytes, const std::string& file) {
  std::size_t at = png_magic.size();
  for (;;) {
    if (bytes.size() - at < 12) refuse(file, "is a PNG that ends too early");
    const std::size_t length = big_endian_word(bytes.data() + at);
    if (bytes.size() - at - 12 < length) refuse(file, "is a PNG that ends too early");
    const std::uint8_t* type = bytes.data() + at + 4;
    boost::crc_32_type crc;
    crc.process_bytes(type, length + 4);
    if (crc.checksum() != big_endian_word(type + 4 + length))
      refuse(file, text("is a PNG with a wrong checksum at byte ", at));
    at += 12 + length;
    if (std::memcmp(type, "IEND", 4) == 0) return;
  }
}

}  // namespace nvdlac::data::detail

// Only stb_image's declarations are included: its code comes from the library `stb` (Debian's
// libstb-dev). Code in this header would be a second definition in every translation unit.
namespace nvdlac::data {

// Larger pictures are refused before they are decoded.
inline constexpr std::size_t max_picture_samples = std::size_t{1} << 27;

namespace detail {

// Of the many formats that stb_image guesses, those with a signature that can be told from noise.
inline bool is_picture(const file_bytes& bytes) {
  return starts_with(bytes, png_magic) || starts_with(bytes, "\xFF\xD8\xFF") ||
         starts_with(bytes, "BM") || starts_with(bytes, "P5") || starts_with(bytes, "P6");
}

inline std::size_t little_endian_word(const file_bytes& bytes, std::size_t at) {
  return std::size_t{bytes[at]} | std::size_t{bytes[at + 1]} << 8 |
         std::size_t{bytes[at + 2]} << 16 | std::size_t{bytes[at + 3]} << 24;
}

// Where the pixels of a PGM or PPM begin: behind three numbers and one blank. Comments run from #
// to the end of the line.
inline std::size_t pnm_pixels(const file_bytes& bytes) {
  std::size_t at = 2;
  const auto blank = [](std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (int number = 0; number < 3; ++number) {
    while (at < bytes.size() && (blank(bytes[at]) || bytes[at] == '#')) {
      if (bytes[at] == '#')
        while (at < bytes.size() && bytes[at] != '\n' && bytes[at] != '\r') ++at;
      else
        ++at;
    }
    while (at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9') ++at;
  }
  return at + 1;
}

// A file that is cut off would be decoded with made-up pixels.
inline void check_whole(const file_bytes& bytes, const picture& p, const std::string& file) {
  if (starts_with(bytes, png_magic)) return check_png(bytes, file);
  auto end = bytes.size();
  if (starts_with(bytes, "\xFF\xD8")) {
    while (end > 0 && bytes[end - 1] == 0) --end;  // padding of some cameras
    if (end < 4 || bytes[end - 2] != 0xFF || bytes[end - 1] != 0xD9)
      refuse(file, "is a JPEG that ends too early");
  } else if (starts_with(bytes, "BM")) {  // the pixels begin where byte 10 says; rows are words
    const auto bits = end < 30 ? 0 : std::size_t{bytes[28]} | std::size_t{bytes[29]} << 8;
    if (end < 30 || end < little_endian_word(bytes, 10) + (p.width * bits + 31) / 32 * 4 * p.height)
      refuse(file, "is a BMP that ends too early");
  } else if (end < pnm_pixels(bytes) + p.height * p.width * p.channels) {
    refuse(file, "is a PGM or PPM that ends too early");
  }
}

// Takes out an alpha channel, which must be opaque.
inline void drop_alpha(picture& p, const std::string& file) {
  const std::size_t from = p.channels, to = from - 1;
  for (std::size_t i = 0; i < p.height * p.width; ++i) {
    if (p.pixels[i * from + to] != 255)
      refuse(file, "is partly transparent", "save it without an alpha channel");
    for (std::size_t c = 0; c < to; ++c) p.pixels[i * to + c] = p.pixels[i * from + c];
  }
  p.pixels.resize(p.height * p.width * to);
  p.channels = to;
}

}  // namespace detail

// Decodes PNG, JPEG, BMP, PGM or PPM of 8 bits into 1 (grey) or 3 (red, green, blue) channels.
// `file` is for messages.
inline picture parse_picture(const file_bytes& bytes, const std::string& file) {
  if (!detail::is_picture(bytes))
    refuse(file, "is not a picture that is understood", "PNG, JPEG, BMP, binary PGM or PPM");
  const auto size = static_cast<int>(bytes.size());  // read_file refuses 2 GiB and more
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(bytes.data(), size, &width, &height, &channels) || width <= 0 ||
      height <= 0)
    refuse(file, "is a damaged picture");
  if (stbi_is_16_bit_from_memory(bytes.data(), size))
    refuse(file, "has 16 bits per channel", "save it with 8");
  picture p{static_cast<std::size_t>(height), static_cast<std::size_t>(width),
            static_cast<std::size_t>(channels), {}};
  if (p.height > max_picture_samples / p.width / p.channels)
    refuse(file, text("has ", width, "x", height, " pixels"),
           text("at most ", max_picture_samples, " samples"));
  detail::check_whole(bytes, p, file);
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(bytes.data(), size, &width, &height, &channels, channels),
      stbi_image_free);
  if (!decoded) refuse(file, text("is a damaged picture: ", stbi_failure_reason()));
  p.pixels.assign(decoded.get(), decoded.get() + p.height * p.width * p.channels);
  if (p.channels == 2 || p.channels == 4) detail::drop_alpha(p, file);
  return p;
}

inline picture read_picture(const std::filesystem::path& path) {
  return parse_picture(read_file(path), path.string());
}

}  // namespace nvdlac::data

namespace nvdlac::data {

// One input of the network.
struct sample {
  std::string name = {};           // "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<float> values = {};  // channel by channel, preprocessed
};

// How files become samples. Bytes are pixels and are preprocessed; floats are taken as they are.
struct sample_options {
  preprocessing how = {};
  array_layout layout = array_layout::automatic;
};

namespace detail {

inline std::string element_name(const std::filesystem::path& path, std::size_t i, std::size_t n) {
  const auto name = path.filename().string();
  return n == 1 ? name : text(name, '[', i, ']');
}

// An array of bytes: each input is a picture.
inline void add_pixels(std::vector<sample>& to, const std::filesystem::path& path,
                       const std::vector<std::size_t>& dims,
                       const std::vector<std::uint8_t>& values, const input_shape& want,
                       const sample_options& options) {
  const auto [count, interleaved] = divide(dims, want, options.layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = values.data() + i * want.size();
    picture p{want.height, want.width, want.channels,
              interleaved ? std::vector(from, from + want.size()) : to_hwc(from, want)};
    to.push_back({element_name(path, i, count), preprocess(p, want, options.how, path.string())});
  }
}

inline void add_floats(std::vector<sample>& to, const std::filesystem::path& path, const array& a,
                       const input_shape& want, array_layout layout) {
  const auto [count, interleaved] = divide(a.dims, want, layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = a.values.data() + i * want.size();
    to.push_back({element_name(path, i, count),
                  interleaved ? to_chw(from, want) : std::vector(from, from + want.size())});
  }
}

inline void add_npy(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const input_shape& want,
                    const sample_options& options) {
  const auto file = parse_npy(bytes, path.string());
  if (!file.from_bytes) return add_floats(to, path, file.content, want, options.layout);
  std::vector<std::uint8_t> pixels(file.content.values.size());
  std::transform(file.content.values.begin(), file.content.values.end(), pixels.begin(),
                 [](float x) { return static_cast<std::uint8_t>(x); });
  add_pixels(to, path, file.content.dims, pixels, want, options);
}

// A grey picture of one row per input, each row a picture of interleaved pixels, is how whole
// collections of small pictures are kept in one PNG.
inline bool is_collection(const picture& p, const input_shape& want) {
  return p.channels == 1 && p.width == want.size() && want.height > 1;
}

inline void add_picture(std::vector<sample>& to, const std::filesystem::path& path,
                        const file_bytes& bytes, const input_shape& want,
                        const sample_options& options) {
  const auto p = parse_picture(bytes, path.string());
  if (!is_collection(p, want)) {
    to.push_back({path.filename().string(), preprocess(p, want, options.how, path.string())});
    return;
  }
  for (std::size_t i = 0; i < p.height; ++i) {
    const auto* row = p.pixels.data() + i * p.width;
    const picture one{want.height, want.width, want.channels, std::vector(row, row + p.width)};
    to.push_back({element_name(path, i, p.height),
                  preprocess(one, want, options.how, path.string())});
  }
}

// Values without a header: as many bytes as the network takes values (pixels, interleaved), or
// four times as many (little-endian floats, channel by channel).
inline void add_raw(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const input_shape& want,
                    const sample_options& options) {
  const auto [c, h, w] = want;
  if (bytes.size() == want.size()) return add_pixels(to, path, {h, w, c}, bytes, want,
                                                     {options.how, array_layout::hwc});
  if (bytes.size() != 4 * want.size())
    refuse(path.string(), text("has ", bytes.size(), " bytes"),
           text(want.size(), " for pixels or ", 4 * want.size(), " for floats"));
  static_assert(std::endian::native == std::endian::little);
  array a{{c, h, w}, std::vector<float>(want.size())};
  std::memcpy(a.values.data(), bytes.data(), bytes.size());
  for (const float x : a.values)
    if (!std::isfinite(x)) refuse(path.string(), text("holds the value ", x), "finite floats");
  add_floats(to, path, a, want, array_layout::chw);
}

inline void add_file(std::vector<sample>& to, const std::filesystem::path& path,
                     const input_shape& want, const sample_options& options) {
  const auto bytes = read_file(path);
  const auto kind = path.extension();
  if (kind == ".raw" || kind == ".bin") return add_raw(to, path, bytes, want, options);
  if (is_npy(bytes)) return add_npy(to, path, bytes, want, options);
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return add_picture(to, path, bytes, want, options);
  const auto file = parse_idx(bytes, path.string());
  add_pixels(to, path, file.dims, file.values, want, options);
}

// The files of a directory whose name says that they hold inputs, sorted by name.
inline std::vector<std::filesystem::path> inputs_in(const std::filesystem::path& directory) {
  static const std::vector<std::string> kinds{".png", ".jpg", ".jpeg", ".bmp", ".pgm",
                                              ".ppm", ".npy", ".idx",  ".raw", ".bin"};
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed))
    if (std::find(kinds.begin(), kinds.end(), entry.path().extension()) != kinds.end())
      found.push_back(entry.path());
  if (found.empty())
    refuse(directory.string(), "no input is found in this directory",
           "PNG, JPEG, BMP, PGM, PPM, npy, idx, raw or bin files");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace detail

// All inputs in these files and directories, in the order given; a directory's files by name.
// Throws nvdlac::error with what is wrong with each file (the first 20).
inline std::vector<sample> read_samples(const std::vector<std::filesystem::path>& paths,
                                        const input_shape& want,
                                        const sample_options& options = {}) {
  diagnostics found;
  check(options.how, want.channels, found);
  found.check();
  std::vector<sample> result;
  const auto add = [&](const std::filesystem::path& path) {
    try {
      detail::add_file(result, path, want, options);
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
      if (found.problems().size() >= 20) found.check();
    }
  };
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      add(path);
    } else {
      for (const auto& file : detail::inputs_in(path)) add(file);
    }
  }
  found.check();
  return result;
}

}  // namespace nvdlac::data
// What is common to all engines: layers of any kind, interrupts, and whose turn it is.
#include <type_traits>

// Register writes by name: every value goes through the register table of the product's map, so a
// wrong name does not compile and a value that is too wide for its field is an error.
#include <concepts>
#include <cstdint>


namespace nvdlac::emit {

// Where a cube is for the DMA engines of NVDLA.
struct place {
  std::uint64_t address = 0;  // bytes
  bool dram = true;           // the registers' RAM_TYPE: primary memory, or the secondary (CVSRAM)

  constexpr bool operator==(const place&) const = default;
};

// Turns a layer's locations into addresses.
template <class T>
concept addresses = requires(const T& where, const layer::location& at) {
  { where(at) } -> std::convertible_to<place>;
};

// Takes register writes: the simulator, a trace, source text. `poll(address, mask, value)` is
// called, if it is there, where the hardware has to be waited for.
template <class T>
concept bus = requires(T& b, std::uint32_t address, std::uint32_t value) { b.write(address, value); };

// Every engine has two groups of D_ registers that it works through in turn. A core and its read
// DMA take turns on their own, because not every layer uses the read DMA.
struct groups {
  unsigned core = 0, rdma = 0;
};

template <fixed_string Name, class T>
struct setting {
  T value;
};

template <fixed_string Name>
struct named {
  template <std::integral T>
  constexpr setting<Name, std::int64_t> operator()(T value) const {
    return {static_cast<std::int64_t>(value)};
  }
  // Addresses, strides and sizes: the maps drop a different number of their low bits.
  constexpr setting<Name, bytes> operator()(bytes value) const { return {value}; }
};

inline namespace literals {

template <fixed_string Name>
consteval named<Name> operator""_reg() { return {}; }
template <fixed_string Name>
consteval named<Name> operator""_is() { return {}; }

}  // namespace literals

namespace detail {

template <hw::register_map Map, fixed_string Register, fixed_string Field>
consteval const hw::field& field_in() {
  constexpr const hw::field* f = [] {
    for (const auto& candidate : hw::register_of<Map, Register>.fields)
      if (hw::detail::same(candidate.name, Field.view())) return &candidate;
    return static_cast<const hw::field*>(nullptr);
  }();
  static_assert(f != nullptr, "nvdlac: the register has no field of this name");
  return *f;
}

constexpr std::uint32_t insert(const hw::field& f, std::int64_t v) { return f.insert(v); }
constexpr std::uint32_t insert(const hw::field& f, bytes v) { return f.insert_bytes(v.n); }

}  // namespace detail

// set("CDMA.D_BANK"_reg, "DATA_BANK"_is(3), "WEIGHT_BANK"_is(1)): one write. Fields that are not
// named are 0. A register with one field takes the value alone.
template <hw::register_map Map, bus Bus>
class register_writer {
 public:
  explicit constexpr register_writer(Bus& b) : bus_(b) {}

  template <fixed_string Register, fixed_string... Fields, class... Ts>
  constexpr void operator()(named<Register>, setting<Fields, Ts>... settings) const {
    constexpr const hw::reg& r = hw::register_of<Map, Register>;
    std::uint32_t word = 0;
    ((word |= detail::insert(detail::field_in<Map, Register, Fields>(), settings.value)), ...);
    bus_.write(r.address, word);
  }
  template <fixed_string Register, std::integral T>
  constexpr void operator()(named<Register>, T value) const {
    bus_.write(hw::address<Map, Register>,
               hw::field_of<Map, Register>.insert(static_cast<std::int64_t>(value)));
  }
  template <fixed_string Register>
  constexpr void operator()(named<Register>, bytes value) const {
    bus_.write(hw::address<Map, Register>, hw::field_of<Map, Register>.insert_bytes(value.n));
  }

  // Both halves of a 64-bit address.
  template <fixed_string High, fixed_string Low>
  constexpr void address(named<High> high, named<Low> low, std::uint64_t value) const {
    (*this)(high, value >> 32);
    (*this)(low, bytes{value & 0xffffffffu});
  }

  // Waits until the single-bit field is 1, on a bus that can.
  template <fixed_string Register>
  constexpr void wait_for(named<Register>) const {
    constexpr auto mask = hw::field_of<Map, Register>.mask();
    if constexpr (requires { bus_.poll(mask, mask, mask); })
      bus_.poll(hw::address<Map, Register>, mask, mask);
  }

 private:
  Bus& bus_;
};

}  // namespace nvdlac::emit

namespace nvdlac::emit {
namespace detail {

template <class Set>
constexpr void point_convolution(const Set& set, unsigned group) {
  set("CACC.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CMAC_A.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CMAC_B.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CSC.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CDMA.S_POINTER"_reg, "PRODUCER"_is(group));
}

// CACC sees a packed cube of its output; SDP decides where the result really goes.
template <class Set>
constexpr void program_cacc(const layer::convolution& l, bytes atom, const Set& set) {
  const auto out = layer::packed(l.output, atom);
  const bool one = l.output.w == 1 && l.output.h == 1;
  set("CACC.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  set("CACC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CACC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CACC.D_DATAOUT_ADDR"_reg, bytes{0});
  set("CACC.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CACC.D_LINE_STRIDE"_reg, bytes{out.line_stride});
  set("CACC.D_SURF_STRIDE"_reg, bytes{out.surface_stride});
  set("CACC.D_DATAOUT_MAP"_reg, "LINE_PACKED"_is(one), "SURF_PACKED"_is(one));
  set("CACC.D_CLIP_CFG"_reg, "CLIP_TRUNCATE"_is(l.truncate));
}

template <class Set>
constexpr void program_csc(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  // Pixels: one line of a kernel is one long row of channels, width 1.
  const auto kernel_c = l.is_pixel() ? l.input.shape.c * w.kernel_w : l.input.shape.c;
  set("CSC.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  set("CSC.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()));
  set("CSC.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(l.input.shape.w - 1),
      "DATAIN_HEIGHT_EXT"_is(l.input.shape.h - 1));
  set("CSC.D_DATAIN_SIZE_EXT_1"_reg, "DATAIN_CHANNEL_EXT"_is(l.input.shape.c - 1));
  set("CSC.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CSC.D_POST_Y_EXTENSION"_reg, "Y_EXTENSION"_is(0));
  set("CSC.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CSC.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(0));
  set("CSC.D_WEIGHT_SIZE_EXT_0"_reg, "WEIGHT_WIDTH_EXT"_is(l.kernel_width_csc() - 1),
      "WEIGHT_HEIGHT_EXT"_is(w.kernel_h - 1));
  set("CSC.D_WEIGHT_SIZE_EXT_1"_reg, "WEIGHT_CHANNEL_EXT"_is(kernel_c - 1),
      "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CSC.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  set("CSC.D_WMB_BYTES"_reg, bytes{0});
  set("CSC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CSC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CSC.D_ATOMICS"_reg, "ATOMICS"_is(std::int64_t{l.output.w} * l.output.h - 1));
  set("CSC.D_RELEASE"_reg, "RLS_SLICES"_is(l.release - 1));
  set("CSC.D_CONV_STRIDE_EXT"_reg, "CONV_X_STRIDE_EXT"_is(w.stride_w - 1),
      "CONV_Y_STRIDE_EXT"_is(w.stride_h - 1));
  set("CSC.D_DILATION_EXT"_reg, "X_DILATION_EXT"_is(w.dilation_w - 1),
      "Y_DILATION_EXT"_is(w.dilation_h - 1));
  set("CSC.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_TOP"_is(w.pad_top));
  set("CSC.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CSC.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CSC.D_PRA_CFG"_reg, "PRA_TRUNCATE"_is(0));
}

template <class Set>
constexpr void program_cdma_input(const layer::convolution& l, place in, bytes atom,
                                  const Set& set) {
  const auto& s = l.input;
  const bool feature = !l.is_pixel();
  const auto line = layer::packed(s.shape, atom);
  set("CDMA.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()),
      "PIXEL_FORMAT"_is(feature ? 0 : static_cast<int>(l.format)), "PIXEL_MAPPING"_is(0),
      "PIXEL_SIGN_OVERRIDE"_is(l.pixels_signed));
  set("CDMA.D_DATAIN_SIZE_0"_reg, "DATAIN_WIDTH"_is(s.shape.w - 1),
      "DATAIN_HEIGHT"_is(s.shape.h - 1));
  set("CDMA.D_DATAIN_SIZE_1"_reg, "DATAIN_CHANNEL"_is(s.shape.c - 1));
  set("CDMA.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(s.shape.w - 1),
      "DATAIN_HEIGHT_EXT"_is(s.shape.h - 1));
  set("CDMA.D_PIXEL_OFFSET"_reg, "PIXEL_X_OFFSET"_is(0), "PIXEL_Y_OFFSET"_is(0));
  set("CDMA.D_DAIN_RAM_TYPE"_reg, "DATAIN_RAM_TYPE"_is(in.dram));
  set.address("CDMA.D_DAIN_ADDR_HIGH_0"_reg, "CDMA.D_DAIN_ADDR_LOW_0"_reg, in.address);
  set.address("CDMA.D_DAIN_ADDR_HIGH_1"_reg, "CDMA.D_DAIN_ADDR_LOW_1"_reg, 0);
  set("CDMA.D_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("CDMA.D_SURF_STRIDE"_reg, bytes{s.surface_stride});
  set("CDMA.D_LINE_UV_STRIDE"_reg, bytes{0});
  set("CDMA.D_DAIN_MAP"_reg, "LINE_PACKED"_is(feature && s.line_stride == line.line_stride),
      "SURF_PACKED"_is(feature && s.surface_stride == line.surface_stride));
  set("CDMA.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CDMA.D_BATCH_STRIDE"_reg, bytes{0});
  set("CDMA.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CDMA.D_FETCH_GRAIN"_reg, "GRAINS"_is(l.fetch_grain - 1));
}

template <class Set>
constexpr void program_cdma_weights(const layer::convolution& l, place weights, const Set& set) {
  set("CDMA.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(0));
  set("CDMA.D_WEIGHT_SIZE_0"_reg, "BYTE_PER_KERNEL"_is(l.bytes_per_kernel() - 1));
  set("CDMA.D_WEIGHT_SIZE_1"_reg, "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CDMA.D_WEIGHT_RAM_TYPE"_reg, "WEIGHT_RAM_TYPE"_is(weights.dram));
  set.address("CDMA.D_WEIGHT_ADDR_HIGH"_reg, "CDMA.D_WEIGHT_ADDR_LOW"_reg, weights.address);
  set("CDMA.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  set("CDMA.D_WMB_BYTES"_reg, bytes{0});
}

template <class Set>
constexpr void program_cdma_values(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  set("CDMA.D_MEAN_FORMAT"_reg, "MEAN_FORMAT"_is(l.use_mean));
  set("CDMA.D_MEAN_GLOBAL_0"_reg, "MEAN_RY"_is(l.mean[0]), "MEAN_GU"_is(l.mean[1]));
  set("CDMA.D_MEAN_GLOBAL_1"_reg, "MEAN_BV"_is(l.mean[2]), "MEAN_AX"_is(l.mean[3]));
  const auto cvt = l.convert ? l.cvt : converter{};
  set("CDMA.D_CVT_CFG"_reg, "CVT_EN"_is(l.convert), "CVT_TRUNCATE"_is(cvt.shift));
  set("CDMA.D_CVT_OFFSET"_reg, "CVT_OFFSET"_is(cvt.offset));
  set("CDMA.D_CVT_SCALE"_reg, "CVT_SCALE"_is(cvt.scale));
  set("CDMA.D_CONV_STRIDE"_reg, "CONV_X_STRIDE"_is(w.stride_w - 1),
      "CONV_Y_STRIDE"_is(w.stride_h - 1));
  set("CDMA.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_RIGHT"_is(w.pad_right),
      "PAD_TOP"_is(w.pad_top), "PAD_BOTTOM"_is(w.pad_bottom));
  set("CDMA.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CDMA.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CDMA.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
}

}  // namespace detail

// Writes the D_ registers of CACC, CMAC, CSC and CDMA in the order of the firmware, group
// `g.core`. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::convolution& l, const addresses auto& where, groups g,
                       Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const bytes atom = Hw::spec.atom();
  detail::point_convolution(set, g.core);
  detail::program_cacc(l, atom, set);
  set("CMAC_A.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  set("CMAC_B.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  detail::program_csc(l, set);
  set("CDMA.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  detail::program_cdma_input(l, where(l.input.at), atom, set);
  detail::program_cdma_weights(l, where(l.weights.at), set);
  detail::program_cdma_values(l, set);
}

// Starts the convolution; the SDP layer that takes its result must have been enabled before.
template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::convolution&, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_convolution(set, g.core);
  set.wait_for("CDMA.S_CBUF_FLUSH_STATUS"_reg);
  set("CACC.D_OP_ENABLE"_reg, 1);
  set("CMAC_A.D_OP_ENABLE"_reg, 1);
  set("CMAC_B.D_OP_ENABLE"_reg, 1);
  set("CSC.D_OP_ENABLE"_reg, 1);
  set("CDMA.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

// Whether the layer uses PDP_RDMA; if not, its group stays where it is.
constexpr bool needs_rdma(const layer::pdp& l) { return !l.input.at.on_the_fly(); }

namespace detail {

template <class Set>
constexpr void point_pdp(const Set& set, groups g) {
  set("PDP.S_POINTER"_reg, "PRODUCER"_is(g.core));
  set("PDP_RDMA.S_POINTER"_reg, "PRODUCER"_is(g.rdma));
}

// A part of a split that does not exist has width 0, which the field (width - 1) stores as 0.
constexpr std::int64_t part(std::uint16_t width) { return width == 0 ? 0 : width - 1; }

template <class Set>
constexpr void program_pdp_rdma(const layer::pdp& l, place in, const Set& set) {
  const auto& s = l.input;
  set("PDP_RDMA.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(s.shape.w - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(s.shape.h - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(s.shape.c - 1));
  set("PDP_RDMA.D_FLYING_MODE"_reg, "FLYING_MODE"_is(1));  // 1: from memory
  set.address("PDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "PDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in.address);
  set("PDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("PDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{s.surface_stride});
  set("PDP_RDMA.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(0));
  set("PDP_RDMA.D_SRC_RAM_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  set("PDP_RDMA.D_OPERATION_MODE_CFG"_reg, "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP_RDMA.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(l.window.kernel_w - 1),
      "KERNEL_STRIDE_WIDTH"_is(l.window.stride_w - 1));
  set("PDP_RDMA.D_POOLING_PADDING_CFG"_reg, "PAD_WIDTH"_is(l.window.pad_left));
  set("PDP_RDMA.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(part(l.split.in_last)));
}

template <class Set>
constexpr void program_window(const layer::pdp& l, const Set& set) {
  const auto& w = l.window;
  set("PDP.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(w.kernel_w - 1),
      "KERNEL_HEIGHT"_is(w.kernel_h - 1), "KERNEL_STRIDE_WIDTH"_is(w.stride_w - 1),
      "KERNEL_STRIDE_HEIGHT"_is(w.stride_h - 1));
  set("PDP.D_RECIP_KERNEL_WIDTH"_reg, "RECIP_KERNEL_WIDTH"_is(65536 / w.kernel_w));
  set("PDP.D_RECIP_KERNEL_HEIGHT"_reg, "RECIP_KERNEL_HEIGHT"_is(65536 / w.kernel_h));
  set("PDP.D_POOLING_PADDING_CFG"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_TOP"_is(w.pad_top),
      "PAD_RIGHT"_is(w.pad_right), "PAD_BOTTOM"_is(w.pad_bottom));
  // Register n holds what n missing columns add to a row's sum.
  const std::int64_t pad = l.pad_value;
  set("PDP.D_POOLING_PADDING_VALUE_1_CFG"_reg, pad);
  set("PDP.D_POOLING_PADDING_VALUE_2_CFG"_reg, 2 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_3_CFG"_reg, 3 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_4_CFG"_reg, 4 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_5_CFG"_reg, 5 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_6_CFG"_reg, 6 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_7_CFG"_reg, 7 * pad);
}

}  // namespace detail

// Writes the D_ registers of PDP_RDMA and PDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::pdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const bool memory = needs_rdma(l);
  detail::point_pdp(set, g);
  if (memory) detail::program_pdp_rdma(l, where(l.input.at), set);
  set("PDP.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(l.input.shape.w - 1));
  set("PDP.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(l.input.shape.h - 1));
  set("PDP.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(l.input.shape.c - 1));
  set("PDP.D_DATA_CUBE_OUT_WIDTH"_reg, "CUBE_OUT_WIDTH"_is(l.output.shape.w - 1));
  set("PDP.D_DATA_CUBE_OUT_HEIGHT"_reg, "CUBE_OUT_HEIGHT"_is(l.output.shape.h - 1));
  set("PDP.D_DATA_CUBE_OUT_CHANNEL"_reg, "CUBE_OUT_CHANNEL"_is(l.output.shape.c - 1));
  set("PDP.D_OPERATION_MODE_CFG"_reg, "POOLING_METHOD"_is(static_cast<int>(l.kind)),
      "FLYING_MODE"_is(memory), "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
  set("PDP.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(detail::part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(detail::part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(detail::part(l.split.in_last)));
  set("PDP.D_PARTIAL_WIDTH_OUT"_reg,
      "PARTIAL_WIDTH_OUT_FIRST"_is(detail::part(l.split.out_first)),
      "PARTIAL_WIDTH_OUT_MID"_is(detail::part(l.split.out_mid)),
      "PARTIAL_WIDTH_OUT_LAST"_is(detail::part(l.split.out_last)));
  detail::program_window(l, set);
  if (memory) {
    const place in = where(l.input.at);
    set.address("PDP.D_SRC_BASE_ADDR_HIGH"_reg, "PDP.D_SRC_BASE_ADDR_LOW"_reg, in.address);
    set("PDP.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("PDP.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  }
  const place out = where(l.output.at);
  set.address("PDP.D_DST_BASE_ADDR_HIGH"_reg, "PDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
  set("PDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("PDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  set("PDP.D_DST_RAM_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("PDP.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(0));
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::pdp& l, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_pdp(set, g);
  if (needs_rdma(l)) set("PDP_RDMA.D_OP_ENABLE"_reg, 1);
  set("PDP.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

// Whether the unit reads its operands from memory.
constexpr bool reads_memory(const layer::sdp_unit& u) {
  return (u.alu || u.mul) && u.mode != layer::sdp_mode::per_layer;
}

// Whether the layer uses SDP_RDMA at all; if not, its group stays where it is.
constexpr bool needs_rdma(const layer::sdp& l) {
  return !l.input.at.on_the_fly() || reads_memory(l.x1) || reads_memory(l.x2);
}

// Bytes of the operands of one atom of channels: the strides of per-kernel operands, which have
// one line.
constexpr std::uint32_t operand_unit(const layer::sdp_unit& u, bytes atom) {
  const std::uint32_t operands = u.alu && u.mul ? 2 : 1;
  return static_cast<std::uint32_t>(atom.n) * operands * u.operand_bytes;
}

namespace detail {

template <class Set>
constexpr void point_sdp(const Set& set, groups g) {
  set("SDP.S_POINTER"_reg, "PRODUCER"_is(g.core));
  set("SDP_RDMA.S_POINTER"_reg, "PRODUCER"_is(g.rdma));
}

struct operand_reads {
  bool off = true;
  int use = 0;  // 0 mul, 1 alu, 2 both
  bool two_bytes = false, per_point = false;
  place at{};
  bytes line{}, plane{};
};

constexpr operand_reads reads(const layer::sdp_unit& u, bytes atom, const addresses auto& where) {
  if (!reads_memory(u)) return {};
  const bool point = u.mode == layer::sdp_mode::per_point;
  const bytes unit{operand_unit(u, atom)};
  return {false, u.alu && u.mul ? 2 : u.alu ? 1 : 0, u.operand_bytes == 2, point,
          where(u.operands.at), point ? bytes{u.operands.line_stride} : unit,
          point ? bytes{u.operands.surface_stride} : unit};
}

template <class Set>
constexpr void program_sdp_rdma(const layer::sdp& l, bytes atom, const addresses auto& where,
                                const Set& set) {
  const bool flying = l.input.at.on_the_fly();
  const auto x1 = reads(l.x1, atom, where), x2 = reads(l.x2, atom, where);
  set("SDP_RDMA.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(flying), "WINOGRAD"_is(0),
      "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0), "OUT_PRECISION"_is(0), "BATCH_NUMBER"_is(0));
  set("SDP_RDMA.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP_RDMA.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP_RDMA.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  if (!flying) {
    const place in = where(l.input.at);
    set.address("SDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg,
                in.address);
    set("SDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("SDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
    set("SDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  }
  set("SDP_RDMA.D_BRDMA_CFG"_reg, "BRDMA_DISABLE"_is(x1.off), "BRDMA_DATA_USE"_is(x1.use),
      "BRDMA_DATA_SIZE"_is(x1.two_bytes), "BRDMA_DATA_MODE"_is(x1.per_point),
      "BRDMA_RAM_TYPE"_is(x1.at.dram));
  if (!x1.off) {
    set.address("SDP_RDMA.D_BS_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BS_BASE_ADDR_LOW"_reg,
                x1.at.address);
    set("SDP_RDMA.D_BS_LINE_STRIDE"_reg, x1.line);
    set("SDP_RDMA.D_BS_SURFACE_STRIDE"_reg, x1.plane);
  }
  set("SDP_RDMA.D_NRDMA_CFG"_reg, "NRDMA_DISABLE"_is(x2.off), "NRDMA_DATA_USE"_is(x2.use),
      "NRDMA_DATA_SIZE"_is(x2.two_bytes), "NRDMA_DATA_MODE"_is(x2.per_point),
      "NRDMA_RAM_TYPE"_is(x2.at.dram));
  if (!x2.off) {
    set.address("SDP_RDMA.D_BN_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BN_BASE_ADDR_LOW"_reg,
                x2.at.address);
    set("SDP_RDMA.D_BN_LINE_STRIDE"_reg, x2.line);
    set("SDP_RDMA.D_BN_SURFACE_STRIDE"_reg, x2.plane);
  }
  set("SDP_RDMA.D_ERDMA_CFG"_reg, "ERDMA_DISABLE"_is(1), "ERDMA_RAM_TYPE"_is(1));
}

template <class Set>
constexpr void program_x1(const layer::sdp_unit& u, const Set& set) {
  const bool memory = reads_memory(u);
  set("SDP.D_DP_BS_CFG"_reg, "BS_BYPASS"_is(!u.enabled()), "BS_ALU_BYPASS"_is(!u.alu),
      "BS_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BS_MUL_BYPASS"_is(!u.mul),
      "BS_MUL_PRELU"_is(0), "BS_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BS_ALU_CFG"_reg, "BS_ALU_SRC"_is(memory && u.alu),
      "BS_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BS_ALU_SRC_VALUE"_reg, "BS_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BS_MUL_CFG"_reg, "BS_MUL_SRC"_is(memory && u.mul),
      "BS_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BS_MUL_SRC_VALUE"_reg, "BS_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

template <class Set>
constexpr void program_x2(const layer::sdp_unit& u, const Set& set) {
  const bool memory = reads_memory(u);
  set("SDP.D_DP_BN_CFG"_reg, "BN_BYPASS"_is(!u.enabled()), "BN_ALU_BYPASS"_is(!u.alu),
      "BN_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BN_MUL_BYPASS"_is(!u.mul),
      "BN_MUL_PRELU"_is(0), "BN_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BN_ALU_CFG"_reg, "BN_ALU_SRC"_is(memory && u.alu),
      "BN_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BN_ALU_SRC_VALUE"_reg, "BN_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BN_MUL_CFG"_reg, "BN_MUL_SRC"_is(memory && u.mul),
      "BN_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BN_MUL_SRC_VALUE"_reg, "BN_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

}  // namespace detail

// Writes the D_ registers of SDP_RDMA and SDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::sdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_sdp(set, g);
  if (needs_rdma(l)) detail::program_sdp_rdma(l, Hw::spec.atom(), where, set);
  set("SDP.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  const bool to_pdp = l.output.at.on_the_fly();
  const place out = to_pdp ? place{} : where(l.output.at);
  if (!to_pdp) {
    set.address("SDP.D_DST_BASE_ADDR_HIGH"_reg, "SDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
    set("SDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
    set("SDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  }
  detail::program_x1(l.x1, set);
  detail::program_x2(l.x2, set);
  set("SDP.D_DP_EW_CFG"_reg, "EW_BYPASS"_is(1), "EW_ALU_BYPASS"_is(1), "EW_MUL_BYPASS"_is(1),
      "EW_LUT_BYPASS"_is(1));
  set("SDP.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(l.input.at.on_the_fly()),
      "OUTPUT_DST"_is(to_pdp), "WINOGRAD"_is(0), "NAN_TO_ZERO"_is(0), "BATCH_NUMBER"_is(0));
  set("SDP.D_DST_DMA_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("SDP.D_DST_BATCH_STRIDE"_reg, bytes{0});
  set("SDP.D_DATA_FORMAT"_reg, "PROC_PRECISION"_is(0), "OUT_PRECISION"_is(0));
  set("SDP.D_CVT_OFFSET"_reg, l.out.offset);
  set("SDP.D_CVT_SCALE"_reg, l.out.scale);
  set("SDP.D_CVT_SHIFT"_reg, "CVT_SHIFT"_is(l.out.shift));
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::sdp& l, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_sdp(set, g);
  if (needs_rdma(l)) set("SDP_RDMA.D_OP_ENABLE"_reg, 1);
  set("SDP.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

// Once before the first layer: all interrupts on, CDMA's arbiter as the firmware sets it.
template <hw::hardware Hw, class Bus>
constexpr void initialize(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("GLB.S_INTR_MASK"_reg);
  set("CDMA.S_ARBITER"_reg, "ARB_WEIGHT"_is(15), "ARB_WMB"_is(3));
}

// Programs the hardware layer; a value that does not fit its register field is an `error` that
// names the layer. Layers of the host are not programmed.
template <hw::hardware Hw, class Bus>
void program(const layer::layer& l, const addresses auto& where, groups g, Bus&& b) {
  try {
    std::visit([&](const auto& what) {
      if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, layer::host_softmax>)
        program<Hw>(what, where, g, b);
    }, l.what);
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.layer.empty()) p.layer = l.name;
    throw error(std::move(problems));
  }
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::any& l, groups g, Bus&& b) {
  std::visit([&](const auto& what) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, layer::host_softmax>)
      enable<Hw>(what, g, b);
  }, l);
}

constexpr bool needs_rdma(const layer::any& l) {
  if (const auto* s = std::get_if<layer::sdp>(&l)) return needs_rdma(*s);
  if (const auto* p = std::get_if<layer::pdp>(&l)) return needs_rdma(*p);
  return false;
}

// The S_INTR_STATUS bits that say that the layer in a group is done; the numbers are the same in
// both maps. A convolution is done when CACC is.
constexpr std::uint32_t done_bits(const layer::any& l, groups g) {
  constexpr auto map = hw::register_map::small;
  constexpr auto first = [](const hw::field& f) { return static_cast<unsigned>(f.lsb); };
  if (std::holds_alternative<layer::sdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.SDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::pdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.PDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::convolution>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.CACC_DONE_STATUS0">) + g.core);
  return 0;
}

// Hands out register groups in the order in which the hardware works through them.
class group_turns {
 public:
  constexpr groups next(const layer::any& l) {
    auto& turn = turns_[l.index()];
    const groups g = turn;
    turn.core ^= 1u;
    if (needs_rdma(l)) turn.rdma ^= 1u;
    return g;
  }

 private:
  groups turns_[std::variant_size_v<layer::any>]{};
};

}  // namespace nvdlac::emit
// Writes an NVDLA loadable: the FlatBuffers file that the public runtime loads. Tables are built by
// field number (flat_schema.hpp) without generated code.
#include <flatbuffers/flatbuffers.h>

// The FlatBuffers schema of a loadable: the place of each table's fields in its vtable.
#include <cstdint>

namespace nvdlac::emit::flat {

inline constexpr const char* identifier = "NVDA";
inline constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 31) - (1 << 20);

struct version_struct {
  std::uint8_t major = 0, minor = 0, sub_minor = 0;
};
static_assert(sizeof(version_struct) == 3);

// Field n of a table is found through the 16-bit word number 2 + n of its vtable.
constexpr std::uint16_t field(std::uint16_t n) { return static_cast<std::uint16_t>(4 + 2 * n); }

struct loadable {
  enum : std::uint16_t {
    version = field(0), task_list = field(1), memory_list = field(2), address_list = field(3),
    event_list = field(4), blobs = field(5), tensor_desc_list = field(6), reloc_list = field(7),
    submit_list = field(8)
  };
};
struct blob {
  enum : std::uint16_t {
    name = field(0), size = field(1), interface = field(2), sub_interface = field(3),
    version = field(4), data = field(5)
  };
};
struct memory {
  enum : std::uint16_t {
    id = field(0), domain = field(1), flags = field(2), size = field(3), alignment = field(4),
    contents = field(5), offsets = field(6), bind_id = field(7), tensor_desc_id = field(8)
  };
};
struct event {
  enum : std::uint16_t {
    id = field(0), type = field(1), target = field(2), val = field(3), op = field(4)
  };
};
struct task {
  enum : std::uint16_t {
    id = field(0), interface = field(1), instance = field(2), address_list = field(3),
    pre_actions = field(4), post_actions = field(5)
  };
};
struct address {
  enum : std::uint16_t { id = field(0), mem_id = field(1), offset = field(2), size = field(3) };
};
struct submission {
  enum : std::uint16_t { id = field(0), task_id = field(1) };
};
struct tensor {
  enum : std::uint16_t {
    name = field(0), id = field(1), mem_id = field(2), size = field(3), offset = field(4),
    data_format = field(5), data_type = field(6), data_category = field(7),
    pixel_format = field(8), pixel_mapping = field(9), n = field(10), c = field(11),
    h = field(12), w = field(13)
  };
  static constexpr std::uint16_t stride(std::uint16_t i) {
    return field(static_cast<std::uint16_t>(14 + i));
  }
};
struct relocation {
  enum : std::uint16_t {
    address_id = field(0), write_id = field(1), offset = field(2), interface = field(3),
    sub_interface = field(4), reloc_type = field(5)
  };
};

}  // namespace nvdlac::emit::flat
// From a program to the lists of a loadable, in the order in which the public compiler lays them
// out, so that every consumer of its loadables understands ours.
#include <map>

// The firmware's descriptors of hardware layers: one element of the operation list and of the
// surface list for each, encoded and decoded.
// Between surfaces and the firmware's data cubes. In descriptors a location's buffer is an index
// into the task's address list.
#include <limits>
#include <utility>

// The records that the public firmware and runtime read from memory, with the names of their
// fields there: dla_interface.h (0.12.3) and emu_interface.h of nvdla/sw.
// Little-endian records, described once: a record's static function `fields(record, io)` names its
// members in order, and the three visitors below measure, write and read it.
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>


namespace nvdlac::emit {

template <class T>
concept scalar = std::integral<T> || std::same_as<T, float>;

namespace detail {

template <class T>
concept array = requires { std::tuple_size<T>::value; };

template <class Io, class T>
constexpr void visit(Io& io, T& member) {
  if constexpr (scalar<T>)
    io.value(member);
  else if constexpr (array<T>)
    for (auto& element : member) visit(io, element);
  else
    T::fields(member, io);
}

}  // namespace detail

// Adds up the bytes.
struct byte_counter {
  std::size_t n = 0;

  template <class... Ts>
  constexpr void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  constexpr void pad(std::size_t bytes) { n += bytes; }
  template <scalar T>
  constexpr void value(T&) { n += sizeof(T); }
};

template <class Record>
constexpr std::size_t byte_size() {
  Record r{};
  byte_counter io;
  Record::fields(r, io);
  return io.n;
}

// Appends to a vector.
class byte_writer {
 public:
  explicit byte_writer(std::vector<std::uint8_t>& out) : out_(out) {}

  template <class... Ts>
  void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  void pad(std::size_t bytes) { out_.resize(out_.size() + bytes); }
  template <scalar T>
  void value(const T& v) {
    if constexpr (std::same_as<T, float>) {
      const auto bits = std::bit_cast<std::uint32_t>(v);
      value(bits);
    } else {
      const auto bits = static_cast<std::uint64_t>(v);
      for (std::size_t i = 0; i < sizeof(T); ++i)
        out_.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  }

 private:
  std::vector<std::uint8_t>& out_;
};

// Reads from the front of a span; the caller has checked that it is long enough.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::uint8_t> in) : in_(in) {}

  template <class... Ts>
  void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  void pad(std::size_t bytes) { at_ += bytes; }
  template <scalar T>
  void value(T& v) {
    if constexpr (std::same_as<T, float>) {
      std::uint32_t bits = 0;
      value(bits);
      v = std::bit_cast<float>(bits);
    } else {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::uint64_t{in_[at_ + i]} << (8 * i);
      v = static_cast<T>(bits);
      at_ += sizeof(T);
    }
  }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
};

// Appends the record and zeros up to `size` bytes.
template <class Record>
void write_record(std::vector<std::uint8_t>& out, Record r, std::size_t size) {
  const auto start = out.size();
  byte_writer io(out);
  Record::fields(r, io);
  out.resize(start + size);
}

// The record number `index` of a list of records of `size` bytes each; an `error` if the list is
// shorter.
template <class Record>
Record read_record(std::span<const std::uint8_t> list, std::size_t index, std::size_t size) {
  if (size < byte_size<Record>() || index >= list.size() / size)
    throw error(text("record ", index, " of ", size, " bytes is outside of a list of ", list.size(),
                     " bytes"));
  Record r{};
  byte_reader io(list.subspan(index * size, size));
  Record::fields(r, io);
  return r;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit::firmware {

// Bytes of one element of each list.
inline constexpr std::size_t operation_bytes = 116, surface_bytes = 644, lut_bytes = 700;
inline constexpr std::size_t emulator_network_bytes = 256, emulator_operation_bytes = 24,
                             emulator_buffer_bytes = 256, emulator_buffers_bytes = 512;

struct network {
  std::int16_t operation_desc = -1, surface_desc = -1, dependency_graph = -1, lut_data = -1;
  std::int16_t roi_array = -1, surface = -1, stat_list = -1;
  std::array<std::int16_t, 6> op_head{-1, -1, -1, -1, -1, -1};
  std::uint16_t num_rois = 1, num_operations = 0, num_luts = 0, num_addresses = 0;
  std::int16_t input_layer = 0;
  std::uint8_t dynamic_roi = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.surface_desc, r.dependency_graph, r.lut_data, r.roi_array, r.surface,
       r.stat_list);
    io.pad(2);
    io(r.op_head, r.num_rois, r.num_operations, r.num_luts, r.num_addresses, r.input_layer,
       r.dynamic_roi);
    io.pad(1);
  }
};
static_assert(byte_size<network>() == 40);

struct consumer {
  std::int16_t index = -1;
  std::uint8_t event = 1;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.event);
    io.pad(1);
  }
};

struct common {
  std::int16_t index = 0;
  std::int8_t roi_index = 0;
  std::uint8_t op_type = 0, dependency_count = 0;
  std::array<consumer, 6> consumers{};
  consumer fused_parent{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.roi_index, r.op_type, r.dependency_count);
    io.pad(3);
    io(r.consumers, r.fused_parent);
  }
};
static_assert(byte_size<common>() == 36);

enum class memory : std::uint16_t { dram = 0, sram = 1, hardware = 2 };

struct cube {
  std::uint16_t type = 0;
  std::int16_t address = -1;  // index into the task's address list
  std::uint32_t offset = 0, size = 0;
  std::uint16_t width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0, plane_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.type, r.address, r.offset, r.size, r.width, r.height, r.channel);
    io.pad(2);
    io(r.line_stride, r.surf_stride, r.plane_stride);
  }
};
static_assert(byte_size<cube>() == 32);

struct cvt {
  std::int16_t scale = 0;
  std::uint8_t truncate = 0, enable = 0;
  std::int32_t offset = 0;

  static constexpr void fields(auto& r, auto&& io) { io(r.scale, r.truncate, r.enable, r.offset); }
};
static_assert(byte_size<cvt>() == 8);

struct conv_op {
  std::uint8_t conv_mode = 0, data_reuse = 0, weight_reuse = 0, skip_data_rls = 0,
               skip_weight_rls = 0;
  std::uint16_t entry_per_slice = 0;
  std::uint8_t data_format = 0, pixel_mapping = 0;
  std::uint16_t fetch_grain = 0;
  std::uint8_t batch = 1, weight_format = 0, data_bank = 0, weight_bank = 0;
  std::uint32_t batch_stride = 0;
  std::uint8_t post_extension = 0, pixel_override = 0;
  std::uint16_t release = 0;
  std::uint16_t input_width_csc = 0, input_height_csc = 0, input_channel_csc = 0;
  std::uint16_t kernel_width_csc = 0, kernel_height_csc = 0, kernel_channel_csc = 0;
  std::uint16_t input_width_cmac = 0, input_height_cmac = 0;
  std::uint32_t bytes_per_kernel = 0;
  std::int16_t mean_ry = 0, mean_gu = 0, mean_bv = 0, mean_ax = 0;
  std::uint8_t mean_format = 0, conv_stride_x = 1, conv_stride_y = 1;
  std::uint8_t pad_x_left = 0, pad_x_right = 0, pad_y_top = 0, pad_y_bottom = 0;
  std::uint8_t dilation_x = 1, dilation_y = 1, pra_truncate = 0;
  std::uint8_t in_precision = 0, out_precision = 0;
  std::int16_t pad_val = 0;
  cvt in_cvt{}, out_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.conv_mode, r.data_reuse, r.weight_reuse, r.skip_data_rls, r.skip_weight_rls);
    io.pad(1);
    io(r.entry_per_slice, r.data_format, r.pixel_mapping, r.fetch_grain);
    io.pad(8);
    io(r.batch, r.weight_format, r.data_bank, r.weight_bank, r.batch_stride, r.post_extension,
       r.pixel_override, r.release, r.input_width_csc, r.input_height_csc, r.input_channel_csc,
       r.kernel_width_csc, r.kernel_height_csc, r.kernel_channel_csc, r.input_width_cmac,
       r.input_height_cmac, r.bytes_per_kernel, r.mean_ry, r.mean_gu, r.mean_bv, r.mean_ax,
       r.mean_format, r.conv_stride_x, r.conv_stride_y, r.pad_x_left, r.pad_x_right, r.pad_y_top,
       r.pad_y_bottom, r.dilation_x, r.dilation_y);
    io.pad(2);
    io(r.pra_truncate, r.in_precision, r.out_precision, r.pad_val, r.in_cvt, r.out_cvt);
  }
};
static_assert(byte_size<conv_op>() == 92);

struct conv_surface {
  cube weight{}, wmb{}, wgs{}, src{}, dst{};
  std::int64_t offset_u = 0;
  std::uint32_t in_line_uv_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.weight, r.wmb, r.wgs, r.src, r.dst, r.offset_u, r.in_line_uv_stride);
  }
};
static_assert(byte_size<conv_surface>() == 172);

struct sdp_sub_op {
  std::uint8_t enable = 0, alu_type = 0, type = 0, mode = 0, act = 0, shift_value = 0,
               truncate = 0, precision = 0;
  std::int32_t alu_operand = 0, mul_operand = 0;
  cvt alu_cvt{}, mul_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.enable, r.alu_type, r.type, r.mode, r.act, r.shift_value, r.truncate, r.precision,
       r.alu_operand, r.mul_operand, r.alu_cvt, r.mul_cvt);
  }
};
static_assert(byte_size<sdp_sub_op>() == 32);

struct sdp_op {
  std::uint8_t src_precision = 0, dst_precision = 0;
  std::int16_t lut_index = -1;
  cvt out_cvt{};
  std::uint8_t conv_mode = 0, batch_num = 1;
  std::uint32_t batch_stride = 0;
  sdp_sub_op x1{}, x2{}, y{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.src_precision, r.dst_precision, r.lut_index, r.out_cvt, r.conv_mode, r.batch_num);
    io.pad(2);
    io(r.batch_stride, r.x1, r.x2, r.y);
  }
};
static_assert(byte_size<sdp_op>() == 116 && byte_size<sdp_op>() == operation_bytes);

struct sdp_surface {
  cube src{}, x1{}, x2{}, y{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.x1, r.x2, r.y, r.dst); }
};
static_assert(byte_size<sdp_surface>() == 160);

struct pdp_op {
  std::uint16_t partial_in_width_first = 0, partial_in_width_mid = 0, partial_in_width_last = 0;
  std::uint16_t partial_width_first = 0, partial_width_mid = 0, partial_width_last = 0;
  std::uint8_t split_num = 1, pool_mode = 0, pool_width = 0, pool_height = 0;
  std::uint8_t stride_x = 1, stride_y = 1, pad_left = 0, pad_right = 0, pad_top = 0,
               pad_bottom = 0, precision = 0;
  std::array<std::int32_t, 7> padding_value{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.partial_in_width_first, r.partial_in_width_mid, r.partial_in_width_last,
       r.partial_width_first, r.partial_width_mid, r.partial_width_last, r.split_num, r.pool_mode,
       r.pool_width, r.pool_height, r.stride_x, r.stride_y, r.pad_left, r.pad_right, r.pad_top,
       r.pad_bottom, r.precision);
    io.pad(1);
    io(r.padding_value);
  }
};
static_assert(byte_size<pdp_op>() == 52);

struct pdp_surface {
  cube src{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.dst); }
};
static_assert(byte_size<pdp_surface>() == 64);

// Tasks of the runtime's own emulator, which computes on the host.
struct emulator_network {
  std::int16_t operation_desc = -1, buffer_desc = -1;
  std::uint16_t num_operations = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.buffer_desc, r.num_operations);
  }
};
static_assert(byte_size<emulator_network>() <= emulator_network_bytes);

enum class emulator_op : std::uint8_t { power = 0, softmax = 1 };
enum class emulator_format : std::uint16_t { int8 = 0, int8_x8 = 1, int16 = 2, fp16 = 3 };

struct emulator_softmax {
  std::uint8_t op_type = 1;
  float input_scale = 1, output_scale = 1;
  std::uint8_t axis = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.op_type);
    io.pad(3);
    io(r.input_scale, r.output_scale, r.axis);
  }
};
static_assert(byte_size<emulator_softmax>() <= emulator_operation_bytes);

struct emulator_buffer {
  std::int16_t address = -1;
  std::uint32_t offset = 0, size = 0;
  std::uint16_t format = 0, width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.address, r.offset, r.size, r.format, r.width, r.height, r.channel, r.line_stride,
       r.surf_stride);
  }
};
static_assert(byte_size<emulator_buffer>() == 26);

}  // namespace nvdlac::emit::firmware

namespace nvdlac::emit {

// Names what cannot be expressed: "sdp.x1_op.mode is 7, of which ..."
[[noreturn]] inline void not_supported(std::string_view field, long long value,
                                       std::string_view what) {
  throw error(text("the descriptor field ", field, " is ", value, ": ", what));
}

// The value in the descriptor's type; one that does not fit is an `error` that names the field.
template <std::integral To, std::integral From>
constexpr To narrow(From value, std::string_view field) {
  if (!std::in_range<To>(value))
    throw error(text("the value ", value, " does not fit the descriptor field ", field));
  return static_cast<To>(value);
}

inline void expect(bool holds, std::string_view field, long long value, std::string_view what) {
  if (!holds) not_supported(field, value, what);
}

inline firmware::cube encode(const layer::surface& s, std::string_view field) {
  firmware::cube c;
  const bool flying = s.at.on_the_fly();
  c.type = static_cast<std::uint16_t>(flying ? firmware::memory::hardware : firmware::memory::dram);
  if (!flying) {
    c.address = narrow<std::int16_t>(s.at.buffer, field);
    c.offset = narrow<std::uint32_t>(s.at.offset, field);
  }
  c.size = narrow<std::uint32_t>(s.size, field);
  c.width = narrow<std::uint16_t>(s.shape.w, field);
  c.height = narrow<std::uint16_t>(s.shape.h, field);
  c.channel = narrow<std::uint16_t>(s.shape.c, field);
  c.line_stride = s.line_stride;
  c.surf_stride = s.surface_stride;
  return c;
}

inline layer::location decode_location(const firmware::cube& c, std::string_view field) {
  if (c.type == static_cast<std::uint16_t>(firmware::memory::hardware)) return {};
  expect(c.type == static_cast<std::uint16_t>(firmware::memory::dram), field, c.type,
         "only memory type 0 (DRAM) and 2 (hardware) are supported");
  expect(c.address >= 0, field, c.address, "a cube in memory needs an address");
  return {c.address, c.offset};
}

// Cubes of data are never empty.
inline layer::surface decode(const firmware::cube& c, std::string_view field) {
  const auto at = decode_location(c, field);
  expect(c.width > 0 && c.height > 0 && c.channel > 0, field, 0, "the cube is empty");
  expect(c.plane_stride == 0, field, c.plane_stride, "plane strides are for Rubik only");
  return {at, {c.channel, c.height, c.width}, c.line_stride, c.surf_stride, c.size};
}

inline firmware::cvt encode(const converter& c, bool enable) {
  return {c.scale, c.shift, enable, c.offset};
}
inline converter decode(const firmware::cvt& c) { return {c.offset, c.scale, c.truncate}; }

}  // namespace nvdlac::emit

namespace nvdlac::emit {

struct convolution_descriptor {
  firmware::conv_op op{};
  firmware::conv_surface surface{};
};

// Values that do not fit are an `error` that names the field.
inline convolution_descriptor encode(const layer::convolution& l, bytes atom) {
  convolution_descriptor d;
  auto& op = d.op;
  const auto& w = l.window;
  op.data_reuse = l.data_reuse;
  op.weight_reuse = l.weight_reuse;
  op.skip_data_rls = l.skip_data_release;
  op.skip_weight_rls = l.skip_weight_release;
  op.entry_per_slice = l.entries_per_slice;
  op.data_format = static_cast<std::uint8_t>(l.format);
  op.fetch_grain = l.fetch_grain;
  op.data_bank = l.data_banks;
  op.weight_bank = l.weight_banks;
  op.pixel_override = l.pixels_signed;
  op.release = l.release;
  op.input_width_csc = narrow<std::uint16_t>(l.input.shape.w, "conv.input_width_csc");
  op.input_height_csc = narrow<std::uint16_t>(l.input.shape.h, "conv.input_height_csc");
  op.input_channel_csc = narrow<std::uint16_t>(l.input.shape.c, "conv.input_channel_csc");
  op.kernel_width_csc = narrow<std::uint16_t>(l.kernel_width_csc(), "conv.kernel_width_csc");
  op.kernel_height_csc = narrow<std::uint16_t>(w.kernel_h, "conv.kernel_height_csc");
  // Pixels: a line of a kernel is one row of channels.
  op.kernel_channel_csc = narrow<std::uint16_t>(
      std::int64_t{l.input.shape.c} * (l.is_pixel() ? w.kernel_w : 1), "conv.kernel_channel_csc");
  op.input_width_cmac = narrow<std::uint16_t>(l.output.w, "conv.input_width_cmac");
  op.input_height_cmac = narrow<std::uint16_t>(l.output.h, "conv.input_height_cmac");
  op.bytes_per_kernel = narrow<std::uint32_t>(l.bytes_per_kernel(), "conv.bytes_per_kernel");
  op.mean_ry = l.mean[0];
  op.mean_gu = l.mean[1];
  op.mean_bv = l.mean[2];
  op.mean_ax = l.mean[3];
  op.mean_format = l.use_mean;
  op.conv_stride_x = narrow<std::uint8_t>(w.stride_w, "conv.conv_stride_x");
  op.conv_stride_y = narrow<std::uint8_t>(w.stride_h, "conv.conv_stride_y");
  op.pad_x_left = narrow<std::uint8_t>(w.pad_left, "conv.pad_x_left");
  op.pad_x_right = narrow<std::uint8_t>(w.pad_right, "conv.pad_x_right");
  op.pad_y_top = narrow<std::uint8_t>(w.pad_top, "conv.pad_y_top");
  op.pad_y_bottom = narrow<std::uint8_t>(w.pad_bottom, "conv.pad_y_bottom");
  op.dilation_x = narrow<std::uint8_t>(w.dilation_w, "conv.dilation_x");
  op.dilation_y = narrow<std::uint8_t>(w.dilation_h, "conv.dilation_y");
  op.pad_val = l.pad_value;
  op.in_cvt = encode(l.cvt, l.convert);
  op.out_cvt = {1, l.truncate, 1, 0};

  auto weights = l.weights;
  weights.shape = {l.input.shape.c, w.kernel_h, w.kernel_w};  // not read by the firmware
  d.surface.weight = encode(weights, "conv.weight_data");
  d.surface.src = encode(l.input, "conv.src_data");
  // The result goes to SDP; CACC wants the strides of the packed cube all the same.
  d.surface.dst = encode(layer::packed(l.output, atom), "conv.dst_data");
  return d;
}

namespace detail {

inline void check(const convolution_descriptor& d) {
  const auto& op = d.op;
  const auto& src = d.surface.src;
  expect(op.conv_mode == 0, "conv.conv_mode", op.conv_mode, "only direct convolution is supported");
  expect(op.weight_format == 0, "conv.weight_format", op.weight_format,
         "compressed weights are not supported");
  expect(op.batch == 1, "conv.batch", op.batch, "only single pictures are supported");
  expect(op.post_extension == 0, "conv.post_extension", op.post_extension, "must be 0");
  expect(op.pra_truncate == 0, "conv.pra_truncate", op.pra_truncate, "must be 0");
  expect(op.pixel_mapping == 0, "conv.pixel_mapping", op.pixel_mapping, "must be pitch linear");
  expect(op.in_precision == 0, "conv.in_precision", op.in_precision, "only int8 is supported");
  expect(op.out_precision == 0, "conv.out_precision", op.out_precision, "only int8 is supported");
  expect(op.out_cvt.scale == 1, "conv.out_cvt.scale", op.out_cvt.scale, "must be 1");
  expect(op.out_cvt.offset == 0, "conv.out_cvt.offset", op.out_cvt.offset, "must be 0");
  expect(d.surface.offset_u == 0, "conv.offset_u", d.surface.offset_u,
         "planar pictures are not supported");
  const auto format = static_cast<layer::pixel_format>(op.data_format);
  expect(format == layer::pixel_format::feature || format == layer::pixel_format::r8 ||
             format == layer::pixel_format::a8b8g8r8 || format == layer::pixel_format::x8b8g8r8,
         "conv.data_format", op.data_format, "only features, R8, A8B8G8R8 and X8B8G8R8 are supported");
  expect(op.input_width_csc == src.width, "conv.input_width_csc", op.input_width_csc,
         "is not the input's width");
  expect(op.input_height_csc == src.height, "conv.input_height_csc", op.input_height_csc,
         "is not the input's height");
  expect(op.input_channel_csc == src.channel, "conv.input_channel_csc", op.input_channel_csc,
         "is not the input's number of channels");
  expect(op.kernel_width_csc > 0 && op.kernel_height_csc > 0, "conv.kernel_width_csc",
         op.kernel_width_csc, "the kernel is empty");
  for (const auto value : {op.conv_stride_x, op.conv_stride_y, op.dilation_x, op.dilation_y,
                           op.data_bank, op.weight_bank})
    expect(value > 0, "conv", value, "strides, dilations and banks are at least 1");
  for (const auto value : {op.entry_per_slice, op.fetch_grain, op.release})
    expect(value > 0, "conv", value, "entries, grains and slices are at least 1");
  expect(d.surface.dst.type == static_cast<std::uint16_t>(firmware::memory::hardware),
         "conv.dst_data.type", d.surface.dst.type, "the result must go to SDP");
}

}  // namespace detail

// What `layer::convolution` cannot express is an `error` that names the field.
inline layer::convolution decode(const convolution_descriptor& d) {
  detail::check(d);
  const auto& op = d.op;
  layer::convolution l;
  l.input = decode(d.surface.src, "conv.src_data");
  expect(!l.input.at.on_the_fly(), "conv.src_data.type", 2, "the input must be in memory");
  l.format = static_cast<layer::pixel_format>(op.data_format);
  l.weights = {decode_location(d.surface.weight, "conv.weight_data"), {}, 0, 0,
               d.surface.weight.size};
  expect(!l.weights.at.on_the_fly(), "conv.weight_data.type", 2, "weights must be in memory");
  l.output = decode(d.surface.dst, "conv.dst_data").shape;
  l.window.kernel_h = op.kernel_height_csc;
  l.window.kernel_w = l.is_pixel() ? op.kernel_channel_csc / l.input.shape.c : op.kernel_width_csc;
  expect(l.window.kernel_w > 0 &&
             op.kernel_channel_csc == l.input.shape.c * (l.is_pixel() ? l.window.kernel_w : 1) &&
             op.kernel_width_csc == l.kernel_width_csc(),
         "conv.kernel_channel_csc", op.kernel_channel_csc, "does not fit the input's channels");
  l.window.stride_w = op.conv_stride_x;
  l.window.stride_h = op.conv_stride_y;
  l.window.pad_left = op.pad_x_left;
  l.window.pad_right = op.pad_x_right;
  l.window.pad_top = op.pad_y_top;
  l.window.pad_bottom = op.pad_y_bottom;
  l.window.dilation_w = op.dilation_x;
  l.window.dilation_h = op.dilation_y;
  l.pad_value = op.pad_val;
  l.mean = {op.mean_ry, op.mean_gu, op.mean_bv, op.mean_ax};
  l.use_mean = op.mean_format != 0;
  l.pixels_signed = op.pixel_override != 0;
  l.convert = op.in_cvt.enable != 0;
  l.cvt = decode(op.in_cvt);
  l.entries_per_slice = op.entry_per_slice;
  l.data_banks = op.data_bank;
  l.weight_banks = op.weight_bank;
  l.fetch_grain = op.fetch_grain;
  l.release = op.release;
  l.data_reuse = op.data_reuse != 0;
  l.weight_reuse = op.weight_reuse != 0;
  l.skip_data_release = op.skip_data_rls != 0;
  l.skip_weight_release = op.skip_weight_rls != 0;
  l.truncate = op.out_cvt.truncate;
  expect(op.bytes_per_kernel == l.bytes_per_kernel(), "conv.bytes_per_kernel", op.bytes_per_kernel,
         "is not the size of a kernel");
  expect(op.input_width_cmac == l.output.w && op.input_height_cmac == l.output.h,
         "conv.input_width_cmac", op.input_width_cmac, "is not the output's width");
  return l;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

struct softmax_descriptor {
  firmware::emulator_softmax op{};
  firmware::emulator_buffer src{}, dst{};
};

namespace detail {

// The runtime knows feature cubes of 8 and of 32 channels; a softmax reads its channels one behind
// the other, so that the format matters for others only.
inline firmware::emulator_buffer encode_buffer(const layer::surface& s, bytes atom,
                                               std::string_view field) {
  const auto c = emit::encode(s, field);
  const auto format =
      atom.n == 8 ? firmware::emulator_format::int8_x8 : firmware::emulator_format::int8;
  return {c.address, c.offset, c.size,        static_cast<std::uint16_t>(format), c.width,
          c.height,  c.channel, c.line_stride, c.surf_stride};
}

inline layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field) {
  expect(b.format <= static_cast<std::uint16_t>(firmware::emulator_format::int8_x8), field,
         b.format, "only int8 is supported");
  firmware::cube c;
  c.address = b.address;
  c.offset = b.offset;
  c.size = b.size;
  c.width = b.width;
  c.height = b.height;
  c.channel = b.channel;
  c.line_stride = b.line_stride;
  c.surf_stride = b.surf_stride;
  return emit::decode(c, field);
}

}  // namespace detail

inline softmax_descriptor encode(const layer::host_softmax& l, bytes atom) {
  softmax_descriptor d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data");
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data");
  return d;
}

inline layer::host_softmax decode(const softmax_descriptor& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  l.input = detail::decode_buffer(d.src, "softmax.src_data");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

struct pdp_descriptor {
  firmware::pdp_op op{};
  firmware::pdp_surface surface{};
};

// Values that do not fit are an `error` that names the field.
inline pdp_descriptor encode(const layer::pdp& l) {
  pdp_descriptor d;
  auto& op = d.op;
  const auto& w = l.window;
  op.partial_in_width_first = l.split.in_first;
  op.partial_in_width_mid = l.split.in_mid;
  op.partial_in_width_last = l.split.in_last;
  op.partial_width_first = l.split.out_first;
  op.partial_width_mid = l.split.out_mid;
  op.partial_width_last = l.split.out_last;
  op.split_num = l.split.parts;
  op.pool_mode = static_cast<std::uint8_t>(l.kind);
  op.pool_width = narrow<std::uint8_t>(w.kernel_w - 1, "pdp.pool_width");
  op.pool_height = narrow<std::uint8_t>(w.kernel_h - 1, "pdp.pool_height");
  op.stride_x = narrow<std::uint8_t>(w.stride_w, "pdp.stride_x");
  op.stride_y = narrow<std::uint8_t>(w.stride_h, "pdp.stride_y");
  op.pad_left = narrow<std::uint8_t>(w.pad_left, "pdp.pad_left");
  op.pad_right = narrow<std::uint8_t>(w.pad_right, "pdp.pad_right");
  op.pad_top = narrow<std::uint8_t>(w.pad_top, "pdp.pad_top");
  op.pad_bottom = narrow<std::uint8_t>(w.pad_bottom, "pdp.pad_bottom");
  for (std::int32_t i = 0; i < 7; ++i)
    op.padding_value[static_cast<std::size_t>(i)] = (i + 1) * l.pad_value;
  d.surface.src = encode(l.input, "pdp.src_data");
  d.surface.dst = encode(l.output, "pdp.dst_data");
  return d;
}

// What `layer::pdp` cannot express, and what the firmware refuses, is an `error`.
inline layer::pdp decode(const pdp_descriptor& d) {
  const auto& op = d.op;
  expect(op.precision == 0, "pdp.precision", op.precision, "only int8 is supported");
  expect(op.pool_mode <= 1, "pdp.pool_mode", op.pool_mode, "only average and maximum are supported");
  expect(op.pool_width < 8, "pdp.pool_width", op.pool_width, "is 8 at most, stored as 7");
  expect(op.pool_height < 8, "pdp.pool_height", op.pool_height, "is 8 at most, stored as 7");
  expect(op.stride_x >= 1 && op.stride_x <= 8, "pdp.stride_x", op.stride_x, "must be 1 to 8");
  expect(op.stride_y >= 1 && op.stride_y <= 8, "pdp.stride_y", op.stride_y, "must be 1 to 8");
  expect(op.split_num >= 1 && op.split_num <= 64, "pdp.split_num", op.split_num, "must be 1 to 64");
  layer::pdp l;
  l.input = decode(d.surface.src, "pdp.src_data");
  l.output = decode(d.surface.dst, "pdp.dst_data");
  expect(!l.output.at.on_the_fly(), "pdp.dst_data.type", 2, "the result must go to memory");
  expect(op.split_num == 1 || !l.input.at.on_the_fly(), "pdp.split_num", op.split_num,
         "must be 1 behind SDP");
  l.kind = static_cast<net::pool_kind>(op.pool_mode);
  l.window = {op.pool_height + 1, op.pool_width + 1, op.stride_y,   op.stride_x, op.pad_top,
              op.pad_left,        op.pad_bottom,     op.pad_right, 1,           1};
  expect(std::in_range<std::int16_t>(op.padding_value[0]), "pdp.padding_value", op.padding_value[0],
         "has more than 16 bits");
  l.pad_value = static_cast<std::int16_t>(op.padding_value[0]);
  for (std::int32_t i = 0; i < 7; ++i) {
    const auto value = op.padding_value[static_cast<std::size_t>(i)];
    expect(value == (i + 1) * l.pad_value, "pdp.padding_value", value,
           "is not a multiple of the first");
  }
  l.split = {op.split_num,          op.partial_in_width_first, op.partial_in_width_mid,
             op.partial_in_width_last, op.partial_width_first, op.partial_width_mid,
             op.partial_width_last};
  return l;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

struct sdp_descriptor {
  firmware::sdp_op op{};
  firmware::sdp_surface surface{};
};

namespace detail {

inline firmware::sdp_sub_op encode_unit(const layer::sdp_unit& u) {
  if (!u.enabled()) return {};
  firmware::sdp_sub_op s;
  s.enable = 1;
  s.alu_type = static_cast<std::uint8_t>(u.algorithm);
  s.type = static_cast<std::uint8_t>((u.alu ? 2 : 0) | (u.mul ? 1 : 0));
  // The firmware turns the read DMA on for any other mode, even when nothing is read.
  s.mode = u.alu || u.mul ? static_cast<std::uint8_t>(u.mode) : std::uint8_t{0};
  s.act = u.relu;
  s.shift_value = u.alu_shift;
  s.truncate = u.mul_shift;
  s.precision = u.operand_bytes == 1 ? 0 : 1;
  s.alu_operand = u.alu_operand;
  s.mul_operand = u.mul_operand;
  return s;
}

inline firmware::cube encode_operands(const layer::sdp_unit& u, net::shape shape, bytes atom,
                                      std::string_view field) {
  if (!reads_memory(u)) return {};
  auto s = u.operands;
  if (u.mode == layer::sdp_mode::per_kernel) {
    s.shape = {shape.c, 1, 1};
    s.line_stride = s.surface_stride = operand_unit(u, atom);
  }
  return encode(s, field);
}

inline layer::sdp_unit decode_unit(const firmware::sdp_sub_op& s, const firmware::cube& operands,
                                   const std::string& field) {
  layer::sdp_unit u;
  if (s.enable == 0) return u;
  expect(s.type <= 3, field + ".type", s.type, "no such operation");
  expect(s.alu_type <= 2, field + ".alu_type", s.alu_type, "only max, min and sum are supported");
  expect(s.act <= 1, field + ".act", s.act, "only ReLU is supported");
  expect(s.mode <= 2, field + ".mode", s.mode, "no such mode");
  expect(s.precision <= 1, field + ".precision", s.precision, "only int8 and int16 are supported");
  u.alu = (s.type & 2) != 0;
  u.mul = (s.type & 1) != 0;
  u.relu = s.act == 1;
  expect(u.enabled(), field + ".enable", s.enable, "the unit has nothing to do");
  u.algorithm = static_cast<layer::sdp_alu>(s.alu_type);
  u.mode = static_cast<layer::sdp_mode>(s.mode);
  u.alu_shift = s.shift_value;
  u.mul_shift = s.truncate;
  u.operand_bytes = s.precision == 0 ? 1 : 2;
  expect(std::in_range<std::int16_t>(s.alu_operand), field + ".alu_operand", s.alu_operand,
         "has more than 16 bits");
  expect(std::in_range<std::int16_t>(s.mul_operand), field + ".mul_operand", s.mul_operand,
         "has more than 16 bits");
  u.alu_operand = static_cast<std::int16_t>(s.alu_operand);
  u.mul_operand = static_cast<std::int16_t>(s.mul_operand);
  if (!reads_memory(u)) return u;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = decode(operands, field);
  else
    u.operands = {decode_location(operands, field), {}, 0, 0, operands.size};
  expect(!u.operands.at.on_the_fly(), field, 2, "operands must be in memory");
  return u;
}

}  // namespace detail

// Values that do not fit are an `error` that names the field.
inline sdp_descriptor encode(const layer::sdp& l, bytes atom) {
  sdp_descriptor d;
  d.op.out_cvt = encode(l.out, true);
  d.op.x1 = detail::encode_unit(l.x1);
  d.op.x2 = detail::encode_unit(l.x2);
  d.surface.src = encode(l.input, "sdp.src_data");
  d.surface.x1 = detail::encode_operands(l.x1, l.input.shape, atom, "sdp.x1_data");
  d.surface.x2 = detail::encode_operands(l.x2, l.input.shape, atom, "sdp.x2_data");
  d.surface.dst = encode(l.output, "sdp.dst_data");
  return d;
}

// What `layer::sdp` cannot express is an `error` that names the field.
inline layer::sdp decode(const sdp_descriptor& d) {
  const auto& op = d.op;
  expect(op.src_precision == 0, "sdp.src_precision", op.src_precision, "only int8 is supported");
  expect(op.dst_precision == 0, "sdp.dst_precision", op.dst_precision, "only int8 is supported");
  expect(op.lut_index == -1, "sdp.lut_index", op.lut_index, "look-up tables are not supported");
  expect(op.conv_mode == 0, "sdp.conv_mode", op.conv_mode, "only direct convolution is supported");
  expect(op.batch_num <= 1, "sdp.batch_num", op.batch_num, "only single pictures are supported");
  expect(op.y.enable == 0, "sdp.y_op.enable", op.y.enable, "the Y unit is not supported");
  layer::sdp l;
  l.input = decode(d.surface.src, "sdp.src_data");
  l.x1 = detail::decode_unit(op.x1, d.surface.x1, "sdp.x1_op");
  l.x2 = detail::decode_unit(op.x2, d.surface.x2, "sdp.x2_op");
  l.out = decode(op.out_cvt);
  l.output = decode(d.surface.dst, "sdp.dst_data");
  return l;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

using plan::engine_of;

// Calls f with every surface in memory (or on the fly) that the layer names.
template <class Layer, class F>
constexpr void for_each_surface(Layer& l, F&& f) {
  std::visit([&](auto& what) {
    using type = std::remove_cvref_t<decltype(what)>;
    f(what.input);
    if constexpr (std::is_same_v<type, layer::convolution>) {
      f(what.weights);
    } else {
      f(what.output);
    }
    if constexpr (std::is_same_v<type, layer::sdp>) {
      if (reads_memory(what.x1)) f(what.x1.operands);
      if (reads_memory(what.x2)) f(what.x2.operands);
    }
  }, l);
}

// Appends an element to the operation list and one to the surface list.
inline void encode(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                   std::vector<std::uint8_t>& surfaces) {
  const auto append = [&](const auto& d) {
    write_record(operations, d.op, firmware::operation_bytes);
    write_record(surfaces, d.surface, firmware::surface_bytes);
  };
  if (const auto* c = std::get_if<layer::convolution>(&l)) append(encode(*c, atom));
  if (const auto* s = std::get_if<layer::sdp>(&l)) append(encode(*s, atom));
  if (const auto* p = std::get_if<layer::pdp>(&l)) append(encode(*p));
}

// Element `index` of both lists, of the engine `type`. What cannot be decoded is an `error` that
// names the operation and the field.
inline layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                         std::span<const std::uint8_t> surfaces, std::size_t index) {
  const auto of = [&]<class Descriptor>(Descriptor d) -> layer::any {
    d.op = read_record<decltype(d.op)>(operations, index, firmware::operation_bytes);
    d.surface = read_record<decltype(d.surface)>(surfaces, index, firmware::surface_bytes);
    return decode(d);
  };
  try {
    switch (static_cast<plan::engine>(type)) {
      case plan::engine::convolution: return of(convolution_descriptor{});
      case plan::engine::sdp: return of(sdp_descriptor{});
      case plan::engine::pdp: return of(pdp_descriptor{});
      default: throw error(text("the operation type ", type, " is not supported"));
    }
  } catch (const error& e) {
    throw error(problem{.layer = text("operation ", index), .reason = e.problems().front().reason});
  }
}

constexpr firmware::consumer encode(const plan::link& l) {
  return {l.operation, static_cast<std::uint8_t>(l.event)};
}

// Appends an element to the dependency graph.
inline void encode_dependencies(const plan::operation& op, std::size_t index,
                                std::vector<std::uint8_t>& graph) {
  firmware::common c;
  c.index = narrow<std::int16_t>(index, "common.index");
  c.op_type = static_cast<std::uint8_t>(engine_of(op.layer.what));
  c.dependency_count = op.dependency_count;
  for (std::size_t e = 0; e < plan::engines; ++e) c.consumers[e] = encode(op.consumers[e]);
  c.fused_parent = encode(op.fused_parent);
  write_record(graph, c, byte_size<firmware::common>());
}

}  // namespace nvdlac::emit
// The contents of an NVDLA loadable: the lists of its FlatBuffers schema as plain values. Ids are
// positions in their list, as the public runtime takes them.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nvdlac::emit {

// The names and numbers of the schema and of the runtime's interfaces.
namespace loadable_code {

inline constexpr std::uint32_t none = 0, dla1 = 1, emu1 = 2;          // interfaces
inline constexpr std::uint32_t addr0 = 1, deps = 2, ops = 3, surfs = 4, luts = 5;
inline constexpr std::uint16_t alloc = 1, set = 2, input = 4, output = 8;  // memory flags
inline constexpr std::uint8_t wait = 0, signal = 1;                   // events
inline constexpr std::uint8_t line_stride = 1, surface_stride = 2;    // relocations
inline constexpr std::uint8_t nhwc = 2, ncxhwx = 3;                   // tensor data format
inline constexpr std::uint8_t int8 = 4, uint8 = 5;                    // tensor data type
inline constexpr std::uint8_t image = 0, feature = 2;                 // tensor data category
inline constexpr std::uint8_t pixel_feature = 36, pixel_feature_x8 = 37;

}  // namespace loadable_code

// Major, minor, sub-minor.
using loadable_version = std::array<std::uint8_t, 3>;

struct loadable_image {
  struct blob {
    std::string name;
    std::uint32_t interface = loadable_code::none, sub_interface = 0;
    loadable_version version{};
    std::vector<std::uint8_t> data{};

    bool operator==(const blob&) const = default;
  };
  struct memory {
    std::uint8_t domain = 0;  // 0 system, 1 SRAM
    std::uint16_t flags = 0;
    std::uint64_t size = 0;
    std::uint32_t alignment = 4096;
    std::vector<std::string> contents{};   // names of blobs
    std::vector<std::uint64_t> offsets{};  // of the contents
    std::uint16_t bind_id = 0, tensor_desc_id = 0;

    bool bindable() const { return (flags & (loadable_code::input | loadable_code::output)) != 0; }
    bool operator==(const memory&) const = default;
  };
  struct event {
    std::uint8_t type = 0;
    std::uint16_t target = 0;
    std::uint32_t val = 0;
    std::uint8_t op = loadable_code::wait;

    bool operator==(const event&) const = default;
  };
  struct task {
    std::uint32_t interface = loadable_code::dla1;
    std::int16_t instance = -1;
    std::vector<std::uint16_t> addresses{}, pre_actions{}, post_actions{};

    bool operator==(const task&) const = default;
  };
  struct address {
    std::uint16_t memory = 0;
    std::uint64_t offset = 0, size = 0;

    bool operator==(const address&) const = default;
  };
  struct submission {
    std::vector<std::uint16_t> tasks{};

    bool operator==(const submission&) const = default;
  };
  struct tensor {
    std::string name;
    std::uint16_t memory = 0;
    std::uint64_t size = 0, offset = 0;
    std::uint8_t data_format = 0, data_type = 0, data_category = 0, pixel_format = 0,
                 pixel_mapping = 0;
    std::int32_t n = 1, c = 1, h = 1, w = 1;
    std::array<std::uint32_t, 8> stride{};  // bytes of an element, a line, a surface, a plane

    bool operator==(const tensor&) const = default;
  };
  struct relocation {
    std::uint16_t address = 0, write = 0;  // address list entry of the tensor; memory to patch
    std::uint64_t offset = 0;              // bytes into the memory
    std::uint32_t interface = 0, sub_interface = 0;
    std::uint8_t type = 0;

    bool operator==(const relocation&) const = default;
  };

  loadable_version version{0, 7, 0};
  std::vector<task> tasks{};
  std::vector<memory> memories{};
  std::vector<address> addresses{};
  std::vector<event> events{};
  std::vector<blob> blobs{};
  std::vector<tensor> tensors{};
  std::vector<relocation> relocations{};
  std::vector<submission> submissions{};

  // The blob of that name, or null.
  const blob* find(std::string_view name) const {
    for (const auto& b : blobs)
      if (b.name == name) return &b;
    return nullptr;
  }

  bool operator==(const loadable_image&) const = default;
};

}  // namespace nvdlac::emit
// What the loadable's schema has no place for, in the blob "nvdlac.json" (interface NONE) that no
// memory refers to: the product it is made for, scales and preprocessing of the tensors, and the
// names of the hardware layers. The public runtime copies such a blob and never looks at it.
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>


namespace nvdlac::emit {

inline constexpr std::string_view notes_name = "nvdlac.json";

struct loadable_notes {
  struct tensor {
    std::string name;
    net::shape shape{};  // as the network sees it
    double scale = 1.0;  // real = scale * integer
    std::optional<net::integer::pixels> pixels{};
  };

  std::string network, hardware;
  // What a program depends on: atom, MAC channels and kernels, CBUF banks, entry and entries.
  std::vector<std::uint32_t> parameters{};
  std::vector<tensor> inputs{}, outputs{};
  std::vector<std::vector<std::string>> layers{};  // by task
};

// The parameters of a product that a program for another one may not share.
constexpr std::array<std::uint32_t, 6> program_parameters(const hw::spec& s) {
  return {s.memory_atom, s.mac_atomic_c, s.mac_atomic_k,
          s.cbuf_banks,  s.cbuf_entry,   s.cbuf_entries_per_bank};
}

template <hw::hardware Hw>
loadable_notes notes_of(const plan::program<Hw>& p) {
  loadable_notes n{.network = p.network, .hardware = std::string(type_name<Hw>())};
  constexpr auto parameters = program_parameters(Hw::spec);
  n.parameters.assign(parameters.begin(), parameters.end());
  for (const auto& b : p.inputs) n.inputs.push_back({b.name, b.shape, b.scale, b.pixels});
  for (const auto& b : p.outputs) n.outputs.push_back({b.name, b.shape, b.scale, b.pixels});
  for (const auto& t : p.tasks) {
    n.layers.emplace_back();
    for (const auto& op : t.operations) n.layers.back().push_back(op.layer.name);
  }
  return n;
}

namespace detail {

inline nlohmann::json to_json(const loadable_notes::tensor& t) {
  nlohmann::json j{{"name", t.name}, {"shape", {t.shape.c, t.shape.h, t.shape.w}},
                   {"scale", t.scale}};
  if (t.pixels)
    j["pixels"] = {{"mean", t.pixels->mean},
                   {"offset", t.pixels->cvt.offset},
                   {"scale", t.pixels->cvt.scale},
                   {"shift", t.pixels->cvt.shift}};
  return j;
}

inline loadable_notes::tensor tensor_from(const nlohmann::json& j) {
  const auto shape = j.at("shape").get<std::array<std::int32_t, 3>>();
  loadable_notes::tensor t{j.at("name"), {shape[0], shape[1], shape[2]}, j.at("scale"), {}};
  if (const auto p = j.find("pixels"); p != j.end())
    t.pixels = net::integer::pixels{p->at("mean"), {p->at("offset"), p->at("scale"), p->at("shift")}};
  return t;
}

// Names of a model's file may hold any bytes; those that are not UTF-8 are replaced.
inline std::string dump(const nlohmann::json& j) {
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace detail

inline std::string to_json(const loadable_notes& n) {
  nlohmann::json j{{"network", n.network},
                   {"hardware", n.hardware},
                   {"parameters", n.parameters},
                   {"inputs", nlohmann::json::array()},
                   {"outputs", nlohmann::json::array()},
                   {"layers", n.layers}};
  for (const auto& t : n.inputs) j["inputs"].push_back(detail::to_json(t));
  for (const auto& t : n.outputs) j["outputs"].push_back(detail::to_json(t));
  return detail::dump(j);
}

// Text that is not such notes is an `error`.
inline loadable_notes notes_from_json(std::string_view json) {
  try {
    const auto j = nlohmann::json::parse(json);
    loadable_notes n{.network = j.at("network"),
                     .hardware = j.at("hardware"),
                     .parameters = j.at("parameters"),
                     .layers = j.at("layers")};
    for (const auto& t : j.at("inputs")) n.inputs.push_back(detail::tensor_from(t));
    for (const auto& t : j.at("outputs")) n.outputs.push_back(detail::tensor_from(t));
    return n;
  } catch (const nlohmann::json::exception& e) {
    throw error(text("the blob ", notes_name, " is corrupt: ", e.what()));
  }
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {
namespace detail {

inline constexpr std::uint64_t page = 4096;
inline constexpr std::size_t context_addresses = 6;  // of every task

class loadable_builder {
 public:
  loadable_builder(const plan::program_data& p, bytes atom) : p_(p), atom_(atom) {
    add_pools();
    for (const auto& b : p.inputs) add_binding(b, loadable_code::input);
    for (const auto& b : p.outputs) add_binding(b, loadable_code::output);
    instructions_ = image_.addresses.size() - 1;  // address 0 is nobody's
    for (std::size_t t = 0; t < p.tasks.size(); ++t) add_task(t);
  }

  loadable_image take() && { return std::move(image_); }

 private:
  static constexpr firmware::cube empty{};

  static std::uint16_t id(std::size_t n) { return narrow<std::uint16_t>(n, "loadable ids"); }

  std::uint16_t add_memory(loadable_image::memory m) {
    image_.memories.push_back(std::move(m));
    return id(image_.memories.size() - 1);
  }
  void add_address(std::uint16_t memory) {
    image_.addresses.push_back({memory, 0, image_.memories[memory].size});
  }

  void add_pools() {
    using namespace loadable_code;
    add_address(add_memory({.flags = alloc, .size = page}));
    loadable_image::memory weights{.flags = alloc | set,
                                   .size = align_up(std::max(p_.weights_size, page), page)};
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const auto& b = p_.buffers[i];
      if (b.memory != plan::memory::weights || b.content.empty()) continue;
      image_.blobs.push_back({.name = text("tb-", i), .data = b.content});
      weights.contents.push_back(image_.blobs.back().name);
      weights.offsets.push_back(b.offset);
    }
    add_address(add_memory(std::move(weights)));
    add_address(add_memory(
        {.flags = alloc, .size = align_up(std::max(p_.features_size, page), page)}));
  }

  // The format of a picture is that of the convolution that reads it.
  layer::pixel_format format_of(std::int32_t buffer) const {
    for (const auto& t : p_.tasks)
      for (const auto& op : t.operations)
        if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
          if (c->input.at.buffer == buffer) return c->format;
    return layer::pixel_format::feature;
  }

  void add_binding(const plan::binding& b, std::uint16_t direction) {
    using namespace loadable_code;
    const auto buffer = b.surface.at.buffer;
    const auto& s = b.surface;
    const bool in = direction == loadable_code::input;
    const auto tensor_id = id(image_.tensors.size());
    const auto memory = add_memory({.flags = static_cast<std::uint16_t>(alloc | direction),
                                    .size = p_.buffers.at(static_cast<std::size_t>(buffer)).size,
                                    .bind_id = in ? tensor_id : id(tensor_id - p_.inputs.size()),
                                    .tensor_desc_id = tensor_id});
    bindings_[buffer] = static_cast<std::int32_t>(image_.addresses.size());
    add_address(memory);
    const auto format = in ? format_of(buffer) : layer::pixel_format::feature;
    const bool pixels = format != layer::pixel_format::feature;
    // The runtime keeps 80 characters of a name; the whole name is in the notes.
    image_.tensors.push_back(
        {.name = b.name.substr(0, 79),
         .memory = memory,
         .size = image_.memories[memory].size,
         .data_format = pixels ? nhwc : ncxhwx,
         .data_type = pixels ? uint8 : int8,
         .data_category = pixels ? loadable_code::image : feature,
         .pixel_format = pixels          ? static_cast<std::uint8_t>(format)
                         : atom_.n == 8 ? pixel_feature_x8
                                        : pixel_feature,
         .c = s.shape.c,
         .h = s.shape.h,
         .w = s.shape.w,
         .stride = {1, s.line_stride, s.surface_stride}});
  }

  // A location as an index into a task's address list and an offset there.
  layer::location in_task(layer::location at) const {
    const auto& b = p_.buffers.at(static_cast<std::size_t>(at.buffer));
    switch (b.memory) {
      case plan::memory::weights: return {1, b.offset + at.offset};
      case plan::memory::features: return {2, b.offset + at.offset};
      default: break;
    }
    const auto bound = bindings_.find(at.buffer);
    if (bound == bindings_.end())
      throw error(problem{.layer = b.name, .reason = "no binding of the program has this buffer"});
    return {bound->second, at.offset};
  }

  layer::any relocated(layer::any l) const {
    for_each_surface(l, [&](layer::surface& s) {
      if (!s.at.on_the_fly()) s.at = in_task(s.at);
    });
    return l;
  }

  // Adds a memory of the task's context, filled with a blob if there is one.
  void add_context(std::size_t task, const char* suffix, std::uint32_t interface,
                   std::uint32_t sub_interface, std::vector<std::uint8_t> data) {
    using namespace loadable_code;
    if (*suffix == 0) return add_address(add_memory({.flags = alloc, .size = page}));
    const auto name = text("task-", task, '-', suffix);
    add_address(add_memory({.flags = alloc | set, .size = data.size(), .contents = {name},
                            .offsets = {0}}));
    // The versions of the interfaces that the public compiler targets.
    const loadable_version version =
        interface == dla1 ? loadable_version{0, 12, 3} : loadable_version{0, 0, 1};
    image_.blobs.push_back({name, interface, sub_interface, version, std::move(data)});
  }

  void add_task(std::size_t number) {
    const auto& t = p_.tasks[number];
    const auto context = image_.addresses.size();
    loadable_image::task task;
    task.interface = t.host ? loadable_code::emu1 : loadable_code::dla1;
    task.addresses.push_back(id(context));
    for (std::size_t i = 1; i <= instructions_; ++i) task.addresses.push_back(id(i));
    for (std::size_t i = 1; i < context_addresses; ++i) task.addresses.push_back(id(context + i));
    // One chain of events: each task waits for the one before and signals its own end.
    if (number > 0) {
      task.pre_actions = {id(image_.events.size())};
      image_.events.push_back({.val = static_cast<std::uint32_t>(number)});
    }
    task.post_actions = {id(image_.events.size())};
    image_.events.push_back(
        {.val = static_cast<std::uint32_t>(number + 1), .op = loadable_code::signal});
    image_.tasks.push_back(std::move(task));
    image_.submissions.push_back({{id(number)}});
    if (t.host) add_host_context(number, t);
    else add_hardware_context(number, t);
  }

  void add_hardware_context(std::size_t number, const plan::task& t) {
    using namespace loadable_code;
    firmware::network net;
    std::vector<std::uint8_t> graph, operations, surfaces, network;
    const auto surface_list = id(image_.memories.size() + 3);
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto& op = t.operations[i];
      try {
        encode_dependencies(op, i, graph);
        encode(relocated(op.layer.what), atom_, operations, surfaces);
      } catch (const error& e) {
        throw error(problem{.layer = op.layer.name, .reason = e.problems().front().reason});
      }
      const auto engine = static_cast<std::size_t>(engine_of(op.layer.what));
      auto& head = net.op_head[engine];
      if (head < 0) head = narrow<std::int16_t>(i, "network.op_head");
      relocate_cubes(plan::engine(engine), surfaces, i, surface_list);
    }
    const auto n = instructions_;
    net.dependency_graph = narrow<std::int16_t>(n + 1, "network.dependency_graph_index");
    net.operation_desc = narrow<std::int16_t>(n + 2, "network.operation_desc_index");
    net.surface_desc = narrow<std::int16_t>(n + 3, "network.surface_desc_index");
    net.lut_data = narrow<std::int16_t>(n + 4, "network.lut_data_index");
    net.num_operations = narrow<std::uint16_t>(t.operations.size(), "network.num_operations");
    net.num_addresses = id(n + context_addresses);
    write_record(network, net, byte_size<firmware::network>());
    add_context(number, "addr0", dla1, addr0, std::move(network));
    add_context(number, "dep_graph", dla1, deps, std::move(graph));
    add_context(number, "op_list", dla1, ops, std::move(operations));
    add_context(number, "surf_list", dla1, surfs, std::move(surfaces));
    add_context(number, "lut_list", dla1, luts, std::vector<std::uint8_t>(firmware::lut_bytes));
    add_context(number, "", dla1, 0, {});
  }

  // A user may change the strides of a bound tensor: where every descriptor keeps them.
  void relocate_cubes(plan::engine engine, std::span<const std::uint8_t> surfaces,
                      std::size_t index, std::uint16_t list) {
    static constexpr std::size_t cube = byte_size<firmware::cube>();
    static constexpr std::size_t convolution[]{3 * cube}, sdp[]{0, cube, 2 * cube, 4 * cube},
        pdp[]{0, cube};
    const auto cubes = engine == plan::engine::convolution ? std::span<const std::size_t>(convolution)
                       : engine == plan::engine::sdp       ? std::span<const std::size_t>(sdp)
                                                           : std::span<const std::size_t>(pdp);
    const auto start = index * firmware::surface_bytes;
    for (const auto at : cubes) {
      const auto c = read_record<firmware::cube>(surfaces.subspan(start + at), 0, cube);
      add_relocations(c.type == 0 ? c.address : std::int16_t{-1}, list, start + at + 20,
                      loadable_code::dla1);
    }
  }

  void add_relocations(std::int16_t address, std::uint16_t list, std::size_t line_at,
                       std::uint32_t interface) {
    using namespace loadable_code;
    if (address < 3) return;  // neither pool is bound by the user
    for (const auto type : {line_stride, surface_stride})
      image_.relocations.push_back({static_cast<std::uint16_t>(address), list,
                                    line_at + (type == line_stride ? 0u : 4u), interface, surfs,
                                    type});
  }

  void add_host_context(std::size_t number, const plan::task& t) {
    using namespace loadable_code;
    firmware::emulator_network net;
    std::vector<std::uint8_t> network, operations, buffers;
    const auto buffer_list = id(image_.memories.size() + 2);
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto l = relocated(t.operations[i].layer.what);
      const auto* softmax = std::get_if<layer::host_softmax>(&l);
      if (softmax == nullptr)
        throw error(problem{.layer = t.operations[i].layer.name,
                            .reason = "a hardware layer in a task of the host"});
      const auto d = encode(*softmax, atom_);
      write_record(operations, d.op, firmware::emulator_operation_bytes);
      const auto start = buffers.size();
      write_record(buffers, d.src, firmware::emulator_buffer_bytes);
      write_record(buffers, d.dst, firmware::emulator_buffer_bytes);
      add_relocations(d.src.address, buffer_list, start + 18, emu1);
      add_relocations(d.dst.address, buffer_list,
                      start + firmware::emulator_buffer_bytes + 18, emu1);
    }
    net.operation_desc = narrow<std::int16_t>(instructions_ + 1, "emulator.operation_desc_index");
    net.buffer_desc = narrow<std::int16_t>(instructions_ + 2, "emulator.buffer_desc_index");
    net.num_operations = narrow<std::uint16_t>(t.operations.size(), "emulator.num_operations");
    write_record(network, net, firmware::emulator_network_bytes);
    add_context(number, "addr0", emu1, addr0, std::move(network));
    add_context(number, "op_list", emu1, ops, std::move(operations));
    add_context(number, "op_buf_list", emu1, surfs, std::move(buffers));
    for (int dummy = 0; dummy < 3; ++dummy) add_context(number, "", emu1, 0, {});
  }

  const plan::program_data& p_;
  bytes atom_;
  loadable_image image_;
  std::map<std::int32_t, std::int32_t> bindings_;  // buffer -> address
  std::size_t instructions_ = 0;  // addresses that descriptors of any task may name
};

}  // namespace detail

// The lists of the program's loadable. What the firmware's descriptors cannot express is an
// `error` that names the layer.
template <hw::hardware Hw>
loadable_image loadable_lists(const plan::program<Hw>& p) {
  auto image = detail::loadable_builder(p, Hw::spec.atom()).take();
  const auto json = to_json(notes_of(p));
  image.blobs.push_back({.name = std::string(notes_name), .data = {json.begin(), json.end()}});
  return image;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {
namespace detail {

class flat_writer {
 public:
  std::vector<std::uint8_t> write(const loadable_image& image) {
    const auto blobs = tables(image.blobs, [&](const auto& v, auto) { return blob(v); });
    const auto tasks = tables(image.tasks, [&](const auto& v, auto id) { return task(v, id); });
    const auto memories =
        tables(image.memories, [&](const auto& v, auto id) { return memory(v, id); });
    const auto addresses =
        tables(image.addresses, [&](const auto& v, auto id) { return address(v, id); });
    const auto events = tables(image.events, [&](const auto& v, auto id) { return event(v, id); });
    const auto tensors =
        tables(image.tensors, [&](const auto& v, auto id) { return tensor(v, id); });
    const auto relocations =
        tables(image.relocations, [&](const auto& v, auto) { return relocation(v); });
    const auto submissions =
        tables(image.submissions, [&](const auto& v, auto id) { return submission(v, id); });
    using f = flat::loadable;
    const auto table = fbb_.StartTable();
    version(f::version, image.version);
    fbb_.AddOffset(f::task_list, tasks);
    fbb_.AddOffset(f::memory_list, memories);
    fbb_.AddOffset(f::address_list, addresses);
    fbb_.AddOffset(f::event_list, events);
    fbb_.AddOffset(f::blobs, blobs);
    fbb_.AddOffset(f::tensor_desc_list, tensors);
    fbb_.AddOffset(f::reloc_list, relocations);
    fbb_.AddOffset(f::submit_list, submissions);
    fbb_.Finish(flatbuffers::Offset<flatbuffers::Table>(fbb_.EndTable(table)), flat::identifier);
    return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
  }

 private:
  using offset = flatbuffers::Offset<flatbuffers::Table>;

  template <class T, class F>
  flatbuffers::Offset<flatbuffers::Vector<offset>> tables(const std::vector<T>& values, F&& make) {
    std::vector<offset> offsets;
    for (std::size_t i = 0; i < values.size(); ++i)
      offsets.push_back(make(values[i], static_cast<std::uint16_t>(i)));
    return fbb_.CreateVector(offsets);
  }
  template <class T>
  void add(flatbuffers::voffset_t field, T value) { fbb_.AddElement<T>(field, value, T{}); }
  // A struct of three bytes inside of its table.
  void version(flatbuffers::voffset_t field, const loadable_version& v) {
    const flat::version_struct s{v[0], v[1], v[2]};
    fbb_.AddStruct(field, &s);
  }

  offset blob(const loadable_image::blob& b) {
    using f = flat::blob;
    const auto name = fbb_.CreateString(b.name);
    const auto data = fbb_.CreateVector(b.data);
    const auto table = fbb_.StartTable();
    fbb_.AddOffset(f::name, name);
    add<std::uint64_t>(f::size, b.data.size());
    add(f::interface, b.interface);
    add(f::sub_interface, b.sub_interface);
    version(f::version, b.version);
    fbb_.AddOffset(f::data, data);
    return fbb_.EndTable(table);
  }
  offset memory(const loadable_image::memory& m, std::uint16_t id) {
    using f = flat::memory;
    const auto contents = fbb_.CreateVectorOfStrings(m.contents);
    const auto offsets = fbb_.CreateVector(m.offsets);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::domain, m.domain);
    add(f::flags, m.flags);
    add(f::size, m.size);
    add(f::alignment, m.alignment);
    fbb_.AddOffset(f::contents, contents);
    fbb_.AddOffset(f::offsets, offsets);
    add(f::bind_id, m.bind_id);
    add(f::tensor_desc_id, m.tensor_desc_id);
    return fbb_.EndTable(table);
  }
  offset event(const loadable_image::event& e, std::uint16_t id) {
    using f = flat::event;
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::type, e.type);
    add(f::target, e.target);
    add(f::val, e.val);
    add(f::op, e.op);
    return fbb_.EndTable(table);
  }
  offset task(const loadable_image::task& t, std::uint16_t id) {
    using f = flat::task;
    const auto addresses = fbb_.CreateVector(t.addresses);
    const auto pre = fbb_.CreateVector(t.pre_actions);
    const auto post = fbb_.CreateVector(t.post_actions);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::interface, t.interface);
    add(f::instance, t.instance);
    fbb_.AddOffset(f::address_list, addresses);
    fbb_.AddOffset(f::pre_actions, pre);
    fbb_.AddOffset(f::post_actions, post);
    return fbb_.EndTable(table);
  }
  offset address(const loadable_image::address& a, std::uint16_t id) {
    using f = flat::address;
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::mem_id, a.memory);
    add(f::offset, a.offset);
    add(f::size, a.size);
    return fbb_.EndTable(table);
  }
  offset submission(const loadable_image::submission& s, std::uint16_t id) {
    using f = flat::submission;
    const auto tasks = fbb_.CreateVector(s.tasks);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    fbb_.AddOffset(f::task_id, tasks);
    return fbb_.EndTable(table);
  }
  offset tensor(const loadable_image::tensor& t, std::uint16_t id) {
    using f = flat::tensor;
    const auto name = fbb_.CreateString(t.name);
    const auto table = fbb_.StartTable();
    fbb_.AddOffset(f::name, name);
    add(f::id, id);
    add(f::mem_id, t.memory);
    add(f::size, t.size);
    add(f::offset, t.offset);
    add(f::data_format, t.data_format);
    add(f::data_type, t.data_type);
    add(f::data_category, t.data_category);
    add(f::pixel_format, t.pixel_format);
    add(f::pixel_mapping, t.pixel_mapping);
    add(f::n, t.n);
    add(f::c, t.c);
    add(f::h, t.h);
    add(f::w, t.w);
    for (std::uint16_t i = 0; i < t.stride.size(); ++i)
      add(flat::tensor::stride(i), t.stride[i]);
    return fbb_.EndTable(table);
  }
  offset relocation(const loadable_image::relocation& r) {
    using f = flat::relocation;
    const auto table = fbb_.StartTable();
    add(f::address_id, r.address);
    add(f::write_id, r.write);
    add(f::offset, r.offset);
    add(f::interface, r.interface);
    add(f::sub_interface, r.sub_interface);
    add(f::reloc_type, r.type);
    return fbb_.EndTable(table);
  }

  flatbuffers::FlatBufferBuilder fbb_{1 << 16};
};

}  // namespace detail

// The bytes of a loadable with these lists.
inline std::vector<std::uint8_t> write_loadable(const loadable_image& image) {
  std::uint64_t total = 0;
  for (const auto& b : image.blobs) total += b.data.size();
  if (total > flat::most_bytes)
    throw error(text("the loadable would have ", total, " bytes, FlatBuffers end at 2 GiB"));
  return detail::flat_writer{}.write(image);
}

// The loadable of a program.
template <hw::hardware Hw>
std::vector<std::uint8_t> loadable(const plan::program<Hw>& p) {
  return write_loadable(loadable_lists(p));
}

}  // namespace nvdlac::emit
// Reads an NVDLA loadable. Nothing outside of the bytes is read, and no more memory is taken than a
// few times their number, whatever they contain.
#include <algorithm>
#include <span>

// Tables of a loadable's FlatBuffers file, verified field by field before anything is read.
#include <flatbuffers/flatbuffers.h>


namespace nvdlac::emit::detail {

// What the verifier asks of a table: `Self::fields` verifies all that the schema names.
template <class Self>
class flat_table : private flatbuffers::Table {
 public:
  bool Verify(flatbuffers::Verifier& v) const {
    return VerifyTableStart(v) && static_cast<const Self&>(*this).fields(v) && v.EndTable();
  }
  template <class T>
  T get(flatbuffers::voffset_t field, T otherwise = {}) const {
    return GetField<T>(field, otherwise);
  }
  std::string text_of(flatbuffers::voffset_t field) const {
    const auto* s = GetPointer<const flatbuffers::String*>(field);
    return s == nullptr ? std::string() : s->str();
  }
  loadable_version version_of(flatbuffers::voffset_t field) const {
    const auto* v = GetStruct<const flat::version_struct*>(field);
    return v == nullptr ? loadable_version{}
                        : loadable_version{v->major, v->minor, v->sub_minor};
  }
  template <class T>
  const flatbuffers::Vector<T>* vector(flatbuffers::voffset_t field) const {
    return GetPointer<const flatbuffers::Vector<T>*>(field);
  }
  template <class T>
  std::vector<T> numbers(flatbuffers::voffset_t field) const {
    const auto* v = vector<T>(field);
    return v == nullptr ? std::vector<T>() : std::vector<T>(v->begin(), v->end());
  }

 protected:
  template <class T>
  bool scalar(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<T>(v, field, sizeof(T));
  }
  bool version(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<flat::version_struct>(v, field, 1);
  }
  bool string(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyOffset(v, field) &&
           v.VerifyString(GetPointer<const flatbuffers::String*>(field));
  }
  template <class T>
  bool array(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    if (!VerifyOffset(v, field) || !v.VerifyVector(vector<T>(field))) return false;
    // The verifier looks at the alignment of the length only.
    const auto* values = vector<T>(field);
    return values == nullptr || values->size() == 0 ||
           reinterpret_cast<std::uintptr_t>(values->Data()) % sizeof(T) == 0;
  }
  bool strings(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    using offset = flatbuffers::Offset<flatbuffers::String>;
    return array<offset>(v, field) && v.VerifyVectorOfStrings(vector<offset>(field));
  }
  template <class T>
  bool tables(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return array<flatbuffers::Offset<T>>(v, field) &&
           v.VerifyVectorOfTables(vector<flatbuffers::Offset<T>>(field));
  }

};

struct flat_blob : flat_table<flat_blob> {
  using f = flat::blob;
  bool fields(flatbuffers::Verifier& v) const {
    return string(v, f::name) && scalar<std::uint64_t>(v, f::size) && scalar<std::uint32_t>(v, f::interface) &&
           scalar<std::uint32_t>(v, f::sub_interface) && version(v, f::version) &&
           array<std::uint8_t>(v, f::data);
  }
};

struct flat_memory : flat_table<flat_memory> {
  using f = flat::memory;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::domain) &&
           scalar<std::uint16_t>(v, f::flags) && scalar<std::uint64_t>(v, f::size) &&
           scalar<std::uint32_t>(v, f::alignment) && strings(v, f::contents) &&
           array<std::uint64_t>(v, f::offsets) && scalar<std::uint16_t>(v, f::bind_id) &&
           scalar<std::uint16_t>(v, f::tensor_desc_id);
  }
};

struct flat_event : flat_table<flat_event> {
  using f = flat::event;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::type) &&
           scalar<std::uint16_t>(v, f::target) && scalar<std::uint32_t>(v, f::val) &&
           scalar<std::uint8_t>(v, f::op);
  }
};

struct flat_task : flat_table<flat_task> {
  using f = flat::task;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint32_t>(v, f::interface) &&
           scalar<std::int16_t>(v, f::instance) && array<std::uint16_t>(v, f::address_list) &&
           array<std::uint16_t>(v, f::pre_actions) && array<std::uint16_t>(v, f::post_actions);
  }
};

struct flat_address : flat_table<flat_address> {
  using f = flat::address;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint16_t>(v, f::mem_id) &&
           scalar<std::uint64_t>(v, f::offset) && scalar<std::uint64_t>(v, f::size);
  }
};

struct flat_submission : flat_table<flat_submission> {
  using f = flat::submission;
  bool fields(flatbuffers::Verifier& v) const { return scalar<std::uint16_t>(v, f::id) && array<std::uint16_t>(v, f::task_id); }
};

struct flat_tensor : flat_table<flat_tensor> {
  using f = flat::tensor;
  bool fields(flatbuffers::Verifier& v) const {
    for (const auto field : {f::data_format, f::data_type, f::data_category, f::pixel_format,
                             f::pixel_mapping})
      if (!scalar<std::uint8_t>(v, field)) return false;
    for (std::uint16_t i = 0; i < 8; ++i)
      if (!scalar<std::uint32_t>(v, f::stride(i))) return false;
    return string(v, f::name) && scalar<std::uint16_t>(v, f::id) && scalar<std::uint16_t>(v, f::mem_id) &&
           scalar<std::uint64_t>(v, f::size) && scalar<std::uint64_t>(v, f::offset) &&
           scalar<std::int32_t>(v, f::n) && scalar<std::int32_t>(v, f::c) &&
           scalar<std::int32_t>(v, f::h) && scalar<std::int32_t>(v, f::w);
  }
};

struct flat_relocation : flat_table<flat_relocation> {
  using f = flat::relocation;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::address_id) && scalar<std::uint16_t>(v, f::write_id) &&
           scalar<std::uint64_t>(v, f::offset) && scalar<std::uint32_t>(v, f::interface) &&
           scalar<std::uint32_t>(v, f::sub_interface) && scalar<std::uint8_t>(v, f::reloc_type);
  }
};

struct flat_loadable : flat_table<flat_loadable> {
  using f = flat::loadable;
  bool fields(flatbuffers::Verifier& v) const {
    return version(v, f::version) && tables<flat_task>(v, f::task_list) &&
           tables<flat_memory>(v, f::memory_list) && tables<flat_address>(v, f::address_list) &&
           tables<flat_event>(v, f::event_list) && tables<flat_blob>(v, f::blobs) &&
           tables<flat_tensor>(v, f::tensor_desc_list) && tables<flat_relocation>(v, f::reloc_list) &&
           tables<flat_submission>(v, f::submit_list);
  }
};

}  // namespace nvdlac::emit::detail
// Whether the lists of a loadable fit each other, as the public runtime relies on without looking.
#include <map>
#include <set>
#include <string>


namespace nvdlac::emit {
namespace detail {

class loadable_checker {
 public:
  loadable_checker(const loadable_image& image, const std::string& file)
      : image_(image), file_(file) {}

  void run() {
    if (image_.submissions.empty() || image_.tasks.empty() || image_.memories.empty())
      say("loadable", "has no submission, task or memory");
    check_blobs();
    for (std::size_t i = 0; i < image_.memories.size(); ++i) check_memory(i);
    check_bindings(loadable_code::input, "input");
    check_bindings(loadable_code::output, "output");
    check_lists();
    found_.check();
  }

 private:
  template <class... Args>
  void say(const Args&... reason) {
    if (found_.problems().size() < 20)  // more do not help
      found_.add({.file = file_, .reason = text(reason...)});
  }

  void check_blobs() {
    for (const auto& b : image_.blobs) {
      if (b.name.empty()) say("a blob has no name");
      if (!blobs_.emplace(b.name, &b).second) say("two blobs are named '", b.name, "'");
    }
  }

  void check_memory(std::size_t i) {
    const auto& m = image_.memories[i];
    if (m.domain != 0) say("memory ", i, " is not in system memory, domain ", int{m.domain});
    if (m.size == 0) say("memory ", i, " is empty");
    if (m.contents.size() != m.offsets.size())
      return say("memory ", i, " has ", m.contents.size(), " contents and ", m.offsets.size(),
                 " offsets");
    if ((m.flags & loadable_code::set) == 0) return;
    for (std::size_t c = 0; c < m.contents.size(); ++c) {
      const auto b = blobs_.find(m.contents[c]);
      if (b == blobs_.end())
        say("memory ", i, " wants the blob '", m.contents[c], "', which is missing");
      else if (m.offsets[c] > m.size || b->second->data.size() > m.size - m.offsets[c])
        say("the blob '", b->first, "' does not fit into memory ", i);
    }
  }

  void check_bindings(std::uint16_t direction, const char* name) {
    std::set<std::uint16_t> ids;
    for (std::size_t i = 0; i < image_.memories.size(); ++i) {
      const auto& m = image_.memories[i];
      if ((m.flags & direction) == 0) continue;
      if (!ids.insert(m.bind_id).second) say("two ", name, "s are bound as number ", m.bind_id);
      if (m.tensor_desc_id >= image_.tensors.size())
        say(name, " ", m.bind_id, " has the tensor description ", m.tensor_desc_id,
            ", which is missing");
    }
    if (!ids.empty() && *ids.rbegin() != ids.size() - 1) say(name, "s are not numbered from 0 on");
  }

  void check_lists() {
    for (std::size_t i = 0; i < image_.addresses.size(); ++i) {
      const auto& a = image_.addresses[i];
      if (a.memory >= image_.memories.size())
        say("address ", i, " is in memory ", a.memory, ", which is missing");
      else if (a.offset > image_.memories[a.memory].size)
        say("address ", i, " is beyond the end of memory ", a.memory);
    }
    for (std::size_t i = 0; i < image_.tasks.size(); ++i) {
      const auto& t = image_.tasks[i];
      if (t.interface != loadable_code::dla1 && t.interface != loadable_code::emu1)
        say("task ", i, " has the unknown interface ", t.interface);
      if (t.addresses.empty() || t.addresses.size() > 6144)
        say("task ", i, " has ", t.addresses.size(), " addresses, not 1 to 6144");
      for (const auto a : t.addresses)
        if (a >= image_.addresses.size()) {
          say("task ", i, " uses address ", a, ", which is missing");
          break;
        }
    }
    for (std::size_t i = 0; i < image_.submissions.size(); ++i)
      for (const auto t : image_.submissions[i].tasks)
        if (t >= image_.tasks.size())
          say("submission ", i, " has task ", t, ", which is missing");
    for (std::size_t i = 0; i < image_.tensors.size(); ++i) {
      const auto& t = image_.tensors[i];
      if (t.memory >= image_.memories.size())
        say("tensor '", t.name, "' is in memory ", t.memory, ", which is missing");
      if (t.n < 1 || t.c < 1 || t.h < 1 || t.w < 1) say("tensor '", t.name, "' is empty");
    }
  }

  const loadable_image& image_;
  std::string file_;
  diagnostics found_;
  std::map<std::string_view, const loadable_image::blob*> blobs_;
};

}  // namespace detail

// Throws an `error` with everything that does not fit; `file` names the loadable in it.
inline void check_loadable(const loadable_image& image, const std::string& file = {}) {
  detail::loadable_checker(image, file).run();
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {
namespace detail {

class loadable_reader {
 public:
  loadable_reader(std::span<const std::uint8_t> bytes, const std::string& file)
      : bytes_(bytes), file_(file) {}

  loadable_image read() {
    // Fields are read where they are, so they must be aligned in memory as they are in the file.
    std::vector<std::uint64_t> aligned;
    if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % 8 != 0) {
      aligned.resize(bytes_.size() / 8 + 1);
      auto* const copy = reinterpret_cast<std::uint8_t*>(aligned.data());
      std::copy(bytes_.begin(), bytes_.end(), copy);
      bytes_ = {copy, bytes_.size()};
    }
    // FlatBuffers ends at 2 GiB; its verifier asserts that.
    if (bytes_.size() < 8 || bytes_.size() > flat::most_bytes)
      fail(text("is not a loadable: ", bytes_.size(), " bytes"));
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size(), 8, 1000000);
    if (!verifier.VerifyBuffer<flat_loadable>(nullptr))
      fail("is not a loadable, or is truncated or corrupt");
    const auto& root = *flatbuffers::GetRoot<flat_loadable>(bytes_.data());
    using f = flat::loadable;
    image_.version = root.version_of(f::version);
    each<flat_blob>(root, f::blobs, "blobs", [&](const auto& t) { blob(t); });
    each<flat_memory>(root, f::memory_list, "memory_list", [&](const auto& t) { memory(t); });
    each<flat_address>(root, f::address_list, "address_list", [&](const auto& t) { address(t); });
    each<flat_event>(root, f::event_list, "event_list", [&](const auto& t) { event(t); });
    each<flat_task>(root, f::task_list, "task_list", [&](const auto& t) { task(t); });
    each<flat_submission>(root, f::submit_list, "submit_list",
                          [&](const auto& t) { submission(t); });
    each<flat_tensor>(root, f::tensor_desc_list, "tensor_desc_list",
                      [&](const auto& t) { tensor(t); });
    each<flat_relocation>(root, f::reloc_list, "reloc_list",
                          [&](const auto& t) { relocation(t); });
    check_loadable(image_, file_);
    return std::move(image_);
  }

 private:
  [[noreturn]] void fail(std::string reason) const {
    throw error(problem{.file = file_, .reason = std::move(reason)});
  }

  // The tables of a list; the runtime needs all lists, even those without elements.
  template <class Table, class F>
  void each(const flat_loadable& root, flatbuffers::voffset_t field, const char* name, F&& f) {
    const auto* list = root.vector<flatbuffers::Offset<Table>>(field);
    if (list == nullptr) fail(text("has no ", name));
    // Many offsets may lead to one table: its copies are bounded by the size of the file.
    for (const auto* table : *list) f(*table);
  }

  // Copies of vectors that tables share count as often as they are copied.
  void take(std::size_t bytes) {
    taken_ += bytes;
    if (taken_ > 4 * bytes_.size() + 65536) fail("is corrupt: its tables share their contents");
  }
  // Ids are positions.
  void check_id(std::uint16_t id, std::size_t position, const char* list) const {
    if (id != position) fail(text("is corrupt: entry ", position, " of ", list, " has id ", id));
  }

  void blob(const flat_blob& t) {
    using f = flat::blob;
    const auto* data = t.vector<std::uint8_t>(f::data);
    const auto size = t.get<std::uint64_t>(f::size);
    const std::uint64_t there = data == nullptr ? 0 : data->size();
    loadable_image::blob b{.name = t.text_of(f::name)};
    if (size > there)
      fail(text("is corrupt: the blob '", b.name, "' has ", there, " of ", size, " bytes"));
    take(static_cast<std::size_t>(size) + b.name.size());
    b.interface = t.get<std::uint32_t>(f::interface);
    b.sub_interface = t.get<std::uint32_t>(f::sub_interface);
    b.version = t.version_of(f::version);
    if (data != nullptr) b.data.assign(data->data(), data->data() + size);
    image_.blobs.push_back(std::move(b));
  }

  void memory(const flat_memory& t) {
    using f = flat::memory;
    check_id(t.get<std::uint16_t>(f::id), image_.memories.size(), "memory_list");
    loadable_image::memory m{.domain = t.get<std::uint8_t>(f::domain),
                             .flags = t.get<std::uint16_t>(f::flags),
                             .size = t.get<std::uint64_t>(f::size),
                             .alignment = t.get<std::uint32_t>(f::alignment),
                             .bind_id = t.get<std::uint16_t>(f::bind_id),
                             .tensor_desc_id = t.get<std::uint16_t>(f::tensor_desc_id)};
    if (const auto* v = t.vector<flatbuffers::Offset<flatbuffers::String>>(f::contents))
      for (const auto* s : *v) {
        take(s->size() + sizeof(std::string) / 4);
        m.contents.push_back(s->str());
      }
    if (const auto* v = t.vector<std::uint64_t>(f::offsets)) {
      take(8 * std::size_t{v->size()});
      m.offsets.assign(v->begin(), v->end());
    }
    image_.memories.push_back(std::move(m));
  }

  void address(const flat_address& t) {
    using f = flat::address;
    check_id(t.get<std::uint16_t>(f::id), image_.addresses.size(), "address_list");
    image_.addresses.push_back({t.get<std::uint16_t>(f::mem_id), t.get<std::uint64_t>(f::offset),
                                t.get<std::uint64_t>(f::size)});
  }

  void event(const flat_event& t) {
    using f = flat::event;
    image_.events.push_back({t.get<std::uint8_t>(f::type), t.get<std::uint16_t>(f::target),
                             t.get<std::uint32_t>(f::val), t.get<std::uint8_t>(f::op)});
  }

  void task(const flat_task& t) {
    using f = flat::task;
    check_id(t.get<std::uint16_t>(f::id), image_.tasks.size(), "task_list");
    for (const auto field : {f::address_list, f::pre_actions, f::post_actions})
      if (const auto* v = t.vector<std::uint16_t>(field)) take(2 * std::size_t{v->size()});
    image_.tasks.push_back({t.get<std::uint32_t>(f::interface), t.get<std::int16_t>(f::instance),
                            t.numbers<std::uint16_t>(f::address_list),
                            t.numbers<std::uint16_t>(f::pre_actions),
                            t.numbers<std::uint16_t>(f::post_actions)});
  }

  void submission(const flat_submission& t) {
    using f = flat::submission;
    check_id(t.get<std::uint16_t>(f::id), image_.submissions.size(), "submit_list");
    if (const auto* v = t.vector<std::uint16_t>(f::task_id)) take(2 * std::size_t{v->size()});
    image_.submissions.push_back({t.numbers<std::uint16_t>(f::task_id)});
  }

  void tensor(const flat_tensor& t) {
    using f = flat::tensor;
    check_id(t.get<std::uint16_t>(f::id), image_.tensors.size(), "tensor_desc_list");
    loadable_image::tensor d{.name = t.text_of(f::name),
                             .memory = t.get<std::uint16_t>(f::mem_id),
                             .size = t.get<std::uint64_t>(f::size),
                             .offset = t.get<std::uint64_t>(f::offset),
                             .data_format = t.get<std::uint8_t>(f::data_format),
                             .data_type = t.get<std::uint8_t>(f::data_type),
                             .data_category = t.get<std::uint8_t>(f::data_category),
                             .pixel_format = t.get<std::uint8_t>(f::pixel_format),
                             .pixel_mapping = t.get<std::uint8_t>(f::pixel_mapping),
                             .n = t.get<std::int32_t>(f::n),
                             .c = t.get<std::int32_t>(f::c),
                             .h = t.get<std::int32_t>(f::h),
                             .w = t.get<std::int32_t>(f::w)};
    take(d.name.size());
    for (std::uint16_t i = 0; i < d.stride.size(); ++i)
      d.stride[i] = t.get<std::uint32_t>(f::stride(i));
    image_.tensors.push_back(std::move(d));
  }

  void relocation(const flat_relocation& t) {
    using f = flat::relocation;
    image_.relocations.push_back(
        {t.get<std::uint16_t>(f::address_id), t.get<std::uint16_t>(f::write_id),
         t.get<std::uint64_t>(f::offset), t.get<std::uint32_t>(f::interface),
         t.get<std::uint32_t>(f::sub_interface), t.get<std::uint8_t>(f::reloc_type)});
  }

  std::span<const std::uint8_t> bytes_;
  std::string file_;
  loadable_image image_;
  std::size_t taken_ = 0;
};

}  // namespace detail

// The lists of a loadable. Bytes that are not one, and lists that do not fit each other, are an
// `error`; `file` names the loadable in it.
inline loadable_image read_loadable(std::span<const std::uint8_t> bytes,
                                    const std::string& file = {}) {
  return detail::loadable_reader(bytes, file).read();
}

}  // namespace nvdlac::emit
#include <bit>


namespace nvdlac::hw {
namespace detail {

constexpr bool power_of_two(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
  return std::has_single_bit(n) && from <= n && n <= to;
}

constexpr void validate_mac(const spec& s) {
  if (!s.data_types.int8) throw "nvdlac: every MAC computes int8, so data_types must have int8";
  if (!power_of_two(s.memory_atom, 8, 32)) throw "nvdlac: memory_atom must be 8, 16 or 32 bytes";
  if (!power_of_two(s.mac_atomic_c, 8, 64))
    throw "nvdlac: mac_atomic_c must be a power of two from 8 to 64 channels";
  if (!power_of_two(s.mac_atomic_k, 8, 32))
    throw "nvdlac: mac_atomic_k must be a power of two from 8 to 32 kernels";
  if (s.mac_atomic_c < s.memory_atom)
    throw "nvdlac: mac_atomic_c must take at least the channels of one memory_atom";
  if (s.mac_atomic_c / s.memory_atom > 4)
    throw "nvdlac: mac_atomic_c must take at most 4 memory atoms at once";
  if (s.mac_atomic_k % s.memory_atom != 0)
    throw "nvdlac: mac_atomic_k must be a multiple of memory_atom: a kernel group fills surfaces";
}

// One bank holds data and another one weights. Rows of the buffer are read whole by a MAC cell, so
// an entry holds mac_atomic_c bytes of int8, or as many of the two-byte types.
constexpr void validate_cbuf(const spec& s) {
  const auto banks = find_field(s.map, "CDMA.D_BANK.DATA_BANK")->max() + 1;
  if (s.cbuf_banks < 2)
    throw "nvdlac: cbuf_banks must be at least 2, one for data and one for weights";
  if (s.cbuf_banks > banks) {
    if (s.map == register_map::full)
      throw "nvdlac: cbuf_banks must be at most 16, the range of CDMA.D_BANK in the full map";
    throw "nvdlac: cbuf_banks must be at most 32, the range of CDMA.D_BANK in the small map";
  }
  if (!std::has_single_bit(s.cbuf_entry)) throw "nvdlac: cbuf_entry must be a power of two";
  if (s.cbuf_entry % s.memory_atom != 0)
    throw "nvdlac: cbuf_entry must be a multiple of memory_atom";
  if (s.cbuf_entry != s.mac_atomic_c && !(s.cbuf_entry == 2 * s.mac_atomic_c && s.data_types.int16))
    throw "nvdlac: cbuf_entry must be mac_atomic_c bytes, or twice that with int16 or fp16";
  if (!power_of_two(s.cbuf_entries_per_bank, 16, 4096))
    throw "nvdlac: cbuf_entries_per_bank must be a power of two from 16 to 4096";
  // The weights are padded to 128 bytes and a kernel group of 1x1 kernels must fit one bank.
  if (s.cbuf_bank().n < std::uint64_t{s.mac_atomic_c} * s.mac_atomic_k || s.cbuf_bank().n < 128)
    throw "nvdlac: a CBUF bank must hold mac_atomic_c x mac_atomic_k bytes and at least 128";
}

constexpr void validate_post(const spec& s) {
  if (!power_of_two(s.sdp_bs_bn_throughput, 1, 16))
    throw "nvdlac: sdp_bs_bn_throughput must be a power of two from 1 to 16";
  if (s.has_ew() && !power_of_two(s.sdp_ew_throughput, 1, 16))
    throw "nvdlac: sdp_ew_throughput must be 0 (no EW unit) or a power of two from 1 to 16";
  if (s.sdp_ew_throughput > s.sdp_bs_bn_throughput)
    throw "nvdlac: sdp_ew_throughput must not exceed sdp_bs_bn_throughput";
  if (s.sdp_lut && !s.has_ew())
    throw "nvdlac: sdp_lut needs the EW unit, so sdp_ew_throughput must not be 0";
  if (s.has_pdp() && !power_of_two(s.pdp_throughput, 1, 8))
    throw "nvdlac: pdp_throughput must be 0 (no PDP) or a power of two from 1 to 8";
  if (s.has_cdp() && !power_of_two(s.cdp_throughput, 1, 8))
    throw "nvdlac: cdp_throughput must be 0 (no CDP) or a power of two from 1 to 8";
}

constexpr void validate_memory(const spec& s) {
  for (const auto& m : {s.dram, s.sram}) {
    if (m.width_bits == 0) continue;
    if (!power_of_two(m.width_bits, 64, 512))
      throw "nvdlac: a memory interface must be 64, 128, 256 or 512 bits wide";
    if (!power_of_two(m.burst, 1, 4)) throw "nvdlac: the burst of a memory must be 1, 2 or 4 words";
    if (m.latency == 0 || m.latency > 65535)
      throw "nvdlac: the latency of a memory must be 1 to 65535 cycles";
    if (m.width_bits % (8 * s.memory_atom) != 0)
      throw "nvdlac: the width of a memory must be a multiple of memory_atom";
  }
  if (s.dram.width_bits == 0) throw "nvdlac: every configuration needs the memory interface dram";
  if (!s.has_sram() && (s.sram.burst != 0 || s.sram.latency != 0))
    throw "nvdlac: sram without a width must not have a burst or a latency";
  if (s.address_bits != 32 && s.address_bits != 64)
    throw "nvdlac: address_bits must be 32 or 64";
}

// int16 and fp16 were published with the full map only; its address fields drop 5 bits.
constexpr void validate_map(const spec& s) {
  const bool full = s.map == register_map::full;
  if (!full && (s.data_types.int16 || s.data_types.fp16))
    throw "nvdlac: int16 and fp16 exist in the full register map only";
  if (s.data_types.int16 != s.data_types.fp16)
    throw "nvdlac: int16 and fp16 share one data path, so a configuration has both or neither";
  if (full && s.memory_atom != 32)
    throw "nvdlac: the full register map drops 5 address bits, so memory_atom must be 32";
  if (full && s.address_bits != 64) throw "nvdlac: the full register map needs 64 address_bits";
  if (s.bdma && !s.has_sram())
    throw "nvdlac: bdma copies between dram and sram, so it needs an sram interface";
  if (s.weight_compression && s.cbuf_banks < 3)
    throw "nvdlac: weight_compression needs a third CBUF bank for the masks of the weights";
}

}  // namespace detail

// Throws the sentence that names the broken rule; while compiling, it is the compile error.
// The rules are those of NVDLA's spec files, where every published value obeys them.
constexpr bool validate(const spec& s) {
  detail::validate_mac(s);
  detail::validate_cbuf(s);
  detail::validate_post(s);
  detail::validate_memory(s);
  detail::validate_map(s);
  return true;
}

// static_assert(hw::validated<mine>): the configuration is legal, or does not compile.
template <hardware Hw>
inline constexpr bool validated = validate(Hw::spec);

}  // namespace nvdlac::hw

namespace nvdlac {

// 2048 int8 or 1024 int16/fp16 MACs and every unit (the first public version). Its CBUF
// has entries of 128 bytes for the compiler and the C-model: two rows of 64 in the RTL.
struct nv_full {
  static constexpr hw::spec spec{
      .data_types = {.int8 = true, .int16 = true, .fp16 = true},
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 128,
      .cbuf_entries_per_bank = 256,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .weight_compression = true,
      .winograd = true,
      .batch = true,
      .bdma = true,
      .rubik = true,
      .dram = {.width_bits = 512, .burst = 1, .latency = 1200},
      .sram = {.width_bits = 512, .burst = 4, .latency = 128},
      .address_bits = 64,
      .map = hw::register_map::full,
  };
};
static_assert(hw::validated<nv_full>);

}  // namespace nvdlac

namespace nvdlac {

// 2048 MACs, int8 only (branch master of the public hardware).
struct nv_large {
  static constexpr hw::spec spec{
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 64,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .dram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_large>);

}  // namespace nvdlac

namespace nvdlac {

// 1024 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_medium_1024_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 8,
      .sdp_ew_throughput = 2,
      .sdp_lut = true,
      .pdp_throughput = 4,
      .cdp_throughput = 4,
      .dram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_1024_full>);

}  // namespace nvdlac

namespace nvdlac {

// 512 MACs, no look-up table, one memory.
struct nv_medium_512 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 16,
      .memory_atom = 16,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 4,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 2,
      .cdp_throughput = 2,
      .dram = {.width_bits = 128, .burst = 4, .latency = 256},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_512>);

}  // namespace nvdlac

namespace nvdlac {

// The smallest: 64 MACs, no look-up table, one memory.
struct nv_small {
  static constexpr hw::spec spec{
      .mac_atomic_c = 8,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 8,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 1,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 1, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small>);

}  // namespace nvdlac

namespace nvdlac {

// 256 MACs with the small post-processing units, one memory.
struct nv_small_256 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
      .sdp_bs_bn_throughput = 1,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 1, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small_256>);

}  // namespace nvdlac

namespace nvdlac {

// 256 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_small_256_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
      .sdp_bs_bn_throughput = 2,
      .sdp_ew_throughput = 1,
      .sdp_lut = true,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 4, .latency = 64},
      .sram = {.width_bits = 64, .burst = 4, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small_256_full>);

}  // namespace nvdlac

namespace nvdlac::hw {

// The published configurations, from the smallest to the largest.
using published = type_list<nv_small, nv_small_256, nv_small_256_full, nv_medium_512,
                            nv_medium_1024_full, nv_large, nv_full>;

}  // namespace nvdlac::hw
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>


namespace nvdlac::import {

// A graph under construction, where each node's shape is known and its weights are checked when it
// is added. Importers need the shapes on the way: a file may reshape relative to them.
class assembly {
 public:
  using id = net::graph::id;

  assembly(std::string file, diagnostics& problems) : file_(std::move(file)), problems_(problems) {}

  const std::string& file() const { return file_; }
  const net::shape& shape(id n) const { return graph_[n].shape; }

  // Throws `error` with the bare reason if the operator does not accept its inputs; problems of
  // its weights are collected, unless they are known to be wrong already (`checked`).
  template <class Op>
  id add(const std::string& layer, Op op, const std::vector<id>& inputs, std::size_t line = 0,
         bool checked = true) {
    std::vector<net::shape> shapes;
    for (const id n : inputs) shapes.push_back(graph_[n].shape);
    const std::span<const net::shape> in(shapes);
    if (!Op::inputs.contains(in.size()))
      throw error(text("it has ", in.size(), " inputs instead of ", Op::inputs.least));
    const net::shape out = op.infer(in);
    if constexpr (requires(diagnostics& found) { op.check(in, found, layer); }) {
      diagnostics found;
      if (checked) op.check(in, found, layer);
      for (problem p : found.problems()) {
        p.file = file_;
        p.line = line;
        problems_.add(std::move(p));
      }
    }
    const id n = graph_.add(unique(layer), std::move(op), inputs);
    graph_[n].shape = out;
    return n;
  }

  void mark_output(id n) { graph_[n].output = true; }

  // The graph without the nodes that no output needs, inputs excepted.
  net::graph finish() {
    problems_.check();
    std::vector<bool> needed(graph_.size());
    std::vector<id> open = graph_.outputs();
    while (!open.empty()) {
      const id n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const id from : graph_.inputs(n)) open.push_back(from);
    }
    for (id n = 0; n < graph_.size(); ++n)
      if (!needed[n] && std::holds_alternative<net::input>(graph_[n].op))
        problems_.add({.file = file_, .layer = graph_[n].name,
                       .reason = "no output depends on this input",
                       .remedy = "remove it from the network"});
    problems_.check();
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return std::move(graph_);
    return graph_.filtered([&](id n) { return needed[n]; });
  }

 private:
  // Names of nodes are unique in a graph; a second node of one name gets a number.
  std::string unique(const std::string& layer) {
    std::string name = layer;
    for (int i = 2; !names_.insert(name).second; ++i) name = text(layer, "#", i);
    return name;
  }

  std::string file_;
  diagnostics& problems_;
  net::graph graph_;
  std::set<std::string> names_;
};

}  // namespace nvdlac::import
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>
#include <google/protobuf/text_format.h>


namespace nvdlac::import::proto {

namespace pb = google::protobuf;

enum class rule : std::uint8_t { one, many, value };

// One row of a schema: a field of a message, or (`value`) a named value of an enumeration, whose
// name stands in the place of the message's. `type` is a scalar type or the name of a message or
// enumeration of the same schema.
struct row {
  const char* message;
  const char* name;
  int number;
  const char* type = "";
  rule label = rule::one;
};

// The messages of one format, built at run time from a table, so that no generated code is needed.
class schema {
 public:
  schema(const std::string& format, std::span<const row> rows) {
    pb::FileDescriptorProto file;
    file.set_name(format);
    file.set_package(format);
    std::map<std::string_view, pb::DescriptorProto*> messages;
    std::map<std::string_view, pb::EnumDescriptorProto*> enums;
    // protobuf scopes the values of an enumeration as its siblings; each one lives in a message
    // of its own, so that two of them may both have a NONE.
    for (const auto& r : rows) {
      if (r.label != rule::value) continue;
      auto*& e = enums[r.message];
      if (!e) {
        auto* scope = file.add_message_type();
        scope->set_name(r.message);
        (e = scope->add_enum_type())->set_name("type");
      }
      auto* v = e->add_value();
      v->set_name(r.name);
      v->set_number(r.number);
    }
    for (const auto& r : rows) {
      if (r.label == rule::value) continue;
      auto*& m = messages[r.message];
      if (!m) (m = file.add_message_type())->set_name(r.message);
      add_field(*m, r, "." + format + "." + r.type + (enums.count(r.type) ? ".type" : ""));
    }
    file_ = pool_.BuildFile(file);
    if (!file_) throw error(text("the built-in schema of ", format, " is not sound"));
  }

  std::unique_ptr<pb::Message> make(const char* message) const {
    return std::unique_ptr<pb::Message>(
        factory_.GetPrototype(file_->FindMessageTypeByName(message))->New());
  }

 private:
  static void add_field(pb::DescriptorProto& m, const row& r, const std::string& type) {
    using field = pb::FieldDescriptorProto;
    static const std::map<std::string_view, field::Type> scalars = {
        {"int32", field::TYPE_INT32},   {"int64", field::TYPE_INT64},
        {"uint32", field::TYPE_UINT32}, {"uint64", field::TYPE_UINT64},
        {"float", field::TYPE_FLOAT},   {"double", field::TYPE_DOUBLE},
        {"bool", field::TYPE_BOOL},     {"string", field::TYPE_STRING},
        {"bytes", field::TYPE_BYTES}};
    auto* f = m.add_field();
    f->set_name(r.name);
    f->set_number(r.number);
    f->set_label(r.label == rule::many ? field::LABEL_REPEATED : field::LABEL_OPTIONAL);
    if (const auto s = scalars.find(r.type); s != scalars.end())
      f->set_type(s->second);
    else
      f->set_type_name(type);
  }

  pb::DescriptorPool pool_;
  mutable pb::DynamicMessageFactory factory_{&pool_};
  const pb::FileDescriptor* file_ = nullptr;
};

// Reads the fields of a message by their names; the types must be those of the schema.
class view {
 public:
  explicit view(const pb::Message& m) : m_(&m) {}

  const pb::Message& message() const { return *m_; }
  // Also for a field that this message does not know.
  bool has(const char* name) const {
    const auto* f = field(name);
    if (!f) return false;
    return f->is_repeated() ? reflection().FieldSize(*m_, f) > 0 : reflection().HasField(*m_, f);
  }
  std::size_t size(const char* name) const {
    return static_cast<std::size_t>(reflection().FieldSize(*m_, field(name)));
  }

  std::int64_t integer(const char* name, std::int64_t otherwise = 0) const {
    if (!has(name)) return otherwise;
    const auto* f = field(name);
    switch (f->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32: return reflection().GetInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_UINT32: return reflection().GetUInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_ENUM: return reflection().GetEnumValue(*m_, f);
      default: return reflection().GetInt64(*m_, f);
    }
  }
  float number(const char* name, float otherwise = 0) const {
    return has(name) ? reflection().GetFloat(*m_, field(name)) : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    return has(name) ? reflection().GetBool(*m_, field(name)) : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise = {}) const {
    return has(name) ? reflection().GetString(*m_, field(name)) : otherwise;
  }
  // The bytes themselves, without a copy.
  const std::string& bytes(const char* name) const {
    static thread_local std::string scratch;
    return reflection().GetStringReference(*m_, field(name), &scratch);
  }
  std::string enumerator(const char* name, const std::string& otherwise) const {
    return has(name) ? reflection().GetEnum(*m_, field(name))->name() : otherwise;
  }
  view child(const char* name) const { return view(reflection().GetMessage(*m_, field(name))); }

  std::vector<view> children(const char* name) const {
    const auto* f = field(name);
    std::vector<view> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.emplace_back(reflection().GetRepeatedMessage(*m_, f, i));
    return result;
  }
  std::vector<std::string> strings(const char* name) const {
    const auto* f = field(name);
    std::vector<std::string> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.push_back(reflection().GetRepeatedString(*m_, f, i));
    return result;
  }
  // The values of a repeated field of exactly this C++ type.
  template <class T>
  std::vector<T> values(const char* name) const {
    const auto all = reflection().GetRepeatedFieldRef<T>(*m_, field(name));
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(all.size()));
    for (int i = 0, n = all.size(); i < n; ++i) result.push_back(all.Get(i));
    return result;
  }

 private:
  const pb::FieldDescriptor* field(const char* name) const {
    return m_->GetDescriptor()->FindFieldByName(name);
  }
  const pb::Reflection& reflection() const { return *m_->GetReflection(); }

  const pb::Message* m_;
};

// A place in a text, 1-based; 0 in a binary.
struct place {
  std::size_t line = 0, column = 0;
  auto operator<=>(const place&) const = default;
};

// A field that the schema does not have, where it was met.
struct unknown_field {
  std::string message;  // the message's type
  std::string name;     // of a text: its name; of a binary: its number
  place at{};
};

inline void collect_unknown(const pb::Message& m, std::vector<unknown_field>& found) {
  const auto& reflection = *m.GetReflection();
  const auto& set = reflection.GetUnknownFields(m);
  for (int i = 0; i < set.field_count(); ++i)
    found.push_back({m.GetDescriptor()->name(), text("number ", set.field(i).number())});
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(m, &fields);
  for (const auto* f : fields) {
    if (f->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!f->is_repeated()) {
      collect_unknown(reflection.GetMessage(m, f), found);
      continue;
    }
    for (int i = 0, n = reflection.FieldSize(m, f); i < n; ++i)
      collect_unknown(reflection.GetRepeatedMessage(m, f, i), found);
  }
}

// A parsed file: its message and, of a text, the lines of its parts and the unknown fields in it.
struct document {
  std::unique_ptr<pb::Message> message;
  bool is_text = false;
  std::unique_ptr<pb::TextFormat::ParseInfoTree> lines =
      std::make_unique<pb::TextFormat::ParseInfoTree>();
  std::vector<unknown_field> unknown{};  // of a text; collect_unknown finds those of a binary

  view root() const { return view(*message); }
  // Where the i-th message of a repeated field of the root starts.
  place start_of(const char* field, int i) const {
    if (!is_text) return {};
    const auto* f = message->GetDescriptor()->FindFieldByName(field);
    const auto found = lines->GetLocation(f, i);
    return {static_cast<std::size_t>(found.line + 1), static_cast<std::size_t>(found.column + 1)};
  }
};

class text_complaints : public pb::io::ErrorCollector {
 public:
  text_complaints(document& d, diagnostics& problems, std::string file)
      : document_(d), problems_(problems), file_(std::move(file)) {}
  void AddError(int line, int, const std::string& message) override {
    problems_.add({.file = file_, .line = static_cast<std::size_t>(line + 1), .reason = message});
  }
  void AddWarning(int line, int column, const std::string& message) override {
    // Message type "caffe.LayerParameter" has no field named "x".
    auto quoted = [&, at = std::size_t{0}]() mutable {
      const auto from = message.find('"', at), to = message.find('"', from + 1);
      at = to + 1;
      return from == std::string::npos || to == std::string::npos
                 ? std::string{}
                 : message.substr(from + 1, to - from - 1);
    };
    auto owner = quoted();
    if (const auto dot = owner.rfind('.'); dot != std::string::npos) owner.erase(0, dot + 1);
    const auto name = quoted();
    if (!name.empty())
      document_.unknown.push_back(
          {owner, name, {static_cast<std::size_t>(line + 1), static_cast<std::size_t>(column + 1)}});
  }

 private:
  document& document_;
  diagnostics& problems_;
  std::string file_;
};

inline document parse_binary(const schema& s, const char* message, const std::string& file,
                             std::string_view content) {
  document d{.message = s.make(message)};
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  if (!d.message->ParseFromArray(content.data(), static_cast<int>(content.size())))
    throw error(problem{.file = file, .reason = "the file is truncated or corrupt",
                        .remedy = "its protobuf encoding is broken"});
  return d;
}

inline document parse_text(const schema& s, const char* message, const std::string& file,
                           std::string_view content) {
  document d{.message = s.make(message), .is_text = true};
  diagnostics problems;
  text_complaints complaints(d, problems, file);
  pb::TextFormat::Parser parser;
  parser.AllowUnknownField(true);  // recorded as unknown, and judged where it is known what matters
  parser.SetRecursionLimit(50);
  parser.RecordErrorsTo(&complaints);
  parser.WriteLocationsTo(d.lines.get());
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  pb::io::ArrayInputStream stream(content.data(), static_cast<int>(content.size()));
  const bool parsed = parser.Parse(&stream, d.message.get());
  problems.check();
  if (!parsed) throw error(problem{.file = file, .reason = "the text cannot be parsed"});
  return d;
}

}  // namespace nvdlac::import::proto

namespace nvdlac::import::caffe_format {

using proto::rule;

// What is read of Caffe's messages. Fields that are missing here and that a file uses are reported
// with their line. Those that only matter for training are listed, so that they may be there.
inline constexpr proto::row rows[] = {
    {"NetParameter", "name", 1, "string"},
    {"NetParameter", "layers", 2, "V1LayerParameter", rule::many},
    {"NetParameter", "input", 3, "string", rule::many},
    {"NetParameter", "input_dim", 4, "int32", rule::many},
    {"NetParameter", "force_backward", 5, "bool"},
    {"NetParameter", "state", 6, "NetState"},
    {"NetParameter", "debug_info", 7, "bool"},
    {"NetParameter", "input_shape", 8, "BlobShape", rule::many},
    {"NetParameter", "layer", 100, "LayerParameter", rule::many},

    {"BlobShape", "dim", 1, "int64", rule::many},
    {"BlobProto", "num", 1, "int32"},
    {"BlobProto", "channels", 2, "int32"},
    {"BlobProto", "height", 3, "int32"},
    {"BlobProto", "width", 4, "int32"},
    {"BlobProto", "data", 5, "float", rule::many},
    {"BlobProto", "diff", 6, "float", rule::many},
    {"BlobProto", "shape", 7, "BlobShape"},
    {"BlobProto", "double_data", 8, "double", rule::many},
    {"BlobProto", "double_diff", 9, "double", rule::many},

    {"Phase", "TRAIN", 0, "", rule::value},
    {"Phase", "TEST", 1, "", rule::value},
    {"NetState", "phase", 1, "Phase"},
    {"NetState", "level", 2, "int32"},
    {"NetState", "stage", 3, "string", rule::many},
    {"NetStateRule", "phase", 1, "Phase"},
    {"NetStateRule", "min_level", 2, "int32"},
    {"NetStateRule", "max_level", 3, "int32"},
    {"NetStateRule", "stage", 4, "string", rule::many},
    {"NetStateRule", "not_stage", 5, "string", rule::many},

    {"DimCheckMode", "STRICT", 0, "", rule::value},
    {"DimCheckMode", "PERMISSIVE", 1, "", rule::value},
    {"ParamSpec", "name", 1, "string"},
    {"ParamSpec", "share_mode", 2, "DimCheckMode"},
    {"ParamSpec", "lr_mult", 3, "float"},
    {"ParamSpec", "decay_mult", 4, "float"},

    {"LayerParameter", "name", 1, "string"},
    {"LayerParameter", "type", 2, "string"},
    {"LayerParameter", "bottom", 3, "string", rule::many},
    {"LayerParameter", "top", 4, "string", rule::many},
    {"LayerParameter", "loss_weight", 5, "float", rule::many},
    {"LayerParameter", "param", 6, "ParamSpec", rule::many},
    {"LayerParameter", "blobs", 7, "BlobProto", rule::many},
    {"LayerParameter", "include", 8, "NetStateRule", rule::many},
    {"LayerParameter", "exclude", 9, "NetStateRule", rule::many},
    {"LayerParameter", "phase", 10, "Phase"},
    {"LayerParameter", "propagate_down", 11, "bool", rule::many},
    {"LayerParameter", "concat_param", 104, "ConcatParameter"},
    {"LayerParameter", "convolution_param", 106, "ConvolutionParameter"},
    {"LayerParameter", "dropout_param", 108, "DropoutParameter"},
    {"LayerParameter", "eltwise_param", 110, "EltwiseParameter"},
    {"LayerParameter", "inner_product_param", 117, "InnerProductParameter"},
    {"LayerParameter", "lrn_param", 118, "LRNParameter"},
    {"LayerParameter", "pooling_param", 121, "PoolingParameter"},
    {"LayerParameter", "power_param", 122, "PowerParameter"},
    {"LayerParameter", "relu_param", 123, "ReLUParameter"},
    {"LayerParameter", "softmax_param", 125, "SoftmaxParameter"},
    {"LayerParameter", "reshape_param", 133, "ReshapeParameter"},
    {"LayerParameter", "flatten_param", 135, "FlattenParameter"},
    {"LayerParameter", "batch_norm_param", 139, "BatchNormParameter"},
    {"LayerParameter", "bias_param", 141, "BiasParameter"},
    {"LayerParameter", "scale_param", 142, "ScaleParameter"},
    {"LayerParameter", "input_param", 143, "InputParameter"},

    {"V1LayerParameter", "bottom", 2, "string", rule::many},
    {"V1LayerParameter", "top", 3, "string", rule::many},
    {"V1LayerParameter", "name", 4, "string"},
    {"V1LayerParameter", "type", 5, "V1Type"},
    {"V1LayerParameter", "blobs", 6, "BlobProto", rule::many},
    {"V1LayerParameter", "blobs_lr", 7, "float", rule::many},
    {"V1LayerParameter", "weight_decay", 8, "float", rule::many},
    {"V1LayerParameter", "concat_param", 9, "ConcatParameter"},
    {"V1LayerParameter", "convolution_param", 10, "ConvolutionParameter"},
    {"V1LayerParameter", "dropout_param", 12, "DropoutParameter"},
    {"V1LayerParameter", "inner_product_param", 17, "InnerProductParameter"},
    {"V1LayerParameter", "lrn_param", 18, "LRNParameter"},
    {"V1LayerParameter", "pooling_param", 19, "PoolingParameter"},
    {"V1LayerParameter", "power_param", 21, "PowerParameter"},
    {"V1LayerParameter", "eltwise_param", 24, "EltwiseParameter"},
    {"V1LayerParameter", "relu_param", 30, "ReLUParameter"},
    {"V1LayerParameter", "include", 32, "NetStateRule", rule::many},
    {"V1LayerParameter", "exclude", 33, "NetStateRule", rule::many},
    {"V1LayerParameter", "loss_weight", 35, "float", rule::many},
    {"V1LayerParameter", "softmax_param", 39, "SoftmaxParameter"},
    {"V1LayerParameter", "param", 1001, "string", rule::many},
    {"V1LayerParameter", "blob_share_mode", 1002, "DimCheckMode", rule::many},

    {"V1Type", "NONE", 0, "", rule::value},
    {"V1Type", "ACCURACY", 1, "", rule::value},
    {"V1Type", "BNLL", 2, "", rule::value},
    {"V1Type", "CONCAT", 3, "", rule::value},
    {"V1Type", "CONVOLUTION", 4, "", rule::value},
    {"V1Type", "DATA", 5, "", rule::value},
    {"V1Type", "DROPOUT", 6, "", rule::value},
    {"V1Type", "EUCLIDEAN_LOSS", 7, "", rule::value},
    {"V1Type", "FLATTEN", 8, "", rule::value},
    {"V1Type", "HDF5_DATA", 9, "", rule::value},
    {"V1Type", "HDF5_OUTPUT", 10, "", rule::value},
    {"V1Type", "IM2COL", 11, "", rule::value},
    {"V1Type", "IMAGE_DATA", 12, "", rule::value},
    {"V1Type", "INFOGAIN_LOSS", 13, "", rule::value},
    {"V1Type", "INNER_PRODUCT", 14, "", rule::value},
    {"V1Type", "LRN", 15, "", rule::value},
    {"V1Type", "MULTINOMIAL_LOGISTIC_LOSS", 16, "", rule::value},
    {"V1Type", "POOLING", 17, "", rule::value},
    {"V1Type", "RELU", 18, "", rule::value},
    {"V1Type", "SIGMOID", 19, "", rule::value},
    {"V1Type", "SOFTMAX", 20, "", rule::value},
    {"V1Type", "SOFTMAX_LOSS", 21, "", rule::value},
    {"V1Type", "SPLIT", 22, "", rule::value},
    {"V1Type", "TANH", 23, "", rule::value},
    {"V1Type", "WINDOW_DATA", 24, "", rule::value},
    {"V1Type", "ELTWISE", 25, "", rule::value},
    {"V1Type", "POWER", 26, "", rule::value},
    {"V1Type", "SIGMOID_CROSS_ENTROPY_LOSS", 27, "", rule::value},
    {"V1Type", "HINGE_LOSS", 28, "", rule::value},
    {"V1Type", "MEMORY_DATA", 29, "", rule::value},
    {"V1Type", "ARGMAX", 30, "", rule::value},
    {"V1Type", "THRESHOLD", 31, "", rule::value},
    {"V1Type", "DUMMY_DATA", 32, "", rule::value},
    {"V1Type", "SLICE", 33, "", rule::value},
    {"V1Type", "MVN", 34, "", rule::value},
    {"V1Type", "ABSVAL", 35, "", rule::value},
    {"V1Type", "SILENCE", 36, "", rule::value},
    {"V1Type", "CONTRASTIVE_LOSS", 37, "", rule::value},
    {"V1Type", "EXP", 38, "", rule::value},
    {"V1Type", "DECONVOLUTION", 39, "", rule::value},

    {"Engine", "DEFAULT", 0, "", rule::value},  // which of Caffe's kernels computes it
    {"Engine", "CAFFE", 1, "", rule::value},
    {"Engine", "CUDNN", 2, "", rule::value},

    {"VarianceNorm", "FAN_IN", 0, "", rule::value},
    {"VarianceNorm", "FAN_OUT", 1, "", rule::value},
    {"VarianceNorm", "AVERAGE", 2, "", rule::value},
    {"FillerParameter", "type", 1, "string"},
    {"FillerParameter", "value", 2, "float"},
    {"FillerParameter", "min", 3, "float"},
    {"FillerParameter", "max", 4, "float"},
    {"FillerParameter", "mean", 5, "float"},
    {"FillerParameter", "std", 6, "float"},
    {"FillerParameter", "sparse", 7, "int32"},
    {"FillerParameter", "variance_norm", 8, "VarianceNorm"},

    {"ConcatParameter", "concat_dim", 1, "uint32"},
    {"ConcatParameter", "axis", 2, "int32"},

    {"ConvolutionParameter", "num_output", 1, "uint32"},
    {"ConvolutionParameter", "bias_term", 2, "bool"},
    {"ConvolutionParameter", "pad", 3, "uint32", rule::many},
    {"ConvolutionParameter", "kernel_size", 4, "uint32", rule::many},
    {"ConvolutionParameter", "group", 5, "uint32"},
    {"ConvolutionParameter", "stride", 6, "uint32", rule::many},
    {"ConvolutionParameter", "weight_filler", 7, "FillerParameter"},
    {"ConvolutionParameter", "bias_filler", 8, "FillerParameter"},
    {"ConvolutionParameter", "pad_h", 9, "uint32"},
    {"ConvolutionParameter", "pad_w", 10, "uint32"},
    {"ConvolutionParameter", "kernel_h", 11, "uint32"},
    {"ConvolutionParameter", "kernel_w", 12, "uint32"},
    {"ConvolutionParameter", "stride_h", 13, "uint32"},
    {"ConvolutionParameter", "stride_w", 14, "uint32"},
    {"ConvolutionParameter", "engine", 15, "Engine"},
    {"ConvolutionParameter", "axis", 16, "int32"},
    {"ConvolutionParameter", "force_nd_im2col", 17, "bool"},
    {"ConvolutionParameter", "dilation", 18, "uint32", rule::many},

    {"DropoutParameter", "dropout_ratio", 1, "float"},

    {"EltwiseOp", "PROD", 0, "", rule::value},
    {"EltwiseOp", "SUM", 1, "", rule::value},
    {"EltwiseOp", "MAX", 2, "", rule::value},
    {"EltwiseParameter", "operation", 1, "EltwiseOp"},
    {"EltwiseParameter", "coeff", 2, "float", rule::many},
    {"EltwiseParameter", "stable_prod_grad", 3, "bool"},

    {"InnerProductParameter", "num_output", 1, "uint32"},
    {"InnerProductParameter", "bias_term", 2, "bool"},
    {"InnerProductParameter", "weight_filler", 3, "FillerParameter"},
    {"InnerProductParameter", "bias_filler", 4, "FillerParameter"},
    {"InnerProductParameter", "axis", 5, "int32"},
    {"InnerProductParameter", "transpose", 6, "bool"},

    {"NormRegion", "ACROSS_CHANNELS", 0, "", rule::value},
    {"NormRegion", "WITHIN_CHANNEL", 1, "", rule::value},
    {"LRNParameter", "local_size", 1, "uint32"},
    {"LRNParameter", "alpha", 2, "float"},
    {"LRNParameter", "beta", 3, "float"},
    {"LRNParameter", "norm_region", 4, "NormRegion"},
    {"LRNParameter", "k", 5, "float"},
    {"LRNParameter", "engine", 6, "Engine"},

    {"PoolMethod", "MAX", 0, "", rule::value},
    {"PoolMethod", "AVE", 1, "", rule::value},
    {"PoolMethod", "STOCHASTIC", 2, "", rule::value},
    {"RoundMode", "CEIL", 0, "", rule::value},
    {"RoundMode", "FLOOR", 1, "", rule::value},
    {"PoolingParameter", "pool", 1, "PoolMethod"},
    {"PoolingParameter", "kernel_size", 2, "uint32"},
    {"PoolingParameter", "stride", 3, "uint32"},
    {"PoolingParameter", "pad", 4, "uint32"},
    {"PoolingParameter", "kernel_h", 5, "uint32"},
    {"PoolingParameter", "kernel_w", 6, "uint32"},
    {"PoolingParameter", "stride_h", 7, "uint32"},
    {"PoolingParameter", "stride_w", 8, "uint32"},
    {"PoolingParameter", "pad_h", 9, "uint32"},
    {"PoolingParameter", "pad_w", 10, "uint32"},
    {"PoolingParameter", "engine", 11, "Engine"},
    {"PoolingParameter", "global_pooling", 12, "bool"},
    {"PoolingParameter", "round_mode", 13, "RoundMode"},

    {"PowerParameter", "power", 1, "float"},
    {"PowerParameter", "scale", 2, "float"},
    {"PowerParameter", "shift", 3, "float"},

    {"ReLUParameter", "negative_slope", 1, "float"},
    {"ReLUParameter", "engine", 2, "Engine"},

    {"SoftmaxParameter", "engine", 1, "Engine"},
    {"SoftmaxParameter", "axis", 2, "int32"},

    {"ReshapeParameter", "shape", 1, "BlobShape"},
    {"ReshapeParameter", "axis", 2, "int32"},
    {"ReshapeParameter", "num_axes", 3, "int32"},

    {"FlattenParameter", "axis", 1, "int32"},
    {"FlattenParameter", "end_axis", 2, "int32"},

    {"BatchNormParameter", "use_global_stats", 1, "bool"},
    {"BatchNormParameter", "moving_average_fraction", 2, "float"},
    {"BatchNormParameter", "eps", 3, "float"},

    {"BiasParameter", "axis", 1, "int32"},
    {"BiasParameter", "num_axes", 2, "int32"},
    {"BiasParameter", "filler", 3, "FillerParameter"},

    {"ScaleParameter", "axis", 1, "int32"},
    {"ScaleParameter", "num_axes", 2, "int32"},
    {"ScaleParameter", "filler", 3, "FillerParameter"},
    {"ScaleParameter", "bias_term", 4, "bool"},
    {"ScaleParameter", "bias_filler", 5, "FillerParameter"},

    {"InputParameter", "shape", 1, "BlobShape", rule::many},
};

inline const proto::schema& schema() {
  static const proto::schema built("caffe", rows);
  return built;
}

}  // namespace nvdlac::import::caffe_format

namespace nvdlac::import::caffe_format {

// A layer of either form, under the type names of the new one.
struct layer {
  proto::view fields;
  std::string name, type;
  std::vector<std::string> bottoms, tops;
  std::size_t line = 0;
  proto::place start{}, end{};  // of a text: where it starts and where the next one does
};

inline std::string new_type_name(const std::string& old) {
  static const std::map<std::string_view, const char*> renamed = {
      {"CONCAT", "Concat"},   {"CONVOLUTION", "Convolution"}, {"DROPOUT", "Dropout"},
      {"ELTWISE", "Eltwise"}, {"FLATTEN", "Flatten"},         {"INNER_PRODUCT", "InnerProduct"},
      {"LRN", "LRN"},         {"POOLING", "Pooling"},         {"POWER", "Power"},
      {"RELU", "ReLU"},       {"SOFTMAX", "Softmax"},         {"SPLIT", "Split"},
      {"DATA", "Data"},       {"HDF5_DATA", "HDF5Data"},      {"IMAGE_DATA", "ImageData"},
      {"MEMORY_DATA", "MemoryData"}, {"DUMMY_DATA", "DummyData"}, {"WINDOW_DATA", "WindowData"},
      {"ACCURACY", "Accuracy"},      {"SILENCE", "Silence"},  {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
      {"HDF5_OUTPUT", "HDF5Output"}, {"EUCLIDEAN_LOSS", "EuclideanLoss"}};
  const auto found = renamed.find(old);
  return found == renamed.end() ? old : found->second;
}

// Whether a rule of `include` or `exclude` holds when the network is used (phase TEST).
inline bool rule_holds(const proto::view& rule, const proto::view& state) {
  const auto level = state.integer("level", 0);
  const auto stages = state.strings("stage");
  const auto has = [&](const std::string& s) {
    return std::find(stages.begin(), stages.end(), s) != stages.end();
  };
  const auto wanted = rule.strings("stage"), unwanted = rule.strings("not_stage");
  return rule.enumerator("phase", "TEST") == "TEST" && level >= rule.integer("min_level", level) &&
         level <= rule.integer("max_level", level) &&
         std::all_of(wanted.begin(), wanted.end(), has) &&
         std::none_of(unwanted.begin(), unwanted.end(), has);
}

inline bool is_used(const proto::view& fields, const proto::view& state) {
  const auto any = [&](const char* list) {
    const auto rules = fields.children(list);
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& r) { return rule_holds(r, state); });
  };
  return fields.has("include") ? any("include") : !any("exclude");
}

// The layers that take part when the network is used, in the order of the file.
inline std::vector<layer> used_layers(const proto::document& net) {
  std::vector<layer> all;
  for (const char* list : {"layers", "layer"}) {
    int i = 0;
    for (const auto& fields : net.root().children(list)) {
      const auto type = list == std::string_view("layer")
                            ? fields.string("type")
                            : new_type_name(fields.enumerator("type", "NONE"));
      all.push_back({fields, fields.string("name"), type, fields.strings("bottom"),
                     fields.strings("top"), 0, net.start_of(list, i++)});
    }
  }
  std::vector<proto::place> starts;
  for (const auto& l : all) starts.push_back(l.start);
  std::sort(starts.begin(), starts.end());
  for (auto& l : all) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), l.start);
    l.line = l.start.line;
    l.end = next == starts.end() ? proto::place{std::string::npos} : *next;
  }
  std::erase_if(all, [&](const layer& l) { return !is_used(l.fields, net.root().child("state")); });
  return all;
}

}  // namespace nvdlac::import::caffe_format
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>


namespace nvdlac::import {

// The content of a file. Throws `error` when it is absent, a directory, unreadable or empty.
inline std::string read_file(const std::filesystem::path& path) {
  const auto fail = [&](std::string reason) -> error {
    return error(problem{.file = path.string(), .reason = std::move(reason)});
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw fail("there is no such file");
  if (std::filesystem::is_directory(path, ignored)) throw fail("this is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail("the file cannot be read");
  std::string content;
  std::string block(std::size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    content.append(block, 0, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw fail("the file cannot be read");
  if (content.empty()) throw fail("the file is empty");
  return content;
}

enum class file_kind : std::uint8_t {
  onnx, onnx_text, caffe_text, caffe_binary,  // what the importers read
  other
};

struct recognised {
  file_kind kind = file_kind::other;
  std::string name{};    // "a JPEG picture"
  std::string remedy{};  // what the user can do about a wrong kind
};

// No control characters but white space in the first 64 KB.
inline bool looks_like_text(std::string_view content) {
  const auto head = content.substr(0, std::size_t{1} << 16);
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
  });
}

// The fields of a protobuf message, without knowing its schema: the numbers of its length-delimited
// and of its varint fields, as bit sets of the numbers up to 127; stops at the first broken field.
struct wire_fields {
  std::uint64_t delimited[2] = {}, varint[2] = {};
  bool has_delimited(unsigned n) const { return (delimited[n / 64] >> n % 64 & 1) != 0; }
  bool has_varint(unsigned n) const { return (varint[n / 64] >> n % 64 & 1) != 0; }
  bool empty() const { return (delimited[0] | delimited[1] | varint[0] | varint[1]) == 0; }
};

inline wire_fields scan_wire(std::string_view content) {
  wire_fields found;
  std::size_t at = 0;
  const auto varint = [&](std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && at < content.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(content[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  for (std::uint64_t tag = 0, value = 0; at < content.size() && varint(tag);) {
    const std::uint64_t number = tag >> 3;
    if (number == 0 || number > 127) break;
    const auto bit = std::uint64_t{1} << number % 64;
    if ((tag & 7) == 0) {
      if (!varint(value)) break;
      found.varint[number / 64] |= bit;
    } else if ((tag & 7) == 2) {
      if (!varint(value)) break;
      found.delimited[number / 64] |= bit;  // a truncated field still tells the kind of file
      if (value > content.size() - at) break;
      at += static_cast<std::size_t>(value);
    } else {
      const std::size_t skip = (tag & 7) == 5 ? 4 : (tag & 7) == 1 ? 8 : content.size();
      if (skip > content.size() - at) break;
      at += skip;
    }
  }
  return found;
}

// What a file is, by its content.
inline recognised recognise(std::string_view content) {
  const auto starts = [&](std::string_view s) { return content.substr(0, s.size()) == s; };
  const std::string_view identifier = content.size() >= 8 ? content.substr(4, 4) : "";
  constexpr auto convert = "convert the network to ONNX first";
  constexpr auto give_model = "give the network: an ONNX file, or a prototxt and its caffemodel";
  if (identifier == "TFL3") return {file_kind::other, "a TFLite file", convert};
  if (identifier == "NVDA") return {file_kind::other, "an NVDLA loadable", give_model};
  if (starts("\xff\xd8\xff")) return {file_kind::other, "a JPEG picture", give_model};
  if (starts("\x89PNG")) return {file_kind::other, "a PNG picture", give_model};
  if (starts("\x89HDF")) return {file_kind::other, "an HDF5 file", convert};
  if (starts("\x93NUMPY")) return {file_kind::other, "a NumPy array", give_model};
  if (starts("PK\x03\x04"))
    return {file_kind::other, "a ZIP archive (as PyTorch and Keras write)", convert};
  if (starts("\x1f\x8b")) return {file_kind::other, "a gzip archive", "unpack it first"};
  if (starts("\x7f" "ELF")) return {file_kind::other, "an ELF binary", give_model};
  if (starts(std::string_view("\0\0\x08", 3))) return {file_kind::other, "an IDX file", give_model};
  if (starts("version https://git-lfs"))
    return {file_kind::other, "a pointer of Git LFS", "fetch the file itself with git lfs pull"};
  if (starts("%PDF")) return {file_kind::other, "a PDF document", give_model};

  if (looks_like_text(content)) {
    const auto has = [&](std::string_view s) { return content.find(s) != content.npos; };
    if (starts("P5\n") || starts("P2\n") || starts("P6\n") || starts("P3\n"))
      return {file_kind::other, "a PNM picture", give_model};
    if (has("ir_version") || has("opset_import")) return {file_kind::onnx_text, "an ONNX text file"};
    const auto first = content.find_first_not_of(" \t\r\n\f\v");
    if (first == content.npos) return {file_kind::other, "a blank text", give_model};
    if (content[first] == '<') return {file_kind::other, "an XML or HTML file", give_model};
    if (content[first] == '[' || (content[first] == '{' && has("\"")))
      return {file_kind::other, "a JSON file", give_model};
    if (has("layer") || has("input")) return {file_kind::caffe_text, "a prototxt"};
    return {file_kind::other, "a text file without a network", give_model};
  }
  if (starts("P5") || starts("P6")) return {file_kind::other, "a PNM picture", give_model};
  const auto fields = scan_wire(content);
  if (fields.has_varint(1) || fields.has_delimited(7)) return {file_kind::onnx, "an ONNX file"};
  if (fields.has_delimited(100) || fields.has_delimited(2))
    return {file_kind::caffe_binary, "a caffemodel"};
  return {file_kind::other, "no kind of file that is known here", give_model};
}

}  // namespace nvdlac::import

namespace nvdlac::import::caffe_format {

using dims = std::vector<std::int64_t>;

inline std::string to_text(const dims& d) {
  std::string s;
  for (const auto n : d) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s.empty() ? "scalar" : s;
}

// The trained blobs of a caffemodel, by the names of their layers.
class weights {
 public:
  explicit weights(const std::string& file) : file_(file), content_(read(file)) {
    for (const char* list : {"layer", "layers"})
      for (const auto& layer : content_.root().children(list))
        if (layer.has("blobs")) blobs_.emplace(layer.string("name"), layer.children("blobs"));
  }

  const std::string& file() const { return file_; }

  // Throws unless the layer has exactly `count` blobs.
  const std::vector<proto::view>& of(const std::string& layer, std::size_t count) const {
    const auto found = blobs_.find(layer);
    if (found == blobs_.end())
      throw error(text("'", file_, "' has no weights for it"));
    if (found->second.size() != count)
      throw error(text("'", file_, "' has ", found->second.size(), " blobs for it instead of ",
                       count));
    return found->second;
  }

  // The values of a blob that must have this shape. Old blobs have four dimensions, of which
  // leading ones of 1 do not count.
  static std::vector<float> values(const proto::view& blob, dims expected, const char* what) {
    dims found;
    if (blob.has("shape")) {
      found = blob.child("shape").values<std::int64_t>("dim");
    } else {
      for (const char* name : {"num", "channels", "height", "width"})
        found.push_back(blob.integer(name, 0));
    }
    const std::string shown = text("the shape of its ", what, " is ", to_text(found), " instead of ",
                                   to_text(expected));
    if (significant(found) != significant(expected)) throw error(shown);
    auto result = blob.values<float>("data");
    const auto doubles = blob.values<double>("double_data");
    if (result.empty())
      std::transform(doubles.begin(), doubles.end(), std::back_inserter(result),
                     [](double v) { return static_cast<float>(v); });
    std::int64_t count = 1;
    for (const auto n : expected) count = net::product({count, n});
    if (std::cmp_not_equal(result.size(), count))
      throw error(text("its ", what, " have ", result.size(), " values instead of ", count));
    return result;
  }

 private:
  static dims significant(const dims& d) {
    return dims(std::find_if(d.begin(), d.end(), [](auto n) { return n != 1; }), d.end());
  }
  static proto::document read(const std::string& file) {
    const std::string content = read_file(file);
    const auto kind = recognise(content);
    if (kind.kind == file_kind::caffe_binary)
      return proto::parse_binary(schema(), "NetParameter", file, content);
    if (kind.kind == file_kind::caffe_text)
      return proto::parse_text(schema(), "NetParameter", file, content);
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a caffemodel",
                        .remedy = kind.remedy});
  }

  std::string file_;
  proto::document content_;
  std::map<std::string, std::vector<proto::view>> blobs_;
};

}  // namespace nvdlac::import::caffe_format
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>


namespace nvdlac::import::caffe_format {

// A parameter that becomes a 32-bit number of an operator.
inline std::int32_t small(std::int64_t n, const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (n < 0 || n > most) throw error(text(name, " is ", n, ", which is not in 0 .. ", most));
  return static_cast<std::int32_t>(n);
}
inline std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise) {
  return small(p.integer(name, otherwise), name);
}

struct height_width {
  std::int32_t h, w;
};

// `name` (once, or once for height and width) or name_h and name_w.
inline height_width either(const proto::view& p, const std::string& name, const char* h,
                           const char* w, std::int64_t otherwise) {
  const bool split = p.has(h) || p.has(w);
  if (split && p.has(name.c_str())) throw error(text("it gives both ", name, " and ", h, " or ", w));
  if (split) return {small(p, h, otherwise), small(p, w, otherwise)};
  const auto* field = p.message().GetDescriptor()->FindFieldByName(name);
  if (!field->is_repeated()) {
    const auto n = small(p, name.c_str(), otherwise);
    return {n, n};
  }
  const auto all = p.values<std::uint32_t>(name.c_str());
  if (all.size() > 2)
    throw error(text("it has ", all.size(), " values of ", name, ", for a convolution of ",
                     all.size(), " dimensions (2 are supported)"));
  if (all.empty()) return {small(otherwise, name.c_str()), small(otherwise, name.c_str())};
  return {small(all.front(), name.c_str()), small(all.back(), name.c_str())};
}

inline net::window make_window(const proto::view& p, const char* stride_what) {
  const auto kernel = either(p, "kernel_size", "kernel_h", "kernel_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  if (kernel.h < 1 || kernel.w < 1) throw error("its kernel_size is missing or 0");
  if (stride.h < 1 || stride.w < 1) throw error(text("its ", stride_what, " is 0"));
  return {.kernel_h = kernel.h, .kernel_w = kernel.w, .stride_h = stride.h, .stride_w = stride.w,
          .pad_top = pad.h, .pad_left = pad.w, .pad_bottom = pad.h, .pad_right = pad.w};
}

inline net::window convolution_window(const proto::view& p) {
  net::window w = make_window(p, "stride");
  const auto dilation = p.values<std::uint32_t>("dilation");
  if (dilation.size() > 2) throw error("it has more than 2 values of dilation");
  if (!dilation.empty()) {
    w.dilation_h = small(dilation.front(), "dilation");
    w.dilation_w = small(dilation.back(), "dilation");
  }
  return w;
}

inline void require_no_window(const proto::view& p) {
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  if (p.has("kernel_size") || p.has("kernel_h") || p.has("kernel_w"))
    throw error("it gives both global_pooling and a kernel size");
  if (pad.h != 0 || pad.w != 0 || stride.h != 1 || stride.w != 1)
    throw error("global_pooling takes no padding and stride 1");
}

// Caffe's rounding up of the output size differs from the usual rule in two corners: a window
// larger than the padded picture is allowed, and clipped; and without padding a last window that
// lies wholly outside is kept, which has no meaning.
inline net::window pooling_window(const proto::view& p, net::shape in, bool ceil) {
  net::window w = make_window(p, "stride");
  if (!ceil) return w;
  const auto fit = [](std::int32_t& kernel, std::int32_t stride, std::int32_t pad, std::int32_t size) {
    const std::int64_t padded = std::int64_t{size} + 2 * pad;
    if (kernel > padded && kernel - padded < stride) kernel = static_cast<std::int32_t>(padded);
    const std::int64_t rest = padded - kernel, last = (rest + stride - 1) / stride * stride;
    if (pad == 0 && rest > 0 && last >= size)
      throw error("its last window lies outside the picture: its stride is larger than its kernel");
  };
  fit(w.kernel_h, w.stride_h, w.pad_top, in.h);
  fit(w.kernel_w, w.stride_w, w.pad_left, in.w);
  return w;
}

}  // namespace nvdlac::import::caffe_format

namespace nvdlac::import::caffe_format {

// A blob: the node that produces it, and its dimensions as Caffe counts axes: {1, c, h, w}, or
// fewer. The batch is one picture.
struct blob {
  assembly::id node;
  dims shape;
};

// {1, c, ..} as a cube; missing axes have one element.
inline net::shape cube(const dims& d) {
  if (d.size() < 2 || d.size() > 4)
    throw error(text("a blob of ", d.size(), " dimensions cannot be expressed"));
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

// Turns one layer after the other into nodes. Each member function converts the layers of one type
// for its inputs; it throws `error` with the reason.
class converter {
 public:
  converter(assembly& net, const weights& trained, std::int64_t batch)
      : net_(net), weights_(trained), batch_(batch) {}

  // Problems of weights, which do not keep the layers behind from being read.
  const std::vector<problem>& weight_problems() const { return weight_problems_; }

  blob convolution(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("convolution_param");
    require_axis_1(p, in[0]);
    net::convolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                        .groups = small(p, "group", 1)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));  // before the sizes are used
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.weights = weights::values(
          blobs[0], {op.kernels, x.c / op.groups, op.window.kernel_h, op.window.kernel_w}, "weights");
      if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
    });
    return add_cube(l, std::move(op), in);
  }

  blob inner_product(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("inner_product_param");
    require_axis_1(p, in[0]);
    net::fully_connected op{.outputs = small(p, "num_output", 0)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      const auto depth = static_cast<std::int64_t>(x.size());
      const bool turned = p.flag("transpose", false);
      op.weights = weights::values(blobs[0], turned ? dims{depth, op.outputs} : dims{op.outputs, depth},
                                   "weights");
      if (turned) op.weights = transposed(op.weights, static_cast<std::size_t>(op.outputs));
      if (biased) op.bias = weights::values(blobs[1], {op.outputs}, "bias");
    });
    const std::int64_t outputs = op.outputs;
    return {add(l, std::move(op), in), {1, outputs}};
  }

  blob pooling(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("pooling_param");
    const auto method = p.enumerator("pool", "MAX");
    if (method == "STOCHASTIC")
      throw error(problem{.reason = "stochastic pooling is not supported", .remedy = "MAX and AVE are"});
    // Caffe divides by the window clipped to the padded picture.
    net::pool op{.kind = method == "MAX" ? net::pool_kind::maximum : net::pool_kind::average,
                 .ceil = p.enumerator("round_mode", "CEIL") == "CEIL", .count_include_pad = true,
                 .global = p.flag("global_pooling", false)};
    if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
    if (op.global) {
      require_no_window(p);
      op.ceil = op.count_include_pad = false;
    } else {
      op.window = pooling_window(p, net_.shape(in[0].node), op.ceil);
      if (op.kind == net::pool_kind::maximum) op.count_include_pad = false;
    }
    return add_cube(l, std::move(op), in);
  }

  blob relu(const layer& l, std::span<const blob> in) {
    if (l.fields.child("relu_param").number("negative_slope", 0) != 0.0F)
      throw error(problem{.reason = "negative_slope makes it a leaky ReLU, which is not supported",
                          .remedy = "ReLU with negative_slope 0 is"});
    return {add(l, net::relu{}, in), in[0].shape};
  }

  blob batch_norm(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("batch_norm_param");
    if (!p.flag("use_global_stats", true))
      throw error(problem{.reason = "use_global_stats: false normalises by the batch at hand",
                          .remedy = "only the trained statistics are supported"});
    net::batch_norm op{.epsilon = p.number("eps", 1e-5F)};
    load(l, [&] {
      const auto& blobs = weights_.of(l.name, 3);
      const std::int64_t channels = net_.shape(in[0].node).c;
      op.mean = weights::values(blobs[0], {channels}, "mean");
      op.variance = weights::values(blobs[1], {channels}, "variance");
      // The blobs hold sums; the third one says of how many (weighted) batches.
      const float count = weights::values(blobs[2], {1}, "moving-average factor")[0];
      const float factor = count == 0.0F ? 0.0F : 1.0F / count;
      for (auto& v : op.mean) v *= factor;
      for (auto& v : op.variance) v *= factor;
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob scale(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("scale_param");
    const dims size = per_channel(p, in[0]);
    net::scale op;
    load(l, [&] {
      const bool biased = p.flag("bias_term", false);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.factor = weights::values(blobs[0], size, "factor");
      if (biased) op.bias = weights::values(blobs[1], size, "bias");
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob bias(const layer& l, std::span<const blob> in) {
    const dims size = per_channel(l.fields.child("bias_param"), in[0]);
    net::scale op{.factor = {1.0F}};
    load(l, [&] { op.bias = weights::values(weights_.of(l.name, 1)[0], size, "bias"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob power(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("power_param");
    if (p.number("power", 1) != 1.0F)
      throw error(problem{.reason = text("power ", p.number("power", 1), " is not supported"),
                          .remedy = "power 1 with scale and shift is"});
    net::scale op{.factor = {p.number("scale", 1)}};
    if (p.number("shift", 0) != 0.0F) op.bias = {p.number("shift", 0)};
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob eltwise(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("eltwise_param");
    if (const auto operation = p.enumerator("operation", "SUM"); operation != "SUM")
      throw error(problem{.reason = "the operation " + operation + " is not supported",
                          .remedy = "SUM is"});
    const auto coefficients = p.values<float>("coeff");
    if (!coefficients.empty() && coefficients.size() != in.size())
      throw error(text("it has ", coefficients.size(), " coefficients for ", in.size(), " inputs"));
    std::vector<assembly::id> terms;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].shape != in[0].shape)
        throw error(text("its inputs have different shapes, ", to_text(in[0].shape), " and ",
                         to_text(in[i].shape)));
      terms.push_back(in[i].node);
      if (!coefficients.empty() && coefficients[i] != 1.0F)
        terms.back() = net_.add(text(l.name, "/coeff", i), net::scale{.factor = {coefficients[i]}},
                                {terms.back()}, l.line);
    }
    assembly::id sum = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i)
      sum = net_.add(i + 1 == terms.size() ? l.name : text(l.name, "/sum", i), net::add{},
                     {sum, terms[i]}, l.line);
    return {sum, in[0].shape};
  }

  blob concat(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("concat_param");
    if (p.has("axis") && p.has("concat_dim")) throw error("it gives both axis and concat_dim");
    const auto axis = p.has("concat_dim") ? p.integer("concat_dim") : p.integer("axis", 1);
    if (canonical(axis, in[0]) != 1)
      throw error(problem{.reason = text("it concatenates along axis ", axis),
                          .remedy = "only channels, axis 1, can be concatenated"});
    dims out = in[0].shape;
    for (const auto& b : in.subspan(1)) {
      if (b.shape.size() != out.size()) throw error("its inputs have different numbers of dimensions");
      out[1] += b.shape[1];
    }
    return {add(l, net::concat{}, in), out};
  }

  blob flatten(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("flatten_param");
    const auto first = canonical(p.integer("axis", 1), in[0]);
    const auto last = canonical(p.integer("end_axis", -1), in[0]);
    if (first < 1 || last < first)
      throw error(text("it flattens the axes ", first, " to ", last, " (1 and above are supported)"));
    dims out(in[0].shape.begin(), in[0].shape.begin() + first);
    std::int64_t joined = 1;
    for (auto i = first; i <= last; ++i) joined *= in[0].shape[static_cast<std::size_t>(i)];
    out.push_back(joined);
    out.insert(out.end(), in[0].shape.begin() + last + 1, in[0].shape.end());
    if (out.size() == 2) return {add(l, net::flatten{}, in), out};
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob reshape(const layer& l, std::span<const blob> in) {
    const dims out = reshaped(l.fields.child("reshape_param"), in[0].shape);
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob softmax(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("softmax_param");
    require_axis_1(p, in[0]);
    return {add(l, net::softmax{}, in), in[0].shape};
  }

  blob lrn(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("lrn_param");
    if (p.enumerator("norm_region", "ACROSS_CHANNELS") != "ACROSS_CHANNELS")
      throw error(problem{.reason = "LRN within a channel is not supported",
                          .remedy = "NVDLA's CDP normalises ACROSS_CHANNELS only"});
    return {add(l, net::lrn{.local_size = small(p, "local_size", 5), .alpha = p.number("alpha", 1),
                            .beta = p.number("beta", 0.75F), .k = p.number("k", 1)}, in),
            in[0].shape};
  }

  blob same(const layer& l, std::span<const blob> in) {
    return {add(l, net::identity{}, in), in[0].shape};
  }

 private:
  template <class Op>
  assembly::id add(const layer& l, Op op, std::span<const blob> in) {
    std::vector<assembly::id> nodes;
    for (const auto& b : in) nodes.push_back(b.node);
    const bool sound = std::exchange(weights_sound_, true);
    return net_.add(l.name, std::move(op), nodes, l.line, sound);
  }
  template <class Read>
  void load(const layer& l, Read read) {
    try {
      read();
    } catch (const error& e) {
      weights_sound_ = false;
      for (problem p : e.problems()) {
        p.line = l.line;
        p.layer = l.name;
        weight_problems_.push_back(std::move(p));
      }
    }
  }
  // [inputs][outputs] -> [outputs][inputs]
  static std::vector<float> transposed(const std::vector<float>& from, std::size_t outputs) {
    std::vector<float> to(from.size());
    const std::size_t inputs = from.size() / outputs;
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t i = 0; i < inputs; ++i) to[k * inputs + i] = from[i * outputs + k];
    return to;
  }
  template <class Op>
  blob add_cube(const layer& l, Op op, std::span<const blob> in) {
    const auto n = add(l, std::move(op), in);
    const net::shape s = net_.shape(n);
    return {n, {1, s.c, s.h, s.w}};
  }

  static std::int64_t canonical(std::int64_t axis, const blob& b) {
    const auto rank = static_cast<std::int64_t>(b.shape.size());
    if (axis < -rank || axis >= rank)
      throw error(text("axis ", axis, " of a blob with ", rank, " dimensions"));
    return axis < 0 ? axis + rank : axis;
  }
  static void require_axis_1(const proto::view& p, const blob& b) {
    if (canonical(p.integer("axis", 1), b) != 1)
      throw error(problem{.reason = text("axis ", p.integer("axis"), " is not supported"),
                          .remedy = "axis 1 is"});
  }
  // The size of a blob with one value for each channel, or with a single one.
  static dims per_channel(const proto::view& p, const blob& b) {
    const auto axes = p.integer("num_axes", 1);
    if (axes == 0) return {1};
    const bool channels = axes == 1 || (axes == -1 && b.shape.size() == 2);
    if (canonical(p.integer("axis", 1), b) != 1 || !channels)
      throw error(problem{.reason = "its values are not one for each channel",
                          .remedy = "axis 1 and num_axes 1 are supported"});
    return {b.shape[1]};
  }
  dims reshaped(const proto::view& p, const dims& in) const {
    const auto wanted = p.child("shape").values<std::int64_t>("dim");
    const auto rank = static_cast<std::int64_t>(in.size());
    const auto axis = p.integer("axis", 0), first = axis < 0 ? axis + rank + 1 : axis;
    const auto axes = p.integer("num_axes", -1), end = axes == -1 ? rank : first + axes;
    if (axes < -1 || first < 0 || first > rank || end > rank)
      throw error(text("it reshapes ", axes, " axes from axis ", axis, " of ", rank));
    dims out(in.begin(), in.begin() + first);
    std::size_t open = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::int64_t n = wanted[i];
      if (n == 0) {
        if (first + static_cast<std::int64_t>(i) >= end) throw error("it copies an axis that is not there");
        n = in[static_cast<std::size_t>(first) + i];
      } else if (out.empty() && n == batch_) {
        n = 1;  // the batch for which the file was written
      } else if (n == -1) {
        if (open++ != 0) throw error("its shape has more than one -1");
      } else if (n < 1) {
        throw error(text("its shape has the dimension ", n));
      }
      out.push_back(n);
    }
    out.insert(out.end(), in.begin() + end, in.end());
    std::int64_t total = 1, known = 1;
    for (const auto n : in) total = net::product({total, n});
    for (const auto n : out) known = net::product({known, n == -1 ? 1 : n});
    for (auto& n : out)
      if (n == -1) n = total / known;
    if (out.empty() || out[0] != 1)
      throw error(problem{.reason = text("it reshapes to ", to_text(out), ", which mixes pictures"),
                          .remedy = "the first dimension is the batch, which is 1"});
    return out;
  }

  assembly& net_;
  const weights& weights_;
  std::int64_t batch_;
  bool weights_sound_ = true;  // of the layer at hand
  std::vector<problem> weight_problems_;
};

}  // namespace nvdlac::import::caffe_format

namespace nvdlac::import {

namespace caffe_format {

// How the layers of one type are read: the message of their parameters and the conversion.
struct layer_type {
  const char* parameters;
  blob (converter::*convert)(const layer&, std::span<const blob>);
  std::size_t least_inputs = 1, most_inputs = 1;
};

inline const std::map<std::string_view, layer_type>& layer_types() {
  constexpr std::size_t many = 1024;
  static const std::map<std::string_view, layer_type> types = {
      {"BatchNorm", {"batch_norm_param", &converter::batch_norm}},
      {"Bias", {"bias_param", &converter::bias}},
      {"Concat", {"concat_param", &converter::concat, 1, many}},
      {"Convolution", {"convolution_param", &converter::convolution}},
      {"Dropout", {"dropout_param", &converter::same}},
      {"Eltwise", {"eltwise_param", &converter::eltwise, 2, many}},
      {"Flatten", {"flatten_param", &converter::flatten}},
      {"InnerProduct", {"inner_product_param", &converter::inner_product}},
      {"LRN", {"lrn_param", &converter::lrn}},
      {"Pooling", {"pooling_param", &converter::pooling}},
      {"Power", {"power_param", &converter::power}},
      {"ReLU", {"relu_param", &converter::relu}},
      {"Reshape", {"reshape_param", &converter::reshape}},
      {"Scale", {"scale_param", &converter::scale}},
      {"Softmax", {"softmax_param", &converter::softmax}},
      {"Split", {"", &converter::same}},
  };
  return types;
}

// Why a layer of this type cannot be part of a deployed network.
inline problem unsupported(const std::string& type, bool with_list) {
  const auto ends = [&](std::string_view s) {
    return type.size() >= s.size() && type.compare(type.size() - s.size(), s.size(), s) == 0;
  };
  if (type.empty()) return {.reason = "it has no type"};
  if (ends("Data"))
    return {.reason = "it is a " + type + " layer, which reads a training set",
            .remedy = "give the deploy file, whose Input layer has the shape of a picture"};
  if (ends("Loss") || ends("_LOSS") || type == "Accuracy" || type == "Silence" || ends("Output"))
    return {.reason = "it is a " + type + " layer, which is of use in training and testing only",
            .remedy = "give the deploy file, or exclude the layer from the phase TEST"};
  std::string known;
  for (const auto& [name, ignored] : layer_types()) known += std::string(name) + ", ";
  return {.reason = "layers of type " + type + " are not supported",
          .remedy = with_list ? "supported are " + known + "Input" : ""};
}

class reader {
 public:
  reader(const std::string& file, const proto::document& document, const weights& trained)
      : file_(file), document_(document), weights_(trained), net_(file, problems_) {}

  net::graph read() {
    const auto layers = used_layers(document_);
    if (document_.root().has("layer") && document_.root().has("layers"))
      complain({.reason = "it has layers both of the old form (layers) and the new form (layer)"});
    report_unknown(layers);
    read_inputs(layers);
    converter convert(net_, weights_, batch_);
    for (const auto& l : layers) {
      if (l.name.empty()) complain({.line = l.line, .reason = "a layer has no name"});
      else if (!names_.insert(l.name).second)
        complain({.line = l.line, .layer = l.name, .reason = "its name is used more than once"});
      if (l.type != "Input") read_layer(l, layers, convert);
    }
    for (const auto& p : convert.weight_problems()) complain(p);
    for (const auto& [name, b] : blobs_)
      if (b && !consumed_.contains(b->node)) net_.mark_output(b->node);
    if (problems_.empty() && (layers.empty() || blobs_.empty()))
      complain({.reason = "the network has no layers"});
    if (problems_.empty() && batch_ == 0)
      complain({.reason = "the network has no input", .remedy = "give the deploy file"});
    return net_.finish();
  }

 private:
  void complain(problem p) {
    p.file = file_;
    problems_.add(std::move(p));
  }
  void complain(const layer& l, const error& e) {
    for (problem p : e.problems()) {
      p.line = l.line;
      p.layer = l.name;
      complain(std::move(p));
    }
  }

  void report_unknown(const std::vector<layer>& layers) {
    for (const auto& u : document_.unknown) {
      const auto reason = text("the field ", u.name, " of ", u.message, " is not understood");
      if (u.message == "NetParameter") {
        complain({.line = u.at.line, .reason = reason});
        continue;
      }
      for (const auto& l : layers)  // a layer that takes no part may hold what it likes
        if (u.at >= l.start && u.at < l.end &&
            (l.type == "Input" || layer_types().contains(l.type)))
          complain({.line = u.at.line, .layer = l.name, .reason = reason});
    }
  }

  void add_input(const std::string& layer, const std::string& top, const dims& d, std::size_t line) {
    try {
      if (d.size() < 2 || d.size() > 4)
        throw error(text("the input has ", d.size(), " dimensions (2 to 4 are supported: pictures, "
                         "channels, height, width)"));
      if (d[0] < 1) throw error(text("the input has a batch of ", d[0]));
      dims one = d;
      one[0] = 1;
      batch_ = std::max(batch_, d[0]);
      bind(top, blob{net_.add(layer, net::input{cube(one)}, {}, line), one}, layer, line, false);
    } catch (const error& e) {
      for (problem p : e.problems()) {
        p.line = line;
        p.layer = layer;
        complain(std::move(p));
      }
      batch_ = std::max(batch_, std::int64_t{1});
      blobs_[top] = std::nullopt;
    }
  }
  static dims to_dims(const proto::view& shape) { return shape.values<std::int64_t>("dim"); }
  void read_inputs(const std::vector<layer>& layers) {
    const auto net = document_.root();
    const auto inputs = net.strings("input");
    const auto flat = net.values<std::int32_t>("input_dim");
    const auto shapes = net.children("input_shape");
    if (shapes.empty() ? flat.size() != 4 * inputs.size() : !flat.empty() || shapes.size() != inputs.size())
      complain({.reason = text("the network names ", inputs.size(), " inputs, but gives ", flat.size(),
                               " values of input_dim and ", shapes.size(), " of input_shape"),
                .remedy = "give four values of input_dim, or one input_shape, for each input"});
    else
      for (std::size_t i = 0; i < inputs.size(); ++i)
        add_input(inputs[i], inputs[i],
                  shapes.empty() ? dims(flat.begin() + static_cast<std::ptrdiff_t>(4 * i),
                                        flat.begin() + static_cast<std::ptrdiff_t>(4 * i + 4))
                                 : to_dims(shapes[i]),
                  0);
    for (const auto& l : layers) {
      if (l.type != "Input") continue;
      const auto given = l.fields.child("input_param").children("shape");
      check_parameters(l, "input_param");
      if (!l.bottoms.empty() || l.tops.empty() || (given.size() != 1 && given.size() != l.tops.size())) {
        complain(l, error(text("the Input layer has ", l.bottoms.size(), " bottoms, ", l.tops.size(),
                               " tops and ", given.size(), " shapes")));
        for (const auto& top : l.tops) blobs_[top] = std::nullopt;
        batch_ = std::max(batch_, std::int64_t{1});
        continue;
      }
      for (std::size_t i = 0; i < l.tops.size(); ++i)
        add_input(l.tops.size() == 1 ? l.name : l.tops[i], l.tops[i],
                  to_dims(given[given.size() == 1 ? 0 : i]), l.line);
    }
  }

  // What a layer of another type would understand has no meaning here.
  void check_parameters(const layer& l, std::string_view expected) {
    std::vector<const proto::pb::FieldDescriptor*> fields;
    const auto& m = l.fields.message();
    m.GetReflection()->ListFields(m, &fields);
    for (const auto* f : fields)
      if (f->name().size() > 6 && f->name().substr(f->name().size() - 6) == "_param" &&
          f->name() != expected)
        complain({.line = l.line, .layer = l.name,
                  .reason = text(f->name(), " has no meaning in a layer of type ", l.type)});
    if (l.fields.has("phase") && l.fields.enumerator("phase", "TEST") != "TEST")
      complain({.line = l.line, .layer = l.name, .reason = "phase: TRAIN of a layer that is used",
                .remedy = "write include { phase: TRAIN } to leave it out of the network"});
  }

  void bind(const std::string& top, const blob& b, const std::string& layer, std::size_t line,
            bool in_place) {
    if (!blobs_.contains(top) || in_place) blobs_[top] = b;
    else
      complain({.line = line, .layer = layer,
                .reason = "its output '" + top + "' is already produced by another layer"});
  }

  void read_layer(const layer& l, const std::vector<layer>& all, converter& convert) {
    const auto poison = [&] {
      for (const auto& top : l.tops) blobs_[top] = std::nullopt;
    };
    const auto type = layer_types().find(l.type);
    if (type == layer_types().end()) {
      complain(l, error(unsupported(l.type, !std::exchange(supported_listed_, true))));
      return poison();
    }
    check_parameters(l, type->second.parameters);
    const auto inputs = inputs_of(l, all);
    try {
      const auto n = l.bottoms.size();
      if (n < type->second.least_inputs || n > type->second.most_inputs)
        throw error(text("a layer of type ", l.type, " has ", n, " inputs (bottom)"));
      if (l.tops.empty() || (l.tops.size() > 1 && l.type != "Split"))
        throw error(text("a layer of type ", l.type, " has ", l.tops.size(), " outputs (top)"));
      if (!inputs) return poison();
      const blob out = (convert.*type->second.convert)(l, *inputs);
      for (const auto& b : *inputs) consumed_.insert(b.node);
      for (const auto& top : l.tops)
        bind(top, out, l.name, l.line,
             std::find(l.bottoms.begin(), l.bottoms.end(), top) != l.bottoms.end());
    } catch (const error& e) {
      complain(l, e);
      poison();
      // A layer that keeps the shape does not keep those behind it from being looked at.
      static const std::set<std::string_view> keep = {"BatchNorm", "Bias", "LRN", "Power", "ReLU",
                                                      "Scale", "Softmax"};
      if (inputs && inputs->size() == 1 && keep.contains(l.type))
        for (const auto& top : l.tops) blobs_[top] = inputs->front();
    }
  }
  // Empty if one of them is not known; it is reported unless that was done before.
  std::optional<std::vector<blob>> inputs_of(const layer& l, const std::vector<layer>& all) {
    std::vector<blob> inputs;
    bool complete = true;
    for (const auto& bottom : l.bottoms) {
      const auto found = blobs_.find(bottom);
      if (found != blobs_.end() && found->second) {
        inputs.push_back(*found->second);
        continue;
      }
      complete = false;
      if (found != blobs_.end()) continue;
      const auto later = std::find_if(all.begin(), all.end(), [&](const layer& o) {
        return std::find(o.tops.begin(), o.tops.end(), bottom) != o.tops.end();
      });
      complain({.line = l.line, .layer = l.name,
                .reason = "nothing produces its input '" + bottom + "'" +
                          (later == all.end() ? std::string{}
                                              : " before it; layer '" + later->name + "' does so later"),
                .remedy = later == all.end() ? "" : "the layers are out of order or form a cycle"});
    }
    if (!complete) return std::nullopt;
    return inputs;
  }

  std::string file_;
  const proto::document& document_;
  const weights& weights_;
  diagnostics problems_;
  assembly net_;
  std::int64_t batch_ = 0;  // of the inputs; 0 without inputs
  std::map<std::string, std::optional<blob>> blobs_;  // empty: produced by a layer with a problem
  std::set<assembly::id> consumed_;
  std::set<std::string> names_;
  bool supported_listed_ = false;
};

}  // namespace caffe_format

// Reads a Caffe network as it is used (phase TEST) from its description and its trained weights.
// The batch is dropped: a network is for one picture. Throws `error` with all problems.
inline net::graph caffe(const std::filesystem::path& prototxt, const std::filesystem::path& caffemodel) {
  const std::string file = prototxt.string();
  const std::string content = read_file(prototxt);
  if (const auto kind = recognise(content); kind.kind != file_kind::caffe_text)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a prototxt",
                        .remedy = kind.kind == file_kind::caffe_binary
                                      ? "give the prototxt first, then the caffemodel"
                                      : kind.remedy});
  const auto document = proto::parse_text(caffe_format::schema(), "NetParameter", file, content);
  const caffe_format::weights trained(caffemodel.string());
  return caffe_format::reader(file, document, trained).read();
}

}  // namespace nvdlac::import
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

// Asks `support`, for kinds of operators, for single ones and for whole networks.
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include <span>


namespace nvdlac::net {

// Writes an operator of the user's own as one that nvdlac knows, with the same inputs. The user
// specialises it: `static constexpr auto run(const Op&, std::span<const shape>)`.
template <class Op>
struct expansion;

template <class Op>
concept is_expandable = requires(const Op op, std::span<const shape> in) {
  { expansion<Op>::run(op, in) } -> operation;
};

}  // namespace nvdlac::net
// The compile-time form of a network. Operators, shape rules and limits are those of net::graph.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <cstdint>


namespace nvdlac::net {

// A window that is the same in both dimensions: `.window = square{.kernel = 3, .pad = 1}`.
struct square {
  std::int32_t kernel = 1, stride = 1, pad = 0, dilation = 1;

  constexpr operator window() const {
    return {kernel, kernel, stride, stride, pad, pad, pad, pad, dilation, dilation};
  }
};

}  // namespace nvdlac::net
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include <boost/graph/graph_traits.hpp>

namespace nvdlac::net {

// The edges of a DAG of N nodes, known to the compiler. Every node comes behind those it reads, so
// its ids are an order of execution. A model of Boost.Graph's VertexListGraph, EdgeListGraph,
// IncidenceGraph and AdjacencyGraph: its algorithms take the compile-time form too.
template <std::size_t N, std::size_t E>
class topology {
 public:
  using id = std::size_t;
  struct edge {
    id from = 0, to = 0;
    std::size_t slot = 0;  // of the inputs of `to`

    constexpr bool operator==(const edge&) const = default;
  };

  constexpr topology() {
    for (id n = 0; n < N; ++n) nodes_[n] = n;
  }
  // The edges, those of one consumer together and by slot, consumers ascending.
  constexpr explicit topology(const std::array<edge, E>& by_consumer) : topology() {
    std::size_t filled = 0;
    for (id n = 0; n < N; ++n) {
      first_out_[n] = filled;
      for (const edge& e : by_consumer)
        if (e.from == n) {
          targets_[filled] = e.to;
          by_producer_[filled++] = e;
        }
      first_in_[n + 1] = first_in_[n];
      for (std::size_t i = first_in_[n]; i < E && by_consumer[i].to == n; ++i) {
        sources_[i] = by_consumer[i].from;
        ++first_in_[n + 1];
      }
    }
    first_out_[N] = filled;
  }

  static constexpr std::size_t size() { return N; }
  // The producers of n's inputs, by slot.
  constexpr std::span<const id> inputs(id n) const {
    return std::span(sources_).subspan(first_in_[n], first_in_[n + 1] - first_in_[n]);
  }
  // Every use of n's tensor, ascending.
  constexpr std::span<const id> consumers(id n) const {
    return std::span(targets_).subspan(first_out_[n], first_out_[n + 1] - first_out_[n]);
  }

  // Boost.Graph's side.
  using vertex_descriptor = id;
  using edge_descriptor = edge;
  using vertex_iterator = const id*;
  using edge_iterator = const edge*;
  using out_edge_iterator = const edge*;
  using adjacency_iterator = const id*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag,
                              boost::incidence_graph_tag,
                              boost::adjacency_graph_tag {};
  static constexpr id null_vertex() { return N; }

  friend constexpr id source(const edge& e, const topology&) { return e.from; }
  friend constexpr id target(const edge& e, const topology&) { return e.to; }
  friend constexpr std::size_t num_vertices(const topology&) { return N; }
  friend constexpr std::size_t num_edges(const topology&) { return E; }
  friend constexpr std::pair<const id*, const id*> vertices(const topology& g) {
    return {g.nodes_.data(), g.nodes_.data() + N};
  }
  friend constexpr std::pair<const edge*, const edge*> edges(const topology& g) {
    return {g.by_producer_.data(), g.by_producer_.data() + E};
  }
  friend constexpr std::pair<const edge*, const edge*> out_edges(id n, const topology& g) {
    return {g.by_producer_.data() + g.first_out_[n], g.by_producer_.data() + g.first_out_[n + 1]};
  }
  friend constexpr std::size_t out_degree(id n, const topology& g) { return g.consumers(n).size(); }
  friend constexpr std::pair<const id*, const id*> adjacent_vertices(id n, const topology& g) {
    return {g.targets_.data() + g.first_out_[n], g.targets_.data() + g.first_out_[n + 1]};
  }

 private:
  std::array<id, N> nodes_{};
  std::array<id, E> sources_{}, targets_{};  // by consumer; by producer
  std::array<edge, E> by_producer_{};
  std::array<std::size_t, N + 1> first_in_{}, first_out_{};
};

}  // namespace nvdlac::net

namespace nvdlac::net {

// An operator with a name and, unless it reads the node before it, the names of those it reads:
// `node{"sum", add{}, "branch", "data"}`.
template <operation Op, std::size_t Reads = 0>
struct node {
  using operator_type = Op;
  // A node that names no inputs reads the one before it, if its operator takes an input at all.
  static constexpr std::size_t inputs = Reads != 0 ? Reads : Op::inputs.most == 0 ? 0 : 1;
  static constexpr bool reads_the_one_before = Reads == 0 && inputs == 1;

  std::string_view name;  // empty: to_graph finds one
  Op op;
  std::array<std::string_view, Reads> reads{};

  constexpr node(Op what) requires(Reads == 0) : name(), op(std::move(what)) {}
  template <std::convertible_to<std::string_view>... Names>
    requires(sizeof...(Names) == Reads)
  constexpr node(std::string_view called, Op what, Names... of)
      : name(called), op(std::move(what)), reads{std::string_view(of)...} {}
};
template <class Op, class... Names>
node(std::string_view, Op, Names...) -> node<Op, sizeof...(Names)>;

namespace detail {

template <class T>
struct as_node {
  using type = node<T>;
};
template <class Op, std::size_t Reads>
struct as_node<node<Op, Reads>> {
  using type = node<Op, Reads>;
};

// The shape of a node that reads `inputs` of a network's nodes. No member of the network, so that
// what the compiler says of a failure is short.
template <class Op, std::size_t Reads>
constexpr shape infer(const node<Op, Reads>& n, std::span<const std::size_t> inputs,
                      std::span<const shape> shapes) {
  std::array<shape, node<Op, Reads>::inputs> in{};
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = shapes[inputs[i]];
  return n.op.infer(in);
}

}  // namespace detail

// A chain or a DAG of operators and `node`s, producers first; all its shapes are known once it
// stands. Weights are not part of it: `to_graph(network, parameters)` takes them. Those that
// nothing reads are the outputs.
//
//   constexpr network digits{input{{1, 28, 28}},
//                            convolution{.kernels = 8, .window = square{.kernel = 5}},
//                            relu{}, fully_connected{.outputs = 10}, softmax{}};
//
// What does not fit together is a compile error, and an nvdlac::error of a network that is not
// constexpr.
template <class... Nodes>
class network {
 public:
  static constexpr std::size_t node_count = sizeof...(Nodes);
  static constexpr std::size_t edge_count = (Nodes::inputs + ... + 0);
  using topology = net::topology<node_count, edge_count>;
  using id = std::size_t;

  constexpr explicit network(Nodes... nodes)
      : nodes_{nodes...}, names_{nodes.name...}, topology_(connect()) {
    const std::span<const shape> known = shapes_;
    id n = 0;
    std::span<const id> in;
    ((in = topology_.inputs(n), shapes_[n++] = detail::infer(nodes, in, known)), ...);
  }

  static constexpr std::size_t size() { return node_count; }
  // Calls f(id, node) for each node in order.
  template <class F>
  constexpr void for_each(F f) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(I, std::get<I>(nodes_)), ...);
    }(std::index_sequence_for<Nodes...>{});
  }
  template <id N>
  constexpr const auto& node() const { return std::get<N>(nodes_); }

  constexpr std::span<const shape> shapes() const { return shapes_; }
  constexpr shape shape_of(std::string_view name) const { return shapes_[find(name, node_count)]; }
  constexpr shape output_shape() const { return shapes_[node_count - 1]; }
  constexpr std::string_view name(id n) const { return names_[n]; }
  constexpr const topology& edges() const { return topology_; }
  // Fills `in` with the shapes of n's inputs.
  constexpr void inputs_of(id n, std::span<shape> in) const {
    std::ranges::transform(topology_.inputs(n), in.begin(), [&](id i) { return shapes_[i]; });
  }

 private:
  constexpr id find(std::string_view name, id end) const {
    for (id n = 0; n < end; ++n)
      if (!name.empty() && names_[n] == name) return n;
    throw error(text("no node before number ", end, " of the network is named '", name, "'"));
  }
  constexpr topology connect() const {
    std::array<typename topology::edge, edge_count> found{};
    std::size_t filled = 0;
    for_each([&]<class Node>(id n, const Node& node) {
      using op = typename Node::operator_type;
      static_assert(op::inputs.contains(Node::inputs),
                    "nvdlac: the node's operator takes another number of inputs than it reads");
      if constexpr (Node::reads_the_one_before) {
        if (n == 0) throw error("the first node of the network reads a node before it");
        found[filled++] = {n - 1, n, 0};
      }
      for (std::size_t i = 0; i < node.reads.size(); ++i)
        found[filled++] = {find(node.reads[i], n), n, i};
      for (id other = 0; other < n; ++other)
        if (!node.name.empty() && names_[other] == node.name)
          throw error(text("two nodes of the network are named '", node.name, "'"));
    });
    return topology(found);
  }

  std::tuple<Nodes...> nodes_;
  std::array<std::string_view, node_count> names_;
  topology topology_;
  std::array<shape, node_count> shapes_{};
};
template <class... Parts>
network(Parts...) -> network<typename detail::as_node<Parts>::type...>;

}  // namespace nvdlac::net

namespace nvdlac::lower {

// Why this operator, with its attributes and the shapes of its inputs, cannot run on Hw; `none` if
// it can. An operator of the user's own that has an expansion is judged by that.
template <hw::hardware Hw, net::operation Op>
constexpr reason reason_of(const Op& op, std::span<const net::shape> in) {
  if constexpr (net::is_expandable<Op>) return reason_of<Hw>(net::expansion<Op>::run(op, in), in);
  else return support<Op, Hw>::check(op, in);
}

// Why no operator of this kind can run on Hw: the least demanding one, with the attributes that Op
// has by default on inputs of a single element, cannot.
template <net::operation Op, hw::hardware Hw>
constexpr reason reason_of() {
  const std::array<net::shape, Op::inputs.least> in{};
  return reason_of<Hw>(Op{}, in);
}

// For each node of the network.
template <hw::hardware Hw, class... Nodes>
constexpr std::array<reason, sizeof...(Nodes)> reasons_of(const net::network<Nodes...>& network) {
  std::array<reason, sizeof...(Nodes)> result{};
  network.for_each([&](std::size_t n, const auto& node) {
    std::array<net::shape, std::remove_cvref_t<decltype(node)>::inputs> in{};
    network.inputs_of(n, in);
    result[n] = reason_of<Hw>(node.op, in);
  });
  return result;
}

// Of the first node that cannot run on Hw.
template <hw::hardware Hw, class... Nodes>
constexpr reason reason_of(const net::network<Nodes...>& network,
                           hw::precision p = hw::precision::int8) {
  if (const reason r = check_precision<Hw>(p); r != reason::none) return r;
  for (const reason r : reasons_of<Hw>(network))
    if (r != reason::none) return r;
  return reason::none;
}

}  // namespace nvdlac::lower

namespace nvdlac {

// What stands in the compile error: which operator, on which hardware, and why not. It is declared
// only, so that no constant expression has its value.
template <class Operator, class Hardware, lower::reason Why>
extern const bool unsupported;

namespace lower::detail {

// The data types are asked for as operators are.
template <hw::precision>
struct data_type;

// Reasons are numbered without gaps.
inline constexpr std::size_t reasons = [] {
  std::size_t n = 1;
  while (!to_text(static_cast<reason>(n)).empty()) ++n;
  return n;
}();

// Makes the reason a part of a name, so that every compiler prints it.
template <class Operator, class Hardware, std::size_t... I>
constexpr bool is_none(reason why, std::index_sequence<I...>) {
  return !((static_cast<std::size_t>(why) == I + 1 &&
            unsupported<Operator, Hardware, static_cast<reason>(I + 1)>) || ...);
}
template <class Operator, class Hardware>
constexpr bool is_none(reason why) {
  return is_none<Operator, Hardware>(why, std::make_index_sequence<reasons - 1>{});
}

}  // namespace lower::detail

// static_assert(nvdlac::runs_on<nv_small>(net)): true, or a compile error that names what
// cannot run: unsupported<lrn, nv_small, reason::lrn_size_is_not_3_5_7_9>. To ask without failing:
// lower::reason_of<nv_small>(net) == lower::reason::none.
template <hw::hardware Hw, hw::precision P = hw::precision::int8, class... Nodes>
consteval bool runs_on(const net::network<Nodes...>& network) {
  namespace ask = lower::detail;
  const auto reasons = lower::reasons_of<Hw>(network);
  std::size_t n = 0;
  return ask::is_none<ask::data_type<P>, Hw>(lower::check_precision<Hw>(P)) &&
         (ask::is_none<typename Nodes::operator_type, Hw>(reasons[n++]) && ...);
}

// The same for a kind of operator: static_assert(nvdlac::runs_on<net::pool, nv_small>()).
template <net::operation Op, hw::hardware Hw>
consteval bool runs_on() {
  return lower::detail::is_none<Op, Hw>(lower::reason_of<Op, Hw>());
}

}  // namespace nvdlac
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>


namespace nvdlac::net {

// Builds a graph from layers that name the tensors they read and the tensor they produce, as model
// files do, in any order. A layer whose output is one of its inputs (Caffe's in-place layers)
// rebinds the name: it reads what the name meant before it, and later layers read its result. A
// layer that reads a name before anything produces it reads what the name means in the end.
template <class Graph>
class builder {
 public:
  using id = typename Graph::id;

  // `file` goes into the problems that are reported.
  explicit builder(std::string file = {}) : file_(std::move(file)) {}

  id add(std::string layer, typename Graph::any_operator op, std::vector<std::string> input_tensors,
         const std::string& output_tensor) {
    const bool in_place = std::find(input_tensors.begin(), input_tensors.end(), output_tensor) !=
                          input_tensors.end();
    std::vector<use> uses;
    for (auto& name : input_tensors) {
      const auto& [producers, rebinders] = tensors_[name];
      const bool known = !producers.empty() || !rebinders.empty() || (in_place && name == output_tensor);
      uses.push_back({std::move(name), known ? rebinders.size() : last});
    }
    const id n = graph_.add(std::move(layer), std::move(op));
    uses_.push_back(std::move(uses));
    auto& bound = tensors_[output_tensor];
    (in_place ? bound.rebinders : bound.producers).push_back(n);
    return n;
  }

  // The graph with these tensors as outputs; without any, those that nothing reads. Throws, all
  // together: tensors that nothing or more than one layer produces, and cycles. The builder is
  // empty afterwards.
  Graph finish(const std::vector<std::string>& outputs = {}) {
    diagnostics problems;
    report_ambiguous(problems);
    for (id n = 0; n < graph_.size(); ++n)
      for (std::size_t i = 0; i < uses_[n].size(); ++i) {
        const auto& [name, version] = uses_[n][i];
        if (const id from = resolve(name, version); from != none) graph_.connect(from, n, i);
        else report(problems, graph_[n].name, "nothing produces its input '" + name + "'");
      }
    for (const auto& name : outputs) {
      if (const id n = resolve(name, last); n != none) graph_[n].output = true;
      else report(problems, {}, "nothing produces the output '" + name + "'");
    }
    if (outputs.empty())
      for (id n = 0; n < graph_.size(); ++n) graph_[n].output = graph_.consumers(n).empty();
    for (const auto& p : cycle_problems(graph_)) report(problems, p.layer, p.reason);
    uses_.clear();
    tensors_.clear();
    Graph result = std::exchange(graph_, Graph{});
    problems.check();
    return result;
  }

 private:
  static constexpr std::size_t last = static_cast<std::size_t>(-1);
  static constexpr id none = static_cast<id>(-1);

  struct use {
    std::string tensor;
    std::size_t version;  // what the name means after so many rebinders
  };
  struct binding {
    std::vector<id> producers, rebinders;  // in the order of their addition
  };

  id resolve(const std::string& name, std::size_t version) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return none;
    const auto& [producers, rebinders] = found->second;
    version = std::min(version, rebinders.size());
    if (version > 0) return rebinders[version - 1];
    return producers.empty() ? none : producers.front();
  }
  void report_ambiguous(diagnostics& problems) const {
    for (const auto& [name, bound] : tensors_) {
      if (bound.producers.size() < 2) continue;
      std::string layers;
      for (const id n : bound.producers) layers += (layers.empty() ? "'" : ", '") + graph_[n].name + "'";
      report(problems, graph_[bound.producers[1]].name,
             "the tensor '" + name + "' is produced more than once, by " + layers);
    }
  }
  void report(diagnostics& problems, std::string layer, std::string reason) const {
    problems.add({.file = file_, .layer = std::move(layer), .reason = std::move(reason)});
  }

  std::string file_;
  Graph graph_{};
  std::vector<std::vector<use>> uses_{};  // by node
  std::map<std::string, binding> tensors_{};
};

}  // namespace nvdlac::net
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>


namespace nvdlac::net::integer {

// The exact reference of a sound integer graph: visit(id, const int8_tensor&) sees every node's
// tensor, producers first. Feeds in the order of the input nodes (net::input_nodes).
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const feed> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const int8_tensor* const> in) {
    return std::visit(
        [&](const auto& op) -> int8_tensor {
          using op_type = std::decay_t<decltype(op)>;
          if constexpr (is_network_input<op_type>) {
            return op.evaluate(inputs[position[n]]);
          } else if constexpr (requires { op.evaluate(in, 1.0, 1.0); }) {
            return op.evaluate(in, g[g.inputs(n).front()].scale, g[n].scale);
          } else {
            return op.evaluate(in);
          }
        },
        g[n].op);
  };
  walk<int8_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, std::span<const feed> inputs) {
  const auto outputs = g.outputs();
  std::vector<int8_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const int8_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const std::map<std::string, feed>& inputs) {
  return integer::evaluate(g, std::span<const feed>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const feed& input) {
  return integer::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net::integer
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>


namespace nvdlac::net {

// Trained values by layer and member: {{"conv.weights", {...}}, {"conv.bias", {...}}}.
using parameters = std::map<std::string, std::vector<float>>;

namespace detail {

// Calls visit(name, values) for each member of an operator that training gives values to.
template <class Op, class Visit>
void visit_parameters(Op& op, Visit visit) {
  const auto each = [&](std::string_view name, auto& member) {
    if constexpr (std::is_same_v<decltype(member), std::vector<float>&>) visit(name, member);
  };
  if constexpr (requires { op.weights; }) each("weights", op.weights);
  if constexpr (requires { op.bias; }) each("bias", op.bias);
  if constexpr (requires { op.factor; }) each("factor", op.factor);
  if constexpr (requires { op.mean; }) each("mean", op.mean);
  if constexpr (requires { op.variance; }) each("variance", op.variance);
  if constexpr (requires { op.gamma; }) each("gamma", op.gamma);
  if constexpr (requires { op.beta; }) each("beta", op.beta);
  if constexpr (requires { op.value.values; }) each("value", op.value.values);
}

// The operator as the graph holds it.
template <class Graph, class Op>
typename Graph::any_operator as_listed(Op op, [[maybe_unused]] std::span<const shape> in) {
  if constexpr (contains<Op, typename Graph::operators>) {
    return op;
  } else {
    static_assert(is_expandable<Op>, "nvdlac: the operator is not in the graph's list of operators "
                                     "and has no net::expansion");
    return as_listed<Graph>(expansion<Op>::run(op, in), in);
  }
}

}  // namespace detail

// The network as a graph, with all its shapes. A node without a name is called after its operator
// and its position: "relu_2". An operator that is not in the graph's list becomes its expansion.
// Throws if no node has a member that `values` names; `verify` finds values that are missing or
// mis-sized.
template <class Graph = graph, class... Nodes>
Graph to_graph(const network<Nodes...>& net, const parameters& values = {}) {
  Graph g;
  std::set<std::string> taken;
  net.for_each([&]<class Node>(std::size_t n, const Node& node) {
    auto op = node.op;
    std::string name(node.name);
    if (name.empty()) name = text(type_name<typename Node::operator_type>(), '_', n);
    detail::visit_parameters(op, [&](std::string_view member, std::vector<float>& to) {
      const std::string key = text(name, '.', member);
      if (const auto found = values.find(key); found != values.end()) {
        to = found->second;
        taken.insert(key);
      }
    });
    std::vector<shape> in(Node::inputs);
    net.inputs_of(n, in);
    const auto from = net.edges().inputs(n);
    const auto id = g.add(std::move(name), detail::as_listed<Graph>(std::move(op), in),
                          {from.begin(), from.end()});
    g[id].shape = net.shapes()[n];
    g[id].output = net.edges().consumers(n).empty();
  });
  diagnostics problems;
  for (const auto& [key, ignored] : values)
    if (!taken.contains(key))
      problems.add({.layer = key.substr(0, key.rfind('.')),
                    .reason = text("the network has no '", key, "' to take values")});
  problems.check();
  return g;
}

}  // namespace nvdlac::net
// Scale tables as JSON, in two forms:
//   own:    {"nvdlac_scales": 1, "method": "entropy", "scales": {"conv1": 0.05, ..}}
//   public: {"conv1": {"scale": 0.05, "min": 0, "max": 0, "offset": 0}, ..}, the calibration table
//           of the public NVDLA compiler; it takes `min` and `max` where `scale` is absent.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>


namespace nvdlac::quant {

namespace detail {

using json = nlohmann::ordered_json;

inline constexpr const char* own_form = "nvdlac_scales";

// The document; reports every member that an object has twice (a JSON library keeps only one).
inline json parse_strictly(std::string_view text_of_file, const std::string& file, diagnostics& found) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      found.add({.file = file, .layer = parsed.get<std::string>(),
                 .reason = "is listed twice in the scale table"});
    return true;
  };
  try {
    return json::parse(text_of_file, watch);
  } catch (const json::exception& e) {
    throw error({.file = file, .reason = text("is not JSON: ", e.what())});
  }
}

inline std::optional<double> number(const json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return std::nullopt;
  if (!found->is_number()) return std::nan("");
  return found->get<double>();
}

// The scale of one layer of the public form, or a reason why it has none.
inline double public_scale(const json& layer, std::string& reason) {
  if (!layer.is_object()) return reason = "is no object with a scale", 0.0;
  for (const auto& [member, value] : layer.items())
    if (member != "scale" && member != "min" && member != "max" && member != "offset")
      reason = "has a member '" + member + "' that is none of scale, min, max, offset";
  if (const auto offset = number(layer, "offset"); offset && *offset != 0)
    reason = "has an offset; int8 on NVDLA is symmetric here";
  if (const auto scale = number(layer, "scale")) return *scale;
  const auto low = number(layer, "min"), high = number(layer, "max");
  if (low && high) return std::max(std::fabs(*low), std::fabs(*high)) / 127;
  reason = "has neither scale nor min and max";
  return 0;
}

inline std::string print(const json& document) {
  try {
    return document.dump(2) + "\n";
  } catch (const json::exception& e) {
    throw error(problem{.reason = text("a layer's name is not text: ", e.what())});
  }
}

}  // namespace detail

// Either form. `file` is for messages. Throws, all together: syntax errors, layers listed twice,
// scales that are not positive numbers, members that are not understood.
inline scale_table read_scales(std::string_view text_of_file, const std::string& file = {}) {
  diagnostics found;
  const auto document = detail::parse_strictly(text_of_file, file, found);
  const auto refuse = [&](std::string layer, std::string reason) {
    found.add({.file = file, .layer = std::move(layer), .reason = std::move(reason)});
  };
  scale_table table;
  if (!document.is_object()) {
    refuse({}, "is no JSON object");
  } else if (const auto version = document.find(detail::own_form);
             version != document.end() && !version->is_object()) {
    if (*version != 1) refuse({}, text("is a scale table of version ", version->dump(), ", not 1"));
    for (const auto& [member, value] : document.items())
      if (member == "method" && value.is_string()) table.method = value.get<std::string>();
      else if (member == "scales" && value.is_object())
        for (const auto& [layer, scale] : value.items())
          table.entries.push_back({layer, scale.is_number() ? scale.get<double>() : std::nan("")});
      else if (member != detail::own_form) refuse({}, "its member '" + member + "' is not understood");
    if (!document.contains("scales")) refuse({}, "has no member 'scales'");
  } else {
    for (const auto& [layer, value] : document.items()) {
      std::string reason;
      const double scale = detail::public_scale(value, reason);
      if (reason.empty()) table.entries.push_back({layer, scale});
      else refuse(layer, reason);
    }
  }
  check(table, found, file);
  found.check();
  return table;
}

// The own form; reading it gives the same numbers.
inline std::string write_scales(const scale_table& table) {
  diagnostics found;
  check(table, found);
  found.check();
  detail::json scales = detail::json::object();
  for (const auto& [layer, scale] : table.entries) scales[layer] = scale;
  return detail::print({{detail::own_form, 1}, {"method", table.method}, {"scales", scales}});
}

// The public compiler's form.
inline std::string write_public_scales(const scale_table& table) {
  diagnostics found;
  check(table, found);
  found.check();
  detail::json document = detail::json::object();
  for (const auto& [layer, scale] : table.entries)
    document[layer] = {{"scale", scale}, {"min", 0}, {"max", 0}, {"offset", 0}};
  return detail::print(document);
}

}  // namespace nvdlac::quant
// The report of a compilation as JSON: what was compiled for what, scales, layers and memory.
#include <string>

#include <nlohmann/json.hpp>

// Hardware layers as rows of a table: for reports and for `nvdlac inspect`.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>


namespace nvdlac::report {

struct layer_row {
  std::size_t task = 0, index = 0;  // the operation's place in the program
  std::string name;
  std::string unit;                 // CONV, SDP, PDP or host
  net::shape input{}, output{};
  std::string detail;               // kernel, stride, banks ..
  std::uint64_t macs = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // of memory
};

namespace detail {

inline std::string describe(net::window w) {
  std::string s = text(w.kernel_h, 'x', w.kernel_w);
  if (w.stride_h != 1 || w.stride_w != 1) s += text(" /", w.stride_h, ',', w.stride_w);
  if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
    s += text(" pad ", w.pad_top, ',', w.pad_left, ',', w.pad_bottom, ',', w.pad_right);
  if (w.dilation_h != 1 || w.dilation_w != 1) s += text(" dilation ", w.dilation_h, ',', w.dilation_w);
  return s;
}

inline void fill(layer_row& row, const layer::convolution& l) {
  row.unit = "CONV";
  row.input = l.input.shape;
  row.output = l.output;
  row.macs = l.bytes_per_kernel() * l.output.size();
  row.detail = text(describe(l.window), l.is_pixel() ? " pixels" : "", ", banks ", int{l.data_banks},
                    '+', int{l.weight_banks});
}
inline void fill(layer_row& row, const layer::sdp& l) {
  row.unit = "SDP";
  row.input = l.input.shape;
  row.output = l.output.shape;
  const auto unit = [&](std::string_view name, const layer::sdp_unit& u) {
    if (!u.enabled()) return;
    row.detail += text(row.detail.empty() ? "" : ", ", name, u.alu ? " alu" : "", u.mul ? " mul" : "",
                       u.relu ? " relu" : "");
  };
  unit("X1", l.x1);
  unit("X2", l.x2);
}
inline void fill(layer_row& row, const layer::pdp& l) {
  row.unit = "PDP";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = text(l.kind == net::pool_kind::maximum ? "max " : "average ", describe(l.window));
}
inline void fill(layer_row& row, const layer::host_softmax& l) {
  row.unit = "host";
  row.input = l.input.shape;
  row.output = l.output.shape;
  row.detail = "softmax";
}

}  // namespace detail

inline layer_row row_of(const layer::layer& l) {
  layer_row row;
  row.name = l.name;
  std::visit([&](const auto& what) { detail::fill(row, what); }, l.what);
  layer::for_each_read(l.what, [&](const layer::surface& s) { row.bytes_read += s.size; });
  layer::for_each_write(l.what, [&](const layer::surface& s) { row.bytes_written += s.size; });
  return row;
}

inline std::vector<layer_row> rows_of(const std::vector<plan::task>& tasks) {
  std::vector<layer_row> rows;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (std::size_t i = 0; i < tasks[t].operations.size(); ++i) {
      auto row = row_of(tasks[t].operations[i].layer);
      row.task = t;
      row.index = i;
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace nvdlac::report

namespace nvdlac::report {

using json = nlohmann::ordered_json;  // keys in the order in which they are written

namespace detail {

inline json of(net::shape s) { return json::array({s.c, s.h, s.w}); }

inline json of(const plan::binding& b) {
  json j{{"name", b.name}, {"shape", of(b.shape)}, {"scale", b.scale}};
  if (b.pixels) {
    j["pixels"] = {{"mean", b.pixels->mean},
                   {"scale", b.pixels->cvt.scale},
                   {"shift", b.pixels->cvt.shift}};
  }
  return j;
}

inline json of(const layer_row& r) {
  return {{"name", r.name},          {"unit", r.unit},
          {"task", r.task},          {"operation", r.index},
          {"input", of(r.input)},    {"output", of(r.output)},
          {"macs", r.macs},          {"bytes_read", r.bytes_read},
          {"bytes_written", r.bytes_written}, {"what", r.detail}};
}

}  // namespace detail

// Shapes are [channels, height, width]; sizes are bytes.
template <hw::hardware Hw>
json to_json(const prepared_network& network, const plan::program<Hw>& program) {
  json j{{"network", program.network},
         {"configuration", type_name<Hw>()},
         {"precision", "int8"},
         {"inputs", json::array()},
         {"outputs", json::array()}};
  for (const auto& b : program.inputs) j["inputs"].push_back(detail::of(b));
  for (const auto& b : program.outputs) j["outputs"].push_back(detail::of(b));

  j["scales"] = {{"method", network.scales.method}, {"layers", json::object()}};
  for (const auto& e : network.scales.entries) j["scales"]["layers"][e.layer] = e.scale;

  j["memory"] = {{"weights", program.weights_size},
                 {"features", program.features_size},
                 {"features_lower_bound", program.features_bound}};

  j["layers"] = json::array();
  const auto rows = rows_of(program.tasks);
  std::uint64_t macs = 0, read = 0, written = 0;
  for (const auto& r : rows) {
    j["layers"].push_back(detail::of(r));
    macs += r.macs;
    read += r.bytes_read;
    written += r.bytes_written;
  }
  j["totals"] = {{"layers", rows.size()}, {"macs", macs}, {"bytes_read", read},
                 {"bytes_written", written}};
  return j;
}

}  // namespace nvdlac::report
// A program's layers, memory and dependencies as text and as Graphviz.
#include <string>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace nvdlac::report {

// Lines of text with aligned columns; columns of numbers are aligned to the right.
class table {
 public:
  struct column {
    std::string title;
    bool right = false;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string print() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      widths.push_back(columns_[c].title.size());
      for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string out;
    const auto line = [&](auto cell) {
      std::string s;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::string fill(widths[c] - cell(c).size(), ' ');
        s += (c == 0 ? "" : "  ") + (columns_[c].right ? fill + cell(c) : cell(c) + fill);
      }
      out += s.substr(0, s.find_last_not_of(' ') + 1) + '\n';
    };
    line([&](std::size_t c) { return columns_[c].title; });
    for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
    return out;
  }

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::report

namespace nvdlac::report {

inline std::string layer_table(const std::vector<plan::task>& tasks) {
  table t({{"layer"}, {"unit"}, {"input"}, {"output"}, {"MACs", true}, {"read", true},
           {"written", true}, {"what"}});
  for (const auto& row : rows_of(tasks))
    t.add({row.name, row.unit, text(row.input), text(row.output), text(row.macs),
           text(row.bytes_read), text(row.bytes_written), row.detail});
  return t.print();
}

// One node for each operation, one cluster for each task; edges carry the event they wait for.
inline std::string dependency_graph(const std::vector<plan::task>& tasks) {
  std::string out = "digraph program {\n  node [shape=box];\n";
  const auto id = [](std::size_t task, std::size_t op) { return text("t", task, "_", op); };
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto& ops = tasks[t].operations;
    out += text("  subgraph cluster_", t, " {\n    label=\"task ", t,
                tasks[t].host ? " (host)" : "", "\";\n");
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto row = row_of(ops[i].layer);
      out += text("    ", id(t, i), " [label=\"", row.unit, "\\n", row.name, "\\n", row.input,
                  " -> ", row.output, "\"];\n");
    }
    out += "  }\n";
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto edge = [&](const plan::link& l, std::size_t from, std::size_t to) {
        const char* style = l.event == plan::event::completed ? "" : " [style=dashed]";
        out += text("  ", id(t, from), " -> ", id(t, to), style, ";\n");
      };
      for (const auto& c : ops[i].consumers)
        if (c.operation >= 0) edge(c, i, static_cast<std::size_t>(c.operation));
      if (ops[i].fused_parent.operation >= 0)
        edge(ops[i].fused_parent, i, static_cast<std::size_t>(ops[i].fused_parent.operation));
    }
    if (t > 0 && !ops.empty() && !tasks[t - 1].operations.empty())
      out += text("  ", id(t - 1, tasks[t - 1].operations.size() - 1), " -> ", id(t, 0), ";\n");
  }
  return out + "}\n";
}

}  // namespace nvdlac::report
// Runs a register trace on the simulator and compares what it expects.
#include <boost/crc.hpp>

// One NVDLA of a configuration behind its register bus, bit-exact, a whole hardware layer at a
// time. What it does not execute, and what breaks a rule of the hardware, is an nvdlac::error that
// names unit, register and rule.
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.
// CDMA: brings the input cube or image and the weights of one convolution into the CBUF, the input
// through its converter.
#include <vector>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>

// How the simulator refuses a program: an `error` that names unit, register and the broken rule.
#include <cstdint>
#include <string>
#include <string_view>


namespace nvdlac::sim {

// The program broke a rule of `where` ("CDMA.D_BANK.DATA_BANK").
template <class... Args>
[[noreturn]] void refuse(std::string_view where, const Args&... rule) {
  throw error(problem{.reason = text(where, ": ", rule...)});
}

template <class... Args>
void require(bool holds, std::string_view where, const Args&... rule) {
  if (!holds) [[unlikely]] refuse(where, rule...);
}

// How much one simulator spends on one program before it calls the program absurd.
struct limits {
  std::uint64_t memory = std::uint64_t{4} << 30;         // bytes written, for each memory
  std::uint64_t macs = std::uint64_t{1} << 42;           // of one convolution
  std::uint64_t surface_elements = std::uint64_t{1} << 27;  // of one surface of any cube
  std::uint64_t elements = std::uint64_t{1} << 33;       // of any cube

  // One surface of width x height pixels of `lanes` elements, and `count` of them.
  void check(std::string_view where, std::uint64_t width, std::uint64_t height,
             std::uint64_t lanes, std::uint64_t count) const {
    const auto surface = width * height * lanes;
    require(surface <= surface_elements && surface * count <= elements, where, "a cube of ",
            count, " surfaces of ", width, "x", height,
            " pixels is beyond what the simulator is set to compute (sim::limits)");
  }
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// A sparse memory. Bytes that were never written read 0. An access beyond `address_bits`, or more
// written pages than `capacity` bytes, is an `error`.
class memory {
 public:
  explicit memory(std::string_view name = "memory", std::uint32_t address_bits = 64,
                  std::uint64_t capacity = limits{}.memory)
      : name_(name),
        last_(address_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << address_bits) - 1),
        capacity_(capacity) {}

  void read(std::uint64_t address, std::span<std::uint8_t> to) const {
    check(address, to.size());
    each_page(address, to.size(), [&](std::uint64_t page, std::size_t at, std::size_t from,
                                      std::size_t n) {
      if (const auto* p = find(page)) std::memcpy(to.data() + from, p + at, n);
      else std::memset(to.data() + from, 0, n);
    });
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> from) {
    check(address, from.size());
    each_page(address, from.size(), [&](std::uint64_t page, std::size_t at, std::size_t begin,
                                        std::size_t n) {
      std::memcpy(get(page) + at, from.data() + begin, n);
    });
  }

  void fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte) {
    check(address, size);
    each_page(address, size, [&](std::uint64_t page, std::size_t at, std::uint64_t,
                                 std::size_t n) {
      if (byte != 0 || find(page) != nullptr) std::memset(get(page) + at, byte, n);
    });
  }

  // The region [address, address + size) exists in this memory.
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return size == 0 || (address <= last_ && size - 1 <= last_ - address);
  }

  std::uint64_t pages_in_use() const { return pages_.size(); }

  static constexpr std::uint64_t page_size = std::uint64_t{1} << 18;

 private:
  void check(std::uint64_t address, std::uint64_t size) const {
    if (!contains(address, size))
      throw error(problem{.reason = text(name_, ": the address 0x", std::hex, address, " + 0x",
                                         size, " is beyond the last one, 0x", last_)});
  }

  template <class F>
  static void each_page(std::uint64_t address, std::uint64_t size, F&& f) {
    for (std::uint64_t done = 0; done < size;) {
      const auto at = (address + done) % page_size;
      const auto n = std::min(page_size - at, size - done);
      f((address + done) / page_size, static_cast<std::size_t>(at), done,
        static_cast<std::size_t>(n));
      done += n;
    }
  }

  const std::uint8_t* find(std::uint64_t page) const {
    const auto p = pages_.find(page);
    return p == pages_.end() ? nullptr : p->second.get();
  }

  std::uint8_t* get(std::uint64_t page) {
    auto& p = pages_[page];
    if (!p) {
      if (pages_.size() * page_size > capacity_) {
        pages_.erase(page);
        throw error(problem{.reason = text(name_, ": the program writes to more than ", capacity_,
                                           " bytes of memory (sim::limits::memory)")});
      }
      p = std::make_unique<std::uint8_t[]>(page_size);
    }
    return p.get();
  }

  std::string name_;
  std::uint64_t last_, capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::uint8_t[]>> pages_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// A feature cube in memory: surfaces of lines of atoms. `unit` is the bytes of one pixel of one
// surface: the memory atom, or more for the operands of SDP.
struct cube {
  sim::memory* ram = nullptr;
  std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  std::uint64_t unit = 0, width = 0, height = 0, surfaces = 0;

  std::uint64_t line_bytes() const { return width * unit; }
  std::uint64_t surface_bytes() const { return line_bytes() * height; }

  // All addresses exist; addresses and strides are multiples of `alignment`.
  void check(std::string_view where, std::uint64_t alignment) const {
    require(base % alignment == 0, where, "the address 0x", std::hex, base,
            " is not a multiple of the memory atom");
    require(height == 1 || line_stride % alignment == 0, where, "the line stride ", line_stride,
            " is not a multiple of the memory atom");
    require(surfaces == 1 || surface_stride % alignment == 0, where, "the surface stride ",
            surface_stride, " is not a multiple of the memory atom");
    const auto size =
        (surfaces - 1) * surface_stride + (height - 1) * line_stride + line_bytes();
    require(ram->contains(base, size), where, "the cube of ", size, " bytes at 0x", std::hex, base,
            " is beyond the address width of the configuration");
  }
  void check_no_overlap(std::string_view where) const {
    require(height == 1 || line_stride >= line_bytes(), where, "the line stride ", line_stride,
            " is less than a line of ", line_bytes(), " bytes");
    require(surfaces == 1 || surface_stride >= line_bytes(), where, "the surface stride ",
            surface_stride, " is less than a line of ", line_bytes(), " bytes");
  }
};

// One surface of a cube, its lines joined.
inline void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->read(at, to.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->read(at + y * c.line_stride, to.subspan(y * line, line));
}

inline void write_surface(const cube& c, std::uint64_t surface,
                          std::span<const std::uint8_t> from) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->write(at, from.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->write(at + y * c.line_stride, from.subspan(y * line, line));
}

}  // namespace nvdlac::sim
// The image formats of CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT that an int8 configuration reads.
#include <array>
#include <cstdint>
#include <optional>

namespace nvdlac::sim {

struct pixel_format {
  std::uint8_t channels = 0;
  std::uint8_t plane0_bytes = 0, plane1_bytes = 0;  // per pixel; plane 1 is of Y + UV only
  // Channel c is byte order[c] of the pixel: the bytes of plane 0, then those of plane 1.
  std::array<std::uint8_t, 4> order{};

  constexpr bool planar() const { return plane1_bytes != 0; }
};

// Empty: a format of 10 and more bits, or no format.
constexpr std::optional<pixel_format> int8_pixel_format(std::uint32_t code) {
  switch (code) {
    case 0: return pixel_format{1, 1, 0, {0}};                           // R8
    case 12: case 16: return pixel_format{4, 4, 0, {0, 1, 2, 3}};        // A8B8G8R8, X8B8G8R8
    case 13: case 17: case 26: return pixel_format{4, 4, 0, {2, 1, 0, 3}};  // A8R8G8B8, A8Y8U8V8
    case 14: case 18: case 27: return pixel_format{4, 4, 0, {1, 2, 3, 0}};  // B8G8R8A8, V8U8Y8A8
    case 15: case 19: return pixel_format{4, 4, 0, {3, 2, 1, 0}};        // R8G8B8A8, R8G8B8X8
    case 28: return pixel_format{3, 1, 2, {0, 2, 1}};                    // Y8, U8V8
    case 29: return pixel_format{3, 1, 2, {0, 1, 2}};                    // Y8, V8U8
    default: return std::nullopt;
  }
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

struct cdma_layer {
  bool pixel = false;
  std::uint32_t width = 1, height = 1, channels = 1;
  std::uint32_t pad_left = 0, pad_right = 0, pad_top = 0, pad_bottom = 0;
  std::int32_t pad_value = 0;

  cube source{};  // feature data, or plane 0 of an image (unit: the bytes of a pixel)
  cube plane1{};  // the UV plane of a semi-planar image
  pixel_format format{};
  std::uint32_t x_offset = 0;  // pixels skipped at the start of a line
  bool is_signed = true;

  bool convert = false;
  std::array<converter, 4> converters{};  // per channel of an image; [0] for feature data

  memory* weight_ram = nullptr;
  std::uint64_t weight_address = 0;
  std::uint32_t kernels = 1, kernel_bytes = 1, weight_bytes = 0;

  std::uint32_t entries = 1, data_banks = 1, weight_banks = 1;
  bool data_reuse = false, weight_reuse = false, keep_data = false, keep_weights = false;
};

// What lies in the CBUF. `held` until the next convolution if that is to reuse it.
struct cbuf_contents {
  std::vector<std::int8_t> data;  // [y][x][channel], without padding
  std::vector<std::uint8_t> weights;
  bool data_held = false, weights_held = false;
  bool pixel = false;
  std::uint32_t width = 0, height = 0, channels = 0, data_banks = 0, weight_banks = 0;
};

// The converter's result for each byte: it knows no other inputs.
constexpr std::array<std::int8_t, 256> conversion_table(const cdma_layer& l, std::size_t channel) {
  std::array<std::int8_t, 256> table{};
  for (std::int32_t v = 0; v < 256; ++v) {
    const std::int32_t x = l.is_signed ? static_cast<std::int8_t>(v) : v;
    table[static_cast<std::size_t>(v)] = static_cast<std::int8_t>(
        l.convert ? saturate<8>(l.converters[channel](x)) : static_cast<std::int8_t>(v));
  }
  return table;
}

// Surfaces of atoms to [y][x][channel].
inline void load_feature(const cdma_layer& l, std::vector<std::uint8_t>& surface,
                         std::vector<std::int8_t>& data) {
  const std::size_t atom = l.source.unit, channels = l.channels;
  const std::size_t pixels = std::size_t{l.width} * l.height;
  surface.resize(pixels * atom);
  data.resize(pixels * channels);
  for (std::size_t s = 0; s * atom < channels; ++s) {
    read_surface(l.source, s, surface);
    const auto lanes = std::min(atom, channels - s * atom);
    const auto* from = surface.data();
    auto* to = data.data() + s * atom;
    for (std::size_t p = 0; p < pixels; ++p, from += atom, to += channels)
      std::memcpy(to, from, lanes);
  }
  if (!l.convert) return;
  const auto table = conversion_table(l, 0);
  for (auto& v : data) v = table[static_cast<std::uint8_t>(v)];
}

// Lines of pixels to [y][x][channel].
inline void load_pixels(const cdma_layer& l, std::vector<std::uint8_t>& line,
                        std::vector<std::int8_t>& data) {
  const auto& f = l.format;
  const std::size_t n0 = f.plane0_bytes, n1 = f.plane1_bytes, width = l.width;
  std::array<std::array<std::int8_t, 256>, 4> tables{};
  for (std::size_t c = 0; c < l.channels; ++c) tables[c] = conversion_table(l, c);
  line.resize(width * (n0 + n1));
  data.resize(width * l.height * l.channels);
  auto* to = data.data();
  for (std::size_t y = 0; y < l.height; ++y) {
    const std::span all(line);
    l.source.ram->read(l.source.base + y * l.source.line_stride + l.x_offset * n0,
                       all.first(width * n0));
    if (f.planar())
      l.plane1.ram->read(l.plane1.base + y * l.plane1.line_stride + l.x_offset * n1,
                         all.subspan(width * n0));
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < l.channels; ++c) {
        const std::size_t b = f.order[c];
        const auto byte =
            b < n0 ? line[x * n0 + b] : line[width * n0 + x * n1 + (b - n0)];
        *to++ = tables[c][byte];
      }
  }
}

// The input and the weights of a convolution, read from memory or reused from the CBUF.
inline void fill_cbuf(const cdma_layer& l, cbuf_contents& cbuf,
                      std::vector<std::uint8_t>& scratch) {
  if (l.data_reuse) {
    require(cbuf.data_held, "CDMA.D_MISC_CFG.DATA_REUSE",
            "the convolution before did not keep its data (SKIP_DATA_RLS)");
    require(cbuf.pixel == l.pixel && cbuf.width == l.width && cbuf.height == l.height &&
                cbuf.channels == l.channels && cbuf.data_banks == l.data_banks,
            "CDMA.D_MISC_CFG.DATA_REUSE", "the data in the CBUF is of another shape");
  } else if (l.pixel) {
    load_pixels(l, scratch, cbuf.data);
  } else {
    load_feature(l, scratch, cbuf.data);
  }
  if (l.weight_reuse) {
    require(cbuf.weights_held, "CDMA.D_MISC_CFG.WEIGHT_REUSE",
            "the convolution before did not keep its weights (SKIP_WEIGHT_RLS)");
    require(cbuf.weights.size() == l.weight_bytes && cbuf.weight_banks == l.weight_banks,
            "CDMA.D_MISC_CFG.WEIGHT_REUSE", "the weights in the CBUF are of another size");
  } else {
    cbuf.weights.resize(l.weight_bytes);
    l.weight_ram->read(l.weight_address, cbuf.weights);
  }
  cbuf.data_held = l.keep_data;
  cbuf.weights_held = l.keep_weights;
  cbuf.pixel = l.pixel;
  cbuf.width = l.width, cbuf.height = l.height, cbuf.channels = l.channels;
  cbuf.data_banks = l.data_banks, cbuf.weight_banks = l.weight_banks;
}

}  // namespace nvdlac::sim
// The inner loop of the convolution: dot products of int16 vectors that hold int8 values.
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nvdlac::sim {

// Four kernels times `Pixels` pixels, each over the same segments: segment i begins at
// x[pixel] + offsets[i] and, in kernel k, at weights + k * kernel_step + i * length. `length` and
// `kernel_step` are multiples of 8; sums[pixel * 4 + kernel].
struct dot_operands {
  std::span<const std::size_t> offsets{};
  std::size_t length = 0;
  const std::int16_t* weights = nullptr;  // aligned to 16 bytes
  std::size_t kernel_step = 0;
};

// A 32-bit lane adds up to 65535 pairs of products of at most 2^15; there are 4 lanes.
inline constexpr std::size_t longest_dot = 8 * 65535;
// Sums of all lanes that fit 32 bits.
inline constexpr std::size_t longest_narrow_dot = (std::size_t{1} << 17) - 8;

#ifdef __SSE2__

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  __m128i acc[Pixels][4];
  for (auto& a : acc)
    for (auto& v : a) v = _mm_setzero_si128();
  const auto* w = d.weights;
  for (const auto offset : d.offsets) {
    for (std::size_t i = 0; i < d.length; i += 8, w += 8) {
      __m128i v[Pixels];
      for (int p = 0; p < Pixels; ++p)
        v[p] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x[p] + offset + i));
      for (std::size_t k = 0; k < 4; ++k) {
        const auto wk = _mm_load_si128(reinterpret_cast<const __m128i*>(w + k * d.kernel_step));
        for (int p = 0; p < Pixels; ++p)
          acc[p][k] = _mm_add_epi32(acc[p][k], _mm_madd_epi16(v[p], wk));
      }
    }
  }
  const bool narrow = d.offsets.size() * d.length <= longest_narrow_dot;
  for (int p = 0; p < Pixels; ++p) {
    const auto& a = acc[p];
    alignas(16) std::int32_t lanes[4];
    if (narrow) {
      const auto fold = [](__m128i u, __m128i v) {
        return _mm_add_epi32(_mm_unpacklo_epi32(u, v), _mm_unpackhi_epi32(u, v));
      };
      const auto s = fold(fold(a[0], a[2]), fold(a[1], a[3]));
      _mm_store_si128(reinterpret_cast<__m128i*>(lanes), s);
      for (int k = 0; k < 4; ++k) sums[p * 4 + k] = lanes[k];
    } else {
      for (int k = 0; k < 4; ++k) {
        _mm_store_si128(reinterpret_cast<__m128i*>(lanes), a[k]);
        sums[p * 4 + k] = std::int64_t{lanes[0]} + lanes[1] + lanes[2] + lanes[3];
      }
    }
  }
}

#else

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  for (std::size_t p = 0; p < Pixels; ++p)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto* w = d.weights + k * d.kernel_step;
      std::int64_t sum = 0;
      for (const auto offset : d.offsets) {
        const auto* v = x[p] + offset;
        std::int32_t part = 0;
        for (std::size_t i = 0; i < d.length; ++i) {
          part += std::int32_t{v[i]} * w[i];
          if (i % 65536 == 65535) sum += part, part = 0;
        }
        sum += part, w += d.length;
      }
      sums[p * 4 + k] = sum;
    }
}

#endif

}  // namespace nvdlac::sim

namespace nvdlac::sim {

struct convolution {
  std::uint32_t channels = 1, kernel_width = 1, kernel_height = 1, kernels = 1;
  std::uint32_t stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0;
  std::int32_t pad_value = 0;
  std::uint32_t out_width = 1, out_height = 1;
  std::uint32_t y_extension = 1;  // lines of an image that one MAC step takes
  bool pixel = false;             // weights in the order of an image: width joined to channels
  int truncate = 0;               // CACC's CLIP_TRUNCATE

  std::uint64_t kernel_elements() const {
    return std::uint64_t{channels} * kernel_width * kernel_height;
  }
  std::uint64_t reach_x() const { return std::uint64_t{kernel_width - 1} * dilation_x + 1; }
  std::uint64_t reach_y() const { return std::uint64_t{kernel_height - 1} * dilation_y + 1; }
  std::uint64_t macs() const { return kernel_elements() * kernels * out_width * out_height; }
};

// The accumulator's result for SDP: rounded, saturated to 32 bits.
constexpr std::int64_t cacc_round(std::int64_t sum, int truncate) {
  return round_shift(saturate<34>(sum), truncate);
}

// Buffers that live as long as the device; sized anew by each layer.
class convolution_core {
 public:
  // Spreads the input over padded lines of 16-bit elements.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    saturated_ = 0;
    const std::size_t channels = c.channels;
    const auto width = (c.out_width - 1) * std::size_t{c.stride_x} + c.reach_x();
    const auto height = (c.out_height - 1) * std::size_t{c.stride_y} + c.reach_y();
    line_ = width * channels;
    lines_.resize(line_ * height + 8);  // the last segment may look beyond the end
    const bool padded = c.pad_left != 0 || c.pad_top != 0 ||
                        width > c.pad_left + cbuf.width || height > c.pad_top + cbuf.height;
    if (padded) std::ranges::fill(lines_, static_cast<std::int16_t>(c.pad_value));
    const auto x_end = std::min<std::size_t>(width, c.pad_left + cbuf.width);
    const auto y_end = std::min<std::size_t>(height, c.pad_top + cbuf.height);
    for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y) {
      const auto* from = cbuf.data.data() + (y - c.pad_top) * cbuf.width * channels;
      std::copy_n(from, (x_end - c.pad_left) * channels,
                  lines_.data() + y * line_ + c.pad_left * channels);
    }
    choose_segments(width);
  }

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], 32 bits for SDP.
  // Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels of one
  // weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    const auto& c = layer_;
    const auto first = s * lanes;
    const auto kernels = std::min<std::size_t>(lanes, c.kernels - first);
    unpack_weights(first, kernels, lanes, group, block);
    const auto rounded = align_up(kernels, 4);
    const std::size_t step_x = std::size_t{c.stride_x} * c.channels;
    for (std::size_t y = 0; y < c.out_height; ++y) {
      const auto* line = lines_.data() + y * c.stride_y * line_;
      auto* to = out.data() + y * c.out_width * lanes;
      std::size_t x = 0;
      for (; x + 2 <= c.out_width; x += 2)
        pixels<2>({line + x * step_x, line + (x + 1) * step_x}, to + x * lanes, lanes, rounded);
      for (; x < c.out_width; ++x) pixels<1>({line + x * step_x}, to + x * lanes, lanes, rounded);
    }
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  // Runs of elements that lie side by side in the lines as in the kernels.
  void choose_segments(std::size_t width) {
    const auto& c = layer_;
    offsets_.clear();
    runs_per_line_ = c.dilation_x == 1 ? 1 : c.kernel_width;
    run_ = c.dilation_x == 1 ? std::size_t{c.kernel_width} * c.channels : c.channels;
    joined_ = c.dilation_x == 1 && c.dilation_y == 1 && width == c.kernel_width;
    if (joined_) {
      offsets_.push_back(0);
      length_ = align_up(run_ * c.kernel_height, 8);
    } else {
      length_ = align_up(run_, 8);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t i = 0; i < runs_per_line_; ++i)
          offsets_.push_back(r * c.dilation_y * line_ + i * c.dilation_x * c.channels);
    }
    kernel_step_ = length_ * offsets_.size();
  }

  // Where element `e` of line `r` of a kernel lies in the unpacked weights.
  std::size_t place(std::size_t r, std::size_t e) const {
    if (joined_) return r * run_ * runs_per_line_ + e;
    if (runs_per_line_ == 1) return r * length_ + e;
    return (r * runs_per_line_ + e / run_) * length_ + e % run_;
  }

  void unpack_weights(std::size_t first, std::size_t kernels, std::size_t lanes,
                      std::size_t group, std::size_t block) {
    const auto& c = layer_;
    if (weights_.size() < lanes * kernel_step_) weights_.resize(lanes * kernel_step_);
    std::fill_n(weights_.begin(), align_up(kernels, 4) * kernel_step_, std::int16_t{0});
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto g = (first + k) / group * group;
      const std::size_t in_group = std::min<std::size_t>(group, c.kernels - g);
      const auto* from = reinterpret_cast<const std::int8_t*>(cbuf_->weights.data()) +
                         g * c.kernel_elements();
      auto* to = weights_.data() + k * kernel_step_;
      if (c.y_extension > 1) unpack_extended(from, (first + k) - g, in_group, to);
      else unpack_direct(from, (first + k) - g, in_group, block, to);
    }
  }

  // Group: block of channels, line, column, kernel, channel. An image's columns are channels.
  void unpack_direct(const std::int8_t* from, std::size_t index, std::size_t in_group,
                     std::size_t block, std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
    const std::size_t columns = c.pixel ? 1 : c.kernel_width;
    for (std::size_t c0 = 0; c0 < channels; c0 += block) {
      const auto n = std::min(block, channels - c0);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t column = 0; column < columns; ++column) {
          const auto* run = from + ((r * columns + column) * in_group + index) * n;
          auto* at = to + place(r, column * channels + c0);
          if (n == 8)
            for (std::size_t i = 0; i < 8; ++i) at[i] = run[i];
          else
            for (std::size_t i = 0; i < n; ++i) at[i] = run[i];
        }
      from += n * c.kernel_height * columns * in_group;
    }
  }

  // Group: `y_extension` lines at a time, kernel, line, element.
  void unpack_extended(const std::int8_t* from, std::size_t index, std::size_t in_group,
                       std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t line = std::size_t{c.channels} * c.kernel_width;
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(from + (index * rows + r) * line, line, to + place(r0 + r, 0));
      from += in_group * rows * line;
    }
  }

  template <int Pixels>
  void pixels(const std::int16_t* const (&x)[Pixels], std::int32_t* to, std::size_t lanes,
              std::size_t rounded) {
    dot_operands d{.offsets = offsets_, .length = length_, .kernel_step = kernel_step_};
    std::int64_t sums[Pixels * 4];
    for (std::size_t k = 0; k < rounded; k += 4) {
      d.weights = weights_.data() + k * kernel_step_;
      dot4<Pixels>(x, d, sums);
      for (std::size_t p = 0; p < Pixels; ++p)
        for (std::size_t i = 0; i < 4; ++i) {
          const auto v = cacc_round(sums[p * 4 + i], layer_.truncate);
          const auto clipped = saturate<32>(v);
          saturated_ += v != clipped;
          to[p * lanes + k + i] = static_cast<std::int32_t>(clipped);
        }
    }
    for (std::size_t p = 0; p < Pixels; ++p)
      std::fill(to + p * lanes + rounded, to + (p + 1) * lanes, 0);
  }

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> lines_, weights_;
  std::vector<std::size_t> offsets_;
  std::size_t line_ = 0, run_ = 0, length_ = 0, runs_per_line_ = 1, kernel_step_ = 0;
  bool joined_ = false;
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// The two memories of a device as the RAM_TYPE fields select them: 1 DRAM, 0 CVSRAM.
template <hw::hardware Hw>
struct memories {
  sim::memory dram, cvsram;
  sim::limits limit;

  explicit memories(const sim::limits& l)
      : dram("dram", Hw::spec.address_bits, l.memory),
        cvsram("cvsram", Hw::spec.address_bits, l.memory),
        limit(l) {}

  memory& select(bool mc, std::string_view where) {
    require(mc || Hw::spec.has_sram(), where,
            "RAM_TYPE 0 selects the secondary memory, which this configuration does not have");
    return mc ? dram : cvsram;
  }
};

}  // namespace nvdlac::sim
// The words behind the register bus: one for each register, two for those of the double-buffered
// groups (D_...).
#include <array>
#include <vector>


namespace nvdlac::sim {

template <hw::register_map Map>
class register_file {
 public:
  register_file() {
    for (auto& group : words_) group.resize(size);
    for (const auto& r : hw::registers(Map))
      for (auto& group : words_) group[r.address / 4] = r.reset();
  }

  static const hw::reg& at(std::uint32_t address) {
    const auto* r = hw::find(Map, address);
    require(r != nullptr, "register bus", "no register at the address 0x", std::hex, address);
    return *r;
  }

  std::uint32_t word(int group, std::uint32_t address) const {
    return words_[static_cast<std::size_t>(group)][address / 4];
  }
  void set(int group, std::uint32_t address, std::uint32_t value) {
    words_[static_cast<std::size_t>(group)][address / 4] = value;
  }

 private:
  static constexpr std::size_t size = hw::registers(Map).back().address / 4 + 1;
  std::array<std::vector<std::uint32_t>, 2> words_;
};

// The fields of one group: `u<"CDMA.D_BANK.DATA_BANK">()`.
template <hw::register_map Map>
class group_view {
 public:
  group_view(const register_file<Map>& registers, int group)
      : registers_(&registers), group_(group) {}

  template <fixed_string Path>
  std::uint32_t u() const {
    return hw::field_of<Map, Path>.extract(word<Path>());
  }
  template <fixed_string Path>
  std::int32_t i() const {
    return hw::field_of<Map, Path>.extract_signed(word<Path>());
  }
  template <fixed_string Path>
  bool on() const {
    return u<Path>() != 0;
  }
  // Sizes are stored minus one.
  template <fixed_string Path>
  std::uint32_t count() const {
    return u<Path>() + 1;
  }
  template <fixed_string Path>
  std::uint32_t bytes() const {
    return hw::field_of<Map, Path>.extract_bytes(word<Path>());
  }
  template <fixed_string High, fixed_string Low>
  std::uint64_t address() const {
    return std::uint64_t{u<High>()} << 32 | bytes<Low>();
  }

 private:
  template <fixed_string Path>
  static consteval std::uint32_t address_of() {
    auto path = Path.view();
    return hw::detail::find_part(Map, path)->address;
  }
  template <fixed_string Path>
  std::uint32_t word() const {
    return registers_->word(group_, address_of<Path>());
  }

  const register_file<Map>* registers_;
  int group_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// The mode bits that CDMA, CSC, CMAC and CACC share.
template <fixed_string Unit>
void require_direct_int8(bool winograd, std::uint32_t precision) {
  require(!winograd, Unit.view(), "CONV_MODE=WINOGRAD is not simulated");
  require(precision == 0, Unit.view(), "PROC_PRECISION: only int8 is simulated");
}

template <hw::hardware Hw>
void decode_pixels(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  const auto code = g.template u<"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT">();
  const auto format = int8_pixel_format(code);
  require(format.has_value(), "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", "the format ", code,
          " is not one of the 8-bit formats that are simulated");
  require(!g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING">(),
          "CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING", "only PITCH_LINEAR exists");
  l.format = *format;
  require(l.channels == format->channels, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", "the format has ",
          +format->channels, " channels, not ", l.channels);
  l.x_offset = g.template u<"CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET">();
  l.is_signed = g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_SIGN_OVERRIDE">();
  l.source.unit = format->plane0_bytes;
  l.source.width = std::uint64_t{l.x_offset} + l.width;
  l.source.surfaces = 1;
  if (format->planar()) {
    l.plane1 = l.source;
    l.plane1.unit = format->plane1_bytes;
    l.plane1.base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_1.DATAIN_ADDR_HIGH_1",
                                       "CDMA.D_DAIN_ADDR_LOW_1.DATAIN_ADDR_LOW_1">();
    l.plane1.line_stride = g.template bytes<"CDMA.D_LINE_UV_STRIDE.UV_LINE_STRIDE">();
    l.plane1.check("CDMA.D_DAIN_ADDR_LOW_1", Hw::spec.memory_atom);
  }
}

template <hw::hardware Hw>
void decode_converter(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.convert = g.template on<"CDMA.D_CVT_CFG.CVT_EN">();
  if (!l.convert) return;  // raw bytes, whatever else is set
  const bool mean = g.template on<"CDMA.D_MEAN_FORMAT.MEAN_FORMAT">();
  require(!mean || l.pixel, "CDMA.D_MEAN_FORMAT", "the mean of a channel belongs to images");
  const converter common{
      .offset = g.template i<"CDMA.D_CVT_OFFSET.CVT_OFFSET">(),
      .scale = static_cast<std::int16_t>(g.template i<"CDMA.D_CVT_SCALE.CVT_SCALE">()),
      .shift = static_cast<std::uint8_t>(g.template u<"CDMA.D_CVT_CFG.CVT_TRUNCATE">())};
  l.converters.fill(common);
  if (!mean) return;
  l.converters[0].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_RY">();
  l.converters[1].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_GU">();
  l.converters[2].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_BV">();
  l.converters[3].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_AX">();
}

// Whether data and weights fit their banks, and whether ENTRIES is what CSC computes with.
template <hw::hardware Hw>
void check_cbuf(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  constexpr auto p = hw::precision::int8;
  const std::uint64_t entries =
      l.pixel ? hw::image_entries_per_slice(
                    s, p, std::uint64_t{l.pad_left} + l.width + l.pad_right, l.channels).n
              : hw::feature_entries_per_slice(s, p, l.width, l.channels).n;
  require(l.entries == entries, "CDMA.D_ENTRY_PER_SLICE.ENTRIES", "a slice takes ", entries,
          " CBUF entries, not ", l.entries);
  require(l.data_banks + l.weight_banks <= s.cbuf_banks, "CDMA.D_BANK", l.data_banks, " + ",
          l.weight_banks, " banks for data and weights are more than the ", s.cbuf_banks,
          " of the CBUF");
  require(entries * l.height <= std::uint64_t{l.data_banks} * s.cbuf_entries_per_bank,
          "CDMA.D_BANK.DATA_BANK", l.height, " slices of ", entries,
          " entries do not fit ", l.data_banks, " banks");
  const std::uint64_t all = std::uint64_t{l.kernels} * l.kernel_bytes;
  require(l.weight_bytes >= all, "CDMA.D_WEIGHT_BYTES", l.kernels, " kernels of ", l.kernel_bytes,
          " bytes are more than ", l.weight_bytes, " bytes");
  require(l.weight_bytes - all < std::max<std::uint64_t>(128, s.cbuf_entry),
          "CDMA.D_WEIGHT_BYTES", l.weight_bytes, " bytes are too many for ", l.kernels,
          " kernels of ", l.kernel_bytes, " bytes");
  const auto space = std::uint64_t{l.weight_banks} * s.cbuf_bank().n;
  const auto group =
      std::uint64_t{std::min(l.kernels, s.kernel_group(p))} * l.kernel_bytes;
  require(group <= space, "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", group,
          " bytes does not fit ", l.weight_banks, " banks");
  require(!(l.keep_weights || l.weight_reuse) || l.weight_bytes <= space,
          "CDMA.D_BANK.WEIGHT_BANK", "weights that stay in the CBUF must fit their banks");
}

// What CDMA's registers of one group say, checked. Throws nvdlac::error.
template <hw::hardware Hw>
cdma_layer decode_cdma(const group_view<Hw::spec.map>& g, memories<Hw>& m) {
  require_direct_int8<"CDMA.D_MISC_CFG">(g.template on<"CDMA.D_MISC_CFG.CONV_MODE">(),
                                         g.template u<"CDMA.D_MISC_CFG.PROC_PRECISION">());
  require(g.template u<"CDMA.D_MISC_CFG.IN_PRECISION">() == 0, "CDMA.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require(g.template u<"CDMA.D_BATCH_NUMBER.BATCHES">() == 0, "CDMA.D_BATCH_NUMBER",
          "batches are not simulated");
  require(!g.template on<"CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), "CDMA.D_WEIGHT_FORMAT",
          "compressed weights are not simulated");

  cdma_layer l;
  l.pixel = g.template on<"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT">();
  l.width = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">();
  l.height = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">();
  l.channels = g.template count<"CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">();
  require(g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">() == l.width &&
              g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">() == l.height,
          "CDMA.D_DATAIN_SIZE_EXT_0", "differs from D_DATAIN_SIZE_0 in direct mode");
  l.pad_left = g.template u<"CDMA.D_ZERO_PADDING.PAD_LEFT">();
  l.pad_right = g.template u<"CDMA.D_ZERO_PADDING.PAD_RIGHT">();
  l.pad_top = g.template u<"CDMA.D_ZERO_PADDING.PAD_TOP">();
  l.pad_bottom = g.template u<"CDMA.D_ZERO_PADDING.PAD_BOTTOM">();
  l.pad_value = static_cast<std::int8_t>(g.template u<"CDMA.D_ZERO_PADDING_VALUE.PAD_VALUE">());

  l.kernels = g.template count<"CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">();
  l.kernel_bytes = g.template count<"CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">();
  l.weight_bytes = g.template bytes<"CDMA.D_WEIGHT_BYTES.WEIGHT_BYTES">();
  l.entries = g.template count<"CDMA.D_ENTRY_PER_SLICE.ENTRIES">();
  l.data_banks = g.template count<"CDMA.D_BANK.DATA_BANK">();
  l.weight_banks = g.template count<"CDMA.D_BANK.WEIGHT_BANK">();
  l.data_reuse = g.template on<"CDMA.D_MISC_CFG.DATA_REUSE">();
  l.weight_reuse = g.template on<"CDMA.D_MISC_CFG.WEIGHT_REUSE">();
  l.keep_data = g.template on<"CDMA.D_MISC_CFG.SKIP_DATA_RLS">();
  l.keep_weights = g.template on<"CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS">();
  check_cbuf<Hw>(l);  // bounds every size before anything is read

  l.source = {.ram = &m.select(g.template on<"CDMA.D_DAIN_RAM_TYPE.DATAIN_RAM_TYPE">(),
                               "CDMA.D_DAIN_RAM_TYPE"),
              .base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_0.DATAIN_ADDR_HIGH_0",
                                         "CDMA.D_DAIN_ADDR_LOW_0.DATAIN_ADDR_LOW_0">(),
              .line_stride = g.template bytes<"CDMA.D_LINE_STRIDE.LINE_STRIDE">(),
              .surface_stride = g.template bytes<"CDMA.D_SURF_STRIDE.SURF_STRIDE">(),
              .unit = Hw::spec.memory_atom,
              .width = l.width,
              .height = l.height,
              .surfaces = ceil_div(l.channels, Hw::spec.memory_atom)};
  if (l.pixel) decode_pixels<Hw>(g, l);
  decode_converter<Hw>(g, l);
  if (!l.data_reuse) {
    l.source.check("CDMA.D_DAIN_ADDR_LOW_0", Hw::spec.memory_atom);
    require(l.pixel || !g.template on<"CDMA.D_DAIN_MAP.LINE_PACKED">() ||
                l.source.line_stride == l.source.line_bytes(),
            "CDMA.D_DAIN_MAP.LINE_PACKED", "packed lines of ", l.source.line_bytes(),
            " bytes need that line stride, not ", l.source.line_stride);
  }
  if (!l.weight_reuse) {
    l.weight_ram = &m.select(g.template on<"CDMA.D_WEIGHT_RAM_TYPE.WEIGHT_RAM_TYPE">(),
                             "CDMA.D_WEIGHT_RAM_TYPE");
    l.weight_address = g.template address<"CDMA.D_WEIGHT_ADDR_HIGH.WEIGHT_ADDR_HIGH",
                                          "CDMA.D_WEIGHT_ADDR_LOW.WEIGHT_ADDR_LOW">();
    require(l.weight_address % Hw::spec.memory_atom == 0 &&
                l.weight_ram->contains(l.weight_address, l.weight_bytes),
            "CDMA.D_WEIGHT_ADDR_LOW",
            "the weights are not aligned to the memory atom or lie beyond the address width");
  }
  return l;
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// CSC against CDMA: both describe the same input, weights and banks.
template <hw::register_map Map>
void check_csc_against_cdma(const group_view<Map>& g, const cdma_layer& l) {
  const auto same = [](std::uint64_t csc, std::uint64_t cdma, std::string_view where) {
    require(csc == cdma, where, csc, " differs from ", cdma, " of CDMA");
  };
  same(g.template u<"CSC.D_DATAIN_FORMAT.DATAIN_FORMAT">(), l.pixel, "CSC.D_DATAIN_FORMAT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">(), l.width,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">(), l.height,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">(), l.channels,
       "CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT");
  same(g.template count<"CSC.D_ENTRY_PER_SLICE.ENTRIES">(), l.entries, "CSC.D_ENTRY_PER_SLICE");
  same(g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(), l.kernels,
       "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL");
  same(g.template bytes<"CSC.D_WEIGHT_BYTES.WEIGHT_BYTES">(), l.weight_bytes,
       "CSC.D_WEIGHT_BYTES");
  same(g.template u<"CSC.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), 0, "CSC.D_WEIGHT_FORMAT");
  same(g.template count<"CSC.D_BANK.DATA_BANK">(), l.data_banks, "CSC.D_BANK.DATA_BANK");
  same(g.template count<"CSC.D_BANK.WEIGHT_BANK">(), l.weight_banks, "CSC.D_BANK.WEIGHT_BANK");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_LEFT">(), l.pad_left, "CSC.D_ZERO_PADDING.PAD_LEFT");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_TOP">(), l.pad_top, "CSC.D_ZERO_PADDING.PAD_TOP");
  same(g.template u<"CSC.D_MISC_CFG.DATA_REUSE">(), l.data_reuse, "CSC.D_MISC_CFG.DATA_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.WEIGHT_REUSE">(), l.weight_reuse,
       "CSC.D_MISC_CFG.WEIGHT_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_DATA_RLS">(), l.keep_data,
       "CSC.D_MISC_CFG.SKIP_DATA_RLS");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_WEIGHT_RLS">(), l.keep_weights,
       "CSC.D_MISC_CFG.SKIP_WEIGHT_RLS");
}

// The kernel's size and the weight order of images.
template <hw::hardware Hw>
void decode_kernel(const group_view<Hw::spec.map>& g, const cdma_layer& l, convolution& c) {
  c.kernel_height = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">();
  const auto width = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">();
  const auto channels = g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">();
  const auto extension = g.template u<"CSC.D_POST_Y_EXTENSION.Y_EXTENSION">();
  if (l.pixel) {
    require(width == 1 && channels % l.channels == 0, "CSC.D_WEIGHT_SIZE_EXT_1",
            "an image's kernel is 1 wide and has kernel width x ", l.channels, " channels");
    require(c.dilation_x == 1 && c.dilation_y == 1, "CSC.D_DILATION_EXT",
            "images are not dilated");
    c.kernel_width = channels / l.channels;
    require(extension < 3, "CSC.D_POST_Y_EXTENSION", "at most 2 (4 lines)");
    c.y_extension = 1u << extension;
    require(c.y_extension == 1 || channels * c.y_extension <= Hw::spec.mac_atomic_c,
            "CSC.D_POST_Y_EXTENSION", c.y_extension, " lines of ", channels,
            " elements are more than one channel block");
  } else {
    require(channels == l.channels, "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", channels,
            " channels of the weights, but ", l.channels, " of the input");
    require(extension == 0, "CSC.D_POST_Y_EXTENSION", "belongs to images");
    c.kernel_width = width;
  }
  require(c.kernel_elements() == l.kernel_bytes, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "a kernel of ", c.channels, "x", c.kernel_height, "x", c.kernel_width,
          " elements does not have ", l.kernel_bytes, " bytes");
  require(c.kernel_elements() <= longest_dot, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "the simulator's accumulators hold at most ", longest_dot, " products");
}

// What CSC, CMAC and CACC shall do with what CDMA brings. Throws nvdlac::error. Each view is of
// that unit's active group.
template <hw::hardware Hw>
convolution decode_convolution(const group_view<Hw::spec.map>& csc,
                               const group_view<Hw::spec.map>& cmac_a,
                               const group_view<Hw::spec.map>& cmac_b,
                               const group_view<Hw::spec.map>& cacc, const cdma_layer& l,
                               const limits& limit) {
  require_direct_int8<"CSC.D_MISC_CFG">(csc.template on<"CSC.D_MISC_CFG.CONV_MODE">(),
                                        csc.template u<"CSC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_MISC_CFG.IN_PRECISION">() == 0, "CSC.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require_direct_int8<"CMAC_A.D_MISC_CFG">(cmac_a.template on<"CMAC_A.D_MISC_CFG.CONV_MODE">(),
                                           cmac_a.template u<"CMAC_A.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CMAC_B.D_MISC_CFG">(cmac_b.template on<"CMAC_B.D_MISC_CFG.CONV_MODE">(),
                                           cmac_b.template u<"CMAC_B.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CACC.D_MISC_CFG">(cacc.template on<"CACC.D_MISC_CFG.CONV_MODE">(),
                                         cacc.template u<"CACC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_BATCH_NUMBER.BATCHES">() == 0 &&
              cacc.template u<"CACC.D_BATCH_NUMBER.BATCHES">() == 0,
          "CSC.D_BATCH_NUMBER", "batches are not simulated");
  check_csc_against_cdma<Hw::spec.map>(csc, l);

  convolution c{.channels = l.channels, .kernels = l.kernels, .pad_left = l.pad_left,
                .pad_top = l.pad_top, .pixel = l.pixel};
  c.stride_x = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT">();
  c.stride_y = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_Y_STRIDE_EXT">();
  c.dilation_x = csc.template count<"CSC.D_DILATION_EXT.X_DILATION_EXT">();
  c.dilation_y = csc.template count<"CSC.D_DILATION_EXT.Y_DILATION_EXT">();
  c.pad_value = static_cast<std::int8_t>(csc.template u<"CSC.D_ZERO_PADDING_VALUE.PAD_VALUE">());
  // CDMA pads the sides of an image, CSC everything else.
  require(!l.pixel || c.pad_value == l.pad_value, "CSC.D_ZERO_PADDING_VALUE",
          "the pad value of an image differs from CDMA's");
  decode_kernel<Hw>(csc, l, c);

  c.out_width = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">();
  c.out_height = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">();
  require(csc.template count<"CSC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CSC.D_DATAOUT_SIZE_1", "the output has a channel for each of the ", c.kernels,
          " kernels");
  require(csc.template count<"CSC.D_ATOMICS.ATOMICS">() ==
              std::uint64_t{c.out_width} * c.out_height,
          "CSC.D_ATOMICS", "is output width x height");
  require(csc.template count<"CSC.D_RELEASE.RLS_SLICES">() <= l.height, "CSC.D_RELEASE",
          "more slices than the input has");
  const auto fits = [](std::uint64_t in, std::uint64_t pads, std::uint64_t reach,
                       std::uint64_t stride, std::uint64_t out) {
    return (out - 1) * stride + reach <= in + pads;
  };
  require(fits(l.width, std::uint64_t{l.pad_left} + l.pad_right, c.reach_x(), c.stride_x,
               c.out_width),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", c.out_width,
          " columns need more input and padding than there is");
  require(fits(l.height, std::uint64_t{l.pad_top} + l.pad_bottom, c.reach_y(), c.stride_y,
               c.out_height),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", c.out_height,
          " lines need more input and padding than there is");
  require(cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">() == c.out_width &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">() == c.out_height &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CACC.D_DATAOUT_SIZE_0", "the output size differs from CSC's");
  c.truncate = static_cast<int>(cacc.template u<"CACC.D_CLIP_CFG.CLIP_TRUNCATE">());
  require(c.truncate <= 16, "CACC.D_CLIP_CFG.CLIP_TRUNCATE", c.truncate, " is more than 16");
  require(c.macs() <= limit.macs, "CSC.D_DATAOUT_SIZE_0", c.macs(),
          " multiplications are beyond what the simulator is set to compute (sim::limits)");
  limit.check("CSC.D_DATAOUT_SIZE_0", (c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x(),
              (c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y(), c.channels, 1);
  return c;
}

}  // namespace nvdlac::sim
// PDP: pooling of int8 cubes, one surface at a time.
#include <array>


namespace nvdlac::sim {

enum class pooling : std::uint8_t { average, max, min };  // codes of POOLING_METHOD

struct pdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, out_width = 1, out_height = 1;
  pooling method = pooling::max;
  bool flying = false;  // the input comes from SDP
  std::uint32_t kernel_width = 1, kernel_height = 1, stride_x = 1, stride_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  std::array<std::int32_t, 8> pad_value{};  // of n missing elements
  std::uint32_t reciprocal_width = 0, reciprocal_height = 0;
  cube source{}, destination{};
};

// The average of a window: its sum times both reciprocals, rounded after each.
constexpr std::int64_t pdp_average(std::int64_t sum, std::uint32_t reciprocal_width,
                                   std::uint32_t reciprocal_height) {
  return round_shift(round_shift(sum * reciprocal_width, 16) * reciprocal_height, 16);
}

// PAD_VALUE of `missing` elements: the registers hold 19 bits, of which int8 uses fewer.
constexpr std::int32_t pdp_pad_value(std::size_t missing, std::uint32_t raw) {
  constexpr std::array<int, 8> sign_bit{0, 7, 8, 9, 9, 10, 10, 10};
  const int shift = 31 - sign_bit[missing];
  return static_cast<std::int32_t>(raw << shift) >> shift;
}

class pdp_engine {
 public:
  // in: width * height * lanes elements; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    switch (l.method) {
      case pooling::max:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a > b ? a : b;
        });
      case pooling::min:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a < b ? a : b;
        });
      case pooling::average: return average(l, lanes, in, out);
    }
  }

 private:
  struct window {
    std::size_t begin, end;  // of the elements that exist
    std::size_t missing;
  };
  static window clip(std::size_t index, std::size_t stride, std::size_t pad, std::size_t kernel,
                     std::size_t size) {
    const auto at = index * stride;
    const auto begin = at < pad ? 0 : at - pad;
    const auto end = std::min(at + kernel < pad ? 0 : at + kernel - pad, size);
    return {begin, end, kernel - (end - begin)};
  }

  // Lines of a window reduced to one line.
  template <class F>
  void reduce_lines(std::span<const std::int8_t> in, std::size_t line, const window& rows,
                    const F& f) {
    column_.resize(line);
    std::copy_n(in.data() + rows.begin * line, line, column_.data());
    for (auto y = rows.begin + 1; y < rows.end; ++y) {
      const auto* from = in.data() + y * line;
      auto* to = column_.data();
      for (std::size_t i = 0; i < line; ++i)
        to[i] = static_cast<std::int16_t>(f(to[i], std::int16_t{from[i]}));
    }
  }

  template <class F>
  void extremum(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
                std::span<std::int8_t> out, const F& f) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      reduce_lines(in, l.width * lanes,
                   clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height), f);
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        for (std::size_t i = 0; i < lanes; ++i) {
          auto v = column_[columns.begin * lanes + i];
          for (auto c = columns.begin + 1; c < columns.end; ++c)
            v = f(v, column_[c * lanes + i]);
          to[i] = static_cast<std::int8_t>(v);
        }
      }
    }
  }

  void average(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const auto rows = clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height);
      reduce_lines(in, l.width * lanes, rows,
                   [](std::int16_t a, std::int16_t b) { return a + b; });
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        const auto padding =
            static_cast<std::int32_t>(rows.end - rows.begin) * l.pad_value[columns.missing] +
            static_cast<std::int32_t>(l.kernel_width) * l.pad_value[rows.missing];
        for (std::size_t i = 0; i < lanes; ++i) {
          std::int32_t sum = padding;
          for (auto c = columns.begin; c < columns.end; ++c) sum += column_[c * lanes + i];
          to[i] = static_cast<std::int8_t>(
              pdp_average(sum, l.reciprocal_width, l.reciprocal_height));
        }
      }
    }
  }

  std::vector<std::int16_t> column_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// One axis of a pooling layer: windows lie inside the padded input, none in the padding alone.
inline void check_pooling_axis(std::string_view where, std::uint64_t in, std::uint64_t out,
                               std::uint64_t kernel, std::uint64_t stride, std::uint64_t before,
                               std::uint64_t after, bool exact) {
  require(kernel <= 8, where, "a kernel of ", kernel, " is larger than 8");
  require(before < kernel && after < kernel, where, "a padding of ", before, " and ", after,
          " leaves windows of ", kernel, " empty");
  require(in + before + after >= kernel, where, "the kernel is larger than the padded input");
  const auto rest = in + before + after - kernel;
  require(out == rest / stride + 1, where, out, " outputs, but ", in, " inputs padded by ", before,
          " and ", after, " have ", rest / stride + 1);
  // Of an input from memory the RTL leaves lines over and shifts the next surface.
  require(!exact || rest % stride == 0, where,
          "(height + pads - kernel) is not a multiple of the stride");
  require((out - 1) * stride < in + before, where, "the last window lies in the padding");
}

// The parts of a split line: widths of input and output, first, middle (all but two) and last.
struct pdp_split {
  std::uint64_t parts = 1;
  std::array<std::uint64_t, 3> in{}, out{};
};

// The parts make up the lines, and each but the last ends where its last window does.
inline void check_split(const pdp_layer& l, const pdp_split& s) {
  if (s.parts == 1) return;
  const auto total = [&](const auto& w) { return w[0] + (s.parts - 2) * w[1] + w[2]; };
  require(total(s.in) == l.width, "PDP.D_PARTIAL_WIDTH_IN", "the parts have ", total(s.in),
          " columns, not ", l.width);
  require(total(s.out) == l.out_width, "PDP.D_PARTIAL_WIDTH_OUT", "the parts have ", total(s.out),
          " columns, not ", l.out_width);
  std::uint64_t in = 0, out = 0;
  for (std::uint64_t part = 0; part + 1 < s.parts; ++part) {
    in += s.in[part == 0 ? 0 : 1], out += s.out[part == 0 ? 0 : 1];
    require((out - 1) * l.stride_x + l.kernel_width == in + l.pad_left, "PDP.D_PARTIAL_WIDTH_IN",
            "part ", part, " ends at column ", in, ", its last window does not");
  }
}

template <hw::hardware Hw>
class pdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty when the input comes from SDP.
  pdp_decoder(const view& pdp, const view* rdma, memories<Hw>& m) : g(pdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  pdp_layer decode() {
    pdp_layer l;
    sizes(l);
    kernel(l);
    split(l);
    if (!l.flying) source(l);
    l.destination = {
        .ram = &m_.select(g.template on<"PDP.D_DST_RAM_CFG.DST_RAM_TYPE">(), "PDP.D_DST_RAM_CFG"),
        .base = g.template address<"PDP.D_DST_BASE_ADDR_HIGH", "PDP.D_DST_BASE_ADDR_LOW">(),
        .line_stride = g.template bytes<"PDP.D_DST_LINE_STRIDE">(),
        .surface_stride = g.template bytes<"PDP.D_DST_SURFACE_STRIDE">(),
        .unit = atom,
        .width = l.out_width,
        .height = l.out_height,
        .surfaces = ceil_div(l.channels, atom)};
    l.destination.check("PDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("PDP.D_DST_LINE_STRIDE");
    return l;
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  void sizes(pdp_layer& l) {
    require(g.template u<"PDP.D_DATA_FORMAT.INPUT_DATA">() == 0, "PDP.D_DATA_FORMAT",
            "only int8 is simulated");
    l.width = g.template count<"PDP.D_DATA_CUBE_IN_WIDTH">();
    l.height = g.template count<"PDP.D_DATA_CUBE_IN_HEIGHT">();
    l.channels = g.template count<"PDP.D_DATA_CUBE_IN_CHANNEL">();
    l.out_width = g.template count<"PDP.D_DATA_CUBE_OUT_WIDTH">();
    l.out_height = g.template count<"PDP.D_DATA_CUBE_OUT_HEIGHT">();
    require(g.template count<"PDP.D_DATA_CUBE_OUT_CHANNEL">() == l.channels,
            "PDP.D_DATA_CUBE_OUT_CHANNEL", "differs from the input's");
    m_.limit.check("PDP.D_DATA_CUBE_IN_WIDTH", l.width, l.height, atom,
                   ceil_div(l.channels, atom));
    l.flying = !g.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">();
    const auto method = g.template u<"PDP.D_OPERATION_MODE_CFG.POOLING_METHOD">();
    require(method <= 2, "PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", "3 does not exist");
    l.method = pooling(method);
  }

  void kernel(pdp_layer& l) {
    l.kernel_width = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">();
    l.kernel_height = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT">();
    l.stride_x = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">();
    l.stride_y = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_HEIGHT">();
    l.pad_left = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_LEFT">();
    l.pad_top = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_TOP">();
    l.pad_right = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_RIGHT">();
    l.pad_bottom = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_BOTTOM">();
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_WIDTH", l.width, l.out_width, l.kernel_width,
                       l.stride_x, l.pad_left, l.pad_right, false);
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_HEIGHT", l.height, l.out_height, l.kernel_height,
                       l.stride_y, l.pad_top, l.pad_bottom, !l.flying && l.channels > atom);
    l.pad_value = {0,
                   pdp_pad_value(1, g.template u<"PDP.D_POOLING_PADDING_VALUE_1_CFG">()),
                   pdp_pad_value(2, g.template u<"PDP.D_POOLING_PADDING_VALUE_2_CFG">()),
                   pdp_pad_value(3, g.template u<"PDP.D_POOLING_PADDING_VALUE_3_CFG">()),
                   pdp_pad_value(4, g.template u<"PDP.D_POOLING_PADDING_VALUE_4_CFG">()),
                   pdp_pad_value(5, g.template u<"PDP.D_POOLING_PADDING_VALUE_5_CFG">()),
                   pdp_pad_value(6, g.template u<"PDP.D_POOLING_PADDING_VALUE_6_CFG">()),
                   pdp_pad_value(7, g.template u<"PDP.D_POOLING_PADDING_VALUE_7_CFG">())};
    if (l.method != pooling::average) return;
    l.reciprocal_width = g.template u<"PDP.D_RECIP_KERNEL_WIDTH">();
    l.reciprocal_height = g.template u<"PDP.D_RECIP_KERNEL_HEIGHT">();
    // Beyond this the result overflows 8 bits, and the C-model and the RTL disagree.
    require(l.reciprocal_width * l.kernel_width <= 65536, "PDP.D_RECIP_KERNEL_WIDTH",
            l.reciprocal_width, " is more than 65536 / ", l.kernel_width);
    require(l.reciprocal_height * l.kernel_height <= 65536, "PDP.D_RECIP_KERNEL_HEIGHT",
            l.reciprocal_height, " is more than 65536 / ", l.kernel_height);
  }

  void split(const pdp_layer& l) {
    const pdp_split s{
        .parts = g.template count<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
        .in = {g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">()},
        .out = {g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_FIRST">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_MID">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_LAST">()}};
    require(!l.flying || s.parts == 1, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM",
            "an input from SDP is not split");
    check_split(l, s);
    if (l.flying || s.parts == 1) return;
    require(r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">() == s.in[0] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">() ==
                    s.in[1] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">() ==
                    s.in[2],
            "PDP_RDMA.D_PARTIAL_WIDTH_IN", "differs from PDP's");
  }

  void source(pdp_layer& l) {
    require(r->template on<"PDP_RDMA.D_FLYING_MODE.FLYING_MODE">(), "PDP_RDMA.D_FLYING_MODE",
            "differs from PDP's");
    require(r->template u<"PDP_RDMA.D_DATA_FORMAT.INPUT_DATA">() == 0, "PDP_RDMA.D_DATA_FORMAT",
            "only int8 is simulated");
    require(r->template count<"PDP_RDMA.D_DATA_CUBE_IN_WIDTH">() == l.width &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_HEIGHT">() == l.height &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_CHANNEL">() == l.channels,
            "PDP_RDMA.D_DATA_CUBE_IN_WIDTH", "the cube differs from PDP's");
    require(r->template u<"PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM">() ==
                g.template u<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
            "PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM", "differs from PDP's");
    l.source = {.ram = &m_.select(r->template on<"PDP_RDMA.D_SRC_RAM_CFG.SRC_RAM_TYPE">(),
                                  "PDP_RDMA.D_SRC_RAM_CFG"),
                .base = r->template address<"PDP_RDMA.D_SRC_BASE_ADDR_HIGH",
                                            "PDP_RDMA.D_SRC_BASE_ADDR_LOW">(),
                .line_stride = r->template bytes<"PDP_RDMA.D_SRC_LINE_STRIDE">(),
                .surface_stride = r->template bytes<"PDP_RDMA.D_SRC_SURFACE_STRIDE">(),
                .unit = atom,
                .width = l.width,
                .height = l.height,
                .surfaces = ceil_div(l.channels, atom)};
    l.source.check("PDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
  }

  view g;
  const view* r;
  memories<Hw>& m_;
};

}  // namespace nvdlac::sim
// SDP: X1, X2 and Y, then the output converter, for int8, one surface at a time.
// The integer arithmetic of SDP's sub-units, one element at a time.
#include <algorithm>


namespace nvdlac::sim {

enum class alu_algorithm : std::uint8_t { max, min, sum, equal };  // codes of BS_ALU_ALGO

// The operand of X1 and X2 after its left shift of 0..63.
constexpr std::int64_t sdp_x_operand(std::int32_t operand, int shift) {
  if (shift >= 32) return saturate<32>(operand * (std::int64_t{1} << 31));
  return saturate<32>(std::int64_t{operand} << shift);
}

// 33 bits for 32-bit inputs.
constexpr std::int64_t sdp_alu(alu_algorithm a, std::int64_t x, std::int64_t operand) {
  switch (a) {
    case alu_algorithm::max: return std::max(x, operand);
    case alu_algorithm::min: return std::min(x, operand);
    default: return x + operand;
  }
}

// round_shift without a branch on the sign: |x| < 2^62, 0 <= shift.
constexpr std::int64_t sdp_shift(std::int64_t x, int shift) {
  if (shift == 0) return x;
  if (shift > 62) return 0;
  return (x + (std::int64_t{1} << (shift - 1)) - (x < 0)) >> shift;
}

// The multiplier of X1, X2 and Y with its shift. A bypassed multiplier of X1 and X2 has the
// operand 1 and still shifts. With PReLU, x >= 0 goes around both.
constexpr std::int32_t sdp_mul(std::int64_t x, std::int64_t operand, int shift, bool prelu) {
  const auto y = prelu && x >= 0 ? x : sdp_shift(x * operand, shift);
  return static_cast<std::int32_t>(saturate<32>(y));
}

constexpr std::int32_t relu(std::int32_t x) { return x > 0 ? x : 0; }

// The converter of Y's memory operands: (x - offset) * scale / 2^shift in 32 bits.
constexpr std::int32_t sdp_y_operand(const converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(saturate<32>(sdp_shift((x - c.offset) * c.scale, c.shift)));
}

// The output converter for int8.
constexpr std::int8_t sdp_output(const converter& c, std::int64_t x) {
  return static_cast<std::int8_t>(
      saturate<8>(saturate<17>(sdp_shift((x - c.offset) * c.scale, c.shift))));
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// Operands that SDP_RDMA fetches for one sub-unit: alu, mul, or pairs of both.
struct sdp_operands {
  bool alu = false, mul = false, per_element = false;
  std::uint32_t bytes = 1;  // of one operand
  cube source{};            // its unit: lanes * operands * bytes
};

struct sdp_x {
  bool bypass = true, alu_bypass = true, mul_bypass = true, relu = false, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int alu_shift = 0, mul_shift = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  sdp_operands operands{};
};

struct sdp_y {
  bool bypass = true, alu_bypass = true, mul_bypass = true, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  bool alu_convert = false, mul_convert = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int truncate = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  converter alu_converter{}, mul_converter{};
  sdp_operands operands{};
};

struct sdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1;
  bool flying = false, to_pdp = false;
  bool reads_memory = false;  // needs SDP_RDMA
  cube source{}, destination{};
  sdp_x x1{}, x2{};
  sdp_y y{};
  converter output{};
};

class sdp_engine {
 public:
  // `values`: width * height * lanes elements, 32 bits, of surface `s`; results to `out`.
  void surface(const sdp_layer& l, std::size_t s, std::size_t lanes,
               std::span<std::int32_t> values, std::span<std::int8_t> out) {
    lanes_ = lanes;
    x(l.x1, s, values);
    x(l.x2, s, values);
    y(l.y, s, values);
    const auto c = l.output;
    if (c == converter{})
      for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = static_cast<std::int8_t>(std::clamp(values[i], -128, 127));
    else
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = sdp_output(c, values[i]);
  }

  // A surface of SDP_RDMA's main input, widened.
  void read_source(const sdp_layer& l, std::size_t s, std::span<std::int32_t> values) {
    raw_.resize(values.size());
    read_surface(l.source, s, raw_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int8_t>(raw_[i]);
  }

 private:
  // Operands of a surface: one for each lane, or for each element; `step` to the next pixel's.
  struct stream {
    const std::int32_t* data;
    std::size_t step;
  };

  void load(const sdp_operands& o, std::size_t s) {
    const auto bytes = static_cast<std::size_t>(o.source.surface_bytes());
    raw_.resize(bytes);
    read_surface(o.source, s, raw_);
    const std::size_t interleave = o.alu && o.mul ? 2 : 1;
    const auto n = bytes / o.bytes / interleave;
    const auto widen = [&](std::size_t at, std::vector<std::int32_t>& to) {
      to.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto j = (i * interleave + at) * o.bytes;
        to[i] = o.bytes == 1 ? static_cast<std::int8_t>(raw_[j])
                             : static_cast<std::int16_t>(raw_[j] | raw_[j + 1] << 8);
      }
    };
    if (o.alu) widen(0, alu_);
    if (o.mul) widen(interleave - 1, mul_);
  }

  stream operand(bool memory, bool per_element, std::int32_t constant,
                 std::vector<std::int32_t>& values) {
    if (!memory) values.assign(lanes_, constant);
    return {values.data(), memory && per_element ? lanes_ : 0};
  }

  template <class F>
  void each(std::span<std::int32_t> v, stream a, stream m, F&& f) const {
    for (std::size_t p = 0; p < v.size(); p += lanes_, a.data += a.step, m.data += m.step)
      for (std::size_t i = 0; i < lanes_; ++i) v[p + i] = f(v[p + i], a.data[i], m.data[i]);
  }

  void x(const sdp_x& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, mul ? u.mul_operand : 1, mul_);
    for (auto& operand : alu_)
      operand = static_cast<std::int32_t>(sdp_x_operand(operand, u.alu_shift));
    const bool prelu = mul && u.prelu;
    const auto floor = u.relu ? 0 : std::int64_t{INT32_MIN};
    const auto run = [&](auto alu) {
      if (!mul && u.mul_shift == 0)
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t) {
          return static_cast<std::int32_t>(std::max(saturate<32>(alu(e, ao)), floor));
        });
      else
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
          return std::max(sdp_mul(alu(e, ao), mo, u.mul_shift, prelu),
                          static_cast<std::int32_t>(floor));
        });
    };
    with_alu(u.alu_bypass, u.algorithm, run);
  }

  void y(const sdp_y& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, u.mul_operand, mul_);
    if (u.alu_from_memory && u.alu_convert)
      for (auto& e : alu_) e = sdp_y_operand(u.alu_converter, e);
    if (u.mul_from_memory && u.mul_convert)
      for (auto& e : mul_) e = sdp_y_operand(u.mul_converter, e);
    with_alu(u.alu_bypass, u.algorithm, [&](auto alu) {
      each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
        const auto scaled = mul ? sdp_mul(e, mo, u.truncate, u.prelu) : e;
        return static_cast<std::int32_t>(saturate<32>(alu(scaled, ao)));
      });
    });
  }

  // f(function of element and operand), the algorithm chosen outside of the loop.
  template <class F>
  static void with_alu(bool bypass, alu_algorithm a, F&& f) {
    using i64 = std::int64_t;
    if (bypass) return f([](i64 e, i64) { return e; });
    switch (a) {
      case alu_algorithm::max:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::max, e, o); });
      case alu_algorithm::min:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::min, e, o); });
      default: return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::sum, e, o); });
    }
  }

  std::size_t lanes_ = 0;
  std::vector<std::uint8_t> raw_;
  std::vector<std::int32_t> alu_, mul_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// What one of SDP_RDMA's operand readers is set to, before the sub-unit's wishes are known.
struct sdp_reader {
  bool disabled = true, per_element = false;
  std::uint32_t use = 0, bytes = 1;  // use: 0 MUL, 1 ALU, 2 BOTH
  cube source{};
};

// The operands of a sub-unit that wants `alu` and `mul` from memory.
inline sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                                    std::uint32_t atom) {
  if (!alu && !mul) {
    require(r.disabled, where, "reads operands that SDP does not take: the reader never ends");
    return {};
  }
  require(!r.disabled, where, "is disabled, but SDP takes operands from memory");
  require(r.use <= 2, where, "DATA_USE=3 does not exist");
  const bool reads_alu = r.use != 0, reads_mul = r.use != 1;
  require(reads_alu == alu && reads_mul == mul, where,
          "DATA_USE does not agree with the operands that SDP takes from memory");
  sdp_operands o{.alu = alu, .mul = mul, .per_element = r.per_element, .bytes = r.bytes,
                 .source = r.source};
  o.source.unit = std::uint64_t{atom} * r.bytes * (alu && mul ? 2 : 1);
  if (!r.per_element) {  // the operands of all channels side by side
    o.source.width = o.source.height = 1;
    o.source.surface_stride = o.source.unit;
  }
  o.source.check(where, atom);
  return o;
}

template <hw::hardware Hw>
class sdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty if SDP_RDMA is not enabled.
  sdp_decoder(const view& sdp, const view* rdma, memories<Hw>& m) : g(sdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  sdp_layer decode() {
    l.width = g.template count<"SDP.D_DATA_CUBE_WIDTH.WIDTH">();
    l.height = g.template count<"SDP.D_DATA_CUBE_HEIGHT.HEIGHT">();
    l.channels = g.template count<"SDP.D_DATA_CUBE_CHANNEL.CHANNEL">();
    m_.limit.check("SDP.D_DATA_CUBE_WIDTH", l.width, l.height, atom, ceil_div(l.channels, atom));
    require(g.template u<"SDP.D_DATA_FORMAT.PROC_PRECISION">() == 0 &&
                g.template u<"SDP.D_DATA_FORMAT.OUT_PRECISION">() == 0,
            "SDP.D_DATA_FORMAT", "only int8 is simulated");
    require(!g.template on<"SDP.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                g.template u<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    l.flying = g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    l.to_pdp = g.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    require(!l.to_pdp || Hw::spec.has_pdp(), "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST",
            "this configuration has no PDP");
    x1();
    x2();
    y();
    l.reads_memory = needs_rdma();
    rdma();
    output();
    return l;
  }

  // Whether SDP waits for SDP_RDMA: decided by SDP's own registers.
  bool needs_rdma() const {
    const auto from_memory = [](bool bypass, bool off, bool memory) {
      return !bypass && !off && memory;
    };
    const bool b = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    const bool n = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    const bool e = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    return !g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">() ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">()) ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">());
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  static void check_x(std::string_view where, const sdp_x& u) {
    if (u.bypass) return;
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, where, "ALU_ALGO=3 does not exist");
    require(u.mul_shift <= 63, where, "MUL_SHIFT_VALUE ", u.mul_shift, " is more than 63");
  }

  void x1() {
    auto& u = l.x1;
    u.bypass = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BS_CFG.BS_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BS_CFG.BS_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BS_ALU_SRC_VALUE.BS_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BS_MUL_SRC_VALUE.BS_MUL_OPERAND">();
    check_x("SDP.D_DP_BS_CFG", u);
  }

  void x2() {
    auto& u = l.x2;
    u.bypass = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BN_CFG.BN_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BN_CFG.BN_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BN_ALU_SRC_VALUE.BN_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BN_MUL_SRC_VALUE.BN_MUL_OPERAND">();
    check_x("SDP.D_DP_BN_CFG", u);
  }

  void y() {
    auto& u = l.y;
    u.bypass = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    if (u.bypass) return;
    require(Hw::spec.has_ew(), "SDP.D_DP_EW_CFG.EW_BYPASS",
            "this configuration has no element-wise unit (Y)");
    require(g.template on<"SDP.D_DP_EW_CFG.EW_LUT_BYPASS">(), "SDP.D_DP_EW_CFG.EW_LUT_BYPASS",
            "the lookup table is not simulated");
    u.alu_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_EW_CFG.EW_ALU_ALGO">());
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, "SDP.D_DP_EW_CFG.EW_ALU_ALGO",
            "EQL is not simulated");
    u.mul_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_PRELU">();
    u.alu_from_memory = g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">();
    u.alu_convert = !g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS">();
    u.alu_operand = g.template i<"SDP.D_DP_EW_ALU_SRC_VALUE.EW_ALU_OPERAND">();
    u.alu_converter = {
        .offset = g.template i<"SDP.D_DP_EW_ALU_CVT_OFFSET_VALUE.EW_ALU_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_ALU_CVT_SCALE_VALUE.EW_ALU_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_ALU_CVT_TRUNCATE_VALUE.EW_ALU_CVT_TRUNCATE">())};
    u.mul_from_memory = g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">();
    u.mul_convert = !g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS">();
    u.mul_operand = g.template i<"SDP.D_DP_EW_MUL_SRC_VALUE.EW_MUL_OPERAND">();
    u.mul_converter = {
        .offset = g.template i<"SDP.D_DP_EW_MUL_CVT_OFFSET_VALUE.EW_MUL_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_MUL_CVT_SCALE_VALUE.EW_MUL_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_MUL_CVT_TRUNCATE_VALUE.EW_MUL_CVT_TRUNCATE">())};
    u.truncate = static_cast<int>(g.template u<"SDP.D_DP_EW_TRUNCATE_VALUE.EW_TRUNCATE">());
  }

  cube whole_cube(memory& ram, std::uint64_t base, std::uint64_t line, std::uint64_t surface) {
    return {.ram = &ram, .base = base, .line_stride = line, .surface_stride = surface,
            .unit = atom, .width = l.width, .height = l.height,
            .surfaces = ceil_div(l.channels, atom)};
  }

  void rdma() {
    if (r == nullptr) return;  // the device starts a layer that reads memory only with SDP_RDMA
    require(r->template count<"SDP_RDMA.D_DATA_CUBE_WIDTH.WIDTH">() == l.width &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_HEIGHT.HEIGHT">() == l.height &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_CHANNEL.CHANNEL">() == l.channels,
            "SDP_RDMA.D_DATA_CUBE_WIDTH", "the cube differs from SDP's");
    require(r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.OUT_PRECISION">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "only int8 is simulated");
    require(!r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    require(r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() == l.flying,
            "SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE", "differs from SDP's");
    if (!l.flying) {
      l.source = whole_cube(m_.select(r->template on<"SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
                                      "SDP_RDMA.D_SRC_DMA_CFG"),
                            r->template address<"SDP_RDMA.D_SRC_BASE_ADDR_HIGH.SRC_BASE_ADDR_HIGH",
                                                "SDP_RDMA.D_SRC_BASE_ADDR_LOW.SRC_BASE_ADDR_LOW">(),
                            r->template bytes<"SDP_RDMA.D_SRC_LINE_STRIDE">(),
                            r->template bytes<"SDP_RDMA.D_SRC_SURFACE_STRIDE">());
      l.source.check("SDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
    }
    readers();
  }

  template <fixed_string Config, fixed_string Disable, fixed_string Use, fixed_string Size,
            fixed_string Mode, fixed_string Ram, fixed_string High, fixed_string Low,
            fixed_string Line, fixed_string Surface>
  sdp_operands reader(bool alu, bool mul) {
    sdp_reader o{.disabled = r->template on<Disable>(),
                 .per_element = r->template on<Mode>(),
                 .use = r->template u<Use>(),
                 .bytes = r->template count<Size>()};
    if (alu || mul)
      o.source = whole_cube(m_.select(r->template on<Ram>(), Config.view()),
                            r->template address<High, Low>(), r->template bytes<Line>(),
                            r->template bytes<Surface>());
    return decode_operands(Config.view(), o, alu, mul, atom);
  }

  void readers() {
    const auto alu = [](const auto& u) { return !u.bypass && !u.alu_bypass && u.alu_from_memory; };
    const auto mul = [](const auto& u) { return !u.bypass && !u.mul_bypass && u.mul_from_memory; };
    l.x1.operands = reader<"SDP_RDMA.D_BRDMA_CFG", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BS_BASE_ADDR_HIGH", "SDP_RDMA.D_BS_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BS_LINE_STRIDE", "SDP_RDMA.D_BS_SURFACE_STRIDE">(
        alu(l.x1), mul(l.x1));
    l.x2.operands = reader<"SDP_RDMA.D_NRDMA_CFG", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_SIZE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_MODE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BN_BASE_ADDR_HIGH", "SDP_RDMA.D_BN_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BN_LINE_STRIDE", "SDP_RDMA.D_BN_SURFACE_STRIDE">(
        alu(l.x2), mul(l.x2));
    if constexpr (Hw::spec.has_ew())
      l.y.operands = reader<"SDP_RDMA.D_ERDMA_CFG", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE",
                            "SDP_RDMA.D_EW_BASE_ADDR_HIGH", "SDP_RDMA.D_EW_BASE_ADDR_LOW",
                            "SDP_RDMA.D_EW_LINE_STRIDE", "SDP_RDMA.D_EW_SURFACE_STRIDE">(
          alu(l.y), mul(l.y));
  }

  void output() {
    l.output = {.offset = g.template i<"SDP.D_CVT_OFFSET.CVT_OFFSET">(),
                .scale = static_cast<std::int16_t>(g.template i<"SDP.D_CVT_SCALE.CVT_SCALE">()),
                .shift = static_cast<std::uint8_t>(g.template u<"SDP.D_CVT_SHIFT.CVT_SHIFT">())};
    if (l.to_pdp) return;
    l.destination =
        whole_cube(m_.select(g.template on<"SDP.D_DST_DMA_CFG.DST_RAM_TYPE">(),
                             "SDP.D_DST_DMA_CFG"),
                   g.template address<"SDP.D_DST_BASE_ADDR_HIGH.DST_BASE_ADDR_HIGH",
                                      "SDP.D_DST_BASE_ADDR_LOW.DST_BASE_ADDR_LOW">(),
                   g.template bytes<"SDP.D_DST_LINE_STRIDE.DST_LINE_STRIDE">(),
                   g.template bytes<"SDP.D_DST_SURFACE_STRIDE.DST_SURFACE_STRIDE">());
    l.destination.check("SDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("SDP.D_DST_LINE_STRIDE");
  }

  view g;
  const view* r;
  memories<Hw>& m_;
  sdp_layer l{};
};

}  // namespace nvdlac::sim
#include <cstdint>

namespace nvdlac::sim {

// GLB's interrupt registers. A done bit is set whether or not it is masked; the mask acts on the
// line.
struct glb {
  std::uint32_t status = 0, mask = 0;

  static constexpr std::uint32_t bits = 0x003f03ff;

  constexpr void raise(std::uint32_t which) { status |= which & bits; }
  constexpr void clear(std::uint32_t which) { status &= ~which; }  // write 1 to clear
  constexpr bool line() const { return (status & ~mask) != 0; }
};

}  // namespace nvdlac::sim
// The units that have two register groups, and which of the groups is whose turn.
#include <array>
#include <optional>
#include <string_view>


namespace nvdlac::sim {

enum class unit : std::uint8_t {
  cdma, csc, cmac_a, cmac_b, cacc, sdp_rdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik
};

inline constexpr std::array<std::string_view, 12> unit_names{
    "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK"};

constexpr std::string_view name(unit u) { return unit_names[static_cast<std::size_t>(u)]; }

constexpr std::optional<unit> find_unit(std::string_view name) {
  for (std::size_t i = 0; i < unit_names.size(); ++i)
    if (unit_names[i] == name) return unit(i);
  return std::nullopt;
}

// Software writes the group `producer`; the unit executes the group `consumer`.
struct unit_groups {
  int producer = 0, consumer = 0;
  std::array<bool, 2> enabled{};

  constexpr bool ready() const { return enabled[static_cast<std::size_t>(consumer)]; }

  // Takes the enabled group: idle again, the other group is next. Returns the group.
  constexpr int take() {
    const int group = consumer;
    enabled[static_cast<std::size_t>(group)] = false;
    consumer ^= 1;
    return group;
  }

  // S_STATUS: 0 idle, 1 running, 2 pending, for both groups. A unit that waits for the units
  // beside it is running.
  constexpr std::uint32_t status() const {
    const auto of = [&](int group) -> std::uint32_t {
      if (!enabled[static_cast<std::size_t>(group)]) return 0;
      return group == consumer ? 1 : 2;
    };
    return of(0) | of(1) << 16;
  }
  constexpr std::uint32_t pointer() const {
    return static_cast<std::uint32_t>(producer | consumer << 16);
  }
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

template <hw::hardware Hw>
class device {
 public:
  explicit device(const limits& l = {}) : memories_(l) {}

  // The bus: byte addresses from the base of NVDLA. Writing the last OP_ENABLE of a chain executes
  // the layer: when the call returns, memory and interrupts are those after it. After an error
  // the units of the refused layer are idle.
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& r = register_file<map>::at(address);
    value &= r.write_mask;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) glb_.mask = value;
    else if (address == hw::address<map, "GLB.S_INTR_SET">) glb_.raise(value);
    else if (address == hw::address<map, "GLB.S_INTR_STATUS">) glb_.clear(value);
    else if (const auto u = find_unit(r.unit)) write_unit(*u, r, value);
    else write_other(r, value);
  }

  std::uint32_t read(std::uint32_t address) {
    const auto& r = register_file<map>::at(address);
    if (address == hw::address<map, "GLB.S_INTR_MASK">) return glb_.mask;
    if (address == hw::address<map, "GLB.S_INTR_STATUS">) return glb_.status;
    if (address == hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) return 1;
    const auto u = find_unit(r.unit);
    if (!u) return registers_.word(0, address);
    const auto& g = groups(*u);
    if (r.name == "S_STATUS") return g.status();
    if (r.name == "S_POINTER") return g.pointer();
    if (r.name == "D_OP_ENABLE") return g.enabled[static_cast<std::size_t>(g.producer)];
    return registers_.word(r.name.starts_with("D_") ? g.producer : 0, address);
  }

  // Executes every layer whose units are all enabled; whether there was one.
  bool run() {
    bool any = false;
    while (run_sdp() || run_pdp() || end_idle_readers()) any = true;
    return any;
  }

  bool interrupt() const { return glb_.line(); }

  // The enabled units that wait for others: "CACC CMAC_A", empty if none.
  std::string waiting() const {
    std::string s;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].enabled[0] || groups_[i].enabled[1])
        s += (s.empty() ? "" : " ") + std::string(unit_names[i]);
    return s;
  }

  // Registers, CBUF and interrupts as after power-on; memories keep their contents.
  void reset() {
    registers_ = {};
    groups_ = {};
    glb_ = {};
    cbuf_ = {};
  }

  memory& dram() { return memories_.dram; }
  memory& cvsram() { return memories_.cvsram; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::size_t lanes = Hw::spec.memory_atom;  // of a surface, int8
  using view = group_view<map>;

  unit_groups& groups(unit u) { return groups_[static_cast<std::size_t>(u)]; }
  view active(unit u) { return {registers_, groups(u).consumer}; }

  void write_unit(unit u, const hw::reg& r, std::uint32_t value) {
    auto& g = groups(u);
    if (r.name == "S_POINTER") {
      g.producer = static_cast<int>(value & 1);
    } else if (!r.name.starts_with("D_")) {
      registers_.set(0, r.address, value);
    } else if (const auto producer = static_cast<std::size_t>(g.producer);
               r.name == "D_OP_ENABLE") {
      if ((value & 1) == 0) return;
      require_simulated(u);
      require(!g.enabled[producer], text(r.unit, ".", r.name), "group ", g.producer,
              " is already enabled");
      g.enabled[producer] = true;
      run();
    } else if (r.write_mask != 0) {
      require(!g.enabled[producer], text(r.unit, ".", r.name), "written while group ", g.producer,
              " is enabled");
      registers_.set(g.producer, r.address, value);
    }
  }

  void write_other(const hw::reg& r, std::uint32_t value) {
    if (r.unit == "BDMA" && r.name.starts_with("CFG_LAUNCH") && value != 0)
      refuse(text(r.unit, ".", r.name), Hw::spec.bdma ? "BDMA is not simulated"
                                                      : "this configuration has no BDMA");
    if (r.write_mask != 0) registers_.set(0, r.address, value);
  }

  static void require_simulated(unit u) {
    const auto refuse_unit = [&](bool exists) {
      refuse(text(name(u), ".D_OP_ENABLE"),
             exists ? "this unit is not simulated" : "this configuration does not have the unit");
    };
    if (u == unit::cdp || u == unit::cdp_rdma) refuse_unit(Hw::spec.has_cdp());
    if (u == unit::rubik) refuse_unit(Hw::spec.rubik);
    if ((u == unit::pdp || u == unit::pdp_rdma) && !Hw::spec.has_pdp()) refuse_unit(false);
  }

  template <fixed_string Group0>
  void done(int group) {
    glb_.raise(hw::field_of<map, Group0>.mask() << group);
  }

  // Readers that are enabled with nothing to read end at once.
  bool end_idle_readers() {
    if (auto& g = groups(unit::sdp_rdma); g.ready()) {
      const auto v = active(unit::sdp_rdma);
      if (v.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() &&
          v.template on<"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE">() &&
          v.template on<"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE">() &&
          (!Hw::spec.has_ew() || v.template on<"SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE">())) {
        g.take();
        return true;
      }
    }
    if (auto& g = groups(unit::pdp_rdma);
        g.ready() && !active(unit::pdp_rdma).template on<"PDP_RDMA.D_FLYING_MODE">()) {
      g.take();
      return true;
    }
    return false;
  }

  // PDP from memory.
  bool run_pdp() {
    auto &p = groups(unit::pdp), &r = groups(unit::pdp_rdma);
    if (!p.ready() || !r.ready()) return false;
    const auto pdp = active(unit::pdp), rdma = active(unit::pdp_rdma);
    if (!pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">() ||
        !rdma.template on<"PDP_RDMA.D_FLYING_MODE">())
      return false;
    const int group = p.take();
    r.take();
    const auto l = pdp_decoder<Hw>(pdp, &rdma, memories_).decode();
    narrow_.resize(std::size_t{l.width} * l.height * lanes);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      read_surface(l.source, s, as_bytes(narrow_));
      pool(l, s);
    }
    done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group);
    return true;
  }

  // SDP with its input from memory or from a convolution, its output to memory or to PDP.
  bool run_sdp() {
    if (!groups(unit::sdp).ready()) return false;
    const auto sdp = active(unit::sdp), rdma = active(unit::sdp_rdma), pdp = active(unit::pdp);
    const bool flying = sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    const bool to_pdp = sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    const bool reads = sdp_decoder<Hw>(sdp, nullptr, memories_).needs_rdma();
    if (reads && !groups(unit::sdp_rdma).ready()) return false;
    if (flying)
      for (const auto u : convolution_units)
        if (!groups(u).ready()) return false;
    if (to_pdp && (!groups(unit::pdp).ready() ||
                   pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()))
      return false;

    const int group = groups(unit::sdp).take();
    if (reads) groups(unit::sdp_rdma).take();
    const int pdp_group = to_pdp ? groups(unit::pdp).take() : 0;
    const auto conv_group = flying ? take_convolution() : std::array<int, 5>{};

    const auto l = sdp_decoder<Hw>(sdp, reads ? &rdma : nullptr, memories_).decode();
    pdp_layer p;
    if (to_pdp) {
      p = pdp_decoder<Hw>(pdp, nullptr, memories_).decode();
      require(p.width == l.width && p.height == l.height && p.channels == l.channels,
              "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
    }
    if (flying) begin_convolution(conv_group, l);
    sdp_surfaces(l, p);
    if (flying) end_convolution(conv_group);
    done<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">(group);
    if (to_pdp) done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(pdp_group);
    return true;
  }

  void sdp_surfaces(const sdp_layer& l, const pdp_layer& p) {
    const auto elements = std::size_t{l.width} * l.height * lanes;
    wide_.resize(elements);
    narrow_.resize(elements);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      if (l.flying)
        core_.surface(s, lanes, Hw::spec.mac_atomic_k, Hw::spec.mac_atomic_c, wide_);
      else
        sdp_.read_source(l, s, wide_);
      sdp_.surface(l, s, lanes, wide_, narrow_);
      if (l.to_pdp) pool(p, s);
      else write_surface(l.destination, s, as_bytes(narrow_));
    }
  }

  void pool(const pdp_layer& l, std::size_t s) {
    pooled_.resize(std::size_t{l.out_width} * l.out_height * lanes);
    pdp_.surface(l, lanes, narrow_, pooled_);
    write_surface(l.destination, s, as_bytes(pooled_));
  }

  static constexpr std::array convolution_units{unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b,
                                                unit::cacc};

  std::array<int, 5> take_convolution() {
    std::array<int, 5> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = groups(convolution_units[i]).take();
    return taken;
  }

  void begin_convolution(const std::array<int, 5>& group, const sdp_layer& l) {
    const auto of = [&](std::size_t i) { return view(registers_, group[i]); };
    const auto cdma = decode_cdma<Hw>(of(0), memories_);
    const auto c =
        decode_convolution<Hw>(of(1), of(2), of(3), of(4), cdma, memories_.limit);
    require(c.out_width == l.width && c.out_height == l.height && c.kernels == l.channels,
            "SDP.D_DATA_CUBE_WIDTH", "the cube differs from CACC's");
    fill_cbuf(cdma, cbuf_, bytes_);
    core_.prepare(c, cbuf_);
  }

  void end_convolution(const std::array<int, 5>& group) {
    registers_.set(group[4], hw::address<map, "CACC.D_OUT_SATURATION">, core_.saturated());
    done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group[4]);
  }

  static std::span<std::uint8_t> as_bytes(std::vector<std::int8_t>& v) {
    return {reinterpret_cast<std::uint8_t*>(v.data()), v.size()};
  }

  memories<Hw> memories_;
  register_file<map> registers_;
  std::array<unit_groups, unit_names.size()> groups_{};
  glb glb_{};
  cbuf_contents cbuf_{};
  convolution_core core_;
  sdp_engine sdp_;
  pdp_engine pdp_;
  // Of one surface: SDP's input, SDP's output or PDP's input, PDP's output; and a scratch.
  std::vector<std::int32_t> wide_;
  std::vector<std::int8_t> narrow_, pooled_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim
// The register trace "nvtrace 1": what a program writes to the bus and what memory must hold.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <vector>


namespace nvdlac::sim {

struct trace_command {
  enum class kind : std::uint8_t {
    mem_fill, mem_load, reg_write, reg_read, reg_poll, wait_done, wait_irq, mem_check, mem_crc,
    mem_dump
  };
  kind what{};
  std::size_t line = 0;
  bool cvsram = false;
  std::uint64_t address = 0;
  std::uint64_t size = 0;    // of mem_fill, mem_load (of the file's part), mem_crc, mem_dump
  std::uint64_t offset = 0;  // of mem_load in its file
  std::uint32_t mask = 0, value = 0;  // of registers; value: also the byte or the CRC
  std::string file{};
};

struct trace {
  std::string name;    // of the file, for messages
  std::string config;  // nv_small
  std::uint64_t glb_base = 0;
  bool has_glb_base = false;
  std::vector<std::string> info;
  std::vector<trace_command> commands;
  std::map<std::string, std::vector<std::uint8_t>> files;  // those that the commands read
};

namespace detail {

// One line of a trace, word by word. Every complaint names file and line.
class trace_line {
 public:
  trace_line(const std::string& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text.substr(0, text.find('#'))) {}

  template <class... Args>
  [[noreturn]] void fail(const Args&... reason) const {
    throw error(problem{.file = file_, .line = number_, .reason = text(reason...)});
  }
  bool empty() {
    skip();
    return rest_.empty();
  }
  std::string word(std::string_view what) {
    if (empty()) fail("expected ", what);
    const auto n = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string w(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return w;
  }
  std::uint64_t number(std::string_view what, std::uint64_t most = ~std::uint64_t{0}) {
    const auto w = word(what);
    std::string_view digits = w;
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16, digits.remove_prefix(2);
    else if (digits.size() > 1 && digits[0] == '0') base = 8, digits.remove_prefix(1);
    std::uint64_t v = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (problem != std::errc{} || end != digits.data() + digits.size() || digits.empty() ||
        v > most)
      fail(what, " '", w, "' is not a number from 0 to ", most);
    return v;
  }
  std::uint32_t word32(std::string_view what) {
    return static_cast<std::uint32_t>(number(what, 0xffffffffu));
  }
  bool space() {
    const auto w = word("dram or cvsram");
    if (w != "dram" && w != "cvsram") fail("memory '", w, "' is neither dram nor cvsram");
    return w == "cvsram";
  }
  std::string file() {
    auto w = word("a file");
    if (w.find_first_of("/\\") != std::string::npos || w == "." || w == "..")
      fail("file '", w, "' is not beside the trace");
    return w;
  }
  std::string remainder() {
    skip();
    std::string s(rest_);
    rest_ = {};
    while (!s.empty() && (s.back() == '\r' || s.back() == ' ')) s.pop_back();
    return s;
  }
  void end() {
    if (!empty()) fail("unexpected '", remainder(), "' at the end of the line");
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  const std::string& file_;
  std::size_t number_;
  std::string_view rest_;
};

inline std::optional<trace_command::kind> find_command(std::string_view word) {
  using enum trace_command::kind;
  static constexpr std::pair<std::string_view, trace_command::kind> names[]{
      {"mem_fill", mem_fill}, {"mem_load", mem_load}, {"reg_write", reg_write},
      {"reg_read", reg_read}, {"reg_poll", reg_poll}, {"wait_done", wait_done},
      {"wait_irq", wait_irq}, {"mem_check", mem_check}, {"mem_crc", mem_crc},
      {"mem_dump", mem_dump}};
  for (const auto& [n, k] : names)
    if (n == word) return k;
  return std::nullopt;
}

inline trace_command parse_command(trace_command::kind kind, trace_line& l, std::size_t number) {
  trace_command c{.what = kind, .line = number};
  switch (kind) {
    using enum trace_command::kind;
    case mem_fill:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = static_cast<std::uint32_t>(l.number("a byte", 255));
      break;
    case mem_load:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      c.size = ~std::uint64_t{0};  // the whole file
      if (!l.empty()) c.offset = l.number("an offset"), c.size = l.number("a size");
      break;
    case reg_write:
      c.address = l.word32("an address"), c.value = l.word32("a value");
      break;
    case reg_read:
    case reg_poll:
      c.address = l.word32("an address"), c.mask = l.word32("a mask");
      c.value = l.word32("a value");
      break;
    case wait_done: c.mask = l.word32("a mask"); break;
    case wait_irq: break;
    case mem_check:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      break;
    case mem_crc:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = l.word32("a CRC");
      break;
    case mem_dump:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.file = l.file();
      break;
  }
  l.end();
  return c;
}

}  // namespace detail

// Reads a trace and the files beside it that it loads or compares. Throws nvdlac::error with file
// and line: unknown command, bad number, missing file, trailing words.
inline trace read_trace(const std::filesystem::path& path) {
  std::ifstream in(path);
  trace t;
  t.name = path.string();
  if (!in || std::filesystem::is_directory(path))
    throw error(problem{.file = t.name, .reason = "cannot be read"});
  std::string text;
  bool header = false;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    detail::trace_line l(t.name, number, text);
    if (l.empty()) continue;
    const auto word = l.word("a command");
    if (!header) {
      if (word != "nvtrace" || l.number("the version") != 1) l.fail("expected 'nvtrace 1'");
      l.end();
      header = true;
    } else if (word == "config") {
      t.config = l.word("a configuration");
      l.end();
    } else if (word == "glb_base") {
      t.glb_base = l.word32("an address"), t.has_glb_base = true;
      l.end();
    } else if (word == "info") {
      t.info.push_back(l.remainder());
    } else if (const auto kind = detail::find_command(word)) {
      auto c = detail::parse_command(*kind, l, number);
      if (*kind == trace_command::kind::mem_load || *kind == trace_command::kind::mem_check) {
        auto [file, is_new] = t.files.try_emplace(c.file);
        if (is_new) {
          const auto beside = path.parent_path() / c.file;
          std::ifstream bytes(beside, std::ios::binary);
          if (!bytes || std::filesystem::is_directory(beside))
            l.fail("the file '", c.file, "' cannot be read");
          file->second.assign(std::istreambuf_iterator<char>(bytes), {});
        }
        const auto size = file->second.size();
        if (*kind == trace_command::kind::mem_load && c.size == ~std::uint64_t{0}) c.size = size;
        else if (*kind == trace_command::kind::mem_load &&
                 (c.offset > size || c.size > size - c.offset))
          l.fail("the file '", c.file, "' has only ", size, " bytes");
      }
      t.commands.push_back(std::move(c));
    } else {
      l.fail("unknown command '", word, "'");
    }
  }
  if (!header) throw error(problem{.file = t.name, .reason = "is no 'nvtrace 1'"});
  if (t.config.empty()) throw error(problem{.file = t.name, .reason = "names no config"});
  return t;
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// An expectation of a trace that did not hold.
struct difference {
  std::size_t line = 0;
  std::string what;
};

struct replay_options {
  sim::limits limits{};
  std::filesystem::path dump_directory{};  // where mem_dump writes; empty: nowhere
};

// One run of a trace on one device.
template <hw::hardware Hw>
class replayer {
 public:
  replayer(const trace& t, const replay_options& o) : trace_(t), options_(o), device_(o.limits) {
    if (t.config != type_name<Hw>())
      throw error(problem{.file = t.name, .reason = text("is of the configuration ", t.config,
                                                         ", not of ", type_name<Hw>())});
    if (t.has_glb_base && t.glb_base != glb)
      throw error(problem{.file = t.name, .reason = text("glb_base is 0x", std::hex, glb,
                                                         " in this configuration")});
  }

  // The differences in the order of the trace. A program that the device refuses is an
  // nvdlac::error with file and line.
  std::vector<difference> run() {
    for (const auto& c : trace_.commands) try {
        execute(c);
      } catch (const error& e) {
        auto problems = e.problems();
        for (auto& p : problems) p.file = trace_.name, p.line = c.line;
        throw error(problems);
      }
    return std::move(differences_);
  }

  sim::device<Hw>& device() { return device_; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::uint32_t status = hw::address<map, "GLB.S_INTR_STATUS">;
  static constexpr std::uint32_t glb = status - 0xc;

  template <class... Args>
  void differ(const trace_command& c, const Args&... what) {
    differences_.push_back({c.line, text(what...)});
  }

  void execute(const trace_command& c) {
    auto& ram = c.cvsram ? device_.cvsram() : device_.dram();
    require(!c.cvsram || Hw::spec.has_sram(), "cvsram", "this configuration has no CVSRAM");
    const auto address = static_cast<std::uint32_t>(c.address);
    switch (c.what) {
      using enum trace_command::kind;
      case mem_fill:
        check_size(c);
        return ram.fill(c.address, c.size, static_cast<std::uint8_t>(c.value));
      case mem_load:
        return ram.write(c.address, std::span(trace_.files.at(c.file))
                                        .subspan(static_cast<std::size_t>(c.offset),
                                                 static_cast<std::size_t>(c.size)));
      case reg_write: return device_.write(address, c.value);
      case reg_read:
        if (const auto v = device_.read(address); ((v ^ c.value) & c.mask) != 0)
          differ(c, hw::describe(map, address, v), " instead of ",
                 hw::describe(map, address, c.value));
        return;
      case reg_poll: return poll(c, address);
      case wait_done: return wait(c);
      case wait_irq:
        device_.run();
        if (!device_.interrupt()) differ(c, "no interrupt", still_waiting());
        return;
      case mem_check: return check(c, ram);
      case mem_crc: return check_crc(c, ram);
      case mem_dump: return dump(c, ram);
    }
  }

  // The device has finished all that it can when a write returns: what does not hold after one
  // more run will never hold.
  void poll(const trace_command& c, std::uint32_t address) {
    do {
      if (((device_.read(address) ^ c.value) & c.mask) == 0) return;
    } while (device_.run());
    differ(c, hw::describe(map, address, device_.read(address)), " never becomes ",
           hw::describe(map, address, c.value), still_waiting());
  }

  void wait(const trace_command& c) {
    std::uint32_t seen = 0;
    do {
      const auto now = device_.read(status) & c.mask;
      if (now != 0) device_.write(status, now);
      seen |= now;
    } while (seen != c.mask && device_.run());
    if (seen != c.mask)
      differ(c, "the interrupts 0x", std::hex, c.mask & ~seen, " never come", still_waiting());
  }

  std::string still_waiting() const {
    const auto units = device_.waiting();
    return units.empty() ? "" : "; enabled units that wait for others: " + units;
  }

  void check_size(const trace_command& c) const {
    require(c.size <= options_.limits.memory, trace_.name, "a region of ", c.size,
            " bytes is beyond sim::limits::memory");
  }

  static std::vector<std::uint8_t> bytes(const memory& ram, std::uint64_t at, std::uint64_t size) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(size));
    ram.read(at, v);
    return v;
  }

  void check(const trace_command& c, const memory& ram) {
    const auto& expected = trace_.files.at(c.file);
    const auto is = bytes(ram, c.address, expected.size());
    std::size_t first = is.size(), count = 0;
    for (std::size_t i = is.size(); i-- > 0;)
      if (is[i] != expected[i]) first = i, ++count;
    if (count != 0)
      differ(c, count, " of ", is.size(), " bytes differ from ", c.file, ", first 0x", std::hex,
             c.address + first, ": 0x", +is[first], " instead of 0x", +expected[first]);
  }

  void check_crc(const trace_command& c, const memory& ram) {
    check_size(c);
    boost::crc_32_type crc;
    constexpr std::uint64_t step = std::uint64_t{1} << 20;
    for (std::uint64_t at = 0; at < c.size; at += step) {
      const auto part = bytes(ram, c.address + at, std::min(step, c.size - at));
      crc.process_bytes(part.data(), part.size());
    }
    if (crc.checksum() != c.value)
      differ(c, "the CRC of 0x", std::hex, c.size, " bytes at 0x", c.address, " is 0x",
             crc.checksum(), " instead of 0x", c.value);
  }

  void dump(const trace_command& c, const memory& ram) {
    if (options_.dump_directory.empty()) return;
    check_size(c);
    const auto part = bytes(ram, c.address, c.size);
    const auto to = options_.dump_directory / c.file;
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<const char*>(part.data()),
              static_cast<std::streamsize>(part.size()));
    out.close();
    require(!out.fail(), to.string(), "cannot be written");
  }

  const trace& trace_;
  replay_options options_;
  sim::device<Hw> device_;
  std::vector<difference> differences_;
};

// Runs the trace on a fresh device of its configuration, which must be Hw. Throws nvdlac::error.
template <hw::hardware Hw>
std::vector<difference> replay(const trace& t, const replay_options& o = {}) {
  return replayer<Hw>(t, o).run();
}

template <hw::hardware Hw>
std::vector<difference> replay(const std::filesystem::path& path, const replay_options& o = {}) {
  return replay<Hw>(read_trace(path), o);
}

}  // namespace nvdlac::sim
