// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>
#include <nvdlac/hw/read_spec.hpp>
#include <nvdlac/hw/validate.hpp>

using namespace nvdlac;

namespace {

// Lines that all definitions but the first version's have in common.
const std::string int8_only = R"(// a definition
#define FEATURE_DATA_TYPE_INT8
#define WEIGHT_DATA_TYPE_INT8
#define WEIGHT_COMPRESSION_DISABLE
#define WINOGRAD_DISABLE
#define BATCH_DISABLE
#define SDP_BS_ENABLE
#define SDP_BN_ENABLE
#define BDMA_DISABLE
#define RUBIK_DISABLE
#define RUBIK_CONTRACT_DISABLE
#define RUBIK_RESHAPE_DISABLE
#define PDP_ENABLE
#define CDP_ENABLE
#define RETIMING_DISABLE
)" "#include \"projects.spec\"\n";

struct numbers_of_spec {
  int c, k, atom, banks, width, depth, bs, ew, pdp, dram, burst, latency, sram, address;
};

std::string definition(const numbers_of_spec& n, const std::string& common = int8_only) {
  std::ostringstream s;
  const auto value = [&](const char* name, int v) {
    s << "#define " << name << '_' << (v == 0 ? "x" : std::to_string(v)) << '\n';
  };
  s << common << "#define SDP_LUT_" << (n.ew ? "ENABLE" : "DISABLE") << "\n#define SDP_EW_"
    << (n.ew ? "ENABLE" : "DISABLE") << "\n#define SECONDARY_MEMIF_"
    << (n.sram ? "ENABLE" : "DISABLE") << " /* a\ncomment */\n";
  value("MAC_ATOMIC_C_SIZE", n.c);
  value("MAC_ATOMIC_K_SIZE", n.k);
  value("MEMORY_ATOMIC_SIZE", n.atom);
  value("MAX_BATCH_SIZE", 0);
  value("CBUF_BANK_NUMBER", n.banks);
  value("CBUF_BANK_WIDTH", n.width);
  value("CBUF_BANK_DEPTH", n.depth);
  value("SDP_BS_THROUGHPUT", n.bs);
  value("SDP_BN_THROUGHPUT", n.bs);
  value("SDP_EW_THROUGHPUT", n.ew);
  value("PDP_THROUGHPUT", n.pdp);
  value("CDP_THROUGHPUT", n.pdp);
  value("PRIMARY_MEMIF_WIDTH", n.dram);
  value("PRIMARY_MEMIF_MAX_BURST_LENGTH", n.burst);
  value("PRIMARY_MEMIF_LATENCY", n.latency);
  value("SECONDARY_MEMIF_WIDTH", n.sram);
  value("SECONDARY_MEMIF_MAX_BURST_LENGTH", n.sram ? n.burst : 0);
  value("SECONDARY_MEMIF_LATENCY", n.sram ? n.latency : 0);
  if (n.address != 0) value("MEM_ADDRESS_WIDTH", n.address);
  value("NUM_DMA_READ_CLIENTS", 7);
  return s.str();
}

constexpr numbers_of_spec smallest{8, 8, 8, 32, 8, 512, 1, 0, 1, 64, 1, 64, 0, 32};

hw::read_configuration read_text(const std::string& content) {
  std::istringstream in(content);
  return hw::read_spec(in, "my.spec");
}

// All complaints, a line each.
std::string complaints_of(const std::string& content) {
  try {
    read_text(content);
  } catch (const error& e) {
    std::string all;
    for (const auto& p : e.problems()) all += to_string(p) + '\n';
    return all;
  }
  return "";
}

std::string without(std::string content, const std::string& part, const std::string& other = "") {
  const auto at = content.find(part);
  REQUIRE(at != content.npos);
  return content.replace(at, part.size(), other);
}

}  // namespace

