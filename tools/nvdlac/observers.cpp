// SPDX-License-Identifier: Apache-2.0
#include "observers.hpp"

#include <type_traits>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/compile.hpp>

#include "usage.hpp"

namespace nvdlac::cli {
namespace {

using observers =
    type_list<quant::min_max, quant::percentile, quant::entropy, quant::least_squares>;

}  // namespace

void choose_observer(const std::string& name, compile_options& options) {
  bool found = name.empty();  // what the options begin with
  for_each(observers{}, [&]<class Observer>(std::type_identity<Observer>) {
    if (name != Observer::name) return;
    options.calibrate = calibrate_by<Observer>;
    found = true;
  });
  if (!found)
    throw usage_error("there is no observer '" + name + "' (there are " + observer_names() + ")");
}

std::string observer_names() {
  std::string names;
  for_each(observers{}, [&]<class Observer>(std::type_identity<Observer>) {
    names += (names.empty() ? "" : ", ") + std::string(Observer::name);
  });
  return names;
}

std::string default_observer_name() { return std::string(quant::default_observer::name); }

}  // namespace nvdlac::cli
