#pragma once

// The commands of schedcc.

#include <span>
#include <string_view>

#include "cli/options.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

/// Exit statuses; see docs/semantics.md, "Exit status".
enum Status : int { ok = 0, violated = 1, bad_input = 2, undecided = 3, fault = 70 };

/// The status of several pieces of work: the first of 70, 2, 1, 3, 0 that occurred.
Status worse(Status a, Status b);

/// The status that a report stands for; it is schedcc's own fault if all holds below the bound.
Status status_of(const Report& report);

struct Command {
  std::string_view name, summary, usage, about, examples;
  Status (*run)(const Options&);
};

std::span<const Command> commands();

Status list(const Options& options);
Status compile(const Options& options);
Status prove(const Options& options);
/// `prove ALGORITHM --all-chunks`.
Status prove_all_chunks(const Options& options);
Status verify(const Options& options);
Status cost(const Options& options);
Status tune(const Options& options);
Status sweep(const Options& options);

}  // namespace schedcc::cli
