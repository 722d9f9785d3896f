// SPDX-License-Identifier: Apache-2.0
// The definitions of the steps from a trained network to integers.
#pragma once
#include <nvdlac/impl/lower/float_rules.ipp>
#include <nvdlac/impl/prepare.ipp>
#include <nvdlac/impl/standard_steps.ipp>
