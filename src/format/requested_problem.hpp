#pragma once

// From what a user states of a problem to the problem of an algorithm, or of a file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/wide_problem.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// What the options of a command line state of a problem; empty: not given. Errors name the options
/// --collective, --ranks, --root, --chunks and --problem.
struct ProblemRequest {
  std::optional<std::string> collective;
  std::optional<std::uint64_t> ranks, root, chunks;
  bool ordered = false;
  std::optional<std::string> file;  ///< that states the problem of a program
};

/// The problem for an algorithm: by default of one rank and one chunk, and of the collective
/// `fallback`. Throws InputError for an unknown collective, for a root that the collective does not
/// have, and for a file.
WideProblem stated_problem(const ProblemRequest& request, Collective fallback);

/// The value of an option, for a schedule. Throws InputError for 2^32 or more.
std::uint32_t scheduled_number(std::string_view option, std::uint64_t value);
/// The same problem, for a schedule. Throws InputError if it has numbers of 2^32 or more, or is not
/// valid.
Problem scheduled_problem(const WideProblem& problem);

/// "--ranks applies only to algorithms; a file states its own problem".
std::string only_for_algorithms(std::string_view option);

/// Throws InputError, without a location, where the request does not apply to a file, or
/// contradicts itself.
void require_file_request(const ProblemRequest& request);
/// A program whose file does not state its problem, with the requested one; any file if none is
/// requested. Throws InputError where `require_file_request` does, and, with the location, if the
/// file states a problem, or the requested one does not fit.
Source with_requested_problem(const Source& source, const ProblemRequest& request);

}  // namespace schedcc
