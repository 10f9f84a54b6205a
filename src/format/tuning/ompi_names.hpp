#pragma once

// The collectives and algorithms of Open MPI's component tuned, by their numbers.

#include <cstdint>
#include <span>
#include <string_view>

namespace schedcc {

/// For which calls an algorithm is made, and what it does for others.
enum class OmpiRequirement : std::uint8_t {
  none,
  two_ranks,                ///< others fail
  power_of_two,             ///< other numbers of ranks get another algorithm
  even,                     ///< the same
  commutative,              ///< others get a wrong order
  commutative_or_fallback,  ///< others get another algorithm
};

struct OmpiAlgorithm {
  std::string_view name;
  OmpiRequirement need = OmpiRequirement::none;
  std::uint32_t since = 4;          ///< the first series that has it: 4, 5 or 6
  std::string_view otherwise = "";  ///< the algorithm for calls that it is not made for
  bool radix = false;               ///< in 6.x FANINOUT is its radix
};

struct OmpiCollective {
  std::string_view name;
  std::span<const OmpiAlgorithm> algorithms;  ///< number 1, 2, ...; empty: tuned has none
};

/// All, by their numbers.
std::span<const OmpiCollective> ompi_collectives();

/// Does Open MPI look up rules for the collective with the size 0, whatever the message?
bool passes_size_zero(std::string_view collective);

/// Do all algorithms for the collective pass calls in place on to one other (basic_inplace)? All
/// other algorithms serve calls in place themselves.
bool has_own_in_place(std::string_view collective);

/// nullptr for a number that does not exist, and for 0, the fixed rules.
const OmpiAlgorithm* ompi_algorithm(std::string_view collective, std::uint64_t number);

}  // namespace schedcc
