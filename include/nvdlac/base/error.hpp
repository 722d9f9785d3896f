// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/escape.hpp>

namespace nvdlac {

// One thing wrong with the user's input: where, why, and what to do about it.
struct problem {
  std::string file = {};    // as the user named it; empty if none
  std::size_t line = 0;     // 1-based line of a text file; 0 if unknown
  std::string layer = {};   // layer, node or tensor; empty if none
  std::string reason = {};  // one sentence without a full stop
  std::string remedy = {};  // what is supported or what to change; may be empty
};

// "lenet.prototxt:12: layer 'conv1': reason (remedy)", on one line whatever the names hold
inline std::string to_string(const problem& p) {
  std::string s = p.file;
  if (p.line != 0) s.append(":").append(std::to_string(p.line));
  if (!s.empty()) s += ": ";
  if (!p.layer.empty()) s += "layer '" + p.layer + "': ";
  s += p.reason;
  if (!p.remedy.empty()) s += " (" + p.remedy + ")";
  return escape::line(s);
}

// The one exception of nvdlac: the user's input cannot be processed, for these reasons.
// Whatever else is thrown is a defect of nvdlac itself.
class error : public std::exception {
 public:
  explicit error(std::vector<problem> ps) : problems_(std::move(ps)) {
    for (const auto& p : problems_) text_.append(text_.empty() ? "" : "\n").append(to_string(p));
  }
  explicit error(problem p) : error(std::vector{std::move(p)}) {}
  explicit error(std::string reason) : error(problem{.reason = std::move(reason)}) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<problem> problems_;
  std::string text_;
};

// Collects all problems of one input; `check()` throws them together.
class diagnostics {
 public:
  void add(problem p) { problems_.push_back(std::move(p)); }
  bool empty() const { return problems_.empty(); }
  const std::vector<problem>& problems() const { return problems_; }
  void check() const {
    if (!problems_.empty()) throw error(problems_);
  }

 private:
  std::vector<problem> problems_;
};

// text("kernel ", 3, " is too high"): the arguments printed one behind the other.
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

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
