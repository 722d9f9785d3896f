// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/file.hpp>

namespace nvdlac::cli {

std::string checksum(std::string_view content) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : content) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits(16, '0');
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, sum >>= 4)
    *at = "0123456789abcdef"[sum & 15];
  return digits;
}

namespace {

namespace fs = std::filesystem;

constexpr auto patience = std::chrono::seconds(10);  // with ranks of a job that is being killed
constexpr auto syncs = std::chrono::milliseconds(500);

// "SUM CONTENT", and its content if the sum is right.
std::string sealed(std::string_view content) {
  return checksum(content).append(" ").append(content);
}
std::optional<std::string_view> unsealed(std::string_view line) {
  if (line.size() < 17 || line[16] != ' ' || line.substr(0, 16) != checksum(line.substr(17)))
    return std::nullopt;
  return line.substr(17);
}

std::span<const std::uint8_t> bytes_of(const std::string& s) {
  return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()};
}

std::string head(std::string_view identity) { return text("journal of ", identity); }

// A journal is a file of its own: what has its name and leads elsewhere, or waits for somebody,
// stays as it is.
descriptor opened(const fs::path& path, int flags) {
  auto file = open_at_once(path, flags | O_NOFOLLOW);
  if (!file && errno != ELOOP) emit::detail::cannot_write(path, errno);
  if (!file || !file.is_regular())
    throw error({.file = path.string(),
                 .reason = file ? "is no regular file" : "is a symbolic link",
                 .remedy = "results are kept there until the table is complete: remove it, or name "
                           "another output"});
  return file;
}

void lock(const descriptor& file, const fs::path& path) {
  for (const auto end = std::chrono::steady_clock::now() + patience; !file.lock_now();
       std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > end)
      throw error({.file = path.string(),
                   .reason = "cannot be locked: " + std::generic_category().message(errno),
                   .remedy = "another process may be at the same work"});
}

[[noreturn]] void refuse_other_work(const fs::path& path) {
  throw error({.file = path.string(), .reason = "holds the results of other work",
               .remedy = "remove it, or name another output"});
}

// Whatever is no beginning of this journal stays as it is.
void check_head(const descriptor& file, const fs::path& path, std::string_view identity) {
  const auto wanted = sealed(head(identity)) + '\n';
  std::string start(wanted.size(), '\0');
  const auto got = file.read(start, 0);
  if (got < 0) emit::detail::cannot_write(path, errno);
  if (!wanted.starts_with(start.substr(0, static_cast<std::size_t>(got)))) refuse_other_work(path);
}

// The bytes up to the end of the last line.
std::uintmax_t whole_lines(const fs::path& path) {
  data::file_stream in(path);
  std::uintmax_t whole = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) whole += line.size() + 1;
  return whole;
}

}  // namespace

journal::journal(const fs::path& path, std::string_view identity)
    : path_(path), file_(opened(path, O_RDWR | O_CREAT | O_APPEND)) {
  lock(file_, path);
  check_head(file_, path, identity);
  const auto whole = whole_lines(path);
  if (::ftruncate(file_.number(), static_cast<off_t>(whole)) != 0)
    emit::detail::cannot_write(path, errno);
  if (whole == 0) write(head(identity));
  read_journal(path, identity, [](std::size_t, std::string&&) {});
  syncing_ = std::jthread([this](const std::stop_token& stop) { keep_on_disk(stop); });
}

journal::~journal() = default;

void journal::add(std::size_t number, std::string_view line) {
  if (line.find('\n') != line.npos) throw std::logic_error("a line of a journal has an end in it");
  write(text(number, ' ', line));
}

void journal::write(std::string_view content) {
  const auto line = sealed(content) + '\n';
  const std::scoped_lock hold(mutex_);
  if (failed_ != 0) emit::detail::cannot_write(path_, failed_);
  if (!file_.write(bytes_of(line))) {
    failed_ = errno;
    emit::detail::cannot_write(path_, failed_);
  }
  dirty_ = true;
  changed_.notify_one();
}

void journal::flush() {
  const std::scoped_lock hold(mutex_);
  if (failed_ != 0 || !file_.sync()) emit::detail::cannot_write(path_, failed_ ? failed_ : errno);
}

void journal::keep_on_disk(const std::stop_token& stop) {
  std::unique_lock hold(mutex_);
  while (changed_.wait(hold, stop, [&] { return dirty_; })) {
    dirty_ = false;
    hold.unlock();
    const int number = file_.sync() ? 0 : errno;
    hold.lock();
    if (number != 0) failed_ = number;
    std::condition_variable_any never;
    never.wait_for(hold, stop, syncs, [] { return false; });
  }
}

std::size_t read_journal(const fs::path& path, std::string_view identity,
                         const std::function<void(std::size_t, std::string&&)>& visit) {
  data::file_stream in(path);
  std::size_t damaged = 0;
  bool at_head = true;
  for (std::string line; std::getline(in, line) && !in.eof(); at_head = false) {
    const auto content = unsealed(line);
    if (at_head) {
      if (content && *content == head(identity)) continue;
      refuse_other_work(path);
    }
    std::size_t number = 0;
    const auto* const end = content ? content->data() + content->size() : nullptr;
    const auto [next, wrong] =
        content ? std::from_chars(content->data(), end, number)
                : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (wrong != std::errc() || next == end || *next != ' ') ++damaged;
    else visit(number, std::string(next + 1, end));
  }
  return damaged;
}

void wait_for_journal(const fs::path& path) {
  lock(opened(path, O_RDWR), path);
}

}  // namespace nvdlac::cli
