#pragma once

// Errors of a command line, as opposed to those of the files that it names.

#include <stdexcept>

#include "schedcc/error.hpp"

namespace schedcc::cli {

/// Bad usage (exit status 2). The message names what is wrong.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The result of f; an InputError becomes a UsageError.
template <typename F>
auto as_usage(F f) {
  try {
    return f();
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace schedcc::cli
