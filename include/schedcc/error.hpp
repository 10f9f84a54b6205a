#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace schedcc {

/// A location in an input. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Bad input of any kind: a malformed file, an impossible parameter, a problem that an algorithm
/// does not serve. The one exception type that the command line turns into exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(SourceLocation where, const std::string& message)
      : std::runtime_error(message), location(std::move(where)) {}

  SourceLocation location;
};

/// A limit on memory or work that is reached before the result is known (exit status 3). The
/// message names the limit and what exceeds it.
class LimitError : public std::runtime_error {
 public:
  explicit LimitError(const std::string& message) : std::runtime_error(message) {}
  LimitError(SourceLocation where, const std::string& message)
      : std::runtime_error(message), location(std::move(where)) {}

  SourceLocation location;
};

/// A broken invariant of schedcc's own code (exit status 70).
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace schedcc

#pragma GCC visibility pop
