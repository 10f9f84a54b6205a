#pragma once

// How much of their ranges tests take.

#include <cstdlib>

namespace ranges {

/// Do the tests take the whole of their ranges? Only with SCHEDCC_TEST_WHOLE in the environment, as
/// in `make -f Makefile.examples whole`: without it they take the parts that they state.
inline bool whole() {
  static const bool asked = std::getenv("SCHEDCC_TEST_WHOLE") != nullptr;
  return asked;
}

/// The size of a part, or of the whole range.
template <typename T>
T part(T part, T all) {
  return whole() ? all : part;
}

}  // namespace ranges
