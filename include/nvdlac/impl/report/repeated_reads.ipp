// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/repeated_reads.hpp>

namespace nvdlac::report {

namespace detail {

// The pieces of one buffer that are read, each as often as it is.
class read_pieces {
 public:
  void add(std::uint64_t begin, std::uint64_t size) {
    if (size == 0) return;
    ++changes_[begin];
    --changes_[begin + size];
    read_ += size;
  }
  std::uint64_t read() const { return read_; }
  // The bytes that are read at all.
  std::uint64_t once() const {
    std::uint64_t bytes = 0, begin = 0;
    std::int64_t readers = 0;
    for (const auto& [at, change] : changes_) {
      if (readers > 0) bytes += at - begin;
      begin = at;
      readers += change;
    }
    return bytes;
  }

 private:
  std::map<std::uint64_t, std::int64_t> changes_{};  // in the number of readers, by the place
  std::uint64_t read_ = 0;
};

// A layer of the network and the pieces of a buffer that it reads.
struct buffer_reader {
  std::string layer{};
  read_pieces pieces{};
  std::size_t operations = 0;
  std::set<std::pair<std::int32_t, std::uint64_t>> kernels{};  // where those of each pass stand

  std::string why(bool weights) const {
    if (pieces.read() <= pieces.once()) return {};
    if (weights)
      return text("its lines come in ", count_of(operations, "pass", "passes"),
                  ", and the CBUF does not hold these bytes from one to the next");
    if (kernels.size() > 1)
      return text("its kernels come in ", count_of(kernels.size(), "pass", "passes"),
                  ", and the CBUF does not hold its input from one to the next");
    return "windows of neighbouring passes share lines or columns";
  }
};

// Calls f(cube, is_plain) for all that a unit of NVDLA reads in memory; plain bytes have no lines.
template <class F>
void for_each_fetched(const layer::any& what, const F& f) {
  nvdlac::visit([&]<class Layer>(const Layer& l) {
    if constexpr (std::is_same_v<Layer, layer::convolution>) {
      if (!l.data_reuse) f(l.input, false);
      if (l.weight_reuse) return;
      for (const auto* plain : {&l.weights, &l.mask, &l.group_sizes})
        if (plain->size != 0) f(*plain, true);
    } else if constexpr (std::is_same_v<Layer, layer::sdp>) {
      if (!l.input.at.on_the_fly()) f(l.input, false);
      for (const auto* x : {&l.x1, &l.x2})
        if (x->reads_memory()) f(x->operands, x->mode != layer::sdp_mode::per_point);
    } else {
      layer::for_each_read(what, [&](const layer::surface& cube) { f(cube, false); });
    }
  }, what);
}

}  // namespace detail

NVDLAC_IMPL read_bytes read_bytes_of(const plan::program_data& p, const data_flow& flow,
                                     bytes atom) {
  std::vector<detail::read_pieces> pieces(p.buffers.size());
  std::vector<std::vector<detail::buffer_reader>> readers(p.buffers.size());
  std::size_t number = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto& name = flow.layers.at(number++).layer;
      if (layer::on_host(op.layer.what)) continue;
      const auto* const convolution = std::get_if<layer::convolution>(&op.layer.what);
      detail::for_each_fetched(op.layer.what, [&](const layer::surface& cube, bool plain) {
        const auto b = static_cast<std::size_t>(cube.at.buffer);
        auto own = std::ranges::find(readers[b], name, &detail::buffer_reader::layer);
        if (own == readers[b].end()) own = readers[b].insert(own, {.layer = name});
        ++own->operations;
        if (convolution != nullptr)
          own->kernels.emplace(convolution->weights.at.buffer, convolution->weights.at.offset);
        const auto add = [&](std::uint64_t begin, std::uint64_t size) {
          pieces[b].add(cube.at.offset + begin, size);
          own->pieces.add(cube.at.offset + begin, size);
        };
        if (plain) add(0, cube.size);
        else layer::for_each_piece(cube, atom, add);
      });
    }
  read_bytes all;
  for (std::size_t b = 0; b < pieces.size(); ++b) {
    const auto once = pieces[b].once(), read = pieces[b].read();
    all.once += once;
    all.read += read;
    if (read == once) continue;
    const bool weights = p.buffers[b].memory == plan::memory::weights;
    auto& r = all.repeated.emplace_back();
    r = {.buffer = std::string(p.buffers[b].name.view()), .weights = weights, .once = once,
         .read = read};
    for (const auto& own : readers[b])
      r.readers.push_back({own.layer, own.pieces.read(), own.why(weights)});
  }
  std::ranges::stable_sort(all.repeated, std::ranges::greater{},
                           [](const repeated_read& r) { return r.read - r.once; });
  return all;
}

}  // namespace nvdlac::report
