// `tune` compares the algorithms by their volume, which is the number of steps that remain if each
// step is cut into as many as its largest message needs: step i of them has the i-th chunks, or
// groups of as many as the width, of all messages. Ports and channels carry the same messages as
// before, or fewer. What a rank sends in a later part may have changed in an earlier one, where
// partners exchange sums: the checker decides.

#include "prove/sat/constructions.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/integers.hpp"
#include "core/saturating.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/bounds/copy_question.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/line_exchange.hpp"
#include "prove/sat/exchange/module_exchange.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/tune.hpp"

namespace schedcc::prover {

namespace {

/// The parts of a step, each with messages of at most `width` chunks.
void append_parts(const Step& step, std::size_t width, Schedule& result) {
  std::map<std::pair<Rank, Rank>, std::vector<Transfer>> messages;
  std::size_t longest = 0;
  for (Transfer t : step.transfers) {
    std::vector<Transfer>& chunks = messages[{t.src, t.dst}];
    for (std::uint32_t left = t.count; left > 0; --left, ++t.first) {
      chunks.push_back(t);
      chunks.back().count = 1;
    }
    longest = std::max(longest, chunks.size());
  }
  for (auto& [ends, chunks] : messages) std::ranges::sort(chunks, {}, &Transfer::first);
  for (std::size_t first = 0; first < longest; first += width) {
    result.begin_step(result.size());
    for (const auto& [ends, chunks] : messages) {
      for (std::size_t i = first; i < std::min(first + width, chunks.size()); ++i) {
        result.add(chunks[i]);
      }
    }
  }
}

/// The schedule of a choice for the question; none if it fails the checks.
std::optional<Construction> construction(const Question& question, const Choice& choice,
                                         const SolverLimits& limits) {
  const Source made = from_algorithm(choice.spec.text(), question.problem, choice.machine.spec());
  const auto schedule = std::make_shared<Schedule>();
  const auto stream = made.open();
  const auto poll_limits = limit_checker(limits);
  for (Step step; stream->next(step);) {
    append_parts(step, question.machine.width(), *schedule);
    poll_limits();
  }
  if (check(source(question, schedule), question.machine).verdict() != Verdict::holds) {
    return std::nullopt;
  }
  return Construction{choice.spec.text(), schedule, schedule->size()};
}

/// The choices of `tune` by volume, the least first, then by steps.
std::vector<Choice> choices(const Question& question, const SolverLimits& limits) {
  TuneRequest request;
  request.problem = question.problem;
  request.chunks = question.problem.chunks;
  request.machine = question.machine.with_width(0).spec();
  request.model = make_cost_model("alpha-beta:alpha=1ns,beta=1s/B");
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->serves(question.problem.collective)) {
      request.algorithms.push_back(Spec{std::string(algorithm->name), {}});
    }
  }
  request.compositions = true;
  request.progress = [poll_limits = limit_checker(limits)](std::uint64_t) { poll_limits(); };
  if (request.algorithms.empty()) return {};
  return Tuner(std::move(request)).choices(question.problem.chunks);
}

/// The receptions for which exchanges are made: more take memory.
constexpr std::uint64_t max_receptions = 1 << 22;

/// The schedule as an answer, if it passes the checks.
std::optional<Construction> checked(Question question, std::string name,
                                    std::shared_ptr<const Schedule> schedule) {
  if (schedule == nullptr) return std::nullopt;
  question.steps = schedule->size();
  if (check(source(question, schedule), question.machine).verdict() != Verdict::holds) {
    return std::nullopt;
  }
  return Construction{std::move(name), std::move(schedule), question.steps};
}

