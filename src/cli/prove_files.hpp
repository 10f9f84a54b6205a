#pragma once

// The files that `prove` writes.

#include <memory>

#include "cli/certificate_folder.hpp"
#include "cli/emit_format.hpp"
#include "cli/output.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// All files are opened before the search begins: a file that cannot be written, or a problem that
/// its format cannot represent, is an error at once, not after an hour.
struct ProveFiles {
  ProveFiles(const ProveOptions& options, const prover::Question& question);

  void write_query(const prover::Question& question) const;
  /// The query with the most steps that is known to have no solution. Prints a note if there is
  /// none, or if it is too large to be written.
  void write_refuted(const prover::Question& question, const prover::Outcome& outcome) const;
  void write_schedule(const prover::Question& question, const prover::Outcome& outcome,
                      const ProveOptions& options) const;
  /// The manifest, the file of a custom problem, and the query that was assumed, not refuted.
  void write_manifest(const prover::Question& question, const prover::Outcome& outcome,
                      const ProveOptions& options) const;

  Emission emission;
  std::unique_ptr<FileOutput> schedule, query;
  std::unique_ptr<CertificateFolder> certificate;
};

}  // namespace schedcc::cli
