// The table of names. A library is left out where its algorithm differs, or is not known to be the
// same. Open MPI's linear exchange starts all sends at once: it is `pairwise` with P - 1 ports. Of
// what is left out, its reduce rabenseifner and reduce_scatter butterfly combine near partners
// first, the largest parts with them, where schedcc's halving has the distant ones first; and for P
// that are no powers of two neighbours share the work of the first step. Its barrier tree sends one
// message up each branch and one down, which no composition of schedcc does.
//
// Source: Open MPI, ompi/mca/coll/tuned (6.x); MPICH, src/mpi/coll/coll_algorithms.txt; NCCL,
// NCCL_ALGO, src/device/{broadcast,reduce}.h (their ring is a chain from or to the root); UCC,
// src/components/tl/ucp.

#include "algorithm/library_names.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

namespace schedcc {

namespace {

struct Row {
  std::string_view algorithm;
  std::array<std::string_view, libraries.size()> names;  ///< of `libraries`; empty: not known
};

constexpr Row table[] = {
    {"linear",
     {"bcast basic_linear (1), reduce linear (1), gather basic_linear (1), scatter basic_linear "
      "(1)",
      "linear", "", ""}},
    {"chain",
     {"bcast chain (2), pipeline (3), reduce chain (2), pipeline (3)", "pipelined_tree k=1",
      "broadcast ring, reduce ring", ""}},
    {"binary-tree", {"bcast binary_tree (5), reduce binary (4)", "tree kary k=2", "", ""}},
    {"binomial-tree",
     {"bcast binomial (6), reduce binomial (5), gather binomial (2), scatter binomial (2)",
      "binomial", "", "bcast @0 radix 2, reduce @0 radix 2"}},
    {"knomial-tree",
     {"bcast knomial (7), reduce knomial (8)", "tree knomial_1, knomial_2", "",
      "bcast @0, reduce @0"}},
    {"kary-tree", {"", "tree kary", "", ""}},
    {"circulant", {"", "circ_graph", "", ""}},
    {"double-binary-tree", {"", "", "tree", "allreduce @3 dbt, bcast @2 dbt, reduce @1 dbt"}},
    {"ring",
     {"allgather ring (4), allreduce ring (4), reduce_scatter ring (3)", "ring", "ring",
      "allgather @1, allreduce @4, reduce_scatter @0"}},
    {"recursive-doubling",
     {"allgather recursive_doubling (3), allreduce recursive_doubling (3)", "recursive_doubling",
      "", "allgather @0 radix 2, allreduce @0 radix 2"}},
    {"recursive-halving",
     {"reduce_scatter recursive_halving (2), reduce_scatter_block recursive_halving (3)",
      "recursive_halving", "", "reduce_scatter @1"}},
    {"recexch", {"", "recexch", "", "allgather @0, allreduce @0"}},
    {"recursive-multiplying", {"", "recursive_multiplying", "", ""}},
    {"rabenseifner",
     {"allreduce rabenseifner (6)", "reduce_scatter_allgather", "", "allreduce @1"}},
    {"bruck",
     {"allgather bruck (2), alltoall modified_bruck (3)", "brucks, k_brucks", "",
      "allgather @3, alltoall @1"}},
    {"segmented-ring", {"allreduce segmented_ring (5)", "", "", ""}},
    {"in-order-binary", {"reduce in-order_binary (6)", "", "", ""}},
    {"split-binary-tree", {"bcast split_binary_tree (4)", "", "", ""}},
    {"pat", {"", "", "pat", ""}},
    {"in-network", {"", "", "nvls", ""}},
    {"sparbit", {"allgather sparbit (7)", "", "", "allgather @4"}},
    {"neighbor-exchange", {"allgather neighbor (5)", "", "", "allgather @2"}},
    {"dissemination", {"barrier bruck (4)", "k_dissemination", "", ""}},
    {"pairwise", {"alltoall pairwise (2), linear (1)", "pairwise", "", "alltoall @0"}},
    {"scatter-allgather",
     {"bcast scatter_allgather (8), scatter_allgather_ring (9)",
      "scatter_recursive_doubling_allgather, scatter_ring_allgather", "", "bcast @1"}},
};

/// Is "COLLECTIVE NAME (NUMBER)" among `names`, whose collectives hold for the names after them?
/// Without a number a collective holds for one name, and names without one are for all that no row
/// before has.
bool has_name(std::string_view names, std::string_view collective, std::string_view name,
              std::uint64_t number) {
  const std::string wanted = number == 0 ? std::string(name) : fmt::format("{} ({})", name, number);
  const std::string own = fmt::format("{} {}", collective, name);
  std::string_view current;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(", "), names.size());
    std::string_view item = names.substr(0, end);
    const std::size_t blank = item.find(' ');
    if (number != 0 && blank != std::string_view::npos && item[blank + 1] != '(') {
      current = item.substr(0, blank);
      item.remove_prefix(blank + 1);
    }
    if (item == wanted && (number == 0 || current == collective)) return true;
    if (number == 0 && item == own) return true;
    names.remove_prefix(std::min(end + 2, names.size()));
  }
  return false;
}

}  // namespace

std::string_view library_algorithm(std::string_view library, std::string_view collective,
                                   std::string_view name, std::uint64_t number) {
  const auto at = std::ranges::find(libraries, library);
  if (at == libraries.end()) return {};
  const auto index = static_cast<std::size_t>(at - libraries.begin());
  for (const Row& row : table) {
    if (has_name(row.names[index], collective, name, number)) return row.algorithm;
  }
  return {};
}

std::vector<LibraryNames> library_names(std::string_view algorithm) {
  const auto row = std::ranges::find(table, algorithm, &Row::algorithm);
  std::vector<LibraryNames> result;
  if (row == std::end(table)) return result;
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    if (!row->names[i].empty()) result.push_back({libraries[i], row->names[i]});
  }
  return result;
}

std::vector<std::string_view> algorithms_with_library_names() {
  std::vector<std::string_view> result;
  for (const Row& row : table) result.push_back(row.algorithm);
  return result;
}

}  // namespace schedcc