/// Exchanges within and between the modules of a machine, if that many steps are fewer than `most`;
/// none if they fail the checks.
std::optional<Construction> exchanges(const Question& asked, const RankRows& rows,
                                      std::uint64_t most) {
  const Saturating receptions = Saturating(asked.problem.ranks) * asked.problem.chunks;
  if (rows.grid || receptions == 0 || receptions > max_receptions) return std::nullopt;
  Question question = asked;
  question.steps = exchange_steps(question.problem.ranks,
                                  ceil_div(question.problem.chunks, question.machine.width()));
  if (question.steps >= most) return std::nullopt;
  const auto copies = copy_question(question);
  if (!copies) return std::nullopt;
  auto schedule = module_exchange(copies->instance, copies->chunks, rows.columns);
  if (schedule != nullptr) schedule = copies->schedule(std::move(schedule));
  return checked(question, "exchanges between modules", std::move(schedule));
}

/// An alltoall along the rows or columns of a grid, if it takes fewer steps than `most`; none if it
/// fails the checks.
std::optional<Construction> exchange_along_lines(const Question& question, const RankRows& rows,
                                                 std::uint64_t most) {
  const Problem& problem = question.problem;
  if (!rows.grid || problem.collective != Collective::alltoall) return std::nullopt;
  if (problem.total_chunks() > max_receptions) return std::nullopt;
  Question without_steps = question;  // however many: no formula is made
  without_steps.steps = 0;
  const auto copies = copy_question(without_steps);
  return checked(question, "exchanges along lines",
                 line_exchange(copies->instance, copies->chunks, rows, most));
}

}  // namespace

std::optional<Construction> best_construction(const Question& question,
                                              const SolverLimits& limits) {
  const Problem& problem = question.problem;
  if (problem.declared() || problem.ranks == 1 || !question.machine.ports()) return std::nullopt;
  std::optional<Construction> best;
  try {
    for (const Choice& choice : choices(question, limits)) {
      // Parts are no fewer than chunks of the volume; and what is not cut keeps its steps.
      if (best && choice.seconds / question.machine.width() >= static_cast<double>(best->steps)) {
        break;
      }
      const auto found = construction(question, choice, limits);
      if (found && (!best || found->steps < best->steps)) best = found;
    }
    const auto rows = rank_rows(question.machine, problem.ranks);
    if (!rows) return best;
    for (const auto& make : {exchanges, exchange_along_lines}) {
      auto made = make(question, *rows, best ? best->steps : UINT64_MAX);
      if (made && (!best || made->steps < best->steps)) best = std::move(made);
    }
  } catch (const InputError&) {  // a machine that only the library's caller has, or no choice
  } catch (const LimitError&) {
  } catch (const LimitsReached&) {
  }
  return best;
}

namespace {

/// The steps of `b` begin `offset` after those of `a`.
Construction joined(const PartialSchedule& a, const PartialSchedule& b, std::uint64_t offset) {
  const std::uint64_t chunks = a.chunks + b.chunks;
  std::map<std::uint64_t, std::pair<std::uint32_t, Transfers>> steps;  // rounds, transfers
  const auto append = [&](const PartialSchedule& part, std::uint64_t first, std::uint64_t begin) {
    for (std::uint64_t row = 0; row < part.schedule->size(); ++row) {
      const Step step = (*part.schedule)[row];
      auto& [rounds, transfers] = steps[begin + step.number];
      rounds += step.rounds;
      for (const Transfer& t : step.transfers) {
        for (Chunk c = t.first; c < t.first + t.count; ++c) {
          const std::uint64_t renamed = c / part.chunks * chunks + first + c % part.chunks;
          transfers.push_back({t.src, t.dst, static_cast<Chunk>(renamed), 1, t.reduce});
        }
      }
    }
  };
  append(a, 0, 0);
  append(b, a.chunks, offset);
  const auto schedule = std::make_shared<Schedule>();
  for (const auto& [number, step] : steps) {
    schedule->begin_step(number, step.first);
    for (const Transfer& t : step.second) schedule->add(t);
  }
  return {fmt::format("{} + {} chunks", a.chunks, b.chunks), schedule,
          std::max(a.steps, offset + b.steps)};
}

}  // namespace

Construction joined_in_sequence(const PartialSchedule& a, const PartialSchedule& b) {
  return joined(a, b, a.steps);
}

Construction joined_at_once(const PartialSchedule& a, const PartialSchedule& b) {
  return joined(a, b, 0);
}

}  // namespace schedcc::prover
