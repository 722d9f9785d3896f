// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/wire_format_lite.h>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::import::proto {

namespace pb = google::protobuf;

enum class rule : std::uint8_t { one, many, value };

// One row of a schema: a field of a message, or (`value`) a named value of an enumeration, whose
// name stands in the place of the message's. `type` is a scalar type or the name of a message or
// enumeration of the same schema.
struct row {
  const char* message;
  const char* name;
  int number;
  const char* type = "";
  rule label = rule::one;
};

// The messages of one format, built at run time from a table, so that no generated code is needed.
class schema {
 public:
  schema(const std::string& format, std::span<const row> rows) {
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

  std::unique_ptr<pb::Message> make(const char* message) const {
    return std::unique_ptr<pb::Message>(
        factory_.GetPrototype(file_->FindMessageTypeByName(message))->New());
  }

 private:
  static void add_field(pb::DescriptorProto& m, const row& r, const std::string& type) {
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

  pb::DescriptorPool pool_;
  mutable pb::DynamicMessageFactory factory_{&pool_};
  const pb::FileDescriptor* file_ = nullptr;
};

// Calls f with the message and all messages in it that have this type.
template <class F>
void for_each_message(const pb::Message& m, std::string_view type, const F& f) {
  if (m.GetDescriptor()->name() == type) f(m);
  const auto& reflection = *m.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(m, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      for_each_message(reflection.GetMessage(m, field), type, f);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(m, field); ++i)
      for_each_message(reflection.GetRepeatedMessage(m, field, i), type, f);
  }
}

// Reads the fields of a message by their names; the types must be those of the schema.
class view {
 public:
  explicit view(const pb::Message& m) : m_(&m) {}

  const pb::Message& message() const { return *m_; }
  // Also for a field that this message does not know.
  bool has(const char* name) const {
    const auto* f = field(name);
    if (!f) return false;
    return f->is_repeated() ? reflection().FieldSize(*m_, f) > 0 : reflection().HasField(*m_, f);
  }
  std::size_t size(const char* name) const {
    return static_cast<std::size_t>(reflection().FieldSize(*m_, field(name)));
  }

  std::int64_t integer(const char* name, std::int64_t otherwise = 0) const {
    if (!has(name)) return otherwise;
    const auto* f = field(name);
    switch (f->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32: return reflection().GetInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_UINT32: return reflection().GetUInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_ENUM: return reflection().GetEnumValue(*m_, f);
      default: return reflection().GetInt64(*m_, f);
    }
  }
  float number(const char* name, float otherwise = 0) const {
    return has(name) ? reflection().GetFloat(*m_, field(name)) : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    return has(name) ? reflection().GetBool(*m_, field(name)) : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise = {}) const {
    return has(name) ? reflection().GetString(*m_, field(name)) : otherwise;
  }
  // The bytes themselves, without a copy.
  const std::string& bytes(const char* name) const {
    static thread_local std::string scratch;
    return reflection().GetStringReference(*m_, field(name), &scratch);
  }
  std::string enumerator(const char* name, const std::string& otherwise) const {
    return has(name) ? reflection().GetEnum(*m_, field(name))->name() : otherwise;
  }
  // Without fields where this message does not know the field.
  view child(const char* name) const {
    const auto* f = field(name);
    return view(f ? reflection().GetMessage(*m_, f) : pb::Empty::default_instance());
  }

  std::vector<view> children(const char* name) const {
    const auto* f = field(name);
    std::vector<view> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.emplace_back(reflection().GetRepeatedMessage(*m_, f, i));
    return result;
  }
  std::vector<std::string> strings(const char* name) const {
    const auto* f = field(name);
    std::vector<std::string> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.push_back(reflection().GetRepeatedString(*m_, f, i));
    return result;
  }
  // The values of a repeated field of exactly this C++ type.
  template <class T>
  std::vector<T> values(const char* name) const {
    const auto all = reflection().GetRepeatedFieldRef<T>(*m_, field(name));
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(all.size()));
    for (int i = 0, n = all.size(); i < n; ++i) result.push_back(all.Get(i));
    return result;
  }

 private:
  const pb::FieldDescriptor* field(const char* name) const {
    return m_->GetDescriptor()->FindFieldByName(name);
  }
  const pb::Reflection& reflection() const { return *m_->GetReflection(); }

  const pb::Message* m_;
};

