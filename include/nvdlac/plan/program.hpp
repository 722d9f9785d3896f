// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/lut.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/lowering_choices.hpp>
#include <nvdlac/quantised/input.hpp>

namespace nvdlac::plan {

// The memory of a buffer: the weights pool is loaded once; the feature pool is scratch shared
// by buffers that do not live at the same time; inputs and outputs are the user's own memories.
enum class memory : std::uint8_t { weights, features, input, output };

// The meaning of a tensor's numbers: real = scale * (integer - zero). Scale 0: unknown.
struct numbering {
  double scale = 0;
  std::int32_t zero = 0;

  constexpr bool operator==(const numbering&) const = default;
};

// Addresses of cubes are multiples of this: the full register map drops the low 5 bits, and no
// configuration has a larger atom.
inline constexpr std::uint64_t alignment = 32;

// A tensor that stands with others in one buffer, because layers called `joint` write all of them.
struct tensor_part {
  label name, joint;
  std::int32_t buffer = -1;
  std::uint64_t offset = 0, size = 0;  // bytes
  std::int32_t channels = 0;
  plan::numbering numbers{};
};

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

// The events that a consumer waits for: the firmware's event codes.
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
// A task of layers that stand elsewhere.
using task_view = basic_task<const layer::layer&>;

// A tensor that the user gives or gets.
struct binding {
  label name;                        // of the network's tensor
  layer::surface surface{};          // in its own buffer
  net::shape shape{};                // as the network sees it
  double scale = 1.0;                // real = scale * integer
  std::vector<double> gain{};        // real = gain[channel] * scale * integer; empty: 1
  std::optional<quantised::pixels> pixels{};  // the input is a picture of unsigned bytes
  // For an input, how the user's pixels become the network's values; unset if that is not known.
  std::optional<net::preprocessing> preprocessing{};
  // The tensors that it is in the user's file; an output may be several there. Empty: itself.
  std::vector<net::file_tensor> in_file{};
  bool transposed = false;           // its maps stand transposed in memory

  // Its cube as the network sees it.
  constexpr layer::surface seen() const {
    return transposed ? layer::transposed(surface) : surface;
  }
};

// An optimisation that lowering could not make for a layer, which costs cycles but no value.
struct remark {
  label layer, text;
};

// A convolution as it was lowered, and how else it could be.
struct split_convolution {
  plan::passes now{};
  net::shape results{};           // of the pooling behind it, if there is one
  std::int32_t kernel_unit = 1;   // kernels of a pass are as many, or twice, .., or all
  std::optional<plan::passes> paced{};  // those for which it waits less for the memory, if others
};

// The result of lowering: buffers and layers in order, not yet placed in memory.
struct lowered {
  label network;
  std::vector<buffer> buffers{};
  std::vector<layer::layer> layers{};
  std::vector<layer::lut> luts{};
  std::vector<net::host_call> calls{};
  std::vector<binding> inputs{}, outputs{};
  std::vector<remark> remarks{};
  std::vector<tensor_part> parts{};
  std::uint64_t weights_size = 0;  // bytes of the weights, one buffer behind the other
  lowering_choices given{};        // to lowering
  std::vector<split_convolution> convolutions{};  // at run time: those that may be cut otherwise,
  std::vector<label> fused{};                   // and what is computed with one
  std::vector<label> foldable{};   // at run time: what lowering_choices::folded may name
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

// The memory and operations with which one NVDLA computes a network.
struct program_data {
  label network;                     // name of the model
  std::vector<buffer> buffers{};
  std::vector<task> tasks{};
  std::vector<layer::lut> luts{};    // that layers of SDP and CDP name
  std::vector<net::host_call> calls{};   // that layers of the host name
  std::vector<binding> inputs{}, outputs{};
  std::vector<remark> remarks{};     // for reports
  std::vector<tensor_part> parts{};  // of buffers that hold several tensors
  std::uint64_t weights_size = 0;    // bytes of the weights pool
  std::uint64_t features_size = 0;   // bytes of the feature pool: the peak
  std::uint64_t features_bound = 0;  // most bytes alive at one time: no placement needs less
  cvsram_pool cvsram{};
  bool transposed = false;           // the maps of all its cubes are, see lowering_choices
};

// Where the bytes of the weights are: in the buffers, or in an image of their own.
enum class contents : bool { here, apart };

// Each convolution of a program, or of a task, in order: `visit(convolution)`.
template <class Task, class Visit>
constexpr void each_convolution_of(Task& t, const Visit& visit) {
  for (auto& op : t.operations)
    if (auto* c = std::get_if<layer::convolution>(&op.layer.what)) visit(*c);
}
template <class Program, class Visit>
constexpr void each_convolution(Program& p, const Visit& visit) {
  for (auto& t : p.tasks) each_convolution_of(t, visit);
}

// Whether programs that write registers have it otherwise than loadables, and as these have it.
constexpr bool differs_in_registers(const program_data& p) {
  bool found = false;
  each_convolution(p, [&](const auto& c) { found = found || c.differs_in_registers(); });
  return found;
}
constexpr program_data as_in_loadables(program_data p) {
  each_convolution(p, [](auto& c) { c.be_as_in_loadables(); });
  return p;
}

// The convolutions of a task as programs have them that write registers, and which of their weights
// CDMA has brought, in the order of the convolutions, as one goes from one to the next.
class weights_ahead {
 public:
  // Some kernels of a convolution, by its number in the task.
  struct kernels {
    std::size_t of = 0;
    std::int32_t first = 0, count = 0;
  };

  template <class Layer>
  constexpr explicit weights_ahead(const basic_task<Layer>& t) {
    each_convolution_of(t, [&](const layer::convolution& c) { all_.push_back(c.in_registers()); });
  }

