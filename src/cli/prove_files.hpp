#pragma once

// What `prove` writes beside its report.

#include <memory>

#include "cli/certificate_folder.hpp"
#include "cli/emission.hpp"
#include "cli/output.hpp"
#include "cli/prove_report.hpp"

namespace schedcc::cli {

/// All of it is opened before the work begins: a file that cannot be written, or a problem that its
/// format has no words for, shall not cost an hour's search.
struct ProveFiles {
  ProveFiles(const Options& options, const prover::Question& question);

  void write_query(const prover::Question& question) const;
  /// The query with the most steps that is known to have no solution. Where there is none, or it is
  /// too large to be written, that is said.
  void write_refuted(const prover::Question& question, const Outcome& outcome) const;
  void write_schedule(const prover::Question& question, const Outcome& outcome,
                      const Options& options) const;
  /// And what else is not there yet: a custom problem, and what was taken for granted.
  void write_manifest(const prover::Question& question, const Outcome& outcome,
                      const Options& options) const;

  Emission emission;
  std::unique_ptr<FileOutput> schedule, query;
  std::unique_ptr<CertificateFolder> certificate;
};

}  // namespace schedcc::cli
