// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <set>
#include <string>
#include <utility>

#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/pass/join_gates.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/quant/correct_biases.hpp>
#include <nvdlac/quant/scale_pixels.hpp>
#include <nvdlac/schedule/compress.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac {

// The steps that compile_options::without may name besides the passes: what they do depends on the
// hardware, or on its integers.
inline constexpr std::array steps_for_hardware{
    pass::pass_info{pass::fuse_sum::name, pass::fuse_sum::description},
    pass::pass_info{pass::join_gates::name, pass::join_gates::description},
    pass::pass_info{quant::scale_pixels::name, quant::scale_pixels::description},
    pass::pass_info{quant::scale_filters::name, quant::scale_filters::description},
    pass::pass_info{quant::correct_biases::name, quant::correct_biases::description},
    pass::pass_info{lower::image_input::name, lower::image_input::description},
    pass::pass_info{lower::join_siblings::name, lower::join_siblings::description},
    pass::pass_info{lower::transpose_maps::name, lower::transpose_maps::description},
    pass::pass_info{lower::fold_lines::name, lower::fold_lines::description},
    pass::pass_info{lower::map_order::name, lower::map_order::description},
    pass::pass_info{lower::pace_passes::name, lower::pace_passes::description},
    pass::pass_info{lower::batch_mode::name, lower::batch_mode::description},
    pass::pass_info{schedule::compress::name, schedule::compress::description},
    pass::pass_info{schedule::order::name, schedule::order::description}};
// The names that are of passes, not of steps for the hardware.
std::set<std::string> without_steps(std::set<std::string> names);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/compile_steps.ipp>
#endif
