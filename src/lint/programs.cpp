// The rule of the loaders: the first program for the collective and the number of GPUs that serves
// calls of this kind (in place or not) and of this size, and whose number of chunks divides the
// call's elements. Without one, the library uses an algorithm of its own.

#include "lint/programs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/input_text.hpp"
#include "core/join.hpp"
#include "format/msccl/reader.hpp"
#include "format/tuning/interval.hpp"
#include "lint/sum_order.hpp"
#include "program/limits.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

namespace {

/// Programs among which the loader chooses by size.
struct ProgramGroup {
  std::string collective;
  std::uint64_t ranks = 0;
  bool in_place = false;
  std::vector<const LintedProgram*> programs = {};  ///< in the order of the loader
};

/// Finds the same for calls in place and out of place once.
class SizeFindings {
 public:
  void add(LintFinding finding, bool in_place) {
    const auto same = std::ranges::find_if(all_, [&](const SizeFinding& other) {
      return other.finding.message == finding.message &&
             other.finding.location.file == finding.location.file && other.in_place != in_place;
    });
    if (same != all_.end()) {
      same->both = true;
    } else {
      all_.push_back({std::move(finding), in_place});
    }
  }

  void take(std::vector<LintFinding>& findings) {
    for (SizeFinding& found : all_) {
      if (!found.both) {
        found.finding.message += found.in_place ? " (calls in place)" : " (calls out of place)";
      }
      findings.push_back(std::move(found.finding));
    }
  }

