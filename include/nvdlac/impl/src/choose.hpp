// SPDX-License-Identifier: Apache-2.0
// The definitions of what makes the programs of integers: hardware layers and the choices among
// them.
#pragma once
#include <nvdlac/impl/choose/batch.ipp>
#include <nvdlac/impl/choose/lines.ipp>
#include <nvdlac/impl/choose/maker.ipp>
#include <nvdlac/impl/choose/map_order.ipp>
#include <nvdlac/impl/choose/planned.ipp>
#include <nvdlac/impl/choose/scheduled.ipp>
#include <nvdlac/impl/choose/siblings.ipp>
#include <nvdlac/impl/choose/transposed.ipp>
#include <nvdlac/impl/cost/lower_bound.ipp>
#include <nvdlac/impl/explore.ipp>
#include <nvdlac/impl/option_words.ipp>
#include <nvdlac/impl/lower/compiled_target.ipp>
#include <nvdlac/impl/lower/lower_graph.ipp>
#include <nvdlac/impl/lower/passes.ipp>
#include <nvdlac/impl/lower/image_orders.ipp>
#include <nvdlac/impl/lower/winograd_choice.ipp>
#include <nvdlac/impl/target_steps.ipp>
