// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include <unistd.h>

#include <nvdlac/error.hpp>
#include <nvdlac/import/protobuf.hpp>

// A directory for one test, removed with everything in it.
class scratch {
 public:
  scratch() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            nvdlac::text("nvdlac_import_", ::getpid(), "_", number++);
    std::filesystem::create_directories(path_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path write(const std::string& name, std::string_view content) const {
    const auto path = path_ / name;
    std::ofstream(path, std::ios::binary).write(content.data(),
                                                static_cast<std::streamsize>(content.size()));
    return path;
  }

 private:
  std::filesystem::path path_;
};

// The binary form of a message in text form.
inline std::string encode(const nvdlac::import::proto::schema& s, const char* message,
                          std::string_view content) {
  return nvdlac::import::proto::parse_text(s, message, "", content).message->SerializeAsString();
}

// What an action complains of; empty if it does not.
inline std::string complaints(const std::function<void()>& action) {
  try {
    action();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return {};
}

inline bool mentions(std::string_view all, std::string_view part) {
  return all.find(part) != all.npos;
}
