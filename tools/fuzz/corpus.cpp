// SPDX-License-Identifier: Apache-2.0
// corpus TRACES OUT: makes the fuzz target's corpus from the register traces below a folder, one
// file for each trace of a fuzzed configuration. Long memory contents become pseudo-random.
#include <fstream>
#include <iostream>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/runtime/trace.hpp>

#include "program.hpp"

namespace {

using namespace nvdlac;

constexpr std::size_t longest = 6144;  // content that is kept as it is

void put_memory(fuzz::writer& w, const runtime::trace_command& c,
                std::span<const std::uint8_t> from) {
  for (std::size_t at = 0; at < from.size();) {
    const auto n = std::min<std::size_t>(from.size() - at, 0xffff);
    const bool keep = from.size() <= longest;
    w.put(keep ? fuzz::command::bytes : fuzz::command::pattern).number(c.cvsram, 1)
        .number(static_cast<std::uint32_t>(c.address + at), 4)
        .number(static_cast<std::uint32_t>(n), 2);
    if (keep) w.out.insert(w.out.end(), from.begin(), from.end());
    else w.number(static_cast<std::uint32_t>(c.line), 1);
    at += n;
  }
}

template <hw::hardware Hw>
void put(fuzz::writer& w, const runtime::trace& t) {
  const auto all = hw::registers(Hw::spec.map);
  for (const auto& c : t.commands) {
    using enum runtime::trace_command::kind;
    const auto number = [&] {
      const auto* r = hw::find(Hw::spec.map, static_cast<std::uint32_t>(c.address));
      return static_cast<std::uint32_t>(r == nullptr ? 0 : r - all.data());
    };
    if (c.what == mem_load)
      put_memory(w, c, std::span(t.files.at(c.file))
                           .subspan(static_cast<std::size_t>(c.offset),
                                    static_cast<std::size_t>(c.size)));
    else if (c.what == reg_write)
      w.put(fuzz::command::write).number(number(), 2).number(c.value, 4);
    else if (c.what == reg_read) w.put(fuzz::command::read).number(number(), 2);
    else if (c.what == wait_done || c.what == wait_irq) w.put(fuzz::command::run);
  }
}

// The program of a trace; empty if its configuration is not fuzzed.
std::vector<std::uint8_t> encode(const runtime::trace& t) {
  fuzz::writer w;
  std::uint32_t i = 0;
  for_each(fuzz::configurations{}, [&]<class Hw>(std::type_identity<Hw>) {
    if (t.config == hw::name<Hw>()) put<Hw>(w.number(i, 1), t);
    ++i;
  });
  return std::move(w.out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: corpus TRACES OUT\n";
    return 2;
  }
  std::size_t count = 0;
  const std::filesystem::path out(argv[2]);
  std::filesystem::create_directories(out);
  for (const auto& e : std::filesystem::recursive_directory_iterator(argv[1])) {
    if (e.path().filename() != "trace.txt") continue;
    const auto bytes = encode(runtime::read_trace(e.path()));
    if (bytes.empty()) continue;
    const auto folder = e.path().parent_path();
    const auto name = folder.parent_path().filename().string() + '.' + folder.filename().string();
    std::ofstream(out / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    ++count;
  }
  std::cout << count << " programs\n";
}
