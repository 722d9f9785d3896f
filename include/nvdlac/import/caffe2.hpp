// SPDX-License-Identifier: Apache-2.0
#pragma once
// Caffe2's networks: predict_net.pb, and init_net.pb with its weights. A program that includes this
// header reads them by nvdlac::read, too.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe2/operators.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import {

namespace caffe2_format {

inline network translated(const named_content& predict, const named_content& init,
                          const part& wanted) {
  const auto net = parsed(predict), weights = parsed(init);
  const auto ops = net.root().children("op");
  if (std::ranges::all_of(ops, [](const auto& op) { return op.string("type").ends_with("Fill"); }))
    throw error(problem{.reason = "this NetDef only fills weights",
                        .remedy = "give predict_net first, then init_net"});
  const network_graph all(net.root(), weights.root(), wanted);
  const auto bytes = predict.content.size() + init.content.size();
  translation::channels_first_translator to(predict.file, all.graph(), wanted, bytes);
  to.read_inputs();
  onnx_format::constant_elements most(bytes);
  for (const auto& [name, op] : all.fills())
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(filled(op, most))); });
  auto result = to.translate(
      [](const std::string& type) { return operators().contains(type); },
      [&](std::size_t k) {
        const arguments given(all.op(k));
        const auto& l = all.graph().layers[k];
        auto found = operators().at(l.type).convert(conversion(l, given, to));
        given.require_understood();
        return found;
      },
      translation::names_of(operators()));
  for (auto note : all.notes()) {
    note.file = predict.file;
    result.notes.push_back(std::move(note));
  }
  return result;
}

}  // namespace caffe2_format

// Reads Caffe2's network from its predict_net and its init_net, for one picture. An input that
// neither file tells the shape of gets it from `wanted`, which may also name a part of the network,
// and an input among the blobs that the init_net fills. Throws `error` with all problems.
inline network caffe2_network_from(const named_content& predict, const named_content& init,
                                   const part& wanted = {}) {
  for (const auto* net : {&predict, &init})
    if (const auto kind = recognise(net->content); kind.kind != file_kind::caffe2_net)
      throw error(problem{.file = net->file,
                          .reason = "this is " + kind.name + ", not a NetDef of Caffe2",
                          .remedy = kind.remedy});
  return nvdlac::in_file(predict.file, [&] {
    return caffe2_format::translated(predict, init, wanted);
  });
}
network read_caffe2(const named_content& model, const std::optional<named_content>& weights,
                    const part& wanted) {
  return caffe2_network_from(model, weights.value_or(named_content{}), wanted);
}

}  // namespace nvdlac::import
