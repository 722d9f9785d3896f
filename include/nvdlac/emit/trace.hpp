// SPDX-License-Identifier: Apache-2.0
#pragma once
// A register trace "nvtrace 1" of a program and one of its runs: every register write as a host
// without an operating system would make it, a layer ahead of the hardware, and the bytes that
// memory must hold then. It runs on whatever has NVDLA's bus: our simulator, another model, the
// RTL. Where the run has what each layer has written, that is compared as soon as its tensor is
// whole.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/schedule.hpp>
#include <nvdlac/emit/written_memory.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {
namespace detail {

template <hw::hardware Hw>
class trace_writer {
 public:
  trace_writer(const plan::program<Hw>& p, const run_record& run, std::string stem)
      : p_(p), run_(run), stem_(std::move(stem)), map_(map_memory(p)) {
    if (run.inputs.size() != p.inputs.size() || run.outputs.size() != p.outputs.size() ||
        (watches() && run.layers.size() != p.tasks.size()))
      throw error("the run is of another program");
    header();
    schedule<Hw>(p, map_, *this);
    for (std::size_t i = 0; i < p.outputs.size(); ++i) {
      comment("output '", p.outputs[i].name, "'");
      describe(p.outputs[i]);
      check(base(p.outputs[i]), text("output-", i), run.outputs[i]);
    }
  }

  // The trace first, then the files that it names.
  std::vector<file> take() && {
    const auto s = text_.str();
    std::vector<file> result{{stem_ + ".nvtrace", {s.begin(), s.end()}}};
    for (auto& f : files_) result.push_back(std::move(f));
    return result;
  }

  void write(std::uint32_t address, std::uint32_t value) {
    text_ << "reg_write 0x" << hex(address, 5) << " 0x" << hex(value, 8) << " # "
          << hw::describe(Hw::spec.map, address, value) << '\n';
  }
  void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value) {
    text_ << "reg_poll 0x" << hex(address, 5) << " 0x" << hex(mask, 8) << " 0x" << hex(value, 8)
          << " # " << hw::describe(Hw::spec.map, address, value) << '\n';
  }
  void begin(const layer::layer& l) { comment(l.name); }
  bool watches() const { return !run_.layers.empty(); }
  // Tiles of one tensor are compared together, when the last is there and before anything else is
  // written.
  void written(std::size_t task, std::size_t first, std::size_t last) {
    if (task == p_.tasks.size()) return;  // makes the uses of groups even
    const auto& ops = p_.tasks[task].operations;
    constexpr auto atom = Hw::spec.atom();
    if (by_.empty()) by_.push_back(text(ops[first].layer.name));
    by_.resize(1);
    if (auto name = text(ops[last].layer.name); name != by_.front()) by_.push_back(std::move(name));
    layer::for_each_write(ops[last].layer.what, [&](const layer::surface& s) {
      tensor_.add(s, atom, run_.layers.at(task).at(last));
    });
    const auto next = std::find_if(ops.begin() + static_cast<std::ptrdiff_t>(last) + 1, ops.end(),
                                   [](const auto& op) {
                                     return !layer::gives_on_the_fly(op.layer.what);
                                   });
    bool goes_on = next != ops.end();
    if (goes_on)
      layer::for_each_write(next->layer.what, [&](const layer::surface& s) {
        goes_on = goes_on && tensor_.takes(s, atom);
      });
    if (!goes_on) check_tensor(text("layer-", task, '-', last));
  }
  void wait_done(std::uint32_t bits) { text_ << "wait_done 0x" << hex(bits, 8) << '\n'; }
  // The trace's reader computes no host layer: what it would read is checked, what it would write
  // is loaded.
  void host(const layer::layer& what) {
    if (host_ >= run_.host.size()) throw error("the run lacks a layer of the host");
    const auto& done = run_.host[host_];
    comment(what.name, ": a ", called(what.what), " that the host computes");
    std::size_t i = 0;
    layer::for_each_read(what.what, [&](const layer::surface& s) {
      check(map_(s.at), text("host-", host_, i == 0 ? "-in" : text("-in-", i)),
            done.inputs.at(i));
      ++i;
    });
    layer::for_each_write(what.what, [&](const layer::surface& s) {
      load(map_(s.at), text("host-", host_, "-out"), done.output);
    });
    ++host_;
  }

