// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// Whether CACC may mix up the end of a convolution with that of the one before it
// (hw::confuses_delivery), so that the one behind both ends too early. In the simulator the one
// before is done at once, but on hardware its results may be in the delivery buffer until the
// program has learnt otherwise: by clearing the interrupt of CACC, of SDP, or of PDP behind it, or
// by reading that SDP or PDP is idle. CACC is idle before that.
template <hw::hardware Hw>
class delivery_buffer {
 public:
  using consumers = std::array<int, unit_names.size()>;

  // A layer has been executed; each unit stood at these groups before it and stands at those now.
  void executed(const consumers& before, const consumers& now) {
    const auto interrupt = [&](unit u, std::uint32_t group0) {
      const auto i = static_cast<std::size_t>(u);
      return before[i] == now[i] ? 0 : group0 << before[i];
    };
    const auto own = interrupt(unit::cacc, mask<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">);
    if (own == 0) return;
    told_by_ = own | interrupt(unit::sdp, mask<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">) |
               interrupt(unit::pdp, mask<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">);
    judged_ = false;
  }
  void cleared(std::uint32_t interrupts) {
    if ((interrupts & told_by_) != 0) empty();
  }
  // The program knows that nothing is in the buffer.
  void empty() { told_by_ = 0; }

  // CSC begins the layer of this group, or would if it had not.
  void begin(const group_view<Hw::spec.map>& csc, tolerance& rules) {
    if (judged_) return;
    judged_ = true;
    rules.holds(confused_ == 0, "CACC.D_OP_ENABLE", "the convolution before this one, of ",
                confused_, " atoms, fewer than the ", hw::delivery_buffer(Hw::spec),
                " of CACC's delivery buffer, began before CACC's done of the one before it, which "
                "may have mixed up their ends, and then ends this one too early");
    const auto atoms = atoms_of(csc);
    confused_ = told_by_ != 0 && hw::confuses_delivery(Hw::spec, atoms, cycles_of(csc)) ? atoms : 0;
  }

 private:
  using view = group_view<Hw::spec.map>;

  static hw::precision precision_of(const view& csc) {
    return hw::precision(csc.template u<"CSC.D_MISC_CFG.PROC_PRECISION">());
  }
  static std::uint64_t pixels_of(const view& csc) {
    return std::uint64_t{csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">()} *
           csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">();
  }
  static std::uint64_t kernels_of(const view& csc) {
    return csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">();
  }
  static std::uint64_t atoms_of(const view& csc) {
    return hw::delivered_atoms(Hw::spec, precision_of(csc), pixels_of(csc), kernels_of(csc));
  }
  static std::uint64_t cycles_of(const view& csc) {
    const std::uint64_t lines = csc.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">();
    const auto steps =
        ceil_div(lines, 1u << csc.template u<"CSC.D_POST_Y_EXTENSION.Y_EXTENSION">()) *
        csc.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">() *
        ceil_div(csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">(),
                 Hw::spec.mac_atomic_c);
    return hw::mac_cycles(Hw::spec, precision_of(csc), pixels_of(csc), kernels_of(csc), steps);
  }

  template <fixed_string Field>
  static constexpr std::uint32_t mask = hw::field_of<Hw::spec.map, Field>.mask();

  std::uint32_t told_by_ = 0;  // interrupts that say that the last convolution has left
  bool judged_ = false;        // the layer that CSC computes or waits for
  std::uint64_t confused_ = 0;  // atoms of the layer before, if a tag may be left behind
};

}  // namespace nvdlac::sim
