// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/cpp_names.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL std::string header_of(std::string_view stem) {
  auto name = std::string(stem) + ".h";
  if (name.find_first_of("\"\n\r") != name.npos || name.find("?\?/") != name.npos)
    throw error(problem{.file = std::move(name),
                        .reason = "no line of C can include this name",
                        .remedy = "name another file"});
  return name;
}

NVDLAC_IMPL std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (detail::is_letter(c) || detail::is_digit(c)) result += c;
    else if (!result.empty() && result.back() != '_') result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty() || detail::is_digit(result[0])) result.insert(0, "n");
  if (!is_identifier(result)) result += "_1";
  return result;
}

namespace detail {

// Names that the headers of C, and of POSIX, which libraries of C++ include, declare outside of
// namespaces: functions of real numbers, which have others for float, long double and further types
// (sinf, sinl, sinf32), and the rest.
inline constexpr std::string_view real_functions_of_c =
    " acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf "
    "erfc exp exp10 exp2 expm1 fabs fdim finite floor fma fmax fmaximum fmaximum_mag "
    "fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num "
    "fminimum_num fminmag fmod frexp fromfp fromfpx gamma getpayload hypot ilogb j0 j1 jn ldexp "
    "lgamma llogb llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint "
    "nextafter nextdown nexttoward nextup pow remainder remquo rint round roundeven scalb scalbln "
    "scalbn setpayload setpayloadsig significand sin sincos sinh sqrt tan tanh tgamma totalorder "
    "totalordermag trunc ufromfp ufromfpx y0 y1 yn ";
inline constexpr std::string_view names_of_c =
    " FILE a64l abort abs access acct alarm alloca arc4random asctime asprintf atexit atof atoi "
    "atol atoll basename bcmp bcopy be16toh be32toh be64toh blkcnt_t blksize_t brk bsearch bzero "
    "caddr_t calloc chdir chown chroot clearenv clearerr clock clock_t clockid_t clone close "
    "closefrom confstr crypt ctermid ctime cuserid daddl daddr_t daemon daylight ddivl dev_t "
    "dfmal difftime div div_t dmull double_t dprintf drand48 dsqrtl dsubl dup dup2 dup3 eaccess "
    "ecvt endusershell environ erand48 euidaccess execl execle execlp execv execve execveat "
    "execvp execvpe exit faccessat fadd faddl fchdir fchown fchownat fclose fcloseall fcvt "
    "fdatasync fdiv fdivl fdopen feof ferror fexecve fflush ffma ffmal ffs ffsl ffsll fgetc "
    "fgetpos fgets fileno float_t flockfile fmemopen fmul fmull fopen fopencookie fork fpathconf "
    "fpos_t fprintf fputc fputs fread free freopen fsblkcnt_t fscanf fseek fseeko fsetpos "
    "fsfilcnt_t fsid_t fsqrt fsqrtl fsub fsubl fsync ftell ftello ftruncate ftrylockfile "
    "funlockfile futimes fwrite gcvt getc getchar getcwd getdate getdelim getdomainname "
    "getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid gethostname "
    "getline getloadavg getlogin getopt getpagesize getpass getpgid getpgrp getpid getppid getpt "
    "getresgid getresuid getsid getsubopt gettext gettid getuid getusershell getw getwd gid_t "
    "gmtime grantpt gsignal htobe16 htobe32 htobe64 htole16 htole32 htole64 id_t index initstate "
    "ino_t int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t "
    "int_least16_t int_least32_t int_least64_t int_least8_t intmax_t intptr_t isalnum isalpha "
    "isascii isatty isblank iscanonical iscntrl isdigit isgraph isinff isinfl islower isnanf "
    "isnanl isprint ispunct issignaling isspace issubnormal isupper isxdigit jrand48 key_t kill "
    "killpg l64a labs lchown lcong48 lconv ldiv ldiv_t le16toh le32toh le64toh link linkat llabs "
    "lldiv lldiv_t locale_t localeconv localtime lockf loff_t lrand48 lseek malloc mblen mbstowcs "
    "mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset mkdtemp "
    "mkostemp mkostemps mkstemp mkstemps mktemp mktime mode_t mrand48 nanosleep nice nlink_t "
    "nrand48 obstack off_t optarg opterr optind optopt pathconf pause pclose perror pid_t pipe "
    "pipe2 popen pread printf profil pselect ptrdiff_t ptsname putc putchar putenv puts putw "
    "pwrite qecvt qfcvt qgcvt qsort quad_t raise rand random rawmemchr read readlink readlinkat "
    "realloc reallocarray realpath register_t remove rename renameat renameat2 revoke rewind "
    "rindex rmdir rpmatch sbrk scanf seed48 select setbuf setbuffer setdomainname setegid setenv "
    "seteuid setgid sethostid sethostname setlinebuf setlocale setlogin setns setpgid setpgrp "
    "setregid setresgid setresuid setreuid setsid setstate setuid setusershell setvbuf signal "
    "signgam sigset sigset_t size_t sleep snprintf socklen_t sprintf srand srand48 srandom sscanf "
    "ssignal ssize_t stderr stdin stdout stpcpy stpncpy strcasecmp strcasestr strcat strchr "
    "strchrnul strcmp strcoll strcpy strcspn strdup strdupa strerror strfromd strfroml strfry "
    "strftime strlen strncasecmp strncat strncmp strncpy strndup strndupa strnlen strpbrk "
    "strptime strrchr strsep strsignal strspn strstr strtod strtof strtok strtol strtold strtoll "
    "strtoq strtoul strtoull strtouq strverscmp strxfrm suseconds_t swab symlink symlinkat sync "
    "syncfs syscall sysconf system tcgetpgrp tcsetpgrp tempnam textdomain time time_t timegm "
    "timer_t timespec timeval timezone tm tmpfile tmpnam toascii tolower toupper truncate ttyname "
    "ttyslot tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t "
    "u_short ualarm uid_t uint uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t "
    "uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t "
    "uintmax_t uintptr_t ulong ungetc unlink unlinkat unlockpt unsetenv unshare useconds_t "
    "uselocale ushort usleep utimes valloc vasprintf vdprintf vfork vfprintf vfscanf vhangup "
    "vprintf vscanf vsnprintf vsprintf vsscanf wint_t write ";

NVDLAC_IMPL bool has_word(std::string_view words, std::string_view word) {
  return words.find(text(' ', word, ' ')) != words.npos;
}

}  // namespace detail

NVDLAC_IMPL bool is_taken_globally(std::string_view name) {
  name = name.substr(0, name.find("::"));
  for (const std::string_view ending : {"", "f", "l", "f32", "f64", "f32x", "f64x"})
    if (name.ends_with(ending) &&
        detail::has_word(detail::real_functions_of_c, name.substr(0, name.size() - ending.size())))
      return true;
  return detail::has_word(detail::names_of_c, name);
}

NVDLAC_IMPL std::string global_identifier(std::string_view name) {
  auto result = identifier(name);
  if (is_taken_globally(result)) result += "_1";
  return result;
}

NVDLAC_IMPL std::string literal(std::string_view bytes) {
  const auto result = escape::literal(bytes);
  if (bytes.find('\0') == bytes.npos) return result;
  return "std::string_view(" + result + ", " + std::to_string(bytes.size()) + ")";
}

NVDLAC_IMPL std::string unique_names::operator()(std::string_view wish) {
  std::string name(wish);
  for (int i = 2; !used_.insert(name).second; ++i)
    name = std::string(wish) + "_" + std::to_string(i);
  return name;
}

}  // namespace nvdlac::emit
