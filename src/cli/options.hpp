#pragma once

// The command line, read and checked.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

/// When to colour.
enum class Color : std::uint8_t { automatic, always, never };

/// What all commands understand.
struct Options {
  std::string command;
  std::vector<std::string> arguments;  ///< what stands beside the options

  // The problem.
  std::optional<std::string> collective, machine;
  std::optional<std::uint64_t> ranks, root, chunks;
  std::optional<std::string> block_sizes;  ///< the file
  std::optional<std::string> from;         ///< the format of the file that is read
  std::optional<std::string> problem;      ///< the file that states what a program is for
  std::optional<std::string> runtime;      ///< the one that a program is for
  bool ordered = false;

  // Checking.
  CheckOptions check;
  bool verify = true;
  std::uint64_t max_transfers = std::uint64_t{1} << 26;  ///< of the schedule of an algorithm

  // Output.
  std::optional<std::string> emit, output;
  bool hop_level = false;
  bool json = false;
  bool quiet = false;
  Color color = Color::automatic;
  unsigned jobs = 1;

  // Costs.
  std::optional<std::string> bytes, alpha, beta, model;
  std::optional<Receive> receive;
  bool csv = false, critical_path = false;
  std::optional<std::string> rank_list, improvement;
  std::uint64_t points = 0;  ///< sizes of a range; 0: doubling
  // Proofs.
  std::optional<std::uint64_t> steps, rounds;
  std::optional<double> timeout;  ///< seconds
  bool all_chunks = false;
  bool pareto = false, assume_bound = false, no_wait = false;
  std::optional<std::string> smt2, certificate, solver;

  // Sweeps.
  std::string algorithms = "all", rank_range = "2..64", chunk_range = "1..16";
  bool all_roots = true;
  std::uint64_t shard = 0, shards = 1;  ///< this part, counted from 0, of so many
};

/// Bad usage (exit status 2). The message names what is wrong.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How schedcc is called, in a few lines: the commands, and where to read on.
std::string usage();

/// Reads the arguments behind the program's name. If they ask for help or the version, `answer` is
/// what to print instead of doing anything. Throws UsageError or InputError.
Options parse(const std::vector<std::string>& arguments, std::string& answer);

}  // namespace schedcc::cli
