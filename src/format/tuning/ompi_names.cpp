// Source: open-mpi/ompi, ompi/mca/coll/base/coll_base_functions.h; coll/tuned, *_decision.c and
// coll_tuned_decision_fixed.c and coll/base/coll_base_*.c, whose comments name the algorithms for
// commutative operators alone, and what they switch to, also for MPI_IN_PLACE.

#include "format/tuning/ompi_names.hpp"

#include <algorithm>
#include <array>

namespace schedcc {

namespace {

using enum OmpiRequirement;

constexpr OmpiAlgorithm allgather[] = {
    {"linear"},
    {"bruck", none, 4, "", true},
    {"recursive_doubling", power_of_two, 4, "bruck"},
    {"ring"},
    {"neighbor", even, 4, "ring"},
    {"two_proc", two_ranks},
    {"sparbit", none, 5},
    {"direct-messaging", none, 6},
};
constexpr OmpiAlgorithm allgatherv[] = {
    {"default"},
    {"bruck"},
    {"ring"},
    {"neighbor", even, 4, "ring"},
    {"two_proc", two_ranks},
    {"sparbit", none, 5},
};
constexpr OmpiAlgorithm allreduce[] = {
    {"basic_linear"},
    {"nonoverlapping"},
    {"recursive_doubling"},
    {"ring", commutative},
    {"segmented_ring", commutative},
    {"rabenseifner", commutative_or_fallback, 4, "basic_linear"},
    {"allgather_reduce", none, 6},
};
constexpr OmpiAlgorithm alltoall[] = {
    {"linear"}, {"pairwise"}, {"modified_bruck"}, {"linear_sync"}, {"two_proc", two_ranks},
};
constexpr OmpiAlgorithm alltoallv[] = {{"basic_linear"}, {"pairwise"}};
constexpr OmpiAlgorithm barrier[] = {
    {"linear"}, {"double_ring"},         {"recursive_doubling"},
    {"bruck"},  {"two_proc", two_ranks}, {"tree"},
};
constexpr OmpiAlgorithm bcast[] = {
    {"basic_linear"},
    {"chain"},
    {"pipeline"},
    {"split_binary_tree"},
    {"binary_tree"},
    {"binomial"},
    {"knomial"},
    {"scatter_allgather"},
    {"scatter_allgather_ring"},
};
constexpr OmpiAlgorithm scan[] = {{"linear"}, {"recursive_doubling"}};
constexpr OmpiAlgorithm gather[] = {{"basic_linear"}, {"binomial"}, {"linear_sync"}};
constexpr OmpiAlgorithm reduce[] = {
    {"linear"},
    {"chain", commutative},
    {"pipeline", commutative},
    {"binary", commutative},
    {"binomial", commutative},
    {"in-order_binary"},
    {"rabenseifner", commutative_or_fallback, 4, "linear"},
    {"knomial", commutative, 6, "", true},
};
constexpr OmpiAlgorithm reduce_scatter[] = {
    {"non-overlapping"},
    {"recursive_halving", commutative},
    {"ring", commutative},
    {"butterfly"},
};
constexpr OmpiAlgorithm reduce_scatter_block[] = {
    {"basic_linear"},
    {"recursive_doubling"},
    {"recursive_halving", commutative_or_fallback, 4, "basic_linear"},
    {"butterfly"},
};
constexpr OmpiAlgorithm scatter[] = {{"basic_linear"}, {"binomial"}, {"linear_nb"}};

constexpr std::array<OmpiCollective, 22> tuned_collectives{{
    {"allgather", allgather},
    {"allgatherv", allgatherv},
    {"allreduce", allreduce},
    {"alltoall", alltoall},
    {"alltoallv", alltoallv},
    {"alltoallw", {}},
    {"barrier", barrier},
    {"bcast", bcast},
    {"exscan", scan},
    {"gather", gather},
    {"gatherv", {}},
    {"reduce", reduce},
    {"reduce_scatter", reduce_scatter},
    {"reduce_scatter_block", reduce_scatter_block},
    {"scan", scan},
    {"scatter", scatter},
    {"scatterv", {}},
    {"neighbor_allgather", {}},
    {"neighbor_allgatherv", {}},
    {"neighbor_alltoall", {}},
    {"neighbor_alltoallv", {}},
    {"neighbor_alltoallw", {}},
}};

}  // namespace

std::span<const OmpiCollective> ompi_collectives() { return tuned_collectives; }

bool passes_size_zero(std::string_view collective) {
  return collective == "barrier" || collective == "alltoallv";
}

bool has_own_in_place(std::string_view collective) {
  return collective == "alltoall" || collective == "alltoallv";
}

const OmpiAlgorithm* ompi_algorithm(std::string_view collective, std::uint64_t number) {
  const auto found = std::ranges::find(tuned_collectives, collective, &OmpiCollective::name);
  if (found == tuned_collectives.end() || number == 0 || number > found->algorithms.size()) {
    return nullptr;
  }
  return &found->algorithms[number - 1];
}

}  // namespace schedcc
