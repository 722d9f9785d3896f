// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::runtime {

// While it lives, SIGINT, SIGTERM and SIGHUP wait; behind it they do what they did before. Those
// that are ignored stay so. Several may live at once, in several threads.
class signals_deferred {
 public:
  signals_deferred();
  ~signals_deferred();
  signals_deferred(const signals_deferred&) = delete;
  signals_deferred& operator=(const signals_deferred&) = delete;

  // Whether one has come that waits: who runs in several threads begins nothing more.
  static bool is_awaited();
};

// The session, whose runs no such signal ends in the middle, so that Ctrl-C leaves a board's NVDLA
// idle: a program that is ended while a layer runs leaves a busy device behind, which nobody can
// use until it is reset. It takes as long as the run, or as the patience of a layer that hangs.
std::unique_ptr<any_session> whole_runs(std::unique_ptr<any_session> session);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/whole_runs.ipp>
#endif
