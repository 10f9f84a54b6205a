#include "cli/prove_files.hpp"

#include <filesystem>

#include <fmt/core.h>

#include "cli/prove_manifest.hpp"
#include "prove/sat/certificate.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/outcome.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

using namespace prover;

namespace {

EmitOptions emit_options(const Emission& emission, const Question& question,
                         const ProveOptions& options) {
  EmitOptions result{emission.parameters, question.machine, "schedcc prove", "schedule"};
  if (!is_standard_output(*options.output)) {
    result.stem = std::filesystem::path(*options.output).stem().string();
  }
  return result;
}

/// A problem as a file without a schedule.
void write_problem(const Question& question, const std::string& path) {
  EmitOptions options{{}, question.machine, "schedcc prove", "problem"};
  Source problem = from_schedule(question.problem, std::make_shared<Schedule>());
  problem.title = question.problem.title();
  name_machine_for(path, problem, options);
  FileOutput file(path);
  find_format("sched").write(problem, options, file);
  file.commit();
}

}  // namespace

ProveFiles::ProveFiles(const ProveOptions& options, const Question& question) {
  if (options.certificate) certificate = std::make_unique<CertificateFolder>(*options.certificate);
  if (options.output) {
    emission = cli::emission(options, options.json);
    refuse(emission, source(question, std::make_shared<Schedule>()),
           emit_options(emission, question, options));
    schedule = std::make_unique<FileOutput>(*options.output);
  }
  if (options.smt2) query = std::make_unique<FileOutput>(*options.smt2);
  if (certificate) certificate->clear();  // last: nothing can fail any more
}

void ProveFiles::write_query(const Question& question) const {
  query->write(smtlib(question));
  query->commit();
}

void ProveFiles::write_refuted(const Question& question, const Outcome& outcome) const {
  const std::optional<Question> refuted = most_refuted(question, outcome);
  if (!refuted) return print_error("schedcc: note: no query is written: nothing was refuted\n");
  try {
    write_query(*refuted);
  } catch (const InputError& error) {
    print_error(fmt::format("schedcc: note: no query is written: {}\n", error.what()));
  } catch (const LimitError& error) {
    print_error(fmt::format("schedcc: note: no query is written: {}\n", error.what()));
  }
}

void ProveFiles::write_schedule(const Question& question, const Outcome& outcome,
                                const ProveOptions& options) const {
  Source found = source(question, outcome.schedule);
  EmitOptions how = emit_options(emission, question, options);
  name_machine_for(*options.output, found, how);
  emission.format->write(found, how, *schedule);
  schedule->commit();
}

void ProveFiles::write_manifest(const Question& question, const Outcome& outcome,
                                const ProveOptions& options) const {
  if (states_problem(question)) {
    write_problem(question, fmt::format("{}/{}", certificate->path(), problem_name));
  }
  for (const auto& [assumed, bound_source] : assumptions(question, outcome)) {
    Certificate(fmt::format("{}/{}", certificate->path(), certificate_name(assumed)))
        .keep(assumed, encode(assumed, Hints::none()), Basis::definition, "");
  }
  certificate->commit(manifest(question, outcome, options));
}

}  // namespace schedcc::cli
