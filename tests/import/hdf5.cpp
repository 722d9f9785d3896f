// SPDX-License-Identifier: Apache-2.0
// The process that HDF5's library has for itself: what fails there is an error here.
#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/own_process.hpp>
#include <nvdlac/import/hdf5.hpp>

#include "files.hpp"
#include "keras_model.hpp"

using namespace nvdlac;

namespace {

using texts = std::vector<std::string>;

// A library with all that one can do to its program.
class faulty {
 public:
  explicit faulty(const std::string& kept) : kept_(kept) {
    if (kept.empty())
      throw error(problem{.reason = "there is nothing", .remedy = "give something"});
  }
  texts both(const std::string& a, std::uint64_t n) const { return {kept_ + a, std::to_string(n)}; }
  std::optional<std::string> none() const { return std::nullopt; }
  std::vector<float> floats(std::uint64_t n) const { return std::vector<float>(n, 1.5F); }
  bool abort() const { std::abort(); }
  bool read_nothing() const { return *static_cast<const volatile char*>(nullptr) == 0; }
  bool leave() const { ::_exit(0); }
  bool hang() const {
    volatile bool on = true;
    while (on) {}
    return on;
  }
  bool wait() const {
    for (;;) ::pause();
  }
  bool complain() const { throw error(problem{.reason = "it is so", .remedy = "do that"}); }
  bool prints() const { return std::fputs("this is not to be seen\n", stderr) >= 0; }

 private:
  const std::string& kept_;
};
using other = in_own_process<faulty>;

const std::string kept = "kept ";

template <auto Method>
std::string fate_of(const process_limits& limits) {
  std::optional<other> o;
  for (int i = 0; i < 2; ++i) {  // is known the second time, too
    try {
      if (!o) o.emplace(limits, kept);
      (void)o->call<Method>();
      return "nothing";
    } catch (const lost_process& lost) {
      if (i == 1) return "lost";
      if (lost.out_of_time) return "out of time";
    }
  }
  return "";
}
std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

}  // namespace

TEST_CASE("an object in another process answers, and tells its errors") {
  other o({}, kept);
  CHECK(o.call<&faulty::both>(std::string("text"), 7U) == texts{"kept text", "7"});
  CHECK_FALSE(o.call<&faulty::none>());
  CHECK(o.call<&faulty::floats>(3'000'000U) == std::vector<float>(3'000'000, 1.5F));
  CHECK(complaints([&] { (void)o.call<&faulty::complain>(); }) == "it is so (do that)");
  (void)o.call<&faulty::prints>();
  CHECK(complaints([] { other({}, std::string()); }) == "there is nothing (give something)");
  CHECK(o.call<&faulty::both>(std::string(), 1U) == texts{"kept ", "1"});
  other large({}, kept);
  std::string fate;
  try {
    (void)large.call<&faulty::floats>(std::uint64_t{1} << 40);
  } catch (const error& e) {
    fate = e.what();
  } catch (const lost_process&) {
    fate = "the allocator of a sanitizer ends a process without memory";
  }
  CHECK(mentions(fate, "memory"));
  other small({.answer = 1000}, kept);
  CHECK_THROWS_AS((void)small.call<&faulty::floats>(std::uint64_t{251}), lost_process);
}

TEST_CASE("a process that crashes or hangs is told, and nothing is left of it") {
  const auto before = descriptors();
  CHECK(fate_of<&faulty::abort>({}) == "lost");
  CHECK(fate_of<&faulty::read_nothing>({}) == "lost");
  CHECK(fate_of<&faulty::leave>({}) == "lost");
  CHECK(fate_of<&faulty::hang>({.seconds = 0}) == "out of time");
  CHECK(fate_of<&faulty::wait>({.patience = 1}) == "out of time");
  CHECK(descriptors() == before);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("processes of several threads end in any order, and signals do not disturb them") {
  struct sigaction own{}, before{};
  own.sa_handler = [](int) {};  // without SA_RESTART: calls are interrupted
  sigaction(SIGUSR1, &own, &before);
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> answers(4);
  for (auto& n : answers)
    threads.emplace_back([&n] {
      for (int i = 0; i < 20; ++i) {
        std::optional<other> first(std::in_place, process_limits{}, kept);
        other second({}, kept);
        n += second.call<&faulty::floats>(std::uint64_t{100'000}).size();
        first.reset();
        n += second.call<&faulty::both>(kept, 1U).size();
      }
    });
  for (int i = 0; i < 200; ++i)
    for (auto& t : threads) pthread_kill(t.native_handle(), SIGUSR1);
  for (auto& t : threads) t.join();
  sigaction(SIGUSR1, &before, nullptr);
  CHECK(answers == std::vector<std::uint64_t>(4, 20 * 100'002));
}

#ifdef NVDLAC_KERAS

TEST_CASE("HDF5 files that are sound, cut off, and read without end by the library") {
  keras_model::writer w;
  w.text("", "all", {"of", "one"});
  w.text("", "one", {"of any length"}, true);
  w.dataset("/group/values", {"", {2, 3}}, true);
  const auto sound = w.content();
  {
    const import::hdf5_file f(sound, {}), again(sound, {});
    CHECK(f.children("") == texts{"group"});
    CHECK_FALSE(f.has("group/other"));
    CHECK(f.words("", "all") == texts{"of", "one"});
    CHECK(again.word("", "one") == "of any length");
    CHECK_FALSE(f.word("", "absent"));
    CHECK(mentions(complaints([&] { (void)f.word("", "all"); }), "no single text"));
    const auto a = f.read("group/values");
    CHECK(a.shape == import::hdf5_file::dims{2, 3});
    CHECK(a.reals == keras_model::values_of({"", {2, 3}}));
  }
  CHECK(mentions(complaints([&] { import::hdf5_file(sound.substr(0, sound.size() / 2), {}); }),
                 "no sound HDF5 file"));
  // The room left in the collection of texts has no size, and the text that is asked for no number.
  auto damaged = sound;
  const auto first = damaged.find("GCOL") + 16;
  damaged[first] = '\x70';
  damaged.replace(first + 32, 16, 16, '\0');
  const auto complaint = complaints([&] {
    (void)nvdlac::in_file("net.h5", [&] { return import::hdf5_file(damaged, {}).word("", "one"); });
  });
  CAPTURE(complaint);
  CHECK((mentions(complaint, "net.h5: it is no sound HDF5 file: HDF5's library reads it without") ||
         mentions(complaint, "net.h5: its attribute 'one' cannot be read")));
}

#endif
