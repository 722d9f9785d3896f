// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/conv/load_input.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/sdp/layer.hpp>

namespace nvdlac::sim {

// An account of what a layer of convolution, SDP and PDP, or of some of them, or of CDP, did, from
// the registers that it ran with and the counts that its units left there. `groups` holds the
// register group of each unit that took part, or -1.
template <hw::hardware Hw>
class layer_account {
 public:
  using groups = std::array<int, unit_names.size()>;

  layer_account(const register_file<Hw::spec.map>& registers, const groups& g)
      : registers_(registers), groups_(g) {}

  // `n`: what SDP counted, should it have taken part, also of statistics that are not enabled.
  // `fetched`: what CDMA brought for a convolution.
  layer_record record(const sdp_counts& n, const fetched_input& fetched) {
    if (ran(unit::cacc)) convolution(fetched);
    if (ran(unit::sdp)) sdp(n);
    if (ran(unit::pdp)) pdp();
    if constexpr (Hw::spec.has_cdp())
      if (ran(unit::cdp)) cdp();
    return r_;
  }

 private:
  using view = group_view<Hw::spec.map>;
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  bool ran(unit u) const { return groups_[static_cast<std::size_t>(u)] >= 0; }
  view of(unit u) const { return {registers_, groups_[static_cast<std::size_t>(u)]}; }

  static std::uint64_t lanes(hw::precision p) { return atom / hw::element_bytes(p); }
  static std::uint64_t surfaces(const cube_size& c) {
    return ceil_div(c.channels, lanes(c.precision));
  }
  static std::uint64_t bytes(const cube_size& c) {
    return std::uint64_t{c.width} * c.height * atom * surfaces(c) * c.batches;
  }

  // RAM_TYPE 1 is DRAM.
  void read(client c, bool dram, std::uint64_t n) { r_.of(c).read[dram ? 0 : 1] += n; }
  void write(client c, bool dram, std::uint64_t n) { r_.of(c).written[dram ? 0 : 1] += n; }

  void enter(std::string_view unit, const cube_size& in) {
    if (r_.units.empty()) r_.in = in;
    else r_.units += ' ';
    r_.units += unit;
  }

