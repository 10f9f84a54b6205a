#include "algorithm/own_algorithm.hpp"

#include <utility>

namespace schedcc {

namespace {

const OwnAlgorithm* in_use = nullptr;

}  // namespace

const OwnAlgorithm* own_algorithm() { return in_use; }

bool names_own_algorithm(std::string_view name) {
  return in_use != nullptr && (name == own_algorithm_word || name == in_use->name);
}

bool has_own_algorithm(std::string_view spec) {
  if (in_use == nullptr) return false;
  if (names_own_algorithm(spec)) return true;
  const auto part_of_word = [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); };
  for (std::size_t at = 0; (at = spec.find(own_algorithm_word, at)) != std::string_view::npos;) {
    const std::size_t end = at + own_algorithm_word.size();
    const bool begins = at == 0 || !part_of_word(spec[at - 1]);
    if (begins && (end == spec.size() || !part_of_word(spec[end]))) return true;
    at = end;
  }
  return false;
}

OwnAlgorithmInUse::OwnAlgorithmInUse(OwnAlgorithm algorithm) : algorithm_(std::move(algorithm)) {
  in_use = &algorithm_;
}
OwnAlgorithmInUse::~OwnAlgorithmInUse() { in_use = nullptr; }

}  // namespace schedcc
