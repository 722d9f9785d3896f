// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration as NVIDIA's hardware sources define it: `spec/defs/NAME.spec`, whose entries are
// names (MAC_ATOMIC_C_SIZE_8, SDP_LUT_ENABLE), or the `project.h` that their build makes of one,
// whose entries have values (NVDLA_MAC_ATOMIC_C_SIZE 8). Source: spec/defs of nvdla/hw.
#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

struct read_configuration {
  hw::spec spec{};
  std::vector<std::string> remarks{};  // what was left out or concluded
};

namespace detail {

class spec_reader {
 public:
  spec_reader(std::istream& in, const std::string& file) : file_(file) {
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) read(line, number);
    if (values_.empty() && switches_.empty() && types_.empty())
      found_.add({.file = file_, .reason = "defines nothing of a configuration of NVDLA"});
    found_.check();
    conclude();
    found_.check();
  }
  read_configuration take() && { return std::move(out_); }

 private:
  struct given {
    std::uint32_t value = 0;
    bool none = false;  // the value x
    std::size_t line = 0;
  };

  static constexpr std::array<std::string_view, 15> switch_names{
      "WEIGHT_COMPRESSION", "WINOGRAD", "BATCH", "SECONDARY_MEMIF", "SDP_LUT", "SDP_BS", "SDP_BN",
      "SDP_EW", "BDMA", "RUBIK", "RUBIK_CONTRACT", "RUBIK_RESHAPE", "PDP", "CDP", "RETIMING"};
  static constexpr std::array<std::string_view, 21> value_names{
      "MAC_ATOMIC_C_SIZE", "MAC_ATOMIC_K_SIZE", "MEMORY_ATOMIC_SIZE", "MAX_BATCH_SIZE",
      "CBUF_BANK_NUMBER", "CBUF_BANK_WIDTH", "CBUF_BANK_DEPTH", "SDP_BS_THROUGHPUT",
      "SDP_BN_THROUGHPUT", "SDP_EW_THROUGHPUT", "PDP_THROUGHPUT", "CDP_THROUGHPUT",
      "PRIMARY_MEMIF_LATENCY", "SECONDARY_MEMIF_LATENCY", "PRIMARY_MEMIF_MAX_BURST_LENGTH",
      "PRIMARY_MEMIF_WIDTH", "SECONDARY_MEMIF_MAX_BURST_LENGTH", "SECONDARY_MEMIF_WIDTH",
      "MEM_ADDRESS_WIDTH", "NUM_DMA_READ_CLIENTS", "NUM_DMA_WRITE_CLIENTS"};
  // What a build computes of the rest, by the beginnings and ends of the names.
  static constexpr std::array<std::string_view, 12> derived_begins{
      "BPE", "CACC_SDP_", "CBUF_ENTRY_WIDTH", "CBUF_WIDTH_", "CC_", "CDMA_GRAIN_", "DMA_",
      "MAC_RESULT_", "MCIF_BURST_", "PDP_SINGLE_LBUF_", "SDP2PDP_", "VMOD_"};
  static constexpr std::array<std::string_view, 7> derived{
      "MEMIF_WIDTH", "MEMORY_ATOMIC_WIDTH", "MAC_ATOMIC_K_SIZE_DIV2", "SDP_MAX_THROUGHPUT",
      "DESIGNWARE_NOEXIST", "MEMORY_ATOMIC_LOG2", "CBUF_DEPTH_LOG2"};

  template <class... Args>
  void complain(std::size_t line, const Args&... reason) {
    found_.add({.file = file_, .line = line, .reason = text(reason...)});
  }