TEST_CASE("the published definitions are the published configurations") {
  const auto is = [](const numbers_of_spec& n, const hw::spec& expected) {
    CHECK(read_text(definition(n)).spec == expected);
  };
  is(smallest, nv_small::spec);
  is({32, 8, 8, 32, 32, 128, 1, 0, 1, 64, 1, 64, 0, 32}, nv_small_256::spec);
  is({32, 8, 8, 32, 32, 128, 2, 1, 1, 64, 4, 64, 64, 32}, nv_small_256_full::spec);
  is({32, 16, 16, 32, 32, 512, 4, 0, 2, 128, 4, 256, 0, 64}, nv_medium_512::spec);
  is({32, 32, 32, 32, 32, 512, 8, 2, 4, 256, 4, 1024, 256, 64}, nv_medium_1024_full::spec);
  is({64, 32, 32, 16, 64, 512, 16, 4, 8, 256, 1, 1024, 256, 64}, nv_large::spec);
}

TEST_CASE("the first version's definition tells no data types") {
  auto first = int8_only;
  for (const char* type : {"#define FEATURE_DATA_TYPE_INT8\n", "#define WEIGHT_DATA_TYPE_INT8\n",
                           "#define RETIMING_DISABLE\n"})
    first = without(first, type);
  for (auto at = first.find("DISABLE"); at != first.npos; at = first.find("DISABLE"))
    first.replace(at, 7, "ENABLE");
  auto full = definition({64, 32, 32, 16, 64, 512, 16, 4, 8, 512, 1, 1200, 512, 0}, first);
  full = without(full, "SECONDARY_MEMIF_MAX_BURST_LENGTH_1", "SECONDARY_MEMIF_MAX_BURST_LENGTH_4");
  full = without(full, "SECONDARY_MEMIF_LATENCY_1200", "SECONDARY_MEMIF_LATENCY_128");
  const auto r = read_text(full);
  CHECK(r.spec == nv_full::spec);
  REQUIRE(r.remarks.size() == 2);
  CHECK(r.remarks[1] == "an entry of CBUF is two rows of 64 bytes");
}

TEST_CASE("a project.h has values, and what is not there is off") {
  const std::string header = R"(#ifndef _PROJECT_H_
#define _PROJECT_H_
#define NVDLA_FEATURE_DATA_TYPE_INT8
#define NVDLA_BPE 8
#define NVDLA_WEIGHT_DATA_TYPE_INT8
#define NVDLA_SDP_BS_ENABLE
#define NVDLA_SDP_BN_ENABLE
#define NVDLA_PDP_ENABLE
#define NVDLA_CDP_ENABLE
#define NVDLA_MAC_ATOMIC_C_SIZE 8
#define NVDLA_MAC_ATOMIC_K_SIZE 8
#define NVDLA_MEMORY_ATOMIC_SIZE 8
#define NVDLA_CBUF_BANK_NUMBER 32
#define NVDLA_CBUF_BANK_WIDTH 8
#define NVDLA_CBUF_BANK_DEPTH 512
#define NVDLA_SDP_BS_THROUGHPUT 1
#define NVDLA_SDP_BN_THROUGHPUT 1
#define NVDLA_SDP_EW_THROUGHPUT 0
#define NVDLA_SDP_MAX_THROUGHPUT 1
#define NVDLA_PDP_THROUGHPUT 1
#define NVDLA_CDP_THROUGHPUT 1
#define NVDLA_PRIMARY_MEMIF_LATENCY 64
#define NVDLA_PRIMARY_MEMIF_MAX_BURST_LENGTH 1
#define NVDLA_PRIMARY_MEMIF_WIDTH 64
#define NVDLA_MEM_ADDRESS_WIDTH 32
#define NVDLA_MEMIF_WIDTH 64
#define NVDLA_DMA_RD_SIZE 15
#define NVDLA_MEMORY_ATOMIC_LOG2 3
#define PDP_SINGLE_LBUF_WIDTH 128
#endif
)";
  CHECK(read_text(header).spec == nv_small::spec);
  CHECK(complaints_of(without(header, "NVDLA_BPE 8", "NVDLA_BPF 8")) ==
        "my.spec:4: 'BPF' is unknown\n");
}

