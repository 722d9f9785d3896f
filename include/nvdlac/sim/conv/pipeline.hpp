// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/conv/cbuf.hpp>
#include <nvdlac/sim/conv/cdma_pipeline.hpp>
#include <nvdlac/sim/conv/decode.hpp>
#include <nvdlac/sim/conv/delivery.hpp>
#include <nvdlac/sim/conv/fp16_core.hpp>
#include <nvdlac/sim/conv/fp16_winograd.hpp>
#include <nvdlac/sim/conv/image_lines.hpp>
#include <nvdlac/sim/conv/int16_core.hpp>
#include <nvdlac/sim/conv/slices.hpp>
#include <nvdlac/sim/conv/winograd.hpp>
#include <nvdlac/sim/device_state.hpp>

namespace nvdlac::sim {

// Contents that no layer will release any more: CBUF entries of weights, slices of data.
struct cbuf_leak {
  std::uint64_t weights = 0, slices = 0;
  bool operator==(const cbuf_leak&) const = default;
};

// CDMA, CSC, CMAC and CACC: one convolution, taken surface by surface by SDP.
template <hw::hardware Hw>
class convolution_pipeline {
 public:
  // Lets CDMA work as far as it can, and CSC release what its next layer does not reuse; whether
  // CDMA did anything. A rule that is broken leaves the CBUF as after reset.
  bool fetch(device_state<Hw>& s) try {
    if (begun_) reset();
    arrive(s);
    bool any = false;
    while (cdma_.run(s, cbuf_)) any = true;
    check_taker(s);
    if (enabled(s) && finds_layer(s.active(unit::csc)))
      delivery_.begin(s.active(unit::csc), s.memories.rules);
    return any;
  } catch (...) {
    reset();
    throw;
  }

  // Its units behind CDMA are enabled.
  static bool enabled(const device_state<Hw>& s) {
    return std::ranges::all_of(units, [&](unit u) { return s.groups(u).ready(); });
  }
  // They are, and CSC finds its layer in the CBUF; or what no operation of CDMA will complete,
  // which begin() refuses.
  bool ready(const device_state<Hw>& s) const {
    return enabled(s) && (finds_layer(s.active(unit::csc)) || stalls(s));
  }

  // Takes the groups of all units: idle again, whatever comes of the layer.
  void take(device_state<Hw>& s) {
    for (std::size_t i = 0; i < units.size(); ++i) group_[i] = s.groups(units[i]).take();
  }

  // Decodes the layer that is in the CBUF. SDP expects a cube of width x height x channels.
  void begin(device_state<Hw>& s, std::uint32_t width, std::uint32_t height,
             std::uint32_t channels) {
    begun_ = true;  // what fails below leaves nothing in the CBUF
    const auto of = [&](std::size_t i) { return view(s.registers, group_[i]); };
    gather(s, of(0));
    auto& data = cbuf_.data.front();
    const auto& weights = cbuf_.weights.front();
    input_ = read_by_csc<Hw>(of(0), data, weights);
    layer_ = decode_convolution<Hw>(of(0), of(1), of(2), of(3), input_, s.memories.settings);
    check_taken(width, height, channels);
    check_weights(weights);
    check_image_lines(Hw::spec, layer_, input_, cbuf_.begin_of_data,
                      cbuf_.room(cbuf_.csc.banks.data));
    reshape(data);
    contents_.width = input_.winograd ? input_.padded_width() / input_.stride_x : input_.width;
    contents_.height = input_.winograd ? data.lines : input_.height;
    contents_.channels = input_.channels;
    contents_.weights = std::move(cbuf_.weights.front().bytes);
    saturated_ = 0;
    fetched_ = cdma_.take_fetched();
    last_fetch_ = std::max(data.fetch, weights.fetch);
    with_core([&](auto& core) {
      if constexpr (requires { core.set_threads(1); })
        core.set_threads(s.memories.settings.threads);
    });
    begin_batch(0);
  }

  // Properties that SDP must agree with: the precision of CACC's results (32 bits each; the bits of
  // fp32 for fp16, memory atom / element bytes lanes a surface) and the mode. Valid after begin().
  hw::precision precision() const { return layer_.precision; }
  bool winograd() const { return layer_.winograd; }

  // The largest magnitude of integer results.
  std::int64_t magnitude() const {
    constexpr std::int64_t any = std::int64_t{1} << 31, product = std::int64_t{1} << 14;
    if (layer_.precision != hw::precision::int8 || layer_.winograd) return any;
    const auto sum = static_cast<std::int64_t>(layer_.kernel_elements()) * product;
    return std::min(any, round_shift(sum, layer_.truncate));
  }

