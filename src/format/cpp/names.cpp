// A namespace comes from a file's name or from the user. The first is converted to an identifier,
// the second must be one.

#include "format/cpp/names.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/scanner.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cpp {

namespace {

/// Words that cannot name a namespace.
constexpr std::string_view reserved[] = {
    // the keywords up to C++23
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    // names that the emitted program uses
    "main", "posix", "std",
    // macros of GNU C++ and of the standard headers
    "NULL", "i386", "linux", "unix"};

/// What the compiler or the standard headers declare in the global namespace, where no namespace
/// can have that name.
constexpr std::string_view declared[] = {
    // types of the standard headers
    "int16_t", "int32_t", "int64_t", "int8_t", "int_fast16_t", "int_fast32_t", "int_fast64_t",
    "int_fast8_t", "int_least16_t", "int_least32_t", "int_least64_t", "int_least8_t", "intmax_t",
    "intptr_t", "max_align_t", "nullptr_t", "ptrdiff_t", "size_t", "uint16_t", "uint32_t",
    "uint64_t", "uint8_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t", "uint_fast8_t",
    "uint_least16_t", "uint_least32_t", "uint_least64_t", "uint_least8_t", "uintmax_t", "uintptr_t",
    // functions that compilers know without a header
    "_Exit", "_exit", "abort", "abs", "aligned_alloc", "alloca", "bcmp", "bcopy", "bzero", "calloc",
    "dcgettext", "dgettext", "execl", "execle", "execlp", "execv", "execve", "execvp", "exit",
    "feclearexcept", "fegetenv", "ffs", "ffsl", "ffsll", "fork", "fprintf", "fputc", "fputs",
    "free", "fscanf", "fwrite", "gettext", "imaxabs", "index", "isalnum", "isalpha", "isascii",
    "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace",
    "isupper", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswdigit", "iswgraph", "iswlower",
    "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit", "labs", "llabs",
    "malloc", "memchr", "memcmp", "memcpy", "memmove", "mempcpy", "memset", "posix_memalign",
    "printf", "putc", "putchar", "puts", "realloc", "rindex", "scanf", "snprintf", "sprintf",
    "sscanf", "stpcpy", "stpncpy", "strcasecmp", "strcat", "strchr", "strcmp", "strcpy", "strcspn",
    "strdup", "strfmon", "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy",
    "strndup", "strnlen", "strpbrk", "strrchr", "strspn", "strstr", "toascii", "tolower", "toupper",
    "towlower", "towupper", "vfprintf", "vfscanf", "vprintf", "vscanf", "vsnprintf", "vsprintf",
    "vsscanf"};

/// The same of mathematical functions, also those of `float` and `long double`, which end in f and
/// in l.
constexpr std::string_view functions[] = {
    "acos",      "acosh",   "asin",        "asinh",     "atan",       "atan2",  "atanh",
    "cabs",      "cacos",   "cacosh",      "carg",      "casin",      "casinh", "catan",
    "catanh",    "cbrt",    "ccos",        "ccosh",     "ceil",       "cexp",   "cimag",
    "clog",      "clog10",  "conj",        "copysign",  "cos",        "cosh",   "cpow",
    "cproj",     "creal",   "csin",        "csinh",     "csqrt",      "ctan",   "ctanh",
    "drem",      "erf",     "erfc",        "exp",       "exp10",      "exp2",   "expm1",
    "fabs",      "fdim",    "finite",      "floor",     "fma",        "fmax",   "fmin",
    "fmod",      "frexp",   "gamma",       "hypot",     "ilogb",      "isinf",  "isnan",
    "j0",        "j1",      "jn",          "ldexp",     "lgamma",     "llrint", "llround",
    "log",       "log10",   "log1p",       "log2",      "logb",       "lrint",  "lround",
    "modf",      "nan",     "nearbyint",   "nextafter", "nexttoward", "pow",    "pow10",
    "remainder", "remquo",  "rint",        "round",     "roundeven",  "scalb",  "scalbln",
    "scalbn",    "signbit", "significand", "sin",       "sincos",     "sinh",   "sqrt",
    "tan",       "tanh",    "tgamma",      "trunc",     "y0",         "y1",     "yn"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_reserved(std::string_view word) { return std::ranges::count(reserved, word) != 0; }

bool is_declared(std::string_view word) {
  const auto is_function = [](std::string_view name) {
    return std::ranges::count(functions, name) != 0;
  };
  const bool variant = word.ends_with('f') || word.ends_with('l');
  return std::ranges::count(declared, word) != 0 || is_function(word) ||
         (variant && is_function(word.substr(0, word.size() - 1)));
}

bool is_identifier(std::string_view word) {
  return !word.empty() && !is_digit(word.front()) && !is_reserved(word) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
}

/// The parts of a::b::c.
std::vector<std::string_view> parts_of(std::string_view space) {
  std::vector<std::string_view> parts;
  for (std::size_t colons; (colons = space.find("::")) != std::string_view::npos;) {
    parts.push_back(space.substr(0, colons));
    space.remove_prefix(colons + 2);
  }
  parts.push_back(space);
  return parts;
}

/// An identifier that resembles a file's name: "2d-tree.v1" becomes schedule_2d_tree_v1, xor xor_.
std::string identifier(std::string_view stem) {
  std::string result;
  for (const char c : stem) {
    const bool kept = is_letter(c) || is_digit(c);
    const bool gap = result.empty() || result.back() == '_';  // no double or leading underscore
    if (kept && c != '_') {
      result += c;
    } else if (!gap) {
      result += '_';
    }
  }
  if (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty()) return "schedule";
  if (is_digit(result.front())) result.insert(0, "schedule_");
  return is_reserved(result) || is_declared(result) ? result + "_" : result;
}

}  // namespace

void check_namespace(const Parameters& parameters) {
  if (!parameters.has("namespace")) return;
  const std::string& given = parameters.text("namespace");
  const std::vector<std::string_view> parts = parts_of(given);
  if (!std::ranges::all_of(parts, is_identifier) || is_declared(parts.front())) {
    throw InputError(
        fmt::format("parameter 'namespace': '{}' is not a valid name of a C++ namespace", given));
  }
}

std::string namespace_of(const EmitOptions& options) {
  if (!options.parameters.has("namespace")) return identifier(options.stem);
  check_namespace(options.parameters);
  return options.parameters.text("namespace");
}

/// Nested names are written with their lengths, so that they are unique.
std::string guard_of(std::string_view space) {
  const std::vector<std::string_view> parts = parts_of(space);
  std::string guard = "SCHEDCC_TABLE_";
  if (parts.size() == 1) return guard.append(space);
  for (const std::string_view part : parts) guard += fmt::format("{}{}", part.size(), part);
  return guard;
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7f || c == '"' || c == '\\' || c == '?') {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace schedcc::cpp
