// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>

#ifdef NVDLAC_MPI
#include <mpi.h>
#endif

#include <nvdlac/base/error.hpp>

#include "usage.hpp"

namespace nvdlac::cli {

namespace {

// Several processes of which each would take itself for the only one.
void refuse_tasks(const char* variable, const char* remedy) {
  if (const char* const size = std::getenv(variable); size != nullptr && std::atoi(size) > 1)
    throw error({.reason = text("was started as one of ", size, " processes that cannot find each "
                                "other by MPI"),
                 .remedy = remedy});
}

}  // namespace

#ifdef NVDLAC_MPI

namespace {

// Whether this process was launched by Open MPI, PMIx (srun), or MPICH and its kin.
bool launched() {
  return std::ranges::any_of(std::array{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"},
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

constexpr auto pause = std::chrono::milliseconds(1);

int length(std::size_t n) {
  if (n > INT_MAX) throw error(text(n, " bytes are too many for one message between ranks"));
  return static_cast<int>(n);
}

}  // namespace

// Calls of MPI, one at a time. The counters are a window into the memory of the first rank, which
// ranks of one machine share; a network without atomics needs calls there to serve other machines.
struct ranks::mpi {
  mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_SERIALIZED)
      throw error("this MPI does not allow calls from several threads");
    shared = share_memory();
    const bool here = rank == 0;
    const MPI_Aint bytes = here ? MPI_Aint{counters * sizeof(std::uint64_t)} : 0;
    constexpr int unit = sizeof(std::uint64_t);
    if (shared) {
      MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
      MPI_Aint size_of_first = 0;
      int unit_of_first = 0;
      MPI_Win_shared_query(window, 0, &size_of_first, &unit_of_first, &memory);
    } else {
      MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    }
    if (here) std::fill_n(memory, counters, std::uint64_t{0});
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (here && !shared) serving = std::jthread([this](std::stop_token s) { serve(s); });
  }
  // Whether all ranks are on one machine; a user may deny it, for a comparison.
  bool share_memory() const {
    const char* const wanted = std::getenv("NVDLAC_SHARED_MEMORY");
    MPI_Comm machine{};
    int there = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &there);
    MPI_Comm_free(&machine);
    int all = there == size && (wanted == nullptr || std::string_view(wanted) != "0");
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
  }
  void serve(const std::stop_token& stop) {
    for (int found = 0; !stop.stop_requested(); std::this_thread::sleep_for(pause)) {
      const std::scoped_lock lock(calls);
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
  }
  void end() {
    serving = {};
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
  }

  int rank = 0, size = 1;
  bool shared = false;
  bool end_together = false;  // all ranks know that something was thrown
  std::uint64_t* memory = nullptr;
  MPI_Win window{};
  std::mutex calls{};
  std::jthread serving{};
};

ranks::ranks(alone_t) {}

ranks::ranks() {
  if (!launched()) {
    refuse_tasks("SLURM_STEP_NUM_TASKS", "start it by srun --mpi=pmix");
    return;
  }
  mpi_ = std::make_unique<mpi>();
  rank_ = static_cast<std::size_t>(mpi_->rank);
  size_ = static_cast<std::size_t>(mpi_->size);
}

ranks::~ranks() {
  if (!mpi_) return;
  if (std::uncaught_exceptions() == 0 || mpi_->end_together || size_ == 1) {
    mpi_->end();
  } else {  // the others would wait for ever; the message comes before
    mpi_->serving = {};
    std::atexit([] { MPI_Abort(MPI_COMM_WORLD, 1); });
  }
}

std::string ranks::on_first(const std::function<std::string()>& f) {
  if (!mpi_) return f();
  std::string value;
  std::exception_ptr thrown;
  if (first()) try {
      value = f();
      length(value.size());
    } catch (...) {
      thrown = std::current_exception();
    }
  wait_for_all();
  const std::scoped_lock lock(mpi_->calls);
  std::int64_t bytes = thrown ? -1 : static_cast<std::int64_t>(value.size());
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  mpi_->end_together = bytes < 0;
  if (thrown) std::rethrow_exception(thrown);
  if (mpi_->end_together) throw said_elsewhere{};
  value.resize(static_cast<std::size_t>(bytes));
  MPI_Bcast(value.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  return value;
}

std::vector<std::string> ranks::to_first(const std::string& own) {
  if (!mpi_) return {own};
  wait_for_all();
  const std::scoped_lock lock(mpi_->calls);
  const int bytes = length(own.size());
  if (!first()) {
    MPI_Send(own.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return {};
  }
  std::vector<std::string> all{own};
  for (int from = 1; from < mpi_->size; ++from) {
    MPI_Status status;
    int size = 0;
    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    auto& text = all.emplace_back(static_cast<std::size_t>(size), '\0');
    MPI_Recv(text.data(), size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return all;
}

void ranks::wait_for_all() {
  if (!mpi_) return;
  MPI_Request request{};
  for (int there = -1; there != 1; std::this_thread::sleep_for(pause)) {
    const std::scoped_lock lock(mpi_->calls);
    if (there < 0) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  }
}

void ranks::together(const std::function<void()>& f) {
  if (size_ == 1) return f();
  std::exception_ptr thrown;
  std::string reason;
  try {
    f();
  } catch (const std::exception& e) {
    thrown = std::current_exception();
    reason = e.what();
  }
  const auto all = to_first(thrown ? reason + ' ' : "");
  on_first([&]() -> std::string {
    if (thrown) std::rethrow_exception(thrown);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].empty()) throw error(text("on rank ", i, ": ", all[i]));
    return "";
  });
}

std::uint64_t ranks::add(counter which, std::uint64_t n) {
  if (!mpi_) return own_[which].fetch_add(n);
  if (mpi_->shared) return std::atomic_ref(mpi_->memory[which]).fetch_add(n);
  const std::scoped_lock lock(mpi_->calls);
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&n, &before, MPI_UINT64_T, 0, static_cast<MPI_Aint>(which), MPI_SUM,
                   mpi_->window);
  MPI_Win_flush(0, mpi_->window);
  return before;
}

#else

struct ranks::mpi {};

ranks::ranks(alone_t) {}
ranks::ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    refuse_tasks(name, "it is built without MPI: install libopenmpi-dev and build it again, or "
                       "start it alone");
}
ranks::~ranks() = default;
std::string ranks::on_first(const std::function<std::string()>& f) { return f(); }
void ranks::together(const std::function<void()>& f) { f(); }
std::vector<std::string> ranks::to_first(const std::string& own) { return {own}; }
void ranks::wait_for_all() {}
std::uint64_t ranks::add(counter which, std::uint64_t n) { return own_[which].fetch_add(n); }

#endif

}  // namespace nvdlac::cli
