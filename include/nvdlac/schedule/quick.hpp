// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>

namespace nvdlac::schedule {

// A policy for programs of which thousands are compared: convolutions in two tiles where the next
// one waits for less then, all in the order in which the engines take them early; or all as it is,
// where that is faster. The standard policy compares it with some fifteen others.
struct quick {
  choices operator()(const draft& d) const;
};

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/quick.ipp>
#endif
