// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/observer.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// The means of channels, which tell what the rounding of weights adds to each sum on average.

// Whether a layer with weights reads the tensor of n, maybe behind a reshape.
template <class Graph>
bool weights_read(const Graph& g, typename Graph::id n) {
  const auto readers = g.consumers(n);
  return std::any_of(readers.begin(), readers.end(), [&](auto r) {
    const auto& op = g[r].op;
    if (std::holds_alternative<net::reshape>(op) || std::holds_alternative<net::flatten>(op))
      return weights_read(g, r);
    return net::has_filters(op);
  });
}

// Watches one tensor over all samples.
class channel_means {
 public:
  void observe(const net::float_tensor& t) {
    sums_.resize(static_cast<std::size_t>(t.shape.c), 0);
    const std::size_t area = t.values.size() / sums_.size();
    std::size_t c = 0;
    for (; c + 8 <= sums_.size(); c += 8) add_channels<8>(t.values.data(), c, area);
    for (; c < sums_.size(); ++c) add_channels<1>(t.values.data(), c, area);
    count_ += area;
  }
  // The mean of each channel; empty if nothing was seen.
  std::vector<double> values() const {
    auto result = sums_;
    for (double& x : result) x /= static_cast<double>(count_);
    return result;
  }

 private:
  // Several side by side, so that no sum waits for itself.
  template <std::size_t Channels>
  void add_channels(const float* values, std::size_t first, std::size_t area) {
    std::array<double, Channels> sums;
    std::copy_n(sums_.data() + first, Channels, sums.begin());
    for (std::size_t i = 0; i < area; ++i)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < Channels; ++c)
        sums[c] += static_cast<double>(values[(first + c) * area + i]);
    std::copy_n(sums.begin(), Channels, sums_.data() + first);
  }

  std::vector<double> sums_{};
  std::size_t count_ = 0;
};

// What the table knows of the tensor of each node; reports what does not fit its channels.
template <class Graph>
std::vector<std::vector<double>> means_of(const Graph& g, const scale_table& table,
                                          diagnostics& found) {
  std::map<std::string, const std::vector<double>*> known;
  for (const auto& e : table.entries) known.emplace(e.layer, &e.means);
  std::vector<std::vector<double>> result(g.size());
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto entry = known.find(g[n].name);
    if (entry == known.end() || entry->second->empty()) continue;
    result[n] = *entry->second;
    if (result[n].size() == static_cast<std::size_t>(g[n].shape.c)) continue;
    found.add({.file = table.file, .layer = g[n].name,
               .reason = text("the scale table has ", result[n].size(), " means for its ",
                              g[n].shape.c, " channels"),
               .remedy = "calibrate with this network"});
    result[n].clear();  // the other layers are looked at as well
  }
  return result;
}

namespace detail {

// Threads that work on samples, each on one of its own. A sample's work is made of steps, and every
// step waits for the same step of the sample before: what the steps change, they change in the
// order of the samples, whatever the number of threads.
class line_of_threads {
 public:
  struct place;
  using work = std::function<void(const sample_stream::sample&, place)>;

  // Thrown where an earlier sample has failed.
  struct abandoned {};

  // A sample's place in the line.
  struct place {
    line_of_threads& line;
    std::size_t number;
    // What is done in step `step`, which are counted from 0.
    template <class F>
    void take(std::size_t step, F&& f) const {
      line.await(number, step);
      f();
      line.pass(number);
    }
  };

  // With at most so many threads: as many as the system gives.
  line_of_threads(std::size_t threads, work what) : work_(std::move(what)) {
    threads_.reserve(threads);
    try {
      while (threads_.size() < threads) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
  line_of_threads(const line_of_threads&) = delete;
  line_of_threads& operator=(const line_of_threads&) = delete;
  ~line_of_threads() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  // Hands the next sample to a thread; waits until one is free. How many are done.
  std::size_t add(sample_stream::sample s) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < threads_.size() || failure_; });
    if (failure_) throw abandoned();
    waiting_.push_back(std::move(s));
    steps_.push_back(0);
    changed_.notify_all();
    return done_;
  }

