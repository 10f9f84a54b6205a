// schedcc explain: how a rank got its value of a chunk.

#include "schedcc/explain.hpp"

#include <unistd.h>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "cli/watched_source.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

ExplainRequest request(const ExplainOptions& options) {
  if (!options.rank || !options.chunk) throw UsageError("explain needs --rank R and --chunk C");
  return {static_cast<Rank>(*options.rank), static_cast<Chunk>(*options.chunk), options.step};
}

/// An explanation does not name the collective, so a note does if none was stated.
void note_collective(const std::string& source, const ExplainOptions& options) {
  if (options.collective || options.json || options.quiet || is_file(source, options)) return;
  const auto& collectives = NamedAlgorithm(source).algorithm->collectives;
  if (collectives.size() == 1) return;
  print_error(fmt::format("{}: note: no --collective: {} is used, the first that it serves\n",
                          source, info(collectives.front()).name));
}

}  // namespace

Status explain(const ExplainOptions& options) {
  const ExplainRequest asked = request(options);
  const Input input = open_input(only_source(options, "explain"), options);
  Progress progress("explaining", !options.quiet);
  const Source source = watched(with_advice(input.source), progress);
  const Explanation explanation = [&] {
    try {
      return schedcc::explain(source, input.machine, asked);
    } catch (const InputError& error) {
      if (!error.location.file.empty()) throw;
      throw UsageError(error.what());  // a rank or a chunk that does not exist
    }
  }();
  const bool colored = Printer(STDOUT_FILENO, options.color).colored();
  note_collective(options.arguments.front(), options);
  StandardOutput().write(options.json ? to_json(explanation) : to_text(explanation, colored));
  return ok;
}

}  // namespace schedcc::cli
