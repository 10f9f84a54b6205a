// schedcc sweep: compile and check whole ranges of problems.
//
// A task is an algorithm, a collective and a number of ranks; its cases are all chunks and roots.
// Tasks run in parallel, those of a job in turn by its processes; lines are printed in the order of
// the registry. With --resume a task goes on after the cases that its file has (sweep_state.hpp).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "check/scaled.hpp"
#include "cli/commands.hpp"
#include "cli/generator.hpp"
#include "cli/job.hpp"
#include "cli/number_list.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/requests.hpp"
#include "cli/sweep_header.hpp"
#include "cli/sweep_report.hpp"
#include "cli/sweep_state.hpp"
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
  std::uint64_t cases;
  Judged judged = {};
};

/// The algorithms of --algorithms, and the generator unless it is one of them; alone if there are
/// no others.
std::vector<Spec> swept(const SweepOptions& options) {
  std::vector<Spec> result;
  if (own_algorithm() == nullptr || options.algorithms != "all")
    result = algorithm_specs(options.algorithms);
  if (auto generator = unlisted_generator(result, options.collective))
    result.push_back(std::move(*generator));
  return result;
}

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options)
      : options_(options), chunks_(number_list(options.chunks, "--chunks", max_transfer_count)) {
    if (options.machine) check_machine(*options.machine);
    const auto all_ranks = number_list(options.ranks, "--ranks", max_transfer_count);
    std::uint64_t number = 0;
    const std::vector<Spec> all = swept(options);
    for (const Spec& spec : all) {
      const NamedAlgorithm named(spec);
      for (const Collective collective : collectives_of(*named.algorithm)) {
        for (const std::uint32_t ranks : all_ranks) {
          if (number++ % options.shards == options.shard) {
            tasks_.push_back({named, collective, ranks, chunks_.size() * roots(collective, ranks)});
          }
        }
      }
    }
    if (options.resume) restore(sweep_header(options, all));
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].judged.cases < tasks_[i].cases) open_.push_back(i);
    }
  }

  Status run() {
    if (Job* const job = Job::current()) {
      share(*job);
    } else {
      each_task(0, 1, [this](std::size_t i) { work(i); });
    }
    return print();
  }

 private:
  std::vector<Collective> collectives_of(const Algorithm& algorithm) const {
    return options_.collective ? std::vector{collective_of_user(*options_.collective)}
                               : algorithm.collectives;
  }

  /// How many roots the cases of a collective have.
  Rank roots(Collective collective, Rank ranks) const {
    Problem problem;
    problem.collective = collective;
    return problem.rooted() && !options_.first_root ? ranks : 1;
  }

  /// Takes what the file of --resume has for judged.
  void restore(const std::string& header) {
    std::vector<std::uint64_t> sizes;
    for (const Task& task : tasks_) sizes.push_back(task.cases);
    state_.emplace(*options_.resume, header, sizes, Job::current());
    for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].judged = state_->judged()[i];
  }

  /// Every `of`-th of the tasks that are not judged yet, from `first` on.
  template <typename F>
  void each_task(std::size_t first, std::size_t of, F f) {
    Progress progress("sweep", !options_.quiet);
    std::atomic<std::size_t> done = 0;
    std::mutex mutex;
    const std::size_t before = tasks_.size() - open_.size();
    const std::size_t own = open_.size() / of + (first < open_.size() % of ? 1 : 0);
    parallel(own, options_.jobs, [&](std::size_t i) {
      f(open_[first + i * of]);
      ++done;
      const std::lock_guard lock(mutex);
      progress.show(before + done, "problems", before + own);
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
      const auto error = file_error({}, [&] { work(i); });
      const std::lock_guard lock(mutex);
      own.tallies.emplace_back(i, tasks_[i].judged.tally);
      if (error && (!own.error || own.error->task > i)) own.error = {i, *error};
    });
    std::optional<SweepShare::Error> first;
    for (const std::string& bytes : job.gather(own.pack())) {
      SweepShare share = SweepShare::unpack(bytes);
      for (auto& [task, tally] : share.tallies) tasks_[task].judged.tally = std::move(tally);
      if (share.error && (!first || share.error->task < first->task)) first = share.error;
    }
    if (first) rethrow(first->error);
  }

  /// The cases of a task that are not judged yet. They are kept at the end of the task, or of its
  /// last case before an error, and after each second.
  void work(std::size_t number) {
    using namespace std::chrono_literals;
    using Clock = std::chrono::steady_clock;
    Task& task = tasks_[number];
    std::uint64_t next = task.judged.cases;
    Tally part;
    ScaledChecks checks;
    auto kept = Clock::now();
    const auto keep = [&] {
      if (state_ && next > task.judged.cases)
        state_->append({number, task.judged.cases, next, part});
      task.judged.cases = next;
      task.judged.tally.add(std::exchange(part, {}));
      kept = Clock::now();
    };
    const std::string machine = task.named.machine(options_.machine);
    while (next < task.cases) {
      try {
        judge(task, machine, next, checks, part);
      } catch (...) {
        keep();
        throw;
      }
      ++next;
      if (state_ && Clock::now() - kept >= 1s) keep();
    }
    keep();
  }

  /// A case of a task, by its number: all roots of the first number of chunks come first.
  void judge(const Task& task, const std::string& machine, std::uint64_t number,
             ScaledChecks& checks, Tally& tally) const {
    Request request;
    request.problem.collective = task.collective;
    request.problem.ranks = task.ranks;
    request.parameters = task.named.parameters;
    const Rank all_roots = roots(task.collective, task.ranks);
    request.problem.chunks = chunks_[number / all_roots];
    request.problem.root = static_cast<Rank>(number % all_roots);
    const bool generated = names_own_algorithm(task.named.spec.name);
    try {
      if (generated) {
        return examine_generated(task, generator_arguments(request.problem), checks, tally);
      }
      request.machine = make_machine(machine, task.ranks);
      examine(task, request, checks, tally);
    } catch (const InputError& error) {
      if (generated) throw;
      skip(tally, error.what());
    }
  }

  static void skip(Tally& tally, std::string why) {
    ++tally.skipped;
    tally.reasons.insert(std::move(why));
  }

  /// A generator answers with its schedule, and the machine.
  void examine_generated(const Task& task, const GeneratorArguments& arguments,
                         ScaledChecks& checks, Tally& tally) const {
    const Generator& generator = *Generator::in_use();
    if (auto why = generator.refusal(arguments)) return skip(tally, std::move(*why));
    Source source = generator.source(arguments, task.collective);
    if (options_.machine) source.machine = *options_.machine;
    Machine machine;
    try {
      machine = named_machine(source);
    } catch (const InputError& error) {  // as that of 2^h ranks
      return skip(tally, error.what());
    }
    count(checks.check(source, machine, alone()), tally, [&] { return source.problem; });
  }

  void examine(const Task& task, const Request& request, ScaledChecks& checks, Tally& tally) const {
    request.problem.validate();
    if (const auto why = task.named.algorithm->reason(request)) return skip(tally, *why);
    const Report report =
        checks.check(*task.named.algorithm, request, task.named.spec.text(), alone());
    count(report, tally, [&] { return task.named.algorithm->problem(request); });
  }

  /// The options of each check.
  CheckOptions alone() const {
    CheckOptions alone = options_.check;
    alone.jobs = 1;  // other cases take the other processors
    return alone;
  }

  /// Adds a case; `problem()` is its problem, which a failure names.
  template <typename F>
  static void count(const Report& report, Tally& tally, F problem) {
    ++tally.cases;
    tally.transfers += report.transfers;
    if (report.lower_bound && report.lower_bound->steps &&
        report.steps > *report.lower_bound->steps) {
      tally.above = std::max(tally.above, report.steps - *report.lower_bound->steps);
    }
    if (report.verdict() == Verdict::holds && !report.below_bound) return;
    ++tally.failures;
    if (tally.failed.size() < Tally::max_failed) {
      tally.failed.push_back(fmt::format("{} on {}: {}", describe(problem()), report.machine,
                                         report.findings.empty()
                                             ? "fewer steps than the lower bound"
                                             : report.findings.front().message));
    }
  }

  SweepTallies tallies() const {
    SweepTallies result;
    for (const Task& task : tasks_) {
      const std::string name = task.named.spec.text();
      if (result.empty() || result.back().first != name) result.push_back({name, {}});
      result.back().second.add(task.judged.tally);
    }
    return result;
  }

  Status print() const {
    const SweepTallies all = tallies();
    StandardOutput().write(sweep_report(all, options_));
    const auto fails = [](const auto& entry) { return entry.second.failures > 0; };
    return std::ranges::any_of(all, fails) ? violated : ok;
  }

  const SweepOptions& options_;
  std::vector<std::uint32_t> chunks_;
  std::vector<Task> tasks_;
  std::vector<std::size_t> open_;  ///< those that are not judged yet, when the sweep begins
  std::optional<SweepState> state_;
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
