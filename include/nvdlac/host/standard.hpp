// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that nvdlac's host knows.
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/hard_max.hpp>
#include <nvdlac/host/log_softmax.hpp>
#include <nvdlac/host/lp_normalise.hpp>
#include <nvdlac/host/lrn_within_channel.hpp>
#include <nvdlac/host/mean_variance.hpp>
#include <nvdlac/host/net_operators.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/type_list.hpp>

namespace nvdlac::host {

// Those that no engine runs on any configuration.
using host_operators = type_list<softmax, log_softmax, arg_max, hard_max, lrn_within_channel,
                                 lp_normalise, mean_variance, stochastic_pool>;

}  // namespace nvdlac::host
