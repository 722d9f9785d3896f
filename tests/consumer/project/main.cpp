// SPDX-License-Identifier: Apache-2.0
#include "headers.hpp"

#include <iostream>

std::string second();  // in the other translation unit

// Whether libraries with own code are linked: protobuf makes the message, stb would read a picture.
bool libraries_are_linked() try {
  const nvdlac::import::proto::row rows[] = {{"layer", "name", 1, "string"}};
  const nvdlac::import::proto::schema schema("consumer", rows);
  std::cout << nvdlac::report::json_text({{"message", schema.make("layer")->GetTypeName()}});
  nvdlac::data::read_picture("there_is_no.png");
  return false;
} catch (const nvdlac::error& e) {
  return std::string(e.what()).find("there_is_no.png") != std::string::npos;
}

int main() {
  const auto first = nvdlac::to_string(nvdlac::problem{.layer = "conv1", .reason = "first"});
  std::cout << first << '\n' << second() << '\n';
  return first == "layer 'conv1': first" && second() == "second" && libraries_are_linked() ? 0 : 1;
}
