// SPDX-License-Identifier: Apache-2.0
#pragma once
// An object in a process of its own, for libraries that bad input makes crash, hang or read what is
// not theirs: whatever happens there, here it is an exception.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>

namespace nvdlac {

// The process is no more: it crashed, sent what it must not, or was stopped because of its limits.
struct lost_process {
  bool out_of_time = false;
};

struct process_limits {
  unsigned seconds = 2;            // of the processor, for all calls together
  unsigned patience = 600;         // seconds until the answer to a call
  std::uint64_t memory = 1 << 30;  // bytes besides what this process has
  std::uint64_t answer = 1 << 30;  // bytes that the answer to a call may take here
};

namespace detail {

template <class Resource>
void limit_resource(Resource what, rlim_t most) {
  rlimit r{};
  ::getrlimit(what, &r);
  r.rlim_cur = std::min(most, r.rlim_max);
  ::setrlimit(what, &r);
}

}  // namespace detail

// Gives the process that calls it so many more seconds of the processor than it was given before.
void allow_processor_time(std::uint64_t seconds);

namespace detail {

// One end of a socket between two processes, through which numbers, texts and lists go.
class channel {
 public:
  struct broken {
    bool out_of_time = false;
  };

  explicit channel(int socket) : socket_(socket) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() { ::close(socket_); }
  int socket() const { return socket_; }

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) append(&value, sizeof value);
    else if constexpr (requires { value.has_value(); }) {
      put(value.has_value());
      if (value) put(*value);
    } else {
      put(std::uint64_t{value.size()});
      if constexpr (std::is_arithmetic_v<typename T::value_type>)
        append(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (const auto& one : value) put(one);
    }
  }
  void flush();

  // Sets how many bytes the values of the next message may take in memory.
  void accept(std::uint64_t bytes) { most_ = bytes; }
  template <class T>
  T get() {
    if constexpr (std::is_same_v<T, bool>) return get<std::uint8_t>() != 0;
    else if constexpr (std::is_arithmetic_v<T>) {
      T value{};
      receive(&value, sizeof value);
      return value;
    } else if constexpr (requires(T t) { t.has_value(); }) {
      return get<bool>() ? T(get<typename T::value_type>()) : T{};
    } else {
      using element = typename T::value_type;
      const auto count = get<std::uint64_t>();
      if (count > most_ / sizeof(element)) throw broken{};
      most_ -= count * sizeof(element);
      T all(static_cast<std::size_t>(count), element{});
      if constexpr (std::is_arithmetic_v<element>)
        receive(all.data(), all.size() * sizeof(element));
      else
        for (auto& one : all) one = get<element>();
      return all;
    }
  }

 private:
  void append(const void* bytes, std::size_t count);
  void send(const char* bytes, std::size_t count);
  void receive(void* to, std::size_t count);

  int socket_;
  std::uint64_t most_ = std::uint64_t{1} << 30;
  std::string waiting_{};
};

// A process that does work(channel) and no more. It has no descriptors but the channel's, so that
// it prints nothing, and it leaves nothing behind.
class child_process {
 public:
  template <class Work>
  child_process(const process_limits& limits, Work work) : child_process(limits.patience) {
    sigset_t all, before;  // handlers of this process must not run in the other one
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    id_ = ::fork();
    if (id_ == 0) be_child(limits, work);
    const int failed = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(std::exchange(other_end_, -1));
    if (id_ < 0) refuse(failed);
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process() { (void)end(); }

  channel& with() { return *channel_; }
  // Ends the process, by force where it does not see that its work is over, and tells how it was.
  lost_process end(bool by_force = false);

 private:
  explicit child_process(unsigned patience);

  [[noreturn]] static void refuse(int reason) {
    throw error("no process can be started: " + std::generic_category().message(reason));
  }
  // Another thread may hold a lock of this program for ever in the copy: only memory, exceptions
  // and the work itself are used there, and what waits for the end of the program never runs.
  template <class Work>
  [[noreturn]] void be_child(const process_limits& limits, Work& work) {
    for (int s = 1; s < NSIG; ++s) std::signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0);  // what a terminal sends to the program is not for its parts
    ::prctl(PR_SET_DUMPABLE, 0);
    ::dup2(other_end_, 0);
    if (::close_range(1, ~0U, 0) != 0)  // an old kernel, or a container that refuses it
      for (int d = 1, end = static_cast<int>(::sysconf(_SC_OPEN_MAX)); d < end; ++d) ::close(d);
    limit_memory(limits.memory);
    detail::limit_resource(RLIMIT_CPU, 1 + rlim_t{limits.seconds});
    try {
      channel c(0);
      work(c);
    } catch (...) {
    }
    ::_exit(0);
  }
  // Besides the pages that it has, which are also those of a sanitizer.
  static void limit_memory(std::uint64_t bytes);

