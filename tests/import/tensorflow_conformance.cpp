// SPDX-License-Identifier: Apache-2.0
// TensorFlow's own results for small graphs of operators: what is read gives them, the rest is
// refused with the node and its operator.
#include "tensorflow_files.hpp"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>

#include "files.hpp"

using namespace tensorflow_files;

TEST_CASE("TensorFlow's results for graphs of single operators") {
  const auto all = examples("accept");
  if (all.empty()) return;
  std::size_t right = 0;
  for (const auto& e : all) {
    const auto name = e.directory.filename().string();
    INFO(name);
    import::network n;
    try {
      n = read(e);
    } catch (const error& refused) {
      CHECK(refused.problems().front().layer != "");
      MESSAGE(name << " is refused: " << std::string(refused.what()));
      continue;
    }
    std::map<std::string, floats> given;
    for (const auto& [input, file] : e.inputs) given[input] = values_of(e.directory / file);
    const auto found = run(n, given);
    bool same = true;
    for (const auto& [output, file] : e.outputs) {
      auto layer = output;
      if (const auto dot = layer.rfind('.'); dot != layer.npos) layer[dot] = ':';
      CHECK(found.contains(layer));
      const auto error = error_of(found.contains(layer) ? found.at(layer) : floats{},
                                  values_of(e.directory / file));
      // Integers between are scales of the network: real numbers do not round to them.
      const bool rounds = name.starts_with("fake_quant");
      const double most = !rounds ? 1e-4 : mentions(name, "4bit") ? 0.5 / 15 : 0.5 / 127;
      CHECK(error <= most);
      same = same && error <= most;
    }
    right += same ? 1 : 0;
  }
  MESSAGE(right << " of " << all.size() << " graphs give TensorFlow's results");
  CHECK(right * 10 >= all.size() * 9);
}

TEST_CASE("TensorFlow graphs that are to be refused are, by node and operator") {
  for (const auto& e : examples("refuse")) {
    INFO(e.directory.filename().string());
    const auto what = complaints([&] { (void)import::tensorflow(e.directory / "model.pb"); });
    CHECK(mentions(what, "is not supported ("));
    CHECK(mentions(what, "layer '"));
    if (std::getenv("NVDLAC_SHOW") != nullptr) MESSAGE(what);
  }
}
