// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory of this process.
#include <cstddef>
#include <fstream>

// Its resident pages. The address sanitizer keeps what was freed for a while, and looks for leaks
// itself: 0 under it.
inline std::size_t resident_pages() {
#ifdef __has_feature
#if __has_feature(address_sanitizer)
  return 0;
#endif
#endif
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, now = 0;
  in >> all >> now;
  return now;
}
