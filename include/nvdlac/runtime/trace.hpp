// SPDX-License-Identifier: Apache-2.0
#pragma once
// The register trace "nvtrace 1": what a program writes to the bus and what memory must hold.
#include <charconv>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/files.hpp>

namespace nvdlac::runtime {

struct trace_command {
  enum class kind : std::uint8_t {
    mem_fill, mem_load, reg_write, reg_read, reg_poll, wait_done, wait_irq, mem_check, mem_crc,
    mem_dump
  };
  kind what{};
  std::size_t line = 0;
  bool cvsram = false;
  std::uint64_t address = 0;
  std::uint64_t size = 0;    // of memory that it fills, loads, compares or reads
  std::uint64_t offset = 0;  // of mem_load in its file
  bool whole_file = false;
  std::uint32_t mask = 0, value = 0;  // of registers; value: also the byte or the CRC
  std::string file{};
};

struct trace {
  std::string name;    // of the file, for messages
  std::string config;  // nv_small
  std::uint64_t glb_base = 0;
  bool has_glb_base = false;
  std::vector<std::string> info;
  std::vector<trace_command> commands;
  std::map<std::string, std::vector<std::uint8_t>> files;  // those that the commands read
  // Comments in lines of their own, a line each, by the line of the command behind them.
  std::map<std::size_t, std::string> remarks;
};

namespace detail {

// One line of a trace, word by word. Every complaint names file and line.
class trace_line {
 public:
  trace_line(const std::string& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text.substr(0, text.find('#'))) {}