  constexpr const std::vector<layer::convolution>& all() const { return all_; }
  // Neighbours divide the CBUF alike, as far as there is room, and what is left is for weights; but
  // not an image for which the ring of data banks has to begin anew.
  constexpr void divide_alike(const hw::spec& hw) {
    std::size_t first = 0;
    std::uint8_t data = 0, weights = 0;
    const auto divide = [&](std::size_t last) {
      const auto left = static_cast<std::uint8_t>(hw.cbuf_banks - data);
      for (auto i = first; last - first > 1 && i < last; ++i) {
        all_[i].data_banks = data;
        all_[i].weight_banks = left;
      }
      first = last;
      data = weights = 0;
    };
    for (std::size_t n = 0; n < all_.size(); ++n) {
      const auto& c = all_[n];
      const bool fits = std::max(data, c.data_banks) + std::max(weights, c.weight_banks) <=
                        static_cast<int>(hw.cbuf_banks);
      if (!fits || c.is_compressed() || begins_anew(hw, n)) divide(n);
      if (c.is_compressed()) first = n + 1;
      else {
        data = std::max(data, c.data_banks);
        weights = std::max(weights, c.weight_banks);
      }
    }
    divide(all_.size());
  }
  constexpr bool begins_anew(const hw::spec& hw, std::size_t n) const {
    return n != 0 && all_[n].jumps_in_lines(hw) && all_[n].data_banks != all_[n - 1].data_banks;
  }
  // The kernels of the convolution that are there.
  constexpr std::int32_t there(std::size_t n) const {
    return n < layer_ ? all_[n].output.c : n == layer_ ? kernels_ : 0;
  }
  // Bytes of the weights that are there for the convolution and later ones.
  constexpr std::uint64_t bytes_there(std::size_t n) const {
    std::uint64_t sum = 0;
    for (; n < all_.size() && there(n) != 0; ++n)
      if (!all_[n].weight_reuse) sum += bytes_of({n, 0, there(n)});
    return sum;
  }
  constexpr std::uint64_t bytes_of(const kernels& k) const {
    const auto& c = all_[k.of];
    const auto bytes = [&](std::int32_t count) {
      return count == c.output.c ? c.weights.size
                                 : c.bytes_per_kernel() * static_cast<std::uint64_t>(count);
    };
    return bytes(k.first + k.count) - bytes(k.first);
  }
  // Brings kernels behind the operation of convolution `behind` until so many of convolution
  // `behind + layers` are there, and returns those that come; weights in the CBUF stay there.
  constexpr std::vector<kernels> bring(std::size_t behind, std::size_t layers,
                                       std::int32_t kernels_of_last) {
    std::vector<kernels> found;
    const auto last = std::min(behind + layers, all_.size() - 1);
    for (auto n = std::max(behind + 1, layer_); n <= last && layers != 0; ++n) {
      const auto first = there(n), until = n == last ? kernels_of_last : all_[n].output.c;
      if (until > first && !all_[n].weight_reuse) found.push_back({n, first, until - first});
      if (n > layer_ || until > first) {
        layer_ = n;
        kernels_ = until;
      }
    }
    return found;
  }
  constexpr std::vector<kernels> bring(std::size_t behind) {
    return bring(behind, all_[behind].layers_ahead, all_[behind].kernels_ahead);
  }

 private:
  std::vector<layer::convolution> all_{};
  std::size_t layer_ = 0;      // of those before it all kernels are there
  std::int32_t kernels_ = 0;  // and of this one the first
};

// Whether the operation of a convolution of which so many kernels are there brings those of later
// ones beside its data. Many data would have to wait for them.
constexpr bool brings_others(const layer::convolution& c, std::int32_t there, const hw::spec& hw) {
  const std::uint64_t few_cycles = 64;
  return (c.weight_reuse || there == c.output.c) &&
         (c.data_reuse || c.input.size <= few_cycles * (hw.dram.width_bits / 8));
}

// The kernels that CDMA's operations bring for a task, behind each of its convolutions.
template <class Layer>
constexpr std::vector<std::vector<weights_ahead::kernels>> brought_ahead(
    const basic_task<Layer>& t) {
  weights_ahead now(t);
  std::vector<std::vector<weights_ahead::kernels>> found;
  for (std::size_t n = 0; n < now.all().size(); ++n) found.push_back(now.bring(n));
  return found;
}

// A convolution of a program, by numbers.
struct convolution_place {
  std::size_t task = 0, number = 0;  // in the task

  constexpr bool operator==(const convolution_place&) const = default;
};

// How many operations CDMA has of its own. Register groups are taken in turn, so that an odd number
// needs another one, which brings nothing. It can stand behind a convolution whose weights all have
// room in the CBUF, unless others come there: the last of these; nothing: there is none.
struct own_fetches {
  std::size_t count = 0;
  std::optional<convolution_place> turn{};
};
constexpr own_fetches own_fetches_of(const program_data& p, const hw::spec& hw) {
  own_fetches found;
  for (std::size_t t = 0; t < p.tasks.size(); ++t) {
    weights_ahead now(p.tasks[t]);
    for (std::size_t n = 0; n < now.all().size(); ++n) {
      const auto& c = now.all()[n];
      const bool others = brings_others(c, now.there(n), hw);
      const auto brought = now.bring(n).size();
      found.count += brought - (others && brought != 0 ? 1 : 0);
      if (brought == 0 && !c.winograd && !c.is_compressed() &&
          c.weights.size <= c.weight_banks * hw.cbuf_bank().n)
        found.turn = {t, n};
    }
  }
  return found;
}

// The program of one product.
template <hw::hardware Hw>
struct program : program_data {
  static_assert(hw::validated<Hw>);
};

}  // namespace nvdlac::plan