// A place in a text, 1-based; 0 in a binary.
struct place {
  std::size_t line = 0, column = 0;
  auto operator<=>(const place&) const = default;
};

// A field that the schema does not have, where it was met.
struct unknown_field {
  std::string message;  // the message's type
  std::string name;     // of a text: its name; of a binary: its number
  place at{};
};

inline void collect_unknown(const pb::Message& m, std::vector<unknown_field>& found) {
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

// A parsed file: its message and, of a text, the lines of its parts and the unknown fields in it.
struct document {
  std::unique_ptr<pb::Message> message;
  bool is_text = false;
  std::unique_ptr<pb::TextFormat::ParseInfoTree> lines =
      std::make_unique<pb::TextFormat::ParseInfoTree>();
  std::vector<unknown_field> unknown{};  // of a text; collect_unknown finds those of a binary

  view root() const { return view(*message); }
  // Where the i-th message of a repeated field of the root starts.
  place start_of(const char* field, int i) const {
    if (!is_text) return {};
    const auto* f = message->GetDescriptor()->FindFieldByName(field);
    const auto found = lines->GetLocation(f, i);
    return {static_cast<std::size_t>(found.line + 1), static_cast<std::size_t>(found.column + 1)};
  }
};

inline std::string not_understood(const unknown_field& u) {
  return text("the field ", u.name, " of ", u.message, " is not understood");
}
// Throws what the schema of a format does not have, in messages of which `matters` is true.
template <class Matters>
void require_understood(document& d, const std::string& file, const char* format,
                        Matters matters) {
  if (!d.is_text) collect_unknown(*d.message, d.unknown);
  std::vector<problem> wrong;
  for (const auto& u : d.unknown)
    if (wrong.size() < 20 && matters(u.message))
      wrong.push_back(
          {.file = file, .line = u.at.line, .reason = not_understood(u),
           .remedy = d.is_text ? "" : text("the file is corrupt or from a later ", format)});
  if (!wrong.empty()) throw error(wrong);
}

class text_complaints : public pb::io::ErrorCollector {
 public:
  text_complaints(document& d, diagnostics& problems, std::string file)
      : document_(d), problems_(problems), file_(std::move(file)) {}
  void AddError(int line, int, const std::string& message) override {
    problems_.add({.file = file_, .line = static_cast<std::size_t>(line + 1), .reason = message});
  }
  void AddWarning(int line, int column, const std::string& message) override {
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

 private:
  document& document_;
  diagnostics& problems_;
  std::string file_;
};

// The strings, lists and messages in a binary, so far as it is sound: each takes far more memory
// than the two bytes that it may have in the file.
inline std::uint64_t count_fields(const pb::Descriptor& message, pb::io::CodedInputStream& in) {
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

// Refuses a file whose message would take more memory than a model needs.
inline void check_fields(const std::string& file, std::uint64_t fields) try {
  require_within(&budget::fields, fields);
} catch (const error& e) {
  auto problems = e.problems();
  for (auto& p : problems) p.file = file;
  throw error(std::move(problems));
}

inline document parse_binary(const schema& s, const char* message, const std::string& file,
                             std::string_view content) {
  document d{.message = s.make(message)};
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  pb::io::CodedInputStream fields(reinterpret_cast<const std::uint8_t*>(content.data()),
                                  static_cast<int>(content.size()));
  check_fields(file, count_fields(*d.message->GetDescriptor(), fields));
  if (!d.message->ParseFromArray(content.data(), static_cast<int>(content.size())))
    throw error(problem{.file = file, .reason = "the file is truncated or corrupt",
                        .remedy = "its protobuf encoding is broken"});
  return d;
}

inline document parse_text(const schema& s, const char* message, const std::string& file,
                           std::string_view content) {
  document d{.message = s.make(message), .is_text = true};
  // A message of a text also has a map of the places of its fields.
  const auto messages = std::ranges::count_if(content, [](char c) { return c == '{' || c == '<'; });
  check_fields(file, 16 * static_cast<std::uint64_t>(messages) +
                         static_cast<std::uint64_t>(std::ranges::count(content, ':')));
  diagnostics problems;
  text_complaints complaints(d, problems, file);
  pb::TextFormat::Parser parser;
  parser.AllowUnknownField(true);  // recorded as unknown, and judged where it is known what matters
  parser.SetRecursionLimit(50);
  parser.RecordErrorsTo(&complaints);
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
