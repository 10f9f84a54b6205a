#pragma once

// Writing tables by which libraries choose: the counterpart of read_tuning_table().

#include <cstdint>
#include <string>
#include <vector>

#include "format/tuning/interval.hpp"
#include "format/tuning/table.hpp"

namespace schedcc {

/// What a rule names. Fields that the format does not have are ignored.
struct LibraryChoice {
  std::string name;          ///< the library's word
  std::uint64_t number = 0;  ///< of Open MPI; 0: the fixed rules
  std::uint64_t fanout = 0, segment = 0;
  friend bool operator==(const LibraryChoice&, const LibraryChoice&) = default;
};

/// Open MPI's fixed rules: the library chooses.
inline LibraryChoice library_default() { return {.name = "fixed rules"}; }

/// A rule to be written.
struct WrittenRule {
  Interval bytes;
  LibraryChoice choice;
  friend bool operator==(const WrittenRule&, const WrittenRule&) = default;
};

/// The rules of a collective for some numbers of ranks, with ascending sizes; in tables of Open MPI
/// without gaps between.
struct WrittenEntry {
  std::string collective;  ///< the library's word
  Interval ranks;
  std::vector<WrittenRule> rules;  ///< at least one
};

/// A table to be written.
struct WrittenTable {
  TuningFormat format = TuningFormat::ompi_rules;
  /// By collective, in the order of the library, and in it by ranks, which do not overlap; in
  /// tables of Open MPI without gaps between.
  std::vector<WrittenEntry> entries;
  std::vector<std::string> comments;  ///< lines, where the format has comments; printable ASCII
  /// NCCL: the protocol of ring and tree, and the number of channels (0: NCCL's own) and of nodes
  /// (-1: any) in each rule.
  std::string protocol = "simple";
  std::int64_t channels = 0, nodes = -1;
};

/// The text of a table. Calls of sizes that no rule is for, and of other numbers of ranks, are left
/// to the library. Throws InputError if it has more rules than can be read.
std::string write_tuning_table(const WrittenTable& table);

}  // namespace schedcc
