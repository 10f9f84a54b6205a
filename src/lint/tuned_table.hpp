#pragma once

// Tables by which libraries choose, made of the best choices under a cost model.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/tuning/write.hpp"
#include "lint/library_times.hpp"

namespace schedcc {

/// The calls that a table is made for.
struct TableRequest {
  TuningFormat format = TuningFormat::ompi_rules;
  std::vector<Collective> collectives;
  std::vector<std::uint32_t> ranks;  ///< ascending, at least 2
  /// As the library counts them, ascending; the choices at two neighbours are compared, as by
  /// Tuner::crossovers().
  std::vector<std::uint64_t> sizes;
  LossRequest times;                         ///< its ranks are ignored
  std::function<void()> after_problem = {};  ///< after each collective and number of ranks
};

/// Algorithms of a library that are not among the choices.
struct OmittedAlgorithms {
  std::string collective;  ///< the library's word
  std::string algorithms;  ///< the library's names, "linear (1), ring (4)"
  std::string reason;
};

/// The table, without comments.
struct TunedTable {
  WrittenTable table;
  std::vector<OmittedAlgorithms> left_out;
};

/// How often `after_problem` is called.
std::size_t problems_of(const TableRequest& request);

/// Chooses for each number of ranks, at the byte where the choice changes. Numbers of ranks with
/// equal rules that follow one another are one entry; in tables of Open MPI, numbers between those
/// that are asked for go with the next lower one. For numbers of ranks that none of its algorithms
/// in schedcc serves, the library chooses. In tables of NCCL the smallest and the largest size go
/// for those beyond them. Collectives without any choice are left out. Throws InputError if all
/// are, and for a model or a machine that does not fit.
TunedTable tuned_table(const TableRequest& request);

}  // namespace schedcc
