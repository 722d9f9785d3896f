// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace nvdlac::board {

namespace {

constexpr std::uintptr_t page = 4096;
constexpr greg_t single_step = 0x100;  // the trap flag
constexpr greg_t was_write = 2;        // of the page fault's code

struct window {
  std::atomic<std::uintptr_t> begin{0};
  std::size_t size = 0;
  unit* of = nullptr;
};
std::array<window, 16> windows;

// The access to a register that this thread is about to make.
struct access {
  unit* of = nullptr;
  std::uintptr_t at = 0;
  std::uint32_t address = 0;
  bool writes = false;
};
[[gnu::tls_model("initial-exec")]] thread_local access pending;

struct sigaction others_fault, others_trap;

window* window_of(std::uintptr_t at) {
  for (auto& w : windows)
    if (const auto begin = w.begin.load(); begin != 0 && at >= begin && at < begin + w.size)
      return &w;
  return nullptr;
}

void protect(std::uintptr_t at, int access) {
  ::mprotect(reinterpret_cast<void*>(at / page * page), page, access);
}

void pass_on(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
  if ((to.sa_flags & SA_SIGINFO) != 0 && to.sa_sigaction != nullptr) {
    to.sa_sigaction(signal, info, context);
  } else if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) {
    to.sa_handler(signal);
  } else {  // the instruction fails once more, and ends the process
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    const auto real = reinterpret_cast<decltype(&::sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
    real(signal, &usual, nullptr);
  }
}

void faulted(int signal, siginfo_t* info, void* context) {
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  auto* const w = window_of(at);
  if (w == nullptr) return pass_on(others_fault, signal, info, context);
  pending = {w->of, at, static_cast<std::uint32_t>(at - w->begin),
             (registers[REG_ERR] & was_write) != 0};
  const auto value = pending.writes ? 0 : pending.of->read(pending.address);
  protect(at, PROT_READ | PROT_WRITE);
  if (!pending.writes) std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  registers[REG_EFL] |= single_step;
}

void stepped(int signal, siginfo_t* info, void* context) {
  if (pending.of == nullptr) return pass_on(others_trap, signal, info, context);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~single_step;
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(pending.at), sizeof value);
  protect(pending.at, PROT_NONE);
  const auto done = pending;
  pending = {};
  if (done.writes) done.of->write(done.address, value);
}

// Ours stay installed, whatever the program installs afterwards.
void install() {
  static const bool once = [] {
    const auto real = reinterpret_cast<decltype(&::sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
    struct sigaction ours {};
    ours.sa_flags = SA_SIGINFO | SA_NODEFER;
    ours.sa_sigaction = faulted;
    real(SIGSEGV, &ours, &others_fault);
    ours.sa_sigaction = stepped;
    real(SIGTRAP, &ours, &others_trap);
    return true;
  }();
  static_cast<void>(once);
}
std::atomic<bool> is_installed = false;

}  // namespace

void* map_registers(unit& of, std::size_t size) {
  install();
  is_installed = true;
  for (auto& w : windows) {
    if (w.begin != 0) continue;
    void* const at = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    w.size = size;
    w.of = &of;
    w.begin = reinterpret_cast<std::uintptr_t>(at);
    return at;
  }
  return nullptr;
}

bool unmap_registers(void* pages) {
  auto* const w = window_of(reinterpret_cast<std::uintptr_t>(pages));
  if (w == nullptr) return false;
  w->begin = 0;
  return true;
}

bool keep_action(int signal, const struct sigaction* wanted, struct sigaction* before) {
  if (!is_installed || (signal != SIGSEGV && signal != SIGTRAP)) return false;
  auto& kept = signal == SIGSEGV ? others_fault : others_trap;
  const auto was = kept;
  if (wanted != nullptr) kept = *wanted;
  if (before != nullptr) *before = was;
  return true;
}

}  // namespace nvdlac::board
