// SPDX-License-Identifier: Apache-2.0
#pragma once
// The data flow of a loaded program, from layers that write to layers that read, as Graphviz.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

// Layers that hand their results on without memory, from `first` to `last` of a task; an input or
// an output of the program has a name instead. `from` are the stages whose bytes it reads.
struct flow_stage {
  std::size_t task = 0, first = 0, last = 0;
  std::string name{};
  std::set<std::size_t> from{};
};

namespace detail {

// Who wrote each byte last.
class written_bytes {
 public:
  void write(std::uint64_t begin, std::uint64_t end, std::size_t writer);
  void read(std::uint64_t begin, std::uint64_t end, std::set<std::size_t>& writers) const;

 private:
  struct run {
    std::uint64_t end = 0;
    std::size_t writer = 0;
  };
  void split(std::uint64_t at);

  std::map<std::uint64_t, run> runs_{};
};

// visit(first byte, behind the last one) for every run of bytes of a cube; of plain bytes, pixels
// and very many runs from the start to the end.
template <class Visit>
void each_run(const layer::surface& s, std::uint64_t address, bytes atom, Visit visit) {
  constexpr std::uint64_t most = 1 << 16;
  const auto lines = static_cast<std::uint64_t>(s.shape.h);
  const auto length = static_cast<std::uint64_t>(s.shape.w) * atom.n;
  const auto planes = layer::surfaces(s.shape, atom, s.precision);
  const auto pictures = static_cast<std::uint64_t>(s.pictures);
  if (s.surface_stride == 0 || s.line_stride == 0 || lines * planes * pictures > most)
    return visit(address, address + s.size);
  for (std::uint64_t p = 0; p < planes * pictures; ++p) {
    const auto plane = address + p / planes * s.picture_stride + p % planes * s.surface_stride;
    if (length == s.line_stride) visit(plane, plane + lines * length);
    else
      for (std::uint64_t y = 0; y < lines; ++y)
        visit(plane + y * s.line_stride, plane + y * s.line_stride + length);
  }
}

}  // namespace detail

// In the order of the program: inputs, the stages of the tasks, outputs.
std::vector<flow_stage> flow_stages(const runtime::loaded_program& p, bytes atom);

// A node for each stage, an ellipse for an input or an output, and arrows as the data flows.
std::string data_flow_graph(const runtime::loaded_program& p, bytes atom);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/loaded_data_flow.ipp>
#endif
