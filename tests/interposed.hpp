// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that libraries for LD_PRELOAD share, which stand in front of those of the C library.
#include <cstdarg>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>

// The function of that name of whatever library comes next, of the type of the one that is given.
template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// The mode behind the flags of an open(), where it has one.
inline mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}
