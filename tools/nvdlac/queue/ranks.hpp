// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nvdlac::cli {

// The processes that work together: the ranks that mpirun, srun or the like started, or this one
// alone. A command makes one of it. What it throws, and what passes its destructor, ends the job.
class ranks {
 public:
  struct alone_t {};
  static constexpr alone_t alone{};
  // This process only, whatever started it; of these there may be many.
  explicit ranks(alone_t);
  // Throws nvdlac::error where a launcher started several, and this tool was built without MPI.
  ranks();
  ~ranks();
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  bool first() const { return rank_ == 0; }

  // Returns what f returns on the first rank, for all. What it throws there is thrown there; the
  // others end in silence, by `said_elsewhere`.
  std::string on_first(const std::function<std::string()>& f);
  // Each rank does f. What was thrown is thrown on the first one, once for all; the others end in
  // silence.
  void together(const std::function<void()>& f);
  // Returns what each rank has, by rank, on the first one; nothing on the others.
  std::vector<std::string> to_first(const std::string&);
  // Until all ranks are here; the processor is free meanwhile.
  void wait_for_all();

  // Numbers that all ranks count with, from 0; any thread may.
  enum counter : std::size_t { taken, finished, counters };
  // The number before n is added.
  std::uint64_t add(counter, std::uint64_t n);

 private:
  struct mpi;

  std::size_t rank_ = 0, size_ = 1;
  std::array<std::atomic<std::uint64_t>, counters> own_{};
  std::unique_ptr<mpi> mpi_{};
};

}  // namespace nvdlac::cli
