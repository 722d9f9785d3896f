// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::proto {

NVDLAC_IMPL schema::schema(const std::string& format, std::span<const row> rows) {
  pb::FileDescriptorProto file;
  file.set_name(format);
  file.set_package(format);
  std::map<std::string_view, pb::DescriptorProto*> messages;
  std::map<std::string_view, pb::EnumDescriptorProto*> enums;
  // protobuf scopes the values of an enumeration as its siblings; each one lives in a message
  // of its own, so that two of them may both have a NONE.
  for (const auto& r : rows) {
    if (r.label != rule::value) continue;
    auto*& e = enums[r.message];
    if (!e) {
      auto* scope = file.add_message_type();
      scope->set_name(r.message);
      (e = scope->add_enum_type())->set_name("type");
    }
    auto* v = e->add_value();
    v->set_name(r.name);
    v->set_number(r.number);
  }
  for (const auto& r : rows) {
    if (r.label == rule::value) continue;
    auto*& m = messages[r.message];
    if (!m) (m = file.add_message_type())->set_name(r.message);
    add_field(*m, r, "." + format + "." + r.type + (enums.count(r.type) ? ".type" : ""));
  }
  file_ = pool_.BuildFile(file);
  if (!file_) throw error(text("the built-in schema of ", format, " is not sound"));
}

NVDLAC_IMPL std::unique_ptr<pb::Message> schema::make(const char* message) const {
  return std::unique_ptr<pb::Message>(
      factory_.GetPrototype(file_->FindMessageTypeByName(message))->New());
}

NVDLAC_IMPL void schema::add_field(pb::DescriptorProto& m, const row& r, const std::string& type) {
  using field = pb::FieldDescriptorProto;
  static const std::map<std::string_view, field::Type> scalars = {
      {"int32", field::TYPE_INT32},   {"int64", field::TYPE_INT64},
      {"uint32", field::TYPE_UINT32}, {"uint64", field::TYPE_UINT64},
      {"fixed32", field::TYPE_FIXED32},
      {"float", field::TYPE_FLOAT},   {"double", field::TYPE_DOUBLE},
      {"bool", field::TYPE_BOOL},     {"string", field::TYPE_BYTES},  // which logs nothing
      {"bytes", field::TYPE_BYTES}};
  auto* f = m.add_field();
  f->set_name(r.name);
  f->set_number(r.number);
  f->set_label(r.label == rule::many ? field::LABEL_REPEATED : field::LABEL_OPTIONAL);
  if (const auto s = scalars.find(r.type); s != scalars.end())
    f->set_type(s->second);
  else
    f->set_type_name(type);
}

NVDLAC_IMPL bool view::has(const char* name) const {
  const auto* f = field(name);
  if (!f) return false;
  return f->is_repeated() ? reflection().FieldSize(*m_, f) > 0 : reflection().HasField(*m_, f);
}

NVDLAC_IMPL std::int64_t view::integer(const char* name, std::int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const auto* f = field(name);
  switch (f->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32: return reflection().GetInt32(*m_, f);
    case pb::FieldDescriptor::CPPTYPE_UINT32: return reflection().GetUInt32(*m_, f);
    case pb::FieldDescriptor::CPPTYPE_ENUM: return reflection().GetEnumValue(*m_, f);
    default: return reflection().GetInt64(*m_, f);
  }
}

NVDLAC_IMPL const std::string& view::bytes(const char* name) const {
  static thread_local std::string scratch;
  return reflection().GetStringReference(*m_, field(name), &scratch);
}

NVDLAC_IMPL view view::child(const char* name) const {
  const auto* f = field(name);
  return view(f ? reflection().GetMessage(*m_, f) : pb::Empty::default_instance());
}

NVDLAC_IMPL std::vector<view> view::children(const char* name) const {
  const auto* f = field(name);
  std::vector<view> result;
  for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
    result.emplace_back(reflection().GetRepeatedMessage(*m_, f, i));
  return result;
}

NVDLAC_IMPL std::vector<std::string> view::strings(const char* name) const {
  const auto* f = field(name);
  std::vector<std::string> result;
  for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
    result.push_back(reflection().GetRepeatedString(*m_, f, i));
  return result;
}

NVDLAC_IMPL void collect_unknown(const pb::Message& m, std::vector<unknown_field>& found) {
  const auto& reflection = *m.GetReflection();
  const auto& set = reflection.GetUnknownFields(m);
  for (int i = 0; i < set.field_count(); ++i)
    found.push_back({m.GetDescriptor()->name(), text("number ", set.field(i).number())});
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(m, &fields);
  for (const auto* f : fields) {
    if (f->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!f->is_repeated()) {
      collect_unknown(reflection.GetMessage(m, f), found);
      continue;
    }
    for (int i = 0, n = reflection.FieldSize(m, f); i < n; ++i)
      collect_unknown(reflection.GetRepeatedMessage(m, f, i), found);
  }
}

