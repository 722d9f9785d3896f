// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace nvdlac::cli {
namespace {

constexpr std::array ending{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array failing{SIGPIPE, SIGXFSZ};  // the call fails as well

// State that the handler reads; nothing of it changes while the handler removes files.
std::vector<std::string> temporaries;
pthread_t owner;
std::atomic<int> deferring = 0;  // 0 or 1; an atomic bool has a lock on RISC-V
std::atomic<int> deferred = 0;
std::array<struct sigaction, ending.size() + failing.size()> before;
bool installed = false;

static_assert(std::atomic<int>::is_always_lock_free);

// Calls only what a handler may call.
void handle(int number) {
  if (deferring != 0) {
    deferred = number;
  } else if (pthread_equal(pthread_self(), owner) == 0) {
    pthread_kill(owner, number);  // which stands still while it handles the signal
  } else {
    for (const auto& name : temporaries)
      if (unlink(name.c_str()) != 0) rmdir(name.c_str());
    signal(number, SIG_DFL);
    raise(number);
  }
}

void install(int number, void (*handler)(int), struct sigaction& old) {
  sigaction(number, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return;  // as under nohup
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void signal_guard::remove_on_signal(std::vector<std::string> names) {
  temporaries = std::move(names);
  owner = pthread_self();
  deferring = 0;
  deferred = 0;
  std::size_t i = 0;
  for (const int number : ending) install(number, handle, before[i++]);
  for (const int number : failing) install(number, SIG_IGN, before[i++]);
  installed = true;
}

void signal_guard::defer() { deferring = 1; }

signal_guard::~signal_guard() {
  if (!std::exchange(installed, false)) return;
  std::size_t i = 0;
  for (const int number : ending) sigaction(number, &before[i++], nullptr);
  for (const int number : failing) sigaction(number, &before[i++], nullptr);
  if (deferred != 0) raise(deferred);
}

}  // namespace nvdlac::cli