 private:
  struct SizeFinding {
    LintFinding finding;
    bool in_place, both = false;
  };
  std::vector<SizeFinding> all_;
};

Interval sizes_of(const LintedProgram& program) {
  return {program.head.min_bytes, program.head.max_bytes};
}

std::vector<ProgramGroup> groups_of(const std::vector<LintedProgram>& programs) {
  std::map<std::tuple<std::string, std::uint64_t, bool>, ProgramGroup> groups;
  for (const LintedProgram& program : programs) {
    if (!program.head.loaded()) continue;
    for (const bool in_place : {false, true}) {
      if (!(in_place ? program.head.in_place : program.head.out_of_place)) continue;
      const MscclHead& head = program.head;
      ProgramGroup& group = groups[{head.collective, head.ranks, in_place}];
      group.collective = head.collective;
      group.ranks = head.ranks;
      group.in_place = in_place;
      group.programs.push_back(&program);
    }
  }
  std::vector<ProgramGroup> result;
  result.reserve(groups.size());
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

std::string problem_of(const ProgramGroup& group) {
  return fmt::format("{} on {}", group.collective, counted(group.ranks, "GPU"));
}

/// Sizes between those of the programs that none serves.
void find_gaps(const ProgramGroup& group, SizeFindings& findings) {
  std::vector<const LintedProgram*> sorted = group.programs;
  std::ranges::stable_sort(sorted, {}, [](const LintedProgram* p) { return p->head.min_bytes; });
  const LintedProgram* before = nullptr;  // the one that reaches furthest
  for (const LintedProgram* program : sorted) {
    if (before != nullptr && before->head.max_bytes != UINT64_MAX &&
        program->head.min_bytes > before->head.max_bytes + 1) {
      const Interval gap{before->head.max_bytes + 1, program->head.min_bytes - 1};
      findings.add({Severity::warning, "gap", program->head.sizes,
                    fmt::format("no program serves {} of {}, between the sizes of '{}' and of this "
                                "file: the library uses its own algorithm",
                                problem_of(group), sizes_text(gap), before->file)},
                   group.in_place);
    }
    if (before == nullptr || program->head.max_bytes > before->head.max_bytes) before = program;
  }
}

/// The rule by which a loader chooses among programs that serve the same call.
std::string choice_rule(MscclLoader loader, const LintedProgram& first) {
  if (loader == MscclLoader::msccl) {
    return fmt::format("the loader takes the first of its list, here '{}'", first.file);
  }
  return fmt::format(
      "the loader takes the first program that it reads: '{}' if it sorts them by path, but any in "
      "the order of the directory (RCCL of 2024)",
      first.file);
}

/// Does `first` serve whatever call of a size of both `second` serves?
bool divides(const LintedProgram& first, const LintedProgram& second) {
  return second.head.chunks_per_loop % first.head.chunks_per_loop == 0;
}

/// Sizes that `program` shares with those before it.
void find_overlap(const ProgramGroup& group, std::size_t index, MscclLoader loader,
                  SizeFindings& findings) {
  const LintedProgram& program = *group.programs[index];
  const LintedProgram* first = nullptr;
  std::uint64_t more = 0;
  IntervalSet taken;
  for (std::size_t i = 0; i < index; ++i) {
    const LintedProgram& other = *group.programs[i];
    if (!overlap(sizes_of(other), sizes_of(program))) continue;
    if (first == nullptr) {
      first = &other;
    } else {
      ++more;
    }
    if (divides(other, program)) taken.add(sizes_of(other));
  }
  if (first == nullptr) return;
  const Interval shared = *overlap(sizes_of(*first), sizes_of(program));
  const std::string others = more > 0 ? fmt::format(" and {}", counted(more, "other file")) : "";
  const bool never = taken.covers(sizes_of(program));
  const std::string chunks =
      divides(*first, program)
          ? ""
          : fmt::format(
                "; this one remains for those that are divisible into its {} but not into the {} "
                "of that",
                counted(program.head.chunks_per_loop, "chunk"), first->head.chunks_per_loop);
  findings.add(
      {Severity::warning, "overlap", program.head.sizes,
       fmt::format("'{}'{} {} {} of {} as well; {}{}{}", first->file, others,
                   more > 0 ? "serve" : "serves", problem_of(group), sizes_text(shared),
                   choice_rule(loader, *first), chunks, never ? ": this one is never taken" : "")},
      group.in_place);
}

/// The programs of a group that hold, by the order in which they add, and in it by size.
std::vector<std::vector<const LintedProgram*>> by_order(const ProgramGroup& group) {
  std::vector<const LintedProgram*> sorted = group.programs;
  std::ranges::stable_sort(sorted, {}, [](const LintedProgram* p) { return p->head.min_bytes; });
  std::vector<std::vector<const LintedProgram*>> result;
  std::map<SumOrder, std::size_t> known;
  Expressions expressions;
  for (const LintedProgram* program : sorted) {
    if (program->verdict != Verdict::holds || program->program == nullptr ||
        !program->program->problem.reduction()) {
      continue;
    }
    const program::Call call =
        group.in_place ? program::Call::in_place : program::Call::out_of_place;
    SumOrder order = sum_order(*program->program, call, expressions);
    const auto [at, first] = known.try_emplace(std::move(order), result.size());
    if (first) result.emplace_back();
    result[at->second].push_back(program);
  }
  return result;
}

/// "'a.xml' (0..1000 bytes) and 2 other files".
std::string files_text(const std::vector<const LintedProgram*>& programs) {
  std::string first =
      fmt::format("'{}' ({})", programs.front()->file, sizes_text(sizes_of(*programs.front())));
  if (programs.size() == 1) return first;
  return fmt::format("{} and {}", first, counted(programs.size() - 1, "other file"));
}

/// A note if programs of a group add in different orders.
void note_orders(const ProgramGroup& group, SizeFindings& findings) {
  constexpr std::size_t most = 4;
  if (group.programs.size() < 2) return;
  const auto orders = by_order(group);
  if (orders.size() < 2) return;
  std::vector<std::string> parts;
  for (const auto& programs : orders) {
    if (parts.size() == most) break;
    parts.push_back(files_text(programs));
  }
  if (orders.size() > most) parts.push_back(fmt::format("{} more", orders.size() - most));
  findings.add({Severity::note,
                "order",
                {orders.front().front()->file, 0, 0},
                fmt::format("the programs for {} add in {} different orders, so that calls of "
                            "different sizes may differ in their last bits: {}",
                            problem_of(group), orders.size(), join(parts, "; "))},
               group.in_place);
}

/// Programs of a collective for several numbers of GPUs: a call sees only those for its own.
void note_ranks(const std::vector<LintedProgram>& programs, std::vector<LintFinding>& findings) {
  std::map<std::string, std::map<std::uint64_t, std::vector<const LintedProgram*>>> all;
  for (const LintedProgram& program : programs) {
    all[program.head.collective][program.head.ranks].push_back(&program);
  }
  for (const auto& [collective, by_ranks] : all) {
    if (by_ranks.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [ranks, files] : by_ranks) {
      parts.push_back(fmt::format("{} ({})", ranks, counted(files.size(), "file")));
    }
    const LintedProgram& rarest = *std::ranges::min_element(by_ranks, {}, [](const auto& e) {
                                     return e.second.size();
                                   })->second.front();
    SourceLocation location{rarest.file, 0, 0};
    findings.push_back({Severity::note, "ranks", location,
                        fmt::format("the programs for {} are for several numbers of GPUs, {}, and "
                                    "a communicator uses those for its own",
                                    collective, join(parts, ", "))});
  }
}

}  // namespace

LintedProgram lint_program(const InputText& text, const std::string& file, MscclLoader loader,
                           std::vector<LintFinding>& findings) {
  Source source = read_msccl(text, file);
  LintedProgram result{file, read_msccl_head(text.view(), file, loader)};
  for (const LintFinding& finding : result.head.findings) findings.push_back(finding);
  auto program = std::make_shared<Program>(*source.program);
  program->runtime = program::find_runtime(name(loader)).name;
  source.program = result.program = program;
  std::erase_if(source.notes, [&](const Note& note) {  // forms that are errors above
    return std::ranges::any_of(result.head.findings, [&](const LintFinding& finding) {
      return finding.location.line == note.line && finding.location.column == note.column;
    });
  });
  const Report report = check(source, Machine());
  result.verdict = report.verdict();
  for (const Finding& f : report.findings) {
    findings.push_back({f.severity, f.check, {file, f.line, f.column}, f.message});
  }
  for (const CheckResult& c : report.checks) {
    if (c.verdict != Verdict::unknown) continue;
    findings.push_back({Severity::note,
                        c.check,
                        {file, 0, 0},
                        fmt::format("this check is undecided: {}", c.reason)});
  }
  return result;
}

void lint_sizes(const std::vector<LintedProgram>& programs, MscclLoader loader,
                std::vector<LintFinding>& findings) {
  SizeFindings found;
  for (const ProgramGroup& group : groups_of(programs)) {
    find_gaps(group, found);
    for (std::size_t i = 1; i < group.programs.size(); ++i) find_overlap(group, i, loader, found);
    note_orders(group, found);
  }
  found.take(findings);
  note_ranks(programs, findings);
}

}  // namespace schedcc
