// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/own_process.hpp>

namespace nvdlac {

NVDLAC_IMPL void allow_processor_time(std::uint64_t seconds) {
  rlimit r{};
  ::getrlimit(RLIMIT_CPU, &r);
  if (seconds != 0 && r.rlim_cur != RLIM_INFINITY)
    detail::limit_resource(RLIMIT_CPU, r.rlim_cur + seconds);
}

namespace detail {

NVDLAC_IMPL void channel::flush() {
  send(waiting_.data(), waiting_.size());
  waiting_.clear();
}

NVDLAC_IMPL void channel::append(const void* bytes, std::size_t count) {
  if (count > 1 << 16) {
    flush();
    send(static_cast<const char*>(bytes), count);
  } else {
    waiting_.append(static_cast<const char*>(bytes), count);
  }
}

NVDLAC_IMPL void channel::send(const char* bytes, std::size_t count) {
  while (count != 0) {
    const auto sent = ::send(socket_, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw broken{errno == EAGAIN};
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

NVDLAC_IMPL void channel::receive(void* to, std::size_t count) {
  for (auto* bytes = static_cast<char*>(to); count != 0;) {
    const auto got = ::recv(socket_, bytes, count, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw broken{got < 0 && errno == EAGAIN};
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
}

NVDLAC_IMPL lost_process child_process::end(bool by_force) {
  if (id_ <= 0) return {};
  const auto id = std::exchange(id_, -1);
  ::shutdown(channel_->socket(), SHUT_RDWR);
  if (by_force) ::kill(id, SIGKILL);
  int status = 0;
  while (::waitpid(id, &status, 0) < 0)
    if (errno != EINTR) return {by_force};
  return {by_force || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)};
}

NVDLAC_IMPL child_process::child_process(unsigned patience) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse(errno);
  channel_.emplace(ends[0]);
  other_end_ = ends[1];
  const timeval time{.tv_sec = static_cast<std::time_t>(patience), .tv_usec = 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

NVDLAC_IMPL void child_process::limit_memory(std::uint64_t bytes) {
  char pages[32] = {};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const auto got = ::read(file, pages, sizeof pages - 1);
  ::close(file);
  if (got <= 0) return;
  const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  limit_resource(RLIMIT_AS, std::strtoull(pages, nullptr, 10) * size + bytes);
}

}  // namespace detail

}  // namespace nvdlac
