// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/cpp_nodes.hpp>

namespace nvdlac::emit::detail {

NVDLAC_IMPL filled_lines::filled_lines(std::string& to, std::size_t first, std::size_t next)
    : to_(to), next_(next) {
  to_.append(first, ' ');
  column_ = first;
}

NVDLAC_IMPL void filled_lines::add(std::string_view word) {
  if (!empty_ && column_ + 1 + word.size() > 100) {
    (to_ += '\n').append(next_, ' ');
    column_ = next_;
  } else if (!empty_) {
    to_ += ' ';
    ++column_;
  }
  to_ += word;
  column_ += word.size();
  empty_ = false;
}

NVDLAC_IMPL cpp_nodes::cpp_nodes(const quantised::graph& g, bool all_constants)
    : all_constants_(all_constants) {
  for (const auto n : g.order()) {
    layer_ = identifier(g[n].name);
    words_ = {"node{" + literal(g[n].name) + ","};
    g.visit(n, [&]<class Op>(const Op& op) {
      words_.push_back(text("quantised::", type_name<Op>(), '{'));
      members(op);
      words_.back() += '}';
    });
    for (const auto i : g.inputs(n)) {
      words_.back() += ',';
      words_.push_back(literal(g[i].name));
    }
    words_.back() += '}';
    if (g[n].scale != 1 || g[n].zero != 0)
      words_.back() += ".scaled(" + number(g[n].scale) +
                       (g[n].zero != 0 ? text(", ", g[n].zero) : "") + ")";
    if (g[n].precision == hw::precision::int16)
      words_.back() += ".in(nvdlac::hw::precision::int16)";
    if (g[n].precision == hw::precision::fp16)
      words_.back() += ".in(nvdlac::hw::precision::fp16)";
    if (g[n].output && !g.consumers(n).empty()) words_.back() += ".read_outside()";
    words_.back() += ',';
    filled_lines lines(nodes, 4, 8);
    for (const auto& w : words_) lines.add(w);
    nodes += '\n';
  }
}

NVDLAC_IMPL void cpp_nodes::members(const quantised::on_host& op) {
  throw error(problem{.layer = layer_,
                      .reason = text("the host computes '", op.call.layer,
                                     "', which is known at run time only"),
                      .remedy = "compile the network to a loadable"});
}

NVDLAC_IMPL void cpp_nodes::member(std::string_view name, const std::string& value) {
  const std::string field = text('.', name, " = ", value);
  if (words_.back().back() == '{') {
    words_.back() += field;
  } else {
    words_.back() += ',';
    words_.push_back(field);
  }
}

NVDLAC_IMPL std::string cpp_nodes::number(double x) {
  std::array<char, 32> letters{};
  const auto end = std::to_chars(letters.data(), letters.data() + letters.size(), x).ptr;
  std::string s(letters.data(), end);
  if (s.find_first_of(".e") == s.npos) s += ".0";
  return s;
}

NVDLAC_IMPL std::string cpp_nodes::number(const net::box& b) {
  std::string loops;
  for (const auto& l : b.loops)
    if (l != net::box_loop{}) loops += (loops.empty() ? "" : ", ") + in_braces(l);
  return text("nvdlac::net::box{", b.input, ", ", in_braces(b.to), ", ", in_braces(b.from),
              ", {{", loops, "}}}");
}

}  // namespace nvdlac::emit::detail
