// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace as C99: tables in NAME.c, and NAME.h with the function that plays them on whatever has
// NVDLA's registers and memory.
#include <iomanip>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/runtime/board_steps.hpp>
#include <nvdlac/runtime/uio_trace.hpp>

namespace nvdlac::runtime {
namespace detail {

// `@` is the program's name; none of its characters is one that the text has to escape.
inline constexpr std::string_view c_header = R"(#ifndef @_h
#define @_h
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of memory that the program needs, on a page of 4096 bytes. */
#define @_memory %uu

/* How the program reaches NVDLA. Registers are 32 bits wide and count in bytes from its base. */
struct @_device {
  void* context; /* handed on to the functions */
  uint32_t (*read)(void* context, uint32_t address);
  void (*write)(void* context, uint32_t address, uint32_t value);
  /* Bytes into memory and out of it, at an offset from its start; together with what is needed for
     NVDLA and the processor to see the same (flushed caches). */
  void (*load)(void* context, uint32_t offset, const uint8_t* bytes, uint32_t size);
  void (*fetch)(void* context, uint32_t offset, uint8_t* bytes, uint32_t size);
  uint64_t memory;   /* where NVDLA sees that memory */
  uint32_t patience; /* how often a register is read in vain; 0: for ever */
};

enum @_kind { @_write, @_address, @_poll, @_wait_done, @_load, @_check };

struct @_step {
  uint8_t kind;
  uint32_t reg;   /* of a file: its number in @_files */
  uint32_t high;  /* of an address: the register of bits 32 to 63 */
  uint32_t mask;
  uint32_t value; /* of an address or a file: the offset in memory */
};

struct @_file {
  const uint8_t* bytes;
  uint32_t size;
};

extern const struct @_step @_steps[];
extern const uint32_t @_step_count;
extern const struct @_file @_files[];

/* Runs the program with the inputs that it holds and compares all that it expects. Returns 0, or
   the number of the step (from 1 on) at which a register never got its value or memory differed. */
uint32_t @_play(const struct @_device* device);

#ifdef __cplusplus
}
#endif

#endif
)";

inline constexpr std::string_view c_player = R"(
static int never(const struct @_device* d, uint32_t* attempts) {
  return d->patience != 0 && ++*attempts > d->patience;
}

static int poll(const struct @_device* d, const struct @_step* s) {
  uint32_t attempts = 0;
  while (((d->read(d->context, s->reg) ^ s->value) & s->mask) != 0)
    if (never(d, &attempts)) return 1;
  return 0;
}

static int wait_done(const struct @_device* d, const struct @_step* s) {
  uint32_t left = s->mask, attempts = 0;
  while (left != 0) {
    const uint32_t now = d->read(d->context, s->reg) & left;
    if (now != 0) d->write(d->context, s->reg, now);
    else if (never(d, &attempts)) return 1;
    left &= ~now;
  }
  return 0;
}

static int differs(const struct @_device* d, const struct @_step* s) {
  const struct @_file* f = &@_files[s->reg];
  uint8_t part[64];
  uint32_t at, i, n;
  for (at = 0; at < f->size; at += n) {
    n = f->size - at < sizeof part ? f->size - at : (uint32_t)sizeof part;
    d->fetch(d->context, s->value + at, part, n);
    for (i = 0; i < n; ++i)
      if (part[i] != f->bytes[at + i]) return 1;
  }
  return 0;
}

uint32_t @_play(const struct @_device* d) {
  uint32_t i;
  for (i = 0; i < @_step_count; ++i) {
    const struct @_step* s = &@_steps[i];
    const uint64_t address = d->memory + s->value;
    int failed = 0;
    switch (s->kind) {
      case @_write: d->write(d->context, s->reg, s->value); break;
      case @_address:
        d->write(d->context, s->high, (uint32_t)(address >> 32));
        d->write(d->context, s->reg, (uint32_t)address);
        break;
      case @_poll: failed = poll(d, s); break;
      case @_wait_done: failed = wait_done(d, s); break;
      case @_load:
        d->load(d->context, s->value, @_files[s->reg].bytes, @_files[s->reg].size);
        break;
      case @_check: failed = differs(d, s); break;
    }
    if (failed) return i + 1;
  }
  return 0;
}
)";

// The text with the program's name in the places of `@`, and its memory in that of `%u`.
inline std::string with_name(std::string_view form, std::string_view name, std::uint64_t memory) {
  std::string s;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '@') s += name;
    else if (form.substr(i, 2) == "%u") {
      s += text(memory);
      ++i;
    } else s += form[i];
  }
  return s;
}

inline std::string_view name_of(board_step::kind k) {
  static constexpr std::string_view names[]{"write", "address", "poll", "wait_done", "load",
                                            "check"};
  return names[static_cast<std::size_t>(k)];
}

inline std::string c_bytes(std::span<const std::uint8_t> bytes) {
  std::string s;
  s.reserve(4 * bytes.size() + bytes.size() / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    s += std::to_string(bytes[i]);
    s += i + 1 == bytes.size() ? "\n" : i % 24 == 23 ? ",\n" : ",";
  }
  return s;
}

}  // namespace detail

// The steps as C99: STEM.c, then STEM.h; what they define begins with the identifier of `stem`.
inline std::vector<emit::file> c_trace(const board_steps& p, const std::string& stem) {
  const auto name = emit::identifier(stem);
  const auto hex = [](std::uint64_t v) { return text("0x", std::hex, v, 'u'); };
  const auto about = text("/* ", escape::comment(p.network), " for ", escape::comment(p.config),
                          ", written by nvdlac: a program of ", p.steps.size(),
                          " steps with its memory. */\n");
  text_stream c;
  const auto header = emit::header_of(stem);
  c << about << "#include \"" << header << "\"\n";
  for (std::size_t i = 0; i < p.files.size(); ++i)
    c << "\n/* " << escape::comment(p.files[i].name) << " */\nstatic const uint8_t file_" << i
      << "[" << p.files[i].bytes.size() << "] = {\n" << detail::c_bytes(p.files[i].bytes) << "};\n";
  c << "\nconst struct " << name << "_file " << name << "_files[] = {\n";
  for (std::size_t i = 0; i < p.files.size(); ++i)
    c << "    {file_" << i << ", sizeof file_" << i << "},\n";
  c << "};\n\nconst struct " << name << "_step " << name << "_steps[] = {\n";
  for (const auto& s : p.steps) {
    using kind = board_step::kind;
    const bool memory = s.what == kind::load || s.what == kind::check;
    word_stream remarks(s.remark);
    for (std::string line; std::getline(remarks, line);)
      c << "    /* " << escape::comment(line) << " */\n";
    c << "    {" << name << '_' << detail::name_of(s.what) << ", "
      << (memory ? text(s.file, 'u') : hex(s.reg)) << ", " << hex(s.high) << ", " << hex(s.mask)
      << ", " << hex(s.value) << "},";
    if (!s.meaning.empty()) c << " /* " << escape::comment(s.meaning) << " */";
    c << '\n';
  }
  c << "};\n\nconst uint32_t " << name << "_step_count = sizeof " << name << "_steps / sizeof "
    << name << "_steps[0];\n"
    << detail::with_name(detail::c_player, name, p.memory);
  const auto h = about + detail::with_name(detail::c_header, name, p.memory);
  const auto source = c.str();
  return {{stem + ".c", {source.begin(), source.end()}}, {header, {h.begin(), h.end()}}};
}

}  // namespace nvdlac::runtime