  // Waits until more than `known` samples are done, of those that are added; how many.
  std::size_t await_more(std::size_t known) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ > known || ended_ == steps_.size(); });
    return done_;
  }

  // Waits for all; throws what the first sample that failed has thrown.
  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ == steps_.size(); });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty() || closed_) return;
      const auto number = next_++;
      const auto sample = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      lock.unlock();
      std::exception_ptr problem;
      try {
        work_(sample, {*this, number});
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      if (!problem) ++done_;
      else if (number < failed_) failed_ = number, failure_ = problem;
      ++ended_;
      changed_.notify_all();
    }
  }

  void await(std::size_t number, std::size_t step) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return number > failed_ || closed_ || number == 0 || steps_[number - 1] > step;
    });
    if (number > failed_ || closed_) throw abandoned();
  }
  void pass(std::size_t number) {
    {
      const std::lock_guard lock(mutex_);
      ++steps_[number];
    }
    changed_.notify_all();
  }

  work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<sample_stream::sample> waiting_;
  std::vector<std::size_t> steps_;  // that each sample has taken
  std::size_t next_ = 0, done_ = 0, ended_ = 0;
  std::size_t failed_ = std::numeric_limits<std::size_t>::max();  // the first
  std::exception_ptr failure_;
  bool closed_ = false;
  std::vector<std::jthread> threads_;  // the last member: they stop before the others go
};

// Samples of fewer values than these, over all tensors, are done before a thread is woken for them.
inline constexpr std::size_t values_worth_a_thread = std::size_t{1} << 16;

template <class Graph>
std::size_t values_of_all_tensors(const Graph& g) {
  std::size_t sum = 0;
  for (const auto n : g.order()) sum += g[n].shape.size();
  return sum;
}

}  // namespace detail

// The float reference of every sample, on at most so many threads: visit(n, tensor, sample's number) sees
// the tensor of every node, for each node in the order of the samples, and for each sample in the
// order of the graph; at one time it may be called for several nodes. progress(done, all) is called
// after every sample, by the caller's thread. Operators are evaluated by several threads at once.
template <class Graph, class Visit, class Progress>
void evaluate_samples(const Graph& g, const sample_stream& samples, std::size_t threads,
                      Visit visit, Progress progress) {
  threads = std::min(threads, samples.size);
  if (detail::values_of_all_tensors(g) < detail::values_worth_a_thread) threads = 1;
  std::size_t told = 0;
  if (threads <= 1)
    return samples.each([&](const sample_stream::sample& s) {
      net::evaluate_each(g, std::span<const net::float_tensor>(s),
                         [&](auto n, const net::float_tensor& t) { visit(n, t, told); });
      progress(++told, samples.size);
    });
  using line_of_threads = detail::line_of_threads;
  line_of_threads line(threads, [&](const sample_stream::sample& s, line_of_threads::place at) {
    std::size_t step = 0;
    net::evaluate_each(g, std::span<const net::float_tensor>(s),
                       [&](auto n, const net::float_tensor& t) {
                         at.take(step++, [&] { visit(n, t, at.number); });
                       });
  });
  const auto tell = [&](std::size_t done) {
    while (told < done) progress(++told, samples.size);
  };
  try {
    samples.each([&](const sample_stream::sample& s) { tell(line.add(s)); });
  } catch (const line_of_threads::abandoned&) {
    // `finish` tells why.
  } catch (...) {
    line.finish();  // an earlier sample's error comes first
    throw;
  }
  for (auto done = line.await_more(told); done > told; done = line.await_more(told)) tell(done);
  line.finish();
}

