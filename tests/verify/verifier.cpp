// SPDX-License-Identifier: Apache-2.0
// The verdict on a program: good ones are equal bit for bit, spoiled ones are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/report/verification_json.hpp>
#include <nvdlac/runtime/forwarding_session.hpp>
#include <nvdlac/verify/comparison.hpp>
#include <nvdlac/verify/not_finite.hpp>
#include <nvdlac/verify/verdict.hpp>

#include "small_network.hpp"

using namespace nvdlac;

namespace {

// A simulator that has one wrong value in one of its runs.
class spoiled final : public runtime::forwarding_session {
 public:
  spoiled(runtime::any_session& good, std::size_t run) : forwarding_session(good), run_(run) {}

  std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>& in) override {
    auto out = session().infer_any(in);
    if (runs_++ == run_) std::get<net::int8_tensor>(out[0]).values[3] ^= 1;
    return out;
  }

 private:
  std::size_t run_, runs_ = 0;
};

bool says(const std::vector<problem>& found, const std::string& words) {
  return std::ranges::any_of(found, [&](const problem& p) {
    return to_string(p).find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a program that is right is equal bit for bit, with small errors") {
  const small_network::proof p(hardware<nv_small>());
  const auto r = p.verify(*p.session, 6);
  CHECK(r.bit_exact());
  CHECK(verification::refusals(r).empty());
  REQUIRE(r.inputs.size() == 6);
  CHECK(r.inputs[2].name == "sample 2");
  CHECK(r.inputs[2].layers.empty());  // they are added up
  CHECK(r.inputs_of_layers == 6);
  REQUIRE(r.outputs.size() == 1);
  CHECK(r.outputs[0].name == "prob");
  REQUIRE(!r.outputs[0].before_softmax.empty());
  CHECK(r.outputs[0].before_softmax[0] == "classes");
  CHECK(r.ends_with_softmax());
  const auto& of = r.program();
  CHECK(of.configuration == "nv_small");
  CHECK(of.cycles == 1234);
  CHECK(of.outputs[0].count == 6 * 5);
  CHECK(of.outputs[0].cosine() > 0.99);
  CHECK(of.outputs[0].snr() > 20);
  CHECK(of.outputs[0].largest_error() >= of.outputs[0].mean_error());
  REQUIRE(r.worst_layer() != nullptr);
  const auto* const calibrated = r.worst_layer(true);
  REQUIRE(calibrated != nullptr);
  CHECK(!calibrated->fixed_scale);
  for (const auto& l : r.layers) {
    CHECK(l.snr_at_outputs() >= r.worst_layer()->snr_at_outputs());
    if (!l.fixed_scale) CHECK(l.snr_at_outputs() >= calibrated->snr_at_outputs());
  }
  for (const auto& l : r.rounded_inputs)
    CHECK(l.snr_at_outputs() >= r.worst_layer()->snr_at_outputs());
  CHECK(r.before_softmax(0)->name == "classes");
}

TEST_CASE("a simulator with one wrong value is refused, with its place") {
  const small_network::proof p(hardware<nv_small>());
  spoiled wrong(*p.session, 2);
  const auto r = p.verify(wrong, 4);
  CHECK(!r.bit_exact());
  CHECK(r.program().inexact == 1);
  CHECK(!r.inputs[1].programs[0].differs);
  REQUIRE(r.inputs[2].programs[0].differs);
  const auto& m = *r.inputs[2].programs[0].differs;
  CHECK(m.output == "prob");
  CHECK(m.element == 3);
  CHECK(m.expected != m.found);
  const auto found = verification::refusals(r);
  REQUIRE(found.size() == 1);
  CHECK(says(found, "the simulated nv_small differs from the exact integer network for sample 2"));
  CHECK(report::to_text(r).find("integer network: different for 1 (25.00 %) of the inputs, first "
                                "for sample 2 in 'prob'") != std::string::npos);
  const auto json = report::to_json(r);
  CHECK(json.at("configs")[0].at("bit_exact") == false);
  const auto& rows = json.at("configs")[0].at("each");
  CHECK(rows[1].at("bit_exact") == true);
  CHECK(!rows[1].contains("differs"));
  CHECK(rows[2].at("bit_exact") == false);
  CHECK(rows[2].at("differs").at("output") == "prob");
  CHECK(rows[2].at("differs").at("element") == 3);
}

TEST_CASE("a loadable with spoiled weights is refused") {
  const small_network::proof p(hardware<nv_small>(), [](std::vector<std::uint8_t>& bytes) {
    for (std::size_t i = bytes.size() - 900; i < bytes.size() - 100; ++i)  // weights end the file
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ 0x10);
  });
  const auto r = p.verify(*p.session, 3);
  CHECK(!r.bit_exact());
  CHECK(says(verification::refusals(r), "differs from the exact integer network"));
}

TEST_CASE("thresholds are judged by what was counted") {
  const small_network::proof p(hardware<nv_small>());
  const auto plain = p.verify(*p.session, 5);
  std::vector<std::size_t> labels;
  for (const auto& i : plain.inputs) labels.push_back(i.expected.number);
  labels[0] = (labels[0] + 1) % 5;  // one is wrong in float
  const auto r = p.verify(*p.session, 5, labels);
  CHECK(r.float_right == 4);

  const verification::thresholds low{.top1 = 0, .drop = 100, .snr = -1};
  const auto judged = verification::judge(r, low);
  REQUIRE(judged.size() == 3);
  CHECK(std::ranges::all_of(judged, &verification::judgement::met));
  CHECK(judged[0].what == "top-1");
  CHECK(judged[2].what == "SNR of 'prob'");
  CHECK(verification::missed(r, judged).empty());

  const auto high = verification::refusals(r, {.top1 = 95, .snr = 400});
  REQUIRE(high.size() == 2);
  CHECK(says(high, "small on nv_small: top-1 is "));
  CHECK(says(high, " % less than thresholds::top1 95"));
  CHECK(says(high, " dB less than thresholds::snr 400"));
  const auto named = verification::missed(r, verification::judge(r, {.snr = 400}),
                                          [](verification::threshold) { return "--min-snr"; });
  CHECK(says(named, " less than --min-snr 400"));
  CHECK_THROWS_AS(verification::judge(plain, {.drop = 1}), error);
}

TEST_CASE("what is no finite number has no error, and meets no threshold") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  verification::comparison good, bad, odd, all;
  good.add({1, 2, 3}, {1.01F, 2, 3});
  bad.add({nan, -infinite, 3}, {1, 2, 3});
  odd.add({1, 2, 3}, {1, infinite, nan});
  CHECK(good.known());
  CHECK(bad.undefined == 2);
  CHECK(bad.lost == 0);
  CHECK(odd.undefined == 0);
  CHECK(odd.lost == 2);
  for (const auto& none : {bad, odd})
    for (const double x : {none.snr(), none.worst_snr(), none.cosine(), none.largest_error(),
                           none.mean_error()})
      CHECK(std::isnan(x));
  for (const auto& parts : {std::vector{good, bad}, std::vector{bad, good}}) {
    all.parts = parts;
    CHECK(!all.parts[all.worst_part()].known());
    CHECK(std::isnan(all.worst_snr()));
  }
  good.add(bad);
  CHECK(good.undefined == 2);
  CHECK(good.count == 6);
  CHECK(data::best({{4}, {nan, 1, nan, 2}}, 4) == std::vector<std::size_t>{3, 1, 0, 2});
}

