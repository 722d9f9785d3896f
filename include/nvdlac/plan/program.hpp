// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>

namespace nvdlac::plan {

// Which memory holds a buffer: the weights pool is loaded once; the feature pool is scratch shared
// by buffers that do not live at the same time; inputs and outputs are the user's own memories.
enum class memory : std::uint8_t { weights, features, input, output };

// What the numbers of a tensor stand for: real = scale * (integer - zero). Scale 0: unknown.
struct numbering {
  double scale = 0;
  std::int32_t zero = 0;

  constexpr bool operator==(const numbering&) const = default;
};

// Addresses of cubes are multiples of this: the full register map drops the low 5 bits, and no
// configuration has a larger atom.
inline constexpr std::uint64_t alignment = 32;

struct buffer {
  label name;
  plan::memory memory = memory::features;
  std::uint64_t size = 0;            // bytes
  std::vector<std::uint8_t> content{};  // weights: `size` bytes; else empty
  std::uint64_t offset = 0;          // in its pool; 0 for inputs and outputs
  std::uint64_t unit = alignment;    // its address is a multiple of it
  bool cvsram = false;               // weights or features: in CVSRAM, which is a pool of its own
  plan::numbering numbers{};         // of the tensor that it holds
};

// Lists of the firmware are indexed by the engines' numbers.
using engine = layer::engine_number;
using layer::engines;
using layer::index;

// What a consumer waits for: the firmware's event codes.
enum class event : std::uint8_t { completed = 1, programmed = 2, enabled = 3 };

struct link {
  std::int16_t operation = -1;  // index within the task; -1: none
  plan::event event = event::completed;
};

// A hardware (or host) layer, or a reference to one, with its dependencies inside its task.
template <class Layer>
struct basic_operation {
  Layer layer{};
  // By the consumer's engine. g++ 12 lets an evaluation while compiling change what {} stands for.
  std::array<link, engines> consumers{link{}, link{}, link{}, link{}, link{}, link{}};
  static_assert(engines == 6);
  link fused_parent{};
  std::uint8_t dependency_count = 0;
};

// Operations that are submitted together: any number of hardware layers, or one host layer.
template <class Layer>
struct basic_task {
  bool host = false;
  std::vector<basic_operation<Layer>> operations{};
};

using operation = basic_operation<layer::layer>;
using task = basic_task<layer::layer>;
// Of layers that stand elsewhere.
using task_view = basic_task<const layer::layer&>;

// A tensor that the user gives or gets.
struct binding {
  label name;                        // of the network's tensor
  layer::surface surface{};          // in its own buffer
  net::shape shape{};                // as the network sees it
  double scale = 1.0;                // real = scale * integer
  std::optional<quantised::pixels> pixels{};  // the input is a picture of unsigned bytes
  // For an input, how the user's pixels become the network's values; unset if that is not known.
  std::optional<net::preprocessing> preprocessing{};
  // What it is in the user's file; an output may be several tensors there. Empty: itself.
  std::vector<net::file_tensor> in_file{};
};

// What lowering could not do for a layer of the network, which costs cycles but no value.
struct remark {
  label layer, text;
};

// What lowering makes and planning takes: buffers and layers in order, not yet placed in memory.
struct lowered {
  label network;
  std::vector<buffer> buffers{};
  std::vector<layer::layer> layers{};
  std::vector<layer::lut> luts{};
  std::vector<net::host_call> calls{};
  std::vector<binding> inputs{}, outputs{};
  std::vector<remark> remarks{};
  std::uint64_t weights_size = 0;  // bytes of the weights, one buffer behind the other
  std::uint64_t pass_weights = 0;  // bytes of the weights of a pass at most; 0: of all
  bool values_known = true;        // no trained value is somewhere else
  std::uint64_t cvsram_limit = 0;  // bytes of the secondary memory that may be used
  std::size_t overlap = 0;         // stages that run beside the ones before them, and so do not
                                   // write where those read
};

// The secondary memory: weights, loaded once as those of DRAM are, and behind them features.
struct cvsram_pool {
  std::uint64_t weights = 0;  // bytes of the weights
  std::uint64_t size = 0;     // bytes of all; 0: the program does not use it
  std::uint64_t bound = 0;    // no placement of the same buffers needs less
  std::uint64_t limit = 0;    // bytes that may be used

  constexpr bool operator==(const cvsram_pool&) const = default;
};

// What one NVDLA needs to compute a network: memory and operations.
struct program_data {
  label network;                     // name of the model
  std::vector<buffer> buffers{};
  std::vector<task> tasks{};
  std::vector<layer::lut> luts{};    // that layers of SDP and CDP name
  std::vector<net::host_call> calls{};   // that layers of the host name
  std::vector<binding> inputs{}, outputs{};
  std::vector<remark> remarks{};     // for reports
  std::uint64_t weights_size = 0;    // bytes of the weights pool
  std::uint64_t features_size = 0;   // bytes of the feature pool: the peak
  std::uint64_t features_bound = 0;  // most bytes alive at one time: no placement needs less
  cvsram_pool cvsram{};
};

// Where the bytes of the weights are: in the buffers, or in an image of their own.
enum class contents : bool { here, apart };

// Whether programs that write registers have it otherwise than loadables, and as these have it.
constexpr bool differs_in_registers(const program_data& p) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
        if (c->differs_in_registers()) return true;
  return false;
}
constexpr program_data as_in_loadables(program_data p) {
  for (auto& t : p.tasks)
    for (auto& op : t.operations)
      if (auto* c = std::get_if<layer::convolution>(&op.layer.what)) c->be_as_in_loadables();
  return p;
}

// The next convolution of a task, if there is one.
constexpr const operation* next_convolution(const std::vector<operation>& ops, std::size_t i) {
  while (++i < ops.size())
    if (std::holds_alternative<layer::convolution>(ops[i].layer.what)) return &ops[i];
  return nullptr;
}

// Where kernels come ahead, CDMA has operations of its own. Register groups are taken in turn, so
// that an odd number of them needs another one, which brings nothing. It can stand behind a
// convolution whose weights all have room in the CBUF, unless kernels of the next one come there:
// the last of these; nullptr: there is none.
constexpr const operation* fetch_turn(const program_data& p, const hw::spec& hw) {
  const operation* last = nullptr;
  for (const auto& t : p.tasks)
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto* what = std::get_if<layer::convolution>(&t.operations[i].layer.what);
      if (what == nullptr) continue;
      const auto* next = next_convolution(t.operations, i);
      const auto c = what->in_registers();
      const bool is_free =
          next == nullptr || std::get<layer::convolution>(next->layer.what).kernels_ahead == 0;
      if (is_free && !c.winograd && !c.is_compressed() &&
          c.weights.size <= c.weight_banks * hw.cbuf_bank().n)
        last = &t.operations[i];
    }
  return last;
}

// The program of one product.
template <hw::hardware Hw>
struct program : program_data {};

}  // namespace nvdlac::plan
