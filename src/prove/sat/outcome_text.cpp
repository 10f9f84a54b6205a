// The report of `prove`, as text and as JSON.

#include <algorithm>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "core/json.hpp"
#include "prove/sat/decide.hpp"
#include "prove/sat/outcome.hpp"

namespace schedcc::prover {

namespace {

std::string_view unit(const Question& question) { return question.machine.step_unit(); }

/// ": at least 3 steps, at most 5".
std::string interval(std::uint64_t least, std::optional<std::uint64_t> most,
                     std::string_view noun) {
  return fmt::format(": at least {}{}", counted(least, noun),
                     most ? fmt::format(", at most {}", *most) : "");
}

/// " (fewer than 5 excluded by counting)", if that is so.
std::string by_counting(bool counted, std::uint64_t least) {
  return counted ? fmt::format(" (fewer than {} excluded by counting)", least) : "";
}

std::string text(const Question& question, const Frontier& frontier) {
  const bool topology = question.machine.has_rounds();
  std::string out;
  for (const Optimum& o : frontier.optima) {
    out += fmt::format(
        "\n  {}: {}{}{}{}", counted(o.chunks, "chunk"), counted(o.steps, unit(question)),
        topology ? ", " + counted(o.rounds, "round") : "", by_counting(o.counted, o.rounds),
        o.refuted ? "" : " (whether fewer steps suffice was not decided)");
  }
  for (const OpenEntry& open : frontier.open) {
    out += fmt::format("\n  {}{}{}", counted(open.chunks, "chunk"),
                       open.steps ? ", " + counted(*open.steps, unit(question)) : "",
                       interval(open.least, open.most, topology ? "round" : unit(question))) +
           by_counting(open.counted, open.least);
  }
  if (const std::uint64_t first = frontier.untried, last = question.problem.chunks; first != 0) {
    out += first < last ? fmt::format("\n  {} to {}: not tried", first, counted(last, "chunk"))
                        : fmt::format("\n  {}: not tried", counted(last, "chunk"));
  }
  return out;
}

}  // namespace

Question below(const Question& question, std::uint64_t least) {
  Question result = question;
  result.steps = least == 0 ? 0 : least - 1;
  if (question.rounds) result.steps = std::min(result.steps, *question.rounds);
  return result;
}

std::optional<Question> most_refuted(const Question& question, const Outcome& outcome) {
  if (!outcome.unreachable) {
    if (outcome.least == 0) return std::nullopt;
    return below(question, outcome.least);
  }
  return below(question, outcome.unreachable->reached.size() + 1);
}

std::vector<Assumption> assumptions(const Question& question, const Outcome& outcome) {
  std::vector<Assumption> result;
  if (outcome.assumed) result.push_back({below(question, outcome.least), outcome.assumed->source});
  if (!outcome.frontier) return result;
  const auto add = [&](const auto& entry, std::uint64_t least) {
    if (!entry.counted) return;
    Question asked = question;
    asked.problem.chunks = static_cast<std::uint32_t>(entry.chunks);
    result.push_back({below(asked, least), counted_bound(asked).source});
  };
  for (const Optimum& optimum : outcome.frontier->optima) add(optimum, optimum.rounds);
  for (const OpenEntry& open : outcome.frontier->open) add(open, open.least);
  return result;
}

std::string unreachable_text(const Unreachable& way) {
  if (way.sources.empty()) {
    return fmt::format("no rank starts with chunk {}, with which rank {} must end", way.chunk,
                       way.goal);
  }
  return fmt::format("there is no path from rank{} {} to rank {}",
                     way.sources.size() > 1 ? "s" : "", join(way.sources, ", "), way.goal);
}

std::string_view name(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::optimal:
      return "optimal";
    case Conclusion::exists:
      return "exists";
    case Conclusion::impossible:
      return "impossible";
    case Conclusion::unknown:
      break;
  }
  return "unknown";
}

std::string search_result_text(const SearchResult& entry, bool chunks) {
  const char* const what = entry.answer == Answer::sat     ? "exists"
                           : entry.answer == Answer::unsat ? "impossible"
                                                           : "undecided";
  const bool by_fractions = !entry.refuted.empty() && entry.refuted.front().solver == fractions;
  const std::string by = by_fractions                 ? ", by the relaxation"
                         : entry.construction.empty() ? ""
                                                      : ", by " + entry.construction;
  return fmt::format("{}T = {}{}: {}{} ({:.2f} s)\n",
                     chunks ? fmt::format("K = {}, ", entry.chunks) : "", entry.steps,
                     entry.rounds ? fmt::format(", R = {}", *entry.rounds) : "", what, by,
                     entry.seconds);
}

