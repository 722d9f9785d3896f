// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal.hpp"
#include "ranks.hpp"

namespace nvdlac::cli {

// Items with numbers from 0, each done once by some thread of some rank. Each rank writes what came
// of its items into a journal of its own, STEM-RANK, so that any number of ranks continues where
// any other was stopped.
class work_queue {
 public:
  // Whether a line is the last word about its item.
  using judge = std::function<bool(std::string_view line)>;
  // Reads what is done already; an item whose line is not final is done again. `identity` tells the
  // work from other work. Throws nvdlac::error.
  work_queue(ranks&, std::filesystem::path stem, std::string identity, std::size_t items,
             judge is_final = {});

  std::size_t size() const { return items_; }
  std::size_t left() const { return left_.size(); }  // that are not done at the start
  // Lines of journals that are damaged, whose items are done again; the first rank knows.
  std::size_t damaged() const { return damaged_; }

  // A line without its end for the item of this number. It tells of failures in the line: what it
  // throws ends the job.
  using work = std::function<std::string(std::size_t)>;
  // Called from time to time on the first rank with the number of items that all ranks have done.
  using report = std::function<void(std::size_t)>;
  // Returns when all ranks are through.
  void run(unsigned threads, const work&, const report& = {});

  // The lines of all items by number, on the first rank; of an item that was done again the final
  // one.
  std::vector<std::string> results() const;
  // Removes the journals; for the first rank, when the results are in a better place.
  void forget();

 private:
  std::vector<std::filesystem::path> journals() const;
  std::size_t read(const std::function<void(std::size_t, std::string&&)>&) const;
  std::string open_first();
  bool is_final(std::string_view line) const { return !is_final_ || is_final_(line); }

  ranks& all_;
  std::filesystem::path stem_;
  std::string identity_;
  std::size_t items_, damaged_ = 0;
  judge is_final_;
  std::vector<std::size_t> left_{};
  std::optional<journal> own_{};
};

}  // namespace nvdlac::cli
