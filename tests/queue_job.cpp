// SPDX-License-Identifier: Apache-2.0
// A job of the queue of `nvdlac sweep` with items that take time and nothing else:
//   job STEM OUTPUT ITEMS MILLISECONDS THREADS [FOLDER]
// works under mpirun or alone, and says what the queue itself took of the processor. In FOLDER each
// process leaves a file by the name of its id, in which it notes the items that it begins.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>

#include <time.h>
#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/files.hpp>

#include <queue/work_queue.hpp>

namespace {

using namespace nvdlac;

double seconds(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void burn(double time) {
  for (const auto end = seconds(CLOCK_THREAD_CPUTIME_ID) + time;
       seconds(CLOCK_THREAD_CPUTIME_ID) < end;) {}
}

// The time that passed on the clock while f ran, and that of all processors for this process.
template <class F>
std::string measured(F f) {
  const auto wall = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
  f();
  return text(seconds(CLOCK_MONOTONIC) - wall, ' ', seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
}

void run(char** given) {
  const std::string stem = given[1], output = given[2], folder = given[6] ? given[6] : "";
  const auto items = std::strtoul(given[3], nullptr, 10);
  const auto time = std::atof(given[4]) / 1000;
  std::ofstream log;
  std::mutex mutex;
  if (!folder.empty()) log.open(folder + '/' + std::to_string(::getpid()));
  cli::ranks all;
  cli::work_queue queue(all, stem, text(items, " items"), items);
  const auto took = measured([&] {
    queue.run(static_cast<unsigned>(std::atoi(given[5])), [&](std::size_t number) {
      if (!folder.empty()) {
        const std::scoped_lock lock(mutex);
        log << number << std::endl;
      }
      burn(time);
      return text("item ", number, ", ", number * number);
    });
  });
  const auto all_took = all.to_first(took);
  if (!all.first()) return;
  std::string content;
  for (const auto& line : queue.results()) content += line + '\n';
  emit::write_file(output, {content.begin(), content.end()});
  queue.forget();
  double used = 0, wall = 0;
  for (const auto& t : all_took) {
    const auto space = t.find(' ');
    wall = std::max(wall, std::atof(t.c_str()));
    used += std::atof(t.c_str() + space);
  }
  std::cout << queue.left() << " items left of " << items << ", " << all.size() << " ranks, "
            << wall << " s; beside the items " << used - static_cast<double>(queue.left()) * time
            << " s of the processor\n";
}

}  // namespace

int main(int count, char** given) {
  if (count < 6) return 2;
  try {
    run(given);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
