// SPDX-License-Identifier: Apache-2.0
#pragma once
// The definitions of what verify.hpp declares.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/prepared.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/verify.hpp>
#include <nvdlac/verify/labels.hpp>
#include <nvdlac/verify/reference.hpp>
#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verifier.hpp>

namespace nvdlac {
namespace detail {

// A verification in progress: inputs are counted one after the other.
class verification_run {
 public:
  // Labels of folders hold where the options have none, of as many inputs.
  verification_run(const verification::verifier& on, const verify_options& o, std::size_t inputs,
                   const std::optional<std::vector<std::size_t>>& of_folders = {})
      : on_(on), options_(o), labels_(o.labels), report_(on.begin()),
        size_(o.inputs == 0 ? inputs : std::min(inputs, o.inputs)) {
    if (!labels_.empty() && labels_.size() != inputs)
      throw error(text(count_of(labels_.size(), "label"), " for ", count_of(inputs, "input")));
    if (labels_.empty() && of_folders) labels_ = *of_folders;
    report_.labelled = !labels_.empty();
    verification::check_labels(labels_, report_);
  }
  std::size_t size() const { return size_; }

  void take(std::string name, std::span<const net::float_tensor> floats,
            const std::vector<quantised::feed>& feeds) {
    const auto number = report_.inputs.size();
    auto one = on_.run(std::move(name), floats, feeds,
                       {.layers = number < options_.inputs_of_layers});
    one.number = number;
    if (report_.labelled) one.label = labels_[number];
    if (options_.visit) options_.visit(one);
    report_.add(std::move(one));
  }
  verification::report result() && { return std::move(report_); }

 private:
  const verification::verifier& on_;
  const verify_options& options_;
  std::vector<std::size_t> labels_;
  verification::report report_;
  std::size_t size_;
};

// The verifier of a product's program on a chip; both must outlive it.
template <hw::hardware Hw, class Prepared>
verification::verifier verifier_of(const product<Hw, Prepared>& p, runtime::any_session& on) {
  const auto& network = p.network();
  const auto predicted = report::predict(p.program().tasks, Hw::spec,
                                         {.memory = cost::memory_of(Hw::spec)});
  auto reference = p.reference();
  if (!reference)
    reference = [&network](std::span<const net::float_tensor> inputs) {
      return verification::outputs_in_file(network.graph, inputs);
    };
  return {p.program().network, std::move(reference),
          verification::compare_layers(network.graph, network.integers), network.integers,
          {{std::string(hw::name<Hw>()), Hw::spec, &on, predicted.estimate.totals.cycles,
            report::summary(predicted)}}};
}

}  // namespace detail

template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>& p, chip<Hw>& c, const pictures& inputs,
                            const verify_options& options) {
  auto& on = c.session();
  const auto verifier = detail::verifier_of(p, on);
  const auto wanted = runtime::wanted_by(on.inputs(), inputs, c.limits().samples);
  data::input_files files(data::paths_of(inputs, wanted), wanted);
  if (!inputs.how) runtime::check_preprocessing(files, on.inputs());
  detail::verification_run run(verifier, options, files.size(), files.labels());
  files.keep(run.size());
  files.each([&](data::input_set&& set) {
    const auto feeds = runtime::feeds_of(set, on.inputs());
    auto name = set.name;
    run.take(std::move(name), data::tensors_of(std::move(set), wanted), feeds);
  });
  return std::move(run).result();
}

template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>& p, chip<Hw>& c,
                            sample_list inputs, const verify_options& options) {
  if (inputs.empty()) throw error("there is no input to verify on");
  auto& on = c.session();
  const auto verifier = detail::verifier_of(p, on);
  detail::verification_run run(verifier, options, inputs.size());
  for (std::size_t i = 0; i < run.size(); ++i)
    run.take(text("sample ", i), inputs[i], runtime::feeds_of(inputs[i], on.inputs()));
  return std::move(run).result();
}

template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>& p, const pictures& inputs,
                            const verify_options& options) {
  return verify(p, p.on_chip(), inputs, options);
}
template <hw::hardware Hw, class Prepared>
verification::report verify(const product<Hw, Prepared>& p, sample_list inputs,
                            const verify_options& options) {
  return verify(p, p.on_chip(), inputs, options);
}

}  // namespace nvdlac
