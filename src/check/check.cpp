// What `check` does: with programs and plans, with schedules of which a part is enough, and with
// all others.

#include "schedcc/check.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "check/checker.hpp"
#include "check/coverage.hpp"
#include "check/direct.hpp"
#include "check/levels.hpp"
#include "check/mirror.hpp"
#include "check/period/folded_rows.hpp"
#include "check/period/one_generation.hpp"
#include "check/period/sender_order.hpp"
#include "check/symmetry/blocks_in_turn.hpp"
#include "check/symmetry/one_block.hpp"
#include "check/symmetry/tree_exchange.hpp"
#include "check/threading.hpp"
#include "core/processors.hpp"
#include "program/check.hpp"
#include "program/plan/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

std::string Context::node(Rank node) const { return describe_node(problem, machine, node); }

std::string Context::ends(const Transfer& transfer) const {
  return fmt::format("{} to {}", node(transfer.src), node(transfer.dst));
}

void Context::undecided(std::string_view check, const std::string& reason) const {
  for (CheckResult& result : report.checks) {
    if (result.check == check) result = {result.check, Verdict::unknown, reason};
  }
}

namespace {

/// The checks of what ranks send and receive in each step by itself.
CheckOptions of_ports(CheckOptions options) {
  options.fail_fast = false;
  options.progress = {};
  options.checks = {"shape", "ports"};
  return options;
}

/// The figures of a broadcast of which one generation of packets shows that there is nothing to
/// report (period/one_generation.hpp), if it can. May throw Abandoned.
std::optional<Report> figures_by_generation(const Source& source, const Machine& machine,
                                            const CheckOptions& options, const Crew& crew,
                                            bool one_queue) {
  const auto part = one_generation(source, machine, options, crew, options.progress, one_queue);
  if (!part) return std::nullopt;
  const bool queues = asks_for(options, "buffers");
  if (queues && options.max_buffer && part->longest_queue > *options.max_buffer) throw Abandoned();
  Report figures = Checker(part->busiest, machine, of_ports(options), {}, {.whole = &source}).run();
  if (figures.width != 1) throw Abandoned();
  figures.steps = figures.volume = part->steps;
  figures.transfers = figures.messages = part->transfers;
  if (queues) figures.max_buffer = part->longest_queue;
  return figures;
}

/// The report, likewise. Otherwise an excerpt may show it.
std::optional<Report> check_by_generation(const Source& source, const Machine& machine,
                                          const CheckOptions& options, const Crew& crew,
                                          bool one_queue = false) {
  try {
    auto figures = figures_by_generation(source, machine, options, crew, one_queue);
    if (!figures) return std::nullopt;
    return Checker(source, machine, options, {}, {.whole = &source})
        .run_by_figures(std::move(*figures));
  } catch (const Abandoned&) {
  }
  return std::nullopt;
}

/// Of the image of a reduction, or of other broadcasts: throws Abandoned if there is anything to
/// report.
Report check_broadcast(const Source& broadcast, const Machine& machine, const CheckOptions& options,
                       const Crew& crew, bool one_queue = false) {
  const Threading threading{.threads = crew.threads, .team = crew.team};
  if (auto report = one_queue ? check_by_generation(broadcast, machine, options, crew, true)
                              : check_by_excerpt(broadcast, machine, options, threading))
    return std::move(*report);
  Source by_blocks = broadcast;
  by_blocks.open = [open = broadcast.open] { return by_senders(open()); };
  return Checker(by_blocks, machine, options, threading,
                 {.whole = &broadcast, .one_queue = one_queue})
      .run();
}

/// By the first block of a schedule that is made by the symmetry (symmetry/one_block.hpp), if it
/// can be. Throws Abandoned if there is anything to report.
std::optional<Report> check_by_one_block(const Source& source, const Machine& machine,
                                         const CheckOptions& options, const Symmetry& symmetry,
                                         const Crew& crew) {
  const auto parts = one_block(source, symmetry, crew);
  if (!parts) return std::nullopt;
  CheckOptions of_block = options;
  of_block.fail_fast = false;
  of_block.checks = {"shape", "causality", "delivery", "redundancy"};
  if (asks_for(options, "buffers")) of_block.checks->emplace_back("buffers");
  Source broadcast = parts->block;
  if (broadcast.problem.reduction()) {
    auto image = likely_image(parts->block, machine, of_block);
    if (!image) return std::nullopt;
    broadcast = std::move(image->broadcast);
  }
  const Report block = check_broadcast(broadcast, machine, of_block, crew, true);
  Report figures =
      Checker(parts->messages, machine, of_ports(options), {}, {.symmetry = &symmetry}).run();
  figures.transfers = parts->transfers * source.problem.ranks;
  figures.max_buffer = block.max_buffer;
  return Checker(source, machine, options, {}, {.whole = &source})
      .run_by_figures(std::move(figures));
}

}  // namespace

std::optional<Report> check_by_symmetry(const Source& source, const Machine& machine,
                                        const CheckOptions& options, const Crew& crew) {
  source.problem.validate();
  for (const Symmetry& symmetry : likely_symmetries(source, machine, options)) {
    try {
      if (auto report = check_by_one_block(source, machine, options, symmetry, crew)) return report;
      const RankZero part = of_rank_zero(source, symmetry, crew, options.progress);
      const Source reduced = machine.routed() ? direct_exchange(part.source) : part.source;
      Report report =
          Checker(reduced, machine, options, {.threads = 1}, {.symmetry = &symmetry}).run();
      if (part.transfers) report.transfers = *part.transfers;
      return report;
    } catch (const Abandoned&) {
    }
  }
  return std::nullopt;
}

