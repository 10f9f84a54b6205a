#pragma once

// What MPI and GPU libraries call the algorithms of the catalogue.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace schedcc {

/// The libraries, in the order in which they are listed.
inline constexpr std::array<std::string_view, 4> libraries{"Open MPI", "MPICH", "NCCL", "UCC"};

/// A library's names for an algorithm: of Open MPI the collective, the name and the number by which
/// its tuned component selects it; of NCCL the collective only where the name alone is another
/// algorithm's; of UCC the collective and the number (@N) in UCC_TL_UCP_TUNE.
struct LibraryNames {
  std::string_view library, names;
};

/// The names that are known for an algorithm, in the order of `libraries`; empty if none is.
std::vector<LibraryNames> library_names(std::string_view algorithm);

/// The algorithm that a library selects for a collective (in the library's own word) by its name
/// and, of Open MPI, by its number; empty if none is known.
std::string_view library_algorithm(std::string_view library, std::string_view collective,
                                   std::string_view name, std::uint64_t number);

/// The algorithms for which there are any, in no order.
std::vector<std::string_view> algorithms_with_library_names();

}  // namespace schedcc
