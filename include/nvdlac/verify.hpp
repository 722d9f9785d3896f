// SPDX-License-Identifier: Apache-2.0
#pragma once
// The proof of a product: the float network beside its program on the simulator. This header only
// declares, as product.hpp does.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac {

struct verify_options {
  // The right class of each input; none: that of its folder, where pictures are in a folder of
  // classes.
  std::vector<std::size_t> labels{};
  std::size_t inputs = 0;             // that are taken, the first ones; 0: all
  // The inputs, the first ones, on which the errors of layers are compared, which takes about as
  // long as the float network.
  std::size_t inputs_of_layers = verification::few;
  // Called behind each input with its report, the errors of its layers among it.
  std::function<void(const verification::input_report&)> visit{};
};

// Runs each input through the float network as the model has it, the exact integer network and the
// program on the simulator. The report has the errors of outputs and layers, first classes, and
// whether simulator and integer network are equal bit for bit. Samples are preprocessed; pictures
// are read as the product was compiled for. Throws nvdlac::error for what is wrong with the inputs,
// or with labels that are not as many or of no class; a program that is not bit-exact is in the
// report.
//   const auto proof = nvdlac::verify(product, nvdlac::pictures("test/"), {.labels = labels});
// verify/verdict.hpp compares it with thresholds, report/verification.hpp writes it as text.
template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>&, const pictures& inputs,
                            const verify_options& = {});
template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>&, sample_list inputs,
                            const verify_options& = {});
// Verifies the program on a chip, into which the product's loadable, or what should be it, was
// loaded.
template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>&, chip<Hw>&, const pictures& inputs,
                            const verify_options& = {});
template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>&, chip<Hw>&, sample_list inputs,
                            const verify_options& = {});

}  // namespace nvdlac
