// SPDX-License-Identifier: Apache-2.0
#include "work_queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <nvdlac/base/error.hpp>

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

fs::path journal_of(const fs::path& stem, std::size_t rank) {
  auto path = stem;
  return path += text('-', rank);
}

// Threads that do the same until one throws.
class crew {
 public:
  crew(unsigned threads, std::function<void(const std::atomic<bool>&)> work)
      : working_(threads), work_(std::move(work)) {
    for (unsigned i = 0; i < threads; ++i) try {
        threads_.emplace_back([this] { begin(); });
      } catch (const std::system_error& e) {
        stop_ = true;
        throw error(text(threads, " threads cannot be started: ", e.what()));
      }
  }
  ~crew() { stop_ = true; }

  // False if they are at work still.
  bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, time, [&] { return working_ == 0; })) return false;
    if (thrown_) std::rethrow_exception(thrown_);
    return true;
  }

 private:
  void begin() {
    std::exception_ptr thrown;
    try {
      work_(stop_);
    } catch (...) {
      thrown = std::current_exception();
      stop_ = true;
    }
    const std::scoped_lock lock(mutex_);
    if (!thrown_) thrown_ = thrown;
    if (--working_ == 0) ended_.notify_one();
  }

  std::mutex mutex_{};
  std::condition_variable ended_{};
  unsigned working_;
  std::exception_ptr thrown_{};
  std::atomic<bool> stop_ = false;
  std::function<void(const std::atomic<bool>&)> work_;
  std::vector<std::jthread> threads_{};
};

}  // namespace

work_queue::work_queue(ranks& all, fs::path stem, std::string identity, std::size_t items,
                       judge is_final)
    : all_(all), stem_(std::move(stem)), identity_(std::move(identity)), items_(items),
      is_final_(std::move(is_final)) {
  const auto done = all_.on_first([&] { return open_first(); });
  for (std::size_t i = 0; i < items_; ++i)
    if (done[i] == '0') left_.push_back(i);
  if (!own_) own_.emplace(journal_of(stem_, all_.rank()), identity_);
}

// The first journal locks out other jobs; then ranks of one that was killed may need a moment.
std::string work_queue::open_first() {
  own_.emplace(journal_of(stem_, 0), identity_);
  for (const auto& path : journals())
    if (path != journal_of(stem_, 0)) wait_for_journal(path);
  std::string done(items_, '0');
  damaged_ = read([&](std::size_t number, std::string&& line) {
    if (is_final(line)) done.at(number) = '1';
  });
  return done;
}

std::vector<fs::path> work_queue::journals() const {
  const auto start = stem_.filename().string() + '-';
  const auto folder = stem_.has_parent_path() ? stem_.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(start) && name.size() > start.size() &&
        name.find_first_not_of("0123456789", start.size()) == name.npos)
      found.push_back(stem_.parent_path() / name);
  }
  // Another machine's list of a folder may be older than a rank's journal.
  for (std::size_t rank = 0; rank < all_.size(); ++rank)
    if (const auto path = journal_of(stem_, rank); fs::exists(path)) found.push_back(path);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

std::size_t work_queue::read(const std::function<void(std::size_t, std::string&&)>& visit) const {
  std::size_t damaged = 0;
  for (const auto& path : journals())
    damaged += read_journal(path, identity_, [&](std::size_t number, std::string&& line) {
      if (number >= items_)
        throw error({.file = path.string(), .reason = text("names item ", number, " of ", items_)});
      visit(number, std::move(line));
    });
  return damaged;
}

void work_queue::run(unsigned threads, const work& f, const report& tell_of) {
  const auto before = items_ - left_.size();
  const auto tell = [&] {
    if (tell_of && all_.first()) tell_of(before + all_.add(ranks::finished, 0));
  };
  {
    crew workers(threads, [&](const std::atomic<bool>& stop) {
      while (!stop) {
        const auto at = all_.add(ranks::taken, 1);
        if (at >= left_.size()) return;
        own_->add(left_[at], f(left_[at]));
        all_.add(ranks::finished, 1);
      }
    });
    while (!workers.wait_for(std::chrono::milliseconds(100))) tell();
  }
  own_->flush();
  // The others may have long items still.
  while (all_.first() && all_.add(ranks::finished, 0) < left_.size()) {
    tell();
    std::this_thread::sleep_for(std::chrono::milliseconds(all_.size() > 1 ? 10 : 1));
  }
  all_.wait_for_all();
  tell();
}

std::vector<std::string> work_queue::results() const {
  std::vector<std::string> lines(items_);
  std::vector<bool> there(items_);
  read([&](std::size_t number, std::string&& line) {
    if (there[number] && !is_final(line)) return;
    lines[number] = std::move(line);
    there[number] = true;
  });
  if (std::ranges::count(there, true) != static_cast<std::ptrdiff_t>(items_))
    throw std::logic_error("an item of the queue was not done");
  return lines;
}

void work_queue::forget() {
  const auto remove = [](const fs::path& path) {
    std::error_code failed;  // of a file that is of no more use
    fs::remove(path, failed);
  };
  const auto mine = journal_of(stem_, 0);
  for (const auto& path : journals())
    if (path != mine) remove(path);
  remove(mine);  // the last, as it keeps other jobs out
}

}  // namespace nvdlac::cli
