// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <ios>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nvdlac/base/constexpr_vector.hpp>

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
std::string to_string(const problem& p);

// The one exception of nvdlac: the user's input cannot be processed, for these reasons.
// Whatever else is thrown is a defect of nvdlac itself, but std::bad_alloc where the memory of the
// machine ends, and what functions of the user's throw, which arrives as it is.
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
  constexpr void add(problem p) { problems_.push_back(std::move(p)); }
  constexpr bool empty() const { return problems_.empty(); }
  constexpr const std::vector<problem>& problems() const { return problems_; }
  void check() const {
    if (!problems_.empty()) throw error(problems_);
  }

 private:
  std::vector<problem> problems_;
};

namespace detail {

// A value, or std::hex and the like, and how it is printed, which is compiled once for each type.
struct printable {
  using manipulator = std::ios_base& (*)(std::ios_base&);

  template <class T>
  explicit printable(const T& v)
      : value(&v), print([](std::ostream& out, const printable& p) {
          out << *static_cast<const T*>(p.value);
        }) {}
  explicit printable(const char* s);
  explicit printable(manipulator m)
      : manipulate(m), print([](std::ostream& out, const printable& p) { out << p.manipulate; }) {}

  union {
    const void* value;
    manipulator manipulate;
  };
  void (*print)(std::ostream&, const printable&);
};

std::string printed(std::initializer_list<printable> values);

// Throws the problems as an `error`, if there are any.
void throw_if_any(std::vector<problem> found);

}  // namespace detail

// text("kernel ", 3, " is too high"): the arguments printed one behind the other. Hundreds of
// combinations of types are printed, so that one of them must cost the compiler little. A constant
// evaluation has no use for words, and gets none.
template <class... Args>
constexpr std::string text(const Args&... args) {
  if (std::is_constant_evaluated()) return {};
  return detail::printed({detail::printable(args)...});
}

// "a, b, c": words with something between them.
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");

// "a, b, c and 5 more": the first `shown` of them.
std::string joined_first(std::vector<std::string> words, std::size_t shown);

// Returns f(); problems that name no file get `file`.
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/error.ipp>
#endif
