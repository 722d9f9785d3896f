// SPDX-License-Identifier: Apache-2.0
// By std::jthreads; what ranks do, queue_jobs.py asks.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>

#include <tools/nvdlac/queue/work_queue.hpp>

#include "cli.hpp"

using nvdlac::cli::ranks;
using nvdlac::cli::work_queue;

namespace {

std::string squared(std::size_t n) { return std::to_string(n * n); }

}  // namespace

TEST_CASE("a queue does each item once, with any number of threads") {
  for (const unsigned threads : {1u, 3u, 16u}) {
    const scratch dir;
    ranks alone(ranks::alone);
    work_queue queue(alone, dir.path / "journal", "squares", 500);
    std::vector<std::atomic<int>> times(500);
    std::atomic<std::size_t> told = 0;
    queue.run(threads, [&](std::size_t n) { return ++times[n], squared(n); },
              [&](std::size_t done) { told = done; });
    CHECK(std::ranges::all_of(times, [](const auto& t) { return t == 1; }));
    CHECK(told == 500);
    const auto results = queue.results();
    REQUIRE(results.size() == 500);
    for (std::size_t n = 0; n < 500; ++n) CHECK(results[n] == squared(n));
    queue.forget();
    CHECK(dir.files() == 0);
  }
}

TEST_CASE("a queue goes on where another one was stopped") {
  const scratch dir;
  {
    ranks alone(ranks::alone);
    work_queue queue(alone, dir.path / "journal", "squares", 50);
    const auto stopping = [](std::size_t n) {
      if (n == 20) throw std::runtime_error("it stops");
      return squared(n);
    };
    CHECK_THROWS_WITH(queue.run(2, stopping), "it stops");
  }
  // As another rank had left it.
  std::filesystem::rename(dir.path / "journal-0", dir.path / "journal-17");
  ranks alone(ranks::alone);
  work_queue queue(alone, dir.path / "journal", "squares", 50);
  CHECK(queue.left() < 32);
  CHECK(queue.left() >= 1);  // the other thread does items until it sees the stop
  std::size_t again = 0;
  queue.run(1, [&](std::size_t n) { return ++again, squared(n); });
  CHECK(again == queue.left());
  CHECK(queue.results()[20] == "400");
  CHECK(queue.results()[49] == squared(49));
  queue.forget();
  CHECK(dir.files() == 0);
}

TEST_CASE("a queue of nothing, of everything that is done, and of other work") {
  const scratch dir;
  ranks alone(ranks::alone);
  work_queue nothing(alone, dir.path / "nothing", "x", 0);
  nothing.run(2, squared);
  CHECK(nothing.results().empty());
  for (int i = 0; i < 2; ++i) {
    ranks me(ranks::alone);
    work_queue queue(me, dir.path / "all", "x", 3);
    CHECK(queue.left() == (i == 0 ? 3 : 0));
    queue.run(2, squared);
    CHECK(queue.results() == std::vector<std::string>{"0", "1", "4"});
  }
  CHECK_THROWS_AS(work_queue(alone, dir.path / "all", "y", 3), nvdlac::error);
  CHECK_THROWS_AS(work_queue(alone, dir.path / "absent" / "all", "y", 3), nvdlac::error);
}

TEST_CASE("what is not final is done again, and the final line counts") {
  const scratch dir;
  const auto is_final = [](std::string_view line) { return line != "unfinished"; };
  const auto run = [&](const char* more) {
    ranks alone(ranks::alone);
    work_queue queue(alone, dir.path / "journal", "items", 6, is_final);
    queue.run(2, [&](std::size_t n) { return n % 2 == 0 ? squared(n) : std::string(more); });
    return std::pair(queue.left(), queue.results());
  };
  const auto [all, first] = run("unfinished");
  CHECK(all == 6);
  CHECK(first ==
        std::vector<std::string>{"0", "unfinished", "4", "unfinished", "16", "unfinished"});
  const std::vector<std::string> whole{"0", "done", "4", "done", "16", "done"};
  const auto [some, second] = run("done");
  CHECK(some == 3);
  CHECK(second == whole);
  const auto [none, third] = run("unfinished");
  CHECK(none == 0);
  CHECK(third == whole);
}