 private:
  std::string_view called(const layer::any& what) const {
    const auto* call = std::get_if<layer::host_call>(&what);
    if (call == nullptr) return "softmax";
    return p_.calls[static_cast<std::size_t>(call->call)].layer;
  }
  static std::string hex(std::uint64_t value, int digits) {
    text_stream out;
    out << std::hex << std::setfill('0') << std::setw(digits) << value;
    return out.str();
  }
  template <class... Ts>
  void comment(const Ts&... what) { text_ << "# " << one_line(text(what...)) << '\n'; }
  // Readers take lines of some thousands of characters.
  static std::string one_line(std::string_view words) {
    return escape::line(words.substr(0, 1000));
  }

  void describe(const plan::binding& b) {
    for (const auto& line : layer::placement_lines(b, b.pixels.has_value(), Hw::spec.atom()))
      comment(line);
    for (const auto& line : layer::step_lines(b.scale, b.gain)) comment(line);
  }

  dma_address base(const plan::binding& b) const {
    return {map_.bases[static_cast<std::size_t>(b.surface.at.buffer)], true};
  }

  void check_tensor(const std::string& number) {
    constexpr std::size_t longest = 100;  // part of a file's name
    const auto who = text("written by '", joined(by_, "' to '"), "'");
    const auto name = escape::word(by_.back()).substr(0, longest);
    by_.clear();
    std::size_t piece = 0;
    for (auto& [offset, bytes] : tensor_.take()) {
      auto at = tensor_.buffer();
      at.offset = offset;
      comment(who);
      check(map_(at), text(number, piece == 0 ? "" : text('.', piece), '_', name),
            std::move(bytes));
      ++piece;
    }
  }

  void load(const dma_address& at, const std::string& name, std::vector<std::uint8_t> bytes) {
    memory("mem_load", at, name, std::move(bytes));
  }
  void check(const dma_address& at, const std::string& name, std::vector<std::uint8_t> bytes) {
    memory("mem_check", at, name, std::move(bytes));
  }
  void memory(const char* command, const dma_address& at, const std::string& name,
              std::vector<std::uint8_t> bytes) {
    if (bytes.empty()) return;
    files_.push_back({text(escape::word(stem_), '.', name, ".bin"), std::move(bytes)});
    text_ << command << (at.dram ? " dram" : " cvsram") << " 0x" << hex(at.address, 8) << ' '
          << files_.back().name << '\n';
  }

  void header() {
    text_ << "nvtrace 1\nconfig " << escape::word(hw::name<Hw>()) << "\nglb_base 0x" << std::hex
          << hw::address<Hw::spec.map, "GLB.S_NVDLA_HW_VERSION"> << std::dec << "\ninfo "
          << one_line(p_.network) << '\n';
    load_weights();
    for (std::size_t i = 0; i < p_.inputs.size(); ++i) {
      comment("input '", p_.inputs[i].name, "'");
      describe(p_.inputs[i]);
      load(base(p_.inputs[i]), text("input-", i), run_.inputs[i]);
    }
  }

  // The whole pool is one file.
  void load_weights() {
    comment("weights and operands");
    load({map_.weights, true}, "weights", weight_image(p_));
    load({address_space::cvsram, false}, "cvsram", weight_image(p_, true));
  }

  const plan::program<Hw>& p_;
  const run_record& run_;
  std::string stem_;
  memory_map map_;
  std::size_t host_ = 0;  // layers of the host so far
  // Results of layers that are not compared yet, and the names of the first and the last layer.
  written_memory tensor_{};
  std::vector<std::string> by_{};
  text_stream text_;
  std::vector<file> files_;
};

}  // namespace detail

// The files of a trace: `stem`.nvtrace and the memory images beside it, for `write_files`; their
// names are `stem` as a word of the trace, "a%20b.weights.bin" for "a b.nvtrace". `run` is what the
// program did on some input, on memory that was 0 before.
template <hw::hardware Hw>
std::vector<file> trace(const plan::program<Hw>& p, const run_record& run, std::string stem) {
  return detail::trace_writer<Hw>(p, run, std::move(stem)).take();
}

}  // namespace nvdlac::emit
