// SPDX-License-Identifier: Apache-2.0
// Schedules in files: what is written is read again, and what is no schedule is refused.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/schedule/choices_json.hpp>

using namespace nvdlac;

namespace {

const schedule::saved some{
    .network = "net", .configuration = "nv_small",
    .choices = {.lowering = {.pass_weights = 4096,
                             .passes = {{.layer = "conv \"1\"\n", .rows = 9, .kernels = 64,
                                         .data_banks = 6, .image = false},
                                        {.layer = "b", .columns = 12, .weight_banks = 3,
                                         .image = true}},
                             .unfused = {"pool", "pool\n2"},
                             .transposed = true, .all_lines = true,
                             .folded = {"thin", "thin \"2\""}},
                .beside = true, .kept = true, .tiles = {{"conv \"1\"\n", {3, 9}}, {"b", {1}}},
                .apart = {"b/y1"}, .order = {"b/y0", "conv \"1\"\n/y0"}}};

// The complaint of reading; empty if there is none.
std::string refusal(const std::string& text) {
  try {
    (void)schedule::read_choices(text, "s.json");
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
std::string replaced(std::string_view part, std::string_view by) {
  auto text = schedule::write_choices(some);
  const auto at = text.find(part);
  REQUIRE(at != text.npos);
  return text.replace(at, part.size(), by);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a schedule that is written is read again") {
  auto again = schedule::read_choices(schedule::write_choices(some));
  CHECK(again == some);
  CHECK(refusal(schedule::write_choices({})).empty());
  auto hostile = some;
  hostile.choices.apart = {"\xff"};
  CHECK_THROWS_WITH_AS(schedule::write_choices(hostile), doctest::Contains("no UTF-8"), error);
}

TEST_CASE("what is no schedule is refused with the reason") {
  CHECK(has(refusal(""), "s.json: is not JSON"));
  CHECK(has(refusal("{"), "is not JSON"));
  CHECK(has(refusal("[]"), "is no JSON object"));
  CHECK(has(refusal("3"), "is no JSON object"));
  CHECK(has(refusal("{}"), "'schema' is not"));
  CHECK(has(refusal(R"({"schema": "nvdlac.report", "version": 1})"), "'schema' is not"));
  CHECK(has(refusal(std::string(100'000, '[')), "is not JSON"));
  CHECK(has(refusal(replaced("\"version\": 1", "\"version\": 2")), "version 2, not 1"));
  CHECK(has(refusal(replaced("\"version\": 1,", "")), "version none"));
  CHECK(has(refusal(replaced("\"kept\": true", "\"kept\": 1")), "'kept' is neither"));
  CHECK(has(refusal(replaced("\"kept\": true,", "")), "has no member 'kept'"));
  CHECK(has(refusal(replaced("\"kept\": true", "\"kept\": true, \"kept\": false")),
            "'kept': is listed twice in the schedule"));
  CHECK(has(refusal(replaced("\"kept\": true", "\"kept\": true, \"fused\": false")),
            "'fused' is not understood"));
  CHECK(has(refusal(replaced("\"network\": \"net\"", "\"network\": []")), "'network' is no text"));
  CHECK(has(refusal(replaced("\"pass_weights\": 4096", "\"pass_weights\": -1")),
            "'pass_weights' is no number of bytes"));
  CHECK(has(refusal(replaced("\"unfused\": [", "\"unfused\": [true,")),
            "'unfused' has an element"));
  CHECK(has(refusal(replaced("\"passes\": {", "\"passes\": 3, \"x\": {")),
            "'passes' is no object"));
  CHECK(has(refusal(replaced("\"apart\": [", "\"apart\": [7,")), "'apart' has an element"));
}

TEST_CASE("passes are numbers from 1 on, and whether there is an image") {
  const auto of = [](std::string_view told) {
    return refusal(replaced("\"passes\": {", "\"passes\": {\"x\": " + std::string(told) + ","));
  };
  CHECK(of(R"({"rows": 1, "columns": 2147483647, "kernels": 8})").empty());
  CHECK(of(R"({"image": true})").empty());
  for (const auto* told : {"{}", "[]", "8", "null", R"({"rows": 0})", R"({"rows": -1})",
                           R"({"rows": 1.5})", R"({"rows": "1"})", R"({"rows": 2147483648})",
                           R"({"image": 1})", R"({"lines": 1})", R"({"rows": true})"}) {
    CAPTURE(told);
    CHECK(has(of(told), "layer 'x': its passes are no object of some of the numbers"));
  }
}

TEST_CASE("tiles are rows") {
  const auto of = [](std::string_view rows) {
    return refusal(replaced("\"tiles\": {", "\"tiles\": {\"x\": " + std::string(rows) + ","));
  };
  CHECK(of("[1, 2147483647]").empty());
  for (const auto* rows : {"[]", "5", "{}", "null", "[-1]", "[1.5]", "[\"1\"]", "[2147483648]",
                           "[18446744073709551616]", "[true]", "[[1]]"}) {
    CAPTURE(rows);
    CHECK(has(of(rows), "layer 'x': its tiles are no array of the rows"));
  }
}