  // Inputs that share the weights: begin() prepares the first, begin_batch(n) each other one, whose
  // surfaces follow then, from 0.
  std::uint32_t batches() const { return input_.batches; }
  void begin_batch(std::uint32_t n) {
    auto& inputs = cbuf_.data.front().batches;
    cbuf_input& contents = contents_;
    if constexpr (Hw::spec.batch)
      if (n != 0) {
        with_core([&](auto& core) { saturated_ += core.saturated(); });
        std::swap(contents, inputs[n - 1]);
      }
    std::swap(contents, inputs[n]);
    with_core([&](auto& core) { core.prepare(layer_, contents_); });
  }

  // The pixels of a surface of results.
  std::size_t pixels() const { return std::size_t{layer_.out_width} * layer_.out_height; }

  // Surface `index` of the accumulator's results, 32 bits for SDP, in one or more parts: f(index of
  // the first result, results).
  template <class F>
  void surface(std::size_t index, const F& f) {
    const auto p = layer_.precision;
    const auto lanes = Hw::spec.memory_atom / hw::element_bytes(p);
    with_core([&](auto& core) {
      if constexpr (requires { core.each_part(index, lanes, index, index, f); }) {
        core.each_part(index, lanes, Hw::spec.kernel_group(p), Hw::spec.mac_atomic_c, f);
      } else {
        values_.resize(std::size_t{layer_.out_width} * layer_.out_height * lanes);
        core.surface(index, lanes, Hw::spec.kernel_group(p), Hw::spec.mac_atomic_c, values_);
        f(std::size_t{0}, std::span<const std::int32_t>(values_));
      }
    });
  }

  void end(device_state<Hw>& s) {
    with_core([&](auto& core) { saturated_ += core.saturated(); });
    cbuf_input& contents = contents_;
    std::swap(contents, cbuf_.data.front().batches[input_.batches - 1]);
    cbuf_.weights.front().bytes = std::move(contents_.weights);
    release(view(s.registers, group_[0]));
    begun_ = false;
    cdma_.run(s, cbuf_);  // an operation that waited for room
    s.registers.set(group_[3], hw::address<Hw::spec.map, "CACC.D_OUT_SATURATION">, saturated_);
    s.template done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group_[3]);
  }

  // Where its results wait for SDP.
  delivery_buffer<Hw>& delivery() { return delivery_; }

  // The counts of CDMA's last operation.
  const convolution_counts& counts() const { return cdma_.counts(); }
  // The contents that CDMA brought for the layer that began last.
  const fetched_input& fetched() const { return fetched_; }
  // The last operation of CDMA that it needed (in_flight).
  std::uint64_t last_fetch() const { return last_fetch_; }

  // The contents of the CBUF that no layer of its own will release: nothing, behind a sound
  // program.
  cbuf_leak leak() const {
    return {.weights = cbuf_.lost + (csc_keeps_weights() ? 0 : cbuf_.weights.entries()),
            .slices = cbuf_.data.count() - std::min(cbuf_.data.count(), cbuf_.csc.kept_slices)};
  }

  void reset() {
    cbuf_ = {};
    cdma_.reset();
    delivery_ = {};
    arrived_ = judged_taker_ = begun_ = false;
  }

 private:
  using view = group_view<Hw::spec.map>;
  static constexpr std::array units{unit::csc, unit::cmac_a, unit::cmac_b, unit::cacc};

  // CACC hands SDP a stream of atoms and says which is the last; SDP counts them through its own
  // cube. So the cubes may differ in shape, but not in the number of atoms: with fewer of CACC SDP
  // waits for ever, with more it ends too early.
  void check_taken(std::uint32_t width, std::uint32_t height, std::uint32_t channels) const {
    const std::uint64_t lanes = Hw::spec.memory_atom / hw::element_bytes(layer_.precision);
    const auto atoms = [&](std::uint64_t w, std::uint64_t h, std::uint64_t c) {
      return w * h * ceil_div(c, lanes);
    };
    const auto given = atoms(layer_.out_width, layer_.out_height, layer_.kernels);
    const auto taken = atoms(width, height, channels);
    require(given == taken, "SDP.D_DATA_CUBE_WIDTH", "the cube has ", taken,
            " atoms of channels, but CACC gives ", given);
    const bool same = layer_.out_width == width && layer_.out_height == height &&
                      layer_.kernels == channels;
    require(same || (!layer_.winograd && input_.batches == 1), "SDP.D_DATA_CUBE_WIDTH",
            "the cube differs from CACC's, which Winograd and batches do not allow");
  }

