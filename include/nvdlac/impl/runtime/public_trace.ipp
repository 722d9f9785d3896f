// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstdint>
#include <iomanip>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/public_trace.hpp>
#include <nvdlac/runtime/trace.hpp>

namespace nvdlac::runtime {

namespace detail {

NVDLAC_IMPL std::string hex_text(std::uint64_t value, int digits) {
  text_stream out;
  out << "0x" << std::hex << std::setfill('0') << std::setw(digits) << value;
  return out.str();
}

NVDLAC_IMPL std::vector<std::uint8_t> dat_of(std::uint64_t address, bool cvsram,
                                             std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string s = text("dumped memory,start_address=", hex_text(address, 8), " size=",
                       hex_text(bytes.size(), 1), "\nmemory type:", cvsram ? "cvsram" : "dram",
                       "\n==============================\n\n");
  s.reserve(s.size() + 5 * bytes.size() + bytes.size() / dat_line);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ((s += " 0x") += digits[bytes[i] >> 4]) += digits[bytes[i] & 15];
    if (i % dat_line == dat_line - 1) s += '\n';
  }
  return {s.begin(), s.end()};
}

NVDLAC_IMPL std::vector<std::uint8_t> bytes_of_dat(std::span<const std::uint8_t> dat,
                                                   std::uint64_t size, const trace_line& l,
                                                   const std::string& name) {
  std::vector<std::uint8_t> bytes;
  word_stream in(std::string(dat.begin(), dat.end()));
  std::string line;
  for (std::size_t number = 1; bytes.size() < size && std::getline(in, line); ++number) {
    std::string_view rest(line);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.starts_with("0x")) continue;
    word_stream words{std::string(rest)};
    for (std::string w; bytes.size() < size && words >> w;) {
      unsigned value = 0;
      const char* const end = w.data() + w.size();
      if (!w.starts_with("0x") ||
          std::from_chars(w.data() + 2, end, value, 16).ptr != end || value > 255 || w.size() < 3)
        l.fail("the file '", name, "' has in line ", number, " no byte but '", w, "'");
      bytes.push_back(static_cast<std::uint8_t>(value));
    }
  }
  if (bytes.size() < size)
    l.fail("the file '", name, "' has only ", bytes.size(), " of ", size, " bytes");
  return bytes;
}

NVDLAC_IMPL txn_writer::txn_writer(const trace& t, hw::register_map map)
    : trace_(t), glb_(hw::find(map, "GLB.S_NVDLA_HW_VERSION")->address), map_(map) {
  text_ << "# " << escape::line(t.config);
  for (const auto& i : t.info) text_ << ", " << i;
  text_ << "\n";
  // The benches compare whole lines: what is behind a smaller output is known to be 0.
  for (const auto& c : t.commands)
    if (c.what == trace_command::kind::mem_check && ends_trace(c) && c.size % dat_line != 0)
      memory("load_mem", c, std::vector<std::uint8_t>(in_memory(padded(c.size)), std::uint8_t{0}),
             "before." + c.file);
  for (const auto& c : t.commands) add(c);
}

NVDLAC_IMPL std::vector<emit::file> txn_writer::take(const std::string& name) && {
  const auto s = text_.str();
  std::vector<emit::file> all{{name, {s.begin(), s.end()}}};
  for (auto& f : files_) all.push_back(std::move(f));
  return all;
}

NVDLAC_IMPL bool txn_writer::ends_trace(const trace_command& c) const {
  for (const auto* next = &c; next != trace_.commands.data() + trace_.commands.size(); ++next)
    if (next->what != trace_command::kind::mem_check) return false;
  return true;
}

NVDLAC_IMPL void txn_writer::reg(const char* command, std::uint64_t address, std::uint32_t value,
                                 std::optional<std::uint32_t> mask) {
  text_ << command << ' ' << hex_text(txn_misc | (address >> 2), 8);
  if (mask) text_ << ' ' << hex_text(*mask, 8);
  text_ << ' ' << hex_text(value, 8) << " #"
        << hw::describe(map_, static_cast<std::uint32_t>(address), value) << '\n';
}

NVDLAC_IMPL void txn_writer::memory(const char* command, const trace_command& c,
                                    std::vector<std::uint8_t> bytes, const std::string& name) {
  if (c.cvsram != (c.address < txn_dram) || c.address + bytes.size() > 0x100000000u)
    throw error(problem{.file = trace_.name, .line = c.line,
                        .reason = text("the benches of this format have DRAM from 0x80000000 to "
                                       "0xffffffff only, and no address ",
                                       hex_text(c.address, 1))});
  const auto dat = std::filesystem::path(name).stem().string() + ".dat";
  text_ << command << ' ' << hex_text(c.address, 8) << ' ' << hex_text(bytes.size(), 1) << ' '
        << dat << '\n';
  files_.push_back({dat, dat_of(c.address, c.cvsram, bytes)});
}

NVDLAC_IMPL void txn_writer::wait(std::uint32_t bits) {
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if ((bits & bit) == 0) continue;
    reg("write_reg", glb_ + 0x4, ~bit);
    text_ << "wait\n";
    reg("write_reg", glb_ + 0xc, bit);
  }
  reg("write_reg", glb_ + 0x4, 0);
}

