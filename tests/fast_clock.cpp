// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: the steady clock runs a thousand times as fast, also for those who wait
// on it, so that a test sees in milliseconds what a user sees of commands that take minutes.
#include <cstdint>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::int64_t times_as_fast = 1000, second = 1'000'000'000;

std::int64_t count(const timespec& t) { return t.tv_sec * second + t.tv_nsec; }
timespec time_of(std::int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
}

std::int64_t begin() {
  static const std::int64_t first = [] {
    timespec t{};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return count(t);
  }();
  return first;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* t) noexcept {
  const auto from = begin();
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, t));
  if (result == 0 && clock == CLOCK_MONOTONIC)
    *t = time_of(from + times_as_fast * (count(*t) - from));
  return result;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  auto real = *until;
  if (clock == CLOCK_MONOTONIC)
    real = time_of(begin() + (count(*until) - begin()) / times_as_fast);
  static const auto wait = reinterpret_cast<decltype(&pthread_cond_clockwait)>(
      dlsym(RTLD_NEXT, "pthread_cond_clockwait"));
  return wait(condition, mutex, clock, &real);
}

}  // extern "C"
