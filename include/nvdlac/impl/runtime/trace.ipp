// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/runtime/trace.hpp>

namespace nvdlac::runtime {

namespace detail {

NVDLAC_IMPL bool trace_line::empty() {
  skip();
  return rest_.empty();
}

NVDLAC_IMPL bool trace_line::takes(std::string_view expected) {
  if (empty() || rest_.substr(0, rest_.find_first_of(" \t\r")) != expected) return false;
  rest_.remove_prefix(expected.size());
  return true;
}

NVDLAC_IMPL std::string trace_line::word(std::string_view what) {
  if (empty()) fail("expected ", what);
  const auto n = std::min(rest_.find_first_of(" \t\r"), rest_.size());
  const std::string w(rest_.substr(0, n));
  rest_.remove_prefix(n);
  return w;
}

NVDLAC_IMPL std::uint64_t trace_line::number(std::string_view what, std::uint64_t most) {
  const auto w = word(what);
  std::string_view digits = w;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  std::uint64_t v = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
  if (problem != std::errc{} || end != digits.data() + digits.size() || digits.empty() ||
      v > most)
    fail(what, " '", w, "' is not a number from 0 to ", most);
  return v;
}

NVDLAC_IMPL bool trace_line::space() {
  const auto w = word("dram or cvsram");
  if (w != "dram" && w != "cvsram") fail("memory '", w, "' is neither dram nor cvsram");
  return w == "cvsram";
}

NVDLAC_IMPL std::string trace_line::file() {
  auto w = word("a file");
  if (w.find_first_of("/\\") != std::string::npos || w == "." || w == "..")
    fail("file '", w, "' is not beside the trace");
  return w;
}

NVDLAC_IMPL data::regular_file trace_line::beside(const std::filesystem::path& directory,
                                                  const std::string& name) const {
  const auto path = placed([&] { return data::file_below(directory, name, file_); });
  try {
    return data::regular_file(path);
  } catch (const error& e) {
    fail("the file '", name, "': ", e.problems().front().reason);
  }
}

NVDLAC_IMPL std::string trace_line::remainder() {
  skip();
  std::string s(rest_);
  rest_ = {};
  while (!s.empty() && (s.back() == '\r' || s.back() == ' ')) s.pop_back();
  return s;
}

NVDLAC_IMPL std::optional<trace_command::kind> find_command(std::string_view word) {
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

NVDLAC_IMPL trace_command parse_command(trace_command::kind kind, trace_line& l,
                                        std::size_t number) {
  trace_command c{.what = kind, .line = number};
  switch (kind) {
    using enum trace_command::kind;
    case mem_fill:
      c.cvsram = l.space();
      c.address = l.number("an address");
      c.size = l.number("a size");
      c.value = static_cast<std::uint32_t>(l.number("a byte", 255));
      break;
    case mem_load:
      c.cvsram = l.space();
      c.address = l.number("an address");
      c.file = l.file();
      c.whole_file = l.empty();
      if (!c.whole_file) {
        c.offset = l.number("an offset");
        c.size = l.number("a size");
      }
      break;
    case reg_write:
      c.address = l.word32("an address");
      c.value = l.word32("a value");
      break;
    case reg_read:
    case reg_poll:
      c.address = l.word32("an address");
      c.mask = l.word32("a mask");
      c.value = l.word32("a value");
      break;
    case wait_done: c.mask = l.word32("a mask"); break;
    case wait_irq: break;
    case mem_check:
      c.cvsram = l.space();
      c.address = l.number("an address");
      c.file = l.file();
      break;
    case mem_crc:
      c.cvsram = l.space();
      c.address = l.number("an address");
      c.size = l.number("a size");
      c.value = l.word32("a CRC");
      break;
    case mem_dump:
      c.cvsram = l.space();
      c.address = l.number("an address");
      c.size = l.number("a size");
      c.file = l.file();
      break;
  }
  l.end();
  return c;
}

NVDLAC_IMPL bool next_line(std::istream& in, std::string& line) {
  using traits = std::istream::traits_type;
  line.clear();
  for (auto c = in.rdbuf()->sbumpc(); c != traits::eof(); c = in.rdbuf()->sbumpc()) {
    if (c == '\n' || line.size() > longest_line) return true;
    line += traits::to_char_type(c);
  }
  return !line.empty();
}

NVDLAC_IMPL std::vector<std::uint8_t> files_beside::operator()(const trace_line& l,
                                                               const std::string& name) {
  const auto beside = l.beside(directory_, name);
  l.within(read_ += beside.size(), most_);
  return beside.read<std::vector<std::uint8_t>>();
}

}  // namespace detail

NVDLAC_IMPL trace parse_trace(std::istream& in, const std::string& name,
                              const std::filesystem::path& directory, std::uint64_t most_bytes) {
  return detail::parse_trace(in, name, detail::files_beside(directory, most_bytes), most_bytes);
}

NVDLAC_IMPL trace parse_trace(const std::vector<emit::file>& files, std::uint64_t most_bytes) {
  const auto& first = files.front();
  word_stream in(std::string(first.bytes.begin(), first.bytes.end()));
  return detail::parse_trace(in, first.name, [&](const detail::trace_line& l,
                                                 const std::string& name) {
    for (const auto& f : files)
      if (f.name == name) return f.bytes;
    l.fail("the file '", name, "' is absent");
  }, most_bytes);
}

NVDLAC_IMPL std::string remark_of(const trace& t, const trace_command& c) {
  const auto found = t.remarks.find(c.line);
  return found == t.remarks.end() ? std::string{} : found->second;
}

NVDLAC_IMPL trace read_trace(const std::filesystem::path& path, std::uint64_t most_bytes) {
  data::file_stream in(path);
  return parse_trace(in, path.string(), path.parent_path(), most_bytes);
}

}  // namespace nvdlac::runtime
