// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration as NVIDIA's hardware sources define it: `spec/defs/NAME.spec`, whose entries are
// names (MAC_ATOMIC_C_SIZE_8, SDP_LUT_ENABLE), or the `project.h` that their build makes of one,
// whose entries have values (NVDLA_MAC_ATOMIC_C_SIZE 8). Source: spec/defs of nvdla/hw.
#include <algorithm>
#include <array>
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
  spec_reader(std::istream& in, const std::string& file);
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
  // Values that a build computes of the rest, by the beginnings of the names, and by whole names.
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

  static std::string_view next_word(std::string_view& rest);
  static std::optional<std::uint32_t> number(std::string_view s);
  static bool is_one_of(const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // A line with a blank in place of each comment, also of one that other lines begin or end.
  std::string without_comments(std::string_view line, std::size_t at);
  // Passes over what the preprocessor needs around the definitions.
  void read(std::string_view rest, std::size_t at);

  void define(std::string_view rest, std::size_t at);

  void add_switch(std::string_view name, bool on, std::size_t at);

  void add_value(std::string_view name, std::string_view value, std::size_t at);

  void add_type(std::string_view kind, std::string_view type, std::size_t at);

  bool is_on(std::string_view name);

  std::uint32_t value(std::string_view name);

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

  void data_types(bool first);

  void sdp();

  const std::string& file_;
  diagnostics found_;
  read_configuration out_;
  std::size_t comment_ = 0;  // the line where the comment begins that is not closed; 0: none
  bool is_header_ = false;   // project.h
  std::map<std::string, std::pair<bool, std::size_t>> switches_;
  std::map<std::string, given> values_;
  std::map<std::string, std::set<std::string>> types_;
};

}  // namespace detail

// Reads a .spec or a project.h. What is unknown, contradictory or missing is an `error`, all of it
// at once; whether the hardware can be built is for `validate`.
read_configuration read_spec(std::istream& in, const std::string& file);

}  // namespace nvdlac::hw

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/hw/read_spec.ipp>
#endif
