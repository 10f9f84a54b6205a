// schedcc sweep: compile and check whole ranges of problems.
//
// A task is an algorithm, a collective and a number of ranks; its cases are all chunks and roots.
// Tasks run in parallel, those of a job in turn by its processes; lines are printed in the order of
// the registry.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/commands.hpp"
#include "cli/generator.hpp"
#include "cli/job.hpp"
#include "cli/number_list.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sweep_tally.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

struct Task {
  NamedAlgorithm named;
  Collective collective;
  Rank ranks;
  Tally tally = {};
};

/// The algorithms of --algorithms, and the generator unless it is one of them; alone if there are
/// no others.
std::vector<Spec> swept(const SweepOptions& options) {
  const OwnAlgorithm* const own = own_algorithm();
  const auto generator = [&]() -> Spec {
    if (options.collective)
      Generator::in_use()->require_collective(collective_of_user(*options.collective));
    return {own->name, {}};
  };
  if (own != nullptr && options.algorithms == "all") return {generator()};
  std::vector<Spec> result = algorithm_specs(options.algorithms);
  const bool named =
      std::ranges::any_of(result, [](const Spec& spec) { return has_own_algorithm(spec.name); });
  if (own != nullptr && !named) result.push_back(generator());
  return result;
}

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options)
      : options_(options), chunks_(number_list(options.chunks, "--chunks", max_transfer_count)) {
    if (options.machine) check_machine(*options.machine);
    const auto all_ranks = number_list(options.ranks, "--ranks", max_transfer_count);
    std::uint64_t number = 0;
    for (const Spec& spec : swept(options)) {
      const NamedAlgorithm named(spec);
      for (const Collective collective : collectives_of(*named.algorithm)) {
        for (const std::uint32_t ranks : all_ranks) {
          if (number++ % options.shards == options.shard) {
            tasks_.push_back({named, collective, ranks});
          }
        }
      }
    }
  }

  Status run() {
    if (Job* const job = Job::current()) {
      share(*job);
    } else {
      each_task(0, 1, [this](std::size_t i) { work(tasks_[i]); });
    }
    return print();
  }

 private:
  std::vector<Collective> collectives_of(const Algorithm& algorithm) const {
    return options_.collective ? std::vector{collective_of_user(*options_.collective)}
                               : algorithm.collectives;
  }

  /// Every `of`-th task, from `first` on.
  template <typename F>
  void each_task(std::size_t first, std::size_t of, F f) {
    Progress progress("sweep", !options_.quiet);
    std::atomic<std::size_t> done = 0;
    std::mutex mutex;
    const std::size_t own = tasks_.size() / of + (first < tasks_.size() % of ? 1 : 0);
    parallel(own, options_.jobs, [&](std::size_t i) {
      f(first + i * of);
      ++done;
      const std::lock_guard lock(mutex);
      progress.show(done, "problems", own);
    });
  }

  /// All tasks, by the processes of a job. The first error, by tasks, ends the sweep.
  void share(Job& job) {
    SweepShare own;
    std::mutex mutex;
    each_task(job.rank(), job.size(), [&](std::size_t i) {
      {
        const std::lock_guard lock(mutex);
        if (own.error || job.has_ended()) return;
      }
      const auto error = file_error({}, [&] { work(tasks_[i]); });
      const std::lock_guard lock(mutex);
      own.tallies.emplace_back(i, tasks_[i].tally);
      if (error && (!own.error || own.error->task > i)) own.error = {i, *error};
    });
    std::optional<SweepShare::Error> first;
    for (const std::string& bytes : job.gather(own.pack())) {
      SweepShare share = SweepShare::unpack(bytes);
      for (auto& [task, tally] : share.tallies) tasks_[task].tally = std::move(tally);
      if (share.error && (!first || share.error->task < first->task)) first = share.error;
    }
    if (first) rethrow(first->error);
  }

  void work(Task& task) const {
    Request request;
    request.problem.collective = task.collective;
    request.problem.ranks = task.ranks;
    request.parameters = task.named.parameters;
    const bool generated = names_own_algorithm(task.named.spec.name);
    const std::string machine = task.named.machine(options_.machine);
    for (const std::uint32_t chunks : chunks_) {
      const Rank roots = request.problem.rooted() && !options_.first_root ? task.ranks : 1;
      for (Rank root = 0; root < roots; ++root) {
        request.problem.chunks = chunks;
        request.problem.root = root;
        try {
          if (generated) {
            examine_generated(task, generator_arguments(request.problem));
            continue;
          }
          request.machine = make_machine(machine, task.ranks);
          examine(task, request);
        } catch (const InputError& error) {
          if (generated) throw;
          ++task.tally.skipped;
          task.tally.reasons.insert(error.what());
        }
      }
    }
  }

  /// A generator answers with its schedule, and the machine.
  void examine_generated(Task& task, const GeneratorArguments& arguments) const {
    const Generator& generator = *Generator::in_use();
    if (auto why = generator.refusal(arguments)) {
      ++task.tally.skipped;
      task.tally.reasons.insert(std::move(*why));
      return;
    }
    Source source = generator.source(arguments, task.collective);
    if (options_.machine) source.machine = *options_.machine;
    Machine machine;
    try {
      machine = named_machine(source);
    } catch (const InputError& error) {  // as that of 2^h ranks
      ++task.tally.skipped;
      task.tally.reasons.insert(error.what());
      return;
    }
    examine(task, source, machine);
  }

  void examine(Task& task, const Request& request) const {
    request.problem.validate();
    if (const auto why = task.named.algorithm->reason(request)) {
      ++task.tally.skipped;
      task.tally.reasons.insert(*why);
      return;
    }
    examine(task, from_algorithm(*task.named.algorithm, request, task.named.spec.text()),
            request.machine);
  }

  void examine(Task& task, const Source& source, const Machine& machine) const {
    CheckOptions alone = options_.check;
    alone.jobs = 1;  // other cases take the other processors
    const Report report = check(source, machine, alone);
    ++task.tally.cases;
    task.tally.transfers += report.transfers;
    if (report.lower_bound && report.lower_bound->steps &&
        report.steps > *report.lower_bound->steps) {
      task.tally.above = std::max(task.tally.above, report.steps - *report.lower_bound->steps);
    }
    if (report.verdict() == Verdict::holds && !report.below_bound) return;
    ++task.tally.failures;
    if (task.tally.failed.size() < 3) {
      task.tally.failed.push_back(
          fmt::format("{} on {}: {}", describe(source.problem), machine.spec(),
                      report.findings.empty() ? "fewer steps than the lower bound"
                                              : report.findings.front().message));
    }
  }

  /// A tally for each requested algorithm, in order.
  std::vector<std::pair<std::string, Tally>> tallies() const {
    std::vector<std::pair<std::string, Tally>> result;
    for (const Task& task : tasks_) {
      const std::string name = task.named.spec.text();
      if (result.empty() || result.back().first != name) result.push_back({name, {}});
      result.back().second.add(task.tally);
    }
    return result;
  }

  Status print() const {
    Status status = ok;
    const Printer printer(STDOUT_FILENO, options_.color);
    Json all = Json::array();
    std::string text;
    std::uint64_t cases = 0;
    for (const auto& [name, tally] : tallies()) {
      if (tally.failures > 0) status = violated;
      all.push_back({{"algorithm", name},
                     {"cases", tally.cases},
                     {"transfers", tally.transfers},
                     {"steps_over_bound", tally.above},
                     {"failures", tally.failures},
                     {"skipped", tally.skipped},
                     {"reasons", std::vector(tally.reasons.begin(), tally.reasons.end())}});
      if (!options_.quiet || tally.failures > 0) text += line(printer, name, tally);
      cases += tally.cases;
    }
    if (cases == 0) text += "no cases: nothing was checked\n";
    if (options_.json_lines) {
      text.clear();
      for (const Json& entry : all.elements()) text += dump_line(entry);
    }
    StandardOutput().write(options_.json && !options_.json_lines ? dump(all) : text);
    return status;
  }

  static std::string line(const Printer& printer, const std::string& name, const Tally& tally) {
    std::string result = fmt::format(
        "{:<22} {:>8} cases  {:>12} transfers  at most {:>6} steps over bound  {} failures\n", name,
        tally.cases, tally.transfers, tally.above, tally.failures);
    for (const std::string& failure : tally.failed) {
      result += fmt::format("  {}: {}\n", printer.severity(Severity::error), failure);
    }
    if (tally.skipped > 0) {
      result += fmt::format("  skipped {} cases: {}{}\n", tally.skipped, *tally.reasons.begin(),
                            tally.reasons.size() > 1
                                ? fmt::format(" (and {} more reason{})", tally.reasons.size() - 1,
                                              tally.reasons.size() == 2 ? "" : "s")
                                : "");
    }
    return result;
  }

  const SweepOptions& options_;
  std::vector<std::uint32_t> chunks_;
  std::vector<Task> tasks_;
};

}  // namespace

Status sweep(const SweepOptions& options) {
  if (!options.arguments.empty()) {
    throw UsageError(fmt::format("unexpected argument '{}': sweep takes options only",
                                 options.arguments.front()));
  }
  return Sweep(options).run();
}

}  // namespace schedcc::cli