std::optional<Report> check_directly(const Source& source, const Machine& machine,
                                     const CheckOptions& options, const Threading& threading) {
  source.problem.validate();
  if (!may_be_direct(source, machine, options)) return std::nullopt;
  try {
    Report report =
        Checker(direct_exchange(source), machine, options, threading, {.direct = true}).run();
    if (report.findings_total == source.notes.size()) return report;
  } catch (const Abandoned&) {
  }
  return std::nullopt;
}

std::optional<Report> check_by_excerpt(const Source& source, const Machine& machine,
                                       const CheckOptions& options, const Threading& threading) {
  source.problem.validate();
  CheckedExcerpt* const last = threading.excerpt;
  try {
    if (last == nullptr) {
      if (auto report = check_by_generation(source, machine, options, threading.crew()))
        return report;
    }
    auto part = first_block(source, machine, options, options.progress);
    if (!part) {
      part = excerpt(source, machine, options, threading.crew(), options.progress, last != nullptr);
    }
    if (!part) return std::nullopt;
    Report alone;
    const CheckedPart checked{.whole = &source, .cut_out = part->rest, .alone = &alone};
    Checker checker(part->source, machine, options, threading, checked);
    if (last == nullptr) return checker.run();
    if (const Report* const known = last->find(*part, machine)) return checker.run(*known);
    Report report = checker.run();
    last->keep(std::move(*part), machine, std::move(alone));
    return report;
  } catch (const Abandoned&) {
  }
  return std::nullopt;
}

std::optional<Report> check_by_mirror(const Source& source, const Machine& machine,
                                      const CheckOptions& options, const Threading& threading) {
  source.problem.validate();
  const Problem& problem = source.problem;
  const bool twice = problem.collective == Collective::allreduce;
  if (twice && options.max_buffer && *options.max_buffer < problem.chunks) return std::nullopt;
  try {
    const auto image = likely_image(source, machine, options);
    if (!image) return std::nullopt;
    if (twice) compare_halves(*source.open()->rows(), threading.crew(), options.progress);
    Report figures = check_broadcast(
        image->broadcast, machine, checks_of_image(options, problem.collective), threading.crew());
    if (twice && asks_for(options, "buffers")) figures.max_buffer = problem.chunks;
    const CheckedPart part{.whole = &source,
                           .cut_out = {.steps = image->steps - figures.steps,
                                       .transfers = twice ? figures.transfers : 0,
                                       .messages = twice ? figures.messages : 0,
                                       .volume = twice ? figures.volume : 0}};
    return Checker(source, machine, options, threading, part).run_by_figures(std::move(figures));
  } catch (const Abandoned&) {
  }
  return std::nullopt;
}

namespace {

/// A pipeline from a file, with rows that can be read in any order (period/folded_rows.hpp); none
/// if it has them already, or need not be one.
std::optional<Source> with_rows(const Source& source, const Machine& machine,
                                const CheckOptions& options, std::size_t threads) {
  constexpr std::uint32_t few = 32;  // chunks of which less than half can be cut out
  if (source.problem.chunks < few || !may_have_excerpt(source, machine, options) ||
      machine.ports() == nullptr || !only_steps(source))
    return std::nullopt;
  auto steps = source.open();
  if (steps->rows()) return std::nullopt;
  auto rows = folded_rows(std::move(steps), threads, options.progress);
  if (!rows) return std::nullopt;
  Source result = source;
  result.open = [rows = std::move(*rows)] { return stream(rows); };
  return result;
}

}  // namespace

std::optional<Report> check_by_part(const Source& source, const Machine& machine,
                                    const CheckOptions& options, const Threading& threading) {
  if (threading.in_full) return std::nullopt;
  if (auto report = check_by_symmetry(source, machine, options, threading.crew())) return report;
  if (auto report = check_directly(source, machine, options, threading)) return report;
  // The excerpt may be known already.
  if (threading.excerpt != nullptr) {
    if (auto report = check_by_excerpt(source, machine, options, threading)) return report;
    return check_by_mirror(source, machine, options, threading);
  }
  const auto in_any_order = with_rows(source, machine, options, threading.threads);
  const Source& rows = in_any_order ? *in_any_order : source;
  if (auto report = check_by_mirror(rows, machine, options, threading)) return report;
  return check_by_excerpt(rows, machine, options, threading);
}

Report check_steps(const Source& source, const Machine& machine, const CheckOptions& options,
                   const Threading& threading) {
  if (auto report = check_by_part(source, machine, options, threading)) return std::move(*report);
  if (threading.threads > 1) {
    try {
      return Checker(source, machine, options, threading).run();
    } catch (const Abandoned&) {
    }
  }
  return Checker(source, machine, options, {.threads = 1, .demand = threading.demand}).run();
}

Report check(const Source& source, const Machine& machine, const CheckOptions& options) {
  if (options.checks) require_checks(*options.checks);
  if (options.same_as) require_steps(source);
  if (source.program) return check_program(source, options);
  if (source.plan) return check_plan(source, options);
  return check_steps(source, machine, options, {.threads = thread_count(options.jobs)});
}

}  // namespace schedcc