  // f(the core of the layer's mode and precision).
  template <class F>
  void with_core(F&& f) {
    constexpr auto types = Hw::spec.data_types;
    if constexpr (Hw::spec.winograd && types.fp16)
      if (layer_.winograd && layer_.precision == hw::precision::fp16) return f(fp16_winograd_);
    if constexpr (Hw::spec.winograd)
      if (layer_.winograd) return f(winograd_);
    if constexpr (types.fp16)
      if (layer_.precision == hw::precision::fp16) return f(fp16_);
    if constexpr (types.int16)
      if (layer_.precision == hw::precision::int16) return f(int16_);
    f(int8_);
  }

  static cbuf_division division(const view& csc) {
    return {csc.template count<"CSC.D_BANK.DATA_BANK">(),
            csc.template count<"CSC.D_BANK.WEIGHT_BANK">()};
  }
  bool csc_keeps_weights() const { return cbuf_.csc.keep_weights; }

  // CSC's next layer begins: it releases what stays of the one before and is not reused.
  void arrive(device_state<Hw>& s) {
    if (arrived_ || !s.groups(unit::csc).ready()) return;
    arrived_ = true;
    judged_taker_ = false;
    const auto g = s.active(unit::csc);
    const auto mode = mode_of(g.template on<"CSC.D_DATAIN_FORMAT.DATAIN_FORMAT">(),
                              g.template on<"CSC.D_MISC_CFG.CONV_MODE">());
    reuses_data_ = g.template on<"CSC.D_MISC_CFG.DATA_REUSE">() && mode == cbuf_.csc.mode;
    if (!reuses_data_) cbuf_.release_slices(std::exchange(cbuf_.csc.kept_slices, 0));
    if (!g.template on<"CSC.D_MISC_CFG.WEIGHT_REUSE">()) cbuf_.release_kept_weights();
  }

  bool finds_layer(const view& csc) const { return finds(csc, kernels_of(csc)); }
  bool finds(const view& csc, std::uint32_t kernels) const {
    const auto lines = csc.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">();
    return arrived_ && division(csc) == cbuf_.csc.banks && cbuf_.data.count() >= lines &&
           cbuf_.weights.count() >= kernels;
  }
  static std::uint32_t kernels_of(const view& csc) {
    return csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">();
  }

  // CSC begins with the first group of kernels that it finds, whether CACC is enabled or not, and
  // the CMACs compute (they look at their OP_ENABLE for the gates of their clocks alone). CACC that
  // is enabled when sums have come already begins its counts anew amid a stripe, and has its
  // CLIP_TRUNCATE too late (layer_st and accu_cnt in cacc/NV_NVDLA_CACC_assembly_ctrl.v): wrong
  // values, without a sign.
  void check_taker(device_state<Hw>& s) {
    if (judged_taker_ || !arrived_ || s.groups(unit::cacc).ready()) return;
    const auto csc = s.active(unit::csc);
    const auto group =
        Hw::spec.kernel_group(hw::precision(csc.template u<"CSC.D_MISC_CFG.PROC_PRECISION">()));
    if (!finds(csc, std::min<std::uint32_t>(kernels_of(csc), group))) return;
    judged_taker_ = true;
    s.memories.rules.holds(false, "CACC.D_OP_ENABLE",
                           "CSC is enabled and finds data and weights in the CBUF, but CACC is "
                           "not: sums that come before it is give wrong values");
  }

  // CDMA has brought data and weights for a layer, but not those that CSC waits for.
  bool stalls(const device_state<Hw>& s) const {
    return arrived_ && !s.memories.rules.lenient() && !s.groups(unit::cdma).ready() &&
           !cbuf_.data.empty() && !cbuf_.data.back().begun && !cbuf_.weights.empty();
  }

  // Makes the first blocks of data and weights those of the layer.
  void gather(device_state<Hw>& s, const view& csc) {
    auto& rules = s.memories.rules;
    cbuf_.check_left(rules, true);
    require(reuses_data_ || !cbuf_.data.front().begun, "CSC.D_RELEASE.RLS_SLICES",
            cbuf_.data.front().lines, " slices of the convolution before are never released: CSC "
            "reads them again, not those that CDMA wrote behind them");
    require(!cbuf_.csc.keep_weights || csc.template on<"CSC.D_MISC_CFG.WEIGHT_REUSE">(),
            "CSC.D_WEIGHT_BYTES", "CSC releases ", cbuf_.csc.kept_kernels, " kernels in ",
            cbuf_.csc.kept_entries, " entries that a layer kept, but ", cbuf_.weights.count(),
            " in ", cbuf_.weights.entries(), " are there");
    const auto banks = division(csc), divided = cbuf_.csc.banks;
    require(banks.data == divided.data, "CSC.D_BANK.DATA_BANK", banks.data, " differs from ",
            divided.data, " of CDMA");
    require(banks.weights == divided.weights, "CSC.D_BANK.WEIGHT_BANK", banks.weights,
            " differs from ", divided.weights, " of CDMA");
    gather<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">(rules, csc, cbuf_.data);
    gather<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(rules, csc, cbuf_.weights);
    const auto& weights = cbuf_.weights.front();
    const auto bytes = csc.template bytes<"CSC.D_WEIGHT_BYTES.WEIGHT_BYTES">();
    rules.holds(bytes == weights.layer.weight_bytes, "CSC.D_WEIGHT_BYTES", bytes,
                " differs from ", weights.layer.weight_bytes, " of CDMA");
  }

