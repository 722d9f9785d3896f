// SPDX-License-Identifier: Apache-2.0
// All models of libonnx-testdata: each is read, or refused with reasons.
#include <doctest/doctest.h>

#include <cstddef>

#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/verify.hpp>

#include "../onnx_testdata.hpp"

using namespace nvdlac;

TEST_CASE("every model of ONNX's tests is a network or is refused with reasons") {
  const auto all = onnx_testdata::tests();
  if (all.empty()) {
    MESSAGE("libonnx-testdata is not installed: its models are not read");
    return;
  }
  std::size_t read = 0;
  for (const auto& directory : all) {
    const auto name = directory.filename().string();
    INFO(name);
    try {
      const auto network = import::onnx_network(directory / "model.onnx");
      for (const auto& p : net::verify(network.graph)) FAIL_CHECK(to_string(p));
      ++read;
    } catch (const error& e) {
      for (const auto& p : e.problems()) {
        CHECK(p.file == (directory / "model.onnx").string());
        CHECK_FALSE(p.reason.empty());
      }
    }
  }
  MESSAGE(read << " of " << all.size() << " models are read");
  CHECK(all.size() == 1072);
}
