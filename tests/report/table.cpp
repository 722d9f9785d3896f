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

TEST_CASE("a table that is too wide comes in parts with the columns that lead") {
  table t({{"number", true, false, true}, {.title = "layer", .shortens = true, .leads = true},
           {"units"}, {"input"}, {"output"}});
  t.add({"0", "conv1", "CONV SDP", "3x224x224 int8", "64x112x112 int8"});
  t.add({"10", "p", "PDP", "64x112x112 int8", "64x56x56 int8"});
  CHECK(t.print(80) == t.print());
  CHECK(t.print(45) ==
        "number  layer  units     input\n"
        "     0  conv1  CONV SDP  3x224x224 int8\n"
        "    10  p      PDP       64x112x112 int8\n"
        "\n"
        "number  layer  output\n"
        "     0  conv1  64x112x112 int8\n"
        "    10  p      64x56x56 int8\n");
  // A column alone is not divided.
  CHECK(t.print(1).find("number  layer  output\n") != std::string::npos);
}

TEST_CASE("cells that wrap are broken at spaces and lose nothing") {
  table t({{"name"}, {.title = "what it is", .wraps = true}, {"n", true}});
  t.add({"a", "several words that do not fit", "1"});
  t.add({"b", "anextraordinarilylongword", "22"});
  CHECK(t.print(25) ==
        "name  what it is        n\n"
        "a     several words     1\n"
        "      that do not fit\n"
        "b     anextraordinari  22\n"
        "      lylongword\n");
  CHECK(t.print().find("several words that do not fit   1\n") != std::string::npos);
}