std::string to_text(const Question& question, const Outcome& outcome) {
  std::string known;
  if (outcome.frontier) {
    known = fmt::format(":{}", text(question, *outcome.frontier));
  } else if (outcome.unreachable) {
    known = fmt::format(": {}", unreachable_text(*outcome.unreachable));
  } else if (outcome.aim == Aim::exists) {
    const std::string steps = counted(question.steps, unit(question));
    known = outcome.conclusion == Conclusion::unknown
                ? fmt::format(": whether {} {} enough", steps, question.steps == 1 ? "is" : "are")
                : ": " + steps;
  } else if (outcome.conclusion == Conclusion::optimal) {
    known = ": " + counted(*outcome.steps, unit(question));
  } else if (outcome.conclusion == Conclusion::unknown) {
    known = interval(outcome.least, outcome.steps, unit(question));
  }
  known += by_counting(outcome.assumed.has_value(), outcome.least);
  return fmt::format("{}{}: {}{}\n", subject(question),
                     question.rounds ? " in " + counted(*question.rounds, "round") : "",
                     name(outcome.conclusion), known);
}

namespace {

Json json(const SearchResult& entry) {
  Json result{{"steps", entry.steps}};
  if (entry.rounds) result["rounds"] = *entry.rounds;
  result["chunks"] = entry.chunks;
  result["result"] = name(entry.answer);
  if (entry.answer == Answer::unsat) {
    result["by"] = Json::array();
    for (const Refutation& refutation : entry.refuted) result["by"].push_back(refutation.solver);
  }
  if (!entry.construction.empty()) result["construction"] = entry.construction;
  if (entry.exhausted) result["limit"] = entry.limit.empty() ? "memory" : entry.limit;
  result["seconds"] = entry.seconds;
  return result;
}

Json json(const Question& question, const OpenEntry& open) {
  Json known{{"least", open.least}, {"most", open.most}};
  Json result{{"chunks", open.chunks}};
  if (open.steps) result["steps"] = *open.steps;
  result[question.machine.has_rounds() ? "rounds" : "steps"] = std::move(known);
  if (open.counted) result["lower_bound_by"] = "counting";
  return result;
}

void add_frontier(Json& result, const Question& question, const Frontier& frontier) {
  result["frontier"] = Json::array();
  for (const Optimum& optimum : frontier.optima) {
    Json entry{{"chunks", optimum.chunks}, {"steps", optimum.steps}};
    if (question.machine.has_rounds()) entry["rounds"] = optimum.rounds;
    if (!optimum.refuted) entry["proved"] = false;
    if (optimum.counted) entry["lower_bound_by"] = "counting";
    result["frontier"].push_back(std::move(entry));
  }
  if (frontier.complete()) return;
  result["open"] = Json::array();
  for (const OpenEntry& open : frontier.open) result["open"].push_back(json(question, open));
  result["not_tried"] = Json::array();
  for (std::uint64_t k = frontier.untried; k != 0 && k <= question.problem.chunks; ++k) {
    result["not_tried"].push_back(k);
  }
}

void add_bounds(Json& result, const Outcome& outcome) {
  result["steps"] = outcome.steps;
  if (outcome.unreachable) {
    result["proved_lower_bound"] = nullptr;  // no number of steps is enough
    result["reason"] = unreachable_text(*outcome.unreachable);
    return;
  }
  if (outcome.least == 0 && outcome.conclusion != Conclusion::optimal) {
    result["proved_lower_bound"] = nullptr;  // nothing was refuted
    return;
  }
  result["proved_lower_bound"] = outcome.least;
  result["lower_bound_by"] = outcome.assumed ? "counting" : "solver";
  if (outcome.assumed) result["lower_bound_source"] = outcome.assumed->source;
}

}  // namespace

std::string to_json(const Question& question, const Outcome& outcome) {
  const Problem& problem = question.problem;
  Json result{{"collective", info(problem.collective).name}};
  if (problem.name() != info(problem.collective).name) result["title"] = problem.name();
  result["machine"] = question.machine.spec();
  result["ranks"] = problem.ranks;
  if (problem.rooted()) result["root"] = problem.root;
  result["chunks"] = problem.chunks;
  if (problem.ordered) result["ordered"] = true;
  if (question.rounds) result["rounds"] = *question.rounds;
  if (!question.waiting) result["waiting"] = false;
  if (hop_level_only(question)) result["level"] = "hop";
  if (question.eager > 0) result["eager"] = question.eager;
  result["solver"] = Json::array();
  for (const std::string_view solver : outcome.solvers) result["solver"].push_back(solver);
  result["verdict"] = name(outcome.conclusion);
  if (outcome.frontier) {
    add_frontier(result, question, *outcome.frontier);
  } else {
    add_bounds(result, outcome);
  }
  result["tried"] = Json::array();
  for (const SearchResult& entry : outcome.tried) result["tried"].push_back(json(entry));
  return dump(result);
}

}  // namespace schedcc::prover
