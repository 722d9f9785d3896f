// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/verify/not_finite.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL std::string printed(double x, int digits) {
  if (std::isnan(x)) return "unknown";
  text_stream out;
  out << std::setprecision(digits) << x;
  return out.str();
}

NVDLAC_IMPL std::vector<quant::layer_error> worst_first(std::vector<quant::layer_error> layers) {
  const auto known =
      std::ranges::stable_partition(layers, [](const auto& l) { return !l.known(); });
  std::ranges::stable_sort(known, {}, &quant::layer_error::snr_arising);
  return layers;
}

NVDLAC_IMPL std::string share(std::size_t part, std::size_t all) {
  text_stream out;
  out << part << " (" << std::fixed << std::setprecision(2)
      << 100.0 * static_cast<double>(part) / static_cast<double>(all) << " %)";
  return out.str();
}

NVDLAC_IMPL std::string describe(const verification::first_class& c) {
  return text(c.number, " (", printed(double{c.value}, 4), ')');
}

NVDLAC_IMPL std::string describe(const verification::detection_counts& d) {
  const auto at_most = [&](std::size_t count, float score) {
    return count == 0 || !d.scored ? "" : text(" (score ", printed(double{score}), " at most)");
  };
  auto s = text(d.matched, " of ", count_of(d.expected(), "detection"), " matched, ", d.missed,
                " missed", at_most(d.missed, d.best_missed), ", ", d.extra, " extra",
                at_most(d.extra, d.best_extra));
  if (d.matched == 0) return s;
  s += text(", boxes overlap by ", printed(100 * double{d.overlap}), " % at least");
  if (!d.scored) return s;
  return s + text(" and are off by ", printed(double{d.box_error}), " at most, scores by ",
                  printed(double{d.score_error}));
}

NVDLAC_IMPL std::string input_table(const verification::report& r, std::size_t width) {
  std::vector<table::column> titles{{.title = "input", .shortens = true, .leads = true}, {"float"}};
  for (const auto& p : r.programs) titles.push_back({p.configuration});
  if (r.labelled) titles.push_back({"label"});
  titles.push_back({"largest error", true});
  table all(std::move(titles));
  for (const auto& i : r.inputs) {
    std::vector<std::string> row{i.name, describe(i.expected)};
    for (const auto& p : i.programs) row.push_back(describe(p.first));
    if (i.label) row.push_back(text(*i.label));
    row.push_back(printed(i.largest_error()));
    all.add(std::move(row));
  }
  return all.print(width);
}

NVDLAC_IMPL std::string layer_error_table(const verification::report& r, std::size_t width) {
  table all({{.title = "layer", .shortens = true}, {"own SNR dB", true}, {"SNR dB", true},
             {"cosine", true}, {"lost by its scale dB", true}});
  for (const auto& l : worst_first(r.layers))
    all.add({l.name, printed(l.snr_arising()), printed(l.snr()), printed(l.cosine(), 6),
             printed(l.lost())});
  return all.print(width);
}

NVDLAC_IMPL std::string describe_exactness(const verification::report& r, std::size_t program) {
  if (r.programs[program].bit_exact()) return "equal bit for bit";
  const auto first = std::ranges::find_if(
      r.inputs, [&](const auto& i) { return i.programs[program].differs.has_value(); });
  return text("different for ", share(r.programs[program].inexact, r.inputs.size()),
              " of the inputs, first for ", first->name, " in '",
              first->programs[program].differs->output, '\'');
}

NVDLAC_IMPL std::string losses(const quant::layer_error& e) {
  return text(e.is_input ? "the rounding of input '" : "layer '", e.name, "': SNR ",
              printed(e.snr_arising()), " dB of its own error, ",
              e.at_outputs.empty() ? ""
                                   : text(printed(e.snr_at_outputs()), " dB of it at an output, "),
              printed(e.snr()), " dB of all up to there");
}

