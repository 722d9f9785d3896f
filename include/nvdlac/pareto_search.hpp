// SPDX-License-Identifier: Apache-2.0
#pragma once
// A search for combinations of which no other is as good in all objectives, where there are too
// many to judge them all. It needs libpagmo, for a program that is compiled with NVDLAC_PAGMO.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <nvdlac/base/version.hpp>

#ifdef NVDLAC_PAGMO
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#endif

namespace nvdlac::pareto {

using objectives = std::vector<std::uint64_t>;  // each is to be small
// Tells of each combination, by its number, what is to be small; nullopt: it is none to choose.
using judge =
    std::function<std::vector<std::optional<objectives>>(const std::vector<std::uint64_t>&)>;

// Tells whether a combination may be asked for.
using predicate = std::function<bool(std::uint64_t)>;

#ifdef NVDLAC_PAGMO
namespace detail {

inline constexpr unsigned seed = 1;
inline constexpr std::size_t of_a_generation = 64;
inline constexpr int idle_generations = 20;  // that ask for nothing new

// The questions asked and their answers, and how pagmo asks: with a whole number for each range.
struct questions {
  const std::vector<std::size_t>& sizes;
  std::size_t most, objectives_of_one;
  const predicate& is_legal;
  const judge& ask;
  std::map<std::uint64_t, std::optional<objectives>> answers{};

  std::uint64_t number(const double* genes) const {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      n = n * sizes[i] + static_cast<std::uint64_t>(std::llround(genes[i]));
    return n;
  }
  std::vector<double> genes(std::uint64_t n) const {
    std::vector<double> all(sizes.size());
    for (auto i = sizes.size(); i-- > 0; n /= sizes[i])
      all[i] = static_cast<double>(n % sizes[i]);
    return all;
  }
  std::vector<double> answer(const std::vector<double>& of_all) {
    std::vector<std::uint64_t> all, open;
    for (std::size_t at = 0; at < of_all.size(); at += sizes.size()) {
      all.push_back(number(of_all.data() + at));
      if (!answers.contains(all.back()) && !std::ranges::count(open, all.back()) &&
          answers.size() + open.size() < most && is_legal(all.back()))
        open.push_back(all.back());
    }
    const auto found = ask(open);
    for (std::size_t i = 0; i < open.size(); ++i) answers.emplace(open[i], found[i]);
    std::vector<double> values;
    for (const auto n : all) {
      const auto known = answers.find(n);
      for (std::size_t i = 0; i < objectives_of_one; ++i)
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
  pagmo::vector_double::size_type get_nobj() const {
    return of == nullptr ? 1 : of->objectives_of_one;
  }
  pagmo::vector_double::size_type get_nix() const { return of == nullptr ? 1 : of->sizes.size(); }
};

// The first generation: combinations by chance, as far as possible legal ones.
inline void begin(pagmo::population& people, questions& asked, std::size_t size) {
  std::mt19937_64 chance(seed);
  std::vector<double> genes;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t n = 0;
    for (int tries = 0; tries < 10'000; ++tries) {
      n = 0;
      for (const auto values : asked.sizes) n = n * values + chance() % values;
      if (asked.is_legal(n)) break;
    }
    const auto own = asked.genes(n);
    genes.insert(genes.end(), own.begin(), own.end());
  }
  const auto values = asked.answer(genes);
  for (std::size_t i = 0; i < size; ++i) {
    const auto part = [&](const std::vector<double>& all, std::size_t n) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(i * n);
      return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(n));
    };
    people.push_back(part(genes, asked.sizes.size()), part(values, asked.objectives_of_one));
  }
}

}  // namespace detail
#endif

// Asks for at most `most` legal combinations of ranges with so many values each, each once, of
// which so many objectives are told; a combination is the number that explore::combination takes.
// The genetic algorithm NSGA-II of libpagmo with a fixed seed: the same questions whenever the
// answers are the same. Throws nvdlac::error in a program that was compiled without libpagmo.
#ifdef NVDLAC_PAGMO
inline namespace with_pagmo {  // a compiled library has one without it, of the same name

inline void search(const std::vector<std::size_t>& sizes, std::size_t most,
                   std::size_t objectives_of_one, const predicate& is_legal, const judge& ask) {
  using namespace detail;
  questions asked{.sizes = sizes, .most = most, .objectives_of_one = objectives_of_one,
                  .is_legal = is_legal, .ask = ask};
  const pagmo::bfe together{pagmo::member_bfe{}};
  const auto size = std::max<std::size_t>(8, std::min(most, of_a_generation) / 4 * 4);
  pagmo::population people{pagmo::problem{ranges_problem{&asked}}, 0, seed};
  begin(people, asked, size);
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

}  // namespace with_pagmo
#else
void search(const std::vector<std::size_t>&, std::size_t, std::size_t, const predicate&,
            const judge&);
#endif

}  // namespace nvdlac::pareto

#if !defined(NVDLAC_COMPILED) && !defined(NVDLAC_PAGMO)
#include <nvdlac/impl/pareto_search.ipp>
#endif
