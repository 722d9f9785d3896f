// SPDX-License-Identifier: Apache-2.0
#pragma once
// C functions for the layers of a program that the host computes by name: their tensors, scales and
// places in memory, for the user to fill in what they compute.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {
namespace detail {

class host_stub_writer {
 public:
  host_stub_writer(const plan::program_data& p, bytes atom, std::string stem);

  std::vector<file> take() const;

 private:
  static const char* type_of(hw::precision p) {
    return p == hw::precision::int8 ? "int8_t" : p == hw::precision::int16 ? "int16_t" : "uint16_t";
  }
  static bool real(const layer::surface& s) { return s.precision == hw::precision::fp16; }
  // Whether a macro, a type or a function of the headers that are included may have this name.
  static bool is_taken(const std::string& s);
  // The name of a layer's function, and with it those of what reads and writes its tensors.
  std::string function_for(std::string_view layer, std::size_t inputs);

  void describe(const char* kind, const plan::binding& b);
  std::string described(const layer::surface& s, double scale) const;
  std::string place(const layer::surface& s) const;

  void add(std::size_t task, std::string_view layer, const layer::host_call& l,
           const net::host_call& c);
  void get(const std::string& name, const layer::surface& s, double scale);
  void put(const std::string& name, const layer::surface& s, double scale);
  // A function that clears the lanes behind the last channel; whether there are any.
  bool clear(const std::string& name, const layer::surface& s);
  // As many digits as tell it from every other number.
  static std::string text_of(double v);

  static constexpr std::size_t most_values = 16;  // of a parameter in a comment

  bytes atom_;
  std::string stem_, header_, prefix_;
  // Behind the prefix; those of the guard and of the function that calls the others are taken.
  std::set<std::string> names_{"h", "run"};
  text_stream bindings_{}, declarations_{}, definitions_{}, cases_{};
};

}  // namespace detail

// The files STEM.h and STEM.c. Softmax over channels is the public runtime's own, not among them.
std::vector<file> host_stub(const plan::program_data& p, bytes atom, std::string stem);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/host_stub.ipp>
#endif
