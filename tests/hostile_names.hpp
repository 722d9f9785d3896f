// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names that a model may hold and that would be more than names in some language: code, ends of
// comments, of strings and of lines, commands to a terminal, text that is shown elsewhere.
#include <string>
#include <vector>

// Where one of them becomes code, this word stands outside of comments and strings.
inline const std::string injected = "INJECTED";

inline const std::vector<std::string>& hostile_names() {
  using namespace std::string_literals;
  static const std::vector<std::string> all{
      "plain", "h", "run", "H", "a", "a_in0", "a_in1", "a_put", "a_put_2", "a/put", "a.put",
      "int", "class", "restrict", "inline", "_Bool", "register", "int8_t", "size_t", "main", "t",
      "PI", "9", "__x", "_x", " ", "\t", ".", "..", "/", "%", "%s%n", "#", "a#INJECTED",
      "*/ INJECTED /*", "/* INJECTED */", "// INJECTED", "*/", "/*", "*", "**/", "/**",
      "a\nINJECTED", "a\r\nINJECTED", "a\rINJECTED", "a\\\nINJECTED", "?\?/\nINJECTED",
      "a\vINJECTED", "a\fINJECTED", "ends?\?/", "ends\\", "ends\\\\", "?\?=define INJECTED",
      "\"; INJECTED \"", "\" INJECTED", "'INJECTED'", "')INJECTED(", "\"]; INJECTED [\"",
      "\\\" INJECTED", "\\N", "\\n", "\\u000aINJECTED", "&lt;b&gt;", "<b>", "{a|b}", "`x`",
      "$(INJECTED)", "}; INJECTED {", "\"}\n, INJECTED", "a\0INJECTED"s, "\0"s,
      "\x1b[31mred\x1b[0m", "\x1b]0;title\a", "\b\b\b", "\x7f", "\xc2\x9b" "31mred", "\xc2\x85",
      "\xe2\x80\xaeleft", "\xe2\x81\xa6isolated\xe2\x81\xa9", "\xe2\x80\xa8line",
      "\xef\xbb\xbf", "\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80",
      "Sch\xc3\xb6n \xe2\x9c\x93", std::string(300, 'x')};
  return all;
}
