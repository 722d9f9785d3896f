// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linux without a C library: where a program begins, and its three system calls.

#if defined(__x86_64__)
asm(".globl _start\n_start: xor %ebp, %ebp\n call start");
enum system_call : long { call_read = 0, call_write = 1, call_exit = 60 };

inline long call(system_call number, long a, const void* b, long c) {
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__riscv)
asm(".globl _start\n_start:\n.option push\n.option norelax\n la gp, __global_pointer$\n"
    ".option pop\n call start");
enum system_call : long { call_read = 63, call_write = 64, call_exit = 93 };

inline long call(system_call number, long a, const void* b, long c) {
  register long a0 asm("a0") = a;
  register const void* a1 asm("a1") = b;
  register long a2 asm("a2") = c;
  register long a7 asm("a7") = number;
  asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}
#elif defined(__arm__)
asm(".globl _start\n_start: bl start");
enum system_call : long { call_read = 3, call_write = 4, call_exit = 1 };

inline long call(system_call number, long a, const void* b, long c) {
  register long r0 asm("r0") = a;
  register const void* r1 asm("r1") = b;
  register long r2 asm("r2") = c;
  register long r7 asm("r7") = number;
  asm volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r7) : "memory");
  return r0;
}
#else
#error "system calls of this processor are not known here"
#endif