  std::optional<channel> channel_{};
  int other_end_ = -1;
  pid_t id_ = -1;
};

}  // namespace detail

// A T, whose methods are called by `call<&T::method>(arguments)`. Arguments and results are
// numbers, texts, lists and optionals of them; an `error` there is one here. Throws `lost_process`.
// The process is a copy of this one, so that the constructor's arguments need no copy.
template <class T>
class in_own_process {
 public:
  template <class... Args>
  explicit in_own_process(const process_limits& limits, const Args&... args)
      : limits_(limits), child_(limits, [&](detail::channel& c) { serve(c, args...); }) {
    guarded([&] { return answer<bool>(); });
  }

  template <auto Method, class... Args>
  auto call(const Args&... args) {
    return ask<Method>(Method, args...);
  }

 private:
  using step = void (*)(const T&, detail::channel&);  // stands at one place in both processes

  template <auto Method, class R, class... A, class... Args>
  R ask(R (T::*)(A...) const, const Args&... args) {
    const step run = [](const T& t, detail::channel& c) {
      const std::tuple<std::decay_t<A>...> all{c.get<std::decay_t<A>>()...};
      reply(c, [&] {
        return std::apply([&](const auto&... a) { return (t.*Method)(a...); }, all);
      });
    };
    return guarded([&] {
      auto& c = child_.with();
      c.put(reinterpret_cast<std::uintptr_t>(run));
      (c.put(std::decay_t<A>(args)), ...);
      c.flush();
      return answer<R>();
    });
  }
  template <class R>
  R answer() {
    auto& c = child_.with();
    c.accept(limits_.answer);
    if (c.get<bool>()) return c.get<R>();
    std::vector<problem> all;
    const auto texts = c.get<std::vector<std::string>>();
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2)
      all.push_back({.reason = texts[i], .remedy = texts[i + 1]});
    throw error(std::move(all));
  }
  // After anything but an error the two no longer understand each other.
  template <class F>
  auto guarded(F f) {
    try {
      return f();
    } catch (const error&) {
      throw;
    } catch (const detail::channel::broken& b) {
      throw child_.end(b.out_of_time);
    } catch (...) {
      (void)child_.end();
      throw;
    }
  }

  // In the other process. What is made there is never taken down.
  template <class... Args>
  static void serve(detail::channel& c, const Args&... args) {
    const T* t = nullptr;
    reply(c, [&] {
      t = new T(args...);
      return true;
    });
    while (t != nullptr) {
      const auto run = reinterpret_cast<step>(c.get<std::uintptr_t>());
      run(*t, c);
    }
  }
  template <class F>
  static void reply(detail::channel& c, F f) {
    try {
      const auto result = in_file("", f);
      c.put(true);
      c.put(result);
    } catch (const error& e) {
      std::vector<std::string> texts;
      for (const auto& p : e.problems()) texts.insert(texts.end(), {p.reason, p.remedy});
      c.put(false);
      c.put(texts);
    }
    c.flush();
  }

  process_limits limits_;
  detail::child_process child_;
};

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/own_process.ipp>
#endif
