// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>

namespace nvdlac {

// What f returns; problems that name no file are those of `file`.
template <class F>
auto in_file(const std::string& file, F f) {
  try {
    return f();
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.file.empty()) p.file = file;
    throw error(std::move(problems));
  } catch (const std::bad_alloc&) {
    throw error(problem{
        .file = file,
        .reason = "what it describes does not fit into the memory of this machine"});
  }
}

}  // namespace nvdlac