  void convolution(const fetched_input& fetched) {
    const auto csc = of(unit::csc), cacc = of(unit::cacc);
    enter("CONV", fetched.in);
    r_.of(client::cdma_dat) = fetched.data;
    r_.of(client::cdma_wt) = fetched.weights;

    const bool winograd = csc.template on<"CSC.D_MISC_CFG.CONV_MODE">();
    const std::uint64_t kernel =
        winograd ? 9  // the 4x4 positions stand for a kernel of 3x3
                 : std::uint64_t{csc.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">()} *
                       csc.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">();
    r_.macs = std::uint64_t{csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">()} *
              csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">() *
              csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">() * kernel *
              csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">() *
              fetched.in.batches;
    r_.saturations += cacc.template u<"CACC.D_OUT_SATURATION">();
    r_.nan_inputs += fetched.nan_data;
  }

  void sdp(const sdp_counts& n) {
    const auto g = of(unit::sdp);
    const auto processed = hw::precision(g.template u<"SDP.D_DATA_FORMAT.PROC_PRECISION">());
    cube_size c{g.template count<"SDP.D_DATA_CUBE_WIDTH.WIDTH">(),
                g.template count<"SDP.D_DATA_CUBE_HEIGHT.HEIGHT">(),
                g.template count<"SDP.D_DATA_CUBE_CHANNEL.CHANNEL">(),
                g.template count<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">(), processed};
    auto in = c;
    if (ran(unit::sdp_rdma)) in.precision = read_sdp(of(unit::sdp_rdma), c);
    enter("SDP", in);
    c.precision = hw::precision(g.template u<"SDP.D_DATA_FORMAT.OUT_PRECISION">());
    r_.out = c;
    // A surface of 8-bit lanes leaves as two of 16 bits, both written whole.
    auto written = c;
    written.channels =
        static_cast<std::uint32_t>(align_up(c.channels, std::max(lanes(processed),
                                                                 lanes(c.precision))));
    if (!g.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">() && !compares(g))
      write(client::sdp, g.template on<"SDP.D_DST_DMA_CFG.DST_RAM_TYPE">(), bytes(written));
    r_.saturations += n.saturated;
    if (!g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">()) r_.nan_inputs += n.nan_in;
    r_.nan_outputs = n.nan_out;
  }

  // EQL only tells whether all elements are equal.
  static bool compares(const view& g) {
    return Hw::spec.has_ew() && !g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">() &&
           !g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">() &&
           g.template u<"SDP.D_DP_EW_CFG.EW_ALU_ALGO">() == 3;
  }

  // The precision of what SDP_RDMA reads.
  hw::precision read_sdp(const view& g, const cube_size& c) {
    auto in = c;
    if (!g.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">()) {
      in.precision = hw::precision(g.template u<"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION">());
      auto whole = in;  // int8 is computed from two surfaces of int16, both read whole
      whole.channels = static_cast<std::uint32_t>(align_up(c.channels, lanes(c.precision)));
      read(client::sdp_rdma, g.template on<"SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
           bytes(whole));
    }
    read_operands<"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE",
                  "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE",
                  "SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE">(client::brdma, g, c);
    read_operands<"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE",
                  "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_SIZE", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_MODE",
                  "SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE">(client::nrdma, g, c);
    if constexpr (Hw::spec.has_ew())
      read_operands<"SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE",
                    "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE",
                    "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE",
                    "SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE">(client::erdma, g, c);
    return in.precision;
  }

  template <fixed_string Disable, fixed_string Use, fixed_string Size, fixed_string Mode,
            fixed_string Ram>
  void read_operands(client which, const view& g, const cube_size& c) {
    if (g.template on<Disable>()) return;
    const std::uint64_t both = g.template u<Use>() == 2 ? 2 : 1;
    const auto pixels = g.template on<Mode>() ? std::uint64_t{c.width} * c.height : 1;
    const auto element = c.precision == hw::precision::fp16 ? 2 : g.template count<Size>();
    read(which, g.template on<Ram>(), pixels * surfaces(c) * lanes(c.precision) * element * both);
  }

  void pdp() {
    const auto g = of(unit::pdp);
    const cube_size in{g.template count<"PDP.D_DATA_CUBE_IN_WIDTH">(),
                       g.template count<"PDP.D_DATA_CUBE_IN_HEIGHT">(),
                       g.template count<"PDP.D_DATA_CUBE_IN_CHANNEL">(), 1,
                       hw::precision(g.template u<"PDP.D_DATA_FORMAT.INPUT_DATA">())};
    enter("PDP", in);
    if (ran(unit::pdp_rdma)) {  // every part but the first reads the columns of the windows again
      const auto kernel = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">();
      const auto stride = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">();
      auto columns = in;
      if (kernel > stride)
        columns.width += (kernel - stride) *
                         g.template u<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">();
      read(client::pdp_rdma, of(unit::pdp_rdma).template on<"PDP_RDMA.D_SRC_RAM_CFG">(),
           bytes(columns));
    }
    r_.out = {g.template count<"PDP.D_DATA_CUBE_OUT_WIDTH">(),
              g.template count<"PDP.D_DATA_CUBE_OUT_HEIGHT">(),
              g.template count<"PDP.D_DATA_CUBE_OUT_CHANNEL">(), 1, in.precision};
    write(client::pdp, g.template on<"PDP.D_DST_RAM_CFG">(), bytes(r_.out));
    r_.nan_inputs += g.template u<"PDP.D_NAN_INPUT_NUM">();
    r_.nan_outputs = g.template u<"PDP.D_NAN_OUTPUT_NUM">();
  }

  void cdp() {
    const auto g = of(unit::cdp), rdma = of(unit::cdp_rdma);
    const cube_size in{rdma.template count<"CDP_RDMA.D_DATA_CUBE_WIDTH">(),
                       rdma.template count<"CDP_RDMA.D_DATA_CUBE_HEIGHT">(),
                       rdma.template count<"CDP_RDMA.D_DATA_CUBE_CHANNEL">(), 1,
                       hw::precision(rdma.template u<"CDP_RDMA.D_DATA_FORMAT">())};
    enter("CDP", in);
    r_.out = in;
    read(client::cdp_rdma, rdma.template on<"CDP_RDMA.D_SRC_DMA_CFG">(), bytes(in));
    write(client::cdp, g.template on<"CDP.D_DST_DMA_CFG">(), bytes(in));
    r_.saturations += g.template u<"CDP.D_OUT_SATURATION">();
    r_.nan_inputs += g.template u<"CDP.D_NAN_INPUT_NUM">();
    r_.nan_outputs = g.template u<"CDP.D_NAN_OUTPUT_NUM">();
  }

  const register_file<Hw::spec.map>& registers_;
  const groups& groups_;
  layer_record r_{};
};

}  // namespace nvdlac::sim
