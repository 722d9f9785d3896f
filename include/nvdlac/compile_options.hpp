// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of a compilation.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/lower/batch_mode_use.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/observer.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/schedule/choices.hpp>

namespace nvdlac {

// One float tensor for each input of the network, preprocessed as it was trained.
using sample = std::vector<net::float_tensor>;

// Samples that are there already: a vector, an array or a span of them. `{}` makes none, so that an
// argument that is left empty is no list of samples.
struct sample_list : std::span<const sample> {
  template <class Samples>
    requires std::convertible_to<const Samples&, std::span<const sample>>
  sample_list(const Samples& all) : span(all) {}
};

// Where the scales come from: pictures to calibrate with, all there or one after the other, or a
// table.
using scale_source =
    std::variant<std::span<const sample>, quant::sample_stream, quant::scale_table>;

// Called after every calibration sample, or with the trials of a search, with (done, all).
using progress = std::function<void(std::size_t, std::size_t)>;

// Called with what is no error, but casts doubt on the results.
using warning = std::function<void(const problem&)>;

// Called behind the calibration with what the observer of a layer's tensor counted, if it does.
using histogram_reader = std::function<void(const std::string& layer, const quant::magnitudes&)>;

// Called with the schedule that is taken, what it takes as predicted, and what that takes which the
// policy chose, or the file; the two are the same unless a better one was searched for.
using schedule_reader =
    std::function<void(const schedule::saved&, const schedule::price& now,
                       const schedule::price& before)>;

// An observer with its defaults, for compile_options::calibrate.
template <quant::observer Observer>
inline const Observer calibrate_by{};

// The dense convolutions of 3x3 that run in Winograd's mode, where the hardware has it and they are
// predicted to be faster by it: none; those of 16 bits; or those of int8 as well, which lose about
// two bits of their input by it.
enum class winograd_use : std::uint8_t { off, wide, all };

// The most that compile_options::effort can be.
inline constexpr int most_effort = 3;

// Any of the functions may be empty.
struct compile_options {
  std::string network = "network";      // its name in the program
  std::set<std::string> without{};      // passes, and steps of compile_steps.hpp, that do not run
  // The budget of a layer, a picture and a run of the product. The model was read with its own.
  budget limits{};
  // How pixels become the values that the network was trained on. With it the first convolution
  // reads the pixels themselves where the hardware can; without it, or without `pixels`, the host
  // gives int8 values.
  std::optional<net::preprocessing> preprocessing{};
  bool pixels = true;
  // The data type of all layers, or of each. int16 takes its scales from the whole range of values.
  // fp16 takes none, but functions and normalisations need that range; it reads no pixels.
  net::layer_precisions precision{};
  // The layers that the host computes between those of NVDLA.
  host::choice host{};
  // Sigmoid, tanh, erf, SiLU and GELU in straight lines where the configuration has no table for
  // them, see net/approximation.hpp for how near they are.
  bool approximate = false;
  winograd_use winograd = winograd_use::off;
  // Pictures that one run computes, one after the other but for layers that are computed for all,
  // or for several, at once (lower/batch.hpp). Of more than one each has inputs and outputs of its
  // own: "name@1", "name@2", ..
  int batch = 1;
  lower::batch_mode_use batch_mode = lower::batch_mode_use::predicted;  // if the hardware has it
  // Schedules that are tried for a better one than the policy's, or the one given.
  std::size_t optimize = 0;
  // They are judged as register traces run, with weights ahead of their layers.
  bool for_traces = false;
  std::optional<schedule::saved> schedule{};  // instead of the policy's
  nvdlac::progress searching{};
  schedule_reader scheduled{};
  // The memory for which programs are made and compared, if it is not that of the specification;
  // the secondary one with it is `cvsram`.
  std::optional<cost::memory> memory{};
  // The secondary memory (CVSRAM) that the program may use, of configurations that have one, and as
  // it is taken when schedules are compared; cost::cvsram_of(Hw::spec, bytes) is that of the
  // specification. Of 0 bytes, as by default: all stands in DRAM.
  cost::cvsram cvsram{};
  // How many threads work on calibration samples, and search. Nothing but the time depends on it;
  // operators and layers of the host of your own are evaluated by several at once.
  std::size_t threads = 1;
  quant::any_observer calibrate = quant::default_observer{};  // decides each tensor's range
  quant::scale_table known{};  // scales that stay where the others are calibrated
  // How much is done for int8 beyond what costs little: 1, channels are brought to one range as far
  // as that helps the outputs (quant/equalise.hpp); 2, weights and biases are chosen by what layers
  // give for the calibration samples as well (quant/reconstruct.hpp); 3, scales by the error of the
  // outputs, too. All need samples, and no scales that stay. What does not make the outputs clearly
  // better for samples that are held back is not taken, which `warn` is told.
  int effort = 0;
  nvdlac::progress choosing_scales{};  // with (scales done, all)
  nvdlac::progress reconstructing{};   // with (layers done, all)
  nvdlac::progress progress{};
  histogram_reader histogram{};
  // Returns a refusal with what else would help: the options that read the part of the network's
  // file without what is refused.
  std::function<error(const error&)> proposing{};
  // Takes doubts, and what is odd but does no harm, such as a layer of a scale table that the
  // network has not; without it that layer is an error.
  warning warn{};
};

// Options with functions that do nothing where those are empty which a preparation calls without
// asking.
compile_options callable(compile_options o);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/compile_options.ipp>
#endif
