// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
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
  schema(const std::string& format, std::span<const row> rows);

  std::unique_ptr<pb::Message> make(const char* message) const;

 private:
  static void add_field(pb::DescriptorProto& m, const row& r, const std::string& type);

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
  // Whether the field is there, which may be one that this message does not know.
  bool has(const char* name) const;
  std::size_t size(const char* name) const {
    return static_cast<std::size_t>(reflection().FieldSize(*m_, field(name)));
  }

  std::int64_t integer(const char* name, std::int64_t otherwise = 0) const;
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
  const std::string& bytes(const char* name) const;
  std::string enumerator(const char* name, const std::string& otherwise) const {
    return has(name) ? reflection().GetEnum(*m_, field(name))->name() : otherwise;
  }
  // Without fields where this message does not know the field.
  view child(const char* name) const;

  std::vector<view> children(const char* name) const;
  std::vector<std::string> strings(const char* name) const;
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

// Sets the fields of a message by their names; the types must be those of the schema.
class editor {
 public:
  explicit editor(pb::Message& m) : m_(&m) {}

  editor child(const char* name) { return editor(*reflection().MutableMessage(m_, field(name))); }
  editor add(const char* name) { return editor(*reflection().AddMessage(m_, field(name))); }
  void set(const char* name, const std::string& v) { reflection().SetString(m_, field(name), v); }
  void append(const char* name, const std::vector<float>& values) {
    for (const float v : values) reflection().AddFloat(m_, field(name), v);
  }
  void append(const char* name, const std::vector<std::int64_t>& values) {
    for (const auto v : values) reflection().AddInt64(m_, field(name), v);
  }

 private:
  const pb::FieldDescriptor* field(const char* name) const {
    return m_->GetDescriptor()->FindFieldByName(name);
  }
  const pb::Reflection& reflection() const { return *m_->GetReflection(); }

  pb::Message* m_;
};

// A place in a text, 1-based; 0 in a binary.
struct text_location {
  std::size_t line = 0, column = 0;
  auto operator<=>(const text_location&) const = default;
};

// A field that the schema does not have, where it was met.
struct unknown_field {
  std::string message;  // the message's type
  std::string name;     // of a text: its name; of a binary: its number
  text_location at{};
};

void collect_unknown(const pb::Message& m, std::vector<unknown_field>& found);

// A parsed file: its message and, of a text, the lines of its parts and the unknown fields in it.
struct document {
  std::unique_ptr<pb::Message> message;
  bool is_text = false;
  std::unique_ptr<pb::TextFormat::ParseInfoTree> lines =
      std::make_unique<pb::TextFormat::ParseInfoTree>();
  std::vector<unknown_field> unknown{};  // of a text; collect_unknown finds those of a binary

  view root() const { return view(*message); }
  // Where the i-th message of a repeated field of the root starts.
  text_location start_of(const char* field, int i) const;
};

std::string not_understood(const unknown_field& u);
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

class text_problems : public pb::io::ErrorCollector {
 public:
  text_problems(document& d, diagnostics& problems, std::string file)
      : document_(d), problems_(problems), file_(std::move(file)) {}
  void AddError(int line, int, const std::string& message) override {
    problems_.add({.file = file_, .line = static_cast<std::size_t>(line + 1), .reason = message});
  }
  void AddWarning(int line, int column, const std::string& message) override;

 private:
  document& document_;
  diagnostics& problems_;
  std::string file_;
};

// The strings, lists and messages in a binary, so far as it is sound: each takes far more memory
// than the two bytes that it may have in the file.
std::uint64_t count_fields(const pb::Descriptor& message, pb::io::CodedInputStream& in);

// Refuses a file whose message would take more memory than a model needs.
inline void check_fields(const std::string& file, std::uint64_t fields, std::uint64_t most) try {
  require_within(&budget::fields, fields, most);
} catch (const error& e) {
  auto problems = e.problems();
  for (auto& p : problems) p.file = file;
  throw error(std::move(problems));
}

// `most_fields` is budget::fields.
document parse_binary(const schema& s, const char* message, const std::string& file,
                      std::string_view content, std::uint64_t most_fields);

document parse_text(const schema& s, const char* message, const std::string& file,
                    std::string_view content, std::uint64_t most_fields);

}  // namespace nvdlac::import::proto

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/protobuf.ipp>
#endif
