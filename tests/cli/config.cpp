// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <doctest/doctest.h>

#include "cli.hpp"

namespace {

// nv_small by its entries in NVIDIA's words, with something else in it.
std::string small_with(const std::string& cbuf, const std::string& more = "") {
  std::string s;
  for (const char* entry :
       {"FEATURE_DATA_TYPE_INT8", "WEIGHT_DATA_TYPE_INT8", "WEIGHT_COMPRESSION_DISABLE",
        "WINOGRAD_DISABLE", "BATCH_DISABLE", "SECONDARY_MEMIF_DISABLE", "SDP_LUT_DISABLE",
        "SDP_BS_ENABLE", "SDP_BN_ENABLE", "SDP_EW_DISABLE", "BDMA_DISABLE", "RUBIK_DISABLE",
        "RUBIK_CONTRACT_DISABLE", "RUBIK_RESHAPE_DISABLE", "PDP_ENABLE", "CDP_ENABLE",
        "MAC_ATOMIC_C_SIZE_8", "MAC_ATOMIC_K_SIZE_8", "MEMORY_ATOMIC_SIZE_8", "CBUF_BANK_WIDTH_8",
        "CBUF_BANK_DEPTH_512", "SDP_BS_THROUGHPUT_1", "SDP_BN_THROUGHPUT_1", "PDP_THROUGHPUT_1",
        "CDP_THROUGHPUT_1", "PRIMARY_MEMIF_LATENCY_64", "PRIMARY_MEMIF_MAX_BURST_LENGTH_1",
        "PRIMARY_MEMIF_WIDTH_64", "MEM_ADDRESS_WIDTH_32"})
    s += "#define " + std::string(entry) + '\n';
  return s + "#define CBUF_BANK_NUMBER_" + cbuf + '\n' + more;
}

}  // namespace

TEST_CASE("a definition of NVIDIA's becomes a type that compiles") {
  const scratch dir;
  dir.write("my-soc.spec", small_with("16"));
  const auto r = nvdlac_in(dir.path, "config my-soc.spec -o my_soc.hpp");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says("my_soc is nearest to nv_small\n"));
  CHECK(r.says("cbuf_banks"));
  CHECK(r.says("16"));
  const auto header = content(dir.path / "my_soc.hpp");
  CHECK(header.find("s.cbuf_banks = 16;") != header.npos);
  dir.write("use.cpp", "#include \"my_soc.hpp\"\nstatic_assert(my_soc::spec.cbuf_banks == 16 && "
                       "my_soc::spec.mac_atomic_c == nvdlac::nv_small::spec.mac_atomic_c);\n");
  const auto compiled = shell_in(dir.path, "c++ -std=c++20 -fsyntax-only -I'" NVDLAC_SOURCE_DIR
                                           "/include' use.cpp");
  CAPTURE(compiled.err);
  CHECK(compiled.code == 0);

  dir.write("small.spec", small_with("32"));
  const auto same = nvdlac_in(dir.path, "config small.spec --name chip");
  CHECK(same.code == 0);
  CHECK(same.says("struct chip {"));
  CHECK(same.complains("chip is nv_small\n"));  // beside the header, which is the output
}

TEST_CASE("a definition that is no configuration is refused") {
  const scratch dir;
  dir.write("a.spec", small_with("32", "#define TURBO_ENABLE\n"));
  dir.write("b.spec", small_with("3000"));
  dir.write("c.spec", "int main() {}\n");
  const auto before = dir.files();
  const auto refused = [&](const std::string& arguments, int code, std::string_view reason) {
    CAPTURE(arguments);
    const auto r = nvdlac_in(dir.path, "config " + arguments + " -o out.hpp");
    CAPTURE(r.err);
    CHECK(r.code == code);
    CHECK(r.complains(reason));
    CHECK(dir.files() == before);
  };
  refused("a.spec", 1, "a.spec:31: 'TURBO_ENABLE' is unknown");
  refused("b.spec", 1, "b.spec: cbuf_banks");
  refused("c.spec", 1, "c.spec:1: 'int' is no definition");
  refused("absent.spec", 1, "absent.spec");
  refused("a.spec --name class", 2, "--name 'class' cannot be the name of a type");
}