TEST_CASE("numbers that the float network does not have are told, and miss the thresholds") {
  const small_network::proof p(hardware<nv_small>());
  std::size_t runs = 0;
  const verification::verifier work(
      "small",
      [&](std::span<const net::float_tensor> in) {
        auto out = verification::outputs_in_file(p.float_network, in);
        if (runs++ > 0) out[0].values[1] = out[0].values[4] = std::nanf("");
        return out;
      },
      {}, p.network.integers, {{"nv_small", nv_small::spec, p.session.get(), 1, "one cycle"}});
  auto r = work.begin();
  for (const auto& s : small_network::samples(3)) {
    auto one = work.run(text("sample ", r.inputs.size()), s,
                        runtime::feeds_of(s, p.session->inputs()));
    r.add(std::move(one));
  }
  CHECK(std::isnan(r.inputs[1].largest_error()));
  CHECK(!std::isnan(r.inputs[0].largest_error()));
  CHECK(r.program().agreed <= 1);  // the others have no class in float
  const std::string said = "of the 5 values for sample 1 the float network itself computes 2 that "
                           "are no finite numbers, and such for 1 input more";
  CHECK(verification::not_finite(r, 0, 0) == said);
  CHECK(report::to_text(r).find("  output 'prob': no error is known: " + said + '\n') !=
        std::string::npos);
  const auto found = verification::refusals(r, {.top1 = 0, .snr = -1000});
  REQUIRE(found.size() == 2);
  CHECK(says(found, "small on nv_small: top-1 beside float is not known (" + said +
                        "), and so misses thresholds::top1 0"));
  CHECK(says(found, "SNR of 'prob' is not known (" + said + "), and so misses thresholds::snr "));
  const auto json = report::to_json(r);
  const auto& output = json.at("configs")[0].at("outputs")[0];
  CHECK(output.at("not_finite") == 4);
  CHECK(report::json::parse(output.dump()).at("mean_error").is_null());
  const auto& rows = json.at("configs")[0].at("each");
  CHECK(!rows[0].at("outputs")[0].contains("not_finite"));
  CHECK(rows[1].at("outputs")[0].at("not_finite") == 2);
}

TEST_CASE("several programs share the float network, and are reported apart") {
  const small_network::proof a(hardware<nv_small>());
  verification::simulated one{"a", nv_small::spec, a.session.get(), 1, "one cycle"};
  auto two = one;
  two.configuration = "b";
  const verification::verifier work(
      "small",
      [&](std::span<const net::float_tensor> in) {
        return verification::outputs_in_file(a.float_network, in);
      },
      {}, a.network.integers, {one, two});
  auto r = work.begin();
  const auto s = small_network::samples(1);
  r.add(work.run("x", s[0], runtime::feeds_of(s[0], a.session->inputs())));
  REQUIRE(r.programs.size() == 2);
  CHECK(r.programs[0].outputs[0].noise == r.programs[1].outputs[0].noise);
  CHECK(r.layers.empty());
  CHECK(r.worst_layer() == nullptr);
  CHECK_THROWS_AS(r.program(), std::logic_error);
  CHECK(!work.compare(1, runtime::feeds_of(s[0], a.session->inputs())));
  const auto text = report::to_text(r, {.inputs = true});
  CHECK(text.find("small on a, 1 input\n") != std::string::npos);
  CHECK(text.find("small on b, 1 input\n") != std::string::npos);
  CHECK(text.find("most is lost") == std::string::npos);
}
