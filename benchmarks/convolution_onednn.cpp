// SPDX-License-Identifier: Apache-2.0
// The simulator's int8 convolution next to oneDNN's, on one core: in each iteration both compute
// the same layer. oneDNN runs the fastest of s8 or u8 input and s32 or s8 output; the results of
// s8 to s32 must be those of the simulator, bit for bit. Build in Release.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <ctime>
#include <random>

#include <dnnl.hpp>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "../tests/sim/program.hpp"

namespace {

using namespace nvdlac;
using std::size_t;

struct shape {
  std::uint32_t channels, kernels, height, width, kernel, stride;
  bool depthwise = false;
  std::uint32_t out(std::uint32_t in) const { return (in + kernel / 2 * 2 - kernel) / stride + 1; }
  size_t out_pixels() const { return size_t{out(height)} * out(width); }
  // Weights across the groups, all 0, are not counted.
  size_t weights() const {
    return size_t{kernels} * (depthwise ? 1 : channels) * kernel * kernel;
  }
  double macs() const { return static_cast<double>(weights() * out_pixels()); }
};

std::vector<std::int8_t> random_bytes(size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int8_t> v(n);
  for (auto& e : v) e = static_cast<std::int8_t>(random());
  return v;
}

// data: [y][x][channel]; weights: [kernel][channel][y][x], of a depthwise layer [kernel][y][x].
struct layer {
  shape s;
  std::vector<std::int8_t> data = random_bytes(size_t{s.height} * s.width * s.channels, 1);
  std::vector<std::int8_t> weights = random_bytes(s.weights(), 2);
  std::int8_t weight(size_t k, size_t c, size_t r, size_t x) const {
    const auto area = size_t{s.kernel} * s.kernel, at = r * s.kernel + x;
    if (s.depthwise) return k == c ? weights[k * area + at] : std::int8_t{0};
    return weights[(k * s.channels + c) * area + at];
  }
};

using type = dnnl::memory::data_type;
using tag = dnnl::memory::format_tag;

class onednn {
 public:
  onednn(const layer& l, type in, type out) : out_(out) {
    const auto& s = l.s;
    const auto n = [](std::uint32_t v) { return dnnl::memory::dim{v}; };
    const dnnl::memory::dims data{1, n(s.channels), n(s.height), n(s.width)};
    auto weights = s.depthwise ? dnnl::memory::dims{n(s.kernels), 1, 1}
                               : dnnl::memory::dims{n(s.kernels), n(s.channels)};
    weights.insert(weights.end(), 2, n(s.kernel));
    const dnnl::memory::dims result{1, n(s.kernels), n(s.out(s.height)), n(s.out(s.width))};
    const auto any = [](const dnnl::memory::dims& d, type t) {
      return dnnl::memory::desc(d, t, tag::any);
    };
    const auto pad = n(s.kernel / 2), stride = n(s.stride);
    const dnnl::convolution_forward::primitive_desc chosen(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, any(data, in),
         any(weights, type::s8), any(result, out), {stride, stride}, {pad, pad}, {pad, pad}},
        engine_);
    name_ = chosen.impl_info_str();
    convolution_ = dnnl::convolution_forward(chosen);
    const auto load = [&](const dnnl::memory::desc& from, const std::vector<std::int8_t>& values,
                          const dnnl::memory::desc& to) {
      dnnl::memory given(from, engine_, const_cast<std::int8_t*>(values.data()));
      dnnl::memory used(to, engine_);
      dnnl::reorder(given, used).execute(stream_, given, used);
      return used;
    };
    arguments_ = {
        {DNNL_ARG_SRC, load({data, in, tag::nhwc}, l.data, chosen.src_desc())},
        {DNNL_ARG_WEIGHTS, load({weights, type::s8, s.depthwise ? tag::abcde : tag::abcd},
                                l.weights, chosen.weights_desc())},
        {DNNL_ARG_DST, dnnl::memory(chosen.dst_desc(), engine_)}};
    result_ = dnnl::memory({result, out, tag::nhwc}, engine_);
  }

  void run() {
    convolution_.execute(stream_, arguments_);
    stream_.wait();
  }

  // Returns the result of an s32 convolution: [y][x][kernel].
  const std::int32_t* result() {
    dnnl::reorder(arguments_.at(DNNL_ARG_DST), result_)
        .execute(stream_, arguments_.at(DNNL_ARG_DST), result_);
    stream_.wait();
    return static_cast<const std::int32_t*>(result_.get_data_handle());
  }

  const std::string& name() const { return name_; }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::convolution_forward convolution_;
  std::unordered_map<int, dnnl::memory> arguments_;
  dnnl::memory result_;
  std::string name_;
  type out_;
};

