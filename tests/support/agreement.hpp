#pragma once

// The checker and the simulator on one plan and machine, and the differences between their results.

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"
#include "simulator/simulator.hpp"

namespace agreement {

using namespace schedcc;
using naive::Plan;
using naive::Sent;

/// The plan's steps, each with its rounds: those that have transfers, and idle ones with rounds.
inline std::map<std::uint64_t, std::uint32_t> rows(const Plan& plan) {
  std::map<std::uint64_t, std::uint32_t> result = plan.rounds;
  for (const Sent& s : plan.sent) result.insert({s.step, 1});
  return result;
}

/// The plan's steps in memory. Lines are numbered, as those of a file are.
inline std::shared_ptr<const Schedule> schedule_of(const Plan& plan) {
  auto schedule = std::make_shared<Schedule>();
  std::uint32_t line = 0;
  auto sent = plan.sent.begin();
  for (const auto& [step, rounds] : rows(plan)) {
    schedule->begin_step(step, rounds);
    for (; sent != plan.sent.end() && sent->step == step; ++sent) {
      schedule->add(sent->transfer, ++line);
    }
  }
  return schedule;
}

inline Source source_of(const Plan& plan) {
  Source source;
  source.name = "plan";
  source.problem = plan.problem;
  source.nodes = plan.nodes;
  source.open = [schedule = schedule_of(plan)] { return stream(schedule); };
  return source;
}

/// The transfers of a schedule, with their steps.
inline std::vector<Sent> sent(StepStream& steps) {
  std::vector<Sent> result;
  Step step;
  while (steps.next(step)) {
    for (const Transfer& t : step.transfers) result.push_back({step.number, t});
  }
  return result;
}

/// The plan at hop level, as the simulator lowers it.
inline Plan hops_of(const Plan& plan, const std::string& machine) {
  const Rank ranks = plan.problem.ranks;
  const naive::Model& model = naive::model(machine, ranks);
  return {plan.problem, naive::lower(plan.sent, model, ranks),
          model.graph ? model.graph->nodes : 2 * std::uint64_t{ranks} - 1, plan.rounds};
}

inline CheckOptions library_options(const naive::Options& options) {
  CheckOptions result;
  result.strict = true;  // so that `redundancy` is a violation, as it is for the simulator
  result.blocking = options.blocking;
  result.eager = options.eager;
  result.max_buffer = options.max_buffer;
  return result;
}

inline std::string join(const std::set<std::string>& names) {
  std::string result = "{";
  for (const std::string& name : names) result += (result.size() > 1 ? " " : "") + name;
  return result + "}";
}

/// The names of the checks in a report that did not hold. `bound` is informational.
inline std::set<std::string> violated(const Report& report) {
  std::set<std::string> result;
  for (const CheckResult& r : report.checks) {
    if (r.check == "bound" || r.verdict == Verdict::holds) continue;
    result.insert(std::string(r.check) + (r.verdict == Verdict::unknown ? "?" : ""));
  }
  return result;
}

inline std::set<std::string> applicable(const Report& report) {
  std::set<std::string> result;
  for (const CheckResult& r : report.checks) {
    if (r.check != "bound") result.insert(std::string(r.check));
  }
  return result;
}

/// The differences between the report and the oracle; empty if there are none. What is not defined
/// after some faults is not compared: after a shape error everything else; after a causality error
/// the queues, as a chunk that could not be sent waits for its hop or does not; and where a copy
/// brings a value that counts a contribution twice or more, whether that is redundant, as the
/// checker does not distinguish two from three.
class Difference {
 public:
  Difference(const Report& report, const naive::Outcome& outcome) {
    auto ours = violated(report), theirs = outcome.violated;
    compare("below its bound", report.below_bound, false);
    compare("applicable checks", applicable(report), outcome.applicable);
    const Verdict verdict = theirs.empty() ? Verdict::holds : Verdict::violated;
    if (!outcome.overcounted) compare("verdict", name(report.verdict()), name(verdict));
    if (ours.count("shape") != 0 && theirs.count("shape") != 0) return;
    const bool causal = theirs.count("causality") == 0;
    for (auto* names : {&ours, &theirs}) {
      if (!causal) names->erase("buffers");
      if (outcome.overcounted) names->erase("redundancy");
    }
    compare("violated checks", ours, theirs);
    compare("steps", report.steps, outcome.steps);
    compare("volume", report.volume, outcome.volume);
    compare("transfers", report.transfers, outcome.transfers);
    compare("messages", report.messages, outcome.messages);
    compare("width", report.width, outcome.width);
    compare("hops", report.hops.value_or(0), outcome.hops);
    compare("congestion", report.congestion.value_or(0), outcome.congestion);
    if (!causal) return;
    compare("max_buffer", report.max_buffer.value_or(0), outcome.max_buffer);
    compare("queues", queues(report), outcome.queues);
  }

