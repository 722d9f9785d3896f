// SPDX-License-Identifier: Apache-2.0
#include "pareto_search.hpp"

#include <nvdlac/base/error.hpp>

#ifdef NVDLAC_PAGMO
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#endif

namespace nvdlac::cli::pareto {

#ifdef NVDLAC_PAGMO
namespace {

constexpr unsigned seed = 1;
constexpr std::size_t of_a_generation = 64;
constexpr int idle_generations = 20;  // that ask for nothing new

// What was asked, and how pagmo asks: with a whole number for each range.
struct questions {
  const std::vector<std::size_t>& sizes;
  std::size_t most;
  const judge& ask;
  std::map<std::uint64_t, std::optional<objectives>> answers{};

  std::uint64_t number(const double* genes) const {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      n = n * sizes[i] + static_cast<std::uint64_t>(std::llround(genes[i]));
    return n;
  }
  std::vector<double> answer(const std::vector<double>& genes) {
    std::vector<std::uint64_t> all, open;
    for (std::size_t at = 0; at < genes.size(); at += sizes.size()) {
      all.push_back(number(genes.data() + at));
      if (!answers.contains(all.back()) && !std::ranges::count(open, all.back()) &&
          answers.size() + open.size() < most)
        open.push_back(all.back());
    }
    const auto found = ask(open);
    for (std::size_t i = 0; i < open.size(); ++i) answers.emplace(open[i], found[i]);
    std::vector<double> values;
    for (const auto n : all) {
      const auto known = answers.find(n);
      for (std::size_t i = 0; i < objectives{}.size(); ++i)
        values.push_back(known == answers.end() || !known->second
                             ? std::numeric_limits<double>::max()
                             : static_cast<double>((*known->second)[i]));
    }
    return values;
  }
};

// As pagmo wants a problem; copies ask the same.
struct ranges_problem {
  questions* of = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& genes) const {
    return of->answer(genes);
  }
  pagmo::vector_double batch_fitness(const pagmo::vector_double& genes) const {
    return of->answer(genes);
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    if (of == nullptr) return {{0}, {1}};
    pagmo::vector_double last;
    for (const auto n : of->sizes) last.push_back(static_cast<double>(n - 1));
    return {pagmo::vector_double(last.size(), 0), last};
  }
  pagmo::vector_double::size_type get_nobj() const { return objectives{}.size(); }
  pagmo::vector_double::size_type get_nix() const { return of == nullptr ? 1 : of->sizes.size(); }
};

}  // namespace

void search(const std::vector<std::size_t>& sizes, std::size_t most, const judge& ask) {
  questions asked{.sizes = sizes, .most = most, .ask = ask};
  const pagmo::bfe together{pagmo::member_bfe{}};
  const auto size = std::max<std::size_t>(8, std::min(most, of_a_generation) / 4 * 4);
  pagmo::population people{pagmo::problem{ranges_problem{&asked}}, together, size, seed};
  const auto mutation = 1.0 / static_cast<double>(sizes.size());
  int idle = 0;
  for (unsigned generation = 1; asked.answers.size() < most && idle < idle_generations;
       ++generation) {
    const auto before = asked.answers.size();
    pagmo::nsga2 next{1, 0.95, 10.0, mutation, 50.0, seed + generation};
    next.set_bfe(together);
    people = pagmo::algorithm{std::move(next)}.evolve(people);
    idle = asked.answers.size() == before ? idle + 1 : 0;
  }
}
#else
void search(const std::vector<std::size_t>&, std::size_t, const judge&) {
  throw error(problem{.reason = "this nvdlac was built without a library for the search",
                      .remedy = "install libpagmo-dev and build it again, or give fewer values, "
                                "which are all predicted"});
}
#endif

}  // namespace nvdlac::cli::pareto