NVDLAC_IMPL std::string summary(const verification::report& r, std::size_t program) {
  const auto& p = r.programs[program];
  const auto all = r.inputs.size();
  auto s = text(r.network, " on ", p.configuration, ", ", count_of(all, "input"), '\n');
  for (std::size_t o = 0; o < p.outputs.size(); ++o) {
    const auto& c = p.outputs[o];
    s += text("  output '", r.outputs[o].name, "': ");
    if (c.detections) s += describe(*c.detections) + "; ";
    if (c.known())
      s += text("error at most ", printed(c.largest_error()), ", mean ", printed(c.mean_error()),
                ", SNR ", printed(c.worst_snr()), " dB",
                c.parts.empty() ? ""
                                : text(" in part '", r.outputs[o].parts.at(c.worst_part()),
                                       "', where it is least, ", printed(c.snr()), " dB of all"),
                ", cosine ", printed(c.cosine(), 6));
    else
      s += text("no error is known: ", verification::not_finite(r, program, o));
    if (const auto* before = r.before_softmax(o))
      s += text(" (before the softmax ", printed(before->cosine(), 6), ')');
    s += '\n';
    for (std::size_t i = 0; i < c.parts.size(); ++i)
      s += text("    part '", r.outputs[o].parts.at(i), "': ",
                c.parts[i].known() ? text("error at most ", printed(c.parts[i].largest_error()),
                                          ", SNR ", printed(c.parts[i].snr()), " dB\n")
                                   : "no error is known\n");
    if (c.worst_snr() < quant::doubtful_snr)
      s += text("    that is little: ", r.keeps_more, '\n');
  }
  if (r.outputs.size() > 1)
    s += text("  classes are those of '", r.outputs[0].name, "', the first of ", r.outputs.size(),
              " outputs\n");
  s += text("  same class as float: ", share(p.agreed, all), '\n');
  s += text("  first class tied with another: float ", r.float_tied, ", ", p.configuration, ' ',
            share(p.tied, all));
  if (r.ends_with_softmax())
    s += text(", before the softmax ", share(p.tied_before_softmax, all));
  s += '\n';
  if (r.labelled)
    s += text("  right: float ", share(r.float_right, all), ", ", p.configuration, ' ',
              share(p.right, all), '\n');
  return s + text("  ", p.runs_on, " and exact integer network: ", describe_exactness(r, program),
                  "\n  ", p.prediction, '\n');
}

}  // namespace detail

NVDLAC_IMPL std::string to_text(const verification::report& r, const verification_text& with) {
  std::string s;
  if (with.inputs) s += detail::input_table(r, with.width) + '\n';
  for (std::size_t p = 0; p < r.programs.size(); ++p) s += detail::summary(r, p);
  const auto unknown = std::ranges::find_if_not(r.layers, &quant::layer_error::known);
  if (unknown != r.layers.end())
    s += text("layer '", unknown->name, "' is the first of which ", unknown->not_finite,
              unknown->not_finite == 1 ? " value is no finite number"
                                       : " values are no finite numbers", " (of ",
              count_of(r.layers.size(), "layer"), ", on ",
              count_of(r.inputs_of_layers, "input"), ")\n");
  if (const auto* worst = r.worst_layer()) {
    s += text("most is lost in ", detail::losses(*worst), " (of ",
              count_of(r.layers.size(), "layer"), ", on ",
              count_of(r.inputs_of_layers, "input"), ")\n");
    const auto* other = r.worst_layer(true);
    if ((worst->is_input || worst->fixed_scale) && other != nullptr)
      s += text("  of what has a calibrated scale most in ", detail::losses(*other), '\n');
  }
  if (with.layers)
    s += '\n' + detail::layer_error_table(r, with.width == 0 ? 0 : std::max<std::size_t>(
                                                                       80, with.width));
  return s;
}

NVDLAC_IMPL std::string to_csv(const verification::report& r) {
  text_stream out;
  out << "layer,snr_of_its_own,snr,cosine,lost_by_its_scale\n";
  for (const auto& l : detail::worst_first(r.layers))
    out << escape::csv(l.name) << ',' << l.snr_arising() << ',' << l.snr() << ',' << l.cosine()
        << ',' << l.lost() << '\n';
  return out.str();
}

}  // namespace nvdlac::report