  // As many slices or kernels as the field says: CSC waits until they are there, and more must be
  // meant for the layers behind.
  template <fixed_string Field, class Block>
  void gather(tolerance& rules, const view& csc, cbuf_ring<Block>& ring) {
    const auto n = csc.template count<Field>();
    require(ring.count() >= n, Field.view(), "CSC waits for ever for ", n, " ", Block::parts,
            ": CDMA brought ", ring.count());
    ring.join(n, [](Block& to, const Block& more) { cbuf<Hw>::append(to, more); });
    rules.holds(ring.front().count() == n || ring.front().keeps(), Field.view(), n,
                " differs from the ", ring.front().count(), " ", Block::parts, " of CDMA");
  }

  void check_weights(const weight_block& w) const {
    const auto used = weight_bytes();
    require(w.bytes.size() >= used, "CDMA.D_WEIGHT_BYTES", layer_.kernels, " kernels of ",
            used, " bytes are more than the ", w.bytes.size(), " that are left in the CBUF");
    require(!w.layer.compressed || w.kernels == layer_.kernels,
            "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL", "of compressed weights all kernels are used");
  }
  std::uint64_t weight_bytes() const {
    return layer_.kernel_elements() * hw::element_bytes(layer_.precision) * layer_.kernels;
  }

  void reshape(input_block& b) {
    const slice_shape from{b.layer.width, b.layer.channels}, to{input_.width, input_.channels};
    if (input_.pixel || input_.winograd || from == to) return;
    for (auto& batch : b.batches) {
      if (input_.precision == hw::precision::int8)
        reshape_slices(Hw::spec, from, to, input_.entries, b.lines, batch.data);
      else if constexpr (has_16_bits<Hw>)
        reshape_slices(Hw::spec, from, to, input_.entries, b.lines, batch.data16);
    }
    b.layer.width = to.width;
    b.layer.channels = to.channels;
  }

  // Releases at the end of CSC's layer, and what CSC remembers.
  void release(const view& csc) {
    auto& data = cbuf_.data.front();
    auto& after = cbuf_.csc;
    after.mode = mode_of(input_.pixel, input_.winograd);
    data.begun = true;
    const auto lines = input_.winograd ? data.lines : input_.height;
    const auto released =
        input_.keep_data ? 0
        : input_.winograd || input_.batches > 1
            ? lines
            : csc.template count<"CSC.D_RELEASE.RLS_SLICES">();
    after.kept_slices = lines - released;
    cbuf_.release_slices(released);

    const auto& weights = cbuf_.weights.front();
    after.keep_weights = input_.keep_weights;
    if (input_.keep_weights) {
      after.kept_kernels = layer_.kernels;
      after.kept_entries = cbuf_.entries_of(csc.template bytes<"CSC.D_WEIGHT_BYTES">());
    } else {
      cbuf_.release_weights(
          weights.layer.compressed ? weights.entries : cbuf_.entries_of(weight_bytes()),
          layer_.kernels);
    }
    arrived_ = false;
  }

  std::array<int, 4> group_{};  // of `units`
  cbuf<Hw> cbuf_{};
  cdma_pipeline<Hw> cdma_{};
  delivery_buffer<Hw> delivery_{};
  bool arrived_ = false;  // CSC has begun its next layer
  bool judged_taker_ = false;  // whether CACC is ready for it
  bool reuses_data_ = false;
  bool begun_ = false;    // between begin() and end()
  fetched_input fetched_{};
  std::uint64_t last_fetch_ = 0;
  cbuf_contents contents_{};
  cdma_layer input_{};
  convolution layer_{};
  convolution_core int8_;
  if_exists<Hw::spec.data_types.int16, int16_core> int16_;
  if_exists<Hw::spec.data_types.fp16, fp16_core> fp16_;
  if_exists<Hw::spec.winograd, winograd_core> winograd_;
  if_exists<Hw::spec.winograd && Hw::spec.data_types.fp16, fp16_winograd_core> fp16_winograd_;
  std::vector<std::int32_t> values_;  // of one surface
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