  static std::string_view next_word(std::string_view& rest) {
    constexpr auto blank = " \t\r";
    rest.remove_prefix(std::min(rest.find_first_not_of(blank), rest.size()));
    const auto word = rest.substr(0, rest.find_first_of(blank));
    rest.remove_prefix(word.size());
    return word;
  }
  static std::optional<std::uint32_t> number(std::string_view s) {
    std::uint32_t v = 0;
    const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (s.empty() || problem != std::errc{} || end != s.data() + s.size()) return std::nullopt;
    return v;
  }
  static bool is_one_of(const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Comments and what the preprocessor needs around the definitions are passed over.
  void read(std::string_view line, std::size_t at) {
    if (in_comment_) {
      const auto end = line.find("*/");
      if (end == line.npos) return;
      line.remove_prefix(end + 2);
      in_comment_ = false;
    }
    std::string code(line.substr(0, line.find("//")));
    for (auto begin = code.find("/*"); begin != code.npos; begin = code.find("/*")) {
      const auto end = code.find("*/", begin + 2);
      in_comment_ = end == code.npos;
      code.replace(begin, in_comment_ ? code.npos : end + 2 - begin, " ");
    }
    std::string_view rest(code);
    const auto directive = next_word(rest);
    if (directive.empty()) return;
    if (directive == "#define") return define(rest, at);
    for (const auto known : {"#include", "#ifndef", "#endif", "#pragma"})
      if (directive == known) return;
    complain(at, "'", directive, "' is no definition");
  }

  void define(std::string_view rest, std::size_t at) {
    auto name = next_word(rest);
    const auto value = next_word(rest);
    if (!next_word(rest).empty()) return complain(at, "more than one value of ", name);
    if (name.starts_with("NVDLA_")) {
      is_header_ = true;
      name.remove_prefix(6);
    }
    if (!value.empty()) return add_value(name, value, at);
    for (const auto& [ending, on] : {std::pair<std::string_view, bool>{"_ENABLE", true},
                                     {"_DISABLE", false}})
      if (name.ends_with(ending) &&
          is_one_of(switch_names, name.substr(0, name.size() - ending.size())))
        return add_switch(name.substr(0, name.size() - ending.size()), on, at);
    for (const std::string_view kind : {"FEATURE_DATA_TYPE_", "WEIGHT_DATA_TYPE_"})
      if (name.starts_with(kind)) return add_type(kind, name.substr(kind.size()), at);
    const auto cut = name.rfind('_');
    if (cut != name.npos && is_one_of(value_names, name.substr(0, cut)))
      return add_value(name.substr(0, cut), name.substr(cut + 1), at);
    if (name.starts_with("_") || name.ends_with("_H") || name.ends_with("_H_")) return;  // a guard
    complain(at, "'", name, "' is unknown");
  }

  void add_switch(std::string_view name, bool on, std::size_t at) {
    const auto [known, is_new] = switches_.try_emplace(std::string(name), on, at);
    if (!is_new && known->second.first != on)
      complain(at, name, (on ? " is enabled, and disabled" : " is disabled, and enabled"),
               " in line ", known->second.second);
  }

  void add_value(std::string_view name, std::string_view value, std::size_t at) {
    if (!is_one_of(value_names, name)) {
      const bool is_derived =
          name.ends_with("_LOG2") || is_one_of(derived, name) ||
          std::ranges::any_of(derived_begins, [&](auto b) { return name.starts_with(b); });
      if (!is_derived) complain(at, "'", name, "' is unknown");
      return;
    }
    const auto v = number(value);
    if (!v && value != "x") return complain(at, name, " '", value, "' is no number");
    const given now{v.value_or(0), !v, at};
    const auto [known, is_new] = values_.try_emplace(std::string(name), now);
    if (!is_new && (known->second.value != now.value || known->second.none != now.none))
      complain(at, name, " is ", value, ", and another number in line ", known->second.line);
  }

  void add_type(std::string_view kind, std::string_view type, std::size_t at) {
    if (type != "INT8" && type != "INT16" && type != "FP16")
      return complain(at, kind, type, ": the types are INT8, INT16 and FP16");
    types_[std::string(kind)].insert(std::string(type));
  }

  bool is_on(std::string_view name) {
    const auto known = switches_.find(std::string(name));
    if (known != switches_.end()) return known->second.first;
    // A header defines what is there; a definition says of everything whether it is.
    if (!is_header_ && name != "RETIMING")
      complain(0, "says neither ", name, "_ENABLE nor ", name, "_DISABLE");
    return false;
  }

  std::uint32_t value(std::string_view name) {
    const auto known = values_.find(std::string(name));
    if (known == values_.end()) complain(0, "says nothing of ", name);
    else if (known->second.none) complain(known->second.line, name, " is x, but it is needed");
    else return known->second.value;
    return 0;
  }

  memory_interface memory(const std::string& name) {
    return {value(name + "_WIDTH"), value(name + "_MAX_BURST_LENGTH"), value(name + "_LATENCY")};
  }

  template <class... Args>
  void remark(const Args&... what) { out_.remarks.push_back(text(what...)); }

  void conclude() {
    auto& s = out_.spec;
    // The first version, nvdlav1, has all types and tells none.
    const bool first = types_.empty() && !is_header_;
    s.map = first ? register_map::full : register_map::small;
    data_types(first);
    s.mac_atomic_c = value("MAC_ATOMIC_C_SIZE");
    s.mac_atomic_k = value("MAC_ATOMIC_K_SIZE");
    s.memory_atom = value("MEMORY_ATOMIC_SIZE");
    s.cbuf_banks = value("CBUF_BANK_NUMBER");
    s.cbuf_entry = value("CBUF_BANK_WIDTH");
    s.cbuf_entries_per_bank = value("CBUF_BANK_DEPTH");
    if (first) {
      remark("names no data types, as the first version of NVDLA: int8, int16 and fp16, the full "
             "register map, addresses of 64 bits");
      if (s.cbuf_entry == s.mac_atomic_c) {  // two rows of the RTL hold the channels of 16 bits
        s.cbuf_entry *= 2;
        s.cbuf_entries_per_bank /= 2;
        remark("an entry of CBUF is two rows of ", s.cbuf_entry / 2, " bytes");
      }
    }
    sdp();
    s.pdp_throughput = is_on("PDP") ? value("PDP_THROUGHPUT") : 0;
    s.cdp_throughput = is_on("CDP") ? value("CDP_THROUGHPUT") : 0;
    s.weight_compression = is_on("WEIGHT_COMPRESSION");
    s.winograd = is_on("WINOGRAD");
    s.batch = is_on("BATCH");
    s.bdma = is_on("BDMA");
    s.rubik = is_on("RUBIK");
    for (const char* part : {"RUBIK_CONTRACT", "RUBIK_RESHAPE"})
      if (is_on(part) != s.rubik)
        complain(0, part, " and RUBIK differ: nvdlac knows Rubik with all of its functions, or "
                           "none");
    s.dram = memory("PRIMARY_MEMIF");
    s.sram = is_on("SECONDARY_MEMIF") ? memory("SECONDARY_MEMIF") : memory_interface{};
    s.address_bits = first && !values_.contains("MEM_ADDRESS_WIDTH") ? 64
                                                                     : value("MEM_ADDRESS_WIDTH");
    (void)is_on("RETIMING");
  }

  void data_types(bool first) {
    auto& types = out_.spec.data_types;
    if (first) {
      types = {true, true, true};
      return;
    }
    const auto& features = types_["FEATURE_DATA_TYPE_"];
    const auto& weights = types_["WEIGHT_DATA_TYPE_"];
    if (features != weights) complain(0, "features and weights have different data types");
    types = {features.contains("INT8"), features.contains("INT16"), features.contains("FP16")};
  }

  void sdp() {
    auto& s = out_.spec;
    for (const char* unit : {"SDP_BS", "SDP_BN"})
      if (!is_on(unit)) complain(0, unit, " is disabled: nvdlac knows no NVDLA without it");
    const auto bs = value("SDP_BS_THROUGHPUT"), bn = value("SDP_BN_THROUGHPUT");
    if (bs != bn)
      complain(0, "SDP_BS_THROUGHPUT is ", bs, " and SDP_BN_THROUGHPUT ", bn,
               ": nvdlac knows no NVDLA where they differ");
    s.sdp_bs_bn_throughput = bs;
    s.sdp_lut = is_on("SDP_LUT");
    s.sdp_ew_throughput = 0;
    if (!is_on("SDP_EW")) return;
    const auto ew = values_.find("SDP_EW_THROUGHPUT");
    const bool one = ew != values_.end() && ew->second.none;  // as NVIDIA's build takes it
    s.sdp_ew_throughput = one ? 1 : value("SDP_EW_THROUGHPUT");
  }

  const std::string& file_;
  diagnostics found_;
  read_configuration out_;
  bool in_comment_ = false, is_header_ = false;  // project.h
  std::map<std::string, std::pair<bool, std::size_t>> switches_;
  std::map<std::string, given> values_;
  std::map<std::string, std::set<std::string>> types_;
};

}  // namespace detail

// Reads a .spec or a project.h. What is unknown, contradictory or missing is an `error`, all of it
// at once; whether the hardware can be built is for `validate`.
inline read_configuration read_spec(std::istream& in, const std::string& file) {
  return detail::spec_reader(in, file).take();
}

}  // namespace nvdlac::hw
