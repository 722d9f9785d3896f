// SPDX-License-Identifier: Apache-2.0
// The integers of constants.
#include "onnx_model.hpp"

#include <cstdint>
#include <limits>

using namespace onnx_model;

TEST_CASE("integers of every type are read to their ends, and no further") {
  struct { int type; const char* field; std::int64_t least; std::uint64_t most; } const types[] = {
      {2, "int32_data", 0, 255},          {3, "int32_data", -128, 127},
      {4, "int32_data", 0, 65535},        {5, "int32_data", -32768, 32767},
      {6, "int32_data", -2147483648LL, 2147483647}, {12, "uint64_data", 0, 4294967295},
      {7, "int64_data", std::numeric_limits<std::int64_t>::min(), 9223372036854775807U},
      {13, "uint64_data", 0, 9223372036854775807U}};
  const auto of = [](int type, const std::string& content) {
    const auto t = import::proto::parse_text(import::onnx_format::schema(), "TensorProto", "",
                                             text("data_type: ", type, " dims: 1 ", content),
                                             budget{}.fields);
    return import::onnx_format::to_array(t.root(), {});
  };
  for (const auto& t : types) {
    CAPTURE(t.type);
    CHECK(of(t.type, text(t.field, ": ", t.least)).integers.at(0) == t.least);
    CHECK(of(t.type, text(t.field, ": ", t.most)).integers.at(0) ==
          static_cast<std::int64_t>(t.most));
    if (t.type == 6 || t.type == 7) continue;  // whose field cannot hold more
    CHECK(mentions(complaints([&] { (void)of(t.type, text(t.field, ": ", t.most + 1)); }),
                   text("its value ", t.most + 1, " is no ")));
    if (t.least < 0)
      CHECK(mentions(complaints([&] { (void)of(t.type, text(t.field, ": ", t.least - 1)); }),
                     "is no "));
  }
  CHECK(mentions(complaints([&] {
          (void)of(13, "raw_data: '\\000\\000\\000\\000\\000\\000\\000\\200'");
        }), "its value 9223372036854775808 is no UINT64"));
  CHECK(of(13, "raw_data: '\\377\\377\\377\\377\\377\\377\\377\\177'").integers.at(0) ==
        std::numeric_limits<std::int64_t>::max());
}