// Returns the seconds of f in processor time of this thread, whatever else the machine does.
double seconds(auto&& f) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const auto begin = now();
  f();
  return now() - begin;
}

struct fastest_onednn {
  std::string name;
  onednn primitive;
};

fastest_onednn find_fastest(const layer& l) {
  double least = 1e9;
  std::optional<fastest_onednn> best;
  for (const auto& [in, in_name] : {std::pair{type::s8, "s8"}, {type::u8, "u8"}})
    for (const auto& [out, out_name] : {std::pair{type::s32, "s32"}, {type::s8, "s8"}}) {
      onednn candidate(l, in, out);
      double time = 1e9;
      for (int i = 0; i < 30; ++i) time = std::min(time, seconds([&] { candidate.run(); }));
      if (time >= least) continue;
      least = time;
      auto name = text(candidate.name(), " ", in_name, " to ", out_name);
      best = fastest_onednn{std::move(name), std::move(candidate)};
    }
  return std::move(*best);
}

// The hardware programs of a layer: one, or for a depthwise layer one for each atom of channels.
template <hw::hardware Hw>
class simulated {
 public:
  explicit simulated(const layer& l) : l_(l), bundle_(l.s.depthwise ? lanes : l.s.channels) {
    const auto& s = l.s;
    const auto kernels = s.depthwise ? bundle_ : s.kernels;
    for (std::uint32_t first = 0; first < s.channels; first += bundle_) {
      auto& p = programs_.emplace_back();
      p.c = {.channels = bundle_, .kernel_width = s.kernel, .kernel_height = s.kernel,
             .kernels = kernels, .stride_x = s.stride, .stride_y = s.stride,
             .pad_left = s.kernel / 2, .pad_top = s.kernel / 2, .out_width = s.out(s.width),
             .out_height = s.out(s.height)};
      p.cbuf.width = s.width;
      p.cbuf.height = s.height;
      p.cbuf.channels = bundle_;
      for (size_t i = 0; i < size_t{s.width} * s.height; ++i)
        p.cbuf.data.insert(p.cbuf.data.end(), &l.data[i * s.channels + first],
                           &l.data[i * s.channels + first] + bundle_);
      for (std::uint32_t k0 = 0; k0 < kernels; k0 += group)
        for (std::uint32_t c0 = 0; c0 < bundle_; c0 += block)
          for (size_t at = 0; at < size_t{s.kernel} * s.kernel; ++at)
            for (auto k = k0; k < std::min(k0 + group, kernels); ++k)
              for (auto c = c0; c < std::min(c0 + block, bundle_); ++c)
                p.cbuf.weights.push_back(static_cast<std::uint8_t>(
                    l.weight(first + k, first + c, at / s.kernel, at % s.kernel)));
    }
    surface_.resize(s.out_pixels() * lanes);
  }

  // f(surface of all channels, its results) for the results of the MACs.
  void run_core(auto&& f) {
    size_t done = 0;
    for (const auto& p : programs_) {
      core_.prepare(p.c, p.cbuf);
      for (size_t s = 0; s * lanes < p.c.kernels; ++s, ++done) {
        core_.surface(s, lanes, group, block, surface_);
        f(done, std::as_const(surface_));
      }
    }
  }

  bool same_as(const std::int32_t* expected) {
    bool same = true;
    run_core([&](size_t s, const std::vector<std::int32_t>& got) {
      for (size_t p = 0; p < l_.s.out_pixels(); ++p)
        for (size_t k = s * lanes; k < std::min<size_t>((s + 1) * lanes, l_.s.kernels); ++k)
          same = same && got[p * lanes + k % lanes] == expected[p * l_.s.kernels + k];
    });
    return same;
  }

