// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/report/table.hpp>

using nvdlac::report::table;

TEST_CASE("columns are aligned, numbers to the right") {
  table t({{"layer"}, {"cycles", true}});
  t.add({"conv1", "7"});
  t.add({"p", "12345678"});
  CHECK(t.print() == "layer    cycles\nconv1         7\np      12345678\n");
}

TEST_CASE("lines that are too long lose the middle of what may be shortened, the longest first") {
  table t({{.title = "layer", .shortens = true}, {"unit"}, {.title = "of", .shortens = true}});
  t.add({"stage4/block1/branch2/conv2", "CONV", "0123456789abcdefghij"});
  t.add({"short", "SDP", "x"});
  const auto full = t.print();
  CHECK(t.print(200) == full);
  CHECK(t.print(50) ==
        "layer                   unit  of\n"
        "stage4/blo..nch2/conv2  CONV  0123456789abcdefghij\n"
        "short                   SDP   x\n");
  CHECK(t.print(35) ==
        "layer          unit  of\n"
        "stage4..conv2  CONV  012345..efghij\n"
        "short          SDP   x\n");
  CHECK(t.print(1) == t.print(32));  // some letters stay
}