TEST_CASE("comments are read as C++ reads them, and one that does not end is an error") {
  const auto good = definition(smallest);
  for (const char* comment :
       {"/* units, see http://nvdla.org */\n", "// a /* b\n", "/* a // b\n c // */\n", "/*/ a */\n",
        "/**/ // */\n", "/* a */ /* b\n*/ // c /*\n"})
    CHECK(read_text(comment + good).spec == nv_small::spec);
  const auto within = without(good, "#define PDP_ENABLE\n", "#define/*a*/PDP_ENABLE/*b*/// c\n");
  CHECK(read_text(within).spec == nv_small::spec);
  const auto at = std::to_string(std::count(good.begin(), good.end(), '\n') + 1);
  CHECK(complaints_of(good + "/* a */ /* never closed // \n#define BDMA_ENABLE\n") ==
        "my.spec:" + at + ": the comment that begins here does not end\n");
}

TEST_CASE("what is unknown, missing or contradictory is named") {
  const auto good = definition(smallest);
  const auto line = [](const std::string& s) {
    return std::to_string(std::count(s.begin(), s.end(), '\n') + 1);
  };
  CHECK(complaints_of(good + "#define TURBO_ENABLE\n%define X 1\n#define CBUF_BANK_NUMBER_16\n"
                             "#define PDP_DISABLE\n#define MEM_ADDRESS_WIDTH_many\n"
                             "#define BDMA 1 2\n#define WEIGHT_DATA_TYPE_INT4\n") ==
        "my.spec:" + line(good) + ": 'TURBO_ENABLE' is unknown\n" +
            "my.spec:" + line(good + "\n") + ": '%define' is no definition\n" +
            "my.spec:" + line(good + "\n\n") +
            ": CBUF_BANK_NUMBER is 16, and another number in line 25\n" +
            "my.spec:" + line(good + "\n\n\n") + ": PDP is disabled, and enabled in line 13\n" +
            "my.spec:" + line(good + "\n\n\n\n") + ": MEM_ADDRESS_WIDTH 'many' is no number\n" +
            "my.spec:" + line(good + "\n\n\n\n\n") + ": more than one value of BDMA\n" +
            "my.spec:" + line(good + "\n\n\n\n\n\n") +
            ": WEIGHT_DATA_TYPE_INT4: the types are INT8, INT16 and FP16\n");
  CHECK(complaints_of("// nothing\n") ==
        "my.spec: defines nothing of a configuration of NVDLA\n");
  CHECK(complaints_of(without(good, "#define CBUF_BANK_DEPTH_512\n")) ==
        "my.spec: says nothing of CBUF_BANK_DEPTH\n");
  CHECK(complaints_of(without(good, "#define BDMA_DISABLE\n")) ==
        "my.spec: says neither BDMA_ENABLE nor BDMA_DISABLE\n");
  CHECK(complaints_of(without(good, "SDP_BN_THROUGHPUT_1", "SDP_BN_THROUGHPUT_2")) ==
        "my.spec: SDP_BS_THROUGHPUT is 1 and SDP_BN_THROUGHPUT 2: nvdlac knows no NVDLA where they "
        "differ\n");
  CHECK(complaints_of(without(good, "SECONDARY_MEMIF_DISABLE", "SECONDARY_MEMIF_ENABLE"))
            .find("SECONDARY_MEMIF_WIDTH is x, but it is needed") != std::string::npos);
  CHECK(complaints_of(without(good, "WEIGHT_DATA_TYPE_INT8", "WEIGHT_DATA_TYPE_FP16")) ==
        "my.spec: features and weights have different data types\n");
}