  template <class... Args>
  [[noreturn]] void fail(const Args&... reason) const {
    throw error(problem{.file = file_, .line = number_, .reason = text(reason...)});
  }
  bool empty() {
    skip();
    return rest_.empty();
  }
  // Whether the next word is this one, which is then taken.
  bool takes(std::string_view expected) {
    if (empty() || rest_.substr(0, rest_.find_first_of(" \t\r")) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::string word(std::string_view what) {
    if (empty()) fail("expected ", what);
    const auto n = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string w(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return w;
  }
  std::uint64_t number(std::string_view what, std::uint64_t most = ~std::uint64_t{0}) {
    const auto w = word(what);
    std::string_view digits = w;
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16, digits.remove_prefix(2);
    else if (digits.size() > 1 && digits[0] == '0') base = 8, digits.remove_prefix(1);
    std::uint64_t v = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (problem != std::errc{} || end != digits.data() + digits.size() || digits.empty() ||
        v > most)
      fail(what, " '", w, "' is not a number from 0 to ", most);
    return v;
  }
  std::uint32_t word32(std::string_view what) {
    return static_cast<std::uint32_t>(number(what, 0xffffffffu));
  }
  bool space() {
    const auto w = word("dram or cvsram");
    if (w != "dram" && w != "cvsram") fail("memory '", w, "' is neither dram nor cvsram");
    return w == "cvsram";
  }
  std::string file() {
    auto w = word("a file");
    if (w.find_first_of("/\\") != std::string::npos || w == "." || w == "..")
      fail("file '", w, "' is not beside the trace");
    return w;
  }
  // Returns f(); its problems are in this line.
  template <class F>
  auto placed(F f) const {
    try {
      return f();
    } catch (const error& e) {
      auto problems = e.problems();
      for (auto& p : problems) p.file = file_, p.line = number_;
      throw error(std::move(problems));
    }
  }
  // Symbolic links do not lead elsewhere.
  data::regular_file beside(const std::filesystem::path& directory, const std::string& name) const {
    const auto path = placed([&] { return data::file_below(directory, name, file_); });
    try {
      return data::regular_file(path);
    } catch (const error& e) {
      fail("the file '", name, "': ", e.problems().front().reason);
    }
  }
  void within(std::uint64_t bytes) const {
    placed([&] { require_within(&budget::trace, bytes); });
  }
  std::string remainder() {
    skip();
    std::string s(rest_);
    rest_ = {};
    while (!s.empty() && (s.back() == '\r' || s.back() == ' ')) s.pop_back();
    return s;
  }
  void end() {
    if (!empty()) fail("unexpected '", remainder(), "' at the end of the line");
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  const std::string& file_;
  std::size_t number_;
  std::string_view rest_;
};

inline std::optional<trace_command::kind> find_command(std::string_view word) {
  using enum trace_command::kind;
  static constexpr std::pair<std::string_view, trace_command::kind> names[]{
      {"mem_fill", mem_fill}, {"mem_load", mem_load}, {"reg_write", reg_write},
      {"reg_read", reg_read}, {"reg_poll", reg_poll}, {"wait_done", wait_done},
      {"wait_irq", wait_irq}, {"mem_check", mem_check}, {"mem_crc", mem_crc},
      {"mem_dump", mem_dump}};
  for (const auto& [n, k] : names)
    if (n == word) return k;
  return std::nullopt;
}

inline trace_command parse_command(trace_command::kind kind, trace_line& l, std::size_t number) {
  trace_command c{.what = kind, .line = number};
  switch (kind) {
    using enum trace_command::kind;
    case mem_fill:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = static_cast<std::uint32_t>(l.number("a byte", 255));
      break;
    case mem_load:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      c.whole_file = l.empty();
      if (!c.whole_file) c.offset = l.number("an offset"), c.size = l.number("a size");
      break;
    case reg_write:
      c.address = l.word32("an address"), c.value = l.word32("a value");
      break;
    case reg_read:
    case reg_poll:
      c.address = l.word32("an address"), c.mask = l.word32("a mask");
      c.value = l.word32("a value");
      break;
    case wait_done: c.mask = l.word32("a mask"); break;
    case wait_irq: break;
    case mem_check:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      break;
    case mem_crc:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = l.word32("a CRC");
      break;
    case mem_dump:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.file = l.file();
      break;
  }
  l.end();
  return c;
}

// A file without an end of a line is not read whole.
inline constexpr std::size_t longest_line = 8192;  // twice the longest path
inline bool next_line(std::istream& in, std::string& line) {
  using traits = std::istream::traits_type;
  line.clear();
  for (auto c = in.rdbuf()->sbumpc(); c != traits::eof(); c = in.rdbuf()->sbumpc()) {
    if (c == '\n' || line.size() > longest_line) return true;
    line += traits::to_char_type(c);
  }
  return !line.empty();
}

}  // namespace detail

namespace detail {

// The bytes of the files that a trace names, from the directory of the trace.
class files_beside {
 public:
  explicit files_beside(const std::filesystem::path& directory) : directory_(directory) {}

  std::vector<std::uint8_t> operator()(const trace_line& l, const std::string& name) {
    const auto beside = l.beside(directory_, name);
    l.within(read_ += beside.size());
    return beside.read<std::vector<std::uint8_t>>();
  }

 private:
  const std::filesystem::path& directory_;
  std::uint64_t read_ = 0;  // bytes
};

template <class Files>
trace parse_trace(std::istream& in, const std::string& name, Files files) {
  trace t;
  t.name = name;
  std::string text, remark;
  bool header = false;
  std::uint64_t moved = 0;  // bytes of memory
  for (std::size_t number = 1; detail::next_line(in, text); ++number) {
    detail::trace_line l(t.name, number, text);
    if (text.size() > detail::longest_line)
      l.fail("a line of more than ", detail::longest_line, " characters");
    if (l.empty()) {
      if (const auto at = text.find("# "); at != text.npos) remark += text.substr(at + 2) + '\n';
      continue;
    }
    const auto word = l.word("a command");
    if (!header) {
      if (word != "nvtrace" || l.number("the version") != 1) l.fail("expected 'nvtrace 1'");
      l.end();
      header = true;
    } else if (word == "config") {
      t.config = l.word("a configuration");
      l.end();
    } else if (word == "glb_base") {
      t.glb_base = l.word32("an address"), t.has_glb_base = true;
      l.end();
    } else if (word == "info") {
      t.info.push_back(l.remainder());
    } else if (const auto kind = detail::find_command(word)) {
      auto c = detail::parse_command(*kind, l, number);
      if (*kind == trace_command::kind::mem_load || *kind == trace_command::kind::mem_check) {
        auto [file, is_new] = t.files.try_emplace(c.file);
        if (is_new) file->second = files(l, c.file);
        const auto size = file->second.size();
        if (c.whole_file) c.size = size;
        if (*kind == trace_command::kind::mem_load &&
            (c.offset > size || c.size > size - c.offset))
          l.fail("the file '", c.file, "' has only ", size, " bytes");
      }
      if (*kind == trace_command::kind::mem_check) c.size = t.files.at(c.file).size();
      if (c.size > ~moved) l.fail("a region of ", c.size, " bytes");
      l.within(moved += c.size);
      if (!remark.empty()) t.remarks[number] = std::exchange(remark, {});
      t.commands.push_back(std::move(c));
    } else {
      l.fail("unknown command '", word, "'");
    }
  }
  if (!header) throw error(problem{.file = t.name, .reason = "is no 'nvtrace 1'"});
  if (t.config.empty()) throw error(problem{.file = t.name, .reason = "names no config"});
  return t;
}

}  // namespace detail

// Reads a trace, and the files in `directory` that it loads or compares. Throws nvdlac::error with
// file and line: unknown command, bad number, missing file, trailing words.
inline trace parse_trace(std::istream& in, const std::string& name,
                         const std::filesystem::path& directory) {
  return detail::parse_trace(in, name, detail::files_beside(directory));
}

// The trace that `emit::trace` wrote, which is not in files yet.
inline trace parse_trace(const std::vector<emit::file>& files) {
  const auto& first = files.front();
  std::istringstream in(std::string(first.bytes.begin(), first.bytes.end()));
  return detail::parse_trace(in, first.name, [&](const detail::trace_line& l,
                                                 const std::string& name) {
    for (const auto& f : files)
      if (f.name == name) return f.bytes;
    l.fail("the file '", name, "' is absent");
  });
}

// The comments before a command.
inline std::string remark_of(const trace& t, const trace_command& c) {
  const auto found = t.remarks.find(c.line);
  return found == t.remarks.end() ? std::string{} : found->second;
}

inline trace read_trace(const std::filesystem::path& path) {
  data::file_stream in(path);
  return parse_trace(in, path.string(), path.parent_path());
}

}  // namespace nvdlac::runtime
