// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/pass/fold_constants.hpp>
#include <nvdlac/pass/fuse_relu.hpp>
#include <nvdlac/pass/merge_channels.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/remove_dead.hpp>
#include <nvdlac/pass/remove_identity.hpp>
#include <nvdlac/pass/split_deconvolution.hpp>
#include <nvdlac/pass/split_global_pool.hpp>
#include <nvdlac/pass/split_kernels.hpp>
#include <nvdlac/pass/split_windows.hpp>

namespace nvdlac::pass {

// What every network goes through before its scales are chosen.
using standard = pipeline<remove_dead,
                          fold_constants,
                          remove_identity,
                          merge_bias,
                          merge_batch_norm,
                          fuse_relu,
                          split_deconvolution,
                          split_global_pool,
                          split_windows,
                          split_kernels>;

}  // namespace nvdlac::pass
