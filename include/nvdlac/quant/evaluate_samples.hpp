// SPDX-License-Identifier: Apache-2.0
#pragma once
// The float reference of many samples, on several threads.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/sample_stream.hpp>

namespace nvdlac::quant {

namespace detail {

// Threads that work on samples, each on one of its own. A sample's work is made of steps, and every
// step waits for the same step of the sample before: what the steps change, they change in the
// order of the samples, whatever the number of threads.
class ordered_pipeline {
 public:
  struct slot;
  using work = std::function<void(const sample_stream::sample&, slot)>;

  // Thrown where an earlier sample has failed.
  struct abandoned {};

  // A sample's place in the line.
  struct slot {
    ordered_pipeline& line;
    std::size_t number;
    // Does the work of step `step`, counted from 0, once the sample before has passed that step.
    template <class F>
    void take(std::size_t step, F&& f) const {
      line.await(number, step);
      f();
      line.pass(number);
    }
  };

  // With at most so many threads: as many as the system gives.
  ordered_pipeline(std::size_t threads, work what);
  ordered_pipeline(const ordered_pipeline&) = delete;
  ordered_pipeline& operator=(const ordered_pipeline&) = delete;
  ~ordered_pipeline();

  // Hands the next sample to a thread; waits until one is free. How many are done.
  std::size_t add(sample_stream::sample s);

  // Waits until more than `known` samples are done, of those that are added; how many.
  std::size_t await_more(std::size_t known);

  // Waits for all; throws what the first sample that failed has thrown.
  void finish();

 private:
  void serve();

  void await(std::size_t number, std::size_t step);
  void pass(std::size_t number);

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

// The float reference of every sample, on at most so many threads: visit(n, tensor, sample's
// number) sees the tensor of every node, for each node in the order of the samples, and for each
// sample in the order of the graph; at one time it may be called for several nodes. progress(done,
// all) is called after every sample, by the caller's thread. Operators are evaluated by several
// threads at once.
template <class Graph, class Visit, class Progress>
void evaluate_samples(const Graph& g, const sample_stream& samples, std::size_t threads,
                      Visit visit, Progress progress) {
  threads = std::min(threads, samples.size);
  if (detail::values_of_all_tensors(g) < detail::values_worth_a_thread) threads = 1;
  std::size_t reported = 0;
  if (threads <= 1)
    return samples.each([&](const sample_stream::sample& s) {
      net::evaluate_each(g, std::span<const net::float_tensor>(s),
                         [&](auto n, const net::float_tensor& t) { visit(n, t, reported); });
      progress(++reported, samples.size);
    });
  using ordered_pipeline = detail::ordered_pipeline;
  ordered_pipeline line(threads, [&](const sample_stream::sample& s, ordered_pipeline::slot at) {
    std::size_t step = 0;
    net::evaluate_each(g, std::span<const net::float_tensor>(s),
                       [&](auto n, const net::float_tensor& t) {
                         at.take(step++, [&] { visit(n, t, at.number); });
                       });
  });
  const auto report = [&](std::size_t done) {
    while (reported < done) progress(++reported, samples.size);
  };
  try {
    samples.each([&](const sample_stream::sample& s) { report(line.add(s)); });
  } catch (const ordered_pipeline::abandoned&) {
    // `finish` tells why.
  } catch (...) {
    line.finish();  // an earlier sample's error comes first
    throw;
  }
  for (auto done = line.await_more(reported); done > reported; done = line.await_more(reported))
    report(done);
  line.finish();
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/evaluate_samples.ipp>
#endif
