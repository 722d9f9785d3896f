// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/file.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::string read_file(const std::filesystem::path& path) {
  auto content = data::regular_file(path).read<std::string>();
  if (content.empty()) throw error(problem{.file = path.string(), .reason = "the file is empty"});
  return content;
}

NVDLAC_IMPL std::filesystem::path saved_model_in(const std::filesystem::path& directory) {
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt"})
    if (std::error_code failed; std::filesystem::exists(directory / name, failed))
      return directory / name;
  const bool chunked = [&] {
    std::error_code failed;
    return std::filesystem::exists(directory / "saved_model.cpb", failed);
  }();
  throw error(problem{.file = directory.string(),
                      .reason = chunked ? "this SavedModel is written in chunks (saved_model.cpb)"
                                        : "this is a directory, but no SavedModel: it has no "
                                          "saved_model.pb",
                      .remedy = chunked ? "models of less than 2 GB are read" : ""});
}

NVDLAC_IMPL bool looks_like_text(std::string_view content) {
  const auto head = content.substr(0, std::size_t{1} << 16);
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
  });
}

NVDLAC_IMPL wire_fields scan_wire(std::string_view content) {
  wire_fields found;
  std::size_t at = 0;
  const auto varint = [&](std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && at < content.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(content[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  for (std::uint64_t tag = 0, value = 0; at < content.size() && varint(tag);) {
    const std::uint64_t number = tag >> 3;
    if (number == 0 || number > 127) break;
    const auto bit = std::uint64_t{1} << number % 64;
    if ((tag & 7) == 0) {
      if (!varint(value)) break;
      found.varint[number / 64] |= bit;
    } else if ((tag & 7) == 2) {
      if (!varint(value)) break;
      found.delimited[number / 64] |= bit;  // a truncated field still tells the kind of file
      if (value > content.size() - at) break;
      at += static_cast<std::size_t>(value);
    } else {
      const std::size_t skip = (tag & 7) == 5 ? 4 : (tag & 7) == 1 ? 8 : content.size();
      if (skip > content.size() - at) break;
      at += skip;
    }
  }
  return found;
}

NVDLAC_IMPL std::string_view first_field(std::string_view content, unsigned number) {
  std::size_t at = 0;
  const auto varint = [&]() -> std::uint64_t {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at < content.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(content[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    at = content.size();
    return 0;
  };
  while (at < content.size()) {
    const auto tag = varint();
    if ((tag & 7) == 0) {
      (void)varint();
    } else if ((tag & 7) == 2) {
      const auto size = varint();
      const auto part = content.substr(at, static_cast<std::size_t>(size));
      if (tag >> 3 == number) return part;
      at += part.size();
    } else {
      return {};
    }
  }
  return {};
}

NVDLAC_IMPL bool is_word(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '>';
  });
}

NVDLAC_IMPL bool looks_like_graph_def(std::string_view content) {
  if (content.empty() || (content[0] != '\x0a' && content[0] != '\x12')) return false;
  const auto node = first_field(content, 1);
  return !first_field(node, 1).empty() && is_word(first_field(node, 2));
}

NVDLAC_IMPL bool looks_like_net_def(std::string_view content) {
  const auto op = first_field(content, 2);
  const auto fields = scan_wire(op);
  return is_word(first_field(op, 4)) && !fields.has_varint(5) &&
         (fields.has_delimited(1) || fields.has_delimited(2));
}

NVDLAC_IMPL bool looks_like_core_ml(std::string_view content) {
  const auto description = first_field(content, 2);
  const auto fields = scan_wire(description);
  if (!content.starts_with('\x08') || (!fields.has_delimited(1) && !fields.has_delimited(10)) ||
      first_field(first_field(description, fields.has_delimited(1) ? 1 : 10), 1).empty())
    return false;
  for (const unsigned kind : {200U, 201U, 202U, 300U, 301U, 302U, 303U, 304U, 400U, 401U, 402U,
                              403U, 404U, 500U, 501U, 502U, 555U, 556U, 560U, 600U, 601U, 602U,
                              603U, 604U, 606U, 607U, 609U, 610U, 900U, 2000U, 2001U, 2002U, 2003U,
                              2004U, 2005U, 3000U})
    if (!first_field(content, kind).empty()) return true;
  return false;
}

NVDLAC_IMPL std::string_view without_comments(std::string_view content, std::string_view signs) {
  for (;;) {
    content.remove_prefix(std::min(content.find_first_not_of(" \t\r\n\f\v"), content.size()));
    if (content.empty() || signs.find(content[0]) == signs.npos) return content;
    content.remove_prefix(std::min(content.find('\n'), content.size()));
  }
}

NVDLAC_IMPL bool is_graph_text(std::string_view content) {
  const auto head = without_comments(content, "#").substr(0, 8);
  return (head.starts_with("node {") || head.starts_with("node{") || head.starts_with("library") ||
          head.starts_with("versions") || head.starts_with("node:")) &&
         content.find("op:") != content.npos;
}

NVDLAC_IMPL bool is_darknet_text(std::string_view content) {
  const auto head = without_comments(content, "#;");
  std::string section(head.substr(0, std::min(head.find(']'), std::size_t{64})));
  std::erase_if(section, [](char c) { return c == ' ' || c == '\t'; });
  return section == "[net" || section == "[network";
}

NVDLAC_IMPL bool looks_like_darknet_weights(std::string_view content) {
  using namespace std::string_view_literals;
  return content.size() >= 16 && content.starts_with("\0\0\0\0"sv) &&
         (content[4] == 1 || content[4] == 2) && content.substr(5, 3) == "\0\0\0"sv &&
         static_cast<unsigned char>(content[8]) < 10 && content.substr(9, 3) == "\0\0\0"sv;
}

NVDLAC_IMPL std::string tensors_in_pickle(std::string_view content) {
  std::string found;
  int count = 0;
  for (auto at = content.find('X'); at != content.npos && content.size() - at > 5;
       at = content.find('X', at + 1)) {
    const auto size = static_cast<unsigned char>(content[at + 1]);  // BINUNICODE has three more
    const auto name = content.substr(at + 5, size);
    if (content.substr(at + 2, 3) != std::string_view("\0\0\0", 3) ||
        !(name.ends_with(".weight") || name.ends_with(".bias")) ||
        !std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; }))
      continue;
    if (++count == 4) return found + ", ..";
    found += (found.empty() ? "" : ", ") + std::string(name);
  }
  return found;
}

NVDLAC_IMPL recognised recognise_pickle(std::string_view content) {
  const auto has = [&](std::string_view s) { return content.find(s) != content.npos; };
  if (has("_parameters") && has("_modules"))
    return {file_kind::other, "a pickled module of PyTorch: Python code, which is never run",
            export_from_python};
  const auto tensors = tensors_in_pickle(content);
  return {file_kind::other,
          "a file of PyTorch's weights alone, without a graph" +
              (tensors.empty() ? "" : " (" + tensors + ")"),
          export_from_python};
}

NVDLAC_IMPL recognised recognise_archive(std::string_view content) {
  constexpr std::size_t end = std::size_t{1} << 20;
  const auto tail = content.substr(content.size() - std::min(content.size(), end));
  const auto has = [&](std::string_view s) { return tail.find(s) != tail.npos; };
  if (has("config.json") && has("model.weights.h5"))
    return {file_kind::keras_archive, "a Keras archive"};
  if (has("/code/__torch__") || has("/bytecode.pkl"))
    return {file_kind::other, has("/bytecode.pkl") ? "a TorchScript file for the lite interpreter"
                                                   : "a TorchScript file",
            export_from_python};
  if (has("/models/") && has("/archive_format"))
    return {file_kind::pytorch_export, "an archive of torch.export"};
  if (has("serialized_exported_program.json")) {
    // The first one pickled the weights into a text of JSON, the others into archives of their own.
    const bool first = has("serialized_state_dict.json");
    return {file_kind::other,
            first ? "an archive of torch.export by PyTorch 2.1, whose weights are a pickle"
                  : "an archive of torch.export by PyTorch 2.2 to 2.7, whose weights are a pickle",
            first ? "export the module with PyTorch 2.9 or later, or to ONNX"
                  : "with PyTorch 2.9 or later: torch.export.save(torch.export.load('old.pt2'), "
                    "'new.pt2'), or export to ONNX"};
  }
  if (has("/data.pkl")) return recognise_pickle(content);
  if (has("/archive_format") || has("/serialization_id"))
    return {file_kind::other, "a ZIP archive of PyTorch without a graph", export_from_python};
  return {file_kind::other, "a ZIP archive without a network that is known here",
          "convert the network to ONNX first"};
}

NVDLAC_IMPL recognised recognise_text(std::string_view content) {
  const auto starts = [&](std::string_view s) { return content.starts_with(s); };
  const auto has = [&](std::string_view s) { return content.find(s) != content.npos; };
  if (starts("P5\n") || starts("P2\n") || starts("P6\n") || starts("P3\n"))
    return {file_kind::other, "a PNM picture", give_model};
  if (has("ir_version") || has("opset_import"))
    return {file_kind::onnx_text, "an ONNX text file"};
  const auto first = content.find_first_not_of(" \t\r\n\f\v");
  if (first == content.npos) return {file_kind::other, "a blank text", give_model};
  if (content[first] == '<') return {file_kind::other, "an XML or HTML file", give_model};
  if (is_darknet_text(content)) return {file_kind::darknet_text, "a Darknet cfg"};
  if (content[first] == '{' && has("\"class_name\"") && has("\"config\""))
    return {file_kind::keras_json, "the JSON of a Keras model"};
  if (content[first] == '{' && has("\"rootModelIdentifier\"") && has("\"itemInfoEntries\""))
    return {file_kind::coreml_manifest, "the manifest of a Core ML package"};
  if (content[first] == '{' && has("\"nodes\"") && has("\"arg_nodes\"") && has("\"heads\""))
    return {file_kind::mxnet_symbol, "an MXNet symbol"};
  if (content[first] == '[' || (content[first] == '{' && has("\"")))
    return {file_kind::other, "a JSON file", give_model};
  if (is_graph_text(content)) return {file_kind::tensorflow_text, "a TensorFlow graph's text"};
  if (has("saved_model_schema_version"))
    return {file_kind::saved_model_text, "the text of a SavedModel"};
  if (has("layer") || has("input")) return {file_kind::caffe_text, "a prototxt"};
  return {file_kind::other, "a text file without a network", give_model};
}

NVDLAC_IMPL recognised recognise(std::string_view content) {
  const auto starts = [&](std::string_view s) { return content.substr(0, s.size()) == s; };
  const std::string_view identifier = content.size() >= 8 ? content.substr(4, 4) : "";
  if (identifier == "TFL3") return {file_kind::tflite, "a TFLite file"};
  if (identifier == "NVDA") return {file_kind::other, "an NVDLA loadable", give_model};
  if (starts("\xff\xd8\xff")) return {file_kind::other, "a JPEG picture", give_model};
  if (starts("\x89PNG")) return {file_kind::other, "a PNG picture", give_model};
  if (starts("\x89HDF")) return {file_kind::keras_hdf5, "an HDF5 file"};
  if (starts("\x93NUMPY")) return {file_kind::other, "a NumPy array", give_model};
  if (starts("PK\x03\x04")) return recognise_archive(content);
  if (starts(std::string_view("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9", 9)))
    return recognise_pickle(content);
  if (content.size() > 3 && content[0] == '\x80' && content[1] > 1 && content[1] < 6 &&
      content.back() == '.')
    return {file_kind::other, "a Python pickle, which is never run", export_from_python};
  if (identifier == "PTMF")
    return {file_kind::other, "a TorchScript file for the lite interpreter", export_from_python};
  if (identifier == "ET12") return {file_kind::other, "an ExecuTorch program", export_from_python};
  if (starts(std::string_view("\x12\x01\0\0\0\0\0\0", 8)))
    return {file_kind::mxnet_params, "a file of MXNet's parameters"};
  if (starts("\x1f\x8b")) return {file_kind::other, "a gzip archive", "unpack it first"};
  if (starts("\x7f" "ELF")) return {file_kind::other, "an ELF binary", give_model};
  if (starts(std::string_view("\0\0\x08", 3))) return {file_kind::other, "an IDX file", give_model};
  if (starts("version https://git-lfs"))
    return {file_kind::other, "a pointer of Git LFS", "fetch the file itself with git lfs pull"};
  if (starts("%PDF")) return {file_kind::other, "a PDF document", give_model};

  if (looks_like_text(content)) return recognise_text(content);
  if (starts("P5") || starts("P6")) return {file_kind::other, "a PNM picture", give_model};
  if (looks_like_graph_def(content)) return {file_kind::tensorflow, "a TensorFlow graph"};
  if (starts(std::string_view("\x08\x01\x12", 3)) &&
      looks_like_graph_def(first_field(first_field(content, 2), 2)))
    return {file_kind::saved_model, "a SavedModel"};
  if (looks_like_darknet_weights(content))
    return {file_kind::darknet_weights, "a file of Darknet's weights"};
  if (looks_like_net_def(content)) return {file_kind::caffe2_net, "a NetDef of Caffe2"};
  if (looks_like_core_ml(content)) return {file_kind::coreml, "a Core ML model"};
  const auto fields = scan_wire(content);
  if (fields.has_varint(1) || fields.has_delimited(7)) return {file_kind::onnx, "an ONNX file"};
  if (fields.has_delimited(100) || fields.has_delimited(2))
    return {file_kind::caffe_binary, "a caffemodel"};
  return {file_kind::other, "no kind of file that is known here", give_model};
}

}  // namespace nvdlac::import
