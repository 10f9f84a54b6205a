#pragma once

// The report of `prove`: as text, as JSON, and as the manifest of a certificate.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.hpp"
#include "cli/options.hpp"
#include "prove/sat/search.hpp"

namespace schedcc::cli {

/// Optimal: the least steps are known, or the whole frontier.
enum class Finding : std::uint8_t { optimal, exists, impossible, unknown };
std::string_view name(Finding finding);

/// The result of a search.
struct Outcome {
  Finding finding = Finding::unknown;
  std::optional<std::uint64_t> steps;
  std::uint64_t least = 0;
  std::optional<LowerBound>
      assumed;  ///< the bound by counting, where `least` was assumed instead of refuted
  std::optional<prover::Unreachable> unreachable;  ///< why no number of steps is enough
  std::vector<prover::SearchResult> tried;
  std::shared_ptr<const Schedule> schedule;
  std::optional<prover::Frontier> frontier;
};

/// The question with the most steps that are known not to be enough, `least` being more than those.
prover::Question below(const prover::Question& question, std::uint64_t least);

/// The same, for what was found; none where no number of steps is known not to be enough. Where
/// there is no way, none is: then with as many as there are nodes that can be reached at all.
std::optional<prover::Question> most_refuted(const prover::Question& question,
                                             const Outcome& outcome);

/// "K = 2, T = 4, R = 5: impossible (0.02 s)"; the chunks only where they vary.
std::string text(const prover::SearchResult& entry, bool chunks);

/// Why no number of steps is enough: "no way leads from rank 0 to rank 2".
std::string unreachable_text(const prover::Unreachable& way);

/// The lines with the verdict.
std::string text(const prover::Question& question, const Outcome& outcome,
                 const ProveOptions& options);

Json json(const prover::Question& question, const Outcome& outcome,
          const std::vector<const prover::SolverEntry*>& used);

/// The file of a certificate that states a custom problem.
constexpr std::string_view problem_name = "problem.sched";

/// Which file of a certificate refutes what, and how that is checked, in Markdown. All files are
/// named in it, between backquotes.
std::string manifest(const prover::Question& question, const Outcome& outcome,
                     const ProveOptions& options);

}  // namespace schedcc::cli