NVDLAC_IMPL text_location document::start_of(const char* field, int i) const {
  if (!is_text) return {};
  const auto* f = message->GetDescriptor()->FindFieldByName(field);
  const auto found = lines->GetLocation(f, i);
  return {static_cast<std::size_t>(found.line + 1), static_cast<std::size_t>(found.column + 1)};
}

NVDLAC_IMPL std::string not_understood(const unknown_field& u) {
  return text("the field ", u.name, " of ", u.message, " is not understood");
}

NVDLAC_IMPL void text_problems::AddWarning(int line, int column, const std::string& message) {
  // Message type "caffe.LayerParameter" has no field named "x".
  auto quoted = [&, at = std::size_t{0}]() mutable {
    const auto from = message.find('"', at), to = message.find('"', from + 1);
    at = to + 1;
    return from == std::string::npos || to == std::string::npos
               ? std::string{}
               : message.substr(from + 1, to - from - 1);
  };
  auto owner = quoted();
  if (const auto dot = owner.rfind('.'); dot != std::string::npos) owner.erase(0, dot + 1);
  const auto name = quoted();
  if (!name.empty())
    document_.unknown.push_back(
        {owner,
         name,
         {static_cast<std::size_t>(line + 1), static_cast<std::size_t>(column + 1)}});
}

NVDLAC_IMPL std::uint64_t count_fields(const pb::Descriptor& message,
                                       pb::io::CodedInputStream& in) {
  using wire = pb::internal::WireFormatLite;
  std::uint64_t found = 0;
  while (const auto tag = in.ReadTag()) {
    std::uint32_t size = 0;
    if (wire::GetTagWireType(tag) != wire::WIRETYPE_LENGTH_DELIMITED) {
      if (!wire::SkipField(&in, tag)) break;
      continue;
    }
    ++found;
    if (!in.ReadVarint32(&size)) break;
    const auto* f = message.FindFieldByNumber(wire::GetTagFieldNumber(tag));
    if (f != nullptr && f->message_type() != nullptr) {
      const auto [limit, depth] = in.IncrementRecursionDepthAndPushLimit(static_cast<int>(size));
      if (depth < 0) break;
      found += count_fields(*f->message_type(), in);
      if (!in.DecrementRecursionDepthAndPopLimit(limit)) break;
    } else if (!in.Skip(static_cast<int>(size))) {
      break;
    }
  }
  return found;
}

NVDLAC_IMPL document parse_binary(const schema& s, const char* message, const std::string& file,
                                  std::string_view content, std::uint64_t most_fields) {
  document d{.message = s.make(message)};
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  pb::io::CodedInputStream fields(reinterpret_cast<const std::uint8_t*>(content.data()),
                                  static_cast<int>(content.size()));
  check_fields(file, count_fields(*d.message->GetDescriptor(), fields), most_fields);
  if (!d.message->ParseFromArray(content.data(), static_cast<int>(content.size())))
    throw error(problem{.file = file, .reason = "the file is truncated or corrupt",
                        .remedy = "its protobuf encoding is broken"});
  return d;
}

NVDLAC_IMPL document parse_text(const schema& s, const char* message, const std::string& file,
                                std::string_view content, std::uint64_t most_fields) {
  document d{.message = s.make(message), .is_text = true};
  // A message of a text also has a map of the places of its fields.
  const auto messages = std::ranges::count_if(content, [](char c) { return c == '{' || c == '<'; });
  check_fields(file, 16 * static_cast<std::uint64_t>(messages) +
                         static_cast<std::uint64_t>(std::ranges::count(content, ':')),
               most_fields);
  diagnostics problems;
  text_problems wrong(d, problems, file);
  pb::TextFormat::Parser parser;
  parser.AllowUnknownField(true);  // recorded as unknown, and judged where it is known what matters
  parser.SetRecursionLimit(50);
  parser.RecordErrorsTo(&wrong);
  parser.WriteLocationsTo(d.lines.get());
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  pb::io::ArrayInputStream stream(content.data(), static_cast<int>(content.size()));
  const bool parsed = parser.Parse(&stream, d.message.get());
  problems.check();
  if (!parsed) throw error(problem{.file = file, .reason = "the text cannot be parsed"});
  return d;
}

}  // namespace nvdlac::import::proto
