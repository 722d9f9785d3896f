// SPDX-License-Identifier: Apache-2.0
#include "junit.hpp"

#include <cstddef>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::cli {
namespace {

// Text of XML 1.0: what is no printable ASCII is a question mark.
std::string xml(std::string_view s) {
  std::string to;
  for (const char c : s) {
    if (c == '&') to += "&amp;";
    else if (c == '<') to += "&lt;";
    else if (c == '>') to += "&gt;";
    else if (c == '"') to += "&quot;";
    else to += c < ' ' || c > '~' ? '?' : c;
  }
  return to;
}

std::string test(const std::string& of, const std::string& name, const std::string& failure) {
  const auto head = text("  <testcase classname=\"", xml(of), "\" name=\"", xml(name), '"');
  if (failure.empty()) return head + "/>\n";
  return text(head, ">\n    <failure message=\"", xml(failure), "\"/>\n  </testcase>\n");
}

}  // namespace

std::string in_junit(const verification::report& r,
                     const std::vector<verification::judgement>& judged,
                     std::string_view (*option_of)(verification::threshold)) {
  std::string tests;
  std::size_t count = 0, failures = 0;
  const auto add = [&](std::size_t program, const std::string& name, const std::string& failure) {
    ++count;
    failures += failure.empty() ? 0 : 1;
    tests += test(text(r.network, '.', r.programs.at(program).configuration), name, failure);
  };
  for (std::size_t p = 0; p < r.programs.size(); ++p) {
    const auto inexact = r.programs[p].inexact;
    add(p, "bit-exact",
        inexact == 0 ? ""
                     : text(count_of(inexact, "input"), inexact == 1 ? " differs" : " differ"));
    for (const auto& j : judged)
      if (j.program == p)
        add(p, text(option_of(j.of), ' ', j.limit), j.met ? "" : j.found());
  }
  return text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", xml(r.network),
              "\" tests=\"", count, "\" failures=\"", failures, "\" errors=\"0\" skipped=\"0\">\n",
              tests, "</testsuite>\n");
}

}  // namespace nvdlac::cli