  const std::string& text() const { return text_; }

 private:
  using Queues = decltype(naive::Outcome::queues);

  static Queues queues(const Report& report) {
    Queues result;
    for (const LevelQueues& q : report.queues) result[q.level] = {q.up, q.down};
    return result;
  }

  template <typename T>
  static T shown(const T& value) {
    return value;
  }
  static std::string shown(const std::set<std::string>& names) { return join(names); }
  static std::string shown(const Queues& queues) {
    std::string result;
    for (const auto& [level, q] : queues) {
      result += fmt::format("{}: {}/{} ", level, q.first, q.second);
    }
    return result;
  }

  /// In words only where they differ: they hardly ever do.
  template <typename T>
  void compare(const char* what, const T& library, const T& oracle) {
    if (library == oracle) return;
    text_ += fmt::format("{}: the checker says {}, the simulator {}\n", what, shown(library),
                         shown(oracle));
  }

  std::string text_;
};

inline void print_holdings(std::ostream& out, const char* keyword, std::span<const Holding> lines) {
  for (const Holding& line : lines) {
    out << keyword << ' ' << line.rank << " :";
    for (const Run& run : line.runs) out << ' ' << run.first << '-' << run.first + run.count - 1;
    out << (line.reduced ? " reduced\n" : "\n");
  }
}

/// The plan as a .sched file, so that a disagreement can be repeated by hand.
inline std::string text(const Plan& plan, const std::string& machine) {
  std::ostringstream out;
  const Problem& p = plan.problem;
  out << "schedcc 1\ncollective " << info(p.collective).name << "\nranks " << p.ranks << '\n';
  if (p.rooted()) out << "root " << p.root << '\n';
  out << "chunks " << p.chunks << "\nmachine " << machine << '\n';
  if (p.ordered) out << "ordered\n";
  if (plan.nodes != 0) out << "nodes " << plan.nodes << '\n';
  if (p.custom) {
    print_holdings(out, "pre", p.custom->pre());
    print_holdings(out, "post", p.custom->post());
  }
  auto sent = plan.sent.begin();
  for (const auto& [step, rounds] : rows(plan)) {
    out << "step " << step;
    if (rounds != 1) out << " rounds " << rounds;
    out << '\n';
    for (; sent != plan.sent.end() && sent->step == step; ++sent) {
      const Transfer& t = sent->transfer;
      out << t.src << " -> " << t.dst << " : " << t.first << '-' << t.first + t.count - 1
          << (t.reduce ? " reduce\n" : "\n");
    }
  }
  return out.str();
}

/// make_machine, each machine made once: thousands of schedules are for the same few.
inline const Machine& machine_of(const std::string& spec, Rank ranks) {
  static std::map<std::pair<std::string, Rank>, Machine> made;
  const auto found = made.find({spec, ranks});
  if (found != made.end()) return found->second;
  return made.emplace(std::pair(spec, ranks), make_machine(spec, ranks)).first->second;
}

/// A way to check a schedule.
using Checker = Report (*)(const Source&, const Machine&, const CheckOptions&);

/// How the checker's answer differs from the simulator's, `outcome`, as text; empty if they agree.
inline std::string disagreement(const Plan& plan, const std::string& machine,
                                const naive::Options& options, const naive::Outcome& outcome,
                                Checker checker = check) {
  const Rank ranks = plan.problem.ranks;
  const Report report =
      checker(source_of(plan), machine_of(machine, ranks), library_options(options));
  const std::string difference = Difference(report, outcome).text();
  if (difference.empty()) return {};
  std::ostringstream out;
  out << difference << text(plan, machine) << "# blocking " << int(options.blocking) << " eager "
      << options.eager << '\n';
  for (const Finding& f : report.findings) out << "# " << f.check << ": " << f.message << '\n';
  return out.str();
}

/// The same, with the simulator asked.
inline std::string disagreement(const Plan& plan, const std::string& machine,
                                const naive::Options& options = {}) {
  const naive::Model& model = naive::model(machine, plan.problem.ranks);
  return disagreement(plan, machine, options, naive::simulate(plan, model, options));
}

}  // namespace agreement
