// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/validate.hpp>

namespace nvdlac::hw {

// A configuration whose numbers are known at run time alone, so that thousands of them can be
// lowered, planned and predicted by code that is compiled once for each register map. The numbers
// are those of the thread, while a `runtime_configuration<Map>::use` lives.
template <register_map Map>
struct runtime_configuration {
  static constexpr std::string_view name = "this configuration";
  struct numbers : hw::spec {
    static constexpr register_map map = Map;
  };
  static inline thread_local numbers spec{};

  // Throws what validate throws, and an error where `of` has the other map.
  class use {
   public:
    explicit use(const hw::spec& of) : before_(spec) {
      validate(of);
      if (of.map != Map) throw error("the configuration has the other register map");
      static_cast<hw::spec&>(spec) = of;
    }
    ~use() { spec = before_; }
    use(const use&) = delete;
    use& operator=(const use&) = delete;

   private:
    numbers before_;
  };
};

}  // namespace nvdlac::hw