namespace detail {

inline void require_finite(const net::float_tensor& t, const std::string& layer,
                           std::size_t sample) {
  if (const auto i = net::first_not_finite<float>(t.values); i < t.values.size())
    throw error({.layer = layer,
                 .reason = text("value ", i, " of its tensor is ", t.values[i],
                                " for calibration sample ", sample),
                 .remedy = "check the network's weights and the preprocessing of its input"});
}

// The nodes whose tensors the user reads, as they are or behind a softmax: their values are
// compared with one another, and values that saturate would all be equal.
template <class Graph>
std::vector<bool> compared(const Graph& g) {
  std::vector<bool> result(g.size(), false);
  const auto order = g.order();
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    result[*n] = result[*n] || g[*n].output;
    const bool softmax = std::holds_alternative<net::softmax>(g[*n].op);
    if (softmax || (result[*n] && shared_factor(g, *n))) result[g.inputs(*n)[0]] = true;
  }
  return result;
}

}  // namespace detail

// The scale of every node's tensor, from samples that are preprocessed as the network expects; each
// sample holds one tensor per network input, in the order of the input nodes. `g` has its shapes.
// progress(done, all) is called after every sample, and at the end counted(layer, magnitudes) for
// every tensor whose observer counted its values. So many threads work on samples; the result does
// not depend on their number. A tensor of zeros gets scale 1; tensors that
// share their values with their input share its scale; inputs, outputs and constants keep their
// whole range. Throws for values that are not finite.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}),
          class Counted = decltype([](const std::string&, const magnitudes&) {}), class Graph>
scale_table calibrate(const Graph& g, const sample_stream& samples, Progress progress = {},
                      const Observer& prototype = {}, Counted counted = {},
                      std::size_t threads = 1) {
  if (samples.size == 0)
    throw error(
        problem{.reason = "there are no calibration samples", .remedy = "give at least one"});
  std::vector<std::optional<Observer>> observers(g.size());
  std::vector<min_max> all(g.size());
  std::vector<std::optional<channel_means>> means(g.size());
  for (const auto n : g.order()) {
    if (!shared_factor(g, n)) observers[n] = prototype;
    if (weights_read(g, n)) means[n].emplace();
  }

  evaluate_samples(g, samples, threads,
                   [&](auto n, const net::float_tensor& t, std::size_t sample) {
                     detail::require_finite(t, g[n].name, sample);
                     if (observers[n]) observers[n]->observe(t.values);
                     all[n].observe(t.values);
                     if (means[n]) means[n]->observe(t);
                   },
                   progress);

  scale_table table{.method = std::string(prototype.name)};
  const auto compared = detail::compared(g);
  std::vector<double> scales(g.size(), 1);
  for (const auto n : g.order()) {
    const bool whole = compared[n] || ask_rule(g[n].op, [](auto rule, const auto&) {
                         return rule.keeps_whole_range;
                       });
    const double range = whole ? all[n].range() : observers[n] ? observers[n]->range() : 0;
    if (!observers[n]) scales[n] = scales[g.inputs(n)[0]] * *shared_factor(g, n);
    else if (range > 0) scales[n] = range / 127;
    table.entries.push_back(
        {g[n].name, scales[n], means[n] ? means[n]->values() : std::vector<double>{}});
    table.entries.back().note_lowest(all[n].lowest);
    if (observers[n])
      if (const auto* counts = counts_of(*observers[n])) counted(g[n].name, *counts);
  }
  return table;
}

// The same of samples that are all there.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}), class Graph>
scale_table calibrate(const Graph& g, std::span<const std::vector<net::float_tensor>> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  const sample_stream all{samples.size(), [samples](const auto& visit) {
                            for (const auto& s : samples) visit(s);
                          }};
  return calibrate<Observer>(g, all, progress, prototype);
}

// Calibration of a network with one input.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}), class Graph>
scale_table calibrate(const Graph& g, std::span<const net::float_tensor> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  const sample_stream all{samples.size(), [samples](const auto& visit) {
                            for (const auto& s : samples) visit({s});
                          }};
  return calibrate<Observer>(g, all, progress, prototype);
}

}  // namespace nvdlac::quant