  // Through the register bus: as many kernels as fit half of the CBUF, as many lines as fit the
  // rest. The MACs done.
  double start_device() {
    auto s = l_.s;
    const auto& first = programs_.front();
    constexpr auto p = hw::precision::int8;
    const auto entries = hw::feature_entries_per_slice(Hw::spec, p, s.width, bundle_);
    auto kernels = first.c.kernels;
    const auto weight_banks = [&] {
      return hw::weight_banks(
          Hw::spec, hw::weight_bytes(Hw::spec, p, kernels, first.c.kernel_elements())).n;
    };
    while (weight_banks() > Hw::spec.cbuf_banks / 2) kernels -= lanes;
    if (!s.depthwise) s.kernels = kernels;
    while (hw::data_banks(Hw::spec, entries, s.height).n + weight_banks() > Hw::spec.cbuf_banks)
      --s.height;
    for (size_t i = 0; i < programs_.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(i) * 0x1000000;
      program::convolution c{.width = s.width, .height = s.height, .channels = bundle_,
                             .kernels = kernels, .kernel = s.kernel, .pad = s.kernel / 2,
                             .truncate = 8};
      c.stride = s.stride;
      c.input += at;
      c.weights = at + 0x800000;
      c.output = at + 0xa00000;
      device_.dram().write(c.input, bytes(random_bytes(size_t{s.height} * s.width *
                                                       align_up(bundle_, lanes), 3)));
      device_.dram().write(c.weights, programs_[i].cbuf.weights);
      for (std::uint32_t turn = 0; turn < 2; ++turn) {
        auto& to = writes_[turn];
        for (const auto* unit : {"CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP"})
          to.write(hw::find(Hw::spec.map, text(unit, ".S_POINTER"))->address, turn);
        program::convolution_registers<Hw>(c).write(to);
        for (const auto* unit : {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"})
          to.write(hw::find(Hw::spec.map, text(unit, ".D_OP_ENABLE"))->address, 1);
      }
    }
    run_device();
    return s.macs();
  }

  // The programs one after the other, in the groups of registers in turn.
  void run_device() {
    const auto count = writes_[0].all.size() / programs_.size();
    for (size_t i = 0; i < programs_.size(); ++i, register_group_ ^= 1)
      for (size_t at = i * count; at < (i + 1) * count; ++at) {
        const auto [address, value] = writes_[register_group_].all[at];
        device_.write(address, value);
      }
  }

  bool device_ran() { return device_.waiting().empty() && device_.interrupt(); }

 private:
  static constexpr std::uint32_t lanes = Hw::spec.memory_atom, block = Hw::spec.mac_atomic_c;
  static constexpr auto group = static_cast<std::uint32_t>(Hw::spec.kernel_group());

  struct program_of_core {
    sim::convolution c{};
    sim::cbuf_contents cbuf{};
  };

  // A bus that records what a driver writes to it.
  struct recorded {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all{};
    void write(std::uint32_t address, std::uint32_t value) { all.emplace_back(address, value); }
  };

  static std::vector<std::uint8_t> bytes(const std::vector<std::int8_t>& v) {
    return {v.begin(), v.end()};
  }

  const layer& l_;
  std::uint32_t bundle_, register_group_ = 0;  // channels of a program; the registers' group
  std::vector<program_of_core> programs_{};
  std::vector<std::int32_t> surface_{};
  sim::convolution_core core_{};
  sim::device<Hw> device_{};
  std::array<recorded, 2> writes_{};  // of all programs, for either group of registers
};

template <hw::hardware Hw>
void compare(benchmark::State& state, shape s) {
  const layer l{s};
  auto reference = find_fastest(l);
  simulated<Hw> ours(l);
  onednn exact(l, type::s8, type::s32);
  exact.run();
  if (!ours.same_as(exact.result())) return state.SkipWithError("oneDNN's results differ");
  const auto layer_macs = ours.start_device();
  if (!ours.device_ran()) return state.SkipWithError("the layer did not run");

  // Each in turn, each with warm caches; the best of all iterations.
  double theirs = 1e9, core = 1e9, device = 1e9;
  const auto warm = [](double& least, auto&& f) {
    f();
    for (int i = 0; i < 3; ++i) least = std::min(least, seconds(f));
  };
  for (auto _ : state) {
    warm(theirs, [&] { reference.primitive.run(); });
    warm(core, [&] { ours.run_core([](auto&&...) {}); });
    warm(device, [&] { ours.run_device(); });
  }
  const auto rate = [&](const char* name, double macs, double time) {
    return state.counters[name] = macs / time * 1e-9;
  };
  const double reference_rate = rate("oneDNN_GMAC/s", s.macs(), theirs);
  state.counters["core/oneDNN"] = rate("core_GMAC/s", s.macs(), core) / reference_rate;
  state.counters["layer/oneDNN"] = rate("layer_GMAC/s", layer_macs, device) / reference_rate;
  state.SetLabel(reference.name);
}

template <hw::hardware Hw>
void add(const std::string& hardware) {
  const auto shapes = std::to_array<std::pair<const char*, shape>>({
      {"3x3, 64 to 64, 56x56", {64, 64, 56, 56, 3, 1}},
      {"3x3, 128 to 128, 28x28", {128, 128, 28, 28, 3, 1}},
      {"1x1, 256 to 64, 28x28", {256, 64, 28, 28, 1, 1}},
      {"7x7 by 2, 3 to 64, 224x224", {3, 64, 224, 224, 7, 2}},
      {"3x3 depthwise, 64, 56x56", {64, 64, 56, 56, 3, 1, true}},
  });
  for (const auto& [name, s] : shapes)
    benchmark::RegisterBenchmark((hardware + ": " + name).c_str(),
                                 [s](benchmark::State& state) { compare<Hw>(state, s); })
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(1);
  add<nv_large>("nv_large");
  add<nv_small>("nv_small");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
