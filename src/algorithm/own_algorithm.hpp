#pragma once

// An algorithm of the user, which is not in the registry: a program that prints schedules
// (`--generator`). While it is in use, algorithm_spec() and named_algorithm() know it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "schedcc/algorithm.hpp"

namespace schedcc {

/// The word that stands for it where an algorithm is named, also in compositions.
inline constexpr std::string_view own_algorithm_word = "generator";

struct OwnAlgorithm {
  std::string name;     ///< in reports: the command
  std::string options;  ///< that name it in a command: "--generator 'python3 ring.py'"
  /// The algorithm itself, made at its first use; it lives as long as this. May be called by
  /// several threads. Throws InputError.
  std::function<const Algorithm&()> algorithm;
};

/// The one that is in use; nullptr: none.
const OwnAlgorithm* own_algorithm();

/// Does `name` name the algorithm in use, by its own name or by the word?
bool names_own_algorithm(std::string_view name);

/// Does a specification, which may be a composition, contain the algorithm in use?
bool has_own_algorithm(std::string_view spec);

/// Puts an algorithm into use while this exists; one at a time.
class OwnAlgorithmInUse {
 public:
  explicit OwnAlgorithmInUse(OwnAlgorithm algorithm);
  ~OwnAlgorithmInUse();
  OwnAlgorithmInUse(const OwnAlgorithmInUse&) = delete;
  OwnAlgorithmInUse& operator=(const OwnAlgorithmInUse&) = delete;

 private:
  OwnAlgorithm algorithm_;
};

}  // namespace schedcc
