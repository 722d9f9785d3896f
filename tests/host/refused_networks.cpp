// SPDX-License-Identifier: Apache-2.0
// Networks of docs/networks.md that are refused, and what their users are told.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "../shared.hpp"

using namespace nvdlac;

namespace {

// With the name of the configuration for '%'.
const std::map<std::string, std::string> refused_everywhere{
    {"lrn_within", "layer 'n': no engine of NVDLA computes 'lrn_within_channel' (let the host "
                   "compute it: --host allow, or --host lrn_within_channel)"},
    {"pool_stoch", "layer 'p': no engine of NVDLA computes 'stochastic_pool' (let the host "
                   "compute it: --host allow, or --host stochastic_pool)"},
    {"softmax_mid", "layer 's': softmax does not run on %: the host's softmax takes a tensor of "
                    "height and width 1 (let the host compute it: --host allow, or --host "
                    "softmax)"},
};
std::string has_no_table(const std::string& layer, const std::string& function,
                         const std::string& bound = {}) {
  const auto lines = bound.empty() ? "" : "compute it in straight lines, off by at most " + bound +
                                              ": --approximate; or ";
  return "layer '" + layer + "': activation does not run on %: the configuration's SDP has no "
         "lookup table (sdp_lut); ReLU, clipping, leaky ReLU, PReLU, absolute value, hard sigmoid "
         "and hard swish need none (" + lines +
         "let the host compute it: --host allow, or --host " + function + ")";
}
const std::map<std::string, std::string> refused_without_tables{
    {"elu", has_no_table("r", "elu")},
    {"sigmoid", has_no_table("r", "sigmoid", "0.0175")},
    {"sigmoid_feat", has_no_table("s", "sigmoid", "0.0175")},
    {"tanh", has_no_table("r", "tanh", "0.035")},
};

template <class Hw>
std::string expected(const std::string& network) {
  std::string message;
  if (const auto found = refused_everywhere.find(network); found != refused_everywhere.end())
    message = found->second;
  else if (const auto other = refused_without_tables.find(network);
           !Hw::spec.sdp_lut && other != refused_without_tables.end())
    message = other->second;
  if (const auto at = message.find('%'); at != message.npos)
    message.replace(at, 1, type_name<Hw>());
  return message;
}

template <class Hw>
void check(const std::string& network, net::graph& g, hw::precision p) {
  std::string message;
  for (const auto& problem : host::partition(g, {}, lower::check<Hw>(g, p)))
    message += to_string(problem);
  CAPTURE(network);
  CHECK(message == expected<Hw>(network));
}

}  // namespace

TEST_CASE("all networks but a few run without the host, and these say why not") {
  const auto folder = shared_path("peer/prototxt");
  if (!folder) return;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) files.insert(entry);
  CHECK(files.size() == 104);
  for (const auto& path : files) {
    auto g = import::caffe(path, import::random_weights{1});
    pass::standard::run(g);
    const auto name = path.stem().string();
    check<nv_small>(name, g, hw::precision::int8);
    check<nv_large>(name, g, hw::precision::int8);
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
      check<nv_full>(name, g, p);
  }
}
