// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of nvdlac's own operators.
#include <nvdlac/quant/activation.hpp>
#include <nvdlac/quant/clipping.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/host.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/lrn.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quant/prelu.hpp>
