// SPDX-License-Identifier: Apache-2.0
#pragma once
// The register trace "nvtrace 1": what a program writes to the bus and what memory must hold.
#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
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

// One line of a trace, word by word. Every problem names file and line.
class trace_line {
 public:
  trace_line(const std::string& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text.substr(0, text.find('#'))) {}

  template <class... Args>
  [[noreturn]] void fail(const Args&... reason) const {
    throw error(problem{.file = file_, .line = number_, .reason = text(reason...)});
  }
  bool empty();
  // Whether the next word is this one, which is then taken.
  bool takes(std::string_view expected);
  std::string word(std::string_view what);
  std::uint64_t number(std::string_view what, std::uint64_t most = ~std::uint64_t{0});
  std::uint32_t word32(std::string_view what) {
    return static_cast<std::uint32_t>(number(what, 0xffffffffu));
  }
  bool space();
  std::string file();
  // Returns f(); its problems are in this line.
  template <class F>
  auto placed(F f) const {
    try {
      return f();
    } catch (const error& e) {
      auto problems = e.problems();
      for (auto& p : problems) {
        p.file = file_;
        p.line = number_;
      }
      throw error(std::move(problems));
    }
  }
  // Symbolic links do not lead elsewhere.
  data::regular_file beside(const std::filesystem::path& directory, const std::string& name) const;
  // Checks that the bytes of a whole trace are at most `most`.
  void within(std::uint64_t bytes, std::uint64_t most) const {
    placed([&] { require_within(&budget::trace, bytes, most); });
  }
  std::string remainder();
  void end() {
    if (!empty()) fail("unexpected '", remainder(), "' at the end of the line");
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  const std::string& file_;
  std::size_t number_;
  std::string_view rest_;
};

std::optional<trace_command::kind> find_command(std::string_view word);

trace_command parse_command(trace_command::kind kind, trace_line& l, std::size_t number);

// A file without an end of a line is not read whole.
inline constexpr std::size_t longest_line = 8192;  // twice the longest path
bool next_line(std::istream& in, std::string& line);

// Comments in lines of their own, which are told of the command behind them.
class remark_lines {
 public:
  // A line without a command.
  void add(std::string_view line) {
    if (const auto at = line.find("# "); at != line.npos) (text_ += line.substr(at + 2)) += '\n';
  }
  void end_at(std::size_t command, std::map<std::size_t, std::string>& remarks) {
    if (!text_.empty()) remarks[command] = std::exchange(text_, {});
  }

 private:
  std::string text_{};
};

// The bytes of the files that a trace names, from the directory of the trace.
class files_beside {
 public:
  files_beside(const std::filesystem::path& directory, std::uint64_t most_bytes)
      : directory_(directory), most_(most_bytes) {}

  std::vector<std::uint8_t> operator()(const trace_line& l, const std::string& name);

 private:
  const std::filesystem::path& directory_;
  std::uint64_t most_, read_ = 0;  // bytes
};

template <class Files>
trace parse_trace(std::istream& in, const std::string& name, Files files,
                  std::uint64_t most_bytes) {
  trace t;
  t.name = name;
  std::string text;
  remark_lines remarks;
  bool header = false;
  std::uint64_t moved = 0;  // bytes of memory
  for (std::size_t number = 1; detail::next_line(in, text); ++number) {
    detail::trace_line l(t.name, number, text);
    if (text.size() > detail::longest_line)
      l.fail("a line of more than ", detail::longest_line, " characters");
    if (l.empty()) {
      remarks.add(text);
      continue;
    }
    const auto word = l.word("a command");
    if (!header) {
      if (word != "nvtrace" || l.number("the version") != 1) l.fail("expected 'nvtrace 1'");
      l.end();
      header = true;
    } else if (word == "config") {
      t.config = escape::name_of_word(l.word("a configuration"));
      l.end();
    } else if (word == "glb_base") {
      t.glb_base = l.word32("an address");
      t.has_glb_base = true;
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
      l.within(moved += c.size, most_bytes);
      remarks.end_at(number, t.remarks);
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
// file and line: unknown command, bad number, missing file, trailing words, and more than
// `most_bytes` (budget::trace).
trace parse_trace(std::istream& in, const std::string& name,
                  const std::filesystem::path& directory,
                  std::uint64_t most_bytes = budget{}.trace);

// The trace that `emit::trace` wrote, which is not in files yet.
trace parse_trace(const std::vector<emit::file>& files,
                  std::uint64_t most_bytes = budget{}.trace);

// The comments before a command.
std::string remark_of(const trace& t, const trace_command& c);

trace read_trace(const std::filesystem::path& path, std::uint64_t most_bytes = budget{}.trace);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/trace.ipp>
#endif