NVDLAC_IMPL void txn_writer::add(const trace_command& c) {
  word_stream remarks(remark_of(trace_, c));
  for (std::string line; std::getline(remarks, line);) text_ << "# " << line << '\n';
  switch (c.what) {
    using enum trace_command::kind;
    case mem_fill:
      return memory("load_mem", c,
                    std::vector<std::uint8_t>(in_memory(padded(c.size)),
                                              static_cast<std::uint8_t>(c.value)),
                    text("fill-", c.line, ".bin"));
    case mem_load: {  // tensors begin at multiples of 32 bytes: nobody uses the rest
      const auto& from = trace_.files.at(c.file);
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(c.offset);
      std::vector<std::uint8_t> bytes(first, first + static_cast<std::ptrdiff_t>(c.size));
      bytes.resize(in_memory(padded(bytes.size())), std::uint8_t{0});
      return memory("load_mem", c, std::move(bytes), c.file);
    }
    case reg_write: return reg("write_reg", c.address, c.value);
    case reg_read:
    case reg_poll: return reg("read_reg", c.address, c.value, c.mask);
    case wait_done: return wait(c.mask);
    case wait_irq: text_ << "wait\n"; return;
    case mem_check: {
      auto bytes = trace_.files.at(c.file);
      if (ends_trace(c)) {
        bytes.resize(in_memory(padded(bytes.size())), std::uint8_t{0});
      } else if (const auto rest = bytes.size() % dat_line; rest != 0) {
        text_ << "# the benches compare lines of 32 bytes: the last " << rest << " of "
              << bytes.size() << " bytes are not compared\n";
        bytes.resize(bytes.size() - rest);
      }
      if (bytes.empty()) return;
      return memory("dump_mem", c, std::move(bytes), c.file);
    }
    case mem_crc:
    case mem_dump: break;
  }
  throw error(problem{.file = trace_.name, .line = c.line,
                      .reason = "a public trace has no such command"});
}

}  // namespace detail

NVDLAC_IMPL std::vector<emit::file> public_trace(const trace& t, hw::register_map map,
                                                 const std::string& name) {
  return detail::txn_writer(t, map).take(name);
}

NVDLAC_IMPL trace parse_public_trace(std::istream& in, const std::string& name,
                                     const std::filesystem::path& directory,
                                     const std::string& config, std::uint64_t most_bytes) {
  using kind = trace_command::kind;
  trace t;
  t.name = name;
  t.config = config;
  detail::files_beside files(directory, most_bytes);
  std::uint64_t moved = 0;
  std::string line;
  detail::remark_lines remarks;
  const auto reg = [](detail::trace_line& l) {
    return (l.word32("a register") & ~detail::txn_misc) << 2;
  };
  for (std::size_t number = 1; detail::next_line(in, line); ++number) {
    detail::trace_line l(t.name, number, line);
    if (line.size() > detail::longest_line)
      l.fail("a line of more than ", detail::longest_line, " characters");
    if (l.empty()) {
      remarks.add(line);
      continue;
    }
    const auto word = l.word("a command");
    trace_command c{.line = number};
    if (word == "write_reg") {
      c.what = kind::reg_write;
      c.address = reg(l);
      c.value = l.word32("a value");
    } else if (word == "read_reg") {
      c.what = kind::reg_poll;
      c.address = reg(l);
      c.mask = l.word32("a mask");
      if (l.takes("<=") || l.takes(">="))
        l.fail("a register that is compared by <= or >= is not supported");
      const bool equal = l.takes("==");
      c.value = l.word32("a value");
      if (equal && !l.empty()) l.word32("a number of attempts");
    } else if (word == "wait") {
      c.what = kind::wait_irq;
    } else if (word == "load_mem" || word == "dump_mem") {
      c.what = word == "load_mem" ? kind::mem_load : kind::mem_check;
      c.address = l.number("an address");
      c.size = l.number("a size");
      c.cvsram = c.address < detail::txn_dram;
      const auto dat = l.file();
      if (!dat.ends_with(".dat")) l.fail("the file '", dat, "' is no .dat file");
      if (c.size > ~moved) l.fail("a region of ", c.size, " bytes");
      l.within(moved += c.size, most_bytes);
      std::error_code ignored;
      if (c.what == kind::mem_check && !std::filesystem::exists(directory / dat, ignored)) {
        c.what = kind::mem_dump;
        c.file = dat;
      } else {
        c.file = text(dat, " of line ", number);  // of this size
        t.files[c.file] = detail::bytes_of_dat(files(l, dat), c.size, l, dat);
      }
    } else if (word == "write_mem" || word == "read_mem") {
      l.fail("the command '", word, "' is not supported");
    } else {
      l.fail("unknown command '", word, "'");
    }
    l.end();
    remarks.end_at(number, t.remarks);
    t.commands.push_back(std::move(c));
  }
  if (t.commands.empty()) throw error(problem{.file = t.name, .reason = "holds no command"});
  return t;
}

NVDLAC_IMPL bool asks_for_a_moment(const trace_command& c, hw::register_map map) {
  if (c.what == trace_command::kind::wait_irq) return true;
  if (c.what != trace_command::kind::reg_poll) return false;
  const auto* r = hw::find(map, static_cast<std::uint32_t>(c.address));
  return r != nullptr && (r->name == "D_OP_ENABLE" || r->name == "S_INTR_STATUS" ||
                          r->name == "S_CBUF_FLUSH_STATUS");
}

NVDLAC_IMPL bool is_public_trace(const std::filesystem::path& path) {
  data::file_stream in(path);
  std::string line;
  for (std::size_t number = 1; detail::next_line(in, line); ++number) {
    const auto name = path.string();
    detail::trace_line l(name, number, line);
    if (line.size() > detail::longest_line) return false;
    if (l.empty()) continue;
    const auto word = l.word("a command");
    for (const char* known : {"write_reg", "read_reg", "load_mem", "dump_mem", "wait"})
      if (word == known) return true;
    return false;
  }
  return false;
}

NVDLAC_IMPL trace read_public_trace(const std::filesystem::path& path, const std::string& config,
                                    std::uint64_t most_bytes) {
  data::file_stream in(path);
  return parse_public_trace(in, path.string(), path.parent_path(), config, most_bytes);
}

}  // namespace nvdlac::runtime
